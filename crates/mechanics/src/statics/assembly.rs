//! A model with its joints, by index, and the contact problems that it poses.

use std::collections::HashMap;

use drystone_cone::{Body, Contact, Link, Problem, Twist};
use drystone_contact::{Joint, Search, Survey, joints};
use drystone_model::{Model, TieKind};
use glam::{DMat3, DVec3};

use super::{Loads, StaticsError};
use crate::StructureError;

/// A corner of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Which joint it belongs to.
    pub joint: u32,
    /// The two blocks.
    pub blocks: [u32; 2],
    /// Where it is (unit: m).
    pub position: DVec3,
    /// Unit normal from the first block to the second.
    pub normal: DVec3,
    /// Friction coefficient.
    pub friction: f64,
}

/// A tie between two blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct TieLine {
    /// Its name.
    pub name: String,
    /// The two blocks.
    pub blocks: [u32; 2],
    /// Its ends (unit: m).
    pub ends: [DVec3; 2],
    /// Whether it can push, too.
    pub pushes: bool,
}

/// A structure at rest: blocks, and the points where they touch.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// Names of the blocks.
    pub names: Vec<String>,
    /// Which blocks are supports.
    pub fixed: Vec<bool>,
    /// Centres of mass (unit: m).
    pub center: Vec<DVec3>,
    /// Masses (unit: kg).
    pub mass: Vec<f64>,
    /// Inertias about the centres, in world axes (unit: kg m²).
    pub inertia: Vec<DMat3>,
    /// Largest distance of a corner from the centre of each block (unit: m).
    pub radius: Vec<f64>,
    /// The joints.
    pub joints: Vec<Joint>,
    /// How they were found.
    pub search: Search,
    /// Their corners.
    pub points: Vec<ContactPoint>,
    /// Ties. Springs count as ties that pull with any force: the stiffness is no part of an equilibrium.
    pub ties: Vec<TieLine>,
    /// Gravity of the model (unit: m/s²).
    pub gravity: DVec3,
    /// Parts that hang on no support, each the indices of its blocks.
    pub loose: Vec<Vec<usize>>,
    /// Size of a block, the unit of length (unit: m).
    pub length: f64,
}

/// Sides of a linearised friction cone.
pub(super) const SIDES: usize = 8;

/// What a contact problem of the assembly has beside its geometry, in units of the assembly.
pub(super) struct Law<'a> {
    /// What each joint has to close, by point.
    pub(super) gaps: &'a dyn Fn(usize) -> f64,
    /// Motion for a unit of force, along the normal and across it.
    pub(super) compliance: [f64; 2],
    /// Motion for a unit of tension, where tension is allowed at a price.
    pub(super) tension: Option<f64>,
}

impl Assembly {
    /// Reads a model and finds its joints, the way that suits it.
    pub fn new(model: &Model) -> Result<Self, StaticsError> {
        // What cannot be asked about is told before the search, which takes longest.
        moves_and_rests(model)?;
        Self::with_joints(model, joints(model)?)
    }

    /// Reads a model whose joints were found before: where blocks became supports or got another mass since, nothing need be
    /// searched again. Joints between two supports are left out, as in a survey.
    pub fn with_joints(model: &Model, mut found: Survey) -> Result<Self, StaticsError> {
        moves_and_rests(model)?;
        let is_fixed = |b: &usize| model.blocks[*b].fixed;
        found.joints.retain(|j| !j.blocks.iter().all(is_fixed));
        let loose = found.components(model);
        let loose = loose.into_iter().filter(|part| !part.iter().any(is_fixed)).collect();
        let mut assembly = Self {
            names: model.blocks.iter().map(|b| b.name.clone()).collect(),
            fixed: model.blocks.iter().map(|b| b.fixed).collect(),
            center: Vec::new(),
            mass: Vec::new(),
            inertia: Vec::new(),
            radius: Vec::new(),
            points: Vec::new(),
            ties: ties(model)?,
            gravity: model.gravity,
            loose,
            length: 1.0,
            search: found.search,
            joints: found.joints,
        };
        assembly.set_blocks(model)?;
        assembly.set_points(model);
        Ok(assembly)
    }

    fn set_blocks(&mut self, model: &Model) -> Result<(), StaticsError> {
        let (mut volume, mut count) = (0.0, 0.0);
        for block in &model.blocks {
            let (mass, properties) = model.mass_of(block);
            let is_heavy = mass > 0.0 && mass.is_finite() && properties.inertia.is_finite();
            if !(block.fixed || is_heavy) {
                let name = block.name.clone();
                return Err(StructureError::Mass { name, mass }.into());
            }
            if !block.fixed {
                (volume, count) = (volume + properties.volume, count + 1.0);
            }
            let corners = block.polyhedron().vertices;
            let radius = corners
                .iter()
                .map(|v| v.distance(properties.centroid))
                .fold(0.0, f64::max);
            self.center.push(properties.centroid);
            self.mass.push(mass);
            self.inertia.push(properties.inertia);
            self.radius.push(radius);
        }
        self.length = (volume / count).cbrt();
        Ok(())
    }

    fn set_points(&mut self, model: &Model) {
        for (k, joint) in self.joints.iter().enumerate() {
            let [a, b] = joint.blocks;
            let friction = model.joints.law_between(&model.blocks[a], &model.blocks[b]).friction;
            self.points.extend(joint.points.iter().map(|&position| ContactPoint {
                joint: k as u32,
                blocks: [a as u32, b as u32],
                position,
                normal: joint.normal,
                friction,
            }));
        }
    }

    /// The same with one friction coefficient for every joint.
    #[must_use]
    pub fn with_friction(&self, friction: f64) -> Self {
        let mut other = self.clone();
        other.points.iter_mut().for_each(|p| p.friction = friction);
        other
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Indices of the blocks that can move.
    pub fn free(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&b| !self.fixed[b])
    }

    /// Mass of the blocks that can move (unit: kg).
    pub fn free_mass(&self) -> f64 {
        self.free().map(|b| self.mass[b]).sum()
    }

    /// Relative motion at a point, of the second block against the first.
    pub fn relative(&self, motions: &[Twist], point: &ContactPoint) -> DVec3 {
        let [a, b] = point.blocks.map(|b| b as usize);
        let at = |b: usize| motions[b].at(point.position - self.center[b]);
        at(b) - at(a)
    }

    /// The contact problem in units of the assembly: lengths over [`Self::length`], masses over that of all free blocks,
    /// a step of one. Free blocks have the velocities that are given.
    pub(super) fn problem(&self, law: &Law<'_>, velocity: impl Fn(usize) -> Twist) -> Problem {
        let (length, mass) = (self.length, self.free_mass());
        let body = |b: usize| {
            let center = self.center[b] / length;
            if self.fixed[b] {
                return Body::driven(center, Twist::ZERO);
            }
            let inertia = self.inertia[b] * (1.0 / (mass * length * length));
            Body::free(center, self.mass[b] / mass, inertia, velocity(b))
        };
        let contact = |(i, p): (usize, &ContactPoint)| Contact {
            compliance: law.compliance,
            ..Contact::new(p.blocks, p.position / length, p.normal, (law.gaps)(i), p.friction)
        };
        let mut links: Vec<Link> = self
            .ties
            .iter()
            .map(|tie| {
                let [from, to] = tie.ends.map(|end| end / length);
                if tie.pushes {
                    Link::rod(tie.blocks, from, to, 0.0)
                } else {
                    Link::tie(tie.blocks, from, to, 0.0)
                }
            })
            .collect();
        if let Some(price) = law.tension {
            links.extend(self.points.iter().map(|p| Link {
                force: -p.normal,
                compliance: price,
                ..Link::tie(p.blocks, p.position / length, p.position / length, 0.0)
            }));
        }
        Problem {
            bodies: (0..self.len()).map(body).collect(),
            contacts: self.points.iter().enumerate().map(contact).collect(),
            links,
            dt: 1.0,
        }
    }

    /// The same problem with every friction cone replaced by the pyramid of paper 004, appendix B, which contains it: the
    /// links after those of the ties are its edges, [`SIDES`] for each point, and there are no contacts.
    pub(super) fn linearised(&self, compliance: f64) -> Problem {
        let law = Law {
            gaps: &|_| 0.0,
            compliance: [0.0; 2],
            tension: None,
        };
        let mut problem = self.problem(&law, |_| Twist::ZERO);
        problem.contacts.clear();
        for point in &self.points {
            let at = point.position / self.length;
            problem.links.extend((0..SIDES).map(|side| Link {
                force: self.edge(point, side),
                compliance,
                ..Link::tie(point.blocks, at, at, 0.0)
            }));
        }
        problem
    }

    /// An edge of the pyramid of a point. Its sides are those of the first edge of the joint.
    pub(super) fn edge(&self, point: &ContactPoint, side: usize) -> DVec3 {
        let joint = &self.joints[point.joint as usize].points;
        let along = joint.get(1).map_or(DVec3::ZERO, |second| *second - joint[0]);
        let first = (along - along.dot(point.normal) * point.normal)
            .try_normalize()
            .unwrap_or_else(|| point.normal.any_orthonormal_vector());
        let half = std::f64::consts::PI / SIDES as f64;
        let (sin, cos) = (half * (2 * side + 1) as f64).sin_cos();
        let across = cos * first + sin * point.normal.cross(first);
        point.normal + point.friction / half.cos() * across
    }

    /// Loads in units of the assembly, those on supports left out.
    pub(super) fn scaled(&self, loads: &Loads) -> Vec<drystone_cone::Wrench> {
        let size = loads.size(self);
        let one = |(b, w): (usize, &drystone_cone::Wrench)| {
            if self.fixed[b] {
                return drystone_cone::Wrench::default();
            }
            drystone_cone::Wrench {
                force: w.force / size,
                moment: w.moment / (size * self.length),
            }
        };
        loads.wrenches.iter().enumerate().map(one).collect()
    }
}

/// Refuses a model in which nothing can move, or nothing holds it.
fn moves_and_rests(model: &Model) -> Result<(), StructureError> {
    if model.free_blocks().next().is_none() {
        return Err(StructureError::NothingFree);
    }
    if model.blocks.iter().all(|b| !b.fixed) {
        return Err(StructureError::NoSupport);
    }
    Ok(())
}

fn ties(model: &Model) -> Result<Vec<TieLine>, StaticsError> {
    let index: HashMap<&str, u32> = model
        .blocks
        .iter()
        .enumerate()
        .map(|(i, b)| (b.name.as_str(), i as u32))
        .collect();
    let mut lines = Vec::new();
    for tie in &model.ties {
        let find = |name: &String| {
            index
                .get(name.as_str())
                .copied()
                .ok_or_else(|| StructureError::NoSuchBlock {
                    what: format!("tie `{}`", tie.name),
                    name: name.clone(),
                })
        };
        lines.push(TieLine {
            name: tie.name.clone(),
            blocks: [find(&tie.from.block)?, find(&tie.to.block)?],
            ends: [tie.from.at, tie.to.at],
            pushes: matches!(tie.kind, TieKind::RigidRod),
        });
    }
    Ok(lines)
}

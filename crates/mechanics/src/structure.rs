//! A model as mechanics needs it: everything by index, nothing by name.

use std::collections::HashMap;

use drystone_cone::{Body, Contact, Link, Problem, Twist};
use drystone_contact::{Bodies, BodiesError, Contacts, DetectorSettings, Placement, joints};
use drystone_model::{JointLaw, Model, TieKind};
use glam::{DMat3, DVec3};

use crate::{RestGaps, laws::Laws};

/// Why a model is not a structure that mechanics can work with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StructureError {
    /// A block has no usable shape.
    #[error(transparent)]
    Shape(#[from] BodiesError),
    /// Nothing can move.
    #[error("no block is free to move: every block of the model is fixed, or there is none")]
    NothingFree,
    /// Nothing holds it.
    #[error("no block is fixed: the structure would fall for ever. Fix its supports (`fixed`, or --supports)")]
    NoSupport,
    /// A block weighs nothing, or its mass is no number.
    #[error("block `{name}`: its mass is {mass} kg; it must be a positive number")]
    Mass {
        /// Name of the block.
        name: String,
        /// What its mass comes to.
        mass: f64,
    },
    /// Something names a block that does not exist.
    #[error("{what} names block `{name}`, which does not exist")]
    NoSuchBlock {
        /// What names it.
        what: String,
        /// The name.
        name: String,
    },
}

/// A rod or a spring between two blocks.
#[derive(Clone, Debug)]
struct Rod {
    blocks: [u32; 2],
    /// Where it is anchored, from the centres of the blocks as they stood at first.
    arms: [DVec3; 2],
    length: f64,
    kind: TieKind,
}

/// A structure: what does not change while it moves.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Shapes, for the search for contacts.
    pub bodies: Bodies,
    /// Where the blocks stand at first.
    pub initial: Vec<Placement>,
    /// Names of the blocks.
    pub names: Vec<String>,
    /// Masses (kg).
    pub mass: Vec<f64>,
    /// Inertias about the centres, in the axes of the blocks as they stand at first (kg m²).
    pub inertia: Vec<DMat3>,
    /// Whether a block is a support.
    pub fixed: Vec<bool>,
    /// Largest distance of a corner from the centre (m).
    pub radius: Vec<f64>,
    /// Lowest corner of each block as it stands at first.
    lowest_of: Vec<DVec3>,
    /// Gravity (m/s²).
    pub gravity: DVec3,
    laws: Laws,
    rods: Vec<Rod>,
    /// What fills the joints at rest.
    rest_gaps: RestGaps,
    /// How contacts are found while the blocks move.
    contact_settings: DetectorSettings,
}

impl Structure {
    /// Reads a model.
    pub fn new(model: &Model) -> Result<Self, StructureError> {
        if model.free_blocks().next().is_none() {
            return Err(StructureError::NothingFree);
        }
        if model.free_blocks().count() == model.blocks.len() {
            return Err(StructureError::NoSupport);
        }
        let (bodies, initial) = Bodies::of_model(model)?;
        let (mut mass, mut inertia, mut radius, mut lowest_of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (block, placement) in model.blocks.iter().zip(&initial) {
            let (m, properties) = model.mass_of(block);
            let is_heavy = m > 0.0 && m.is_finite() && properties.inertia.is_finite();
            if !(block.fixed || is_heavy) {
                let name = block.name.clone();
                return Err(StructureError::Mass { name, mass: m });
            }
            mass.push(m);
            inertia.push(properties.inertia);
            let corners = block.polyhedron().vertices;
            let height = |v: &&DVec3| -v.dot(model.gravity);
            let lowest = corners.iter().min_by(|a, b| height(a).total_cmp(&height(b)));
            lowest_of.push(lowest.copied().unwrap_or(placement.center));
            radius.push(corners.iter().map(|v| v.distance(placement.center)).fold(0.0, f64::max));
        }
        let mut structure = Self {
            bodies,
            initial,
            names: model.blocks.iter().map(|b| b.name.clone()).collect(),
            mass,
            inertia,
            fixed: model.blocks.iter().map(|b| b.fixed).collect(),
            radius,
            lowest_of,
            gravity: model.gravity,
            laws: Laws::new(model),
            rods: Vec::new(),
            rest_gaps: RestGaps::default(),
            contact_settings: DetectorSettings {
                touch: model.tolerances.contact,
                distance: model.joint_search.map_or(0.0, |search| search.distance),
                rounding: model.rounding(),
                ..DetectorSettings::default()
            },
        };
        structure.set_rods(model)?;
        structure.set_rest_gaps(model)?;
        Ok(structure)
    }

    fn set_rods(&mut self, model: &Model) -> Result<(), StructureError> {
        let index = index_of(model);
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
            let blocks = [find(&tie.from.block)?, find(&tie.to.block)?];
            let arm = |block: u32, at: DVec3| at - self.initial[block as usize].center;
            self.rods.push(Rod {
                blocks,
                arms: [arm(blocks[0], tie.from.at), arm(blocks[1], tie.to.at)],
                length: tie.from.at.distance(tie.to.at),
                kind: tie.kind,
            });
        }
        Ok(())
    }

    /// Where joints are stored with the model, or found by settings of its own, they are taken as they are at rest.
    /// Elsewhere blocks touch to the last digits of their coordinates.
    fn set_rest_gaps(&mut self, model: &Model) -> Result<(), StructureError> {
        if model.joint_search.is_none() && model.interfaces.is_empty() {
            return Ok(());
        }
        let survey = joints(model)?;
        self.rest_gaps = RestGaps::new(&survey, &self.bodies, &self.initial, &self.contact_settings, |blocks| {
            self.smaller(blocks)
        });
        let thickest = self.rest_gaps.thickest();
        self.contact_settings.distance = self.contact_settings.distance.max(thickest);
        Ok(())
    }

    /// What fills the joints at rest.
    pub fn rest_gaps(&self) -> &RestGaps {
        &self.rest_gaps
    }

    /// How contacts are found while the blocks move. Whoever steps them sets the margin.
    pub fn contact_settings(&self) -> DetectorSettings {
        self.contact_settings
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.mass.is_empty()
    }

    /// The law of the joint between two blocks.
    pub fn law(&self, blocks: [u32; 2]) -> &JointLaw {
        self.laws.between(blocks)
    }

    /// Every law that a joint may have.
    pub fn laws(&self) -> &[JointLaw] {
        self.laws.all()
    }

    /// The largest friction coefficient of any joint.
    pub fn largest_friction(&self) -> f64 {
        self.laws().iter().map(|law| law.friction).fold(0.0, f64::max)
    }

    /// Whether joints may have a stiffness.
    pub fn yields(&self) -> bool {
        self.laws().iter().any(|law| law.stiffness.is_some())
    }

    /// Changes the laws of all joints.
    pub(crate) fn change_laws(&mut self, to: impl Fn(JointLaw) -> JointLaw) {
        self.laws.change(to);
    }

    /// Diameter of the smaller of two blocks (m).
    pub(crate) fn smaller(&self, blocks: [u32; 2]) -> f64 {
        let [a, b] = blocks.map(|b| self.radius[b as usize]);
        2.0 * a.min(b)
    }

    /// Inertia of a block in world axes (kg m²).
    pub fn inertia_at(&self, block: usize, placement: &Placement) -> DMat3 {
        let r = DMat3::from_quat(placement.rotation);
        r * self.inertia[block] * r.transpose()
    }

    /// How far up the lowest corner of a block is as it stands at first (m).
    pub(crate) fn lowest(&self, block: usize, up: DVec3) -> f64 {
        self.lowest_of[block].dot(up)
    }

    /// Total mass of the blocks that can move (kg).
    pub fn free_mass(&self) -> f64 {
        self.free().map(|b| self.mass[b]).sum()
    }

    /// Indices of the blocks that can move.
    pub fn free(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&b| !self.fixed[b])
    }

    /// The bodies of the contact problem, free ones at rest.
    pub fn problem_bodies(&self) -> Vec<Body> {
        let body = |b: usize| {
            let center = self.initial[b].center;
            if self.fixed[b] {
                Body::driven(center, Twist::ZERO)
            } else {
                Body::free(center, self.mass[b], self.inertia[b], Twist::ZERO)
            }
        };
        (0..self.len()).map(body).collect()
    }

    /// The contact problem of a step of `dt` with the blocks where they stand at first, at rest, and the contacts found
    /// there. Bodies are the blocks, in their order.
    pub fn problem_at_rest(&self, contacts: &Contacts, dt: f64) -> Problem {
        let mut points = Vec::with_capacity(contacts.contacts.len());
        for interface in &contacts.interfaces {
            let friction = self.law(interface.blocks).friction;
            for contact in contacts.of(interface) {
                let point = middle(&self.initial, interface.blocks, contact);
                points.push(Contact::new(
                    interface.blocks,
                    point,
                    interface.normal,
                    contact.gap,
                    friction,
                ));
            }
        }
        let mut links = Vec::new();
        self.fill_links(&self.initial, dt, &[], &mut links);
        Problem {
            bodies: self.problem_bodies(),
            contacts: points,
            links,
            dt,
        }
    }

    /// Ties as links for blocks where they are now; `guess` gives the impulse to start from.
    pub(crate) fn fill_links(&self, placements: &[Placement], dt: f64, guesses: &[f64], links: &mut Vec<Link>) {
        links.clear();
        for (k, rod) in self.rods.iter().enumerate() {
            let end = |side: usize| {
                let p = &placements[rod.blocks[side] as usize];
                p.center + p.rotation * rod.arms[side]
            };
            let (from, to) = (end(0), end(1));
            let length = from.distance(to);
            let mut link = match rod.kind {
                TieKind::RigidRod => Link::rod(rod.blocks, from, to, rod.length - length),
                TieKind::TensionSpring { stiffness, rest_length } => Link {
                    compliance: 1.0 / (stiffness * dt * dt),
                    ..Link::tie(rod.blocks, from, to, rest_length - length)
                },
            };
            link.guess = guesses.get(k).copied().unwrap_or(0.0);
            links.push(link);
        }
    }
}

/// Half-way between the two nearest points of a contact, so that impulses on the two blocks balance each other.
pub(crate) fn middle(placements: &[Placement], blocks: [u32; 2], contact: &drystone_contact::DetectedContact) -> DVec3 {
    let [first, second] = blocks.map(|b| placements[b as usize].center);
    0.5 * (first + contact.arm_first + second + contact.arm_second)
}

fn index_of(model: &Model) -> HashMap<&str, u32> {
    let named = model.blocks.iter().enumerate();
    named.map(|(i, b)| (b.name.as_str(), i as u32)).collect()
}

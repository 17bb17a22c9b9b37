//! The contact problems that a structure at rest poses.

use drystone_cone::{Contact, Link, Problem};
use glam::DVec3;

use super::{ContactPoint, Structure, TieLine};

/// Sides of a linearised friction cone.
pub(super) const SIDES: usize = 8;

/// What a contact problem of a structure has beside its geometry.
pub(super) struct Law<'a> {
    /// What each joint has to close, by point: motions come in its unit.
    pub(super) gaps: &'a dyn Fn(usize) -> f64,
    /// Motion for a force of 1 N, along the normal and across it.
    pub(super) compliance: [f64; 2],
    /// Motion for a tension of 1 N, where tension is allowed at a price.
    pub(super) tension: Option<f64>,
}

impl Structure {
    /// The contact problem of the blocks at rest, with a step of one second.
    pub(super) fn problem(&self, law: &Law<'_>) -> Problem {
        let contact = |(i, p): (usize, &ContactPoint)| Contact {
            compliance: law.compliance,
            ..Contact::new(p.blocks, p.position, p.normal, (law.gaps)(i), self.friction(p))
        };
        let tie = |tie: &TieLine| {
            let [from, to] = tie.ends;
            if tie.pushes() {
                Link::rod(tie.blocks, from, to, 0.0)
            } else {
                Link::tie(tie.blocks, from, to, 0.0)
            }
        };
        let mut links: Vec<Link> = self.ties.iter().map(tie).collect();
        if let Some(price) = law.tension {
            links.extend(self.points.iter().map(|p| Link {
                force: -p.normal,
                compliance: price,
                ..Link::tie(p.blocks, p.position, p.position, 0.0)
            }));
        }
        Problem {
            bodies: self.problem_bodies(),
            contacts: self.points.iter().enumerate().map(contact).collect(),
            links,
            deformations: Vec::new(),
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
        let mut problem = self.problem(&law);
        problem.contacts.clear();
        for point in &self.points {
            let at = point.position;
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
        point.normal + self.friction(point) / half.cos() * across
    }
}

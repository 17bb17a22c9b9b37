//! The contact problems that a structure at rest poses.

use drystone_cone::{Body, Contact, Link, Problem, Twist};
use glam::DVec3;

use super::{ContactPoint, Loads, Structure};

/// Sides of a linearised friction cone.
pub(super) const SIDES: usize = 8;

/// What a contact problem of the structure has beside its geometry, in units of the structure.
pub(super) struct Law<'a> {
    /// What each joint has to close, by point.
    pub(super) gaps: &'a dyn Fn(usize) -> f64,
    /// Motion for a unit of force, along the normal and across it.
    pub(super) compliance: [f64; 2],
    /// Motion for a unit of tension, where tension is allowed at a price.
    pub(super) tension: Option<f64>,
}

impl Structure {
    /// The contact problem in units of the structure: lengths over [`Structure::length`], masses over that of all free blocks,
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
            ..Contact::new(p.blocks, p.position / length, p.normal, (law.gaps)(i), self.friction(p))
        };
        let mut links: Vec<Link> = self
            .ties
            .iter()
            .map(|tie| {
                let [from, to] = tie.ends.map(|end| end / length);
                if tie.pushes() {
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
        point.normal + self.friction(point) / half.cos() * across
    }

    /// Loads in units of the structure, those on supports left out.
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

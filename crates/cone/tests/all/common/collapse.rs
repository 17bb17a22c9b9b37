//! A wall that collapses, and the same in other axes.

use drystone_cone::{Body, BodyMotion, Link, Problem, Twist};
use glam::{DMat3, DQuat, dvec3};

use super::{G, wall};

/// A wall that slides and tips under a strong side load, on a base that moves, with a tie, a strut, open joints and a
/// compliant course. Nothing in it is symmetric.
pub fn collapsing() -> Problem {
    let mut problem = wall(3, 3, dvec3(0.55 * G, 0.12 * G, -G), 0.01, 0.45);
    let twist = Twist {
        linear: dvec3(0.003, -0.002, 0.001),
        angular: dvec3(0.002, 0.001, -0.003),
    };
    problem.bodies[0] = Body::driven(dvec3(0.1, 0.2, -0.3), twist);
    for (k, contact) in problem.contacts.iter_mut().enumerate() {
        if k % 5 == 0 {
            contact.gap = 1e-4 * (1.0 + k as f64 / 50.0);
        }
        if k % 7 == 3 {
            contact.compliance = [2e-3, 1e-3];
            contact.slip = 1e-5 * dvec3(1.0, -0.5, 0.3);
        }
        contact.friction *= 1.0 + 0.01 * (k as f64).sin();
    }
    let anchor = dvec3(-1.0, 0.5, 2.0);
    problem
        .links
        .push(Link::tie([0, 7], anchor, dvec3(-0.2, 0.0, 0.6), 1e-5));
    problem.links.push(Link {
        compliance: 1e-3,
        ..Link::rod([0, 3], dvec3(3.0, 0.1, 0.0), dvec3(1.0, 0.0, 0.2), 2e-5)
    });
    problem
}

/// The same problem, seen in axes that are turned.
pub fn rotated(problem: &Problem, q: DQuat) -> Problem {
    let m = DMat3::from_quat(q);
    let turn = |v: &Twist| Twist {
        linear: q * v.linear,
        angular: q * v.angular,
    };
    let mut problem = problem.clone();
    for body in &mut problem.bodies {
        body.center = q * body.center;
        match &mut body.motion {
            BodyMotion::Driven { velocity } => *velocity = turn(velocity),
            BodyMotion::Free {
                mass,
                free_velocity,
                velocity_before,
            } => {
                let block = |r: usize, c: usize| {
                    let part = DMat3::from_cols_array_2d(&std::array::from_fn(|j| {
                        std::array::from_fn(|i| mass[r + i][c + j])
                    }));
                    m * part * m.transpose()
                };
                let blocks = [[block(0, 0), block(0, 3)], [block(3, 0), block(3, 3)]];
                let at = |r: usize, c: usize| blocks[r / 3][c / 3].col(c % 3)[r % 3];
                // Symmetric to the last bit.
                *mass = std::array::from_fn(|r| std::array::from_fn(|c| 0.5 * (at(r, c) + at(c, r))));
                *free_velocity = turn(free_velocity);
                *velocity_before = turn(velocity_before);
            }
        }
    }
    for c in &mut problem.contacts {
        (c.point, c.normal, c.slip, c.guess) = (q * c.point, (q * c.normal).normalize(), q * c.slip, q * c.guess);
    }
    for l in &mut problem.links {
        (l.point, l.force, l.moment) = (q * l.point, q * l.force, q * l.moment);
    }
    problem
}

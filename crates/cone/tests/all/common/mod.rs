//! Structures that the tests of this crate share: blocks of 1000 kg/m3 under whatever acceleration acts on them.

// Each test file uses some of these, and none is a library.
#![allow(dead_code, unreachable_pub)]

pub mod collapse;
pub mod random;

use drystone_cone::{Body, BodyMotion, Contact, Engine, Friction, Problem, Solution, Solver, SolverSettings, Twist};
use glam::{DMat3, DQuat, DVec3, dvec3};

/// Gravity (unit: m/s2).
pub const G: f64 = 9.81;

/// A free box at rest that `acceleration` would move for `dt`.
pub fn block(center: DVec3, size: DVec3, acceleration: DVec3, dt: f64) -> Body {
    let mass = 1000.0 * size.x * size.y * size.z;
    let s = size * size;
    let inertia = DMat3::from_diagonal(mass / 12.0 * dvec3(s.y + s.z, s.x + s.z, s.x + s.y));
    let velocity = Twist {
        linear: acceleration * dt,
        angular: DVec3::ZERO,
    };
    Body::free(center, mass, inertia, velocity)
}

/// The four corners of a rectangle with sides along `a` and `b`, as contacts.
pub fn patch(bodies: [u32; 2], center: DVec3, normal: DVec3, a: DVec3, b: DVec3, friction: f64) -> [Contact; 4] {
    [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)]
        .map(|(s, t)| Contact::new(bodies, center + 0.5 * (s * a + t * b), normal, 0.0, friction))
}

/// A running-bond wall on a fixed base: courses of `columns` blocks of 0.4 x 0.2 x 0.2 m, every second one shifted by
/// half a block, four contacts on every bed and head joint. Body 0 is the base.
pub fn wall(columns: usize, courses: usize, acceleration: DVec3, dt: f64, friction: f64) -> Problem {
    let size = dvec3(0.4, 0.2, 0.2);
    let mut problem = Problem {
        bodies: vec![Body::fixed()],
        dt,
        ..Problem::default()
    };
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let index = |course: usize, column: usize| (1 + course * columns + column) as u32;
    for course in 0..courses {
        let shift = if course % 2 == 1 { 0.5 * size.x } else { 0.0 };
        for column in 0..columns {
            let center = dvec3(column as f64 * size.x + shift, 0.0, (course as f64 + 0.5) * size.z);
            problem.bodies.push(block(center, size, acceleration, dt));
            let me = index(course, column);
            if column > 0 {
                let head = center - 0.5 * size.x * x;
                let contacts = patch([me - 1, me], head, x, size.y * y, size.z * z, friction);
                problem.contacts.extend(contacts);
            }
            let bed = center - 0.5 * size.z * z;
            if course == 0 {
                let contacts = patch([0, me], bed, z, size.x * x, size.y * y, friction);
                problem.contacts.extend(contacts);
                continue;
            }
            // A shifted course lies to the right of the one below it: its blocks rest on the one below and the next.
            let first = if course % 2 == 1 {
                column as isize
            } else {
                column as isize - 1
            };
            for (below, side) in [(first, -0.25), (first + 1, 0.25)] {
                if (0..columns as isize).contains(&below) {
                    let bodies = [index(course - 1, below as usize), me];
                    let center = bed + side * size.x * x;
                    let contacts = patch(bodies, center, z, 0.5 * size.x * x, size.y * y, friction);
                    problem.contacts.extend(contacts);
                }
            }
        }
    }
    problem
}

/// A cube of 1 m with four contacts on a fixed plane that falls along x at `angle` (unit: rad), and gravity for `dt`.
/// Body 0 is the plane, body 1 the cube.
pub fn incline_block(angle: f64, friction: f64, dt: f64) -> Problem {
    let normal = dvec3(angle.sin(), 0.0, angle.cos());
    let down = down_slope(angle);
    Problem {
        bodies: vec![Body::fixed(), block(0.5 * normal, DVec3::ONE, -G * DVec3::Z, dt)],
        contacts: patch([0, 1], DVec3::ZERO, normal, down, DVec3::Y, friction).to_vec(),
        links: Vec::new(),
        deformations: Vec::new(),
        dt,
    }
}

/// The direction in which a block slides on the plane of [`incline_block`].
pub fn down_slope(angle: f64) -> DVec3 {
    dvec3(angle.cos(), 0.0, -angle.sin())
}

/// A block on a plane at an angle: what it is and how long a step is.
#[derive(Clone, Copy, Debug)]
pub struct Incline {
    /// Angle of the plane (unit: rad).
    pub angle: f64,
    /// Direction of the slope about the vertical (unit: rad).
    pub heading: f64,
    /// Friction coefficient.
    pub friction: f64,
    /// Width of the block; its height is a quarter of it, so that it does not rock (unit: m).
    pub width: f64,
    /// Unit: kg/m3.
    pub density: f64,
    /// Length of the step (unit: s).
    pub dt: f64,
}

impl Incline {
    /// Unit normal of the plane.
    pub fn normal(&self) -> DVec3 {
        DQuat::from_rotation_z(self.heading) * dvec3(self.angle.sin(), 0.0, self.angle.cos())
    }

    /// The steepest way down.
    pub fn down(&self) -> DVec3 {
        DQuat::from_rotation_z(self.heading) * down_slope(self.angle)
    }

    /// Mass of the block (unit: kg).
    pub fn mass(&self) -> f64 {
        0.25 * self.density * self.width.powi(3)
    }

    /// The block with four contacts at its corners. Body 0 is the plane, body 1 the block.
    pub fn problem(&self) -> Problem {
        let (normal, down, width) = (self.normal(), self.down(), self.width);
        let across = normal.cross(down);
        let height = 0.25 * width;
        let s = self.mass() / 12.0;
        let (wide, narrow) = (s * (width * width + height * height), s * 2.0 * width * width);
        let axes = DMat3::from_cols(down, across, normal);
        let inertia = axes * DMat3::from_diagonal(dvec3(wide, wide, narrow)) * axes.transpose();
        let velocity = Twist {
            linear: -G * self.dt * DVec3::Z,
            angular: DVec3::ZERO,
        };
        let block = Body::free(0.5 * height * normal, self.mass(), inertia, velocity);
        let contacts = patch([0, 1], DVec3::ZERO, normal, width * down, width * across, self.friction);
        Problem {
            bodies: vec![Body::fixed(), block],
            contacts: contacts.to_vec(),
            links: Vec::new(),
            deformations: Vec::new(),
            dt: self.dt,
        }
    }

    /// What the block's velocity must be. Nothing turns it: the friction cone's edge through its centre meets the base.
    /// It stays up to the friction angle. Beyond, with Coulomb's law, friction takes mu cos off sin and it stays on the
    /// plane; with associated friction its velocity is the one nearest to the free one with v_n >= mu v_t.
    pub fn velocity(&self, friction: Friction) -> DVec3 {
        let (sin, cos) = self.angle.sin_cos();
        let mu = self.friction;
        let left = G * self.dt * (sin - mu * cos).max(0.0);
        match friction {
            Friction::Coulomb => left * self.down(),
            Friction::Associated => left / (1.0 + mu * mu) * (self.down() + mu * self.normal()),
        }
    }
}

/// Below, at and above the friction angle, in sizes from a millimetre to a kilometre and steps from 1 us to 0.1 s.
pub fn inclines() -> Vec<Incline> {
    let mut list = Vec::new();
    for (width, density) in [(1.0, 2000.0), (1e-3, 1.0), (1e3, 1e5)] {
        for dt in [1e-6, 1e-2, 1e-1] {
            for friction in [0.1_f64, 0.6, 1.5] {
                // 3 parts in 4 of the friction angle, the angle itself, a hair above, well above.
                for part in [0.75, 1.0, 1.01, 1.3] {
                    list.push(Incline {
                        angle: part * friction.atan(),
                        heading: 0.7 * friction,
                        friction,
                        width,
                        density,
                        dt,
                    });
                }
            }
        }
    }
    list
}

/// Settings with a method, a law and a tolerance.
pub fn settings(solver: Solver, friction: Friction, tolerance: f64) -> SolverSettings {
    SolverSettings {
        solver,
        friction,
        tolerance,
        ..SolverSettings::default()
    }
}

/// The solution by an engine that has seen nothing before.
pub fn solve(problem: &Problem, settings: SolverSettings) -> Solution {
    Engine::new(settings).solve(problem).unwrap().clone()
}

/// Length of velocities by the mass of the bodies; driven ones have none.
pub fn mass_norm(problem: &Problem, velocities: &[Twist]) -> f64 {
    let one = |(body, v): (&Body, &Twist)| match &body.motion {
        BodyMotion::Free { mass, .. } => {
            let v = [v.linear.to_array(), v.angular.to_array()].concat();
            let along = |row: &[f64; 6]| row.iter().zip(&v).map(|(m, x)| m * x).sum::<f64>();
            mass.iter().zip(&v).map(|(row, x)| x * along(row)).sum()
        }
        BodyMotion::Driven { .. } => 0.0,
    };
    problem.bodies.iter().zip(velocities).map(one).sum::<f64>().sqrt()
}

/// What one list of velocities is beyond another.
pub fn less(a: &[Twist], b: &[Twist]) -> Vec<Twist> {
    let one = |(a, b): (&Twist, &Twist)| Twist {
        linear: a.linear - b.linear,
        angular: a.angular - b.angular,
    };
    a.iter().zip(b).map(one).collect()
}

/// Velocities that the bodies have if nothing touches them.
pub fn free_velocities(problem: &Problem) -> Vec<Twist> {
    let one = |body: &Body| match &body.motion {
        BodyMotion::Free { free_velocity, .. } => *free_velocity,
        BodyMotion::Driven { velocity } => *velocity,
    };
    problem.bodies.iter().map(one).collect()
}

/// How far two lists of velocities are apart, by the mass, relative to what contacts and links changed in the first.
pub fn apart(problem: &Problem, a: &[Twist], b: &[Twist]) -> f64 {
    let caused = mass_norm(problem, &less(a, &free_velocities(problem)));
    mass_norm(problem, &less(a, b)) / caused
}

//! Random problems that have a solution.

#![allow(dead_code, unreachable_pub)]

use drystone_cone::{Body, BodyMotion, Contact, Link, LinkKind, Problem, Twist};
use glam::{DMat3, DQuat, DVec3, dvec3};

const DT: f64 = 0.01;

/// What random problems are made of.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Masses differ by so many powers of ten.
    pub decades: f64,
    /// Whether there are links.
    pub links: bool,
    /// Whether some contacts are repeated, and joints have more contacts than can be determined.
    pub redundant: bool,
}

/// Numbers from a seed, so that a case that fails is told by one number.
pub struct Random(u64);

impl Random {
    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let x = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (x >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        size * dvec3(
            self.between(-1.0, 1.0),
            self.between(-1.0, 1.0),
            self.between(-1.0, 1.0),
        )
    }

    fn direction(&mut self) -> DVec3 {
        self.vector(1.0).try_normalize().unwrap_or(DVec3::X)
    }

    fn twist(&mut self) -> Twist {
        Twist {
            linear: self.vector(1.0),
            angular: self.vector(2.0),
        }
    }
}

/// A box of random size, pose and mass.
fn random_box(random: &mut Random, decades: f64) -> Body {
    let size = dvec3(
        random.between(0.2, 1.0),
        random.between(0.2, 1.0),
        random.between(0.2, 1.0),
    );
    let mass = 10_f64.powf(decades * random.between(-0.5, 0.5));
    let turned = DMat3::from_quat(DQuat::from_scaled_axis(random.vector(3.0)));
    let s = size * size;
    let principal = mass / 12.0 * dvec3(s.y + s.z, s.x + s.z, s.x + s.y);
    let inertia = turned * DMat3::from_diagonal(principal) * turned.transpose();
    // Symmetric to the last bit.
    let inertia = 0.5 * (inertia + inertia.transpose());
    Body::free(random.vector(2.0), mass, inertia, random.twist())
}

/// Bodies with a motion that satisfies every constraint with room to spare, so that there is a solution with bounded
/// impulses; driven bodies move by that motion. Compliant contacts need no room: they give way.
pub fn random_problem(seed: u64, kind: Kind) -> Problem {
    let random = &mut Random(seed);
    let mut bodies = Vec::new();
    let mut motion = Vec::new();
    for _ in 0..1 + random.below(2) {
        let velocity = if random.chance(0.5) {
            Twist::ZERO
        } else {
            random.twist()
        };
        bodies.push(Body::driven(random.vector(2.0), velocity));
        motion.push(velocity);
    }
    for _ in 0..1 + random.below(6) {
        bodies.push(random_box(random, kind.decades));
        motion.push(random.twist());
    }
    let count = bodies.len();
    let pair = |random: &mut Random| {
        // One of them at least is free: driven ones come first.
        let second = bodies
            .iter()
            .position(|b| matches!(b.motion, BodyMotion::Free { .. }))
            .unwrap_or(0);
        let j = second + random.below(count - second);
        let i = random.below(count - 1);
        let i = if i >= j { i + 1 } else { i };
        if random.chance(0.5) {
            [i as u32, j as u32]
        } else {
            [j as u32, i as u32]
        }
    };
    let relative = |[i, j]: [u32; 2], point: DVec3| {
        let at = |b: u32| motion[b as usize].at(point - bodies[b as usize].center);
        at(j) - at(i)
    };
    let mut contacts = Vec::new();
    for _ in 0..1 + random.below(10) {
        let joined = pair(random);
        let middle = 0.5 * (bodies[joined[0] as usize].center + bodies[joined[1] as usize].center);
        let normal = random.direction();
        let friction = if random.chance(0.2) {
            0.0
        } else {
            random.between(0.0, 3.0)
        };
        let compliant = random.chance(0.3);
        let mass = 10_f64.powf(kind.decades * random.between(-0.5, 0.5));
        // Up to four contacts of one joint, in a plane: more than can be determined.
        for _ in 0..1 + random.below(if kind.redundant { 4 } else { 1 }) {
            let across = random.vector(0.5);
            let point = middle + (across - across.dot(normal) * normal);
            let u = relative(joined, point);
            let along = u.dot(normal);
            let least = friction * (u - along * normal).length() - along;
            let room = if compliant {
                random.between(-0.5, 0.5)
            } else {
                random.between(0.01, 0.5)
            };
            let mut contact = Contact::new(joined, point, normal, DT * (least + room), friction);
            if compliant {
                contact.compliance = [random.between(0.01, 2.0) / mass, random.between(0.01, 2.0) / mass];
                contact.slip = random.vector(0.1 * DT);
            }
            contacts.push(contact);
            if kind.redundant && random.chance(0.2) {
                contacts.push(contact);
            }
        }
    }
    let mut links = Vec::new();
    for _ in 0..random.below(if kind.links { 4 } else { 1 }) {
        let joined = pair(random);
        let (from, to) = (random.vector(2.0), random.vector(2.0));
        let mut link = if random.chance(0.5) {
            Link::tie(joined, from, to, 0.0)
        } else {
            Link::rod(joined, from, to, 0.0)
        };
        let velocity = relative(joined, from).dot(link.force);
        link.offset = -DT * velocity;
        if link.kind == LinkKind::OneWay {
            link.offset += DT * random.between(0.01, 0.5);
        }
        if random.chance(0.3) {
            link.compliance = 10_f64.powf(kind.decades * random.between(-0.5, 0.5));
        }
        links.push(link);
    }
    Problem {
        bodies,
        contacts,
        links,
        deformations: Vec::new(),
        dt: DT,
    }
}

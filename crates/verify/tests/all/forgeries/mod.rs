//! A thousand forged certificates, seeded: of structures that fall, said to stand, and of structures that stand, said to
//! fall. What is true of each follows from the statics of single blocks. None may be accepted.

mod falls;
mod joints;
mod stands;

use crate::common::*;
use drystone_model::{Block, Joints, Shape};
use glam::{DQuat, DVec3, dvec3};

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }

    /// A number whose exponent is spread evenly.
    fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    fn index(&mut self, count: usize) -> usize {
        ((self.next() * count as f64) as usize).min(count.saturating_sub(1))
    }

    fn vector(&mut self) -> DVec3 {
        dvec3(self.next(), self.next(), self.next()) * 2.0 - 1.0
    }

    /// Numbers that are none, or hardly.
    fn odd(&mut self) -> f64 {
        let all = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -0.0,
            0.0,
            f64::MAX,
            -f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            1e300,
            -1e300,
            1e-300,
        ];
        all[self.index(all.len())]
    }
}

/// Counts forgeries, each as it is or turned, scaled and moved, and insists that none is accepted.
struct Forger {
    random: Random,
    count: usize,
}

impl Forger {
    #[track_caller]
    fn offer(&mut self, what: &str, case: Case) {
        let case = if self.random.next() < 0.3 {
            let axis = self.random.vector().normalize_or(DVec3::X);
            let turn = DQuat::from_axis_angle(axis, self.random.between(0.0, 3.0));
            let scale = self.random.power(-3.0, 2.0);
            let shift = self.random.vector() * scale * 20.0;
            case.moved(turn, scale, shift)
        } else {
            case
        };
        self.count += 1;
        let found = case.verify();
        assert!(!found.valid, "{what}, forgery {}: {:#?}", self.count, found.claims);
    }
}

fn cuboid(name: &str, low: DVec3, high: DVec3) -> Block {
    Block::new(name, Shape::cuboid(low, high))
}

#[test]
fn none_of_a_thousand_forgeries_is_accepted() {
    let mut forger = Forger {
        random: Random(0x9E37_79B9_7F4A_7C15),
        count: 0,
    };
    // What is forged is sound where it is not forged.
    assert_valid(&resting(0.5));
    assert_valid(&sliding(0.6));
    let weight = stands::weight();
    let mut rough = stands::pressed(1e9, weight / 8.0 / 0.4, |_| DVec3::Z * weight / 8.0);
    rough.model.joints = Joints::uniform(0.41);
    assert_valid(&rough);
    stands::forge(&mut forger);
    falls::forge(&mut forger);
    joints::forge(&mut forger);
    assert!(forger.count >= 1500, "{}", forger.count);
}

/// A certificate may be about a model that is changed; whoever reads the verification is told.
#[test]
fn what_a_certificate_changes_of_the_model_is_told() {
    let mut case = resting(0.9);
    case.certificate.situation.friction = Some(5.0);
    let found = case.verify();
    assert!(found.valid);
    let told = found.claims.iter().find(|c| c.claim.contains("situation")).unwrap();
    assert!(
        told.detail.contains("friction 5") && told.detail.contains("gravity"),
        "{}",
        told.detail
    );
}

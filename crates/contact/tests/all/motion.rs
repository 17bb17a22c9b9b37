//! Contacts of blocks that move: identities last, areas change continuously, threads make no difference.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{cuboid, detector};
use drystone_contact::{Bodies, Contacts, Detector, DetectorSettings, Feature, Placement};
use drystone_model::recipes;
use glam::{DQuat, DVec3};

#[test]
fn a_block_sliding_across_two_others_keeps_its_contacts_and_area() {
    // It starts on the first block alone, passes the joint at x = 0.5, and ends on the second alone.
    let shapes = [
        cuboid(DVec3::ONE),
        cuboid(DVec3::ONE),
        cuboid(DVec3::new(0.6, 0.5, 0.3)),
    ];
    let mut detector = detector(&shapes, 1e-3);
    // The steps in which each contact was there: first, last, how many.
    let mut lives: BTreeMap<(u32, Feature), (u32, u32, u32)> = BTreeMap::new();
    let mut area_before = None;
    for step in 0..=1000 {
        let x = f64::from(step) / 1000.0;
        let places = [DVec3::ZERO, DVec3::X, DVec3::new(x, 0.05, 0.65)].map(Placement::at);
        let contacts = detector.detect(&places);
        let carrying = || contacts.interfaces.iter().filter(|i| i.blocks[1] == 2);
        let now: BTreeSet<(u32, Feature)> = carrying()
            .flat_map(|i| contacts.of(i).iter().map(|c| (i.blocks[0], c.feature)))
            .collect();
        let points: usize = carrying().map(|i| contacts.of(i).len()).sum();
        assert_eq!(now.len(), points, "no two contacts share an identity");
        let area: f64 = carrying().map(|i| i.area).sum();
        assert!(
            (area - 0.3).abs() < 1e-4 * 0.5,
            "step {step}: the block rests on {area}"
        );
        let shares: f64 = carrying().flat_map(|i| contacts.of(i)).map(|c| c.area).sum();
        assert!((area - shares).abs() < 1e-12);
        if let Some(before) = area_before.replace(area) {
            assert!((area - before).abs() <= 2e-5, "step {step}: the area jumps");
        }
        for identity in now {
            let life = lives.entry(identity).or_insert((step, step, 0));
            *life = (life.0, step, life.2 + 1);
        }
    }
    for (identity, (first, last, count)) in &lives {
        assert_eq!(last - first + 1, *count, "{identity:?} comes and goes");
    }
    // Four corners on each block, and where the edges of the joint cross its sides on either.
    assert_eq!(lives.len(), 12);
}

/// Blocks shifted and turned a little, each in its own way.
fn wobble(still: &[Placement], step: u32) -> Vec<Placement> {
    let moved = |(k, p): (usize, &Placement)| {
        let phase = |n: f64| (0.3 * f64::from(step) + 1.7 * k as f64 + n).sin();
        Placement {
            center: p.center + 1e-3 * DVec3::new(phase(0.0), phase(1.0), phase(2.0)),
            rotation: DQuat::from_scaled_axis(2e-3 * DVec3::new(phase(3.0), phase(4.0), phase(5.0))),
        }
    };
    still.iter().enumerate().map(moved).collect()
}

/// A house whose blocks wobble.
fn wobbling(steps: u32, threads: usize) -> Vec<Contacts> {
    let model = recipes::find("stone-house").and_then(|r| r.build(&[])).unwrap();
    let (bodies, still) = Bodies::of_model(&model).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut detector = Detector::new(
            bodies,
            DetectorSettings {
                margin: 2e-3,
                ..DetectorSettings::default()
            },
        );
        (0..steps)
            .map(|step| detector.detect(&wobble(&still, step)).clone())
            .collect()
    })
}

#[test]
fn any_number_of_threads_finds_the_same_contacts_in_the_same_order_to_the_last_bit() {
    let (one, two, five) = (wobbling(20, 1), wobbling(20, 2), wobbling(20, 5));
    assert!(one[19].contacts.len() > 1000);
    assert_eq!(one, two);
    assert_eq!(one, five);
}

#[test]
fn what_came_before_leaves_no_trace() {
    // The last step of a long run equals the same step seen first.
    let run = wobbling(12, 2);
    let model = recipes::find("stone-house").and_then(|r| r.build(&[])).unwrap();
    let (bodies, still) = Bodies::of_model(&model).unwrap();
    let mut fresh = Detector::new(
        bodies,
        DetectorSettings {
            margin: 2e-3,
            ..DetectorSettings::default()
        },
    );
    assert_eq!(*fresh.detect(&wobble(&still, 11)), run[11]);
}

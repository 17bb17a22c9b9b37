//! Once warm, detection allocates nothing, with one thread or several. Alone in its file, because it counts every
//! allocation of the program.

#[path = "../../cone/tests/counting/mod.rs"]
mod counting;

use counting::count;
use drystone_contact::{Bodies, Detector, DetectorSettings, Placement};
use drystone_model::recipes;
use glam::{DQuat, DVec3};

#[test]
fn a_warm_detector_allocates_nothing() {
    let model = recipes::find("wall").and_then(|r| r.build(&[])).unwrap();
    let (bodies, still) = Bodies::of_model(&model).unwrap();
    let moved = |step: u32| -> Vec<Placement> {
        let wobble = |(k, p): (usize, &Placement)| {
            let phase = |n: f64| (0.3 * f64::from(step) + 1.7 * k as f64 + n).sin();
            Placement {
                center: p.center + 1e-2 * DVec3::new(phase(0.0), phase(1.0), phase(2.0)),
                rotation: DQuat::from_scaled_axis(2e-3 * DVec3::new(phase(3.0), phase(4.0), phase(5.0))),
            }
        };
        still.iter().enumerate().map(wobble).collect()
    };
    let path: Vec<Vec<Placement>> = (0..60).map(moved).collect();
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let bodies = bodies.clone();
        let (counted, contacts) = pool.install(|| {
            let mut detector = Detector::new(
                bodies,
                DetectorSettings {
                    margin: 5e-3,
                    ..DetectorSettings::default()
                },
            );
            // Twice along the whole path: every list has been as long as it gets.
            for places in path.iter().chain(&path) {
                detector.detect(places);
            }
            let before = count();
            for places in &path {
                detector.detect(places);
            }
            (count() - before, detector.contacts().contacts.len())
        });
        assert!(contacts > 1000);
        assert_eq!(counted, 0, "{threads} threads: allocations in 60 steps");
    }
}

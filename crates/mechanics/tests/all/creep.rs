//! What stands in joints that yield stays where it is. Slips of joints that stick were taken from impulses, which are as exact as
//! the solver: an arch of 1 m crept by 2 µm in a minute where it was not put to sleep.

use crate::common::{built, run, with};
use drystone_cone::Friction;
use drystone_mechanics::dynamics::{JointStiffness, Simulation, SimulationSettings, Start, TimeStep};

/// How far blocks of an arch move from a time to the end of a minute (m).
fn creeps(span: f64, settings: SimulationSettings, from: f64) -> f64 {
    let radius = 0.5 * span;
    let [radius, thickness, width] = [radius, 0.3 * radius, 0.4 * radius].map(|x| x.to_string());
    let values = [
        ("voussoirs", "9"),
        ("radius", &radius),
        ("thickness", &thickness),
        ("width", &width),
    ];
    let mut simulation = with(&built("arch", &values), "", settings);
    let places = |s: &Simulation| s.state().placements.clone();
    run(&mut simulation, from, |_| ());
    let settled = places(&simulation);
    run(&mut simulation, 60.0, |_| ());
    let moved = places(&simulation).into_iter().zip(settled);
    moved
        .map(|(now, then)| now.center.distance(then.center))
        .fold(0.0, f64::max)
}

/// An arch that stands dry stands for a minute in joints that yield, whether it starts in equilibrium or falls into it, and also
/// where nothing is put to sleep.
#[test]
fn an_arch_in_joints_that_yield_does_not_creep() {
    for (span, stiffness) in [(1.0, 1e9), (1.0, 2e10), (50.0, 1e9), (50.0, 2e10)] {
        let asleep = SimulationSettings {
            time_step: TimeStep::Fixed(0.05),
            stiffness: Some(JointStiffness {
                normal: stiffness,
                tangential: 0.4 * stiffness,
            }),
            ..SimulationSettings::default()
        };
        let awake = SimulationSettings { rest: false, ..asleep };
        let falls = |friction: Friction| SimulationSettings {
            start: Start::Uncompressed,
            friction,
            ..asleep
        };
        for (settings, from) in [
            (asleep, 0.0),
            (awake, 1.0),
            (falls(Friction::Associated), 4.0),
            (falls(Friction::Coulomb), 4.0),
        ] {
            let moved = creeps(span, settings, from);
            assert!(moved < 1e-6, "span {span} m, {settings:?}: {moved} m");
        }
    }
}

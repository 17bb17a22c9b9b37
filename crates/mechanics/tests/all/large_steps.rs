//! Long steps are rough, not unstable: what shakes at a step of 0.02 s neither gains energy from the method nor blows up.

use crate::common::{built, run, simulation};
use drystone_mechanics::dynamics::max_displacement;
use drystone_model::Model;

/// Largest speed (m/s), displacement relative to the ground (m) and error of the energy balance within 1.2 s, and the most
/// that contacts gave in one step instead of taking it, over the largest exchange so far.
fn shaken(model: &Model, motion: &str) -> [f64; 4] {
    let mut simulation = simulation(model, 0.02, motion);
    let (mut speed, mut moved, mut balance, mut gained) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let mut before = 0.0;
    run(&mut simulation, 1.2, |s| {
        let energies = s.state().energies;
        speed = speed.max(s.max_speed());
        moved = moved.max(max_displacement(s.structure(), s.state(), s.ground_displacement()));
        balance = balance.max(energies.balance_error());
        gained = gained.max((before - energies.dissipated()) / energies.scale);
        before = energies.dissipated();
    });
    [speed, moved, balance, gained]
}

#[test]
fn masonry_under_a_sine_stays_bounded_at_steps_of_a_fiftieth_of_a_second() {
    let arch = built("arch", &[("voussoirs", "15"), ("radius", "5"), ("thickness", "1")]);
    let spandrel = built("spandrel-arch", &[]);
    for (name, model, amplitude) in [("arch", &arch, 0.6), ("spandrel arch", &spandrel, 0.5)] {
        let motion = format!("sine:amplitude={amplitude}g,frequency=1,direction=x");
        let [speed, moved, balance, gained] = shaken(model, &motion);
        let told = format!("{name}: {speed} m/s, {moved} m, balance off by {balance}, gained {gained}");
        assert!(moved > 0.05, "it must move for this to tell anything: {told}");
        // Of a sine that starts from rest the ground is at most so fast.
        let ground = amplitude * 9.81 / std::f64::consts::PI;
        assert!(speed < 3.0 * ground && moved < 0.5, "{told}");
        // Beyond 5 % a run says that its balance is poor.
        assert!(balance < 0.05 && gained < 1e-3, "{told}");
    }
}

//! Blocks that slide, by explicit steps, against exact motions.

use drystone_analysis::Failure;
use drystone_cone::Twist;
use glam::DVec3;

use super::{
    super::sliding::{FRICTION, G, flat, inclined, part_of_way, shaken},
    Allowed, Case, Context, GROUP, Outcome, Row, STIFFNESS, drive, explicit,
};

pub(super) const CASE: Case = Case {
    name: "sliding-explicit",
    group: GROUP,
    source: "beyond the papers",
    summary: "a block that is pushed, on a ground that shakes and on inclines, by explicit steps against the exact motion",
    long: false,
    run,
};

const INTERVAL: f64 = 1e-3;
/// Velocity of the block that is pushed (m/s).
const SPEED: f64 = 2.0;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let settings = explicit(STIFFNESS, INTERVAL);
    let [way, rise] = pushed(context)?;
    let exact = SPEED * SPEED / (2.0 * FRICTION * G);
    let (computed, expected) = shaken(context, settings, INTERVAL)?;
    let mut rows = vec![
        Row::figure(
            "pushed at 2 m/s: way until it stops (m)",
            exact,
            way,
            Allowed::Part(1e-3),
        ),
        Row::figure("pushed at 2 m/s: largest rise (m)", 1e-6, rise, Allowed::AtMost),
        Row::figure(
            "shaken: largest error of the position (part of the way)",
            1e-3,
            part_of_way(&computed, &expected),
            Allowed::AtMost,
        )
        .note("0.5 g at 1 Hz, friction 0.3"),
    ];
    for slope_deg in [20.0_f64, 30.0] {
        let slope = slope_deg.to_radians();
        let exact = G * (slope.sin() - FRICTION * slope.cos());
        let quantity = format!("incline of {slope_deg} degrees: acceleration (m/s2)");
        let computed = 2.0 * inclined(context, settings, slope)?;
        rows.push(Row::figure(quantity, exact, computed, Allowed::Part(5e-3)).note("from the way within 1 s"));
    }
    let below = inclined(context, settings, 16f64.to_radians())?;
    rows.push(
        Row::figure(
            "incline of 16 degrees: way within 1 s (m)",
            1e-8,
            below.abs(),
            Allowed::AtMost,
        )
        .note("from the equilibrium that it starts in; below the angle of friction, 16.7 degrees"),
    );
    Ok(Outcome { rows, plots: vec![] })
}

/// Way and largest rise of a block that is pushed (m).
fn pushed(context: &Context<'_>) -> Result<[f64; 2], Failure> {
    let model = flat()?;
    let block = drive::index(&model, "block")?;
    let mut simulation = drive::simulation_with(&model, explicit(STIFFNESS, INTERVAL), "")?;
    let start = simulation.state().placements[block].center;
    let push = Twist {
        linear: DVec3::new(SPEED, 0.0, 0.0),
        angular: DVec3::ZERO,
    };
    simulation.set_velocity(block, push);
    let mut rise = 0.0_f64;
    drive::run(context, &mut simulation, 1.2 * SPEED / (FRICTION * G), &[], |s, _| {
        rise = rise.max(s.state().placements[block].center.z - start.z);
        false
    })?;
    let moved = simulation.state().placements[block].center - start;
    Ok([moved.x, rise])
}

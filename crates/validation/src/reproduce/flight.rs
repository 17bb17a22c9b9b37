//! A block that spins in free flight: momentum is kept.

use glam::DVec3;

use drystone_cone::Twist;
use drystone_mechanics::dynamics::Simulation;
use drystone_output::plot::{Panel, Plot};

use super::{
    case::{Allowed, Case, Context, Outcome, Row},
    drive,
};
use drystone_analysis::Failure;

pub(super) const CASE: Case = Case {
    name: "free-flight",
    group: "dynamics",
    source: "beyond the papers",
    summary: "a block thrown with a spin: linear and angular momentum",
    long: false,
    run,
};

const DURATION: f64 = 2.0;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut model = drive::build("block", &[("width", "0.6"), ("depth", "0.4"), ("height", "1")])?;
    let block = drive::index(&model, "block")?;
    model.blocks[block].pose.position.z += 100.0;
    let mut simulation = drive::simulation(&model, 1e-3, "")?;
    let throw = Twist {
        linear: DVec3::new(3.0, -1.0, 5.0),
        // Mostly about the axis of middle inertia, about which a spin is not stable.
        angular: DVec3::new(5.0, 0.1, 0.2),
    };
    simulation.set_velocity(block, throw);
    let first = momentum(&simulation, block);
    let (mut linear, mut angular) = (Vec::new(), Vec::new());
    drive::run(context, &mut simulation, DURATION, &[], |simulation, _| {
        let time = simulation.state().time;
        let structure = simulation.structure();
        let expected = first[0] + structure.mass[block] * time * structure.gravity;
        let now = momentum(simulation, block);
        linear.push([time, (now[0] - expected).length() / first[0].length()]);
        angular.push([time, (now[1] - first[1]).length() / first[1].length()]);
        false
    })?;
    let largest = |of: &[[f64; 2]]| of.iter().map(|p| p[1]).fold(0.0, f64::max);
    let rows = vec![
        Row::figure(
            "linear momentum, largest error within 2 s (part)",
            1e-12,
            largest(&linear),
            Allowed::AtMost,
        )
        .note("published: the law"),
        Row::figure(
            "angular momentum, largest error within 2 s (part)",
            1e-9,
            largest(&angular),
            Allowed::AtMost,
        )
        .note("published: the law; spin about the axis of middle inertia"),
    ];
    let floor = |curve: Vec<[f64; 2]>| curve.iter().map(|p| [p[0], p[1].max(1e-18)]).collect();
    let plot = Plot::new().title("A block in free flight: errors of momentum").panel(
        Panel::new("time (s)", "error (part of the first)")
            .log_y()
            .y_range(1e-18, 1e-8)
            .line("linear", floor(linear))
            .line("angular", floor(angular)),
    );
    Ok(Outcome {
        rows,
        plots: vec![("free-flight".to_string(), plot)],
    })
}

/// Linear and angular momentum of a block, the latter about its centre.
fn momentum(simulation: &Simulation, block: usize) -> [DVec3; 2] {
    let (structure, state) = (simulation.structure(), simulation.state());
    let v = &state.velocities[block];
    let inertia = structure.inertia_at(block, &state.placements[block]);
    [structure.mass[block] * v.linear, inertia * v.angular]
}

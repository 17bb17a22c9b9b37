//! Structures that stand must stand still.

use drystone_mechanics::dynamics::{SimulationSettings, max_displacement};
use drystone_model::Model;
use drystone_output::plot::{Panel, Plot};
use glam::DVec3;

use super::{
    case::{Allowed, Case, Context, Outcome, Row, short},
    drive,
};
use drystone_analysis::Failure;

pub(super) const STACK: Case = Case {
    name: "stack-at-rest",
    group: "dynamics",
    source: "beyond the papers",
    summary: "a stack of 100 blocks stands still for 10 s",
    long: false,
    run: |context| {
        stand(
            context,
            "stack-at-rest",
            "A stack of 100 blocks",
            "stack",
            &[("blocks", "100")],
            "walls drift by 1e-4 m in 0.2 s in the program behind 001",
        )
    },
};

pub(super) const ARCH: Case = Case {
    name: "arch-at-rest",
    group: "dynamics",
    source: "beyond the papers",
    summary: "an arch of 27 voussoirs, thickness over radius 0.15, stands still for 10 s",
    long: false,
    run: |context| {
        stand(
            context,
            "arch-at-rest",
            "An arch of 27 voussoirs",
            "arch",
            &[("voussoirs", "27"), ("radius", "5"), ("thickness", "0.75")],
            "it keeps moving at 1e-2 m/s in the program behind 001",
        )
    },
};

fn stand(
    context: &Context<'_>,
    name: &str,
    title: &str,
    recipe: &str,
    values: &[(&str, &str)],
    peer: &str,
) -> Result<Outcome, Failure> {
    let model = drive::build(recipe, values)?;
    let duration = context.pick(10.0, 1.0);
    let default = SimulationSettings::default();
    let [speeds, moved] = follow(context, &model, default, duration)?;
    // What the solver alone leaves, where nothing is brought to rest.
    let [loose_speeds, loose_moved] = follow(
        context,
        &model,
        SimulationSettings { rest: false, ..default },
        0.1 * duration,
    )?;
    let largest = |of: &[[f64; 2]]| of.iter().map(|p| p[1]).fold(0.0, f64::max);
    let loose = |what: &str, value: f64| {
        format!(
            "{what} in {} s if the solver's error is not told from motion",
            short(0.1 * duration)
        ) + &format!(": {}", short(value))
    };
    let rows = vec![
        Row::figure(
            format!("largest displacement within {duration} s (m)"),
            1e-8,
            largest(&moved),
            Allowed::AtMost,
        )
        .note(format!("{peer}; {}", loose("here", largest(&loose_moved)))),
        Row::figure(
            format!("largest speed within {duration} s (m/s)"),
            1e-8,
            largest(&speeds),
            Allowed::AtMost,
        )
        .note(loose("largest", largest(&loose_speeds))),
    ];
    // Zero has no place on a logarithmic axis.
    let floor = |mut curve: Vec<[f64; 2]>| {
        curve.iter_mut().for_each(|p| p[1] = p[1].max(1e-18));
        curve
    };
    let limit = vec![[0.0, 1e-8], [duration, 1e-8]];
    let plot = Plot::new()
        .title(format!("{title}: what moves (zero is drawn at 1e-18)"))
        .panel(
            Panel::new("time (s)", "m, m/s")
                .log_y()
                .y_range(1e-19, 1e-3)
                .line("largest displacement (m)", floor(moved))
                .line("largest speed (m/s)", floor(speeds))
                .dashed("displacement, solver alone", floor(loose_moved))
                .dashed("speed, solver alone", floor(loose_speeds))
                .reference("allowed", limit),
        );
    Ok(Outcome {
        rows,
        plots: vec![(name.to_string(), plot)],
    })
}

/// Largest speed and displacement of a structure over time.
fn follow(
    context: &Context<'_>,
    model: &Model,
    settings: SimulationSettings,
    duration: f64,
) -> Result<[Vec<[f64; 2]>; 2], Failure> {
    let mut simulation = drive::simulation_with(model, settings, "")?;
    let (mut speeds, mut moved) = (Vec::new(), Vec::new());
    drive::run(context, &mut simulation, duration, &[], |simulation, _| {
        let state = simulation.state();
        speeds.push([state.time, simulation.max_speed()]);
        moved.push([state.time, max_displacement(simulation.structure(), state, DVec3::ZERO)]);
        false
    })?;
    Ok([speeds, moved])
}

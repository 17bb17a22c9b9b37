//! A stack of blocks that rock on each other: convergence with the step.

use drystone_output::plot::{Panel, Plot};

use super::{
    case::{Allowed, Case, Context, Outcome, Row, short},
    drive,
    measure::{at, order},
};
use drystone_analysis::Failure;

pub(super) const CASE: Case = Case {
    name: "rocking-stack",
    group: "dynamics",
    source: "beyond the papers",
    summary: "three slender blocks that rock on each other: convergence with the step",
    long: false,
    run,
};

/// Until shortly after the first impacts: later ones tell small differences apart ever more.
const DURATION: f64 = 1.0;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let finest = context.pick(1.25e-4, 5e-4);
    let mut curves = Vec::new();
    for k in 0..5 {
        let dt = finest * f64::from(1 << k);
        curves.push((dt, rock(context, dt)?));
    }
    let Some(((_, reference), coarser)) = curves.split_first() else {
        return Err(Failure::run("no run"));
    };
    let error = |curve: &[[f64; 2]]| {
        let off = curve.iter().map(|p| (p[1] - at(reference, p[0])).abs());
        off.fold(0.0, f64::max)
    };
    let errors: Vec<[f64; 2]> = coarser.iter().map(|(dt, curve)| [*dt, error(curve)]).collect();
    let listed: Vec<String> = errors
        .iter()
        .map(|[dt, e]| format!("{} m at dt {dt}", short(*e)))
        .collect();
    // Against a reference with half the step of the finest run compared, first order shows as more than 1.
    let overall = order(errors[errors.len() - 1], errors[0]);
    let rows = vec![
        Row::figure(
            "order of the error of the top's displacement within 1 s",
            0.8,
            overall,
            Allowed::AtLeast,
        )
        .note(format!("against dt {finest}: {}", listed.join(", "))),
    ];
    let mut panel = Panel::new("time (s)", "top along x (mm)");
    for (dt, curve) in curves.iter().rev() {
        panel = panel.line(
            format!("dt = {dt} s"),
            curve.iter().map(|p| [p[0], 1e3 * p[1]]).collect(),
        );
    }
    let convergence = Panel::new("step (s)", "largest error (m)")
        .log_x()
        .log_y()
        .markers("against the shortest step", errors.clone())
        .reference(
            "first order",
            errors
                .iter()
                .map(|[dt, _]| [*dt, dt * errors[0][1] / errors[0][0]])
                .collect(),
        );
    let plot = Plot::new()
        .size(720, 640)
        .title("Three blocks that rock on each other")
        .panel(panel)
        .panel(convergence);
    Ok(Outcome {
        rows,
        plots: vec![("rocking-stack".to_string(), plot)],
    })
}

fn rock(context: &Context<'_>, dt: f64) -> Result<Vec<[f64; 2]>, Failure> {
    let model = drive::build(
        "stack",
        &[
            ("blocks", "3"),
            ("width", "0.3"),
            ("depth", "0.3"),
            ("height", "0.5"),
            ("friction", "0.8"),
        ],
    )?;
    let mut simulation = drive::simulation(&model, dt, "impulse:peak=0.4g,half_period=0.25,direction=x")?;
    let top = drive::index(&model, "block-3")?;
    let history = drive::run(context, &mut simulation, DURATION, &[top], |_, _| false)?;
    Ok(history.block(0, |s| s.moved.x))
}

//! A block that slides, on a ground that shakes and on an incline, against the exact motion.

use std::f64::consts::TAU;

use glam::DVec3;

use drystone_mechanics::dynamics::{
    SimulationSettings,
    reference::{self, SlidingBlock},
};
use drystone_output::plot::{Panel, Plot};

use super::{
    case::{Allowed, Case, Context, Outcome, Row, short},
    drive,
    measure::order,
};
use drystone_analysis::Failure;

pub(super) const CASE: Case = Case {
    name: "sliding-block",
    group: "dynamics",
    source: "beyond the papers",
    summary: "a block on a ground that shakes and on an incline, against the exact motion",
    long: false,
    run,
};

pub(super) const FRICTION: f64 = 0.3;
pub(super) const G: f64 = 9.81;
const SHAKE: f64 = 0.5 * G;
const DURATION: f64 = 3.0;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let steps = context.pick([2e-3, 1e-3, 5e-4], [4e-3, 2e-3, 1e-3]);
    let mut errors = Vec::new();
    let mut drawn = None;
    for dt in steps {
        let (computed, exact) = shaken(context, drive::steps_of(dt), dt)?;
        errors.push([dt, largest_error(&computed, &exact)]);
        if dt == 1e-3 {
            let part = part_of_way(&computed, &exact);
            drawn = Some((computed, exact, part));
        }
    }
    let Some((computed, exact, part)) = drawn else {
        return Err(Failure::run("no run with a step of 0.001 s"));
    };
    let listed: Vec<String> = errors
        .iter()
        .map(|[dt, e]| format!("{} m at dt {dt}", short(*e)))
        .collect();
    let mut rows = vec![
        Row::figure(
            "shaken: largest error of the position, dt 0.001 (part of the way)",
            1e-3,
            part,
            Allowed::AtMost,
        )
        .note(format!("0.5 g at 1 Hz, friction 0.3: {}", listed.join(", "))),
        Row::figure(
            "shaken: order of the error",
            1.0,
            order(errors[0], errors[2]),
            Allowed::Within(0.25),
        )
        .note("the method is of first order"),
    ];
    for slope_deg in [20.0_f64, 30.0] {
        let slope = slope_deg.to_radians();
        let exact = G * (slope.sin() - FRICTION * slope.cos());
        let way = inclined(context, drive::steps_of(1e-3), slope)?;
        let quantity = format!("incline of {slope_deg} degrees: acceleration (m/s2)");
        rows.push(
            Row::figure(quantity, exact, 2.0 * way, Allowed::Part(5e-3)).note("from the way within 1 s, dt 0.001"),
        );
    }
    let below = inclined(context, drive::steps_of(1e-3), 16f64.to_radians())?;
    rows.push(
        Row::figure(
            "incline of 16 degrees: way within 1 s (m)",
            1e-8,
            below.abs(),
            Allowed::AtMost,
        )
        .note("below the angle of friction, 16.7 degrees"),
    );
    let plot = Plot::new()
        .title("A block on a ground that shakes with 0.5 g at 1 Hz, friction 0.3, dt = 0.001 s")
        .panel(
            Panel::new("time (s)", "position (m)")
                .line("time stepping", computed)
                .reference("exact", exact),
        );
    Ok(Outcome {
        rows,
        plots: vec![("sliding-block".to_string(), plot)],
    })
}

/// Values over time.
type Curve = Vec<[f64; 2]>;

/// A block too flat to rock.
pub(super) fn flat() -> Result<drystone_model::Model, Failure> {
    drive::build("block", &[("width", "0.6"), ("height", "0.1"), ("friction", "0.3")])
}

/// Positions over time of a block on a ground that shakes, in steps of `dt`: computed and exact.
pub(super) fn shaken(context: &Context<'_>, settings: SimulationSettings, dt: f64) -> Result<(Curve, Curve), Failure> {
    let block = SlidingBlock {
        friction: FRICTION * G,
        slope: 0.0,
    };
    let ground = |t: f64| [SHAKE / TAU * (1.0 - (TAU * t).cos()), SHAKE * (TAU * t).sin()];
    let exact = reference::sliding(&block, ground, DURATION, dt);
    let model = flat()?;
    let mut simulation = drive::simulation_with(&model, settings, "sine:amplitude=0.5g,frequency=1,direction=x")?;
    let block = drive::index(&model, "block")?;
    let history = drive::run(context, &mut simulation, DURATION, &[block], |_, _| false)?;
    let relative = history.block(0, |s| s.moved.x);
    let positions = relative.iter().zip(&history.ground);
    Ok((positions.map(|(p, g)| [p[0], p[1] + g.x]).collect(), exact))
}

fn largest_error(computed: &[[f64; 2]], exact: &[[f64; 2]]) -> f64 {
    let pairs = computed.iter().zip(exact);
    pairs.map(|(c, e)| (c[1] - e[1]).abs()).fold(0.0, f64::max)
}

/// Largest error of the position as a part of the way.
pub(super) fn part_of_way(computed: &[[f64; 2]], exact: &[[f64; 2]]) -> f64 {
    largest_error(computed, exact) / computed.last().map_or(0.0, |p| p[1].abs())
}

/// The way of a block on an incline within a second (m).
pub(super) fn inclined(context: &Context<'_>, settings: SimulationSettings, slope: f64) -> Result<f64, Failure> {
    let mut model = flat()?;
    model.gravity = G * DVec3::new(slope.sin(), 0.0, -slope.cos());
    let mut simulation = drive::simulation_with(&model, settings, "")?;
    let block = drive::index(&model, "block")?;
    let history = drive::run(context, &mut simulation, 1.0, &[block], |_, _| false)?;
    // From where it begins: a joint that yields has moved until then.
    let way = history.block(0, |s| s.moved.x);
    Ok(way
        .first()
        .zip(way.last())
        .map_or(f64::NAN, |(from, to)| to[1] - from[1]))
}

//! Masonry over a hole in the ground: what is not carried falls, the rest stands.

use std::collections::BTreeMap;

use drystone_mechanics::dynamics::Simulation;
use drystone_output::plot::{Panel, Plot};

use super::{
    case::{Allowed, Case, Context, Outcome, Row},
    drive,
};
use drystone_analysis::Failure;

pub(super) const NATURAL_ARCH: Case = Case {
    name: "natural-arch",
    group: "dynamics",
    source: "001 section 3.2, fig. 9",
    summary: "a wall over a gap: a triangle falls, a natural arch stands",
    long: false,
    run: |context| {
        fall(
            context,
            &Hole {
                name: "natural-arch",
                recipe: "natural-arch-wall",
                falls: "triangle",
                why: "a triangle falls first; corbels of half a unit (0.3 m) a course would meet 6.3 m up, above the \
                      wall's top, and what is left between gap and top is too thin; with units of 1 m nothing falls",
                steps: [2e-3, 5e-3],
            },
        )
    },
};

pub(super) const CORBELLED_CYLINDER: Case = Case {
    name: "corbelled-cylinder",
    group: "dynamics",
    source: "001 section 3.2, fig. 10",
    summary: "a cylinder of 2,890 blocks over an octagonal hole: a corbelled dome stands",
    long: false,
    run: |context| {
        fall(
            context,
            &Hole {
                name: "corbelled-cylinder",
                recipe: "corbelled-cylinder",
                falls: "dome",
                why: "joints are exactly closed here, and rings over the hole hold each other up as a flat dome; \
                      001 rounds the corners of blocks, and its bond is not in the text",
                steps: [5e-3, 1e-2],
            },
        )
    },
};

/// A structure over a hole.
struct Hole {
    name: &'static str,
    recipe: &'static str,
    /// What falls, as published.
    falls: &'static str,
    /// Why something else may.
    why: &'static str,
    /// Time step of a full run and of a quick one (s).
    steps: [f64; 2],
}

/// A block that has come down by this has fallen (m): more than a course.
const FALLEN: f64 = 0.6;
/// Speed below which what stands is at rest (m/s).
const REST: f64 = 1e-6;

fn fall(context: &Context<'_>, hole: &Hole) -> Result<Outcome, Failure> {
    let Hole {
        name,
        recipe,
        falls: shape,
        why,
        ..
    } = *hole;
    let dt = context.pick(hole.steps[0], hole.steps[1]);
    let model = drive::build(recipe, &[])?;
    let mut simulation = drive::simulation(&model, dt, "")?;
    let duration = context.pick(3.0, 1.5);
    let mut speeds = Vec::new();
    drive::run(context, &mut simulation, duration, &[], |simulation, _| {
        speeds.push([simulation.state().time, standing_speed(simulation)]);
        false
    })?;
    let (what, fallen) = fallen(&simulation, shape);
    let speed = speeds.last().map_or(f64::NAN, |p| p[1]);
    let rows = vec![
        Row::words("what falls", shape, what)
            .note(format!("fallen blocks by course, from below: {fallen:?}"))
            .note_if_off(|| format!("{why}; fallen blocks by course, from below: {fallen:?}")),
        Row::figure(
            format!("speed of what stands after {duration} s (m/s)"),
            REST,
            speed,
            Allowed::AtMost,
        )
        .note(format!("dt {dt}"))
        .note_if_off(|| format!("dt {dt}; what stands still settles")),
    ];
    let floor = |p: &[f64; 2]| [p[0], p[1].max(1e-14)];
    let plot = Plot::new()
        .title(format!(
            "{name}: largest speed of blocks that have not fallen, dt = {dt} s"
        ))
        .panel(
            Panel::new("time (s)", "speed (m/s)")
                .log_y()
                .line("standing blocks", speeds.iter().map(floor).collect())
                .reference("at rest", vec![[0.0, REST], [duration, REST]]),
        );
    Ok(Outcome {
        rows,
        plots: vec![(name.to_string(), plot)],
    })
}

/// What has fallen, `shape` if that narrows upwards and ends below the top; and how many blocks of each course, from below.
pub(super) fn fallen(simulation: &Simulation, shape: &'static str) -> (&'static str, Vec<usize>) {
    // Courses by the height of their middle, in mm: blocks of a course share it.
    let mut courses: BTreeMap<i64, usize> = BTreeMap::new();
    for b in simulation.structure().free() {
        let height = simulation.structure().center[b].z;
        *courses.entry((1e3 * height).round() as i64).or_default() += usize::from(has_fallen(simulation, b));
    }
    let fallen: Vec<usize> = courses.into_values().collect();
    let narrows = fallen.windows(2).all(|c| c[1] <= c[0]);
    let what = match (fallen.first().copied(), fallen.last().copied()) {
        (Some(0) | None, _) => "nothing",
        (_, Some(0)) if narrows => shape,
        (_, Some(0)) => "a part below the top that does not narrow upwards",
        _ => "a part through to the top",
    };
    (what, fallen)
}

fn has_fallen(simulation: &Simulation, block: usize) -> bool {
    let (now, first) = (
        &simulation.state().placements[block],
        simulation.structure().center[block],
    );
    first.z - now.center.z > FALLEN
}

/// Largest speed of a block that has not fallen (m/s).
pub(super) fn standing_speed(simulation: &Simulation) -> f64 {
    let structure = simulation.structure();
    let speed = |b: usize| {
        let v = &simulation.state().velocities[b];
        v.linear.length() + structure.radius[b] * v.angular.length()
    };
    structure
        .free()
        .filter(|&b| !has_fallen(simulation, b))
        .map(speed)
        .fold(0.0, f64::max)
}

//! The Housner block: free rocking against the event-driven solution.

use glam::DVec2;

use drystone_mechanics::dynamics::{
    SimulationSettings,
    reference::{self, Rocking, RockingBlock},
};
use drystone_output::plot::{Panel, Plot};

use super::{
    case::{Allowed, Case, Context, Outcome, Row, short},
    drive::{self, History},
    measure::{at, extrapolate, order},
};
use drystone_analysis::Failure;

pub(super) const CASE: Case = Case {
    name: "housner",
    group: "dynamics",
    source: "003 section 4.1, fig. 4",
    summary: "free rocking of a block, against the event-driven solution",
    long: false,
    run,
};

pub(super) const BLOCK: RockingBlock = RockingBlock {
    half_width: 0.3,
    half_height: 1.0,
    gravity: 9.81,
};
pub(super) const TILT_DEG: f64 = 15.0;
const DURATION: f64 = 3.0;

/// Steps left out next to an impact, which a time stepper spreads over two or three of them.
const BLURRED: usize = 4;
/// Steps on either side that the smooth motion is continued from.
const FITTED: usize = 20;

/// One run, and what is measured of it.
struct Measured {
    dt: f64,
    /// Angle (rad) and angular velocity (rad/s) in every step.
    motion: Vec<[f64; 3]>,
    history: History,
    /// Times of impacts (s), and angular velocities after over before.
    impacts: Vec<[f64; 2]>,
    /// Largest difference from the reference at the same time (rad).
    angle_error: f64,
    /// Largest distance from the reference in the phase plane, over its extent.
    portrait_error: f64,
    /// Largest difference of the total energy from the reference after the same number of impacts, over that at the start.
    energy_error: f64,
}

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let steps = context.pick([1e-3, 5e-4, 1e-4], [2e-3, 1e-3, 5e-4]);
    let mut runs = Vec::new();
    for dt in steps {
        runs.push(measure(context, dt)?);
    }
    let fine = reference::rocking(&BLOCK, TILT_DEG.to_radians(), DURATION, 1e-4);
    let (Some(first), Some(at_1ms)) = (fine.impacts.first(), runs.iter().find(|r| r.dt == 1e-3)) else {
        return Err(Failure::run("the reference has no impact"));
    };
    let Some(&[impact, ratio]) = at_1ms.impacts.first() else {
        return Err(Failure::run("the block does not come down"));
    };
    let listed = |of: &dyn Fn(&Measured) -> f64| {
        let words: Vec<String> = runs
            .iter()
            .map(|r| format!("{} at dt {}", short(of(r)), r.dt))
            .collect();
        words.join(", ")
    };
    let overall = |of: &dyn Fn(&Measured) -> f64| match (runs.first(), runs.last()) {
        (Some(a), Some(b)) => order([a.dt, of(a)], [b.dt, of(b)]),
        _ => f64::NAN,
    };
    let impact_error = |r: &Measured| r.impacts.first().map_or(f64::NAN, |i| (i[0] - first.time).abs());
    let ratio_error = |r: &Measured| {
        r.impacts
            .first()
            .map_or(f64::NAN, |i| (i[1] - BLOCK.restitution()).abs())
    };
    let angle_error = |r: &Measured| r.angle_error.to_degrees();
    let Some(finest) = runs.last() else {
        return Err(Failure::run("no run"));
    };
    let rows = vec![
        Row::figure(
            "first impact, reference solution (s)",
            1.1217,
            first.time,
            Allowed::Within(5e-5),
        ),
        Row::figure("first impact, dt 0.001 (s)", first.time, impact, Allowed::Part(2e-3))
            .note(format!("off by (s): {}", listed(&impact_error))),
        Row::figure(
            "angular velocity after over before, dt 0.001",
            0.8761,
            ratio,
            Allowed::Part(5e-3),
        )
        .note(format!(
            "slopes of the angle on either side, off by: {}; it depends on where in a step the impact falls",
            listed(&ratio_error)
        )),
        Row::figure(
            "phase plane, dt 0.001: largest distance (part)",
            0.01,
            at_1ms.portrait_error,
            Allowed::AtMost,
        )
        .note(format!(
            "published: at convergence; 1 % is a line's width; {}",
            listed(&|r| r.portrait_error)
        )),
        Row::figure(
            format!("total energy between impacts, dt {}: largest error (part)", finest.dt),
            0.01,
            finest.energy_error,
            Allowed::AtMost,
        )
        .note(format!("published: the converged run; {}", listed(&|r| r.energy_error))),
        Row::figure(
            "order of the error of the impact's time",
            1.0,
            overall(&impact_error),
            Allowed::Within(0.25),
        )
        .note("the method is of first order"),
        Row::figure(
            "order of the error of the angle",
            1.0,
            overall(&angle_error),
            Allowed::Within(0.25),
        )
        .note(format!(
            "largest at the same time within 3 s (deg): {}; each impact shifts the next",
            listed(&angle_error)
        )),
    ];
    let plots = vec![("housner".to_string(), plot(&fine, at_1ms))];
    Ok(Outcome { rows, plots })
}

/// Lets the tilted block go. Gives time, angle (rad) and angular velocity (rad/s) after every step, too.
pub(super) fn rock(
    context: &Context<'_>,
    settings: SimulationSettings,
    duration: f64,
) -> Result<(History, Vec<[f64; 3]>), Failure> {
    let model = drive::build(
        "block",
        &[("width", "0.6"), ("height", "2"), ("tilt-deg", "15"), ("friction", "2")],
    )?;
    let mut simulation = drive::simulation_with(&model, settings, "")?;
    let block = drive::index(&model, "block")?;
    let history = drive::run(context, &mut simulation, duration, &[block], |_, _| false)?;
    let tilt = TILT_DEG.to_radians();
    let samples = history.blocks.first().map_or(&[][..], |s| s);
    let samples = history.time.iter().zip(samples);
    let motion = samples.map(|(t, s)| [*t, tilt + s.turned.y, s.angular.y]).collect();
    Ok((history, motion))
}

fn measure(context: &Context<'_>, dt: f64) -> Result<Measured, Failure> {
    let (history, motion) = rock(context, drive::steps_of(dt), DURATION)?;
    let tilt = TILT_DEG.to_radians();
    let reference = reference::rocking(&BLOCK, tilt, DURATION, dt);
    let pairs = || motion.iter().zip(&reference.samples);
    let angle_error = pairs().map(|(a, b)| (a[1] - b[1]).abs()).fold(0.0, f64::max);
    let impacts = impacts(&motion);
    let start = BLOCK.potential(tilt);
    // Potential energies of the simulation are counted from where the block starts.
    let total: Vec<[f64; 2]> = history
        .energy(|e| e.total())
        .iter()
        .map(|p| [p[0], p[1] + start])
        .collect();
    let mut energy_error: f64 = 0.0;
    for (k, pair) in impacts.windows(2).enumerate() {
        let expected = start * BLOCK.restitution().powi(2 * (k as i32 + 1));
        let found = at(&total, 0.5 * (pair[0][0] + pair[1][0]));
        energy_error = energy_error.max((found - expected).abs() / start);
    }
    Ok(Measured {
        dt,
        portrait_error: portrait_error(&motion, &reference),
        motion,
        history,
        impacts,
        angle_error,
        energy_error,
    })
}

/// Largest distance of a motion from a reference in the phase plane, angle and angular velocity each over the largest.
fn portrait_error(motion: &[[f64; 3]], reference: &Rocking) -> f64 {
    let largest = |k: usize| {
        reference
            .samples
            .iter()
            .map(|s| s[k].abs())
            .fold(f64::MIN_POSITIVE, f64::max)
    };
    let scale = DVec2::new(largest(1), largest(2));
    let mut path: Vec<(f64, DVec2)> = reference
        .samples
        .iter()
        .map(|s| (s[0], DVec2::new(s[1], s[2])))
        .collect();
    // At an impact the path runs straight from the velocity before to that after.
    for impact in &reference.impacts {
        let k = path.partition_point(|p| p.0 < impact.time);
        path.insert(k, (impact.time, DVec2::new(0.0, impact.after)));
        path.insert(k, (impact.time, DVec2::new(0.0, impact.before)));
    }
    let path: Vec<DVec2> = path.iter().map(|p| p.1 / scale).collect();
    let ends = |m: &&[f64; 3]| m[0] <= 0.95 * DURATION;
    let distance = |m: &[f64; 3]| {
        let point = DVec2::new(m[1], m[2]) / scale;
        let to_segment = |ends: &[DVec2]| {
            let along = ends[1] - ends[0];
            let part = (point - ends[0]).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
            point.distance(ends[0] + part.clamp(0.0, 1.0) * along)
        };
        path.windows(2).map(to_segment).fold(f64::INFINITY, f64::min)
    };
    // A run that is ahead in time leaves the end of the path; the last twentieth is left out.
    let points = motion.iter().filter(ends).step_by(motion.len().div_ceil(3000));
    points.map(distance).fold(0.0, f64::max)
}

/// When the angle passes zero, and the angular velocity after over that before: smooth motions on either side, continued to
/// where each reaches zero. Ends with the first impact that has another too close to it.
pub(super) fn impacts(motion: &[[f64; 3]]) -> Vec<[f64; 2]> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(side) = motion.get(from).map(|m| m[1].signum()) {
        let Some(down) = motion[from..].iter().position(|m| m[1] * side <= 1e-12) else {
            break;
        };
        let down = from + down;
        let Some(start) = down.checked_sub(BLURRED + FITTED).filter(|start| *start >= from) else {
            break;
        };
        let (before, after) = (start..down - BLURRED, down + BLURRED..down + BLURRED + FITTED);
        let (Some(before), Some(after)) = (motion.get(before), motion.get(after)) else {
            break;
        };
        // Velocities of a step are those of its middle; slopes of the angles leave no doubt about when they hold.
        let zero = |part: &[[f64; 3]]| {
            let inverse: Vec<[f64; 2]> = part.iter().map(|m| [m[1], m[0]]).collect();
            extrapolate(&inverse, 0.0)
        };
        let ([time, before], [_, after]) = (zero(before), zero(after));
        found.push([time, before / after]);
        from = down + BLURRED;
    }
    found
}

fn plot(reference: &Rocking, run: &Measured) -> Plot {
    let degrees = |m: &[f64; 3]| [m[1].to_degrees(), m[2]];
    let start = BLOCK.potential(TILT_DEG.to_radians());
    let raised = |mut curve: Vec<[f64; 2]>| {
        curve.iter_mut().for_each(|p| p[1] = 1e3 * (p[1] + start));
        curve
    };
    let kinetic = run
        .history
        .energy(|e| e.kinetic)
        .iter()
        .map(|p| [p[0], 1e3 * p[1]])
        .collect();
    let dissipated = run
        .history
        .energy(|e| e.dissipated())
        .iter()
        .map(|p| [p[0], 1e3 * p[1]])
        .collect();
    let total = |[t, a, w]: &[f64; 3]| [*t, 1e3 * (BLOCK.potential(*a) + BLOCK.kinetic(*w))];
    Plot::new()
        .size(720, 760)
        .title("Housner block, dt = 0.001 s")
        .panel(
            Panel::new("angle (deg)", "angular velocity (rad/s)")
                .line("time stepping", run.motion.iter().map(degrees).collect())
                .reference("event-driven", reference.samples.iter().map(degrees).collect()),
        )
        .panel(
            Panel::new("time (s)", "energy over weight (mm)")
                .line("total", raised(run.history.energy(|e| e.total())))
                .line("kinetic", kinetic)
                .line("potential", raised(run.history.energy(|e| e.potential)))
                .line("dissipated", dissipated)
                .reference("total, event-driven", reference.samples.iter().map(total).collect()),
        )
}

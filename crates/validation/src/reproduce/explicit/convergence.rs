//! What explicit steps tend to: with their length, and with the stiffness of joints.

use drystone_analysis::Failure;
use drystone_cone::Friction;
use drystone_mechanics::dynamics::{ExplicitSettings, Integrator, SimulationSettings};
use drystone_output::plot::{Panel, Plot};

use super::{
    super::drive::History, Allowed, Case, Context, GROUP, Outcome, Row, STIFFNESS, drive, explicit, implicit, short,
};

/// The longest step that is taken, over the default one.
const MARGIN: f64 = 0.75;

pub(super) const STEPS: Case = Case {
    name: "steps-explicit",
    group: GROUP,
    source: "beyond the papers",
    summary: "a stack and a wall that rock and slide: convergence with the length of explicit steps",
    long: false,
    run: run_steps,
};

pub(super) const RIGID: Case = Case {
    name: "stiffness-explicit",
    group: GROUP,
    source: "beyond the papers",
    summary: "a stack that rocks and slides on joints of 1e9 to 1e12 N/m3, against rigid joints by the implicit method",
    long: false,
    run: run_stiffness,
};

/// Time between two looks (s).
const INTERVAL: f64 = 2e-3;
/// Until shortly after the first impacts: later ones tell small differences apart ever more.
const DURATION: f64 = 1.0;
/// Tenfold stiffness or halved steps are to bring results nearer by this power, at least.
const FIRST: f64 = 1.0;

/// A structure on a ground that moves.
struct Shaken {
    name: &'static str,
    recipe: &'static str,
    values: &'static [(&'static str, &'static str)],
    motion: &'static str,
    /// A time at which blocks slide and rock, and none has come down yet (s).
    before_impact: f64,
    /// Times that the default step is halved: those that are compared, and that which they are measured by.
    halvings: (&'static [u32], u32),
}

/// It slides on the ground and opens its joints.
const STACK: Shaken = Shaken {
    name: "stack",
    recipe: "stack",
    values: &[
        ("blocks", "3"),
        ("width", "0.3"),
        ("depth", "0.3"),
        ("height", "0.5"),
        ("friction", "0.35"),
    ],
    motion: "impulse:peak=0.5g,half_period=0.25,direction=x",
    before_impact: 0.4,
    halvings: (&[0, 1, 2, 3, 4], 7),
};

/// Out of its plane it slides on its beds and leans.
const WALL: Shaken = Shaken {
    name: "wall",
    recipe: "wall",
    values: &[
        ("length", "1.5"),
        ("height", "1"),
        ("friction", "0.35"),
        ("ground-friction", "0.35"),
    ],
    motion: "impulse:peak=0.5g,half_period=0.25,direction=y",
    before_impact: 0.3,
    halvings: (&[0, 1, 2, 3], 5),
};

impl Shaken {
    /// Displacements of all blocks over time, and the default length of a short step (s) where steps are short.
    fn shake(&self, context: &Context<'_>, settings: SimulationSettings) -> Result<(History, f64), Failure> {
        let model = drive::build(self.recipe, self.values)?;
        let mut simulation = drive::simulation_with(&model, settings, self.motion)?;
        let free: Vec<usize> = simulation.structure().free().collect();
        let history = drive::run(context, &mut simulation, DURATION, &free, |_, _| false)?;
        // Joints that close on the way leave less.
        let step = simulation.stable_step().map_or(f64::NAN, |s| MARGIN * s.dt);
        Ok((history, step))
    }
}

/// Root of the mean square of displacements between two runs (m), over all blocks and times until `end` at which both were looked at.
fn apart(one: &History, other: &History, end: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0_f64);
    let mut at = 0;
    for (k, time) in one.time.iter().enumerate().take_while(|(_, t)| **t <= end) {
        while other.time.get(at).is_some_and(|t| *t < time - 1e-9) {
            at += 1;
        }
        if other.time.get(at).is_none_or(|t| *t > time + 1e-9) {
            continue;
        }
        for (one, other) in one.blocks.iter().zip(&other.blocks) {
            sum += (one[k].moved - other[at].moved).length_squared();
            count += 1.0;
        }
    }
    (sum / count).sqrt()
}

/// Largest displacement of a block until `end` (m).
fn largest(history: &History, end: f64) -> f64 {
    let count = history.time.iter().take_while(|t| **t <= end).count();
    let samples = history.blocks.iter().flat_map(|samples| &samples[..count]);
    samples.map(|s| s.moved.length()).fold(0.0, f64::max)
}

fn steps_of(stiffness: f64, dt: f64) -> SimulationSettings {
    SimulationSettings {
        integrator: Integrator::Explicit(ExplicitSettings {
            dt: Some(dt),
            ..ExplicitSettings::default()
        }),
        ..explicit(stiffness, INTERVAL)
    }
}

/// The power of x in y, by the straight line that fits best the logarithms of points.
fn power(points: &[[f64; 2]]) -> f64 {
    let logs: Vec<[f64; 2]> = points.iter().map(|p| p.map(f64::ln)).collect();
    let mean = |k: usize| logs.iter().map(|p| p[k]).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let sum = |of: &dyn Fn(&[f64; 2]) -> f64| logs.iter().map(of).sum::<f64>();
    sum(&|p| (p[0] - x) * (p[1] - y)) / sum(&|p| (p[0] - x).powi(2))
}

fn run_steps(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    for shaken in [&STACK, &WALL] {
        let (_, longest) = shaken.shake(context, explicit(STIFFNESS, INTERVAL))?;
        let (compared, finest) = shaken.halvings;
        let (compared, finest) = context.pick((compared, finest), (&compared[..3], 4));
        let dt = |k: u32| longest / f64::from(1 << k);
        let (reference, _) = shaken.shake(context, steps_of(STIFFNESS, dt(finest)))?;
        let mut runs = Vec::new();
        for &k in compared {
            runs.push((dt(k), shaken.shake(context, steps_of(STIFFNESS, dt(k)))?.0));
        }
        let mut panel = Panel::new("step (s)", "error (m)").log_x().log_y();
        for (when, end) in [("before impacts", shaken.before_impact), ("with impacts", DURATION)] {
            let errors: Vec<[f64; 2]> = runs
                .iter()
                .map(|(dt, run)| [*dt, apart(run, &reference, end)])
                .collect();
            let listed: Vec<String> = errors
                .iter()
                .map(|[dt, e]| format!("{} m at {} µs", short(*e), short(1e6 * dt)))
                .collect();
            outcome.rows.push(
                Row::figure(
                    format!(
                        "{}, {when} (within {end} s): order of the error of displacements",
                        shaken.name
                    ),
                    FIRST,
                    power(&errors),
                    Allowed::AtLeast,
                )
                .note(format!(
                    "against a step of 1/{} of the default; blocks move by up to {} m; off by {}",
                    1 << finest,
                    short(largest(&reference, end)),
                    listed.join(", ")
                )),
            );
            let first = errors.iter().map(|[dt, _]| [*dt, dt * errors[0][1] / errors[0][0]]);
            panel = panel
                .markers(when, errors.clone())
                .reference(format!("first order, {when}"), first.collect());
        }
        let plot = Plot::new()
            .title(format!("Explicit steps: a {} that rocks and slides", shaken.name))
            .panel(panel);
        outcome.plots.push((format!("steps-explicit-{}", shaken.name), plot));
    }
    Ok(outcome)
}

fn run_stiffness(context: &Context<'_>) -> Result<Outcome, Failure> {
    let rigid = |dt: f64| SimulationSettings {
        stiffness: None,
        friction: Friction::Coulomb,
        ..implicit(STIFFNESS, dt)
    };
    let dt = context.pick(1.25e-4, 5e-4);
    let (reference, _) = STACK.shake(context, rigid(dt))?;
    let (coarser, _) = STACK.shake(context, rigid(2.0 * dt))?;
    let mut runs = Vec::new();
    for power in 9..=12 {
        let stiffness = 10_f64.powi(power);
        runs.push((stiffness, STACK.shake(context, explicit(stiffness, INTERVAL))?.0));
    }
    let distances = |end: f64| -> Vec<[f64; 2]> {
        runs.iter()
            .map(|(k, run)| [1.0 / k, apart(&reference, run, end)])
            .collect()
    };
    let listed = |distances: &[[f64; 2]]| distances.iter().map(|d| short(d[1])).collect::<Vec<_>>().join(", ");
    let end = STACK.before_impact;
    let before = distances(end);
    let nearest = before.last().map_or(f64::NAN, |d| d[1]);
    let rows = vec![
        Row::figure(
            format!("before impacts (within {end} s): power of 1 / stiffness in the distance from rigid joints"),
            FIRST,
            power(&before),
            Allowed::Within(0.1),
        )
        .note(format!(
            "{} m at 1e9, 1e10, 1e11, 1e12 N/m3; rigid joints: implicit, Coulomb friction, dt {dt} s, {} m from dt {} s",
            listed(&before),
            short(apart(&coarser, &reference, end)),
            2.0 * dt
        )),
        Row::figure(
            "before impacts: distance at 1e12 N/m3 (part of the largest displacement)",
            1e-4,
            nearest / largest(&reference, end),
            Allowed::AtMost,
        ),
        Row::shown(
            format!("with impacts (within {DURATION} s): distance at 1e9 to 1e12 N/m3 (m)"),
            "0",
            listed(&distances(DURATION)),
        )
        .note(format!(
            "blocks move by up to {} m; {} m between implicit steps of {dt} and {} s",
            short(largest(&reference, DURATION)),
            short(apart(&coarser, &reference, DURATION)),
            2.0 * dt
        )),
    ];
    Ok(Outcome { rows, plots: vec![] })
}

#[cfg(test)]
mod tests {
    use super::power;

    #[test]
    fn a_cube_has_the_power_of_three() {
        let points: Vec<[f64; 2]> = (1..5).map(f64::from).map(|x| [x, 7.0 * x.powi(3)]).collect();
        assert!((power(&points) - 3.0).abs() < 1e-12);
    }
}

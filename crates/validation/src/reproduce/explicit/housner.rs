//! The Housner block on joints that yield: the rigid solution is the limit of stiff ones.

use drystone_analysis::Failure;
use drystone_mechanics::dynamics::SimulationSettings;
use drystone_output::plot::{Panel, Plot};

use super::{
    super::housner::{BLOCK, TILT_DEG, rock},
    Allowed, Case, Context, GROUP, Outcome, Row, damped, explicit, short,
};

pub(super) const CASE: Case = Case {
    name: "housner-explicit",
    group: GROUP,
    source: "003 section 4.1, fig. 4",
    summary: "free rocking of a block by explicit steps: joints of 1e8 to 1e12 N/m3 against the rigid solution",
    long: false,
    run,
};

/// Until the block has come to a stop on the other side.
const DURATION: f64 = 2.2;
const INTERVAL: f64 = 1e-3;
const IMPACT: f64 = 1.1217;
const RATIO: f64 = 0.8761;
/// The stiffness that must be near the rigid solution (N/m3).
const JUDGED: f64 = 1e11;

/// What a block does that is let go: time of its first impact (s), and angular velocity after over before.
struct Fall {
    motion: Vec<[f64; 3]>,
    impact: f64,
    ratio: f64,
}

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut rows = Vec::new();
    let mut panel = Panel::new("time (s)", "angle (deg)");
    for power in 8..=12 {
        let stiffness = 10_f64.powi(power);
        let fall = fall(context, explicit(stiffness, INTERVAL))?;
        let pairs = [
            ("first impact (s)", IMPACT, fall.impact),
            ("angular velocity after over before", RATIO, fall.ratio),
        ];
        for (what, exact, computed) in pairs {
            let quantity = format!("1e{power} N/m3: {what}");
            rows.push(match stiffness < JUDGED {
                true => Row::shown(quantity, short(exact), short(computed)),
                false => Row::figure(quantity, exact, computed, Allowed::Part(0.01)),
            });
        }
        let degrees = fall.motion.iter().map(|m| [m[0], m[1].to_degrees()]);
        panel = panel.line(format!("1e{power} N/m³"), degrees.collect());
    }
    for damping in [0.05, 0.2, 0.5, 1.0] {
        let fall = fall(context, damped(JUDGED, INTERVAL, Some(damping)))?;
        rows.push(Row::shown(
            format!("1e11 N/m3, dashpots {damping} of critical: angular velocity after over before"),
            short(RATIO),
            short(fall.ratio),
        ));
    }
    let plot = Plot::new().title("Housner block by explicit steps").panel(panel);
    Ok(Outcome {
        rows,
        plots: vec![("housner-explicit".to_string(), plot)],
    })
}

/// An impact on joints that yield takes its time, the longer the softer they are. Its time is that of the upright block; the velocity
/// after it is told by how high the block rises.
fn fall(context: &Context<'_>, settings: SimulationSettings) -> Result<Fall, Failure> {
    let (_, motion) = rock(context, settings, DURATION)?;
    let Some(down) = motion.iter().position(|m| m[1] <= 0.0).filter(|k| *k > 0) else {
        return Err(Failure::run("the block does not come down"));
    };
    let ([t0, a0, _], [t1, a1, _]) = (motion[down - 1], motion[down]);
    let highest = motion[down..].iter().map(|m| -m[1]).fold(0.0, f64::max);
    Ok(Fall {
        impact: t0 + (t1 - t0) * a0 / (a0 - a1),
        ratio: (BLOCK.potential(highest) / BLOCK.potential(TILT_DEG.to_radians())).sqrt(),
        motion,
    })
}

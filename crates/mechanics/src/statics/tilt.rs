//! How far can it be tilted?

use std::time::Instant;

use drystone_model::certificate::Prestress;
use glam::{DQuat, DVec3};

use super::{Assembly, Loads, Method, Solvers, StaticsError, Verdict, coupled, equilibrium};

/// Angles that are looked at from upright to upside down, to see whether it stands again farther on.
const SAMPLES: usize = 36;
/// How well the angle is found (unit: rad).
const PRECISION: f64 = 0.002 * std::f64::consts::PI / 180.0;

/// How much of the work is done once angles all around are looked at, and once the critical one is found among them.
const SAMPLED: f64 = 0.6;
const HALVED: f64 = 0.9;
/// How much farther it is asked again where nothing was found (unit: rad).
const RETRIES: [f64; 4] = [0.0, 1e-5, 2e-4, 1e-3];
/// The first step of a climb beyond what was found at once (unit: rad).
const CLIMB: f64 = 0.05 * std::f64::consts::PI / 180.0;
/// How far beyond the critical angle the verdict is asked for again (unit: rad).
const BEYOND: f64 = 0.05 * std::f64::consts::PI / 180.0;

/// The angle at which a structure falls.
#[derive(Clone, Debug)]
pub struct Tilt {
    /// Largest angle at which it was found to stand, and at no smaller one proven to fall (unit: rad).
    pub critical: f64,
    /// Smallest angle at which it was not (unit: rad); half a turn where it always stands.
    pub above: f64,
    /// How it was found.
    pub method: Method,
    /// Whether it stands at each of the angles looked at on a coarse grid (unit: rad).
    pub samples: Vec<(f64, bool)>,
    /// Whether it stands again at an angle beyond the critical one.
    pub stands_again: bool,
    /// Angles below the critical one on the coarse grid at which it was neither found to stand nor proven to fall
    /// (unit: rad).
    pub gaps: Vec<f64>,
    /// The verdict just beyond the critical angle.
    pub beyond: Verdict,
    /// Seconds it took.
    pub time: f64,
}

/// Gravity as a structure feels it that is turned by an angle (unit: rad) about an axis.
pub fn tilted(gravity: DVec3, axis: DVec3, angle: f64) -> DVec3 {
    DQuat::from_axis_angle(axis, -angle) * gravity
}

/// Finds the angle about an axis at which a structure falls under its weight.
pub fn tilt(assembly: &Assembly, axis: DVec3, method: Method, solvers: &mut Solvers) -> Result<Tilt, StaticsError> {
    let start = Instant::now();
    let axis = axis.try_normalize().ok_or(StaticsError::NoDirection {
        what: "the axis",
        x: axis.x,
        y: axis.y,
        z: axis.z,
    })?;
    let loads = |angle: f64| Loads::body_force(assembly, tilted(assembly.gravity, axis, angle));
    let stands = |angle: f64, solvers: &mut Solvers| stands(assembly, &loads(angle), method, solvers);
    let mut samples = Vec::with_capacity(SAMPLES + 1);
    for k in 0..=SAMPLES {
        let angle = std::f64::consts::PI * k as f64 / SAMPLES as f64;
        let stood = stands(angle, solvers)?;
        samples.push((angle, stood));
        solvers.at(SAMPLED * (k + 1) as f64 / (SAMPLES + 1) as f64, || says(angle, stood));
    }
    // Where it is not found to stand, but stands farther on and is not proven to fall, the question was not answered: the
    // threshold lies beyond.
    let last = samples.iter().rposition(|(_, stands)| *stands);
    let mut proven = None;
    for (k, (angle, stood)) in samples.iter().enumerate().take(last.unwrap_or(0)) {
        let mut falls = || Ok::<_, StaticsError>(super::check(assembly, &loads(*angle), method, solvers)?.verdict);
        if !stood && falls()? == Verdict::Unstable {
            proven = Some(k);
            break;
        }
    }
    let first = match (proven, last) {
        (Some(k), _) => Some(k),
        (None, Some(k)) if k < SAMPLES => Some(k + 1),
        (None, Some(_)) => None,
        (None, None) => Some(0),
    };
    let gaps: Vec<f64> = match first {
        Some(k) => samples[..k].iter().filter(|s| !s.1).map(|s| s.0).collect(),
        None => samples.iter().filter(|s| !s.1).map(|s| s.0).collect(),
    };
    let (mut low, mut high) = match first {
        None => (std::f64::consts::PI, std::f64::consts::PI),
        Some(0) => (0.0, 0.0),
        Some(k) => {
            let before = samples[..k].iter().rposition(|s| s.1);
            (before.map_or(0.0, |b| samples[b].0), samples[k].0)
        }
    };
    let (width, halves) = (high - low, ((high - low) / PRECISION).log2().max(1.0));
    while high - low > PRECISION {
        let middle = 0.5 * (low + high);
        // Not found is asked again a hair farther.
        let mut found = None;
        for farther in RETRIES {
            if found.is_none() && middle + farther < high && stands(middle + farther, solvers)? {
                found = Some(middle + farther);
            }
        }
        if let Some(angle) = found {
            low = angle;
        } else {
            high = middle;
        }
        let halved = (width / (high - low)).log2() / halves;
        let part = SAMPLED + (HALVED - SAMPLED) * halved;
        solvers.at(part, || says(middle, found.is_some()));
    }
    if first.is_some_and(|k| k > 0) && method.prestress() == Prestress::Excluded {
        let mut stands = |angle| {
            let stood = super::check(assembly, &loads(angle), method, solvers)?.verdict == Verdict::Stable;
            solvers.at(HALVED, || says(angle, stood));
            Ok(stood)
        };
        (low, high) = climb((low, high), &mut stands)?;
    }
    let beyond = match first {
        None => Verdict::Stable,
        Some(_) => super::check(assembly, &loads(high + BEYOND), method, solvers)?.verdict,
    };
    Ok(Tilt {
        critical: low,
        above: high,
        method,
        stands_again: first.is_some_and(|k| samples[k..].iter().any(|(_, stands)| *stands)),
        gaps,
        samples,
        beyond,
        time: start.elapsed().as_secs_f64(),
    })
}

/// What was found at an angle.
fn says(angle: f64, stood: bool) -> String {
    let found = if stood { "stands" } else { "is not found to stand" };
    format!("at {:.2}° it {found}", angle.to_degrees())
}

/// Whether forces were found that prove it.
pub(super) fn stands(
    assembly: &Assembly,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
) -> Result<bool, StaticsError> {
    solvers.go_on()?;
    if !assembly.loose.is_empty() {
        return Ok(false);
    }
    Ok(match method.prestress() {
        Prestress::Admitted if method == Method::RbeLinearised => {
            equilibrium::linearised(assembly, loads, &mut solvers.rest)?.is_some()
        }
        Prestress::Admitted => equilibrium::smallest(assembly, loads, &mut solvers.rest)?
            .is_some_and(|forces| coupled::unbalanced(assembly, loads, &forces) <= equilibrium::BALANCED),
        Prestress::Excluded => coupled::called_up(assembly, loads, &mut solvers.coupled, false)?
            .solution()
            .is_some(),
    })
}

/// Climbs from an angle at which a motion was found at once to the last at which one is found with more effort. What it
/// gives are that angle, and one at which none is found (unit: rad).
fn climb(
    (mut low, mut high): (f64, f64),
    mut stands: impl FnMut(f64) -> Result<bool, StaticsError>,
) -> Result<(f64, f64), StaticsError> {
    let mut step = CLIMB;
    while step >= PRECISION && low < std::f64::consts::PI {
        let angle = (low + step).min(std::f64::consts::PI);
        if stands(angle)? {
            low = angle;
            step *= 2.0;
        } else {
            high = angle;
            step *= 0.25;
        }
    }
    Ok((low, high.max(low)))
}

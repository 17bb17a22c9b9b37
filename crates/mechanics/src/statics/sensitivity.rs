//! How near a verdict is to its opposite.

use glam::DVec3;

use super::{LimitSettings, Loads, Method, Solvers, StaticsError, Structure, Verdict, check::stands, limit::limit};

const TUNING: crate::statics::tuning::Sensitivity = crate::statics::Tuning::DEFAULT.sensitivity;

/// How near a verdict is to its opposite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensitivity {
    /// The smallest factor on all friction coefficients at which the structure was found to stand; nothing where it was found
    /// to with none.
    pub friction_factor: Option<f64>,
    /// The largest factor at which it was found to fall; nothing where it was found to with none. Between the two nothing was
    /// decided.
    pub falls_at_factor: Option<f64>,
    /// The smallest friction coefficient of a joint at [`Self::friction_factor`].
    pub least_friction: Option<f64>,
}

impl Sensitivity {
    /// Whether the factor is one: it was found to fall just below it, or to stand without friction.
    pub fn is_exact(&self) -> bool {
        match (self.friction_factor, self.falls_at_factor) {
            (Some(0.0), _) => true,
            (Some(stands), Some(falls)) => stands - falls <= 2.0 * TUNING.precision * stands,
            _ => false,
        }
    }
}

/// The smallest friction at which a structure stands, all coefficients in proportion.
pub fn least_friction(
    structure: &Structure,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
) -> Result<Sensitivity, StaticsError> {
    let mut other = structure.clone();
    let smallest = structure
        .points
        .iter()
        .map(|p| structure.friction(p))
        .fold(f64::INFINITY, f64::min);
    let mut falls_at: Option<f64> = None;
    let mut ask = |factor: f64, solvers: &mut Solvers| {
        other.scale_friction(structure, factor);
        let verdict = stands(&other, loads, method, solvers)?.verdict;
        if verdict == Verdict::Unstable {
            falls_at = Some(falls_at.map_or(factor, |f| f.max(factor)));
        }
        Ok::<_, StaticsError>(verdict)
    };
    let (mut low, mut high) = (0.0, 1.0);
    let mut found = true;
    while ask(high, solvers)? != Verdict::Stable {
        low = high;
        high *= 2.0;
        if high > TUNING.most_friction || smallest <= 0.0 {
            found = false;
            break;
        }
    }
    if found && low == 0.0 && ask(0.0, solvers)? == Verdict::Stable {
        high = 0.0;
    }
    // Where an answer is undecided, what stands and what falls are looked for on their own sides of it.
    let mut undecided: Option<f64> = None;
    while found && high - low > TUNING.precision * high {
        let middle = 0.5 * (low + high);
        let verdict = ask(middle, solvers)?;
        let fraction = ((high - low) / high).ln() / TUNING.precision.ln();
        solvers.at(fraction, || {
            format!("with friction {:.3}: {}", middle * smallest, verdict.name())
        });
        if verdict == Verdict::Stable {
            high = middle;
        } else {
            if verdict == Verdict::Undecided {
                undecided = Some(undecided.map_or(middle, |u: f64| u.min(middle)));
            }
            low = middle;
        }
    }
    if let Some(mut above) = undecided {
        let mut below = 0.0;
        while above - below > TUNING.precision * above {
            let middle = 0.5 * (below + above);
            match ask(middle, solvers)? {
                Verdict::Unstable => below = middle,
                _ => above = middle,
            }
        }
    }
    Ok(Sensitivity {
        friction_factor: found.then_some(high),
        falls_at_factor: falls_at.filter(|f| !found || *f < high || high == 0.0),
        least_friction: found.then_some(high * smallest),
    })
}

/// The least multiplier of a horizontal force in proportion to mass, over gravity, among `count` directions, and that
/// direction: how far the load could grow in the worst direction tried. Infinite where no direction has a limit; nothing
/// where it was not found to stand without the load.
pub fn worst_direction(
    structure: &Structure,
    dead: &Loads,
    count: usize,
    solvers: &mut Solvers,
) -> Result<Option<(DVec3, f64)>, StaticsError> {
    let down = structure.gravity.normalize_or(DVec3::NEG_Z);
    let first = down.any_orthonormal_vector();
    let second = down.cross(first);
    let mut worst: Option<(DVec3, f64)> = None;
    for k in 0..count {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
        let direction = cos * first + sin * second;
        let live = Loads::body_force(structure, direction * structure.gravity.length());
        let found = limit(structure, dead, &live, &LimitSettings::default(), solvers)?;
        let Some(multiplier) = found.multiplier.or(found.unbounded.then_some(f64::INFINITY)) else {
            return Ok(None);
        };
        if worst.is_none_or(|(_, least)| multiplier < least) {
            worst = Some((direction, multiplier));
        }
    }
    Ok(worst)
}

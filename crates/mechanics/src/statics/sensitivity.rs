//! How near a verdict is to its opposite.

use glam::DVec3;

use super::{Assembly, LimitSettings, Loads, Method, Solvers, StaticsError, limit::limit, tilt::stands};

/// Friction, over that of the model, above which it is taken to make no difference.
const MOST_FRICTION: f64 = 64.0;
/// How well a ratio of friction coefficients is found.
const PRECISION: f64 = 1e-4;

/// How near a verdict is to its opposite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensitivity {
    /// What all friction coefficients must be multiplied by at least for the structure to stand; nothing where no friction
    /// is enough.
    pub friction_factor: Option<f64>,
    /// The smallest friction coefficient of a joint at that point.
    pub least_friction: Option<f64>,
}

/// The smallest friction at which an assembly stands, all coefficients in proportion.
pub fn least_friction(
    assembly: &Assembly,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
) -> Result<Sensitivity, StaticsError> {
    let mut other = assembly.clone();
    let mut holds = |factor: f64, solvers: &mut Solvers| {
        for (point, own) in other.points.iter_mut().zip(&assembly.points) {
            point.friction = own.friction * factor;
        }
        stands(&other, loads, method, solvers)
    };
    let smallest = assembly.points.iter().map(|p| p.friction).fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (0.0, 1.0);
    while !holds(high, solvers)? {
        low = high;
        high *= 2.0;
        if high > MOST_FRICTION || smallest <= 0.0 {
            return Ok(Sensitivity {
                friction_factor: None,
                least_friction: None,
            });
        }
    }
    if low == 0.0 && holds(0.0, solvers)? {
        high = 0.0;
    }
    while high - low > PRECISION * high {
        let middle = 0.5 * (low + high);
        let held = holds(middle, solvers)?;
        let part = ((high - low) / high).ln() / PRECISION.ln();
        solvers.at(part, || {
            let found = if held { "stands" } else { "is not found to stand" };
            format!("with friction {:.3} it {found}", middle * smallest)
        });
        if held {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(Sensitivity {
        friction_factor: Some(high),
        least_friction: Some(high * smallest),
    })
}

/// The least multiplier of a horizontal force in proportion to mass, over gravity, among `count` directions, and that
/// direction: how far the load could grow in the worst direction tried.
pub fn worst_direction(
    assembly: &Assembly,
    dead: &Loads,
    count: usize,
    solvers: &mut Solvers,
) -> Result<Option<(DVec3, f64)>, StaticsError> {
    let down = assembly.gravity.normalize_or(DVec3::NEG_Z);
    let first = down.any_orthonormal_vector();
    let second = down.cross(first);
    let mut worst: Option<(DVec3, f64)> = None;
    for k in 0..count {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
        let direction = cos * first + sin * second;
        let live = Loads::body_force(assembly, direction * assembly.gravity.length());
        let found = limit(assembly, dead, &live, &LimitSettings::default(), solvers)?;
        if worst.is_none_or(|(_, least)| found.multiplier < least) {
            worst = Some((direction, found.multiplier));
        }
    }
    Ok(worst)
}

//! How far impulses are from solving the dimensionless problem. Every method stops by these figures; what the user is
//! told is computed again from the problem as stated (see `residual`).

use crate::{
    cone::{Cone, V3, add, dot, norm, scale, sub, tangential},
    parallel,
    settings::Friction,
    system::System,
};

/// Distances from a solution, each relative to the load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measure {
    /// Estimated error of the velocities, by the mass, relative to the velocity that the impulses cause. Meaningful for
    /// associated friction: the square of the error is at most `r . u` where r and u lie in their cones, because the
    /// problem is strongly convex in the velocities; unbalanced momentum adds to it.
    pub(crate) velocity_error: f64,
    /// |r - P_K(r - u)| / |q| with the mean diagonal of N scaled to one, with De Saxce's term for Coulomb friction.
    pub(crate) natural_map: f64,
}

impl Measure {
    /// The figure that must fall below the tolerance.
    pub(crate) fn figure(&self, friction: Friction) -> f64 {
        match friction {
            Friction::Associated => self.velocity_error,
            Friction::Coulomb => self.natural_map,
        }
    }
}

/// The velocity that must lie in the dual cone: with De Saxce's term, if friction is Coulomb's.
pub(crate) fn corrected(friction: Friction, cone: Cone, u: &V3) -> V3 {
    match friction {
        Friction::Associated => *u,
        Friction::Coulomb => [u[0] + cone.friction() * tangential(u), u[1], u[2]],
    }
}

/// Measures impulses `r` and the velocities `u = N r + q + E r` that they cause.
pub(crate) fn measure(system: &System, r: &[V3], u: &[V3], partial: &mut Vec<[f64; 5]>) -> Measure {
    measure_unbalanced(system, r, u, 0.0, partial)
}

/// Measures impulses `r` and relative velocities `u = D' v + q + E r` of bodies that have momentum beyond what the
/// impulses give them; `unbalanced` is its square by H^-1.
pub(crate) fn measure_unbalanced(
    system: &System,
    r: &[V3],
    u: &[V3],
    unbalanced: f64,
    partial: &mut Vec<[f64; 5]>,
) -> Measure {
    let n = system.len();
    let mean = mean_diagonal(system);
    let one = |i: usize| {
        let cone = system.cones[i];
        let (ri, ui) = (&r[i], &corrected(system.friction, cone, &u[i]));
        // As in the user's units, up to the units of the whole problem.
        let s = system.weight[i];
        let (rs, us) = (scale(ri, mean / s), scale(ui, s));
        let map = sub(&rs, &cone.project(&sub(&rs, &us)));
        let below = sub(&cone.project_dual(ui), ui);
        let lack = norm(&below);
        let e = &system.compliance[i];
        let caused = dot(
            ri,
            &[
                u[i][0] - system.q[i][0] - e[0] * ri[0],
                u[i][1] - system.q[i][1] - e[1] * ri[1],
                u[i][2] - system.q[i][2] - e[2] * ri[2],
            ],
        );
        let gap = dot(ri, &add(ui, &below)).abs() + norm(ri) * lack + lack * lack;
        [dot(&map, &map), (s * norm(&system.q[i])).powi(2), gap, caused, 0.0]
    };
    let sum = |a: [f64; 5], b: [f64; 5]| std::array::from_fn(|k| a[k] + b[k]);
    let [map, load, gap, caused, _] = parallel::fold(n, partial, [0.0; 5], one, sum);
    Measure {
        velocity_error: root(
            (0.5 * (unbalanced.sqrt() + (unbalanced + 4.0 * gap).sqrt())).powi(2),
            caused,
        ),
        natural_map: root(map, load),
    }
}

/// Root of a ratio. Where nothing pushes, nothing is wrong either: zero over zero is zero. A NaN stays one, and what
/// overflowed measures nothing: it must not look like a solution.
pub(crate) fn root(a: f64, b: f64) -> f64 {
    if !b.is_finite() {
        f64::NAN
    } else if a == 0.0 {
        0.0
    } else {
        (a / b.max(f64::MIN_POSITIVE)).sqrt()
    }
}

/// Mean over the contacts of the mean diagonal of N, in the units that contacts had before each was scaled.
pub(crate) fn mean_diagonal(system: &System) -> f64 {
    system.weight.iter().map(|s| s * s).sum::<f64>() / system.len().max(1) as f64
}

//! How far impulses are from solving the dimensionless problem. Every method stops by one of these; what the user is
//! told is computed again from the problem as stated (see `residual`).

use crate::{
    cone::{Cone, V3, add, dot, norm, scale, sub, tangential},
    parallel,
    settings::Friction,
    system::{NONE, System, V6, dot6, times6},
};

/// Distances from a solution, each relative to the load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Measure {
    /// Estimated error of the velocities, by the mass, relative to the velocity that the impulses cause. With associated
    /// friction the square of the error is at most `r . u` where r and u lie in their cones, because the problem is strongly
    /// convex in the velocities; unbalanced momentum adds to it. Of associated friction alone.
    pub(crate) velocity_error: f64,
    /// |r - P_K(r - u)| / |q| with the mean diagonal of N scaled to one, with De Saxce's term for Coulomb friction.
    pub(crate) natural_map: f64,
}

impl Measure {
    /// The residual that must fall below the tolerance.
    pub(crate) fn merit(&self, friction: Friction) -> f64 {
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

/// Sums of what is left of Coulomb's law in a time step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoulombLeft {
    /// An energy: what friction lacks of acting against the slip.
    friction: f64,
    /// Squares of what contacts that press open or close by, and of the impulses of those that are open.
    along: f64,
    /// How many press.
    pressing: f64,
}

impl CoulombLeft {
    /// Of one contact whose own diagonal of N is one.
    ///
    /// With s held in place of mu |u_t| the problem is convex, and r . (u + s n) bounds the error of its velocities. The s that
    /// leaves u + s n on the edge of the dual cone makes that `r_t . u_t + mu r_n |u_t|`: what friction lacks of acting against the
    /// slip. This s is off by u_n, which a contact that presses opens or closes by. One that opens faster than its impulse moves
    /// it ought to carry none: r is wrong, also where friction fits the slip. One that closes so fast lacks its impulse, and is
    /// no part of a mean over those that press: where nothing presses, everything would fall freely without an error.
    pub(crate) fn new(mu: f64, r: &V3, u: &V3) -> Self {
        let slip = mu * tangential(u);
        let friction = (r[1] * u[1] + r[2] * u[2] + r[0] * slip).abs();
        let nothing = Self::default();
        if presses(r, u) {
            Self {
                friction,
                along: u[0] * u[0],
                pressing: 1.0,
            }
        } else if u[0] >= 0.0 {
            Self {
                along: dot(r, r),
                ..nothing
            }
        } else {
            Self {
                friction: friction + (OPENING * u[0]).powi(2),
                ..nothing
            }
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            friction: self.friction + other.friction,
            along: self.along + other.along,
            pressing: self.pressing + other.pressing,
        }
    }

    /// What they come to, in place of r . u: each of so many bodies is off by the mean of what is left along the normal over the
    /// contacts that press, which counts by `weight`.
    pub(crate) fn gap(&self, bodies: usize, weight: f64) -> f64 {
        self.friction + weight * weight * self.along * bodies as f64 / self.pressing.max(1.0)
    }
}

/// Whether the impulse of a contact, whose own diagonal of N is one, moves it faster than it opens or closes.
fn presses(r: &V3, u: &V3) -> bool {
    r[0] > u[0].abs()
}

/// How much what is left along the normal counts.
pub(crate) const OPENING: f64 = crate::Tuning::DEFAULT.fixed_point.opening;

/// The local error of a contact in a time step with Coulomb friction, as a velocity. Its own diagonal of N is one. Where it presses,
/// what is left along the normal is no part of it: some s makes it good.
pub(crate) fn coulomb_error(cone: Cone, r: &V3, u: &V3) -> f64 {
    let slip = cone.friction() * tangential(u);
    let map = |along: f64| norm(&sub(r, &cone.project(&sub(r, &[along, u[1], u[2]]))));
    if cone.friction() <= 0.0 {
        map(u[0])
    } else if presses(r, u) {
        map(slip)
    } else {
        larger(map(slip.max(u[0])), OPENING * OPENING * map(slip + u[0]))
    }
}

/// The error of the velocities in a time step with Coulomb friction, without what a solver lets contacts yield.
/// Told twice: as it counts, and with what opens or closes as much as all else.
pub(crate) fn coulomb_velocity_error(
    system: &System,
    r: &[V3],
    u: &[V3],
    partial: &mut Vec<(CoulombLeft, f64)>,
) -> [f64; 2] {
    let one = |i: usize| {
        let (ri, ui, e) = (&r[i], &u[i], &system.compliance[i]);
        let true_u = [ui[0] - system.soft[i] * ri[0], ui[1], ui[2]];
        let left = match system.cones[i] {
            Cone::Friction(mu) => CoulombLeft::new(mu, ri, &true_u),
            cone => CoulombLeft {
                friction: convex_gap(cone, ri, &true_u),
                ..CoulombLeft::default()
            },
        };
        let caused: V3 = std::array::from_fn(|k| ui[k] - system.q[i][k] - e[k] * ri[k]);
        (left, dot(ri, &caused))
    };
    let none = (CoulombLeft::default(), 0.0);
    let sum = |a: (CoulombLeft, f64), b: (CoulombLeft, f64)| (a.0.plus(b.0), a.1 + b.1);
    let (left, caused) = parallel::fold(system.len(), partial, none, one, sum);
    let bodies = system.bodies().map_or(system.len(), |bodies| bodies.mass.len());
    [OPENING, 1.0].map(|weight| root(left.gap(bodies, weight), caused))
}

/// What bounds the square of the velocity error with associated friction, of a constraint whose own diagonal of N is one.
fn convex_gap(cone: Cone, r: &V3, u: &V3) -> f64 {
    let below = sub(&cone.project_dual(u), u);
    let violation = norm(&below);
    dot(r, &add(u, &below)).abs() + norm(r) * violation + violation * violation
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
        let e = &system.compliance[i];
        let caused = dot(
            ri,
            &[
                u[i][0] - system.q[i][0] - e[0] * ri[0],
                u[i][1] - system.q[i][1] - e[1] * ri[1],
                u[i][2] - system.q[i][2] - e[2] * ri[2],
            ],
        );
        [
            dot(&map, &map),
            (s * norm(&system.q[i])).powi(2),
            convex_gap(cone, ri, ui),
            caused,
            0.0,
        ]
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

/// The error of the velocities of a convex problem, with its gradient where `u` enters the cone.
pub(crate) fn velocity_error(
    system: &System,
    r: &[V3],
    gradient: impl Fn(usize) -> V3 + Sync + Send,
    u: impl Fn(usize) -> V3 + Sync + Send,
    partial: &mut Vec<[f64; 5]>,
) -> f64 {
    let one = |i: usize| {
        let (ri, ui, g, e) = (&r[i], u(i), gradient(i), &system.compliance[i]);
        let caused: V3 = std::array::from_fn(|k| ui[k] - system.q[i][k] - e[k] * ri[k]);
        let gap = convex_gap(system.cones[i], ri, &g);
        [gap, dot(ri, &caused), 0.0, 0.0, 0.0]
    };
    let [gap, caused, ..] = parallel::fold(r.len(), partial, [0.0; 5], one, |a, b| {
        std::array::from_fn(|k| a[k] + b[k])
    });
    root(gap, caused)
}

/// Memory for [`local`] that is used again.
#[derive(Debug, Default)]
pub(crate) struct Local {
    /// Speed that counts for each free body.
    speed: Vec<f64>,
    partial: Vec<f64>,
}

impl Local {
    /// Takes the memory that a system needs, so that measuring takes none.
    pub(crate) fn prepare(&mut self, system: &System) {
        if let Some(bodies) = system.bodies() {
            self.speed.resize(bodies.mass.len(), 0.0);
            self.partial.resize(system.len().max(bodies.mass.len()), 0.0);
        }
    }

    /// The largest error of one contact or body, over the speed that counts there. `twist` is the change of velocity of the
    /// free bodies, `unbalanced` their momentum beyond what the impulses gave them, if there is any.
    ///
    /// The error of a contact is its natural map with its own diagonal of N: the smaller of the velocity that its impulse
    /// causes and that which it ought to prevent. What counts is a mean over the two bodies, by their inverse masses, of
    /// [`speed_that_counts`].
    pub(crate) fn measure(
        &mut self,
        system: &System,
        friction: Friction,
        r: &[V3],
        u: &[V3],
        twist: &[V6],
        unbalanced: Option<&[V6]>,
    ) -> f64 {
        let Some(bodies) = system.bodies() else {
            return 0.0;
        };
        let mass = |b: usize| (bodies.mass[b][0][0] + bodies.mass[b][1][1] + bodies.mass[b][2][2]) / 3.0;
        self.speed.resize(bodies.mass.len(), 0.0);
        parallel::for_each(&mut self.speed, |b, speed| {
            let by_mass = |v: &V6| (dot6(&times6(&bodies.mass[b], v), v).max(0.0) / mass(b)).sqrt();
            let after: V6 = std::array::from_fn(|k| bodies.free[b][k] + twist[b][k]);
            let fastest = by_mass(&bodies.free[b]).max(by_mass(&after));
            *speed = speed_that_counts(by_mass(&twist[b]), bodies.given[b], fastest);
        });
        let speed = &self.speed;
        let one = |i: usize| {
            let cone = system.cones[i];
            let sides = bodies.pair(i).bodies.map(|b| match b {
                NONE => (0.0, 0.0),
                b => (1.0 / mass(b as usize), speed[b as usize]),
            });
            let (unit, speed) = (system.weight[i], mean_speed(sides));
            if friction == Friction::Coulomb && system.is_for_velocities() {
                let true_u = [u[i][0] - system.soft[i] * r[i][0], u[i][1], u[i][2]];
                return over(unit * coulomb_error(cone, &r[i], &true_u), speed);
            }
            let ui = &corrected(friction, cone, &u[i]);
            over(unit * norm(&sub(&r[i], &cone.project(&sub(&r[i], ui)))), speed)
        };
        let contacts = parallel::fold(system.len(), &mut self.partial, 0.0, one, larger);
        let Some(unbalanced) = unbalanced else {
            return contacts;
        };
        let body = |b: usize| {
            let left = dot6(&times6(&bodies.inverse[b], &unbalanced[b]), &unbalanced[b]).max(0.0);
            over((left / mass(b)).sqrt(), speed[b])
        };
        larger(
            contacts,
            parallel::fold(speed.len(), &mut self.partial, 0.0, body, larger),
        )
    }
}

/// The speed that errors of a body's velocity are measured by: the change that contacts cause or that it is given
/// (`given[0]`), whichever is larger, but no more than moves it by a tenth of its size in a step (`given[1]`), and no less
/// than the rounding of its velocity.
pub(crate) fn speed_that_counts(change: f64, given: [f64; 2], fastest: f64) -> f64 {
    change.max(given[0]).min(given[1]).max(1e-9 * fastest)
}

/// Mean of the speeds of two bodies, each with its inverse mass: that of the lighter one, where they differ much.
pub(crate) fn mean_speed(sides: [(f64, f64); 2]) -> f64 {
    let [(a, v), (b, w)] = sides;
    over(a * v + b * w, a + b)
}

/// A ratio; zero over zero is zero.
pub(crate) fn over(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}

/// The larger of two numbers, or the one that is NaN.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
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

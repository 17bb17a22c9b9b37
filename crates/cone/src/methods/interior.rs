//! Primal-dual interior point: Nesterov-Todd scaling, Mehrotra's predictor and corrector.
//!
//! The convex problem `u = N r + q + E r, r in K, u in K*, r . u = 0` is replaced by one in which a slack z stands for u
//! and `r o z = mu e`, with mu driven to zero. Newton's step for it is, with W^2 r = z and c from the predictor or
//! corrector (paper 003 gives the cone program; its solution by such methods is standard),
//!
//! ```text
//! dr = p + (W^2 + E)^-1 (z - u - E p - N dr),    p = -r + W^-1 c,    dz = u - z + (N + E) dr
//! ```
//!
//! so the cones are eliminated contact by contact and what is left is one block-sparse matrix in the velocities of the
//! bodies, with Theta = (W^2 + E)^-1. Velocities of the bodies are unknowns of their own beside the impulses: what
//! rounding leaves of the balance between the two is taken back by the next step, where velocities that were computed
//! from large impulses would have lost their digits.
//!
//! The start is the centre that belongs to r - u for a guess r. In the Jordan algebra of the cone every y is x - z with x
//! and z inside and x o z = mu e, in one way; for mu = 0 these are the projections of y on the cone and on its polar.
//! Where the guess is good and mu small, x and z are close to r and u; and they are always well centred.

use std::time::Instant;

use super::{
    Method, Plan, Report, State,
    block::Block,
    outer::{Convex, Outer},
    passes::{Advance, Correct, Corrected, Predict, Predicted, Recentre, Restore, Start, Steps},
    sums::Sums,
};
use crate::{
    bundles::Bundles,
    cone::{Cone, V3, dot, norm, sub},
    lanes::{Four, LANES, get, least_of, sum_of},
    measure::Local,
    newton::Newton,
    parallel,
    settings::{Friction, SolverSettings},
    solution::Status,
    system::{NONE, Operator, System, V6, Work, dot6, times6},
};

const TUNING: crate::tuning::Interior = crate::Tuning::DEFAULT.interior;

/// The method, and its memory.
#[derive(Debug, Default)]
pub(crate) struct Interior {
    newton: Newton,
    outer: Outer,
    inner: Inner,
}

/// What changes during a solve.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) bundles: Bundles,
    pub(super) blocks: Vec<Block>,
    /// Whether there are constraints that any impulse is allowed for.
    has_links: bool,
    work: Work,
    pub(super) u: Vec<V3>,
    /// Momentum of the bodies beyond what impulses gave them.
    pub(super) unbalanced: Vec<V6>,
    /// Impulses of the best point met, by blocks.
    pub(super) best: Vec<[Four; 3]>,
    pub(super) best_twist: Vec<V6>,
    partial: Vec<[f64; 5]>,
    /// Impulses in the order of the system, and the memory of what is measured with them.
    r: Vec<V3>,
    local: Local,
}

impl Method for Interior {
    fn plan(&self, friction: Friction) -> Plan {
        Plan {
            iterations: match friction {
                Friction::Associated => TUNING.iterations,
                Friction::Coulomb => TUNING.iterations_coulomb,
            },
            polishes: TUNING.cycles,
            leaves_local_minimum: true,
            fallback: None,
        }
    }

    fn prepare(&mut self, system: &System) {
        self.newton.prepare(system);
        self.newton.make_room_for(system);
        self.inner.prepare(system);
    }

    fn solve(&mut self, system: &System, settings: &SolverSettings, limit: usize, state: &mut State) -> Report {
        let Self { newton, outer, inner } = self;
        let report = outer.solve(system, settings, limit, state, |convex, state| {
            inner.minimise(newton, system, convex, state)
        });
        report.timed(newton)
    }
}

impl Inner {
    /// Takes in a system.
    pub(super) fn prepare(&mut self, system: &System) {
        self.bundles.arrange(system);
        self.blocks.resize(self.bundles.constraints.len(), Block::default());
        let constraints = &self.bundles.constraints;
        parallel::for_each(&mut self.blocks, |k, block| block.enter(system, &constraints[k]));
        self.has_links = system.cones.contains(&Cone::Bilateral);
    }

    /// Solves one convex problem from `state.r`.
    fn minimise(&mut self, newton: &mut Newton, system: &System, convex: &Convex<'_>, state: &mut State) -> Report {
        let mean = crate::measure::mean_diagonal(system);
        let degree: f64 = system.cones.iter().map(|cone| cone.degree()).sum::<f64>().max(1.0);
        let State { r, twist, .. } = state;
        twist.clear();
        if let Operator::Bodies(bodies) = &system.operator {
            bodies.velocity_change(r, &mut self.work.wrench, twist);
        }
        self.place(system, convex, r);
        let share = self.share(system, convex, r);
        if share < TUNING.poor_guess {
            r.iter_mut().flatten().for_each(|r| *r *= share);
            twist.iter_mut().flatten().for_each(|x| *x *= share);
            self.place(system, convex, r);
        }
        let mut sums = self.advance(newton, system, convex, None, mean);
        let mut least = sums.merit(convex, 0.0);
        self.keep(twist);
        let mut status = Status::Solved;
        let mut iterations = 0;
        let mut is_near = least <= convex.tolerance;
        if !is_near || !(self.worst(system, convex, twist, None) <= convex.local) {
            let n = system.len() as f64;
            let [nearest, farthest] = TUNING.first_centre_range;
            let far = (TUNING.first_centre * (n / TUNING.small).powi(2)).clamp(nearest, farthest);
            // Rounds that follow begin close to where they end.
            let far = if convex.again { 1.0 } else { far };
            let centre = (far * sums.gap / n).max(f64::MIN_POSITIVE);
            self.bundles.each(&mut self.blocks, &Start { centre });
            if matches!(system.operator, Operator::Matrix(_)) {
                // Velocities follow from impulses here.
                self.export(r, |k, blocks, _| blocks[k].r);
                self.place(system, convex, r);
            }
            sums = self.advance(newton, system, convex, None, mean);
            self.balance(newton, system, twist);
            let (mut lowest, mut stalled, mut is_farther) = (f64::INFINITY, 0, false);
            if is_near {
                least = f64::INFINITY;
            }
            status = Status::IterationLimit;
            while iterations < convex.limit && !system.stop.is_set() {
                iterations += 1;
                let centre = sums.product / degree;
                let Ok(steps) = self.step(newton, system, (centre, degree), TUNING.aim) else {
                    status = Status::NumericalError;
                    break;
                };
                if iterations == 1 && steps.least() < TUNING.shortest_first_step && !is_farther {
                    // Something has happened that the guess knows nothing of: a few bodies hold up all others on the way from there.
                    is_farther = true;
                    let centre = TUNING.farther * centre;
                    self.bundles.each(&mut self.blocks, &Start { centre });
                    sums = self.advance(newton, system, convex, None, mean);
                    self.balance(newton, system, twist);
                    continue;
                }
                for (twist, moved) in twist.iter_mut().zip(&newton.twist) {
                    twist.iter_mut().zip(moved).for_each(|(x, y)| *x += steps.impulse * y);
                }
                sums = self.advance(newton, system, convex, Some(steps), mean);
                let unbalanced = self.balance(newton, system, twist);
                let mut merit = sums.merit(convex, unbalanced);
                if merit <= convex.tolerance && convex.local.is_finite() {
                    // The sums will do; from here on what counts is the contact or body that is worst.
                    if !is_near {
                        (is_near, lowest, stalled, least) = (true, f64::INFINITY, 0, f64::INFINITY);
                    }
                    let unbalanced = std::mem::take(&mut self.unbalanced);
                    let worst = self.worst(system, convex, twist, Some(&unbalanced)) / convex.local;
                    self.unbalanced = unbalanced;
                    if !(worst <= 1.0) {
                        merit = convex.tolerance * worst;
                    }
                } else if is_near {
                    merit = f64::INFINITY;
                }
                if merit.is_nan() {
                    status = Status::NumericalError;
                    break;
                }
                // Progress counts if it is more than rounding.
                stalled = if merit < 0.9 * lowest { 0 } else { stalled + 1 };
                lowest = lowest.min(merit);
                if merit < least || least.is_nan() {
                    least = merit;
                    self.keep(twist);
                }
                if merit <= convex.tolerance {
                    status = Status::Solved;
                    break;
                }
                if proves_infeasible(newton, system, &sums) {
                    self.keep(twist);
                    status = Status::Infeasible;
                    break;
                }
                if steps.least() < 1e-10 || stalled >= TUNING.patience {
                    status = Status::Inaccurate;
                    break;
                }
            }
        }
        self.export(r, |k, _, best| best[k]);
        twist.clear();
        twist.extend_from_slice(&self.best_twist);
        Report {
            status,
            iterations,
            residual: Some(least),
            ..Report::default()
        }
    }

    /// The largest error of a contact or body at the present point.
    fn worst(&mut self, system: &System, convex: &Convex<'_>, twist: &[V6], unbalanced: Option<&[V6]>) -> f64 {
        let Some(bodies) = system.bodies().filter(|_| convex.local.is_finite()) else {
            return 0.0;
        };
        let (mut r, mut u) = (std::mem::take(&mut self.r), std::mem::take(&mut self.u));
        r.resize(system.len(), [0.0; 3]);
        u.resize(system.len(), [0.0; 3]);
        self.export(&mut r, |k, blocks, _| blocks[k].r);
        self.export(&mut u, |k, blocks, _| blocks[k].u);
        let worst = if matches!(system.operator, Operator::Matrix(_)) {
            // Velocities follow from impulses here, and nothing is out of balance.
            bodies.velocity_change(&r, &mut self.work.wrench, &mut self.work.twist);
            let twist = &self.work.twist;
            self.local.measure(system, Friction::Associated, &r, &u, twist, None)
        } else {
            self.local
                .measure(system, Friction::Associated, &r, &u, twist, unbalanced)
        };
        (self.r, self.u) = (r, u);
        worst
    }

    /// The share of the impulses that leaves the least energy: about one where they are a good guess.
    fn share(&mut self, system: &System, convex: &Convex<'_>, r: &[V3]) -> f64 {
        let u = &self.u;
        let [along, curvature, ..] = super::outer::sums(r.len(), &mut self.partial, |i| {
            let moved = sub(&u[i], &system.q[i]);
            [
                dot(&r[i], &convex.gradient(i, &system.q[i])),
                dot(&r[i], &moved),
                0.0,
                0.0,
                0.0,
            ]
        });
        if curvature > 0.0 {
            (-along / curvature).clamp(0.0, 1.0)
        } else {
            1.0
        }
    }

    /// Takes in impulses.
    fn place(&mut self, system: &System, convex: &Convex<'_>, r: &[V3]) {
        self.u.resize(system.len(), [0.0; 3]);
        system.velocity(r, &mut self.work, &mut self.u);
        let (u, constraints) = (&self.u, &self.bundles.constraints);
        parallel::for_each(&mut self.blocks, |k, block| {
            block.place(&constraints[k], convex, r, u);
        });
    }

    /// Remembers the best point met.
    pub(super) fn keep(&mut self, twist: &[V6]) {
        self.best.clear();
        self.best.extend(self.blocks.iter().map(|block| block.r));
        self.best_twist.clear();
        self.best_twist.extend_from_slice(twist);
    }

    /// Writes impulses in the order of the system.
    pub(super) fn export(&self, r: &mut [V3], of: impl Fn(usize, &[Block], &[[Four; 3]]) -> [Four; 3]) {
        for (k, constraints) in self.bundles.constraints.iter().enumerate() {
            let from = of(k, &self.blocks, &self.best);
            for (lane, &i) in constraints.iter().enumerate().filter(|(_, i)| **i != NONE) {
                r[i as usize] = std::array::from_fn(|k| get(&from[k], lane));
            }
        }
    }

    /// Finds the next step, and how long it may be. Gondzio's correctors aim as `aim` says.
    pub(super) fn step(
        &mut self,
        newton: &mut Newton,
        system: &System,
        (centre, degree): (f64, f64),
        aim: [f64; 2],
    ) -> Result<Steps, ()> {
        let start = Instant::now();
        let matrix = matches!(system.operator, Operator::Matrix(_));
        self.bundles.each(&mut self.blocks, &Predict { matrix });
        self.hand_over(newton, system);
        if matrix && !self.has_links {
            // The predictor takes all impulses back, and with them what they caused.
            let blocks = &self.blocks;
            newton.take_moved(|i| blocks[i / LANES].taken_back(i % LANES));
        }
        newton.factor_s += start.elapsed().as_secs_f64();
        newton.factor_bundles(system, &self.bundles).map_err(|_| ())?;
        self.solve(newton, system);
        let moves = newton.moves(system);
        let [affine, linear, square] = self.bundles.each(&mut self.blocks, &Predicted { moves });
        let (affine, linear, square) = (least_of(&affine), sum_of(&linear), sum_of(&square));
        let after = centre + affine * (linear + affine * square) / degree;
        let sigma = (after / centre).clamp(0.0, 1.0).powi(3);
        // Rounding can leave a product of nothing, or less: the aim is zero then.
        let target = if sigma * centre > 0.0 { sigma * centre } else { 0.0 };
        self.bundles.each(&mut self.blocks, &Correct { target });
        let mut longest = self.take_step(newton, system);
        for _ in 0..TUNING.correctors {
            let step = shortened(longest).least();
            if step > 0.9 {
                break;
            }
            let aim = (aim[0] * step + aim[1]).min(1.0);
            newton.remember();
            self.bundles.each(&mut self.blocks, &Recentre { target, aim });
            let better = self.take_step(newton, system);
            if better.least() < longest.least() {
                // Back to what was.
                self.bundles.each(&mut self.blocks, &Restore);
                newton.recall();
                break;
            }
            let worth = better.least() >= longest.least() + 0.1 * (aim - step);
            longest = better;
            if !worth {
                break;
            }
        }
        Ok(shortened(longest))
    }

    /// Solves for the last load, sets the steps that follow, and tells how long they may be.
    fn take_step(&mut self, newton: &mut Newton, system: &System) -> Steps {
        self.hand_over(newton, system);
        self.solve(newton, system);
        let (moves, limit) = (newton.moves(system), 1.0 / TUNING.fraction_to_boundary);
        let [impulse, slack] = self.bundles.each(&mut self.blocks, &Corrected { moves, limit });
        Steps {
            impulse: least_of(&impulse),
            slack: least_of(&slack),
        }
    }

    fn solve(&self, newton: &mut Newton, system: &System) {
        let bodies = matches!(system.operator, Operator::Bodies(_));
        newton.solve(system, bodies.then_some(&self.unbalanced[..]));
    }

    /// Hands the last load to the solver.
    fn hand_over(&self, newton: &mut Newton, system: &System) {
        if matches!(system.operator, Operator::Bodies(_)) {
            newton.take_wrenches(&self.bundles);
            return;
        }
        let blocks = &self.blocks;
        newton.take_loads(|i| blocks[i / LANES].load_of(i % LANES));
    }

    /// Takes a step, if there is one, and measures where it leads.
    pub(super) fn advance(
        &mut self,
        newton: &Newton,
        system: &System,
        convex: &Convex<'_>,
        steps: Option<Steps>,
        mean: f64,
    ) -> Sums {
        let pass = Advance {
            moves: steps.map(|_| newton.moves(system)),
            steps: steps.unwrap_or_default(),
            mean,
            map: !convex.by_velocity,
        };
        Sums::of(&self.bundles.each(&mut self.blocks, &pass))
    }

    /// Momentum of the bodies beyond what impulses gave them; its square by H^-1.
    fn balance(&mut self, newton: &mut Newton, system: &System, twist: &[V6]) -> f64 {
        let Operator::Bodies(bodies) = &system.operator else {
            return 0.0;
        };
        newton.take_wrenches(&self.bundles);
        newton.unbalanced(bodies, twist, &mut self.unbalanced)
    }
}

/// Steps that stay inside the cones, by those that reach their boundary.
fn shortened(longest: Steps) -> Steps {
    let of = |longest: f64| (TUNING.fraction_to_boundary * longest).min(1.0);
    Steps {
        impulse: of(longest.impulse),
        slack: of(longest.slack),
    }
}

/// Whether the impulses prove that no velocity satisfies all constraints: they move nothing, and offsets work on them.
///
/// Where r . q = -w < 0, a change x of the velocities that satisfies all constraints has r . q + (D r) . x >= 0, so it is at
/// least w / |D r| by the masses. That must be beyond anything that moves here. Velocities tell only roughly what the
/// impulses do, because they are unknowns of their own: where light bodies carry heavy ones they seem to move nothing long
/// before they are balanced.
fn proves_infeasible(newton: &Newton, system: &System, sums: &Sums) -> bool {
    let fastest = || system.q.iter().map(norm).fold(0.0, f64::max);
    let work = -sums.offsets;
    let it_seems = work > 1e6 * sums.moved.sqrt() && sums.moved.sqrt() * fastest() <= 1e-9 * work;
    let Operator::Bodies(bodies) = &system.operator else {
        return it_seems;
    };
    if !it_seems {
        return false;
    }
    let (mut given, mut mass) = (0.0, 0.0);
    for b in 0..bodies.mass.len() {
        let wrench = newton.on_body(bodies, b);
        given += dot6(&times6(&bodies.inverse[b], &wrench), &wrench);
        mass += bodies.mass[b][0][0];
    }
    let speeds = system.q.iter().zip(&system.weight).map(|(q, w)| w * norm(q));
    work > 1e4 * (given * mass).sqrt() * speeds.fold(1.0, f64::max)
}

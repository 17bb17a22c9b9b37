//! Non-linear block Gauss-Seidel (Moreau and Jean; Acary and Jean, section 3.3). For each constraint in turn
//!
//! ```text
//! u_i = W_ii r_i + E_i r_i + b_i,    b_i = q_i + sum over j != i of W_ij r_j
//! r_i in K_i,    u_i (+ mu |u_t| n) in K_i*,    r_i . u_i = 0
//! ```
//!
//! is solved exactly for r_i (see `local`) with the latest impulses of the others. Where W is given by bodies, their
//! velocities stand for the sum: after r_i has changed, v changes by H^-1 D_i dr_i.
//!
//! The order of the sweep is by colours: what has one colour shares no free body, so that solving it at once on several
//! threads gives the same bits as solving it in turn. Constraints of one pair of bodies follow each other, on a copy of
//! the pair's relative twist.

use super::{Method, Plan, Report, State, colour::Colours, local::Local};
use crate::{
    cone::{M3, V3, sub, times},
    measure::{CoulombLeft, coulomb_velocity_error, measure},
    parallel,
    settings::{Friction, SolverSettings},
    solution::Status,
    system::{Bodies, M6, Matrix, NONE, Operator, System, V6, Work, gather_wrench, lever, spread},
};

const TUNING: crate::tuning::Nlgs = crate::Tuning::DEFAULT.nlgs;

/// The method, with the memory that it uses again.
#[derive(Debug, Default)]
pub(crate) struct Nlgs {
    colours: Colours,
    /// Constraints' own problems.
    local: Vec<Local>,
    /// For each pair, the relative twist that a unit wrench causes.
    mobility: Vec<M6>,
    /// Impulses in the order of the sweep, so that those of one colour lie together.
    swept: Vec<V3>,
    /// Where the impulses of each pair, in the order of the sweep, start in `swept`.
    first: Vec<u32>,
    /// How the two bodies of each pair of a colour move after it was solved.
    moved: Vec<[V6; 2]>,
    /// H^-1 D r.
    twist: Vec<V6>,
    best: Vec<V3>,
    work: Work,
    partial: Vec<[f64; 5]>,
    left: Vec<(CoulombLeft, f64)>,
}

fn apply(m: &M6, w: &V6) -> V6 {
    std::array::from_fn(|i| m[i].iter().zip(w).map(|(a, b)| a * b).sum())
}

/// The relative twist of a pair that a unit wrench between its bodies causes.
fn pair_mobility(bodies: &Bodies, pair: usize) -> M6 {
    let pair = &bodies.pairs[pair];
    let mut m = [[0.0; 6]; 6];
    for side in (0..2).filter(|&side| pair.bodies[side] != NONE) {
        for k in 0..6 {
            let mut unit = [0.0; 6];
            unit[k] = 1.0;
            let change = apply(
                &bodies.inverse[pair.bodies[side] as usize],
                &spread(&unit, &pair.arms[side]),
            );
            let change = lever(&change, &pair.arms[side]);
            for l in 0..6 {
                m[l][k] += change[l];
            }
        }
    }
    m
}

/// What solving a pair reads.
struct Sweep<'a> {
    system: &'a System,
    bodies: &'a Bodies,
    items: &'a [u32],
    first: &'a [u32],
    local: &'a [Local],
    mobility: &'a [M6],
    twist: &'a [V6],
}

impl Sweep<'_> {
    /// Solves the pairs from place `at` in the order of the sweep, as many as `moved` has room for.
    fn run(&self, at: usize, r: &mut [V3], moved: &mut [[V6; 2]]) {
        if moved.len() <= TUNING.pairs_per_task {
            let mut remaining = r;
            for (k, moved) in moved.iter_mut().enumerate() {
                let count = (self.first[at + k + 1] - self.first[at + k]) as usize;
                let (own, others) = remaining.split_at_mut(count);
                *moved = self.pair(self.items[at + k] as usize, own);
                remaining = others;
            }
            return;
        }
        let half = moved.len() / 2;
        let cut = (self.first[at + half] - self.first[at]) as usize;
        let (r_low, r_high) = r.split_at_mut(cut);
        let (moved_low, moved_high) = moved.split_at_mut(half);
        rayon::join(
            || self.run(at, r_low, moved_low),
            || self.run(at + half, r_high, moved_high),
        );
    }

    /// One sweep over the constraints of a pair; returns how its bodies then move.
    fn pair(&self, p: usize, r: &mut [V3]) -> [V6; 2] {
        let pair = &self.bodies.pairs[p];
        let mut relative = self.bodies.relative_twist(pair, self.twist);
        let mut total = [0.0; 6];
        for (i, r) in self.bodies.constraints(p).zip(r) {
            let rows = &self.bodies.jacobian[i];
            let u: V3 = std::array::from_fn(|k| {
                self.system.q[i][k] + rows[k].iter().zip(&relative).map(|(a, b)| a * b).sum::<f64>()
            });
            let mut own = [0.0; 6];
            gather_wrench(&mut own, rows, r);
            let own = apply(&self.mobility[p], &own);
            let b: V3 = std::array::from_fn(|k| u[k] - rows[k].iter().zip(&own).map(|(a, b)| a * b).sum::<f64>());
            let new = self.local[i].solve(&b);
            let change = sub(&new, r);
            *r = new;
            if change != [0.0; 3] {
                let mut wrench = [0.0; 6];
                gather_wrench(&mut wrench, rows, &change);
                let moved = apply(&self.mobility[p], &wrench);
                for k in 0..6 {
                    relative[k] += moved[k];
                    total[k] += wrench[k];
                }
            }
        }
        let mut moved = [[0.0; 6]; 2];
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if pair.bodies[side] != NONE {
                let body = pair.bodies[side] as usize;
                let change = apply(&self.bodies.inverse[body], &spread(&total, &pair.arms[side]));
                moved[side] = std::array::from_fn(|k| self.twist[body][k] + sign * change[k]);
            }
        }
        moved
    }
}

impl Nlgs {
    fn prepare_bodies(&mut self, system: &System, bodies: &Bodies) {
        self.colours.set_pairs(&bodies.pairs[..bodies.len()], bodies.mass.len());
        self.mobility.resize(bodies.len(), [[0.0; 6]; 6]);
        parallel::for_each(&mut self.mobility, |p, m| *m = pair_mobility(bodies, p));
        self.moved.resize(self.colours.widest(), [[0.0; 6]; 2]);
        self.prepare_local(system);
    }

    /// Impulses in the order of the sweep.
    fn take_impulses(&mut self, bodies: &Bodies, r: &[V3]) {
        self.first.clear();
        self.first.push(0);
        self.swept.clear();
        for &p in &self.colours.items {
            self.swept.extend_from_slice(&r[bodies.constraints(p as usize)]);
            self.first.push(self.swept.len() as u32);
        }
    }

    fn prepare_local(&mut self, system: &System) {
        self.local.resize(system.len(), Local::default());
        parallel::for_each(&mut self.local, |i, local| {
            let mut a: M3 = system.diagonal(i);
            for (k, row) in a.iter_mut().enumerate() {
                row[k] += system.compliance[i][k];
            }
            *local = Local::new(&a, system.cones[i], system.friction);
        });
    }

    fn sweep_bodies(&mut self, system: &System, bodies: &Bodies) {
        for colour in 0..self.colours.len() {
            let range = self.colours.range(colour);
            let moved = &mut self.moved[..range.len()];
            let r = &mut self.swept[self.first[range.start] as usize..self.first[range.end] as usize];
            let sweep = Sweep {
                system,
                bodies,
                items: &self.colours.items,
                first: &self.first,
                local: &self.local,
                mobility: &self.mobility,
                twist: &self.twist,
            };
            sweep.run(range.start, r, moved);
            for (&p, moved) in self.colours.items[range].iter().zip(moved) {
                let joined = bodies.pairs[p as usize].bodies;
                for side in (0..2).filter(|&side| joined[side] != NONE) {
                    self.twist[joined[side] as usize] = moved[side];
                }
            }
        }
    }

    fn sweep_matrix(&mut self, system: &System, matrix: &Matrix, r: &mut [V3]) {
        for colour in 0..self.colours.len() {
            let items = &self.colours.items[self.colours.range(colour)];
            let local = &self.local;
            let latest: &[V3] = r;
            parallel::for_each_heavy(&mut self.swept[..items.len()], |k, new| {
                let i = items[k] as usize;
                let mut b = system.q[i];
                for k in matrix.start[i] as usize..matrix.start[i + 1] as usize {
                    let j = matrix.column[k] as usize;
                    if j != i {
                        let part = times(&matrix.block[k], &latest[j]);
                        (0..3).for_each(|c| b[c] += part[c]);
                    }
                }
                *new = local[i].solve(&b);
            });
            for (&i, new) in items.iter().zip(&self.swept) {
                r[i as usize] = *new;
            }
        }
    }

    /// Impulses of the sweep in the order of the system.
    fn collect(&self, bodies: &Bodies, r: &mut [V3]) {
        for (k, &p) in self.colours.items.iter().enumerate() {
            let own = &self.swept[self.first[k] as usize..self.first[k + 1] as usize];
            r[bodies.constraints(p as usize)].copy_from_slice(own);
        }
    }

    fn merit(&mut self, system: &System, state: &mut State) -> f64 {
        system.velocity(&state.r, &mut self.work, &mut state.u);
        if system.friction == Friction::Coulomb && system.is_for_velocities() {
            return coulomb_velocity_error(system, &state.r, &state.u, &mut self.left)[0];
        }
        measure(system, &state.r, &state.u, &mut self.partial).merit(system.friction)
    }

    fn iterate(&mut self, system: &System, settings: &SolverSettings, limit: usize, state: &mut State) -> Report {
        self.best.clone_from(&state.r);
        let (mut best, mut reference) = (f64::INFINITY, f64::INFINITY);
        let (mut sweeps, mut found) = (0, 0);
        let status = loop {
            let merit = self.merit(system, state);
            if merit.is_nan() {
                break Status::NumericalError;
            }
            if merit < best {
                best = merit;
                self.best.copy_from_slice(&state.r);
            }
            // A gain too small to lead anywhere does not count.
            if merit < 0.9 * reference {
                (reference, found) = (merit, sweeps);
            }
            if merit <= settings.tolerance {
                break Status::Solved;
            }
            if sweeps >= limit || system.stop.is_set() {
                break Status::IterationLimit;
            }
            if sweeps - found >= TUNING.patience {
                break Status::Inaccurate;
            }
            self.twist.clone_from(&self.work.twist);
            for _ in 0..TUNING.check_every.min(limit - sweeps) {
                match &system.operator {
                    Operator::Bodies(bodies) => self.sweep_bodies(system, bodies),
                    Operator::Matrix(matrix) => self.sweep_matrix(system, matrix, &mut state.r),
                }
                sweeps += 1;
            }
            if let Operator::Bodies(bodies) = &system.operator {
                self.collect(bodies, &mut state.r);
            }
        };
        state.r.copy_from_slice(&self.best);
        Report {
            status,
            iterations: sweeps,
            residual: Some(best),
            ..Report::default()
        }
    }
}

impl Method for Nlgs {
    fn plan(&self, _: Friction) -> Plan {
        Plan::alone(TUNING.sweeps)
    }

    fn prepare(&mut self, system: &System) {
        match &system.operator {
            Operator::Bodies(bodies) => self.prepare_bodies(system, bodies),
            Operator::Matrix(matrix) => {
                self.colours.set_matrix(matrix);
                self.swept.clear();
                self.swept.resize(self.colours.widest(), [0.0; 3]);
                self.prepare_local(system);
            }
        }
    }

    fn solve(&mut self, system: &System, settings: &SolverSettings, limit: usize, state: &mut State) -> Report {
        state.u.resize(system.len(), [0.0; 3]);
        if let Operator::Bodies(bodies) = &system.operator {
            self.take_impulses(bodies, &state.r);
        }
        if self.colours.widest() > TUNING.pairs_per_task {
            // Every colour is shared among threads: to enter their pool once is cheaper than once for each.
            rayon::join(|| self.iterate(system, settings, limit, state), || ()).0
        } else {
            self.iterate(system, settings, limit, state)
        }
    }
}

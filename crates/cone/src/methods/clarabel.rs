//! The same dimensionless problem handed to the Clarabel crate: a check from outside, and the peer of the benchmarks.
//!
//! Bodies are given in the kinematic form (Nodargi and Bisegna 2024, section 2.3, equation 21), which has the fewest
//! unknowns: the change x = v - v_free of the velocities, and one w for every compliant row,
//!
//! ```text
//! min 1/2 x' H x + 1/2 w' w    such that    S (D' x + q + E^1/2 w) in K,    multipliers z,    r = S z
//! ```
//!
//! with S = diag(1, mu, mu) for a contact, which turns both of its cones into the second-order cone. Dividing by mu
//! instead would be the same: Clarabel scales the rows of a cone together. An explicit matrix has no bodies, so there
//! the dual form is solved: min 1/2 r' W r + q' r for r in its cones.
//!
//! Clarabel stops by the duality gap and the residuals of its equations. The square of the relative error of the
//! velocities is at most the relative gap, hence the square of the tolerance for both, down to 1e-13 for the gap and to
//! Clarabel's own default of 1e-8 for the residuals: where contacts outnumber what they can determine, these fall to
//! about 1e-10 and then rise again while the gap still closes, and a tighter bound would only cost it iterations that
//! it spends in vain. A tolerance of zero lets it run until it gets no further.
//!
//! Coulomb friction is a fixed point of associated problems, in which s = mu |u_t| of the last is added to q_n.

use clarabel::{
    algebra::CscMatrix,
    solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT},
};

use super::{Method, Plan, Report, State};
use crate::{
    cone::{Cone, V3, scale, tangential},
    measure::measure,
    settings::{Friction, SolverSettings},
    solution::Status,
    system::{Bodies, Matrix, NONE, Operator, Pair, System, Work, spread},
};

const TUNING: crate::tuning::Clarabel = crate::Tuning::DEFAULT.clarabel;

/// A conic program in Clarabel's form: min 1/2 x' P x + c' x such that b - A x lies in the cones.
#[derive(Debug, PartialEq)]
struct Program {
    p: CscMatrix<f64>,
    c: Vec<f64>,
    a: CscMatrix<f64>,
    b: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
}

/// Clarabel with what it was given.
struct Peer {
    program: Program,
    tolerance: f64,
    most: u32,
    solver: DefaultSolver<f64>,
}

/// The method. It keeps Clarabel's analysis for as long as only q changes.
#[derive(Default)]
pub(crate) struct Clarabel {
    peer: Option<Peer>,
    work: Work,
    partial: Vec<[f64; 5]>,
    q: Vec<V3>,
    best: Vec<V3>,
}

impl std::fmt::Debug for Clarabel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clarabel").finish_non_exhaustive()
    }
}

impl Method for Clarabel {
    fn plan(&self, _: Friction) -> Plan {
        Plan::alone(TUNING.iterations)
    }

    fn prepare(&mut self, system: &System) {
        self.q.clone_from(&system.q);
    }

    fn solve(&mut self, system: &System, settings: &SolverSettings, limit: usize, state: &mut State) -> Report {
        if let Operator::Bodies(bodies) = &system.operator
            && bodies.mass.is_empty()
            && system.compliance.iter().flatten().all(|e| *e == 0.0)
        {
            // Nothing can move: what lies outside its dual cone stays there, and proves it.
            let against = |(r, (q, cone)): (&mut V3, (&V3, &Cone))| *r = cone.project(&scale(q, -1.0));
            state
                .r
                .iter_mut()
                .zip(system.q.iter().zip(&system.cones))
                .for_each(against);
            return Report {
                status: Status::Infeasible,
                ..Report::default()
            };
        }
        match system.friction {
            Friction::Associated => {
                let report = self.associated(system, settings.tolerance, limit, &mut state.r);
                if report.status != Status::NumericalError {
                    self.read_velocities(system, state);
                }
                report
            }
            Friction::Coulomb => self.fixed_point(system, settings.tolerance, limit, state),
        }
    }
}

impl Clarabel {
    /// One conic program, for the offsets in `self.q`.
    fn associated(&mut self, system: &System, tolerance: f64, limit: usize, r: &mut [V3]) -> Report {
        let failed = Report {
            status: Status::NumericalError,
            ..Report::default()
        };
        let Some(peer) = self.peer_for(system, tolerance, limit) else {
            r.iter_mut().for_each(|r| *r = [0.0; 3]);
            return failed;
        };
        peer.solver.solve();
        let found = &peer.solver.solution;
        match &system.operator {
            Operator::Bodies(_) => read_rows(&system.cones, &found.z, r),
            Operator::Matrix(_) => read_columns(&system.cones, &found.x, r),
        }
        if r.iter().flatten().any(|x| !x.is_finite()) {
            r.iter_mut().for_each(|r| *r = [0.0; 3]);
            return failed;
        }
        let status = match found.status {
            SolverStatus::Solved => Status::Solved,
            // The dual of the kinematic form is unbounded where no velocities satisfy the constraints.
            SolverStatus::PrimalInfeasible | SolverStatus::DualInfeasible => Status::Infeasible,
            SolverStatus::AlmostSolved
            | SolverStatus::AlmostPrimalInfeasible
            | SolverStatus::AlmostDualInfeasible
            | SolverStatus::InsufficientProgress => Status::Inaccurate,
            SolverStatus::MaxIterations => Status::IterationLimit,
            _ => Status::NumericalError,
        };
        Report {
            status,
            iterations: found.iterations as usize,
            ..Report::default()
        }
    }

    /// Its velocities, which it finds directly; those that its impulses cause are less accurate.
    fn read_velocities(&self, system: &System, state: &mut State) {
        let Operator::Bodies(bodies) = &system.operator else {
            return;
        };
        let Some(peer) = &self.peer else { return };
        let found = peer.solver.solution.x.as_chunks::<6>().0;
        let count = bodies.mass.len();
        if found.len() >= count && found[..count].as_flattened().iter().all(|x| x.is_finite()) {
            state.twist.clear();
            state.twist.extend_from_slice(&found[..count]);
        }
    }

    /// The solver for this program: the last one where only b differs, else a new one.
    fn peer_for(&mut self, system: &System, tolerance: f64, limit: usize) -> Option<&mut Peer> {
        let program = match &system.operator {
            Operator::Bodies(bodies) => kinematic(system, bodies, &self.q),
            Operator::Matrix(matrix) => dual(system, matrix, &self.q),
        };
        let squared = |least: f64| {
            if tolerance == 0.0 {
                0.0
            } else {
                tolerance.powi(2).max(least)
            }
        };
        let most = u32::try_from(limit).unwrap_or(u32::MAX);
        // Clarabel scales by P, A and c: with the same ones its result does not depend on what came before. Within a
        // fixed point the last scaling will do for another c.
        let fits = |peer: &Peer| {
            (peer.tolerance, peer.most) == (tolerance, most)
                && (program.c == peer.program.c || system.friction == Friction::Coulomb)
                && program.cones == peer.program.cones
                && program.a == peer.program.a
                && program.p == peer.program.p
        };
        if self.peer.as_ref().is_some_and(fits) {
            let peer = self.peer.as_mut()?;
            peer.program.b = program.b;
            peer.program.c = program.c;
        } else {
            let choices = DefaultSettings {
                verbose: false,
                max_iter: most,
                tol_gap_abs: squared(TUNING.least_gap),
                tol_gap_rel: squared(TUNING.least_gap),
                tol_feas: squared(TUNING.least_residual),
                presolve_enable: false,
                ..DefaultSettings::default()
            };
            let Program { p, c, a, b, cones } = &program;
            let solver = DefaultSolver::new(p, c, a, b, cones, choices).ok()?;
            self.peer = Some(Peer {
                program,
                tolerance,
                most,
                solver,
            });
        }
        // Also of a new solver: these round otherwise than its own first scaling.
        let peer = self.peer.as_mut()?;
        peer.solver.update_b(&peer.program.b).ok()?;
        peer.solver.update_q(&peer.program.c).ok()?;
        Some(peer)
    }

    /// Coulomb friction: associated problems until the impulses solve the problem with the sliding they cause.
    fn fixed_point(&mut self, system: &System, tolerance: f64, limit: usize, state: &mut State) -> Report {
        // Another start of the same problem must not find the scaling of this one.
        self.peer = None;
        let State { r, u, .. } = state;
        u.resize(system.len(), [0.0; 3]);
        self.best.clone_from(r);
        let (mut least, mut since, mut iterations) = (f64::INFINITY, 0, 0);
        let (mut last, mut retried) = (Status::IterationLimit, false);
        if r.iter().flatten().any(|x| *x != 0.0) {
            system.velocity(r, &mut self.work, u);
            self.slide(system, u);
        }
        for _ in 0..TUNING.rounds {
            let report = self.associated(system, tolerance, limit, r);
            iterations += report.iterations;
            if report.status == Status::Infeasible && !retried {
                // That holds for this slip alone. What slides opens: once more with the slip of the best impulses.
                retried = true;
                r.clone_from(&self.best);
                system.velocity(r, &mut self.work, u);
                self.slide(system, u);
                continue;
            }
            if matches!(report.status, Status::Infeasible | Status::NumericalError) {
                last = report.status;
                break;
            }
            system.velocity(r, &mut self.work, u);
            let merit = measure(system, r, u, &mut self.partial).natural_map;
            since += 1;
            if merit < least {
                // Creeping is no progress.
                since = if merit < 0.9 * least { 0 } else { since };
                least = merit;
                self.best.clone_from(r);
            }
            if merit <= tolerance {
                last = Status::Solved;
                break;
            }
            if since >= TUNING.patience {
                last = Status::Inaccurate;
                break;
            }
            self.slide(system, u);
        }
        if last != Status::Infeasible {
            r.clone_from(&self.best);
        }
        self.peer = None;
        Report {
            status: last,
            iterations,
            residual: Some(least),
            ..Report::default()
        }
    }

    /// Adds mu |u_t| to the normal part of q.
    fn slide(&mut self, system: &System, u: &[V3]) {
        for (i, q) in self.q.iter_mut().enumerate() {
            q[0] = system.q[i][0] + system.cones[i].friction() * tangential(&u[i]);
        }
    }
}

/// What each row of a constraint is multiplied by; one row for each factor.
fn factors(cone: Cone) -> ([f64; 3], usize) {
    match cone {
        Cone::Friction(mu) => ([1.0, mu, mu], 3),
        Cone::Unilateral | Cone::Bilateral => ([1.0, 0.0, 0.0], 1),
    }
}

/// Clarabel's name for the cones, neighbours of a kind together. A free variable needs a cone only as a multiplier.
fn cone_list(cones: &[Cone], lines: bool) -> Vec<SupportedConeT<f64>> {
    let mut list = Vec::with_capacity(cones.len());
    for cone in cones {
        match (cone, list.last_mut()) {
            (Cone::Friction(_), _) => list.push(SupportedConeT::SecondOrderConeT(3)),
            (Cone::Unilateral, Some(SupportedConeT::NonnegativeConeT(n))) => *n += 1,
            (Cone::Unilateral, _) => list.push(SupportedConeT::NonnegativeConeT(1)),
            (Cone::Bilateral, _) if !lines => {}
            (Cone::Bilateral, Some(SupportedConeT::ZeroConeT(n))) => *n += 1,
            (Cone::Bilateral, _) => list.push(SupportedConeT::ZeroConeT(1)),
        }
    }
    list
}

/// A matrix by columns from `visit`, which names every entry (row, column, value), twice, each column by rising rows.
fn columns(m: usize, n: usize, visit: impl Fn(&mut dyn FnMut(usize, usize, f64))) -> CscMatrix<f64> {
    let mut colptr = vec![0; n + 1];
    visit(&mut |_, column, value| colptr[column + 1] += usize::from(value != 0.0));
    for j in 0..n {
        colptr[j + 1] += colptr[j];
    }
    let mut next = colptr.clone();
    let (mut rowval, mut nzval) = (vec![0; colptr[n]], vec![0.0; colptr[n]]);
    visit(&mut |row, column, value| {
        if value != 0.0 {
            rowval[next[column]] = row;
            nzval[next[column]] = value;
            next[column] += 1;
        }
    });
    CscMatrix {
        m,
        n,
        colptr,
        rowval,
        nzval,
    }
}

fn kinematic(system: &System, bodies: &Bodies, q: &[V3]) -> Program {
    let motions = 6 * bodies.mass.len();
    let rows: usize = system.cones.iter().map(|&cone| factors(cone).1).sum();
    let yields = |i: usize| {
        system.compliance[i][..factors(system.cones[i]).1]
            .iter()
            .filter(|e| **e > 0.0)
    };
    let n = motions + (0..system.len()).map(|i| yields(i).count()).sum::<usize>();
    let p = columns(n, n, |entry| {
        for (body, mass) in bodies.mass.iter().enumerate() {
            for (k, row) in mass.iter().enumerate() {
                for (l, value) in row.iter().enumerate().skip(k) {
                    entry(6 * body + k, 6 * body + l, *value);
                }
            }
        }
        for w in motions..n {
            entry(w, w, 1.0);
        }
    });
    let a = columns(rows, n, |entry| {
        let (mut row, mut w) = (0, motions);
        for pair in 0..bodies.len() {
            let Pair {
                bodies: joined, arms, ..
            } = &bodies.pairs[pair];
            for i in bodies.constraints(pair) {
                let (factor, used) = factors(system.cones[i]);
                for (k, factor) in factor.iter().enumerate().take(used) {
                    for (side, sign) in [(0, 1.0), (1, -1.0)] {
                        if joined[side] == NONE {
                            continue;
                        }
                        let line = spread(&bodies.jacobian[i][k], &arms[side]);
                        for (l, value) in line.iter().enumerate() {
                            entry(row, 6 * joined[side] as usize + l, sign * factor * value);
                        }
                    }
                    if system.compliance[i][k] > 0.0 {
                        entry(row, w, -factor * system.compliance[i][k].sqrt());
                        w += 1;
                    }
                    row += 1;
                }
            }
        }
    });
    let mut b = Vec::with_capacity(rows);
    for (q, &cone) in q.iter().zip(&system.cones) {
        let (factor, used) = factors(cone);
        b.extend((0..used).map(|k| factor[k] * q[k]));
    }
    let cones = cone_list(&system.cones, true);
    let c = vec![0.0; n];
    Program { p, c, a, b, cones }
}

/// r = S z, put into its cone.
fn read_rows(cones: &[Cone], z: &[f64], r: &mut [V3]) {
    let mut row = 0;
    for (&cone, r) in cones.iter().zip(r) {
        let (factor, used) = factors(cone);
        let raw = std::array::from_fn(|k| if k < used { factor[k] * z[row + k] } else { 0.0 });
        *r = cone.project(&raw);
        row += used;
    }
}

fn dual(system: &System, matrix: &Matrix, q: &[V3]) -> Program {
    let mut first = Vec::with_capacity(system.len() + 1);
    let mut n = 0;
    for &cone in &system.cones {
        first.push(n);
        n += factors(cone).1;
    }
    let used = |i: usize| factors(system.cones[i]).1;
    let p = columns(n, n, |entry| {
        for i in 0..system.len() {
            for k in 0..used(i) {
                for block in matrix.start[i] as usize..matrix.start[i + 1] as usize {
                    let j = matrix.column[block] as usize;
                    for l in 0..used(j) {
                        let same = i == j && k == l;
                        if j > i || (j == i && l >= k) {
                            let e = if same { system.compliance[i][k] } else { 0.0 };
                            entry(first[i] + k, first[j] + l, matrix.block[block][k][l] + e);
                        }
                    }
                }
            }
        }
    });
    let bounded = |i: usize| system.cones[i] != Cone::Bilateral;
    let rows = (0..system.len()).filter(|&i| bounded(i)).map(used).sum();
    let a = columns(rows, n, |entry| {
        let mut row = 0;
        for i in (0..system.len()).filter(|&i| bounded(i)) {
            // (mu r_n, r_t) lies in the second-order cone.
            let friction = match system.cones[i] {
                Cone::Friction(mu) => mu,
                Cone::Unilateral | Cone::Bilateral => 1.0,
            };
            for k in 0..used(i) {
                entry(row, first[i] + k, if k == 0 { -friction } else { -1.0 });
                row += 1;
            }
        }
    });
    let c = (0..system.len()).flat_map(|i| q[i][..used(i)].to_vec()).collect();
    let b = vec![0.0; rows];
    let cones = cone_list(&system.cones, false);
    Program { p, c, a, b, cones }
}

/// The unknowns of the dual form, put into their cones.
fn read_columns(cones: &[Cone], x: &[f64], r: &mut [V3]) {
    let mut column = 0;
    for (&cone, r) in cones.iter().zip(r) {
        let used = factors(cone).1;
        let raw = std::array::from_fn(|k| if k < used { x[column + k] } else { 0.0 });
        *r = cone.project(&raw);
        column += used;
    }
}

//! One object that solves problem after problem, and keeps the memory and the analysis of the last.

use std::time::Instant;

use glam::DVec3;

use crate::{
    cone::V3,
    methods::{Pipeline, Report, Solver, State},
    problem::{DelassusProblem, Problem, ProblemError, Twist},
    residual::Auditor,
    settings::SolverSettings,
    solution::{Residuals, Solution, Status},
    stop::Stop,
    system::{System, Work},
};

/// Solves problems one after another. Once it has seen a structure, solving another problem of the same structure
/// allocates nothing.
#[derive(Debug, Default)]
pub struct Engine {
    /// How to solve; may be changed between solves.
    pub settings: SolverSettings,
    system: System,
    pipeline: Pipeline,
    state: State,
    work: Work,
    auditor: Auditor,
    solution: Solution,
}

impl Engine {
    /// An engine that has seen nothing yet.
    pub fn new(settings: SolverSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// Gives up, from now on, what it solves when a flag is set.
    pub fn stop_by(&mut self, stop: Stop) {
        self.system.stop = stop;
    }

    /// Velocities and impulses of one step. A problem that is not well stated is an error; how the solve went is the
    /// status of the solution.
    pub fn solve(&mut self, problem: &Problem) -> Result<&Solution, ProblemError> {
        // On a thread of the pool from here on: handing work to it from outside costs more than many of the loops do.
        rayon::join(|| self.solve_here(problem), || ()).0?;
        Ok(&self.solution)
    }

    fn solve_here(&mut self, problem: &Problem) -> Result<(), ProblemError> {
        let start = Instant::now();
        self.system.coulomb = self.settings.coulomb;
        // These do without rounds over the slip, or have their own.
        self.system.is_softened = !matches!(self.settings.solver, Solver::Nlgs | Solver::Clarabel);
        self.system.set_bodies(problem, self.settings.friction)?;
        let report = self.run(start);
        self.system.check_stopped()?;
        self.export(problem);
        let residuals = self.auditor.audit(problem, &self.settings, &self.solution);
        self.conclude(report, residuals, start);
        Ok(())
    }

    /// Impulses of a problem that is given by its matrix, in the components of its contacts.
    pub fn solve_delassus(&mut self, problem: &DelassusProblem) -> Result<&Solution, ProblemError> {
        rayon::join(|| self.solve_delassus_here(problem), || ()).0?;
        Ok(&self.solution)
    }

    fn solve_delassus_here(&mut self, problem: &DelassusProblem) -> Result<(), ProblemError> {
        let start = Instant::now();
        self.system.coulomb = self.settings.coulomb;
        self.system.set_matrix(problem, self.settings.friction)?;
        let report = self.run(start);
        self.system.check_stopped()?;
        let Self {
            system,
            state,
            solution,
            work,
            ..
        } = self;
        solution.velocities.clear();
        solution.link_impulses.clear();
        solution.link_velocities.clear();
        solution.elastic_slip.clear();
        let vector = |x: &V3, unit: f64| DVec3::from_array(*x) * unit;
        solution.impulses.clear();
        let impulses = state
            .r
            .iter()
            .enumerate()
            .map(|(i, r)| vector(r, system.impulse_unit(i)));
        solution.impulses.extend(impulses);
        state.u.resize(system.len(), [0.0; 3]);
        system.velocity(&state.r, work, &mut state.u);
        let unit = |i: usize| system.units.speed * system.weight[i];
        solution.relative_velocities.clear();
        let velocities = state.u.iter().enumerate().map(|(i, u)| vector(u, unit(i)));
        solution.relative_velocities.extend(velocities);
        let residuals = self
            .auditor
            .audit_matrix(problem, self.settings.friction, &self.solution.impulses);
        self.conclude(report, residuals, start);
        Ok(())
    }

    /// Forgets earlier problems, their order of elimination above all, so that the next solution is bit for bit that of a
    /// new engine. A time stepper calls it where it writes a checkpoint.
    pub fn forget(&mut self) {
        self.pipeline.forget();
    }

    /// The last solution.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    fn run(&mut self, start: Instant) -> Report {
        let Self {
            settings,
            system,
            pipeline,
            state,
            solution,
            ..
        } = self;
        solution.times.prepare_s = start.elapsed().as_secs_f64();
        state.r.clear();
        state.twist.clear();
        if settings.warm_start {
            state.r.extend_from_slice(&system.guess);
        } else {
            state.r.resize(system.len(), [0.0; 3]);
        }
        for (r, cone) in state.r.iter_mut().zip(&system.cones) {
            *r = cone.project(r);
        }
        if system.is_free() {
            // The free motion satisfies every constraint: no impulse flows.
            state.r.iter_mut().for_each(|r| *r = [0.0; 3]);
            solution.solver = Pipeline::first(settings, system);
            solution.stages.clear();
            return Report::default();
        }
        let (solver, report) = pipeline.solve(system, settings, state, &mut solution.stages);
        solution.solver = solver;
        report
    }

    /// Writes velocities and impulses in the problem's order and units.
    fn export(&mut self, problem: &Problem) {
        let Self {
            system,
            state,
            work,
            solution,
            ..
        } = self;
        let Some(bodies) = system.bodies() else { return };
        let contacts = problem.contacts.len();
        solution.impulses.resize(contacts, DVec3::ZERO);
        solution.relative_velocities.resize(contacts, DVec3::ZERO);
        solution.elastic_slip.resize(contacts, DVec3::ZERO);
        solution.link_impulses.resize(problem.links.len(), 0.0);
        for (i, &place) in system.order.iter().enumerate() {
            let r = state.r[i].map(|x| x * system.impulse_unit(i));
            match problem.contacts.get(place as usize) {
                Some(contact) => {
                    let [a, b] = contact.tangents();
                    let across = r[1] * a + r[2] * b;
                    solution.impulses[place as usize] = r[0] * contact.normal + across;
                }
                None => solution.link_impulses[place as usize - contacts] = r[0],
            }
        }
        // Sized whether needed now or not, so that a later solve finds it.
        work.wrench.resize(bodies.len(), [0.0; 6]);
        if state.twist.is_empty() {
            bodies.velocity_change(&state.r, &mut work.wrench, &mut state.twist);
        }
        let (speed, length) = (system.units.speed, system.units.length);
        solution.velocities.clear();
        solution
            .velocities
            .extend(problem.bodies.iter().enumerate().map(|(b, body)| match &body.motion {
                crate::BodyMotion::Driven { velocity } => *velocity,
                crate::BodyMotion::Free { free_velocity, .. } => {
                    let change = &state.twist[bodies.index[b] as usize];
                    Twist {
                        linear: free_velocity.linear + DVec3::from_slice(&change[..3]) * speed,
                        angular: free_velocity.angular + DVec3::from_slice(&change[3..]) * (speed / length),
                    }
                }
            }));
        let Solution {
            velocities,
            impulses,
            relative_velocities,
            link_impulses,
            link_velocities,
            ..
        } = solution;
        for (contact, u) in problem.contacts.iter().zip(relative_velocities.iter_mut()) {
            let [i, j] = contact.bodies.map(|b| b as usize);
            let at = |b: usize| velocities[b].at(contact.point - problem.bodies[b].center);
            *u = at(j) - at(i) + contact.free_deformation;
        }
        link_velocities.clear();
        link_velocities.extend(problem.links.iter().map(|link| {
            let along = |b: u32| {
                let v = &velocities[b as usize];
                let arm = link.point - problem.bodies[b as usize].center;
                link.force.dot(v.at(arm)) + link.moment.dot(v.angular)
            };
            along(link.bodies[1]) - along(link.bodies[0]) + link.free_deformation
        }));
        for deformation in &problem.deformations {
            let by_link = |k: usize| link_impulses[k] * problem.links[k].force;
            deformation.respond(problem, [&|k| impulses[k], &by_link], |place, more| {
                match (place as usize).checked_sub(contacts) {
                    None => relative_velocities[place as usize] += more,
                    Some(link) => link_velocities[link] += problem.links[link].force.dot(more),
                }
            });
        }
        for (k, contact) in problem.contacts.iter().enumerate() {
            let u = solution.relative_velocities[k];
            // As far as the bodies have moved, and no more than friction holds. Taken from the impulse it would differ by what the
            // solver leaves, step after step, and joints would creep.
            let normal = contact.normal;
            let slip = contact.slip + problem.dt * (u - normal.dot(u) * normal);
            let borne = contact.friction * normal.dot(solution.impulses[k]).max(0.0);
            let held = contact.compliance[1] * problem.dt * borne;
            solution.elastic_slip[k] = slip.clamp_length_max(held);
        }
    }

    fn conclude(&mut self, report: Report, residuals: Residuals, start: Instant) {
        let Self { settings, solution, .. } = self;
        solution.residuals = residuals;
        solution.iterations = report.iterations;
        let merit = residuals.merit(settings.friction, settings.coulomb);
        solution.status = match report.status {
            Status::Infeasible => Status::Infeasible,
            _ if merit <= settings.tolerance && residuals.local <= settings.local_tolerance => Status::Solved,
            Status::Solved => Status::Inaccurate,
            other => other,
        };
        solution.times.factor_s = report.factor_s;
        solution.times.substitute_s = report.substitute_s;
        solution.times.total_s = start.elapsed().as_secs_f64();
    }
}

//! A sequence of steps laid down once, with reference velocities, and solved again by any solver.

use drystone_cone::{BodyMotion, Engine, Problem, ProblemError, Solution, Solver, SolverSettings, Status, Twist};
use glam::DVec3;

use super::{super::median, structure::opening};

/// What changes from step to step, and what the reference gives.
struct Step {
    free: Vec<Twist>,
    gaps: Vec<f64>,
    reference: Vec<Twist>,
}

/// The steps of one case.
pub(super) struct Course {
    problem: Problem,
    steps: Vec<Step>,
    /// Largest estimated error of the reference velocities.
    pub(super) reference_error: f64,
}

/// What a solver made of the steps: medians, and worst cases.
pub(super) struct Outcome {
    pub(super) chosen: Solver,
    pub(super) steps: usize,
    pub(super) solved: usize,
    pub(super) iterations: f64,
    pub(super) time_ms: f64,
    pub(super) velocity_error: f64,
    pub(super) worst_velocity_error: f64,
    pub(super) velocity_error_estimate: f64,
    pub(super) natural_map: f64,
}

impl Course {
    /// Follows the structure from rest for `count` steps under the acceleration of all free bodies, its contacts as
    /// they are at the start but for their gaps.
    pub(super) fn lay(
        mut problem: Problem,
        acceleration: DVec3,
        count: u32,
        settings: SolverSettings,
    ) -> Result<Self, ProblemError> {
        let mut engine = Engine::new(settings);
        let mut steps = Vec::with_capacity(count as usize);
        let mut velocities = vec![Twist::ZERO; problem.bodies.len()];
        let (change, mut reference_error) = (problem.dt * acceleration, 0.0_f64);
        for _ in 0..count {
            let pushed = |v: &Twist| Twist {
                linear: v.linear + change,
                ..*v
            };
            let free: Vec<Twist> = velocities.iter().map(pushed).collect();
            set_velocities(&mut problem, &free);
            let solution = engine.solve(&problem)?;
            reference_error = worse(reference_error, solution.residuals.velocity_error);
            velocities.clone_from(&solution.velocities);
            let gaps = problem.contacts.iter().map(|c| c.gap).collect();
            let opened: Vec<f64> = opening(&problem.contacts, &solution.relative_velocities).collect();
            for ((contact, u), impulse) in problem.contacts.iter_mut().zip(opened).zip(&solution.impulses) {
                contact.gap += problem.dt * u;
                contact.guess = *impulse;
            }
            steps.push(Step {
                free,
                gaps,
                reference: velocities.clone(),
            });
        }
        Ok(Self {
            problem,
            steps,
            reference_error,
        })
    }

    /// Solves the steps, all of them if that takes no longer than `patience` (s) by the time of the first; else the
    /// first, to warm up, and up to five spread evenly; of a very slow solver only the first, the middle one and the last.
    pub(super) fn run(&self, settings: SolverSettings, patience: f64) -> Result<Outcome, ProblemError> {
        let mut problem = self.problem.clone();
        problem.contacts.iter_mut().for_each(|c| c.guess = DVec3::ZERO);
        let mut engine = Engine::new(settings);
        let first = self.solve(&mut engine, &mut problem, 0)?;
        let count = self.steps.len();
        let affordable = patience / first.time_s;
        let (mut results, rest): (Vec<One>, Vec<usize>) = if affordable >= count as f64 || count <= 3 {
            (vec![first], (1..count).collect())
        } else if affordable >= 4.0 {
            (Vec::new(), (0..5).map(|k| (2 * k + 1) * count / 10).collect())
        } else {
            (vec![first], vec![count / 2, count - 1])
        };
        for step in rest {
            results.push(self.solve(&mut engine, &mut problem, step)?);
        }
        Ok(conclude(engine.solution().solver, &results))
    }

    fn solve(&self, engine: &mut Engine, problem: &mut Problem, index: usize) -> Result<One, ProblemError> {
        let step = &self.steps[index];
        set_velocities(problem, &step.free);
        for (contact, gap) in problem.contacts.iter_mut().zip(&step.gaps) {
            contact.gap = *gap;
        }
        let solution = engine.solve(problem)?;
        for (contact, impulse) in problem.contacts.iter_mut().zip(&solution.impulses) {
            contact.guess = *impulse;
        }
        Ok(One::of(problem, step, solution))
    }
}

/// One solved step.
struct One {
    solved: bool,
    iterations: f64,
    time_s: f64,
    velocity_error: f64,
    velocity_error_estimate: f64,
    natural_map: f64,
}

impl One {
    fn of(problem: &Problem, step: &Step, solution: &Solution) -> Self {
        let (mut off, mut caused) = (0.0, 0.0);
        for (b, body) in problem.bodies.iter().enumerate() {
            if let BodyMotion::Free { mass, .. } = &body.motion {
                off += energy(mass, &solution.velocities[b], &step.reference[b]);
                caused += energy(mass, &step.reference[b], &step.free[b]);
            }
        }
        Self {
            solved: solution.status == Status::Solved,
            iterations: solution.iterations as f64,
            time_s: solution.times.total_s,
            velocity_error: if off == 0.0 { 0.0 } else { (off / caused).sqrt() },
            velocity_error_estimate: solution.residuals.velocity_error,
            natural_map: solution.residuals.natural_map,
        }
    }
}

fn conclude(chosen: Solver, results: &[One]) -> Outcome {
    let middle = |of: fn(&One) -> f64| median(results.iter().map(of).collect());
    let worst = |of: fn(&One) -> f64| results.iter().map(of).fold(0.0, worse);
    Outcome {
        chosen,
        steps: results.len(),
        solved: results.iter().filter(|r| r.solved).count(),
        iterations: middle(|r| r.iterations),
        time_ms: 1e3 * middle(|r| r.time_s),
        velocity_error: middle(|r| r.velocity_error),
        worst_velocity_error: worst(|r| r.velocity_error),
        velocity_error_estimate: middle(|r| r.velocity_error_estimate),
        natural_map: worst(|r| r.natural_map),
    }
}

/// The larger one; a NaN is worse than any number.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn set_velocities(problem: &mut Problem, free: &[Twist]) {
    for (body, new) in problem.bodies.iter_mut().zip(free) {
        if let BodyMotion::Free {
            free_velocity,
            velocity_before,
            ..
        } = &mut body.motion
        {
            (*free_velocity, *velocity_before) = (*new, *new);
        }
    }
}

/// Twice the kinetic energy of the difference of two velocities.
fn energy(mass: &[[f64; 6]; 6], a: &Twist, b: &Twist) -> f64 {
    let (linear, angular) = (a.linear - b.linear, a.angular - b.angular);
    let d = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
    let row = |m: &[f64; 6]| m.iter().zip(d).map(|(m, d)| m * d).sum::<f64>();
    mass.iter().zip(d).map(|(m, d)| d * row(m)).sum()
}

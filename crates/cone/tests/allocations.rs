//! Once an engine has seen a structure, solving another problem of that structure allocates nothing, with one thread or
//! two. Alone in its file, because it counts every allocation of the program.

#[path = "all/common/mod.rs"]
mod common;
mod counting;

use common::{G, settings, wall};
use counting::count;
use drystone_cone::{BodyMotion, Engine, Friction, Link, Problem, Solver, SolverSettings};
use glam::{DVec3, dvec3};

/// Problems of one structure: other gaps, free velocities and guesses.
fn series(columns: usize, courses: usize) -> Vec<Problem> {
    let mut problem = wall(columns, courses, dvec3(0.2 * G, 0.0, -G), 0.01, 0.5);
    let top = problem.bodies.len() as u32 - 1;
    let (from, to) = (dvec3(0.0, 0.0, 10.0), problem.bodies[top as usize].center);
    problem.links.push(Link::tie([0, top], from, to, 1e-4));
    let step = |k: u32| {
        let mut problem = problem.clone();
        let wobble = |n: usize| (0.7 * f64::from(k) + 1.3 * n as f64).sin();
        for (n, contact) in problem.contacts.iter_mut().enumerate() {
            contact.gap = 1e-4 * wobble(n).max(0.0);
            contact.guess = 0.1 * (1.0 + wobble(n + 1)) * contact.normal;
        }
        for (n, body) in problem.bodies.iter_mut().enumerate() {
            if let BodyMotion::Free { free_velocity, .. } = &mut body.motion {
                free_velocity.linear += 1e-2 * wobble(n) * DVec3::Y;
                free_velocity.angular += 1e-2 * wobble(n + 2) * DVec3::X;
            }
        }
        problem
    };
    (0..4).map(step).collect()
}

/// Allocations of solving all problems, once the first was solved: the least of three times. Queues of the thread pool grow once, when threads
/// happen to take more from each other than before; what an engine allocates it allocates each time.
fn allocations(pool: &rayon::ThreadPool, problems: &[Problem], settings: SolverSettings) -> usize {
    pool.install(|| {
        let mut engine = Engine::new(settings);
        engine.solve(&problems[0]).unwrap();
        let mut least = usize::MAX;
        for _ in 0..3 {
            let before = count();
            for problem in problems {
                engine.solve(problem).unwrap();
            }
            least = least.min(count() - before);
            if least == 0 {
                break;
            }
        }
        least
    })
}

#[test]
fn a_structure_that_was_seen_before_is_solved_without_allocating() {
    // The small wall runs on one thread whatever there are; the loops of the large one are shared.
    let (small, large) = (series(4, 4), series(20, 20));
    assert!(large[0].contacts.len() > 4096);
    // Threads allocate as they start and as they end, in their own time: they start before all, and end after all.
    let pools = [1, 2].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    pools.iter().for_each(|pool| drop(pool.broadcast(|_| ())));
    let mut found = Vec::new();
    for solver in [
        Solver::Interior,
        Solver::Semismooth,
        Solver::Nlgs,
        Solver::Spg,
        Solver::Apgd,
    ] {
        for pool in &pools {
            for (problems, most) in [(&small, 100), (&large, 4)] {
                let settings = SolverSettings {
                    max_iterations: Some(most),
                    ..settings(solver, Friction::Associated, 1e-5)
                };
                let count = allocations(pool, problems, settings);
                if count > 0 {
                    let threads = pool.current_num_threads();
                    let contacts = problems[0].contacts.len();
                    found.push(format!(
                        "{solver:?}, {threads} threads, {contacts} contacts: {count} in 4 solves"
                    ));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

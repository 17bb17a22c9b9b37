//! Which impulses flow between bodies that touch.
//!
//! A [`Problem`] is one time step: rigid [bodies](Body), free or driven, [contacts](Contact) with friction and
//! [links](Link). An [`Engine`] finds the velocities at the end of the step and the impulses that lead there, by the
//! method and the friction law that its [`SolverSettings`] name, and checks them against the problem as stated: the
//! [`Status`] of a [`Solution`] is `Solved` only where the [`Residuals`] meet the tolerance. A problem that is not well
//! stated is a [`ProblemError`].
//!
//! - [`Friction::Associated`] is a convex problem: velocities exist unless constraints contradict each other, and are
//!   unique. [`Friction::Coulomb`] keeps sliding in the plane of the joint.
//! - [`Solver`] lists the methods. All solve the same problem; [`Solver::Auto`] chooses one. The solution names the method
//!   that gave it, and its [`Stages`] tell what was tried before: polishing, leaving a local minimum, falling back.
//! - [`Tuning`] holds every tuned number with its meaning.
//! - [`Cholesky`] factorises matrices of small blocks on a graph, for callers that solve systems of their own.
//! - [`DelassusProblem`] is for problems without bodies, given by a matrix; [`fc3d`] reads and writes them as text.
//!
//! An engine keeps memory and the analysis of the structure from one solve to the next: use one engine for the steps of
//! a run. The caller hands on what lasts: impulses, as [`Contact::guess`] and [`Link::guess`], which only save time,
//! and [`Solution::elastic_slip`] as [`Contact::slip`], without which joints with tangential compliance creep. Loops
//! run on the rayon pool of the caller, and give the same bits on any number of threads.
//!
//! Units are SI, axes those of the world. The normal of a contact points from its first body to its second, and
//! impulses act on the second. `docs/cone.md` gives the equations, the methods and their limits.
//!
//! # Example
//!
//! ```
//! use drystone_cone::{Body, Contact, Engine, Friction, Problem, SolverSettings, Status, Twist};
//! use glam::{DMat3, DVec3, dvec3};
//!
//! // A block of 40 kg, 0.4 x 0.2 x 0.2 m, on a floor. Gravity and 0.3 g to the side act for a step of 10 ms.
//! let (g, dt, mass) = (9.81, 0.01, 40.0);
//! let inertia = DMat3::from_diagonal(mass / 12.0 * dvec3(0.08, 0.2, 0.2));
//! let free_velocity = Twist {
//!     linear: dt * dvec3(0.3 * g, 0.0, -g),
//!     angular: DVec3::ZERO,
//! };
//! let corners = [(0.2, 0.1), (0.2, -0.1), (-0.2, -0.1), (-0.2, 0.1)];
//! let mut problem = Problem {
//!     bodies: vec![Body::fixed(), Body::free(dvec3(0.0, 0.0, 0.1), mass, inertia, free_velocity)],
//!     contacts: corners
//!         .map(|(x, y)| Contact::new([0, 1], dvec3(x, y, 0.0), DVec3::Z, 0.0, 0.2))
//!         .to_vec(),
//!     links: Vec::new(),
//!     deformations: Vec::new(),
//!     dt,
//! };
//! let mut engine = Engine::new(SolverSettings {
//!     friction: Friction::Coulomb,
//!     tolerance: 1e-8,
//!     ..SolverSettings::default()
//! });
//! let solution = engine.solve(&problem)?;
//! assert_eq!(solution.status, Status::Solved);
//!
//! // Friction of 0.2 is not enough: the block slides with what is left, 0.1 g, and stays on the floor.
//! let v = solution.velocities[1].linear;
//! assert!((v - dvec3(0.1 * g * dt, 0.0, 0.0)).length() < 1e-5 * g * dt);
//!
//! // The four impulses carry its weight.
//! let total: DVec3 = solution.impulses.iter().sum();
//! assert!((total.z - mass * g * dt).abs() < 1e-5 * mass * g * dt);
//!
//! // The next step starts from these impulses.
//! for (contact, impulse) in problem.contacts.iter_mut().zip(&solution.impulses) {
//!     contact.guess = *impulse;
//! }
//! # Ok::<(), drystone_cone::ProblemError>(())
//! ```

#![allow(
    clippy::needless_range_loop,
    reason = "small matrices read like the formulas they come from"
)]
#![allow(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "a comparison with NaN must fall on the side of failure"
)]

pub mod fc3d;
pub mod tuning;

mod bundles;
mod cone;
mod engine;
mod equilibrium;
pub mod lanes;
mod measure;
mod methods;
mod newton;
mod parallel;
mod problem;
mod residual;
mod settings;
mod solution;
mod sparse;
mod stages;
mod stop;
mod system;

pub use engine::Engine;
pub use equilibrium::{Balance, Equilibrium, EquilibriumSettings, Wrench};
pub use methods::Solver;
pub use problem::{
    Body, BodyMotion, Contact, Deformation, DelassusProblem, Link, LinkKind, Problem, ProblemError, Twist,
};
pub use settings::{CoulombMeasure, Friction, SolverSettings};
pub use solution::{Residuals, Solution, Status, Times};
pub use sparse::{Cholesky, NotPositive};
pub use stages::{SolverStage, SolverStageKind, SolverStageOutcome, Stages};
pub use stop::Stop;
pub use tuning::Tuning;

//! What a solve may be asked for.

use crate::methods::Solver;

/// The friction law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Friction {
    /// Sliding opens the joint in proportion to the friction coefficient: a convex cone program.
    #[default]
    Associated,
    /// Sliding stays in the plane of the joint: Coulomb's law, by De Saxce's correction of the normal velocity.
    Coulomb,
}

/// What the tolerance bounds with Coulomb friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CoulombMeasure {
    /// The natural map: for problems that are to be solved as exactly as numbers allow.
    #[default]
    NaturalMap,
    /// The error of the velocities, to first order in what is left of the law along the normal: for time steps.
    VelocityError,
}

/// How to solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverSettings {
    /// The method (default: [`Solver::Auto`]).
    pub solver: Solver,
    /// The friction law (default: [`Friction::Associated`]).
    pub friction: Friction,
    /// Accuracy (default: 1e-3). With associated friction, a bound on the error of the velocities relative to the
    /// velocity that the impulses cause, both by the mass: a thousandth is what a time step needs. With Coulomb friction,
    /// what `coulomb` says.
    pub tolerance: f64,
    /// What the tolerance bounds with Coulomb friction (default: the natural map, which should be asked to be 1e-6 or less:
    /// its root bounds the velocities).
    pub coulomb: CoulombMeasure,
    /// Accuracy of each contact and each body by itself (default: 1e-3): an error of the velocity there, over the change of
    /// velocity of the lighter body or a tenth of its size in a step. A solution must meet both tolerances.
    pub local_tolerance: f64,
    /// Iterations after which to stop (default: none, which leaves it to the method: 100 for the interior-point
    /// method (600 with Coulomb friction), 240 for the semismooth one, 20,000 for those that do not factorise).
    pub max_iterations: Option<usize>,
    /// Whether to start from the guesses that the problem gives (default: true).
    pub warm_start: bool,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            solver: Solver::Auto,
            friction: Friction::Associated,
            tolerance: 1e-3,
            coulomb: CoulombMeasure::NaturalMap,
            local_tolerance: 1e-3,
            max_iterations: None,
            warm_start: true,
        }
    }
}

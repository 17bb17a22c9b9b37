//! What a solve returns.

use glam::DVec3;

use crate::{
    methods::Solver,
    problem::Twist,
    settings::{CoulombMeasure, Friction},
    stages::Stages,
};

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Status {
    /// The tolerance is met, as measured afterwards on the problem as stated.
    #[default]
    Solved,
    /// The method could get no further; the residuals tell how far it came.
    Inaccurate,
    /// No velocities satisfy the constraints. The impulses are then a proof: they lie in their cones, hold no body, and
    /// work against the offsets. With Coulomb friction they prove it for the slip that was last assumed.
    Infeasible,
    /// The limit on iterations was reached first.
    IterationLimit,
    /// A number overflowed or a factorisation broke down.
    NumericalError,
}

impl Status {
    /// Name as tables and JSON show it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Inaccurate => "inaccurate",
            Self::Infeasible => "infeasible",
            Self::IterationLimit => "iteration_limit",
            Self::NumericalError => "numerical_error",
        }
    }
}

/// How well a solution satisfies the problem, computed from the problem as stated, without the solver's help. All are
/// relative to the load and have no unit; `docs/cone.md` gives the definitions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// |H (v - v_free) - D r|, by H^-1, over |D r|.
    pub equilibrium: f64,
    /// Largest distance of an impulse from its cone or of a velocity from the dual cone, over |q|.
    pub cone: f64,
    /// Sum over contacts of |r . u|, over |q|^2.
    pub complementarity: f64,
    /// |r - P_K(r - (u + mu |u_t| n))| over |q|; without the term in mu for associated friction.
    pub natural_map: f64,
    /// Estimated bound of the error of the velocities, over the velocity that the impulses cause, both by the mass.
    /// With Coulomb friction an estimate to first order in what is left of the law along the normal, and no bound.
    pub velocity_error: f64,
    /// The largest error of one contact or one body, over the speed that counts there: see `docs/cone.md`. The others are
    /// sums by the mass, in which what happens to a light body among heavy ones is lost. Zero for a problem given by its
    /// matrix, which has no bodies.
    pub local: f64,
}

impl Residuals {
    /// The one that a tolerance bounds.
    pub fn merit(&self, friction: Friction, coulomb: CoulombMeasure) -> f64 {
        match (friction, coulomb) {
            (Friction::Coulomb, CoulombMeasure::NaturalMap) => self.natural_map,
            (Friction::Associated, _) | (_, CoulombMeasure::VelocityError) => self.velocity_error,
        }
    }
}

/// Where the time went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Making the problem dimensionless (unit: s).
    pub prepare_s: f64,
    /// Factorising (unit: s).
    pub factor_s: f64,
    /// Solving with factors (unit: s).
    pub substitute_s: f64,
    /// Everything (unit: s), the residuals included.
    pub total_s: f64,
}

/// Velocities and impulses, and how good they are.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// How it ended.
    pub status: Status,
    /// The method that gave it: never `Auto`, and the fallback where the first one failed.
    pub solver: Solver,
    /// What was tried, in order; the last stage gave the solution. Empty where no impulse flows.
    pub stages: Stages,
    /// Iterations of all stages.
    pub iterations: usize,
    /// Velocity of each body at the end of the step; empty for a problem given by its matrix.
    pub velocities: Vec<Twist>,
    /// Impulse of each contact on its second body, in world axes (unit: N s). For a problem given by its matrix,
    /// components (normal, tangent 1, tangent 2).
    pub impulses: Vec<DVec3>,
    /// Impulse of each link.
    pub link_impulses: Vec<f64>,
    /// Velocity of each link along its wrench, without offset and compliance (unit: m/s).
    pub link_velocities: Vec<f64>,
    /// Relative velocity at each contact, without offset and compliance (unit: m/s), in the same axes as the impulses.
    pub relative_velocities: Vec<DVec3>,
    /// Elastic slip of each contact at the end of the step (unit: m), to be handed back as [`Contact::slip`] in the next.
    /// Zero where there is no tangential compliance.
    ///
    /// [`Contact::slip`]: crate::Contact::slip
    pub elastic_slip: Vec<DVec3>,
    /// How well it satisfies the problem.
    pub residuals: Residuals,
    /// Where the time went.
    pub times: Times,
}

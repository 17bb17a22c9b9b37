//! The problem as solvers see it: without dimensions, contacts grouped by the pair of bodies that they join, driven
//! bodies folded into offsets, every contact scaled so that its own block of the Delassus matrix has mean diagonal one.
//!
//! With N = D' H^-1 D (or the explicit W) and these units the problem is
//!
//! ```text
//! u = N r + q + E r,    r_i in K_i,    u_i (+ mu |u_t| n) in K_i*,    r_i . u_i = 0
//! ```
//!
//! The scaling of a contact is one number, so cones and friction coefficients stay as they are.

mod bodies;
mod deformation;
mod matrix;

use crate::{
    cone::{Cone, V3, norm, sub},
    parallel,
    problem::{DelassusProblem, Problem, ProblemError},
    settings::{CoulombMeasure, Friction},
    stop::Stop,
};

pub(crate) use bodies::{Bodies, M6, NONE, Pair, V6, dot6, gather_wrench, lever, spread, times6};
pub(crate) use deformation::Product;
pub(crate) use matrix::Matrix;

/// How the impulses act: through bodies, or through an explicit matrix.
#[derive(Debug)]
pub(crate) enum Operator {
    Bodies(Bodies),
    Matrix(Matrix),
}

/// Units of the dimensionless problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units {
    pub(crate) length: f64,
    pub(crate) mass: f64,
    pub(crate) speed: f64,
}

/// The dimensionless problem. Lists over constraints are in the solver's order.
#[derive(Debug)]
pub(crate) struct System {
    pub(crate) friction: Friction,
    pub(crate) coulomb: CoulombMeasure,
    /// Whether the method takes problems whose contacts yield a little for its sake.
    pub(crate) is_softened: bool,
    pub(crate) units: Units,
    pub(crate) cones: Vec<Cone>,
    /// Relative velocity if no impulse flowed, with the offsets.
    pub(crate) q: Vec<V3>,
    /// Diagonal of E.
    pub(crate) compliance: Vec<V3>,
    /// Impulses to start from.
    pub(crate) guess: Vec<V3>,
    /// De Saxce's term mu |u_t| to start from.
    pub(crate) shift: Vec<f64>,
    /// What of the compliance along the normal is there for the solver alone.
    pub(crate) soft: Vec<f64>,
    /// Index of each constraint in the problem; links come after contacts.
    pub(crate) order: Vec<u32>,
    /// What the constraint's velocity was divided by, beside the unit of speed.
    pub(crate) weight: Vec<f64>,
    pub(crate) operator: Operator,
    /// Bodies that the matrix was made of, where they deform.
    behind: Option<Bodies>,
    product: Product,
    /// What deformation adds to the mean diagonal of contacts, in the order of the problem; empty where nothing deforms.
    deformed: Vec<f64>,
    /// Gives up what is being solved.
    pub(crate) stop: Stop,
}

/// Scratch for products with the operator.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) wrench: Vec<V6>,
    pub(crate) twist: Vec<V6>,
}

impl Default for System {
    fn default() -> Self {
        Self {
            friction: Friction::Associated,
            coulomb: CoulombMeasure::NaturalMap,
            is_softened: false,
            units: Units {
                length: 1.0,
                mass: 1.0,
                speed: 1.0,
            },
            cones: Vec::new(),
            q: Vec::new(),
            compliance: Vec::new(),
            guess: Vec::new(),
            shift: Vec::new(),
            soft: Vec::new(),
            order: Vec::new(),
            weight: Vec::new(),
            operator: Operator::Bodies(Bodies::default()),
            behind: None,
            product: Product::default(),
            deformed: Vec::new(),
            stop: Stop::default(),
        }
    }
}

impl System {
    /// Number of constraints.
    pub(crate) fn len(&self) -> usize {
        self.cones.len()
    }

    /// Whether solutions are measured by the error of their velocities.
    pub(crate) fn is_for_velocities(&self) -> bool {
        self.friction == Friction::Associated || self.coulomb == CoulombMeasure::VelocityError
    }

    /// Takes in a problem of bodies. Memory is used again.
    pub(crate) fn set_bodies(&mut self, problem: &Problem, friction: Friction) -> Result<(), ProblemError> {
        bodies::validate(problem)?;
        deformation::validate(problem)?;
        if !matches!(self.operator, Operator::Bodies(_)) {
            let bodies = Operator::Bodies(self.behind.take().unwrap_or_default());
            if let Operator::Matrix(matrix) = std::mem::replace(&mut self.operator, bodies) {
                self.product.keep(matrix);
            }
        }
        self.friction = friction;
        deformation::mean_diagonals(problem, &mut self.deformed);
        bodies::fill(self, problem)?;
        if !problem.deformations.is_empty() {
            deformation::multiply_out(self, problem);
        }
        self.finish();
        Ok(())
    }

    /// The bodies, also of a matrix that was made of them; none where the problem is given by its matrix.
    pub(crate) fn bodies(&self) -> Option<&Bodies> {
        match &self.operator {
            Operator::Bodies(bodies) => Some(bodies),
            Operator::Matrix(_) => self.behind.as_ref(),
        }
    }

    /// Takes in a problem with an explicit matrix.
    pub(crate) fn set_matrix(&mut self, problem: &DelassusProblem, friction: Friction) -> Result<(), ProblemError> {
        matrix::validate(problem)?;
        self.friction = friction;
        self.behind = None;
        matrix::fill(self, problem);
        self.finish();
        Ok(())
    }

    /// What a solve that was told to stop ends with.
    pub(crate) fn check_stopped(&self) -> Result<(), ProblemError> {
        if self.stop.is_set() {
            return Err(ProblemError::Stopped);
        }
        Ok(())
    }

    /// Chooses the unit of speed, and divides by it.
    fn finish(&mut self) {
        // Contacts that nothing pushes together say nothing about how fast things go: a far one has a large gap.
        let cones = &self.cones;
        let violation = |(q, cone): (&V3, &Cone)| norm(&sub(q, &cone.project_dual(q))).powi(2);
        let total: f64 = self.q.iter().zip(cones).map(violation).sum();
        let speed = (total / self.len().max(1) as f64).sqrt();
        let speed = if speed.is_normal() { speed } else { 1.0 };
        self.units.speed *= speed;
        parallel::for_each2(&mut self.q, &mut self.guess, |_, q, guess| {
            for k in 0..3 {
                q[k] /= speed;
                guess[k] /= speed;
            }
        });
        parallel::for_each(&mut self.shift, |_, shift| *shift /= speed);
        self.soften();
        let bodies = match &mut self.operator {
            Operator::Bodies(bodies) => Some(bodies),
            Operator::Matrix(_) => self.behind.as_mut(),
        };
        if let Some(bodies) = bodies {
            bodies.divide_speeds(speed);
        }
    }

    /// Lets rigid contacts yield a little in a time step with Coulomb friction: impulses are unique then, and change smoothly
    /// with the slip that is held. What it adds is taken back about the impulses of the last round: see `methods::outer`.
    fn soften(&mut self) {
        let is_soft = self.friction == Friction::Coulomb
            && self.coulomb == CoulombMeasure::VelocityError
            && self.is_softened
            // Without a guess there is nothing to yield about.
            && self.guess.iter().any(|g| *g != [0.0; 3])
            && matches!(self.operator, Operator::Bodies(_));
        self.soft.clear();
        self.soft.resize(self.cones.len(), 0.0);
        if is_soft {
            let softness = crate::Tuning::DEFAULT.fixed_point.softness;
            for (i, cone) in self.cones.iter().enumerate() {
                if cone.friction() > 0.0 && self.compliance[i][0] == 0.0 {
                    self.soft[i] = softness;
                    self.compliance[i][0] = softness;
                }
            }
        }
    }

    /// u = N r, without offsets and compliance. For bodies, `work.twist` is left holding H^-1 D r.
    pub(crate) fn multiply(&self, r: &[V3], work: &mut Work, u: &mut [V3]) {
        match &self.operator {
            Operator::Bodies(bodies) => {
                bodies.velocity_change(r, &mut work.wrench, &mut work.twist);
                bodies.relative(&work.twist, &mut work.wrench, u);
            }
            Operator::Matrix(matrix) => {
                matrix.multiply(r, u);
                if let Some(bodies) = &self.behind {
                    bodies.velocity_change(r, &mut work.wrench, &mut work.twist);
                }
            }
        }
    }

    /// u = N r + q + E r: the relative velocity that must lie in the dual cone.
    pub(crate) fn velocity(&self, r: &[V3], work: &mut Work, u: &mut [V3]) {
        self.multiply(r, work, u);
        parallel::for_each(u, |i, u| {
            for k in 0..3 {
                u[k] += self.q[i][k] + self.compliance[i][k] * r[i][k];
            }
        });
    }

    /// The diagonal block of N that belongs to constraint `i`.
    pub(crate) fn diagonal(&self, i: usize) -> crate::cone::M3 {
        match &self.operator {
            Operator::Bodies(bodies) => bodies.diagonal(i),
            Operator::Matrix(matrix) => matrix.diagonal(i),
        }
    }

    /// What one unit of the solver's impulse of constraint `i` is in N s (or in the units of the matrix).
    pub(crate) fn impulse_unit(&self, i: usize) -> f64 {
        self.units.mass * self.units.speed / self.weight[i]
    }

    /// Whether every constraint yields by more than `bound`, where the diagonal blocks of N are about one.
    pub(crate) fn yields(&self, bound: f64) -> bool {
        let one = |(e, cone): (&V3, &Cone)| e[0] > bound && (cone.friction() == 0.0 || e[1] > bound);
        self.compliance.iter().zip(&self.cones).all(one)
    }

    /// Whether nothing needs to happen: the free velocity already satisfies every constraint.
    pub(crate) fn is_free(&self) -> bool {
        let within = |(q, cone): (&V3, &Cone)| match cone {
            Cone::Friction(mu) => match self.friction {
                Friction::Associated => q[0] >= mu * crate::cone::tangential(q),
                Friction::Coulomb => q[0] >= 0.0,
            },
            Cone::Unilateral => q[0] >= 0.0,
            Cone::Bilateral => q[0] == 0.0,
        };
        self.q.iter().zip(&self.cones).all(within)
    }
}

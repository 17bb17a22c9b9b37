//! How a structure is stepped through time.

use drystone_cone::{Friction, Solver};
use drystone_model::{JointLaw, JointStiffness, Model, motion::Supports};

use super::RotationScheme;
use crate::Structure;

/// The length of steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeStep {
    /// All steps have the same length (unit: s).
    Fixed(f64),
    /// Steps are halved where blocks change their velocities suddenly and doubled where they do not.
    Adaptive {
        /// Longest step (unit: s).
        longest: f64,
        /// Shortest step (unit: s). It is taken to be the longest halved a whole number of times.
        shortest: f64,
        /// How far the position of a block may be off for one step (unit: m), by the difference between the rule that is
        /// used and the trapezoidal rule.
        tolerance: f64,
    },
}

impl TimeStep {
    /// How many more times a step is halved that could not be solved.
    pub(crate) const SPARE: u32 = 4;

    /// The longest step, and how many times it may be halved.
    pub(crate) fn levels(&self) -> (f64, u32) {
        match *self {
            Self::Fixed(dt) => (dt, 0),
            Self::Adaptive { longest, shortest, .. } => {
                (longest, (longest / shortest).log2().ceil().clamp(0.0, 30.0) as u32)
            }
        }
    }
}

/// Which axes the equations of motion are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReferenceFrame {
    /// The world's: supports move.
    #[default]
    World,
    /// Those of the ground: supports stay where they are and every block feels the ground's acceleration, reversed. All
    /// supports must then move alike, without turning.
    Ground,
}

impl ReferenceFrame {
    /// Whether all supports move alike, without turning: the ground may then be the frame.
    pub fn is_common(model: &Model, supports: &Supports) -> bool {
        let all = supports.trajectories();
        let is_moved = |b: usize| supports.of(b).is_some();
        let are_mixed = || (0..model.blocks.len()).any(|b| model.blocks[b].fixed && !is_moved(b));
        match all.len() {
            0 => true,
            1 => !all[0].turns() && !are_mixed(),
            _ => false,
        }
    }
}

/// Where joints that yield begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Start {
    /// In equilibrium with the loads at the start, compressed by them.
    #[default]
    Compressed,
    /// As the model has them, without a force: the structure is released and swings about its equilibrium.
    Uncompressed,
}

/// How steps are taken.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Integrator {
    /// Non-smooth contact dynamics: one contact problem a step, rigid joints or elastic ones, steps of any length.
    #[default]
    Implicit,
    /// The distinct element method: elastic joints with Coulomb friction, many short steps, nothing to solve. A step of the
    /// simulation, of the length that is asked for, is then as many of them as it needs.
    Explicit(ExplicitSettings),
}

/// Settings of the distinct element method.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ExplicitSettings {
    /// Length of a short step (unit: s; default: nine tenths of the longest that is stable). One that is not stable is refused.
    pub dt: Option<f64>,
    /// Dashpots of joints, as a part of what is critical for two blocks on their joints (default: 0.7, which lets blocks rebound
    /// with a twenty-fifth of their energy; where a joint has a coefficient of restitution, what leads to that).
    pub damping: Option<f64>,
    /// Local damping: what part of an unbalanced force acts against the velocity of its block (default: 0). For structures that
    /// are to come to rest.
    pub local_damping: f64,
    /// Blocks that allow only shorter steps (unit: s) get more inertia, and no more weight, until they allow these (default: none
    /// does).
    pub mass_scaling: Option<f64>,
}

impl ExplicitSettings {
    /// Stiffness of joints that have none (unit: N/m³).
    pub const STIFFNESS: f64 = 1e10;
    /// See [`Self::damping`].
    pub const DAMPING: f64 = 0.7;

    /// Dashpots of a joint with a coefficient of restitution, as a part of what is critical.
    pub(super) fn damping_of(&self, restitution: f64) -> f64 {
        let given = match restitution > 0.0 {
            true => (0..60).fold([0.0, MOST_DAMPED], |[low, high], _| {
                let middle = 0.5 * (low + high);
                if rebound(middle) > restitution {
                    [middle, high]
                } else {
                    [low, middle]
                }
            })[0],
            false => Self::DAMPING,
        };
        self.damping.unwrap_or(given)
    }

    fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        let positive = [
            ("the time step", self.dt),
            ("the step of mass scaling", self.mass_scaling),
        ];
        for (what, value) in positive.into_iter().filter_map(|(what, value)| Some((what, value?))) {
            if !is_positive(value) {
                return Some((what, value, POSITIVE));
            }
        }
        if let Some(damping) = self.damping.filter(|d| !(0.0..=10.0).contains(d)) {
            return Some(("the damping of joints", damping, "from 0 to 10"));
        }
        if !(0.0..1.0).contains(&self.local_damping) {
            return Some(("local damping", self.local_damping, "from 0 to below 1"));
        }
        None
    }
}

/// Most dashpots that a coefficient of restitution leads to, as a part of what is critical: they leave a four-hundredth of the velocity.
const MOST_DAMPED: f64 = 10.0;

/// Velocity after an impact over that before, of a mass on a spring and a dashpot that is a part of what is critical and does not
/// pull (Schwager and Poeschel, 2007).
fn rebound(damping: f64) -> f64 {
    if damping > 1.0 {
        let creeps = (damping * damping - 1.0).sqrt();
        return (-damping / creeps * ((damping + creeps) / (damping - creeps)).ln()).exp();
    }
    let swings = (1.0 - damping * damping).sqrt().max(1e-9);
    let phase = std::f64::consts::PI - (2.0 * damping * swings).atan2(1.0 - 2.0 * damping * damping);
    (-damping / swings * phase).exp()
}

/// How a simulation is done. [`SimulationSettings::default`] gives the method of paper 003.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationSettings {
    /// How steps are taken (default: implicitly).
    pub integrator: Integrator,
    /// The length of steps (default: 0.001 s).
    pub time_step: TimeStep,
    /// The friction law (default: associated, which becomes Coulomb's with the step where velocities do not jump).
    pub friction: Friction,
    /// The contact solver (default: chosen by the cone crate).
    pub solver: Solver,
    /// Accuracy that each step is solved to (default: 1e-3): the error of the velocities, as the cone crate defines it.
    pub tolerance: Option<f64>,
    /// How the turning of blocks is treated (default: change of angular momentum).
    pub rotation: RotationScheme,
    /// Quasi-Newton iterations of the angular equation (default: 1). Each solves the contact problem anew.
    pub rotation_iterations: usize,
    /// Newton's coefficient of restitution of every contact (default: that of the joint's law).
    pub restitution: Option<f64>,
    /// Stiffness of every joint (default: that of the joint's law).
    pub stiffness: Option<JointStiffness>,
    /// Where joints with a stiffness begin (default: compressed by the loads at the start).
    pub start: Start,
    /// Weight of the velocity at the end of the step in the change of position (default: 1, backward Euler; 0.5 is the
    /// midpoint rule).
    pub theta: f64,
    /// Axes of the equations (default: the world's).
    pub frame: ReferenceFrame,
    /// Largest speed at which blocks that overlap are driven apart (unit: m/s; default: a tenth of the speed of a fall by
    /// the radius of the smallest block, which a simulation fills in, so that what was drawn overlapping is not thrown). What
    /// springs are compressed by is no overlap.
    pub recovery_speed: Option<f64>,
    /// Whether a structure whose velocities are nothing but the error of the solver is brought to rest (default: true).
    pub rest: bool,
    /// Steps after which the solver forgets what it knows of earlier ones, so that a run that is resumed from there goes on
    /// with the same bits (default: 1000).
    pub checkpoint_steps: u64,
}

impl SimulationSettings {
    /// Proximal steps towards the equilibrium of blocks that deform, over the time that sound takes through the structure: what
    /// falls within one is some fifty times what the structure is compressed by, and what inertia leaves shrinks as much from step
    /// to step.
    const PROXIMAL: f64 = 5.0;
    /// What such a step is solved to.
    const PROXIMAL_TOLERANCE: f64 = 1e-7;

    /// The same with steps that lead blocks which deform to a static equilibrium: see [`Calming::Proximal`](super::Calming).
    #[must_use]
    pub(crate) fn proximal(self, structure: &Structure) -> Self {
        Self {
            time_step: TimeStep::Fixed(Self::PROXIMAL * structure.elastic.sound_time(structure.extent())),
            theta: 1.0,
            tolerance: Some(Self::PROXIMAL_TOLERANCE),
            rest: false,
            ..self
        }
    }
}

impl Default for SimulationSettings {
    fn default() -> Self {
        Self {
            integrator: Integrator::Implicit,
            time_step: TimeStep::Fixed(1e-3),
            friction: Friction::Associated,
            solver: Solver::Auto,
            tolerance: None,
            rotation: RotationScheme::Momentum,
            rotation_iterations: 1,
            restitution: None,
            stiffness: None,
            start: Start::Compressed,
            theta: 1.0,
            frame: ReferenceFrame::World,
            recovery_speed: None,
            rest: true,
            checkpoint_steps: 1000,
        }
    }
}

impl SimulationSettings {
    /// What is wrong with them, if anything: the setting, its value, and what is allowed.
    pub fn problem(&self) -> Option<(&'static str, f64, &'static str)> {
        match self.time_step {
            TimeStep::Fixed(dt) if !is_positive(dt) => return Some(("the time step", dt, POSITIVE)),
            TimeStep::Adaptive { longest, .. } if !is_positive(longest) => {
                return Some(("the longest time step", longest, POSITIVE));
            }
            TimeStep::Adaptive { longest, shortest, .. } if !(is_positive(shortest) && shortest <= longest) => {
                return Some((
                    "the shortest time step",
                    shortest,
                    "positive and no more than the longest",
                ));
            }
            TimeStep::Adaptive { tolerance, .. } if !is_positive(tolerance) => {
                return Some(("the tolerance of the time step", tolerance, POSITIVE));
            }
            _ => {}
        }
        if let Some(tolerance) = self.tolerance
            && !(tolerance > 0.0 && tolerance < 1.0)
        {
            return Some(("the tolerance of the contact solver", tolerance, "above 0 and below 1"));
        }
        if !(0.5..=1.0).contains(&self.theta) {
            return Some(("theta", self.theta, "from 0.5 to 1"));
        }
        if let Some(speed) = self.recovery_speed
            && (speed.is_nan() || speed <= 0.0)
        {
            return Some(("the recovery speed", speed, POSITIVE));
        }
        if let Some(explicit) = self.explicit() {
            if let TimeStep::Adaptive { tolerance, .. } = self.time_step {
                return Some((
                    "the tolerance of the time step",
                    tolerance,
                    "left out: explicit steps are as long as is stable",
                ));
            }
            if let Some(problem) = explicit.problem() {
                return Some(problem);
            }
        }
        self.law_problem(&self.law(JointLaw::default()))
    }

    /// How steps are taken explicitly, where they are.
    pub fn explicit(&self) -> Option<&ExplicitSettings> {
        match &self.integrator {
            Integrator::Implicit => None,
            Integrator::Explicit(settings) => Some(settings),
        }
    }

    /// The law of a joint, with what these settings give to all of them.
    pub fn law(&self, law: JointLaw) -> JointLaw {
        let elastic = JointStiffness {
            normal: ExplicitSettings::STIFFNESS,
            tangential: ExplicitSettings::STIFFNESS,
        };
        JointLaw {
            restitution: self.restitution.unwrap_or(law.restitution),
            stiffness: self.stiffness.or(law.stiffness).or(self.explicit().map(|_| elastic)),
            ..law
        }
    }

    /// The tolerance, with its default filled in.
    pub fn solver_tolerance(&self) -> f64 {
        self.tolerance.unwrap_or(1e-3)
    }

    /// What is wrong with a law that joints are stepped by, if anything.
    pub(super) fn law_problem(&self, law: &JointLaw) -> Option<(&'static str, f64, &'static str)> {
        const RESTITUTION: &str = "the coefficient of restitution";
        if !(0.0..=1.0).contains(&law.restitution) {
            return Some((RESTITUTION, law.restitution, "from 0 to 1"));
        }
        let stiffness = law.stiffness?;
        if law.restitution > 0.0 && self.explicit().is_none() {
            let allowed = "0 where joints have a stiffness: springs rebound by themselves";
            return Some((RESTITUTION, law.restitution, allowed));
        }
        let both = [
            ("the normal stiffness", stiffness.normal),
            ("the tangential stiffness", stiffness.tangential),
        ];
        let (name, value) = both.into_iter().find(|&(_, value)| !is_positive(value))?;
        Some((name, value, POSITIVE))
    }

    /// The recovery speed; without bound where it was not filled in.
    pub(crate) fn bounded_recovery(&self) -> f64 {
        self.recovery_speed.unwrap_or(f64::INFINITY)
    }
}

const POSITIVE: &str = "a positive number";

fn is_positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

//! How a simulation is done, as the command line says it.

use clap::{
    Args, ValueEnum,
    builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser},
};
use serde_json::{Value, json};

use drystone_analysis::{STIFFNESS_RANGE, USUAL_STEP, USUAL_STEPPING, explicit_span};
use drystone_cone::{Friction, Solver};
use drystone_mechanics::dynamics::{
    ExplicitSettings, Integrator, JointStiffness, ReferenceFrame, RotationScheme, SimulationSettings, Start, TimeStep,
};
use drystone_model::Model;

use crate::program::numbers::within;

/// What ends a run early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stop {
    /// The structure has collapsed
    Collapse,
    /// Motions are over and nothing moves
    Rest,
}

/// How steps are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum IntegratorName {
    /// One contact problem a step: rigid joints or elastic ones, long steps (papers 001 and 003)
    Implicit,
    /// Distinct elements: elastic joints with Coulomb friction and dashpots, short steps, nothing to solve
    Explicit,
}

/// The friction law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Law {
    /// Sliding opens the joint within a step, and gravity closes it again: a convex problem (paper 003)
    Associated,
    /// Coulomb's law in each step
    Coulomb,
}

/// How the turning of blocks is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RotationName {
    /// Change of angular momentum, by quasi-Newton steps (paper 003)
    Momentum,
    /// Inertia of the start and an explicit gyroscopic moment (paper 001)
    Gyroscopic,
}

/// Axes of the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FrameName {
    /// The world's: supports move
    World,
    /// The ground's: blocks feel its acceleration, reversed
    Ground,
}

/// Where joints with a stiffness begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StartName {
    /// In equilibrium with the loads at the start, compressed by them
    Compressed,
    /// Without a force, as in the model: the structure is released from there
    Uncompressed,
}

/// The longest by the shortest step, where nothing is said about the latter.
const ADAPTIVE_RANGE: f64 = 64.0;

// No doc comment: clap would take it as the text of the command that these options belong to.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Method")]
pub(crate) struct Method {
    /// How steps are taken
    #[arg(long, value_enum, default_value = USUAL_STEPPING.name())]
    integrator: IntegratorName,
    /// Length of a time step (s) [default: 0.001; explicit: nine tenths of what is stable]
    #[arg(long, value_name = "S", value_parser = within(1e-9, 1e3), allow_hyphen_values = true)]
    dt: Option<f64>,
    /// Explicit: dashpots of joints, as a part of what is critical for two blocks on their joint [default: 0.7, or what leads to
    /// the restitution of the joint]
    #[arg(long, value_name = "Z", value_parser = within(0.0, 10.0), allow_hyphen_values = true)]
    damping: Option<f64>,
    /// Explicit: what part of an unbalanced force acts against the motion of its block, for structures that are to come to rest
    #[arg(long, value_name = "A", default_value_t = 0.0, value_parser = within(0.0, 0.99), allow_hyphen_values = true)]
    local_damping: f64,
    /// Explicit: blocks that allow only shorter steps than this (s) get more inertia, and no more weight, until they allow it
    #[arg(long, value_name = "S", value_parser = within(1e-9, 1.0), allow_hyphen_values = true)]
    mass_scaling: Option<f64>,
    /// Shorten steps where blocks hit each other, so that positions are off by no more than this for a step (m)
    #[arg(long, value_name = "M", value_parser = within(1e-12, 1e3), allow_hyphen_values = true)]
    adaptive: Option<f64>,
    /// With --adaptive: shortest step (s) [default: a 64th of --dt]
    #[arg(long, value_name = "S", value_parser = within(1e-12, 1e3), allow_hyphen_values = true, requires = "adaptive")]
    dt_min: Option<f64>,
    /// Friction law [default: associated; explicit steps always have Coulomb's]
    #[arg(long, value_enum)]
    friction_law: Option<Law>,
    /// Contact solver
    #[arg(long, default_value = "auto", value_parser = solvers())]
    solver: Solver,
    /// Accuracy that each step is solved to: error of the velocities [default: 1e-3]
    #[arg(long, value_name = "TOL", value_parser = within(1e-14, 0.5), allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Coefficient of restitution of every contact [default: that of the model's joints]
    #[arg(long, value_name = "E", value_parser = within(0.0, 1.0), allow_hyphen_values = true)]
    restitution: Option<f64>,
    /// Normal and tangential stiffness of every joint (N/m3) [default: that of the model's joints]
    #[arg(long, value_name = "KN,KT", value_delimiter = ',', value_parser = within(STIFFNESS_RANGE[0], STIFFNESS_RANGE[1]), allow_hyphen_values = true)]
    stiffness: Vec<f64>,
    /// Where joints with a stiffness begin
    #[arg(long, value_enum, default_value = "compressed")]
    start: StartName,
    /// Weight of the velocity at the end of a step in the change of position: 1 backward Euler, 0.5 midpoint
    #[arg(long, value_name = "THETA", default_value_t = 1.0, value_parser = within(0.5, 1.0), allow_hyphen_values = true)]
    theta: f64,
    /// How the turning of blocks is treated
    #[arg(long, value_enum, default_value = "momentum")]
    rotation: RotationName,
    /// Quasi-Newton iterations of the turning, each with a contact problem of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=100))]
    rotation_iterations: usize,
    /// Axes of the equations
    #[arg(long, value_enum, default_value = "world")]
    frame: FrameName,
    /// Largest speed at which overlapping blocks are driven apart (m/s) [default: a tenth of that of a fall by the radius of
    /// the smallest block]. The compression of joints with a stiffness is no overlap
    #[arg(long, value_name = "V", value_parser = within(1e-9, 1e4), allow_hyphen_values = true)]
    recovery_speed: Option<f64>,
}

/// Contact solvers by the names of their registry.
fn solvers() -> impl TypedValueParser<Value = Solver> {
    PossibleValuesParser::new(Solver::ALL.iter().map(|solver| solver.name())).try_map(|name| name.parse())
}

impl Method {
    pub(super) fn settings(&self, model: &Model) -> Result<SimulationSettings, String> {
        self.refuse_mixed()?;
        let stiffness = match self.stiffness[..] {
            [] => None,
            [normal, tangential] => Some(JointStiffness { normal, tangential }),
            _ => return Err("--stiffness: two numbers are needed, like 1e10,4e9".to_string()),
        };
        let free = model.free_blocks().count().max(1);
        Ok(SimulationSettings {
            integrator: match self.integrator {
                IntegratorName::Implicit => Integrator::Implicit,
                IntegratorName::Explicit => Integrator::Explicit(ExplicitSettings {
                    dt: self.dt,
                    damping: self.damping,
                    local_damping: self.local_damping,
                    mass_scaling: self.mass_scaling,
                }),
            },
            time_step: match self.adaptive {
                None => TimeStep::Fixed(self.dt()),
                Some(tolerance) => TimeStep::Adaptive {
                    longest: self.dt(),
                    shortest: self.shortest().0,
                    tolerance,
                },
            },
            friction: match (self.friction_law, self.integrator) {
                (Some(Law::Coulomb), _) | (_, IntegratorName::Explicit) => Friction::Coulomb,
                _ => Friction::Associated,
            },
            solver: self.solver,
            tolerance: self.tolerance,
            rotation: match self.rotation {
                RotationName::Momentum => RotationScheme::Momentum,
                RotationName::Gyroscopic => RotationScheme::Gyroscopic,
            },
            rotation_iterations: self.rotation_iterations,
            restitution: self.restitution,
            stiffness,
            start: match self.start {
                StartName::Compressed => Start::Compressed,
                StartName::Uncompressed => Start::Uncompressed,
            },
            theta: self.theta,
            frame: match self.frame {
                FrameName::World => ReferenceFrame::World,
                FrameName::Ground => ReferenceFrame::Ground,
            },
            recovery_speed: self.recovery_speed,
            rest: true,
            // About as often for large structures as for small ones, by the clock.
            checkpoint_steps: (100_000 / free as u64).clamp(20, 1000),
        })
    }

    /// Refuses options of one way of stepping with the other.
    fn refuse_mixed(&self) -> Result<(), String> {
        let is_explicit = self.integrator == IntegratorName::Explicit;
        let explicit_alone = [
            ("--damping", self.damping.is_some()),
            ("--local-damping", self.local_damping > 0.0),
            ("--mass-scaling", self.mass_scaling.is_some()),
        ];
        let implicit_alone = [
            ("--adaptive", self.adaptive.is_some()),
            ("--friction-law associated", self.friction_law == Some(Law::Associated)),
            ("--solver", self.solver != Solver::Auto),
            ("--tolerance", self.tolerance.is_some()),
            ("--theta", self.theta != 1.0),
            ("--rotation gyroscopic", self.rotation == RotationName::Gyroscopic),
            ("--rotation-iterations", self.rotation_iterations != 1),
        ];
        let given = |of: &[(&'static str, bool)]| of.iter().find(|(_, given)| *given).map(|(name, _)| *name);
        match is_explicit {
            true => given(&implicit_alone).map_or(Ok(()), |name| {
                Err(format!(
                    "{name}: not with --integrator explicit, which has Coulomb friction and nothing to solve"
                ))
            }),
            false => {
                given(&explicit_alone).map_or(Ok(()), |name| Err(format!("{name}: only with --integrator explicit")))
            }
        }
    }

    /// The longest step (s). Explicit steps are taken as many at a time as make up two milliseconds or so.
    pub(super) fn dt(&self) -> f64 {
        match (self.integrator, self.dt) {
            (IntegratorName::Implicit, dt) => dt.unwrap_or(USUAL_STEP),
            (IntegratorName::Explicit, dt) => explicit_span(dt),
        }
    }

    pub(super) fn is_explicit(&self) -> bool {
        self.integrator == IntegratorName::Explicit
    }

    /// Whether a step was asked for.
    pub(super) fn has_dt(&self) -> bool {
        self.dt.is_some()
    }

    /// The shortest step (s), and the option that sets it.
    pub(super) fn shortest(&self) -> (f64, &'static str) {
        match (self.adaptive, self.dt_min) {
            (Some(_), Some(shortest)) => (shortest, "--dt-min"),
            (Some(_), None) => (self.dt() / ADAPTIVE_RANGE, "--dt"),
            (None, _) => (self.dt(), "--dt"),
        }
    }

    /// Everything that changes what comes out.
    pub(super) fn description(&self) -> Value {
        json!({
            "integrator": format!("{:?}", self.integrator).to_lowercase(),
            "dt_s": self.dt,
            "damping": self.damping,
            "local_damping": self.local_damping,
            "mass_scaling_s": self.mass_scaling,
            "adaptive_m": self.adaptive,
            "dt_min_s": self.dt_min,
            "friction_law": format!("{:?}", self.friction_law.unwrap_or(Law::Associated)).to_lowercase(),
            "solver": self.solver.name(),
            "tolerance": self.tolerance,
            "restitution": self.restitution,
            "stiffness_n_m3": self.stiffness,
            "start": format!("{:?}", self.start).to_lowercase(),
            "theta": self.theta,
            "rotation": format!("{:?}", self.rotation).to_lowercase(),
            "rotation_iterations": self.rotation_iterations,
            "frame": format!("{:?}", self.frame).to_lowercase(),
            "recovery_speed_m_s": self.recovery_speed,
        })
    }
}

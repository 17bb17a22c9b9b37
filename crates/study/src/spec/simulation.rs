//! How time histories of a study are computed. Defaults are those of `drystone simulate`.

use drystone_analysis::{USUAL_STEP, explicit_span};
use drystone_cone::{Friction, Solver};
use drystone_mechanics::dynamics::{Collapse, ExplicitSettings, Integrator, SimulationSettings, TimeStep};
use drystone_model::{JointStiffness, Model};
use serde::{Deserialize, Serialize};

use super::positive;

/// How time histories are computed.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct SimulationSpec {
    /// `implicit`: one contact problem a step. `explicit`: distinct elements (default: implicit).
    pub integrator: IntegratorName,
    /// Length of a time step (s; default: 0.001; explicit: nine tenths of what is stable).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dt: Option<f64>,
    /// `associated` or `coulomb` (default: associated; explicit steps always have Coulomb's).
    pub friction_law: FrictionLaw,
    /// Contact solver (default: auto).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<String>,
    /// Accuracy that each step is solved to (default: 1e-3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Coefficient of restitution of every contact (default: that of the model's joints).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Normal and tangential stiffness of every joint (N/m³; default: that of the model's joints).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<[f64; 2]>,
    /// Explicit: dashpots of joints, as a part of what is critical (default: 0.7).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// How long a structure is followed once the ground is still (s; default: 2).
    pub after: f64,
    /// Whether a run ends once the ground is still and nothing moves (default: true).
    pub stop_at_rest: bool,
    /// What counts as a collapse; the run ends there.
    pub collapse: CollapseSpec,
    /// Load cases that act.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<String>,
}

/// How steps are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntegratorName {
    /// One contact problem a step.
    #[default]
    Implicit,
    /// Distinct elements.
    Explicit,
}

/// The friction law.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionLaw {
    /// Sliding opens the joint within a step: a convex problem.
    #[default]
    Associated,
    /// Coulomb's law.
    Coulomb,
}

impl FrictionLaw {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Associated => "associated",
            Self::Coulomb => "coulomb",
        }
    }

    /// As analyses have it.
    pub fn friction(self) -> Friction {
        match self {
            Self::Associated => Friction::Associated,
            Self::Coulomb => Friction::Coulomb,
        }
    }
}

/// What counts as a collapse. Any one of those that are given is enough; where none is given, a fifth of the potential energy or
/// a tenth of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "criteria such as { potential_drop = 0.2 }")]
pub struct CollapseSpec {
    /// Fraction of the potential energy above the foundation that is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub potential_drop: Option<f64>,
    /// Fraction of the free blocks that have fallen by more than their size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallen: Option<f64>,
    /// Displacement of a block relative to the ground (m).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub displacement: Option<f64>,
}

impl Default for CollapseSpec {
    fn default() -> Self {
        let Collapse {
            potential_drop,
            displacement,
            fallen,
        } = Collapse::default();
        Self {
            potential_drop,
            fallen,
            displacement,
        }
    }
}

impl Default for SimulationSpec {
    fn default() -> Self {
        Self {
            integrator: IntegratorName::Implicit,
            dt: None,
            friction_law: FrictionLaw::Associated,
            solver: None,
            tolerance: None,
            restitution: None,
            stiffness: None,
            damping: None,
            after: 2.0,
            stop_at_rest: true,
            collapse: CollapseSpec::default(),
            loads: Vec::new(),
        }
    }
}

impl SimulationSpec {
    /// The longest step (s).
    pub fn dt(&self) -> f64 {
        match self.integrator {
            IntegratorName::Implicit => self.dt.unwrap_or(USUAL_STEP),
            IntegratorName::Explicit => explicit_span(self.dt),
        }
    }

    /// What counts as a collapse.
    pub fn collapse(&self) -> Collapse {
        Collapse {
            potential_drop: self.collapse.potential_drop,
            displacement: self.collapse.displacement,
            fallen: self.collapse.fallen,
        }
    }

    /// As a simulation takes them.
    pub fn settings(&self, model: &Model) -> Result<SimulationSettings, String> {
        let free = model.free_blocks().count().max(1);
        let is_explicit = self.integrator == IntegratorName::Explicit;
        Ok(SimulationSettings {
            integrator: match is_explicit {
                false => Integrator::Implicit,
                true => Integrator::Explicit(ExplicitSettings {
                    dt: self.dt,
                    damping: self.damping,
                    ..ExplicitSettings::default()
                }),
            },
            time_step: TimeStep::Fixed(self.dt()),
            friction: match is_explicit {
                true => Friction::Coulomb,
                false => self.friction_law.friction(),
            },
            solver: self.solver()?,
            tolerance: self.tolerance,
            restitution: self.restitution,
            stiffness: self
                .stiffness
                .map(|[normal, tangential]| JointStiffness { normal, tangential }),
            // About as often for large structures as for small ones, by the clock.
            checkpoint_steps: (100_000 / free as u64).clamp(20, 1000),
            ..SimulationSettings::default()
        })
    }

    fn solver(&self) -> Result<Solver, String> {
        let Some(name) = &self.solver else {
            return Ok(Solver::Auto);
        };
        let known = || Solver::ALL.iter().map(|s| s.name()).collect::<Vec<_>>().join(", ");
        name.parse()
            .map_err(|_| format!("simulation.solver is `{name}`; there are {}", known()))
    }

    /// Refuses what makes no sense.
    pub(super) fn check(&self) -> Result<(), String> {
        self.solver()?;
        if let Some(dt) = self.dt {
            positive("simulation.dt", dt)?;
        }
        if !(self.after >= 0.0 && self.after.is_finite()) {
            return Err(format!("simulation.after is {}; it must be 0 or more", self.after));
        }
        for (what, value) in [
            ("simulation.collapse.potential_drop", self.collapse.potential_drop),
            ("simulation.collapse.fallen", self.collapse.fallen),
            ("simulation.collapse.displacement", self.collapse.displacement),
        ] {
            value.map_or(Ok(()), |value| positive(what, value))?;
            if let Some(fraction) = value.filter(|value| *value > 1.0 && !what.ends_with("displacement")) {
                return Err(format!("{what} is {fraction}; it is a fraction, above 0 and at most 1"));
            }
        }
        let CollapseSpec {
            potential_drop,
            fallen,
            displacement,
        } = self.collapse;
        if potential_drop.is_none() && fallen.is_none() && displacement.is_none() {
            return Err("simulation.collapse names no criterion: no run would count as a collapse".into());
        }
        let is_explicit = self.integrator == IntegratorName::Explicit;
        let idle = [
            (
                "damping",
                self.damping.is_some() && !is_explicit,
                "is for explicit steps",
            ),
            (
                "tolerance",
                self.tolerance.is_some() && is_explicit,
                "is for implicit steps: explicit ones solve nothing",
            ),
            (
                "solver",
                self.solver.is_some() && is_explicit,
                "is for implicit steps: explicit ones solve nothing",
            ),
        ];
        match idle.iter().find(|(_, given, _)| *given) {
            Some((name, _, why)) => Err(format!("simulation.{name} {why}")),
            None => Ok(()),
        }
    }
}

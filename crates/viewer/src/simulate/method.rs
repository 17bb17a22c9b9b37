//! How steps are taken, as the page asks for it.

use drystone_analysis::{Chosen, STIFFNESS_RANGE, Stepping, USUAL_STEP, explicit_span, words::stiffness as in_units};
use drystone_cone::Friction;
use drystone_mechanics::{
    dynamics::{ExplicitSettings, Integrator, SimulationError, SimulationSettings, TimeStep},
    joint_laws,
};
use drystone_model::{JointStiffness, Model};

use crate::protocol::{FrictionLaw, Refusal, Simulate};

/// What was asked of the method. Each way of stepping takes what is its own.
pub(super) struct Method {
    stepping: Stepping,
    stiffness: Option<JointStiffness>,
    dt: f64,
    friction: Friction,
    damping: Option<f64>,
}

impl Method {
    /// Refuses what belongs to the other way of stepping where one is chosen, and stiffnesses that nothing has.
    pub(super) fn new(asked: &Simulate) -> Result<Self, Refusal> {
        let friction = asked.friction_law.unwrap_or_default();
        let is_associated = asked.friction_law == Some(FrictionLaw::Associated);
        let misplaced = match asked.integrator {
            Stepping::Automatic => None,
            Stepping::Implicit => asked.damping.map(|_| ("damping", "they have no dashpots")),
            Stepping::Explicit if asked.dt_s.is_some() => Some(("dt_s", "their length follows from the structure")),
            Stepping::Explicit => is_associated.then_some(("friction_law", "they have Coulomb friction")),
        };
        if let Some((field, why)) = misplaced {
            let steps = asked.integrator.name();
            let what = format!("`{field}` does not go with {steps} steps: {why}");
            return Err(Refusal::new(what).help(format!("leave `{field}` out")));
        }
        let [least, most] = STIFFNESS_RANGE;
        for value in asked.stiffness_n_m3.into_iter().flat_map(<[f64; 2]>::from) {
            if !(least..=most).contains(&value) {
                let what = format!("the joint stiffness is {value:e} N/m³; it must be from {least} to {most:e}");
                return Err(Refusal::new(what));
            }
        }
        Ok(Self {
            stepping: asked.integrator,
            stiffness: asked.stiffness_n_m3,
            dt: asked.dt_s.unwrap_or(USUAL_STEP),
            friction: friction.friction(),
            damping: asked.damping,
        })
    }

    pub(super) fn choose(&self, model: &Model) -> Chosen {
        self.stepping
            .choose(&joint_laws(model), self.stiffness.is_some(), self.friction)
    }

    /// The step (s) of a simulation of some seconds; explicit steps are taken as many at a time as make it up.
    pub(super) fn step(&self, chosen: Chosen, duration: f64) -> f64 {
        if chosen.is_explicit() {
            explicit_span(None).min(duration)
        } else {
            self.dt
        }
    }

    pub(super) fn settings(&self, chosen: Chosen, dt: f64) -> Result<SimulationSettings, Refusal> {
        let (integrator, friction) = if chosen.is_explicit() {
            let explicit = ExplicitSettings {
                damping: self.damping,
                ..ExplicitSettings::default()
            };
            (Integrator::Explicit(explicit), Friction::Coulomb)
        } else {
            (Integrator::Implicit, self.friction)
        };
        let settings = SimulationSettings {
            integrator,
            time_step: TimeStep::Fixed(dt),
            friction,
            stiffness: self.stiffness,
            ..SimulationSettings::default()
        };
        match settings.problem() {
            None => Ok(settings),
            Some((what, value, allowed)) => Err(Refusal::new(SimulationError::Setting { what, value, allowed })),
        }
    }

    /// What was asked, for reports.
    pub(super) fn in_words(&self, chosen: Chosen) -> Vec<(&'static str, String)> {
        let stiffness = self.stiffness.map(in_units);
        let mut words = Vec::new();
        words.extend(stiffness.map(|text| ("stiffness of every joint", text)));
        if chosen.is_explicit() {
            let damping = match self.damping {
                Some(damping) => damping.to_string(),
                None => format!("{}, or as the restitution of a joint says", ExplicitSettings::DAMPING),
            };
            words.push(("damping of joints", damping));
            words.push(("friction law", "coulomb".into()));
        } else {
            words.push(("time step", format!("{} s", self.dt)));
            words.push(("friction law", format!("{:?}", self.friction).to_lowercase()));
        }
        words
    }
}

//! How the steps of a run are taken: the choice between the implicit method and explicit steps, and what has to be known of
//! explicit ones before they are relied on.
//!
//! Which one is chosen where nobody chooses never changes what joints are: rigid joints are made elastic only where Coulomb
//! friction is asked for, and then it is told.

use std::fmt;

use drystone_cone::Friction;
use drystone_mechanics::dynamics::{ExplicitSettings, Simulation, SimulationSettings, TimeStep};
use drystone_model::{JointLaw, Model};
use serde::{Deserialize, Serialize};

use crate::{
    taken_as_rigid,
    words::{count, long_time, short_time},
};

/// How steps are taken where nobody says: on the command line, in studies and on the page.
pub const USUAL_STEPPING: Stepping = Stepping::Implicit;
/// Length of an implicit step where nobody says (unit: s).
pub const USUAL_STEP: f64 = 1e-3;

/// Stiffnesses of joints that may be asked for, least and most (unit: N/m³).
pub const STIFFNESS_RANGE: [f64; 2] = [1.0, 1e20];

/// Explicit steps that are taken at a time make up this (s).
const AT_A_TIME: f64 = 2e-3;
/// One block rules explicit steps where most others allow steps that are longer by this factor.
const TINY: f64 = 3.0;
/// Contacts times explicit steps from which on a run is told to be long, and what one takes on one core (s).
const LONG: f64 = 1e9;
const CONTACT_STEP: f64 = 20e-9;

/// How steps are to be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stepping {
    /// Whichever is faster without making rigid joints elastic unasked.
    #[default]
    Automatic,
    /// One contact problem a step: rigid joints or elastic ones, long steps.
    Implicit,
    /// Distinct elements: elastic joints with Coulomb friction and dashpots, short steps, nothing to solve.
    Explicit,
}

impl Stepping {
    /// How settings step.
    pub fn of(settings: &SimulationSettings) -> Self {
        if settings.explicit().is_some() {
            Self::Explicit
        } else {
            Self::Implicit
        }
    }

    /// Its name in results and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Implicit => "implicit",
            Self::Explicit => "explicit",
        }
    }

    /// Decides between the two, for a model whose joints can have these laws. `is_stiffness_given` where every joint gets a
    /// stiffness that is asked for.
    pub fn choose(self, laws: &[JointLaw], is_stiffness_given: bool, friction: Friction) -> Chosen {
        let rigid = laws.iter().filter(|law| law.stiffness.is_none()).count();
        let (integrator, reason) = match self {
            Self::Implicit => (Self::Implicit, "Implicit steps, as chosen."),
            Self::Explicit => (Self::Explicit, "Explicit steps, as chosen."),
            Self::Automatic if is_stiffness_given => {
                (Self::Explicit, "Explicit steps, because a joint stiffness is given.")
            }
            Self::Automatic if rigid == 0 => (
                Self::Explicit,
                "Explicit steps, because every joint of the model has a stiffness.",
            ),
            Self::Automatic if friction == Friction::Coulomb => (
                Self::Explicit,
                "Explicit steps, because Coulomb friction is asked for; rigid joints become elastic.",
            ),
            Self::Automatic if rigid == laws.len() => (
                Self::Implicit,
                "Implicit steps, because joints are rigid and friction is associated.",
            ),
            Self::Automatic => (
                Self::Implicit,
                "Implicit steps, because some joints are rigid and friction is associated.",
            ),
        };
        Chosen { integrator, reason }
    }
}

/// What was chosen, and why in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Chosen {
    /// [`Stepping::Implicit`] or [`Stepping::Explicit`].
    pub integrator: Stepping,
    /// Why, for people.
    pub reason: &'static str,
}

impl Chosen {
    /// Whether steps are explicit.
    pub fn is_explicit(&self) -> bool {
        self.integrator == Stepping::Explicit
    }
}

/// Length of a step of the simulation that is made up of explicit ones (s): two milliseconds or so, in whole steps where their
/// length is given.
pub fn explicit_span(dt: Option<f64>) -> f64 {
    dt.map_or(AT_A_TIME, |dt| (AT_A_TIME / dt).ceil().max(1.0) * dt)
}

/// What has to be known of explicit steps before they are taken.
#[derive(Clone, Debug, PartialEq)]
pub enum ExplicitNote {
    /// Joints without a stiffness were given one.
    AssumedStiffness,
    /// One block allows only steps that are much shorter than those that most others allow.
    RulingBlock {
        /// Its name.
        block: String,
        /// The step that it allows (unit: s).
        allows: f64,
        /// The step that at least half of the blocks allow (unit: s).
        most: f64,
    },
    /// Blocks that are to deform are taken as rigid: how that is said.
    RigidBlocks(String),
    /// So many rigid ties act as springs.
    RigidTies(usize),
    /// The structure was to begin at rest and did not come to it.
    StartsUnbalanced,
    /// It will take long.
    Long {
        /// Short steps.
        steps: f64,
        /// Contact points at the start.
        contacts: usize,
        /// How long it takes, roughly (unit: s).
        seconds: f64,
    },
}

impl fmt::Display for ExplicitNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AssumedStiffness => write!(
                f,
                "joints without a stiffness of their own are given {:e} N/m³: they are elastic in this run",
                ExplicitSettings::STIFFNESS
            ),
            Self::RulingBlock { block, allows, most } => write!(
                f,
                "block `{block}` rules the time step: it allows {}, most blocks {} and more. A larger block in its place or a \
                 lower stiffness of its joints makes the run faster",
                short_time(*allows),
                short_time(*most)
            ),
            Self::RigidBlocks(said) => f.write_str(said),
            Self::RigidTies(rigid) => write!(
                f,
                "{} rigid: explicit steps take them as springs, as stiff as the joints of the stiffest block",
                match rigid {
                    1 => "1 tie is".to_string(),
                    n => format!("{n} ties are"),
                }
            ),
            Self::StartsUnbalanced => write!(
                f,
                "the structure begins out of balance: it did not come to rest under the loads at the start"
            ),
            Self::Long {
                steps,
                contacts,
                seconds,
            } => write!(
                f,
                "{} steps of {} contact points: about {} on a machine like those that this was measured on",
                count(*steps as usize),
                count(*contacts),
                long_time(*seconds)
            ),
        }
    }
}

/// That implicit steps are too long to follow the waves in blocks that deform, in words; nothing where they do.
pub fn filtered_waves(simulation: &Simulation) -> Option<String> {
    let settings = simulation.settings();
    let dt = match (settings.explicit(), settings.time_step) {
        (Some(_), _) => return None,
        (None, TimeStep::Fixed(dt)) => dt,
        (None, TimeStep::Adaptive { shortest, .. }) => shortest,
    };
    let period = simulation.structure().elastic.longest_period();
    (period > 0.0 && dt > period).then(|| {
        format!(
            "Waves in blocks that deform are filtered: the slowest block swings with a period of {}, and steps of {} are longer. \
             Steps of {} or less follow them.",
            short_time(period),
            short_time(dt),
            short_time(0.05 * period)
        )
    })
}

/// What has to be known of a simulation of a model, some seconds long, before it is run; nothing where its steps are implicit.
pub fn explicit_notes(model: &Model, simulation: &Simulation, duration: f64) -> Vec<ExplicitNote> {
    let (Some(stable), Some(settings)) = (simulation.stable_step(), simulation.settings().explicit()) else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    notes.extend(taken_as_rigid(model).map(ExplicitNote::RigidBlocks));
    if simulation.has_assumed_stiffness() {
        notes.push(ExplicitNote::AssumedStiffness);
    }
    if stable.median.is_finite() && stable.median > TINY * stable.dt {
        notes.push(ExplicitNote::RulingBlock {
            block: simulation.structure().names[stable.block].clone(),
            allows: stable.dt,
            most: stable.median,
        });
    }
    let rigid = simulation.ties().filter(|t| t.law.stiffness.is_infinite()).count();
    if rigid > 0 {
        notes.push(ExplicitNote::RigidTies(rigid));
    }
    // Of blocks that no forces hold it is told elsewhere.
    if simulation.starts_unbalanced() && simulation.not_compressed().is_empty() {
        notes.push(ExplicitNote::StartsUnbalanced);
    }
    let (steps, contacts) = (duration / settings.dt.unwrap_or(stable.dt), simulation.contact_count());
    let all = steps * contacts as f64;
    if all > LONG {
        let seconds = all * CONTACT_STEP / rayon::current_num_threads().min(2) as f64;
        notes.push(ExplicitNote::Long {
            steps,
            contacts,
            seconds,
        });
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_model::JointStiffness;

    fn law(stiffness: Option<f64>) -> JointLaw {
        JointLaw {
            stiffness: stiffness.map(|k| JointStiffness::from([k, k])),
            ..JointLaw::default()
        }
    }

    #[test]
    fn rigid_joints_are_not_made_elastic_unasked() {
        let [rigid, elastic] = [law(None), law(Some(1e10))];
        let automatic = |laws: &[JointLaw], given, friction| {
            let chosen = Stepping::Automatic.choose(laws, given, friction);
            assert!(
                chosen.reason.to_lowercase().starts_with(chosen.integrator.name()),
                "{chosen:?}"
            );
            chosen.integrator
        };
        let (associated, coulomb) = (Friction::Associated, Friction::Coulomb);
        assert_eq!(automatic(&[rigid], false, associated), Stepping::Implicit);
        assert_eq!(automatic(&[rigid, elastic], false, associated), Stepping::Implicit);
        assert_eq!(automatic(&[elastic], false, associated), Stepping::Explicit);
        assert_eq!(automatic(&[rigid], true, associated), Stepping::Explicit);
        assert_eq!(automatic(&[rigid], false, coulomb), Stepping::Explicit);
        let asked = |stepping: Stepping| stepping.choose(&[elastic], true, coulomb).integrator;
        assert_eq!(asked(Stepping::Implicit), Stepping::Implicit);
        assert_eq!(asked(Stepping::Explicit), Stepping::Explicit);
    }

    #[test]
    fn explicit_steps_are_taken_in_whole_numbers_of_them() {
        assert_eq!(explicit_span(None), AT_A_TIME);
        assert!((explicit_span(Some(3e-4)) - 2.1e-3).abs() < 1e-15);
        assert_eq!(explicit_span(Some(0.1)), 0.1);
    }
}

//! Which runs a study takes, and what comes of them.
//!
//! A [`Plan`] is made once of a study file. It tells which runs it takes as far as that can be told from the outcomes that are
//! known ([`Plan::tasks`]), and what they come to ([`Plan::findings`]). Both depend on the outcomes alone and not on the order
//! in which they came: whoever performs the runs, and wherever, the tables are the same.

mod assembly;
mod chart;
mod failure_domain;
mod fragility;
mod intensities;
mod sweep;

use std::path::Path;

use drystone_analysis::{
    Failure,
    words::{count, significant},
};
use serde_json::{Map, Value};

use crate::{
    job::{Base, Gaps, ModelSpec, Outcomes, Shared, Task, share},
    spec::{Kind, Source, Study, Variant},
};
pub use chart::{Chart, Mark, Series};

/// Most time steps of a run.
const MOST_STEPS: f64 = 1e7;

/// The runs of a study.
pub struct Plan {
    study: Study,
    /// What runs share.
    shared: Shared,
    variants: Vec<Structure>,
    kind: Box<dyn Ways>,
    /// What a reader of the results has to know before any run.
    notes: Vec<String>,
}

/// A structure that is studied.
#[derive(Clone)]
struct Structure {
    /// What the variant is called; empty where there is only one.
    name: String,
    source: Source,
    spec: ModelSpec,
}

impl Structure {
    /// Columns that tell which it is.
    fn columns(&self) -> Map<String, Value> {
        Map::from_iter([("variant".to_string(), Value::from(self.name.as_str()))])
    }

    /// A text that begins with its name, where it has one.
    fn label(&self, text: &str) -> String {
        match self.name.is_empty() {
            true => text.to_string(),
            false => format!("{}: {text}", self.name),
        }
    }
}

/// What came of a study.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// In sentences.
    pub conclusions: Vec<String>,
    /// In numbers.
    pub result: Map<String, Value>,
    /// In charts.
    pub charts: Vec<Chart>,
}

/// What the kinds of studies have in common.
trait Ways: Send + Sync {
    /// The runs, as far as they can be told.
    fn tasks(&self, known: &Outcomes) -> Vec<Task>;

    /// What they come to.
    fn findings(&self, known: &Outcomes) -> Findings;
}

impl Plan {
    /// Plans a study: reads the model and the ground motions.
    pub fn new(study: Study) -> Result<Self, Failure> {
        let mut shared = Shared::new();
        let mut notes = Vec::new();
        let mut variants = Vec::new();
        for variant in study.variants() {
            let one = structure(&study, &variant, &mut shared).map_err(|failure| match variant.name().as_str() {
                "" => failure,
                name => in_place(&failure, &format!("variant `{name}`")),
            })?;
            variants.push(one);
        }
        let kind: Box<dyn Ways> = match study.kind() {
            Kind::FailureDomain => Box::new(failure_domain::Domain::new(&study, &variants, &mut notes)?),
            Kind::Fragility => Box::new(fragility::Suite::new(&study, &variants, &mut shared, &mut notes)?),
            Kind::Sweep => Box::new(sweep::Sweeping::new(&study, &variants, &mut shared)?),
            Kind::Assembly => Box::new(assembly::Building::new(&study, &variants, &shared)?),
        };
        let plan = Self {
            study,
            shared,
            variants,
            kind,
            notes,
        };
        plan.rehearse()?;
        Ok(plan)
    }

    /// Refuses settings of time histories that no run could begin with, or end with: told before the first run, and not by each.
    fn rehearse(&self) -> Result<(), Failure> {
        let tasks = self.tasks(&Outcomes::new());
        let simulations: Vec<&Task> = tasks.iter().filter(|task| task.job.steps().is_some()).collect();
        for task in &simulations {
            let [duration, dt] = task.job.steps().unwrap_or([1.0; 2]);
            let problem = match duration / dt {
                steps if steps > MOST_STEPS => {
                    format!(
                        "up to {} steps; allowed are {}",
                        significant(steps),
                        count(MOST_STEPS as usize)
                    )
                }
                steps if steps < 1.0 => "not one step".to_string(),
                _ => continue,
            };
            let message = format!(
                "{}: a time history of {} s in steps of {} s takes {problem}",
                task.label,
                significant(duration),
                significant(dt)
            );
            return Err(Failure::input(message).help("change simulation.dt, simulation.after or the duration"));
        }
        match simulations.first() {
            Some(first) => {
                let begun = first.job.simulation(&self.shared).map(drop);
                begun.map_err(|failure| in_place(&failure, &first.label))
            }
            None => Ok(()),
        }
    }

    /// Plans the study of a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Self::new(Study::read(path)?)
    }

    /// The study.
    pub fn study(&self) -> &Study {
        &self.study
    }

    /// What it is called: its title, or the name of its structure.
    pub fn title(&self) -> String {
        let name = || match &self.study.model {
            Source::File(path) => Path::new(path)
                .file_stem()
                .map_or_else(|| path.clone(), |s| s.to_string_lossy().into_owned()),
            Source::Recipe(recipe) => recipe.recipe.clone(),
        };
        self.study.title.clone().unwrap_or_else(name)
    }

    /// What runs share.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// What a reader of the results has to know before any run.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// All runs, as far as they can be told from those that are known. More may follow once these are.
    pub fn tasks(&self, known: &Outcomes) -> Vec<Task> {
        let mut seen = std::collections::BTreeSet::new();
        let mut tasks = self.kind.tasks(known);
        tasks.retain(|task| seen.insert(task.id.clone()));
        tasks
    }

    /// What the runs come to that are known.
    pub fn findings(&self, known: &Outcomes) -> Findings {
        self.kind.findings(known)
    }

    /// The first structure, as it is studied.
    pub fn model(&self) -> Result<drystone_model::Model, Failure> {
        let first = self
            .variants
            .first()
            .ok_or_else(|| Failure::input("a study of no structure"))?;
        let model = first.spec.build(&self.shared, Gaps::Bridged)?;
        first.spec.changes.changes().apply(&model)
    }
}

/// The structure of a variant. That it can be built is looked at before any run.
fn structure(study: &Study, variant: &Variant, shared: &mut Shared) -> Result<Structure, Failure> {
    let source = study.model.with(&variant.parameters)?;
    let base = match &source {
        Source::Recipe(recipe) => Base::Recipe(recipe.clone()),
        Source::File(_) => Base::File(share(shared, source.text(&study.folder)?)),
    };
    let changes = study.changes.and(&variant.changes);
    let spec = ModelSpec::new(base, changes);
    let model = spec.build(shared, Gaps::Bridged)?;
    spec.changes.changes().apply(&model)?;
    if let Some(name) = study
        .simulation
        .loads
        .iter()
        .find(|name| !model.load_cases.contains_key(*name))
    {
        return Err(Failure::input(format!(
            "simulation.loads: the model has no load case `{name}`"
        )));
    }
    Ok(Structure {
        name: variant.name(),
        source,
        spec,
    })
}

/// The same failure, said of a place.
fn in_place(failure: &Failure, place: &str) -> Failure {
    let mut said = Failure::input(format!("{place}: {failure}"));
    if let Some(help) = failure.remedy() {
        said = said.help(help);
    }
    said
}

/// A number as a column has it: nothing where it is none.
fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
}

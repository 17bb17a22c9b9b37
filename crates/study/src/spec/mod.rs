//! Study files: what is to be asked, of which structure, how often.
//!
//! A study file is TOML. [`Study::read`] reads one and refuses what makes no sense before anything is computed; the text of
//! every field is what `drystone study --new` and `docs/studies.md` say about it.

mod changes;
mod numbers;
mod simulation;
mod sources;
mod template;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use drystone_analysis::{Failure, Place};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use drystone_model::motion::record::Measure;

use crate::statistics::sampling;

pub(crate) use changes::plain;
pub use changes::{ModelChanges, RecipeSource, Source, Variant};
pub use numbers::{Direction, Numbers, Range, Spacing};
pub use simulation::{CollapseSpec, FrictionLaw, IntegratorName, SimulationSpec};
pub use sources::{Records, Synthetic};
pub use template::{Kind, Named, template};

/// A study: one structure, many questions.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// What it is called in its report (default: the name of the structure).
    pub title: Option<String>,
    /// The structure: a model file, from the folder of the study file, or a recipe with its parameters.
    pub model: Source,
    /// What is different from the model.
    #[serde(default)]
    pub changes: ModelChanges,
    /// The same study of several variants of the structure: a curve for each.
    #[serde(default)]
    pub variants: Vec<Variant>,
    /// How time histories are computed.
    #[serde(default)]
    pub simulation: SimulationSpec,
    /// Which impulses bring it down.
    pub failure_domain: Option<FailureDomain>,
    /// How likely earthquakes of an intensity bring it down.
    pub fragility: Option<Fragility>,
    /// How an answer depends on parameters.
    pub sweep: Option<Sweep>,
    /// Whether it stands at every stage of its construction.
    pub assembly: Option<Assembly>,
    /// Folder of the file.
    #[serde(skip)]
    pub folder: PathBuf,
    /// Text of the file.
    #[serde(skip)]
    pub text: String,
}

/// Which one-sine impulses bring the structure down (paper 003, section 4.5.2).
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FailureDomain {
    /// Direction of the ground's first acceleration: `"x"`, `"-y"`, or a vector.
    pub direction: Direction,
    /// Whether the opposite direction is looked at, too (default: true).
    #[serde(default = "yes")]
    pub both_directions: bool,
    /// Half-periods of the impulses (s).
    pub half_periods: Numbers,
    /// Amplitudes (g).
    pub amplitudes_g: Numbers,
    /// All of them, or only as many as it takes to find the boundary (default: all).
    #[serde(default)]
    pub search: Search,
    /// How closely a search for the boundary encloses it (g; default: 0.02).
    #[serde(default = "resolution_g")]
    pub resolution_g: f64,
    /// Whether the pseudo-static capacity is computed beside it (default: true).
    #[serde(default = "yes")]
    pub capacity: bool,
}

/// How the amplitudes of a failure domain are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// Every amplitude at every half-period: shows safe pockets inside the domain.
    #[default]
    Grid,
    /// At every half-period the amplitudes from below up to the first that brings it down, then between the two.
    Boundary,
}

/// How likely earthquakes of an intensity bring the structure down (paper 003, section 4.5.3).
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Fragility {
    /// Ground motions: a folder, or files, from the folder of the study file.
    pub records: Option<Records>,
    /// Ground motions that are made up, instead of records or beside them.
    pub synthetic: Option<Synthetic>,
    /// Direction of records with one component (default: that of the record, or x).
    pub direction: Option<Direction>,
    /// Intensity measure: `pga`, `pgv`, `sa:PERIOD` (5 % damping) or `arias` (default: `pga`).
    #[serde(default)]
    pub measure: Measure,
    /// Intensities that every record is scaled to: g for `pga` and `sa`, m/s for `pgv` and `arias`.
    pub intensities: Numbers,
    /// Every record at every intensity, or each record up to the intensity that brings the structure down (default: stripes).
    #[serde(default)]
    pub method: FragilityMethod,
    /// How closely an incremental analysis encloses the intensity of collapse (default: a tenth of the smallest step between
    /// intensities).
    pub resolution: Option<f64>,
    /// Stripes: whether those are left out that are decided by others, above one in which all collapse and below one in which
    /// none does (default: false). The result says so.
    #[serde(default)]
    pub skip_decided: bool,
    /// Whether records that cannot be read are left out (default: false: they are refused). The result names them.
    #[serde(default)]
    pub skip_broken: bool,
    /// Resamples of the records for confidence bands (default: 1000).
    #[serde(default = "resamples")]
    pub bootstrap: usize,
    /// Their confidence (default: 0.9: from 5 to 95 %).
    #[serde(default = "confidence")]
    pub confidence: f64,
    /// Seed of the resampling (default: 1).
    #[serde(default = "seed")]
    pub seed: u64,
}

/// How intensities of a fragility study are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FragilityMethod {
    /// Multiple stripe analysis: every record at every intensity.
    #[default]
    Stripes,
    /// Incremental dynamic analysis: every record up to its intensity of collapse.
    Incremental,
}

/// How an answer depends on parameters.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// What is asked at each point.
    pub analysis: Analysis,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// Every combination, or a Latin hypercube (default: every combination).
    #[serde(default)]
    pub design: Design,
    /// Points of a Latin hypercube (default: 50).
    #[serde(default = "samples")]
    pub samples: usize,
    /// Seed of the Latin hypercube and of imperfections (default: 1).
    #[serde(default = "seed")]
    pub seed: u64,
    /// Result that is plotted and whose sensitivity is told (default: the first of the analysis).
    pub quantity: Option<String>,
}

/// What is asked at each point of a sweep.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Analysis {
    /// Does it stand?
    Check {
        /// By which method (default: `cra`).
        #[serde(default = "cra")]
        method: String,
    },
    /// The largest multiplier of a force in proportion to mass, or of a load case.
    Limit {
        /// Direction of the force.
        direction: Option<Direction>,
        /// Load case.
        load: Option<String>,
        /// Friction law (default: associated).
        #[serde(default)]
        friction_law: FrictionLaw,
    },
    /// The critical tilt.
    Tilt {
        /// Axis.
        axis: Direction,
        /// By which method (default: `cra`).
        #[serde(default = "cra")]
        method: String,
    },
    /// A time history.
    Simulate {
        /// How long (s).
        duration: f64,
        /// Motion of the supports, as on the command line. `{NAME}` stands for a parameter `motion:NAME`.
        motion: Option<String>,
    },
}

/// A parameter of a sweep.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// What it changes: `friction`, `density`, `gravity` (times that of the model), `young`, `poisson`, `joint_distance`, `recipe:NAME`, `load:NAME` (a factor),
    /// `tilt:AXIS` (degrees), `motion:NAME`, `model:/PATH` (a JSON pointer into the model file), `missing` (blocks taken away), `undersize` (blocks
    /// smaller than drawn by up to this fraction, at random), `dt`, `stiffness`.
    pub name: String,
    /// Its values: numbers as a list or a range, or words.
    pub values: Option<Choices>,
    /// In a Latin hypercube: how it is distributed.
    pub distribution: Option<sampling::Range>,
}

/// Values of a parameter.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "expected a list of numbers, a list of words, a list of lists of names, or { from, to, count }"
)]
pub enum Choices {
    /// Numbers.
    Numbers(Numbers),
    /// Words.
    Words(Vec<String>),
    /// Several names each.
    Lists(Vec<Vec<String>>),
}

/// How the points of a sweep are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// Every combination of all values.
    #[default]
    Grid,
    /// A Latin hypercube.
    LatinHypercube,
}

/// Whether the structure stands at every stage of its construction (paper 004).
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Assembly {
    /// Names of blocks in the order in which they are placed; a list within the list is placed at once. Left out: an order is
    /// looked for that needs no scaffolding.
    pub order: Option<Vec<Step>>,
    /// By which method (default: `cra`).
    #[serde(default = "cra")]
    pub method: String,
    /// Most checks that a search makes (default: 10,000).
    #[serde(default = "most_checks")]
    pub most_checks: usize,
}

/// What is placed at a time.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged, expecting = "expected the name of a block or a list of names")]
pub enum Step {
    /// One block.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Step {
    /// The blocks.
    pub fn blocks(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

fn yes() -> bool {
    true
}

fn resolution_g() -> f64 {
    0.02
}

fn cra() -> String {
    "cra".into()
}

fn resamples() -> usize {
    1000
}

fn confidence() -> f64 {
    0.9
}

fn seed() -> u64 {
    1
}

fn samples() -> usize {
    50
}

fn most_checks() -> usize {
    10_000
}

impl Study {
    /// Reads a study file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        if path.is_dir() {
            return Err(
                Failure::input(format!("{}: it is a folder; a study file is needed", path.display()))
                    .help("a study leaves a copy of its file in its folder, as study.toml"),
            );
        }
        let bytes = std::fs::read(path).map_err(|e| {
            Failure::input(format!("{}: {e}", path.display()))
                .help("drystone study --new KIND MODEL prints a study file to start from")
        })?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Failure::input(format!("{}: a study file is text in UTF-8", path.display())))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, &path.display().to_string(), folder)
    }

    /// Reads the text of a study file; `file` is the name that errors give, and what it names is looked for in `folder`.
    pub fn parse(text: &str, file: &str, folder: &Path) -> Result<Self, Failure> {
        let mut study: Self = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            let before = &text.as_bytes()[..at];
            let line = 1 + before.iter().filter(|b| **b == b'\n').count();
            let column = 1 + before.iter().rev().take_while(|b| **b != b'\n').count();
            Failure::input(format!("{file}:{line}:{column}: {}", error.message())).at(Place {
                file: file.to_string(),
                line,
                column,
            })
        })?;
        study.folder = folder.to_path_buf();
        study.text = text.to_string();
        study
            .check()
            .map_err(|what| Failure::input(format!("{file}: {what}")))?;
        Ok(study)
    }

    /// Which of the kinds it is.
    pub fn kind(&self) -> Kind {
        match (&self.failure_domain, &self.fragility, &self.sweep) {
            (Some(_), ..) => Kind::FailureDomain,
            (_, Some(_), _) => Kind::Fragility,
            (.., Some(_)) => Kind::Sweep,
            _ => Kind::Assembly,
        }
    }

    /// The variants; one without changes where none are given.
    pub fn variants(&self) -> Vec<Variant> {
        match self.variants.is_empty() {
            true => vec![Variant::default()],
            false => self.variants.clone(),
        }
    }

    fn check(&self) -> Result<(), String> {
        let kinds = [
            ("failure_domain", self.failure_domain.is_some()),
            ("fragility", self.fragility.is_some()),
            ("sweep", self.sweep.is_some()),
            ("assembly", self.assembly.is_some()),
        ];
        let given: Vec<&str> = kinds
            .iter()
            .filter(|(_, given)| *given)
            .map(|(name, _)| *name)
            .collect();
        match given[..] {
            [_] => {}
            [] => {
                return Err(
                    "says nothing to do: one of [failure_domain], [fragility], [sweep], [assembly] is needed".into(),
                );
            }
            _ => return Err(format!("has [{}]; a study is one of them", given.join("] and ["))),
        }
        let mut names = BTreeMap::new();
        for (k, variant) in self.variants.iter().enumerate() {
            if let Some(other) = names.insert(variant.name(), k) {
                let [first, second] = [other + 1, k + 1];
                return Err(match variant.name().as_str() {
                    "" => format!(
                        "variants {first} and {second} change nothing; say what is different, or give them names"
                    ),
                    name => format!("variants {first} and {second} are both called `{name}`; give them names"),
                });
            }
        }
        self.simulation.check()?;
        if let Some(domain) = &self.failure_domain {
            domain.half_periods.checked("failure_domain.half_periods", 1e-4..=1e3)?;
            domain.amplitudes_g.checked("failure_domain.amplitudes_g", 1e-6..=1e3)?;
            domain.direction.checked("failure_domain.direction")?;
            positive("failure_domain.resolution_g", domain.resolution_g)?;
        }
        if let Some(fragility) = &self.fragility {
            fragility.intensities.checked("fragility.intensities", 1e-9..=1e6)?;
            if let Some(direction) = &fragility.direction {
                direction.checked("fragility.direction")?;
            }
            if let Some(resolution) = fragility.resolution {
                positive("fragility.resolution", resolution)?;
            }
            if fragility.records.is_none() && fragility.synthetic.is_none() {
                return Err("[fragility] has no ground motions: give `records` or `synthetic`".into());
            }
            if !(fragility.confidence > 0.0 && fragility.confidence < 1.0) {
                return Err(format!(
                    "fragility.confidence is {}; it must be between 0 and 1",
                    fragility.confidence
                ));
            }
            if fragility.bootstrap > 1_000_000 {
                return Err(format!(
                    "fragility.bootstrap is {}; at most 1,000,000",
                    fragility.bootstrap
                ));
            }
        }
        if let Some(sweep) = &self.sweep {
            sweep.check()?;
        }
        if self.assembly.as_ref().is_some_and(|assembly| assembly.most_checks == 0) {
            return Err("assembly.most_checks is 0; it must be 1 or more".into());
        }
        Ok(())
    }

    /// All of it as JSON, for reports.
    pub fn as_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

fn positive(what: &str, value: f64) -> Result<(), String> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(format!("{what} is {value}; it must be above 0")),
    }
}

impl Sweep {
    fn check(&self) -> Result<(), String> {
        if self.parameters.is_empty() {
            return Err("[sweep] has no parameters".into());
        }
        if self.design == Design::LatinHypercube && !(1..=1_000_000).contains(&self.samples) {
            return Err(format!("sweep.samples is {}; from 1 to 1,000,000", self.samples));
        }
        for (k, parameter) in self.parameters.iter().enumerate() {
            let place = format!("sweep.parameters[{k}] (`{}`)", parameter.name);
            if self.parameters[..k].iter().any(|p| p.name == parameter.name) {
                return Err(format!("{place} is given twice"));
            }
            match (self.design, &parameter.values, &parameter.distribution) {
                (Design::Grid, Some(Choices::Numbers(numbers)), None) => numbers.checked(&place, -1e300..=1e300)?,
                (Design::Grid, Some(Choices::Words(words)), None) if words.is_empty() => {
                    return Err(format!("{place} has no values"));
                }
                (Design::Grid, Some(_), None) => {}
                (Design::Grid, None, _) => return Err(format!("{place} needs `values`")),
                (Design::Grid, Some(_), Some(_)) => {
                    return Err(format!(
                        "{place}: a grid takes `values` only; `distribution` is for a Latin hypercube"
                    ));
                }
                (Design::LatinHypercube, None, Some(distribution)) => {
                    distribution.check().map_err(|e| format!("{place}: {e}"))?
                }
                (Design::LatinHypercube, ..) => {
                    return Err(format!(
                        "{place}: a Latin hypercube takes a `distribution`, and no `values`"
                    ));
                }
            }
        }
        match &self.analysis {
            Analysis::Limit { direction, load, .. } => match (direction, load) {
                (Some(direction), None) => direction.checked("sweep.analysis.limit.direction"),
                (None, Some(_)) => Ok(()),
                _ => Err("sweep.analysis.limit needs either a `direction` or a `load`".into()),
            },
            Analysis::Tilt { axis, .. } => axis.checked("sweep.analysis.tilt.axis").map(drop),
            Analysis::Simulate { duration, .. } => positive("sweep.analysis.simulate.duration", *duration),
            Analysis::Check { .. } => Ok(()),
        }
    }
}

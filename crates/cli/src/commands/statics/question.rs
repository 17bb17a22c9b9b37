//! The structure that is asked about, and what acts on it.

use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;
use serde::{Deserialize, de::IgnoredAny};

use drystone_analysis::{AskError, Case, Geometry};
use drystone_contact::Choice;
use drystone_mechanics::statics::{self, Assembly, Loads, StaticsError};
use drystone_model::{
    Model,
    certificate::Certificate,
    check::{self, Problem},
    file::{self, ReadError},
    import,
};
use drystone_output::file::write_atomically;
use drystone_verify::Verifier;

use crate::{
    Failure, joints,
    numbers::{short, threads},
    overrides::Overrides,
    report::Console,
};

/// Largest factor of a load case.
const LARGEST_FACTOR: f64 = 1e9;

// No doc comment: clap would take it as the text of the command that these options belong to.
#[derive(Args)]
pub(super) struct Question {
    /// Model file, or a COMPAS, OBJ, STL or PLY file
    model: PathBuf,
    /// Threads to use [default: all]. The result does not depend on it
    #[arg(long, value_name = "N", value_parser = threads())]
    threads: Option<usize>,
    /// Also print how it was found and what was measured
    #[arg(long, short = 'v')]
    pub(super) details: bool,
    #[command(flatten)]
    overrides: Overrides,
}

/// A model that is asked about.
pub(super) struct Subject {
    /// As its file gives it.
    as_read: Model,
    /// The same, ready to check certificates of it.
    verifier: Verifier,
    /// With the changes that the command line makes.
    pub(super) model: Model,
    pub(super) assembly: Assembly,
    /// What is wrong with its shapes.
    pub(super) geometry: Geometry,
    overrides: statics::Overrides,
    /// Which faces count as joined, and why.
    pub(super) choice: Choice,
}

impl Question {
    pub(super) fn subject(&self, console: &Console) -> Result<Subject, Failure> {
        let as_read = read(&self.model, console)?;
        let mut model = as_read.clone();
        self.overrides.apply(&mut model)?;
        let choice = joints::settle(&mut model);
        if !console.json && choice.source == drystone_contact::Source::Geometry {
            console.note(&choice.reason);
        }
        let assembly = Assembly::new(&model).map_err(bad)?;
        Ok(Subject {
            overrides: self.overrides.stated(&as_read, &model)?,
            verifier: Verifier::new(&as_read),
            as_read,
            geometry: Geometry::of_assembly(&model, &assembly),
            assembly,
            model,
            choice,
        })
    }

    /// Does the work on as many threads as asked for.
    pub(super) fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
        let Some(threads) = self.threads else { return work() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(Failure::run)?.install(work)
    }
}

impl Subject {
    /// What the structure is called.
    pub(super) fn name(&self) -> &str {
        if self.model.name.is_empty() {
            "the model"
        } else {
            &self.model.name
        }
    }

    /// Load cases that were named, each `NAME` or `NAME:FACTOR`, added up.
    pub(super) fn cases(&self, option: &str, named: &[String]) -> Result<Loads, Failure> {
        let mut sum = Loads::none(&self.assembly);
        for text in named {
            let (name, factor) = self.named(option, text)?;
            let case = Loads::case(&self.model, &self.assembly, name).map_err(|e| match e {
                StaticsError::NoSuchLoad { .. } => Failure::input(format!("{option} {text}: {e}")),
                other => bad(other),
            })?;
            sum = sum.plus(&case, factor);
        }
        Ok(sum)
    }

    fn named<'a>(&self, option: &str, text: &'a str) -> Result<(&'a str, f64), Failure> {
        // A name may hold a colon.
        if self.model.load_cases.contains_key(text) {
            return Ok((text, 1.0));
        }
        let Some((name, factor)) = text.rsplit_once(':') else {
            return Ok((text, 1.0));
        };
        match factor.trim().parse::<f64>() {
            Ok(factor) if factor.abs() <= LARGEST_FACTOR => Ok((name, factor)),
            Ok(factor) if factor.is_finite() => Err(Failure::input(format!(
                "{option} {text}: the factor must be from -{0} to {0}",
                short(LARGEST_FACTOR)
            ))),
            _ => Err(Failure::input(format!(
                "{option} {text}: the factor `{factor}` is not a finite number"
            ))),
        }
    }

    /// The weight under an acceleration.
    pub(super) fn weight(&self, gravity: DVec3) -> Loads {
        Loads::body_force(&self.assembly, gravity)
    }

    /// The question under an acceleration and further loads.
    pub(super) fn case<'a>(&'a self, gravity: DVec3, further: &'a Loads) -> Case<'a> {
        Case {
            as_read: &self.as_read,
            verifier: &self.verifier,
            model: &self.model,
            assembly: &self.assembly,
            overrides: &self.overrides,
            gravity,
            further,
        }
    }
}

/// Writes a certificate and gives its path.
pub(super) fn write(path: &Path, certificate: &Certificate) -> Result<String, Failure> {
    let text = certificate.to_text().map_err(Failure::run)?;
    write_atomically(path, text.as_bytes()).map_err(Failure::run)?;
    Ok(path.display().to_string())
}

/// A question that cannot be asked of this model.
pub(super) fn bad(error: StaticsError) -> Failure {
    Failure::input(error)
}

/// Why there is no answer.
pub(super) fn unanswered(error: AskError) -> Failure {
    match error {
        AskError::Statics(error) => bad(error),
        AskError::Certificate(_) => Failure::run(error),
    }
}

/// What is wrong with the shapes, as rows of a table.
pub(super) fn geometry_rows(geometry: &Geometry) -> Vec<(&'static str, String)> {
    geometry.lines().into_iter().map(|line| ("geometry", line)).collect()
}

/// A direction of length one.
pub(super) fn unit(option: &str, direction: DVec3) -> Result<DVec3, Failure> {
    // Numbers near the ends of their range would overflow in a square.
    let scaled = direction / direction.abs().max_element();
    scaled.try_normalize().ok_or_else(|| {
        let [x, y, z] = direction.to_array();
        Failure::input(format!("{option} {x},{y},{z}: it must have a length")).help("give a direction such as 1,0,0")
    })
}

#[derive(Deserialize)]
struct Peek {
    drystone: Option<IgnoredAny>,
    blocks: Option<IgnoredAny>,
}

/// Reads a model from its own file, or from another program's.
pub(crate) fn read(path: &Path, console: &Console) -> Result<Model, Failure> {
    let ending = path.extension().map(|e| e.to_ascii_lowercase());
    let is_json = ending.is_none_or(|e| e == "json");
    if is_json {
        let bytes =
            file::file_bytes(path, file::LARGEST_FILE, file::Pipes::Allowed).map_err(|source| ReadError::Io {
                path: path.to_path_buf(),
                source,
            })?;
        // What is no JSON at all is best explained by the reader of model files.
        let is_own = match serde_json::from_slice::<Peek>(&bytes) {
            Ok(peek) => peek.drystone.is_some() || peek.blocks.is_some(),
            Err(_) => true,
        };
        if is_own {
            return Ok(file::parse(&bytes, &path.display().to_string())?);
        }
    }
    let imported = import::import_files(&[path.to_path_buf()]).map_err(Failure::input)?;
    let problems = check::problems(&imported.model);
    let errors: Vec<Problem> = problems.into_iter().filter(Problem::is_error).collect();
    if !errors.is_empty() {
        return Err(Failure::from(ReadError::Invalid {
            file: path.display().to_string(),
            problems: errors,
        }));
    }
    if !console.json {
        imported.warnings.iter().for_each(|w| console.warn(w));
    }
    Ok(imported.model)
}

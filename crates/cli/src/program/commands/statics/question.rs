//! The structure that is asked about, and what acts on it.

use std::path::{Path, PathBuf};

use clap::Args;
use glam::DVec3;
use serde::{Deserialize, de::IgnoredAny};

use drystone_analysis::{Geometry, Growing, Situation, Subject};
use drystone_mechanics::statics::StaticsError;
use drystone_model::{
    Model,
    certificate::Certificate,
    check::{self, ModelProblem},
    file::{self, ReadError},
    import,
};
use drystone_output::{
    file::write_atomically,
    report::{Asked, asked},
};

use crate::program::{
    Failure,
    numbers::{short, threads},
    overrides::{Elastic, Overrides},
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

impl Question {
    /// The model of the file.
    pub(super) fn model(&self, console: &Console) -> Result<Model, Failure> {
        read(&self.model, console)
    }

    /// A model in a situation: with the changes of the command line, `loads` given with an option, a tilt, and blocks that
    /// deform.
    pub(super) fn subject(
        &self,
        model: Model,
        (option, loads): (&str, &[String]),
        tilt: Option<(DVec3, f64)>,
        elastic: &Elastic,
        console: &Console,
    ) -> Result<Subject, Failure> {
        let situation = Situation {
            changes: elastic.added_to(self.overrides.changes()),
            tilt,
            loads: cases(&model, option, loads)?,
        };
        let subject = Subject::new(model, &situation)?;
        if !console.json && console.caller.is_none() && subject.choice.source == drystone_contact::Source::Geometry {
            console.note(&subject.choice.reason);
        }
        Ok(subject)
    }

    /// Leaves in a folder what was asked, for reports.
    pub(super) fn leave(
        &self,
        folder: &Path,
        subject: &Subject,
        tilt: Option<(DVec3, f64)>,
        more: Option<Asked>,
        console: &Console,
    ) -> Result<(), Failure> {
        let tilt = tilt.map(|(axis, angle)| (axis.to_array(), angle.to_degrees()));
        asked(folder, subject, tilt, more, (console.command.as_deref(), &self.model))
    }

    /// Does the work on as many threads as asked for.
    pub(super) fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
        let Some(threads) = self.threads else { return work() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(Failure::run)?.install(work)
    }
}

/// Load cases that were named, each `NAME` or `NAME:FACTOR`.
pub(super) fn cases(model: &Model, option: &str, named: &[String]) -> Result<Vec<(String, f64)>, Failure> {
    let one = |text: &String| {
        let (name, factor) = case(model, option, text)?;
        if !model.load_cases.contains_key(name) {
            let error = StaticsError::no_such_load(name, model);
            return Err(Failure::input(format!("{option} {text}: {error}")));
        }
        Ok((name.to_string(), factor))
    };
    named.iter().map(one).collect()
}

fn case<'a>(model: &Model, option: &str, text: &'a str) -> Result<(&'a str, f64), Failure> {
    // A name may hold a colon.
    if model.load_cases.contains_key(text) {
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

/// The load case that grows, by its name.
pub(super) fn growing(model: &Model, option: &str, name: &str) -> Result<Growing, Failure> {
    match model.load_cases.contains_key(name) {
        true => Ok(Growing::Load(name.to_string())),
        false => {
            let error = StaticsError::no_such_load(name, model);
            Err(Failure::input(format!("{option} {name}: {error}")))
        }
    }
}

/// Writes a certificate and gives its path.
pub(super) fn write(path: &Path, certificate: &Certificate) -> Result<String, Failure> {
    let text = certificate.to_text().map_err(Failure::run)?;
    write_atomically(path, text.as_bytes()).map_err(Failure::run)?;
    Ok(path.display().to_string())
}

/// What is wrong with the shapes, as rows of a table.
pub(super) fn geometry_rows(geometry: &Geometry) -> Vec<(&'static str, String)> {
    geometry.lines().into_iter().map(|line| ("geometry", line)).collect()
}

/// A direction of length one.
pub(super) fn unit(option: &str, direction: DVec3) -> Result<DVec3, Failure> {
    drystone_analysis::unit(direction).ok_or_else(|| {
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
    let errors: Vec<ModelProblem> = problems.into_iter().filter(ModelProblem::is_error).collect();
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

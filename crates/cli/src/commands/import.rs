use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use drystone_model::{
    check::{self, Problem},
    file::ReadError,
    import,
};

use crate::{
    error::Failure,
    joints,
    overrides::Overrides,
    report::{Console, count, counted},
    target::Targets,
};

/// Turn other programs' files into a model
///
/// Reads OBJ and PLY (objects and groups are blocks), STL (connected pieces are blocks), COMPAS JSON assemblies, and
/// the brick, spring, rod and motion files of the Chrono masonry simulator (give those that belong together at once).
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone import bridge.obj --supports body_1,body_22 -o bridge.json
  drystone import shelf.json --supports 0 --friction 0.84 -o shelf.json -o shelf.png
  drystone import bricks.txt springs.txt motion.txt -o wall.json")]
pub(crate) struct Import {
    /// Files that make up one model
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    targets: Targets,
    #[command(flatten)]
    overrides: Overrides,
}

impl Import {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let imported = import::import_files(&self.files).map_err(Failure::input)?;
        let mut model = imported.model;
        self.overrides.apply(&mut model)?;
        let mut warnings = imported.warnings;
        let problems = check::problems(&model);
        let errors: Vec<Problem> = problems.iter().filter(|p| p.is_error()).cloned().collect();
        if !errors.is_empty() {
            let names: Vec<String> = self.files.iter().map(|f| f.display().to_string()).collect();
            return Err(Failure::from(ReadError::Invalid {
                file: names.join(", "),
                problems: errors,
            }));
        }
        warnings.extend(problems.iter().map(|p| format!("{}: {}", p.place, p.message)));
        let choice = joints::settle(&mut model);
        let survey = drystone_contact::joints(&model).map_err(Failure::input)?;
        let (misses, warning) = joints::nearly_joined(&model, &survey);
        warnings.extend(warning);
        if !console.json {
            for warning in &warnings {
                console.warn(warning);
            }
        }
        let files = self.targets.write(&model)?;
        let fixed = model.blocks.iter().filter(|b| b.fixed).count();
        let result = json!({
            "blocks": model.blocks.len(),
            "fixed": fixed,
            "interfaces": survey.joints.len(),
            "joint_search": joints::as_json(&choice),
            "nearly_joined": joints::misses_as_json(&model, &misses),
            "files": files,
            "warnings": warnings,
        });
        console.result(&result, || {
            format!(
                "{}, {} fixed, {}: {}\njoints: {}",
                counted(model.blocks.len(), "block"),
                count(fixed),
                counted(survey.joints.len(), "interface"),
                files.join(", "),
                choice.reason
            )
        })
    }
}

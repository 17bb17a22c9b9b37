use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use drystone_model::{
    check::{self, LARGEST_COORDINATE, ModelProblem},
    file::ReadError,
    import::{self, Action, Drawing, DrawingPlane, Treated, Treatment},
};

use crate::program::{
    Failure, joints,
    material::MaterialChoice,
    overrides::{Elastic, Overrides},
    report::{Console, count, counted},
    target::Targets,
};

/// Turn other programs' files into a model
///
/// Reads OBJ and PLY (objects and groups are blocks), STL (connected pieces are blocks), DXF drawings (closed polylines are
/// outlines of blocks, layers their groups), COMPAS JSON assemblies, and
/// the brick, spring, rod and motion files of the Chrono masonry simulator (give those that belong together at once).
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone import bridge.obj --supports body_1,body_22 -o bridge.json
  drystone import shelf.json --supports 0 --friction 0.84 -o shelf.json -o shelf.png
  drystone import bricks.txt springs.txt motion.txt -o wall.json
  drystone import section.dxf --thickness 0.3 --unit mm --material limestone -o section.json
  drystone import scan.ply --repair --skip-bad --supports below:0.05 -o wall.json")]
pub(crate) struct Import {
    /// Files that make up one model
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Leave out blocks that are no solids (open, not manifold, ...), and name each with the reason
    #[arg(long)]
    skip_bad: bool,
    /// Make solids of blocks that are none: merge what is doubled, turn faces, close small holes, or take the convex
    /// hull; says block by block what was done
    #[arg(long)]
    repair: bool,
    /// Drawings (DXF): thickness of blocks whose outlines have none (m)
    #[arg(long, value_name = "M", value_parser = above_zero)]
    thickness: Option<f64>,
    /// Drawings: what they show, the structure from its front or from above
    #[arg(long, value_enum, default_value = "elevation")]
    drawn: Drawn,
    /// Drawings: their unit, in place of what their header says
    #[arg(long, value_enum)]
    unit: Option<Unit>,
    /// Drawings: how far the straight sides that stand for an arc may be off it (m)
    #[arg(long, value_name = "M", default_value = "0.001", value_parser = above_zero)]
    arc_tolerance: f64,
    #[command(flatten)]
    targets: Targets,
    #[command(flatten)]
    material: MaterialChoice,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    elastic: Elastic,
}

/// What a drawing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Drawn {
    /// x to the right, z upwards; blocks reach along y
    Elevation,
    /// x and y; blocks reach upwards
    Plan,
}

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unit {
    Mm,
    Cm,
    M,
    In,
    Ft,
}

impl Unit {
    fn in_metres(self) -> f64 {
        match self {
            Self::Mm => 1e-3,
            Self::Cm => 1e-2,
            Self::M => 1.0,
            Self::In => 0.0254,
            Self::Ft => 0.3048,
        }
    }
}

fn above_zero(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= LARGEST_COORDINATE => Ok(value),
        _ => Err(format!("must be a number above 0, and at most {LARGEST_COORDINATE:e}")),
    }
}

impl Import {
    fn drawing(&self) -> Drawing {
        Drawing {
            plane: match self.drawn {
                Drawn::Elevation => DrawingPlane::Elevation,
                Drawn::Plan => DrawingPlane::Plan,
            },
            thickness: self.thickness,
            unit: self.unit.map(Unit::in_metres),
            arc_tolerance: self.arc_tolerance,
        }
    }

    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let treatment = Treatment {
            skip_bad: self.skip_bad,
            repair: self.repair,
        };
        let imported = import::import_files_as(&self.files, treatment, &self.drawing()).map_err(Failure::input)?;
        let mut model = imported.model;
        self.material.set(&mut model)?;
        let mut model = self.elastic.added_to(self.overrides.changes()).apply(&model)?;
        let mut warnings = imported.warnings;
        let problems = check::problems(&model);
        let errors: Vec<ModelProblem> = problems.iter().filter(|p| p.is_error()).cloned().collect();
        if !errors.is_empty() {
            let names: Vec<String> = self.files.iter().map(|f| f.display().to_string()).collect();
            let failure = Failure::from(ReadError::Invalid {
                file: names.join(", "),
                problems: errors,
            });
            return Err(match self.remedy() {
                Some(remedy) => failure.help(remedy),
                None => failure,
            });
        }
        warnings.extend(problems.iter().map(|p| format!("{}: {}", p.place, p.message)));
        let choice = joints::settle(&mut model);
        let survey = drystone_contact::joints(&model).map_err(Failure::input)?;
        let (misses, warning) = joints::nearly_joined(&model, &survey);
        warnings.extend(warning);
        warnings.extend(self.overrides.changes().nearly_fixed(&model));
        if !console.json {
            for warning in imported
                .treated
                .iter()
                .map(ToString::to_string)
                .chain(warnings.iter().cloned())
            {
                console.warn(&warning);
            }
        }
        let files = self.targets.write(&model)?;
        let fixed = model.blocks.iter().filter(|b| b.fixed).count();
        let (skipped, repaired): (Vec<_>, Vec<_>) = imported.treated.iter().partition(|t| t.action == Action::LeftOut);
        let result = json!({
            "blocks": model.blocks.len(),
            "fixed": fixed,
            "interfaces": survey.joints.len(),
            "joint_search": joints::as_json(&choice),
            "nearly_joined": joints::misses_as_json(&model, &misses),
            "files": files,
            "skipped": skipped.iter().map(|t| told(t)).collect::<Vec<_>>(),
            "repaired": repaired.iter().map(|t| told(t)).collect::<Vec<_>>(),
            "warnings": warnings,
        });
        console.result(&result, || {
            let mut text = format!("{}, {} fixed", counted(model.blocks.len(), "block"), count(fixed));
            for (treated, what) in [(&repaired, "repaired"), (&skipped, "left out")] {
                if !treated.is_empty() {
                    text.push_str(&format!(", {} {what}", count(treated.len())));
                }
            }
            let interfaces = counted(survey.joints.len(), "interface");
            format!("{text}, {interfaces}: {}\njoints: {}", files.join(", "), choice.reason)
        })
    }

    /// What else can be done about blocks that are no solids.
    fn remedy(&self) -> Option<String> {
        let mut options = Vec::new();
        if !self.repair {
            options.push(
                "--repair fixes blocks that are not solids (closes holes, corrects face normals, or takes the hull)",
            );
        }
        if !self.skip_bad {
            options.push("--skip-bad leaves them out");
        }
        (!options.is_empty()).then(|| options.join("; "))
    }
}

/// What was done to a block, as JSON.
fn told(treated: &Treated) -> serde_json::Value {
    match &treated.action {
        Action::LeftOut => json!({ "block": treated.block, "reason": treated.reason }),
        Action::Repaired {
            done,
            hull,
            volume_before,
            volume_after,
        } => json!({
            "block": treated.block,
            "reason": treated.reason,
            "done": done,
            "hull": hull,
            "volume_before_m3": volume_before,
            "volume_after_m3": volume_after,
        }),
    }
}

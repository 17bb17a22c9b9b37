use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use drystone_model::{
    Model,
    check::{Severity, Summary, summary},
    file,
};

use crate::{
    error::Failure,
    overrides::Overrides,
    report::{Console, count, length, mass, size, table, volume},
};

/// Show what a model holds: blocks, mass, size, overlaps, problems
///
/// Mass, volume and size are those of the free blocks; supports are counted apart.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone info arch.json
  drystone info arch.json --json
  drystone info wall.json --supports b1,b2 --density 2400")]
pub(crate) struct Info {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
}

impl Info {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let mut model = file::read(&self.model)?;
        self.overrides.apply(&mut model)?;
        let summary = summary(&model);
        console.result(&as_json(&model, &summary), || as_text(&model, &summary))
    }
}

fn as_json(model: &Model, s: &Summary) -> serde_json::Value {
    let problems: Vec<_> = s
        .problems
        .iter()
        .map(|p| {
            let severity = match p.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            json!({ "severity": severity, "place": p.place, "message": p.message })
        })
        .collect();
    json!({
        "name": model.name,
        "blocks": s.blocks,
        "fixed": s.fixed,
        "free": s.blocks - s.fixed,
        "non_convex": s.non_convex,
        "mass_kg": s.mass,
        "volume_m3": s.volume,
        "fixed_volume_m3": s.fixed_volume,
        "size_m": s.size,
        "components": s.components,
        "touching_pairs": s.touching_pairs,
        "worst_overlap_m": s.worst_overlap,
        "friction": model.joints.friction,
        "load_cases": model.load_cases.keys().collect::<Vec<_>>(),
        "motions": model.motions.keys().collect::<Vec<_>>(),
        "ties": model.ties.len(),
        "stored_interfaces": model.interfaces.len(),
        "problems": problems,
    })
}

/// The summary as rows for people, without the problems.
pub(crate) fn rows(model: &Model, s: &Summary) -> Vec<(&'static str, String)> {
    let non_convex = if s.non_convex > 0 {
        format!(", {} not convex", count(s.non_convex))
    } else {
        String::new()
    };
    let overlap = if s.worst_overlap > 0.0 {
        format!("worst {}", length(s.worst_overlap))
    } else {
        "none".into()
    };
    let mut rows = vec![
        (
            "blocks",
            format!(
                "{} free, {} fixed{non_convex}",
                count(s.blocks - s.fixed),
                count(s.fixed)
            ),
        ),
        ("mass", mass(s.mass)),
        ("volume", volume(s.volume)),
        ("size", size(s.size)),
        ("touching pairs", count(s.touching_pairs)),
        ("connected parts", count(s.components)),
        ("overlaps", overlap),
        ("friction", friction(model)),
    ];
    let lists = [
        (
            "load cases",
            model.load_cases.keys().cloned().collect::<Vec<_>>().join(", "),
        ),
        ("motions", model.motions.keys().cloned().collect::<Vec<_>>().join(", ")),
        (
            "ties",
            if model.ties.is_empty() {
                String::new()
            } else {
                count(model.ties.len())
            },
        ),
        (
            "interfaces",
            if model.interfaces.is_empty() {
                String::new()
            } else {
                format!("{} stored", count(model.interfaces.len()))
            },
        ),
    ];
    rows.extend(lists.into_iter().filter(|(_, value)| !value.is_empty()));
    rows
}

fn friction(model: &Model) -> String {
    let joints = &model.joints;
    let mut text = format!("{}", joints.friction);
    for joint in &joints.groups {
        text.push_str(&format!(
            ", {} on {}: {}",
            joint.between[0], joint.between[1], joint.friction
        ));
    }
    if !joints.blocks.is_empty() {
        text.push_str(&format!(
            ", and {} pairs of blocks of their own",
            count(joints.blocks.len())
        ));
    }
    text
}

fn as_text(model: &Model, s: &Summary) -> String {
    let name = if model.name.is_empty() {
        "unnamed model"
    } else {
        &model.name
    };
    let mut text = format!("{name}\n\n{}", table(&rows(model, s)));
    if !s.problems.is_empty() {
        text.push_str("\nproblems\n");
        for problem in &s.problems {
            text.push_str(&format!("  {problem}\n"));
        }
    }
    text
}

use std::{fmt, path::PathBuf};

use clap::Args;
use serde::Serialize;
use serde_json::json;

use drystone_analysis::{
    Geometry,
    words::{joint_laws, pressure},
};
use drystone_contact::{Choice, NearMiss, Search, Survey, choose};
use drystone_model::{
    Deformable, MeshSpec, Model,
    check::{ModelProblem, ModelSummary, Severity, summary},
    file,
};

use crate::program::{
    Failure, joints,
    numbers::short,
    overrides::{Elastic, Overrides},
    report::{Console, area, count, counted, length, mass, size, table, volume},
};

/// Show what a model holds: blocks, mass, size, contacts, overlaps, problems
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
    #[command(flatten)]
    elastic: Elastic,
}

impl Info {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let (model, look) = self.of(&file::read(&self.model)?)?;
        console.result(&look.as_json(&model), || look.as_text(&model))
    }

    /// Looks at a model, with the changes of the command.
    pub(crate) fn of(&self, model: &Model) -> Result<(Model, Look), Failure> {
        let mut model = self.elastic.added_to(self.overrides.changes()).apply(model)?;
        let choice = joints::settle(&mut model);
        let look = Look::with_joints(&model, choice)?;
        Ok((model, look))
    }
}

/// Everything that can be said of a model without an analysis.
pub(crate) struct Look {
    pub(crate) summary: ModelSummary,
    survey: Survey,
    components: usize,
    problems: Vec<ModelProblem>,
    geometry: Geometry,
    choice: Choice,
    misses: Vec<NearMiss>,
}

impl Look {
    pub(crate) fn at(model: &Model) -> Result<Self, Failure> {
        Self::with_joints(model, choose(model))
    }

    /// Looks at a model whose joints are searched by known settings.
    fn with_joints(model: &Model, choice: Choice) -> Result<Self, Failure> {
        let summary = summary(model);
        let survey = drystone_contact::joints(model).map_err(Failure::input)?;
        let components = survey.components(model);
        let mut problems = summary.problems.clone();
        problems.extend(unsupported(model, &components));
        let (misses, warning) = joints::nearly_joined(model, &survey);
        problems.extend(warning.map(|w| ModelProblem::warning("", w)));
        Ok(Self {
            geometry: Geometry::of(model, &survey),
            choice,
            misses,
            summary,
            survey,
            components: components.len(),
            problems,
        })
    }

    pub(crate) fn as_json(&self, model: &Model) -> serde_json::Value {
        let s = &self.summary;
        let problem = |p: &ModelProblem| {
            let severity = match p.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            json!({ "severity": severity, "place": p.place, "message": p.message })
        };
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
            "components": self.components,
            "contacts": self.survey.contacts(),
            "interfaces": self.survey.joints.len(),
            "contact_area_m2": self.survey.area(),
            "worst_gap_m": self.survey.worst_gap(),
            "touching_pairs": s.touching_pairs,
            "worst_overlap_m": s.worst_overlap,
            "friction": model.joints.friction,
            "joint_laws": model.joints,
            "load_cases": model.load_cases.keys().collect::<Vec<_>>(),
            "deformable": deformable(model),
            "motions": model.motions.keys().collect::<Vec<_>>(),
            "ties": model.ties.len(),
            "stored_interfaces": model.interfaces.len(),
            "joint_search": joints::as_json(&self.choice),
            "nearly_joined": joints::misses_as_json(model, &self.misses),
            "problems": self.problems.iter().map(problem).collect::<Vec<_>>(),
            "geometry_problems": self.geometry,
        })
    }

    /// Rows for people, without the problems.
    pub(crate) fn rows(&self, model: &Model) -> Vec<(&'static str, String)> {
        let (s, joints) = (&self.summary, &self.survey.joints);
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
        let stored = if self.survey.search == Search::Stored {
            ", stored with the model"
        } else {
            ""
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
            (
                "interfaces",
                format!(
                    "{}, {} contact points{stored}",
                    count(joints.len()),
                    count(self.survey.contacts())
                ),
            ),
            ("contact area", area(self.survey.area())),
            ("connected parts", count(self.components)),
            ("overlaps", overlap),
            ("joint laws", joint_laws(&model.joints)),
        ];
        let elastic = deformable(model);
        rows.extend(elastic.iter().map(|set| ("deformable", set.to_string())));
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
        ];
        rows.extend(lists.into_iter().filter(|(_, value)| !value.is_empty()));
        rows
    }

    fn as_text(&self, model: &Model) -> String {
        let name = if model.name.is_empty() {
            "unnamed model"
        } else {
            &model.name
        };
        let mut text = format!("{name}\n\n{}", table(&self.rows(model)));
        text.push_str(&format!("\njoints: {}\n", self.choice.reason));
        if !self.problems.is_empty() {
            text.push_str("\nproblems\n");
            for problem in &self.problems {
                text.push_str(&format!("  {problem}\n"));
            }
        }
        text
    }
}

/// Deformable blocks with one mesh and one elasticity.
#[derive(Serialize)]
struct DeformableSet {
    blocks: usize,
    /// The mesh; none where it is by the shape of each block.
    mesh: Option<MeshSpec>,
    young_pa: f64,
    poisson: f64,
    rayleigh_mass_per_s: f64,
    rayleigh_stiffness_s: f64,
}

/// The deformable blocks by mesh and elasticity, in the order of the first of each.
fn deformable(model: &Model) -> Vec<DeformableSet> {
    let mut sets: Vec<(Deformable, usize)> = Vec::new();
    for found in model.blocks.iter().filter_map(|b| model.deformable_of(b)) {
        match sets.iter_mut().find(|(known, _)| *known == found) {
            Some((_, blocks)) => *blocks += 1,
            None => sets.push((found, 1)),
        }
    }
    let set = |(found, blocks): (Deformable, usize)| DeformableSet {
        blocks,
        mesh: found.mesh,
        young_pa: found.young,
        poisson: found.poisson,
        rayleigh_mass_per_s: found.rayleigh_mass,
        rayleigh_stiffness_s: found.rayleigh_stiffness,
    };
    sets.into_iter().map(set).collect()
}

impl fmt::Display for DeformableSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mesh = self
            .mesh
            .map_or("H8x2x2x2 or T10 by shape".to_string(), |m| m.to_string());
        write!(
            f,
            "{}, {mesh}, Young's modulus {}, Poisson's ratio {}",
            counted(self.blocks, "block"),
            pressure(self.young_pa),
            self.poisson
        )?;
        let damping = [
            (self.rayleigh_mass_per_s, "1/s of mass"),
            (self.rayleigh_stiffness_s, "s of stiffness"),
        ];
        let damping: Vec<String> = damping
            .iter()
            .filter(|(value, _)| *value > 0.0)
            .map(|(value, what)| format!("{} {what}", short(*value)))
            .collect();
        match damping.is_empty() {
            true => Ok(()),
            false => write!(f, ", Rayleigh damping {}", damping.join(" and ")),
        }
    }
}

/// Blocks named one by one before the rest is only counted.
const MOST_NAMED: usize = 10;

/// Blocks that touch nothing, and parts of the structure that hang on no support.
fn unsupported(model: &Model, components: &[Vec<usize>]) -> Vec<ModelProblem> {
    let has_supports = model.blocks.iter().any(|b| b.fixed);
    let is_loose = |c: &&Vec<usize>| components.len() > 1 && !c.iter().any(|&k| model.blocks[k].fixed);
    let alone: Vec<usize> = components
        .iter()
        .filter(is_loose)
        .filter(|c| c.len() == 1)
        .map(|c| c[0])
        .collect();
    let mut problems = Vec::new();
    if !alone.is_empty() {
        let message = format!("{} without any contact: {}", blocks(alone.len()), names(model, &alone));
        problems.push(ModelProblem::warning("", message));
    }
    for part in components
        .iter()
        .filter(is_loose)
        .filter(|c| c.len() > 1 && has_supports)
    {
        let message = format!("{} connected to no support: {}", blocks(part.len()), names(model, part));
        problems.push(ModelProblem::warning("", message));
    }
    problems
}

fn blocks(n: usize) -> String {
    if n == 1 {
        "1 block".to_string()
    } else {
        format!("{} blocks", count(n))
    }
}

fn names(model: &Model, blocks: &[usize]) -> String {
    let named: Vec<String> = blocks
        .iter()
        .take(MOST_NAMED)
        .map(|&k| format!("`{}`", model.blocks[k].name))
        .collect();
    let more = blocks.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        format!("{} and {more} more", named.join(", "))
    } else {
        named.join(", ")
    }
}

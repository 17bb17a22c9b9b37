//! What a structure is made of, and what acts on it.

use drystone_analysis::words::stiffness;
use drystone_model::{Block, JointLaw, LoadCase, Model};
use glam::DVec3;

use super::{
    page::Section,
    texts::{ENGLISH, fill},
    values::{force, mass, pressure, three},
};

/// Rows of a table before the rest is only counted.
const MOST: usize = 24;

/// Densities and masses by group, laws of joints, ties.
pub(super) fn materials(model: &Model) -> Section {
    let texts = &ENGLISH.materials;
    let mut section = Section::new(ENGLISH.headings.materials);
    // Blocks of a group may differ in density.
    let mut groups: Vec<(String, String, usize, f64)> = Vec::new();
    for block in model.free_blocks() {
        let (kg, properties) = model.mass_of(block);
        let name = block.group.as_deref().unwrap_or(texts.ungrouped);
        // What they carry counts in their mass.
        let density = three(model.density_of(block, properties.volume));
        match groups.iter_mut().find(|g| g.0 == name && g.1 == density) {
            Some(group) => {
                group.2 += 1;
                group.3 += kg;
            }
            None => groups.push((name.to_string(), density, 1, kg)),
        }
    }
    let rows = groups
        .into_iter()
        .map(|(name, density, count, kg)| vec![name, density, count.to_string(), mass(kg)])
        .map(|row| vec![row[0].clone(), row[2].clone(), row[1].clone(), row[3].clone()]);
    section = section.table(texts.blocks.map(String::from).to_vec(), cut(rows.collect()));
    let pair = |between: &[String; 2]| fill(texts.pair, &[&between[0], &between[1]]);
    let mut laws: Vec<Vec<String>> = Vec::new();
    for joint in &model.joints.groups {
        laws.push(vec![pair(&joint.between), law(joint.law())]);
    }
    for joint in &model.joints.blocks {
        laws.push(vec![pair(&joint.between), law(joint.law())]);
    }
    laws = cut(laws);
    laws.push(vec![texts.others.to_string(), law(model.joints.law())]);
    section = section.table(texts.joints.map(String::from).to_vec(), laws);
    if model.ties.is_empty() {
        return section;
    }
    let ties = model.ties.iter().map(|tie| {
        let law = tie.law();
        let or_none = |value: f64, unit: &str| match value.is_finite() {
            true => format!("{}{unit}", force(value)),
            false => "∞".to_string(),
        };
        vec![
            tie.name.clone(),
            or_none(law.stiffness, "/m"),
            or_none(law.yield_force, ""),
        ]
    });
    section.table(texts.ties.map(String::from).to_vec(), cut(ties.collect()))
}

fn cut(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    if let more @ 1.. = rows.len().saturating_sub(MOST) {
        let width = rows[0].len();
        rows.truncate(MOST);
        let mut last = vec![String::new(); width];
        last[0] = fill(ENGLISH.materials.more, &[&more.to_string()]);
        rows.push(last);
    }
    rows
}

/// Whether anything holds joints together.
pub(super) fn is_bonded(model: &Model) -> bool {
    let joints = &model.joints;
    let groups = joints.groups.iter().map(|j| j.law());
    let blocks = joints.blocks.iter().map(|j| j.law());
    std::iter::once(joints.law())
        .chain(groups)
        .chain(blocks)
        .any(|law| law.bond.is_some())
}

fn law(law: JointLaw) -> String {
    let texts = &ENGLISH.materials;
    let [sticking, restitution, stiff, tension, cohesion, crushing] = texts.law;
    let angle = law.friction.atan().to_degrees();
    let mut words = vec![fill(texts.friction, &[&three(law.friction), &three(angle)])];
    let mut add = |text: &str, value: Option<String>| words.extend(value.map(|v| fill(text, &[&v])));
    add(sticking, law.static_friction.map(three));
    add(restitution, (law.restitution > 0.0).then(|| three(law.restitution)));
    add(stiff, law.stiffness.map(stiffness));
    if let Some(bond) = law.bond {
        add(tension, bond.tension_pa.map(pressure).or(bond.tension_n.map(force)));
        add(cohesion, bond.cohesion_pa.map(pressure).or(bond.cohesion_n.map(force)));
        if bond.tension_pa.is_none() && bond.tension_n.is_none() {
            add("{}", bond.preset.map(|preset| format!("{preset:?}").to_lowercase()));
        }
    }
    add(crushing, law.crushing_pa.map(pressure));
    words.join(", ")
}

/// Gravity, a tilt, load cases and motions.
pub(super) fn loads(
    model: &Model,
    tilt: Option<([f64; 3], f64)>,
    acting: &[(String, f64)],
    motions: &[String],
) -> Section {
    let texts = &ENGLISH.loads;
    let vector = |v: DVec3| v.to_array().map(three).join(", ");
    let mut section = Section::new(ENGLISH.headings.loads).row(texts.gravity, vector(model.gravity));
    if let Some((axis, angle)) = tilt {
        let about = axis.map(three).join(", ");
        section = section.row(texts.tilt, fill(texts.tilted, &[&three(angle), &about]));
    }
    for motion in motions {
        section = section.row(texts.motion, motion);
    }
    if model.load_cases.is_empty() {
        return section;
    }
    let rows = model.load_cases.iter().map(|(name, case)| {
        let factors = acting.iter().filter(|(acts, _)| acts == name);
        let factor: Option<f64> = factors.map(|(_, factor)| *factor).reduce(|a, b| a + b);
        match factor {
            Some(factor) => {
                let sum = factor * resultant(model, case);
                vec![name.clone(), three(factor), components(sum)]
            }
            None => vec![name.clone(), texts.unused.to_string(), String::new()],
        }
    });
    section.table(texts.cases.map(String::from).to_vec(), cut(rows.collect()))
}

/// Sum of the forces of a load case (N).
fn resultant(model: &Model, case: &LoadCase) -> DVec3 {
    let forces: DVec3 = case.forces.iter().map(|f| f.force).sum();
    let in_groups = |block: &Block, groups: &[String]| {
        groups.is_empty() || block.group.as_ref().is_some_and(|g| groups.contains(g))
    };
    let body = case.body.iter().map(|body| {
        let blocks = model.free_blocks().filter(|b| in_groups(b, &body.groups));
        let kg: f64 = blocks.map(|b| model.mass_of(b).0).sum();
        kg * body.acceleration
    });
    let surfaces = case.surfaces.iter().flat_map(|surface| surface.pressures(model));
    forces + body.sum::<DVec3>() + surfaces.map(|face| face.force).sum::<DVec3>()
}

/// A force by its components, those that are there.
fn components(sum: DVec3) -> String {
    let largest = sum.abs().max_element();
    let parts = ["x", "y", "z"].into_iter().zip(sum.to_array());
    let there: Vec<String> = parts
        .filter(|(_, value)| value.abs() > 1e-9 * largest)
        .map(|(axis, value)| format!("{} along {axis}", force(value)))
        .collect();
    match there.is_empty() {
        true => "0 N".to_string(),
        false => there.join(", "),
    }
}

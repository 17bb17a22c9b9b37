//! The text files of the Chrono masonry simulator: bricks, springs, rigid rods and a ground motion.
//!
//! Files are told apart by their number of columns and put together by [`assemble`]. The simulator has y up; points
//! `(x, y, z)` become `(x, -z, y)`. Its ground motion is a displacement along x. Friction is that program's default.
//! Lines that begin with `#` are comments.

mod bricks;
mod links;
mod table;
mod union;

use glam::DVec3;

pub use self::{
    bricks::{Brick, read_bricks},
    links::{ChronoLink, read_motion, read_rods, read_springs},
};
use super::{
    Imported,
    error::{ImportError, Problems, format_error},
    text::{counted, listed, stem},
    treat::{Action, Treated, Treatment},
};
use crate::{Block, Joints, LoadCase, Model, Motion, PointForce, Shape, SupportMotion, TieEnd};

/// Friction coefficient where that program is told nothing.
const FRICTION: f64 = 0.5;
/// Name of the load case with the forces of a brick file.
const LOAD_CASE: &str = "imported";
/// Name of the ground motion.
const GROUND: &str = "ground";

/// What a file of the simulator holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChronoFile {
    /// Blocks.
    Bricks,
    /// Springs that only pull.
    Springs,
    /// Rods of constant length.
    Rods,
    /// A ground motion.
    Motion,
}

/// Tells what a file holds by the number of its columns.
pub fn kind(bytes: &[u8], file: &str) -> Result<ChronoFile, ImportError> {
    let content = super::text::text(bytes);
    let columns = table::rows(&content).next().map_or(0, |row| row.fields.len());
    match columns {
        2 => Ok(ChronoFile::Motion),
        8 => Err(format_error(
            file,
            "this is a file of spheres (8 columns); only polyhedral blocks can be imported",
        )),
        9 => Ok(ChronoFile::Rods),
        11 => Ok(ChronoFile::Springs),
        23.. => Ok(ChronoFile::Bricks),
        0 => Err(format_error(file, "the file is empty")),
        n => Err(format_error(
            file,
            format!(
                "its first line has {n} columns; brick files have 23 or more, spring files 11, rod files 9 and motion \
                 files 2"
            ),
        )),
    }
}

/// A warning that names the lines switched off by a `#`, if there are any: a block may be among them.
pub fn lines_passed_over(bytes: &[u8], file: &str) -> Option<String> {
    let lines = table::lines_off(&super::text::text(bytes));
    let first = lines.first()?;
    let more = if lines.len() > 1 {
        format!(" and {} more", lines.len() - 1)
    } else {
        String::new()
    };
    Some(format!("{file}: line {first}{more} begins with # and is passed over"))
}

/// The files that make one structure.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// Blocks.
    pub bricks: Vec<Brick>,
    /// Springs and rods.
    pub links: Vec<ChronoLink>,
    /// The ground motion.
    pub motion: Option<Motion>,
}

/// Puts blocks, links and a motion together. `file` names the brick file in messages and gives the model its name.
pub fn assemble(files: Files, file: &str) -> Result<Imported, ImportError> {
    assemble_with(files, file, Treatment::default())
}

/// [`assemble`], with bricks that are no solids left out if that is wanted.
pub fn assemble_with(files: Files, file: &str, treatment: Treatment) -> Result<Imported, ImportError> {
    let mut model = Model::named(stem(file));
    model.joints = Joints::uniform(FRICTION);
    let mut warnings = Vec::new();
    let mut problems = Problems::new(file);
    let (mut sliding, mut driven, mut moving) = (Vec::new(), Vec::new(), Vec::new());
    let mut forces = Vec::new();
    let (mut notes, mut overlapping) = (Vec::new(), Vec::new());
    let mut treated: Vec<Treated> = Vec::new();
    for brick in files.bricks {
        if let Some(text) = brick.ignored {
            notes.push((brick.line, format!("block {}", brick.id), text));
        }
        let (shape, common) = match union::shape(&brick.parts) {
            Ok(found) => found,
            Err(what) if treatment.skip_bad => {
                treated.push(Treated {
                    block: brick.id,
                    reason: format!("line {}: {what}", brick.line),
                    action: Action::LeftOut,
                });
                continue;
            }
            Err(what) => {
                problems.at(brick.line, format!("block {}: {what}", brick.id));
                continue;
            }
        };
        if common > 0.0 {
            overlapping.push(format!("{} ({:.1e} of its volume)", brick.id, common));
        }
        match (brick.fixed, brick.yielding) {
            (true, 0) => moving.push(brick.id.clone()),
            (true, 2) => driven.push(brick.id.clone()),
            (true, 3) => sliding.push(brick.id.clone()),
            _ => {}
        }
        if brick.force != DVec3::ZERO {
            forces.push(PointForce {
                block: brick.id.clone(),
                force: brick.force,
                at: None,
            });
        }
        model.blocks.push(Block {
            fixed: brick.fixed,
            density: Some(brick.density),
            ..Block::new(brick.id, Shape::Mesh(shape))
        });
    }
    problems.finish()?;
    let known: std::collections::HashSet<&str> = model.blocks.iter().map(|b| b.name.as_str()).collect();
    let mut without_block = Vec::new();
    for link in files.links {
        if let Some(text) = link.ignored {
            warnings.push(not_read(
                &link.file,
                link.line,
                &format!("tie {}", link.tie.name),
                &text,
            ));
        }
        let skipped = |end: &TieEnd| treated.iter().any(|t| t.block == end.block);
        if skipped(&link.tie.from) || skipped(&link.tie.to) {
            without_block.push(link.tie.name);
            continue;
        }
        let mut problems = Problems::new(&link.file);
        for end in [&link.tie.from, &link.tie.to] {
            if !known.contains(end.block.as_str()) {
                problems.at(
                    link.line,
                    format!(
                        "tie {} is anchored to block {}, which is not in {file}",
                        link.tie.name, end.block
                    ),
                );
            }
        }
        problems.finish()?;
        model.ties.push(link.tie);
    }
    warnings.extend(said_of(&notes, file));
    if !without_block.is_empty() {
        warnings.push(format!(
            "ties left out with the blocks they name: {}",
            listed(&without_block)
        ));
    }
    if !overlapping.is_empty() {
        warnings.push(format!(
            "parts of a block overlap each other, and what they share counts twice: block {}",
            listed(&overlapping)
        ));
    }
    if !forces.is_empty() {
        warnings.push(format!(
            "the forces on {} are the load case `{LOAD_CASE}`",
            counted(forces.len(), "block")
        ));
        let case = LoadCase {
            forces,
            ..LoadCase::default()
        };
        model.load_cases.insert(LOAD_CASE.to_owned(), case);
    }
    if !sliding.is_empty() {
        warnings.push(format!(
            "supports that slide freely along x in the file (yielding 3) are fixed here: {}",
            listed(&sliding)
        ));
    }
    if !driven.is_empty() {
        warnings.push(format!(
            "supports that a force of the motion file drives (yielding 2) are fixed here: {}",
            listed(&driven)
        ));
    }
    if let Some(motion) = files.motion {
        model.motions.insert(GROUND.to_owned(), motion);
        warnings.push(format!(
            "the motion file is taken as a displacement along x, the motion `{GROUND}` of {}",
            if moving.is_empty() {
                "no support".to_owned()
            } else {
                listed(&moving)
            }
        ));
        if !moving.is_empty() {
            model.support_motions.push(SupportMotion {
                motion: GROUND.to_owned(),
                blocks: moving,
                groups: Vec::new(),
            });
        }
    }
    let mut imported = super::with_blocks(model, warnings, file)?;
    imported.treated = treated;
    Ok(imported)
}

/// A warning for each line with something after its last field; many are told by their first and their number.
fn said_of(notes: &[(usize, String, String)], file: &str) -> Vec<String> {
    const MOST: usize = 5;
    let mut said: Vec<String> = notes
        .iter()
        .take(MOST)
        .map(|(line, what, text)| not_read(file, *line, what, text))
        .collect();
    if notes.len() > MOST {
        said.push(format!(
            "{file}: {} more lines have something after the last field that is not read",
            notes.len() - MOST
        ));
    }
    said
}

fn not_read(file: &str, line: usize, what: &str, text: &str) -> String {
    format!("{file}:{line}: {what}: {text} after the last field is not read")
}

/// From the simulator's axes, y up, to ours.
fn z_up(p: DVec3) -> DVec3 {
    DVec3::new(p.x, -p.z, p.y)
}

#[cfg(test)]
mod tests;

//! The mason behind the recipes that have walls: courses of blocks, one block thick, laid in bond.
//!
//! A building is a set of straight [`Wall`]s along x or y that share their bed levels. A wall is drawn in elevation as
//! [`Panel`]s less [`Opening`]s; where two walls cross in plan, courses take turns in running through, as quoins do.
//! [`Masonry::lay`] turns this into blocks in three steps, each in a file of its own:
//!
//! - `wall`: what is solid, course by course (panels, gables, openings, flat arches);
//! - `course`: which stretch of a course belongs to which wall where walls cross, and what must not be cut there;
//! - `bond`: where the vertical joints of one stretch go, given the joints of the courses above and below.
//!
//! Ends that neighbours share are the same floating-point numbers, so blocks fill the walls without gaps or overlaps.

mod bond;
mod course;
#[cfg(test)]
pub(super) mod facts;
mod span;
mod wall;

pub(super) use course::Masonry;
pub(super) use wall::{Gable, Head, Opening, Panel, Run, Wall};

use glam::DVec3;

use super::{RecipeError, block_count::MOST};
use crate::{Block, Shape};

/// Bed levels from 0 up that pass through each of some increasing heights, with courses in between stretched from
/// about `course_height` to fill the storeys exactly.
pub(super) fn beds(heights: &[f64], course_height: f64) -> Result<Vec<f64>, RecipeError> {
    let mut beds = vec![0.0];
    let mut foot = 0.0;
    for &head in heights {
        let courses = ((head - foot) / course_height).round().max(1.0);
        if beds.len() as f64 + courses > MOST as f64 {
            return Err(too_many());
        }
        let level = |k: usize| foot + (head - foot) * (k as f64 / courses);
        beds.extend((1..courses as usize).map(level));
        beds.push(head);
        foot = head;
    }
    Ok(beds)
}

/// Index of the bed level nearest to a height.
pub(super) fn nearest_bed(beds: &[f64], z: f64) -> usize {
    let off = |k: &usize| (beds[*k] - z).abs();
    (0..beds.len()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0)
}

/// A fixed block under a rectangle of the plan, its top at z = 0.
pub(super) fn ground(name: &str, x: (f64, f64), y: (f64, f64), depth: f64) -> Block {
    let shape = Shape::cuboid(DVec3::new(x.0, y.0, -depth), DVec3::new(x.1, y.1, 0.0));
    Block::new(name, shape).fixed().in_group("ground")
}

fn too_many() -> RecipeError {
    RecipeError::conflict(format!(
        "this would take more than {MOST} blocks; make the units larger or the structure smaller"
    ))
}

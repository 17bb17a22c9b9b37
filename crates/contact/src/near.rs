//! Faces that are near each other, but not joined.

use std::collections::{HashMap, HashSet};

use drystone_model::{JointSearch, Model, geometry::length_text};
use glam::DVec3;

use crate::{
    Joint, Survey,
    interfaces::Interface,
    precision::{misfit, opposite, rounded_up},
};

/// Pairs of blocks named one by one before the remainder is only counted.
const MOST_NAMED: usize = 3;

/// Two blocks with faces that are near each other, but not joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearMiss {
    /// The two blocks, as indices into the model's.
    pub blocks: [usize; 2],
    /// Largest distance between the faces over their common part (m).
    pub distance: f64,
    /// Angle between the faces (degrees).
    pub angle_deg: f64,
}

/// Blocks with faces that are near each other and that a survey did not join, the nearest first: one entry for each pair of
/// blocks. That the blocks are joined elsewhere makes no difference.
pub fn near_misses(model: &Model, survey: &Survey) -> Vec<NearMiss> {
    let mut near: Vec<Interface> = opposite(model).into_iter().filter(|p| p.gaps[1] > 0.0).collect();
    near.sort_by(|p, q| misfit(p).total_cmp(&misfit(q)));
    let mut joints: HashMap<[usize; 2], Vec<&Joint>> = HashMap::new();
    for joint in &survey.joints {
        let [a, b] = joint.blocks;
        joints.entry([a.min(b), a.max(b)]).or_default().push(joint);
    }
    let is_joined = |p: &Interface| {
        joints
            .get(&p.blocks)
            .is_some_and(|all| all.iter().any(|j| lies_in(j, p)))
    };
    near.retain(|p| !is_joined(p));
    let mut named = HashSet::new();
    near.retain(|p| named.insert(p.blocks));
    let miss = |p: Interface| NearMiss {
        blocks: p.blocks,
        distance: misfit(&p),
        angle_deg: p.angle_deg,
    };
    near.into_iter().map(miss).collect()
}

/// Whether a joint is one between the same two faces: it lies between them, and looks the same way.
fn lies_in(joint: &Joint, pair: &Interface) -> bool {
    let middle = |points: &[DVec3]| points.iter().sum::<DVec3>() / points.len().max(1) as f64;
    let at = middle(&joint.points);
    let center = middle(&pair.points);
    let width = pair.points.iter().map(|p| p.distance(center)).fold(0.0, f64::max);
    let n = pair.points.len();
    let is_inside = (0..n).all(|k| {
        let (p, q) = (pair.points[k], pair.points[(k + 1) % n]);
        let across = pair.normal.cross(q - p).normalize_or_zero();
        across.dot(at - p) >= -1e-3 * width
    });
    let turned = JointSearch::MOST_ROUNDED_DEG.to_radians().cos();
    joint.normal.dot(pair.normal).abs() >= turned
        && (at - center).dot(pair.normal).abs() <= misfit(pair) + 1e-3 * width
        && is_inside
}

/// What is nearly joined, in words, with what would join it; nothing where there is nothing.
pub fn describe(model: &Model, misses: &[NearMiss]) -> Option<String> {
    let widest = misses.last()?.distance;
    let one = |miss: &NearMiss| {
        let [a, b] = miss.blocks.map(|b| &model.blocks[b].name);
        let distance = length_text(miss.distance);
        format!("`{a}` and `{b}` ({distance}, {:.2} degrees)", miss.angle_deg)
    };
    let named: Vec<String> = misses.iter().take(MOST_NAMED).map(one).collect();
    let more = match misses.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more pairs"),
    };
    let size = |b: usize| model.blocks[b].polyhedron().bounds().diagonal();
    let is_apart = |miss: &NearMiss| {
        let [a, b] = miss.blocks.map(size);
        miss.distance > model.joint_distance(a.min(b))
    };
    let steepest = misses.iter().map(|miss| miss.angle_deg).fold(0.0, f64::max);
    let mut options = Vec::new();
    if misses.iter().any(is_apart) {
        options.push(format!("--joint-distance {}", rounded_up(widest)));
    }
    if steepest > model.joint_angle_deg() {
        options.push(format!("--joint-angle-deg {}", rounded_up(steepest)));
    }
    let advice = match options.is_empty() {
        true => String::new(),
        false => format!(". If they belong together, {} joins them", options.join(" ")),
    };
    Some(format!(
        "blocks with faces that are near each other but not joined: {}{more}{advice}",
        named.join(", ")
    ))
}

use glam::DVec3;

use super::{ModelProblem, block_place, neighbours, problems};
use crate::{
    Model,
    geometry::{Bounds, Sets},
};

/// What a model amounts to.
#[derive(Clone, Debug)]
pub struct ModelSummary {
    /// Number of blocks, supports included.
    pub blocks: usize,
    /// Number of supports.
    pub fixed: usize,
    /// Number of blocks that are not convex.
    pub non_convex: usize,
    /// Mass of the free blocks (kg).
    pub mass: f64,
    /// Volume of the free blocks (m³).
    pub volume: f64,
    /// Volume of the supports (m³).
    pub fixed_volume: f64,
    /// Size of the box around the free blocks (m); around the supports if nothing is free.
    pub size: DVec3,
    /// Number of parts that do not touch one another.
    pub components: usize,
    /// Number of pairs of blocks that touch or overlap.
    pub touching_pairs: usize,
    /// Deepest overlap of two blocks (m), as [`super::Overlap::depth`] has it; zero if none overlap.
    pub worst_overlap: f64,
    /// Everything found wrong, worst first.
    pub problems: Vec<ModelProblem>,
}

/// Overlapping pairs named one by one before the rest is only counted.
const MOST_OVERLAPS: usize = 20;

/// Looks at everything that can be said of a model without an analysis: this takes longer than reading it.
pub fn summary(model: &Model) -> ModelSummary {
    let mut problems = problems(model);
    let fixed = model.blocks.iter().filter(|b| b.fixed).count();
    let (mut mass, mut volume, mut fixed_volume, mut non_convex) = (0.0, 0.0, 0.0, 0);
    let (mut free_box, mut fixed_box) = (Bounds::EMPTY, Bounds::EMPTY);
    for block in &model.blocks {
        let solid = block.polyhedron();
        let bounds = solid.bounds();
        let solid_volume = solid.volume();
        let tolerance = (1e-9 * bounds.diagonal()).max(2.0 * solid.off_planes());
        non_convex += usize::from(!solid.is_convex(tolerance));
        if block.fixed {
            fixed_volume += solid_volume;
            fixed_box = fixed_box.union(&bounds);
        } else {
            mass += model.mass_of(block).0;
            volume += solid_volume;
            free_box = free_box.union(&bounds);
        }
    }
    let (mut components, mut touching_pairs, mut worst_overlap) = (0, 0, 0.0);
    match neighbours(model) {
        // A shape that is an error already says more of what to do.
        Err(_) if problems.iter().any(ModelProblem::is_error) => {}
        Err((index, error)) => {
            let place = block_place(index, &model.blocks[index].name);
            problems.push(ModelProblem::error(
                place,
                format!("cannot be cut into convex parts: {error}"),
            ));
        }
        Ok(pairs) => {
            touching_pairs = pairs.len();
            let mut sets = Sets::new(model.blocks.len());
            pairs.iter().for_each(|p| sets.join(p.blocks[0], p.blocks[1]));
            components = sets.count();
            let mut deep: Vec<_> = pairs.iter().filter(|p| p.separation < -p.tolerance).collect();
            deep.sort_by(|a, b| a.separation.total_cmp(&b.separation));
            worst_overlap = deep.first().map_or(0.0, |p| -p.separation);
            for pair in deep.iter().take(MOST_OVERLAPS) {
                let [a, b] = pair.blocks.map(|i| block_place(i, &model.blocks[i].name));
                let message = format!(
                    "overlap by {:.3e} m; allowed {:.3e} m. Move them apart, or raise `tolerances.contact` (or `joint_search.precision`)",
                    -pair.separation, pair.tolerance
                );
                problems.push(ModelProblem::warning(format!("{a} and {b}"), message));
            }
            if deep.len() > MOST_OVERLAPS {
                problems.push(ModelProblem::warning(
                    "",
                    format!("{} more pairs overlap", deep.len() - MOST_OVERLAPS),
                ));
            }
        }
    }
    problems.sort_by_key(|p| !p.is_error());
    let size = if free_box.is_empty() {
        fixed_box.size()
    } else {
        free_box.size()
    };
    ModelSummary {
        blocks: model.blocks.len(),
        fixed,
        non_convex,
        mass,
        volume,
        fixed_volume,
        size,
        components,
        touching_pairs,
        worst_overlap,
        problems,
    }
}

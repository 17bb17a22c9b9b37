//! The ground beneath recipes whose supports stand in mid-air. It catches what falls, and carries nothing before: its top is
//! level with the feet of the supports, and below every free block.

use glam::DVec3;

use super::{
    Values,
    parameter::{Parameter, RecipeError, parameters},
};
use crate::{Block, Model, Shape};

/// Recipes that have no ground of their own.
const WITHOUT: &[&str] = &[
    "natural-arch-wall",
    "corbelled-cylinder",
    "arch",
    "bridge",
    "oppenheim-arch",
    "barrel-vault",
    "cross-vault",
    "dome",
    "model-h",
    "model-a",
    "wedge",
    "shelf",
];

/// How far below the lowest free block its top is at least, as a fraction of the height of the free blocks: no tolerance of
/// a search for joints may bridge that.
const CLEAR: f64 = 0.02;
/// Thickness, as a fraction of how far it reaches beyond the structure.
const THICKNESS: f64 = 0.1;

parameters! {
    struct Laid {
        ground: bool = true, in .., "", "Whether a ground lies beneath the supports, which catches what falls";
    }
}

fn is_laid_for(recipe: &str) -> bool {
    WITHOUT.contains(&recipe)
}

/// The value that leaves it out.
pub(super) fn left_out(recipe: &str) -> Option<(String, String)> {
    is_laid_for(recipe).then(|| ("ground".into(), "false".into()))
}

/// The parameter of a recipe that gets a ground.
pub(super) fn parameters_of(recipe: &str) -> Vec<Parameter> {
    if is_laid_for(recipe) {
        Laid::parameters()
    } else {
        Vec::new()
    }
}

/// Lays the ground where a recipe gets one and nobody said otherwise, and where none is there.
pub(super) fn lay(recipe: &str, values: &Values, model: &mut Model) -> Result<(), RecipeError> {
    if is_laid_for(recipe) && Laid::read(values)?.ground && !has_ground(model) {
        model.blocks.push(beneath(model));
    }
    Ok(())
}

/// Whether a support lies beneath all that is free, as where a hole in the ground is closed.
fn has_ground(model: &Model) -> bool {
    let free = model.bounds(|b| !b.fixed);
    model.blocks.iter().filter(|b| b.fixed).any(|block| {
        let own = block.polyhedron().bounds();
        let is_wide =
            own.min.truncate().cmple(free.min.truncate()).all() && own.max.truncate().cmpge(free.max.truncate()).all();
        is_wide && own.max.z <= free.min.z + 1e-9 * free.diagonal()
    })
}

/// A slab that reaches beyond the structure as far as that is high: debris falls outwards about as far.
fn beneath(model: &Model) -> Block {
    let (all, free) = (model.bounds(|_| true), model.bounds(|b| !b.fixed));
    let top = all.min.z.min(free.min.z - CLEAR * free.size().z);
    let reach = all.max.z - top;
    let aside = DVec3::new(reach, reach, 0.0);
    let [low, high] = [all.min - aside, all.max + aside];
    let slab = Shape::cuboid(low.with_z(top - THICKNESS * reach), high.with_z(top));
    Block::new("ground", slab).fixed().in_group("ground")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipes::{
        all, find,
        soundness::{assert_sound, built},
    };

    #[test]
    fn every_recipe_has_a_fixed_block_beneath_all_that_is_free() {
        for recipe in all() {
            let model = recipe.build(&[]).unwrap();
            assert!(has_ground(&model), "{}", recipe.name);
        }
        let values = [("opening".to_string(), "0".to_string())];
        let closed = find("corbelled-cylinder").unwrap().build(&values).unwrap();
        let grounds = closed.blocks.iter().filter(|b| b.fixed).count();
        assert_eq!(grounds, 1, "a ground without a hole needs none beneath");
    }

    /// Otherwise it would carry them, and change verdicts.
    #[test]
    fn the_ground_is_clear_of_free_blocks_and_meets_the_feet_of_supports() {
        for name in WITHOUT {
            let (with, without) = (find(name).unwrap().build(&[]).unwrap(), built(name, ""));
            assert_sound(&with);
            assert_eq!(
                with.blocks[..without.blocks.len()],
                without.blocks[..],
                "{name}: the other blocks are as they were"
            );
            let [ground] = &with.blocks[without.blocks.len()..] else {
                panic!("{name}: {} blocks more", with.blocks.len())
            };
            let top = ground.polyhedron().bounds().max.z;
            let free = with.bounds(|b| !b.fixed);
            assert!(free.min.z - top >= 0.99 * CLEAR * free.size().z, "{name}: {top}");
            assert!(top <= without.bounds(|b| b.fixed).min.z + 1e-12, "{name}");
        }
    }
}

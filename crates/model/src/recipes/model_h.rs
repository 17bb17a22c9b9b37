//! Model H of Kao et al. (2022), figure 3a: a block between two walls, held by nothing but friction that nothing
//! presses.

use glam::DVec3;

use super::{Recipe, RecipeError, parameters};
use crate::{Block, Joints, Model, Shape};

pub(super) const RECIPE: Recipe = Recipe {
    name: "model-h",
    summary: "One free block between two fixed parallel walls, resting on nothing",
    notes: "Kao et al. (2022), figure 3a and table 1; sizes of the authors' published data. The block falls unless it \
            is pressed between the walls; a force-based analysis finds forces that would hold it for any friction \
            above zero. Walls and block share their middle height, which is at z = 0.2 m as in the data.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        width: f64 = 1.8, in 1e-6..=1e5, "m", "Size of the free block along x: the distance between the walls";
        height: f64 = 0.8, in 1e-6..=1e5, "m", "Size of the free block along z";
        depth: f64 = 1.0, in 1e-6..=1e5, "m", "Size of the block and the walls along y";
        wall_height: f64 = 2.4, in 1e-6..=1e5, "m", "Size of a wall along z";
        wall_thickness: f64 = 0.2, in 1e-6..=1e5, "m", "Size of a wall along x";
        friction: f64 = 0.84, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    const MIDDLE: f64 = 0.2;
    let slab = |x0: f64, x1: f64, height: f64| {
        Shape::cuboid(
            DVec3::new(x0, -0.5 * p.depth, MIDDLE - 0.5 * height),
            DVec3::new(x1, 0.5 * p.depth, MIDDLE + 0.5 * height),
        )
    };
    let (inner, outer) = (0.5 * p.width, 0.5 * p.width + p.wall_thickness);
    let mut model = Model::named("model-h");
    model.joints = Joints::uniform(p.friction);
    model.blocks = vec![
        Block::new("right-wall", slab(inner, outer, p.wall_height))
            .fixed()
            .in_group("walls"),
        Block::new("left-wall", slab(-outer, -inner, p.wall_height))
            .fixed()
            .in_group("walls"),
        Block::new("block", slab(-inner, inner, p.height)).in_group("block"),
    ];
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::super::{
        published,
        soundness::{assert_sound, built},
    };

    #[test]
    fn the_block_touches_both_walls_and_nothing_else() {
        for arguments in [
            "",
            "--width 0.1 --height 0.5",
            "--depth 0.01 --wall-height 0.2",
            "--wall-thickness 3 --friction 0",
        ] {
            let model = built("model-h", arguments);
            assert_sound(&model);
            let pairs: Vec<_> = crate::check::neighbours(&model)
                .unwrap()
                .iter()
                .map(|n| n.blocks)
                .collect();
            assert_eq!(pairs, [[0, 2], [1, 2]], "{arguments}");
        }
    }

    #[test]
    fn the_default_is_the_published_model() {
        let Some(theirs) = published::blocks("H") else { return };
        published::assert_same(&built("model-h", ""), &theirs, 1e-6);
    }
}

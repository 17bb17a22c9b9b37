//! The three-legged pi of Kao et al. (2022), table 1: a slab on three legs, tilted until it falls.

use glam::DVec3;

use super::{Recipe, RecipeError, parameters};
use crate::{Block, Joints, Model, Shape};

pub(super) const RECIPE: Recipe = Recipe {
    name: "three-legged-pi",
    summary: "A slab on three legs in a row, like the letter pi with a third leg",
    notes: "Kao et al. (2022), table 1 (after Shin and others): 4 free blocks on 1 fixed one, friction angle 43 \
            degrees, critical tilt 19.5 degrees. No sizes are published; these are ours. When the ground tilts about \
            y, legs and slab turn over together like a parallelogram, whatever they weigh, once the tangent of the \
            tilt passes the width over the height of a leg: the legs are as slender as the published critical tilt \
            asks for.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        leg_width: f64 = 0.3541, in 1e-4..=1e4, "m", "Size of a leg along x";
        leg_height: f64 = 1.0, in 1e-4..=1e4, "m", "Size of a leg along z";
        depth: f64 = 0.6, in 1e-4..=1e4, "m", "Size of legs and slab along y";
        spacing: f64 = 1.0, in 1e-4..=1e4, "m", "Distance between the axes of the legs";
        overhang: f64 = 0.2, in 0.0..=1e4, "m", "How far the slab reaches beyond the outer legs";
        slab_height: f64 = 0.3, in 1e-4..=1e4, "m", "Size of the slab along z";
        friction: f64 = 0.9325, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    if p.spacing < p.leg_width {
        return Err(RecipeError::conflict(format!(
            "--spacing {}: the legs would overlap; give at least their width, {}",
            p.spacing, p.leg_width
        )));
    }
    let half = p.spacing + 0.5 * p.leg_width + p.overhang;
    let top = p.leg_height + p.slab_height;
    let slab = |x0: f64, x1: f64, margin: f64, z0: f64, z1: f64| {
        Shape::cuboid(
            DVec3::new(x0, -0.5 * p.depth - margin, z0),
            DVec3::new(x1, 0.5 * p.depth + margin, z1),
        )
    };
    let margin = 0.25 * half;
    let mut model = Model::named("three-legged-pi");
    model.joints = Joints::uniform(p.friction);
    let ground = slab(-half - margin, half + margin, margin, -margin, 0.0);
    model
        .blocks
        .push(Block::new("ground", ground).fixed().in_group("ground"));
    for (name, axis) in [("left-leg", -p.spacing), ("middle-leg", 0.0), ("right-leg", p.spacing)] {
        let leg = slab(
            axis - 0.5 * p.leg_width,
            axis + 0.5 * p.leg_width,
            0.0,
            0.0,
            p.leg_height,
        );
        model.blocks.push(Block::new(name, leg).in_group("legs"));
    }
    let deck = Block::new("slab", slab(-half, half, 0.0, p.leg_height, top));
    model.blocks.push(deck.in_group("slab"));
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::super::soundness::{assert_sound, built, free_volume};
    use crate::recipes::find;

    #[test]
    fn each_leg_joins_the_ground_to_the_slab() {
        for arguments in [
            "",
            "--overhang 0",
            "--leg-width 0.1 --leg-height 3",
            "--depth 4 --spacing 9 --slab-height 0.01",
        ] {
            let model = built("three-legged-pi", arguments);
            assert_sound(&model);
            assert_eq!(model.free_blocks().count(), 4);
            assert_eq!(crate::check::neighbours(&model).unwrap().len(), 6, "{arguments}");
        }
        let volume = free_volume(&built("three-legged-pi", "--leg-width 0.5 --depth 1"));
        assert!((volume - (3.0 * 0.5 + 2.9 * 0.3)).abs() < 1e-12);
    }

    #[test]
    fn legs_that_overlap_are_refused() {
        let values = [("spacing".to_string(), "0.2".to_string())];
        assert!(find("three-legged-pi").unwrap().build(&values).is_err());
    }
}

//! Model A of Kao et al. (2022), figure 3b: a block that widens downwards between two walls that lean over it.

use glam::DVec2;

use super::{Recipe, RecipeError, parameters};
use crate::{Block, Joints, Model, geometry::Polyhedron};

pub(super) const RECIPE: Recipe = Recipe {
    name: "model-a",
    summary: "One free trapezoidal block between two fixed walls that lean inwards over it",
    notes: "Kao et al. (2022), figure 3b; sizes of the authors' published data. The block falls; a force-based \
            analysis finds forces that would hold it. Each wall is a plank whose inner face lies along the block's \
            side and begins `foot` below the block. A negative lean opens the walls upwards: then the block is a \
            wedge that rests on them.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        width: f64 = 2.309401, in 1e-6..=1e5, "m", "Width of the free block along its lower face";
        height: f64 = 0.8, in 1e-6..=1e5, "m", "Size of the free block along z";
        depth: f64 = 1.0, in 1e-6..=1e5, "m", "Size of the block and the walls along y";
        lean_deg: f64 = 30.0, in -80.0..=80.0, "deg", "Inward lean of the walls from the vertical";
        foot: f64 = 0.85, in 0.0..=1e5, "m", "How far below the block the inner face of a wall begins";
        wall_length: f64 = 2.9, in 1e-6..=1e6, "m", "Length of a wall along its slope";
        wall_thickness: f64 = 0.2, in 1e-6..=1e5, "m", "Thickness of a wall across its slope";
        friction: f64 = 0.84, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let lean = p.lean_deg.to_radians();
    // The lower face of the block lies at z = -0.2 m, as in the published data.
    let corner = DVec2::new(0.5 * p.width, -0.2);
    let up = DVec2::new(-lean.sin(), lean.cos());
    let out = DVec2::new(lean.cos(), lean.sin());
    let upper = corner + up * (p.height / lean.cos());
    let foot = corner - up * (p.foot / lean.cos());
    let head = foot + up * p.wall_length;
    fits(p, upper, foot, head)?;

    let block = [
        DVec2::new(-corner.x, corner.y),
        corner,
        upper,
        DVec2::new(-upper.x, upper.y),
    ];
    let wall = [foot, foot + out * p.wall_thickness, head + out * p.wall_thickness, head];
    let mirrored = wall.map(|c| DVec2::new(-c.x, c.y));
    let solid = |outline: &[DVec2]| Polyhedron::from_elevation(outline, -0.5 * p.depth, 0.5 * p.depth);
    let mut model = Model::named("model-a");
    model.joints = Joints::uniform(p.friction);
    model.blocks = vec![
        Block::new("right-wall", solid(&wall)).fixed().in_group("walls"),
        Block::new("left-wall", solid(&mirrored)).fixed().in_group("walls"),
        Block::new("block", solid(&block)).in_group("block"),
    ];
    Ok(model)
}

fn fits(p: &Params, upper: DVec2, foot: DVec2, head: DVec2) -> Result<(), RecipeError> {
    if upper.x <= 1e-6 * p.width {
        return Err(RecipeError::conflict(format!(
            "--lean-deg {}: the walls meet below the top of the block; lower the lean or the --height {}, or raise the \
             --width {}",
            p.lean_deg, p.height, p.width
        )));
    }
    // The faces are the only part of a wall that can come near the other wall.
    if head.x < 0.0 || foot.x < 0.0 {
        return Err(RecipeError::conflict(format!(
            "--lean-deg {}: walls of length {} with a foot {} below the block run into each other; shorten them",
            p.lean_deg, p.wall_length, p.foot
        )));
    }
    if head.y <= foot.y + p.foot {
        return Err(RecipeError::conflict(format!(
            "--wall-length {}: the walls end below the block; lengthen them or lower the --foot {}",
            p.wall_length, p.foot
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{
        published,
        soundness::{assert_sound, built, free_volume},
    };
    use crate::recipes::find;

    #[test]
    fn the_block_touches_both_walls_and_nothing_else() {
        for arguments in [
            "",
            "--lean-deg 0",
            "--lean-deg -20 --foot 0.3",
            "--lean-deg 60 --height 0.2 --foot 0.1 --wall-length 1",
        ] {
            let model = built("model-a", arguments);
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
    fn the_block_is_a_trapezoid() {
        let top = 2.0 - 2.0 * 0.5 * 15f64.to_radians().tan();
        let volume = free_volume(&built("model-a", "--width 2 --height 0.5 --depth 3 --lean-deg 15"));
        assert!((volume - 3.0 * 0.5 * 0.5 * (2.0 + top)).abs() < 1e-12);
    }

    #[test]
    fn the_default_is_the_published_model() {
        let Some(theirs) = published::blocks("A") else { return };
        published::assert_same(&built("model-a", ""), &theirs, 2e-6);
    }

    #[test]
    fn walls_that_cross_or_miss_the_block_are_refused() {
        for (name, value, reason) in [
            ("height", "3", "meet below the top"),
            ("wall-length", "4", "run into each other"),
            ("wall-length", "0.5", "end below the block"),
        ] {
            let values = [(name.to_string(), value.to_string())];
            let message = find("model-a").unwrap().build(&values).unwrap_err().to_string();
            assert!(message.contains(reason), "{message}");
        }
    }
}

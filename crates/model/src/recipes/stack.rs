//! Blocks on each other, straight, leaning, or overhanging as far as they can: the smallest structures whose limits
//! are known in closed form.

use glam::DVec3;

use super::{Recipe, RecipeError, above, block_count::within_limit, choices, not, parameters};
use crate::{Block, Model, Shape};

pub(super) const RECIPE: Recipe = Recipe {
    name: "stack",
    summary: "Equal blocks on each other, straight, leaning or overhanging harmonically",
    notes: "Textbook structure. Each block is shifted along x against the one beneath it: by `offset` throughout \
            (`--lean uniform`), or by offset/1, offset/2, offset/3... counted from the top (`--lean harmonic`). \
            Harmonic with an offset of half the width is the stack of blocks on the verge of toppling at every joint. \
            The lowest block stands with its middle at x = 0 on ground that reaches beyond the stack.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

choices! { pub(super) enum Lean { Uniform = "uniform", Harmonic = "harmonic" } }

parameters! {
    struct Params {
        blocks: usize = 10, in 1..=200_000, "", "Number of blocks";
        width: f64 = 1.0, in 1e-6..=1e5, "m", "Size of a block along x";
        depth: f64 = 0.5, in 1e-6..=1e5, "m", "Size of a block along y";
        height: f64 = 0.25, in 1e-6..=1e5, "m", "Size of a block along z";
        offset: f64 = 0.0, in -1e5..=1e5, "m", "Shift of the topmost block along x against the one beneath it",
            needs [above("blocks", 1.0)];
        lean: Lean = Lean::Uniform, in Lean::WORDS, "", "Whether the blocks further down are shifted as much, or less and less",
            needs [not("offset", 0.0), above("blocks", 2.0)];
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    within_limit(p.blocks as f64 + 1.0, "Lower --blocks.")?;
    if p.offset.abs() >= p.width {
        return Err(RecipeError::conflict(format!(
            "--offset {}: the blocks are {} m wide and would not touch; give an offset below that",
            p.offset, p.width
        )));
    }
    let mut model = Model::named("stack");
    let middles = middles(p);
    let (left, right) = middles
        .iter()
        .fold((0f64, 0f64), |(low, high), &x| (low.min(x), high.max(x)));
    let margin = p.width.max(p.depth);
    let ground = Shape::cuboid(
        DVec3::new(
            left - 0.5 * p.width - margin,
            -0.5 * p.depth - margin,
            -p.height.max(0.1 * margin),
        ),
        DVec3::new(right + 0.5 * p.width + margin, 0.5 * p.depth + margin, 0.0),
    );
    model
        .blocks
        .push(Block::new("ground", ground).fixed().in_group("ground"));
    for (k, x) in middles.into_iter().enumerate() {
        let low = DVec3::new(x - 0.5 * p.width, -0.5 * p.depth, k as f64 * p.height);
        let high = DVec3::new(x + 0.5 * p.width, 0.5 * p.depth, (k + 1) as f64 * p.height);
        let block = Block::new(format!("block-{}", k + 1), Shape::cuboid(low, high));
        model.blocks.push(block.in_group("stack"));
    }
    Ok(model)
}

/// Where the middle of each block lies along x, from the lowest up.
fn middles(p: &Params) -> Vec<f64> {
    let mut x = 0.0;
    let mut middles = vec![x];
    for k in 1..p.blocks {
        x += match p.lean {
            Lean::Uniform => p.offset,
            Lean::Harmonic => p.offset / (p.blocks - k) as f64,
        };
        middles.push(x);
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::super::soundness::{assert_sound, built, free_volume};
    use crate::recipes::find;

    #[test]
    fn blocks_stand_on_each_other_without_gaps() {
        for arguments in [
            "",
            "--blocks 1",
            "--blocks 5 --offset 0.2",
            "--blocks 30 --offset -0.5 --lean harmonic",
            "--blocks 4 --width 0.001 --depth 0.002 --height 0.0005 --offset 0.0009",
        ] {
            let model = built("stack", arguments);
            assert_sound(&model);
            let touching = crate::check::neighbours(&model).unwrap();
            assert_eq!(touching.len(), model.blocks.len() - 1, "{arguments}");
        }
        assert!((free_volume(&built("stack", "--blocks 7")) - 7.0 * 0.125).abs() < 1e-12);
    }

    /// Above every joint the blocks' common centre of mass lies over the edge of the block beneath.
    #[test]
    fn a_harmonic_stack_of_half_a_width_is_balanced_on_every_edge() {
        let model = built("stack", "--blocks 8 --offset 0.5 --lean harmonic");
        let x: Vec<f64> = model.blocks[1..]
            .iter()
            .map(|b| b.polyhedron().bounds().center().x)
            .collect();
        for joint in 1..x.len() {
            let above = &x[joint..];
            let centre = above.iter().sum::<f64>() / above.len() as f64;
            assert!((centre - (x[joint - 1] + 0.5)).abs() < 1e-12);
        }
    }

    #[test]
    fn a_stack_that_no_model_file_could_hold_is_refused() {
        let values = [("blocks", "100000"), ("height", "1e5")].map(|(k, v)| (k.to_string(), v.to_string()));
        let message = find("stack").unwrap().build(&values).unwrap_err().to_string();
        assert!(
            message.contains("1.0e10 m") && message.contains("at most 1e8 m"),
            "{message}"
        );
    }

    #[test]
    fn blocks_that_would_not_touch_are_refused() {
        let values = [("offset".to_string(), "1.5".to_string())];
        let message = find("stack").unwrap().build(&values).unwrap_err().to_string();
        assert!(message.contains("would not touch"), "{message}");
    }
}

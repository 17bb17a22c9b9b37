//! A barrel vault: courses of voussoirs along the axis, in running bond from one course to the next.

use super::{
    Recipe, RecipeError, parameters,
    voussoir::{Ring, Side, between, numbered, prism, springer},
};
use crate::{Block, Model};

pub(super) const RECIPE: Recipe = Recipe {
    name: "barrel-vault",
    summary: "A semicircular or segmental barrel vault of bonded courses on two fixed abutments",
    notes: "Courses run along y, from springing to springing. Every other course, counted from the springings, has \
            half blocks at its ends, so that joints across the axis are staggered by half a block. The number of \
            courses is odd: one of them is the keystone course. Voussoirs are straight-sided: their corners lie on \
            the circles of soffit and back. The abutments run along the whole vault below its end joints.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        radius: f64 = 3.0, in 1e-3..=1e4, "m", "Radius of the centreline";
        thickness: f64 = 0.4, in 1e-4..=1e4, "m", "Depth of the voussoirs, radially";
        embrace_deg: f64 = 180.0, in 10.0..=180.0, "deg", "Angle of embrace: from the first joint to the last";
        length: f64 = 4.0, in 1e-3..=1e4, "m", "Length of the vault, along y";
        voussoirs: usize = 17, in 1..=399, "", "Number of courses between the abutments; odd";
        blocks_along: usize = 5, in 1..=200, "", "Whole blocks in a course; courses with halves have one more";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    if p.voussoirs.is_multiple_of(2) {
        return Err(RecipeError::conflict(format!(
            "--voussoirs {}: a barrel vault closes with a keystone course, so their number is odd; give {} or {}",
            p.voussoirs,
            p.voussoirs - 1,
            p.voussoirs + 1
        )));
    }
    let ring = Ring::about(p.radius, p.thickness)?;
    let joints = ring.joints(p.embrace_deg.to_radians(), p.voussoirs)?;
    let mut model = Model::named("barrel-vault");
    for (joint, side) in [(0, Side::Left), (p.voussoirs, Side::Right)] {
        let solid = prism(springer(&joints[joint], side), -0.5 * p.length, 0.5 * p.length);
        model
            .blocks
            .push(Block::new(side.name(), solid).fixed().in_group("ground"));
    }
    for (course, pair) in joints.windows(2).enumerate() {
        let prefix = numbered("course", course + 1, p.voussoirs);
        let edges = edges(p, course);
        for (i, y) in edges.windows(2).enumerate() {
            let name = numbered(&format!("{prefix}-block"), i + 1, p.blocks_along + 1);
            let block = Block::new(name, prism(between(&pair[0], &pair[1]), y[0], y[1]));
            model.blocks.push(block.in_group("vault"));
        }
    }
    Ok(model)
}

/// Where the blocks of a course end, along y. Courses at the springings have whole blocks.
fn edges(p: &Params, course: usize) -> Vec<f64> {
    let at = |blocks: f64| p.length * (blocks / p.blocks_along as f64 - 0.5);
    let n = p.blocks_along;
    if course.is_multiple_of(2) {
        (0..=n).map(|i| at(i as f64)).collect()
    } else {
        let inner = (0..n).map(|i| at(i as f64 + 0.5));
        [at(0.0)].into_iter().chain(inner).chain([at(n as f64)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipes::soundness::{assert_sound, built, free_volume};

    #[test]
    fn courses_of_five_blocks_and_of_six_take_turns() {
        let model = built("barrel-vault", "");
        assert_sound(&model);
        assert_eq!(model.free_blocks().count(), 9 * 5 + 8 * 6);
        assert_eq!(model.blocks.iter().filter(|b| b.fixed).count(), 2);
    }

    #[test]
    fn the_volume_is_that_of_the_polygonal_ring_times_the_length() {
        for (arguments, embrace, courses) in [("", 180.0_f64, 17.0), ("--embrace-deg 110 --voussoirs 9", 110.0, 9.0)] {
            let model = built("barrel-vault", arguments);
            let step = embrace.to_radians() / courses;
            let volume = 4.0 * courses * 0.5 * (3.2_f64.powi(2) - 2.8_f64.powi(2)) * step.sin();
            assert!((free_volume(&model) - volume).abs() < 1e-12 * volume);
        }
    }

    #[test]
    fn joints_across_the_axis_are_staggered_by_half_a_block() {
        let p = Params::default();
        let (whole, halved) = (edges(&p, 0), edges(&p, 1));
        let half = 0.5 * p.length / p.blocks_along as f64;
        for y in &halved[1..halved.len() - 1] {
            let nearest = whole.iter().map(|x| (x - y).abs()).fold(f64::INFINITY, f64::min);
            assert!((nearest - half).abs() < 1e-12);
        }
    }

    #[test]
    fn vaults_of_other_shapes_are_sound_and_an_even_number_of_courses_is_refused() {
        for arguments in [
            "--embrace-deg 60 --voussoirs 5 --blocks-along 2",
            "--voussoirs 1 --embrace-deg 40 --blocks-along 1",
            "--thickness 3 --radius 2 --voussoirs 31 --length 20",
        ] {
            assert_sound(&built("barrel-vault", arguments));
        }
        let error = RECIPE.build(&[("voussoirs".into(), "8".into())]).unwrap_err();
        assert!(matches!(error, RecipeError::Conflict(m) if m.contains("give 7 or 9")));
    }
}

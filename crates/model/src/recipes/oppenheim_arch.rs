//! Oppenheim's arch: the multi-block arch of Nodargi and Bisegna (2024), section 4.3.

use super::{
    Recipe, RecipeError, parameters,
    voussoir::{Ring, Side, between, numbered, prism, springer},
};
use crate::{Block, Joints, Model};

pub(super) const RECIPE: Recipe = Recipe {
    name: "oppenheim-arch",
    summary: "Oppenheim's circular arch of seven blocks that do not slide",
    notes: "Nodargi and Bisegna (2024), section 4.3: centreline of radius 10 m, thickness over radius 0.15, angle of embrace \
            of 150 degrees, seven equal blocks numbered from right to left. The paper forbids sliding; a friction \
            coefficient of 2 does. It gives no width; 1 m is taken, which changes nothing in the plane. Blocks are \
            straight-sided, with corners on the circles of soffit and back, and rest on two fixed skewbacks.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        radius: f64 = 10.0, in 1e-3..=1e4, "m", "Radius of the centreline";
        thickness_ratio: f64 = 0.15, in 0.001..=1.9, "", "Thickness over the radius of the centreline";
        embrace_deg: f64 = 150.0, in 10.0..=180.0, "deg", "Angle of embrace: from the first joint to the last";
        blocks: usize = 7, in 1..=2000, "", "Number of free blocks";
        width: f64 = 1.0, in 1e-3..=1e4, "m", "Size along y";
        friction: f64 = 2.0, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let ring = Ring::about(p.radius, p.thickness_ratio * p.radius)?;
    let joints = ring.joints(p.embrace_deg.to_radians(), p.blocks)?;
    let (y0, y1) = (-0.5 * p.width, 0.5 * p.width);
    let mut model = Model::named("oppenheim-arch");
    model.joints = Joints::uniform(p.friction);
    for (joint, side) in [(p.blocks, Side::Right), (0, Side::Left)] {
        let block = Block::new(side.name(), prism(springer(&joints[joint], side), y0, y1));
        model.blocks.push(block.fixed().in_group("ground"));
    }
    for (i, pair) in joints.windows(2).rev().enumerate() {
        let outline = between(&pair[0], &pair[1]);
        let block = Block::new(numbered("block", i + 1, p.blocks), prism(outline, y0, y1));
        model.blocks.push(block.in_group("arch"));
    }
    Ok(model)
}

#[cfg(test)]
mod tests {
    use crate::recipes::soundness::{assert_sound, built, free_volume};

    #[test]
    fn seven_equal_blocks_span_150_degrees_numbered_from_right_to_left() {
        let model = built("oppenheim-arch", "");
        assert_sound(&model);
        let centroids: Vec<_> = model
            .free_blocks()
            .map(|b| b.polyhedron().mass_properties().centroid)
            .collect();
        assert_eq!(centroids.len(), 7);
        assert!(centroids.windows(2).all(|c| c[0].x > c[1].x));
        assert_eq!(model.joints.friction, 2.0);
        let (inner, outer, step) = (9.25_f64, 10.75_f64, (150.0_f64 / 7.0).to_radians());
        let volume = 7.0 * 0.5 * (outer * outer - inner * inner) * step.sin();
        assert!((free_volume(&model) - volume).abs() < 1e-12 * volume);
        // The lowest joints rise 15 degrees from the centre.
        assert!((model.bounds(|b| !b.fixed).min.z - inner * 15_f64.to_radians().sin()).abs() < 1e-12);
    }

    #[test]
    fn it_is_sound_over_the_range_of_its_failure_domain() {
        for arguments in [
            "--embrace-deg 180 --thickness-ratio 0.12",
            "--embrace-deg 90 --thickness-ratio 0.25 --friction 0.7",
            "--blocks 1 --embrace-deg 30",
            "--blocks 40 --thickness-ratio 1.5",
        ] {
            assert_sound(&built("oppenheim-arch", arguments));
        }
    }
}

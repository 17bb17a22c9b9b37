//! One block on the ground, perhaps tilted: the Housner block and the 3D rigid block of Nodargi and Bisegna (2024),
//! sections 4.1, 4.2.

use glam::{DQuat, DVec3};

use super::{Recipe, RecipeError, parameters};
use crate::{Block, Model, Pose, Rotation, Shape};

pub(super) const RECIPE: Recipe = Recipe {
    name: "block",
    summary: "One block on the ground, perhaps tilted about an edge of its base",
    notes: "Nodargi and Bisegna (2024), section 4.1 (Housner block: width 0.6 m, height 2 m, tilt 15 degrees) and \
            section 4.2 (square base). A tilted block stands on the base edge it is tilted over.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        width: f64 = 0.6, in 1e-6..=1e5, "m", "Size along x";
        depth: f64 = 0.6, in 1e-6..=1e5, "m", "Size along y";
        height: f64 = 2.0, in 1e-6..=1e5, "m", "Size along z";
        tilt_deg: f64 = 0.0, in -89.0..=89.0, "deg", "Tilt about the y axis, over the base edge on that side";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let mut model = Model::named("block");
    let reach = 2.0 * p.width.max(p.depth).max(p.height);
    let ground = Shape::cuboid(DVec3::new(-reach, -reach, -0.25 * reach), DVec3::new(reach, reach, 0.0));
    model
        .blocks
        .push(Block::new("ground", ground).fixed().in_group("ground"));
    let mut block = Block::new(
        "block",
        Shape::Box(crate::BoxShape {
            size: DVec3::new(p.width, p.depth, p.height),
            center: DVec3::ZERO,
        }),
    );
    // The edge it is tilted over stays where it was: at +x for a positive tilt.
    let tilt = p.tilt_deg.to_radians();
    let edge = DVec3::new(0.5 * p.width * tilt.signum(), 0.0, 0.0);
    let arm = DVec3::new(0.0, 0.0, 0.5 * p.height) - edge;
    let rotation = (p.tilt_deg != 0.0).then_some(Rotation::AxisAngle {
        axis: DVec3::Y,
        angle_deg: p.tilt_deg,
    });
    block.pose = Pose {
        position: edge + DQuat::from_rotation_y(tilt) * arm,
        rotation,
    };
    model.blocks.push(block);
    Ok(model)
}

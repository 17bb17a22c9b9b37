//! A mechanism as an animation: blocks go along their motions and come back.

use drystone_model::Model;
use glam::{DQuat, DVec3};

use crate::{
    OutputError,
    glb::Animation,
    history::{Frame, Rest},
};

/// How far the fastest point goes, over the size of the structure.
const AMPLITUDE: f64 = 0.1;
/// Seconds there and back.
const DURATION: f64 = 4.0;
const FRAMES: u32 = 60;

/// An animated glTF file (`.glb`) of a mechanism. `motions` are the velocity of the centre of mass (m/s) and the angular
/// velocity (rad/s) of each block; they are enlarged or reduced so that the fastest corner moves by a tenth of the
/// structure's size. Blocks turn as rigid bodies, so that none grows.
pub fn mechanism(model: &Model, motions: &[[DVec3; 2]]) -> Result<Vec<u8>, OutputError> {
    let rest = Rest::of(model);
    let expected = model.blocks.len();
    if motions.len() != expected {
        return Err(OutputError::WrongCount {
            time_s: 0.0,
            what: "motions".to_string(),
            found: motions.len(),
            expected,
        });
    }
    let mut fastest = 0.0_f64;
    for ((block, centre), [linear, angular]) in model.blocks.iter().zip(rest.centres()).zip(motions) {
        for corner in block.polyhedron().vertices {
            let speed = (*linear + angular.cross(corner - *centre)).length();
            fastest = fastest.max(speed);
        }
    }
    let size = model.bounds(|b| !b.fixed).diagonal();
    let most = if fastest > 0.0 { AMPLITUDE * size / fastest } else { 0.0 };
    let mut animation = Animation::new(model)?;
    for step in 0..=FRAMES {
        let part = f64::from(step) / f64::from(FRAMES);
        let reach = most * (std::f64::consts::PI * part).sin().powi(2);
        let mut blocks = rest.frame();
        for (state, [linear, angular]) in blocks.iter_mut().zip(motions) {
            state.position += reach * *linear;
            state.rotation = DQuat::from_scaled_axis(reach * *angular);
        }
        animation.push(&Frame {
            step: u64::from(step),
            time_s: DURATION * part,
            blocks: &blocks,
            contacts: &[],
            measures: &[],
        })?;
    }
    animation.glb()
}

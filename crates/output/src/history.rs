//! How a structure moves: what the writers of tables, series and animations take.
//!
//! A run is written frame by frame. A [`Frame`] borrows what the run holds anyway, so that thousands of frames of
//! thousands of blocks pass through without being kept. Placements are relative to the model: the block of the model,
//! in world coordinates, is turned about its centre of mass by [`BlockState::rotation`] and moved so that its centre of
//! mass comes to [`BlockState::position`]. The model itself is the frame in which nothing is turned and every position
//! is a centre of mass of the model ([`Rest::frame`]).

use drystone_cone::Twist;
use drystone_contact::Placement;
use drystone_mechanics::dynamics::ContactForce;
use drystone_model::{
    Model,
    geometry::{Bounds, Polyhedron},
};
use glam::{DAffine3, DQuat, DVec3};

use crate::OutputError;

/// One moment of a run.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Number of the time step.
    pub step: u64,
    /// Time (s).
    pub time_s: f64,
    /// One for each block of the model, in its order.
    pub blocks: &'a [BlockState],
    /// Where blocks touch, or nearly do.
    pub contacts: &'a [ContactForce],
    /// Numbers by name, one for each block of the model, that VTK files carry beside the others: `damage` and the like.
    pub measures: &'a [(&'a str, &'a [f64])],
}

/// Where a block is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockState {
    /// Centre of mass (m).
    pub position: DVec3,
    /// Rotation from the block as it lies in the model: the identity at the start. Of any length but zero.
    pub rotation: DQuat,
    /// Velocity of the centre of mass (m/s).
    pub velocity: DVec3,
    /// Angular velocity in world axes (rad/s).
    pub angular_velocity: DVec3,
}

impl BlockState {
    /// A block as mechanics has it.
    pub fn new(place: &Placement, motion: &Twist) -> Self {
        Self {
            position: place.center,
            rotation: place.rotation,
            velocity: motion.linear,
            angular_velocity: motion.angular,
        }
    }

    /// A block that stands still where its centre of mass lies in the model.
    pub fn at_rest(centre: DVec3) -> Self {
        Self {
            position: centre,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        }
    }

    /// The map from the block's place in the model to the present one, given its centre of mass in the model.
    pub fn map(&self, centre: DVec3) -> DAffine3 {
        let rotation = self.rotation.normalize();
        DAffine3::from_rotation_translation(rotation, self.position - rotation * centre)
    }
}

/// The centres of mass of a model at rest, which placements refer to.
#[derive(Clone, Debug)]
pub struct Rest<'a> {
    model: &'a Model,
    centres: Vec<DVec3>,
}

impl<'a> Rest<'a> {
    /// The centres of a model's blocks.
    pub fn of(model: &'a Model) -> Self {
        Self {
            model,
            centres: model.blocks.iter().map(|b| model.center_of(b)).collect(),
        }
    }

    /// The model.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// Centre of mass of each block in the model (m).
    pub fn centres(&self) -> &[DVec3] {
        &self.centres
    }

    /// Every block at rest where the model puts it.
    pub fn frame(&self) -> Vec<BlockState> {
        self.centres.iter().map(|&c| BlockState::at_rest(c)).collect()
    }

    /// Whether a frame fits the model: a placement for each block, every one of them finite.
    pub fn check(&self, frame: &Frame<'_>) -> Result<(), OutputError> {
        let expected = self.centres.len();
        let counts = frame.measures.iter().map(|(name, values)| (*name, values.len()));
        for (what, found) in [("placements", frame.blocks.len())].into_iter().chain(counts) {
            if found != expected {
                return Err(OutputError::WrongCount {
                    time_s: frame.time_s,
                    what: what.to_string(),
                    found,
                    expected,
                });
            }
        }
        let is_bad = |s: &BlockState| !(s.position.is_finite() && s.rotation.length_recip().is_finite());
        match frame.blocks.iter().position(is_bad) {
            None => Ok(()),
            Some(index) => {
                let DQuat { x, y, z, w } = frame.blocks[index].rotation;
                Err(OutputError::BadPlacement {
                    time_s: frame.time_s,
                    index,
                    name: self.model.blocks[index].name.clone(),
                    position: frame.blocks[index].position.to_array(),
                    quaternion: [w, x, y, z],
                })
            }
        }
    }

    /// The maps from the model to a frame, one for each block.
    pub fn maps(&self, frame: &Frame<'_>) -> Result<Vec<DAffine3>, OutputError> {
        self.check(frame)?;
        let pairs = frame.blocks.iter().zip(&self.centres);
        Ok(pairs.map(|(state, &centre)| state.map(centre)).collect())
    }

    /// The smallest box around the free blocks of a frame (m); all blocks where none is free.
    pub fn bounds(&self, frame: &Frame<'_>) -> Result<Bounds, OutputError> {
        let solids = self.displaced(frame)?;
        let any_free = self.model.blocks.iter().any(|b| !b.fixed);
        let seen = solids
            .iter()
            .zip(&self.model.blocks)
            .filter(|(_, b)| !b.fixed || !any_free);
        Ok(seen.fold(Bounds::EMPTY, |all, (solid, _)| all.union(&solid.bounds())))
    }

    /// The blocks as they lie in a frame, in world coordinates.
    pub fn displaced(&self, frame: &Frame<'_>) -> Result<Vec<Polyhedron>, OutputError> {
        let maps = self.maps(frame)?;
        let blocks = self.model.blocks.iter().zip(&maps);
        Ok(blocks.map(|(b, map)| b.polyhedron().transformed(map)).collect())
    }
}

#[cfg(test)]
mod tests {
    use drystone_model::{Block, Pose, Shape};

    use super::*;

    fn model() -> Model {
        let mut model = Model::named("two");
        for k in 0..2 {
            let shape = Shape::cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
            let mut block = Block::new(format!("b{k}"), shape);
            block.pose = Pose::at(DVec3::X * 5.0 * f64::from(k));
            model.blocks.push(block);
        }
        model
    }

    fn frame(blocks: &[BlockState]) -> Frame<'_> {
        Frame {
            step: 0,
            time_s: 0.5,
            blocks,
            contacts: &[],
            measures: &[],
        }
    }

    #[test]
    fn a_block_turns_about_its_centre_of_mass_and_moves_with_it() {
        let model = model();
        let rest = Rest::of(&model);
        assert!(rest.centres()[1].abs_diff_eq(DVec3::new(5.5, 1.0, 1.5), 1e-12));
        let mut states = rest.frame();
        states[1].position = DVec3::new(9.0, 9.0, 9.0);
        // Of length two: only the direction of a quaternion matters.
        states[1].rotation = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2) * 2.0;
        let solids = rest.displaced(&frame(&states)).unwrap();
        assert_eq!(solids[0], model.blocks[0].polyhedron());
        let bounds = solids[1].bounds();
        // A quarter turn about z exchanges the sizes in x and y.
        assert!(bounds.size().abs_diff_eq(DVec3::new(2.0, 1.0, 3.0), 1e-12));
        assert!(bounds.center().abs_diff_eq(DVec3::splat(9.0), 1e-12));
    }

    #[test]
    fn a_frame_that_does_not_fit_the_model_is_an_error_that_says_where() {
        let model = model();
        let rest = Rest::of(&model);
        let mut states = rest.frame();
        let told = rest.check(&frame(&states[..1])).unwrap_err().to_string();
        assert!(told.contains("1 placements") && told.contains("2 blocks"), "{told}");
        let damage = [0.0; 3];
        let measures = [("damage", damage.as_slice())];
        let measured = Frame {
            measures: &measures,
            ..frame(&states)
        };
        assert!(rest.check(&measured).unwrap_err().to_string().contains("3 damage"));
        states[1].rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        let told = rest.check(&frame(&states)).unwrap_err().to_string();
        assert!(told.contains("0.5 s") && told.contains("`b1`"), "{told}");
        states[1] = BlockState::at_rest(DVec3::NAN);
        assert!(rest.check(&frame(&states)).is_err());
    }
}

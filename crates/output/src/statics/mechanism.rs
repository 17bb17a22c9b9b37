//! A mechanism: as an animation, in which blocks go along their motions and come back, and as a drawing.

use drystone_cone::Twist;
use drystone_mechanics::statics::{
    Structure,
    results::{JointMotion, JointState, joint_motions},
};
use drystone_model::Model;
use glam::{DAffine3, DQuat, DVec2, DVec3};

use super::{
    drawing::{LEGEND, SLIDING, THRUST, hinge, sliding},
    legend::{Entry, Legend},
};
use crate::{
    OutputError,
    glb::Animation,
    history::{Frame, Rest},
    marks::Mark,
    picture::{Picture, Stage, View},
};

/// How far the fastest point goes, over the size of the structure.
const AMPLITUDE: f64 = 0.1;
/// Seconds there and back.
const DURATION: f64 = 4.0;
const FRAMES: u32 = 60;
/// How far hinges may come apart on a drawing, over the size of the structure, and the shortest way that blocks go for that.
const DRIFT: f64 = 0.008;
const SHORTEST: f64 = 0.4;
/// Speed of a joint, over the largest, from which it is marked.
const MARKED: f64 = 0.02;
/// Length of a joint on the drawing, over the width of lines, below which sliding is marked by a disc.
const SHORT: f64 = 8.0;
/// Part of the motion (of the squares of speeds) along the line of sight up to which a view square on shows it.
const UNSEEN: f64 = 0.15;

/// Motions of blocks, enlarged or reduced so that the fastest corner moves by a tenth of the structure's size.
struct Motion<'a> {
    rest: Rest<'a>,
    motions: &'a [Twist],
    /// How far they are followed to the end.
    most: f64,
    /// Squares of the speeds of all corners, along each axis.
    squares: DVec3,
}

impl<'a> Motion<'a> {
    fn new(model: &'a Model, motions: &'a [Twist]) -> Result<Self, OutputError> {
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
        let (mut fastest, mut squares) = (0.0_f64, DVec3::ZERO);
        for ((block, centre), motion) in model.blocks.iter().zip(rest.centres()).zip(motions) {
            for corner in block.polyhedron().vertices {
                let speed = motion.at(corner - *centre);
                fastest = fastest.max(speed.length());
                squares += speed * speed;
            }
        }
        let size = model.bounds(|b| !b.fixed).diagonal();
        let most = if fastest > 0.0 { AMPLITUDE * size / fastest } else { 0.0 };
        Ok(Self {
            rest,
            motions,
            most,
            squares,
        })
    }

    /// Where each centre of mass is and how each block is turned, at a fraction of the way.
    fn along(&self, fraction: f64) -> impl Iterator<Item = (DVec3, DQuat)> {
        let reach = fraction * self.most;
        let pairs = self.rest.centres().iter().zip(self.motions);
        pairs.map(move |(&centre, motion)| screwed(centre, motion, reach))
    }

    /// The same as maps from the model.
    fn maps(&self, fraction: f64) -> Vec<DAffine3> {
        let pairs = self.along(fraction).zip(self.rest.centres());
        pairs
            .map(|((position, rotation), &centre)| {
                DAffine3::from_rotation_translation(rotation, position - rotation * centre)
            })
            .collect()
    }
}

/// Where a motion that goes on as a screw brings a centre of mass: a block that turns about an edge keeps that edge where it is.
fn screwed(centre: DVec3, motion: &Twist, reach: f64) -> (DVec3, DQuat) {
    let turn = reach * motion.angular;
    let rotation = DQuat::from_scaled_axis(turn);
    let Some(axis) = turn.try_normalize() else {
        return (centre + reach * motion.linear, rotation);
    };
    let along = motion.linear.dot(axis) * axis;
    let from_axis = -motion.angular.cross(motion.linear) / motion.angular.length_squared();
    (centre - from_axis + rotation * from_axis + reach * along, rotation)
}

/// An animated glTF file (`.glb`) of a mechanism, given the velocity of each block; blocks turn as rigid bodies, so that none
/// grows.
pub fn mechanism(model: &Model, motions: &[Twist]) -> Result<Vec<u8>, OutputError> {
    let motion = Motion::new(model, motions)?;
    let mut animation = Animation::new(model)?;
    for step in 0..=FRAMES {
        let part = f64::from(step) / f64::from(FRAMES);
        let mut blocks = motion.rest.frame();
        let places = motion.along((std::f64::consts::PI * part).sin().powi(2));
        for (state, (position, rotation)) in blocks.iter_mut().zip(places) {
            (state.position, state.rotation) = (position, rotation);
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

/// A drawing of a mechanism: the blocks moved, with outlines of where they were, and marks where they turn about each other and
/// where they slide.
#[derive(Clone, Debug)]
pub struct MechanismDrawing<'a> {
    model: &'a Model,
    motions: &'a [Twist],
    joints: Vec<JointMotion>,
    /// The two blocks of each joint.
    pairs: Vec<[usize; 2]>,
    turned: DQuat,
    title: String,
}

impl<'a> MechanismDrawing<'a> {
    /// A drawing of 1600 by 1000 pixels, seen square on where that shows the motion.
    pub fn new(model: &'a Model, structure: &Structure, motions: &'a [Twist]) -> Self {
        Self {
            model,
            motions,
            joints: joint_motions(structure, motions),
            pairs: structure.joints.iter().map(|joint| joint.blocks).collect(),
            turned: DQuat::IDENTITY,
            title: String::new(),
        }
    }

    /// A line of text above it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// The whole turned: a tilt.
    #[must_use]
    pub fn turned(mut self, by: DQuat) -> Self {
        self.turned = by;
        self
    }

    /// As a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, OutputError> {
        let (picture, placed) = self.picture()?;
        picture.marked_png(&|stage| self.marks(&placed, stage))
    }

    /// As an SVG file.
    pub fn svg(&self) -> Result<String, OutputError> {
        let (picture, placed) = self.picture()?;
        picture.marked_svg(&|stage| self.marks(&placed, stage))
    }

    fn picture(&self) -> Result<(Picture<'a>, Vec<DAffine3>), OutputError> {
        let motion = Motion::new(self.model, self.motions)?;
        let whole = DAffine3::from_quat(self.turned);
        let drift = self.drift(&motion.maps(1.0)) / self.model.bounds(|b| !b.fixed).diagonal();
        // It grows with the square of the way.
        let fraction = (DRIFT / drift).sqrt().clamp(SHORTEST, 1.0);
        let placed: Vec<DAffine3> = motion.maps(fraction).into_iter().map(|map| whole * map).collect();
        let mut picture = Picture::new(self.model)
            .view(self.view(motion.squares))
            .placed(placed.clone())
            .behind(vec![whole; placed.len()])
            .note("direction of the motion; its size is not to scale")
            .aside(LEGEND * 1000.0);
        if !self.title.is_empty() {
            picture = picture.title(self.title.clone());
        }
        Ok((picture, placed))
    }

    /// How far hinges come apart, because blocks go along straight on (m).
    fn drift(&self, maps: &[DAffine3]) -> f64 {
        let hinges = self.joints.iter().zip(&self.pairs);
        let hinges = hinges.filter(|(joint, _)| joint.state == JointState::Hinge);
        let apart = |(joint, blocks): (&JointMotion, &[usize; 2])| {
            let [a, b] = blocks.map(|block| maps[block]);
            let ends = joint.edge.iter().flatten();
            let apart = ends.map(|&p| a.transform_point3(p).distance(b.transform_point3(p)));
            apart.fold(0.0, f64::max)
        };
        hinges.map(apart).fold(0.0, f64::max)
    }

    /// Square on where the structure is thin and little of the motion is along the line of sight; else from above, where all of it
    /// shows.
    fn view(&self, squares: DVec3) -> View {
        let part = squares / squares.element_sum().max(f64::MIN_POSITIVE);
        match View::of(self.model) {
            View::FRONT if part.y > UNSEEN => View::default(),
            View::SIDE if part.x > UNSEEN => View::default(),
            view => view,
        }
    }

    fn marks(&self, placed: &[DAffine3], stage: &Stage<'_>) -> Vec<Mark> {
        let fastest = self.joints.iter().map(|j| j.speed).fold(0.0, f64::max);
        let mut marks = Vec::new();
        let mut rings = Vec::new();
        let (mut turns, mut slides) = (false, false);
        for (joint, blocks) in self.joints.iter().zip(&self.pairs) {
            let Some(edge) = joint.edge.filter(|_| joint.speed > MARKED * fastest) else {
                continue;
            };
            // Half-way between the two blocks, which drift apart a little as their motion is followed.
            let [a, b] = blocks.map(|block| placed[block]);
            let edge = edge.map(|p| 0.5 * (a.transform_point3(p) + b.transform_point3(p)));
            let ends: [DVec2; 2] = edge.map(|p| stage.place(p));
            if joint.state == JointState::Sliding {
                slides = true;
                // Seen along the joint, a bar would be a point.
                marks.push(match ends[0].distance(ends[1]) < SHORT * stage.line {
                    true => Mark::Disc {
                        at: 0.5 * (ends[0] + ends[1]),
                        radius: 2.2 * stage.line,
                        color: SLIDING,
                    },
                    false => sliding(ends, SLIDING, stage),
                });
                continue;
            }
            turns = true;
            marks.push(Mark::line(ends.to_vec(), stage.line, THRUST));
            // At the end that is nearer to the eye.
            let near = usize::from(stage.nearness(edge[1]) > stage.nearness(edge[0]));
            rings.extend(hinge(ends[near], stage));
        }
        marks.extend(rings);
        let entries = [(true, Entry::Before), (turns, Entry::Hinge), (slides, Entry::Sliding)];
        let legend = Legend {
            pixels_per_newton: 0.0,
            largest: 0.0,
            entries: entries.into_iter().filter(|e| e.0).map(|e| e.1).collect(),
        };
        marks.extend(legend.marks(stage));
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_rocks_keeps_its_edge_where_it_is() {
        // About the y axis through the origin, the centre of mass a metre up and half a metre aside.
        let centre = DVec3::new(-0.5, 0.0, 1.0);
        let angular = DVec3::new(0.0, 0.3, 0.0);
        let motion = Twist {
            linear: angular.cross(centre),
            angular,
        };
        let (position, rotation) = screwed(centre, &motion, 2.0);
        let edge = position + rotation * (DVec3::new(0.0, 3.0, 0.0) - centre);
        assert!(edge.abs_diff_eq(DVec3::new(0.0, 3.0, 0.0), 1e-12), "{edge}");
        assert!((position.length() - centre.length()).abs() < 1e-12);
        // Along its axis it goes straight on.
        let along = Twist {
            linear: DVec3::Y,
            angular,
        };
        assert!(
            screwed(centre, &along, 2.0)
                .0
                .abs_diff_eq(centre + 2.0 * DVec3::Y, 1e-12)
        );
    }
}

//! Structures at rest: pictures of forces, VTK files of contact points and joints, and the mechanism as an animation.
//!
//! [`write_files`] leaves all of them in a folder. Drawings take plain numbers, by joint ([`JointForce`]) and by contact point
//! ([`ContactPointForce`]), which [`joint_forces`] and [`point_forces`] take from what was found.

mod drawing;
mod files;
mod flow;
mod found;
mod legend;
mod mechanism;
mod tables;

use drystone_mechanics::statics::results::JointState;
use glam::DVec3;

pub use drawing::Drawing;
pub use files::{FILES, mechanism_files, write as write_files, written};
pub use flow::{CourseForce, FlowDrawing};
pub use found::{joint_forces, point_forces, thrust_lines};
pub use mechanism::{MechanismDrawing, mechanism};
pub use tables::{joints_vtp, points_vtp};

/// What passes through a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointForce {
    /// Positions of the two blocks in the model.
    pub blocks: [u32; 2],
    /// Its corners (m).
    pub outline: Vec<DVec3>,
    /// Unit normal from the first block to the second.
    pub normal: DVec3,
    /// Force of the first block on the second (N).
    pub force: DVec3,
    /// Where it acts (m): the centre of pressure, or the centre of the joint.
    pub at: DVec3,
    /// What the joint does.
    pub state: JointState,
    /// Shear over the largest that friction allows; nothing where it does not press or has no friction.
    pub friction_use: Option<f64>,
    /// Sum of the tensions in it (N).
    pub tension: f64,
    /// Distance of the centre of pressure from the centre, over that of the outline.
    pub eccentricity: f64,
    /// Edge that it turns about, where it is a hinge (m).
    pub edge: Option<[DVec3; 2]>,
    /// Contact stress at each corner (Pa); empty where there is none.
    pub stress: Vec<f64>,
    /// Normal force over area (Pa).
    pub mean_stress: f64,
    /// Part of the area that is compressed.
    pub compressed: f64,
}

/// What passes through a contact point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPointForce {
    /// Its joint.
    pub joint: u32,
    /// Positions of the two blocks in the model.
    pub blocks: [u32; 2],
    /// Where it is (m).
    pub position: DVec3,
    /// Unit normal from the first block to the second.
    pub normal: DVec3,
    /// Force of the first block on the second, without tension (N).
    pub force: DVec3,
    /// Tension (N).
    pub tension: f64,
    /// Friction coefficient.
    pub friction: f64,
}

impl ContactPointForce {
    /// Tangential force over the largest that friction allows; 0 where nothing is pressed, at most 1.
    pub fn friction_use(&self) -> f64 {
        let pressing = self.force.dot(self.normal);
        let bound = self.friction * pressing;
        if bound > 0.0 {
            ((self.force - pressing * self.normal).length() / bound).min(1.0)
        } else {
            0.0
        }
    }
}

/// How a thrust line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// That of the forces shown.
    Computed,
    /// That of the smallest thrust.
    Minimum,
    /// That of the largest thrust.
    Maximum,
}

/// A thrust line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// How it is drawn.
    pub kind: LineKind,
    /// Where it passes (m).
    pub points: Vec<DVec3>,
    /// Its horizontal thrust (N), for the legend.
    pub thrust: Option<f64>,
}

//! What passes through each joint.

use glam::DVec3;
use serde::Serialize;

use super::{
    PointForces,
    section::Section,
    stress::{Stress, stress},
};
use crate::statics::{Loads, Structure};

/// Force, over the loads, below which a joint carries none.
const NO_FORCE: f64 = 1e-8;
/// Tension, over the loads, from which a joint needs it: penalties leave traces of it elsewhere.
const PULLED: f64 = 1e-4;
/// Distance of the centre of pressure to an edge, over that of the joint's centre, below which it is a hinge.
const HINGE: f64 = 5e-3;
/// What friction may lack of its bound and still count as all of it.
const SLIDING: f64 = 1e-3;
/// Stress, over the mean, below which the linear distribution asks for tension.
const KERNEL: f64 = 1e-9;

/// What a joint does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JointState {
    /// It carries no force.
    Open,
    /// It presses, with the centre of pressure within.
    Closed,
    /// It presses on an edge: about to turn.
    Hinge,
    /// All its friction is used: about to slide.
    Sliding,
    /// It is held by tension, which a joint without glue cannot bear.
    Pulled,
}

impl JointState {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Hinge => "hinge",
            Self::Sliding => "sliding",
            Self::Pulled => "pulled",
        }
    }

    /// The number for it in VTK files: 0 open, 1 closed, 2 hinge, 3 sliding, 4 pulled.
    pub fn number(self) -> u8 {
        match self {
            Self::Open => 0,
            Self::Closed => 1,
            Self::Hinge => 2,
            Self::Sliding => 3,
            Self::Pulled => 4,
        }
    }
}

/// The edge that a joint turns about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Edge {
    /// Its ends (unit: m).
    pub ends: [DVec3; 2],
    /// From the centre of the joint to it, of unit length.
    pub toward: DVec3,
    /// The world axis that this comes nearest to: `+x`, `-z` and the like.
    pub side: &'static str,
}

/// What passes through a joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointResult {
    /// Its number among the joints of the structure.
    pub joint: usize,
    /// Names of the two blocks.
    pub blocks: [String; 2],
    /// What it does.
    pub state: JointState,
    /// Centre of its area (unit: m).
    pub center: DVec3,
    /// Unit normal from the first block to the second.
    pub normal: DVec3,
    /// Area (unit: m²).
    pub area_m2: f64,
    /// Force of the first block on the second, tension included (unit: N).
    pub force_n: DVec3,
    /// Moment about the centre (unit: N m).
    pub moment_nm: DVec3,
    /// Part of the force along the normal (unit: N): compression positive.
    pub normal_force_n: f64,
    /// Part of it across the normal (unit: N).
    pub shear_n: f64,
    /// Sum of the tensions at its points (unit: N).
    pub tension_n: f64,
    /// Where the resultant passes through the plane of the joint (unit: m); nothing where it does not press.
    pub center_of_pressure: Option<DVec3>,
    /// Distance of that point from the centre (unit: m).
    pub eccentricity_m: Option<f64>,
    /// The same over the distance to the outline that way: 0 at the centre, 1 on an edge.
    pub eccentricity_ratio: Option<f64>,
    /// Whether that point lies within the hull of the joint.
    pub inside: bool,
    /// Whether a linear distribution of stress is compressive throughout.
    pub in_kernel: bool,
    /// Friction coefficient.
    pub friction: f64,
    /// Shear over the largest that friction allows, |T| / (mu N).
    pub friction_use: Option<f64>,
    /// Sum of the friction forces at its points over the largest that they could be: 1 where every point slides, also where
    /// the joint turns about its normal.
    pub friction_mobilised: Option<f64>,
    /// The edge it presses on, where it is a hinge.
    pub edge: Option<Edge>,
    /// Contact stress, where the joint has an area and presses.
    pub stress: Option<Stress>,
}

/// What passes through each joint of a structure, given the forces at its points.
pub fn joint_results(structure: &Structure, loads: &Loads, forces: PointForces<'_>) -> Vec<JointResult> {
    let mut sums: Vec<Sum> = structure
        .joints
        .iter()
        .map(|joint| Sum::new(Section::of(joint)))
        .collect();
    for (k, (point, force)) in structure.points.iter().zip(forces.contact).enumerate() {
        let sum = &mut sums[point.joint as usize];
        let tension = forces.tension.get(k).copied().unwrap_or(0.0);
        let total = *force - tension * point.normal;
        let pressing = force.dot(point.normal);
        sum.force += total;
        sum.moment += (point.position - sum.section.center).cross(total);
        sum.tension += tension;
        sum.rubbing += (*force - pressing * point.normal).length();
        sum.bound += structure.friction(point) * pressing.max(0.0);
        sum.pressing += pressing.max(0.0);
        sum.friction = structure.friction(point);
    }
    let size = loads.size(structure);
    let one = |(k, sum): (usize, Sum)| sum.result(structure, k, size);
    sums.into_iter().enumerate().map(one).collect()
}

/// What the points of a joint add up to.
struct Sum {
    section: Section,
    force: DVec3,
    moment: DVec3,
    tension: f64,
    rubbing: f64,
    bound: f64,
    pressing: f64,
    friction: f64,
}

impl Sum {
    fn new(section: Section) -> Self {
        Self {
            section,
            force: DVec3::ZERO,
            moment: DVec3::ZERO,
            tension: 0.0,
            rubbing: 0.0,
            bound: 0.0,
            pressing: 0.0,
            friction: 0.0,
        }
    }

    fn result(self, structure: &Structure, k: usize, size: f64) -> JointResult {
        let smallest = NO_FORCE * size;
        let Self { section, force, .. } = &self;
        let joint = &structure.joints[k];
        let normal = joint.normal;
        let along = force.dot(normal);
        let across = (*force - along * normal).length();
        let offset = (along > smallest).then(|| normal.cross(self.moment) / along);
        let e = offset.map(|o| section.flat(o));
        let reach = e.and_then(|e| section.reach(e));
        let ratio = reach.map(|(r, _)| r);
        let is_hinge = ratio.is_some_and(|r| r >= 1.0 - HINGE) || (section.area == 0.0 && along > smallest);
        let mobilised = (self.bound > 0.0 && self.pressing > smallest).then(|| self.rubbing / self.bound);
        let is_smooth = self.friction == 0.0;
        let state = if self.tension > PULLED * size {
            JointState::Pulled
        } else if self.pressing <= smallest {
            JointState::Open
        } else if mobilised.is_some_and(|m| m >= 1.0 - SLIDING) && !is_smooth {
            JointState::Sliding
        } else if is_hinge {
            JointState::Hinge
        } else {
            JointState::Closed
        };
        let edge = reach.filter(|_| is_hinge && section.area > 0.0).map(|(_, side)| {
            let toward = section.lifted(side.outward);
            Edge {
                ends: side.ends.map(|p| section.center + section.lifted(p)),
                toward,
                side: axis_name(toward),
            }
        });
        let stress = e.and_then(|e| stress(section, along, e));
        JointResult {
            joint: k,
            blocks: joint.blocks.map(|b| structure.names[b].clone()),
            state,
            center: section.center,
            normal,
            area_m2: joint.area,
            force_n: *force,
            moment_nm: self.moment,
            normal_force_n: along,
            shear_n: across,
            tension_n: self.tension,
            center_of_pressure: e.map(|e| section.center + section.lifted(e)),
            eccentricity_m: e.map(|e| e.length()),
            eccentricity_ratio: ratio.map(|r| r.max(0.0)),
            inside: ratio.is_some_and(|r| r <= 1.0 + HINGE),
            in_kernel: stress.as_ref().is_some_and(|s| s.linear_pa[0] >= -KERNEL * s.mean_pa),
            friction: self.friction,
            friction_use: (along > smallest && self.friction > 0.0).then(|| across / (self.friction * along)),
            friction_mobilised: mobilised,
            edge,
            stress,
        }
    }
}

fn axis_name(v: DVec3) -> &'static str {
    let a = v.abs();
    let (value, names) = if a.x >= a.y && a.x >= a.z {
        (v.x, ["-x", "+x"])
    } else if a.y >= a.z {
        (v.y, ["-y", "+y"])
    } else {
        (v.z, ["-z", "+z"])
    };
    names[usize::from(value > 0.0)]
}

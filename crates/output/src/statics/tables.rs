//! VTK files of contact points and of joints.

use glam::DVec3;

use super::{ContactPointForce, JointForce};
use crate::vtk::{array, cloud, polygon_mesh, vectors};

/// Tension, over the largest force, below which there is none.
const NO_TENSION: f64 = 1e-9;
/// Use of friction from which a point counts as sliding.
const SLIDING: f64 = 0.999;

fn flat(list: impl Iterator<Item = DVec3>) -> Vec<f64> {
    list.flat_map(|v| v.to_array()).collect()
}

/// Contact points with the vectors `force_n` (on the second block) and `normal`, and `status` (0 open, 1 stick, 2 slide, 3
/// pulled), `friction_use`, `tension_n`, `joint`, `first_block`, `second_block`: a PolyData file (`.vtp`).
pub fn points_vtp(points: &[ContactPointForce]) -> Vec<u8> {
    let largest = points.iter().map(|p| p.force.length()).fold(0.0, f64::max);
    let status = |p: &ContactPointForce| -> u8 {
        if p.tension > NO_TENSION * largest {
            3
        } else if p.force.dot(p.normal) <= NO_TENSION * largest {
            0
        } else if p.friction_use() >= SLIDING {
            2
        } else {
            1
        }
    };
    let numbers = |of: &dyn Fn(&ContactPointForce) -> f64| points.iter().map(of).collect::<Vec<f64>>();
    let whole = |of: &dyn Fn(&ContactPointForce) -> u32| points.iter().map(|p| of(p) as i32).collect::<Vec<i32>>();
    let data = [
        vectors("force_n", &flat(points.iter().map(|p| p.force))),
        vectors("normal", &flat(points.iter().map(|p| p.normal))),
        array("status", &points.iter().map(status).collect::<Vec<u8>>()),
        array("friction_use", &numbers(&ContactPointForce::friction_use)),
        array("tension_n", &numbers(&|p| p.tension)),
        array("joint", &whole(&|p| p.joint)),
        array("first_block", &whole(&|p| p.blocks[0])),
        array("second_block", &whole(&|p| p.blocks[1])),
    ];
    let places: Vec<DVec3> = points.iter().map(|p| p.position).collect();
    cloud(&places, &data.concat())
}

/// Joints as polygons, with `stress_pa` at their corners and, for each, the vectors `force_n` (on the second block),
/// `center_of_pressure` and `normal`, and `state` (0 open, 1 closed, 2 hinge, 3 sliding, 4 pulled), `friction_use`,
/// `tension_n`, `eccentricity`, `mean_stress_pa`, `compressed`, `first_block`, `second_block`: a PolyData file (`.vtp`).
/// What is not known is NaN.
pub fn joints_vtp(joints: &[JointForce]) -> Vec<u8> {
    let numbers = |of: &dyn Fn(&JointForce) -> f64| joints.iter().map(of).collect::<Vec<f64>>();
    let block = |side: usize| joints.iter().map(|j| j.blocks[side] as i32).collect::<Vec<i32>>();
    let cells = [
        vectors("force_n", &flat(joints.iter().map(|j| j.force))),
        vectors("center_of_pressure", &flat(joints.iter().map(|j| j.at))),
        vectors("normal", &flat(joints.iter().map(|j| j.normal))),
        array("state", &joints.iter().map(|j| j.state.number()).collect::<Vec<u8>>()),
        array("friction_use", &numbers(&|j| j.friction_use.unwrap_or(f64::NAN))),
        array("tension_n", &numbers(&|j| j.tension)),
        array("eccentricity", &numbers(&|j| j.eccentricity)),
        array("mean_stress_pa", &numbers(&|j| j.mean_stress)),
        array("compressed", &numbers(&|j| j.compressed)),
        array("first_block", &block(0)),
        array("second_block", &block(1)),
    ];
    let at_corners = |j: &JointForce| {
        if j.stress.len() == j.outline.len() {
            j.stress.clone()
        } else {
            vec![f64::NAN; j.outline.len()]
        }
    };
    let stress: Vec<f64> = joints.iter().flat_map(at_corners).collect();
    let outlines: Vec<&[DVec3]> = joints.iter().map(|j| j.outline.as_slice()).collect();
    polygon_mesh(&outlines, &cells.concat(), &array("stress_pa", &stress))
}

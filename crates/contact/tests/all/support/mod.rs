//! Blocks for the tests of contact.
#![allow(dead_code, reason = "each test file uses some of it")]

use drystone_contact::{Bodies, Contacts, Detector, DetectorSettings, Placement};
use drystone_model::geometry::Polyhedron;
use glam::{DQuat, DVec3};

pub(crate) fn cuboid(size: DVec3) -> Polyhedron {
    Polyhedron::cuboid(-0.5 * size, 0.5 * size)
}

pub(crate) fn at(x: f64, y: f64, z: f64) -> Placement {
    Placement::at(DVec3::new(x, y, z))
}

pub(crate) fn turned(center: DVec3, rotation: DQuat) -> Placement {
    Placement { center, rotation }
}

/// A detector for convex blocks, all of them free.
pub(crate) fn detector(shapes: &[Polyhedron], margin: f64) -> Detector {
    let mut bodies = Bodies::default();
    for shape in shapes {
        bodies.push(std::slice::from_ref(shape), false);
    }
    Detector::new(
        bodies,
        DetectorSettings {
            margin,
            ..DetectorSettings::default()
        },
    )
}

/// The contacts of convex blocks, each given by its shape and where it is.
pub(crate) fn found(blocks: &[(Polyhedron, Placement)], margin: f64) -> Contacts {
    let shapes: Vec<Polyhedron> = blocks.iter().map(|b| b.0.clone()).collect();
    let placements: Vec<Placement> = blocks.iter().map(|b| b.1).collect();
    detector(&shapes, margin).detect(&placements).clone()
}

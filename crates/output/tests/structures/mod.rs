//! Structures that the tests of this crate write and draw: small, with known counts, volumes and places.
#![allow(dead_code, reason = "each test file uses some of them")]

use std::f64::consts::PI;

use drystone_model::{Block, Model, Shape, geometry::Polyhedron};
use glam::{DVec2, DVec3};

/// A ground slab far larger than what stands on it.
pub(crate) fn ground(size: f64) -> Block {
    let shape = Shape::cuboid(DVec3::new(-size, -size, -0.5 * size), DVec3::new(size, size, 0.0));
    Block::new("ground", shape).fixed().in_group("ground")
}

/// A semicircular arch of 20 voussoirs on two springers that are supports.
pub(crate) fn arch() -> Model {
    let (inner, outer, count) = (2.0, 2.5, 20);
    let mut model = Model::named("arch");
    for (name, x) in [("left springer", -outer - 0.2), ("right springer", inner - 0.2)] {
        let shape = Shape::cuboid(DVec3::new(x, -0.7, -0.6), DVec3::new(x + 0.9, 0.7, 0.0));
        model.blocks.push(Block::new(name, shape).fixed());
    }
    let at = |radius: f64, k: usize| radius * DVec2::from_angle(PI * k as f64 / count as f64);
    for k in 0..count {
        let outline = [at(inner, k), at(outer, k), at(outer, k + 1), at(inner, k + 1)];
        let solid = Polyhedron::from_elevation(&outline, -0.5, 0.5);
        let group = if (9..=10).contains(&k) { "crown" } else { "ring" };
        model
            .blocks
            .push(Block::new(format!("voussoir {k}"), solid).in_group(group));
    }
    model
}

/// A wall in running bond, on a ground slab much larger than the wall.
pub(crate) fn wall(columns: usize, courses: usize) -> Model {
    let (length, height, depth) = (0.5, 0.25, 0.25);
    let mut model = Model::named("wall");
    model.blocks.push(ground(10.0 * length * columns as f64));
    for course in 0..courses {
        let shift = if course % 2 == 0 { 0.0 } else { -0.5 * length };
        let (low, high) = (shift, shift + length * (columns + course % 2) as f64);
        let (low, high) = (low.max(0.0), high.min(length * columns as f64));
        for column in 0..columns + course % 2 {
            let x0 = (shift + length * column as f64).max(low);
            let x1 = (shift + length * (column + 1) as f64).min(high);
            let z = height * course as f64;
            let shape = Shape::cuboid(DVec3::new(x0, 0.0, z), DVec3::new(x1, depth, z + height));
            model.blocks.push(Block::new(format!("brick {course}.{column}"), shape));
        }
    }
    model
}

/// An L-shaped block (not convex) with a cube in its nook.
pub(crate) fn nook() -> Model {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 0.5), (0.5, 0.5), (0.5, 2.0), (0.0, 2.0)].map(DVec2::from);
    let mut model = Model::named("nook");
    model
        .blocks
        .push(Block::new("ell", Polyhedron::from_elevation(&outline, 0.0, 1.0)).in_group("ell"));
    let cube = Shape::cuboid(DVec3::new(0.6, 0.2, 0.5), DVec3::new(1.2, 0.8, 1.1));
    model.blocks.push(Block::new("cube & co", cube).in_group("cube"));
    model
}

/// A box as a free block.
pub(crate) fn cuboid(name: &str, min: [f64; 3], max: [f64; 3]) -> Block {
    Block::new(name, Shape::cuboid(DVec3::from(min), DVec3::from(max)))
}

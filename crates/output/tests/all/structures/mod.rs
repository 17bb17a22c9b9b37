//! Structures that the tests of this crate write and draw: small, with known counts, volumes and places.
#![allow(dead_code, reason = "each test file uses some of them")]

use drystone_model::{Block, Model, Shape, geometry::Polyhedron, recipes};
use glam::{DVec2, DVec3};

/// A ground slab far larger than what stands on it.
pub(crate) fn ground(size: f64) -> Block {
    let shape = Shape::cuboid(DVec3::new(-size, -size, -0.5 * size), DVec3::new(size, size, 0.0));
    Block::new("ground", shape).fixed().in_group("ground")
}

fn built(recipe: &str, values: &[(&str, String)]) -> Model {
    let values: Vec<(String, String)> = values.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    recipes::find(recipe)
        .and_then(|r| r.build_alone(&values))
        .unwrap_or_else(|e| panic!("{recipe}: {e}"))
}

/// A semicircular arch of 20 voussoirs on two springers that are supports, its crown a group of its own.
pub(crate) fn arch() -> Model {
    let (radius, thickness, voussoirs) = ("2.25".to_string(), "0.5".to_string(), "20".to_string());
    let mut model = built(
        "arch",
        &[("radius", radius), ("thickness", thickness), ("voussoirs", voussoirs)],
    );
    for (k, block) in model.blocks.iter_mut().filter(|b| !b.fixed).enumerate() {
        block.group = Some(if (9..=10).contains(&k) { "crown" } else { "ring" }.to_string());
    }
    model
}

/// A wall in running bond, on a ground slab much larger than the wall.
pub(crate) fn wall(columns: usize, courses: usize) -> Model {
    let length = 0.5 * columns as f64;
    let values = [
        ("length", length.to_string()),
        ("height", (0.25 * courses as f64).to_string()),
        ("thickness", "0.25".to_string()),
    ];
    let mut model = built("wall", &values);
    model.blocks.retain(|b| !b.fixed);
    model.blocks.insert(0, ground(10.0 * length));
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

//! Geometries that Kao et al. (2022) published, for tests that compare a recipe with them.

use std::path::{Path, PathBuf};

use glam::DVec3;
use serde_json::Value;

use crate::{Model, geometry::Polyhedron};

/// The blocks of a published assembly in the order of their nodes, or `None`, with a line printed, where the data that
/// lies beside the repository is absent.
pub(super) fn blocks(assembly: &str) -> Option<Vec<Polyhedron>> {
    let Some(path) = file(assembly) else {
        println!("skipped: no shared/cra/{assembly}.json beside the repository");
        return None;
    };
    let json: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let nodes = json["data"]["graph"]["data"]["node"].as_object().unwrap();
    let node = |k: usize| solid(&nodes[&k.to_string()]["block"]["data"]);
    Some((0..nodes.len()).map(node).collect())
}

fn file(assembly: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .map(|folder| folder.join("shared/cra").join(format!("{assembly}.json")))
        .find(|path| path.is_file())
}

fn solid(block: &Value) -> Polyhedron {
    let at = |v: &Value| DVec3::new(number(&v["x"]), number(&v["y"]), number(&v["z"]));
    let vertices = block["vertex"].as_object().unwrap();
    let keys: Vec<&String> = vertices.keys().collect();
    let index = |corner: &Value| {
        let key = corner.to_string();
        keys.iter().position(|k| **k == key).unwrap() as u32
    };
    let faces = block["face"].as_object().unwrap().values();
    Polyhedron {
        vertices: vertices.values().map(at).collect(),
        faces: faces
            .map(|f| f.as_array().unwrap().iter().map(index).collect())
            .collect(),
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Asserts that a model's blocks are those published, in the same order: volumes, and every published corner within
/// `distance` (m) of a corner of the model's block.
pub(super) fn assert_same(model: &Model, published: &[Polyhedron], distance: f64) {
    assert_eq!(model.blocks.len(), published.len());
    for (block, theirs) in model.blocks.iter().zip(published) {
        let ours = block.polyhedron();
        let name = &block.name;
        let slack = distance * ours.bounds().diagonal().powi(2);
        let (v, w) = (ours.volume(), theirs.volume());
        assert!((v - w).abs() <= slack, "{name}: volume {v}, published {w}");
        for corner in corners(theirs) {
            let gap = ours
                .vertices
                .iter()
                .map(|p| p.distance(corner))
                .fold(f64::INFINITY, f64::min);
            assert!(gap <= distance, "{name}: nearest corner to {corner} is {gap} m away");
        }
    }
}

/// The vertices of a solid at which it has a corner; published faces are cut in two along straight lines.
fn corners(solid: &Polyhedron) -> Vec<DVec3> {
    let size = solid.bounds().diagonal();
    crate::geometry::merge_coplanar_faces(solid, 1e-5 * size).vertices
}

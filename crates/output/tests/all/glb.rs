//! What is written as glTF is read back by another reader, with its checks on.

use crate::structures::{arch, nook, wall};
use drystone_model::{Block, Model, Shape, recipes};
use drystone_output::glb::glb;
use glam::{DVec3, Mat4, Vec3};

fn read(model: &Model) -> (gltf::Document, Vec<u8>) {
    let bytes = glb(model).unwrap();
    assert_eq!(bytes.len() % 4, 0);
    let file = gltf::Gltf::from_slice(&bytes).expect("the file is valid glTF");
    (file.document, file.blob.expect("a binary chunk"))
}

/// Every block's corners in world coordinates, from the nodes, transforms and accessors of the file.
fn corners(document: &gltf::Document, blob: &[u8]) -> Vec<(String, Vec<Vec3>)> {
    let scene = document.default_scene().unwrap();
    let root = scene.nodes().next().unwrap();
    let turn = Mat4::from_cols_array_2d(&root.transform().matrix());
    root.children()
        .map(|node| {
            let map = turn * Mat4::from_cols_array_2d(&node.transform().matrix());
            let primitive = node.mesh().unwrap().primitives().next().unwrap();
            let reader = primitive.reader(|_| Some(blob));
            let points: Vec<Vec3> = reader
                .read_positions()
                .unwrap()
                .map(|p| map.transform_point3(p.into()))
                .collect();
            let normals: Vec<Vec3> = reader.read_normals().unwrap().map(Vec3::from).collect();
            let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
            assert_eq!(points.len(), normals.len());
            assert!(normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-5));
            for triangle in indices.as_chunks::<3>().0 {
                let [a, b, c] = triangle.map(|i| points[i as usize]);
                let outward = turn.transform_vector3(normals[triangle[0] as usize]);
                assert!((b - a).cross(c - a).dot(outward) > 0.0, "a triangle looks inwards");
            }
            (node.name().unwrap().to_string(), points)
        })
        .collect()
}

/// glTF's y is our z, and its z our -y.
fn y_up(p: DVec3) -> Vec3 {
    DVec3::new(p.x, p.z, -p.y).as_vec3()
}

#[test]
fn every_block_is_a_node_with_its_name_in_its_place() {
    let block = recipes::find("block").unwrap().build(&[]).unwrap();
    for model in [arch(), wall(5, 4), nook(), block] {
        let (document, blob) = read(&model);
        let read = corners(&document, &blob);
        assert_eq!(read.len(), model.blocks.len());
        for ((name, points), block) in read.iter().zip(&model.blocks) {
            assert_eq!(*name, block.name);
            let bounds = block.polyhedron().bounds();
            let (a, b) = (y_up(bounds.min), y_up(bounds.max));
            let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
            let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
            let tolerance = 1e-5 * bounds.diagonal() as f32;
            assert!(low.abs_diff_eq(a.min(b), tolerance), "{name}: {low} {}", a.min(b));
            assert!(high.abs_diff_eq(a.max(b), tolerance));
        }
    }
}

#[test]
fn a_node_stands_at_the_centroid_and_tells_group_and_support() {
    let (document, _) = read(&nook());
    let nodes: Vec<_> = document.nodes().collect();
    let (translation, rotation, _) = nodes[0].transform().decomposed();
    let centroid = nook().blocks[0].polyhedron().mass_properties().centroid.as_vec3();
    assert!(Vec3::from(translation).abs_diff_eq(centroid, 1e-6));
    assert_eq!(rotation, [0.0, 0.0, 0.0, 1.0]);
    let extras: serde_json::Value = serde_json::from_str(nodes[0].extras().as_ref().unwrap().get()).unwrap();
    assert_eq!(
        extras,
        serde_json::json!({ "index": 0, "fixed": false, "group": "ell" })
    );
}

#[test]
fn equal_bricks_share_a_mesh_and_colours_a_material() {
    let (document, _) = read(&wall(5, 4));
    // The ground, the whole bricks and the half bricks at the ends of odd courses.
    assert_eq!(document.meshes().len(), 3);
    assert_eq!(document.materials().len(), 2);
}

#[test]
fn a_small_block_far_away_keeps_its_shape() {
    let far = DVec3::new(4.5e6, -2e6, 1e3);
    let mut model = Model::default();
    let shape = Shape::cuboid(far, far + DVec3::splat(1e-3));
    model.blocks.push(Block::new("pebble", shape));
    let (document, _) = read(&model);
    let mesh = document.meshes().next().unwrap();
    let bounds = mesh.primitives().next().unwrap().bounding_box();
    for k in 0..3 {
        assert!((bounds.max[k] - bounds.min[k] - 1e-3).abs() < 1e-8);
    }
}

#[test]
fn degenerate_models_are_errors_or_files_never_panics() {
    assert!(glb(&Model::default()).is_err());
    let mut model = Model::default();
    model
        .blocks
        .push(Block::new("nan", Shape::cuboid(DVec3::ZERO, DVec3::splat(f64::NAN))));
    assert!(glb(&model).is_err());
    model.blocks[0] = Block::new("point", Shape::cuboid(DVec3::ONE, DVec3::ONE));
    let bytes = glb(&model).unwrap();
    gltf::Gltf::from_slice(&bytes).unwrap();
}

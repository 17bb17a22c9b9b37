//! An animated glTF file is read back by another reader, and its nodes are moved as its keys say.

use crate::structures::{nook, wall};
use drystone_model::Model;
use drystone_output::{
    OutputError,
    glb::Animation,
    history::{BlockState, Frame, Rest},
};
use glam::{DQuat, DVec3, Mat4, Quat, Vec3};
use gltf::animation::util::ReadOutputs;

/// The first block falls over and turns nearly twice around, the second slides, others rest.
fn states(rest: &Rest<'_>, frame: usize) -> Vec<BlockState> {
    let mut states = rest.frame();
    let t = frame as f64;
    states[0].position += DVec3::new(0.1, -0.2, -0.01 * t) * t;
    states[0].rotation = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 2.0) / 3.0, 0.6 * t);
    // Either sign of a quaternion is the same rotation; a run may give any.
    if frame % 3 == 1 {
        states[0].rotation = -states[0].rotation;
    }
    states[1].position.x += 0.05 * t;
    states
}

const FRAMES: usize = 20;

fn animated(model: &Model) -> (gltf::Document, Vec<u8>) {
    let rest = Rest::of(model);
    let mut animation = Animation::new(model).unwrap();
    for k in 0..FRAMES {
        let blocks = states(&rest, k);
        animation.push(&frame(k, &blocks)).unwrap();
    }
    let file = gltf::Gltf::from_slice(&animation.glb().unwrap()).expect("the file is valid glTF");
    (file.document, file.blob.expect("a binary chunk"))
}

fn frame(k: usize, blocks: &[BlockState]) -> Frame<'_> {
    Frame {
        step: 10 * k as u64,
        time_s: 0.5 + 0.04 * k as f64,
        blocks,
        contacts: &[],
        measures: &[],
    }
}

/// Keys of a node: where it is and how it is turned at each time, from its channels or from the node itself.
fn keys(document: &gltf::Document, blob: &[u8], node: usize) -> (Vec<Vec3>, Vec<Quat>) {
    let (place, turn, _) = document.nodes().nth(node).unwrap().transform().decomposed();
    let mut places = vec![Vec3::from(place); FRAMES];
    let mut turns = vec![Quat::from_array(turn); FRAMES];
    let animation = document.animations().next().unwrap();
    for channel in animation.channels().filter(|c| c.target().node().index() == node) {
        let reader = channel.reader(|_| Some(blob));
        let times: Vec<f32> = reader.read_inputs().unwrap().collect();
        for (k, time) in times.iter().enumerate() {
            assert!((time - (0.5 + 0.04 * k as f32)).abs() < 1e-6);
        }
        match reader.read_outputs().unwrap() {
            ReadOutputs::Translations(t) => places = t.map(Vec3::from).collect(),
            ReadOutputs::Rotations(r) => turns = r.into_f32().map(Quat::from_array).collect(),
            _ => panic!("neither translation nor rotation"),
        }
    }
    assert_eq!((places.len(), turns.len()), (FRAMES, FRAMES));
    (places, turns)
}

#[test]
fn a_corner_moved_by_the_keys_of_its_node_is_where_the_frame_puts_it() {
    for model in [nook(), wall(3, 2)] {
        let rest = Rest::of(&model);
        let (document, blob) = animated(&model);
        let root = document.default_scene().unwrap().nodes().next().unwrap();
        let upright = Mat4::from_cols_array_2d(&root.transform().matrix());
        for (node, child) in root.children().enumerate() {
            assert_eq!(child.index(), node);
            assert_eq!(child.name(), Some(model.blocks[node].name.as_str()));
            let (places, turns) = keys(&document, &blob, node);
            let primitive = child.mesh().unwrap().primitives().next().unwrap();
            let corners: Vec<Vec3> = primitive
                .reader(|_| Some(&blob))
                .read_positions()
                .unwrap()
                .map(Vec3::from)
                .collect();
            let solid = model.blocks[node].polyhedron();
            let listed: Vec<DVec3> = (0..solid.faces.len()).flat_map(|f| solid.corners(f)).collect();
            for k in 0..FRAMES {
                assert!(turns[k].is_normalized());
                let states = states(&rest, k);
                let map = states[node].map(rest.centres()[node]);
                let moved = upright * Mat4::from_rotation_translation(turns[k], places[k]);
                for (corner, original) in corners.iter().zip(&listed) {
                    let p = map.transform_point3(*original);
                    let expected = DVec3::new(p.x, p.z, -p.y).as_vec3();
                    let size = solid.bounds().diagonal() as f32;
                    let seen = moved.transform_point3(*corner);
                    assert!(
                        seen.abs_diff_eq(expected, 2e-6 * size.max(10.0)),
                        "{k}: {seen} {expected}"
                    );
                }
            }
        }
    }
}

#[test]
fn turns_go_the_short_way_and_what_rests_has_no_keys() {
    let model = wall(3, 2);
    let (document, blob) = animated(&model);
    let (_, turns) = keys(&document, &blob, 0);
    for pair in turns.windows(2) {
        assert!(pair[0].dot(pair[1]) > 0.9, "0.6 rad a frame, never a jump of sign");
    }
    let animation = document.animations().next().unwrap();
    let channels: Vec<(usize, bool)> = animation
        .channels()
        .map(|c| {
            let turns = c.target().property() == gltf::animation::Property::Rotation;
            (c.target().node().index(), turns)
        })
        .collect();
    assert_eq!(channels, [(0, false), (0, true), (1, false)]);
    let inputs: Vec<usize> = animation.samplers().map(|s| s.input().index()).collect();
    assert!(inputs.iter().all(|i| *i == inputs[0]), "one time axis for all");
    let linear = gltf::animation::Interpolation::Linear;
    assert!(animation.samplers().all(|s| s.interpolation() == linear));
}

#[test]
fn a_motion_without_frames_is_an_error_and_one_without_motion_a_still_scene() {
    let model = nook();
    let mut animation = Animation::new(&model).unwrap();
    assert!(matches!(animation.glb(), Err(OutputError::NoFrames)));
    let rest = Rest::of(&model).frame();
    animation.push(&frame(0, &rest)).unwrap();
    animation.push(&frame(1, &rest)).unwrap();
    let file = gltf::Gltf::from_slice(&animation.glb().unwrap()).unwrap();
    assert_eq!(file.document.animations().len(), 0);
    let error = animation.push(&frame(1, &rest)).unwrap_err();
    assert!(matches!(error, OutputError::OutOfOrder { .. }), "{error}");
    assert!(animation.push(&frame(2, &rest[..1])).is_err());
}

#[test]
fn a_tie_is_a_thin_rod_between_its_ends_in_every_frame() {
    let mut model = wall(4, 3);
    let end = |block: usize, at: DVec3| drystone_model::TieEnd {
        block: model.blocks[block].name.clone(),
        at,
    };
    let at = [DVec3::new(0.1, 0.2, 0.3), DVec3::new(1.5, -0.2, 0.9)];
    model.ties = vec![drystone_model::Tie {
        name: "rod".to_string(),
        from: end(0, at[0]),
        to: end(1, at[1]),
        kind: drystone_model::TieKind::RigidRod,
        group: None,
    }];
    let (document, blob) = animated(&model);
    let node = document
        .nodes()
        .find(|n| n.name() == Some("rod"))
        .expect("a node of the tie");
    let (mut places, mut turns, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for channel in document.animations().next().expect("an animation").channels() {
        if channel.target().node().index() != node.index() {
            continue;
        }
        match channel.reader(|_| Some(&blob)).read_outputs().expect("keys") {
            ReadOutputs::Translations(keys) => places.extend(keys.map(Vec3::from)),
            ReadOutputs::Rotations(keys) => turns.extend(keys.into_f32().map(Quat::from_array)),
            ReadOutputs::Scales(keys) => sizes.extend(keys.map(Vec3::from)),
            ReadOutputs::MorphTargetWeights(_) => {}
        }
    }
    assert_eq!([places.len(), turns.len(), sizes.len()], [FRAMES; 3]);
    let rest = Rest::of(&model);
    for k in 0..FRAMES {
        let blocks = states(&rest, k);
        let maps = rest.maps(&frame(k, &blocks)).unwrap();
        let map = Mat4::from_scale_rotation_translation(sizes[k], turns[k], places[k]);
        for (side, z) in [(0, -0.5), (1, 0.5)] {
            let expected = maps[side].transform_point3(at[side]).as_vec3();
            let found = map.transform_point3(Vec3::new(0.0, 0.0, z));
            assert!(found.distance(expected) < 1e-4, "{k}: {found} {expected}");
        }
    }
}

//! Forces of structures at rest, as pictures and VTK files, and mechanisms as animations.

use drystone_cone::Twist;
use drystone_mechanics::statics::results::JointState;
use drystone_model::{Model, recipes};
use drystone_output::statics::{
    ContactPointForce, Drawing, JointForce, Line, LineKind, joints_vtp, mechanism, points_vtp,
};
use glam::DVec3;

fn block() -> Model {
    recipes::find("block").unwrap().build(&[]).unwrap()
}

fn joint(state: JointState) -> JointForce {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0);
    JointForce {
        blocks: [0, 1],
        outline: vec![
            corner(-0.3, -0.3),
            corner(0.3, -0.3),
            corner(0.3, 0.3),
            corner(-0.3, 0.3),
        ],
        normal: DVec3::Z,
        force: DVec3::new(0.0, 0.0, 1e4),
        at: DVec3::ZERO,
        state,
        friction_use: Some(0.5),
        tension: if state == JointState::Pulled { 12.0 } else { 0.0 },
        eccentricity: 0.0,
        edge: None,
        stress: vec![1.0, 2.0, 3.0, 4.0],
        mean_stress: 2.5,
        compressed: 1.0,
    }
}

#[test]
fn what_joints_do_is_explained_in_the_legend_and_only_that() {
    let model = block();
    let words = ["thrust line", "hinge", "sliding", "tension 12 N"];
    for (state, word) in [
        (JointState::Hinge, "hinge"),
        (JointState::Sliding, "sliding"),
        (JointState::Pulled, "tension 12 N"),
    ] {
        let svg = Drawing::new(&model, &[joint(state)], &[]).title("a < b").svg().unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let texts: Vec<&str> = document.descendants().filter_map(|n| n.text()).collect();
        assert!(texts.contains(&"a < b") && texts.contains(&"force 10 kN"), "{texts:?}");
        for other in words {
            assert_eq!(texts.contains(&other), other == word, "{other}: {texts:?}");
        }
    }
    let line = Line {
        kind: LineKind::Minimum,
        points: vec![DVec3::ZERO, DVec3::Z],
        thrust: Some(2500.0),
    };
    let svg = Drawing::new(&model, &[], &[line]).svg().unwrap();
    assert!(svg.contains("min thrust 2.5 kN") && !svg.contains("friction use"));
}

#[test]
fn bitmap_and_vectors_have_one_size() {
    let model = block();
    let joints = [joint(JointState::Closed)];
    let png = Drawing::new(&model, &joints, &[]).size(400, 300).png().unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    assert_eq!((reader.info().width, reader.info().height), (400, 300));
    let svg = Drawing::new(&model, &joints, &[]).size(400, 300).svg().unwrap();
    assert!(svg.contains("viewBox=\"0 0 400 300\""));
}

fn arrays(file: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(file).unwrap();
    let document = roxmltree::Document::parse(text).unwrap();
    let named = document.descendants().filter(|n| n.has_tag_name("DataArray"));
    named.filter_map(|n| n.attribute("Name").map(String::from)).collect()
}

#[test]
fn vtk_files_carry_forces_states_and_stress() {
    let point = ContactPointForce {
        joint: 0,
        blocks: [0, 1],
        position: DVec3::ZERO,
        normal: DVec3::Z,
        force: DVec3::new(3.0, 0.0, 10.0),
        tension: 0.0,
        friction: 0.6,
    };
    assert!((point.friction_use() - 0.5).abs() < 1e-12);
    let names = arrays(&points_vtp(&[point]));
    for name in ["force_n", "normal", "status", "friction_use", "tension_n"] {
        assert!(names.iter().any(|n| n == name), "{name}");
    }
    let names = arrays(&joints_vtp(&[joint(JointState::Closed)]));
    for name in ["stress_pa", "force_n", "state", "mean_stress_pa", "compressed"] {
        assert!(names.iter().any(|n| n == name), "{name}");
    }
}

#[test]
fn a_mechanism_goes_a_tenth_of_the_structure_and_comes_back() {
    let model = block();
    let fixed = |b: &drystone_model::Block| b.fixed;
    let motion = |b: &drystone_model::Block| Twist {
        linear: if fixed(b) { DVec3::ZERO } else { DVec3::X * 1e-4 },
        angular: DVec3::ZERO,
    };
    let motions: Vec<Twist> = model.blocks.iter().map(motion).collect();
    let file = mechanism(&model, &motions).unwrap();
    let gltf = gltf::Gltf::from_slice(&file).unwrap();
    let blob = gltf.blob.clone().unwrap();
    let channels: Vec<_> = gltf.animations().next().unwrap().channels().collect();
    assert_eq!(channels.len(), 1);
    let reader = channels[0].reader(|_| Some(&blob));
    let Some(gltf::animation::util::ReadOutputs::Translations(keys)) = reader.read_outputs() else {
        panic!("no translations");
    };
    let x: Vec<f32> = keys.map(|k| k[0]).collect();
    let size = model.bounds(|b| !b.fixed).diagonal() as f32;
    let most = x.iter().copied().fold(f32::MIN, f32::max);
    assert!(((most - x[0]) / (0.1 * size) - 1.0).abs() < 1e-3);
    assert!((x[x.len() - 1] - x[0]).abs() < 1e-6);
    assert!(mechanism(&model, &motions[1..]).is_err());
}

//! Paths of blocks that deform where what moves them is far softer than they are, and joints at the nodes of tetrahedra. Expected
//! values are closed forms, or those of rigid blocks that hardly differ.

use drystone_mechanics::{
    Structure,
    slow::{Path, PathEnd, PathSettings},
};
use drystone_model::{Block, Elasticity, JointStiffness, Model, PrismAxis, PrismShape, Shape, Stages, recipes};
use glam::{DVec2, DVec3, dvec2, dvec3};
use serde_json::json;

const DENSITY: f64 = 2000.0;
const G: f64 = 9.81;

fn elastic(mut model: Model, mesh: &str, young: f64) -> Model {
    model.elasticity = Some(Elasticity {
        young_pa: young,
        poisson: 0.0,
        rayleigh_mass_per_s: None,
        rayleigh_stiffness_s: None,
    });
    model.deformable = vec![format!("all:{mesh}").parse().unwrap()];
    model
}

fn with_support(support: [DVec3; 2], shape: Shape) -> Model {
    let mut model = Model::named("paths");
    model.density = DENSITY;
    model.joints.set_friction(0.6);
    let [low, high] = support;
    model.blocks = vec![
        Block::new("support", Shape::cuboid(low, high)).fixed(),
        Block::new("block", shape),
    ];
    model
}

fn followed(model: &Model, stages: serde_json::Value) -> (Path, PathEnd) {
    let stages: Stages = serde_json::from_value(json!({ "stages": stages })).unwrap();
    let mut path = Path::new(model, Structure::new(model).unwrap(), &stages, PathSettings::default()).unwrap();
    let end = path.follow(|_| ()).unwrap();
    (path, end)
}

fn weight(steps: u32) -> serde_json::Value {
    json!([{ "name": "weight", "gravity": 1, "steps": steps }])
}

/// Inertia of hard blocks must not hide where soft joints give way to.
#[test]
fn hard_blocks_sink_into_soft_joints_by_their_weight() {
    let block = Shape::cuboid(dvec3(-0.5, -0.3, 0.0), dvec3(0.5, 0.3, 0.5));
    let mut model = with_support([dvec3(-1.0, -1.0, -0.5), dvec3(1.0, 1.0, 0.0)], block);
    for stiffness in [1e7, 1e9] {
        model.joints.stiffness = Some(JointStiffness {
            normal: stiffness,
            tangential: stiffness,
        });
        for young in [2e10, 1e12] {
            let (path, end) = followed(&elastic(model.clone(), "H8", young), weight(2));
            assert_eq!(end, PathEnd::Completed, "{stiffness:e} {young:e}");
            let sinks = DENSITY * G * 0.5 / stiffness;
            let compressed = DENSITY * G * 0.25 / young;
            let found = path.points().last().unwrap().displacement;
            assert!((found - sinks).abs() < 0.01 * sinks + compressed, "{found:e} {sinks:e}");
        }
    }
}

/// Supports go farther than a hard arch is compressed by, thousands of times: it opens as a rigid one does.
#[test]
fn a_hard_arch_follows_its_support() {
    let open = |model: &Model| {
        let stages = json!([
            { "name": "weight", "gravity": 1, "steps": 2 },
            { "name": "spread", "move": [{ "blocks": ["springer-right"], "by": [0.004, 0, 0] }], "steps": 20 },
        ]);
        let (path, end) = followed(model, stages);
        assert_eq!(end, PathEnd::Completed);
        path.points().last().unwrap().displacement
    };
    let arch = recipes::order("arch")
        .with("radius", 1)
        .with("thickness", 0.16)
        .with("width", 0.2)
        .with("ground", false);
    let arch = arch.with("voussoirs", 10).build().unwrap();
    let rigid = open(&arch);
    for young in [6e10, 2e12] {
        let found = open(&elastic(arch.clone(), "H8", young));
        assert!((found - rigid).abs() < 5e-3 * rigid, "{found} {rigid}");
    }
}

fn prism(polygon: &[DVec2], to: f64) -> Shape {
    Shape::Prism(PrismShape {
        polygon: polygon.to_vec(),
        axis: PrismAxis::Z,
        from: 0.0,
        to,
    })
}

/// An even pull on quadratic triangles has no part at their corners: each bond must have the area that it stands for.
#[test]
fn tetrahedra_hang_on_bonds_as_strong_as_their_area() {
    let outline = [(0.0, 0.0), (0.9, 0.1), (1.2, 0.5), (0.5, 0.9), (-0.1, 0.6)].map(DVec2::from);
    let height = 0.5;
    for mesh in ["T10", "T10x2"] {
        let hung = |over: f64| {
            let ceiling = [dvec3(-2.0, -2.0, height), dvec3(3.0, 3.0, 1.0)];
            let mut model = elastic(with_support(ceiling, prism(&outline, height)), mesh, 2e10);
            let bond = json!({ "tension_pa": over * DENSITY * G * height, "cohesion_pa": 1e8 });
            model.joints.bond = Some(serde_json::from_value(bond).unwrap());
            let (path, end) = followed(&model, weight(2));
            let [points, intact] = path.simulation().bonds();
            (end == PathEnd::Completed, points - intact)
        };
        assert_eq!(hung(1.05), (true, 0), "{mesh}");
        assert!(!hung(0.95).0, "{mesh}");
    }
}

/// Springs by area under a weight in their middle are compressed alike.
#[test]
fn tetrahedra_on_springs_stay_level() {
    let outline = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(DVec2::from);
    // Triangles of the mesh are of different sizes where the outline is.
    let outline = outline.map(|p| dvec2(p.x * (1.0 + 0.6 * p.y), p.y));
    let stiffness = 1e8;
    let mut model = with_support([dvec3(-1.0, -1.0, -0.5), dvec3(3.0, 2.0, 0.0)], prism(&outline, 0.5));
    model.joints.stiffness = Some(JointStiffness {
        normal: stiffness,
        tangential: stiffness,
    });
    let sinks = DENSITY * G * 0.5 / stiffness;
    for mesh in ["T10", "T10x2"] {
        let (path, end) = followed(&elastic(model.clone(), mesh, 1e12), weight(2));
        assert_eq!(end, PathEnd::Completed);
        let placed = path.simulation().state().placements[1];
        let turned = placed.rotation.to_scaled_axis().length();
        assert!(turned < 0.01 * sinks, "{mesh}: {turned:e} of {sinks:e}");
    }
}

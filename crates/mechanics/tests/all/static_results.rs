//! Results of structures at rest against theory: resultants, stress, hinges, thrust.

use crate::common::built;
use drystone_cone::Twist;
use drystone_mechanics::statics::{
    Check, Loads, Method, Solvers, Structure, Verdict, check,
    results::{
        ArchSide, JointResult, JointState, PointForces, courses, joint_results, moved_supports, results, thrust_range,
    },
    tilted,
};
use drystone_model::Model;
use glam::DVec3;

const G: f64 = 9.81;

fn checked(structure: &Structure, loads: &Loads, method: Method) -> Check {
    check(structure, loads, method, &mut Solvers::default()).unwrap()
}

fn joints(structure: &Structure, loads: &Loads) -> Vec<JointResult> {
    let check = checked(structure, loads, Method::Cone);
    assert_eq!(check.verdict, Verdict::Stable);
    joint_results(structure, loads, PointForces::of(&check).unwrap())
}

fn weight(model: &Model) -> (Structure, Loads) {
    let structure = Structure::new(model).unwrap();
    let loads = Loads::body_force(&structure, DVec3::NEG_Z * G);
    (structure, loads)
}

/// Base 0.6 m by 0.6 m, height 2 m, 2000 kg/m³.
fn block() -> (Structure, Loads, f64) {
    let (structure, loads) = weight(&built("block", &[]));
    (structure, loads, 0.6 * 0.6 * 2.0 * 2000.0 * G)
}

#[test]
fn a_block_presses_evenly_with_its_weight() {
    let (structure, loads, own) = block();
    let found = joints(&structure, &loads);
    let joint = &found[0];
    assert_eq!((found.len(), joint.state), (1, JointState::Closed));
    assert!((joint.normal_force_n / own - 1.0).abs() < 1e-8);
    assert!(joint.eccentricity_m.unwrap() < 1e-8 && joint.in_kernel && joint.inside);
    let stress = joint.stress.as_ref().unwrap();
    assert!((stress.largest_pa.unwrap() / (2.0 * 2000.0 * G) - 1.0).abs() < 1e-6);
    assert_eq!(stress.compressed, 1.0);
    assert!(joint.friction_use.unwrap() < 1e-8);
}

#[test]
fn a_push_at_the_top_moves_the_pressure_to_the_edge_of_the_kernel_and_to_that_of_the_base() {
    let (structure, dead, own) = block();
    let block = structure.free().next().unwrap();
    let base = |eccentricity: f64| {
        let mut loads = dead.clone();
        let at = structure.center[block];
        loads.push(&structure, block, DVec3::X * own * eccentricity / 1.0, at);
        joints(&structure, &loads).remove(0)
    };
    // The centre is 1 m high: a horizontal force H there moves the centre of pressure by H / W.
    let kernel = base(0.1 - 1e-9);
    assert!((kernel.eccentricity_ratio.unwrap() - 1.0 / 3.0).abs() < 1e-6 && kernel.in_kernel);
    let beyond = base(0.2);
    assert!(!beyond.in_kernel && beyond.state == JointState::Closed);
    let stress = beyond.stress.unwrap();
    assert!((stress.compressed - 0.5).abs() < 1e-6, "{}", stress.compressed);
    assert!((stress.largest_pa.unwrap() / (4.0 * stress.mean_pa) - 1.0).abs() < 1e-5);
    let edge = base(0.3 - 1e-7);
    assert_eq!(edge.state, JointState::Hinge);
    assert_eq!(edge.edge.unwrap().side, "+x");
    assert!((edge.friction_use.unwrap() - 0.3 / 0.6).abs() < 1e-5);
}

#[test]
fn a_tilted_block_is_about_to_slide_at_the_angle_of_friction() {
    let (structure, _, _) = block();
    let slope = 0.25_f64;
    let structure = structure.with_friction(slope * (1.0 + 1e-6));
    let loads = Loads::body_force(&structure, tilted(DVec3::NEG_Z * G, DVec3::Y, slope.atan()));
    let joint = joints(&structure, &loads).remove(0);
    assert_eq!(joint.state, JointState::Sliding);
    assert!((joint.friction_use.unwrap() - 1.0).abs() < 1e-4);
}

#[test]
fn in_a_tilted_stack_pressure_moves_by_half_the_height_above_times_the_slope() {
    let (structure, _) = weight(&built("stack", &[("blocks", "5")]));
    let slope = 0.1_f64;
    let loads = Loads::body_force(&structure, tilted(DVec3::NEG_Z * G, DVec3::Y, slope.atan()));
    let found = joints(&structure, &loads);
    assert_eq!(found.len(), 5);
    for joint in &found {
        let above = 5.0 * 0.25 - (joint.center.z - found.iter().map(|j| j.center.z).fold(f64::MAX, f64::min));
        let expected = 0.5 * above * slope;
        assert!(
            (joint.eccentricity_m.unwrap() - expected).abs() < 1e-7,
            "{above}: {:?}",
            joint.eccentricity_m
        );
    }
    // Each course carries what lies above it.
    let upright = Loads::body_force(&structure, DVec3::NEG_Z * G);
    let levels = courses(&structure, &joints(&structure, &upright));
    let one = 0.25 * 0.5 * 2000.0 * G;
    for (k, course) in levels.iter().enumerate() {
        assert!((course.down_n / ((5 - k) as f64 * one) - 1.0).abs() < 1e-8);
    }
}

#[test]
fn a_semicircular_arch_of_least_thickness_turns_about_its_five_hinges() {
    // Heyman and Milankovitch: t/R = 0.1075 with hinges at the crown, at 54.5 degrees from it and at the springings.
    let values = [
        ("voussoirs", "40"),
        ("radius", "1"),
        ("thickness", "0.112"),
        ("friction", "1"),
    ];
    let model = built("arch", &values);
    let (structure, loads) = weight(&model);
    let range = thrust_range(&structure, &loads, None, &mut Solvers::default())
        .unwrap()
        .unwrap();
    let (low, high) = (range.minimum.horizontal_n, range.maximum.horizontal_n);
    assert!(low < high && low > 0.9 * high, "{low} {high}");
    assert_eq!(range.minimum.lines.len(), 1);
    let line = &range.minimum.lines[0];
    assert!(line.arch && line.stations.len() == 41);
    let angle = |p: DVec3| p.x.atan2(p.z).to_degrees();
    let hinges: Vec<(f64, ArchSide)> = line
        .stations
        .iter()
        .filter_map(|s| Some((angle(s.point), s.hinge?)))
        .collect();
    let on = |side: ArchSide, least: f64, most: f64| {
        hinges
            .iter()
            .any(|(a, s)| *s == side && a.abs() >= least && a.abs() <= most)
    };
    assert!(on(ArchSide::Extrados, 0.0, 6.0), "{hinges:?}");
    assert!(on(ArchSide::Intrados, 48.0, 62.0), "{hinges:?}");
    // The horizontal thrust is the same in every joint, and both bounds balance the weight.
    assert!((line.horizontal_n[0] / line.horizontal_n[1] - 1.0).abs() < 1e-5);
    assert!((line.horizontal_n[0] / low - 1.0).abs() < 1e-5);
    // What is left of the range is between the back and the middle at the springings.
    let springing = &line.stations[0];
    assert!(springing.height.unwrap() > 0.5, "{springing:?}");
}

#[test]
fn minimum_thrust_of_a_thick_arch_passes_the_back_at_the_crown_and_the_soffit_at_the_haunches() {
    let model = built("arch", &[("friction", "1")]);
    let (structure, loads) = weight(&model);
    let range = thrust_range(&structure, &loads, None, &mut Solvers::default())
        .unwrap()
        .unwrap();
    assert!(range.maximum.horizontal_n > 1.2 * range.minimum.horizontal_n);
    let stations = &range.minimum.lines[0].stations;
    let crown = &stations[stations.len() / 2];
    assert!(crown.height.unwrap() > 0.98, "{crown:?}");
    let lowest = stations.iter().filter_map(|s| s.height).fold(f64::MAX, f64::min);
    assert!(lowest < -0.98, "{lowest}");
    let heights = || range.maximum.lines[0].stations.iter().filter_map(|s| s.height);
    let (low, high) = (heights().fold(f64::MAX, f64::min), heights().fold(f64::MIN, f64::max));
    assert!(high > 0.999 && high < 1.001 && low > -1.001, "{low} {high}");
    // Half the ring, cut at the hinge at 55 degrees, about that hinge: H / W = 0.1757 for t/R = 0.15.
    let of_weight = range.minimum.horizontal_n / loads.size(&structure);
    assert!((of_weight - 0.1757).abs() < 4e-4, "{of_weight}");
}

#[test]
fn supports_carry_the_whole_weight_of_an_arch_and_of_a_wall() {
    for (recipe, values) in [("arch", vec![]), ("wall", vec![("length", "2"), ("height", "1")])] {
        let model = built(recipe, &values);
        let (structure, loads) = weight(&model);
        let check = checked(&structure, &loads, Method::Cone);
        let found = results(&model, &structure, &loads, &check, &mut Solvers::default()).unwrap();
        assert!(
            (found.reaction_n + found.load_n).length() < 1e-6 * found.load_n.length(),
            "{recipe}"
        );
        let text = serde_json::to_string(&found).unwrap();
        assert!(text.contains("\"verdict\":\"stable\""));
        assert_eq!(found.thrust_range.is_some(), recipe == "arch");
        if recipe == "wall" {
            let base = &found.courses[0];
            assert!((base.down_n / found.load_n.length() - 1.0).abs() < 1e-6);
        }
    }
}

#[test]
fn the_corners_of_the_funicular_polygon_lie_under_the_centres_of_the_voussoirs() {
    let model = built("arch", &[]);
    let (structure, loads) = weight(&model);
    let check = checked(&structure, &loads, Method::Cone);
    let found = results(&model, &structure, &loads, &check, &mut Solvers::default()).unwrap();
    let line = &found.thrust_lines[0];
    let free: Vec<usize> = structure.free().collect();
    assert_eq!(line.funicular.len(), free.len() + 2);
    for (corner, name) in line.funicular[1..].iter().zip(&line.blocks[1..]) {
        let Some(b) = free.iter().find(|&&b| structure.names[b] == *name) else {
            continue;
        };
        assert!(
            (corner.x - structure.center[*b].x).abs() < 1e-4,
            "{corner} {}",
            structure.center[*b]
        );
    }
}

#[test]
fn tension_that_would_hold_a_leaning_stack_is_told_by_joint() {
    let model = built("stack", &[("blocks", "4"), ("offset", "0.5")]);
    let (structure, loads) = weight(&model);
    let check = checked(&structure, &loads, Method::Rbe);
    assert_eq!(check.verdict, Verdict::Unstable);
    let found = joint_results(&structure, &loads, PointForces::of(&check).unwrap());
    let sum: f64 = found.iter().map(|j| j.tension_n).sum();
    assert!((sum / check.tension() - 1.0).abs() < 1e-12);
    let pulled: Vec<&JointResult> = found.iter().filter(|j| j.state == JointState::Pulled).collect();
    assert_eq!(pulled.len(), 3);
    assert!(pulled.iter().all(|j| !j.inside));
    // The topmost block stands on the edge of the one beneath.
    assert_eq!(found[3].state, JointState::Hinge);
}

/// Motions of supports by name.
fn movement(structure: &Structure, moved: &[(&str, DVec3)]) -> Vec<Twist> {
    let mut motions = vec![Twist::ZERO; structure.len()];
    for (name, by) in moved {
        let block = structure.names.iter().position(|n| n == name).unwrap();
        assert!(structure.fixed[block]);
        motions[block].linear = *by;
    }
    motions
}

#[test]
fn an_arch_whose_support_gives_way_follows_on_three_hinges_and_its_weight_works_on_its_thrust() {
    let (structure, loads) = weight(&built("arch", &[("friction", "3")]));
    let mut solvers = Solvers::default();
    let range = thrust_range(&structure, &loads, None, &mut solvers).unwrap().unwrap();
    for (outward, thrust) in [(1.0, range.minimum.horizontal_n), (-1.0, range.maximum.horizontal_n)] {
        let motions = movement(&structure, &[("springer-right", outward * DVec3::X)]);
        let found = moved_supports(&structure, &loads, &motions, &mut solvers)
            .unwrap()
            .unwrap();
        assert!(found.follows(), "{}", found.entered);
        let joints = joint_results(&structure, &loads, found.view());
        let hinges = joints.iter().filter(|j| j.state == JointState::Hinge).count();
        // Fewer than three leave an arch rigid.
        assert!(hinges >= 3, "{hinges} hinges for {outward}");
        // Virtual work: hinges do none, so what the weight gives the support takes.
        let work = loads.power(&found.motions);
        assert!((work / (outward * thrust) - 1.0).abs() < 0.02, "{work} and {thrust}");
    }
}

#[test]
fn a_block_between_walls_cannot_follow_walls_that_close_in() {
    let (structure, loads) = weight(&built("model-h", &[]));
    let walls: Vec<usize> = (0..structure.len()).filter(|&b| structure.fixed[b]).collect();
    let inwards = (structure.center[walls[0]] - structure.center[walls[1]]).normalize();
    let motions = movement(&structure, &[(&structure.names[walls[1]], inwards)]);
    let found = moved_supports(&structure, &loads, &motions, &mut Solvers::default());
    let found = found.unwrap().unwrap();
    assert!(!found.follows() && found.entered > 0.3, "{}", found.entered);
}

//! Joints bent as it suits: normals tilted, points moved off, rounding and mortar made use of.

use drystone_model::{Block, JointSearch, Joints, Model, Shape, certificate::Claim, geometry::Polyhedron};
use glam::{DAffine3, DQuat, DVec2, DVec3, dvec3};

use super::{Forger, cuboid, stands::weight};
use crate::common::*;

pub(crate) fn forge(forger: &mut Forger) {
    forge_reaching_motions(forger);
    forge_points_off_the_joint(forger);
    forge_precision(forger);
    forge_borrowed_precision(forger);
    forge_borrowed_lines(forger);
    forge_borrowed_bearing(forger);
    forge_borrowed_turning(forger);
    forge_turning_on_mortar(forger);
    forge_normals_of_open_joints(forger);
}

/// Which faces are joined, as a file says it.
fn search(distance: f64, angle_deg: f64, precision: f64) -> JointSearch {
    let fields = serde_json::json!({ "distance": distance, "angle_deg": angle_deg, "precision": precision });
    serde_json::from_value(fields).unwrap()
}

/// A block of 100 kg, 1 m wide and 0.6 m high, between rough walls. By friction alone it hangs with self-stress only: to jam it
/// across its diagonal takes a friction of twice its height over its width, 1.2.
fn between_rough_walls() -> Model {
    let mut model = Model::named("between rough walls");
    model.joints = Joints::uniform(0.41);
    model.blocks = vec![
        cuboid("left", dvec3(-1.5, -1.0, 0.0), dvec3(-0.5, 1.0, 3.0)).fixed(),
        cuboid("right", dvec3(0.5, -1.0, 0.0), dvec3(1.5, 1.0, 3.0)).fixed(),
        cuboid("block", dvec3(-0.5, -0.4, 1.0), dvec3(0.5, 0.4, 1.6)),
    ];
    model.blocks[2].mass = Some(100.0);
    model
}

fn forge_reaching_motions(forger: &mut Forger) {
    for k in 0..120 {
        // The block slides down far, and normals that are tilted a little make a closing of it.
        let (tilt, opening) = (forger.random.power(-17.0, -4.5), forger.random.power(-9.0, -2.0));
        // Or they are true, and rounding is to do it.
        let stated = if k % 3 == 0 { 0.0 } else { tilt };
        let sinks = DVec3::Z * -opening / tilt;
        let model = between_rough_walls();
        let mut case = claim(&model, model.gravity, Claim::Stable);
        for (name, x) in [("left", -0.5), ("right", 0.5)] {
            let normal = dvec3(-2.0 * x, 0.0, stated).normalize();
            let across = sinks - normal * sinks.dot(normal);
            let friction = -across.normalize() * 0.4;
            let force = (normal + friction) * (weight() / 8.0 / (normal + friction).z);
            for (y, z) in [(-0.4, 1.0), (0.4, 1.0), (0.4, 1.6), (-0.4, 1.6)] {
                case = case.force([name, "block"], dvec3(x, y, z), normal, force);
            }
        }
        let side = DVec3::X * opening * forger.random.between(-1.0, 1.0) * f64::from(k % 2);
        case = case.motion("block", sinks + side, DVec3::ZERO);
        forger.offer(
            "a closing made of sliding",
            case.clone().without_self_stress(Some(opening)),
        );
        // With self-stress the same forces are right, if the normals are.
        case.certificate.motions.clear();
        assert!(stated != 0.0 || case.verify().valid);
    }
}

/// A block whose centre is beyond the edge of its floor. A smooth wall on either side touches it where it does not help: the
/// one it leans on low, the other high.
fn toppling() -> Model {
    let mut model = Model::named("toppling");
    model.joints = Joints::uniform(0.0);
    model.blocks = vec![
        cuboid("floor", dvec3(-1.0, -1.0, -1.0), dvec3(0.3, 1.0, 0.0)).fixed(),
        cuboid("high", dvec3(-1.0, -0.5, 1.0), dvec3(0.0, 0.5, 2.0)).fixed(),
        cuboid("low", dvec3(1.0, -0.5, 0.2), dvec3(2.0, 0.5, 1.0)).fixed(),
        cuboid("block", dvec3(0.0, -0.5, 0.0), dvec3(1.0, 0.5, 2.0)),
    ];
    model
}

fn forge_points_off_the_joint(forger: &mut Forger) {
    let model = toppling();
    let weight = model.mass_of(&model.blocks[3]).0 * G;
    for _ in 0..120 {
        // Both walls press where they all but touch, with what arm they have.
        let off = forger.random.power(-16.0, -3.0);
        let press = 0.2 * weight / (2.0 * off);
        let mut case = claim(&model, model.gravity, Claim::Stable);
        for y in [-0.3, 0.3] {
            let up = DVec3::Z * 0.5 * weight;
            case = case.force(["floor", "block"], dvec3(0.3, y, 0.0), DVec3::Z, up);
            for (name, x, z) in [("high", 0.0, 1.0 - off), ("low", 1.0, 1.0 + off)] {
                let inward = DVec3::X * (1.0 - 2.0 * x);
                case = case.force([name, "block"], dvec3(x, y, z), inward, inward * 0.5 * press);
            }
        }
        forger.offer("forces beside the joint with an arm", case);
    }
}

fn forge_precision(forger: &mut Forger) {
    for _ in 0..60 {
        // Coordinates said to be so rough that the floor reaches farther than it does.
        let over = forger.random.power(-4.0, -0.7);
        let mut model = Model::named("over the edge");
        model.joints = Joints::uniform(0.6);
        model.blocks = vec![
            cuboid("low", dvec3(-1.0, -0.5, -1.0), dvec3(0.0, 0.5, 0.0)).fixed(),
            cuboid("high", dvec3(-0.5 + over, -0.5, 0.0), dvec3(0.5 + over, 0.5, 0.5)),
        ];
        let weight = model.mass_of(&model.blocks[1]).0 * G;
        let mut case = claim(&model, model.gravity, Claim::Stable);
        for y in [-0.4, 0.4] {
            let up = DVec3::Z * 0.5 * weight;
            case = case.force(["low", "high"], dvec3(over, y, 0.0), DVec3::Z, up);
        }
        let precision = over * forger.random.between(0.25, 2.0);
        case.certificate.situation.joint_search = Some(search(precision.max(1e-6), 0.1, precision));
        forger.offer("a precision that lets a floor reach farther", case);
    }
    for _ in 0..80 {
        // Or so rough that a joint is no more than a line, or a corner no farther than an edge.
        let width = forger.random.power(-2.0, -0.5);
        let mut model = Model::named("a foot");
        model.joints = Joints::uniform(0.6);
        model.blocks = vec![
            cuboid("floor", dvec3(-1.0, -1.0, -1.0), dvec3(1.0, 1.0, 0.0)).fixed(),
            cuboid("block", dvec3(-width, -0.5, 0.0), dvec3(width, 0.5, 1.0)),
        ];
        let precision = width * forger.random.between(0.2, 1.0);
        let mut case = claim(&model, model.gravity, Claim::Unstable);
        case.certificate.situation.joint_search = Some(search(1e-6, 0.1, precision));
        case = match forger.random.index(2) {
            0 => case.motion("block", DVec3::NEG_Z, DVec3::ZERO),
            _ => {
                let arm = dvec3(width * forger.random.next(), 0.0, 0.5);
                case.motion("block", DVec3::Y.cross(arm), DVec3::Y)
            }
        };
        forger.offer("a precision that takes a joint away", case);
    }
}

/// A slab of seven sides, turned and rounded to centimetres: its faces are visibly not plane.
fn rough(name: &str, from: f64) -> Block {
    let corner = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / 7.0;
        DVec2::new(angle.cos(), angle.sin()) * 0.8
    };
    let sides: Vec<DVec2> = (0..7).map(corner).collect();
    let turn = DQuat::from_axis_angle(dvec3(1.0, 0.3, 0.2).normalize(), 1.1);
    let map = DAffine3::from_rotation_translation(turn, DVec3::X * 20.0);
    let mut solid = Polyhedron::from_elevation(&sides, from, from + 1.0).transformed(&map);
    solid.vertices.iter_mut().for_each(|v| *v = (*v * 1e2).round() / 1e2);
    Block::new(name, Shape::from(solid)).fixed()
}

/// A block with digits of its own on a ledge. Rough stones far from it lend it nothing.
fn forge_borrowed_precision(forger: &mut Forger) {
    let precision = 0.5 * 3f64.sqrt() * 1e-2;
    for k in 0..40 {
        let over = 0.03 * forger.random.between(0.1, 1.0);
        let out = if k % 2 == 0 { over } else { -over };
        let mut model = Model::named("borrowed");
        model.joints = Joints::uniform(0.6);
        let half = dvec3(0.382_716_1, 0.345_678_9, 0.0);
        let center = DVec3::X * out;
        model.blocks = vec![
            cuboid(
                "ledge",
                dvec3(-1.234_567, -1.234_567, -1.111_111_1),
                dvec3(0.0, 1.234_567, 0.0),
            )
            .fixed(),
            cuboid("block", center - half, center + half + DVec3::Z * 0.456_789_1),
            rough("rough", -0.5),
            rough("rougher", 0.5),
        ];
        let (mass, properties) = model.mass_of(&model.blocks[1]);
        let mut case = if k % 2 == 0 {
            let up = DVec3::Z * mass * G;
            let at = properties.centroid.with_z(0.0);
            claim(&model, model.gravity, Claim::Stable).force(["ledge", "block"], at, DVec3::Z, up)
        } else {
            let arm = properties.centroid + DVec3::X * (over + 0.005);
            claim(&model, model.gravity, Claim::Unstable).motion("block", DVec3::Y.cross(arm), DVec3::Y)
        };
        case.certificate.situation.joint_search = Some(search(4.0 * precision, 0.1, precision));
        forger.offer("a precision lent by other blocks", case);
    }
}

/// Half of the last of two decimals along each axis, which rough stones have.
const ROUGH: f64 = 0.5 * 1.732_050_807 * 1e-2;

/// A block with digits of its own among supports, and rough stones far from it.
fn beside_rough(name: &str, blocks: Vec<Block>) -> Model {
    let mut model = Model::named(name);
    model.joints = Joints::uniform(0.6);
    model.blocks = blocks;
    model.blocks.extend([rough("rough", -0.5), rough("rougher", 0.5)]);
    model
}

fn offer_borrowed(forger: &mut Forger, what: &str, mut case: Case) {
    case.certificate.situation.joint_search = Some(search(4.0 * ROUGH, 0.1, ROUGH));
    forger.offer(what, case);
}

/// A beam on two ledges, on strips narrower than what rough stones would make a line. It stands.
fn forge_borrowed_lines(forger: &mut Forger) {
    for _ in 0..30 {
        let strip = 4.0 * ROUGH * forger.random.between(0.2, 0.95);
        let inner = 0.654_321_7 - strip;
        let ledge = |name: &str, from: f64, to: f64| {
            let (low, high) = (dvec3(from, -1.234_567, -1.111_111_1), dvec3(to, 1.234_567, 0.0));
            cuboid(name, low, high).fixed()
        };
        let half = dvec3(0.654_321_7, 0.345_678_9, 0.0);
        let blocks = vec![
            ledge("left", -2.345_678_9, -inner),
            ledge("right", inner, 2.345_678_9),
            cuboid("block", -half, half + DVec3::Z * 0.456_789_1),
        ];
        let model = beside_rough("strips", blocks);
        let sinks = claim(&model, model.gravity, Claim::Unstable).motion("block", DVec3::NEG_Z, DVec3::ZERO);
        offer_borrowed(forger, "a line as wide as that of other blocks", sinks);
    }
}

/// A block on its edge over a floor that it does not touch.
fn forge_borrowed_bearing(forger: &mut Forger) {
    for _ in 0..30 {
        let above = 4.0 * ROUGH * forger.random.between(0.1, 0.95);
        let outline = [
            (0.0, 0.0),
            (0.512_345_7, 0.567_891_3),
            (0.0, 1.135_782_6),
            (-0.512_345_7, 0.567_891_3),
        ];
        let outline = outline.map(|(x, z)| DVec2::new(x, z + above));
        let depth = 0.345_678_9;
        let blocks = vec![
            cuboid(
                "floor",
                DVec3::splat(-1.234_567_9),
                dvec3(1.234_567_9, 1.234_567_9, 0.0),
            )
            .fixed(),
            Block::new("block", Polyhedron::from_elevation(&outline, -depth, depth)),
        ];
        let model = beside_rough("over", blocks);
        let up = DVec3::Z * 0.5 * model.mass_of(&model.blocks[1]).0 * G;
        let mut case = claim(&model, model.gravity, Claim::Stable);
        for y in [-depth, depth] {
            case = case.force(["floor", "block"], dvec3(0.0, y, 0.5 * above), DVec3::Z, up);
        }
        offer_borrowed(forger, "an edge that bears from as far as those of other blocks", case);
    }
}

/// A block whose bed rises from one edge, the only one on which it stands: it falls over to the other side.
fn forge_borrowed_turning(forger: &mut Forger) {
    for _ in 0..30 {
        let (width, slope) = (0.765_432_1, forger.random.between(0.3, 1.0_f64).to_radians().tan());
        let top = 0.512_345_7;
        let outline = [(0.0, 0.0), (width, slope * width), (width, top), (0.0, top)].map(DVec2::from);
        let depth = 0.345_678_9;
        let blocks = vec![
            cuboid(
                "floor",
                DVec3::splat(-1.234_567_9),
                dvec3(1.234_567_9, 1.234_567_9, 0.0),
            )
            .fixed(),
            Block::new("block", Polyhedron::from_elevation(&outline, -depth, depth)),
        ];
        let model = beside_rough("wedge", blocks);
        let (mass, properties) = model.mass_of(&model.blocks[1]);
        let x = properties.centroid.x;
        let mut case = claim(&model, model.gravity, Claim::Stable);
        let normals = [DVec3::Z, dvec3(-slope, 0.0, 1.0).normalize()];
        let normal = (normals[0] + normals[1]).normalize();
        for y in [-0.2, 0.2] {
            let point = dvec3(x, y, 0.5 * slope * x);
            case = case.force(["floor", "block"], point, normal, DVec3::Z * 0.5 * mass * G);
        }
        offer_borrowed(forger, "faces turned as far as those of other blocks", case);
    }
}

fn forge_turning_on_mortar(forger: &mut Forger) {
    for _ in 0..100 {
        // A block on mortar, its centre above its foot. It turns about a point within the foot.
        let gap = forger.random.between(0.002, 0.03);
        let half = gap * forger.random.between(0.6, 2.5);
        let mut model = Model::named("on mortar");
        model.joints = Joints::uniform(forger.random.between(0.0, 1.0));
        model.joint_search = Some(search(1.01 * gap, 1.0, 0.0));
        model.blocks = vec![
            cuboid("floor", dvec3(-1.0, -1.0, -1.0), dvec3(1.0, 1.0, 0.0)).fixed(),
            cuboid("block", dvec3(-half, -0.3, gap), dvec3(half, 0.3, gap + 0.5)),
        ];
        let about = half * forger.random.power(-3.0, -0.01);
        let height = 0.25 + gap * forger.random.between(0.4, 0.6);
        let case = claim(&model, model.gravity, Claim::Unstable);
        let arm = dvec3(about, 0.0, height);
        forger.offer(
            "turning within the mortar",
            case.motion("block", DVec3::Y.cross(arm), DVec3::Y),
        );
    }
}

/// A smooth block on a smooth floor, their faces at angles of `open` to either side about y, all of it leaning sideways.
fn open_joint(open: f64, sideways: f64, ahead: f64) -> Model {
    let lean = DQuat::from_rotation_x(sideways) * DQuat::from_rotation_y(ahead);
    let mut model = Model::named("open joint");
    model.joints = Joints::uniform(0.0);
    model.joint_search = Some(search(0.1, 12.0, 0.0));
    let mut add = |name: &str, low: DVec3, high: DVec3, turn: f64, lift: f64| {
        let turn = lean * DQuat::from_rotation_y(turn);
        let map = DAffine3::from_rotation_translation(turn, lean * DVec3::Z * lift);
        let shape = Shape::from(Polyhedron::cuboid(low, high).transformed(&map));
        model.blocks.push(Block::new(name, shape));
    };
    add("floor", dvec3(-2.0, -2.0, -1.0), dvec3(2.0, 2.0, 0.0), open, 0.0);
    add("block", dvec3(-0.2, -0.2, 0.0), dvec3(0.2, 0.2, 0.4), -open, 0.035);
    model.blocks[0].fixed = true;
    model
}

fn forge_normals_of_open_joints(forger: &mut Forger) {
    for k in 0..120 {
        let open = forger.random.between(0.01, 0.06);
        // Sideways no normal of either face points up; ahead, those of both together would.
        let lean = open * forger.random.between(0.05, 0.95);
        let (sideways, ahead) = if k % 2 == 0 { (lean, 0.0) } else { (0.0, lean) };
        let model = open_joint(open, sideways, ahead);
        let mass = model.mass_of(&model.blocks[1]);
        let weight = mass.0 * G;
        let up_from = DQuat::from_rotation_x(sideways) * DQuat::from_rotation_y(ahead);
        let middle = up_from * DVec3::Z;
        // On the plane half-way, under the centre.
        let center = mass.1.centroid;
        let below = (center - middle * 0.0175).dot(middle) / middle.z;
        let at = center - DVec3::Z * below;
        let mut case = claim(&model, model.gravity, Claim::Stable);
        if k % 2 == 0 || k % 4 == 1 {
            case = case.force(["floor", "block"], at, DVec3::Z, DVec3::Z * weight);
        } else {
            // One force along the normal of each face: together they are upright.
            let [a, b] = [open, -open].map(|turn| up_from * DQuat::from_rotation_y(turn) * DVec3::Z);
            let b_part = weight / (b.z - a.z * b.x / a.x);
            let a_part = -b_part * b.x / a.x;
            case = case.force(["floor", "block"], at, a, a * a_part);
            case = case.force(["floor", "block"], at, b, b * b_part);
        }
        forger.offer("normals that no face has", case);
    }
}

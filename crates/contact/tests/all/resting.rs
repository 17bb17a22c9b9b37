//! A block that rests on another keeps its contacts, however it is turned and tilted a little, and no two of them are
//! the same.

use crate::support::{cuboid, detector};
use drystone_contact::{Bodies, Contacts, Detector, DetectorSettings, Placement};
use drystone_model::{geometry::Polyhedron, recipes};
use glam::{DQuat, DVec2, DVec3};

/// A small generator, the same on every machine: numbers from -1 to 1.
fn random(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// What of a counter-clockwise polygon lies over another, as long as it is convex.
fn clipped(mut polygon: Vec<DVec2>, by: &[DVec2]) -> Vec<DVec2> {
    for k in 0..by.len() {
        let (from, along) = (by[k], (by[(k + 1) % by.len()] - by[k]).normalize());
        let inside = |p: DVec2| along.perp_dot(p - from);
        let mut kept = Vec::new();
        for i in 0..polygon.len() {
            let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
            let (d, e) = (inside(p), inside(q));
            if d >= 0.0 {
                kept.push(p);
            }
            if (d >= 0.0) != (e >= 0.0) {
                kept.push(p + (q - p) * (d / (d - e)));
            }
        }
        polygon = kept;
    }
    polygon
}

/// How far a face that moves along `n` is above a face at rest across it, and how wide their overlap is.
fn height(rest: &[DVec3], moved: &[DVec3], n: DVec3) -> Option<(f64, f64)> {
    let u = n.any_orthonormal_vector();
    let v = n.cross(u);
    let flat = |p: &DVec3| DVec2::new(p.dot(u), p.dot(v));
    let below: Vec<DVec2> = rest.iter().map(flat).collect();
    let above: Vec<DVec2> = moved.iter().rev().map(flat).collect();
    let overlap = clipped(above, &below);
    let plane = (moved[1] - moved[0]).cross(moved[2] - moved[1]).normalize();
    let lift = |p: &DVec2| plane.dot(moved[0] - u * p.x - v * p.y) / plane.dot(n) - rest[0].dot(n);
    let lowest = overlap.iter().map(lift).fold(f64::INFINITY, f64::min);
    let middle = overlap.iter().copied().sum::<DVec2>() / overlap.len().max(1) as f64;
    let n = overlap.len();
    let area = (0..n)
        .map(|k| 0.5 * (overlap[k] - middle).perp_dot(overlap[(k + 1) % n] - middle))
        .sum::<f64>();
    let reach = overlap.iter().map(|p| p.distance(middle)).fold(0.0, f64::max);
    (n >= 3).then_some((lowest, area / reach))
}

/// The corners of the face of a block that looks most along a direction.
fn face(solid: &Polyhedron, place: &Placement, direction: DVec3) -> Vec<DVec3> {
    let local = place.rotation.inverse() * direction;
    let looks = |f: &usize| solid.face_plane(*f).normal.dot(local);
    let best = (0..solid.faces.len())
        .max_by(|a, b| looks(a).total_cmp(&looks(b)))
        .unwrap();
    let at = |&v: &u32| place.center + place.rotation * solid.vertices[v as usize];
    solid.faces[best].iter().map(at).collect()
}

/// A number of either sign, up to one, of any size over some decades.
fn small(state: &mut u64, decades: i32) -> f64 {
    let size = 10f64.powf(-(f64::from(decades)) * 0.5 * (1.0 + random(state)));
    if random(state) < 0.0 { -size } else { size }
}

/// Puts the second of two blocks at a gap from the first across `n`; `None` if they hardly overlap.
fn rested(solids: [&Polyhedron; 2], places: [Placement; 2], n: DVec3, gap: f64, size: f64) -> Option<Placement> {
    let below = face(solids[0], &places[0], n);
    let above = face(solids[1], &places[1], -n);
    let (height, width) = height(&below, &above, n)?;
    (width > 0.01 * size).then(|| Placement {
        center: places[1].center + n * (gap - height),
        ..places[1]
    })
}

/// Contacts there are, each once, along the normal or nearly, and as near as the blocks are.
fn check(contacts: &Contacts, n: DVec3, gap: f64, size: f64, what: &str) -> Result<(), String> {
    if contacts.contacts.is_empty() {
        return Err(format!("{what}: lost at gap {:.2e}", gap / size));
    }
    for i in &contacts.interfaces {
        let of = contacts.of(i);
        for (k, c) in of.iter().enumerate() {
            if of[..k].iter().any(|d| d.feature == c.feature) {
                return Err(format!("{what}: {:?} twice", c.feature));
            }
        }
        if i.normal.dot(n) < 0.85 {
            return Err(format!("{what}: normal {} gap {:.2e}", i.normal, gap / size));
        }
        let nearest = of.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        if (nearest - gap).abs() > 0.2 * gap.abs() + 1e-9 {
            return Err(format!("{what}: nearest {:.3e} not {:.3e}", nearest / size, gap / size));
        }
    }
    Ok(())
}

#[test]
fn a_box_that_rests_on_another_keeps_its_contacts() {
    let mut state = 11;
    let (mut tried, mut bad) = (0, Vec::new());
    for _ in 0..200 {
        let mut dims = || {
            DVec3::new(
                1.5 + random(&mut state),
                1.5 + random(&mut state),
                1.5 + random(&mut state),
            )
        };
        let shapes = [cuboid(dims()), cuboid(dims())];
        let size = shapes
            .iter()
            .map(|s| s.bounds().diagonal())
            .fold(f64::INFINITY, f64::min);
        let margin = 1e-3 * size;
        let mut detector = detector(&shapes, margin);
        for _ in 0..100 {
            let tilt = DVec3::new(small(&mut state, 4), small(&mut state, 4), 0.0) * 0.01;
            let yaw = 0.1 * small(&mut state, 2);
            let reach = 0.5 * (shapes[0].bounds().size() + shapes[1].bounds().size());
            let place = Placement {
                center: DVec3::new(reach.x * random(&mut state), reach.y * random(&mut state), 0.0),
                rotation: DQuat::from_scaled_axis(tilt) * DQuat::from_rotation_z(yaw),
            };
            let gap = if random(&mut state) < 0.0 { -1e-3 * size } else { margin } * small(&mut state, 6).abs();
            let ground = Placement::at(DVec3::ZERO);
            let Some(place) = rested([&shapes[0], &shapes[1]], [ground, place], DVec3::Z, gap, size) else {
                continue;
            };
            tried += 1;
            let what = format!("tilt {tilt:.6} yaw {yaw:.1e} at {:.3}", place.center);
            if let Err(e) = check(detector.detect(&[ground, place]), DVec3::Z, gap, size, &what) {
                bad.push(e);
            }
        }
    }
    assert!(tried > 5000);
    assert!(bad.is_empty(), "{} of {tried}: {}", bad.len(), bad[0]);
}

#[test]
fn a_voussoir_that_is_opened_and_turned_keeps_its_contacts() {
    let model = recipes::find("arch").and_then(|r| r.build_alone(&[])).unwrap();
    let (bodies, still) = Bodies::of_model(&model).unwrap();
    let mut state = 3;
    let (mut tried, mut bad) = (0, Vec::new());
    let solids: Vec<Polyhedron> = model
        .blocks
        .iter()
        .zip(&still)
        .map(|(b, p)| b.polyhedron().translated(-p.center))
        .collect();
    let mut all = Detector::new(bodies, DetectorSettings::default());
    let joints = all.detect(&still).clone();
    for joint in &joints.interfaces {
        let [i, j] = joint.blocks.map(|b| b as usize);
        let size = solids[i].bounds().diagonal().min(solids[j].bounds().diagonal());
        let margin = 1e-3 * size;
        let mut detector = detector(&[solids[i].clone(), solids[j].clone()], margin);
        let n = joint.normal;
        for _ in 0..300 {
            let turn = DVec3::new(small(&mut state, 6), small(&mut state, 6), small(&mut state, 6)) * 0.1;
            let shift = DVec3::new(random(&mut state), random(&mut state), random(&mut state)) * 0.7 * size;
            let place = Placement {
                center: still[j].center + shift - n * n.dot(shift),
                rotation: DQuat::from_scaled_axis(turn),
            };
            let gap = if random(&mut state) < 0.0 { -1e-3 * size } else { margin } * small(&mut state, 6).abs();
            let Some(place) = rested([&solids[i], &solids[j]], [still[i], place], n, gap, size) else {
                continue;
            };
            tried += 1;
            let what = format!("turn {turn:.6} shift {shift:.3}");
            if let Err(e) = check(detector.detect(&[still[i], place]), n, gap, size, &what) {
                bad.push(e);
            }
        }
    }
    assert!(tried > 5000);
    assert!(bad.is_empty(), "{} of {tried}: {}", bad.len(), bad[0]);
}

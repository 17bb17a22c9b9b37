use glam::DVec3;

use super::Polyhedron;

/// How far two convex solids are apart (positive) or interpenetrate (negative), by the separating-axis theorem (m).
///
/// Two convex polyhedra are disjoint exactly when some face normal of either, or some cross product of an edge of one
/// with an edge of the other, separates them. When they overlap, the smallest overlap over these directions is the
/// penetration depth: the shortest translation that parts them. When they are apart the value is the largest gap over
/// these directions, which is positive and at most the distance.
///
/// The search stops as soon as a gap of at least `enough` is found: pass the tolerance below which contact counts.
pub fn separation(a: &Polyhedron, b: &Polyhedron, enough: f64) -> f64 {
    let mut best = f64::NEG_INFINITY;
    let face_axes = (0..a.faces.len())
        .map(|f| a.face_plane(f).normal)
        .chain((0..b.faces.len()).map(|f| -b.face_plane(f).normal));
    for axis in face_axes {
        best = best.max(gap(a, b, axis));
        if best >= enough {
            return best;
        }
    }
    let (ea, eb) = (edge_directions(a), edge_directions(b));
    for &u in &ea {
        for &v in &eb {
            let Some(axis) = axis_across(u, v) else { continue };
            best = best.max(gap(a, b, axis).max(gap(a, b, -axis)));
            if best >= enough {
                return best;
            }
        }
    }
    best
}

/// Gap between the solids along `axis`, `a` behind and `b` in front.
fn gap(a: &Polyhedron, b: &Polyhedron, axis: DVec3) -> f64 {
    let far = a.vertices.iter().map(|p| p.dot(axis)).fold(f64::NEG_INFINITY, f64::max);
    let near = b.vertices.iter().map(|p| p.dot(axis)).fold(f64::INFINITY, f64::min);
    near - far
}

/// Cross product of unit directions as a unit vector, unless they are parallel (the face normals cover that case).
fn axis_across(u: DVec3, v: DVec3) -> Option<DVec3> {
    let cross = u.cross(v);
    (cross.length_squared() > 1e-12).then(|| cross.normalize())
}

/// Unit edge directions, parallel ones once.
fn edge_directions(solid: &Polyhedron) -> Vec<DVec3> {
    let mut directions: Vec<DVec3> = Vec::new();
    for (i, j) in solid.edges() {
        let Some(d) = (solid.vertices[j as usize] - solid.vertices[i as usize]).try_normalize() else {
            continue;
        };
        if !directions.iter().any(|e| e.dot(d).abs() > 1.0 - 1e-14) {
            directions.push(d);
        }
    }
    directions
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DQuat};

    use super::*;

    fn cube_at(center: DVec3, turn: DQuat) -> Polyhedron {
        Polyhedron::cuboid(DVec3::splat(-0.5), DVec3::splat(0.5))
            .transformed(&DAffine3::from_rotation_translation(turn, center))
    }

    #[test]
    fn cubes_face_to_face_are_apart_by_the_gap_or_overlap_by_the_depth() {
        for gap in [0.25, 0.0, -0.125] {
            let a = cube_at(DVec3::ZERO, DQuat::IDENTITY);
            let b = cube_at(DVec3::new(0.2, 0.1, 1.0 + gap), DQuat::IDENTITY);
            assert!((separation(&a, &b, f64::INFINITY) - gap).abs() < 1e-14);
            assert!((separation(&b, &a, f64::INFINITY) - gap).abs() < 1e-14);
        }
    }

    #[test]
    fn cubes_edge_to_edge_are_parted_by_an_axis_across_both_edges() {
        // The upper edge of `a` runs along y, the lower edge of `b` along x; both cubes stand on an edge.
        let half = std::f64::consts::FRAC_PI_4;
        let a = cube_at(DVec3::ZERO, DQuat::from_rotation_y(half));
        let b = cube_at(DVec3::new(0.0, 0.0, 2f64.sqrt() - 0.01), DQuat::from_rotation_x(half));
        assert!((separation(&a, &b, f64::INFINITY) + 0.01).abs() < 1e-12);
        let b = cube_at(DVec3::new(0.0, 0.0, 2f64.sqrt() + 0.01), DQuat::from_rotation_x(half));
        assert!((separation(&a, &b, f64::INFINITY) - 0.01).abs() < 1e-12);
    }
}

use glam::DVec3;

use super::{Polyhedron, hull::weld, tree::Support};

/// Pairs of edge directions that are looked at. Beyond, which takes two solids of more than a thousand different edges
/// each, faces alone decide: an overlap may then be told that such edges clear.
const MOST_EDGE_PAIRS: usize = 2_000_000;

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
    let (in_a, in_b) = (Support::new(&a.vertices), Support::new(&b.vertices));
    // Gap between the solids along an axis, `a` behind and `b` in front.
    let gap = |axis: DVec3| -in_b.farthest(-axis) - in_a.farthest(axis);
    let face_axes = (0..a.faces.len())
        .map(|f| a.face_plane(f).normal)
        .chain((0..b.faces.len()).map(|f| -b.face_plane(f).normal));
    for axis in face_axes {
        best = best.max(gap(axis));
        if best >= enough {
            return best;
        }
    }
    let (ea, eb) = (edge_directions(a), edge_directions(b));
    if ea.len().saturating_mul(eb.len()) > MOST_EDGE_PAIRS {
        return best;
    }
    for &u in &ea {
        for &v in &eb {
            let Some(axis) = axis_across(u, v) else { continue };
            best = best.max(gap(axis).max(gap(-axis)));
            if best >= enough {
                return best;
            }
        }
    }
    best
}

/// Cross product of unit directions as a unit vector, unless they are parallel (the face normals cover that case).
fn axis_across(u: DVec3, v: DVec3) -> Option<DVec3> {
    let cross = u.cross(v);
    (cross.length_squared() > 1e-12).then(|| cross.normalize())
}

/// Unit edge directions, parallel ones once.
fn edge_directions(solid: &Polyhedron) -> Vec<DVec3> {
    // Directions this close (rad) count as parallel.
    const PARALLEL: f64 = 1.4e-7;
    let along = |(i, j): (u32, u32)| (solid.vertices[j as usize] - solid.vertices[i as usize]).try_normalize();
    // Of the two directions of an edge the one that looks towards a fixed side, so that parallel ones coincide.
    let towards = DVec3::new(0.9, 0.37, 0.23);
    let towards = |d: DVec3| if d.dot(towards) < 0.0 { -d } else { d };
    let all: Vec<DVec3> = solid.edges().into_iter().filter_map(along).map(towards).collect();
    let first = weld(&all, PARALLEL);
    let is_first = |&(k, _): &(usize, &DVec3)| first[k] as usize == k;
    all.iter().enumerate().filter(is_first).map(|(_, &d)| d).collect()
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

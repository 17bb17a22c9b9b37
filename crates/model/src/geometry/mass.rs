use glam::{DMat3, DVec3};

use super::Polyhedron;

/// Volume, centroid and inertia of a solid of unit density. Multiply volume and inertia by the density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume (m³); negative for an inside-out solid.
    pub volume: f64,
    /// Centroid (m).
    pub centroid: DVec3,
    /// Inertia tensor about the centroid, axes as given, for unit density (m⁵).
    pub inertia: DMat3,
}

/// Exact integrals over a polyhedron.
///
/// The solid is the signed sum of the tetrahedra that join a reference point to a fan of each face. For planar faces
/// the fan is exact whether or not the face is convex, because the triangles of a non-convex polygon cancel where they
/// overlap. Over one tetrahedron with corners `o + {0, a, b, c}` and six-fold volume `d = a · (b × c)`:
///
/// ```text
/// ∫ 1      = d/6
/// ∫ x      = d/24 (a + b + c)
/// ∫ x xᵀ   = d/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ),   s = a + b + c
/// ```
///
/// The reference point is the middle of the bounding box, so that a solid far from the origin loses no digits.
pub fn mass_properties(solid: &Polyhedron) -> MassProperties {
    let origin = solid.bounds().center();
    let mut volume6 = 0.0;
    let mut first24 = DVec3::ZERO;
    // The six different entries of 120 ∫ x xᵀ: xx, yy, zz and yz, zx, xy.
    let mut square = DVec3::ZERO;
    let mut product = DVec3::ZERO;
    for face in &solid.faces {
        let Some((&first, rest)) = face.split_first() else {
            continue;
        };
        let a = solid.vertices[first as usize] - origin;
        for pair in rest.windows(2) {
            let b = solid.vertices[pair[0] as usize] - origin;
            let c = solid.vertices[pair[1] as usize] - origin;
            let d = a.dot(b.cross(c));
            let s = a + b + c;
            volume6 += d;
            first24 += d * s;
            square += d * (a * a + b * b + c * c + s * s);
            let cyclic = |v: DVec3| DVec3::new(v.y * v.z, v.z * v.x, v.x * v.y);
            product += d * (cyclic(a) + cyclic(b) + cyclic(c) + cyclic(s));
        }
    }
    let volume = volume6 / 6.0;
    if volume == 0.0 || !volume.is_finite() {
        return MassProperties {
            volume,
            centroid: origin,
            inertia: DMat3::ZERO,
        };
    }
    let arm = first24 / 24.0 / volume;
    let square = square / 120.0 - volume * arm * arm;
    let product = product / 120.0 - volume * DVec3::new(arm.y * arm.z, arm.z * arm.x, arm.x * arm.y);
    let inertia = DMat3::from_cols(
        DVec3::new(square.y + square.z, -product.z, -product.y),
        DVec3::new(-product.z, square.z + square.x, -product.x),
        DVec3::new(-product.y, -product.x, square.x + square.y),
    );
    MassProperties {
        volume,
        centroid: origin + arm,
        inertia,
    }
}

#[cfg(test)]
mod tests {
    use glam::{DAffine3, DQuat, DVec2};

    use super::*;

    fn assert_close(a: f64, b: f64, scale: f64) {
        assert!((a - b).abs() <= 1e-12 * scale, "{a} is not {b}");
    }

    #[test]
    fn a_box_has_the_inertia_of_the_textbook_at_any_scale_and_far_away() {
        for scale in [1e-3, 1.0, 100.0] {
            let size = DVec3::new(1.0, 2.0, 3.0) * scale;
            let at = DVec3::new(0.7, -0.2, 4.0) * scale;
            let mass = Polyhedron::cuboid(at, at + size).mass_properties();
            let volume = size.x * size.y * size.z;
            assert_close(mass.volume, volume, volume);
            assert!((mass.centroid - (at + 0.5 * size)).length() < 1e-13 * scale);
            let expected = volume / 12.0 * DVec3::new(13.0, 10.0, 5.0) * scale * scale;
            for axis in 0..3 {
                assert_close(mass.inertia.col(axis)[axis], expected[axis], expected.x);
            }
            assert!(mass.inertia.x_axis.y.abs() < 1e-12 * expected.x);
        }
        let far = DVec3::splat(1e4);
        let mass = Polyhedron::cuboid(far, far + DVec3::ONE).mass_properties();
        assert_close(mass.inertia.x_axis.x, 1.0 / 6.0, 1.0);
    }

    #[test]
    fn inertia_turns_with_the_solid() {
        let solid = Polyhedron::cuboid(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.7);
        let turned = solid.transformed(&DAffine3::from_quat(turn)).mass_properties();
        let rotation = DMat3::from_quat(turn);
        let expected = rotation * solid.mass_properties().inertia * rotation.transpose();
        for axis in 0..3 {
            assert!((turned.inertia.col(axis) - expected.col(axis)).length() < 1e-11);
        }
    }

    #[test]
    fn a_tetrahedron_has_the_inertia_of_the_textbook() {
        // Corner tetrahedron with legs a, b, c: I_xx about the centroid is (b² + c²) abc/6 · 3/80.
        let (a, b, c) = (1.0, 2.0, 0.5);
        let solid = Polyhedron {
            vertices: vec![DVec3::ZERO, DVec3::X * a, DVec3::Y * b, DVec3::Z * c],
            faces: vec![vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![0, 3, 2]],
        };
        let mass = solid.mass_properties();
        let volume = a * b * c / 6.0;
        assert_close(mass.volume, volume, volume);
        assert_close(mass.inertia.x_axis.x, 3.0 / 80.0 * volume * (b * b + c * c), 1.0);
        assert_close(mass.inertia.x_axis.y, volume * a * b / 80.0, 1.0);
    }

    #[test]
    fn a_concave_outline_is_its_box_less_the_notch() {
        let outline = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
        let outline: Vec<_> = outline.iter().map(|&(x, y)| DVec2::new(x, y)).collect();
        let part =
            |x0, z0, x1, z1| Polyhedron::cuboid(DVec3::new(x0, 0.0, z0), DVec3::new(x1, 0.5, z1)).mass_properties();
        let whole = Polyhedron::from_elevation(&outline, 0.0, 0.5).mass_properties();
        let (foot, leg) = (part(0.0, 0.0, 3.0, 1.0), part(0.0, 1.0, 1.0, 2.0));
        assert_close(whole.volume, foot.volume + leg.volume, 1.0);
        let centroid = (foot.volume * foot.centroid + leg.volume * leg.centroid) / whole.volume;
        assert!((whole.centroid - centroid).length() < 1e-14);
        let steiner = |m: &MassProperties| {
            let r = m.centroid - centroid;
            m.inertia.y_axis.y + m.volume * (r.x * r.x + r.z * r.z)
        };
        assert_close(whole.inertia.y_axis.y, steiner(&foot) + steiner(&leg), 1.0);
    }
}

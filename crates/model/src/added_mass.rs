use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Block;

/// Mass that a block carries rigidly beside its own, such as fill on a voussoir: it weighs, and it takes part in every motion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddedMass {
    /// Mass (kg); above zero.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: f64,
    /// Its centre in the block's own frame (m).
    #[schemars(with = "[f64; 3]")]
    pub center: DVec3,
    /// Inertia about its centre, along the axes of the block's own frame (kg·m²): the entries `[xx, yy, zz, yz, zx, xy]` of the
    /// tensor, in which products of inertia are negative integrals. Left out: zero, a point mass.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub inertia: [f64; 6],
}

fn is_zero(inertia: &[f64; 6]) -> bool {
    *inertia == [0.0; 6]
}

impl AddedMass {
    /// The mass of a solid of a density (kg/m³), drawn in the block's own frame.
    pub fn of_solid(solid: &crate::geometry::Polyhedron, density: f64) -> Self {
        let properties = solid.mass_properties();
        let [x, y, z] = (properties.inertia * density).to_cols_array_2d();
        Self {
            mass: density * properties.volume,
            center: properties.centroid,
            inertia: [x[0], y[1], z[2], y[2], z[0], x[1]],
        }
    }

    /// The tensor of inertia.
    pub fn tensor(&self) -> DMat3 {
        let [xx, yy, zz, yz, zx, xy] = self.inertia;
        DMat3::from_cols(DVec3::new(xx, xy, zx), DVec3::new(xy, yy, yz), DVec3::new(zx, yz, zz))
    }

    /// Whether some body has this inertia: no moment about any axis is below zero, or above the sum of those about two axes
    /// across. That is: the second moments `tr(I)/2 - I` are those of a distribution of mass.
    pub fn is_of_a_body(&self) -> bool {
        let inertia = self.tensor();
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let second = DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - inertia;
        // Some slack: rounded numbers of a thin plate.
        is_positive(second + DMat3::from_diagonal(DVec3::splat(1e-6 * trace.abs())))
    }
}

/// Whether a symmetric matrix has no eigenvalue below zero: all principal minors are zero or above.
fn is_positive(m: DMat3) -> bool {
    let at = |i: usize, j: usize| m.col(j)[i];
    let minor = |i: usize, j: usize| at(i, i) * at(j, j) - at(i, j) * at(i, j);
    let firsts = (0..3).all(|i| at(i, i) >= 0.0);
    firsts && minor(0, 1) >= 0.0 && minor(1, 2) >= 0.0 && minor(2, 0) >= 0.0 && m.determinant() >= 0.0
}

impl Block {
    /// The mass that the block carries beside its own, in world axes and coordinates.
    pub fn added_mass_in_world(&self) -> Vec<AddedMass> {
        let map = self.map();
        let turned = |added: &AddedMass| {
            let rotation = map.matrix3;
            let [x, y, z] = (rotation * added.tensor() * rotation.transpose()).to_cols_array_2d();
            AddedMass {
                mass: added.mass,
                center: map.transform_point3(added.center),
                inertia: [x[0], y[1], z[2], y[2], z[0], x[1]],
            }
        };
        if self.pose.is_identity() {
            return self.added_mass.clone();
        }
        self.added_mass.iter().map(turned).collect()
    }
}

/// Mass, centre of mass and inertia about it of bodies that move as one.
pub(crate) fn together(bodies: &[(f64, DVec3, DMat3)]) -> (f64, DVec3, DMat3) {
    let Some(&(_, origin, _)) = bodies.first() else {
        return (0.0, DVec3::ZERO, DMat3::ZERO);
    };
    let mass: f64 = bodies.iter().map(|b| b.0).sum();
    // From one of the centres on, so that a block far from the world's origin loses no digits.
    let first: DVec3 = bodies.iter().map(|&(m, c, _)| m * (c - origin)).sum();
    let center = origin + first / mass;
    let about = |&(m, c, inertia): &(f64, DVec3, DMat3)| {
        let d = c - center;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        inertia + m * (DMat3::from_diagonal(DVec3::splat(d.length_squared())) - outer)
    };
    let inertia = bodies.iter().map(about).fold(DMat3::ZERO, |sum, i| sum + i);
    (mass, center, inertia)
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec2};

    use super::*;
    use crate::{Model, Pose, Rotation, Shape, geometry::Polyhedron};

    fn assert_same(found: (f64, DVec3, DMat3), expected: (f64, DVec3, DMat3)) {
        assert!((found.0 - expected.0).abs() < 1e-12 * expected.0);
        assert!((found.1 - expected.1).length() < 1e-12, "{} {}", found.1, expected.1);
        let size = expected.2.x_axis.length();
        for (a, b) in found.2.to_cols_array().into_iter().zip(expected.2.to_cols_array()) {
            assert!((a - b).abs() < 1e-12 * size, "{a} {b}");
        }
    }

    /// A stone that is told as its lower half with the upper half as added mass weighs and turns as the whole stone, in any pose.
    #[test]
    fn half_a_stone_that_carries_the_other_half_is_the_stone() {
        let outline = [
            DVec2::ZERO,
            DVec2::new(2.0, 0.0),
            DVec2::new(1.5, 1.0),
            DVec2::new(0.2, 1.0),
        ];
        let upper = [DVec2::new(0.2, 1.0), DVec2::new(1.5, 1.0), DVec2::new(1.0, 2.5)];
        let whole = [outline[0], outline[1], outline[2], upper[2], outline[3]];
        let solid = |of: &[DVec2]| Polyhedron::from_elevation(of, -0.3, 0.4);
        let mut model = Model::named("halves");
        model.density = 1700.0;
        let turned = Pose {
            position: DVec3::new(3.0, -70.0, 12.0),
            rotation: Some(Rotation::AxisAngle {
                axis: DVec3::new(1.0, 2.0, -0.5),
                angle_deg: 77.0,
            }),
        };
        for pose in [Pose::default(), turned] {
            let block = |of: &[DVec2]| Block {
                pose,
                ..Block::new("stone", Shape::from(solid(of)))
            };
            let mut halves = block(&outline);
            halves
                .added_mass
                .push(AddedMass::of_solid(&solid(&upper), model.density));
            let told = |block: &Block| {
                let (mass, properties) = model.mass_of(block);
                (mass, properties.centroid, properties.inertia)
            };
            assert_same(told(&halves), told(&block(&whole)));
            // The volume stays that of the shape.
            assert!((model.mass_of(&halves).1.volume - solid(&outline).volume()).abs() < 1e-12);
        }
    }

    #[test]
    fn inertia_that_no_body_has_is_known() {
        let with = |inertia: [f64; 6]| AddedMass {
            mass: 1.0,
            center: DVec3::ZERO,
            inertia,
        };
        // A point, a rod, a plate, a ball, and a rod that lies aslant.
        let slant = DMat3::from_quat(DQuat::from_rotation_x(0.7));
        let rod = slant * DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0)) * slant.transpose();
        let [x, y, z] = rod.to_cols_array_2d();
        let slanted = [x[0], y[1], z[2], y[2], z[0], x[1]];
        for sound in [
            [0.0; 6],
            [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, 1.0, 2.0, 0.0, 0.0, 0.0],
            slanted,
        ] {
            assert!(with(sound).is_of_a_body(), "{sound:?}");
        }
        for (no, of) in [
            ([-1.0, 1.0, 1.0, 0.0, 0.0, 0.0], "a moment below zero"),
            ([1.0, 1.0, 2.1, 0.0, 0.0, 0.0], "more than two others"),
            ([1.0, 1.0, 1.0, 0.0, 0.0, 1.5], "a product that outweighs"),
        ] {
            assert!(!with(no).is_of_a_body(), "{of}");
        }
    }
}

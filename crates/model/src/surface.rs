//! Loads on faces of blocks: pressure, traction, and the pressure of liquids and earth by their depth.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Block, Model,
    geometry::{Polyhedron, triangulate_face},
};

/// A load on faces of blocks, as the model stands. It keeps its direction and stays with its points where blocks move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SurfaceLoad {
    /// Names of the blocks. These or `groups` are needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<String>,
    /// Groups of blocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Which faces, from 0, as `mesh` lists them. A prism has the end at `from`, the end at `to`, and then the faces over the
    /// edges of its polygon in order; a box has bottom, top, and those that look along -y, +x, +y and -x. Left out: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faces: Vec<u32>,
    /// Only faces that look this way, outwards, within `within_deg`; of any length but zero. Left out: any way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub facing: Option<DVec3>,
    /// How far the normal of a face may be from `facing` (degrees); above 0, at most 180.
    #[serde(default = "half_right", skip_serializing_if = "is_half_right")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 180))]
    pub within_deg: f64,
    /// Pressure on the faces, along their normals inwards (Pa); suction is negative. One of `pressure_pa`, `traction_pa` and
    /// `hydrostatic` is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure_pa: Option<f64>,
    /// Force on a unit of area, in world axes (Pa).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<[f64; 3]>")]
    pub traction_pa: Option<DVec3>,
    /// The pressure of a liquid or of earth, which grows with depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hydrostatic: Option<Hydrostatic>,
}

/// What stands against faces up to a level: nothing above it, below it stresses in proportion to the depth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hydrostatic {
    /// Height of its surface (m).
    pub level: f64,
    /// Its weight by volume (N/m³), above zero: 9810 for water.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub unit_weight: f64,
    /// Horizontal over vertical stress, zero or above: 1 for a liquid, the coefficient of earth pressure for earth. The vertical
    /// stress is the weight of what stands above, and it acts on the vertical part of a face's normal, the horizontal stress on the
    /// horizontal part.
    #[serde(default = "one")]
    #[schemars(extend("minimum" = 0))]
    pub lateral: f64,
}

/// What a surface load comes to on one face.
#[derive(Clone, Debug, PartialEq)]
pub struct FacePressure {
    /// Index of the block.
    pub block: usize,
    /// Index of the face.
    pub face: usize,
    /// Its resultant (N).
    pub force: DVec3,
    /// Where that acts (m): the centre of pressure. About any point it has the moment of the pressure; there is no couple beside.
    pub at: DVec3,
    /// The same by points of the face: where and what (m, N). They have the same resultant and moment.
    pub points: Vec<(DVec3, DVec3)>,
}

fn half_right() -> f64 {
    45.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_half_right(angle: &f64) -> bool {
    *angle == half_right()
}

fn one() -> f64 {
    1.0
}

/// Cosines of angles are known to about this.
const ANGLE: f64 = 1e-9;

impl SurfaceLoad {
    /// A load on all faces of some groups; what acts is to be set.
    pub fn on_groups(groups: &[&str]) -> Self {
        Self {
            blocks: Vec::new(),
            groups: groups.iter().map(|g| (*g).to_string()).collect(),
            faces: Vec::new(),
            facing: None,
            within_deg: half_right(),
            pressure_pa: None,
            traction_pa: None,
            hydrostatic: None,
        }
    }

    /// Whether it is on a block.
    pub fn is_on(&self, block: &Block) -> bool {
        self.blocks.contains(&block.name) || block.group.as_ref().is_some_and(|g| self.groups.contains(g))
    }

    /// The faces of a block in world coordinates that are loaded.
    pub fn faces_of(&self, solid: &Polyhedron) -> Vec<usize> {
        let looks = |face: &usize| {
            self.facing
                .and_then(DVec3::try_normalize)
                .is_none_or(|way| solid.face_plane(*face).normal.dot(way) >= self.within_deg.to_radians().cos() - ANGLE)
        };
        let listed = |face: &usize| self.faces.is_empty() || self.faces.contains(&(*face as u32));
        (0..solid.faces.len()).filter(listed).filter(looks).collect()
    }

    /// Takes blocks off that are gone. Whether it is on nothing now.
    pub fn forget(&mut self, is_gone: impl Fn(&String) -> bool) -> bool {
        self.blocks.retain(|name| !is_gone(name));
        self.blocks.is_empty() && self.groups.is_empty()
    }

    /// The same load times a factor.
    pub fn scale(&mut self, factor: f64) {
        self.pressure_pa = self.pressure_pa.map(|p| factor * p);
        self.traction_pa = self.traction_pa.map(|t| factor * t);
        self.hydrostatic = self.hydrostatic.map(|h| Hydrostatic {
            unit_weight: factor * h.unit_weight,
            ..h
        });
    }

    /// What it comes to, face by face. Faces on which nothing acts are left out.
    pub fn pressures(&self, model: &Model) -> Vec<FacePressure> {
        let mut all = Vec::new();
        for (block, of) in model.blocks.iter().enumerate().filter(|(_, b)| self.is_on(b)) {
            let solid = of.polyhedron();
            all.extend(
                self.faces_of(&solid)
                    .into_iter()
                    .filter_map(|face| self.on_face(&solid, block, face)),
            );
        }
        all
    }

    /// On a plane face everything pushes in one direction, by a size that is linear in the place. A quadrature over triangles
    /// that is exact for polynomials of the second degree therefore gives force and moment exactly.
    fn on_face(&self, solid: &Polyhedron, block: usize, face: usize) -> Option<FacePressure> {
        let normal = solid.face_plane(face).normal;
        let direction = match (self.hydrostatic, self.traction_pa) {
            (Some(h), _) => -h.unit_weight * DVec3::new(h.lateral * normal.x, h.lateral * normal.y, normal.z),
            (None, Some(traction)) => traction,
            (None, None) => -self.pressure_pa? * normal,
        };
        let depth = |p: DVec3| self.hydrostatic.map_or(1.0, |h| h.level - p.z);
        let mut points = Vec::new();
        for triangle in triangulate_face(solid, face) {
            let [a, b, c] = triangle.map(|v| solid.vertices[v as usize]);
            let wet = match self.hydrostatic {
                Some(h) => below([a, b, c], h.level),
                None => vec![a, b, c],
            };
            for k in 2..wet.len() {
                let [a, b, c] = [wet[0], wet[k - 1], wet[k]];
                let area = 0.5 * (b - a).cross(c - a).length();
                let middles = [0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)];
                points.extend(middles.map(|p| (p, area / 3.0 * depth(p))));
            }
        }
        points.retain(|(_, weight)| *weight > 0.0);
        let (&(origin, _), sum) = (points.first()?, points.iter().map(|p| p.1).sum::<f64>());
        let arm: DVec3 = points.iter().map(|(p, weight)| *weight * (*p - origin)).sum();
        let force = sum * direction;
        let points = points.into_iter().map(|(p, weight)| (p, weight * direction)).collect();
        (force != DVec3::ZERO).then(|| FacePressure {
            block,
            face,
            force,
            at: origin + arm / sum,
            points,
        })
    }
}

/// The part of a triangle below a level, as a convex polygon.
fn below(corners: [DVec3; 3], level: f64) -> Vec<DVec3> {
    let mut kept = Vec::with_capacity(4);
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        if p.z <= level {
            kept.push(p);
        }
        if (p.z < level) != (q.z < level) && p.z != level && q.z != level {
            kept.push(p + (level - p.z) / (q.z - p.z) * (q - p));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec2};

    use super::*;
    use crate::{Pose, Rotation, Shape};

    fn water(level: f64) -> Option<Hydrostatic> {
        Some(Hydrostatic {
            level,
            unit_weight: 9810.0,
            lateral: 1.0,
        })
    }

    fn with(block: Block) -> Model {
        Model {
            blocks: vec![block],
            ..Model::named("one")
        }
    }

    fn on_all() -> SurfaceLoad {
        SurfaceLoad {
            blocks: vec!["stone".into()],
            ..SurfaceLoad::on_groups(&[])
        }
    }

    /// Force and moment about a point, from the resultants and from the points: they must agree.
    fn sum(found: &[FacePressure], about: DVec3) -> [DVec3; 2] {
        let wrench = |(at, f): (DVec3, DVec3)| [f, (at - about).cross(f)];
        let add = |[f, m]: [DVec3; 2], [g, n]: [DVec3; 2]| [f + g, m + n];
        let whole = found
            .iter()
            .map(|p| wrench((p.at, p.force)))
            .fold([DVec3::ZERO; 2], add);
        let pieces = found.iter().flat_map(|p| p.points.iter().copied()).map(wrench);
        let pieces = pieces.fold([DVec3::ZERO; 2], add);
        let size: f64 = found.iter().map(|p| p.force.length()).sum();
        for (a, b) in whole.iter().zip(&pieces) {
            assert!((*a - *b).length() < 1e-12 * size, "{a} {b}");
        }
        whole
    }

    /// A body under water is lifted by the weight of the water in its place, at the centroid of its volume (Archimedes); one that
    /// floats by that of its part under water. Neither depends on the shape, also where faces are not convex.
    #[test]
    fn water_lifts_a_body_by_the_water_that_it_displaces() {
        // A U, seen along y, turned at random.
        let outline = [
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 2.0],
            [2.0, 2.5],
            [2.0, 1.0],
            [1.0, 1.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let outline = outline.map(DVec2::from_array);
        let solid = Polyhedron::from_elevation(&outline, -0.4, 0.9);
        let DQuat { x, y, z, w } = DQuat::from_scaled_axis(DVec3::new(0.4, -1.1, 2.0));
        let pose = Pose {
            position: DVec3::new(120.0, -40.0, 3.0),
            rotation: Some(Rotation::Quaternion {
                quaternion: [w, x, y, z],
            }),
        };
        let block = Block {
            pose,
            ..Block::new("stone", Shape::from(solid))
        };
        let model = with(block);
        let whole = model.blocks[0].polyhedron();
        let bounds = whole.bounds();
        let displaced = |body: &Polyhedron, level: f64| {
            let found = SurfaceLoad {
                hydrostatic: water(level),
                ..on_all()
            };
            let properties = body.mass_properties();
            let lift = DVec3::Z * 9810.0 * properties.volume;
            let [force, moment] = sum(&found.pressures(&model), properties.centroid);
            assert!((force - lift).length() < 1e-10 * lift.length(), "{force} {lift}");
            assert!(moment.length() < 1e-10 * lift.length(), "{moment}");
        };
        displaced(&whole, bounds.max.z + 7.0);
        // Nothing is above the water's surface.
        let dry = SurfaceLoad {
            hydrostatic: water(bounds.min.z - 0.1),
            ..on_all()
        };
        assert_eq!(dry.pressures(&model), []);
        // A box, half in the water.
        let mut floating = with(Block::new(
            "stone",
            Shape::cuboid(DVec3::new(1.0, 2.0, 3.0), DVec3::new(2.0, 4.0, 5.0)),
        ));
        let found = SurfaceLoad {
            hydrostatic: water(3.7),
            ..on_all()
        };
        let [force, moment] = sum(&found.pressures(&floating), DVec3::new(1.5, 3.0, 3.35));
        assert!((force - DVec3::Z * 9810.0 * 1.4).length() < 1e-9);
        assert!(moment.length() < 1e-9);
        // Uniform pressure all around does nothing, whatever the shape.
        floating.blocks[0].shape = Shape::from(whole);
        let squeezed = SurfaceLoad {
            pressure_pa: Some(1e5),
            ..on_all()
        };
        let [force, moment] = sum(&squeezed.pressures(&floating), bounds.center());
        assert!(force.length() < 1e-8 && moment.length() < 1e-8, "{force} {moment}");
    }

    /// The thrust of water on a wall is `g h²/2` by the metre, a third of the depth above its foot. That of earth is as much times
    /// its coefficient, and on an inclined back the weight of the earth above it acts beside.
    #[test]
    fn walls_bear_the_thrust_of_what_stands_behind_them() {
        // A wall whose back, at the right, leans away from the earth: from (1, 0) to (0.5, 3).
        let outline = [[0.0, 0.0], [1.0, 0.0], [0.5, 3.0], [0.0, 3.0]].map(DVec2::from_array);
        let model = with(Block::new(
            "stone",
            Shape::from(Polyhedron::from_elevation(&outline, 0.0, 2.0)),
        ));
        let (level, weight, k) = (2.4, 18e3, 0.35);
        let earth = SurfaceLoad {
            facing: Some(DVec3::X * 5.0),
            hydrostatic: Some(Hydrostatic {
                level,
                unit_weight: weight,
                lateral: k,
            }),
            ..on_all()
        };
        let found = earth.pressures(&model);
        assert_eq!(found.len(), 1);
        let thrust = 0.5 * k * weight * level * level * 2.0;
        // The triangle of earth over the back: as wide as the back leans over the depth.
        let above = 0.5 * weight * level * (level * 0.5 / 3.0) * 2.0;
        assert!((found[0].force - DVec3::new(-thrust, 0.0, -above)).length() < 1e-9);
        assert!((found[0].at.z - level / 3.0).abs() < 1e-12 && (found[0].at.y - 1.0).abs() < 1e-12);
        assert!((found[0].at.x - (1.0 - 0.5 * found[0].at.z / 3.0)).abs() < 1e-12);
    }

    #[test]
    fn faces_are_chosen_by_number_and_by_the_way_they_look() {
        let cube = Polyhedron::cuboid(DVec3::ZERO, DVec3::ONE);
        let chosen = |faces: &[u32], facing: Option<DVec3>, within_deg: f64| {
            let load = SurfaceLoad {
                faces: faces.to_vec(),
                facing,
                within_deg,
                ..on_all()
            };
            load.faces_of(&cube)
        };
        assert_eq!(chosen(&[], None, 45.0).len(), 6);
        assert_eq!(chosen(&[], Some(DVec3::Z), 45.0), [1]);
        assert_eq!(chosen(&[], Some(DVec3::NEG_Z), 90.0).len(), 5);
        assert_eq!(chosen(&[3, 5], None, 45.0), [3, 5]);
        assert_eq!(chosen(&[3, 5], Some(DVec3::X), 45.0), [3]);
        // Of a box: bottom, top, -y, +x, +y, -x.
        let ways = [DVec3::NEG_Z, DVec3::Z, DVec3::NEG_Y, DVec3::X, DVec3::Y, DVec3::NEG_X];
        for (face, way) in ways.into_iter().enumerate() {
            assert_eq!(chosen(&[], Some(way), 1.0), [face]);
        }
    }
}

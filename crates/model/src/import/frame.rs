//! What files of other programs do not say: the unit of their coordinates, and which axis is up.

use glam::DVec3;

use crate::{MeshShape, Model, Pose, Shape, StoredInterface};

/// The axis of a file that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpAxis {
    /// x.
    X,
    /// y, as in most programs for pictures and films.
    Y,
    /// z, as in most programs for buildings, and in models.
    #[default]
    Z,
}

impl UpAxis {
    /// A vector of the file in axes of which z is up: turned by a right angle about an axis that stays, so that nothing is
    /// mirrored or rounded.
    fn upright(self, v: DVec3) -> DVec3 {
        match self {
            Self::X => DVec3::new(-v.z, v.y, v.x),
            Self::Y => DVec3::new(v.x, -v.z, v.y),
            Self::Z => v,
        }
    }
}

/// The unit of a file's coordinates, and its axis that points up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Metres in a unit of its coordinates: 0.001 where they are millimetres.
    pub metres: f64,
    /// What is up.
    pub up: UpAxis,
}

impl Frame {
    /// Puts what was imported into metres and upright. Densities and masses are what they were.
    pub fn apply(&self, model: &mut Model) {
        if self.metres == 1.0 && self.up == UpAxis::Z {
            return;
        }
        let point = |p: DVec3| self.metres * self.up.upright(p);
        for block in &mut model.blocks {
            let pose = block.pose.map().unwrap_or_default();
            let placed = |p: DVec3| point(pose.transform_point3(p));
            let shape = std::mem::replace(&mut block.shape, Shape::Mesh(MeshShape::default()));
            let mut mesh = match shape {
                Shape::Mesh(mesh) => mesh,
                other => {
                    let solid = other.polyhedron();
                    MeshShape {
                        vertices: solid.vertices,
                        faces: solid.faces,
                        parts: Vec::new(),
                    }
                }
            };
            let parts = mesh.parts.iter_mut().flatten();
            mesh.vertices.iter_mut().chain(parts).for_each(|p| *p = placed(*p));
            block.shape = Shape::Mesh(mesh);
            block.pose = Pose::default();
        }
        if let Some(search) = &mut model.joint_search {
            search.distance *= self.metres;
            search.precision *= self.metres;
        }
        model
            .interfaces
            .iter_mut()
            .for_each(|stored| self.apply_to_interface(stored));
    }

    fn apply_to_interface(&self, stored: &mut StoredInterface) {
        let point = |p: DVec3| self.metres * self.up.upright(p);
        stored.points.iter_mut().for_each(|p| *p = point(*p));
        stored.frame.point = point(stored.frame.point);
        stored.frame.xaxis = self.up.upright(stored.frame.xaxis);
        stored.frame.yaxis = self.up.upright(stored.frame.yaxis);
        stored.area = stored.area.map(|area| area * self.metres * self.metres);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, JointSearch};

    /// A box of 2 by 3 by 5 whose lowest corner is at (1, 1, 1), turned and moved there.
    fn model() -> Model {
        let mut model = Model::named("box");
        let mut block = Block::new("a", Shape::cuboid(DVec3::ZERO, DVec3::new(2.0, 3.0, 5.0)));
        block.pose.position = DVec3::ONE;
        model.blocks.push(block);
        model
    }

    fn bounds(model: &Model) -> [DVec3; 2] {
        let all = model.bounds(|_| true);
        [all.min, all.max]
    }

    #[test]
    fn millimetres_become_metres_and_what_was_up_is_up() {
        for (up, size, lowest) in [
            (UpAxis::Z, DVec3::new(2.0, 3.0, 5.0), DVec3::new(1.0, 1.0, 1.0)),
            (UpAxis::Y, DVec3::new(2.0, 5.0, 3.0), DVec3::new(1.0, -6.0, 1.0)),
            (UpAxis::X, DVec3::new(5.0, 3.0, 2.0), DVec3::new(-6.0, 1.0, 1.0)),
        ] {
            let mut model = model();
            Frame { metres: 1e-3, up }.apply(&mut model);
            let [min, max] = bounds(&model);
            assert!((min - 1e-3 * lowest).length() < 1e-15, "{up:?}: {min}");
            assert!((max - min - 1e-3 * size).length() < 1e-15, "{up:?}: {}", max - min);
            // Nothing is mirrored: the volume keeps its sign.
            let (_, properties) = model.mass_of(&model.blocks[0]);
            assert!((properties.volume - 30e-9).abs() < 1e-20, "{}", properties.volume);
        }
    }

    #[test]
    fn a_file_in_metres_with_z_up_stays_as_it_is() {
        let mut same = model();
        let frame = Frame {
            metres: 1.0,
            up: UpAxis::Z,
        };
        frame.apply(&mut same);
        assert_eq!(same, model());
    }

    #[test]
    fn distances_of_the_search_for_joints_are_lengths_too() {
        let mut model = model();
        model.joint_search = Some(JointSearch {
            distance: 2.0,
            angle_deg: 0.5,
            precision: 0.1,
            source: None,
        });
        let frame = Frame {
            metres: 0.01,
            up: UpAxis::Y,
        };
        frame.apply(&mut model);
        let search = model.joint_search.unwrap();
        assert_eq!(
            (search.distance, search.angle_deg, search.precision),
            (0.02, 0.5, 0.001)
        );
    }
}

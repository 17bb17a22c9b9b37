//! Whether joints that are stored with a model lie where its blocks are.

use std::collections::HashMap;

use drystone_model::{
    Model, StoredInterface,
    geometry::{Polyhedron, triangulate_face},
};
use glam::DVec3;

/// How far a stored joint may be off the faces of its blocks, as a fraction of the size of the smaller one: curved joints
/// are stored as planes through them, and mortar is left out of the blocks.
const MOST_OFF: f64 = 0.01;
/// The same for the angle between its normal and the faces (degrees).
const MOST_TURNED_DEG: f64 = 10.0;

/// A stored joint that does not lie on its blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Misplaced {
    /// The two blocks, as indices into the model's.
    pub blocks: [usize; 2],
    /// How far its corners are off the blocks at most (m).
    pub distance: f64,
    /// What is wrong, to follow on the names of the blocks.
    pub what: String,
}

/// Joints stored with a model that do not lie on both of their blocks, or do not look from the first to the second.
pub fn misplaced(model: &Model) -> Vec<Misplaced> {
    let index: HashMap<&str, usize> = (0..).zip(&model.blocks).map(|(k, b)| (b.name.as_str(), k)).collect();
    let mut solids: HashMap<usize, Surface> = HashMap::new();
    let mut found = Vec::new();
    for joint in &model.interfaces {
        let [a, b] = [&joint.between[0], &joint.between[1]].map(|name| index.get(name.as_str()).copied());
        let (Some(a), Some(b)) = (a, b) else { continue };
        for k in [a, b] {
            solids
                .entry(k)
                .or_insert_with(|| Surface::of(&model.blocks[k].polyhedron()));
        }
        let fault = fault(model, joint, [&solids[&a], &solids[&b]]);
        found.extend(fault.map(|(distance, what)| Misplaced {
            blocks: [a, b],
            distance,
            what,
        }));
    }
    found
}

fn fault(model: &Model, joint: &StoredInterface, blocks: [&Surface; 2]) -> Option<(f64, String)> {
    let normal = joint.frame.xaxis.cross(joint.frame.yaxis).normalize_or_zero();
    let size = blocks[0].size.min(blocks[1].size);
    let allowed = (MOST_OFF * size).max(model.joint_distance(size));
    // The nearest place on each block, whichever way it looks there; what looks the right way is preferred.
    let off = |block: &Surface, out: DVec3, steepest_deg: f64| {
        let each = joint.points.iter().map(|&p| block.distance(p, out, steepest_deg));
        each.fold(0.0, f64::max)
    };
    let worst =
        |out: DVec3, steepest_deg: f64| off(blocks[0], out, steepest_deg).max(off(blocks[1], -out, steepest_deg));
    let turned_deg = MOST_TURNED_DEG.max(model.joint_angle_deg());
    if worst(normal, turned_deg) <= allowed {
        return None;
    }
    let anywhere = worst(normal, 180.0);
    let text = drystone_model::geometry::length_text;
    let what = if anywhere > allowed {
        format!("does not lie on them: it is up to {} off", text(anywhere))
    } else if worst(-normal, turned_deg) <= allowed {
        "looks from the second to the first".into()
    } else {
        format!("is turned against their faces by more than {turned_deg} degrees")
    };
    Some((anywhere, what))
}

/// The surface of a block as triangles.
struct Surface {
    size: f64,
    triangles: Vec<([DVec3; 3], DVec3)>,
}

impl Surface {
    fn of(solid: &Polyhedron) -> Self {
        let of_face = |f: usize| {
            let normal = solid.face_plane(f).normal;
            let lift = move |t: [u32; 3]| t.map(|k| solid.vertices[k as usize]);
            triangulate_face(solid, f).into_iter().map(move |t| (lift(t), normal))
        };
        Self {
            size: solid.bounds().diagonal(),
            triangles: (0..solid.faces.len()).flat_map(of_face).collect(),
        }
    }

    /// How far a point is off the faces that look along a direction within an angle (m); infinite where none does.
    fn distance(&self, point: DVec3, out: DVec3, steepest_deg: f64) -> f64 {
        let least = steepest_deg.to_radians().cos() - 1e-12;
        let looking = self.triangles.iter().filter(|(_, normal)| normal.dot(out) >= least);
        looking
            .map(|(t, _)| to_triangle(point, t))
            .fold(f64::INFINITY, f64::min)
    }
}

/// Distance from a point to a triangle (m).
fn to_triangle(p: DVec3, [a, b, c]: &[DVec3; 3]) -> f64 {
    let to_edge = |q: DVec3, r: DVec3| {
        let along = r - q;
        let t = (p - q).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
        p.distance(q + t.clamp(0.0, 1.0) * along)
    };
    let edges = to_edge(*a, *b).min(to_edge(*b, *c)).min(to_edge(*c, *a));
    let normal = (*b - *a).cross(*c - *a);
    let is_over = |q: DVec3, r: DVec3| normal.dot((r - q).cross(p - q)) >= 0.0;
    if normal.length_squared() > 0.0 && is_over(*a, *b) && is_over(*b, *c) && is_over(*c, *a) {
        edges.min((p - *a).dot(normal.normalize()).abs())
    } else {
        edges
    }
}

//! The faces of a block as the search sees them.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
};

use drystone_model::geometry::{Bounds, Plane, Polyhedron, triangulate_face};
use glam::{DVec2, DVec3};

use super::{SearchSettings, polygon};

/// The faces of one block, in coordinates relative to the middle of the block.
///
/// World coordinates may be large: 10 km from the origin a product of two of them is good to 1e-8 m² only.
pub(super) struct Faces {
    /// Bounds in world coordinates.
    pub(super) bounds: Bounds,
    /// Origin of the coordinates below: the middle of the bounds.
    pub(super) origin: DVec3,
    /// Diagonal of the bounds (m).
    pub(super) size: f64,
    pub(super) faces: Vec<Face>,
}

/// A face, or several adjacent ones merged into their mean plane.
pub(super) struct Face {
    /// Index of the face in its polyhedron; the smallest of those merged.
    pub(super) index: usize,
    pub(super) plane: Plane,
    pub(super) corners: Vec<DVec3>,
    pub(super) bounds: Bounds,
    pub(super) area: f64,
    /// How far the corners are off the plane at most (m).
    pub(super) warp: f64,
    /// How far a corner may point inwards and the face still count as convex (m).
    straight: f64,
    /// Filled on first use: most faces of a block touch nothing.
    pieces: OnceCell<Vec<Vec<DVec3>>>,
}

impl Faces {
    pub(super) fn of(solid: &Polyhedron, settings: &SearchSettings) -> Self {
        let bounds = solid.bounds();
        let origin = if bounds.is_empty() {
            DVec3::ZERO
        } else {
            bounds.center()
        };
        let solid = Polyhedron {
            vertices: solid.vertices.iter().map(|&v| v - origin).collect(),
            faces: solid.faces.clone(),
        };
        let mut faces = Vec::new();
        for group in groups(&solid, settings.merge_angle_deg) {
            match outline(&solid, &group) {
                Some(outline) => faces.push(Face::new(group[0], corners(&solid, &outline), settings)),
                None => {
                    let single = |&f: &usize| Face::new(f, corners(&solid, &solid.faces[f]), settings);
                    faces.extend(group.iter().map(single));
                }
            }
        }
        // A face without area has no plane and touches nothing.
        faces.retain(|face| face.area > 0.0);
        faces.sort_by_key(|face| face.index);
        Self {
            bounds,
            origin,
            size: bounds.diagonal(),
            faces,
        }
    }

    /// How far from the block's bounds a block of at most its size may be and still touch it (m).
    pub(super) fn reach(&self, settings: &SearchSettings) -> f64 {
        let warp = self.faces.iter().map(|f| f.warp).fold(0.0, f64::max);
        settings.reach(self.size) + 2.0 * warp
    }
}

impl Face {
    fn new(index: usize, corners: Vec<DVec3>, settings: &SearchSettings) -> Self {
        let solid = alone(&corners);
        let plane = solid.face_plane(0);
        let bounds = Bounds::around(corners.iter().copied());
        Self {
            index,
            plane,
            bounds,
            straight: (1e-9 * bounds.diagonal()).max(settings.rounding),
            area: solid.face_area(0),
            warp: corners.iter().map(|&p| plane.distance(p).abs()).fold(0.0, f64::max),
            corners,
            pieces: OnceCell::new(),
        }
    }

    /// Convex polygons that make up the face.
    pub(super) fn pieces(&self) -> &[Vec<DVec3>] {
        self.pieces.get_or_init(|| {
            let solid = alone(&self.corners);
            let outline: Vec<DVec2> = solid.face_outline(0);
            // Corners in a straight edge are kept: they cost a little time, and rounding cannot make a sliver of them.
            if polygon::is_convex(&outline, self.straight) {
                return vec![self.corners.clone()];
            }
            // Which triangles a face is cut into depends on where one begins, and on rounding; the fewest pieces do not.
            let n = self.corners.len();
            let begin_at = |first: usize| {
                let turned: Vec<DVec3> = (0..n).map(|k| self.corners[(first + k) % n]).collect();
                let solid = alone(&turned);
                let pieces =
                    polygon::convex_pieces(&solid.face_outline(0), &triangulate_face(&solid, 0), self.straight);
                let lift = |piece: &Vec<u32>| piece.iter().map(|&k| turned[k as usize]).collect();
                pieces.iter().map(lift).collect::<Vec<Vec<DVec3>>>()
            };
            let beginnings = if n <= MOST_BEGINNINGS { n } else { 1 };
            (0..beginnings).map(begin_at).min_by_key(Vec::len).unwrap_or_default()
        })
    }
}

fn corners(solid: &Polyhedron, outline: &[u32]) -> Vec<DVec3> {
    outline.iter().map(|&v| solid.vertices[v as usize]).collect()
}

/// Corners of a face up to which it is cut into convex pieces from each of them, to find the fewest.
const MOST_BEGINNINGS: usize = 24;

/// A polyhedron of one face, for the functions that work on faces.
fn alone(corners: &[DVec3]) -> Polyhedron {
    Polyhedron {
        vertices: corners.to_vec(),
        faces: vec![(0..corners.len() as u32).collect()],
    }
}

/// Faces that are searched as one: adjacent, with normals within an angle of that of the largest among them.
fn groups(solid: &Polyhedron, angle_deg: f64) -> Vec<Vec<usize>> {
    let count = solid.faces.len();
    if angle_deg <= 0.0 {
        return (0..count).map(|f| vec![f]).collect();
    }
    let normals: Vec<DVec3> = (0..count).map(|f| solid.face_plane(f).normal).collect();
    let areas: Vec<f64> = (0..count).map(|f| solid.face_area(f)).collect();
    let face_at: HashMap<(u32, u32), usize> = (0..count)
        .flat_map(|f| solid.face_edges(f).map(move |edge| (edge, f)))
        .collect();
    let mut seeds: Vec<usize> = (0..count).collect();
    seeds.sort_by(|&f, &g| areas[g].total_cmp(&areas[f]).then(f.cmp(&g)));
    let mut taken = vec![false; count];
    let mut groups = Vec::new();
    for seed in seeds {
        if std::mem::replace(&mut taken[seed], true) {
            continue;
        }
        let (mut group, mut next) = (vec![seed], 0);
        while let Some(&face) = group.get(next) {
            next += 1;
            for (a, b) in solid.face_edges(face) {
                let Some(&other) = face_at.get(&(b, a)) else { continue };
                let turn = normals[seed].angle_between(normals[other]).to_degrees();
                if !taken[other] && turn <= angle_deg {
                    taken[other] = true;
                    group.push(other);
                }
            }
        }
        group.sort_unstable();
        groups.push(group);
    }
    groups
}

/// The closed outline around adjacent faces, or `None` if it has holes or touches itself.
fn outline(solid: &Polyhedron, group: &[usize]) -> Option<Vec<u32>> {
    if let [face] = group {
        return Some(solid.faces[*face].clone());
    }
    let edges: Vec<(u32, u32)> = group.iter().flat_map(|&f| solid.face_edges(f)).collect();
    let all: HashSet<(u32, u32)> = edges.iter().copied().collect();
    let mut next = HashMap::new();
    let mut start = None;
    for &(a, b) in edges.iter().filter(|(a, b)| !all.contains(&(*b, *a))) {
        start.get_or_insert(a);
        if next.insert(a, b).is_some() {
            return None;
        }
    }
    let start = start?;
    let mut outline = vec![start];
    let mut at = *next.get(&start)?;
    while at != start && outline.len() < next.len() {
        outline.push(at);
        at = *next.get(&at)?;
    }
    (at == start && outline.len() == next.len()).then_some(outline)
}

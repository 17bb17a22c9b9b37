//! The surface of a mesh: faces that belong to one element alone.

use std::collections::HashMap;

use drystone_model::geometry::Polyhedron;
use glam::{DVec2, DVec3};

use super::{Elements, Facet, FacetNodes};
use crate::deformable::element::{h8, t10};

/// Faces of elements that no other element shares, by element.
pub(super) fn facets(nodes: &[DVec3], elements: &Elements, solid: &Polyhedron) -> Vec<Facet> {
    let all: Vec<(u32, FacetNodes)> = match elements {
        Elements::H8(elements) => faces_of(elements, &h8::FACES, FacetNodes::Quad),
        Elements::T10(elements) => faces_of(elements, &t10::FACES, FacetNodes::Triangle),
    };
    let mut uses: HashMap<[u32; 4], u32> = HashMap::new();
    for (_, nodes) in &all {
        *uses.entry(key(nodes)).or_default() += 1;
    }
    let planes = Faces::new(solid);
    all.into_iter()
        .filter(|(_, nodes)| uses[&key(nodes)] == 1)
        .map(|(element, of)| {
            let mut facet = Facet {
                nodes: of,
                element,
                face: 0,
            };
            let at = facet.corners().iter().map(|&n| nodes[n as usize]);
            let middle = at.sum::<DVec3>() / facet.corners().len() as f64;
            facet.face = planes.nearest(middle);
            facet
        })
        .collect()
}

fn faces_of<const N: usize, const F: usize, const K: usize>(
    elements: &[[u32; N]],
    faces: &[[usize; K]; F],
    make: fn([u32; K]) -> FacetNodes,
) -> Vec<(u32, FacetNodes)> {
    let of = |(e, nodes): (usize, &[u32; N])| faces.map(|face| (e as u32, make(face.map(|k| nodes[k]))));
    elements.iter().enumerate().flat_map(of).collect()
}

/// Corners in rising order: the same for both elements that share a face.
fn key(nodes: &FacetNodes) -> [u32; 4] {
    let mut corners = match *nodes {
        FacetNodes::Quad(nodes) => nodes,
        FacetNodes::Triangle([a, b, c, ..]) => [a, b, c, u32::MAX],
    };
    corners.sort_unstable();
    corners
}

/// Faces of the solid, flat.
struct Faces {
    faces: Vec<FlatFace>,
}

struct FlatFace {
    origin: DVec3,
    axes: [DVec3; 3],
    outline: Vec<DVec2>,
}

impl Faces {
    fn new(solid: &Polyhedron) -> Self {
        let flat = |face: usize| {
            let plane = solid.face_plane(face);
            let (u, v) = plane.axes();
            let origin = solid.corners(face).next().unwrap_or_default();
            let flat = |p: DVec3| DVec2::new((p - origin).dot(u), (p - origin).dot(v));
            FlatFace {
                origin,
                axes: [u, v, plane.normal],
                outline: solid.corners(face).map(flat).collect(),
            }
        };
        Self {
            faces: (0..solid.faces.len()).map(flat).collect(),
        }
    }

    /// The face nearest to a point, the first of those that are equally near.
    fn nearest(&self, point: DVec3) -> u32 {
        let mut best = (0, f64::INFINITY);
        for (k, face) in self.faces.iter().enumerate() {
            let distance = face.distance_squared(point);
            if distance < best.1 {
                best = (k, distance);
            }
        }
        best.0 as u32
    }
}

impl FlatFace {
    fn distance_squared(&self, point: DVec3) -> f64 {
        let arm = point - self.origin;
        let [x, y, height] = self.axes.map(|axis| arm.dot(axis));
        let p = DVec2::new(x, y);
        let n = self.outline.len();
        let (mut inside, mut nearest) = (false, f64::INFINITY);
        for i in 0..n {
            let (a, b) = (self.outline[i], self.outline[(i + 1) % n]);
            if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (b.x - a.x) * ((p.y - a.y) / (b.y - a.y)) {
                inside = !inside;
            }
            let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            let off = p.distance_squared(a + (b - a) * along);
            // Edges without length give NaN, which `min` passes over.
            nearest = nearest.min(off);
        }
        height * height + if inside { 0.0 } else { nearest }
    }
}

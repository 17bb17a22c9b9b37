//! Quadratic tetrahedra for blocks of any shape.

use std::collections::HashMap;

use drystone_model::geometry::Polyhedron;
use glam::DVec3;

use super::{Elements, budget::Budget, cells::Cells};
use crate::deformable::{MeshError, element::t10};

/// Relative error allowed between the volume of the tetrahedra and that of the solid.
const MISFIT: f64 = 1e-9;

/// Tetrahedra by their corners.
struct Linear {
    nodes: Vec<DVec3>,
    tetrahedra: Vec<[u32; 4]>,
}

/// Counts of the mesh that `parts` gives.
pub(super) fn budget(solid: &Polyhedron, parts: u32) -> Result<Budget, MeshError> {
    let halvings = halvings(parts)?;
    Ok(Linear::coarsest(solid)?.budget(halvings))
}

/// A mesh in which the edges of the coarsest one are cut in so many parts.
pub(super) fn divide(solid: &Polyhedron, parts: u32) -> Result<(Vec<DVec3>, Elements), MeshError> {
    let halvings = halvings(parts)?;
    let mut mesh = Linear::coarsest(solid)?;
    mesh.budget(halvings).check()?;
    for _ in 0..halvings {
        mesh = mesh.refined();
    }
    Ok(mesh.quadratic())
}

fn halvings(parts: u32) -> Result<u32, MeshError> {
    match parts {
        0 => Err(MeshError::NoElements("0 parts".to_owned())),
        _ if parts.is_power_of_two() => Ok(parts.trailing_zeros()),
        _ => Err(MeshError::NotAPowerOfTwo(parts)),
    }
}

impl Linear {
    /// Every face a fan around its centroid, unless it is a triangle, and every cell a cone from its centroid.
    fn coarsest(solid: &Polyhedron) -> Result<Self, MeshError> {
        let cells = Cells::new(solid)?;
        let mut nodes = cells.vertices.clone();
        let mut triangles: Vec<Vec<[u32; 3]>> = Vec::with_capacity(cells.faces.len());
        for (face, corners) in cells.faces.iter().enumerate() {
            if let [a, b, c] = corners[..] {
                triangles.push(vec![[a, b, c]]);
                continue;
            }
            let middle = nodes.len() as u32;
            nodes.push(cells.area_and_middle(face).1);
            let next = |k: usize| corners[(k + 1) % corners.len()];
            triangles.push((0..corners.len()).map(|k| [corners[k], next(k), middle]).collect());
        }
        let mut tetrahedra = Vec::new();
        for cell in &cells.cells {
            let apex = nodes.len() as u32;
            nodes.push(cell.centroid);
            for &(face, reversed) in &cell.faces {
                for &[a, b, c] in &triangles[face] {
                    tetrahedra.push(if reversed { [a, b, c, apex] } else { [a, c, b, apex] });
                }
            }
        }
        let mesh = Self { nodes, tetrahedra };
        let (own, volume) = (mesh.volume(), solid.volume());
        let area: f64 = (0..solid.faces.len()).map(|f| solid.face_area(f)).sum();
        if !((own - volume).abs() <= MISFIT * volume + 2.0 * solid.off_planes() * area) {
            return Err(MeshError::NotFilled {
                what: "volume (m3)",
                mesh: own,
                solid: volume,
            });
        }
        Ok(mesh)
    }

    fn volume(&self) -> f64 {
        let of = |t: &[u32; 4]| {
            let [a, b, c, d] = t.map(|n| self.nodes[n as usize]);
            (b - a).cross(c - a).dot(d - a) / 6.0
        };
        self.tetrahedra.iter().map(of).sum()
    }

    /// Counts after some halvings, by Euler's formula for a solid without tunnels: vertices - edges + faces - cells = 1.
    fn budget(&self, halvings: u32) -> Budget {
        let mut uses: HashMap<[u32; 3], u32> = HashMap::new();
        for t in &self.tetrahedra {
            for face in &t10::FACES {
                let mut key = [t[face[0]], t[face[1]], t[face[2]]];
                key.sort_unstable();
                *uses.entry(key).or_default() += 1;
            }
        }
        let mut outer = uses.values().filter(|&&n| n == 1).count() as u64;
        let (mut vertices, mut tetrahedra) = (self.nodes.len() as u64, self.tetrahedra.len() as u64);
        let with_middles = |vertices: u64, tetrahedra: u64, outer: u64| {
            let twice = vertices.saturating_mul(2);
            twice
                .saturating_add(tetrahedra)
                .saturating_add(outer / 2)
                .saturating_sub(1)
        };
        for _ in 0..halvings {
            vertices = with_middles(vertices, tetrahedra, outer);
            tetrahedra = tetrahedra.saturating_mul(8);
            outer = outer.saturating_mul(4);
        }
        Budget {
            elements: tetrahedra,
            nodes: with_middles(vertices, tetrahedra, outer),
        }
    }

    /// Every tetrahedron as eight: one at each corner, and the octahedron between them cut along its shortest diagonal.
    fn refined(mut self) -> Self {
        let mut middles = Middles::default();
        let mut tetrahedra = Vec::with_capacity(8 * self.tetrahedra.len());
        for t in &self.tetrahedra {
            let [ab, bc, ca, ad, bd, cd] = t10::EDGES.map(|[i, j]| middles.of(t[i], t[j], &mut self.nodes));
            let [a, b, c, d] = *t;
            tetrahedra.extend([[a, ab, ca, ad], [ab, b, bc, bd], [ca, bc, c, cd], [ad, bd, cd, d]]);
            // Opposite corners of the octahedron, and the other four around them.
            let diagonals = [
                ([ab, cd], [bc, ca, ad, bd]),
                ([bc, ad], [ca, ab, bd, cd]),
                ([ca, bd], [ab, bc, cd, ad]),
            ];
            let at = |n: u32| self.nodes[n as usize];
            let length = |d: &([u32; 2], [u32; 4])| at(d.0[0]).distance_squared(at(d.0[1]));
            let mut shortest = &diagonals[0];
            for diagonal in &diagonals[1..] {
                // Equal ones are told apart by their order, not by rounding.
                if length(diagonal) < length(shortest) * (1.0 - 1e-9) {
                    shortest = diagonal;
                }
            }
            let ([p, q], ring) = *shortest;
            for k in 0..4 {
                let (r, s) = (ring[k], ring[(k + 1) % 4]);
                let upright = (at(q) - at(p)).cross(at(r) - at(p)).dot(at(s) - at(p)) > 0.0;
                tetrahedra.push(if upright { [p, q, r, s] } else { [p, q, s, r] });
            }
        }
        Self {
            nodes: self.nodes,
            tetrahedra,
        }
    }

    fn quadratic(mut self) -> (Vec<DVec3>, Elements) {
        let mut middles = Middles::default();
        let elements = self
            .tetrahedra
            .iter()
            .map(|t| {
                let [a, b, c, d] = *t;
                let [e, f, g, h, i, j] = t10::EDGES.map(|[i, j]| middles.of(t[i], t[j], &mut self.nodes));
                [a, b, c, d, e, f, g, h, i, j]
            })
            .collect();
        (self.nodes, Elements::T10(elements))
    }
}

/// Nodes in the middle of edges, by the ends of the edge.
#[derive(Default)]
struct Middles(HashMap<[u32; 2], u32>);

impl Middles {
    fn of(&mut self, a: u32, b: u32, nodes: &mut Vec<DVec3>) -> u32 {
        *self.0.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            nodes.push(nodes[a as usize].midpoint(nodes[b as usize]));
            nodes.len() as u32 - 1
        })
    }
}

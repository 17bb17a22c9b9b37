//! A solid as convex cells that meet face to face.
//!
//! A solid that is not convex falls into convex parts, cut along the planes of its reflex edges. Where a face of one part
//! lies on a larger one of another, both are cut along the edges of either, so that every piece belongs to the same two
//! cells over its whole area. Vertices in the middle of an edge become corners of all faces along that edge. Cells stay
//! convex, so that tetrahedra from their centroids to the pieces of their faces meet without hanging nodes.

use std::collections::HashMap;

use drystone_model::geometry::{
    Bounds, Plane, Polyhedron, Sets, convex_hull, convex_parts, merge_coplanar_faces, near_pairs,
};
use glam::DVec3;

use super::{COINCIDENT, slabs::slabs};
use crate::deformable::MeshError;

/// Largest number of convex cells.
const LIMIT: usize = 2_000;
/// Relative error allowed between the surface of the cells and that of the solid, as for the volume of convex parts.
const MISFIT: f64 = 1e-9;

pub(super) struct Cells {
    pub(super) vertices: Vec<DVec3>,
    /// Faces, each once.
    pub(super) faces: Vec<Vec<u32>>,
    pub(super) cells: Vec<Cell>,
}

pub(super) struct Cell {
    pub(super) centroid: DVec3,
    /// Faces, and whether they are to be reversed to be seen from outside.
    pub(super) faces: Vec<(usize, bool)>,
}

/// A piece of a face of a cell, counter-clockwise seen from outside.
#[derive(Clone)]
struct Piece {
    cell: usize,
    plane: Plane,
    points: Vec<DVec3>,
}

impl Cells {
    pub(super) fn new(solid: &Polyhedron) -> Result<Self, MeshError> {
        let off = solid.off_planes();
        let tolerance = (COINCIDENT * solid.bounds().diagonal()).max(2.0 * off);
        let merged = merge_coplanar_faces(solid, tolerance);
        let mut parts = convex_parts(&merged, tolerance)?;
        if parts.len() > LIMIT {
            return Err(MeshError::TooManyCells {
                cells: parts.len(),
                limit: LIMIT,
            });
        }
        for part in &mut parts {
            // A face that is one of several in its plane need not be convex, though the solid is.
            if !(0..part.faces.len()).all(|f| is_convex(part, f, tolerance))
                && let Ok(hull) = convex_hull(&part.vertices, tolerance)
            {
                *part = hull;
            }
        }
        let parts: Vec<Polyhedron> = parts.iter().flat_map(|part| slabs(part, tolerance)).collect();
        let pieces = split(pieces_of(&parts), tolerance);
        let mut cells = Self::weld(&parts, &pieces, tolerance);
        cells.add_corners_on_edges(tolerance);
        cells.share_faces();
        cells.check(&merged, off)?;
        Ok(cells)
    }

    /// Every piece a face of its own, with points at the same place made one vertex.
    fn weld(parts: &[Polyhedron], pieces: &[Piece], tolerance: f64) -> Self {
        let points: Vec<DVec3> = pieces.iter().flat_map(|p| p.points.iter().copied()).collect();
        let (vertices, of) = weld(&points, 2.0 * tolerance);
        let mut of = of.into_iter();
        let mut cells: Vec<Cell> = parts
            .iter()
            .map(|part| Cell {
                centroid: part.mass_properties().centroid,
                faces: Vec::new(),
            })
            .collect();
        let mut faces = Vec::new();
        for piece in pieces {
            let mut face: Vec<u32> = of.by_ref().take(piece.points.len()).collect();
            face.dedup();
            if face.len() > 1 && face.first() == face.last() {
                face.pop();
            }
            if face.len() >= 3 {
                cells[piece.cell].faces.push((faces.len(), false));
                faces.push(face);
            }
        }
        Self { vertices, faces, cells }
    }

    fn add_corners_on_edges(&mut self, tolerance: f64) {
        let mut by_x: Vec<u32> = (0..self.vertices.len() as u32).collect();
        let at = |v: u32| self.vertices[v as usize];
        by_x.sort_by(|&v, &w| at(v).x.total_cmp(&at(w).x));
        let between = |a: u32, b: u32| {
            let (p, q) = (at(a), at(b));
            let along = (q - p).normalize_or_zero();
            let (low, high) = (p.x.min(q.x) - tolerance, p.x.max(q.x) + tolerance);
            let first = by_x.partition_point(|&v| at(v).x < low);
            let near = by_x[first..].iter().take_while(|&&v| at(v).x <= high);
            let mut on: Vec<(f64, u32)> = near
                .filter(|&&v| v != a && v != b)
                .map(|&v| ((at(v) - p).dot(along), v))
                .filter(|&(t, v)| {
                    t > tolerance && t < (q - p).length() - tolerance && (at(v) - p - along * t).length() <= tolerance
                })
                .collect();
            on.sort_by(|s, t| s.0.total_cmp(&t.0));
            on.into_iter().map(|(_, v)| v)
        };
        let with_corners = |face: &Vec<u32>| {
            let edges = (0..face.len()).map(|k| (face[k], face[(k + 1) % face.len()]));
            edges
                .flat_map(|(a, b)| std::iter::once(a).chain(between(a, b)))
                .collect()
        };
        let faces = self.faces.iter().map(with_corners).collect();
        self.faces = faces;
    }

    /// Makes one of the two faces with the same corners, which two neighbours have.
    fn share_faces(&mut self) {
        let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut shared = Vec::new();
        for cell in &mut self.cells {
            for (face, reversed) in &mut cell.faces {
                let mut key = self.faces[*face].clone();
                key.sort_unstable();
                if let Some(&first) = known.get(&key) {
                    (*face, *reversed) = (first, true);
                } else {
                    known.insert(key, shared.len());
                    shared.push(std::mem::take(&mut self.faces[*face]));
                    *face = shared.len() - 1;
                }
            }
        }
        self.faces = shared;
    }

    /// Whether faces of single cells are the surface of the solid, and whether all cells hang together.
    fn check(&self, solid: &Polyhedron, off: f64) -> Result<(), MeshError> {
        let mut sets = Sets::new(self.cells.len());
        let mut owner: Vec<Vec<usize>> = vec![Vec::new(); self.faces.len()];
        for (c, cell) in self.cells.iter().enumerate() {
            for &(face, _) in &cell.faces {
                owner[face].push(c);
            }
        }
        let mut area = 0.0;
        for (face, cells) in owner.iter().enumerate() {
            match cells[..] {
                [_] => area += self.area_and_middle(face).0,
                [a, b] => sets.join(a, b),
                // A face with more than two cells would make the surface wrong, too.
                _ => area = f64::NAN,
            }
        }
        let whole: f64 = (0..solid.faces.len()).map(|f| solid.face_area(f)).sum();
        let rim = solid.bounds().diagonal() * solid.faces.len() as f64;
        if !((area - whole).abs() <= MISFIT * whole + 4.0 * off * rim) {
            return Err(MeshError::NotFilled {
                what: "surface (m2)",
                mesh: area,
                solid: whole,
            });
        }
        match sets.count() {
            1 => Ok(()),
            pieces => Err(MeshError::Disconnected { pieces }),
        }
    }

    /// Area and centroid of a face.
    pub(super) fn area_and_middle(&self, face: usize) -> (f64, DVec3) {
        let at = |v: u32| self.vertices[v as usize];
        let corners = &self.faces[face];
        let first = at(corners[0]);
        let triangles = corners.windows(2).skip(1).map(|pair| {
            let (a, b) = (at(pair[0]) - first, at(pair[1]) - first);
            (0.5 * a.cross(b), (a + b) / 3.0)
        });
        let normal: DVec3 = triangles.clone().map(|(n, _)| n).sum();
        let (area, unit) = (normal.length(), normal.normalize_or_zero());
        let moment: DVec3 = triangles.map(|(n, middle)| middle * n.dot(unit)).sum();
        (area, first + moment / area)
    }
}

fn is_convex(solid: &Polyhedron, face: usize, tolerance: f64) -> bool {
    let normal = solid.face_plane(face).normal;
    let at = |v: u32| solid.vertices[v as usize];
    solid.face_edges(face).all(|(a, b)| {
        let inward = normal.cross(at(b) - at(a)).normalize_or_zero();
        solid.corners(face).all(|p| (p - at(a)).dot(inward) >= -tolerance)
    })
}

fn pieces_of(parts: &[Polyhedron]) -> Vec<Piece> {
    let of = |(cell, part): (usize, &Polyhedron)| {
        (0..part.faces.len())
            .map(|face| Piece {
                cell,
                plane: part.face_plane(face),
                points: part.corners(face).collect(),
            })
            .collect::<Vec<_>>()
    };
    parts.iter().enumerate().flat_map(of).collect()
}

/// Cuts faces that lie on each other along each other's edges.
fn split(faces: Vec<Piece>, tolerance: f64) -> Vec<Piece> {
    let bounds: Vec<Bounds> = faces.iter().map(|f| Bounds::around(f.points.iter().copied())).collect();
    let mut groups = Sets::new(faces.len());
    for (i, j) in near_pairs(&bounds, tolerance) {
        if lie_on_each_other(&faces[i], &faces[j], tolerance) {
            groups.join(i, j);
        }
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); faces.len()];
    for face in 0..faces.len() {
        members[groups.of(face)].push(face);
    }
    let mut pieces = Vec::new();
    for group in members {
        let edges: Vec<Plane> = group.iter().flat_map(|&f| edge_planes(&faces[f])).collect();
        for face in group {
            let mut parts = vec![faces[face].clone()];
            for edge in &edges {
                parts = parts.iter().flat_map(|p| cut(p, edge, tolerance)).collect();
            }
            pieces.append(&mut parts);
        }
    }
    pieces
}

/// Planes through the edges, at right angles to the face, that look outwards.
fn edge_planes(face: &Piece) -> Vec<Plane> {
    let n = face.points.len();
    let edge = |k: usize| {
        let (a, b) = (face.points[k], face.points[(k + 1) % n]);
        let out = (b - a).cross(face.plane.normal);
        (out.length_squared() > 0.0).then(|| Plane::through(a, out))
    };
    (0..n).filter_map(edge).collect()
}

/// Whether two faces of different cells look at each other and share an area.
fn lie_on_each_other(a: &Piece, b: &Piece, tolerance: f64) -> bool {
    if a.cell == b.cell || a.plane.normal.dot(b.plane.normal) > -0.999 {
        return false;
    }
    let flat = |p: &Plane, points: &[DVec3]| points.iter().all(|&x| p.distance(x).abs() <= 4.0 * tolerance);
    if !flat(&a.plane, &b.points) && !flat(&b.plane, &a.points) {
        return false;
    }
    let mut common = a.clone();
    for edge in edge_planes(b) {
        match cut(&common, &edge.flipped(), tolerance).into_iter().next_back() {
            // What lies inside the edge comes last; a piece that lies outside alone comes alone.
            Some(inside) if inside.points.iter().any(|&p| edge.distance(p) < -tolerance) => common = inside,
            _ => return false,
        }
    }
    true
}

/// The parts of a convex piece behind and in front of a plane; the piece itself where the plane misses it.
fn cut(piece: &Piece, plane: &Plane, tolerance: f64) -> Vec<Piece> {
    let distance: Vec<f64> = piece.points.iter().map(|&p| plane.distance(p)).collect();
    let reaches = |sign: f64| distance.iter().any(|d| sign * d > tolerance);
    if !reaches(1.0) || !reaches(-1.0) {
        return vec![piece.clone()];
    }
    let n = distance.len();
    let side = |sign: f64| {
        let mut points = Vec::with_capacity(n + 1);
        for k in 0..n {
            let next = (k + 1) % n;
            let (d, e) = (sign * distance[k], sign * distance[next]);
            if d <= tolerance {
                points.push(piece.points[k]);
            }
            if (d < -tolerance && e > tolerance) || (d > tolerance && e < -tolerance) {
                // From the same end on both sides, so that both get the same bits.
                let (i, j) = if distance[k] < distance[next] {
                    (k, next)
                } else {
                    (next, k)
                };
                let t = distance[i] / (distance[i] - distance[j]);
                points.push(piece.points[i] + (piece.points[j] - piece.points[i]) * t);
            }
        }
        Piece {
            points,
            ..piece.clone()
        }
    };
    vec![side(1.0), side(-1.0)]
}

/// Vertices, and which vertex each point is: the first one closer than `tolerance`.
fn weld(points: &[DVec3], tolerance: f64) -> (Vec<DVec3>, Vec<u32>) {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&i, &j| points[i].x.total_cmp(&points[j].x).then(i.cmp(&j)));
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut of = vec![0; points.len()];
    // Vertices come in rising x: only the last few can be near.
    for i in order {
        let near = vertices.iter().enumerate().rev();
        let near = near.take_while(|(_, v)| v.x >= points[i].x - tolerance);
        let found = near.filter(|(_, v)| v.distance(points[i]) <= tolerance).last();
        of[i] = match found {
            Some((v, _)) => v as u32,
            None => {
                vertices.push(points[i]);
                vertices.len() as u32 - 1
            }
        };
    }
    (vertices, of)
}

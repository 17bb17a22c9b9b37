//! Makes blocks of meshes as they come from files: welds them, turns their faces outwards, joins coplanar triangles.

use glam::DVec3;

use super::text::{Names, listed};
use crate::{
    Block, Model,
    geometry::{Bounds, Polyhedron, merge_coplanar_faces, orient, shells, triangulate_warped_face, weld_vertices},
};

/// How far a corner may be off its face's plane, as a fraction of the block's size, and still count as rounded
/// rather than warped. Faces beyond it are cut into triangles; faces within it raise the model's tolerance.
const ROUNDING: f64 = 1e-4;
/// Corners of a warped face that is cut into triangles; the time grows with the square.
const MOST_WARPED_CORNERS: usize = 1024;

/// Collects the blocks of a file, and what had to be done to their meshes.
#[derive(Default)]
pub(super) struct Meshes {
    pub(super) blocks: Vec<Block>,
    names: Names,
    /// Whether coordinates are known to seven digits only.
    pub(super) single_precision: bool,
    flatness: f64,
    inside_out: Vec<String>,
    reoriented: Vec<String>,
    warped: Vec<String>,
    warped_faces: usize,
    open: Vec<String>,
    left_out: Vec<String>,
}

impl Meshes {
    /// Adds the block that a mesh encloses; a mesh that encloses nothing is left out with a warning. All indices
    /// must be within range and all coordinates finite.
    pub(super) fn add(&mut self, name: &str, mesh: Polyhedron) -> Result<(), String> {
        let name = self.names.unique(name);
        match self.cleaned(&name, mesh)? {
            Some(solid) => self.blocks.push(Block::new(name, solid)),
            None => self.left_out.push(name),
        }
        Ok(())
    }

    /// The mesh as a sound polyhedron, as far as that can be had.
    fn cleaned(&mut self, name: &str, mesh: Polyhedron) -> Result<Option<Polyhedron>, String> {
        let mesh = weld_vertices(&mesh, self.weld_tolerance(&mesh));
        let oriented = orient(&mesh);
        if mesh.faces.len() < 4 {
            return Ok(None);
        }
        let (mut solid, size) = (oriented.solid, mesh.bounds().diagonal());
        if solid.volume().abs() <= 1e-12 * size.powi(3) {
            return Ok(None);
        }
        if oriented.turned > 0 {
            self.reoriented.push(name.to_owned());
        }
        if oriented.open_edges + oriented.tangled_edges > 0 {
            self.open.push(name.to_owned());
        }
        if solid.volume() < 0.0 {
            solid = solid.flipped();
            self.inside_out.push(name.to_owned());
        }
        let warped = cut_warped_faces(&mut solid, ROUNDING * size)?;
        if warped > 0 {
            self.warped_faces += warped;
            self.warped.push(name.to_owned());
        }
        let merged = merge_coplanar_faces(&solid, self.merge_tolerance(&solid));
        // Joining faces must not change the solid; where it does, the triangles say more.
        let solid = if (merged.volume() - solid.volume()).abs() <= 1e-5 * solid.volume().abs() {
            merged
        } else {
            solid
        };
        let solid = without_unused(solid);
        let off = (0..solid.faces.len()).map(|f| off_plane(&solid, f)).fold(0.0, f64::max);
        self.flatness = self.flatness.max(off / size);
        Ok(Some(solid))
    }

    /// Vertices closer than this are one (m): as fine as the digits of the file allow.
    fn weld_tolerance(&self, mesh: &Polyhedron) -> f64 {
        let (relative, digits) = if self.single_precision {
            (1e-7, 2.4e-7)
        } else {
            (1e-9, 1e-15)
        };
        (relative * mesh.bounds().diagonal()).max(digits * reach(mesh))
    }

    fn merge_tolerance(&self, mesh: &Polyhedron) -> f64 {
        (0.5e-6 * mesh.bounds().diagonal()).max(2.0 * self.weld_tolerance(mesh))
    }

    /// The blocks that one mesh without names is made of.
    ///
    /// Where blocks touch, their corners coincide, and faces that share a vertex need not belong together. Faces are
    /// therefore first taken as the file numbers their vertices; if that leaves open surfaces, in the order of the
    /// file, ending a block when its surface closes; and only then by the vertices they share.
    pub(super) fn pieces(&self, mesh: &Polyhedron) -> Vec<Polyhedron> {
        let as_numbered = shells(mesh);
        if as_numbered.iter().all(is_closed) {
            return with_cavities(as_numbered);
        }
        let welded = weld_vertices(mesh, self.weld_tolerance(mesh));
        with_cavities(closed_runs(&welded).unwrap_or_else(|| shells(&welded)))
    }

    /// Adds every piece of a mesh as a block: one under `name`, several numbered from 0.
    pub(super) fn add_pieces(&mut self, name: &str, mesh: &Polyhedron) -> Result<usize, String> {
        let pieces = self.pieces(mesh);
        let count = pieces.len();
        for (number, piece) in pieces.into_iter().enumerate() {
            if count == 1 {
                self.add(name, piece)?;
            } else {
                self.add(&number.to_string(), piece)?;
            }
        }
        Ok(count)
    }

    /// Puts the blocks into the model and says what was done to them.
    pub(super) fn finish(self, model: &mut Model, warnings: &mut Vec<String>) {
        let mut say = |names: &[String], what: &str| {
            if !names.is_empty() {
                let blocks = if names.len() == 1 { "block" } else { "blocks" };
                warnings.push(format!("{} {blocks} {what}: {}", names.len(), listed(names)));
            }
        };
        say(&self.left_out, "left out, because the faces enclose no volume");
        say(&self.inside_out, "inside-out, turned");
        say(
            &self.reoriented,
            "with faces that looked different ways, turned outwards",
        );
        say(
            &self.open,
            "with a surface that is not closed; mend the mesh before an analysis",
        );
        say(
            &self.warped,
            &format!(
                "with faces that are not planar; {} faces cut into triangles",
                self.warped_faces
            ),
        );
        if self.flatness > model.tolerances.planarity {
            model.tolerances.planarity = rounded_up(self.flatness);
            warnings.push(format!(
                "corners are off the planes of their faces by up to {:.1e} of the block's size, as by rounding; \
                 `tolerances.planarity` is set to {:e}",
                self.flatness, model.tolerances.planarity
            ));
        }
        model.blocks.extend(self.blocks);
    }
}

fn reach(mesh: &Polyhedron) -> f64 {
    mesh.vertices.iter().map(|v| v.abs().max_element()).fold(0.0, f64::max)
}

fn off_plane(solid: &Polyhedron, face: usize) -> f64 {
    if solid.faces[face].len() <= 3 {
        return 0.0;
    }
    let plane = solid.face_plane(face);
    solid.corners(face).map(|p| plane.distance(p).abs()).fold(0.0, f64::max)
}

/// Cuts faces that are off their plane by more than `allowed` (m) into triangles; returns how many.
fn cut_warped_faces(solid: &mut Polyhedron, allowed: f64) -> Result<usize, String> {
    let mut cut = 0;
    let mut faces = Vec::with_capacity(solid.faces.len());
    for face in 0..solid.faces.len() {
        let corners = &solid.faces[face];
        let off = off_plane(solid, face);
        if off <= allowed {
            faces.push(corners.clone());
            continue;
        }
        if corners.len() > MOST_WARPED_CORNERS {
            return Err(format!(
                "a face of {} corners is not planar ({off:.1e} m off); cut it into triangles",
                corners.len()
            ));
        }
        cut += 1;
        let points: Vec<DVec3> = solid.corners(face).collect();
        faces.extend(
            triangulate_warped_face(&points)
                .iter()
                .map(|t| t.map(|k| corners[k]).to_vec()),
        );
    }
    solid.faces = faces;
    Ok(cut)
}

/// The solid with only the vertices that its faces use, in their order.
pub(super) fn without_unused(solid: Polyhedron) -> Polyhedron {
    let mut used: Vec<u32> = solid.faces.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    if used.len() == solid.vertices.len() {
        return solid;
    }
    let vertices = used.iter().map(|&v| solid.vertices[v as usize]).collect();
    let new = |v: &u32| used.binary_search(v).map_or(0, |k| k as u32);
    let faces = solid.faces.iter().map(|f| f.iter().map(new).collect()).collect();
    Polyhedron { vertices, faces }
}

/// One significant digit, rounded up.
fn rounded_up(value: f64) -> f64 {
    let exponent = value.log10().floor();
    let digit = (value / 10f64.powf(exponent)).ceil();
    format!("{digit}e{exponent}").parse().unwrap_or(2.0 * value)
}

/// Whether every edge belongs to exactly two faces.
fn is_closed(mesh: &Polyhedron) -> bool {
    let mut edges: Vec<(u32, u32)> = (0..mesh.faces.len())
        .flat_map(|f| mesh.face_edges(f))
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).all(|uses| uses.len() == 2)
}

/// The runs of consecutive faces that close a surface, or `None` if some faces are left over.
fn closed_runs(mesh: &Polyhedron) -> Option<Vec<Polyhedron>> {
    let mut open = std::collections::HashSet::new();
    let mut runs: Vec<Vec<Vec<u32>>> = vec![Vec::new()];
    for face in 0..mesh.faces.len() {
        if let Some(run) = runs.last_mut() {
            run.push(mesh.faces[face].clone());
        }
        for (a, b) in mesh.face_edges(face) {
            let edge = (a.min(b), a.max(b));
            if !open.remove(&edge) {
                open.insert(edge);
            }
        }
        if open.is_empty() {
            runs.push(Vec::new());
        }
    }
    runs.retain(|run| !run.is_empty());
    let piece = |faces: Vec<Vec<u32>>| {
        let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let vertices = used.iter().map(|&v| mesh.vertices[v as usize]).collect();
        let new = |v: &u32| used.binary_search(v).map_or(0, |k| k as u32);
        let faces = faces.iter().map(|f| f.iter().map(new).collect()).collect();
        Polyhedron { vertices, faces }
    };
    open.is_empty().then(|| runs.into_iter().map(piece).collect())
}

/// Joins shells that look inwards to the shell around them: they are its cavities.
fn with_cavities(pieces: Vec<Polyhedron>) -> Vec<Polyhedron> {
    let inwards = |p: &Polyhedron| p.volume() < 0.0 && orient(p).turned == 0;
    let (cavities, mut solids): (Vec<_>, Vec<_>) = pieces.into_iter().partition(inwards);
    if solids.is_empty() {
        return cavities;
    }
    let boxes: Vec<Bounds> = solids.iter().map(Polyhedron::bounds).collect();
    for cavity in cavities {
        let inner = cavity.bounds();
        let around = boxes
            .iter()
            .position(|outer| outer.min.cmple(inner.min).all() && inner.max.cmple(outer.max).all());
        match around.and_then(|k| solids.get_mut(k)) {
            Some(solid) => {
                let first = solid.vertices.len() as u32;
                solid.vertices.extend(cavity.vertices);
                let shifted = |f: &Vec<u32>| f.iter().map(|v| v + first).collect();
                solid.faces.extend(cavity.faces.iter().map(shifted));
            }
            None => solids.push(cavity),
        }
    }
    solids
}

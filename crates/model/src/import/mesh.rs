//! Makes blocks of meshes as they come from files: welds them, turns their faces outwards, joins coplanar triangles.

use glam::DVec3;

use super::text::{Names, counted, listed, quoted};
use crate::{
    Block, Model,
    geometry::{
        Bounds, Polyhedron, coordinate_precision, merge_coplanar_faces, orient, shells, triangulate_warped_face,
        weld_vertices,
    },
};

/// How far a corner may be off its face's plane, as a fraction of the block's size, and still count as rounded
/// rather than warped. Faces beyond it are cut into triangles; faces within it raise the model's tolerance.
const ROUNDING: f64 = 1e-4;
/// How far off its face's plane a corner may be by the decimals of the file and count as rounded, at most.
const COARSEST: f64 = 1e-2;
/// Corners of a warped face that is cut into triangles; the time grows with the square.
const MOST_WARPED_CORNERS: usize = 1024;

/// Collects the meshes of a file, and what had to be done to them.
#[derive(Default)]
pub(super) struct Meshes {
    found: Vec<Found>,
    names: Names,
    /// Whether the coordinates of what is added next are known to seven digits only.
    pub(super) single_precision: bool,
    inside_out: Vec<String>,
    reoriented: Vec<String>,
    open: Vec<String>,
    left_out: Vec<String>,
}

/// A mesh whose faces look outwards.
struct Found {
    name: String,
    solid: Polyhedron,
    /// Length of the diagonal of its bounding box (m).
    size: f64,
    merge_tolerance: f64,
}

impl Meshes {
    /// Adds the block that a mesh encloses, and returns its name. A mesh that encloses nothing is left out with a
    /// warning. All indices must be within range and all coordinates finite.
    pub(super) fn add(&mut self, name: &str, mesh: &Polyhedron) -> Option<String> {
        let name = self.names.unique(name);
        let mesh = weld_vertices(mesh, self.weld_tolerance(mesh));
        let oriented = orient(&mesh);
        let (mut solid, size) = (oriented.solid, mesh.bounds().diagonal());
        if solid.faces.len() < 4 || solid.volume().abs() <= 1e-12 * size.powi(3) {
            self.left_out.push(name);
            return None;
        }
        if oriented.turned > 0 {
            self.reoriented.push(name.clone());
        }
        if oriented.open_edges + oriented.tangled_edges > 0 {
            self.open.push(name.clone());
        }
        if solid.volume() < 0.0 {
            solid = solid.flipped();
            self.inside_out.push(name.clone());
        }
        self.found.push(Found {
            name: name.clone(),
            size,
            merge_tolerance: self.merge_tolerance(&solid),
            solid,
        });
        Some(name)
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
    /// therefore first taken as the file numbers their vertices; surfaces that this leaves open, in the order of the
    /// file, ending a block when its surface closes; and only then by the vertices they share.
    pub(super) fn pieces(&self, mesh: &Polyhedron) -> Vec<Polyhedron> {
        let (mut closed, open): (Vec<_>, Vec<_>) = shells(mesh).into_iter().partition(is_closed);
        if !open.is_empty() {
            // What is closed as it is numbered stays by itself, so that one bad block does not join its neighbours.
            let rest = if closed.is_empty() {
                mesh.clone()
            } else {
                together(&open)
            };
            let welded = weld_vertices(&rest, self.weld_tolerance(mesh));
            closed.extend(closed_runs(&welded).unwrap_or_else(|| shells(&welded)));
        }
        with_cavities(closed)
    }

    /// Adds every piece of a mesh as a block: one under `name`, several numbered from 0.
    pub(super) fn add_pieces(&mut self, name: &str, mesh: &Polyhedron) -> usize {
        let pieces = self.pieces(mesh);
        for (number, piece) in pieces.iter().enumerate() {
            if pieces.len() == 1 {
                self.add(name, piece);
            } else {
                self.add(&number.to_string(), piece);
            }
        }
        pieces.len()
    }

    /// Puts the blocks into the model and says what was done to them.
    pub(super) fn finish(self, model: &mut Model, warnings: &mut Vec<String>) -> Result<(), String> {
        let off = |f: &Found| {
            (0..f.solid.faces.len())
                .map(|k| off_plane(&f.solid, k))
                .fold(0.0, f64::max)
                / f.size
        };
        // What the last decimal of the file explains is rounding, too, as long as a block has a shape beside it.
        let rounding = |f: &Found| {
            let off = coordinate_precision(&f.solid.vertices).map_or(0.0, |precision| precision.off);
            ROUNDING.max((1.5 * off / f.size).min(COARSEST))
        };
        // A file with warped faces is not merely rounded: then every face that is not planar is cut.
        let is_rounded = self.found.iter().all(|f| off(f) <= rounding(f));
        let (mut warped, mut warped_faces, mut flatness) = (Vec::new(), 0, 0.0_f64);
        for mut found in self.found {
            let allowed = if is_rounded {
                rounding(&found)
            } else {
                model.tolerances.planarity
            };
            let cut = cut_warped_faces(&mut found.solid, allowed * found.size)
                .map_err(|what| format!("block {}: {what}", quoted(&found.name)))?;
            if cut > 0 {
                warped_faces += cut;
                warped.push(found.name.clone());
            }
            found.solid = without_unused(joined(found.solid, found.merge_tolerance));
            flatness = flatness.max(off(&found));
            model.blocks.push(Block::new(found.name, found.solid));
        }
        let mut say = |names: &[String], what: &str| {
            if !names.is_empty() {
                warnings.push(format!("{} {what}: {}", counted(names.len(), "block"), listed(names)));
            }
        };
        say(&self.left_out, "left out, because the faces enclose no volume");
        say(&self.inside_out, "inside-out, turned");
        say(&self.reoriented, "with inconsistent face normals, corrected");
        say(
            &self.open,
            "with a surface that is not closed; fix the mesh before an analysis",
        );
        say(
            &warped,
            &format!(
                "with faces that are not planar; {} cut into triangles",
                counted(warped_faces, "face")
            ),
        );
        if flatness > model.tolerances.planarity {
            model.tolerances.planarity = rounded_up(flatness);
            warnings.push(format!(
                "corners are off the planes of their faces by up to {flatness:.1e} of the block's size, as by \
                 rounding; `tolerances.planarity` is set to {:e}",
                model.tolerances.planarity
            ));
        }
        Ok(())
    }
}

/// The solid with warped faces cut into triangles, those off their plane by more than `allowed` (m), and coplanar faces
/// joined.
pub(super) fn polygons(mut solid: Polyhedron, merge_tolerance: f64, allowed: f64) -> Result<Polyhedron, String> {
    cut_warped_faces(&mut solid, allowed)?;
    Ok(without_unused(joined(solid, merge_tolerance)))
}

/// The solid with coplanar faces joined until no two are left that could be, so that importing an export changes
/// nothing. Joining faces must not change the solid; where it would, the faces stay as they are.
fn joined(mut solid: Polyhedron, tolerance: f64) -> Polyhedron {
    const MOST_PASSES: usize = 8;
    let volume = solid.volume();
    for _ in 0..MOST_PASSES {
        let merged = merge_coplanar_faces(&solid, tolerance);
        if (merged.volume() - volume).abs() > 1e-5 * volume.abs() {
            break;
        }
        let done = merged.faces.len() == solid.faces.len();
        solid = merged;
        if done {
            break;
        }
    }
    solid
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

/// Several meshes as one.
fn together(meshes: &[Polyhedron]) -> Polyhedron {
    let mut all = Polyhedron::default();
    for mesh in meshes {
        let first = all.vertices.len() as u32;
        all.vertices.extend(&mesh.vertices);
        let shifted = |f: &Vec<u32>| f.iter().map(|v| v + first).collect();
        all.faces.extend(mesh.faces.iter().map(shifted));
    }
    all
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

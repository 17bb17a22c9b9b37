//! Hexahedral blocks: which corner is which, and the trilinear grid between them.

use drystone_model::geometry::{Polyhedron, merge_coplanar_faces};
use glam::{DMat3, DVec3};

use super::{COINCIDENT, Elements, budget};
use crate::deformable::{MeshError, element::h8};

/// The corners of a convex solid with six quadrilateral faces, in the order of VTK_HEXAHEDRON, so that the first axis of
/// the element is the one most aligned with x, the second with y and the third with z.
pub(super) fn corners(solid: &Polyhedron) -> Result<[DVec3; 8], MeshError> {
    let no = |why: &str| MeshError::NoHexahedron { why: why.to_owned() };
    let tolerance = (COINCIDENT * solid.bounds().diagonal()).max(2.0 * solid.off_planes());
    let merged = merge_coplanar_faces(solid, tolerance);
    let quads = merged.faces.iter().filter(|f| f.len() == 4).count();
    if merged.vertices.len() != 8 || merged.faces.len() != 6 || quads != 6 {
        return Err(no(&format!(
            "the block has {} corners and {} faces, {quads} of them with four corners",
            merged.vertices.len(),
            merged.faces.len(),
        )));
    }
    let pairs = opposite_faces(&merged).ok_or_else(|| no("the block's faces are not opposite in pairs"))?;
    let middle = |f: usize| merged.corners(f).sum::<DVec3>() * 0.25;
    let along = pairs.map(|[f, g]| (middle(g) - middle(f)).normalize_or_zero());
    let sides = best_axes(&along).map(|(axis, reversed)| {
        let [f, g] = pairs[axis];
        if reversed { [g, f] } else { [f, g] }
    });
    let mut corners = [DVec3::ZERO; 8];
    for (corner, node) in corners.iter_mut().zip(h8::NODES) {
        let faces = [0, 1, 2].map(|axis| &merged.faces[sides[axis][usize::from(node[axis] > 0.0)]]);
        let shared = faces[0].iter().find(|v| faces[1].contains(v) && faces[2].contains(v));
        let shared = shared.ok_or_else(|| no("the block's faces do not meet like those of a box"))?;
        *corner = merged.vertices[*shared as usize];
    }
    match h8::defect(&corners) {
        Some(_) => Err(no("the block is not convex or has a corner that is flat")),
        None => Ok(corners),
    }
}

/// The three pairs of faces without a common corner.
fn opposite_faces(solid: &Polyhedron) -> Option<[[usize; 2]; 3]> {
    let apart = |f: usize, g: usize| solid.faces[f].iter().all(|v| !solid.faces[g].contains(v));
    let mut pairs = Vec::with_capacity(3);
    for f in 0..6 {
        for g in f + 1..6 {
            if apart(f, g) {
                pairs.push([f, g]);
            }
        }
    }
    let pairs: [[usize; 2]; 3] = pairs.try_into().ok()?;
    let mut faces: Vec<usize> = pairs.into_iter().flatten().collect();
    faces.sort_unstable();
    (faces == [0, 1, 2, 3, 4, 5]).then_some(pairs)
}

/// Which direction to take as first, second and third axis and whether to reverse it: the right-handed choice most aligned
/// with x, y and z. Choices that are equal to rounding are told apart by their order, so that equal blocks get equal meshes.
fn best_axes(along: &[DVec3; 3]) -> [(usize, bool); 3] {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let mut best = ([(0, false), (1, false), (2, false)], f64::NEG_INFINITY);
    for order in ORDERS {
        for signs in 0..8 {
            let choice = [0, 1, 2].map(|axis| (order[axis], signs >> axis & 1 == 1));
            let axes = choice.map(|(k, reversed)| if reversed { -along[k] } else { along[k] });
            let aligned = axes[0].x + axes[1].y + axes[2].z;
            let right_handed = DMat3::from_cols(axes[0], axes[1], axes[2]).determinant() > 0.0;
            if right_handed && aligned > best.1 + 1e-9 {
                best = (choice, aligned);
            }
        }
    }
    best.0
}

/// A grid of elements, trilinear between the corners. Nodes along the first axis are neighbours in the list.
pub(super) fn divide(corners: &[DVec3; 8], counts: [u32; 3]) -> Result<(Vec<DVec3>, Elements), MeshError> {
    budget::hexahedra(counts)?.check()?;
    let [nx, ny, nz] = counts;
    // Corners of the element at the ends of the range must be those of the block to the last bit.
    let natural = |i: u32, n: u32| {
        if i == n {
            1.0
        } else {
            2.0 * f64::from(i) / f64::from(n) - 1.0
        }
    };
    let mut nodes = Vec::new();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let xi = DVec3::new(natural(i, nx), natural(j, ny), natural(k, nz));
                nodes.push(h8::shape(xi).iter().zip(corners).map(|(n, x)| *x * *n).sum());
            }
        }
    }
    let node = |i: u32, j: u32, k: u32| i + (nx + 1) * (j + (ny + 1) * k);
    let mut elements = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                elements.push(h8::NODES.map(|n| {
                    let step = |s: f64| u32::from(s > 0.0);
                    node(i + step(n.x), j + step(n.y), k + step(n.z))
                }));
            }
        }
    }
    Ok((nodes, Elements::H8(elements)))
}

//! Takes back what forces leave over on the blocks.
//!
//! The correction `dr = W D' y` with `D W D' y = -(D r + load)` is the smallest by W: each force changes in proportion to
//! its distance from the boundary of its cone, so that what lies within stays within.

use faer::{
    Mat, Side,
    linalg::solvers::Solve,
    sparse::{SparseColMat, Triplet, linalg::solvers::Llt},
};
use glam::DVec3;

use super::{Assembly, Loads, equilibrium::Forces, evidence::left_over, rows::Places};

/// Rounds: what rounding leaves of the first is taken back by the next.
const ROUNDS: usize = 3;
/// Trace of stiffness, over the mean, that holds blocks whose joints have no distance to spare.
const TRACE: f64 = 1e-12;

/// Forces corrected by what they leave over; nothing where the blocks' joints cannot take it.
pub(super) fn rebalance(assembly: &Assembly, loads: &Loads, mut forces: Forces) -> Option<Forces> {
    let places = Places::of(assembly);
    let count = assembly.free().count();
    let size = loads.size(assembly) / count.max(1) as f64;
    let weights: Vec<f64> = (assembly.points.iter().zip(&forces.contact))
        .map(|(p, f)| {
            let normal = f.dot(p.normal);
            let across = (*f - normal * p.normal).length();
            // Without friction there is no room across: the correction must act along the normal alone.
            let room = if p.friction > 0.0 {
                p.friction * normal - across
            } else {
                normal
            };
            (room.max(0.0) / size).powi(2)
        })
        .collect();
    let factor = factor(assembly, &places, count, &weights)?;
    for _ in 0..ROUNDS {
        let left = left_over(assembly, loads, &forces);
        let mut right = Mat::<f64>::zeros(6 * count, 1);
        for (k, b) in assembly.free().enumerate() {
            let (f, m) = (left[b].force / size, left[b].moment / (size * assembly.length));
            for (c, x) in [f.x, f.y, f.z, m.x, m.y, m.z].into_iter().enumerate() {
                right[(6 * k + c, 0)] = -x;
            }
        }
        let y = factor.solve(&right);
        for ((p, force), w) in assembly.points.iter().zip(&mut forces.contact).zip(&weights) {
            let mut moved = DVec3::ZERO;
            for side in 0..2 {
                let Some(k) = places.get(p.blocks[side] as usize) else {
                    continue;
                };
                let at = |c: usize| y[(k + c, 0)];
                let arm = arm(assembly, p, side);
                let motion = DVec3::new(at(0), at(1), at(2)) + DVec3::new(at(3), at(4), at(5)).cross(arm);
                moved += if side == 1 { motion } else { -motion };
            }
            if p.friction == 0.0 {
                moved = moved.dot(p.normal) * p.normal;
            }
            *force += *w * size * moved;
        }
    }
    forces.contact.iter().all(|f| f.is_finite()).then_some(forces)
}

/// From the centre of a block to a point, in units of the assembly.
fn arm(assembly: &Assembly, p: &super::ContactPoint, side: usize) -> DVec3 {
    (p.position - assembly.center[p.blocks[side] as usize]) / assembly.length
}

/// Cholesky factors of `D W D'`.
fn factor(assembly: &Assembly, places: &Places, count: usize, weights: &[f64]) -> Option<Llt<usize, f64>> {
    let mut entries = Vec::new();
    let mut diagonal = 0.0;
    for (p, &w) in assembly.points.iter().zip(weights) {
        let axes: &[DVec3] = if p.friction > 0.0 { &DVec3::AXES } else { &[p.normal] };
        let rows = |side: usize| -> Vec<[f64; 6]> {
            let (sign, arm) = (if side == 1 { 1.0 } else { -1.0 }, arm(assembly, p, side));
            axes.iter()
                .map(|&axis| {
                    let (f, m) = (sign * axis, sign * arm.cross(axis));
                    [f.x, f.y, f.z, m.x, m.y, m.z]
                })
                .collect()
        };
        let sides = [rows(0), rows(1)];
        let place = |side: usize| places.get(p.blocks[side] as usize);
        for (i, a) in sides.iter().enumerate().filter_map(|(i, a)| Some((place(i)?, a))) {
            for (j, b) in sides.iter().enumerate().filter_map(|(j, b)| Some((place(j)?, b))) {
                for r in 0..6 {
                    for c in 0..6 {
                        let (row, column) = (i + r, j + c);
                        if row < column {
                            continue;
                        }
                        let value = w * a.iter().zip(b).map(|(a, b)| a[r] * b[c]).sum::<f64>();
                        if row == column {
                            diagonal += value;
                        }
                        entries.push(Triplet::new(row, column, value));
                    }
                }
            }
        }
    }
    let trace = TRACE * diagonal / (6 * count).max(1) as f64;
    entries.extend((0..6 * count).map(|k| Triplet::new(k, k, trace)));
    let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(6 * count, 6 * count, &entries).ok()?;
    matrix.sp_cholesky(Side::Lower).ok()
}

//! Long cells cut into compact ones.

use drystone_model::geometry::{Plane, Polyhedron, clip};
use glam::{DMat3, DVec3};

/// A cell is cut where it is longer than this many times its width.
const LONGEST: f64 = 1.5;
/// In at most so many pieces.
const MOST_SLABS: f64 = 16.0;

/// A cell cut across its longest axis into pieces of about one length and thickness. Tetrahedra of a long cell would reach
/// from end to end, and be far too stiff in bending.
pub(super) fn slabs(cell: &Polyhedron, tolerance: f64) -> Vec<Polyhedron> {
    let axes = principal_axes(cell);
    let extent = |axis: DVec3| {
        let along = cell.vertices.iter().map(|v| v.dot(axis));
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), t| {
            (low.min(t), high.max(t))
        })
    };
    let [(low, high), second, _] = axes.map(extent);
    let count = ((high - low) / (LONGEST * (second.1 - second.0))).round();
    if !(count >= 2.0) {
        return vec![cell.clone()];
    }
    let count = count.min(MOST_SLABS);
    let thickness = (high - low) / count;
    let (mut rest, mut slabs) = (cell.clone(), Vec::new());
    for k in 1..count as u32 {
        let at = low + f64::from(k) * thickness;
        // Through a corner that is near, rather than close past it: that would leave slivers.
        let nearest = cell.vertices.iter().map(|v| v.dot(axes[0]));
        let nearest = nearest
            .min_by(|s, t| (s - at).abs().total_cmp(&(t - at).abs()))
            .unwrap_or(at);
        let offset = if (nearest - at).abs() < 0.2 * thickness {
            nearest
        } else {
            at
        };
        let plane = Plane {
            normal: axes[0],
            offset,
        };
        if let (Some(behind), Some(before)) = (clip(&rest, &plane, tolerance), clip(&rest, &plane.flipped(), tolerance))
        {
            slabs.push(behind);
            rest = before;
        }
    }
    slabs.push(rest);
    slabs
}

/// Axes of inertia, the one along which the solid reaches farthest first.
fn principal_axes(solid: &Polyhedron) -> [DVec3; 3] {
    let inertia = solid.mass_properties().inertia;
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let spread = DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - inertia;
    let mut axes = jacobi(&spread);
    axes.sort_by(|a, b| b.dot(spread * *b).total_cmp(&a.dot(spread * *a)));
    axes
}

/// Eigenvectors of a symmetric matrix by Jacobi's rotations.
fn jacobi(matrix: &DMat3) -> [DVec3; 3] {
    let mut axes = DVec3::AXES;
    for _ in 0..12 {
        for (p, q) in [(0, 1), (1, 2), (0, 2)] {
            let (pp, qq) = (axes[p].dot(*matrix * axes[p]), axes[q].dot(*matrix * axes[q]));
            let pq = axes[p].dot(*matrix * axes[q]);
            // Below rounding there is nothing to rotate; an aligned solid keeps its axes to the last bit.
            if pq.abs() <= 1e-15 * (pp + qq) {
                continue;
            }
            let theta = (qq - pp) / (2.0 * pq);
            let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            let (a, b) = (axes[p], axes[q]);
            axes[p] = (a - b * t) * c;
            axes[q] = (a * t + b) * c;
        }
    }
    axes
}

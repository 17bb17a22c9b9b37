//! From back to front: an order in which convex parts can be painted over each other.
//!
//! Two convex solids that do not overlap have a plane between them, and the one on the far side of it cannot hide the
//! other. This holds whatever their sizes, where sorting by distance fails. Pairs whose outlines on the picture do not
//! overlap need no order at all. Parts that hide each other in a ring (three beams, each over the next) have no right
//! order; the farthest of them is then painted first.

use std::{
    cmp::Ordering,
    collections::{BinaryHeap, HashSet},
};

use drystone_model::geometry::{Bounds, Polyhedron, near_pairs};
use glam::{DVec2, DVec3};

/// Outlines that overlap by less than this (pixels) do not hide each other.
const TOUCH: f64 = 1e-3;

/// Positions of the parts from back to front. Parts are in the axes of the picture, z towards the eye.
pub(super) fn back_to_front(parts: &[&Polyhedron]) -> Vec<usize> {
    let outlines: Vec<Vec<DVec2>> = parts.iter().map(|p| outline(p)).collect();
    let flat_box = |o: &Vec<DVec2>| Bounds::around(o.iter().map(|p| p.extend(0.0)));
    let boxes: Vec<Bounds> = outlines.iter().map(flat_box).collect();
    let mut before = vec![Vec::new(); parts.len()];
    let mut waiting_for = vec![0usize; parts.len()];
    for (i, j) in near_pairs(&boxes, 0.0) {
        if !overlap(&outlines[i], &outlines[j]) {
            continue;
        }
        let (back, front) = if hides(parts[i], parts[j]) { (j, i) } else { (i, j) };
        before[back].push(front);
        waiting_for[front] += 1;
    }
    let distance = |k: usize| {
        let p = &parts[k].vertices;
        p.iter().map(|v| v.z).sum::<f64>() / p.len().max(1) as f64
    };
    let far_first = |k: usize| Far {
        near: distance(k),
        part: k,
    };
    let mut ready: BinaryHeap<Far> = (0..parts.len())
        .filter(|&k| waiting_for[k] == 0)
        .map(far_first)
        .collect();
    let mut blocked: HashSet<usize> = (0..parts.len()).collect();
    let mut order = Vec::with_capacity(parts.len());
    while !blocked.is_empty() {
        let next = match ready.pop() {
            Some(far) => far.part,
            None => blocked.iter().map(|&k| far_first(k)).max().map_or(0, |far| far.part),
        };
        if !blocked.remove(&next) {
            continue;
        }
        order.push(next);
        for &front in &before[next] {
            waiting_for[front] = waiting_for[front].saturating_sub(1);
            if waiting_for[front] == 0 && blocked.contains(&front) {
                ready.push(far_first(front));
            }
        }
    }
    order
}

/// A part in the queue: the farther from the eye, the greater.
struct Far {
    near: f64,
    part: usize,
}

impl Ord for Far {
    fn cmp(&self, other: &Self) -> Ordering {
        other.near.total_cmp(&self.near).then(other.part.cmp(&self.part))
    }
}

impl PartialOrd for Far {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Far {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Far {}

/// Whether `a` lies in front of `b`, by the plane that separates them best.
fn hides(a: &Polyhedron, b: &Polyhedron) -> bool {
    // The widest gap so far, and whether `a` is on the near side of it.
    let mut best = (f64::NEG_INFINITY, false);
    let consider = |best: &mut (f64, bool), axis: DVec3| {
        // A plane seen edge-on cannot separate outlines that overlap.
        if axis.z.abs() >= 1e-9 {
            let gap = lowest(b, axis) - highest(a, axis);
            if gap > best.0 {
                *best = (gap, axis.z < 0.0);
            }
        }
        best.0 >= 0.0
    };
    let faces = |s: &Polyhedron| (0..s.faces.len()).map(|f| s.face_plane(f).normal).collect::<Vec<_>>();
    for axis in faces(a).into_iter().chain(faces(b).into_iter().map(|n| -n)) {
        if consider(&mut best, axis) {
            return best.1;
        }
    }
    // Touching faces are rounded: a gap this close to zero is as good as none, and the edges would find no better.
    if best.0 > -TOUCH {
        return best.1;
    }
    let directions = |s: &Polyhedron| -> Vec<DVec3> {
        let edge = |(i, j): (u32, u32)| (s.vertices[j as usize] - s.vertices[i as usize]).try_normalize();
        s.edges().into_iter().filter_map(edge).collect()
    };
    for u in directions(a) {
        for v in directions(b) {
            let Some(axis) = u.cross(v).try_normalize() else {
                continue;
            };
            if consider(&mut best, axis) || consider(&mut best, -axis) {
                return best.1;
            }
        }
    }
    best.1
}

fn highest(s: &Polyhedron, axis: DVec3) -> f64 {
    s.vertices.iter().map(|p| p.dot(axis)).fold(f64::NEG_INFINITY, f64::max)
}

fn lowest(s: &Polyhedron, axis: DVec3) -> f64 {
    s.vertices.iter().map(|p| p.dot(axis)).fold(f64::INFINITY, f64::min)
}

/// The convex outline of a part on the picture (Andrew's monotone chain).
fn outline(part: &Polyhedron) -> Vec<DVec2> {
    let mut points: Vec<DVec2> = part.vertices.iter().map(|p| p.truncate()).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    let half = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && (b - a).perp_dot(p - b) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    hull
}

/// Whether two convex outlines overlap by more than a touch.
fn overlap(a: &[DVec2], b: &[DVec2]) -> bool {
    let is_apart = |a: &[DVec2], b: &[DVec2]| {
        (0..a.len()).any(|k| {
            let (p, q) = (a[k], a[(k + 1) % a.len()]);
            let Some(along) = (q - p).try_normalize() else {
                return false;
            };
            // The hulls turn counter-clockwise in their own axes, so what lies to the right of an edge is outside.
            b.iter().all(|&r| along.perp_dot(r - p) <= TOUCH)
        })
    };
    !is_apart(a, b) && !is_apart(b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuboid(min: [f64; 3], max: [f64; 3]) -> Polyhedron {
        Polyhedron::cuboid(DVec3::from(min), DVec3::from(max))
    }

    #[test]
    fn a_small_box_on_a_long_one_is_painted_after_it_though_its_middle_is_farther() {
        // The long one reaches far towards the eye beside the small one, which lies in front of its far end.
        let long = cuboid([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]);
        let mut tilted = long.clone();
        for v in &mut tilted.vertices {
            v.x *= 100.0;
            v.z += v.x;
        }
        let small = cuboid([2.0, 0.2, 3.6], [2.5, 0.8, 4.0]);
        assert_eq!(back_to_front(&[&small, &tilted]), [1, 0]);
        assert_eq!(back_to_front(&[&tilted, &small]), [0, 1]);
    }

    #[test]
    fn a_ring_of_parts_that_hide_each_other_is_still_painted_once_each() {
        let beam = |angle: f64| {
            let map = glam::DAffine3::from_axis_angle(DVec3::Z, angle)
                * glam::DAffine3::from_translation(DVec3::new(0.0, -2.0, 0.0))
                * glam::DAffine3::from_rotation_y(0.1);
            cuboid([-9.0, -0.2, -0.1], [9.0, 0.2, 0.1]).transformed(&map)
        };
        let turn = std::f64::consts::TAU / 3.0;
        let beams = [beam(0.0), beam(turn), beam(2.0 * turn)];
        let mut order = back_to_front(&beams.iter().collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, [0, 1, 2]);
    }
}

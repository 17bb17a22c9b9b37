//! Contact stress from the resultant: linear over the joint, and linear without tension.
//!
//! Within the kernel the stress of Navier, `s = N/A + N e . J^-1 x`, is compressive throughout. Outside it, `s = max(0, a +
//! g . x)` whose integral is N and whose first moment is N e minimises `int s^2 / 2 - N (a + g . e)`, a convex function of
//! (a, g). Newton's method finds it: the Hessian holds the moments of the compressed part.

use glam::{DMat3, DVec2, DVec3};
use serde::Serialize;

use super::section::{Moments, Section};

/// Distance to the edge, over that of the centre, below which the compressed part is taken for a line.
const LINE: f64 = 1e-6;
const STEPS: usize = 200;
const PRECISION: f64 = 1e-12;

/// Contact stress in a joint, compression positive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Stress {
    /// Normal force over area (unit: Pa).
    pub mean_pa: f64,
    /// Smallest and largest stress with a linear distribution over the whole joint (unit: Pa); below zero where that asks
    /// for tension.
    pub linear_pa: [f64; 2],
    /// Largest stress with a linear distribution without tension (unit: Pa); nothing where the force stands on an edge.
    pub largest_pa: Option<f64>,
    /// Part of the area that is compressed without tension, 0 to 1.
    pub compressed: f64,
    /// Stress without tension at each corner of the joint, in its order (unit: Pa); empty where the force stands on an
    /// edge.
    pub corners_pa: Vec<f64>,
    /// Stress without tension at the centre of the joint, before it is cut off at zero (unit: Pa).
    pub at_center_pa: Option<f64>,
    /// How it grows along the joint (unit: Pa/m).
    pub gradient_pa_m: Option<DVec3>,
}

/// The stress of a normal force at `e` from the centre of a section, where it has any area and the force presses.
pub(super) fn stress(section: &Section, force: f64, e: DVec2) -> Option<Stress> {
    if !(section.area > 0.0 && force > 0.0) {
        return None;
    }
    // In units of the mean stress and of the square root of the area.
    let (mean, length) = (force / section.area, section.area.sqrt());
    let outline: Vec<DVec2> = section.outline.iter().map(|p| *p / length).collect();
    let e = e / length;
    let slope = (section.second * (1.0 / length.powi(4))).inverse() * e;
    let values = outline.iter().map(|p| 1.0 + slope.dot(*p));
    let (least, largest) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s), h.max(s)));
    let linear = [least * mean, largest * mean];
    let reach = section.reach(e * length).map_or(1.0, |(reach, _)| reach);
    let plane = if least >= 0.0 {
        Some(DVec3::new(1.0, slope.x, slope.y))
    } else if reach < 1.0 - LINE {
        without_tension(&outline, e)
    } else {
        None
    };
    let Some(plane) = plane else {
        return Some(Stress {
            mean_pa: mean,
            linear_pa: linear,
            largest_pa: None,
            compressed: 0.0,
            corners_pa: Vec::new(),
            at_center_pa: None,
            gradient_pa_m: None,
        });
    };
    let at = |p: DVec2| mean * value(plane, p / length).max(0.0);
    let corners_pa: Vec<f64> = section.corners.iter().map(|&c| at(c)).collect();
    Some(Stress {
        mean_pa: mean,
        linear_pa: linear,
        largest_pa: Some(section.outline.iter().map(|&p| at(p)).fold(0.0, f64::max)),
        compressed: if least >= 0.0 {
            1.0
        } else {
            Moments::of(&pressed(&outline, plane)).area
        },
        corners_pa,
        at_center_pa: Some(mean * plane.x),
        gradient_pa_m: Some(section.lifted(DVec2::new(plane.y, plane.z)) * (mean / length)),
    })
}

fn value(plane: DVec3, p: DVec2) -> f64 {
    plane.x + plane.y * p.x + plane.z * p.y
}

/// The part of a figure where a plane is above zero. Pieces of figures that are not convex stay connected by lines without
/// area, which integrals do not see.
fn pressed(outline: &[DVec2], plane: DVec3) -> Vec<DVec2> {
    let mut kept = Vec::new();
    for (k, &p) in outline.iter().enumerate() {
        let q = outline[(k + 1) % outline.len()];
        let (s, t) = (value(plane, p), value(plane, q));
        if s >= 0.0 {
            kept.push(p);
        }
        if (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0) {
            kept.push(p + (q - p) * (s / (s - t)));
        }
    }
    kept
}

fn hessian(outline: &[DVec2], plane: DVec3) -> DMat3 {
    let m = Moments::of(&pressed(outline, plane));
    let [xx, xy, yy] = m.second;
    DMat3::from_cols_array(&[m.area, m.first.x, m.first.y, m.first.x, xx, xy, m.first.y, xy, yy])
}

/// The plane that carries a unit force at `e` without tension; the figure has an area of one.
fn without_tension(outline: &[DVec2], e: DVec2) -> Option<DVec3> {
    let load = DVec3::new(1.0, e.x, e.y);
    let energy = |plane: DVec3, h: &DMat3| 0.5 * plane.dot(*h * plane) - load.dot(plane);
    let mut plane = DVec3::X;
    let mut h = hessian(outline, plane);
    let mut best = energy(plane, &h);
    for _ in 0..STEPS {
        let left = h * plane - load;
        if left.length() <= PRECISION {
            return Some(plane);
        }
        let step = -(h.inverse() * left);
        if !step.is_finite() {
            return None;
        }
        // The energy is below zero from the start and sinks: some part stays compressed.
        let mut size = 1.0;
        loop {
            let next = plane + size * step;
            let h_next = hessian(outline, next);
            let e_next = energy(next, &h_next);
            if e_next < best || size < 1e-12 {
                (plane, h, best) = (next, h_next, e_next);
                break;
            }
            size *= 0.5;
        }
        if size < 1e-12 {
            break;
        }
    }
    ((h * plane - load).length() <= 1e-8).then_some(plane)
}

#[cfg(test)]
mod tests {
    use drystone_contact::Joint;

    use super::*;

    fn section(corners: &[(f64, f64)], area: f64) -> Section {
        Section::of(&Joint {
            blocks: [0, 1],
            points: corners.iter().map(|&(x, y)| DVec3::new(x, y, 0.0)).collect(),
            normal: DVec3::Z,
            area,
            least_gap: 0.0,
            largest_gap: 0.0,
        })
    }

    /// Integral of the stress and of its first moment, by sums over a fine grid.
    fn summed(section: &Section, stress: &Stress, inside: impl Fn(DVec3) -> bool) -> (f64, DVec3) {
        let (center, slope) = (stress.at_center_pa.unwrap(), stress.gradient_pa_m.unwrap());
        let (mut force, mut moment) = (0.0, DVec3::ZERO);
        let count = 800;
        let step = 4.0 / f64::from(count);
        for i in 0..count {
            for j in 0..count {
                let p = DVec3::new(
                    -1.0 + (f64::from(i) + 0.5) * step,
                    -1.0 + (f64::from(j) + 0.5) * step,
                    0.0,
                );
                if inside(p) {
                    let arm = p - section.center;
                    let s = (center + slope.dot(arm)).max(0.0) * step * step;
                    force += s;
                    moment += s * arm;
                }
            }
        }
        (force, moment)
    }

    #[test]
    fn a_rectangle_follows_the_textbook_in_the_kernel_and_beyond() {
        let section = section(&[(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)], 2.0);
        let at = |e: f64| stress(&section, 10.0, section.flat(DVec3::X * e)).unwrap();
        let central = at(0.0);
        assert!((central.largest_pa.unwrap() - 5.0).abs() < 1e-12 && central.compressed == 1.0);
        // The kernel ends at a sixth of the width: a triangle from zero to twice the mean.
        let edge = at(2.0 / 6.0 - 1e-12);
        assert!((edge.largest_pa.unwrap() - 10.0).abs() < 1e-9 && edge.linear_pa[0].abs() < 1e-9);
        // Beyond: 2 N / (3 c b), c the distance to the edge.
        for e in [0.4, 0.6, 0.9, 0.99] {
            let beyond = at(e);
            let c = 1.0 - e;
            let expected = 2.0 * 10.0 / (3.0 * c);
            let found = beyond.largest_pa.unwrap();
            assert!((found / expected - 1.0).abs() < 1e-8, "{e}: {found} {expected}");
            assert!((beyond.compressed - 1.5 * c).abs() < 1e-8);
            assert!(beyond.linear_pa[0] < 0.0);
        }
        let on_edge = at(1.0);
        assert_eq!((on_edge.largest_pa, on_edge.compressed), (None, 0.0));
    }

    #[test]
    fn stress_adds_up_to_the_force_and_acts_where_it_does() {
        let square = section(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], 1.0);
        let ell = section(
            &[(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)],
            3.0,
        );
        let in_square = |p: DVec3| p.x > 0.0 && p.x < 1.0 && p.y > 0.0 && p.y < 1.0;
        let in_ell = |p: DVec3| p.x > 0.0 && p.x < 2.0 && p.y > 0.0 && p.y < 2.0 && !(p.x > 1.0 && p.y > 1.0);
        for e in [
            DVec3::new(0.3, 0.25, 0.0),
            DVec3::new(-0.1, 0.35, 0.0),
            DVec3::new(0.05, 0.0, 0.0),
        ] {
            for (section, inside) in [(&square, &in_square as &dyn Fn(DVec3) -> bool), (&ell, &in_ell)] {
                let found = stress(section, 7.0, section.flat(e)).unwrap();
                let (force, moment) = summed(section, &found, inside);
                assert!((force / 7.0 - 1.0).abs() < 1e-3, "{force}");
                assert!((moment / 7.0).abs_diff_eq(e, 1e-3), "{moment}");
            }
        }
    }

    #[test]
    fn stress_does_not_depend_on_the_unit_of_length() {
        for scale in [1e-3, 1.0, 1e3] {
            let corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)].map(|(x, y)| (x * scale, y * scale));
            let section = section(&corners, 2.0 * scale * scale);
            let found = stress(&section, 10.0, section.flat(DVec3::X * 0.8 * scale)).unwrap();
            let expected = 2.0 * 10.0 / (3.0 * 0.2 * scale * scale);
            assert!((found.largest_pa.unwrap() / expected - 1.0).abs() < 1e-8);
        }
    }
}

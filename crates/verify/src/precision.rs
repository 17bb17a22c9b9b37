//! Whether coordinates are as rough as a certificate says.
//!
//! What lies within the rounding of coordinates is forgiven: a joint narrower than it is a line, corners may be off by it. So
//! a certificate may not make it up. The numbers of the model have to be rounded, and the rounding has to show: in corners
//! off the planes of their faces, or in faces that nearly lie on each other and are not quite parallel.

use drystone_model::{JointSearch, Model, geometry::length_text};
use glam::DVec3;

use crate::{bodies::Body, contacts::Contacts};

/// Precisions are stated in three digits, rounded up.
const DIGITS: f64 = 1.01;
/// The least trace of rounding, over the precision. Below it is arithmetic.
const LEAST_TRACE: f64 = 1e-3;
/// Decimals beyond which numbers are not rounded.
const MOST_DECIMALS: i32 = 8;
/// Where digits tell nothing: the largest distance between faces that can be rounding, over the smallest block's size.
const MOST_ROUNDING: f64 = 2e-3;

/// Why a precision does not follow from a model; nothing if it does.
pub(crate) fn unexplained(search: &JointSearch, model: &Model, shapes: &[Body]) -> Option<String> {
    let precision = search.precision;
    let own = model.joint_search.map_or(0.0, |own| own.precision);
    if precision <= own {
        return None;
    }
    let stated = format!("it takes corners to be off by up to {}", length_text(precision));
    let rounded = JointSearch::ROUNDED * precision;
    let mut wide = *search;
    wide.distance = search.distance.max(rounded);
    (wide.angle_deg, wide.precision) = (JointSearch::MOST_ROUNDED_DEG, 0.0);
    let mut looked_at = model.clone();
    looked_at.search_joints(wide);
    let found = match Contacts::of(&looked_at, shapes) {
        Ok(found) => found,
        Err(why) => return Some(why),
    };
    let largest =
        |lengths: &mut dyn Iterator<Item = f64>, most: f64| lengths.filter(|l| *l <= most).fold(0.0, f64::max);
    let corners: Vec<DVec3> = shapes.iter().flat_map(|b| b.corners.iter().copied()).collect();
    let Some(grain) = grain(&corners) else {
        let smallest = shapes.iter().map(|b| b.size).fold(f64::INFINITY, f64::min);
        let mut apart = found.gaps().map(|[low, high]| high.max(-low));
        let apart = largest(&mut apart, DIGITS * MOST_ROUNDING * smallest);
        return (precision > 0.5 * DIGITS * apart).then(|| {
            format!(
                "{stated}; faces of the model that nearly coincide are {} apart at most",
                length_text(apart)
            )
        });
    };
    if precision > DIGITS * grain {
        let grain = length_text(grain);
        return Some(format!(
            "{stated}; the digits of its coordinates are rounded by {grain} at most"
        ));
    }
    let turned = largest(&mut found.gaps().map(|[low, high]| high - low), rounded);
    let warped = largest(&mut shapes.iter().flat_map(|b| &b.faces).map(|f| f.warp), rounded);
    let is_shown = turned.max(warped) >= LEAST_TRACE / DIGITS * precision;
    (!is_shown).then(|| format!("{stated}; its faces are plane and parallel: nothing shows that they are rounded"))
}

/// How far points may be off if their coordinates were rounded to the digits that they have (m): to decimals, or to numbers
/// of single precision. `None` where they have more digits.
fn grain(points: &[DVec3]) -> Option<f64> {
    let values = || points.iter().flat_map(|p| p.to_array());
    let has = |decimals: i32| {
        let is_whole = |value: f64| {
            let scaled = value * 10f64.powi(decimals);
            (scaled - scaled.round()).abs() <= 8.0 * f64::EPSILON * scaled.abs().max(1.0)
        };
        values().all(is_whole)
    };
    let of_decimals = (0..=MOST_DECIMALS)
        .find(|&d| has(d))
        .map(|d| 3f64.sqrt() * 10f64.powi(-d));
    let is_single = |value: f64| {
        let single = value as f32;
        f64::from(single) == value || single.to_string().parse() == Ok(value)
    };
    let spacing = |value: f64| f64::from((value as f32).next_up()) - f64::from(value as f32);
    let of_single = values().all(is_single).then(|| {
        let largest = points.iter().fold(DVec3::ZERO, |m, p| m.max(p.abs()));
        largest.map(spacing).length()
    });
    let both = of_decimals.into_iter().chain(of_single);
    both.reduce(f64::max).map(|apart| 0.5 * apart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_of_coordinates_tell_how_far_they_are_rounded() {
        let half = 0.5 * 3f64.sqrt();
        let of = |x: f64| grain(&[DVec3::new(x, -3.5, 120.25)]);
        for (x, expected) in [(0.1234, 1e-4), (7.0, 1e-2), (0.000_01, 1e-5)] {
            assert!((of(x).unwrap() / (half * expected) - 1.0).abs() < 1e-12, "{x}");
        }
        assert_eq!(of(1.0 / 3.0), None);
        // Numbers of single precision between 64 and 128 are 2^-17 apart.
        let single = grain(&[DVec3::splat(f64::from(100.123_456_f32))]).unwrap();
        assert!((single / (half * 2f64.powi(-17)) - 1.0).abs() < 1e-12);
    }
}

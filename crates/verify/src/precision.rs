//! Whether coordinates are as rough as a certificate says.
//!
//! What lies within the rounding of coordinates is forgiven: a joint narrower than it is a line, corners may be off by it. So
//! a certificate may not make it up. The numbers of the model have to be rounded, and the rounding has to show: in corners
//! off the planes of their faces, or in faces that nearly lie on each other and are not quite parallel.

use std::collections::HashSet;

use drystone_model::{JointSearch, Model, geometry::length_text};
use glam::DVec3;

use crate::{bodies::Body, contacts::Contacts};

/// Precisions are stated in three digits, rounded up.
const DIGITS: f64 = 1.01;
/// The least trace of rounding, over the precision. A plane through a few corners, each off at random, is off by more.
const LEAST_TRACE: f64 = 1e-2;
/// Decimals beyond which numbers are not rounded.
const MOST_DECIMALS: i32 = 8;
/// A box along the axes has six numbers. More than that with a last decimal of their own were not chosen to be short.
const BOX_NUMBERS: usize = 6;
/// Significant digits that are told from decimals: the fewest,
const FEWEST_DIGITS: usize = 5;
/// the most, and
const MOST_DIGITS: usize = 8;
/// the most of numbers of single precision, which their spacing tells better.
const SINGLE_DIGITS: usize = 7;
/// Numbers with all those digits, and fewer decimals than others, that make significant digits of them.
const MANY_FULL: usize = 3;
/// Numbers below this are what arithmetic leaves of zero (m).
const NOTHING: f64 = 1e-12;
/// Where digits tell nothing: the largest distance between faces that can be rounding, over the smallest block's size.
pub(crate) const MOST_ROUNDING: f64 = 2e-3;

/// Why a precision does not follow from a model; nothing if it does.
pub(crate) fn unexplained(search: &JointSearch, model: &Model, shapes: &[Body]) -> Option<String> {
    let precision = search.precision;
    let own = model.joint_search.map_or(0.0, |own| own.precision);
    if precision <= own {
        return None;
    }
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
    let grains: Vec<Option<Grain>> = shapes.iter().map(|b| Grain::of(&b.corners)).collect();
    let digits = Grain::coarsest(&grains);
    let turned = largest(&mut found.gaps().map(|[low, high]| high - low), rounded);
    let warped = largest(&mut shapes.iter().flat_map(|b| &b.faces).map(|f| f.warp), rounded);
    let shown = turned.max(warped);
    if precision <= DIGITS * digits && shown >= LEAST_TRACE * precision {
        return None;
    }
    let mut apart = 0.0;
    if grains.iter().any(Option::is_none) {
        let smallest = shapes.iter().map(|b| b.size).fold(f64::INFINITY, f64::min);
        let mut misfits = found.gaps().map(|[low, high]| high.max(-low));
        apart = largest(&mut misfits, DIGITS * MOST_ROUNDING * smallest);
        if precision <= 0.5 * DIGITS * apart {
            return None;
        }
    }
    Some(format!(
        "it takes corners to be off by up to {}; by the digits of the model they may be off by {}, its faces are {} off \
         planes and parallels, and faces that could coincide {} apart",
        length_text(precision),
        length_text(digits),
        length_text(shown),
        length_text(apart)
    ))
}

/// How exact points can be, by their numbers alone.
#[derive(Clone, Copy)]
pub(crate) struct Grain {
    /// How far they may be off if their coordinates were rounded to the digits that they have (m).
    off: f64,
    /// The same if they were rounded to single precision (m).
    off_single: f64,
    is_single: bool,
    /// Whether the numbers look rounded. Numbers such as 0.25 have few decimals by nature.
    is_scattered: bool,
    /// Decimals of the numbers; none where they are of single precision.
    decimals: Option<i32>,
    /// Whether points have two coordinates along each axis, as those of a box along the axes have.
    is_box: bool,
}

impl Grain {
    /// `None` where coordinates have more than [`MOST_DECIMALS`] decimals, and more digits than single precision.
    fn of(points: &[DVec3]) -> Option<Self> {
        let values = || points.iter().flat_map(|p| p.to_array());
        let has = |decimals: i32| {
            let is_whole = |value: f64| {
                let scaled = value * 10f64.powi(decimals);
                (scaled - scaled.round()).abs() <= 8.0 * f64::EPSILON * scaled.abs().max(1.0)
            };
            values().all(is_whole)
        };
        let is_single = |value: f64| {
            let single = value as f32;
            f64::from(single) == value || single.to_string().parse() == Ok(value)
        };
        let spacing = |value: f64| f64::from((value as f32).next_up()) - f64::from(value as f32);
        let largest = points.iter().fold(DVec3::ZERO, |m, p| m.max(p.abs()));
        let off_single = 0.5 * largest.map(spacing).length();
        let single = values().all(is_single).then_some(off_single);
        let most_digits = if single.is_some() { SINGLE_DIGITS } else { MOST_DIGITS };
        let significant = significant(values(), most_digits);
        let Some(decimals) = significant.or_else(|| (0..=MOST_DECIMALS).find(|&d| has(d))) else {
            return single.map(|off| Self {
                off,
                off_single,
                is_single: true,
                is_scattered: true,
                decimals: None,
                is_box: false,
            });
        };
        let unit = 10f64.powi(decimals);
        let digits = values().map(|v| (v * unit).round() as i64).filter(|d| d % 10 != 0);
        let of_decimals = 0.5 * 3f64.sqrt() / unit;
        let is_single = single.is_some() && largest.map(spacing).max_element() * unit > 1.0;
        Some(Self {
            off: of_decimals.max(single.unwrap_or(0.0)),
            off_single,
            is_single,
            is_scattered: is_single || digits.collect::<HashSet<i64>>().len() > BOX_NUMBERS,
            decimals: (!is_single).then_some(decimals),
            is_box: (0..3).all(|axis| {
                let along = points.iter().map(|p| p[axis].to_bits());
                along.collect::<HashSet<u64>>().len() <= 2
            }),
        })
    }

    /// How far corners of each block may be off by their digits (m): of those that look rounded, and of those that have as many
    /// decimals as one of these and are no box along the axes. Such a block has too few numbers to look rounded by itself: of
    /// the eight of a box that is turned about one axis, some end in a zero by chance. Zero for others.
    pub(crate) fn looks_off(shapes: &[Body]) -> Vec<f64> {
        let grains: Vec<Option<Self>> = shapes.iter().map(|b| Self::of(&b.corners)).collect();
        let scattered = grains.iter().flatten().filter(|g| g.is_scattered);
        let rounded: HashSet<i32> = scattered.filter_map(|g| g.decimals).collect();
        let is_rounded = |g: &Self| g.is_scattered || (!g.is_box && g.decimals.is_some_and(|d| rounded.contains(&d)));
        let off = |g: Option<Self>| g.filter(is_rounded).map_or(0.0, |g| DIGITS * g.off);
        grains.into_iter().map(off).collect()
    }

    /// How far corners of some block may be off (m): of those that look rounded the coarsest, or else of all the finest. Where
    /// some are of single precision, short numbers of others may be: these are as far off as such numbers of their size.
    fn coarsest(all: &[Option<Self>]) -> f64 {
        let known = || all.iter().flatten();
        let has_single = known().any(|g| g.is_scattered && g.is_single);
        let short = known().filter(|g| has_single && !g.is_scattered).map(|g| g.off_single);
        let scattered = known().filter(|g| g.is_scattered).map(|g| g.off);
        let finest = known().map(|g| g.off).reduce(f64::min);
        scattered.chain(short).reduce(f64::max).or(finest).unwrap_or(0.0)
    }
}

/// Decimals of the largest number, if all are rounded to so many significant digits: smaller ones then have more decimals.
fn significant(values: impl Iterator<Item = f64>, most_digits: usize) -> Option<i32> {
    let sizes: Vec<f64> = values.map(f64::abs).filter(|v| *v > NOTHING).collect();
    let power = |value: f64| -> Option<i32> { format!("{value:.8e}").split_once('e')?.1.parse().ok() };
    let has = |value: f64, digits: usize| {
        let text = format!("{value:.*e}", digits - 1);
        text.parse::<f64>()
            .is_ok_and(|v| (v - value).abs() <= 8.0 * f64::EPSILON * value)
    };
    let digits = (FEWEST_DIGITS..=most_digits).find(|&n| sizes.iter().all(|&v| has(v, n)))?;
    if sizes.iter().all(|&v| has(v, digits - 1)) {
        return None;
    }
    let decimals = |value: f64| Some((1..=digits).find(|&n| has(value, n))? as i32 - 1 - power(value)?);
    let most = sizes.iter().filter_map(|&v| decimals(v)).max()?;
    let is_full = |v: &&f64| !has(**v, digits - 1) && decimals(**v) < Some(most);
    let full: HashSet<String> = sizes.iter().filter(is_full).map(|v| format!("{v:.8e}")).collect();
    let largest = sizes.iter().copied().fold(0.0, f64::max);
    (full.len() >= MANY_FULL).then_some(digits as i32 - 1 - power(largest)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_of_coordinates_tell_how_far_they_are_rounded() {
        let half = 0.5 * 3f64.sqrt();
        let of = |x: f64| Grain::of(&[DVec3::new(x, -3.5, 120.25)]).map(|g| g.off);
        for (x, expected) in [(0.1234, 1e-4), (7.0, 1e-2), (0.000_01, 1e-5)] {
            assert!((of(x).unwrap() / (half * expected) - 1.0).abs() < 1e-12, "{x}");
        }
        assert_eq!(of(1.0 / 3.0), None);
        // Numbers of single precision between 64 and 128 are 2^-17 apart.
        let single = Grain::of(&[DVec3::splat(f64::from(100.123_46_f32))]).unwrap().off;
        assert!((single / (half * 2f64.powi(-17)) - 1.0).abs() < 1e-12);
    }
}

//! How near faces must be to be joined, worked out from the geometry itself.
//!
//! Blocks that are drawn to touch do so to the precision of their coordinates. What that is, the numbers of each block tell:
//! decimals, single precision, or all the digits there are. Rounding then shows in the shapes, too: opposite faces that
//! nearly coincide are off each other, and corners off the planes of their faces, all by about as much. What is off by
//! far more than the others is a gap, a bevel or an overlap, whatever the last digit is.

use std::collections::HashSet;

use drystone_model::{
    JointSearch, Model, SearchSource,
    geometry::{Grain, Precision, coordinate_precision, half_diagonal, length_text},
};

use crate::interfaces::{Interface, SearchSettings, interfaces};

/// Distance up to which opposite faces are looked at, as a fraction of the size of the smaller block.
const LOOKED_AT: f64 = 0.05;
/// Smallest common part of two faces that are looked at, as a fraction of the smaller face.
const LEAST_AREA: f64 = 0.05;
/// The least misfit that is a trace of rounding, over what corners may be off. Below it is arithmetic.
const LEAST_TRACE: f64 = 1e-3;
/// The largest misfit looked at as rounding, over what the corners of both blocks may be off. A plane through four
/// corners, each off at random by up to half of the last digit, is off by this much in no structure.
const MOST_OFF: f64 = 2.0;
/// How many times the middle one of all misfits the largest of rounding is.
const SPREAD: f64 = 3.0;
/// Bounds on that middle one, over what the corners of both blocks may be off. Rounding to the last digit gives 0.2 to 0.4
/// where many faces lie askew; few of them tell less.
const MIDDLE: [f64; 2] = [0.2, 0.4];
/// The same where it is asked whether one misfit is like the others.
const LEAST_MIDDLE: f64 = 0.1;
/// How many times the last one the next misfit is where there is a step between them.
const STEP: f64 = 1.5;
/// With all digits: the largest distance that can be rounding, as a fraction of the size of the smallest block.
const MOST_ROUNDING: f64 = 2e-3;
/// With all digits: how many times the largest distance of the cluster the next one must be.
const CLEAR: f64 = 5.0;
/// With all digits: pairs of blocks that make a cluster.
const MANY: usize = 8;

/// Where the settings of a search come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The model's tolerances: nothing points to rounding.
    Tolerances,
    /// Worked out from the geometry, now or when the model was made.
    Geometry,
    /// Stored with the model by somebody, or asked for.
    Model,
    /// The joints themselves are stored with the model.
    StoredJoints,
}

impl Source {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tolerances => "tolerances",
            Self::Geometry => "geometry",
            Self::Model => "model",
            Self::StoredJoints => "stored joints",
        }
    }
}

/// Which faces count as joined, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Where it comes from.
    pub source: Source,
    /// What the model should hold; none where its tolerances do.
    pub search: Option<JointSearch>,
    /// In words.
    pub reason: String,
}

/// Chooses the settings of the search for joints. A model that holds settings, or joints, keeps them.
pub fn choose(model: &Model) -> Choice {
    let told = |source, reason: String| Choice {
        source,
        search: model.joint_search,
        reason,
    };
    if !model.interfaces.is_empty() {
        return told(Source::StoredJoints, "the joints are stored with the model".into());
    }
    if let Some(search) = &model.joint_search {
        let (source, why) = match search.source {
            Some(from) => (
                Source::Geometry,
                format!("stored with the model, worked out from {}", from.text()),
            ),
            None => (Source::Model, "as the model says".into()),
        };
        let reason = format!(
            "faces up to {} apart and {} degrees from parallel are joined, {why}",
            length_text(search.distance),
            search.angle_deg
        );
        return told(source, reason);
    }
    let measured = Measured::of(model);
    measured
        .by_precision()
        .or_else(|| measured.by_scatter())
        .unwrap_or_else(|| {
            let reason = format!(
                "faces up to {:e} of the smaller block's size apart are joined: faces that touch do so without rounding",
                model.tolerances.contact.max(model.tolerances.planarity)
            );
            told(Source::Tolerances, reason)
        })
}

/// Pairs of faces that are joined in a model though they are far more apart than rounding leaves the others, by settings that
/// were worked out from its geometry: such a pair may be a gap. One entry for each pair of blocks, the widest first.
pub fn doubtful(model: &Model) -> Vec<([usize; 2], f64)> {
    let Some(search) = model.joint_search.filter(|s| s.source.is_some()) else {
        return Vec::new();
    };
    if !model.interfaces.is_empty() {
        return Vec::new();
    }
    let measured = Measured::of(model);
    let is_scatter = search.source == Some(SearchSource::Scatter);
    let ratio = |p: &Interface| match is_scatter {
        true => misfit(p) / search.distance,
        false => measured.ratio(p),
    };
    let mut joined: Vec<&Interface> = measured.off().filter(|p| misfit(p) <= search.distance).collect();
    joined.sort_by(|p, q| misfit(q).total_cmp(&misfit(p)));
    let mut samples: Vec<f64> = joined.iter().map(|p| ratio(p)).filter(|r| *r <= MOST_OFF).collect();
    if !is_scatter {
        samples.extend(measured.warps());
    }
    samples.sort_by(f64::total_cmp);
    // The middle one of the others: a large one is in the upper half itself.
    let others = &samples[..samples.len().saturating_sub(1)];
    let usual = SPREAD * middle(others).unwrap_or(0.0).max(LEAST_MIDDLE);
    // What goes on from there without a step belongs to the others.
    let (below, above) = samples.split_at(samples.partition_point(|r| *r <= usual));
    let mut top = below.last().copied().unwrap_or(0.0);
    for next in above {
        if *next > STEP * top {
            break;
        }
        top = *next;
    }
    let usual = usual.max(top);
    let mut named = HashSet::new();
    joined
        .iter()
        .filter(|p| ratio(p) > usual && named.insert(p.blocks))
        .map(|p| (p.blocks, misfit(p)))
        .collect()
}

/// The middle one of some numbers in order.
fn middle(sorted: &[f64]) -> Option<f64> {
    sorted.get(sorted.len() / 2).copied()
}

/// What the shapes of a model tell of rounding.
struct Measured {
    /// Opposite faces that nearly coincide.
    pairs: Vec<Interface>,
    /// How far these may be apart and touch without any rounding (m).
    strict: Vec<f64>,
    /// How far the corners of each block may be off by its numbers (m).
    off: Vec<f64>,
    /// How far they are off the planes of their faces (m).
    warp: Vec<f64>,
    /// Size of the smallest block (m).
    smallest: f64,
    source: SearchSource,
}

impl Measured {
    fn of(model: &Model) -> Self {
        let solids: Vec<_> = model.blocks.iter().map(|b| b.polyhedron()).collect();
        let sizes: Vec<f64> = solids.iter().map(|s| s.bounds().diagonal()).collect();
        let pairs = opposite(model);
        let strict = |p: &Interface| model.tolerances.contact * sizes[p.blocks[0]].min(sizes[p.blocks[1]]);
        let precisions: Vec<_> = solids.iter().map(|s| coordinate_precision(&s.vertices)).collect();
        let single = precisions.iter().flatten().any(|p| p.grain == Grain::Single);
        Self {
            strict: pairs.iter().map(strict).collect(),
            pairs,
            off: offs(&precisions),
            warp: solids.iter().map(|s| s.off_planes()).collect(),
            smallest: sizes.iter().copied().fold(f64::INFINITY, f64::min),
            source: if single {
                SearchSource::SinglePrecision
            } else {
                SearchSource::Decimals
            },
        }
    }

    /// Pairs that do not touch exactly.
    fn off(&self) -> impl Iterator<Item = &Interface> {
        let all = self.pairs.iter().zip(&self.strict);
        all.filter(|(p, strict)| misfit(p) > **strict).map(|(p, _)| p)
    }

    /// How far the corners of the two blocks of a pair may be off together (m).
    fn corners_off(&self, pair: &Interface) -> f64 {
        pair.blocks.iter().map(|&b| self.off[b]).sum()
    }

    /// How far a pair is off, over what its corners may be; infinite where they are exact.
    fn ratio(&self, pair: &Interface) -> f64 {
        misfit(pair) / self.corners_off(pair)
    }

    /// How far corners are off the planes of their faces, over what they may be, where that is a trace of rounding.
    fn warps(&self) -> impl Iterator<Item = f64> {
        let all = self.warp.iter().zip(&self.off).filter(|(_, off)| **off > 0.0);
        all.map(|(warp, off)| warp / off)
            .filter(|r| (LEAST_TRACE..=MOST_OFF).contains(r))
    }

    /// Corners are off by what their numbers allow, if they are off at all.
    fn by_precision(&self) -> Option<Choice> {
        let near: Vec<&Interface> = self.off().filter(|p| self.ratio(p) <= MOST_OFF).collect();
        // Faces that are exactly parallel and a whole number of last decimals apart were drawn like that. Rounding that
        // leaves no other trace is no rounding.
        let is_trace = |p: &&&Interface| p.gaps[1] - p.gaps[0] > LEAST_TRACE * self.corners_off(p);
        if self.warps().next().is_none() && !near.iter().any(|p| is_trace(&p)) {
            return None;
        }
        let mut samples: Vec<f64> = near.iter().map(|p| self.ratio(p)).chain(self.warps()).collect();
        samples.sort_by(f64::total_cmp);
        let limit = SPREAD * middle(&samples)?.clamp(MIDDLE[0], MIDDLE[1]);
        let rounded: Vec<&Interface> = near.into_iter().filter(|p| self.ratio(p) <= limit).collect();
        let top = rounded.iter().map(|p| misfit(p)).fold(0.0, f64::max);
        let warp = self.warp.iter().copied().fold(0.0, f64::max);
        // Without a single pair that is off, the warped blocks tell how far others like them can be.
        let largest = |of: &mut dyn Iterator<Item = f64>| of.fold(0.0, f64::max);
        let reach = match rounded.is_empty() {
            true => {
                2.0 * largest(
                    &mut self
                        .off
                        .iter()
                        .zip(&self.warp)
                        .filter(|(_, w)| **w > 0.0)
                        .map(|(off, _)| *off),
                )
            }
            false => largest(&mut rounded.iter().map(|p| self.corners_off(p))),
        };
        let beyond = self.off().filter(|p| self.ratio(p) > limit).map(misfit);
        let next = beyond.filter(|m| *m > top).fold(f64::INFINITY, f64::min);
        // Half-way to what is apart, and with rounding half of that: nothing there may count as an edge that bears.
        let step = if top > 0.0 { (top * next).sqrt() } else { next / SPREAD };
        let distance = (limit * reach).min(step);
        let off = largest(&mut self.off.iter().copied().filter(|off| *off <= reach));
        let precision = off
            .min(0.5 * next / JointSearch::ROUNDED)
            .max(distance / JointSearch::ROUNDED);
        let trace = if top > 0.0 {
            format!(
                "opposite faces that nearly coincide are up to {} apart",
                length_text(top)
            )
        } else {
            format!("corners are up to {} off the planes of their faces", length_text(warp))
        };
        let how = match self.source {
            SearchSource::SinglePrecision => "numbers of single precision",
            _ => "rounded",
        };
        let reason = format!(
            "faces up to {} apart are joined: the coordinates are {how} (corners may be off by {}), {trace}{}",
            length_text(distance),
            length_text(off),
            next_ones(next)
        );
        Some(chosen(distance, precision, self.source, reason))
    }

    /// Numbers have all their digits, yet most faces are off each other: they were turned, or scaled, after rounding.
    ///
    /// That is so only if the distances scatter as rounding has them: most pairs are off, by amounts of one order, not
    /// parallel to each other, and what comes next is clearly farther apart. A few gaps beside exact joints are gaps.
    fn by_scatter(&self) -> Option<Choice> {
        let is_exact = |p: &&Interface| self.corners_off(p) == 0.0;
        let mut off: Vec<&Interface> = self.off().filter(is_exact).collect();
        off.sort_by(|p, q| misfit(p).total_cmp(&misfit(q)));
        let touching = self.pairs.iter().filter(is_exact).count() - off.len();
        let most = MOST_ROUNDING * self.smallest;
        let within = off.iter().filter(|p| misfit(p) <= most).count();
        let above = |k: usize| off.get(k + 1).map_or(LOOKED_AT * self.smallest, |p| misfit(p));
        let ratio = |k: &usize| above(*k) / misfit(off[*k]);
        let last = (0..within).max_by(|i, j| ratio(i).total_cmp(&ratio(j)))?;
        let cluster = &off[..=last];
        let top = misfit(off[last]);
        let blocks: HashSet<[usize; 2]> = cluster.iter().map(|p| p.blocks).collect();
        let is_like = |p: &&&Interface| misfit(p) > top / CLEAR;
        let is_askew = |p: &&&Interface| p.gaps[1] - p.gaps[0] > 0.1 * misfit(p);
        let most_are = |what: &dyn Fn(&&&Interface) -> bool| 2 * cluster.iter().filter(what).count() > cluster.len();
        let scatters = blocks.len() >= MANY && cluster.len() > touching && most_are(&is_like) && most_are(&is_askew);
        if !scatters || ratio(&last) < CLEAR {
            return None;
        }
        let next = off.get(last + 1).map_or(f64::INFINITY, |p| misfit(p));
        let distance = (2.0 * top).min((top * above(last)).sqrt());
        let reason = format!(
            "faces up to {} apart are joined: most of the opposite faces that nearly coincide ({} pairs of blocks) are a \
             little apart, each by another distance up to {}{}",
            length_text(distance),
            blocks.len(),
            length_text(top),
            next_ones(next)
        );
        let precision = distance / JointSearch::ROUNDED;
        Some(chosen(distance, precision, SearchSource::Scatter, reason))
    }
}

/// How far the corners of each block may be off by its numbers (m).
///
/// Numbers of a block may have few decimals because they were chosen so: then it is as exact as the coarsest block whose
/// numbers look rounded, and exact where none does but others have all their digits.
fn offs(precisions: &[Option<Precision>]) -> Vec<f64> {
    let known = || precisions.iter().flatten().filter(|p| p.is_scattered);
    let decimals_of = |p: &Precision| match p.grain {
        Grain::Decimals(decimals) => Some(decimals),
        Grain::Single => None,
    };
    let coarsest = known().filter_map(decimals_of).min();
    let has_single = known().any(|p| p.grain == Grain::Single);
    let finest = precisions.iter().flatten().filter_map(decimals_of).max();
    let has_exact = precisions.iter().any(Option::is_none);
    let off = |precision: &Precision| match (precision.grain, coarsest) {
        _ if precision.is_scattered => precision.off,
        (Grain::Decimals(own), Some(coarsest)) => half_diagonal(own.max(coarsest)),
        _ if has_single => precision.off_single,
        _ if has_exact => 0.0,
        _ => finest.map_or(0.0, half_diagonal),
    };
    precisions.iter().map(|p| p.as_ref().map_or(0.0, off)).collect()
}

fn chosen(distance: f64, precision: f64, source: SearchSource, reason: String) -> Choice {
    Choice {
        source: Source::Geometry,
        search: Some(JointSearch {
            distance: rounded_up(distance),
            angle_deg: JointSearch::DEFAULT_ANGLE_DEG,
            precision: rounded_up(precision),
            source: Some(source),
        }),
        reason,
    }
}

fn next_ones(next: f64) -> String {
    match next.is_finite() {
        true => format!(", the next {}", length_text(next)),
        false => String::new(),
    }
}

/// Three significant digits, rounded up.
pub(crate) fn rounded_up(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 2.0);
    format!("{:.2e}", (value / unit).ceil() * unit).parse().unwrap_or(value)
}

/// How far two faces are off each other at most (m).
pub(crate) fn misfit(pair: &Interface) -> f64 {
    pair.gaps[1].max(-pair.gaps[0])
}

/// Opposite faces of different blocks that are near each other and nearly parallel. Supports that meet supports count for
/// nothing.
pub(crate) fn opposite(model: &Model) -> Vec<Interface> {
    let settings = SearchSettings {
        distance: LOOKED_AT,
        angle_deg: JointSearch::MOST_ROUNDED_DEG,
        area: LEAST_AREA,
        ..SearchSettings::default()
    };
    let mut found = interfaces(model, &settings);
    found.retain(|i| !i.blocks.iter().all(|&b| model.blocks[b].fixed));
    found
}

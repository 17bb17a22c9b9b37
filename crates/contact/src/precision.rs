//! How near faces must be to be joined, worked out from the geometry itself.
//!
//! Blocks that are drawn to touch do so to the precision of their coordinates: the distances between opposite faces that
//! nearly coincide cluster around the rounding, far below true gaps. How far rounding reaches follows from the decimals of
//! the coordinates where they show, and from the gap between the cluster and what comes next where they do not.

use std::collections::HashSet;

use drystone_model::{
    JointSearch, Model,
    geometry::{coordinate_precision, length_text},
};

use crate::{
    Survey,
    interfaces::{Interface, SearchSettings, interfaces},
};

/// Distance up to which opposite faces are looked at, as a fraction of the size of the smaller block.
const LOOKED_AT: f64 = 0.05;
/// Smallest common part of two faces that are looked at, as a fraction of the smaller face.
const LEAST_AREA: f64 = 0.05;
/// Pairs of blocks named one by one before the remainder is only counted.
const MOST_NAMED: usize = 3;
/// With decimals: the least length that is a trace of rounding, in units of the precision. Below it is arithmetic.
const LEAST_TRACE: f64 = 1e-3;
/// Without decimals: the largest distance that can be rounding, as a fraction of the size of the smallest block.
const MOST_ROUNDING: f64 = 2e-3;
/// Without decimals: how many times the largest distance within the cluster the next one must be.
const CLEAR: f64 = 5.0;

/// Where the settings of a search come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The model's tolerances: nothing points to rounding.
    Tolerances,
    /// Worked out from the geometry.
    Geometry,
    /// Stored with the model, or asked for.
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

/// Two blocks with faces that are near each other, but not joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearMiss {
    /// The two blocks, as indices into the model's.
    pub blocks: [usize; 2],
    /// Largest distance between the faces over their common part (m).
    pub distance: f64,
    /// Angle between the faces (degrees).
    pub angle_deg: f64,
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
        let reason = format!(
            "faces up to {} apart and {} degrees from parallel are joined, as the model says",
            length_text(search.distance),
            search.angle_deg
        );
        return told(Source::Model, reason);
    }
    let sizes: Vec<f64> = model
        .blocks
        .iter()
        .map(|b| b.polyhedron().bounds().diagonal())
        .collect();
    let exact = |pair: &Interface| misfit(pair) <= model.tolerances.contact * smaller(&sizes, pair);
    let pairs = opposite(model);
    let mut off: Vec<&Interface> = pairs.iter().filter(|p| !exact(p)).collect();
    off.sort_by(|p, q| misfit(p).total_cmp(&misfit(q)));
    let corners = model.blocks.iter().flat_map(|b| b.polyhedron().vertices);
    let chosen = match coordinate_precision(corners) {
        Some(precision) => {
            let warp = model.blocks.iter().map(|b| b.polyhedron().off_planes());
            by_precision(&off, precision, warp.fold(0.0, f64::max))
        }
        None => by_cluster(&off, sizes.iter().copied().fold(f64::INFINITY, f64::min)),
    };
    chosen.unwrap_or_else(|| {
        let reason = format!(
            "faces up to {:e} of the smaller block's size apart are joined: faces that touch do so without rounding",
            model.tolerances.contact.max(model.tolerances.planarity)
        );
        told(Source::Tolerances, reason)
    })
}

/// Corners are off by up to `precision`, if they are off at all. They are off their planes by up to `warp`.
fn by_precision(off: &[&Interface], precision: f64, warp: f64) -> Option<Choice> {
    let explained = JointSearch::ROUNDED * precision;
    let (rounded, apart): (Vec<&Interface>, Vec<&Interface>) = off.iter().partition(|p| misfit(p) <= explained);
    // Faces that are exactly parallel and a whole number of last decimals apart were drawn like that. Rounding that
    // leaves no other trace is no rounding.
    let is_trace = |length: f64| length > LEAST_TRACE * precision && length <= explained;
    if !(is_trace(warp) || rounded.iter().any(|p| is_trace(p.gaps[1] - p.gaps[0]))) {
        return None;
    }
    let top = rounded.last().map_or(0.0, |p| misfit(p));
    let trace = if top > 0.0 {
        format!(
            "opposite faces that nearly coincide are up to {} apart",
            length_text(top)
        )
    } else {
        format!("corners are up to {} off the planes of their faces", length_text(warp))
    };
    let reason = format!(
        "faces up to {} apart are joined: the coordinates are rounded (corners may be off by {}), {trace}{}",
        length_text(explained),
        length_text(precision),
        next_ones(apart.first())
    );
    Some(chosen(explained, precision, reason))
}

/// Decimals say nothing: the widest gap between the distances that could be rounding and the next ones tells.
fn by_cluster(off: &[&Interface], smallest: f64) -> Option<Choice> {
    let most = MOST_ROUNDING * smallest;
    let within = off.iter().filter(|p| misfit(p) <= most).count();
    let above = |k: usize| off.get(k + 1).map_or(LOOKED_AT * smallest, |p| misfit(p));
    let ratio = |k: &usize| above(*k) / misfit(off[*k]);
    let last = (0..within).max_by(|i, j| ratio(i).total_cmp(&ratio(j)))?;
    if ratio(&last) < CLEAR {
        return None;
    }
    let top = misfit(off[last]);
    let distance = (2.0 * top).min((top * above(last)).sqrt());
    let reason = format!(
        "faces up to {} apart are joined: opposite faces that nearly coincide are up to {} apart{}",
        length_text(distance),
        length_text(top),
        next_ones(off.get(last + 1))
    );
    Some(chosen(distance, 0.5 * top, reason))
}

fn chosen(distance: f64, precision: f64, reason: String) -> Choice {
    Choice {
        source: Source::Geometry,
        search: Some(JointSearch {
            distance: rounded_up(distance),
            angle_deg: JointSearch::DEFAULT_ANGLE_DEG,
            precision: rounded_up(precision),
        }),
        reason,
    }
}

fn next_ones(next: Option<&&Interface>) -> String {
    next.map_or(String::new(), |p| format!(", the next {}", length_text(misfit(p))))
}

/// Three significant digits, rounded up.
fn rounded_up(value: f64) -> f64 {
    let unit = 10f64.powf(value.log10().floor() - 2.0);
    format!("{:.2e}", (value / unit).ceil() * unit).parse().unwrap_or(value)
}

/// How far two faces are off each other at most (m).
fn misfit(pair: &Interface) -> f64 {
    pair.gaps[1].max(-pair.gaps[0])
}

fn smaller(sizes: &[f64], pair: &Interface) -> f64 {
    sizes[pair.blocks[0]].min(sizes[pair.blocks[1]])
}

/// Opposite faces of different blocks that are near each other and nearly parallel. Supports that meet supports count for
/// nothing.
fn opposite(model: &Model) -> Vec<Interface> {
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

/// Blocks that a survey did not join though faces of theirs are near each other, the nearest first: one entry for each
/// pair of blocks.
pub fn near_misses(model: &Model, survey: &Survey) -> Vec<NearMiss> {
    let pair = |[a, b]: [usize; 2]| [a.min(b), a.max(b)];
    let mut joined: HashSet<[usize; 2]> = survey.joints.iter().map(|j| pair(j.blocks)).collect();
    let mut near: Vec<Interface> = opposite(model).into_iter().filter(|p| p.gaps[1] > 0.0).collect();
    near.sort_by(|p, q| misfit(p).total_cmp(&misfit(q)));
    near.retain(|p| joined.insert(p.blocks));
    let miss = |p: Interface| NearMiss {
        blocks: p.blocks,
        distance: misfit(&p),
        angle_deg: p.angle_deg,
    };
    near.into_iter().map(miss).collect()
}

/// What is nearly joined, in words, with the distance that would join all of it; nothing where there is nothing.
pub fn describe(model: &Model, misses: &[NearMiss]) -> Option<(String, f64)> {
    let widest = misses.last()?.distance;
    let one = |miss: &NearMiss| {
        let [a, b] = miss.blocks.map(|b| &model.blocks[b].name);
        let distance = length_text(miss.distance);
        format!("`{a}` and `{b}` ({distance}, {:.2} degrees)", miss.angle_deg)
    };
    let named: Vec<String> = misses.iter().take(MOST_NAMED).map(one).collect();
    let more = match misses.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more pairs"),
    };
    let text = format!(
        "blocks with faces that are near each other but not joined: {}{more}",
        named.join(", ")
    );
    Some((text, rounded_up(widest)))
}

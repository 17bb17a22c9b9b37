//! What is wrong with the shapes of a structure: blocks in each other, blocks that touch nothing, parts that hang on
//! nothing. Such a problem can decide a verdict, and then the verdict is one about the geometry.

use drystone_model::{
    Model,
    check::{self, Overlap},
};
use serde::Serialize;

use crate::words::{count, counted, length, named};

/// How near a block must come to count as nearly touching, over the size of the smaller one.
const NEARLY: f64 = 0.05;
/// How alike two blocks in one place are: difference of their boxes, over their size.
const ALIKE: f64 = 1e-3;
/// Problems of one kind named one by one in texts before the others are only counted.
const MOST_LINES: usize = 3;
/// Blocks of one part named one by one.
const MOST_NAMED: usize = 5;

/// What kind of problem it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemKind {
    /// Two blocks occupy the same space, in part.
    Overlap,
    /// Two blocks of the same shape lie in one place.
    SamePlace,
    /// A block or a part touches nothing that carries it, but nearly does.
    NearlyTouching,
    /// A block touches nothing, or a part hangs on no support.
    Unsupported,
    /// Overlaps could not be looked for.
    NotChecked,
}

/// Something wrong with the shapes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GeometryProblem {
    /// What kind it is.
    pub kind: ProblemKind,
    /// Names of the blocks.
    pub blocks: Vec<String>,
    /// How far they overlap (m).
    pub depth_m: Option<f64>,
    /// How far they are apart (m), where they nearly touch.
    pub distance_m: Option<f64>,
    /// Whether forces or motions depend on it: not for two supports that overlap.
    pub affects_verdict: bool,
    /// The same in words.
    pub message: String,
}

/// Pairs of blocks of a model that overlap. Depends on shapes alone, not on supports or loads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overlaps {
    /// Pairs, the deepest first, and whether the two lie in one place.
    pairs: Vec<(Overlap, bool)>,
    /// Why they could not be looked for.
    failed: Option<String>,
}

impl Overlaps {
    /// Looks at all pairs of blocks that are near each other.
    pub fn of(model: &Model) -> Self {
        let mut pairs = match check::overlaps(model) {
            Ok(pairs) => pairs,
            Err((block, error)) => {
                let name = model.blocks.get(block).map_or("", |b| b.name.as_str());
                return Self {
                    pairs: Vec::new(),
                    failed: Some(format!(
                        "overlaps were not looked for: `{name}` cannot be cut into convex parts ({error})"
                    )),
                };
            }
        };
        pairs.sort_by(|a, b| b.depth.total_cmp(&a.depth).then(a.blocks.cmp(&b.blocks)));
        let alike = |overlap: &Overlap| {
            let [a, b] = overlap.blocks.map(|k| model.blocks[k].polyhedron());
            let (inner, outer) = (a.bounds(), b.bounds());
            let off = (inner.min - outer.min).abs().max((inner.max - outer.max).abs());
            let small = ALIKE * inner.diagonal();
            off.max_element() <= small && (a.volume() - b.volume()).abs() <= ALIKE * a.volume().abs()
        };
        let pairs = pairs.into_iter().map(|pair| (pair, alike(&pair))).collect();
        Self { pairs, failed: None }
    }
}

/// Everything wrong with the shapes of a structure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Geometry {
    /// The problems, the gravest first.
    pub problems: Vec<GeometryProblem>,
}

impl Geometry {
    /// Collects what is wrong with a model. `loose` are its parts that hang on no support, by index.
    pub fn of(model: &Model, loose: &[Vec<usize>]) -> Self {
        Self::with_overlaps(model, &Overlaps::of(model), loose)
    }

    /// The same where overlaps are known: supports may have changed since.
    pub fn with_overlaps(model: &Model, overlaps: &Overlaps, loose: &[Vec<usize>]) -> Self {
        let mut problems = unsupported(model, loose);
        problems.extend(overlaps.failed.iter().map(|why| GeometryProblem {
            message: why.clone(),
            ..problem(ProblemKind::NotChecked, Vec::new())
        }));
        for (overlap, in_one_place) in &overlaps.pairs {
            let [a, b] = overlap.blocks.map(|k| &model.blocks[k]);
            let depth = length(overlap.depth);
            let (kind, message) = match in_one_place {
                true => {
                    let message = format!("`{}` and `{}` are in the same place", a.name, b.name);
                    (ProblemKind::SamePlace, message)
                }
                false => {
                    let message = format!("`{}` and `{}` overlap by {depth}", a.name, b.name);
                    (ProblemKind::Overlap, message)
                }
            };
            problems.push(GeometryProblem {
                depth_m: Some(overlap.depth),
                affects_verdict: !(a.fixed && b.fixed),
                message,
                ..problem(kind, vec![a.name.clone(), b.name.clone()])
            });
        }
        Self { problems }
    }

    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// Everything in a few lines.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = [self.loose(MOST_LINES), self.overlapping(MOST_LINES)]
            .into_iter()
            .flatten()
            .collect();
        let of_supports = in_words(self.overlaps(false), MOST_LINES);
        lines.extend(of_supports.map(|said| format!("{said} (supports only: without effect)")));
        let not_checked = self.problems.iter().filter(|p| p.kind == ProblemKind::NotChecked);
        lines.extend(not_checked.map(|p| p.message.clone()));
        lines
    }

    /// Overlaps that forces or motions depend on, the first few by name.
    pub(crate) fn overlapping(&self, most: usize) -> Option<String> {
        in_words(self.overlaps(true), most)
    }

    fn overlaps(&self, affecting: bool) -> impl Iterator<Item = &GeometryProblem> {
        let is_overlap = |p: &&GeometryProblem| matches!(p.kind, ProblemKind::Overlap | ProblemKind::SamePlace);
        let all = self.problems.iter().filter(is_overlap);
        all.filter(move |p| p.affects_verdict == affecting)
    }

    /// What hangs on nothing, the first few parts by name.
    pub(crate) fn loose(&self, most: usize) -> Option<String> {
        let is_loose = |p: &&GeometryProblem| matches!(p.kind, ProblemKind::NearlyTouching | ProblemKind::Unsupported);
        let all: Vec<&str> = self
            .problems
            .iter()
            .filter(is_loose)
            .map(|p| p.message.as_str())
            .collect();
        let some = all.iter().take(most).copied().collect::<Vec<_>>().join("; ");
        match all.len().saturating_sub(most) {
            _ if all.is_empty() => None,
            0 => Some(some),
            more => Some(format!("{some}; {} more like this", count(more))),
        }
    }
}

fn problem(kind: ProblemKind, blocks: Vec<String>) -> GeometryProblem {
    GeometryProblem {
        kind,
        blocks,
        depth_m: None,
        distance_m: None,
        affects_verdict: true,
        message: String::new(),
    }
}

fn in_words<'a>(problems: impl Iterator<Item = &'a GeometryProblem>, most: usize) -> Option<String> {
    let (same, partly): (Vec<_>, Vec<_>) = problems.partition(|p| p.kind == ProblemKind::SamePlace);
    let said = |all: &[&GeometryProblem], what: &str, first: &str, one: &dyn Fn(&GeometryProblem) -> String| {
        let some: Vec<String> = all.iter().take(most).map(|p| one(p)).collect();
        match all {
            [] => None,
            [only] => Some(only.message.clone()),
            _ if all.len() <= most => Some(format!("{} pairs of blocks {what}: {}", all.len(), some.join(", "))),
            _ => Some(format!(
                "{} pairs of blocks {what}; {first}: {}",
                count(all.len()),
                some.join(", ")
            )),
        }
    };
    let pair = |p: &GeometryProblem| format!("`{}`", p.blocks.join("` and `"));
    let by = |p: &GeometryProblem| format!("{} by {}", pair(p), length(p.depth_m.unwrap_or_default()));
    let all = [
        said(&same, "are in the same place", "the first", &pair),
        said(&partly, "overlap", "the deepest", &by),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Parts that hang on no support, and what they nearly touch.
fn unsupported(model: &Model, loose: &[Vec<usize>]) -> Vec<GeometryProblem> {
    if loose.is_empty() {
        return Vec::new();
    }
    let nearest = nearest(model, loose);
    let mut problems = Vec::with_capacity(loose.len());
    for (part, near) in loose.iter().zip(nearest) {
        let names: Vec<String> = part.iter().map(|&b| model.blocks[b].name.clone()).collect();
        let who = named(&names, MOST_NAMED);
        let hangs = match names.len() {
            1 => format!("{who} touches nothing"),
            n => format!("{} hang on no support ({who})", counted(n, "block")),
        };
        let Some(near) = near else {
            problems.push(GeometryProblem {
                message: hangs,
                ..problem(ProblemKind::Unsupported, names)
            });
            continue;
        };
        let [own, other] = near.blocks.map(|b| &model.blocks[b].name);
        let distance = length(near.distance);
        let message = match names.len() {
            1 => format!("{hangs}, but `{other}` is only {distance} away"),
            _ => format!("{hangs}, but `{own}` and `{other}` are only {distance} apart"),
        };
        let mut blocks = names;
        blocks.push(other.clone());
        problems.push(GeometryProblem {
            distance_m: Some(near.distance),
            message,
            ..problem(ProblemKind::NearlyTouching, blocks)
        });
    }
    problems.sort_by_key(|p| p.kind != ProblemKind::NearlyTouching);
    problems
}

/// A block of a part, one outside it, and how far they are apart (m).
struct Near {
    blocks: [usize; 2],
    distance: f64,
}

/// What each part nearly touches.
fn nearest(model: &Model, parts: &[Vec<usize>]) -> Vec<Option<Near>> {
    let mut part_of = vec![usize::MAX; model.blocks.len()];
    for (k, part) in parts.iter().enumerate() {
        part.iter().for_each(|&b| part_of[b] = k);
    }
    let mut found: Vec<Option<Near>> = parts.iter().map(|_| None).collect();
    let mut wide = model.clone();
    wide.tolerances.contact = NEARLY;
    // Where shapes cannot be compared, the overlaps tell it.
    for pair in check::neighbours(&wide).unwrap_or_default() {
        let [a, b] = pair.blocks;
        for [own, other] in [[a, b], [b, a]] {
            let part = part_of[own];
            if part == usize::MAX || part == part_of[other] {
                continue;
            }
            let distance = pair.separation.max(0.0);
            if found[part].as_ref().is_none_or(|n| distance < n.distance) {
                found[part] = Some(Near {
                    blocks: [own, other],
                    distance,
                });
            }
        }
    }
    found
}

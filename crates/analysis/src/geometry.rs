//! What is wrong with the shapes of a structure: blocks in each other, blocks that touch nothing, parts that hang on
//! nothing. Such a problem can decide a verdict, and then the verdict is one about the geometry.

use drystone_contact::Survey;
use drystone_mechanics::statics::Structure;
use drystone_model::{Model, check};
use serde::Serialize;

use crate::{
    pairs::Pairs,
    words::{count, counted, length, named},
};

/// How near a block must come to count as nearly touching, over the size of the smaller one.
const NEARLY: f64 = 0.05;
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
    /// Faces of two blocks are near each other, but not joined.
    NearlyJoined,
    /// Faces of two blocks are joined because coordinates are rounded, but far more apart than all others.
    JoinedApart,
    /// Two blocks meet along an edge or at a corner, where neither bears on the other, and nothing else is there.
    MeetingEdges,
    /// Two blocks meet in a dent, where no normals tell how they may move against each other.
    UnknownJoint,
    /// A joint stored with the model does not lie on its blocks.
    MisplacedJoint,
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

/// Everything wrong with the shapes of a structure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Geometry {
    /// The problems, the gravest first.
    pub problems: Vec<GeometryProblem>,
}

impl Geometry {
    /// Collects what is wrong with a model, whose joints are known.
    pub fn of(model: &Model, joints: &Survey) -> Self {
        Self::with_pairs(model, &Pairs::of(model, joints), &loose(model, joints))
    }

    /// The same of a structure at rest.
    pub fn of_structure(model: &Model, structure: &Structure) -> Self {
        let joints = Survey {
            search: structure.search,
            joints: structure.joints.clone(),
        };
        Self::with_pairs(model, &Pairs::of(model, &joints), &structure.loose)
    }

    /// The same where pairs are known; supports may have changed since. `loose` are the parts that hang on no support.
    pub fn with_pairs(model: &Model, pairs: &Pairs, loose: &[Vec<usize>]) -> Self {
        let mut problems = unsupported(model, loose);
        problems.extend(pairs.failed.iter().map(|why| GeometryProblem {
            message: why.clone(),
            ..problem(ProblemKind::NotChecked, Vec::new())
        }));
        for (overlap, in_one_place) in &pairs.overlaps {
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
        let names = |blocks: [usize; 2]| blocks.map(|k| model.blocks[k].name.clone());
        let moves = |blocks: [usize; 2]| !blocks.iter().all(|&k| model.blocks[k].fixed);
        for joint in pairs.misplaced.iter().filter(|joint| moves(joint.blocks)) {
            let [a, b] = names(joint.blocks);
            problems.push(GeometryProblem {
                distance_m: joint.distance.is_finite().then_some(joint.distance),
                message: format!("the joint stored between `{a}` and `{b}` {}", joint.what),
                ..problem(ProblemKind::MisplacedJoint, vec![a, b])
            });
        }
        for &(blocks, distance) in &pairs.doubtful {
            let [a, b] = names(blocks);
            let apart = length(distance);
            problems.push(GeometryProblem {
                distance_m: Some(distance),
                message: format!(
                    "`{a}` and `{b}` are joined as if rounded, but {apart} apart, far more than other joints"
                ),
                ..problem(ProblemKind::JoinedApart, vec![a, b])
            });
        }
        let is_loose = |b: &usize| loose.iter().any(|part| part.contains(b));
        for miss in &pairs.near {
            let [a, b] = miss.blocks.map(|k| &model.blocks[k]);
            // What hangs on nothing is told with what it nearly touches.
            if (a.fixed && b.fixed) || miss.blocks.iter().any(is_loose) {
                continue;
            }
            let distance = length(miss.distance);
            problems.push(GeometryProblem {
                distance_m: Some(miss.distance),
                message: format!("`{}` and `{}` are {distance} apart and not joined", a.name, b.name),
                ..problem(ProblemKind::NearlyJoined, vec![a.name.clone(), b.name.clone()])
            });
        }
        for blocks in pairs.meeting.iter().filter(|blocks| !blocks.iter().any(is_loose)) {
            let [a, b] = names(*blocks);
            problems.push(GeometryProblem {
                message: format!("`{a}` and `{b}` meet along an edge or at a corner alone, which carries nothing"),
                ..problem(ProblemKind::MeetingEdges, vec![a, b])
            });
        }
        let is_apart = |blocks: &[usize; 2]| !pairs.overlaps.iter().any(|(o, _)| o.blocks == *blocks);
        for blocks in pairs.unknown.iter().filter(|blocks| is_apart(blocks)) {
            let [a, b] = names(*blocks);
            problems.push(GeometryProblem {
                message: format!("`{a}` and `{b}` meet in a dent, where their shapes do not tell how they may move"),
                ..problem(ProblemKind::UnknownJoint, vec![a, b])
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
        lines.extend(self.doubtful(MOST_LINES));
        let near = self.nearly_joined(MOST_LINES);
        lines.extend(near.map(|said| format!("{said}; if they belong together, raise the joint distance")));
        lines.extend(self.meeting(MOST_LINES));
        lines.extend(self.unknown(MOST_LINES));
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

    /// Joints that may be none, or are not where the blocks are, the first few by name.
    pub(crate) fn doubtful(&self, most: usize) -> Option<String> {
        let is_doubtful =
            |p: &&GeometryProblem| matches!(p.kind, ProblemKind::MisplacedJoint | ProblemKind::JoinedApart);
        first_few(self.problems.iter().filter(is_doubtful), most)
    }

    /// Blocks that meet without bearing on each other, the first few by name.
    pub(crate) fn meeting(&self, most: usize) -> Option<String> {
        let meets = |p: &&GeometryProblem| p.kind == ProblemKind::MeetingEdges;
        first_few(self.problems.iter().filter(meets), most)
    }

    /// Blocks that meet where their joint is not known, the first few by name.
    pub(crate) fn unknown(&self, most: usize) -> Option<String> {
        let is_unknown = |p: &&GeometryProblem| p.kind == ProblemKind::UnknownJoint;
        first_few(self.problems.iter().filter(is_unknown), most)
    }

    /// Pairs that are nearly joined, the first few by name.
    pub(crate) fn nearly_joined(&self, most: usize) -> Option<String> {
        let all = self.problems.iter().filter(|p| p.kind == ProblemKind::NearlyJoined);
        let all: Vec<&GeometryProblem> = all.collect();
        let one = |p: &&GeometryProblem| {
            let apart = length(p.distance_m.unwrap_or_default());
            format!("`{}` ({apart} apart)", p.blocks.join("` and `"))
        };
        let some: Vec<String> = all.iter().take(most).map(one).collect();
        match all.as_slice() {
            [] => None,
            [only] => Some(only.message.clone()),
            _ if all.len() <= most => Some(format!(
                "{} pairs of blocks are near each other and not joined: {}",
                all.len(),
                some.join(", ")
            )),
            _ => Some(format!(
                "{} pairs of blocks are near each other and not joined; the nearest: {}",
                count(all.len()),
                some.join(", ")
            )),
        }
    }

    fn overlaps(&self, affecting: bool) -> impl Iterator<Item = &GeometryProblem> {
        let is_overlap = |p: &&GeometryProblem| matches!(p.kind, ProblemKind::Overlap | ProblemKind::SamePlace);
        let all = self.problems.iter().filter(is_overlap);
        all.filter(move |p| p.affects_verdict == affecting)
    }

    /// What hangs on nothing, the first few parts by name.
    pub(crate) fn loose(&self, most: usize) -> Option<String> {
        let is_loose = |p: &&GeometryProblem| matches!(p.kind, ProblemKind::NearlyTouching | ProblemKind::Unsupported);
        first_few(self.problems.iter().filter(is_loose), most)
    }
}

/// The messages of a few problems, and how many more there are.
fn first_few<'a>(problems: impl Iterator<Item = &'a GeometryProblem>, most: usize) -> Option<String> {
    let all: Vec<&str> = problems.map(|p| p.message.as_str()).collect();
    let some = all.iter().take(most).copied().collect::<Vec<_>>().join("; ");
    match all.len().saturating_sub(most) {
        _ if all.is_empty() => None,
        0 => Some(some),
        more => Some(format!("{some}; {} more like this", count(more))),
    }
}

/// Parts that hang on no support, by the joints of a model; none where nothing is fixed, a problem of another kind.
pub fn loose(model: &Model, joints: &Survey) -> Vec<Vec<usize>> {
    let is_fixed = |b: &usize| model.blocks[*b].fixed;
    let has_supports = model.blocks.iter().any(|b| b.fixed);
    let mut parts = joints.components(model);
    parts.retain(|part| has_supports && !part.iter().any(is_fixed));
    parts
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

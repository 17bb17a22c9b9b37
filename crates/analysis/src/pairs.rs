//! Pairs of blocks whose shapes do not go together.

use std::collections::{HashMap, HashSet};

use drystone_contact::{Joint, Misplaced, NearMiss, Survey, doubtful, misplaced, near_misses, unknown_joints};
use drystone_model::{
    Model,
    check::{self, Neighbour, Overlap},
    geometry::Bounds,
};

/// How alike two blocks in one place are: difference of their boxes, over their size.
const ALIKE: f64 = 1e-3;

/// Overlaps of joined blocks, over the contact tolerance, that are no fault: joints lie half-way, and the verification of
/// certificates takes points that far off them, and blocks that deep in each other.
const SHALLOW: f64 = 4.0;

/// Pairs of blocks that overlap, or that are nearly joined. Depends on shapes alone, not on supports or loads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// Those that overlap, the deepest first, and whether the two lie in one place.
    pub(crate) overlaps: Vec<(Overlap, bool)>,
    /// Those with faces near each other that are not joined, the nearest first.
    pub(crate) near: Vec<NearMiss>,
    /// Those that are joined though they are far more apart than all others (m), the widest first.
    pub(crate) doubtful: Vec<([usize; 2], f64)>,
    /// Those whose stored joint does not lie on them.
    pub(crate) misplaced: Vec<Misplaced>,
    /// Those that meet along an edge or at a corner alone, with nothing else there.
    pub(crate) meeting: Vec<[usize; 2]>,
    /// Those that meet in a dent where no normals tell how they may move.
    pub(crate) unknown: Vec<[usize; 2]>,
    /// Why overlaps could not be looked for.
    pub(crate) failed: Option<String>,
}

impl Pairs {
    /// Looks at all pairs of blocks that are near each other. `joints` are those of the model.
    pub fn of(model: &Model, joints: &Survey) -> Self {
        let rest = Self {
            near: near_misses(model, joints),
            doubtful: doubtful(model),
            misplaced: misplaced(model),
            unknown: unknown_joints(model, joints),
            ..Self::default()
        };
        let neighbours = match check::neighbours(model) {
            Ok(neighbours) => neighbours,
            Err((block, error)) => {
                let name = model.blocks.get(block).map_or("", |b| b.name.as_str());
                return Self {
                    failed: Some(format!(
                        "overlaps, and edges that bear, were not looked for: `{name}` cannot be cut into convex parts \
                         ({error})"
                    )),
                    ..rest
                };
            }
        };
        let deep = |n: &Neighbour| Overlap {
            blocks: n.blocks,
            depth: -n.separation,
        };
        let (overlapping, touching): (Vec<_>, Vec<_>) = neighbours
            .iter()
            .partition(|n: &&Neighbour| n.separation < -n.tolerance);
        let mut overlaps: Vec<Overlap> = overlapping.into_iter().map(deep).collect();
        // Faces may be off by what the model's tolerances say, or by rounding. That they are joined across a mortar gap as
        // wide as an overlap is deep makes the overlap no better.
        let sorted = |[a, b]: [usize; 2]| [a.min(b), a.max(b)];
        let joined: HashSet<[usize; 2]> = joints.joints.iter().map(|j| sorted(j.blocks)).collect();
        let is_deep = |overlap: &Overlap| {
            let size = |k: usize| model.blocks[k].polyhedron().bounds().diagonal();
            let [a, b] = overlap.blocks.map(size);
            let allowed = match model.joint_search {
                Some(_) => 0.0,
                None => model.joint_distance(a.min(b)),
            };
            let shallow = if joined.contains(&sorted(overlap.blocks)) {
                SHALLOW
            } else {
                0.0
            };
            let shallow = shallow * model.tolerances.contact * a.min(b);
            overlap.depth > allowed.max(model.rounded_overlap()).max(shallow)
        };
        overlaps.retain(is_deep);
        overlaps.sort_by(|a, b| b.depth.total_cmp(&a.depth).then(a.blocks.cmp(&b.blocks)));
        let alike = |overlap: &Overlap| {
            let [a, b] = overlap.blocks.map(|k| model.blocks[k].polyhedron());
            let (inner, outer) = (a.bounds(), b.bounds());
            let off = (inner.min - outer.min).abs().max((inner.max - outer.max).abs());
            let small = ALIKE * inner.diagonal();
            off.max_element() <= small && (a.volume() - b.volume()).abs() <= ALIKE * a.volume().abs()
        };
        Self {
            overlaps: overlaps.into_iter().map(|pair| (pair, alike(&pair))).collect(),
            meeting: meeting(model, joints, &touching),
            ..rest
        }
    }
}

/// Blocks that touch and have no joint, unless a third block is joined to both where they meet: diagonal neighbours in a wall
/// need none.
fn meeting(model: &Model, joints: &Survey, touching: &[&Neighbour]) -> Vec<[usize; 2]> {
    if !model.interfaces.is_empty() {
        return Vec::new();
    }
    let mut of_block: HashMap<usize, Vec<&Joint>> = HashMap::new();
    for joint in &joints.joints {
        for b in joint.blocks {
            of_block.entry(b).or_default().push(joint);
        }
    }
    let none = Vec::new();
    let joints_of = |b: usize| of_block.get(&b).unwrap_or(&none);
    let bounds = |b: usize| model.blocks[b].polyhedron().bounds();
    let mut found = Vec::new();
    for pair in touching {
        let [a, b] = pair.blocks;
        let is_joined = joints_of(a).iter().any(|j| j.blocks.contains(&b));
        if is_joined || (model.blocks[a].fixed && model.blocks[b].fixed) {
            continue;
        }
        let (of_a, of_b) = (bounds(a), bounds(b));
        let place = Bounds {
            min: of_a.min.max(of_b.min),
            max: of_a.max.min(of_b.max),
        };
        let margin = 10.0 * pair.tolerance;
        let there = |own: usize| -> HashSet<usize> {
            let near = joints_of(own).iter().filter(|j| {
                let around = Bounds::around(j.points.iter().copied());
                (around.min - margin).cmple(place.max).all() && (around.max + margin).cmpge(place.min).all()
            });
            near.flat_map(|j| j.blocks).filter(|&k| k != own).collect()
        };
        if there(a).is_disjoint(&there(b)) {
            found.push([a, b]);
        }
    }
    found
}

//! Where blocks touch, found again from the shapes, or as stored with the model.
//!
//! Faces of two blocks that lie on each other share a patch. Where no patch is, a corner or an edge may stand on a face,
//! or edges may cross: joints at single points, which `local` finds. The search is the plain one: every face against every
//! face, every corner against every face, every edge against every edge of pairs of blocks, wherever their boxes meet.

use std::collections::HashMap;

use drystone_model::{JointSearch, Model, StoredInterface};
use glam::DVec3;

use crate::{
    bodies::{Bodies, Body, mean},
    boxes::{Span, meeting, meeting_each_other},
    local::{Bearing, bearing_at, distinct},
    overlap::common_point,
    patches::Patch,
    polygons::{closest_points, distance},
    precision::{Grain, MOST_ROUNDING},
    slack::Slack,
};

/// How far the normal that is stated with a force may be off that of its joint to be meant for it.
const NORMAL: f64 = 1e-5;
/// Normals as near as this are the same: rounding.
const SAME: f64 = 4.0 * f64::EPSILON;
/// Normals of two points of one edge: the same, but for the arithmetic that found them.
const ALIKE: f64 = 1e-12;

/// A joint: a patch, or a place where an edge or a corner bears. What holds at its points for a motion of rigid blocks holds
/// all over it.
pub(crate) struct Joint {
    /// The two blocks, as indices.
    pub(crate) blocks: [usize; 2],
    pub(crate) points: Vec<DVec3>,
    /// Unit normals that it may have, from the first block to the second. Where two faces are not quite parallel: half-way
    /// between them, or that of either.
    pub(crate) normals: Vec<DVec3>,
    /// How far its points are uncertain because the coordinates of the model are rounded, as far as that shows (m).
    pub(crate) rounded: f64,
    /// How far arithmetic rounds its points (m).
    pub(crate) rounding: f64,
    /// Size of the smaller block (m).
    pub(crate) size: f64,
}

/// Where a force acts.
pub(crate) struct Seat {
    /// Unit normal of the joint, from the first block of the force to the second.
    pub(crate) normal: DVec3,
    /// The stated normal, if it is the same but for rounding, or else the same as `normal`.
    pub(crate) axis: DVec3,
    /// The point of the joint.
    pub(crate) point: DVec3,
}

/// Which of the normals that each joint may have is taken: one for all that acts there.
pub(crate) struct Chosen(Vec<Option<usize>>);

impl Chosen {
    /// None so far.
    pub(crate) fn none(contacts: &Contacts) -> Self {
        Self(vec![None; contacts.joints.len()])
    }

    /// The normal of a joint that was taken, or else all that it may have.
    pub(crate) fn of<'a>(&self, contacts: &'a Contacts, joint: usize) -> &'a [DVec3] {
        let all = &contacts.joints[joint].normals;
        self.0[joint].map_or(all, |k| &all[k..=k])
    }
}

/// The joints of a model.
pub(crate) struct Contacts {
    /// Patches, each with its joint.
    patches: HashMap<[usize; 2], Vec<(usize, Patch)>>,
    /// Joints where an edge or a corner bears.
    singles: HashMap<[usize; 2], Vec<usize>>,
    stored: bool,
    pub(crate) joints: Vec<Joint>,
    /// How far corners of each block may be off others because its coordinates are rounded (m).
    rounded: Vec<f64>,
    /// Blocks that overlap, and where.
    overlaps: Vec<([usize; 2], DVec3)>,
    /// Blocks that meet where their joint is not known, and where.
    pub(crate) unknown: Vec<([usize; 2], DVec3)>,
}

impl Contacts {
    /// Finds the joints, or says what is wrong with those stored with the model. Those between supports are included.
    pub(crate) fn of(model: &Model, shapes: &[Body]) -> Result<Self, String> {
        let mut contacts = Self {
            patches: HashMap::new(),
            singles: HashMap::new(),
            stored: !model.interfaces.is_empty(),
            joints: Vec::new(),
            rounded: vec![model.rounding(); shapes.len()],
            overlaps: Vec::new(),
            unknown: Vec::new(),
        };
        let index: HashMap<&str, usize> = model
            .blocks
            .iter()
            .enumerate()
            .map(|(k, b)| (b.name.as_str(), k))
            .collect();
        for (k, interface) in model.interfaces.iter().enumerate() {
            let added = contacts.add_stored(model, shapes, &index, interface);
            added.map_err(|why| format!("interface {k} of the model: {why}"))?;
        }
        if !contacts.stored {
            let reach = |body: &Body| Slack::of(model, body, body, model.rounding()).reach();
            let span = |body: &Body| body.span().widened(reach(body));
            let spans: Vec<Span> = shapes.iter().map(span).collect();
            let pairs = meeting(&spans);
            let mut beside: Vec<Vec<usize>> = vec![Vec::new(); shapes.len()];
            for &(i, j) in &pairs {
                beside[i].push(j);
                beside[j].push(i);
            }
            let between = |i: usize, j: usize| -> Vec<&Body> {
                let both = beside[i].iter().filter(|k| beside[j].contains(k));
                both.map(|&k| &shapes[k]).collect()
            };
            if model.rounding() > 0.0 {
                let misfit = |&(i, j): &(usize, usize)| {
                    let slack = contacts.slack(model, shapes, [i, j]);
                    let patches = patches(&shapes[i], &shapes[j], &between(i, j), &slack);
                    let misfits = patches.iter().map(|p| p.gaps[1].max(-p.gaps[0]));
                    // What is wider is a gap, or faces that are not parallel, and no trace of rounding.
                    let most = MOST_ROUNDING * slack.size;
                    ([i, j], misfits.filter(|m| *m <= most).fold(0.0, f64::max))
                };
                let misfits: Vec<([usize; 2], f64)> = pairs.iter().map(misfit).collect();
                contacts.keep_to_own_rounding(shapes, &misfits);
            }
            for &(i, j) in &pairs {
                contacts.add_pair(model, shapes, [i, j], &between(i, j));
            }
        }
        Ok(contacts)
    }

    /// Forgives no more of rounding between two blocks than they have: rough blocks elsewhere tell nothing of them. Blocks
    /// whose numbers look rounded may be off by their last digit, others by what shows on them: corners off planes, and
    /// `misfits` of faces of pairs.
    fn keep_to_own_rounding(&mut self, shapes: &[Body], misfits: &[([usize; 2], f64)]) {
        let mut traces = Grain::looks_off(shapes);
        for (trace, body) in traces.iter_mut().zip(shapes) {
            *trace = body.faces.iter().map(|f| f.warp).fold(*trace, f64::max);
        }
        for (blocks, misfit) in misfits {
            blocks.iter().for_each(|&b| traces[b] = traces[b].max(*misfit));
        }
        for (rounded, trace) in self.rounded.iter_mut().zip(traces) {
            *rounded = rounded.min(JointSearch::ROUNDED * trace);
        }
    }

    /// What counts as touching for two blocks.
    fn slack(&self, model: &Model, shapes: &[Body], [a, b]: [usize; 2]) -> Slack {
        Slack::of(model, &shapes[a], &shapes[b], self.rounded[a].max(self.rounded[b]))
    }

    /// Smallest and largest distance between the faces of each patch (m).
    pub(crate) fn gaps(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        self.patches.values().flatten().map(|(_, patch)| patch.gaps)
    }

    /// What is wrong with blocks that are not both supports.
    pub(crate) fn fault(&self, bodies: &Bodies) -> Option<String> {
        let (blocks, at) = self.overlaps.iter().find(|(blocks, _)| !bodies.are_fixed(*blocks))?;
        let [a, b] = blocks.map(|k| bodies.name(k));
        Some(format!("blocks `{a}` and `{b}` overlap at {at}"))
    }

    fn add_stored(
        &mut self,
        model: &Model,
        shapes: &[Body],
        index: &HashMap<&str, usize>,
        interface: &StoredInterface,
    ) -> Result<(), String> {
        let find = |name: &String| {
            let found = index.get(name.as_str()).copied();
            found.ok_or_else(|| format!("the model has no block `{name}`"))
        };
        let [a, b] = [find(&interface.between[0])?, find(&interface.between[1])?];
        let (x, y) = (interface.frame.xaxis, interface.frame.yaxis);
        let normal = x.cross(y).try_normalize().ok_or("its frame has no normal")?;
        let origin = mean(&interface.points).ok_or("it has no points")?;
        if a == b || !interface.points.iter().all(|p| p.is_finite()) {
            return Err("its blocks are one and the same, or its points are no numbers".into());
        }
        let normal = if a < b { normal } else { -normal };
        let blocks = [a.min(b), a.max(b)];
        let patch = Patch::stored(&interface.points, origin, normal);
        let slack = self.slack(model, shapes, blocks);
        self.patches.entry(blocks).or_default().push((self.joints.len(), patch));
        self.joints
            .push(Joint::new(blocks, interface.points.clone(), vec![normal], &slack));
        Ok(())
    }

    /// Adds the joints of two blocks; others may lie between them.
    fn add_pair(&mut self, model: &Model, shapes: &[Body], blocks: [usize; 2], others: &[&Body]) {
        let [a, b] = blocks.map(|k| &shapes[k]);
        let slack = self.slack(model, shapes, blocks);
        let [span_a, span_b] = [a, b].map(|body| body.span().widened(slack.reach()));
        if !span_a.meets(&span_b) {
            return;
        }
        let patches = patches(a, b, others, &slack);
        self.overlaps
            .extend(common_point(a, b, &slack).map(|point| (blocks, point)));
        // Convex blocks that share a face have all their common points there.
        let is_settled = !patches.is_empty() && a.is_convex && b.is_convex;
        let points = if is_settled {
            Vec::new()
        } else {
            meeting_points(a, b, &slack)
        };
        let mut spots: Vec<(Vec<DVec3>, Bearing)> = Vec::new();
        for point in points {
            if patches.iter().any(|p| p.seat(point, &slack).is_some()) {
                continue;
            }
            // Points of one corner or one crossing have one answer.
            let is_near = |(points, _): &&mut (Vec<DVec3>, _)| points[0].distance(point) <= slack.feature;
            match spots.iter_mut().find(is_near) {
                Some((points, _)) => points.push(point),
                None => spots.push((vec![point], bearing_at(a, b, point, &slack))),
            }
        }
        for (points, bearing) in spots {
            if bearing.is_open {
                self.unknown.push((blocks, points[0]));
            }
            for normals in bearing.joints {
                self.singles.entry(blocks).or_default().push(self.joints.len());
                self.joints.push(Joint::new(blocks, points.clone(), normals, &slack));
            }
        }
        for patch in patches {
            let normals = distinct([patch.normal].into_iter().chain(patch.of_faces));
            let joint = Joint::new(blocks, patch.corners().collect(), normals, &slack);
            self.patches.entry(blocks).or_default().push((self.joints.len(), patch));
            self.joints.push(joint);
        }
    }

    /// Where a force between two blocks acts that is stated at a point, with a normal from the first to the second; why
    /// nowhere, otherwise. All forces of a joint have one normal, which the first of them chooses.
    pub(crate) fn seat(
        &self,
        bodies: &Bodies,
        [a, b]: [usize; 2],
        point: DVec3,
        stated: DVec3,
        chosen: &mut Chosen,
    ) -> Result<Seat, String> {
        let sign = if a < b { 1.0 } else { -1.0 };
        let blocks = [a.min(b), a.max(b)];
        let slack = self.slack(bodies.model, bodies.all, blocks);
        let patches = self.patches.get(&blocks).map_or(&[][..], Vec::as_slice);
        let on_patches = patches.iter().filter_map(|(j, p)| Some((*j, p.seat(point, &slack)?)));
        let mut places: Vec<(usize, DVec3)> = on_patches.collect();
        if places.is_empty() {
            places = self.on_singles(blocks, point, sign * stated, &slack);
        }
        let mut nearest: Option<(f64, usize, usize, DVec3)> = None;
        for (joint, place) in places {
            for (k, normal) in self.joints[joint].normals.iter().enumerate() {
                let off = normal.distance(sign * stated);
                if nearest.is_none_or(|(least, ..)| off < least) {
                    nearest = Some((off, joint, k, place));
                }
            }
        }
        let Some((mut off, index, k, place)) = nearest else {
            return Err(format!(
                "the blocks have no joint at {point} (within {:.3e} m)",
                slack.touch
            ));
        };
        let joint = &self.joints[index];
        let k = *chosen.0[index].get_or_insert(k);
        off = off.max(joint.normals[k].distance(sign * stated));
        if off > NORMAL {
            return Err(format!(
                "its normal is {off:.3e} off that of the joint, allowed {NORMAL:.0e}"
            ));
        }
        let normal = sign * joint.normals[k];
        Ok(Seat {
            normal,
            axis: if off <= SAME { stated } else { normal },
            point: place + (point - place).clamp_length_max(joint.rounded),
        })
    }

    /// How far a normal is off those that a joint may have.
    fn off(&self, joint: usize, normal: DVec3) -> f64 {
        let normals = self.joints[joint].normals.iter();
        normals.map(|n| n.distance(normal)).fold(f64::INFINITY, f64::min)
    }

    /// Joints at which edges or corners bear near a point, and the places there that are nearest to it. A force between two
    /// such points with one normal is as good as one at each.
    fn on_singles(&self, blocks: [usize; 2], point: DVec3, normal: DVec3, slack: &Slack) -> Vec<(usize, DVec3)> {
        let joints = self.singles.get(&blocks).map_or(&[][..], Vec::as_slice);
        let all = || {
            joints
                .iter()
                .flat_map(|&j| self.joints[j].points.iter().map(move |&p| (j, p)))
        };
        let is_near = |(_, p): &(usize, DVec3)| p.distance(point) <= slack.touch;
        let nearest = |found: Vec<(usize, DVec3)>| {
            let off = |(_, p): &(usize, DVec3)| p.distance(point);
            found.into_iter().min_by(|p, q| off(p).total_cmp(&off(q)))
        };
        let mut found: Vec<(usize, DVec3)> = all().filter(is_near).collect();
        if !found.is_empty() {
            // In a dent there are joints of several normals at one point.
            let off = |(j, _): &(usize, DVec3)| self.off(*j, normal);
            let least = found.iter().map(off).fold(f64::INFINITY, f64::min);
            found.retain(|place| off(place) <= least + ALIKE);
            return nearest(found).into_iter().collect();
        }
        // The one of its normals that is meant.
        let meant = |j: usize| {
            let off = |n: &&DVec3| n.distance(normal);
            let normals = self.joints[j].normals.iter();
            normals.min_by(|m, n| off(m).total_cmp(&off(n))).copied()
        };
        let ends: Vec<(usize, DVec3, DVec3)> = all().filter_map(|(j, p)| Some((j, p, meant(j)?))).collect();
        let pairs = ends
            .iter()
            .enumerate()
            .flat_map(|(k, p)| ends[..k].iter().map(move |q| (p, q)));
        let between = pairs.filter(|(p, q)| p.2.distance(q.2) <= ALIKE).map(|(p, q)| {
            let along = q.1 - p.1;
            let t = (point - p.1).dot(along) / along.length_squared();
            (p.0, p.1 + along * t.clamp(0.0, 1.0))
        });
        nearest(between.filter(is_near).collect()).into_iter().collect()
    }
}

impl Joint {
    fn new(blocks: [usize; 2], points: Vec<DVec3>, normals: Vec<DVec3>, slack: &Slack) -> Self {
        Self {
            blocks,
            points,
            normals,
            rounded: slack.rounded,
            rounding: slack.rounding,
            size: slack.size,
        }
    }
}

/// The least, over the normals that a joint may have, of what is worst with each.
pub(crate) fn least_of(normals: &[DVec3], worst: impl Fn(DVec3) -> f64) -> f64 {
    // What is no number is no excuse.
    let smaller = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) };
    normals.iter().map(|&n| worst(n)).fold(f64::INFINITY, smaller)
}

/// The patches of two blocks; others may lie between them.
fn patches(a: &Body, b: &Body, others: &[&Body], slack: &Slack) -> Vec<Patch> {
    let margin = slack.reach();
    let [span_a, span_b] = [a, b].map(|body| body.span().widened(margin));
    let near = |body: &Body, other: &Span| -> (Vec<usize>, Vec<Span>) {
        let faces = body.faces.iter().enumerate();
        let spans = faces.map(|(k, f)| (k, f.span().widened(0.5 * margin)));
        spans.filter(|(_, s)| s.meets(other)).unzip()
    };
    let ((faces_a, spans_a), (faces_b, spans_b)) = (near(a, &span_b), near(b, &span_a));
    let pairs = meeting_each_other(&spans_a, &spans_b);
    let faces = pairs.iter().map(|&(i, j)| (&a.faces[faces_a[i]], &b.faces[faces_b[j]]));
    faces.filter_map(|(f, g)| Patch::of(f, g, others, slack)).collect()
}

/// Points that two blocks share, half-way between them: corners of one on a face of the other, and crossings of edges. What
/// has passed the other by less than is refused as an overlap bears, too.
fn meeting_points(a: &Body, b: &Body, slack: &Slack) -> Vec<DVec3> {
    let [span_a, span_b] = [a, b].map(|body| body.span().widened(slack.feature));
    let point = |p: DVec3| Span { min: p, max: p };
    let segment = |e: &[DVec3; 2]| Span {
        min: e[0].min(e[1]),
        max: e[0].max(e[1]),
    };
    let mut found = Vec::new();
    for (body, other, other_span) in [(b, a, &span_a), (a, b, &span_b)] {
        let corners: Vec<DVec3> = body
            .corners
            .iter()
            .copied()
            .filter(|&c| point(c).meets(other_span))
            .collect();
        let spans: Vec<Span> = corners.iter().map(|&c| point(c)).collect();
        let faces: Vec<Span> = other.faces.iter().map(|f| f.span().widened(slack.touch)).collect();
        let mut last = None;
        for (corner, face) in meeting_each_other(&spans, &faces) {
            let (at, face) = (corners[corner], &other.faces[face]);
            let bears = || face.height(at) <= slack.bears && distance(&face.outline, face.flat(at)) <= slack.bears;
            if last != Some(corner) && face.is_near(at, slack.touch) && bears() {
                last = Some(corner);
                found.push(at - 0.5 * face.height(at) * face.normal);
            }
        }
    }
    let near = |body: &Body, other: &Span| -> (Vec<[DVec3; 2]>, Vec<Span>) {
        let spans = body.edges.iter().map(|e| (*e, segment(e).widened(0.5 * slack.touch)));
        spans.filter(|(_, s)| s.meets(other)).unzip()
    };
    let ((firsts, spans_a), (seconds, spans_b)) = (near(a, &span_b), near(b, &span_a));
    for (i, j) in meeting_each_other(&spans_a, &spans_b) {
        let bears = |[p, q]: &[DVec3; 2]| {
            let has_passed = (*q - *p).dot(b.center - a.center) < 0.0;
            p.distance(*q) <= if has_passed { slack.touch } else { slack.bears }
        };
        let closest = closest_points(firsts[i], seconds[j]).filter(bears);
        found.extend(closest.map(|[p, q]| 0.5 * (p + q)));
    }
    found
}

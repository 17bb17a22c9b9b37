//! Where blocks touch, found again from the shapes, or as stored with the model.
//!
//! Faces of two blocks that lie on each other share a patch. Where no patch is, a corner or an edge may stand on a face,
//! or edges may cross: joints at single points, which `local` finds. The search is the plain one: every face against every
//! face, every corner against every face, every edge against every edge of pairs of blocks, wherever their boxes meet.

use std::collections::HashMap;

use drystone_model::{Model, StoredInterface};
use glam::DVec3;

use crate::{
    bodies::{Bodies, Body, mean},
    boxes::{Span, meeting, meeting_each_other},
    local::normal_at,
    overlap::common_point,
    patches::Patch,
    polygons::closest_points,
    slack::Slack,
};

/// How far the normal of a force may be off that of its joint, beside how far the faces are from parallel.
const NORMAL: f64 = 1e-5;
/// Normals as near as this are the same: rounding.
const SAME: f64 = 4.0 * f64::EPSILON;

/// A joint: a patch, or a single point. What holds at its points for a motion of rigid blocks holds all over it.
pub(crate) struct Joint {
    /// The two blocks, as indices.
    pub(crate) blocks: [usize; 2],
    pub(crate) points: Vec<DVec3>,
    /// Unit normal from the first block to the second.
    pub(crate) normal: DVec3,
    /// How far the normal is uncertain, because the faces that touch are not quite parallel.
    pub(crate) misfit: f64,
    /// How far its points are uncertain, because the faces are not quite one plane and coordinates are rounded (m).
    pub(crate) off: f64,
}

/// The joints of a model.
pub(crate) struct Contacts {
    patches: HashMap<[usize; 2], Vec<Patch>>,
    stored: bool,
    pub(crate) joints: Vec<Joint>,
    /// Blocks that lie in each other, and where.
    overlaps: Vec<([usize; 2], DVec3)>,
}

impl Contacts {
    /// Finds the joints, or says what is wrong with those stored with the model. Those between supports are included.
    pub(crate) fn of(model: &Model, shapes: &[Body]) -> Result<Self, String> {
        let mut contacts = Self {
            patches: HashMap::new(),
            stored: !model.interfaces.is_empty(),
            joints: Vec::new(),
            overlaps: Vec::new(),
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
            let reach = |body: &Body| Slack::of(model, body, body).reach();
            let span = |body: &Body| body.span().widened(reach(body));
            let spans: Vec<Span> = shapes.iter().map(span).collect();
            let pairs = meeting(&spans);
            let mut beside: Vec<Vec<usize>> = vec![Vec::new(); shapes.len()];
            for &(i, j) in &pairs {
                beside[i].push(j);
                beside[j].push(i);
            }
            for (i, j) in pairs {
                let both = beside[i].iter().filter(|k| beside[j].contains(k));
                let others: Vec<&Body> = both.map(|&k| &shapes[k]).collect();
                contacts.add_pair(model, shapes, [i, j], &others);
            }
        }
        Ok(contacts)
    }

    /// What is wrong with blocks that are not both supports.
    pub(crate) fn fault(&self, bodies: &Bodies) -> Option<String> {
        let (blocks, at) = self.overlaps.iter().find(|(blocks, _)| !bodies.are_fixed(*blocks))?;
        let [a, b] = blocks.map(|k| bodies.name(k));
        Some(format!("blocks `{a}` and `{b}` lie in each other at {at}"))
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
        let slack = Slack::of(model, &shapes[a], &shapes[b]);
        self.patches.entry(blocks).or_default().push(patch);
        self.joints.push(Joint {
            blocks,
            points: interface.points.clone(),
            normal,
            misfit: 0.0,
            off: slack.rounding,
        });
        Ok(())
    }

    /// Adds the joints of two blocks; others may lie between them.
    fn add_pair(&mut self, model: &Model, shapes: &[Body], blocks: [usize; 2], others: &[&Body]) {
        let [a, b] = blocks.map(|k| &shapes[k]);
        let slack = Slack::of(model, a, b);
        let margin = slack.reach();
        let [span_a, span_b] = [a, b].map(|body| body.span().widened(margin));
        if !span_a.meets(&span_b) {
            return;
        }
        let near = |body: &Body, other: &Span| -> (Vec<usize>, Vec<Span>) {
            let faces = body.faces.iter().enumerate();
            let spans = faces.map(|(k, f)| (k, f.span().widened(0.5 * margin)));
            spans.filter(|(_, s)| s.meets(other)).unzip()
        };
        let ((faces_a, spans_a), (faces_b, spans_b)) = (near(a, &span_b), near(b, &span_a));
        let pairs = meeting_each_other(&spans_a, &spans_b);
        let faces = pairs.iter().map(|&(i, j)| (&a.faces[faces_a[i]], &b.faces[faces_b[j]]));
        let patches: Vec<Patch> = faces.filter_map(|(f, g)| Patch::of(f, g, others, &slack)).collect();
        self.overlaps
            .extend(common_point(a, b, &slack).map(|point| (blocks, point)));
        for patch in &patches {
            self.joints.push(Joint {
                blocks,
                points: patch.corners().collect(),
                normal: patch.normal,
                misfit: patch.misfit,
                off: 2.0 * patch.off + slack.rounding,
            });
        }
        let mut singles: Vec<DVec3> = Vec::new();
        for point in meeting_points(a, b, &slack) {
            let is_known = singles.iter().any(|p| p.distance(point) <= slack.feature);
            if is_known || patches.iter().any(|p| p.holds(point, &slack)) {
                continue;
            }
            singles.push(point);
            self.joints.extend(normal_at(a, b, point, &slack).map(|normal| Joint {
                blocks,
                points: vec![point],
                normal,
                misfit: 0.0,
                off: slack.rounding,
            }));
        }
        if !patches.is_empty() {
            self.patches.insert(blocks, patches);
        }
    }

    /// The normal of the joint of two blocks at a point, from the first to the second; why there is none, otherwise. It is
    /// the one given, if that is between the faces that touch, and else the nearest that is.
    pub(crate) fn admit(
        &self,
        bodies: &Bodies,
        [a, b]: [usize; 2],
        point: DVec3,
        normal: DVec3,
    ) -> Result<DVec3, String> {
        let sign = if a < b { 1.0 } else { -1.0 };
        let axis = |found: DVec3, uncertain: f64| {
            let found = sign * found;
            let off = normal - found;
            let short = (uncertain / off.length()).min(1.0);
            (found + off * short).normalize_or_zero()
        };
        let blocks = [a.min(b), a.max(b)];
        let [first, second] = blocks.map(|k| &bodies.all[k]);
        let slack = Slack::of(bodies.model, first, second);
        let mut nearest: Option<(f64, DVec3)> = None;
        let mut try_one = |found: DVec3, misfit: f64| {
            let off = (sign * found).distance(normal) - misfit;
            if nearest.is_none_or(|(least, _)| off < least) {
                nearest = Some((off, axis(found, misfit + SAME)));
            }
        };
        let patches = self.patches.get(&blocks).map_or(&[][..], Vec::as_slice);
        let mut holding = patches.iter().filter(|p| p.holds(point, &slack)).peekable();
        if holding.peek().is_some() {
            holding.for_each(|p| try_one(p.normal, p.misfit));
        } else if !self.stored {
            normal_at(first, second, point, &slack)
                .into_iter()
                .for_each(|n| try_one(n, 0.0));
        }
        match nearest {
            Some((off, axis)) if off <= NORMAL => Ok(axis),
            Some((off, _)) => Err(format!(
                "its normal is {off:.3e} off that of the joint, allowed {NORMAL:.0e}"
            )),
            None => Err(format!(
                "the blocks have no joint at {point} (within {:.3e} m)",
                slack.touch
            )),
        }
    }
}

/// Points that two blocks share: corners of one on a face of the other, and crossings of edges.
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
            if last != Some(corner) && other.faces[face].is_near(corners[corner], slack.touch) {
                last = Some(corner);
                found.push(corners[corner]);
            }
        }
    }
    let near = |body: &Body, other: &Span| -> (Vec<[DVec3; 2]>, Vec<Span>) {
        let spans = body.edges.iter().map(|e| (*e, segment(e).widened(0.5 * slack.touch)));
        spans.filter(|(_, s)| s.meets(other)).unzip()
    };
    let ((firsts, spans_a), (seconds, spans_b)) = (near(a, &span_b), near(b, &span_a));
    for (i, j) in meeting_each_other(&spans_a, &spans_b) {
        let closest = closest_points(firsts[i], seconds[j]).filter(|[p, q]| p.distance(*q) <= slack.touch);
        found.extend(closest.map(|[p, q]| 0.5 * (p + q)));
    }
    found
}

//! Where blocks touch, found again from the shapes, or as stored with the model.
//!
//! Faces of two blocks that lie on each other share a patch: convex pieces of a plane. Where no patch is, a corner or an
//! edge may stand on a face, or edges may cross: joints at single points, which `local` finds. The search is the plain
//! one: every face against every face, every corner against every face, every edge against every edge of all pairs of
//! blocks whose boxes meet.

use std::collections::HashMap;

use drystone_model::StoredInterface;
use glam::{DVec2, DVec3};

use crate::{
    bodies::{Bodies, Body, Face, mean},
    local::normal_at,
    overlap::common_point,
    polygons::{Outline, area, closest_points, common_part, distance, reach},
};

/// How many times the model's own tolerance a point may be off a block. Whoever made the certificate may have put
/// the point on either block or between them, and may have rounded corners of a joint by as much again.
const TOUCH: f64 = 4.0;
/// How many times the model's tolerance edges and corners are wide: joints narrower than this are none, and a point as
/// near as this to an edge is on the edge.
const FEATURE: f64 = 10.0;
/// How far faces may be from opposite and still share a patch (cosine of 0.1 degrees).
const OPPOSITE: f64 = 0.999_998_476_9;
/// How far the normal of a force may be off that of its joint, beside how far the faces are from parallel.
const NORMAL: f64 = 1e-5;

/// Lengths below which things count as touching, for a pair of blocks.
pub(crate) struct Slack {
    pub(crate) touch: f64,
    pub(crate) feature: f64,
}

impl Slack {
    fn of(bodies: &Bodies, a: &Body, b: &Body) -> Self {
        let tolerance = bodies.model.tolerances.contact.max(bodies.model.tolerances.planarity) * a.size.min(b.size);
        // Coordinates far from the origin are rounded themselves.
        let far = [a.min, a.max, b.min, b.max].map(|p| p.abs().max_element());
        let rounding = 16.0 * f64::EPSILON * far.into_iter().fold(0.0, f64::max);
        Self {
            touch: TOUCH * tolerance + rounding,
            feature: FEATURE * tolerance + rounding,
        }
    }
}

/// A plane part of the surface along which two blocks touch.
struct Patch {
    /// Unit normal from the first block to the second, and across the plane of the pieces.
    normal: DVec3,
    /// How far the two faces are from parallel.
    misfit: f64,
    origin: DVec3,
    u: DVec3,
    v: DVec3,
    /// How far points may be off the plane (m).
    thickness: f64,
    pieces: Vec<Outline>,
}

/// A point at which two blocks touch.
pub(crate) struct JointPoint {
    /// The two blocks, as indices.
    pub(crate) blocks: [usize; 2],
    pub(crate) point: DVec3,
    /// Unit normal from the first block to the second.
    pub(crate) normal: DVec3,
    /// How far the normal is uncertain, because the faces that touch are not quite parallel.
    pub(crate) misfit: f64,
}

/// The joints of a model.
pub(crate) struct Contacts {
    patches: HashMap<(usize, usize), Vec<Patch>>,
    stored: bool,
    /// Points that span every joint: what holds at them for a motion of rigid blocks holds all over the joints.
    pub(crate) points: Vec<JointPoint>,
}

impl Contacts {
    /// Finds the joints, or says what is wrong with those stored with the model. Those between supports are left out.
    pub(crate) fn of(bodies: &Bodies) -> Result<Self, String> {
        let mut contacts = Self {
            patches: HashMap::new(),
            stored: !bodies.model.interfaces.is_empty(),
            points: Vec::new(),
        };
        for (k, interface) in bodies.model.interfaces.iter().enumerate() {
            let added = contacts.add_stored(bodies, interface);
            added.map_err(|why| format!("interface {k} of the model: {why}"))?;
        }
        if !contacts.stored {
            for (i, j) in near_pairs(bodies) {
                contacts.add_pair(bodies, i, j)?;
            }
        }
        Ok(contacts)
    }

    fn add_stored(&mut self, bodies: &Bodies, interface: &StoredInterface) -> Result<(), String> {
        let [name_a, name_b] = &interface.between;
        let (a, b) = (bodies.find(name_a)?, bodies.find(name_b)?);
        let (x, y) = (interface.frame.xaxis, interface.frame.yaxis);
        let normal = x.cross(y).try_normalize().ok_or("its frame has no normal")?;
        let origin = mean(&interface.points).ok_or("it has no points")?;
        if a == b || !interface.points.iter().all(|p| p.is_finite()) {
            return Err("its blocks are one and the same, or its points are no numbers".into());
        }
        let (u, v) = axes(normal);
        let flat = |p: &DVec3| DVec2::new((*p - origin).dot(u), (*p - origin).dot(v));
        let off = interface.points.iter().map(|p| (*p - origin).dot(normal).abs());
        let slack = Slack::of(bodies, &bodies.all[a], &bodies.all[b]);
        let patch = Patch {
            normal,
            misfit: 0.0,
            origin,
            u,
            v,
            thickness: slack.touch + off.fold(0.0, f64::max),
            pieces: vec![interface.points.iter().map(flat).collect()],
        };
        let patch = if a < b { patch } else { patch.turned_over() };
        let normal = patch.normal;
        self.patches.entry((a.min(b), a.max(b))).or_default().push(patch);
        if !(bodies.all[a].fixed && bodies.all[b].fixed) {
            self.points.extend(interface.points.iter().map(|&point| JointPoint {
                blocks: [a.min(b), a.max(b)],
                point,
                normal,
                misfit: 0.0,
            }));
        }
        Ok(())
    }

    fn add_pair(&mut self, bodies: &Bodies, i: usize, j: usize) -> Result<(), String> {
        let (a, b) = (&bodies.all[i], &bodies.all[j]);
        let slack = Slack::of(bodies, a, b);
        let faces = a.faces.iter().flat_map(|f| b.faces.iter().map(move |g| (f, g)));
        let patches: Vec<Patch> = faces.filter_map(|(f, g)| patch(f, g, &slack)).collect();
        if a.fixed && b.fixed {
            self.patches.insert((i, j), patches);
            return Ok(());
        }
        if let Some(p) = common_point(a, b, &slack) {
            let [a, b] = [i, j].map(|k| bodies.name(k));
            return Err(format!("blocks `{a}` and `{b}` lie in each other at {p}"));
        }
        for patch in &patches {
            for &corner in patch.pieces.iter().flatten() {
                self.points.push(JointPoint {
                    blocks: [i, j],
                    point: patch.origin + patch.u * corner.x + patch.v * corner.y,
                    normal: patch.normal,
                    misfit: patch.misfit,
                });
            }
        }
        let mut singles: Vec<DVec3> = Vec::new();
        for point in meeting_points(a, b, &slack) {
            let is_known = singles.iter().any(|p| p.distance(point) <= slack.feature);
            if is_known || patches.iter().any(|p| p.holds(point, &slack)) {
                continue;
            }
            singles.push(point);
            self.points
                .extend(normal_at(a, b, point, &slack).map(|normal| JointPoint {
                    blocks: [i, j],
                    point,
                    normal,
                    misfit: 0.0,
                }));
        }
        self.patches.insert((i, j), patches);
        Ok(())
    }

    /// Whether two blocks touch at a point with a normal from the first to the second; why not, otherwise.
    pub(crate) fn admit(&self, bodies: &Bodies, [a, b]: [usize; 2], point: DVec3, normal: DVec3) -> Result<(), String> {
        let (low, high) = (a.min(b), a.max(b));
        let normal = if a < b { normal } else { -normal };
        let (first, second) = (&bodies.all[low], &bodies.all[high]);
        let slack = Slack::of(bodies, first, second);
        let mut nearest: Option<f64> = None;
        let mut off = |found: DVec3, misfit: f64| {
            let off = found.distance(normal) - misfit;
            nearest = Some(nearest.map_or(off, |n: f64| n.min(off)));
        };
        let patches = self.patches.get(&(low, high)).map_or(&[][..], Vec::as_slice);
        for patch in patches.iter().filter(|p| p.holds(point, &slack)) {
            off(patch.normal, patch.misfit);
        }
        if nearest.is_none() && !self.stored {
            nearest = normal_at(first, second, point, &slack).map(|found| found.distance(normal));
        }
        match nearest {
            Some(off) if off <= NORMAL => Ok(()),
            Some(off) => Err(format!(
                "its normal is {off:.3e} off that of the joint, allowed {NORMAL:.0e}"
            )),
            None => Err(format!(
                "the blocks have no joint at {point} (within {:.3e} m)",
                slack.touch
            )),
        }
    }
}

impl Patch {
    fn holds(&self, point: DVec3, slack: &Slack) -> bool {
        let arm = point - self.origin;
        let flat = DVec2::new(arm.dot(self.u), arm.dot(self.v));
        arm.dot(self.normal).abs() <= self.thickness && self.pieces.iter().any(|p| distance(p, flat) <= slack.touch)
    }

    fn turned_over(self) -> Self {
        Self {
            normal: -self.normal,
            ..self
        }
    }
}

fn axes(normal: DVec3) -> (DVec3, DVec3) {
    let u = normal.any_orthonormal_vector();
    (u, normal.cross(u))
}

/// Pairs of blocks whose boxes meet, found by a sweep along x.
fn near_pairs(bodies: &Bodies) -> Vec<(usize, usize)> {
    let margin = |a: &Body, b: &Body| Slack::of(bodies, a, b).feature;
    let mut order: Vec<usize> = (0..bodies.all.len()).collect();
    order.sort_by(|&i, &j| bodies.all[i].min.x.total_cmp(&bodies.all[j].min.x).then(i.cmp(&j)));
    let mut pairs = Vec::new();
    for (k, &i) in order.iter().enumerate() {
        let a = &bodies.all[i];
        for &j in &order[k + 1..] {
            let b = &bodies.all[j];
            let margin = DVec3::splat(margin(a, b));
            if b.min.x > a.max.x + margin.x.max(Slack::of(bodies, a, a).feature) {
                break;
            }
            if (a.min - margin).cmple(b.max).all() && (b.min - margin).cmple(a.max).all() {
                pairs.push((i.min(j), i.max(j)));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The common part of two faces that lie on each other.
fn patch(f: &Face, g: &Face, slack: &Slack) -> Option<Patch> {
    let facing = f.normal.dot(g.normal);
    let apart = f.height(g.origin).abs();
    // Faces within the angle can be farther apart in the middle than where they meet, by the angle times their size.
    let is_hopeless = apart > slack.touch + 2e-3 * (f.radius + g.radius);
    if facing > -OPPOSITE || is_hopeless || f.origin.distance(g.origin) > f.radius + g.radius + slack.feature {
        return None;
    }
    let gap = |p: DVec2| g.height(f.lifted(p)) / -facing;
    // Where faces part company there is a line of contact at most, which is not this function's to find.
    let is_touching = |part: &Outline| part.iter().all(|&p| gap(p).abs() <= slack.touch);
    let mut pieces: Vec<Outline> = common_parts(f, g).into_iter().filter(is_touching).collect();
    // A wide patch may be cut into pieces some of which are narrow. These belong to it; one of nothing else is none.
    let is_wide = |width: f64| pieces.iter().any(|p| area(p) > width * reach(p));
    if !is_wide(slack.feature) {
        return None;
    }
    pieces.retain(|p| area(p) > 1e-3 * slack.feature * reach(p));
    let normal = (f.normal - g.normal).try_normalize()?;
    Some(Patch {
        normal,
        misfit: (f.normal + g.normal).length(),
        origin: f.origin,
        u: f.u,
        v: f.v,
        thickness: 2.0 * slack.touch,
        pieces,
    })
}

/// The common parts of two faces that look against each other, in the frame of the first.
pub(crate) fn common_parts(f: &Face, g: &Face) -> Vec<Outline> {
    let flat = |piece: &Outline| -> Outline { piece.iter().rev().map(|&p| f.flat(g.lifted(p))).collect() };
    let seconds: Vec<Outline> = g.pieces.iter().map(flat).collect();
    let pairs = f.pieces.iter().flat_map(|a| seconds.iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| common_part(a, b)).collect()
}

/// Points that two blocks share: corners of one on a face of the other, and crossings of edges.
fn meeting_points(a: &Body, b: &Body, slack: &Slack) -> Vec<DVec3> {
    let margin = DVec3::splat(slack.feature);
    let (low, high) = (a.min.max(b.min) - margin, a.max.min(b.max) + margin);
    let is_near = |p: &DVec3| low.cmple(*p).all() && p.cmple(high).all();
    let on_faces = |corners: &[DVec3], other: &Body| -> Vec<DVec3> {
        let is_on = |p: &DVec3| {
            let on = |f: &Face| f.height(*p).abs() <= slack.touch && distance(&f.outline, f.flat(*p)) <= slack.touch;
            is_near(p) && other.faces.iter().any(on)
        };
        corners.iter().copied().filter(is_on).collect()
    };
    let mut found = on_faces(&b.corners, a);
    found.extend(on_faces(&a.corners, b));
    let meets = |e: &&[DVec3; 2]| e[0].min(e[1]).cmple(high).all() && low.cmple(e[0].max(e[1])).all();
    let seconds: Vec<_> = b.edges.iter().filter(meets).collect();
    for first in a.edges.iter().filter(meets) {
        for second in &seconds {
            let closest = closest_points(*first, **second).filter(|[p, q]| p.distance(*q) <= slack.touch);
            found.extend(closest.map(|[p, q]| 0.5 * (p + q)));
        }
    }
    found
}

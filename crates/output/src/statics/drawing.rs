//! The forces of a structure, drawn upon it.

use drystone_mechanics::statics::results::JointState;
use drystone_model::Model;
use glam::{DVec2, DVec3};

use super::{
    JointForce, Line, LineKind,
    legend::{self, Entry, Legend},
};
use crate::{
    OutputError, Rgb,
    marks::Mark,
    picture::{Picture, Stage, View},
};

/// How much blocks are faded.
const PALENESS: f64 = 0.45;
/// Forces, over the largest, that are too small to be drawn.
const SMALLEST: f64 = 0.01;
/// Length of the largest force, over the size of the structure on the picture: least and most.
const LENGTHS: [f64; 2] = [0.035, 0.11];
/// The same, over the distance between the joints that carry forces.
const OF_SPACING: f64 = 1.0;
/// Width of the legend, over the smaller side of the picture.
pub(super) const LEGEND: f64 = 0.38;

/// Width of arrows, over that of thin lines.
pub(super) const ARROW: f64 = 1.7;

pub(super) const TENSION: Rgb = Rgb([0xd0, 0x10, 0x18]);
pub(super) const THRUST: Rgb = Rgb([0x1d, 0x1d, 0x1f]);
pub(super) const LEAST: Rgb = Rgb([0x00, 0x7a, 0x4d]);
pub(super) const MOST: Rgb = Rgb([0xb0, 0x2a, 0x7a]);
pub(super) const SLIDING: Rgb = Rgb([0xf0, 0x7c, 0x00]);

/// A drawing of a structure with the forces in its joints.
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    model: &'a Model,
    joints: &'a [JointForce],
    lines: &'a [Line],
    title: String,
    view: View,
    width: u32,
    height: u32,
}

impl<'a> Drawing<'a> {
    /// A drawing seen square on where the structure is thin, from the left front and above where it is not; 1600 by 1000
    /// pixels.
    pub fn new(model: &'a Model, joints: &'a [JointForce], lines: &'a [Line]) -> Self {
        Self {
            model,
            joints,
            lines,
            title: String::new(),
            view: View::of(model),
            width: 1600,
            height: 1000,
        }
    }

    /// A line of text above it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Where it is seen from.
    #[must_use]
    pub fn view(mut self, view: View) -> Self {
        self.view = view;
        self
    }

    /// Width and height (pixels).
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    /// As a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, OutputError> {
        self.picture().marked_png(&|stage| self.marks(stage))
    }

    /// As an SVG file.
    pub fn svg(&self) -> Result<String, OutputError> {
        self.picture().marked_svg(&|stage| self.marks(stage))
    }

    fn picture(&self) -> Picture<'a> {
        let picture = Picture::new(self.model)
            .size(self.width, self.height)
            .view(self.view)
            .pale(PALENESS)
            .aside(LEGEND * f64::from(self.width.min(self.height)));
        if self.title.is_empty() {
            picture
        } else {
            picture.title(self.title.clone())
        }
    }

    /// Joints whose forces are large enough to be drawn.
    fn drawn(&self) -> impl Iterator<Item = &JointForce> {
        let least = SMALLEST * self.largest();
        self.joints
            .iter()
            .filter(move |j| j.force.length() > least && least > 0.0)
    }

    fn largest(&self) -> f64 {
        self.joints.iter().map(|j| j.force.length()).fold(0.0, f64::max)
    }

    fn marks(&self, stage: &Stage<'_>) -> Vec<Mark> {
        let mut marks = Vec::new();
        let largest = self.largest();
        let length = self.longest(stage);
        for line in self.lines {
            let points = line.points.iter().map(|&p| stage.place(p)).collect();
            marks.push(line_mark(line.kind, points, stage));
        }
        for joint in self.drawn() {
            match joint.state {
                JointState::Sliding => marks.push(sliding(trace(stage, &joint.outline), SLIDING, stage)),
                JointState::Pulled => marks.push(sliding(trace(stage, &joint.outline), TENSION, stage)),
                _ => {}
            }
        }
        for joint in self.drawn() {
            let color = match joint.state {
                JointState::Pulled => TENSION,
                _ => legend::ramp(joint.friction_use.unwrap_or(0.0)),
            };
            let along = stage.turn(self.downward(joint.force)) * (length / largest);
            marks.extend(arrow(stage.place(joint.at), along, ARROW * stage.line, color));
        }
        for joint in self.drawn().filter(|j| j.state == JointState::Hinge) {
            let at = joint.edge.map_or(joint.at, |[a, b]| 0.5 * (a + b));
            marks.extend(hinge(stage.place(at), stage));
        }
        let unit = if largest > 0.0 { length / largest } else { 0.0 };
        marks.extend(self.legend(unit).marks(stage));
        marks
    }

    /// Of the two forces in a joint, the one that points down.
    fn downward(&self, force: DVec3) -> DVec3 {
        if force.dot(self.model.gravity) < 0.0 {
            -force
        } else {
            force
        }
    }

    /// Length of the largest force (pixels): about the distance between joints, so that arrows do not cover each other.
    fn longest(&self, stage: &Stage<'_>) -> f64 {
        let bounds = self.model.bounds(|b| !b.fixed);
        let size = (stage.turn(bounds.max - bounds.min).length() * stage.scale()).max(1.0);
        let places: Vec<DVec2> = self.drawn().map(|j| stage.place(j.at)).collect();
        let nearest = |k: usize| {
            let others = places
                .iter()
                .enumerate()
                .filter(|(i, p)| *i != k && p.distance(places[k]) > 1.0);
            others.map(|(_, p)| p.distance(places[k])).fold(f64::INFINITY, f64::min)
        };
        // A sample is enough to tell how dense they are.
        let step = places.len().div_ceil(200).max(1);
        let mut distances: Vec<f64> = (0..places.len()).step_by(step).map(nearest).collect();
        distances.retain(|d| d.is_finite());
        distances.sort_by(f64::total_cmp);
        let typical = distances.get(distances.len() / 2).copied().unwrap_or(f64::INFINITY);
        (OF_SPACING * typical).clamp(LENGTHS[0] * size, LENGTHS[1] * size)
    }

    fn legend(&self, pixels_per_newton: f64) -> Legend {
        let has = |state: JointState| self.drawn().any(|j| j.state == state);
        let mut entries = Vec::new();
        for kind in [LineKind::Computed, LineKind::Minimum, LineKind::Maximum] {
            if let Some(line) = self.lines.iter().find(|l| l.kind == kind) {
                entries.push(Entry::Line(kind, line.thrust));
            }
        }
        if has(JointState::Hinge) {
            entries.push(Entry::Hinge);
        }
        if has(JointState::Sliding) {
            entries.push(Entry::Sliding);
        }
        if has(JointState::Pulled) {
            let tension = self.joints.iter().map(|j| j.tension).sum();
            entries.push(Entry::Tension(tension));
        }
        Legend {
            pixels_per_newton,
            largest: self.largest(),
            entries,
        }
    }
}

pub(super) fn line_mark(kind: LineKind, points: Vec<DVec2>, stage: &Stage<'_>) -> Mark {
    let (color, width, dash) = match kind {
        LineKind::Computed => (THRUST, 1.0, None),
        LineKind::Minimum => (LEAST, 1.0, Some([7.0 * stage.line; 2])),
        LineKind::Maximum => (MOST, 1.0, Some([3.5 * stage.line; 2])),
    };
    Mark::Line {
        points,
        width: width * stage.line,
        color,
        dash,
    }
}

/// A joint that slides or is pulled apart: a bar along the middle of it.
pub(super) fn sliding([from, to]: [DVec2; 2], color: Rgb, stage: &Stage<'_>) -> Mark {
    let (middle, half) = (0.5 * (from + to), 0.3 * (to - from));
    Mark::line(vec![middle - half, middle + half], 1.7 * stage.line, color)
}

/// A ring: where blocks turn about each other.
pub(super) fn hinge(at: DVec2, stage: &Stage<'_>) -> [Mark; 2] {
    let radius = 3.2 * stage.line;
    let disc = |radius: f64, color: Rgb| Mark::Disc { at, radius, color };
    [disc(radius, THRUST), disc(radius - 1.1 * stage.line, Rgb::WHITE)]
}

/// An arrow with its middle at a place.
pub(super) fn arrow(middle: DVec2, along: DVec2, width: f64, color: Rgb) -> Vec<Mark> {
    let Some(way) = along.try_normalize() else {
        return Vec::new();
    };
    let length = along.length();
    let (from, to) = (middle - 0.5 * along, middle + 0.5 * along);
    let head = (4.2 * width).min(0.6 * length);
    let neck = to - head * way;
    let wing = 0.42 * head * way.perp();
    vec![
        Mark::line(vec![from, neck], width.min(0.25 * length), color),
        Mark::figure(vec![to, neck + wing, neck - wing], color),
    ]
}

/// The two corners of a joint that lie farthest apart on the picture.
fn trace(stage: &Stage<'_>, outline: &[DVec3]) -> [DVec2; 2] {
    let places: Vec<DVec2> = outline.iter().map(|&p| stage.place(p)).collect();
    let mut best = [DVec2::ZERO; 2];
    let mut most = -1.0;
    for (k, a) in places.iter().enumerate() {
        for b in &places[k..] {
            if a.distance(*b) > most {
                (best, most) = ([*a, *b], a.distance(*b));
            }
        }
    }
    best
}

use std::ops::Range;

use glam::DVec2;

use super::span::{End, Span, cut, union};
use crate::recipes::choices;
use crate::{PrismAxis, PrismShape, Shape};

/// Which way a wall runs in plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::recipes) enum Run {
    AlongX,
    AlongY,
}

/// A straight wall, drawn in elevation: positions along it are x or y of the world, courses count from the ground.
#[derive(Clone, Debug)]
pub(in crate::recipes) struct Wall {
    pub(in crate::recipes) name: &'static str,
    pub(in crate::recipes) run: Run,
    /// The two faces, in the world's coordinate across the wall, the smaller first.
    pub(in crate::recipes) faces: (f64, f64),
    /// What is built; panels of one course that touch are one stretch of wall.
    pub(in crate::recipes) panels: Vec<Panel>,
    /// What is left out.
    pub(in crate::recipes) openings: Vec<Opening>,
}

/// Part of a wall's elevation over some courses.
#[derive(Clone, Debug)]
pub(in crate::recipes) struct Panel {
    /// Group of its blocks.
    pub(in crate::recipes) group: &'static str,
    pub(in crate::recipes) courses: Range<usize>,
    pub(super) outline: Outline,
}

choices! {
    /// How the ends of a gable's courses are cut.
    pub(in crate::recipes) enum Gable { Stepped = "stepped", Raked = "raked" }
}

/// The outline of a panel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outline {
    /// A rectangle between two ends.
    Straight(f64, f64),
    /// A gable whose end stones are cut along the rake, which goes from the ends of its foot to its tip.
    Raked { foot: (f64, f64), tip: f64 },
    /// A gable of steps; each course ends where the rake passes its middle, so its area is that of the raked one.
    Stepped { foot: (f64, f64), tip: f64 },
}

impl Panel {
    /// A rectangular panel.
    pub(in crate::recipes) fn straight(group: &'static str, courses: Range<usize>, ends: (f64, f64)) -> Self {
        Self {
            group,
            courses,
            outline: Outline::Straight(ends.0, ends.1),
        }
    }

    /// A gable that ends in a point over the middle of its foot.
    pub(in crate::recipes) fn gable(kind: Gable, group: &'static str, courses: Range<usize>, foot: (f64, f64)) -> Self {
        let tip = 0.5 * (foot.0 + foot.1);
        let outline = match kind {
            Gable::Stepped => Outline::Stepped { foot, tip },
            Gable::Raked => Outline::Raked { foot, tip },
        };
        Self {
            group,
            courses,
            outline,
        }
    }
}

/// A door or a window in a wall.
#[derive(Clone, Debug)]
pub(in crate::recipes) struct Opening {
    pub(in crate::recipes) name: &'static str,
    /// Its jambs.
    pub(in crate::recipes) jambs: (f64, f64),
    /// Courses it takes away; the next one up carries the wall over it.
    pub(in crate::recipes) courses: Range<usize>,
    pub(in crate::recipes) head: Head,
}

/// What carries the wall over an opening: both fill the course above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::recipes) enum Head {
    /// One stone that bears at least half a unit on either side.
    Lintel,
    /// Voussoirs with joints through one point, between skewbacks at 60 degrees.
    FlatArch,
}

/// Run of the skewback of a flat arch for each unit of its height: 60 degrees from the horizontal.
const SKEW: f64 = 0.577_350_269_189_625_8;

impl Opening {
    /// Ends of the part of a wall that must be whole on either side for this opening to be built, on a course.
    pub(super) fn needs(&self, course: usize, course_height: f64, bearing: f64) -> (f64, f64) {
        let skew = if course == self.courses.end && self.head == Head::FlatArch {
            SKEW * course_height
        } else {
            0.0
        };
        (self.jambs.0 - skew - bearing, self.jambs.1 + skew + bearing)
    }

    /// The flat arch over the opening, with its skewbacks as ends.
    fn flat_arch(&self, height: f64) -> Span {
        let end = |jamb: f64, sign: f64| End {
            below: jamb,
            above: jamb + sign * SKEW * height,
        };
        Span {
            left: end(self.jambs.0, -1.0),
            right: end(self.jambs.1, 1.0),
        }
    }

    /// The voussoirs of the flat arch: an odd number, so that one is a keystone.
    pub(super) fn voussoirs(&self, height: f64) -> Vec<Span> {
        let arch = self.flat_arch(height);
        let width = self.jambs.1 - self.jambs.0;
        let pairs = (0.5 * (width / (0.7 * height) - 1.0)).round().max(1.0);
        let count = 2 * pairs as usize + 1;
        let joint = |i: usize| match i {
            0 => arch.left,
            i if i == count => arch.right,
            i => {
                let t = i as f64 / count as f64;
                End {
                    below: arch.left.below + t * (arch.right.below - arch.left.below),
                    above: arch.left.above + t * (arch.right.above - arch.left.above),
                }
            }
        };
        let stone = |i| Span {
            left: joint(i),
            right: joint(i + 1),
        };
        (0..count).map(stone).collect()
    }
}

impl Wall {
    /// A wall without openings.
    pub(in crate::recipes) fn new(name: &'static str, run: Run, faces: (f64, f64), panels: Vec<Panel>) -> Self {
        Self {
            name,
            run,
            faces,
            panels,
            openings: Vec::new(),
        }
    }

    /// The same wall with an opening in it.
    #[must_use]
    pub(in crate::recipes) fn with(mut self, opening: Opening) -> Self {
        self.openings.push(opening);
        self
    }

    /// Least and greatest position along the wall.
    pub(super) fn extent(&self) -> (f64, f64) {
        let ends = self.panels.iter().map(|p| match p.outline {
            Outline::Straight(a, b) => (a, b),
            Outline::Raked { foot, .. } | Outline::Stepped { foot, .. } => foot,
        });
        ends.fold((f64::INFINITY, f64::NEG_INFINITY), |e, p| (e.0.min(p.0), e.1.max(p.1)))
    }

    /// The courses' outline without regard to openings.
    pub(super) fn outline(&self, course: usize, beds: &[f64]) -> Vec<Span> {
        let here = self.panels.iter().filter(|p| p.courses.contains(&course));
        union(here.map(|p| p.span(course, beds)).collect())
    }

    /// What is solid of a course: its outline less the openings.
    pub(super) fn solid(&self, course: usize, beds: &[f64]) -> Vec<Span> {
        let through = self.openings.iter().filter(|o| o.courses.contains(&course));
        through.fold(self.outline(course, beds), |spans, o| {
            cut(&spans, &Span::plumb(o.jambs.0, o.jambs.1))
        })
    }

    /// Flat arches that stand in a course.
    pub(super) fn flat_arches(&self, course: usize) -> impl Iterator<Item = &Opening> {
        let heads = self.openings.iter().filter(move |o| o.courses.end == course);
        heads.filter(|o| o.head == Head::FlatArch)
    }

    /// The solid of a course less its flat arches.
    pub(super) fn stones(&self, course: usize, beds: &[f64]) -> Vec<Span> {
        let height = beds[course + 1] - beds[course];
        self.flat_arches(course)
            .fold(self.solid(course, beds), |spans, o| cut(&spans, &o.flat_arch(height)))
    }

    /// Group of a block by its place in the elevation.
    pub(super) fn group_at(&self, course: usize, beds: &[f64], at: f64) -> &'static str {
        let here = self.panels.iter().filter(|p| p.courses.contains(&course));
        let off = |p: &&Panel| {
            let span = p.span(course, beds);
            (span.left.mean() - at).max(at - span.right.mean()).max(0.0)
        };
        here.min_by(|a, b| off(a).total_cmp(&off(b))).map_or("", |p| p.group)
    }

    /// The block that fills a span of a course.
    pub(super) fn block(&self, span: &Span, z: (f64, f64)) -> Shape {
        let (l, r) = (span.left, span.right);
        if l.is_plumb() && r.is_plumb() {
            let (f0, f1) = self.faces;
            let corner = |along: f64, across: f64, z: f64| match self.run {
                Run::AlongX => glam::DVec3::new(along, across, z),
                Run::AlongY => glam::DVec3::new(across, along, z),
            };
            return Shape::cuboid(corner(l.below, f0, z.0), corner(r.below, f1, z.1));
        }
        let corners = [(l.below, z.0), (r.below, z.0), (r.above, z.1), (l.above, z.1)];
        let mut polygon: Vec<DVec2> = corners.map(DVec2::from).to_vec();
        polygon.dedup();
        Shape::Prism(PrismShape {
            polygon,
            axis: match self.run {
                Run::AlongX => PrismAxis::Y,
                Run::AlongY => PrismAxis::X,
            },
            from: self.faces.0,
            to: self.faces.1,
        })
    }
}

impl Panel {
    fn span(&self, course: usize, beds: &[f64]) -> Span {
        let (z0, z1) = (beds[self.courses.start], beds[self.courses.end]);
        // The top is met exactly, so that the two rakes of a pointed gable end in the same point.
        let along = |a: f64, b: f64, z: f64| {
            if z == z1 {
                b
            } else {
                a + (b - a) * ((z - z0) / (z1 - z0))
            }
        };
        match self.outline {
            Outline::Straight(a, b) => Span::plumb(a, b),
            Outline::Raked { foot, tip } => {
                let end = |a, b| End {
                    below: along(a, b, beds[course]),
                    above: along(a, b, beds[course + 1]),
                };
                Span {
                    left: end(foot.0, tip),
                    right: end(foot.1, tip),
                }
            }
            Outline::Stepped { foot, tip } => {
                let middle = 0.5 * (beds[course] + beds[course + 1]);
                Span::plumb(along(foot.0, tip, middle), along(foot.1, tip, middle))
            }
        }
    }
}

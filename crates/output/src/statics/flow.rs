//! How weight flows down through the level joints of a structure, course by course.

use drystone_model::Model;
use glam::{DVec2, DVec3};

use super::legend::{force_text, round_force};
use crate::{
    OutputError, Rgb,
    marks::Mark,
    picture::{Picture, Stage, View},
};

/// How much blocks are faded.
const PALENESS: f64 = 0.6;
/// Forces, over the largest, that are too small to be drawn.
const SMALLEST: f64 = 0.004;
/// Length of an arrow, over the distance between courses.
const LENGTH: f64 = 0.8;
/// Width of the widest arrow, over the width of the joints that carry forces.
const WIDTH: f64 = 0.7;
/// The same, over the length of an arrow.
const OF_LENGTH: f64 = 0.6;
/// Width of the legend, over the smaller side of the picture.
const LEGEND: f64 = 0.43;
/// Courses beyond which their sums are not written down.
const MOST_SUMS: usize = 30;
const FLOW: Rgb = Rgb([0x1f, 0x5f, 0xa8]);

/// The force that a level joint passes down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CourseForce {
    /// Which course it belongs to, from the lowest up.
    pub course: usize,
    /// Where it passes (m).
    pub at: DVec3,
    /// Force of the upper block on the lower one (N).
    pub force: DVec3,
    /// Largest extent of the joint on the level (m).
    pub width: f64,
}

/// A drawing of a structure with the forces through its courses: arrows along the forces, as wide as the forces are large.
#[derive(Clone, Debug)]
pub struct FlowDrawing<'a> {
    model: &'a Model,
    forces: &'a [CourseForce],
    title: String,
}

impl<'a> FlowDrawing<'a> {
    /// An elevation, seen square on from the longer side; 1600 by 1000 pixels.
    pub fn new(model: &'a Model, forces: &'a [CourseForce]) -> Self {
        Self {
            model,
            forces,
            title: String::new(),
        }
    }

    /// A line of text above it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
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
        let size = self.model.bounds(|b| !b.fixed).size();
        let view = if size.x < size.y { View::SIDE } else { View::FRONT };
        let picture = Picture::new(self.model)
            .size(1600, 1000)
            .view(view)
            .pale(PALENESS)
            .aside(LEGEND * 1000.0);
        if self.title.is_empty() {
            picture
        } else {
            picture.title(self.title.clone())
        }
    }

    fn down(&self) -> DVec3 {
        self.model.gravity.normalize_or(DVec3::NEG_Z)
    }

    fn largest(&self) -> f64 {
        self.forces.iter().map(|f| f.force.length()).fold(0.0, f64::max)
    }

    fn marks(&self, stage: &Stage<'_>) -> Vec<Mark> {
        let largest = self.largest();
        if !(largest > 0.0 && largest.is_finite()) {
            return Vec::new();
        }
        let length = LENGTH * self.spacing() * stage.scale();
        let widths = self.forces.iter().map(|f| f.width).filter(|w| *w > 0.0);
        let typical = middle(widths.collect()).unwrap_or(0.0) * stage.scale();
        let widest = (WIDTH * typical).min(OF_LENGTH * length).max(3.0 * stage.line);
        let mut marks = Vec::new();
        for force in self.forces.iter().filter(|f| f.force.length() > SMALLEST * largest) {
            let along = stage.turn(force.force).normalize_or_zero() * length;
            // Forces across the view have no direction on it.
            let part = force.force.length() / largest;
            marks.extend(band(stage.place(force.at), along, widest * part, stage));
        }
        marks.extend(self.sums(stage));
        marks.extend(self.legend(stage, [length, widest / largest]));
        marks
    }

    /// Distance between courses that follow each other (m), or a part of the height where there is one course only.
    fn spacing(&self) -> f64 {
        let heights = self.heights();
        let gaps = heights.windows(2).map(|h| h[1].1 - h[0].1).collect();
        let bounds = self.model.bounds(|b| !b.fixed);
        let height = (bounds.max - bounds.min).dot(self.down()).abs();
        middle(gaps).unwrap_or(0.3 * height).min(0.3 * height)
    }

    /// Courses with their heights (m) and the sums of their forces (N), from the lowest up.
    fn heights(&self) -> Vec<(usize, f64, f64)> {
        let down = self.down();
        let mut courses: Vec<(usize, f64, f64)> = Vec::new();
        for force in self.forces {
            let sum = force.force.dot(down);
            match courses.iter_mut().find(|c| c.0 == force.course) {
                Some(course) => course.2 += sum,
                None => courses.push((force.course, -force.at.dot(down), sum)),
            }
        }
        courses.sort_by(|a, b| a.1.total_cmp(&b.1));
        courses
    }

    /// The sum of each course, beside it.
    fn sums(&self, stage: &Stage<'_>) -> Vec<Mark> {
        let courses = self.heights();
        if courses.len() > MOST_SUMS {
            return Vec::new();
        }
        let bounds = self.model.bounds(|_| true);
        let corners = [bounds.min, bounds.max].map(|p| stage.place(p).x);
        let right = corners[0].max(corners[1]) + 0.8 * stage.capitals;
        let room = self.spacing() * stage.scale();
        let capitals = (0.8 * stage.capitals).min(0.55 * room);
        // Of courses that lie too close together for two lines of text, the one that carries more.
        let mut lines: Vec<(f64, f64)> = Vec::new();
        for (_, height, sum) in courses {
            let y = stage.place(-height * self.down()).y + 0.5 * capitals;
            match lines.last_mut() {
                Some(last) if last.0 - y < 1.3 * capitals => {
                    if sum > last.1 {
                        *last = (y, sum);
                    }
                }
                _ => lines.push((y, sum)),
            }
        }
        let write = |text: String, y: f64| stage.text(text, DVec2::new(right, y), capitals);
        let head = lines.last().map(|(y, _)| write("sum".into(), y - 1.9 * capitals));
        let sums = lines.iter().map(|(y, sum)| write(force_text(*sum), *y));
        sums.chain(head).collect()
    }

    fn legend(&self, stage: &Stage<'_>, [length, width]: [f64; 2]) -> Vec<Mark> {
        let text = 0.86 * stage.capitals;
        let mut pen = DVec2::new(stage.size.x - stage.margin - 15.0 * text, stage.margin + 4.0 * text);
        let write = |text: String, at: DVec2, capitals: f64| stage.text(text, at, capitals);
        let mut marks = vec![
            write("force through a joint".into(), pen, text),
            write(
                "width of the arrow".into(),
                pen + DVec2::new(0.0, 1.7 * text),
                0.85 * text,
            ),
        ];
        let round = round_force(self.largest());
        let long = length.min(4.0 * text);
        pen.y += 3.4 * text + 0.5 * long;
        for part in [1.0, 0.5, 0.2] {
            let place = pen + DVec2::new(1.6 * text, 0.0);
            marks.extend(band(place, DVec2::new(0.0, long), part * round * width, stage));
            let beside = pen + DVec2::new(4.2 * text, 0.4 * text);
            marks.push(write(force_text(part * round), beside, text));
            pen.y += long + 1.4 * text;
        }
        if self.heights().len() <= MOST_SUMS {
            marks.push(write("sum: of a course".into(), pen, 0.85 * text));
        }
        marks
    }
}

/// An arrow with its middle at a place, as wide as asked.
fn band(middle: DVec2, along: DVec2, width: f64, stage: &Stage<'_>) -> Vec<Mark> {
    let Some(way) = along.try_normalize() else {
        return Vec::new();
    };
    let half = 0.5 * width.max(0.5 * stage.line);
    let across = way.perp();
    let (from, to) = (middle - 0.5 * along, middle + 0.5 * along);
    // A head that is wider than the shaft, and no longer than half of the arrow.
    let wing = 1.5 * half + 1.2 * stage.line;
    let neck = to - way * (1.3 * wing).min(0.5 * along.length());
    let outline = vec![
        from - half * across,
        neck - half * across,
        neck - wing * across,
        to,
        neck + wing * across,
        neck + half * across,
        from + half * across,
    ];
    vec![Mark::figure(outline, FLOW)]
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use drystone_model::recipes;

    use super::*;

    fn stack() -> Model {
        recipes::find("stack").and_then(|r| r.build(&[])).unwrap()
    }

    fn force(course: usize, z: f64, newtons: f64) -> CourseForce {
        CourseForce {
            course,
            at: DVec3::new(0.0, 0.0, z),
            force: DVec3::NEG_Z * newtons,
            width: 0.5,
        }
    }

    #[test]
    fn sums_of_courses_are_written_from_the_lowest_up() {
        let model = stack();
        let forces = [force(1, 1.0, 20.0), force(0, 0.0, 30.0), force(0, 0.0, 12.0)];
        let drawing = FlowDrawing::new(&model, &forces).title("flow");
        assert_eq!(drawing.heights(), [(0, 0.0, 42.0), (1, 1.0, 20.0)]);
        let svg = drawing.svg().unwrap();
        for text in [">42 N<", ">20 N<", "force through a joint", "flow"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(drawing.png().unwrap().starts_with(b"\x89PNG"));
    }

    #[test]
    fn nothing_or_what_is_no_number_draws_no_arrows() {
        let model = stack();
        for forces in [vec![], vec![force(0, 0.0, 0.0)], vec![force(0, 0.0, f64::NAN)]] {
            let svg = FlowDrawing::new(&model, &forces).svg().unwrap();
            assert!(!svg.contains("force through a joint"));
        }
    }
}

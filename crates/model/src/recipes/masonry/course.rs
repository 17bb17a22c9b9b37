use super::{
    bond::Bond,
    span::{End, Span, cut},
    too_many,
    wall::{Head, Opening, Run, Wall},
};
use crate::{
    Block,
    recipes::{RecipeError, block_count::MOST},
};

/// Walls that share their bed levels.
#[derive(Clone, Debug)]
pub(in crate::recipes) struct Masonry {
    /// Levels of the horizontal joints, from the ground (0) to the highest top.
    pub(in crate::recipes) beds: Vec<f64>,
    /// Length of a unit (m).
    pub(in crate::recipes) unit: f64,
    /// No two that run the same way may overlap in plan.
    pub(in crate::recipes) walls: Vec<Wall>,
}

/// How far a stone reaches past a wall that it ties into, in units.
const TIE: f64 = 0.25;
/// Least bearing of a lintel, and least pier beside an opening, in units.
const BEARING: f64 = 0.5;

impl Masonry {
    /// The blocks, course by course from the ground.
    pub(in crate::recipes) fn lay(&self) -> Result<Vec<Block>, RecipeError> {
        self.check_size()?;
        self.check_openings()?;
        let courses = self.beds.len() - 1;
        // Joints of each wall's last course, as the next one finds them.
        let mut joints_below: Vec<Vec<f64>> = vec![Vec::new(); self.walls.len()];
        let mut blocks = Vec::new();
        for course in 0..courses {
            let z = (self.beds[course], self.beds[course + 1]);
            for (w, wall) in self.walls.iter().enumerate() {
                let mut beside = std::mem::take(&mut joints_below[w]);
                if course + 1 < courses {
                    beside.extend(self.foreign(w, course + 1).flat_map(|(a, b)| [a, b]));
                }
                beside.sort_by(f64::total_cmp);
                let stones = self.stones(w, course, &beside);
                if blocks.len() + stones.len() > MOST {
                    return Err(too_many());
                }
                for (i, stone) in stones.iter().enumerate() {
                    let name = format!("{}-{}-{}", wall.name, course + 1, i + 1);
                    let middle = 0.5 * (stone.left.mean() + stone.right.mean());
                    let group = wall.group_at(course, &self.beds, middle);
                    blocks.push(Block::new(name, wall.block(stone, z)).in_group(group));
                }
                joints_below[w] = stones.iter().flat_map(|s| [s.left.above, s.right.above]).collect();
            }
        }
        Ok(blocks)
    }

    /// The stones of a wall's course in order, voussoirs included.
    fn stones(&self, w: usize, course: usize, beside: &[f64]) -> Vec<Span> {
        let wall = &self.walls[w];
        let (bond, whole) = (self.bond(wall), self.whole(w, course));
        let mut stones = Vec::new();
        for stretch in self.stretches(w, course) {
            let joints = bond.joints(course, &stretch, &whole, beside);
            stones.extend(divided(&stretch, &joints));
        }
        let height = self.beds[course + 1] - self.beds[course];
        stones.extend(wall.flat_arches(course).flat_map(|o| o.voussoirs(height)));
        stones.sort_by(|a, b| a.left.mean().total_cmp(&b.left.mean()));
        stones
    }

    fn bond(&self, wall: &Wall) -> Bond {
        let (lo, hi) = wall.extent();
        Bond::fitted(lo, hi, self.unit)
    }

    /// What a wall builds on a course: its stones, less the crossings where another wall runs through.
    fn stretches(&self, w: usize, course: usize) -> Vec<Span> {
        let wall = &self.walls[w];
        self.foreign(w, course)
            .fold(wall.stones(course, &self.beds), |spans, (a, b)| {
                cut(&spans, &Span::plumb(a, b))
            })
    }

    /// Faces of the walls that run through a wall on a course.
    fn foreign(&self, w: usize, course: usize) -> impl Iterator<Item = (f64, f64)> {
        let through = (0..self.walls.len()).filter(move |&o| self.runs_through(o, w, course));
        through.map(|o| self.walls[o].faces)
    }

    /// Whether wall `o` takes the place where it crosses wall `w` on a course.
    fn runs_through(&self, o: usize, w: usize, course: usize) -> bool {
        if !self.crosses(o, w, course) {
            return false;
        }
        let turn = match self.walls[o].run {
            Run::AlongX => course.is_multiple_of(2),
            Run::AlongY => !course.is_multiple_of(2),
        };
        turn || !self.crosses(w, o, course)
    }

    /// Whether wall `o` is solid across the thickness of wall `w` on a course.
    fn crosses(&self, o: usize, w: usize, course: usize) -> bool {
        let (other, wall) = (&self.walls[o], &self.walls[w]);
        let (lo, hi) = wall.extent();
        if other.run == wall.run || other.faces.1 <= lo || hi <= other.faces.0 {
            return false;
        }
        let solid = other.solid(course, &self.beds);
        solid.iter().any(|s| s.covers(wall.faces.0, wall.faces.1))
    }

    /// Intervals of a wall's course that no joint may cut: lintels, and stones that tie into other walls.
    fn whole(&self, w: usize, course: usize) -> Vec<(f64, f64)> {
        let wall = &self.walls[w];
        let unit = self.bond(wall).unit;
        let heads = wall.openings.iter().filter(|o| o.courses.end == course);
        let lintels = heads.filter(|o| o.head == Head::Lintel).map(|o| {
            let bearing = BEARING * unit;
            (o.jambs.0 - bearing, o.jambs.1 + bearing)
        });
        let near = course.saturating_sub(1)..(course + 2).min(self.beds.len() - 1);
        let crossed = (0..self.walls.len())
            .filter(|&o| !self.runs_through(o, w, course) && near.clone().any(|k| self.crosses(o, w, k)));
        let tie = TIE * unit;
        let ties = crossed.map(|o| (self.walls[o].faces.0 - tie, self.walls[o].faces.1 + tie));
        lintels.chain(ties).collect()
    }

    fn check_size(&self) -> Result<(), RecipeError> {
        let stones = |wall: &Wall| {
            let (lo, hi) = wall.extent();
            let courses: usize = wall.panels.iter().map(|p| p.courses.len()).sum();
            (hi - lo) / self.unit * courses as f64
        };
        // Gables and openings take less than the rectangle around them: the exact count is checked as blocks are laid.
        let estimate: f64 = self.walls.iter().map(stones).sum();
        if estimate > 2.0 * MOST as f64 {
            Err(too_many())
        } else {
            Ok(())
        }
    }

    fn check_openings(&self) -> Result<(), RecipeError> {
        for (w, wall) in self.walls.iter().enumerate() {
            for (i, opening) in wall.openings.iter().enumerate() {
                self.check_opening(w, opening)?;
                let taken = |o: &Opening| o.courses.start..o.courses.end + 1;
                let (mine, bearing) = (taken(opening), BEARING * self.bond(wall).unit);
                for other in &wall.openings[..i] {
                    let theirs = taken(other);
                    let level = mine.start < theirs.end && theirs.start < mine.end;
                    let (a, b) = (opening.jambs, other.jambs);
                    if level && a.0 < b.1 + 2.0 * bearing && b.0 < a.1 + 2.0 * bearing {
                        return Err(RecipeError::conflict(format!(
                            "wall `{}`: less than a unit ({:.3} m) of wall is left between the {} and the {}; make \
                             them narrower or shorter, or the wall longer",
                            wall.name,
                            2.0 * bearing,
                            other.name,
                            opening.name
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    /// An opening must leave a pier of half a unit on either side, and a course for its head.
    fn check_opening(&self, w: usize, opening: &Opening) -> Result<(), RecipeError> {
        let wall = &self.walls[w];
        let bearing = BEARING * self.bond(wall).unit;
        let refused = |why: String| {
            Err(RecipeError::conflict(format!(
                "wall `{}`: the {} {why}",
                wall.name, opening.name
            )))
        };
        if opening.courses.is_empty() || opening.jambs.0 >= opening.jambs.1 {
            return refused("is less than a course high; make it higher, or the courses lower".to_string());
        }
        for course in opening.courses.start..=opening.courses.end {
            if course + 1 >= self.beds.len() || wall.outline(course, &self.beds).is_empty() {
                return refused(format!(
                    "reaches up to {:.3} m and leaves no course for its head; make it lower, or the wall higher",
                    self.beds[opening.courses.end.min(self.beds.len() - 1)]
                ));
            }
            let height = self.beds[course + 1] - self.beds[course];
            let slack = 1e-9 * bearing;
            let (lo, hi) = opening.needs(course, height, bearing - slack);
            let whole = wall.outline(course, &self.beds).iter().any(|s| s.covers(lo, hi));
            let crossed = (0..self.walls.len()).any(|o| {
                let faces = self.walls[o].faces;
                self.crosses(o, w, course) && faces.0 < hi && lo < faces.1
            });
            if !whole || crossed {
                return refused(format!(
                    "needs the wall from {lo:.3} m to {hi:.3} m to itself, half a unit more than its own width on \
                     either side, at a height of {:.3} m; make it narrower or lower, or the wall longer",
                    self.beds[course]
                ));
            }
        }
        Ok(())
    }
}

/// A stretch divided at some joints.
fn divided(stretch: &Span, joints: &[f64]) -> Vec<Span> {
    let mut left = stretch.left;
    let mut stones = Vec::with_capacity(joints.len() + 1);
    for &x in joints {
        let right = End::plumb(x);
        stones.push(Span { left, right });
        left = right;
    }
    stones.push(Span {
        left,
        right: stretch.right,
    });
    stones
}

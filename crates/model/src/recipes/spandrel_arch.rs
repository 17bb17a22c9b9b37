//! A wall with a semicircular opening whose arch is bonded into the courses: Beatini, Royer-Carfagni and Tasora (2017),
//! figure 8 and section 4, and Nodargi and Bisegna (2024), section 4.4.
//!
//! The ring's back is cut in steps that receive the courses. A bed joint between two courses meets the ring where a
//! radial joint ends, so each stone of the ring below the crown has a soffit, two radial joints, a vertical back as
//! high as one course and, where the ring leans inwards, a level top on which the next course rests. Over the crown the
//! ring is level, at the lowest bed that leaves it its thickness. Every block is convex.

use glam::{DVec2, DVec3};

use super::{
    Recipe, RecipeError, parameters,
    voussoir::{Joint, mirrored, numbered, prism},
};
use crate::{Block, Joints, Model, Shape};

pub(super) const RECIPE: Recipe = Recipe {
    name: "spandrel-arch",
    summary: "A wall with a semicircular opening, the arch bonded into the courses of the wall",
    notes: "Beatini, Royer-Carfagni and Tasora (2017), figure 8 and section 4; Nodargi and Bisegna (2024), section \
            4.4 and figure 13: a wall 5.0 m tall, 0.8 m thick and 16.2 m long with an opening of radius 3.8 m that \
            springs from the ground, 201 blocks, density 1800 kg/m3, friction 0.4. The drawing of the bond is not in \
            the text. Chosen here: ten courses of 30 units of 0.54 m in running bond, whole units at the ends of the \
            top course, half units at the ends of every other; a ring 0.7 m deep, one voussoir a course up to the \
            haunches and five below the level bed over the crown. Where a course meets the ring, the last unit is \
            cut, lengthened or evened out with its neighbour so that no piece is shorter than half a unit and joints \
            stay staggered. A step of the ring's back narrower than a fifth of a course is left out. The vertices of \
            the soffit lie on the circle of the opening. Nodargi and Bisegna (2024) chips the edges by 0.0015 \
            heights: `--chamfer 0.0075`.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        length: f64 = 16.2, in 0.01..=1e4, "m", "Length of the wall, along x";
        height: f64 = 5.0, in 0.01..=1e4, "m", "Height of the wall";
        thickness: f64 = 0.8, in 0.001..=1e4, "m", "Thickness of the wall, along y";
        radius: f64 = 3.8, in 0.005..=1e4, "m", "Radius of the opening";
        ring: f64 = 0.7, in 0.001..=1e4, "m", "Depth of the ring at the beds; at the crown it reaches the next bed";
        courses: usize = 10, in 2..=200, "", "Number of courses over the height";
        unit_length: f64 = 0.54, in 0.001..=1e4, "m", "Length of a unit, adjusted so that whole ones fill a course";
        voussoir_length: f64 = 0.8, in 0.001..=1e4, "m", "Longest soffit of a voussoir; longer ones are divided";
        density: f64 = 1800.0, in 1e-6..=1e6, "kg/m3", "Density of the blocks";
        friction: f64 = 0.4, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

/// Pieces of a course are at least this part of a unit long, and at most one unit longer.
const SHORTEST_PIECE: f64 = 0.5;
/// Staggers beyond this part of a unit count alike when a mason chooses how to end a course.
const AMPLE_STAGGER: f64 = 0.25;
/// Steps of the ring's back narrower than this part of a course are left out.
const NARROWEST_STEP: f64 = 0.2;

fn build(p: &Params) -> Result<Model, RecipeError> {
    let ring = SteppedRing::new(p)?;
    let mut model = Model::named("spandrel-arch");
    model.density = p.density;
    model.joints = Joints::uniform(p.friction);
    let (reach, sole) = (0.6 * p.length, 0.1 * p.height);
    let ground = Shape::cuboid(
        DVec3::new(-reach, -2.0 * p.thickness, -sole),
        DVec3::new(reach, 2.0 * p.thickness, 0.0),
    );
    model
        .blocks
        .push(Block::new("ground", ground).fixed().in_group("ground"));
    model.blocks.extend(voussoirs(p, &ring));
    model.blocks.extend(wall(p, &ring)?);
    Ok(model)
}

/// The right half of the ring: where its stepped back meets the beds.
struct SteppedRing {
    radius: f64,
    course: f64,
    /// Distance of the vertical back from the middle of the opening, for each course that meets the ring.
    backs: Vec<f64>,
}

/// A radial joint in the right half, and the course that its outer end lies in.
struct RadialJoint {
    joint: Joint,
    angle: f64,
    course: usize,
}

impl SteppedRing {
    fn new(p: &Params) -> Result<Self, RecipeError> {
        let (course, outer) = (p.height / p.courses as f64, p.radius + p.ring);
        // A bed a tenth of a course below the ring's outer radius still serves as the crown's; the next one up would
        // leave a step of almost no width below it.
        let beds = (outer / course - 0.1).ceil().max(1.0);
        if beds > p.courses as f64 {
            return Err(RecipeError::conflict(format!(
                "the crown of a ring {} m deep over an opening of radius {} m needs {beds} courses of {course} m; the \
                 wall has {}: give more --courses or --height, or a smaller --radius or --ring",
                p.ring, p.radius, p.courses
            )));
        }
        let mut backs = vec![outer];
        for bed in 1..beds as usize {
            let z = bed as f64 * course;
            let (below, on_circle) = (backs[bed - 1], (outer * outer - z * z).max(0.0).sqrt());
            let step = below - on_circle >= NARROWEST_STEP * course;
            backs.push(if step { on_circle } else { below });
        }
        Ok(Self {
            radius: p.radius,
            course,
            backs,
        })
    }

    fn bed(&self, course: usize) -> f64 {
        course as f64 * self.course
    }

    /// The corner between the back of a course and the level top above it.
    fn corner(&self, course: usize) -> DVec2 {
        DVec2::new(self.backs[course], self.bed(course + 1))
    }

    /// Angle of the joint that ends on the bed below a course.
    fn springing(&self, course: usize) -> f64 {
        self.bed(course).atan2(self.backs[course])
    }

    /// The radial joint at an angle, known to end on the back or the top of the ring in a course.
    fn joint(&self, course: usize, angle: f64) -> RadialJoint {
        let corner = self.corner(course);
        let (sin, cos) = angle.sin_cos();
        let on_back = DVec2::new(corner.x, corner.x * sin / cos);
        let mut end = if on_back.y <= corner.y {
            on_back
        } else {
            DVec2::new(corner.y * cos / sin, corner.y)
        };
        // A joint that ends close to the corner would leave a sliver of an edge there; it is led into the corner.
        let mut angle = angle;
        if end.distance(corner) < 0.1 * self.course {
            end = corner;
            angle = corner.y.atan2(corner.x);
        }
        RadialJoint {
            joint: Joint {
                intrados: self.radius * DVec2::from_angle(angle),
                extrados: end,
            },
            angle,
            course,
        }
    }

    /// The joint that ends on the bed below a course, where the back of the course begins.
    fn bed_joint(&self, course: usize) -> RadialJoint {
        let angle = self.springing(course);
        let end = DVec2::new(self.backs[course], self.bed(course));
        RadialJoint {
            joint: Joint {
                intrados: self.radius * DVec2::from_angle(angle),
                extrados: end,
            },
            angle,
            course,
        }
    }

    /// Radial joints of the right half, from the springing to the keystone, with soffits no longer than `longest`.
    fn joints(&self, longest: f64) -> Vec<RadialJoint> {
        let last = self.backs.len() - 1;
        let stones = |angle: f64| (angle * self.radius / longest - 1e-9).ceil().max(1.0);
        let mut joints = Vec::new();
        for course in 0..=last {
            let from = self.springing(course);
            let (count, step) = if course < last {
                let angle = self.springing(course + 1) - from;
                (stones(angle), angle / stones(angle))
            } else {
                // An odd number over the crown, for a keystone; the right half has the smaller half of them.
                let angle = std::f64::consts::PI - 2.0 * from;
                let odd = 2.0 * (stones(angle) / 2.0).floor() + 1.0;
                ((odd + 1.0) / 2.0, angle / odd)
            };
            joints.push(self.bed_joint(course));
            joints.extend((1..count as usize).map(|i| self.joint(course, from + step * i as f64)));
        }
        joints
    }

    /// The corner of the ring's back between two joints, if it lies strictly between them.
    fn corner_between(&self, course: usize, low: f64, high: f64) -> Option<DVec2> {
        let corner = self.corner(course);
        let angle = corner.y.atan2(corner.x);
        (low < angle - 1e-9 && angle + 1e-9 < high).then_some(corner)
    }
}

/// The stones of the ring from left to right; the middle one is the keystone.
fn voussoirs(p: &Params, ring: &SteppedRing) -> Vec<Block> {
    let joints = ring.joints(p.voussoir_length);
    let mut right: Vec<Vec<DVec2>> = Vec::new();
    for pair in joints.windows(2) {
        let (low, high) = (&pair[0], &pair[1]);
        let mut outline = vec![low.joint.intrados, low.joint.extrados];
        outline.extend(ring.corner_between(low.course, low.angle, high.angle));
        outline.extend([high.joint.extrados, high.joint.intrados]);
        right.push(outline);
    }
    let top = &joints[joints.len() - 1];
    let mut keystone = vec![top.joint.intrados, top.joint.extrados];
    keystone.extend(ring.corner_between(top.course, top.angle, std::f64::consts::FRAC_PI_2));
    keystone.extend(keystone.clone().into_iter().rev().map(mirrored));

    let left = right
        .iter()
        .map(|outline| outline.iter().copied().map(mirrored).collect());
    let outlines: Vec<Vec<DVec2>> = left.chain([keystone]).chain(right.iter().rev().cloned()).collect();
    let (count, middle) = (outlines.len(), right.len());
    let name = |i: usize| match i {
        i if i == middle => "keystone".to_string(),
        i => numbered("voussoir", i + 1, count),
    };
    let solid = |outline| prism(outline, -0.5 * p.thickness, 0.5 * p.thickness);
    let blocks = outlines.into_iter().enumerate();
    blocks
        .map(|(i, outline)| Block::new(name(i), solid(outline)).in_group("arch"))
        .collect()
}

/// The courses of the wall, from the ground up.
fn wall(p: &Params, ring: &SteppedRing) -> Result<Vec<Block>, RecipeError> {
    let units = (p.length / p.unit_length).round().max(1.0);
    let unit = p.length / units;
    let beside = 0.5 * p.length - ring.backs[0];
    if beside < SHORTEST_PIECE * unit {
        return Err(RecipeError::conflict(format!(
            "a wall {} m long leaves {beside:.3} m beside a ring with an outer radius of {} m; at least half a unit \
             ({:.3} m) is needed: give a longer wall, or a smaller --radius, --ring or --unit-length",
            p.length,
            ring.backs[0],
            SHORTEST_PIECE * unit
        )));
    }
    if units * p.courses as f64 > 50_000.0 {
        return Err(RecipeError::conflict(format!(
            "{units} units in each of {} courses are more than 50000 blocks: give longer units or fewer courses",
            p.courses
        )));
    }
    let mut blocks = Vec::new();
    let mut below = Vec::new();
    for course in 0..p.courses {
        // Whole units end the top course; from there down, half units and whole ones take turns.
        let first = if (p.courses - 1 - course).is_multiple_of(2) {
            unit
        } else {
            0.5 * unit
        };
        // Distances of the vertical joints from the end of the wall, the ends of the course included.
        let edges: Vec<f64> = if let Some(back) = ring.backs.get(course) {
            let half = course_beside_ring(0.5 * p.length - back, unit, first, &below);
            below.clone_from(&half);
            half.iter()
                .copied()
                .chain(half.iter().rev().map(|d| p.length - d))
                .collect()
        } else {
            let whole = |i: usize| first + unit * i as f64;
            let inner = (0..).map(whole).take_while(|&d| d < p.length - 0.25 * unit);
            [0.0].into_iter().chain(inner).chain([p.length]).collect()
        };
        let opening = ring.backs.get(course).map(|_| edges.len() / 2 - 1);
        let pieces = edges.windows(2).enumerate().filter(|(i, _)| Some(*i) != opening);
        let prefix = numbered("course", course + 1, p.courses);
        for (number, (_, edge)) in pieces.enumerate() {
            let at = |d: f64, y: f64, bed: usize| DVec3::new(d - 0.5 * p.length, y * p.thickness, ring.bed(bed));
            let solid = Shape::cuboid(at(edge[0], -0.5, course), at(edge[1], 0.5, course + 1));
            let name = numbered(&format!("{prefix}-block"), number + 1, edges.len());
            blocks.push(Block::new(name, solid).in_group("wall"));
        }
    }
    Ok(blocks)
}

/// Where the vertical joints of a course between the end of the wall and the ring lie, measured from the end of the
/// wall, both ends included.
///
/// Units run from the end of the wall. What is left at the ring stays as a closer, is added to the last unit, or is
/// evened out with it: whichever keeps pieces of good length and staggers the joints best over the course below.
fn course_beside_ring(length: f64, unit: f64, first: f64, below: &[f64]) -> Vec<f64> {
    let sliver = 1e-6 * unit;
    let regular = (0..)
        .map(|i| first + unit * f64::from(i))
        .take_while(|&d| d < length - sliver);
    let closed: Vec<f64> = [0.0].into_iter().chain(regular).chain([length]).collect();
    let mut ways = vec![closed.clone()];
    if closed.len() > 2 {
        let last = closed.len() - 2;
        let mut lengthened = closed.clone();
        lengthened.remove(last);
        let mut evened = closed;
        evened[last] = 0.5 * (evened[last - 1] + evened[last + 1]);
        ways.extend([lengthened, evened]);
    }
    let good_lengths = |way: &[f64]| {
        let allowed = SHORTEST_PIECE * unit - sliver..=(1.0 + SHORTEST_PIECE) * unit + sliver;
        way.windows(2).all(|e| allowed.contains(&(e[1] - e[0])))
    };
    let stagger = |way: &[f64]| {
        let inner = &way[1..way.len() - 1];
        let nearest = inner.iter().flat_map(|d| below.iter().map(move |b| (d - b).abs()));
        nearest.fold(AMPLE_STAGGER * unit, f64::min)
    };
    let mut best = (false, f64::NEG_INFINITY, Vec::new());
    for way in ways {
        let (good, stagger) = (good_lengths(&way), stagger(&way));
        if (good && !best.0) || (good == best.0 && stagger > best.1 + sliver) {
            best = (good, stagger, way);
        }
    }
    best.2
}

#[cfg(test)]
mod tests;

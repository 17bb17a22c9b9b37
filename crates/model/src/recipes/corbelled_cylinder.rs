//! The cylinder of Beatini, Royer-Carfagni and Tasora (2017), figure 10: a massive drum of blocks over an octagonal
//! hole, in which a false dome forms.
//!
//! Every course is a centre block within concentric rings. The boundary between two rings is a regular polygon whose
//! corners are the joints of the outer ring. So a block's inner side is straight and its outer side has a corner
//! wherever a joint of the next ring meets it: blocks are convex, and their joints may be staggered from ring to ring.
//! Two plans alternate from course to course; the rings of the second are set half a ring further out.

use std::f64::consts::TAU;

use glam::DVec2;

use super::{Recipe, RecipeError, block_count::within_limit, parameters};
use crate::{Block, Joints, Model, geometry::Polyhedron};

pub(super) const RECIPE: Recipe = Recipe {
    name: "corbelled-cylinder",
    summary: "A cylinder of bonded rings of blocks over an octagonal hole in the ground",
    notes: "Beatini, Royer-Carfagni and Tasora (2017), section 3.2 and figure 10. Height and diameter are the height \
            and length of the wall of figure 9 (5.0 m and 16.2 m), the hole is an octagon in a circle as wide as the \
            arch of figure 8 (7.6 m). The bond is not given: here courses are 0.5 m high and rings 0.6 m wide, as the \
            wall's blocks would be, so that a cut through the axis is a wall in running bond; a ring has 8, 16, 32... \
            blocks, whichever brings their length nearest to `block-length`, and joints keep at least a quarter of a \
            block from those of the ring within and of the courses above and below. Polygons have their corners on \
            the circles.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        diameter: f64 = 16.2, in 1e-2..=1e4, "m", "Diameter of the cylinder";
        height: f64 = 5.0, in 1e-3..=1e4, "m", "Height of the cylinder";
        opening: f64 = 7.6, in 0.0..=1e4, "m", "Diameter of the circle around the octagonal hole in the ground (0: no hole)";
        courses: usize = 10, in 1..=10_000, "", "Number of courses";
        ring_width: f64 = 0.6, in 1e-3..=1e3, "m", "Width of a ring, and of the centre block of the first course";
        block_length: f64 = 1.2, in 1e-3..=1e3, "m", "Length along the ring that blocks are to have";
        density: f64 = 1800.0, in 1e-6..=1e6, "kg/m3", "Density of the blocks";
        friction: f64 = 0.4, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let [even, odd] = plans(p)?;
    let mut model = Model::named("corbelled-cylinder");
    model.density = p.density;
    model.joints = Joints::uniform(p.friction);
    model.blocks = ground(p);
    let course_height = p.height / p.courses as f64;
    for course in 0..p.courses {
        let plan = if course % 2 == 0 { &even } else { &odd };
        let (low, high) = (course as f64 * course_height, (course + 1) as f64 * course_height);
        for (name, outline) in plan.outlines() {
            let solid = Polyhedron::from_plan(&outline, low, high);
            let block = Block::new(format!("course-{}-{name}", course + 1), solid);
            model.blocks.push(block.in_group("cylinder"));
        }
    }
    Ok(model)
}

/// The ring slab around the hole in eight pieces, or one slab where there is no hole.
fn ground(p: &Params) -> Vec<Block> {
    let eighth = |k: usize| DVec2::from_angle(TAU / 8.0 * k as f64);
    let hole = 0.5 * p.opening;
    let rim = 0.55 * p.diameter / (TAU / 16.0).cos();
    let slab = |name: String, outline: &[DVec2]| {
        let solid = Polyhedron::from_plan(outline, -p.height / p.courses as f64, 0.0);
        Block::new(name, solid).fixed().in_group("ground")
    };
    if hole == 0.0 {
        let outline: Vec<DVec2> = (0..8).map(|k| rim * eighth(k)).collect();
        return vec![slab("ground".into(), &outline)];
    }
    let piece = |k: usize| {
        let (a, b) = (eighth(k), eighth((k + 1) % 8));
        slab(format!("ground-{}", k + 1), &[hole * a, rim * a, rim * b, hole * b])
    };
    (0..8).map(piece).collect()
}

/// The joints of a ring: `count` of them, evenly spaced, the first at `phase` quarters of a block.
#[derive(Clone, Copy)]
struct RadialJoints {
    count: usize,
    phase: usize,
}

impl RadialJoints {
    /// Joints in quarters of a block of a ring with `finest` blocks, so that angles compare exactly.
    fn ticks(&self, finest: usize) -> impl Iterator<Item = usize> + use<> {
        let step = finest / self.count;
        let Self { count, phase } = *self;
        (0..count).map(move |k| (4 * k + phase) * step)
    }

    /// How far the joints of two rings are apart at least, as a fraction of the shorter blocks' length.
    fn stagger(&self, other: &Self) -> f64 {
        let finest = self.count.max(other.count);
        let (a, b) = (self.phase * (finest / self.count), other.phase * (finest / other.count));
        // Counts are powers of two times eight: all distances are alike modulo one short block, 4 ticks.
        let apart = a.abs_diff(b) % 4;
        apart.min(4 - apart) as f64 / 4.0
    }
}

/// A ring of blocks between two radii.
#[derive(Clone, Copy)]
struct Ring {
    inner: f64,
    outer: f64,
    joints: RadialJoints,
}

/// The rings of a course, from the centre block outwards.
struct Plan {
    rings: Vec<Ring>,
    /// Number of blocks of the ring that has most, here or in the other plan.
    finest: usize,
}

/// The two plans that alternate.
fn plans(p: &Params) -> Result<[Plan; 2], RecipeError> {
    let radius = 0.5 * p.diameter;
    if radius < 2.0 * p.ring_width {
        return Err(RecipeError::conflict(format!(
            "--ring-width {}: a cylinder of diameter {} has no room for two rings; give at most {}",
            p.ring_width,
            p.diameter,
            0.5 * radius
        )));
    }
    if p.opening >= p.diameter {
        return Err(RecipeError::conflict(format!(
            "--opening {}: nothing would carry a cylinder of diameter {}; give less",
            p.opening, p.diameter
        )));
    }
    let remedy = "Lower --courses, or raise --ring-width or --block-length.";
    let courses = p.courses as f64;
    // Before any ring is laid: none has fewer than 8 blocks.
    within_limit(8.0 * radius / p.ring_width * courses, remedy)?;
    let mut even = Plan::new(blocks_around(radius, p.block_length));
    even.add_rings(0.5 * p.ring_width, p, None)?;
    let mut odd = Plan::new(even.finest);
    odd.add_rings(p.ring_width, p, Some(&even))?;
    within_limit(courses * even.blocks().max(odd.blocks()) as f64, remedy)?;
    Ok([even, odd])
}

/// 8, 16, 32...: the number that brings the length of blocks around a circle nearest to a length, as a ratio.
fn blocks_around(radius: f64, length: f64) -> usize {
    let doublings = (TAU * radius / (8.0 * length)).log2().round().max(0.0);
    8 << doublings as u32
}

impl Plan {
    fn new(finest: usize) -> Self {
        Self {
            rings: Vec::new(),
            finest,
        }
    }

    fn blocks(&self) -> usize {
        1 + self.rings.iter().map(|r| r.joints.count).sum::<usize>()
    }

    /// Fills the course from the centre block out, each ring's joints as far as can be from those they should not meet.
    fn add_rings(&mut self, centre: f64, p: &Params, beneath: Option<&Self>) -> Result<(), RecipeError> {
        let radius = 0.5 * p.diameter;
        let mut inner = centre;
        while inner < radius {
            // What would be left over as a sliver is given to the last ring.
            let next = inner + p.ring_width;
            let outer = if next > radius - 0.25 * p.ring_width {
                radius
            } else {
                next
            };
            let count = blocks_around(0.5 * (inner + outer), p.block_length);
            let overlapping = beneath.iter().flat_map(|plan| &plan.rings);
            let against: Vec<RadialJoints> = overlapping
                .filter(|r| r.inner < outer && inner < r.outer)
                .chain(self.rings.last())
                .map(|r| r.joints)
                .collect();
            let stagger = |phase: usize| {
                let joints = RadialJoints { count, phase };
                against.iter().map(|other| joints.stagger(other)).fold(1.0, f64::min)
            };
            let phase = (0..4)
                .rev()
                .max_by(|&a, &b| stagger(a).total_cmp(&stagger(b)))
                .unwrap_or(0);
            let joints = RadialJoints { count, phase };
            if let Some(within) = self.rings.last() {
                // The straight sides of this ring's blocks must not cut through the ring within.
                let nearest = inner * (0.5 * TAU / count as f64).cos();
                if nearest < within.inner + 0.1 * (inner - within.inner) {
                    return Err(RecipeError::conflict(format!(
                        "--block-length {}: blocks around a circle of radius {inner:.3} would cut through the ring within, \
                         {} wide; shorten them or widen the rings",
                        p.block_length, p.ring_width
                    )));
                }
            }
            self.rings.push(Ring { inner, outer, joints });
            inner = outer;
        }
        Ok(())
    }

    /// Name and outline of every block of the course.
    fn outlines(&self) -> Vec<(String, Vec<DVec2>)> {
        let Some(first) = self.rings.first() else {
            return Vec::new();
        };
        let centre: Vec<DVec2> = first
            .joints
            .ticks(self.finest)
            .map(|t| first.inner * self.direction(t))
            .collect();
        let mut outlines = vec![("centre".to_string(), centre)];
        for (r, ring) in self.rings.iter().enumerate() {
            let outside = self.rings.get(r + 1).unwrap_or(ring).joints;
            for (k, from) in ring.joints.ticks(self.finest).enumerate() {
                let to = from + 4 * self.finest / ring.joints.count;
                let mut outline = vec![ring.inner * self.direction(to), ring.inner * self.direction(from)];
                outline.extend(self.outer_side(ring.outer, outside, from, to));
                outlines.push((format!("ring-{}-block-{}", r + 1, k + 1), outline));
            }
        }
        outlines
    }

    /// The side of a block along the polygon around its ring, whose corners are the joints of the next ring.
    fn outer_side(&self, radius: f64, corners: RadialJoints, from: usize, to: usize) -> Vec<DVec2> {
        let side = 4 * self.finest / corners.count;
        let first = corners.phase * (self.finest / corners.count);
        // Ticks from the last corner at or before a joint.
        let past = |tick: usize| (tick + 4 * self.finest - first) % side;
        let on_polygon = |tick: usize| {
            if past(tick) == 0 {
                return radius * self.direction(tick);
            }
            let angle = |ticks: f64| TAU * ticks / (4 * self.finest) as f64;
            let half_side = 0.5 * side as f64;
            let apothem = radius * angle(half_side).cos();
            apothem / angle(past(tick) as f64 - half_side).cos() * self.direction(tick)
        };
        let next_corner = from + side - past(from);
        std::iter::once(from)
            .chain((next_corner..to).step_by(side))
            .chain(std::iter::once(to))
            .map(on_polygon)
            .collect()
    }

    fn direction(&self, tick: usize) -> DVec2 {
        let around = 4 * self.finest;
        DVec2::from_angle(TAU * (tick % around) as f64 / around as f64)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::{
        super::soundness::{assert_sound, built, free_volume},
        Params, plans,
    };
    use crate::recipes::find;

    #[test]
    fn blocks_are_sound_and_do_not_overlap() {
        for arguments in [
            "",
            "--diameter 4 --opening 1 --courses 3 --height 1 --block-length 0.4",
            "--diameter 3 --opening 0 --courses 2 --ring-width 0.5",
            "--diameter 7.3 --opening 5 --courses 4 --ring-width 0.9 --block-length 0.7",
        ] {
            assert_sound(&built("corbelled-cylinder", arguments));
        }
    }

    #[test]
    fn blocks_are_convex() {
        for block in &built("corbelled-cylinder", "--courses 2").blocks {
            let solid = block.polyhedron();
            assert!(solid.is_convex(1e-12 * solid.bounds().diagonal()), "{}", block.name);
        }
    }

    /// Blocks that fill the outer polygon of each course and do not overlap leave no gaps.
    #[test]
    fn the_blocks_fill_a_prism() {
        let n = 32.0;
        let expected = 5.0 * 0.5 * n * (TAU / n).sin() * 8.1f64.powi(2);
        let model = built("corbelled-cylinder", "");
        assert!((free_volume(&model) / expected - 1.0).abs() < 1e-12);
        let size = model.bounds(|b| !b.fixed).size();
        assert!((size.z - 5.0).abs() < 1e-12 && size.x <= 16.2 && size.x > 16.1);
    }

    #[test]
    fn no_radial_joint_runs_on_into_the_next_ring_or_course() {
        let [even, odd] = plans(&Params::default()).unwrap();
        for plan in [&even, &odd] {
            for pair in plan.rings.windows(2) {
                assert!(pair[0].joints.stagger(&pair[1].joints) >= 0.25);
            }
        }
        for a in &even.rings {
            for b in odd.rings.iter().filter(|b| b.inner < a.outer && a.inner < b.outer) {
                assert!(a.joints.stagger(&b.joints) >= 0.25);
            }
        }
    }

    #[test]
    fn no_ring_joint_runs_on_into_the_next_course() {
        let [even, odd] = plans(&Params::default()).unwrap();
        for a in &even.rings {
            assert!(odd.rings.iter().all(|b| (a.inner - b.inner).abs() > 0.29));
        }
    }

    #[test]
    fn values_that_do_not_go_together_are_refused() {
        for (name, value, reason) in [
            ("ring-width", "5", "no room for two rings"),
            ("opening", "20", "nothing would carry"),
            ("block-length", "500", "cut through"),
            ("block-length", "0.01", "blocks; at most"),
        ] {
            let values = [(name.to_string(), value.to_string())];
            let message = find("corbelled-cylinder")
                .unwrap()
                .build(&values)
                .unwrap_err()
                .to_string();
            assert!(message.contains(reason), "{message}");
        }
    }
}

//! Corrects a motion until it is one that the joints let pass, to rounding.
//!
//! With `d` the motion of the second block of a joint against the first, a joint lets pass what opens it at least by its
//! friction times its sliding: `g = d_n - mu |d_t| >= 0`. A solver leaves joints that stick with a small `d`, and joints that
//! slide or hinge with a small `g`, of either sign. Which these are shows in their size; the smallest change of the motion
//! that makes them zero is found by Newton's method. Where to draw the line is tried out: what counts is what all closings
//! together leave of the proof.

use drystone_cone::Twist;
use glam::DVec3;

use super::{
    super::{ContactPoint, Loads, Structure},
    system::{Row, System},
    wide::Wide,
};

const TUNING: crate::statics::tuning::CorrectMotion = crate::statics::Tuning::DEFAULT.correct_motion;

/// Improves a motion whose fastest point moves at 1 m/s. Gives the force, over the loads, that some joint or tie would have
/// to carry for the loads to be balanced in spite of it: the power over the sum of all closings.
pub(in super::super) fn motion(
    structure: &Structure,
    loads: &Loads,
    has_friction: bool,
    motions: &mut Vec<Twist>,
) -> f64 {
    let measure = |motions: &[Twist]| proof(structure, loads, has_friction, motions);
    let mut best = measure(motions);
    let start = motions.clone();
    for line in TUNING.lines {
        // First with what hardly moves held at rest: in most structures only some blocks fall.
        for hold in [true, false] {
            if best >= TUNING.enough {
                return best;
            }
            let mut trial = start.clone();
            let speed = |b: usize| start[b].linear.length() + start[b].angular.length() * structure.radius[b];
            let moves = |b: usize| !hold || speed(b) > line;
            for (b, motion) in trial.iter_mut().enumerate() {
                if structure.fixed[b] || !moves(b) {
                    *motion = Twist::ZERO;
                }
            }
            let mut newton = Newton {
                structure,
                has_friction,
                system: System::new(structure, moves),
                active: vec![Active::No; structure.points.len()],
            };
            if newton.system.blocks.is_empty() {
                continue;
            }
            newton.choose(&start, line);
            for _ in 0..TUNING.rounds {
                let moved = newton.round(&mut trial, line);
                let found = measure(&trial);
                if found > best {
                    best = found;
                    motions.clone_from(&trial);
                }
                if !moved {
                    break;
                }
            }
        }
    }
    best
}

/// The power of the loads over the sum of all closings, both over what makes them dimensionless; infinite if nothing closes.
fn proof(structure: &Structure, loads: &Loads, has_friction: bool, motions: &[Twist]) -> f64 {
    let mut closings = 0.0;
    let (mut joint, mut worst) = (u32::MAX, 0.0_f64);
    for point in &structure.points {
        if point.joint != joint {
            closings += worst;
            (joint, worst) = (point.joint, 0.0);
        }
        let (opening, across) = apart(structure, motions, point);
        let needed = if has_friction {
            structure.friction(point) * across.length()
        } else {
            0.0
        };
        worst = worst.max(needed - opening);
    }
    closings += worst;
    for k in 0..structure.ties.len() {
        let longer = lengthening(structure, motions, k);
        closings += if structure.ties[k].pushes() {
            longer.abs()
        } else {
            longer.max(0.0)
        };
    }
    let power = loads.power(motions) / loads.size(structure);
    if closings > 0.0 {
        power / closings
    } else if power > 0.0 {
        f64::INFINITY
    } else {
        0.0
    }
}

/// Relative motion at a point: along the normal, and across.
fn apart(structure: &Structure, motions: &[Twist], point: &ContactPoint) -> (f64, DVec3) {
    let d = relative(structure, motions, point.blocks, [point.position; 2]);
    let opening = d.dot(point.normal);
    (opening, d - opening * point.normal)
}

fn lengthening(structure: &Structure, motions: &[Twist], tie: usize) -> f64 {
    let tie = &structure.ties[tie];
    let way = (tie.ends[1] - tie.ends[0]).normalize_or_zero();
    relative(structure, motions, tie.blocks, tie.ends).dot(way)
}

fn relative(structure: &Structure, motions: &[Twist], blocks: [u32; 2], points: [DVec3; 2]) -> DVec3 {
    let [a, b] = blocks.map(|b| b as usize);
    let mut sum = Wide::default();
    sum.add(motions[b].linear);
    sum.add(-motions[a].linear);
    // w x (p - c) = (p - c) x -w
    sum.add_cross(points[1], structure.center[b], -motions[b].angular);
    sum.add_cross(points[0], structure.center[a], motions[a].angular);
    sum.value()
}

/// What a joint does at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Active {
    /// It opens.
    No,
    /// It opens by its friction times its sliding.
    Slides,
    /// Nothing.
    Sticks,
}

struct Newton<'a> {
    structure: &'a Structure,
    has_friction: bool,
    system: System,
    active: Vec<Active>,
}

impl Newton<'_> {
    fn friction(&self, point: &ContactPoint) -> f64 {
        if self.has_friction {
            self.structure.friction(point)
        } else {
            0.0
        }
    }

    /// Tells what each joint does by how fast it does it.
    fn choose(&mut self, motions: &[Twist], line: f64) {
        for (k, point) in self.structure.points.iter().enumerate() {
            let (opening, across) = apart(self.structure, motions, point);
            let (mu, sliding) = (self.friction(point), across.length());
            self.active[k] = if opening - mu * sliding > line {
                Active::No
            } else if mu > 0.0 && sliding <= line {
                Active::Sticks
            } else {
                Active::Slides
            };
        }
    }

    /// One step of Newton's method; false where nothing is to be done or can be.
    fn round(&mut self, motions: &mut [Twist], line: f64) -> bool {
        let structure = self.structure;
        let mut rows: Vec<(Row, f64)> = Vec::new();
        for (k, point) in structure.points.iter().enumerate() {
            if point.blocks.iter().all(|&b| self.system.place[b as usize].is_none()) {
                continue;
            }
            let (opening, across) = apart(structure, motions, point);
            let (mu, sliding) = (self.friction(point), across.length());
            let g = opening - mu * sliding;
            if self.active[k] == Active::No && g < 0.0 {
                self.active[k] = if mu > 0.0 && sliding <= line {
                    Active::Sticks
                } else {
                    Active::Slides
                };
            }
            let mut add = |along: DVec3, value: f64| {
                let row = self.system.row(structure, point.blocks, [point.position; 2], along);
                rows.push((row, value));
            };
            match self.active[k] {
                Active::No => (),
                Active::Slides => add(point.normal - mu * across.normalize_or_zero(), g),
                Active::Sticks => {
                    let a = point.normal.any_orthonormal_vector();
                    for axis in [a, point.normal.cross(a)] {
                        add(axis, across.dot(axis));
                    }
                    add(point.normal, opening);
                }
            }
        }
        for (k, tie) in structure.ties.iter().enumerate() {
            let longer = lengthening(structure, motions, k);
            if tie.pushes() || longer > -line {
                let way = (tie.ends[1] - tie.ends[0]).normalize_or_zero();
                rows.push((self.system.row(structure, tie.blocks, tie.ends, way), longer));
            }
        }
        if rows.iter().all(|(_, value)| *value == 0.0) || self.system.factor(rows.iter().map(|(row, _)| row)).is_err() {
            return false;
        }
        let mut x = vec![0.0; 6 * self.system.blocks.len()];
        for (row, value) in &rows {
            row.add_to(&mut x, -value);
        }
        self.system.solve(&mut x);
        if !x.iter().all(|x| x.is_finite()) {
            return false;
        }
        for (&b, x) in self.system.blocks.iter().zip(x.as_chunks::<6>().0) {
            motions[b].linear += DVec3::from_slice(&x[..3]);
            motions[b].angular += DVec3::from_slice(&x[3..]) / structure.radius[b];
        }
        true
    }
}

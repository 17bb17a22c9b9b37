//! How far blocks have moved and how fast they are, relative to the ground: now, and at most since the start.
//!
//! All of it is of centres of mass and of free blocks. The ground is the motion that most supports share (of equals that
//! of the first support); a block's displacement is measured from where the ground would have carried it, so that a
//! structure that rides on its supports has none, also where they turn.

use drystone_cone::Twist;
use drystone_model::motion::{Supports, Trajectory};
use glam::{DAffine3, DVec3};
use serde::{Deserialize, Serialize};

use super::Simulation;
use crate::{Structure, dynamics::ReferenceFrame};

/// The largest displacement and the largest speed of a block since the start, relative to the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Largest displacement (m).
    pub displacement: f64,
    /// When it was reached first (s).
    pub displacement_time: f64,
    /// Largest speed (m/s).
    pub speed: f64,
    /// When it was reached first (s).
    pub speed_time: f64,
}

/// How a block has moved relative to the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RelativeMotion {
    /// Displacement of its centre since the start (m).
    pub displacement: DVec3,
    /// Velocity of its centre (m/s).
    pub velocity: DVec3,
}

/// The largest of some quantity, whose it is and when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The quantity.
    pub value: f64,
    /// Index of the block.
    pub block: usize,
    /// Time (s).
    pub time: f64,
}

/// The largest displacements and speeds of a run, relative to the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Largest displacement at any time (m).
    pub max_displacement: Extreme,
    /// Largest speed at any time (m/s).
    pub max_speed: Extreme,
    /// Largest displacement now (m): what remains.
    pub final_displacement: Extreme,
    /// Largest speed now (m/s).
    pub final_speed: Extreme,
}

/// Where the ground is and how it moves.
struct Ground {
    /// From where its points were at the start to where they are.
    map: DAffine3,
    /// A point of it, and the velocities there.
    at: DVec3,
    velocity: Twist,
}

/// A support whose motion is that of the ground, or `None` where that stands still.
pub(super) fn ground_support(structure: &Structure, supports: &Supports) -> Option<usize> {
    let all = supports.trajectories();
    // The last is for supports that stand still.
    let mut counts = vec![(0_usize, None); all.len() + 1];
    for b in (0..structure.len()).filter(|&b| structure.fixed[b]) {
        let own = supports.of(b);
        let k = own.and_then(|own| all.iter().position(|t| std::ptr::eq(t, own)));
        let (count, first) = &mut counts[k.unwrap_or(all.len())];
        *count += 1;
        first.get_or_insert(b);
    }
    let most = counts.into_iter().filter_map(|(count, first)| Some((count, first?)));
    let (_, first) = most.max_by_key(|&(count, first)| (count, std::cmp::Reverse(first)))?;
    supports.of(first).is_some().then_some(first)
}

impl Simulation {
    /// The motion of the ground, where it moves in the axes of the equations.
    fn ground_motion(&self) -> Option<(usize, &Trajectory)> {
        let support = self
            .ground_support
            .filter(|_| self.settings.frame == ReferenceFrame::World)?;
        Some((support, self.supports.of(support)?))
    }

    /// How far the ground has moved (m). Zero in axes that move with it.
    pub fn ground_displacement(&self) -> DVec3 {
        let moved = |(_, motion): (_, &Trajectory)| motion.at(self.state.time).displacement;
        self.ground_motion().map_or(DVec3::ZERO, moved)
    }

    fn ground(&self) -> Option<Ground> {
        let (support, motion) = self.ground_motion()?;
        Some(Ground {
            map: motion.map(self.state.time),
            at: self.state.placements[support].center,
            velocity: self.state.velocities[support],
        })
    }

    fn relative_to(&self, ground: Option<&Ground>, block: usize) -> RelativeMotion {
        let initial = self.structure.center[block];
        let (center, velocity) = (self.state.placements[block].center, self.state.velocities[block].linear);
        match ground {
            None => RelativeMotion {
                displacement: center - initial,
                velocity,
            },
            Some(Ground { map, at, velocity: own }) => {
                let carried = map.transform_point3(initial);
                RelativeMotion {
                    displacement: center - carried,
                    velocity: velocity - own.linear - own.angular.cross(carried - *at),
                }
            }
        }
    }

    /// How each block has moved relative to the ground, supports included.
    pub fn relative_motions(&self) -> impl Iterator<Item = RelativeMotion> + '_ {
        let ground = self.ground();
        (0..self.structure.len()).map(move |b| self.relative_to(ground.as_ref(), b))
    }

    /// Takes note of displacements and speeds at the end of a step.
    pub(super) fn note_motions(&mut self) {
        let (ground, time) = (self.ground(), self.state.time);
        let down = self.structure.gravity.normalize_or_zero();
        let (mut free, mut fallen) = (0_usize, 0_usize);
        let (mut farthest, mut fastest) = (0.0_f64, 0.0_f64);
        for b in 0..self.structure.len() {
            if self.structure.fixed[b] {
                continue;
            }
            let motion = self.relative_to(ground.as_ref(), b);
            let (moved, speed) = (motion.displacement.length(), motion.velocity.length());
            let peak = &mut self.state.peaks[b];
            if moved > peak.displacement {
                (peak.displacement, peak.displacement_time) = (moved, time);
            }
            if speed > peak.speed {
                (peak.speed, peak.speed_time) = (speed, time);
            }
            (farthest, fastest) = (farthest.max(moved), fastest.max(speed));
            free += 1;
            fallen += usize::from(motion.displacement.dot(down) > 2.0 * self.structure.radius[b]);
        }
        self.report.max_displacement = farthest;
        self.report.max_speed = fastest;
        self.report.fallen = fallen as f64 / free.max(1) as f64;
    }

    /// The largest displacements and speeds, since the start and now.
    pub fn extremes(&self) -> Extremes {
        let now = self.state.time;
        let first = self.structure.free().next().unwrap_or(0);
        let none = Extreme {
            value: 0.0,
            block: first,
            time: 0.0,
        };
        let mut extremes = Extremes {
            max_displacement: none,
            max_speed: none,
            final_displacement: Extreme { time: now, ..none },
            final_speed: Extreme { time: now, ..none },
        };
        let ground = self.ground();
        for block in self.structure.free() {
            let peak = &self.state.peaks[block];
            let motion = self.relative_to(ground.as_ref(), block);
            for (extreme, value, time) in [
                (
                    &mut extremes.max_displacement,
                    peak.displacement,
                    peak.displacement_time,
                ),
                (&mut extremes.max_speed, peak.speed, peak.speed_time),
                (&mut extremes.final_displacement, motion.displacement.length(), now),
                (&mut extremes.final_speed, motion.velocity.length(), now),
            ] {
                if value > extreme.value {
                    *extreme = Extreme { value, block, time };
                }
            }
        }
        extremes
    }
}

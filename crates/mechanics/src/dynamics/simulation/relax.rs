//! Equilibria by time steps: motion is taken out of the structure until it stands still under what acts (paper 002, section 4).

use drystone_cone::{BodyMotion, Twist};
use drystone_contact::Placement;
use glam::DVec3;

use super::{
    super::{SimulationError, State, TimeStep},
    Acting, Equilibrated, Simulation,
};

/// Time steps after which there is no equilibrium.
const STEPS: usize = 50_000;
/// The same of explicit ones, each of many short steps.
const EXPLICIT_STEPS: usize = 4_000;
/// Speed of supports in explicit steps, over that of a fall by the size of a block.
const SLOWLY: f64 = 5e-3;
/// What may be left of the force on a block in explicit steps, over the mean load of a block.
const BALANCED: f64 = 1e-4;
/// The same of proximal ones, and what they may leave.
const PROXIMAL_STEPS: usize = 200;
const CLOSELY_LEFT: f64 = 1e-6;
/// Such steps know nothing of the way: what moves by more than this fraction of the size of a block falls, wherever it would land.
const NEAR: f64 = 0.02;
/// What such steps leave is looked at after so many.
const LOOK: usize = 15;
/// Where more than this fraction of it is left then, blocks have a way to go that inertia holds them back from, as on soft joints
/// and where supports move: steps become so many times as long, up to so much in all.
const SLOW: f64 = 0.1;
const LONGER: f64 = 8.0;
const LONGEST: f64 = 512.0;
/// In the longest steps, what leaves more than this and does not become half as much falls.
const FALLS: f64 = 1e-2;
/// Steps that supports move in, where lengthening allows it.
const MOVES: f64 = 50.0;
/// A time step moves supports by no more than this fraction of what falls from rest within it: inertia is then as small a
/// fraction of the weight.
const GENTLE: f64 = 0.02;
/// What may be left of forces and of momentum over a step, over the sum of the loads.
const LEFT: f64 = 1e-3;

/// How motion is taken out of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calming {
    /// By the steps alone, which should be longer than the slowest period, so that they damp what swings.
    None,
    /// Every block is brought to a stop after each step.
    Stops,
    /// The same in steps so long that inertia is nothing beside what blocks resist by as they deform: each is a step of the proximal
    /// point method towards the static equilibrium, with `M / h²` beside K, and a few of them lead there.
    Proximal,
}

impl Simulation {
    /// Steps through time under constant loads until nothing moves any more. Supports go where they are told first, in steps so short that their inertia does not show. Where it goes on moving, the structure is where it was.
    pub fn relax(&mut self, acting: &Acting, calming: Calming) -> Result<Equilibrated, SimulationError> {
        let kept = (self.state.clone(), self.shrinkage);
        let time_step = self.settings.time_step;
        self.shrinkage = acting.shrinkage;
        self.slow = Some(acting.clone());
        let outcome = self.steps_to_rest(acting, calming);
        self.slow = None;
        self.settings.time_step = time_step;
        if !matches!(outcome, Ok(Equilibrated::Found { .. })) {
            self.shrinkage = kept.1;
            self.resume(kept.0)?;
        }
        outcome
    }

    fn steps_to_rest(&mut self, acting: &Acting, calming: Calming) -> Result<Equilibrated, SimulationError> {
        let before = self.state.placements.clone();
        let ways = acting.supports.iter().map(|(b, to)| self.way_of(*b, to));
        let shifted = ways.fold(0.0, f64::max);
        let farthest = match calming {
            Calming::Proximal => NEAR * self.structure.length + 2.0 * shifted,
            _ => self.structure.length + 2.0 * shifted,
        };
        let (gravity, mut dt) = (self.structure.gravity.length(), self.step_length());
        let longest = LONGEST * dt;
        if calming == Calming::Proximal {
            while shifted > MOVES * GENTLE * gravity * dt * dt && gravity > 0.0 && dt < longest {
                dt *= LONGER;
            }
            self.settings.time_step = TimeStep::Fixed(dt);
        }
        let (gentle, steps) = match self.explicit.is_some() {
            _ if calming == Calming::Proximal => (GENTLE * gravity * dt * dt, PROXIMAL_STEPS),
            true => (SLOWLY * (gravity * self.structure.length).sqrt() * dt, EXPLICIT_STEPS),
            false => (GENTLE * gravity * dt * dt, STEPS),
        };
        let moving = match shifted > 0.0 && gentle > 0.0 {
            true => (shifted / gentle).ceil().max(1.0),
            false => 1.0,
        };
        let (mut velocities, mut looked) = (Vec::new(), f64::INFINITY);
        for step in 1..=steps + moving as usize {
            velocities.clone_from(&self.state.velocities);
            let done = (step as f64 / moving).min(1.0);
            if let Some(slow) = &mut self.slow {
                for ((b, at), (_, to)) in slow.supports.iter_mut().zip(&acting.supports) {
                    *at = between(&before[*b], to, done);
                }
            }
            self.step()?;
            self.place_supports();
            let mut falls = false;
            let is_balanced = match self.unbalanced() {
                Some(force) => force <= BALANCED * self.mean_load(),
                None if calming == Calming::Proximal => {
                    let left = self.left(&velocities);
                    if step % LOOK == 0 && done >= 1.0 {
                        falls = left > FALLS && left > 0.5 * looked && dt >= longest;
                        if left > CLOSELY_LEFT && left > SLOW * looked && dt < longest {
                            dt *= LONGER;
                            self.settings.time_step = TimeStep::Fixed(dt);
                        }
                        looked = left;
                    }
                    left <= CLOSELY_LEFT
                }
                None => self.left(&velocities) <= LEFT,
            };
            if done >= 1.0 && is_balanced {
                let residual = self.problem.dt * self.max_speed();
                self.cancel_velocities();
                return Ok(Equilibrated::Found {
                    rounds: step,
                    residual,
                    reaction: 0.0,
                });
            }
            let now = &self.state.placements;
            let is_far = |b: usize| now[b].center.distance(before[b].center) > farthest;
            if falls || self.structure.free().any(is_far) {
                break;
            }
            if calming != Calming::None {
                self.cancel_velocities();
            }
        }
        let motions = self.solution.velocities.clone();
        Ok(Equilibrated::NotFound(motions, self.problem.dt * self.max_speed()))
    }

    /// A bound of the way of the points of a support that is put elsewhere (m).
    pub(super) fn way_of(&self, block: usize, to: &Placement) -> f64 {
        let from = &self.state.placements[block];
        let turned = (to.rotation * from.rotation.conjugate()).to_scaled_axis();
        to.center.distance(from.center) + self.structure.radius[block] * turned.length()
    }

    fn place_supports(&mut self) {
        for &(b, to) in self.slow.iter().flat_map(|acting| &acting.supports) {
            (self.state.placements[b], self.state.velocities[b]) = (to, Twist::ZERO);
        }
    }

    /// Mean of the loads on free blocks, their weights included (N).
    fn mean_load(&self) -> f64 {
        let load = |b: usize| (self.structure.mass[b] * self.structure.gravity + self.forces[b][0]).length();
        let (sum, count) = self
            .structure
            .free()
            .filter(|&b| !self.absent[b])
            .fold((0.0, 0.0), |(sum, count), b| (sum + load(b), count + 1.0));
        sum / f64::max(count, 1.0)
    }

    /// What the forces of the last step leave unbalanced, or would be needed to stop what moves within one more: the larger
    /// of the two sums over blocks, over that of the loads.
    fn left(&self, before: &[Twist]) -> f64 {
        let State { velocities, .. } = &self.state;
        let (dt, gravity) = (self.problem.dt, self.structure.gravity);
        let [mut changed, mut moving, mut loads] = [0.0; 3];
        for b in self.structure.free() {
            let (mass, radius) = (self.structure.mass[b], self.structure.radius[b]);
            let size = |v: &Twist| mass * (v.linear.length() + radius * v.angular.length()) / dt;
            let gained = Twist {
                linear: velocities[b].linear - before[b].linear,
                angular: velocities[b].angular - before[b].angular,
            };
            changed += size(&gained);
            moving += size(&velocities[b]);
            let [force, couple] = self.forces[b];
            loads += (mass * gravity + force).length() + couple.length() / radius;
        }
        match changed.max(moving) {
            0.0 => 0.0,
            left => left / loads,
        }
    }

    /// Forces beside gravity and velocities of supports over a step of `dt` in slow loading.
    pub(super) fn drive_slowly(&mut self, acting: &Acting, dt: f64) {
        self.loads
            .add_by_factors(&acting.factors, &self.state.placements, &mut self.forces);
        for b in self.structure.free() {
            let weight = acting.weights[b] * acting.gravity - self.structure.gravity;
            self.forces[b][0] += self.structure.mass[b] * weight;
        }
        for (b, to) in &acting.supports {
            let from = &self.state.placements[*b];
            let turned: DVec3 = (to.rotation * from.rotation.conjugate()).to_scaled_axis();
            let velocity = Twist {
                linear: (to.center - from.center) / dt,
                angular: turned / dt,
            };
            self.problem.bodies[*b].motion = BodyMotion::Driven { velocity };
        }
    }
}

pub(super) fn between(from: &Placement, to: &Placement, done: f64) -> Placement {
    match done >= 1.0 {
        true => *to,
        false => Placement {
            center: from.center.lerp(to.center, done),
            rotation: from.rotation.slerp(to.rotation, done),
        },
    }
}

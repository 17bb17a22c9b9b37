//! When contacts of explicit steps are found again: by what blocks move, against those that are near and against the ground.

use drystone_cone::{BodyMotion, Twist};
use glam::DVec3;

use super::{Simulation, burst::Explicit};

/// Thickness of the skin within which contacts are found: as a part of the size of the largest block, and at least what two blocks move
/// against each other in some steps.
const SKIN: f64 = 5e-4;
const STEPS: f64 = 3.0;
/// How far a block may fly between two looks for contacts, as a part of the size of the smallest.
const TRAVEL: f64 = 0.1;

impl Simulation {
    /// How long blocks may move before contacts are looked at again (s), of a time that is left: what flies fast must not come far against its
    /// own size, for it would be found where it has passed.
    pub(super) fn piece(&self, left: f64) -> f64 {
        let farthest = self.farthest_ahead(left);
        let smallest = (self.structure.free().filter(|&b| !self.absent[b]))
            .map(|b| self.structure.radius[b])
            .fold(f64::INFINITY, f64::min);
        let pieces = (farthest / (TRAVEL * smallest)).ceil().clamp(1.0, 1e6);
        left / pieces
    }

    /// The velocity of a block over a step that is about to be taken, as far as it is known.
    fn velocity_ahead(&self, block: usize) -> Twist {
        match self.problem.bodies[block].motion {
            BodyMotion::Driven { velocity } => velocity,
            BodyMotion::Free { .. } => self.state.velocities[block],
        }
    }

    /// How far a block has moved against the ground since contacts were found (m).
    fn moved(&self, explicit: &Explicit, block: usize) -> f64 {
        let ground = self.ground_support.map_or(DVec3::ZERO, |b| {
            self.state.placements[b].center - explicit.found_at[b].center
        });
        let (now, then) = (&self.state.placements[block], &explicit.found_at[block]);
        let turned = 2.0 * (now.rotation * then.rotation.conjugate()).xyz().length();
        (now.center - then.center - ground).length() + turned * self.structure.radius[block]
    }

    /// By how much it may move against the ground within a time (m).
    fn ahead(&self, block: usize, dt: f64) -> f64 {
        let mut velocity = self.velocity_ahead(block);
        velocity.linear -= self
            .ground_support
            .map_or(DVec3::ZERO, |b| self.velocity_ahead(b).linear);
        dt * self.speed_of(block, &velocity) + self.falls(dt)
    }

    /// By how much any block may (m).
    fn farthest_ahead(&self, dt: f64) -> f64 {
        let present = (0..self.structure.len()).filter(|&b| !self.absent[b]);
        present.map(|b| self.ahead(b, dt)).fold(0.0, f64::max)
    }

    /// By how much one block may move against another within a time, and how far it has moved since contacts were found (m): what both do alike is
    /// no motion.
    fn moved_apart(&self, explicit: &Explicit, [a, b]: [usize; 2], dt: f64) -> [f64; 2] {
        // Points of the smaller block, as they are seen from the larger.
        let [a, b] = match self.structure.radius[a] < self.structure.radius[b] {
            true => [b, a],
            false => [a, b],
        };
        let (placements, found_at) = (&self.state.placements, &explicit.found_at);
        let turned = [a, b].map(|k| placements[k].rotation * found_at[k].rotation.conjugate());
        let [from, to] = [found_at, placements].map(|at| at[b].center - at[a].center);
        let radius = self.structure.radius[b];
        let angle = 2.0 * (turned[0].conjugate() * turned[1]).xyz().length();
        let [first, second] = [a, b].map(|k| self.velocity_ahead(k));
        let apart = Twist {
            linear: second.linear - first.linear - first.angular.cross(to),
            angular: second.angular - first.angular,
        };
        let speed = apart.linear.length() + radius * apart.angular.length();
        [
            dt * speed + 2.0 * self.falls(dt),
            (to - turned[0] * from).length() + radius * angle,
        ]
    }

    /// How far a block falls within a step, or is pushed.
    fn falls(&self, dt: f64) -> f64 {
        dt * dt * self.structure.gravity.length()
    }

    /// Whether blocks may leave the skin within a step of `dt`: those that are near each other by what they move against each other,
    /// all others by what they move against the ground.
    pub(super) fn has_left(&self, explicit: &Explicit, dt: f64) -> bool {
        let is_out = |b: usize| self.moved(explicit, b) + self.ahead(b, dt) > self.detector.room_left(b);
        let is_apart = |pair: [u32; 2]| {
            let pair = pair.map(|b| b as usize);
            let is_there = pair.iter().all(|&b| !self.absent[b]);
            is_there && self.moved_apart(explicit, pair, dt).iter().sum::<f64>() > explicit.skin
        };
        let present = |b: &usize| !self.absent[*b];
        (0..self.structure.len()).filter(present).any(is_out) || self.detector.near_pairs().any(is_apart)
    }

    /// A skin that blocks do not leave within some steps of `dt`, by how they move now (m).
    pub(super) fn skin(&self, explicit: &Explicit, dt: f64) -> f64 {
        let radii = self.structure.free().map(|b| self.structure.radius[b]);
        let pairs = self.detector.near_pairs().map(|pair| pair.map(|b| b as usize));
        let ahead = pairs.map(|pair| self.moved_apart(explicit, pair, dt)[0]);
        // What is not near must not come to touch within the step.
        let farthest = self.farthest_ahead(dt);
        (SKIN * radii.fold(0.0, f64::max))
            .max(STEPS * ahead.fold(0.0, f64::max))
            .max(2.0 * farthest)
    }
}

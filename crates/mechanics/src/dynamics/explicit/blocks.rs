//! Blocks over a step: momenta change by the forces on them, places by their velocities.

use drystone_contact::Placement;
use glam::{DMat3, DQuat, DVec3};

use super::{
    At, Span,
    points::{Moving, Pull},
    stable::Room,
};

/// How a block moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Free,
    /// A support that stays.
    Still,
    /// A support that follows a motion.
    Driven,
}

/// A block and what acts on it.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Its place in the structure.
    pub(super) index: u32,
    pub(super) kind: Kind,
    /// Of its inertia (kg): with mass scaling more than it weighs.
    pub(super) mass: f64,
    /// Inverse of its inertia, in its own axes.
    pub(super) inverse: DMat3,
    pub(super) rotation: DQuat,
    /// Angular momentum.
    pub(super) momentum: DVec3,
    /// Weight, and force and couple of loads.
    pub(super) weight: DVec3,
    pub(super) load: [DVec3; 2],
    /// Where its pulls begin and end in the list of its part.
    pub(super) pulls: [u32; 2],
    /// Work of loads, or of the support, since the last look (J).
    pub(super) input: f64,
    /// Work that local damping took (J).
    pub(super) damped: f64,
    /// Net force of the last step, with what its couple is at the radius (N).
    pub(super) unbalanced: f64,
    pub(super) radius: f64,
    pub(super) room: Room,
}

/// Which pull acts on a block, and on which of its two.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) at: At,
    pub(super) side: u32,
}

impl Block {
    /// Force and moment of all pulls, in their order.
    #[inline(always)]
    fn pulled(&self, ends: &[End], pulls: &[&[Pull]]) -> [DVec3; 2] {
        let mut sum = [DVec3::ZERO; 2];
        for end in &ends[self.pulls[0] as usize..self.pulls[1] as usize] {
            let pull = &pulls[end.at.part as usize][end.at.place as usize];
            match end.side {
                0 => sum[0] -= pull.force,
                _ => sum[0] += pull.force,
            }
            sum[1] += pull.moments[end.side as usize];
        }
        sum
    }

    /// The angular velocity of a momentum.
    #[inline(always)]
    pub(super) fn spin(&self, axes: DMat3, momentum: DVec3) -> DVec3 {
        axes * (self.inverse * (axes.transpose() * momentum))
    }

    /// Takes a step to `time`.
    #[inline(always)]
    pub(super) fn step(&mut self, now: &mut Moving, ends: &[End], pulls: &[&[Pull]], span: &Span<'_>, time: f64) {
        match self.kind {
            Kind::Still => {}
            Kind::Driven => {
                let [force, moment] = self.pulled(ends, pulls);
                let (last, dt) = ((now.linear, now.angular), span.dt);
                if let Some(Placement { center, rotation }) = (span.drive)(self.index as usize, time) {
                    now.linear = (center - now.center) / dt;
                    now.angular = shortest(rotation * self.rotation.conjugate()) / dt;
                    (now.center, self.rotation) = (center, rotation);
                    now.axes = DMat3::from_quat(rotation);
                }
                // Over a step forces work on the mean of the velocities before and after.
                self.input -= 0.5 * dt * (force.dot(last.0 + now.linear) + moment.dot(last.1 + now.angular));
            }
            Kind::Free => self.move_on(now, self.pulled(ends, pulls), span),
        }
    }

    #[inline(always)]
    fn move_on(&mut self, now: &mut Moving, [force, moment]: [DVec3; 2], span: &Span<'_>) {
        let dt = span.dt;
        let (mut force, mut moment) = (force + self.weight + self.load[0], moment + self.load[1]);
        self.unbalanced = force.length() + moment.length() / self.radius;
        if span.damping > 0.0 {
            // Local damping: opposite to the velocity, by a part of the force that is not balanced.
            let against = |f: DVec3, v: DVec3| {
                let way = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
                -span.damping * f.abs() * DVec3::new(way(v.x), way(v.y), way(v.z))
            };
            let (f, m) = (against(force, now.linear), against(moment, now.angular));
            self.damped -= dt * (f.dot(now.linear) + m.dot(now.angular));
            (force, moment) = (force + f, moment + m);
        }
        let before = (now.linear, now.angular);
        now.linear += force * (dt / self.mass);
        self.momentum += dt * moment;
        let mut angular = self.spin(now.axes, self.momentum);
        // That half-way keeps the energy to the second order; where nothing turns by more than rounding it is the same.
        if angular.length_squared() * dt * dt > 1e-18 {
            angular -= self.spin(now.axes, 0.5 * dt * angular.cross(self.momentum));
        }
        let turned = small_turn(dt * angular) * self.rotation;
        // Close to one, the length is set right without a root.
        self.rotation = turned * (1.5 - 0.5 * turned.length_squared());
        now.angular = angular;
        now.center += dt * now.linear;
        now.axes = DMat3::from_quat(self.rotation);
        let [load, couple] = self.load;
        if load != DVec3::ZERO || couple != DVec3::ZERO {
            self.input += 0.5 * dt * (load.dot(before.0 + now.linear) + couple.dot(before.1 + now.angular));
        }
    }
}

/// The turn by a small vector. Its length is set right afterwards, with that of the rotation.
#[inline(always)]
fn small_turn(by: DVec3) -> DQuat {
    let h = 0.5 * by;
    let square = h.length_squared();
    if square > 1e-4 {
        return DQuat::from_scaled_axis(by);
    }
    let sine = 1.0 - square * (1.0 / 6.0 - square / 120.0);
    DQuat::from_xyzw(sine * h.x, sine * h.y, sine * h.z, 1.0 - square * (0.5 - square / 24.0))
}

/// The vector of a turn, the shorter way round.
fn shortest(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    turn.to_scaled_axis()
}

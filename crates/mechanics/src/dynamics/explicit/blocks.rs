//! Blocks over a step: momenta change by the forces on them, places by their velocities.

use drystone_contact::Placement;
use glam::{DMat3, DQuat, DVec3};

use super::{
    Span,
    points::{Moving, Pull},
    stable::Room,
};

/// A free block and what acts on it.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Its place in the structure.
    pub(super) index: u32,
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
    /// Work of loads since the last look (J).
    pub(super) input: f64,
    /// Work that local damping took (J).
    pub(super) damped: f64,
    /// Net force of the last step, with what its couple is at the radius (N).
    pub(super) unbalanced: f64,
    pub(super) radius: f64,
    pub(super) room: Room,
}

/// A support.
#[derive(Clone, Debug)]
pub(super) struct Support {
    /// Its place in the structure.
    pub(super) index: u32,
    /// Whether it follows a motion.
    pub(super) is_driven: bool,
    pub(super) rotation: DQuat,
}

impl Support {
    /// Where it is after a step to `time`, if it moves, with its velocities within the step.
    pub(super) fn next(&self, now: &Moving, span: &Span<'_>, time: f64) -> Option<(Placement, [DVec3; 2])> {
        if !self.is_driven {
            return None;
        }
        let to = (span.drive)(self.index as usize, time)?;
        let linear = (to.center - now.center()) / span.dt;
        let angular = shortest(to.rotation * self.rotation.conjugate()) / span.dt;
        Some((to, [linear, angular]))
    }

    /// Puts it there.
    pub(super) fn place(&mut self, now: &mut Moving, to: &Placement, [linear, angular]: [DVec3; 2]) {
        self.rotation = to.rotation;
        now.place(to.center, DMat3::from_quat(to.rotation));
        now.set_velocity(linear, angular);
    }
}

impl Block {
    /// The angular velocity of a momentum.
    #[inline(always)]
    pub(super) fn spin(&self, axes: DMat3, momentum: DVec3) -> DVec3 {
        axes * (self.inverse * (axes.transpose() * momentum))
    }

    /// Takes a step by what pulls at it.
    #[inline(always)]
    pub(super) fn step(&mut self, now: &mut Moving, pulled: &Pull, span: &Span<'_>) {
        let dt = span.dt;
        let mut force = pulled.force() + self.weight + self.load[0];
        let mut moment = pulled.moment() + self.load[1];
        let (linear, angular, axes) = (now.linear(), now.angular(), now.axes());
        self.unbalanced = force.length() + moment.length() / self.radius;
        if span.damping > 0.0 {
            // Local damping: opposite to the velocity, by a part of the force that is not balanced.
            let against = |f: DVec3, v: DVec3| {
                let way = |x: f64| if x == 0.0 { 0.0 } else { x.signum() };
                -span.damping * f.abs() * DVec3::new(way(v.x), way(v.y), way(v.z))
            };
            let (f, m) = (against(force, linear), against(moment, angular));
            self.damped -= dt * (f.dot(linear) + m.dot(angular));
            (force, moment) = (force + f, moment + m);
        }
        let before = (linear, angular);
        let linear = linear + force * (dt / self.mass);
        self.momentum += dt * moment;
        let mut angular = self.spin(axes, self.momentum);
        // That half-way keeps the energy to the second order; where nothing turns by more than rounding it is the same.
        if angular.length_squared() * dt * dt > 1e-18 {
            angular -= self.spin(axes, 0.5 * dt * angular.cross(self.momentum));
        }
        let turned = small_turn(dt * angular) * self.rotation;
        // Close to one, the length is set right without a root.
        self.rotation = turned * (1.5 - 0.5 * turned.length_squared());
        now.place(now.center() + dt * linear, DMat3::from_quat(self.rotation));
        now.set_velocity(linear, angular);
        let [load, couple] = self.load;
        if load != DVec3::ZERO || couple != DVec3::ZERO {
            self.input += 0.5 * dt * (load.dot(before.0 + linear) + couple.dot(before.1 + angular));
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

//! Blocks over a step, four at a time: momenta change by the forces on them, places by their velocities.

use drystone_cone::{
    Twist,
    lanes::{Four, Kernel, LANES, Lane, Lane3, Processor, add, four, get, load, set, store, sum_of},
};
use drystone_contact::Placement;
use glam::{DMat3, DQuat, DVec3};

use super::{
    Span,
    points::{Moving, Pull},
    stable::Room,
    vectors::{cross, dot, from_axes, in_axes, transposed},
};

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

/// A free block as it is stated.
pub(super) struct Stated {
    /// Its place in the structure.
    pub(super) index: u32,
    /// Of its inertia (kg): with mass scaling more than it weighs.
    pub(super) mass: f64,
    /// Its inertia, in its own axes.
    pub(super) inertia: DMat3,
    pub(super) placement: Placement,
    pub(super) velocity: Twist,
    pub(super) weight: DVec3,
    pub(super) radius: f64,
    pub(super) room: Room,
}

/// Four free blocks, those that are there, and what acts on them.
#[repr(align(64))]
#[derive(Clone, Debug)]
pub(super) struct Group {
    center: [Four; 3],
    axes: [[Four; 3]; 3],
    linear: [Four; 3],
    angular: [Four; 3],
    /// Angular momentum.
    momentum: [Four; 3],
    /// As x, y, z, w.
    rotation: [Four; 4],
    /// Columns of the inverse of the inertia, in axes of the blocks.
    inverse: [[Four; 3]; 3],
    lightness: Four,
    weight: [Four; 3],
    /// Force and couple of loads.
    load: [[Four; 3]; 2],
    has_load: bool,
    /// Work of loads since the last look (J), and what local damping took.
    input: Four,
    damped: Four,
    /// Net force of the last step, with what its couple is at the radius (N).
    unbalanced: Four,
    radius: Four,
    index: [u32; LANES],
    count: usize,
    rooms: [Room; LANES],
}

fn set3(x: &mut [Four; 3], lane: usize, v: DVec3) {
    (0..3).for_each(|k| set(&mut x[k], lane, v[k]));
}

fn get3(x: &[Four; 3], lane: usize) -> DVec3 {
    DVec3::new(get(&x[0], lane), get(&x[1], lane), get(&x[2], lane))
}

impl Group {
    /// No block.
    pub(super) fn new() -> Self {
        let (zero, three) = (four(0.0), [four(0.0); 3]);
        Self {
            center: three,
            axes: [three; 3],
            linear: three,
            angular: three,
            momentum: three,
            rotation: [zero, zero, zero, four(1.0)],
            inverse: [three; 3],
            lightness: zero,
            weight: three,
            load: [three; 2],
            has_load: false,
            input: zero,
            damped: zero,
            unbalanced: zero,
            radius: four(1.0),
            index: [0; LANES],
            count: 0,
            rooms: [Room::default(); LANES],
        }
    }

    /// Adds a block.
    pub(super) fn push(&mut self, block: &Stated) {
        let lane = self.count;
        self.count += 1;
        let axes = DMat3::from_quat(block.placement.rotation);
        let (inverse, angular) = (block.inertia.inverse(), block.velocity.angular);
        set3(&mut self.center, lane, block.placement.center);
        set3(&mut self.linear, lane, block.velocity.linear);
        set3(&mut self.angular, lane, angular);
        set3(
            &mut self.momentum,
            lane,
            axes * (block.inertia * (axes.transpose() * angular)),
        );
        set3(&mut self.weight, lane, block.weight);
        for k in 0..3 {
            set3(&mut self.axes[k], lane, axes.col(k));
            set3(&mut self.inverse[k], lane, inverse.col(k));
        }
        for (x, value) in self.rotation.iter_mut().zip(block.placement.rotation.to_array()) {
            set(x, lane, value);
        }
        set(&mut self.lightness, lane, 1.0 / block.mass);
        set(&mut self.radius, lane, block.radius);
        (self.index[lane], self.rooms[lane]) = (block.index, block.room);
    }

    /// Its blocks: their places in the group and in the structure.
    pub(super) fn indices(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let index = self.index;
        (0..self.count).map(move |lane| (lane, index[lane] as usize))
    }

    pub(super) fn is_full(&self) -> bool {
        self.count == LANES
    }

    /// Says what acts on a block beside its weight: force and couple.
    pub(super) fn set_load(&mut self, lane: usize, [force, couple]: [DVec3; 2]) {
        set3(&mut self.load[0], lane, force);
        set3(&mut self.load[1], lane, couple);
        let is_any = |x: &[Four; 3]| (0..LANES).any(|lane| get3(x, lane) != DVec3::ZERO);
        self.has_load = self.load.iter().any(is_any);
    }

    /// What part of its dashpots a block has room for.
    pub(super) fn room(&self, lane: usize, dt: f64, damping: f64) -> f64 {
        self.rooms[lane].of(dt, damping)
    }

    /// Brings its blocks to a stop. Gives the kinetic energy that they had (J).
    pub(super) fn halt(&mut self) -> f64 {
        let of = |lane: usize| {
            let linear = get3(&self.linear, lane).length_squared() / get(&self.lightness, lane);
            0.5 * (linear + get3(&self.momentum, lane).dot(get3(&self.angular, lane)))
        };
        let had = (0..self.count).map(of).sum();
        (self.linear, self.angular, self.momentum) = ([four(0.0); 3], [four(0.0); 3], [four(0.0); 3]);
        had
    }

    /// Where a block is and how it moves.
    pub(super) fn state(&self, lane: usize) -> (Placement, Twist) {
        let [x, y, z, w] = self.rotation.map(|x| get(&x, lane));
        let placement = Placement {
            center: get3(&self.center, lane),
            rotation: DQuat::from_xyzw(x, y, z, w),
        };
        let [axes, inverse] = [&self.axes, &self.inverse]
            .map(|m| DMat3::from_cols(get3(&m[0], lane), get3(&m[1], lane), get3(&m[2], lane)));
        let velocity = Twist {
            linear: get3(&self.linear, lane),
            // By the momentum: blocks that are handed on keep it.
            angular: axes * (inverse * (axes.transpose() * get3(&self.momentum, lane))),
        };
        (placement, velocity)
    }

    /// Work of loads, and what local damping took, since the last look (J).
    pub(super) fn take_spent(&mut self) -> [f64; 2] {
        let spent = [sum_of(&self.input), sum_of(&self.damped)];
        (self.input, self.damped) = (four(0.0), four(0.0));
        spent
    }

    /// The largest force that nothing balanced in the last step (N).
    pub(super) fn unbalanced(&self) -> f64 {
        (0..self.count)
            .map(|lane| get(&self.unbalanced, lane))
            .fold(0.0, f64::max)
    }
}

/// A step of some groups of blocks by what pulls at them.
pub(super) struct Moves<'a> {
    pub(super) groups: &'a mut [Group],
    pub(super) moving: &'a mut [Moving],
    pub(super) sums: &'a mut [Pull],
    pub(super) dt: f64,
    /// Local damping.
    pub(super) damping: f64,
    /// Whether it is to be told what is not balanced.
    pub(super) is_last: bool,
}

#[inline(always)]
fn rows<S: Processor>(x: &Lane3<S>) -> [Four; 4] {
    transposed(x[0].four(), x[1].four(), x[2].four(), four(0.0))
}

/// Opposite to a velocity, by a part of a force.
#[inline(always)]
fn against<S: Processor>(damping: f64, f: Lane<S>, v: Lane<S>) -> Lane<S> {
    let size = f.abs() * damping;
    v.positive().choose(-size, (-v).positive().keep(size))
}

#[inline(always)]
fn three<S: Processor>(damping: f64, f: &Lane3<S>, v: &Lane3<S>) -> Lane3<S> {
    [
        against(damping, f[0], v[0]),
        against(damping, f[1], v[1]),
        against(damping, f[2], v[2]),
    ]
}

#[inline(always)]
fn plus<S: Processor>(x: &Lane3<S>, by: Lane<S>, y: &Lane3<S>) -> Lane3<S> {
    [
        by.times_plus(y[0], x[0]),
        by.times_plus(y[1], x[1]),
        by.times_plus(y[2], x[2]),
    ]
}

/// The turn by a small vector. Its length is set right afterwards, with that of the rotation.
#[inline(always)]
fn small_turn<S: Processor>(s: S, by: &Lane3<S>) -> [Lane<S>; 4] {
    let h = [by[0] * 0.5, by[1] * 0.5, by[2] * 0.5];
    let square = dot(&h, &h);
    let one = Lane::splat(s, 1.0);
    if Lane::splat(s, 1e-4).less(square).any() {
        return large_turn(s, by);
    }
    let sine = one - square * (Lane::splat(s, 1.0 / 6.0) - square * (1.0 / 120.0));
    let cosine = one - square * (Lane::splat(s, 0.5) - square * (1.0 / 24.0));
    [sine * h[0], sine * h[1], sine * h[2], cosine]
}

#[inline(always)]
fn large_turn<S: Processor>(s: S, by: &Lane3<S>) -> [Lane<S>; 4] {
    let by = store(*by);
    let mut turn = [four(0.0); 4];
    for lane in 0..LANES {
        let one = DQuat::from_scaled_axis(get3(&by, lane)).to_array();
        for k in 0..4 {
            set(&mut turn[k], lane, one[k]);
        }
    }
    load(s, &turn)
}

/// One turn after another, with its length set right: close to one, that needs no root.
#[inline(always)]
fn turned<S: Processor>(s: S, a: &[Lane<S>; 4], b: &[Lane<S>; 4]) -> [Lane<S>; 4] {
    let [ax, ay, az, aw] = *a;
    let [bx, by, bz, bw] = *b;
    let x = aw * bx + ax * bw + (ay * bz - az * by);
    let y = aw * by + ay * bw + (az * bx - ax * bz);
    let z = aw * bz + az * bw + (ax * by - ay * bx);
    let w = aw * bw - (ax * bx + ay * by + az * bz);
    let square = x * x + y * y + z * z + w * w;
    let scale = Lane::splat(s, 1.5) - square * 0.5;
    [x * scale, y * scale, z * scale, w * scale]
}

#[inline(always)]
fn axes_of<S: Processor>(s: S, [x, y, z, w]: &[Lane<S>; 4]) -> [Lane3<S>; 3] {
    let one = Lane::splat(s, 1.0);
    let (x2, y2, z2) = (*x + *x, *y + *y, *z + *z);
    let (xx, xy, xz) = (*x * x2, *x * y2, *x * z2);
    let (yy, yz, zz) = (*y * y2, *y * z2, *z * z2);
    let (wx, wy, wz) = (*w * x2, *w * y2, *w * z2);
    [
        [one - (yy + zz), xy + wz, xz - wy],
        [xy - wz, one - (xx + zz), yz + wx],
        [xz + wy, yz - wx, one - (xx + yy)],
    ]
}

impl Kernel for Moves<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Processor>(self, s: S) {
        let (dt, half) = (Lane::splat(s, self.dt), Lane::splat(s, 0.5 * self.dt));
        let blocks = self.moving.chunks_mut(LANES).zip(self.sums.chunks_mut(LANES));
        for (group, (moving, sums)) in self.groups.iter_mut().zip(blocks) {
            let mut pulls = [[four(0.0); 2]; LANES];
            for (pull, sum) in pulls.iter_mut().zip(sums) {
                *pull = sum.take();
            }
            let [a, b, c, d] = pulls;
            let [fx, fy, fz, _] = transposed(a[0], b[0], c[0], d[0]);
            let [mx, my, mz, _] = transposed(a[1], b[1], c[1], d[1]);
            let mut force = add(&load(s, &[fx, fy, fz]), &load(s, &group.weight));
            let mut moment = load(s, &[mx, my, mz]);
            let (push, couple) = (load(s, &group.load[0]), load(s, &group.load[1]));
            if group.has_load {
                (force, moment) = (add(&force, &push), add(&moment, &couple));
            }
            let (linear, angular) = (load(s, &group.linear), load(s, &group.angular));
            if self.is_last {
                let couple = dot(&moment, &moment).sqrt() / Lane::new(s, group.radius);
                group.unbalanced = (dot(&force, &force).sqrt() + couple).four();
            }
            if self.damping > 0.0 {
                // Local damping: opposite to the velocity, by a part of the force that is not balanced.
                let (f, m) = (
                    three(self.damping, &force, &linear),
                    three(self.damping, &moment, &angular),
                );
                let power = dot(&f, &linear) + dot(&m, &angular);
                group.damped = (Lane::new(s, group.damped) - power * self.dt).four();
                (force, moment) = (add(&force, &f), add(&moment, &m));
            }
            let axes = [
                load(s, &group.axes[0]),
                load(s, &group.axes[1]),
                load(s, &group.axes[2]),
            ];
            let inverse = [
                load(s, &group.inverse[0]),
                load(s, &group.inverse[1]),
                load(s, &group.inverse[2]),
            ];
            let moves = plus(&linear, Lane::new(s, group.lightness) * dt, &force);
            let momentum = plus(&load(s, &group.momentum), dt, &moment);
            let mut turns = from_axes(&axes, &from_axes(&inverse, &in_axes(&axes, &momentum)));
            // That half-way keeps the energy to the second order; where nothing turns by more than rounding it is the same.
            let is_turning = Lane::splat(s, 1e-18).less(dot(&turns, &turns) * (self.dt * self.dt));
            if is_turning.any() {
                let change = in_axes(&axes, &cross(&turns, &momentum));
                let change = from_axes(&axes, &from_axes(&inverse, &change));
                for k in 0..3 {
                    turns[k] = turns[k] - is_turning.keep(change[k] * half);
                }
            }
            let rotation = load(s, &group.rotation);
            let by = small_turn(s, &[turns[0] * dt, turns[1] * dt, turns[2] * dt]);
            let rotation = turned(s, &by, &rotation);
            let center = plus(&load(s, &group.center), dt, &moves);
            let axes = axes_of(s, &rotation);
            if group.has_load {
                let power = dot(&push, &add(&linear, &moves)) + dot(&couple, &add(&angular, &turns));
                group.input = half.times_plus(power, Lane::new(s, group.input)).four();
            }
            (group.center, group.linear) = (store(center), store(moves));
            (group.angular, group.momentum) = (store(turns), store(momentum));
            group.axes = [store(axes[0]), store(axes[1]), store(axes[2])];
            group.rotation = store(rotation);
            let (center, linear, angular) = (rows(&center), rows(&moves), rows(&turns));
            let (x, y, z) = (rows(&axes[0]), rows(&axes[1]), rows(&axes[2]));
            for (lane, now) in moving.iter_mut().enumerate() {
                now.set(center[lane], [x[lane], y[lane], z[lane]], linear[lane], angular[lane]);
            }
        }
    }
}

/// The vector of a turn, the shorter way round.
fn shortest(turn: DQuat) -> DVec3 {
    let turn = if turn.w < 0.0 { -turn } else { turn };
    turn.to_scaled_axis()
}

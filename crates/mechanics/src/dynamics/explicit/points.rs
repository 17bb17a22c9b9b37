//! Contact points, four joints at a time: forces by springs and dashpots, and what friction and dashpots take.
//!
//! A point is fixed to the second block, and its gap is from a plane that is fixed to the first. Along the normal of that plane it
//! bears `k gap` where it is closed and what its dashpot adds, never a pull. Across it a spring is stored that the
//! blocks stretch as they move; beyond `mu` times the normal force it slips: Coulomb's law, at no extra cost. Both blocks feel
//! the force at the same point, so that angular momentum is kept.
//!
//! All of it is computed in axes of the joint: the normal and two directions across it, which turn with the first block. A lane is a
//! joint of two blocks with up to four points, which are taken one after the other.
//!
//! Positions are half a step ahead of velocities (the leapfrog scheme), so that over a step from one force to the next the work on
//! the blocks is the mean of the two forces times the way between. Springs keep it exactly; what friction and dashpots take is
//! counted the same way, each with its force of the step before.

use drystone_cone::lanes::{Four, Kernel, LANES, Lane, Lane3, Mask, Processor, add, four, get, load, set, sub, sum_of};
use glam::{DMat3, DVec3};

use super::vectors::{cross, dot, from_axes, in_axes, plus_cross, transposed};

/// Points of a joint.
pub(super) const POINTS: usize = 4;

/// A block as its contacts see it. Vectors have a fourth number beside their three, so that they are loaded at once.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    /// Its centre, and what part of its dashpots the block has room for.
    center: Four,
    axes: [Four; 3],
    linear: Four,
    angular: Four,
}

fn padded(v: DVec3, last: f64) -> Four {
    pulp::f64x4(v.x, v.y, v.z, last)
}

fn vector(x: &Four) -> DVec3 {
    DVec3::new(x.0, x.1, x.2)
}

impl Moving {
    pub(super) fn new(center: DVec3, axes: DMat3, linear: DVec3, angular: DVec3) -> Self {
        let mut new = Self {
            center: four(1.0),
            axes: [four(0.0); 3],
            linear: four(0.0),
            angular: four(0.0),
        };
        new.place(center, axes);
        new.set_velocity(linear, angular);
        new
    }

    pub(super) fn center(&self) -> DVec3 {
        vector(&self.center)
    }

    pub(super) fn axes(&self) -> DMat3 {
        let [x, y, z] = &self.axes;
        DMat3::from_cols(vector(x), vector(y), vector(z))
    }

    pub(super) fn linear(&self) -> DVec3 {
        vector(&self.linear)
    }

    pub(super) fn angular(&self) -> DVec3 {
        vector(&self.angular)
    }

    /// What part of its dashpots the block has room for.
    pub(super) fn room(&self) -> f64 {
        self.center.3
    }

    pub(super) fn set_room(&mut self, room: f64) {
        self.center.3 = room;
    }

    /// One of four blocks: centre, axes, velocities, and where they go.
    #[inline(always)]
    pub(super) fn set(&mut self, center: Four, axes: [Four; 3], linear: Four, angular: Four) {
        let room = self.room();
        *self = Self {
            center,
            axes,
            linear,
            angular,
        };
        self.set_room(room);
    }

    pub(super) fn place(&mut self, center: DVec3, axes: DMat3) {
        self.center = padded(center, self.center.3);
        self.axes = [
            padded(axes.x_axis, 0.0),
            padded(axes.y_axis, 0.0),
            padded(axes.z_axis, 0.0),
        ];
    }

    pub(super) fn set_velocity(&mut self, linear: DVec3, angular: DVec3) {
        (self.linear, self.angular) = (padded(linear, 0.0), padded(angular, 0.0));
    }

    /// Velocity of a point at an arm from the centre.
    pub(super) fn at(&self, arm: DVec3) -> DVec3 {
        self.linear() + self.angular().cross(arm)
    }
}

/// Force and moment about the centre of a block.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull([Four; 2]);

impl Default for Pull {
    fn default() -> Self {
        Self([four(0.0); 2])
    }
}

impl Pull {
    fn force(&self) -> DVec3 {
        vector(&self.0[0])
    }

    fn moment(&self) -> DVec3 {
        vector(&self.0[1])
    }

    fn new(force: DVec3, moment: DVec3) -> Self {
        Self([padded(force, 0.0), padded(moment, 0.0)])
    }

    /// Force and moment, each with a fourth number.
    #[inline(always)]
    pub(super) fn take(&mut self) -> [Four; 2] {
        std::mem::take(self).0
    }

    pub(super) fn add(&mut self, o: &Self) {
        let sum = |a: Four, b: Four| pulp::f64x4(a.0 + b.0, a.1 + b.1, a.2 + b.2, a.3 + b.3);
        self.0 = [sum(self.0[0], o.0[0]), sum(self.0[1], o.0[1])];
    }
}

/// What two blocks feel of a force at arms from their centres: the second the force, the first its opposite.
pub(super) fn pulls(force: DVec3, arms: [DVec3; 2]) -> [Pull; 2] {
    [
        Pull::new(-force, -arms[0].cross(force)),
        Pull::new(force, arms[1].cross(force)),
    ]
}

/// Numbers of four joints that need not be exact.
type Short = [f32; LANES];

/// Up to four joints of up to four contact points between two blocks. What is not there has no stiffness.
#[repr(align(64))]
#[derive(Clone, Debug)]
pub(super) struct Pack {
    /// Places of the first and of the second blocks in their part.
    pub(super) blocks: [[u32; LANES]; 2],
    /// Place among those with bonds, or [`Pack::DRY`].
    pub(super) bonded: u32,
    /// Which of the blocks is a support that moves, or [`Pack::NEITHER`].
    driven: [u8; LANES],
    has_driven: bool,
    has_static_friction: bool,
    /// Normal from the first block to the second and a direction across it, in axes of the first.
    normal: [Four; 3],
    across: [Four; 3],
    /// From the centre of the second block to each point, in its axes. Rounded: what rounding does to gaps is in the offset.
    arm: [[Short; 3]; POINTS],
    /// What the gap is more than the way from centre to point along the normal.
    offset: [Four; POINTS],
    /// Along the normal (N/m).
    stiffness: [Four; POINTS],
    /// Stiffness across the normal over that along it.
    tangential: Four,
    /// Dashpots over stiffness (s), along the normal and across it.
    dashpots: [Short; 2],
    /// Of joints that slide, and of those that do not.
    friction: [Short; 2],
}

/// What the points of a pack remember from one step to the next.
#[repr(align(64))]
#[derive(Clone, Debug)]
pub(super) struct Remembered {
    /// Elastic slip of the second block against the first, along the two directions across the normal (m).
    slip: [[Four; 2]; POINTS],
    /// Forces beyond those of springs at the end of the last step: along the normal, and across it.
    lost: [[Short; 3]; POINTS],
    /// Which joints slide at each point, as bits.
    slides: [u8; POINTS],
    /// Whether all points are open, and nothing else is remembered.
    is_open: bool,
}

/// A contact point as it is stated.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stated {
    pub(super) point: DVec3,
    pub(super) gap: f64,
    pub(super) stiffness: f64,
    pub(super) slip: DVec3,
    pub(super) slides: bool,
    /// Force that it was last under, on the second block; zero where that is not known.
    pub(super) force: DVec3,
    /// What share of it bears shear by friction.
    pub(super) dry: f64,
}

/// What the points of one joint share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    pub(super) blocks: [u32; 2],
    /// Which of them is a support that moves, or [`Pack::NEITHER`].
    pub(super) driven: u8,
    pub(super) normal: DVec3,
    pub(super) tangential: f64,
    pub(super) dashpots: [f64; 2],
    pub(super) friction: [f64; 2],
}

fn joint(x: &[Four; 3], lane: usize) -> DVec3 {
    DVec3::new(get(&x[0], lane), get(&x[1], lane), get(&x[2], lane))
}

impl Pack {
    pub(super) const DRY: u32 = u32::MAX;
    pub(super) const NEITHER: u8 = 2;

    /// A pack without a joint.
    pub(super) fn new() -> (Self, Remembered) {
        let pack = Self {
            blocks: [[0; LANES]; 2],
            bonded: Self::DRY,
            driven: [Self::NEITHER; LANES],
            has_driven: false,
            has_static_friction: false,
            normal: [four(0.0); 3],
            across: [four(0.0); 3],
            arm: [[[0.0; LANES]; 3]; POINTS],
            // Points that are not there are open.
            offset: [four(1.0); POINTS],
            stiffness: [four(0.0); POINTS],
            tangential: four(1.0),
            dashpots: [[0.0; LANES]; 2],
            friction: [[0.0; LANES]; 2],
        };
        let remembered = Remembered {
            slip: [[four(0.0); 2]; POINTS],
            lost: [[[0.0; LANES]; 3]; POINTS],
            slides: [0; POINTS],
            is_open: false,
        };
        (pack, remembered)
    }

    /// Sets a joint of some points, at most four, of blocks where they are.
    pub(super) fn set(
        &mut self,
        lane: usize,
        shared: &Shared,
        of: [&Moving; 2],
        points: &[Stated],
        remembered: &mut Remembered,
    ) {
        let normal = of[0].axes().transpose() * shared.normal;
        let across = normal.any_orthonormal_vector();
        for side in 0..2 {
            self.blocks[side][lane] = shared.blocks[side];
            self.dashpots[side][lane] = shared.dashpots[side] as f32;
            self.friction[side][lane] = shared.friction[side] as f32;
        }
        self.driven[lane] = shared.driven;
        self.has_driven |= shared.driven != Self::NEITHER;
        self.has_static_friction |= shared.friction[0] != shared.friction[1];
        set(&mut self.tangential, lane, shared.tangential);
        for k in 0..3 {
            set(&mut self.normal[k], lane, normal[k]);
            set(&mut self.across[k], lane, across[k]);
        }
        let [now, across, third] = self.axes(of, lane);
        let (of_normal, apart) = (of[1].axes().transpose() * now, now.dot(of[1].center() - of[0].center()));
        for (at, point) in points.iter().enumerate() {
            let arm = of[1].axes().transpose() * (point.point - of[1].center());
            for k in 0..3 {
                self.arm[at][k][lane] = arm[k] as f32;
            }
            set(&mut self.offset[at], lane, 0.0);
            let along = self.gap_along(of_normal, apart, lane, at);
            set(&mut self.offset[at], lane, point.gap - along);
            set(&mut self.stiffness[at], lane, point.stiffness);
            remembered.set_slip(lane, at, [across.dot(point.slip), third.dot(point.slip)]);
            remembered.slides[at] |= u8::from(point.slides) << lane;
            if point.gap < 0.0 && point.force != DVec3::ZERO {
                // What is beyond springs has still to work over half a step.
                let tangential = shared.tangential * point.dry;
                let stiffness = [point.stiffness, point.stiffness * tangential];
                let lost = [
                    now.dot(point.force) + stiffness[0] * point.gap,
                    across.dot(point.force) + stiffness[1] * across.dot(point.slip),
                    third.dot(point.force) + stiffness[1] * third.dot(point.slip),
                ];
                (0..3).for_each(|k| remembered.lost[at][k][lane] = lost[k] as f32);
            }
        }
    }

    fn arm(&self, lane: usize, at: usize) -> DVec3 {
        let [x, y, z] = &self.arm[at];
        DVec3::new(f64::from(x[lane]), f64::from(y[lane]), f64::from(z[lane]))
    }

    /// From the centres of the blocks of a joint to a point (m).
    pub(super) fn arms(&self, of: [&Moving; 2], lane: usize, at: usize) -> [DVec3; 2] {
        let arm = of[1].axes() * self.arm(lane, at);
        [(of[1].center() - of[0].center()) + arm, arm]
    }

    /// The normal of a joint now, and two directions across it.
    pub(super) fn axes(&self, of: [&Moving; 2], lane: usize) -> [DVec3; 3] {
        let axes = of[0].axes();
        let (normal, across) = (axes * joint(&self.normal, lane), axes * joint(&self.across, lane));
        [normal, across, normal.cross(across)]
    }

    /// The gap of a point now, below zero where it is compressed (m): by the normal in axes of the second block, and how far apart the
    /// centres are along it.
    #[inline]
    pub(super) fn gap_along(&self, of_normal: DVec3, apart: f64, lane: usize, at: usize) -> f64 {
        of_normal.dot(self.arm(lane, at)) + get(&self.offset[at], lane) + apart
    }

    /// Stiffness of a point along the normal and across it, where all of it is dry (N/m).
    pub(super) fn stiffness(&self, lane: usize, at: usize) -> [f64; 2] {
        let normal = get(&self.stiffness[at], lane);
        [normal, get(&self.tangential, lane) * normal]
    }
}

impl Remembered {
    /// The elastic slip of a point (m), along the two directions across the normal.
    pub(super) fn slip(&self, lane: usize, at: usize) -> [f64; 2] {
        let [y, z] = &self.slip[at];
        [get(y, lane), get(z, lane)]
    }

    pub(super) fn set_slip(&mut self, lane: usize, at: usize, slip: [f64; 2]) {
        (0..2).for_each(|k| set(&mut self.slip[at][k], lane, slip[k]));
    }

    /// The force that a point was under beyond that of its springs (N): along the normal, and across it.
    pub(super) fn lost(&self, lane: usize, at: usize) -> [f64; 3] {
        self.lost[at].map(|f| f64::from(f[lane]))
    }

    /// Whether a point slides.
    pub(super) fn slides(&self, lane: usize, at: usize) -> bool {
        self.slides[at] >> lane & 1 == 1
    }
}

/// A step of some contact points.
pub(super) struct Contacts<'a> {
    pub(super) packs: &'a [Pack],
    pub(super) remembered: &'a mut [Remembered],
    pub(super) blocks: &'a [Moving],
    /// What pulls at each block: added to.
    pub(super) sums: &'a mut [Pull],
    /// Of those with bonds: the share of each point that is dry, and, given back, what presses.
    pub(super) dry: &'a [[Four; POINTS]],
    pub(super) pressed: &'a mut [[Four; POINTS]],
    pub(super) dt: f64,
    /// What dashpots and friction have taken (J): added to.
    pub(super) taken: &'a mut [f64; 2],
    /// Supports that move, and what they have given (J): added to.
    pub(super) driven: Driven<'a>,
    pub(super) input: &'a mut f64,
}

/// Supports that move: velocities before and after a step, added up.
#[derive(Clone, Copy)]
pub(super) struct Driven<'a> {
    /// Place of the first of them in the part.
    pub(super) first: usize,
    pub(super) velocities: &'a [[DVec3; 2]],
    pub(super) dt: f64,
}

impl Driven<'_> {
    /// What a support gives in a step in which something pulls at it (J): the work of forces on the mean of its velocities before and after.
    pub(super) fn input(&self, block: u32, pull: &Pull) -> f64 {
        let [linear, angular] = self.velocities[block as usize - self.first];
        -0.5 * self.dt * (pull.force().dot(linear) + pull.moment().dot(angular))
    }
}

#[inline(always)]
fn wide<S: Processor>(s: S, x: &Short) -> Lane<S> {
    let x = pulp::f64x4(f64::from(x[0]), f64::from(x[1]), f64::from(x[2]), f64::from(x[3]));
    Lane::new(s, x)
}

#[inline(always)]
fn narrow<S: Processor>(x: Lane<S>) -> Short {
    let x = x.four();
    [x.0 as f32, x.1 as f32, x.2 as f32, x.3 as f32]
}

#[inline(always)]
fn gathered<S: Processor>(s: S, a: &Four, b: &Four, c: &Four, d: &Four) -> (Lane3<S>, Lane<S>) {
    let [x, y, z, w] = transposed(*a, *b, *c, *d);
    ([Lane::new(s, x), Lane::new(s, y), Lane::new(s, z)], Lane::new(s, w))
}

/// Blocks of four joints.
struct Blocks<S: Processor> {
    center: Lane3<S>,
    room: Lane<S>,
    axes: [Lane3<S>; 3],
    linear: Lane3<S>,
    angular: Lane3<S>,
}

impl<S: Processor> Blocks<S> {
    #[inline(always)]
    fn new(s: S, blocks: &[Moving], [a, b, c, d]: [u32; LANES]) -> Self {
        let (a, b, c, d) = (
            &blocks[a as usize],
            &blocks[b as usize],
            &blocks[c as usize],
            &blocks[d as usize],
        );
        let (center, room) = gathered(s, &a.center, &b.center, &c.center, &d.center);
        Self {
            center,
            room,
            axes: [
                gathered(s, &a.axes[0], &b.axes[0], &c.axes[0], &d.axes[0]).0,
                gathered(s, &a.axes[1], &b.axes[1], &c.axes[1], &d.axes[1]).0,
                gathered(s, &a.axes[2], &b.axes[2], &c.axes[2], &d.axes[2]).0,
            ],
            linear: gathered(s, &a.linear, &b.linear, &c.linear, &d.linear).0,
            angular: gathered(s, &a.angular, &b.angular, &c.angular, &d.angular).0,
        }
    }
}

#[inline(always)]
fn bits<S: Processor>(zero: Lane<S>, mask: Mask<S>) -> u8 {
    let x = mask.choose(zero + 1.0, zero).four();
    u8::from(x.0 > 0.0) | u8::from(x.1 > 0.0) << 1 | u8::from(x.2 > 0.0) << 2 | u8::from(x.3 > 0.0) << 3
}

#[inline(always)]
fn of_bits<S: Processor>(s: S, bits: u8) -> Lane<S> {
    let bit = |k: u8| f64::from(bits >> k & 1);
    Lane::new(s, pulp::f64x4(bit(0), bit(1), bit(2), bit(3)))
}

impl Kernel for Contacts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Processor>(self, s: S) {
        let dt = self.dt;
        let (zero, step) = (Lane::splat(s, 0.0), Lane::splat(s, dt));
        let (mut viscous, mut friction) = (zero, zero);
        for (pack, remembered) in self.packs.iter().zip(self.remembered) {
            let first = Blocks::new(s, self.blocks, pack.blocks[0]);
            let second = Blocks::new(s, self.blocks, pack.blocks[1]);
            let normal = from_axes(&first.axes, &load(s, &pack.normal));
            let between = sub(&second.center, &first.center);
            let of_normal = in_axes(&second.axes, &normal);
            let apart = dot(&normal, &between);
            let arms = [
                [
                    wide(s, &pack.arm[0][0]),
                    wide(s, &pack.arm[0][1]),
                    wide(s, &pack.arm[0][2]),
                ],
                [
                    wide(s, &pack.arm[1][0]),
                    wide(s, &pack.arm[1][1]),
                    wide(s, &pack.arm[1][2]),
                ],
                [
                    wide(s, &pack.arm[2][0]),
                    wide(s, &pack.arm[2][1]),
                    wide(s, &pack.arm[2][2]),
                ],
                [
                    wide(s, &pack.arm[3][0]),
                    wide(s, &pack.arm[3][1]),
                    wide(s, &pack.arm[3][2]),
                ],
            ];
            // Of each point from the centre of the second block, along the normal.
            let heights = [
                dot(&of_normal, &arms[0]),
                dot(&of_normal, &arms[1]),
                dot(&of_normal, &arms[2]),
                dot(&of_normal, &arms[3]),
            ];
            let gaps = [
                heights[0] + Lane::new(s, pack.offset[0]) + apart,
                heights[1] + Lane::new(s, pack.offset[1]) + apart,
                heights[2] + Lane::new(s, pack.offset[2]) + apart,
                heights[3] + Lane::new(s, pack.offset[3]) + apart,
            ];
            let is_closed = (gaps[0].less(zero).or(gaps[1].less(zero))).or(gaps[2].less(zero).or(gaps[3].less(zero)));
            let is_open = !is_closed.any();
            if is_open && remembered.is_open {
                continue;
            }
            remembered.is_open = is_open;
            let across = from_axes(&first.axes, &load(s, &pack.across));
            let axes = [normal, across, cross(&normal, &across)];
            let of_across = in_axes(&second.axes, &across);
            let of_third = cross(&of_normal, &of_across);
            // How the second blocks move against the first, where these are continued to the point.
            let moves = sub(&sub(&second.linear, &first.linear), &cross(&first.angular, &between));
            let linear = in_axes(&axes, &moves);
            let angular = in_axes(&axes, &sub(&second.angular, &first.angular));
            let room = first.room.less(second.room).choose(first.room, second.room);
            let (dashpot, trails) = (room * wide(s, &pack.dashpots[0]), room * wide(s, &pack.dashpots[1]));
            let ratio = Lane::new(s, pack.tangential);
            let mut force = [zero; 3];
            let mut moment = [zero; 3];
            for at in 0..POINTS {
                let gap = gaps[at];
                let closed = gap.less(zero);
                let point = [heights[at], dot(&of_across, &arms[at]), dot(&of_third, &arms[at])];
                let [along, slips_y, slips_z] = plus_cross(&linear, &angular, &point);
                let stiffness = Lane::new(s, pack.stiffness[at]);
                let mut spring = closed.keep(-(stiffness * gap));
                let (depth, travel) = (-gap, along.abs() * dt);
                let crosses = closed.and(depth.less(travel));
                if crosses.any() {
                    // Within this step it closes, or it opens in the next: a spring does no work where it is open, and none is left to it.
                    let share = depth / crosses.choose(travel, zero + 1.0);
                    spring = crosses.choose(spring * (share * 0.5 + 0.5), spring);
                }
                let pushed = (-stiffness).times_plus(along * dashpot, spring);
                let bears = closed.keep(pushed.positive().keep(pushed));
                let beyond = bears - spring;
                let mut holds = stiffness * ratio;
                let mut mu = wide(s, &pack.friction[0]);
                if pack.has_static_friction {
                    let slides = of_bits(s, remembered.slides[at]).positive();
                    mu = slides.choose(mu, wide(s, &pack.friction[1]));
                }
                if pack.bonded != Pack::DRY {
                    // What is bonded bears shear by its bond.
                    let dry = Lane::new(s, self.dry[pack.bonded as usize][at]);
                    (holds, mu) = (holds * dry, mu * dry);
                    self.pressed[pack.bonded as usize][at] = bears.four();
                }
                let tangential = closed.keep(holds);
                let [before_y, before_z] = [
                    Lane::new(s, remembered.slip[at][0]),
                    Lane::new(s, remembered.slip[at][1]),
                ];
                let (stretched_y, stretched_z) =
                    (slips_y.times_plus(step, before_y), slips_z.times_plus(step, before_z));
                let mut damped_y = -(tangential * (slips_y * trails));
                let mut damped_z = -(tangential * (slips_z * trails));
                let mut shear_y = (-tangential).times_plus(stretched_y, damped_y);
                let mut shear_z = (-tangential).times_plus(stretched_z, damped_z);
                let mut after_y = closed.keep(stretched_y);
                let mut after_z = closed.keep(stretched_z);
                let square = shear_y.times_plus(shear_y, shear_z * shear_z);
                let most = mu * bears;
                let slips = (most * most).less(square);
                let is_remembered = (before_y * before_y + before_z * before_z).positive();
                let opens = zero.at_most(gap).and(is_remembered);
                if slips.or(opens).any() {
                    // What slips is stretched by what friction holds, and no more; what is open by nothing.
                    let one = zero + 1.0;
                    let share = slips.choose(most, one) / slips.choose(square.sqrt(), one);
                    let behind = slips.keep(share * trails);
                    (shear_y, shear_z) = (shear_y * share, shear_z * share);
                    after_y = closed.keep(stretched_y * share + slips_y * behind);
                    after_z = closed.keep(stretched_z * share + slips_z * behind);
                    (damped_y, damped_z) = (slips.choose(zero, damped_y), slips.choose(zero, damped_z));
                    // Of what has opened, all that it held is lost.
                    let slid =
                        (before_y + after_y) * (stretched_y - after_y) + (before_z + after_z) * (stretched_z - after_z);
                    friction = friction + holds * slid * 0.5;
                }
                let lost = &mut remembered.lost[at];
                viscous = (beyond + wide(s, &lost[0])).times_plus(along, viscous);
                viscous = (damped_y + wide(s, &lost[1])).times_plus(slips_y, viscous);
                viscous = (damped_z + wide(s, &lost[2])).times_plus(slips_z, viscous);
                *lost = [narrow(beyond), narrow(damped_y), narrow(damped_z)];
                remembered.slip[at] = [after_y.four(), after_z.four()];
                if pack.has_static_friction {
                    remembered.slides[at] = bits(zero, slips.and(closed));
                }
                let pulls = [bears, shear_y, shear_z];
                force = add(&force, &pulls);
                moment = plus_cross(&moment, &point, &pulls);
            }
            let force = from_axes(&axes, &force);
            let moment = from_axes(&axes, &moment);
            let on_first = plus_cross(&moment, &between, &force);
            let rows = |[x, y, z]: &Lane3<S>| transposed(x.four(), y.four(), z.four(), four(0.0));
            let pulls = [
                [
                    rows(&[-force[0], -force[1], -force[2]]),
                    rows(&[-on_first[0], -on_first[1], -on_first[2]]),
                ],
                [rows(&force), rows(&moment)],
            ];
            for lane in 0..LANES {
                for side in 0..2 {
                    let [force, moment] = &mut self.sums[pack.blocks[side][lane] as usize].0;
                    *force = (Lane::new(s, *force) + Lane::new(s, pulls[side][0][lane])).four();
                    *moment = (Lane::new(s, *moment) + Lane::new(s, pulls[side][1][lane])).four();
                }
            }
            if pack.has_driven {
                for lane in (0..LANES).filter(|&lane| pack.driven[lane] != Pack::NEITHER) {
                    let side = pack.driven[lane] as usize;
                    let pull = Pull([pulls[side][0][lane], pulls[side][1][lane]]);
                    *self.input += self.driven.input(pack.blocks[side][lane], &pull);
                }
            }
        }
        self.taken[0] -= 0.5 * dt * sum_of(&viscous.four());
        self.taken[1] += sum_of(&friction.four());
    }
}

//! Contact points, four at a time: forces by springs and dashpots, and what friction and dashpots take.
//!
//! A point is fixed to the second block, and its gap is from a plane that is fixed to the first. Along the normal of that plane it
//! bears `k gap` where it is closed and what its dashpot adds, never a pull. Across it a spring is stored that the
//! blocks stretch as they move; beyond `mu` times the normal force it slips: Coulomb's law, at no extra cost. Both blocks feel
//! the force at the same point, so that angular momentum is kept.
//!
//! Positions are half a step ahead of velocities (the leapfrog scheme), so that over a step from one force to the next the work on
//! the blocks is the mean of the two forces times the way between. Springs keep it exactly; what friction and dashpots take is
//! counted the same way, each with its force of the step before.

use drystone_cone::lanes::{Four, Kernel, Lane, Lane3, Processor, add, cross, dot, four, scale, store, sub, sum_of};
use glam::{DMat3, DVec3};

use super::At;

/// A block as its contacts see it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moving {
    pub(super) center: DVec3,
    pub(super) axes: DMat3,
    pub(super) linear: DVec3,
    pub(super) angular: DVec3,
    /// What part of its dashpots the block has room for.
    pub(super) room: f64,
}

impl Moving {
    /// Velocity of a point at an arm from the centre.
    pub(super) fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// Force on the second of two blocks, its opposite acting on the first, and the moments on both about their centres.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pull {
    pub(super) force: DVec3,
    pub(super) moments: [DVec3; 2],
}

impl Pull {
    /// A force at arms from the centres of the two blocks.
    #[inline(always)]
    pub(super) fn new(force: DVec3, arms: [DVec3; 2]) -> Self {
        Self {
            force,
            moments: [-arms[0].cross(force), arms[1].cross(force)],
        }
    }
}

/// Numbers of four points that need not be exact.
type Short = [f32; 4];

/// Up to four contact points between two blocks. Those that are not there have no stiffness.
#[derive(Clone, Debug)]
pub(super) struct Quad {
    pub(super) blocks: [At; 2],
    /// First of its contacts, and how many there are.
    pub(super) first: u32,
    pub(super) count: u32,
    /// Place of its points among those with bonds, or [`Quad::DRY`].
    pub(super) bonded: u32,
    /// Which points slide, as bits.
    pub(super) slides: u32,
    /// Normal from the first block to the second, in axes of the first.
    normal: DVec3,
    /// From the centre of the second block, in its axes. Rounded: what rounding does to gaps is in the offset.
    arm: [Short; 3],
    /// What the gap is more than the way from centre to point along the normal.
    offset: Four,
    /// Along the normal (N/m).
    pub(super) stiffness: Four,
    /// Elastic slip, of the second block against the first (m).
    pub(super) slip: [Four; 3],
    /// Forces beyond those of springs at the end of the last step: along the normal, and across it.
    lost: [Short; 4],
    /// Over the stiffness along the normal: that across it, and the dashpots of the two (s).
    pub(super) tangential: f64,
    pub(super) dashpots: [f64; 2],
    /// The dashpot across over the stiffness across (s).
    trails: f64,
    /// Of joints that slide, and of those that do not.
    friction: [f64; 2],
}

/// A contact point as it is stated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stated {
    pub(super) point: DVec3,
    pub(super) gap: f64,
    pub(super) stiffness: f64,
    pub(super) slip: DVec3,
    pub(super) slides: bool,
}

/// What the points of one joint share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    pub(super) blocks: [At; 2],
    pub(super) normal: DVec3,
    pub(super) tangential: f64,
    pub(super) dashpots: [f64; 2],
    pub(super) friction: [f64; 2],
}

/// One number of four.
fn put(x: &mut Four, lane: usize, value: f64) {
    drystone_cone::lanes::set(x, lane, value);
}

impl Quad {
    pub(super) const DRY: u32 = u32::MAX;

    /// Some points, at most four, of blocks where they are.
    pub(super) fn new(first: u32, shared: &Shared, of: [&Moving; 2], points: &[Stated]) -> Self {
        let normal = of[0].axes.transpose() * shared.normal;
        let mut quad = Self {
            blocks: shared.blocks,
            first,
            count: points.len() as u32,
            bonded: Self::DRY,
            slides: 0,
            normal,
            arm: [[0.0; 4]; 3],
            offset: four(0.0),
            stiffness: four(0.0),
            slip: [four(0.0); 3],
            lost: [[0.0; 4]; 4],
            tangential: shared.tangential,
            dashpots: shared.dashpots,
            trails: shared.dashpots[1] / shared.tangential,
            friction: shared.friction,
        };
        for (lane, point) in points.iter().enumerate() {
            let arm = of[1].axes.transpose() * (point.point - of[1].center);
            for k in 0..3 {
                quad.arm[k][lane] = arm[k] as f32;
            }
            let along = quad.normal(of).dot(quad.arms(of, lane)[0]);
            put(&mut quad.offset, lane, point.gap - along);
            put(&mut quad.stiffness, lane, point.stiffness);
            for k in 0..3 {
                put(&mut quad.slip[k], lane, point.slip[k]);
            }
            quad.slides |= u32::from(point.slides) << lane;
        }
        quad
    }

    /// From the centres of the blocks to a point (m).
    pub(super) fn arms(&self, of: [&Moving; 2], lane: usize) -> [DVec3; 2] {
        let arm = of[1].axes * DVec3::from_array(self.arm.map(|x| f64::from(x[lane])));
        [(of[1].center - of[0].center) + arm, arm]
    }

    /// The normal now.
    pub(super) fn normal(&self, of: [&Moving; 2]) -> DVec3 {
        of[0].axes * self.normal
    }

    /// The gap of a point now, below zero where it is compressed (m).
    pub(super) fn gap(&self, of: [&Moving; 2], lane: usize) -> f64 {
        self.normal(of).dot(self.arms(of, lane)[0]) + self.at(&self.offset, lane)
    }

    /// The elastic slip of a point (m).
    pub(super) fn slip(&self, lane: usize) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|k| self.at(&self.slip[k], lane)))
    }

    /// One of four numbers.
    pub(super) fn at(&self, x: &Four, lane: usize) -> f64 {
        drystone_cone::lanes::get(x, lane)
    }

    /// The force that a point was under beyond that of its springs (N): along the normal, and across it.
    pub(super) fn lost(&self, lane: usize) -> (f64, DVec3) {
        let [normal, x, y, z] = self.lost.map(|f| f64::from(f[lane]));
        (normal, DVec3::new(x, y, z))
    }
}

/// A step of some contact points.
pub(super) struct Contacts<'a> {
    pub(super) quads: &'a mut [Quad],
    pub(super) blocks: &'a [&'a [Moving]],
    pub(super) pulls: &'a mut [Pull],
    /// Of those with bonds: the share of each point that is dry, and, given back, what presses.
    pub(super) dry: &'a [Four],
    pub(super) pressed: &'a mut [Four],
    pub(super) dt: f64,
    /// What dashpots and friction have taken (J): added to.
    pub(super) taken: &'a mut [f64; 2],
}

#[inline(always)]
fn wide(x: &Short) -> Four {
    let [a, b, c, d] = x.map(f64::from);
    pulp::f64x4(a, b, c, d)
}

#[inline(always)]
fn narrow(x: Four) -> Short {
    [x.0 as f32, x.1 as f32, x.2 as f32, x.3 as f32]
}

#[inline(always)]
fn splat<S: Processor>(s: S, v: DVec3) -> Lane3<S> {
    [Lane::splat(s, v.x), Lane::splat(s, v.y), Lane::splat(s, v.z)]
}

#[inline(always)]
fn turned<S: Processor>(s: S, axes: &DMat3, arm: &[Short; 3]) -> Lane3<S> {
    let arm = [0, 1, 2].map(
        #[inline(always)]
        |k| Lane::new(s, wide(&arm[k])),
    );
    let [x, y, z] = [axes.x_axis, axes.y_axis, axes.z_axis];
    [
        arm[0] * x.x + arm[1] * y.x + arm[2] * z.x,
        arm[0] * x.y + arm[1] * y.y + arm[2] * z.y,
        arm[0] * x.z + arm[1] * y.z + arm[2] * z.z,
    ]
}

#[inline(always)]
fn total<S: Processor>(x: &Lane3<S>) -> DVec3 {
    DVec3::new(sum_of(&x[0].four()), sum_of(&x[1].four()), sum_of(&x[2].four()))
}

impl Kernel for Contacts<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Processor>(self, s: S) {
        let Self { blocks, dt, .. } = self;
        let zero = Lane::splat(s, 0.0);
        let (mut viscous, mut friction) = (zero, zero);
        for (quad, pull) in self.quads.iter_mut().zip(self.pulls) {
            let [a, b] = quad.blocks;
            let (first, second) = (
                &blocks[a.part as usize][a.place as usize],
                &blocks[b.part as usize][b.place as usize],
            );
            let (normal, between) = (first.axes * quad.normal, second.center - first.center);
            let arm = turned(s, &second.axes, &quad.arm);
            let gap = dot(&splat(s, normal), &arm) + Lane::new(s, quad.offset) + normal.dot(between);
            let normal = splat(s, normal);
            let stiffness = Lane::new(s, quad.stiffness);
            let closed = gap.less(zero);
            // How the second block moves against the first, where the first is continued to the point.
            let linear = second.linear - first.linear - first.angular.cross(between);
            let velocity = add(
                &splat(s, linear),
                &cross(&splat(s, second.angular - first.angular), &arm),
            );
            let along = dot(&normal, &velocity);
            let across = sub(&velocity, &scale(&normal, along));
            // What stretches is remembered across the normal as it is now.
            let before = [0, 1, 2].map(
                #[inline(always)]
                |k| Lane::new(s, quad.slip[k]),
            );
            let before = sub(&before, &scale(&normal, dot(&normal, &before)));
            let is_remembered = dot(&before, &before).positive();
            let dashpots = first.room.min(second.room);
            let spring = closed.keep(-(stiffness * gap));
            let pushed = spring - stiffness * along * (dashpots * quad.dashpots[0]);
            let bears = closed.keep(pushed.positive().keep(pushed));
            let beyond = bears - spring;
            let lost = [0, 1, 2, 3].map(
                #[inline(always)]
                |k| Lane::new(s, wide(&quad.lost[k])),
            );
            // What is bonded bears shear by its bond.
            let mut holds = stiffness * quad.tangential;
            let mut mu = zero + quad.friction[0];
            if quad.friction[0] != quad.friction[1] {
                let bit = |lane: u32| if quad.slides >> lane & 1 == 1 { 1.0 } else { 0.0 };
                let slides = Lane::new(s, pulp::f64x4(bit(0), bit(1), bit(2), bit(3)));
                mu = slides.positive().choose(mu, zero + quad.friction[1]);
            }
            if quad.bonded != Quad::DRY {
                let dry = Lane::new(s, self.dry[quad.bonded as usize]);
                (holds, mu) = (holds * dry, mu * dry);
            }
            let tangential = closed.keep(holds);
            let stretched = add(&before, &scale(&across, zero + dt));
            let trails = dashpots * quad.trails;
            let held = scale(&add(&stretched, &scale(&across, zero + trails)), -tangential);
            let most = mu * bears;
            let slips = (most * most).less(dot(&held, &held));
            let mut shear = held;
            let mut after = [0, 1, 2].map(
                #[inline(always)]
                |k| closed.keep(stretched[k]),
            );
            let mut damped = scale(&across, -(tangential * trails));
            let opens = zero.at_most(gap).and(is_remembered);
            if slips.or(opens).any() {
                // What slips is stretched by what friction holds, and no more; what is open by nothing.
                let size = dot(&held, &held).sqrt();
                let share = slips.choose(most, zero + 1.0) / slips.choose(size, zero + 1.0);
                shear = scale(&held, share);
                let behind = slips.keep(share * trails);
                after = [0, 1, 2].map(
                    #[inline(always)]
                    |k| closed.keep(stretched[k] * share + across[k] * behind),
                );
                let slid = sub(&stretched, &after);
                // Of what has opened, all that it held is lost.
                friction = friction + holds * dot(&add(&before, &after), &slid) * 0.5;
                damped = [0, 1, 2].map(
                    #[inline(always)]
                    |k| slips.choose(zero, damped[k]),
                );
            }
            let [lost_along, lost_x, lost_y, lost_z] = lost;
            let work = (beyond + lost_along) * along + dot(&add(&damped, &[lost_x, lost_y, lost_z]), &across);
            viscous = viscous - work * (0.5 * dt);
            quad.slip = store(after);
            quad.lost = [
                narrow(beyond.four()),
                narrow(damped[0].four()),
                narrow(damped[1].four()),
                narrow(damped[2].four()),
            ];
            if quad.friction[0] != quad.friction[1] {
                let slides = slips.and(closed).choose(zero + 1.0, zero).four();
                let bits = [slides.0, slides.1, slides.2, slides.3];
                quad.slides = (0..4).map(|lane| u32::from(bits[lane] > 0.0) << lane).sum();
            }
            if quad.bonded != Quad::DRY {
                self.pressed[quad.bonded as usize] = bears.four();
            }
            let force = add(&scale(&normal, bears), &shear);
            let moment = total(&cross(&arm, &force));
            let force = total(&force);
            *pull = Pull {
                force,
                moments: [-(moment + between.cross(force)), moment],
            };
        }
        self.taken[0] += sum_of(&viscous.four());
        self.taken[1] += sum_of(&friction.four());
    }
}

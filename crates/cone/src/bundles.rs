//! Four pairs of bodies side by side, for loops that compute four constraints at once.
//!
//! A bundle holds four pairs with about the same number of constraints: its first block has the first constraint of each
//! pair, its second block the second, and so on. What a pair sums over its constraints is then summed lane by lane, and
//! whatever is computed for one pair is computed for four. Lanes without a constraint are left empty.

use crate::{
    lanes::{self, Four, Kernel, LANES, Lane, Lane3, Processor, cross, four, get, load, set},
    system::{Bodies, NONE, Operator, Pair, System, V6},
};

const TUNING: crate::tuning::Machine = crate::Tuning::DEFAULT.machine;

/// Six numbers of each of four pairs.
pub(crate) type Lane6<S> = [Lane<S>; 6];

/// Four pairs. For a problem without bodies, four constraints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bundle {
    /// First block; the last one is before the first of the next bundle.
    start: u32,
    /// Bodies of each pair, among the free ones; one more than there are where it is not free.
    bodies: [[u32; LANES]; 2],
    arms: [[Four; 3]; 2],
}

/// What is summed over the constraints of each of four pairs.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Joint {
    pub(crate) wrench: [V6; LANES],
    /// The stiffness as it acts on the first body, on the second, and between them; by columns.
    pub(crate) stiffness: [[[f64; 36]; 3]; LANES],
}

/// Where pairs and constraints stand.
#[derive(Debug, Default)]
pub(crate) struct Bundles {
    /// One more than there are: the last tells where blocks end.
    list: Vec<Bundle>,
    /// Bundle and lane of each pair.
    slot: Vec<u32>,
    /// Constraints of each block, or [`NONE`].
    pub(crate) constraints: Vec<[u32; LANES]>,
    pub(crate) joints: Vec<Joint>,
    order: Vec<u32>,
}

/// Something to be done for all bundles.
pub(crate) trait Pass<B>: Sync {
    type Sum: Copy + Send;

    fn zero(&self) -> Self::Sum;

    fn combine<S: Processor>(&self, s: S, a: &Self::Sum, b: &Self::Sum) -> Self::Sum;

    /// Does it for one bundle; `first` is its first block. To be marked `#[inline(always)]`.
    fn bundle<S: Processor>(
        &self,
        s: S,
        bundle: &Bundle,
        first: usize,
        blocks: &mut [B],
        joint: &mut Joint,
    ) -> Self::Sum;
}

impl Bundles {
    /// Makes ready for a system.
    pub(crate) fn arrange(&mut self, system: &System) {
        self.list.clear();
        self.constraints.clear();
        match &system.operator {
            Operator::Bodies(bodies) => self.arrange_pairs(bodies),
            Operator::Matrix(_) => {
                for first in (0..system.len()).step_by(LANES) {
                    self.list.push(Bundle::new(self.constraints.len(), 0));
                    let constraint = |lane| {
                        if first + lane < system.len() {
                            (first + lane) as u32
                        } else {
                            NONE
                        }
                    };
                    self.constraints.push(std::array::from_fn(constraint));
                }
                self.list.push(Bundle::new(self.constraints.len(), 0));
            }
        }
        let empty = Joint {
            wrench: [[0.0; 6]; LANES],
            stiffness: [[[0.0; 36]; 3]; LANES],
        };
        self.joints.resize(self.list.len() - 1, empty);
    }

    fn arrange_pairs(&mut self, bodies: &Bodies) {
        let count = |&p: &u32| bodies.constraints(p as usize).len();
        self.order.clear();
        self.order.extend(0..bodies.len() as u32);
        // Pairs with as many constraints as each other leave no lane empty; neighbours stay neighbours.
        self.order.sort_unstable_by_key(|p| (count(p), *p));
        self.slot.resize(bodies.len(), 0);
        let free = bodies.mass.len() as u32;
        for (k, pairs) in self.order.chunks(LANES).enumerate() {
            let first = self.constraints.len();
            let depth = pairs.iter().map(count).max().unwrap_or(0);
            self.constraints.resize(first + depth, [NONE; LANES]);
            let mut bundle = Bundle::new(first, free);
            for (lane, &p) in pairs.iter().enumerate() {
                self.slot[p as usize] = (k * LANES + lane) as u32;
                bundle.set(lane, &bodies.pairs[p as usize]);
                for (block, i) in bodies.constraints(p as usize).enumerate() {
                    self.constraints[first + block][lane] = i as u32;
                }
            }
            self.list.push(bundle);
        }
        self.list.push(Bundle::new(self.constraints.len(), free));
    }

    /// What was summed for a pair, and its lane.
    #[inline(always)]
    pub(crate) fn joint(&self, pair: usize) -> (&Joint, usize) {
        let slot = self.slot[pair] as usize;
        (&self.joints[slot / LANES], slot % LANES)
    }

    /// Does something for all bundles, and combines what it returns in a tree of fixed shape.
    pub(crate) fn each<B: Send, P: Pass<B>>(&mut self, blocks: &mut [B], pass: &P) -> P::Sum {
        part(&self.list, blocks, &mut self.joints, pass)
    }
}

fn part<B: Send, P: Pass<B>>(list: &[Bundle], blocks: &mut [B], joints: &mut [Joint], pass: &P) -> P::Sum {
    if joints.len() > TUNING.bundles {
        let half = joints.len() / 2;
        let (left, right) = joints.split_at_mut(half);
        let (a, b) = blocks.split_at_mut((list[half].start - list[0].start) as usize);
        let (a, b) = rayon::join(
            || part(&list[..half + 1], a, left, pass),
            || part(&list[half..], b, right, pass),
        );
        return pass.combine(pulp::Scalar256b, &a, &b);
    }
    lanes::run(Part {
        list,
        blocks,
        joints,
        pass,
    })
}

struct Part<'a, B, P> {
    list: &'a [Bundle],
    blocks: &'a mut [B],
    joints: &'a mut [Joint],
    pass: &'a P,
}

impl<B, P: Pass<B>> Kernel for Part<'_, B, P> {
    type Output = P::Sum;

    #[inline(always)]
    fn run<S: Processor>(self, s: S) -> P::Sum {
        let mut sum = self.pass.zero();
        let mut rest = self.blocks;
        for (k, joint) in self.joints.iter_mut().enumerate() {
            let bundle = &self.list[k];
            let (own, later) = rest.split_at_mut((self.list[k + 1].start - bundle.start) as usize);
            rest = later;
            let more = self.pass.bundle(s, bundle, bundle.start as usize, own, joint);
            sum = self.pass.combine(s, &sum, &more);
        }
        sum
    }
}

impl Bundle {
    fn new(start: usize, free: u32) -> Self {
        Self {
            start: start as u32,
            bodies: [[free; LANES]; 2],
            arms: [[four(0.0); 3]; 2],
        }
    }

    fn set(&mut self, lane: usize, pair: &Pair) {
        for side in 0..2 {
            if pair.bodies[side] != NONE {
                self.bodies[side][lane] = pair.bodies[side];
            }
            for k in 0..3 {
                set(&mut self.arms[side][k], lane, pair.arms[side][k]);
            }
        }
    }

    /// Relative twist of each pair, at its point. The last of `twist` is zero, for what is not free.
    #[inline(always)]
    pub(crate) fn relative<S: Processor>(&self, s: S, twist: &[V6]) -> Lane6<S> {
        let [first, second] = [self.lever(s, 0, twist), self.lever(s, 1, twist)];
        let mut sum = second;
        for k in 0..6 {
            sum[k] = second[k] - first[k];
        }
        sum
    }

    #[inline(always)]
    fn lever<S: Processor>(&self, s: S, side: usize, twist: &[V6]) -> Lane6<S> {
        let [a, b, c, d] = self.bodies[side].map(|body| &twist[body as usize]);
        let mut t = [Lane::splat(s, 0.0); 6];
        for k in 0..6 {
            t[k] = Lane::new(s, pulp::f64x4(a[k], b[k], c[k], d[k]));
        }
        let moved = cross(&[t[3], t[4], t[5]], &load(s, &self.arms[side]));
        [t[0] + moved[0], t[1] + moved[1], t[2] + moved[2], t[3], t[4], t[5]]
    }

    /// Hands a stiffness at the points of the pairs, by its upper triangle, to their bodies.
    #[inline(always)]
    pub(crate) fn spread<S: Processor>(&self, s: S, upper: &[Lane<S>; 21], joint: &mut Joint) {
        let arms = [load(s, &self.arms[0]), load(s, &self.arms[1])];
        for (place, rows, columns) in [(0, 0, 0), (1, 1, 1), (2, 0, 1)] {
            // By rows first: right[r] is row r of the stiffness for twists given where the columns are.
            let mut right = [[Lane::splat(s, 0.0); 6]; 6];
            for r in 0..6 {
                let mut row = [Lane::splat(s, 0.0); 6];
                for c in 0..6 {
                    row[c] = upper[upper_index(r.min(c), r.max(c))];
                }
                right[r] = spread(&row, &arms[columns]);
            }
            for c in 0..6 {
                let mut column = [Lane::splat(s, 0.0); 6];
                for r in 0..6 {
                    column[r] = right[r][c];
                }
                let column = spread(&column, &arms[rows]);
                for r in 0..6 {
                    let x = column[r].four();
                    for lane in 0..LANES {
                        joint.stiffness[lane][place][c * 6 + r] = get(&x, lane);
                    }
                }
            }
        }
    }
}

/// Place in the upper triangle of a 6x6 matrix, by rows.
#[inline(always)]
pub(crate) const fn upper_index(r: usize, c: usize) -> usize {
    r * (11 - r) / 2 + c
}

/// A wrench about a point `arm` before the one that it is given about.
#[inline(always)]
fn spread<S: Processor>(wrench: &Lane6<S>, arm: &Lane3<S>) -> Lane6<S> {
    let w = wrench;
    let c = cross(arm, &[w[0], w[1], w[2]]);
    [w[0], w[1], w[2], w[3] + c[0], w[4] + c[1], w[5] + c[2]]
}

impl Joint {
    #[inline(always)]
    pub(crate) fn set_wrench<S: Processor>(&mut self, wrench: &Lane6<S>) {
        for k in 0..6 {
            let x = wrench[k].four();
            for lane in 0..LANES {
                self.wrench[lane][k] = get(&x, lane);
            }
        }
    }
}

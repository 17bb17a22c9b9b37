//! The loops of the interior-point method over all constraints, each as a pass over bundles.

use super::block::Block;
use crate::{
    bundles::{Bundle, Joint, Lane6, Pass},
    cone::V3,
    lanes::{Four, LANES, Lane, Lane3, Processor, four},
    newton::Moves,
};

/// How far a step goes. Impulses and the velocities that they cause go together, slacks by themselves: what that leaves between
/// slacks and velocities the next step takes back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Steps {
    pub(super) impulse: f64,
    pub(super) slack: f64,
}

impl Steps {
    /// As far as both may go.
    pub(super) fn together(self) -> Self {
        let least = self.least();
        Self {
            impulse: least,
            slack: least,
        }
    }

    pub(super) fn least(self) -> f64 {
        if self.slack < self.impulse {
            self.slack
        } else {
            self.impulse
        }
    }
}

/// The smaller of the longest steps so far and those of one more block.
#[inline(always)]
fn shorter<S: Processor>(a: [Lane<S>; 2], b: [Lane<S>; 2]) -> [Lane<S>; 2] {
    [a[0].smaller(b[0]), a[1].smaller(b[1])]
}

/// The velocities of one bundle.
enum Own<'a, S: Processor> {
    Twist(Lane6<S>),
    Lists(&'a [V3], &'a [V3]),
}

impl<'a, S: Processor> Own<'a, S> {
    #[inline(always)]
    fn new(s: S, moves: &Moves<'a>, bundle: &Bundle, first: usize) -> Self {
        match moves {
            Moves::Bodies(twist) => Self::Twist(bundle.relative(s, twist)),
            Moves::Matrix(moved, step) => {
                let own = LANES * first..moved.len().min(LANES * (first + 1));
                Self::Lists(&moved[own.clone()], &step[own])
            }
        }
    }

    /// N dx, and dx where it is known.
    #[inline(always)]
    fn of(&self, s: S, block: &Block) -> (Lane3<S>, Option<Lane3<S>>) {
        match self {
            Self::Twist(twist) => (block.moved(s, twist), None),
            Self::Lists(moved, step) => (side_by_side(s, moved), Some(side_by_side(s, step))),
        }
    }
}

/// Up to four vectors, one in each lane.
fn side_by_side<S: Processor>(s: S, list: &[V3]) -> Lane3<S> {
    let at = |lane: usize, k: usize| list.get(lane).map_or(0.0, |x| x[k]);
    let lanes = |k: usize| Lane::new(s, pulp::f64x4(at(0, k), at(1, k), at(2, k), at(3, k)));
    [lanes(0), lanes(1), lanes(2)]
}

#[inline(always)]
fn nothing<S: Processor, const N: usize>(s: S) -> [Lane<S>; N] {
    [Lane::splat(s, 0.0); N]
}

#[inline(always)]
fn plus<S: Processor, const N: usize>(s: S, a: &[Four; N], b: &[Four; N]) -> [Four; N] {
    let mut sum = *a;
    for k in 0..N {
        sum[k] = (Lane::new(s, a[k]) + Lane::new(s, b[k])).four();
    }
    sum
}

/// Passes that return nothing.
macro_rules! no_sum {
    () => {
        type Sum = ();

        fn zero(&self) {}

        #[inline(always)]
        fn combine<S: Processor>(&self, _: S, _: &(), _: &()) {}
    };
}

/// The start: centres that belong to r - u.
pub(super) struct Start {
    pub(super) centre: f64,
}

impl Pass<Block> for Start {
    no_sum!();

    #[inline(always)]
    fn bundle<S: Processor>(&self, s: S, _: &Bundle, _: usize, blocks: &mut [Block], _: &mut Joint) {
        for block in blocks {
            block.start(s, self.centre);
        }
    }
}

/// Scalings, the load of the predictor, and the stiffness of each pair. For an explicit matrix, the scalings alone.
pub(super) struct Predict {
    pub(super) matrix: bool,
}

impl Pass<Block> for Predict {
    no_sum!();

    #[inline(always)]
    fn bundle<S: Processor>(&self, s: S, bundle: &Bundle, _: usize, blocks: &mut [Block], joint: &mut Joint) {
        if self.matrix {
            for block in blocks {
                block.predict(s, true);
            }
            return;
        }
        let (mut wrench, mut stiffness) = (nothing(s), nothing(s));
        for block in blocks {
            block.predict(s, false);
            block.gather(s, &block.load(s), &mut wrench);
            block.stiffen(s, &mut stiffness);
        }
        joint.set_wrench(&wrench);
        bundle.spread(s, &stiffness, joint);
    }
}

/// The step of the predictor: how long it may be, and the products r . z along it, as a polynomial of its length.
pub(super) struct Predicted<'a> {
    pub(super) moves: Moves<'a>,
}

impl Pass<Block> for Predicted<'_> {
    type Sum = [Four; 3];

    fn zero(&self) -> [Four; 3] {
        [four(1.0), four(0.0), four(0.0)]
    }

    #[inline(always)]
    fn combine<S: Processor>(&self, s: S, a: &[Four; 3], b: &[Four; 3]) -> [Four; 3] {
        let mut sum = plus(s, a, b);
        sum[0] = Lane::new(s, a[0]).smaller(Lane::new(s, b[0])).four();
        sum
    }

    #[inline(always)]
    fn bundle<S: Processor>(
        &self,
        s: S,
        bundle: &Bundle,
        first: usize,
        blocks: &mut [Block],
        _: &mut Joint,
    ) -> [Four; 3] {
        let own = Own::new(s, &self.moves, bundle, first);
        let (mut longest, [mut linear, mut square]) = (Lane::splat(s, 1.0), nothing(s));
        for block in blocks {
            let (moved, known) = own.of(s, block);
            block.set_step(s, &moved, known);
            let [of_impulse, of_slack] = block.longest(s, 1.0);
            longest = longest.smaller(of_impulse.smaller(of_slack));
            let [a, b] = block.products(s);
            (linear, square) = (linear + a, square + b);
        }
        [longest.four(), linear.four(), square.four()]
    }
}

/// Mehrotra's corrector, and its load.
pub(super) struct Correct {
    pub(super) target: f64,
}

impl Pass<Block> for Correct {
    no_sum!();

    #[inline(always)]
    fn bundle<S: Processor>(&self, s: S, _: &Bundle, _: usize, blocks: &mut [Block], joint: &mut Joint) {
        let mut wrench = nothing(s);
        for block in blocks {
            block.correct(s, self.target);
            block.gather(s, &block.load(s), &mut wrench);
        }
        joint.set_wrench(&wrench);
    }
}

/// Gondzio's corrector, and its load.
pub(super) struct Recentre {
    pub(super) target: f64,
    pub(super) aim: f64,
}

impl Pass<Block> for Recentre {
    no_sum!();

    #[inline(always)]
    fn bundle<S: Processor>(&self, s: S, _: &Bundle, _: usize, blocks: &mut [Block], joint: &mut Joint) {
        let mut wrench = nothing(s);
        for block in blocks {
            block.remember();
            block.recentre(s, self.target, self.aim);
            block.gather(s, &block.load(s), &mut wrench);
        }
        joint.set_wrench(&wrench);
    }
}

/// The step of a corrector, and how long it may be.
pub(super) struct Corrected<'a> {
    pub(super) moves: Moves<'a>,
    pub(super) limit: f64,
}

impl Pass<Block> for Corrected<'_> {
    /// Of impulses, of slacks.
    type Sum = [Four; 2];

    fn zero(&self) -> [Four; 2] {
        [four(self.limit); 2]
    }

    #[inline(always)]
    fn combine<S: Processor>(&self, s: S, a: &[Four; 2], b: &[Four; 2]) -> [Four; 2] {
        crate::lanes::store(shorter(crate::lanes::load(s, a), crate::lanes::load(s, b)))
    }

    #[inline(always)]
    fn bundle<S: Processor>(
        &self,
        s: S,
        bundle: &Bundle,
        first: usize,
        blocks: &mut [Block],
        _: &mut Joint,
    ) -> [Four; 2] {
        let own = Own::new(s, &self.moves, bundle, first);
        let mut longest = [Lane::splat(s, self.limit); 2];
        for block in blocks {
            let (moved, known) = own.of(s, block);
            block.set_step(s, &moved, known);
            longest = shorter(longest, block.longest(s, self.limit));
        }
        crate::lanes::store(longest)
    }
}

/// Back to the step before the last corrector.
pub(super) struct Restore;

impl Pass<Block> for Restore {
    no_sum!();

    #[inline(always)]
    fn bundle<S: Processor>(&self, _: S, _: &Bundle, _: usize, blocks: &mut [Block], _: &mut Joint) {
        blocks.iter_mut().for_each(Block::restore);
    }
}

/// Takes the step, if there is one, loads the bodies with the impulses, and measures.
pub(super) struct Advance<'a> {
    pub(super) moves: Option<Moves<'a>>,
    pub(super) steps: Steps,
    pub(super) mean: f64,
    pub(super) map: bool,
}

impl Pass<Block> for Advance<'_> {
    type Sum = [Four; 7];

    fn zero(&self) -> [Four; 7] {
        [four(0.0); 7]
    }

    #[inline(always)]
    fn combine<S: Processor>(&self, s: S, a: &[Four; 7], b: &[Four; 7]) -> [Four; 7] {
        plus(s, a, b)
    }

    #[inline(always)]
    fn bundle<S: Processor>(
        &self,
        s: S,
        bundle: &Bundle,
        first: usize,
        blocks: &mut [Block],
        joint: &mut Joint,
    ) -> [Four; 7] {
        let own = self.moves.as_ref().map(|moves| Own::new(s, moves, bundle, first));
        let (mut wrench, mut sum) = (nothing(s), [four(0.0); 7]);
        for block in blocks {
            if let Some(own) = &own {
                let moved = own.of(s, block).0;
                block.advance(s, &moved, self.steps);
            }
            block.gather(s, &crate::lanes::load(s, &block.r), &mut wrench);
            sum = plus(s, &sum, &crate::lanes::store(block.measure(s, self.mean, self.map)));
        }
        joint.set_wrench(&wrench);
        sum
    }
}

//! Arithmetic on four numbers at a time, for loops over constraints and contacts: one number for each of four of them.
//!
//! The number of lanes belongs to the program, not to the processor, and nothing is fused but by [`Lane::times_plus`]: the bits
//! are the same whatever vectors the processor has. Code that uses [`Lane`] must be inlined into a [`Kernel`] to profit.

use std::ops::{Add, Div, Mul, Neg, Sub};

use pulp::{Scalar256b, Simd, f64x4, m64x4};

/// Numbers that are computed at once.
pub const LANES: usize = 4;

/// Four numbers in memory.
pub use pulp::f64x4 as Four;

/// A processor, or what stands for it, with registers of four numbers.
pub trait Processor: Simd<f64s = f64x4, m64s = m64x4> {}

impl<S: Simd<f64s = f64x4, m64s = m64x4>> Processor for S {}

/// Work to be done with the widest vectors of the processor.
pub trait Kernel {
    /// What comes of it.
    type Output;

    /// Does it; to be marked `#[inline(always)]`, like everything that it calls.
    fn run<S: Processor>(self, s: S) -> Self::Output;
}

/// Runs a kernel.
#[inline(always)]
pub fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(
            #[inline(always)]
            || kernel.run(simd),
        );
    }
    kernel.run(Scalar256b)
}

/// The same number four times.
#[inline(always)]
pub const fn four(x: f64) -> Four {
    f64x4(x, x, x, x)
}

/// One of four numbers.
#[inline(always)]
pub fn get(x: &Four, lane: usize) -> f64 {
    [x.0, x.1, x.2, x.3][lane]
}

/// Sets one of four numbers.
#[inline(always)]
pub fn set(x: &mut Four, lane: usize, value: f64) {
    match lane {
        0 => x.0 = value,
        1 => x.1 = value,
        2 => x.2 = value,
        _ => x.3 = value,
    }
}

/// Sum of four numbers.
#[inline(always)]
pub fn sum_of(x: &Four) -> f64 {
    (x.0 + x.1) + (x.2 + x.3)
}

/// The smallest of four numbers, or one that is not a number.
#[inline(always)]
pub fn least_of(x: &Four) -> f64 {
    let smaller = |a: f64, b: f64| if a < b || a.is_nan() { a } else { b };
    smaller(smaller(x.0, x.1), smaller(x.2, x.3))
}

/// Four numbers in a register.
#[derive(Clone, Copy, Debug)]
pub struct Lane<S: Processor> {
    s: S,
    v: Four,
}

/// Which of four numbers fulfil a condition.
#[derive(Clone, Copy, Debug)]
pub struct Mask<S: Processor> {
    s: S,
    v: m64x4,
}

impl<S: Processor> Lane<S> {
    /// Four numbers.
    #[inline(always)]
    pub fn new(s: S, v: Four) -> Self {
        Self { s, v }
    }

    /// The same number in all lanes.
    #[inline(always)]
    pub fn splat(s: S, x: f64) -> Self {
        Self { s, v: s.splat_f64s(x) }
    }

    /// The same number in all lanes, beside others.
    #[inline(always)]
    pub fn all(self, x: f64) -> Self {
        Self::splat(self.s, x)
    }

    /// The numbers.
    #[inline(always)]
    pub fn four(self) -> Four {
        self.v
    }

    /// Square roots.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self::new(self.s, self.s.sqrt_f64s(self.v))
    }

    /// Products with others and sums with others, rounded once, on every processor: what is computed so has the same bits
    /// everywhere, too.
    #[inline(always)]
    pub fn times_plus(self, by: Self, plus: Self) -> Self {
        Self::new(self.s, self.s.mul_add_f64s(self.v, by.v, plus.v))
    }

    /// Sizes.
    #[inline(always)]
    pub fn abs(self) -> Self {
        Self::new(self.s, self.s.abs_f64s(self.v))
    }

    /// One over each.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        self.all(1.0) / self
    }

    /// Where it is less.
    #[inline(always)]
    pub fn less(self, o: Self) -> Mask<S> {
        Mask {
            s: self.s,
            v: self.s.less_than_f64s(self.v, o.v),
        }
    }

    /// Where it is no more.
    #[inline(always)]
    pub fn at_most(self, o: Self) -> Mask<S> {
        Mask {
            s: self.s,
            v: self.s.less_than_or_equal_f64s(self.v, o.v),
        }
    }

    /// Where it is above zero.
    #[inline(always)]
    pub fn positive(self) -> Mask<S> {
        self.all(0.0).less(self)
    }

    /// The smaller of two, or the one that is not a number.
    #[inline(always)]
    pub fn smaller(self, o: Self) -> Self {
        let number = self.at_most(self);
        self.less(o).choose(self, number.choose(o, self))
    }
}

impl<S: Processor> Mask<S> {
    /// The first where the condition is fulfilled, the second elsewhere.
    #[inline(always)]
    pub fn choose(self, yes: Lane<S>, no: Lane<S>) -> Lane<S> {
        Lane::new(self.s, self.s.select_f64s(self.v, yes.v, no.v))
    }

    /// A number where the condition is fulfilled, zero elsewhere, whatever the number is there.
    #[inline(always)]
    pub fn keep(self, yes: Lane<S>) -> Lane<S> {
        self.choose(yes, yes.all(0.0))
    }

    /// Whether it is fulfilled anywhere.
    #[inline(always)]
    pub fn any(self) -> bool {
        self.s.first_true_m64s(self.v) < LANES
    }

    /// Where both are fulfilled.
    #[inline(always)]
    pub fn and(self, o: Self) -> Self {
        Self {
            s: self.s,
            v: self.s.and_m64s(self.v, o.v),
        }
    }

    /// Where one is fulfilled.
    #[inline(always)]
    pub fn or(self, o: Self) -> Self {
        Self {
            s: self.s,
            v: self.s.or_m64s(self.v, o.v),
        }
    }
}

macro_rules! operator {
    ($name:ident, $method:ident, $of_processor:ident) => {
        impl<S: Processor> $name for Lane<S> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                Self::new(self.s, self.s.$of_processor(self.v, o.v))
            }
        }

        impl<S: Processor> $name<f64> for Lane<S> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, o: f64) -> Self {
                self.$method(self.all(o))
            }
        }
    };
}

operator!(Add, add, add_f64s);
operator!(Sub, sub, sub_f64s);
operator!(Mul, mul, mul_f64s);
operator!(Div, div, div_f64s);

impl<S: Processor> Neg for Lane<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(self.s, self.s.neg_f64s(self.v))
    }
}

/// A vector of each of four constraints.
pub type Lane3<S> = [Lane<S>; 3];

/// Lanes of some fours.
#[inline(always)]
pub fn load<S: Processor, const N: usize>(s: S, x: &[Four; N]) -> [Lane<S>; N] {
    let mut lanes = [Lane::splat(s, 0.0); N];
    for k in 0..N {
        lanes[k] = Lane::new(s, x[k]);
    }
    lanes
}

/// The fours of some lanes.
#[inline(always)]
pub fn store<S: Processor, const N: usize>(x: [Lane<S>; N]) -> [Four; N] {
    let mut fours = [four(0.0); N];
    for k in 0..N {
        fours[k] = x[k].four();
    }
    fours
}

/// Scalar products.
#[inline(always)]
pub fn dot<S: Processor>(a: &Lane3<S>, b: &Lane3<S>) -> Lane<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Lengths.
#[inline(always)]
pub fn norm<S: Processor>(a: &Lane3<S>) -> Lane<S> {
    dot(a, a).sqrt()
}

/// Lengths of the last two components.
#[inline(always)]
pub fn tangential<S: Processor>(a: &Lane3<S>) -> Lane<S> {
    (a[1] * a[1] + a[2] * a[2]).sqrt()
}

/// Sums.
#[inline(always)]
pub fn add<S: Processor>(a: &Lane3<S>, b: &Lane3<S>) -> Lane3<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Differences.
#[inline(always)]
pub fn sub<S: Processor>(a: &Lane3<S>, b: &Lane3<S>) -> Lane3<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Multiples.
#[inline(always)]
pub fn scale<S: Processor>(a: &Lane3<S>, x: Lane<S>) -> Lane3<S> {
    [a[0] * x, a[1] * x, a[2] * x]
}

/// Vector products.
#[inline(always)]
pub fn cross<S: Processor>(a: &Lane3<S>, b: &Lane3<S>) -> Lane3<S> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Mixture(Four, Four);

    impl Kernel for Mixture {
        type Output = [Four; 6];

        #[inline(always)]
        fn run<S: Processor>(self, s: S) -> [Four; 6] {
            let (a, b) = (Lane::new(s, self.0), Lane::new(s, self.1));
            store([
                a * b + a / b,
                (a.abs() + 0.3).sqrt() - b,
                a.smaller(b),
                a.less(b).keep(a),
                a.positive().and(b.positive()).choose(a, -b),
                a.positive().or(b.at_most(a)).choose(a.inverse(), b),
            ])
        }
    }

    #[test]
    fn every_processor_gives_the_same_bits() {
        let (a, b) = (f64x4(0.1, -2.7, 1e300, 0.0), f64x4(3.3, -1.9, 1e-20, -7.0));
        let bits = |x: [Four; 6]| x.map(|x| [x.0, x.1, x.2, x.3].map(f64::to_bits));
        assert_eq!(bits(run(Mixture(a, b))), bits(Mixture(a, b).run(Scalar256b)));
    }

    #[test]
    fn what_is_not_a_number_is_never_hidden() {
        let [x, y] = [f64x4(f64::NAN, 1.0, 2.0, 3.0), f64x4(1.0, f64::NAN, 5.0, 0.0)];
        let [x, y] = [x, y].map(|x| Lane::new(Scalar256b, x));
        for least in [x.smaller(y), y.smaller(x)].map(Lane::four) {
            assert!(least.0.is_nan() && least.1.is_nan());
            assert_eq!((least.2, least.3), (2.0, 0.0));
            assert!(least_of(&least).is_nan());
        }
    }
}

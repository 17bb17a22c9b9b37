//! Vectors of four things at a time.

use drystone_cone::lanes::{Four, Lane, Lane3, Processor};

/// First, second, third and fourth numbers of four.
#[inline(always)]
pub(super) fn transposed(a: Four, b: Four, c: Four, d: Four) -> [Four; 4] {
    [
        pulp::f64x4(a.0, b.0, c.0, d.0),
        pulp::f64x4(a.1, b.1, c.1, d.1),
        pulp::f64x4(a.2, b.2, c.2, d.2),
        pulp::f64x4(a.3, b.3, c.3, d.3),
    ]
}

/// Scalar products.
#[inline(always)]
pub(super) fn dot<S: Processor>(a: &Lane3<S>, b: &Lane3<S>) -> Lane<S> {
    a[0].times_plus(b[0], a[1].times_plus(b[1], a[2] * b[2]))
}

/// Vector products.
#[inline(always)]
pub(super) fn cross<S: Processor>(a: &Lane3<S>, b: &Lane3<S>) -> Lane3<S> {
    [
        a[1].times_plus(b[2], -(a[2] * b[1])),
        a[2].times_plus(b[0], -(a[0] * b[2])),
        a[0].times_plus(b[1], -(a[1] * b[0])),
    ]
}

/// Sums of vectors and of vector products.
#[inline(always)]
pub(super) fn plus_cross<S: Processor>(sum: &Lane3<S>, a: &Lane3<S>, b: &Lane3<S>) -> Lane3<S> {
    [
        a[1].times_plus(b[2], (-a[2]).times_plus(b[1], sum[0])),
        a[2].times_plus(b[0], (-a[0]).times_plus(b[2], sum[1])),
        a[0].times_plus(b[1], (-a[1]).times_plus(b[0], sum[2])),
    ]
}

/// A vector that is given in axes.
#[inline(always)]
pub(super) fn from_axes<S: Processor>([x, y, z]: &[Lane3<S>; 3], v: &Lane3<S>) -> Lane3<S> {
    [
        x[0].times_plus(v[0], y[0].times_plus(v[1], z[0] * v[2])),
        x[1].times_plus(v[0], y[1].times_plus(v[1], z[1] * v[2])),
        x[2].times_plus(v[0], y[2].times_plus(v[1], z[2] * v[2])),
    ]
}

/// A vector in axes.
#[inline(always)]
pub(super) fn in_axes<S: Processor>([x, y, z]: &[Lane3<S>; 3], v: &Lane3<S>) -> Lane3<S> {
    [dot(x, v), dot(y, v), dot(z, v)]
}

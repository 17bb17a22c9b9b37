//! The fast Fourier transform, with the same bits on every machine.

use std::f64::consts::PI;

/// A complex number: real and imaginary part.
pub(super) type Complex = [f64; 2];

/// Which way a transform goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// `X_k = sum x_j exp(-2 pi i j k / n)`.
    Forward,
    /// `x_j = 1/n sum X_k exp(2 pi i j k / n)`.
    Backward,
}

/// Transforms values in place; their number is a power of two (Cooley and Tukey).
pub(super) fn transform(values: &mut [Complex], direction: Direction) {
    let count = values.len();
    debug_assert!(count.is_power_of_two());
    if count < 2 {
        return;
    }
    let bits = count.trailing_zeros();
    for k in 0..count {
        let mirrored = k.reverse_bits() >> (usize::BITS - bits);
        if k < mirrored {
            values.swap(k, mirrored);
        }
    }
    let sign = if direction == Direction::Forward { -1.0 } else { 1.0 };
    let turns: Vec<Complex> = (0..count / 2)
        .map(|k| {
            let (sine, cosine) = libm::sincos(2.0 * PI * k as f64 / count as f64);
            [cosine, sign * sine]
        })
        .collect();
    let mut half = 1;
    while half < count {
        let stride = count / (2 * half);
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let turned = times(*b, turns[k * stride]);
                *b = [a[0] - turned[0], a[1] - turned[1]];
                *a = [a[0] + turned[0], a[1] + turned[1]];
            }
        }
        half *= 2;
    }
    if direction == Direction::Backward {
        let scale = 1.0 / count as f64;
        values.iter_mut().flatten().for_each(|v| *v *= scale);
    }
}

fn times(a: Complex, b: Complex) -> Complex {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::{Complex, Direction, transform};

    #[test]
    fn it_is_the_sum_that_defines_it_and_its_inverse_undoes_it() {
        let values: Vec<Complex> = (0..16).map(|k| [(k * k % 7) as f64, (k % 3) as f64]).collect();
        let mut found = values.clone();
        transform(&mut found, Direction::Forward);
        for (k, x) in found.iter().enumerate() {
            let mut sum = [0.0, 0.0];
            for (j, v) in values.iter().enumerate() {
                let (s, c) = (-2.0 * PI * (j * k) as f64 / 16.0).sin_cos();
                sum[0] += v[0] * c - v[1] * s;
                sum[1] += v[0] * s + v[1] * c;
            }
            assert!((x[0] - sum[0]).abs() < 1e-12 && (x[1] - sum[1]).abs() < 1e-12, "{k}");
        }
        transform(&mut found, Direction::Backward);
        for (a, b) in found.iter().zip(&values) {
            assert!((a[0] - b[0]).abs() < 1e-14 && (a[1] - b[1]).abs() < 1e-14);
        }
    }
}

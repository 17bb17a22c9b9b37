//! Sums and products in twice the precision of `f64`, so that what is left over when large forces cancel, or when blocks
//! that move fast move together, is what the file says and not the rounding of this program.

use glam::DVec3;

/// A sum, with what rounding has taken from it so far (Ogita, Rump and Oishi 2005).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wide {
    high: f64,
    low: f64,
}

impl Wide {
    pub(crate) fn add(&mut self, x: f64) {
        let (sum, error) = exact_sum(self.high, x);
        self.high = sum;
        self.low += error;
    }

    pub(crate) fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product);
        self.low += a.mul_add(b, -product);
    }

    pub(crate) fn value(self) -> f64 {
        self.high + self.low
    }
}

/// A sum and what rounding took from it: both together are exact (Knuth).
fn exact_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// A vector of such sums.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WideVector([Wide; 3]);

impl WideVector {
    pub(crate) fn add(&mut self, v: DVec3) {
        self.0.iter_mut().zip(v.to_array()).for_each(|(sum, x)| sum.add(x));
    }

    /// Adds `factor (a - b) x c`.
    pub(crate) fn add_cross(&mut self, factor: f64, a: DVec3, b: DVec3, c: DVec3) {
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            for (row, column, sign) in [(i, j, factor), (j, i, -factor)] {
                let (arm, rest) = exact_sum(a[row], -b[row]);
                self.0[k].add_product(arm, sign * c[column]);
                self.0[k].low += rest * sign * c[column];
            }
        }
    }

    pub(crate) fn value(self) -> DVec3 {
        DVec3::from_array(self.0.map(Wide::value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_large_numbers_leave_of_each_other_is_exact() {
        let mut sum = Wide::default();
        for x in [1e16, 1.0, -1e16, 1e-3] {
            sum.add(x);
        }
        assert_eq!(sum.value(), 1.001);
        // (1 + e)(1 - e) - 1 = -e^2, far below the rounding of the product.
        let e = 2f64.powi(-40);
        let mut sum = Wide::default();
        sum.add_product(1.0 + e, 1.0 - e);
        sum.add(-1.0);
        assert_eq!(sum.value(), -e * e);
    }

    #[test]
    fn moments_of_opposite_forces_cancel_to_the_last_digit() {
        let (p, c) = (DVec3::new(1e3 + 0.1, -2e3, 0.7), DVec3::new(1e3, -2e3 + 0.2, 0.3));
        let f = DVec3::new(1e7 / 3.0, -2e7 / 7.0, 1e6 / 9.0);
        let mut sum = WideVector::default();
        sum.add_cross(1.0, p, c, f);
        let once = sum.value();
        assert!((once - (p - c).cross(f)).length() < 1e-8 * f.length());
        sum.add_cross(-1.0, p, c, f);
        assert_eq!(sum.value(), DVec3::ZERO);
        // A part of the force that plain sums of this size would lose.
        sum.add_cross(1.0, p, c, f + DVec3::X * 1e-8);
        sum.add_cross(-1.0, p, c, f);
        let little = (p - c).cross((f + DVec3::X * 1e-8) - f);
        assert!((sum.value() - little).length() < 1e-6 * little.length());
    }
}

//! Sums in twice the precision of `f64`: what is left over when large forces cancel is then what the numbers say, and
//! not the rounding of the sum.

use glam::DVec3;

/// A sum of vectors, with what rounding has taken from it so far (Ogita, Rump and Oishi 2005).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wide {
    high: DVec3,
    low: DVec3,
}

impl Wide {
    pub(super) fn add(&mut self, x: DVec3) {
        let sum = self.high + x;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (x - part);
        self.high = sum;
    }

    /// Adds `(a - b) x c`.
    pub(super) fn add_cross(&mut self, a: DVec3, b: DVec3, c: DVec3) {
        let arm = a - b;
        let part = arm - a;
        let error = (a - (arm - part)) - (b + part);
        let (p, q) = (
            DVec3::new(arm.y * c.z, arm.z * c.x, arm.x * c.y),
            DVec3::new(arm.z * c.y, arm.x * c.z, arm.y * c.x),
        );
        self.add(p);
        self.add(-q);
        self.low.x += arm.y.mul_add(c.z, -p.x) - arm.z.mul_add(c.y, -q.x);
        self.low.y += arm.z.mul_add(c.x, -p.y) - arm.x.mul_add(c.z, -q.y);
        self.low.z += arm.x.mul_add(c.y, -p.z) - arm.y.mul_add(c.x, -q.z);
        self.low += error.cross(c);
    }

    pub(super) fn value(self) -> DVec3 {
        self.high + self.low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opposite_forces_leave_is_exact() {
        let (p, c) = (DVec3::new(1e3 + 0.1, -2e3, 0.7), DVec3::new(1e3, -2e3 + 0.2, 0.3));
        let f = DVec3::new(1e7 / 3.0, -2e7 / 7.0, 1e6 / 9.0);
        let mut sum = Wide::default();
        sum.add_cross(p, c, f);
        assert!((sum.value() - (p - c).cross(f)).length() < 1e-8 * f.length());
        sum.add_cross(p, c, -f);
        assert_eq!(sum.value(), DVec3::ZERO);
        let mut sum = Wide::default();
        for x in [1e16, 1.0, -1e16, 1e-3] {
            sum.add(DVec3::splat(x));
        }
        assert_eq!(sum.value(), DVec3::splat(1.001));
    }
}

//! Anderson's mixing of the rounds of a fixed point (Walker and Ni, 2011).

/// Rounds that are mixed.
const MIXED: usize = 5;

/// Anderson's mixing of a fixed point s = f(s): the next s is that of the last rounds whose errors f(s) - s, mixed, are least.
#[derive(Debug, Default)]
pub(super) struct Mixing {
    /// The last s and error, and what they changed by in the rounds before.
    s: Vec<f64>,
    error: Vec<f64>,
    changes: Vec<[Vec<f64>; 2]>,
    /// Changes that are known, and where the next goes.
    known: usize,
    next: usize,
    has_last: bool,
    /// Fraction of the error that a step takes.
    length: f64,
}

impl Mixing {
    /// Forgets all rounds.
    pub(super) fn begin(&mut self) {
        self.forget();
        self.length = 1.0;
        self.changes.resize_with(MIXED, Default::default);
    }

    fn forget(&mut self) {
        (self.known, self.next, self.has_last) = (0, 0, false);
    }

    /// Replaces `s`, which gave `found`, by the next. From the best with half the step where it leads away.
    pub(super) fn mix(&mut self, s: &mut [f64], found: &[f64], best: &[f64], is_astray: bool) {
        if is_astray {
            self.forget();
            self.length *= 0.5;
            for ((s, best), found) in s.iter_mut().zip(best).zip(found) {
                *s = best + self.length * (0.5 * (*s + found) - best);
            }
            return;
        }
        if self.has_last {
            let [by_s, by_error] = &mut self.changes[self.next];
            by_s.clear();
            by_s.extend(s.iter().zip(&self.s).map(|(s, last)| s - last));
            by_error.clear();
            let errors = found.iter().zip(s.iter());
            by_error.extend(errors.zip(&self.error).map(|((f, s), last)| f - s - last));
            self.next = (self.next + 1) % MIXED;
            self.known = (self.known + 1).min(MIXED);
        }
        self.s.clear();
        self.s.extend_from_slice(s);
        self.error.clear();
        self.error.extend(found.iter().zip(s.iter()).map(|(f, s)| f - s));
        self.has_last = true;
        let weights = self.weights();
        for (i, s) in s.iter_mut().enumerate() {
            let mut next = *s + self.length * self.error[i];
            for (weight, [by_s, by_error]) in weights.iter().zip(&self.changes).take(self.known) {
                next -= weight * (by_s[i] + self.length * by_error[i]);
            }
            // A joint slides at some speed.
            *s = next.max(0.0);
        }
    }

    /// The weights of the changes that make the error least.
    fn weights(&self) -> [f64; MIXED] {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let of = |k: usize| &self.changes[k][1];
        let mut a: [[f64; MIXED]; MIXED] = std::array::from_fn(|i| {
            std::array::from_fn(|j| match i.max(j) < self.known {
                true => dot(of(i), of(j)),
                false => 0.0,
            })
        });
        let mut w: [f64; MIXED] = std::array::from_fn(|i| match i < self.known {
            true => dot(of(i), &self.error),
            false => 0.0,
        });
        // Rounds that say the same leave the weights open: small ones then.
        let most = (0..MIXED).map(|i| a[i][i]).fold(f64::MIN_POSITIVE, f64::max);
        for (i, row) in a.iter_mut().enumerate() {
            row[i] += 1e-8 * most;
        }
        // Positive definite: no pivoting.
        for p in 0..MIXED {
            for i in p + 1..MIXED {
                let factor = a[i][p] / a[p][p];
                let row = a[p];
                a[i].iter_mut().zip(row).skip(p).for_each(|(x, y)| *x -= factor * y);
                w[i] -= factor * w[p];
            }
        }
        for p in (0..MIXED).rev() {
            let rest: f64 = (p + 1..MIXED).map(|k| a[p][k] * w[k]).sum();
            w[p] = (w[p] - rest) / a[p][p];
        }
        w
    }
}

//! What passes between a method and its linear systems, one constraint or one pair at a time.

use crate::{
    cone::{M3, V3, add, sub, times},
    system::{M6, V6, spread},
};

/// What is summed over the constraints of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Joint {
    pub(super) stiffness: M6,
    pub(super) wrench: V6,
}

/// What a method gives of one constraint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    /// Theta for bodies; its inverse for an explicit matrix, with [`RIGID`] for infinite resistance. A method computes
    /// either from its eigenvalues: inverting one for the other would lose the small ones.
    pub(crate) theta: M3,
    pub(crate) p: V3,
    pub(crate) t: V3,
}

/// What a method gets of one constraint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    /// N dx.
    pub(crate) velocity: V3,
    /// dx, where the solve gives it directly; else it is p + Theta (t - N dx).
    pub(crate) impulse: Option<V3>,
}

impl Moved {
    /// The step dx, and what is left, t - N dx.
    #[inline(always)]
    pub(crate) fn step(&self, load: &Load) -> (V3, V3) {
        let rest = sub(&load.t, &self.velocity);
        (
            self.impulse.unwrap_or_else(|| add(&load.p, &times(&load.theta, &rest))),
            rest,
        )
    }
}

/// Where the velocities of the last solve are found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Moves<'a> {
    /// Twists of the bodies, and a zero after the last.
    Bodies(&'a [V6]),
    /// N dx and dx of each constraint.
    Matrix(&'a [V3], &'a [V3]),
}

/// Adds J' Theta J to the upper triangle of a pair's stiffness.
#[inline(always)]
pub(super) fn add_stiffness(sum: &mut M6, jacobian: &[V6; 3], theta: &M3) {
    let weighted: [V6; 3] = std::array::from_fn(|k| {
        std::array::from_fn(|c| {
            theta[k][0] * jacobian[0][c] + theta[k][1] * jacobian[1][c] + theta[k][2] * jacobian[2][c]
        })
    });
    for r in 0..6 {
        for c in r..6 {
            sum[r][c] +=
                jacobian[0][r] * weighted[0][c] + jacobian[1][r] * weighted[1][c] + jacobian[2][r] * weighted[2][c];
        }
    }
}

/// A stiffness that acts at a point, between twists that are given at points `rows` and `columns` away from it.
#[inline(always)]
pub(crate) fn transported(stiffness: &M6, rows: &V3, columns: &V3) -> M6 {
    let right: M6 = stiffness.map(|row| spread(&row, columns));
    let mut result = [[0.0; 6]; 6];
    for c in 0..6 {
        let column = spread(&std::array::from_fn(|r| right[r][c]), rows);
        for r in 0..6 {
            result[r][c] = column[r];
        }
    }
    result
}

#[inline(always)]
pub(super) fn by_columns(m: &M6) -> [f64; 36] {
    std::array::from_fn(|k| m[k % 6][k / 6])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::times6;

    #[test]
    fn a_stiffness_moved_to_two_bodies_gives_the_work_of_their_relative_twist() {
        let stiffness: M6 =
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 3.0 } else { 0.1 * (i * j) as f64 }));
        let (rows, columns) = ([0.3, -0.2, 0.5], [-0.7, 0.1, 0.4]);
        let (a, b) = ([1.0, 2.0, -1.0, 0.3, 0.2, -0.4], [0.5, -1.0, 0.7, 1.2, -0.2, 0.1]);
        let moved = transported(&stiffness, &rows, &columns);
        let direct: f64 = {
            let (left, right) = (crate::system::lever(&a, &rows), crate::system::lever(&b, &columns));
            let image = times6(&stiffness, &right);
            left.iter().zip(image).map(|(x, y)| x * y).sum()
        };
        let image = times6(&moved, &b);
        let by_moved: f64 = a.iter().zip(image).map(|(x, y)| x * y).sum();
        assert!((direct - by_moved).abs() < 1e-13);
    }
}

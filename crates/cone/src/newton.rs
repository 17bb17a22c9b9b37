//! The linear systems of Newton's method. A step of the impulses is `dx = p + Theta (t - N dx)`, with p and t given and a
//! symmetric positive semidefinite 3x3 block Theta for each constraint, singular where a constraint resists nothing.
//!
//! For bodies it is solved in their velocities, `(H + D Theta D') dv = D (p + Theta t)` with N dx = D' dv: a matrix of 6x6
//! blocks on the graph of bodies that touch. For an explicit matrix it is solved in 3x3 blocks,
//! `(N + Theta^-1) y = t - N p` with dx = p + y.
//!
//! A method keeps what it knows of each constraint in a list of points of its own type; the loops here hand it one point
//! after another, grouped by pair, so that nothing is read twice. What p stands for is known before and may be large:
//! sent through Theta, whose eigenvalues can differ by ten powers of ten, it would drown in rounding.

use std::time::Instant;

use crate::{
    cone::{M3, V3, add, sub, times},
    parallel,
    sparse::{Cholesky, NotPositive},
    system::{Bodies, M6, Matrix, NONE, Operator, System, V6, dot6, gather_wrench, spread, times6},
};

/// What stands for infinite resistance in a matrix whose diagonal blocks are about one.
pub(crate) const RIGID: f64 = 1e12;

/// Factorises and solves, and keeps the analysis while the structure stays the same.
#[derive(Debug, Default)]
pub(crate) struct Newton {
    cholesky: Cholesky,
    vertices: usize,
    block: usize,
    edges: Vec<(u32, u32)>,
    /// Row and column of each block of an explicit matrix.
    ends: Vec<(u32, u32)>,
    /// Pair (or entry of the matrix) of each edge, or [`NONE`].
    source: Vec<u32>,
    joints: Vec<Joint>,
    /// Wrench of each pair for the last load, or its relative twist while a step is handed out.
    wrench: Vec<V6>,
    vector: Vec<f64>,
    /// For an explicit matrix: Theta, p and then dx, t and then y, N dx.
    theta: Vec<M3>,
    p: Vec<V3>,
    t: Vec<V3>,
    moved: Vec<V3>,
    /// How the bodies move by the last solve.
    pub(crate) twist: Vec<V6>,
    /// Seconds spent on factorisations since the last reset.
    pub(crate) factor_s: f64,
    /// Seconds spent on solves.
    pub(crate) substitute_s: f64,
}

impl Newton {
    /// Makes ready for a system. Nothing is analysed again if its graph is contained in the last one analysed.
    pub(crate) fn prepare(&mut self, system: &System) {
        (self.factor_s, self.substitute_s) = (0.0, 0.0);
        match &system.operator {
            Operator::Bodies(bodies) => {
                let edge = |p: usize| {
                    let [i, j] = bodies.pairs[p].bodies;
                    (i != NONE && j != NONE).then_some((i, j))
                };
                self.set_structure(bodies.mass.len(), 6, bodies.len(), edge);
            }
            Operator::Matrix(matrix) => {
                let count = matrix.column.len();
                let mut row = 0;
                let mut ends = std::mem::take(&mut self.ends);
                ends.clear();
                for k in 0..count {
                    while k >= matrix.start[row + 1] as usize {
                        row += 1;
                    }
                    ends.push((row as u32, matrix.column[k]));
                }
                self.set_structure(matrix.diagonal.len(), 3, count, |k| {
                    (ends[k].0 < ends[k].1).then_some(ends[k])
                });
                self.ends = ends;
            }
        }
    }

    /// Finds the edges of the graph among those analysed, or analyses anew. Edges come in rising order.
    fn set_structure(
        &mut self,
        vertices: usize,
        block: usize,
        count: usize,
        edge: impl Fn(usize) -> Option<(u32, u32)>,
    ) {
        let mut known = self.vertices == vertices && self.block == block;
        if known {
            self.source.fill(NONE);
            let mut at = 0;
            for k in 0..count {
                let Some(ends) = edge(k) else { continue };
                while at < self.edges.len() && self.edges[at] < ends {
                    at += 1;
                }
                if self.edges.get(at) != Some(&ends) {
                    known = false;
                    break;
                }
                self.source[at] = k as u32;
            }
        }
        if known {
            return;
        }
        let current: Vec<(u32, u32)> = (0..count).filter_map(&edge).collect();
        // Contacts come and go: keeping the edges of the last graph saves an analysis at each return, if they are few.
        if self.vertices == vertices && self.block == block {
            self.edges.extend(&current);
            self.edges.sort_unstable();
            self.edges.dedup();
        }
        if self.vertices != vertices || self.block != block || self.edges.len() * 4 > current.len() * 5 {
            self.edges.clear();
            self.edges.extend(&current);
        }
        (self.vertices, self.block) = (vertices, block);
        self.cholesky.analyse(vertices, &self.edges, block);
        self.source.clear();
        self.source.resize(self.edges.len(), NONE);
        for k in 0..count {
            if let Some(ends) = edge(k)
                && let Ok(at) = self.edges.binary_search(&ends)
            {
                self.source[at] = k as u32;
            }
        }
    }

    /// Asks `f` for Theta, p and t of each constraint, assembles and factorises.
    pub(crate) fn factor<T: Send>(
        &mut self,
        system: &System,
        points: &mut [T],
        f: impl Fn(usize, &mut T) -> Load + Sync,
    ) -> Result<(), NotPositive> {
        let start = Instant::now();
        match &system.operator {
            Operator::Bodies(bodies) => {
                self.sum_pairs(bodies, points, f);
                self.assemble_bodies(bodies);
            }
            Operator::Matrix(matrix) => {
                self.take(points, f);
                self.assemble_matrix(matrix);
            }
        }
        let outcome = self.cholesky.factor();
        self.factor_s += start.elapsed().as_secs_f64();
        outcome
    }

    /// Stiffness and wrench of each pair.
    fn sum_pairs<T: Send>(&mut self, bodies: &Bodies, points: &mut [T], f: impl Fn(usize, &mut T) -> Load + Sync) {
        self.joints.resize(bodies.len(), Joint::default());
        let start = |p: usize| bodies.pairs[p].start as usize;
        parallel::fold_groups(
            points,
            &mut self.joints,
            start,
            #[inline(always)]
            |_: usize, from: usize, points: &mut [T], joint: &mut Joint| {
                *joint = Joint::default();
                for (k, point) in points.iter_mut().enumerate() {
                    let Load { theta, p, t } = f(from + k, point);
                    let jacobian = &bodies.jacobian[from + k];
                    add_stiffness(&mut joint.stiffness, jacobian, &theta);
                    gather_wrench(&mut joint.wrench, jacobian, &add(&times(&theta, &t), &p));
                }
                for r in 0..6 {
                    for c in 0..r {
                        joint.stiffness[r][c] = joint.stiffness[c][r];
                    }
                }
            },
            |(), ()| (),
            || (),
        );
        self.wrench.clear();
        self.wrench.extend(self.joints.iter().map(|joint| joint.wrench));
    }

    /// Asks `f` for Theta, p and t of each constraint, for a solve with the last factor. Theta must be that of the factor.
    pub(crate) fn load<T: Send>(
        &mut self,
        system: &System,
        points: &mut [T],
        f: impl Fn(usize, &mut T) -> Load + Sync,
    ) {
        match &system.operator {
            Operator::Bodies(bodies) => self.load_impulses(bodies, points, |i, point| {
                let Load { theta, p, t } = f(i, point);
                add(&times(&theta, &t), &p)
            }),
            Operator::Matrix(_) => self.take(points, f),
        }
    }

    fn take<T>(&mut self, points: &mut [T], f: impl Fn(usize, &mut T) -> Load) {
        for list in [&mut self.p, &mut self.t, &mut self.moved] {
            list.resize(points.len(), [0.0; 3]);
        }
        self.theta.resize(points.len(), [[0.0; 3]; 3]);
        for (i, point) in points.iter_mut().enumerate() {
            let Load { theta, p, t } = f(i, point);
            (self.theta[i], self.p[i], self.t[i]) = (theta, p, t);
        }
    }

    /// Wrenches of the pairs for impulses that `f` gives.
    fn load_impulses<T: Send>(&mut self, bodies: &Bodies, points: &mut [T], f: impl Fn(usize, &mut T) -> V3 + Sync) {
        self.wrench.resize(bodies.len(), [0.0; 6]);
        let start = |p: usize| bodies.pairs[p].start as usize;
        parallel::fold_groups(
            points,
            &mut self.wrench,
            start,
            #[inline(always)]
            |_: usize, from: usize, points: &mut [T], wrench: &mut V6| {
                *wrench = [0.0; 6];
                for (k, point) in points.iter_mut().enumerate() {
                    gather_wrench(wrench, &bodies.jacobian[from + k], &f(from + k, point));
                }
            },
            |(), ()| (),
            || (),
        );
    }

    /// Momentum of the bodies beyond what impulses gave them, `H w - D r`, and its square by H^-1; `f` gives r, and is called
    /// for every point. Zero for an explicit matrix.
    pub(crate) fn unbalanced<T: Send>(
        &mut self,
        system: &System,
        points: &mut [T],
        twist: &[V6],
        unbalanced: &mut Vec<V6>,
        f: impl Fn(usize, &mut T) -> V3 + Sync,
    ) -> f64 {
        let Operator::Bodies(bodies) = &system.operator else {
            points.iter_mut().enumerate().for_each(|(i, point)| {
                f(i, point);
            });
            return 0.0;
        };
        self.load_impulses(bodies, points, f);
        unbalanced.resize(bodies.mass.len(), [0.0; 6]);
        let wrench = &self.wrench;
        parallel::for_each(unbalanced, |b, x| {
            let (has, given) = (times6(&bodies.mass[b], &twist[b]), bodies.on_body(b, wrench));
            *x = std::array::from_fn(|k| has[k] - given[k]);
        });
        let square = |b: usize| dot6(&times6(&bodies.inverse[b], &unbalanced[b]), &unbalanced[b]);
        parallel::sum(unbalanced.len(), &mut self.vector, square)
    }

    /// Solves for the last load. Momentum that bodies have beyond what impulses gave them, `unbalanced`, is taken back on
    /// the way. How bodies move is left in [`Self::twist`].
    pub(crate) fn solve(&mut self, system: &System, unbalanced: Option<&[V6]>) {
        let start = Instant::now();
        match &system.operator {
            Operator::Bodies(bodies) => {
                self.vector.resize(6 * self.vertices, 0.0);
                let wrench = &self.wrench;
                parallel::for_each(self.vector.as_chunks_mut::<6>().0, |b, x| {
                    *x = bodies.on_body(b, wrench);
                    if let Some(unbalanced) = unbalanced {
                        x.iter_mut().zip(&unbalanced[b]).for_each(|(x, y)| *x -= y);
                    }
                });
                self.cholesky.solve(&mut self.vector);
                self.twist.clear();
                self.twist.extend_from_slice(self.vector.as_chunks::<6>().0);
            }
            Operator::Matrix(matrix) => {
                matrix.multiply(&self.p, &mut self.moved);
                self.vector.clear();
                let right = self.t.iter().zip(&self.moved).flat_map(|(t, m)| sub(t, m));
                self.vector.extend(right);
                self.cholesky.solve(&mut self.vector);
                self.t.copy_from_slice(self.vector.as_chunks::<3>().0);
                self.p.iter_mut().zip(&self.t).for_each(|(p, y)| *p = add(p, y));
                matrix.multiply(&self.p, &mut self.moved);
            }
        }
        self.substitute_s += start.elapsed().as_secs_f64();
    }

    /// Hands each point its part of the last solve, and combines what `f` returns in a fixed order.
    pub(crate) fn hand_out<T: Send, R: Send>(
        &mut self,
        system: &System,
        points: &mut [T],
        f: impl Fn(usize, &mut T, &Moved) -> R + Sync,
        combine: impl Fn(R, R) -> R + Sync,
        zero: impl Fn() -> R + Sync,
    ) -> R {
        match &system.operator {
            Operator::Bodies(bodies) => {
                let twist = &self.twist;
                let start = |p: usize| bodies.pairs[p].start as usize;
                parallel::fold_groups(
                    points,
                    &mut self.wrench,
                    start,
                    #[inline(always)]
                    |pair: usize, from: usize, points: &mut [T], _: &mut V6| {
                        let relative = bodies.relative_twist(&bodies.pairs[pair], twist);
                        let mut sum = zero();
                        for (k, point) in points.iter_mut().enumerate() {
                            let i = from + k;
                            let velocity = std::array::from_fn(|k| dot6(&bodies.jacobian[i][k], &relative));
                            sum = combine(
                                sum,
                                f(
                                    i,
                                    point,
                                    &Moved {
                                        velocity,
                                        impulse: None,
                                    },
                                ),
                            );
                        }
                        sum
                    },
                    &combine,
                    &zero,
                )
            }
            Operator::Matrix(_) => {
                let mut sum = zero();
                for (i, point) in points.iter_mut().enumerate() {
                    let moved = Moved {
                        velocity: self.moved[i],
                        impulse: Some(self.p[i]),
                    };
                    sum = combine(sum, f(i, point, &moved));
                }
                sum
            }
        }
    }

    fn assemble_bodies(&mut self, bodies: &Bodies) {
        let (joints, source) = (&self.joints, &self.source);
        let (diagonal, edges) = self.cholesky.values_mut().split_at_mut(36 * self.vertices);
        parallel::for_each(diagonal.as_chunks_mut::<36>().0, |b, block| {
            let mut sum = bodies.mass[b];
            for (pair, side) in bodies.incident(b) {
                let arm = &bodies.pairs[pair].arms[side];
                let moved = transported(&joints[pair].stiffness, arm, arm);
                for (row, other) in sum.iter_mut().zip(&moved) {
                    row.iter_mut().zip(other).for_each(|(x, y)| *x += y);
                }
            }
            *block = by_columns(&sum, 1.0);
        });
        parallel::for_each(edges.as_chunks_mut::<36>().0, |e, block| {
            let p = source[e] as usize;
            *block = if source[e] == NONE {
                [0.0; 36]
            } else {
                let [first, second] = &bodies.pairs[p].arms;
                by_columns(&transported(&joints[p].stiffness, first, second), -1.0)
            };
        });
    }

    fn assemble_matrix(&mut self, matrix: &Matrix) {
        let (source, theta) = (&self.source, &self.theta);
        let (diagonal, edges) = self.cholesky.values_mut().split_at_mut(9 * self.vertices);
        let flat = |m: &M3| -> [f64; 9] { std::array::from_fn(|k| m[k % 3][k / 3]) };
        parallel::for_each(diagonal.as_chunks_mut::<9>().0, |i, block| {
            let (own, resistance) = (matrix.diagonal(i), theta[i]);
            let sum: M3 = std::array::from_fn(|r| std::array::from_fn(|c| own[r][c] + resistance[r][c]));
            *block = flat(&sum);
        });
        parallel::for_each(edges.as_chunks_mut::<9>().0, |e, block| {
            *block = match source[e] {
                NONE => [0.0; 9],
                k => flat(&matrix.block[k as usize]),
            };
        });
    }
}

/// What is summed over the constraints of a pair.
#[derive(Clone, Copy, Debug, Default)]
struct Joint {
    stiffness: M6,
    wrench: V6,
}

/// What a method gives of one constraint.
#[derive(Clone, Copy, Debug)]
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

/// Adds J' Theta J to the upper triangle of a pair's stiffness.
#[inline(always)]
fn add_stiffness(sum: &mut M6, jacobian: &[V6; 3], theta: &M3) {
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
fn transported(stiffness: &M6, rows: &V3, columns: &V3) -> M6 {
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
fn by_columns(m: &M6, factor: f64) -> [f64; 36] {
    std::array::from_fn(|k| factor * m[k % 6][k / 6])
}

#[cfg(test)]
mod tests {
    use super::*;

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

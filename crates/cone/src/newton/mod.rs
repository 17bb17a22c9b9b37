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

mod joint;

use std::time::Instant;

use crate::{
    bundles::Bundles,
    cone::{M3, V3, add, sub, times},
    parallel,
    sparse::{Cholesky, NotPositive},
    system::{Bodies, Matrix, NONE, Operator, System, V6, dot6, gather_wrench, times6},
};

use joint::{Joint, add_stiffness, by_columns};
pub(crate) use joint::{Load, Moved, Moves, transported};

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
    /// For an explicit matrix: the loads, dx, and N dx, or N p before a solve where that is known.
    loads: Vec<Load>,
    dx: Vec<V3>,
    moved: Vec<V3>,
    is_known: bool,
    /// How the bodies move by the last solve, and a zero after the last of them.
    pub(crate) twist: Vec<V6>,
    /// Twists and N dx that were remembered.
    old: (Vec<V6>, Vec<V3>),
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
                self.couple(matrix);
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
                let joints = std::mem::take(&mut self.joints);
                self.assemble_bodies(bodies, |pair, rows, columns| {
                    let arms = &bodies.pairs[pair].arms;
                    by_columns(&transported(&joints[pair].stiffness, &arms[rows], &arms[columns]))
                });
                self.joints = joints;
            }
            Operator::Matrix(matrix) => {
                self.make_room(points.len());
                parallel::for_each2(points, &mut self.loads, |i, point, load| *load = f(i, point));
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

    /// Factorises for the stiffness that a pass left in the bundles; for an explicit matrix, for the loads that were taken.
    pub(crate) fn factor_bundles(&mut self, system: &System, bundles: &Bundles) -> Result<(), NotPositive> {
        let start = Instant::now();
        match &system.operator {
            Operator::Bodies(bodies) => self.assemble_bodies(
                bodies,
                #[inline(always)]
                |pair, rows, columns| {
                    let (joint, lane) = bundles.joint(pair);
                    joint.stiffness[lane][if rows == columns { rows } else { 2 }]
                },
            ),
            Operator::Matrix(matrix) => self.assemble_matrix(matrix),
        }
        let outcome = self.cholesky.factor();
        self.factor_s += start.elapsed().as_secs_f64();
        outcome
    }

    /// Takes the wrenches of pairs that a pass left in the bundles.
    pub(crate) fn take_wrenches(&mut self, bundles: &Bundles) {
        parallel::for_each(&mut self.wrench, |pair, wrench| {
            let (joint, lane) = bundles.joint(pair);
            *wrench = joint.wrench[lane];
        });
    }

    /// Room for what bundles hand over: the loads of constraints, for an explicit matrix, or the wrenches of pairs.
    pub(crate) fn make_room_for(&mut self, system: &System) {
        match &system.operator {
            Operator::Bodies(bodies) => {
                self.wrench.resize(bodies.len(), [0.0; 6]);
                self.old.0.resize(self.vertices + 1, [0.0; 6]);
            }
            Operator::Matrix(_) => {
                self.make_room(system.len());
                self.old.1.resize(system.len(), [0.0; 3]);
            }
        }
    }

    fn make_room(&mut self, count: usize) {
        self.dx.resize(count, [0.0; 3]);
        self.moved.resize(count, [0.0; 3]);
        self.loads.resize(count, Load::default());
        self.is_known = false;
    }

    /// Takes the loads of constraints, for an explicit matrix.
    pub(crate) fn take_loads(&mut self, f: impl Fn(usize) -> Load + Sync) {
        parallel::for_each(&mut self.loads, |i, load| *load = f(i));
    }

    /// Takes N p of each constraint for the next solve, for an explicit matrix where it is known.
    pub(crate) fn take_moved(&mut self, f: impl Fn(usize) -> V3 + Sync) {
        parallel::for_each(&mut self.moved, |i, moved| *moved = f(i));
        self.is_known = true;
    }

    /// Momentum of the bodies beyond what the last wrenches gave them, `H w - D r`, and its square by H^-1.
    pub(crate) fn unbalanced(&mut self, bodies: &Bodies, twist: &[V6], unbalanced: &mut Vec<V6>) -> f64 {
        unbalanced.resize(bodies.mass.len(), [0.0; 6]);
        let wrench = &self.wrench;
        parallel::for_each(unbalanced, |b, x| {
            let (has, given) = (times6(&bodies.mass[b], &twist[b]), bodies.on_body(b, wrench));
            *x = std::array::from_fn(|k| has[k] - given[k]);
        });
        let square = |b: usize| dot6(&times6(&bodies.inverse[b], &unbalanced[b]), &unbalanced[b]);
        parallel::sum(unbalanced.len(), &mut self.vector, square)
    }

    /// The wrench on a body by the last wrenches of pairs.
    pub(crate) fn on_body(&self, bodies: &Bodies, body: usize) -> V6 {
        bodies.on_body(body, &self.wrench)
    }

    /// Remembers the last solve, for [`Self::recall`].
    pub(crate) fn remember(&mut self) {
        self.old.0.clone_from(&self.twist);
        self.old.1.clone_from(&self.moved);
    }

    pub(crate) fn recall(&mut self) {
        self.twist.clone_from(&self.old.0);
        self.moved.clone_from(&self.old.1);
    }

    /// The velocities of the last solve.
    pub(crate) fn moves(&self, system: &System) -> Moves<'_> {
        match &system.operator {
            Operator::Bodies(_) => Moves::Bodies(&self.twist),
            Operator::Matrix(_) => Moves::Matrix(&self.moved, &self.dx),
        }
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
                self.twist.push([0.0; 6]);
            }
            Operator::Matrix(matrix) => {
                let loads = &self.loads;
                if !std::mem::take(&mut self.is_known) {
                    parallel::for_each(&mut self.dx, |i, dx| *dx = loads[i].p);
                    matrix.multiply(&self.dx, &mut self.moved);
                }
                let moved = &self.moved;
                self.vector.resize(3 * loads.len(), 0.0);
                parallel::for_each(self.vector.as_chunks_mut::<3>().0, |i, x| {
                    *x = sub(&loads[i].t, &moved[i]);
                });
                self.cholesky.solve(&mut self.vector);
                let y = self.vector.as_chunks::<3>().0;
                // What the equation leaves of t is N dx.
                parallel::for_each2(&mut self.dx, &mut self.moved, |i, dx, moved| {
                    let Load { theta, p, t } = &loads[i];
                    *dx = add(p, &y[i]);
                    *moved = sub(t, &times(theta, &y[i]));
                });
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
                        impulse: Some(self.dx[i]),
                    };
                    sum = combine(sum, f(i, point, &moved));
                }
                sum
            }
        }
    }

    /// `part` gives the stiffness of a pair by columns, for twists of its bodies on two sides.
    fn assemble_bodies(&mut self, bodies: &Bodies, part: impl Fn(usize, usize, usize) -> [f64; 36] + Sync) {
        let source = &self.source;
        let (diagonal, edges) = self.cholesky.values_mut().split_at_mut(36 * self.vertices);
        parallel::for_each(diagonal.as_chunks_mut::<36>().0, |b, block| {
            *block = by_columns(&bodies.mass[b]);
            for (pair, side) in bodies.incident(b) {
                let more = part(pair, side, side);
                block.iter_mut().zip(&more).for_each(|(x, y)| *x += y);
            }
        });
        parallel::for_each(edges.as_chunks_mut::<36>().0, |e, block| {
            let p = source[e] as usize;
            *block = if source[e] == NONE {
                [0.0; 36]
            } else {
                part(p, 0, 1).map(|x| -x)
            };
        });
    }

    /// Enters what constraints do to each other for an explicit matrix, which stays while their own resistance changes.
    fn couple(&mut self, matrix: &Matrix) {
        let source = &self.source;
        let (_, edges) = self.cholesky.values_mut().split_at_mut(9 * self.vertices);
        parallel::for_each(edges.as_chunks_mut::<9>().0, |e, block| {
            *block = match source[e] {
                NONE => [0.0; 9],
                k => flat(&matrix.block[k as usize]),
            };
        });
    }

    fn assemble_matrix(&mut self, matrix: &Matrix) {
        let loads = &self.loads;
        let (diagonal, _) = self.cholesky.values_mut().split_at_mut(9 * self.vertices);
        parallel::for_each(diagonal.as_chunks_mut::<9>().0, |i, block| {
            let (own, resistance) = (matrix.diagonal(i), loads[i].theta);
            let sum: M3 = std::array::from_fn(|r| std::array::from_fn(|c| own[r][c] + resistance[r][c]));
            *block = flat(&sum);
        });
    }
}

/// A block by columns.
fn flat(m: &M3) -> [f64; 9] {
    std::array::from_fn(|k| m[k % 3][k / 3])
}

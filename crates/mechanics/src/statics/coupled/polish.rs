//! Makes forces and the motion that mobilises them exact.
//!
//! A solver tells reliably which points press, and where they slide; not to the last digit. With it known, eq. 11 is a system
//! of smooth equations in the motion w and in what each point that presses carries along its normal, p1, and on the boundary of
//! its cone, p2,
//!
//! ```text
//! balance of every block,    d_n = -1,    f = p1 n + p2 (n + mu t),    t = -d_t / |d_t|,    p1, p2 >= 0,    d = D' w
//! ```
//!
//! which Newton's method solves, with t turning with the motion. Joints that touch at more points than they need leave forces undetermined, so that each step
//! is the shortest that does: forces count by what they are, openings by what they are, so that what is small changes
//! little, and what is zero stays zero. With multipliers l of the balance and those of the closing, which an eleventh digit of slack lets
//! eliminate, a step is a symmetric system of twelve numbers for each block, sparse and quasidefinite:
//!
//! ```text
//! [ Q  -K ] [dw]   [ -C' g / slack ]      Q = metric of dw + C' C / slack,    C w = d_n
//! [-K  -H ] [ l] = [ -left over    ],     K = D (p2 mu / |d_t|) e e' D',  e = n x t,    H = D (p1² n n' + p2² b b') D',  b = n + mu t
//! ```

use drystone_cone::Twist;
use faer::{
    Conj, MatMut, Par, Side,
    dyn_stack::{MemBuffer, MemStack, StackReq},
    linalg::cholesky::ldlt::factor::LdltRegularization,
    sparse::{
        SparseColMatRef, SymbolicSparseColMat,
        linalg::cholesky::{LdltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky},
    },
};
use glam::DVec3;

use super::super::{Loads, StageOutcome, Structure, equilibrium::Forces};

const TUNING: crate::statics::tuning::Polish = crate::statics::Tuning::DEFAULT.polish;
/// Unknowns of a block: its motion, and the multipliers of its balance.
const SIDE: usize = 12;

/// Corrects forces and motions, which come in openings; why not, where that is not possible.
pub(super) fn polish(
    structure: &Structure,
    loads: &Loads,
    forces: &Forces,
    motions: &[Twist],
) -> Result<(Forces, Vec<Twist>), StageOutcome> {
    if !structure.ties.is_empty() {
        return Err(StageOutcome::HasTies);
    }
    let mut newton = Newton::new(structure, loads, forces, motions).ok_or(StageOutcome::NotFound)?;
    newton.solve(structure).ok_or(StageOutcome::NotFound)?;
    let mut polished = Forces {
        contact: vec![DVec3::ZERO; structure.points.len()],
        ..forces.clone()
    };
    for p in &newton.pressing {
        polished.contact[p.point] = p.force(&newton.frame(structure, p.point)) * newton.unit;
    }
    Ok((polished, newton.motions))
}

/// A point that presses.
struct Pressing {
    point: usize,
    /// What it carries along its normal and on the boundary of its cone, over the load of a block.
    carried: [f64; 2],
}

/// Where a point slides: against it, by how much, and how far it is from closed.
struct Frame {
    normal: DVec3,
    against: DVec3,
    slid: f64,
    open: f64,
    mu: f64,
}

impl Pressing {
    /// Whether its friction is so small that it may be none.
    fn is_nearly_frictionless(&self) -> bool {
        self.carried[1] < TUNING.slight_friction * self.carried[0]
    }

    fn force(&self, frame: &Frame) -> DVec3 {
        self.carried[0] * frame.normal + self.carried[1] * frame.edge()
    }
}

impl Frame {
    fn edge(&self) -> DVec3 {
        self.normal + self.mu * self.against
    }

    fn across(&self) -> DVec3 {
        self.normal.cross(self.against)
    }
}

struct Newton {
    unit: f64,
    /// Place of each block among the free ones.
    place: Vec<Option<usize>>,
    free: Vec<usize>,
    loads: Vec<[f64; 6]>,
    motions: Vec<Twist>,
    pressing: Vec<Pressing>,
    presses: Vec<bool>,
    matrix: Matrix,
}

impl Newton {
    fn new(structure: &Structure, loads: &Loads, forces: &Forces, motions: &[Twist]) -> Option<Self> {
        let unit = loads.mean(structure);
        let free: Vec<usize> = structure.free().collect();
        let mut place = vec![None; structure.len()];
        free.iter().enumerate().for_each(|(k, &b)| place[b] = Some(k));
        let load = |&b: &usize| {
            let w = &loads.wrenches[b];
            let (f, m) = (w.force / unit, w.moment / (unit * structure.length));
            [f.x, f.y, f.z, m.x, m.y, m.z]
        };
        let pairs = structure.points.iter().filter_map(|p| {
            let [a, b] = p.blocks.map(|b| place[b as usize]);
            Some((a?, b?))
        });
        let matrix = Matrix::new(free.len(), pairs)?;
        let mut newton = Self {
            unit,
            loads: free.iter().map(load).collect(),
            motions: motions.to_vec(),
            pressing: Vec::new(),
            presses: vec![false; structure.points.len()],
            matrix,
            place,
            free,
        };
        newton.choose(structure, forces);
        Some(newton)
    }

    /// Tells which points press, and what they carry.
    fn choose(&mut self, structure: &Structure, forces: &Forces) {
        for (point, contact) in structure.points.iter().enumerate() {
            let f = forces.contact[point] / self.unit;
            let press = f.dot(contact.normal);
            let frame = self.frame(structure, point);
            // A contact presses, or it is open: whichever is more.
            if press <= frame.open.abs().max(TUNING.negligible) {
                continue;
            }
            let mut carried = [press, 0.0];
            if frame.slid > TUNING.still && frame.mu > 0.0 {
                let edge = (f.dot(frame.against) / frame.mu).clamp(0.0, press);
                // Friction that is none but for rounding acts no way.
                if edge > TUNING.least_friction * press {
                    carried = [press - edge, edge];
                }
            }
            self.presses[point] = true;
            self.pressing.push(Pressing { point, carried });
        }
    }

    /// Newton's method; nothing where it does not get there.
    fn solve(&mut self, structure: &Structure) -> Option<()> {
        let mut least = f64::INFINITY;
        for round in 0..TUNING.steps {
            let off = self.step(structure)?;
            let stalls = round > TUNING.patience && off > 0.5 * least;
            if off <= TUNING.exact || (stalls && least <= TUNING.enough) {
                return Some(());
            }
            if stalls && off > TUNING.hopeless {
                return None;
            }
            least = least.min(off);
        }
        (least <= TUNING.enough).then_some(())
    }

    fn frame(&self, structure: &Structure, point: usize) -> Frame {
        let point = &structure.points[point];
        let d = structure.relative(&self.motions, point);
        let along = d.dot(point.normal);
        let across = d - along * point.normal;
        let slid = across.length();
        Frame {
            normal: point.normal,
            against: if slid > 0.0 { -across / slid } else { DVec3::ZERO },
            slid,
            open: along + 1.0,
            mu: structure.friction(point),
        }
    }

    fn row(&self, structure: &Structure, point: usize, along: DVec3) -> Row {
        let point = &structure.points[point];
        [0, 1].map(|side| {
            let b = point.blocks[side] as usize;
            let place = self.place[b]?;
            let f = if side == 1 { along } else { -along };
            let m = ((point.position - structure.center[b]) / structure.length).cross(f);
            Some((place, [f.x, f.y, f.z, m.x, m.y, m.z]))
        })
    }

    /// One step. Gives what was left of balance and closing before it.
    fn step(&mut self, structure: &Structure) -> Option<f64> {
        let slack = TUNING.slack;
        let mut right = vec![0.0; SIDE * self.free.len()];
        for (k, load) in self.loads.iter().enumerate() {
            (0..6).for_each(|c| right[SIDE * k + 6 + c] = -load[c]);
        }
        self.matrix.clear();
        let frames: Vec<Frame> = self.pressing.iter().map(|p| self.frame(structure, p.point)).collect();
        let mut off = 0.0_f64;
        for (p, frame) in self.pressing.iter().zip(&frames) {
            for (k, w) in self.row(structure, p.point, p.force(frame)).iter().flatten() {
                (0..6).for_each(|c| right[SIDE * k + 6 + c] -= w[c]);
            }
            let closes = self.row(structure, p.point, frame.normal);
            for (k, w) in closes.iter().flatten() {
                (0..6).for_each(|c| right[SIDE * k + c] -= w[c] * frame.open / slack);
            }
            off = off.max(frame.open.abs());
            self.matrix.add(Part::Motion, &closes, 1.0 / slack);
            self.matrix.add(Part::Balance, &closes, -p.carried[0].powi(2));
            if p.carried[1] > 0.0 {
                let edge = self.row(structure, p.point, frame.edge());
                self.matrix.add(Part::Balance, &edge, -p.carried[1].powi(2));
                let across = self.row(structure, p.point, frame.across());
                let turns = p.carried[1] * frame.mu / frame.slid.max(TUNING.still);
                self.matrix.add(Part::Both, &across, -turns);
                let weight = (frame.slid + TUNING.soft).powi(-2);
                self.matrix.add(Part::Motion, &across, weight);
                self.matrix
                    .add(Part::Motion, &self.row(structure, p.point, frame.against), weight);
            }
        }
        for point in (0..structure.points.len()).filter(|&p| !self.presses[p]) {
            let frame = self.frame(structure, point);
            let weight = (frame.open.max(0.0) + TUNING.soft).powi(-2);
            self.matrix
                .add(Part::Motion, &self.row(structure, point, frame.normal), weight);
        }
        let left = right.chunks(SIDE).flat_map(|c| &c[6..]);
        let off = left.fold(off, |a, x| a.max(x.abs()));
        if off > TUNING.exact {
            self.matrix.trace();
            self.matrix.factor()?;
            let solution = self.matrix.solve(&right)?;
            self.take(structure, &frames, &solution)?;
        }
        Some(off)
    }

    /// Takes as much of a step as forces and directions of sliding allow.
    fn take(&mut self, structure: &Structure, frames: &[Frame], solution: &[f64]) -> Option<()> {
        let along = |row: &Row, from: usize| -> f64 {
            let one = |(k, w): &(usize, [f64; 6])| (0..6).map(|c| w[c] * solution[SIDE * k + from + c]).sum::<f64>();
            row.iter().flatten().map(one).sum()
        };
        let mut longest = 0.0_f64;
        let mut changes = Vec::with_capacity(self.pressing.len());
        for (p, frame) in self.pressing.iter().zip(frames) {
            let by = |v: DVec3| -along(&self.row(structure, p.point, v), 6);
            // Over the force itself.
            let change = [p.carried[0] * by(frame.normal), p.carried[1] * by(frame.edge())];
            for k in (0..2).filter(|&k| p.carried[k] > TUNING.negligible && !(k == 1 && p.is_nearly_frictionless())) {
                longest = longest.max(change[k].abs());
            }
            if p.carried[1] * frame.mu > TUNING.turns {
                let across = along(&self.row(structure, p.point, frame.across()), 0);
                longest = longest.max(TUNING.longest * across.abs() / frame.slid);
            }
            changes.push(change);
        }
        if !longest.is_finite() {
            return None;
        }
        let part = (TUNING.longest / longest).min(1.0);
        for (p, change) in self.pressing.iter_mut().zip(&changes) {
            // Friction that is none in the end must vanish at once: a tenth after a tenth would outlast the steps.
            if p.is_nearly_frictionless() && part * change[1] < -TUNING.longest {
                p.carried[1] = 0.0;
            }
            (0..2).for_each(|k| p.carried[k] *= (1.0 + part * change[k]).max(0.1));
        }
        for (k, &b) in self.free.iter().enumerate() {
            let at = |c: usize| part * solution[SIDE * k + c];
            self.motions[b].linear += DVec3::new(at(0), at(1), at(2));
            self.motions[b].angular += DVec3::new(at(3), at(4), at(5)) / structure.length;
        }
        Some(())
    }
}

/// What a vector at a point does to its two blocks.
type Row = [Option<(usize, [f64; 6])>; 2];

/// Where a row counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Motion,
    Balance,
    /// In both blocks off the diagonal.
    Both,
}

/// A symmetric matrix of blocks of twelve, on the graph of blocks that touch: its lower triangle.
struct Matrix {
    pattern: SymbolicSparseColMat<usize>,
    values: Vec<f64>,
    /// Row blocks of each column of blocks, from the diagonal down.
    below: Vec<Vec<usize>>,
    symbolic: SymbolicCholesky<usize>,
    factor: Vec<f64>,
    signs: Vec<i8>,
}

impl Matrix {
    fn new(blocks: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Option<Self> {
        let mut below: Vec<Vec<usize>> = (0..blocks).map(|b| vec![b]).collect();
        for (a, b) in pairs {
            below[a.min(b)].push(a.max(b));
        }
        let (mut starts, mut indices) = (vec![0], Vec::new());
        for (b, rows) in below.iter_mut().enumerate() {
            rows.sort_unstable();
            rows.dedup();
            for c in 0..SIDE {
                indices.extend(rows.iter().flat_map(|&r| {
                    let first = if r == b { SIDE * r + c } else { SIDE * r };
                    first..SIDE * (r + 1)
                }));
                starts.push(indices.len());
            }
        }
        let n = SIDE * blocks;
        let pattern = SymbolicSparseColMat::new_checked(n, n, starts, None, indices);
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Lower,
            SymmetricOrdering::Amd,
            Default::default(),
        )
        .ok()?;
        Some(Self {
            values: vec![0.0; pattern.row_idx().len()],
            factor: vec![0.0; symbolic.len_val()],
            signs: (0..n).map(|k| if k % SIDE < 6 { 1 } else { -1 }).collect(),
            pattern,
            below,
            symbolic,
        })
    }

    fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Index of an entry of the lower triangle.
    fn at(&self, row: usize, column: usize) -> usize {
        let (rows, c) = (&self.below[column / SIDE], column % SIDE);
        let block = rows.binary_search(&(row / SIDE)).unwrap_or(0);
        let start = self.pattern.col_ptr()[column];
        if block == 0 {
            start + row % SIDE - c
        } else {
            start + SIDE - c + SIDE * (block - 1) + row % SIDE
        }
    }

    /// Adds a multiple of `g g'`.
    fn add(&mut self, part: Part, row: &Row, factor: f64) {
        let places: &[(usize, usize)] = match part {
            Part::Motion => &[(0, 0)],
            Part::Balance => &[(6, 6)],
            Part::Both => &[(6, 0), (0, 6)],
        };
        for (i, g) in row.iter().flatten() {
            for (j, h) in row.iter().flatten().filter(|(j, _)| j <= i) {
                for &(r0, c0) in places.iter().filter(|(r0, c0)| i != j || r0 >= c0) {
                    for c in 0..6 {
                        let from = if i == j && r0 == c0 { c } else { 0 };
                        let at = self.at(SIDE * i + r0 + from, SIDE * j + c0 + c);
                        for r in from..6 {
                            self.values[at + r - from] += factor * g[r] * h[c];
                        }
                    }
                }
            }
        }
    }

    /// Adds a trace of the diagonal to it, so that what nothing holds stays where it is.
    fn trace(&mut self) {
        for k in 0..self.signs.len() {
            let at = self.at(k, k);
            let sign = f64::from(self.signs[k]);
            self.values[at] += if k % SIDE < 6 {
                TUNING.motion
            } else {
                sign * TUNING.trace * (self.values[at].abs() + TUNING.trace)
            };
        }
    }

    fn factor(&mut self) -> Option<()> {
        let matrix = SparseColMatRef::new(self.pattern.as_ref(), &self.values[..]);
        let need = self
            .symbolic
            .factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(need).ok()?;
        let regularization = LdltRegularization {
            dynamic_regularization_signs: Some(&self.signs),
            dynamic_regularization_delta: 1e-12,
            dynamic_regularization_epsilon: 1e-20,
        };
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.factor,
                matrix,
                Side::Lower,
                regularization,
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .ok()?;
        Some(())
    }

    /// The solution, corrected for rounding.
    fn solve(&self, right: &[f64]) -> Option<Vec<f64>> {
        let n = right.len();
        let ldlt = LdltRef::new(&self.symbolic, &self.factor);
        let need = self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        let mut memory = MemBuffer::try_new(StackReq::any_of(&[need])).ok()?;
        let mut x = vec![0.0; n];
        let mut left = right.to_vec();
        for _ in 0..TUNING.corrections {
            let columns = MatMut::from_column_major_slice_mut(&mut left, n, 1);
            ldlt.solve_in_place_with_conj(Conj::No, columns, Par::Seq, MemStack::new(&mut memory));
            x.iter_mut().zip(&left).for_each(|(x, y)| *x += y);
            left.copy_from_slice(right);
            let (starts, rows) = (self.pattern.col_ptr(), self.pattern.row_idx());
            for c in 0..n {
                for k in starts[c]..starts[c + 1] {
                    let r = rows[k];
                    left[r] -= self.values[k] * x[c];
                    if r != c {
                        left[c] -= self.values[k] * x[r];
                    }
                }
            }
        }
        Some(x)
    }
}

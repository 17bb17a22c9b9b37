//! The operator given as a matrix: W, in 3x3 blocks, a row of blocks for each contact.

use super::{Operator, System};
use crate::{
    cone::{Cone, M3, V3, times},
    parallel,
    problem::{DelassusProblem, ProblemError},
};

/// A symmetric matrix of 3x3 blocks by rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matrix {
    /// Where the blocks of each row start.
    pub(crate) start: Vec<u32>,
    pub(crate) column: Vec<u32>,
    pub(crate) block: Vec<M3>,
    /// Where the diagonal block of each row is.
    pub(crate) diagonal: Vec<u32>,
}

impl Matrix {
    pub(crate) fn multiply(&self, r: &[V3], u: &mut [V3]) {
        parallel::for_each(u, |i, u| {
            *u = [0.0; 3];
            for k in self.start[i] as usize..self.start[i + 1] as usize {
                let part = times(&self.block[k], &r[self.column[k] as usize]);
                for c in 0..3 {
                    u[c] += part[c];
                }
            }
        });
    }

    pub(crate) fn diagonal(&self, i: usize) -> M3 {
        self.block[self.diagonal[i] as usize]
    }
}

pub(super) fn validate(problem: &DelassusProblem) -> Result<(), ProblemError> {
    let n = problem.q.len();
    if problem.friction.len() != n || !(problem.guess.is_empty() || problem.guess.len() == n) {
        return Err(ProblemError::Shape(format!(
            "{n} contacts by q, {} by friction, {} by guess: they must agree",
            problem.friction.len(),
            problem.guess.len()
        )));
    }
    for (index, &value) in problem.friction.iter().enumerate() {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(ProblemError::OutOfRange {
                what: "contact",
                index,
                field: "friction",
                value,
                allowed: "a finite number, zero or more",
            });
        }
    }
    if let Some(index) = problem.q.iter().position(|q| q.iter().any(|x| !x.is_finite())) {
        return Err(ProblemError::NotFinite {
            what: "contact",
            index,
            field: "q",
        });
    }
    if let Some(index) = problem.guess.iter().position(|r| r.iter().any(|x| !x.is_finite())) {
        return Err(ProblemError::NotFinite {
            what: "contact",
            index,
            field: "its guess",
        });
    }
    for &(row, column, value) in &problem.entries {
        if row.max(column) as usize >= 3 * n || !value.is_finite() {
            return Err(ProblemError::Shape(format!(
                "entry ({row}, {column}) of W is {value}; W has {} rows and finite entries",
                3 * n
            )));
        }
    }
    Ok(())
}

/// Brings the matrix into blocks, symmetric, with mean diagonal one in every diagonal block.
pub(super) fn fill(system: &mut System, problem: &DelassusProblem) {
    let n = problem.q.len();
    // Each entry counts half where it stands and half across: the symmetric part.
    let mut entries: Vec<(u32, u32, u8, f64)> = Vec::with_capacity(2 * problem.entries.len() + n);
    for &(row, column, value) in &problem.entries {
        let mut push = |i: u32, j: u32| entries.push((i / 3, j / 3, (3 * (i % 3) + j % 3) as u8, 0.5 * value));
        push(row, column);
        push(column, row);
    }
    // Every diagonal block exists, even of a contact that nothing moves.
    entries.extend((0..n as u32).map(|i| (i, i, 0, 0.0)));
    // Sorted by value too, so that the sum of repeated entries does not depend on their order in the file.
    entries.sort_unstable_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)).then(a.3.total_cmp(&b.3)));
    let mut matrix = Matrix::default();
    for (i, j, place, value) in entries {
        while matrix.start.len() <= i as usize {
            matrix.start.push(matrix.column.len() as u32);
        }
        let first = matrix.start[i as usize] as usize;
        if matrix.column.len() == first || matrix.column[matrix.column.len() - 1] != j {
            if i == j {
                matrix.diagonal.push(matrix.column.len() as u32);
            }
            matrix.column.push(j);
            matrix.block.push([[0.0; 3]; 3]);
        }
        let last = matrix.block.len() - 1;
        matrix.block[last][usize::from(place) / 3][usize::from(place) % 3] += value;
    }
    matrix.start.push(matrix.column.len() as u32);

    let means: Vec<f64> = (0..n)
        .map(|i| matrix.diagonal(i))
        .map(|d| (d[0][0] + d[1][1] + d[2][2]) / 3.0)
        .collect();
    let mean = means.iter().sum::<f64>() / n.max(1) as f64;
    let mass = if mean > 0.0 { 1.0 / mean } else { 1.0 };
    // A contact that nothing moves has a diagonal of zero: it keeps the scale of the others.
    let weight = |&m: &f64| {
        if mean > 0.0 && m > 1e-12 * mean {
            (m / mean).sqrt()
        } else {
            1.0
        }
    };
    system.units.mass = mass;
    system.units.length = 1.0;
    system.units.speed = 1.0;
    system.weight.clear();
    system.weight.extend(means.iter().map(weight));
    for i in 0..n {
        for k in matrix.start[i] as usize..matrix.start[i + 1] as usize {
            let factor = mass / (system.weight[i] * system.weight[matrix.column[k] as usize]);
            matrix.block[k].as_flattened_mut().iter_mut().for_each(|x| *x *= factor);
        }
    }
    system.order.clear();
    system.order.extend(0..n as u32);
    system.cones.clear();
    let cone = |&mu: &f64| if mu > 0.0 { Cone::Friction(mu) } else { Cone::Unilateral };
    system.cones.extend(problem.friction.iter().map(cone));
    system.compliance.clear();
    system.compliance.resize(n, [0.0; 3]);
    system.q.clear();
    system.guess.clear();
    system.shift.clear();
    system.shift.resize(n, 0.0);
    for i in 0..n {
        let w = system.weight[i];
        let mut q = problem.q[i].map(|x| x / w);
        let mut guess = problem.guess.get(i).map_or([0.0; 3], |g| g.map(|x| x * w / mass));
        if problem.friction[i] == 0.0 {
            // Nothing pushes across a frictionless contact, and nothing stops it.
            (q, guess) = ([q[0], 0.0, 0.0], [guess[0], 0.0, 0.0]);
        }
        system.q.push(q);
        system.guess.push(guess);
    }
    system.operator = Operator::Matrix(matrix);
}

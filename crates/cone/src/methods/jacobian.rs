//! The linear systems of methods that take Newton steps in the impulses: a few rows of
//!
//! ```text
//! (A + F (N + E)) d = b
//! ```
//!
//! with 3x3 blocks A and F of each constraint. N couples constraints that share a body, so that most of it is zero; constraints
//! that are open have no part in it.

use crate::{
    cone::{M3, V3, dot, sub, times},
    sparse::Lu,
    system::{Matrix, NONE, Operator, System, Work},
};

/// The two blocks of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// A.
    pub(super) own: M3,
    /// F.
    pub(super) slope: M3,
}

/// N + E by blocks, and the factor of the last system.
#[derive(Debug, Default)]
pub(super) struct Jacobian {
    matrix: Matrix,
    lu: Lu,
    is_in: Vec<bool>,
    others: Vec<V3>,
    caused: Vec<V3>,
}

impl Jacobian {
    /// Takes in a system.
    pub(super) fn prepare(&mut self, system: &System) {
        match &system.operator {
            Operator::Matrix(matrix) => self.matrix.clone_from(matrix),
            Operator::Bodies(_) => self.multiply_out(system),
        }
        for (i, e) in system.compliance.iter().enumerate() {
            let block = &mut self.matrix.block[self.matrix.diagonal[i] as usize];
            (0..3).for_each(|k| block[k][k] += e[k]);
        }
        self.lu.analyse(&self.matrix.start, &self.matrix.column);
        self.others.resize(system.len(), [0.0; 3]);
        self.caused.resize(system.len(), [0.0; 3]);
    }

    /// N of bodies, a row of blocks after the other.
    fn multiply_out(&mut self, system: &System) {
        let Operator::Bodies(bodies) = &system.operator else {
            return;
        };
        let n = system.len();
        let sides = |i: usize| bodies.pair(i).bodies.into_iter().filter(|&b| b != NONE);
        let mut of_body: Vec<Vec<u32>> = vec![Vec::new(); bodies.mass.len()];
        for i in 0..n {
            sides(i).for_each(|b| of_body[b as usize].push(i as u32));
        }
        let matrix = &mut self.matrix;
        *matrix = Matrix::default();
        let mut work = Work::default();
        let (mut unit, mut column) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n]);
        for i in 0..n {
            let first = matrix.column.len();
            matrix.start.push(first as u32);
            let mut near: Vec<u32> = sides(i).flat_map(|b| of_body[b as usize].iter().copied()).collect();
            near.push(i as u32);
            near.sort_unstable();
            near.dedup();
            let own = near.partition_point(|&j| (j as usize) < i);
            matrix.diagonal.push((first + own) as u32);
            matrix.block.resize(first + near.len(), [[0.0; 3]; 3]);
            for k in 0..3 {
                unit[i][k] = 1.0;
                system.multiply(&unit, &mut work, &mut column);
                unit[i][k] = 0.0;
                // N is symmetric: its column is its row.
                for (block, &j) in matrix.block[first..].iter_mut().zip(&near) {
                    block[k] = column[j as usize];
                }
            }
            matrix.column.extend(near);
        }
        matrix.start.push(matrix.column.len() as u32);
    }

    /// Multiplications of a solve with all constraints.
    pub(super) fn work(&self) -> f64 {
        self.lu.work()
    }

    /// (N + E) r.
    pub(super) fn multiply(&self, r: &[V3], u: &mut [V3]) {
        self.matrix.multiply(r, u);
    }

    /// Replaces the right-hand side by the solution. Where there is no row, it says d at once.
    pub(super) fn solve(&mut self, rows: &[Option<Row>], d: &mut [V3]) {
        self.is_in.clear();
        self.is_in.extend(rows.iter().map(Option::is_some));
        for (other, (row, d)) in self.others.iter_mut().zip(rows.iter().zip(d.iter())) {
            *other = if row.is_some() { [0.0; 3] } else { *d };
        }
        self.matrix.multiply(&self.others, &mut self.caused);
        for (i, row) in rows.iter().enumerate() {
            if let Some(row) = row {
                d[i] = sub(&d[i], &times(&row.slope, &self.caused[i]));
            }
        }
        let matrix = &self.matrix;
        self.lu.factor(&self.is_in, |i, k| {
            let j = matrix.column[k] as usize;
            let (Some(here), Some(there)) = (&rows[i], &rows[j]) else {
                return [[[0.0; 3]; 3]; 2];
            };
            let n = &matrix.block[k];
            let turned: M3 = std::array::from_fn(|a| std::array::from_fn(|b| n[b][a]));
            let mut own: M3 = std::array::from_fn(|a| std::array::from_fn(|b| dot(&here.slope[a], &turned[b])));
            if i == j {
                for (own, more) in own.iter_mut().flatten().zip(here.own.iter().flatten()) {
                    *own += more;
                }
            }
            let across = std::array::from_fn(|a| std::array::from_fn(|b| dot(&there.slope[a], &n[b])));
            [own, across]
        });
        self.lu.solve(d);
    }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3, dvec3};

    use super::*;
    use crate::{Body, Contact, Friction, Problem, Twist};

    #[test]
    fn blocks_of_a_stack_of_bodies_multiply_as_the_bodies_do() {
        let block = |k: usize| {
            let fall = Twist {
                linear: dvec3(0.0, 0.0, -0.1),
                angular: DVec3::ZERO,
            };
            let inertia = DMat3::from_diagonal(dvec3(1.0, 2.0, 1.5));
            Body::free(
                dvec3(0.1 * k as f64, 0.0, k as f64 - 0.5),
                1.0 + k as f64,
                inertia,
                fall,
            )
        };
        let contact = |k: usize| {
            let (joint, corner) = (k / 3, k % 3);
            let point = dvec3([0.5, -0.4, 0.0][corner], [0.3, 0.2, -0.5][corner], joint as f64);
            Contact::new([joint as u32, joint as u32 + 1], point, DVec3::Z, 0.0, 0.6)
        };
        let problem = Problem {
            bodies: [Body::fixed()].into_iter().chain((1..5).map(block)).collect(),
            contacts: (0..12).map(contact).collect(),
            links: Vec::new(),
            deformations: Vec::new(),
            dt: 0.01,
        };
        let mut system = System::default();
        system.set_bodies(&problem, Friction::Coulomb).unwrap();
        let mut jacobian = Jacobian::default();
        jacobian.prepare(&system);
        // Joints that share no body have no blocks.
        assert_eq!(jacobian.matrix.block.len(), 9 * (2 + 3 + 3 + 2));
        let r: Vec<V3> = (0..12)
            .map(|i| std::array::from_fn(|k| ((3 * i + k) as f64).sin()))
            .collect();
        let (mut by_blocks, mut by_bodies) = (vec![[0.0; 3]; 12], vec![[0.0; 3]; 12]);
        jacobian.multiply(&r, &mut by_blocks);
        system.multiply(&r, &mut Work::default(), &mut by_bodies);
        for (a, b) in by_blocks.iter().flatten().zip(by_bodies.iter().flatten()) {
            assert!((a - b).abs() < 1e-12);
        }
    }

    #[test]
    fn a_pair_of_contacts_is_solved_and_an_open_one_stays_as_it_is() {
        let own = [[2.0, 0.3, 0.0], [0.3, 1.0, 0.1], [0.0, 0.1, 1.5]];
        let coupling = [[0.5, 0.1, 0.2], [0.0, 0.4, 0.1], [0.3, 0.0, 0.2]];
        let turned: M3 = std::array::from_fn(|a| std::array::from_fn(|b| coupling[b][a]));
        let mut jacobian = Jacobian {
            matrix: Matrix {
                start: vec![0, 2, 4],
                column: vec![0, 1, 0, 1],
                block: vec![own, coupling, turned, own],
                diagonal: vec![0, 3],
            },
            others: vec![[0.0; 3]; 2],
            caused: vec![[0.0; 3]; 2],
            ..Jacobian::default()
        };
        jacobian
            .lu
            .analyse(&jacobian.matrix.start.clone(), &jacobian.matrix.column.clone());
        let row = Row {
            own: [[0.2, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.3]],
            slope: [[1.0, 0.2, 0.0], [0.1, 0.9, 0.0], [0.3, 0.0, 0.5]],
        };
        for rows in [[Some(row), None], [None, Some(row)], [Some(row), Some(row)]] {
            let right = [[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]];
            let mut d = right;
            jacobian.solve(&rows, &mut d);
            let mut caused = [[0.0; 3]; 2];
            jacobian.multiply(&d, &mut caused);
            for i in 0..2 {
                let left: V3 = match &rows[i] {
                    Some(row) => {
                        let (a, b) = (times(&row.own, &d[i]), times(&row.slope, &caused[i]));
                        std::array::from_fn(|k| a[k] + b[k])
                    }
                    None => d[i],
                };
                for k in 0..3 {
                    assert!((left[k] - right[i][k]).abs() < 1e-13);
                }
            }
        }
    }
}

use drystone_cone::Cholesky;
use glam::DVec3;

use super::{Elastic, ElasticError};

/// The rigid modes must not be softer than this fraction of the stiffest entries, or the factorisation would lose them in
/// rounding. Where mass is so small, some is added, and taken off again by refinement.
const SOFTEST: f64 = 1e-10;
/// Rounds of refinement then. Each reduces the error by the added mass over the lowest elastic stiffness, 1e-4 or less.
const ROUNDS: usize = 3;

/// Deformation of a block under forces: P (a M + b K)^-1 P', factorised once.
#[derive(Debug)]
pub struct Response {
    mass: f64,
    stiffness: f64,
    /// Rounds of refinement; zero where the matrix was factorised as it is.
    rounds: usize,
    factor: Cholesky,
    /// What the matrix was divided by before it was factorised.
    unit: f64,
    flat: Vec<f64>,
    forces: Vec<DVec3>,
    sum: Vec<DVec3>,
    product: Vec<DVec3>,
}

impl Response {
    /// Factorises `mass M + stiffness K`. Without mass the response is quasi-static.
    pub fn new(elastic: &Elastic, mass: f64, stiffness: f64) -> Result<Self, ElasticError> {
        let valid = mass >= 0.0 && mass.is_finite() && stiffness > 0.0 && stiffness.is_finite();
        if !valid {
            return Err(ElasticError::Factors { mass, stiffness });
        }
        let (m, k) = elastic.largest();
        let least = SOFTEST * stiffness * k / m;
        let (shifted, rounds) = if mass < least { (least, ROUNDS) } else { (mass, 0) };
        let unit = shifted * m + stiffness * k;
        let n = elastic.node_count();
        let pattern = elastic.pattern();
        let edges = |i: usize| pattern.row(i).filter(move |&(_, j)| j > i);
        let all: Vec<(u32, u32)> = (0..n)
            .flat_map(|i| edges(i).map(move |(_, j)| (i as u32, j as u32)))
            .collect();
        let mut factor = Cholesky::default();
        factor.analyse(n, &all, 3);
        let diagonal = (0..n).flat_map(|i| pattern.row(i).filter(move |&(_, j)| j == i));
        let places = diagonal.chain((0..n).flat_map(edges));
        for (block, (place, _)) in factor.values_mut().chunks_exact_mut(9).zip(places) {
            let value = elastic.combined(place, shifted / unit, stiffness / unit);
            block.copy_from_slice(&value.to_cols_array());
        }
        factor.factor().map_err(|_| ElasticError::NotPositive)?;
        Ok(Self {
            mass,
            stiffness,
            rounds,
            factor,
            unit,
            flat: vec![0.0; 3 * n],
            forces: vec![DVec3::ZERO; n],
            sum: vec![DVec3::ZERO; n],
            product: vec![DVec3::ZERO; n],
        })
    }

    /// Replaces forces by the displacements they cause: `f := P (a M + b K)^-1 P' f`. The block must be the one that was
    /// factorised.
    pub fn solve(&mut self, elastic: &Elastic, f: &mut [DVec3]) {
        elastic.balance(f);
        if self.rounds == 0 {
            self.apply(elastic, f);
            return;
        }
        let mut forces = std::mem::take(&mut self.forces);
        let mut sum = std::mem::take(&mut self.sum);
        let mut product = std::mem::take(&mut self.product);
        forces.copy_from_slice(f);
        self.apply(elastic, f);
        sum.copy_from_slice(f);
        for _ in 0..self.rounds {
            // f := forces - (a M + b K) sum
            elastic.stiffness_times(&sum, &mut product);
            for ((f, force), p) in f.iter_mut().zip(&forces).zip(&product) {
                *f = *force - *p * self.stiffness;
            }
            elastic.mass_times(&sum, &mut product);
            for (f, p) in f.iter_mut().zip(&product) {
                *f -= *p * self.mass;
            }
            elastic.balance(f);
            self.apply(elastic, f);
            for (sum, f) in sum.iter_mut().zip(&*f) {
                *sum += *f;
            }
        }
        f.copy_from_slice(&sum);
        (self.forces, self.sum, self.product) = (forces, sum, product);
    }

    /// The factorised matrix alone, for forces that are balanced.
    fn apply(&mut self, elastic: &Elastic, f: &mut [DVec3]) {
        for (flat, f) in self.flat.chunks_exact_mut(3).zip(&*f) {
            flat.copy_from_slice(&f.to_array());
        }
        self.factor.solve(&mut self.flat);
        for (f, flat) in f.iter_mut().zip(self.flat.chunks_exact(3)) {
            *f = DVec3::from_slice(flat) / self.unit;
        }
        elastic.remove_rigid(f);
    }

    /// Displacements of some nodes for unit forces at them: P (a M + b K)^-1 P' between these nodes, a symmetric matrix with
    /// three rows for each node, by rows.
    pub fn flexibility(&mut self, elastic: &Elastic, nodes: &[u32]) -> Vec<f64> {
        let side = 3 * nodes.len();
        let mut matrix = vec![0.0; side * side];
        let mut x = vec![DVec3::ZERO; elastic.node_count()];
        for (row, values) in matrix.chunks_exact_mut(side.max(1)).enumerate() {
            x.fill(DVec3::ZERO);
            x[nodes[row / 3] as usize][row % 3] = 1.0;
            self.solve(elastic, &mut x);
            for (values, &node) in values.chunks_exact_mut(3).zip(nodes) {
                values.copy_from_slice(&x[node as usize].to_array());
            }
        }
        for i in 0..side {
            for j in 0..i {
                let mean = 0.5 * (matrix[i * side + j] + matrix[j * side + i]);
                matrix[i * side + j] = mean;
                matrix[j * side + i] = mean;
            }
        }
        matrix
    }
}

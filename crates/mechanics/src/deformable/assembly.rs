//! Sparse symmetric matrices of a mesh: stiffness by 3 x 3 blocks, mass by numbers.

use glam::{DMat3, DVec3};

use super::{
    Elements, MassKind, Mesh,
    element::{h8, t10},
    material::Lame,
};

/// Pairs of nodes that share an element, by rows; each node is its own neighbour, too.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    start: Vec<usize>,
    columns: Vec<u32>,
}

impl Pattern {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); mesh.nodes.len()];
        for nodes in mesh.elements.iter() {
            for &node in nodes {
                let row = &mut rows[node as usize];
                row.extend_from_slice(nodes);
                // Rows would otherwise hold each neighbour once for every element they share.
                if row.len() > 256 {
                    row.sort_unstable();
                    row.dedup();
                }
            }
        }
        let mut pattern = Self {
            start: vec![0],
            columns: Vec::new(),
        };
        for row in &mut rows {
            row.sort_unstable();
            row.dedup();
            pattern.columns.append(row);
            pattern.start.push(pattern.columns.len());
        }
        pattern
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Neighbours of a node, each with the place of the pair.
    pub(super) fn row(&self, node: usize) -> impl Iterator<Item = (usize, usize)> {
        let range = self.start[node]..self.start[node + 1];
        range.map(|place| (place, self.columns[place] as usize))
    }

    fn place(&self, row: usize, column: u32) -> usize {
        let start = self.start[row];
        start + self.columns[start..self.start[row + 1]].partition_point(|&c| c < column)
    }

    /// Adds the matrices of all elements. The order is that of the elements, for both of a pair of entries: what is
    /// symmetric in each element stays so to the last bit.
    fn assemble<T: Copy + std::ops::AddAssign>(&self, mesh: &Mesh, zero: T, of: impl Fn(usize) -> Vec<T>) -> Vec<T> {
        let mut values = vec![zero; self.columns.len()];
        for (element, nodes) in mesh.elements.iter().enumerate() {
            let matrix = of(element);
            for (&i, row) in nodes.iter().zip(matrix.chunks_exact(nodes.len())) {
                for (&j, &value) in nodes.iter().zip(row) {
                    values[self.place(i as usize, j)] += value;
                }
            }
        }
        values
    }

    pub(super) fn stiffness(&self, mesh: &Mesh, lame: &Lame) -> Vec<DMat3> {
        self.assemble(mesh, DMat3::ZERO, |e| match &mesh.elements {
            Elements::H8(all) => h8::stiffness(&mesh.at(&all[e]), lame),
            Elements::T10(all) => t10::stiffness(&mesh.at(&all[e]), lame),
        })
    }

    pub(super) fn mass(&self, mesh: &Mesh, density: f64, kind: MassKind) -> Vec<f64> {
        self.assemble(mesh, 0.0, |e| {
            let mut matrix = match &mesh.elements {
                Elements::H8(all) => h8::mass(&mesh.at(&all[e])),
                Elements::T10(all) => t10::mass(&mesh.at(&all[e])),
            };
            if kind == MassKind::Lumped {
                lump(&mut matrix);
            }
            matrix.iter_mut().for_each(|m| *m *= density);
            matrix
        })
    }

    pub(super) fn blocks_times(&self, blocks: &[DMat3], x: &[DVec3], out: &mut [DVec3]) {
        for (node, out) in out.iter_mut().enumerate().take(self.len()) {
            *out = self.row(node).map(|(place, j)| blocks[place] * x[j]).sum();
        }
    }

    pub(super) fn numbers_times(&self, numbers: &[f64], x: &[DVec3], out: &mut [DVec3]) {
        for (node, out) in out.iter_mut().enumerate().take(self.len()) {
            *out = self.row(node).map(|(place, j)| x[j] * numbers[place]).sum();
        }
    }
}

/// Keeps the diagonal alone, scaled to the whole mass. Sums of rows would be negative at corners of quadratic tetrahedra.
fn lump(matrix: &mut [f64]) {
    let n = matrix.len().isqrt();
    let total: f64 = matrix.iter().sum();
    let trace: f64 = matrix.iter().step_by(n + 1).sum();
    for (k, value) in matrix.iter_mut().enumerate() {
        *value = if k % (n + 1) == 0 {
            *value * (total / trace)
        } else {
            0.0
        };
    }
}

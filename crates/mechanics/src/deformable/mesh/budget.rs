//! How much memory a mesh will take, before any of it is allocated.

use drystone_model::geometry::Polyhedron;

use super::{Subdivision, hexahedra, tetrahedra};
use crate::deformable::MeshError;

/// Most memory that a block may take, with its matrices and their factors (bytes).
pub const MEMORY_LIMIT: u64 = 4_000_000_000;

/// Counts of a mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub(super) elements: u64,
    pub(super) nodes: u64,
}

impl Budget {
    /// Mesh, matrices and one factor. Measured with cubes of 20 and 30 hexahedra along each edge, the factor and the fronts
    /// behind it take the memory of 52 n^(4/3) blocks of 3 x 3; small matrices are full, and take less.
    pub(super) fn bytes(&self) -> u64 {
        let n = self.nodes as f64;
        let mesh = 24.0 * n + 40.0 * self.elements as f64;
        // A node shares elements with 27 on average, itself included, in hexahedra as in quadratic tetrahedra.
        let matrices = 27.0 * n * (72.0 + 8.0 + 4.0) + 14.0 * n * (72.0 + 24.0);
        let factor = 72.0 * (52.0 * n.powf(4.0 / 3.0)).min(0.75 * n * (n + 1.0));
        (mesh + matrices + factor) as u64
    }

    pub(super) fn check(&self) -> Result<(), MeshError> {
        let bytes = self.bytes();
        if bytes > MEMORY_LIMIT {
            return Err(MeshError::TooFine {
                elements: self.elements,
                nodes: self.nodes,
                bytes,
                limit: MEMORY_LIMIT,
            });
        }
        Ok(())
    }
}

pub(super) fn hexahedra(counts: [u32; 3]) -> Result<Budget, MeshError> {
    if counts.contains(&0) {
        let [x, y, z] = counts;
        return Err(MeshError::NoElements(format!("{x} x {y} x {z} elements")));
    }
    let product = |add: u64| {
        let counts = counts.iter().map(|&n| u64::from(n) + add);
        counts.fold(1, u64::saturating_mul)
    };
    Ok(Budget {
        elements: product(0),
        nodes: product(1),
    })
}

/// Memory that a block takes when divided so: mesh, matrices and one factor (bytes). An estimate, within a factor of two for
/// compact blocks; slender blocks take less.
pub fn memory_bytes_estimate(solid: &Polyhedron, subdivision: Option<Subdivision>) -> Result<u64, MeshError> {
    let budget = match subdivision {
        Some(Subdivision::Hexahedra(counts)) => hexahedra(counts)?,
        Some(Subdivision::Tetrahedra(parts)) => tetrahedra::budget(solid, parts)?,
        None if hexahedra::corners(solid).is_ok() => hexahedra([2; 3])?,
        None => tetrahedra::budget(solid, 1)?,
    };
    Ok(budget.bytes())
}

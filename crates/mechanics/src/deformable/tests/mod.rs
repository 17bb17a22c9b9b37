mod cantilever;
mod errors;
mod field;
mod modes;
mod patch;
mod response;
mod solids;
mod stress;

use drystone_model::geometry::Polyhedron;
use glam::{DMat3, DVec3, dvec3};

use super::{Elastic, Elasticity, MassKind, Mesh, Subdivision};

const STONE: Elasticity = Elasticity {
    young: 60e9,
    poisson: 0.27,
};
const DENSITY: f64 = 2700.0;

/// Pseudo-random numbers between -1 and 1, the same in every run.
struct Noise(u64);

impl Noise {
    fn number(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        dvec3(self.number(), self.number(), self.number())
    }

    fn field(&mut self, count: usize) -> Vec<DVec3> {
        (0..count).map(|_| self.vector()).collect()
    }

    fn matrix(&mut self) -> DMat3 {
        DMat3::from_cols(self.vector(), self.vector(), self.vector())
    }
}

/// A frustum whose faces are planar and none parallel to another: no element of it is a parallelepiped.
fn hexahedron() -> Polyhedron {
    let square = |z: f64, s: f64, at: DVec3| {
        [(-1.0, -0.8), (1.0, -0.8), (1.0, 0.8), (-1.0, 0.8)].map(|(x, y)| dvec3(x * s, y * s, z) + at)
    };
    let (bottom, top) = (square(0.0, 0.5, DVec3::ZERO), square(0.7, 0.35, dvec3(0.1, -0.05, 0.0)));
    Polyhedron::lofted(&bottom, &top)
}

/// Divides a solid and moves its inner nodes at random.
fn distorted(solid: &Polyhedron, counts: [u32; 3], by: f64) -> Mesh {
    let mut mesh = Mesh::new(solid, Some(Subdivision::Hexahedra(counts))).unwrap();
    let surface = mesh.surface_nodes();
    let mut noise = Noise(7);
    for node in 0..mesh.nodes.len() {
        if surface.binary_search(&(node as u32)).is_err() {
            mesh.nodes[node] += by * noise.vector();
        }
    }
    mesh
}

fn elastic(mesh: Mesh) -> Elastic {
    Elastic::new(mesh, STONE, DENSITY, MassKind::Consistent).unwrap()
}

/// The stiffness as a dense matrix.
fn dense(elastic: &Elastic) -> faer::Mat<f64> {
    let n = elastic.node_count();
    let mut matrix = faer::Mat::zeros(3 * n, 3 * n);
    let (mut u, mut f) = (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]);
    for column in 0..3 * n {
        u[column / 3][column % 3] = 1.0;
        elastic.stiffness_times(&u, &mut f);
        u[column / 3][column % 3] = 0.0;
        for row in 0..3 * n {
            matrix[(row, column)] = f[row / 3][row % 3];
        }
    }
    matrix
}

//! The rigid part of nodal displacements and forces.

use glam::{DMat3, DVec3};

/// Modes of a rigid block.
const MODES: usize = 6;

/// A basis Q of the rigid modes with Q'MQ = I, and MQ, by nodes.
#[derive(Clone, Debug)]
pub(super) struct Rigid {
    modes: Vec<[DVec3; MODES]>,
    momenta: Vec<[DVec3; MODES]>,
}

impl Rigid {
    /// From positions relative to the centre of mass; `mass_times` replaces displacements by M times them. `None` where the
    /// block has no inertia about some axis.
    pub(super) fn new(
        positions: &[DVec3],
        mass: f64,
        inertia: &DMat3,
        mass_times: impl Fn(&[DVec3], &mut [DVec3]),
    ) -> Option<Self> {
        // Rotations in units of the radius of gyration, so that all modes are of the size of 1.
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let turn = (mass / trace).sqrt();
        let mut modes: Vec<[DVec3; MODES]> = positions
            .iter()
            .map(|&r| {
                let [x, y, z] = DVec3::AXES.map(|axis| axis.cross(r) * turn);
                [DVec3::X, DVec3::Y, DVec3::Z, x, y, z]
            })
            .collect();
        let n = positions.len();
        let (mut column, mut product) = (vec![DVec3::ZERO; n], vec![DVec3::ZERO; n]);
        let mut momenta = vec![[DVec3::ZERO; MODES]; n];
        // Gram-Schmidt in the metric of the mass; the second round takes off what rounding left in the first.
        for m in 0..MODES {
            for _ in 0..2 {
                for k in 0..m {
                    let along: f64 = (0..n).map(|i| momenta[i][k].dot(modes[i][m])).sum();
                    for mode in &mut modes {
                        mode[m] -= mode[k] * along;
                    }
                }
            }
            for (c, mode) in column.iter_mut().zip(&modes) {
                *c = mode[m];
            }
            mass_times(&column, &mut product);
            let square: f64 = column.iter().zip(&product).map(|(c, p)| c.dot(*p)).sum();
            if !(square > 1e-12 * mass && square.is_finite()) {
                return None;
            }
            for i in 0..n {
                modes[i][m] /= square.sqrt();
                momenta[i][m] = product[i] / square.sqrt();
            }
        }
        Some(Self { modes, momenta })
    }

    /// `u := P u`.
    pub(super) fn remove(&self, u: &mut [DVec3]) {
        subtract(&self.momenta, &self.modes, u);
    }

    /// `f := P' f`.
    pub(super) fn balance(&self, f: &mut [DVec3]) {
        subtract(&self.modes, &self.momenta, f);
    }
}

/// `x := x - B A' x`.
fn subtract(a: &[[DVec3; MODES]], b: &[[DVec3; MODES]], x: &mut [DVec3]) {
    let mut along = [0.0; MODES];
    for (a, x) in a.iter().zip(&*x) {
        for (along, a) in along.iter_mut().zip(a) {
            *along += a.dot(*x);
        }
    }
    for (b, x) in b.iter().zip(x) {
        for (along, b) in along.iter().zip(b) {
            *x -= *b * *along;
        }
    }
}

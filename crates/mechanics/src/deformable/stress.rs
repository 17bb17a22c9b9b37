//! Stresses of a displaced mesh, tension positive: xx, yy, zz, xy, yz, zx (Pa).

use glam::DVec3;

use super::{
    Elastic, Elements,
    element::{PointStress, h8, t10},
};

impl Elastic {
    /// Stress at each node: that of its elements, extrapolated from their integration points, on average.
    pub fn nodal_stress(&self, u: &[DVec3]) -> Vec<[f64; 6]> {
        let mut sums = vec![[0.0; 6]; self.node_count()];
        let mut counts = vec![0.0; self.node_count()];
        let mut add = |node: u32, stress: &[f64; 6]| {
            counts[node as usize] += 1.0;
            for (sum, s) in sums[node as usize].iter_mut().zip(stress) {
                *sum += s;
            }
        };
        match &self.mesh().elements {
            Elements::H8(all) => {
                for nodes in all {
                    let at_nodes = h8::at_nodes(&self.h8_stress(nodes, u));
                    nodes.iter().zip(&at_nodes).for_each(|(&n, s)| add(n, s));
                }
            }
            Elements::T10(all) => {
                for nodes in all {
                    let at_nodes = t10::at_nodes(&self.t10_stress(nodes, u));
                    nodes.iter().zip(&at_nodes).for_each(|(&n, s)| add(n, s));
                }
            }
        }
        for (sum, count) in sums.iter_mut().zip(&counts) {
            sum.iter_mut().for_each(|s| *s /= f64::max(*count, 1.0));
        }
        sums
    }

    /// Stress at the integration points, by elements: eight in a hexahedron, four in a tetrahedron.
    pub fn gauss_stress(&self, u: &[DVec3]) -> Vec<(DVec3, [f64; 6])> {
        let mut all = Vec::new();
        self.for_each_element(u, |points| all.extend(points.iter().map(|p| (p.position, p.stress))));
        all
    }

    /// Mean stress of each element.
    pub fn element_stress(&self, u: &[DVec3]) -> Vec<[f64; 6]> {
        let mut all = Vec::with_capacity(self.mesh().elements.len());
        self.for_each_element(u, |points| {
            let volume: f64 = points.iter().map(|p| p.volume).sum();
            let mean = |k: usize| points.iter().map(|p| p.volume * p.stress[k]).sum::<f64>() / volume;
            all.push(std::array::from_fn(mean));
        });
        all
    }

    /// Calls with the integration points of each element.
    pub(super) fn for_each_element(&self, u: &[DVec3], mut take: impl FnMut(&[PointStress])) {
        match &self.mesh().elements {
            Elements::H8(all) => all.iter().for_each(|nodes| take(&self.h8_stress(nodes, u))),
            Elements::T10(all) => all.iter().for_each(|nodes| take(&self.t10_stress(nodes, u))),
        }
    }

    fn h8_stress(&self, nodes: &[u32; 8], u: &[DVec3]) -> [PointStress; 8] {
        h8::stress(&self.mesh().at(nodes), &nodes.map(|n| u[n as usize]), self.lame())
    }

    fn t10_stress(&self, nodes: &[u32; 10], u: &[DVec3]) -> [PointStress; 4] {
        t10::stress(&self.mesh().at(nodes), &nodes.map(|n| u[n as usize]), self.lame())
    }
}

/// Von Mises' equivalent stress.
pub fn von_mises(s: &[f64; 6]) -> f64 {
    let [xx, yy, zz, xy, yz, zx] = *s;
    let normal = (xx - yy).powi(2) + (yy - zz).powi(2) + (zz - xx).powi(2);
    (0.5 * normal + 3.0 * (xy * xy + yz * yz + zx * zx)).sqrt()
}

/// Principal stresses, largest first.
pub fn principal(s: &[f64; 6]) -> [f64; 3] {
    let [xx, yy, zz, xy, yz, zx] = *s;
    let mut a = [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]];
    // Jacobi's rotations keep full precision where two principal stresses are equal, where closed forms lose half the digits.
    for _ in 0..12 {
        for (p, q, r) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            let (pq, pr, qr) = (a[p][q], a[p][r], a[q][r]);
            a[p][p] -= t * pq;
            a[q][q] += t * pq;
            (a[p][q], a[q][p]) = (0.0, 0.0);
            (a[p][r], a[q][r]) = (c * pr - s * qr, s * pr + c * qr);
            (a[r][p], a[r][q]) = (a[p][r], a[q][r]);
        }
    }
    let mut values = [a[0][0], a[1][1], a[2][2]];
    values.sort_by(|x, y| y.total_cmp(x));
    values
}

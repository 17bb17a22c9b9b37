use glam::{DMat3, DVec3};

use super::{
    ElasticError, Elasticity, MassKind, Mesh,
    assembly::Pattern,
    material::{Lame, outer},
    rigid::Rigid,
};

/// A block that deforms: its mesh with stiffness and mass.
///
/// Positions are relative to the centre of mass of the mesh. Displacements and forces are vectors at the nodes, in their
/// order and in the axes of the mesh.
#[derive(Clone, Debug)]
pub struct Elastic {
    mesh: Mesh,
    lame: Lame,
    centre: DVec3,
    mass: f64,
    inertia: DMat3,
    pattern: Pattern,
    stiffness: Vec<DMat3>,
    masses: Vec<f64>,
    rigid: Rigid,
}

impl Elastic {
    /// Assembles a block of uniform density (kg/m³). Its mesh is moved so that the centre of mass is the origin.
    pub fn new(mut mesh: Mesh, elasticity: Elasticity, density: f64, mass: MassKind) -> Result<Self, ElasticError> {
        elasticity.check()?;
        if !(density > 0.0 && density.is_finite()) {
            return Err(ElasticError::Density(density));
        }
        mesh.check()?;
        // First the mean of the nodes: moments about a far origin would lose digits.
        let mean = mesh.nodes.iter().sum::<DVec3>() / mesh.nodes.len().max(1) as f64;
        mesh.nodes.iter_mut().for_each(|x| *x -= mean);
        let pattern = Pattern::new(&mesh);
        let consistent = pattern.mass(&mesh, density, MassKind::Consistent);
        let total: f64 = consistent.iter().sum();
        let first = |x: &[DVec3]| -> DVec3 { pairs(&pattern, &consistent).map(|(m, i, _)| x[i] * m).sum() };
        let centre = first(&mesh.nodes) / total;
        mesh.nodes.iter_mut().for_each(|x| *x -= centre);
        let mut inertia = DMat3::ZERO;
        for (m, i, j) in pairs(&pattern, &consistent) {
            let (a, b) = (mesh.nodes[i], mesh.nodes[j]);
            inertia += (DMat3::from_diagonal(DVec3::splat(a.dot(b))) - outer(a, b)) * m;
        }
        let masses = match mass {
            MassKind::Consistent => consistent,
            MassKind::Lumped => pattern.mass(&mesh, density, mass),
        };
        let lame = elasticity.lame();
        let stiffness = pattern.stiffness(&mesh, &lame);
        let times = |x: &[DVec3], out: &mut [DVec3]| pattern.numbers_times(&masses, x, out);
        let rigid = Rigid::new(&mesh.nodes, total, &inertia, times).ok_or(ElasticError::NotPositive)?;
        Ok(Self {
            mesh,
            lame,
            centre: mean + centre,
            mass: total,
            inertia: (inertia + inertia.transpose()) * 0.5,
            pattern,
            stiffness,
            masses,
            rigid,
        })
    }

    /// The mesh, with positions relative to the centre of mass.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Where the centre of mass was in the frame of the mesh that [`Self::new`] took (m).
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Mass (kg).
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// Inertia about the centre of mass, that of the solid whatever the [`MassKind`] (kg m²).
    pub fn inertia(&self) -> DMat3 {
        self.inertia
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.mesh.nodes.len()
    }

    /// `out := K u` (N).
    pub fn stiffness_times(&self, u: &[DVec3], out: &mut [DVec3]) {
        self.pattern.blocks_times(&self.stiffness, u, out);
    }

    /// `out := M v` (N s).
    pub fn mass_times(&self, v: &[DVec3], out: &mut [DVec3]) {
        self.pattern.numbers_times(&self.masses, v, out);
    }

    /// Strain energy u'Ku/2 (J).
    pub fn strain_energy(&self, u: &[DVec3]) -> f64 {
        let force = |i: usize| -> DVec3 { self.pattern.row(i).map(|(place, j)| self.stiffness[place] * u[j]).sum() };
        0.5 * (0..self.node_count()).map(|i| u[i].dot(force(i))).sum::<f64>()
    }

    /// Kinetic energy v'Mv/2 (J).
    pub fn kinetic_energy(&self, v: &[DVec3]) -> f64 {
        let all = pairs(&self.pattern, &self.masses);
        0.5 * all.map(|(m, i, j)| m * v[i].dot(v[j])).sum::<f64>()
    }

    /// `u := P u`: takes the rigid part out of displacements, so that translations and small rotations are orthogonal to
    /// what is left, in the metric of the mass.
    pub fn remove_rigid(&self, u: &mut [DVec3]) {
        self.rigid.remove(u);
    }

    /// `f := P' f`: balances forces by those of inertia.
    pub fn balance(&self, f: &mut [DVec3]) {
        self.rigid.balance(f);
    }

    pub(super) fn lame(&self) -> &Lame {
        &self.lame
    }

    pub(super) fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The block of `mass M + stiffness K` at a place of the pattern.
    pub(super) fn combined(&self, place: usize, mass: f64, stiffness: f64) -> DMat3 {
        let inertial = DMat3::from_diagonal(DVec3::splat(mass * self.masses[place]));
        self.stiffness[place] * stiffness + inertial
    }

    /// Largest entries on the diagonals of M and K.
    pub(super) fn largest(&self) -> (f64, f64) {
        let mut largest = (0.0_f64, 0.0_f64);
        for node in 0..self.node_count() {
            for (place, _) in self.pattern.row(node).filter(|&(_, j)| j == node) {
                let k = &self.stiffness[place];
                largest.0 = largest.0.max(self.masses[place]);
                largest.1 = largest.1.max(k.x_axis.x.max(k.y_axis.y).max(k.z_axis.z));
            }
        }
        largest
    }
}

/// All entries of a matrix: value, row and column.
fn pairs<'a>(pattern: &'a Pattern, values: &'a [f64]) -> impl Iterator<Item = (f64, usize, usize)> + 'a {
    (0..pattern.len()).flat_map(move |i| pattern.row(i).map(move |(place, j)| (values[place], i, j)))
}

use glam::{DMat3, DVec3};

use super::ElasticError;

/// A linear elastic, isotropic material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Young's modulus (unit: Pa).
    pub young: f64,
    /// Poisson's ratio, above -1 and below 0.5.
    pub poisson: f64,
}

/// How the mass of an element is spread over its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassKind {
    /// By the shape functions: mass, centre of mass and inertia are exact.
    #[default]
    Consistent,
    /// At the nodes alone, in proportion to the diagonal of the consistent matrix (E. Hinton, T. Rock, O. C. Zienkiewicz,
    /// 1976). The mass is exact, the inertia is that of the points.
    Lumped,
}

impl Elasticity {
    /// Whether the numbers make sense.
    pub fn check(&self) -> Result<(), ElasticError> {
        if !(self.young > 0.0 && self.young.is_finite()) {
            return Err(ElasticError::Young(self.young));
        }
        if !(self.poisson > -1.0 && self.poisson < 0.5) {
            return Err(ElasticError::Poisson(self.poisson));
        }
        Ok(())
    }

    pub(super) fn lame(&self) -> Lame {
        let (e, nu) = (self.young, self.poisson);
        Lame {
            lambda: e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)),
            mu: e / (2.0 * (1.0 + nu)),
        }
    }
}

/// Lamé's constants: stress = lambda tr(strain) I + 2 mu strain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lame {
    pub(super) lambda: f64,
    pub(super) mu: f64,
}

impl Lame {
    pub(super) fn stress(&self, strain: &DMat3) -> DMat3 {
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        DMat3::from_diagonal(DVec3::splat(self.lambda * trace)) + *strain * (2.0 * self.mu)
    }

    /// Force at a node for a displacement of another, per volume, where their shape functions have gradients `g` and `h`.
    pub(super) fn stiffness(&self, g: DVec3, h: DVec3) -> DMat3 {
        let shear = DMat3::from_diagonal(DVec3::splat(self.mu * g.dot(h)));
        outer(g, self.lambda * h) + outer(h, self.mu * g) + shear
    }
}

/// `a b'`.
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

//! What numbers a model may hold.
//!
//! The limits are far outside of anything that is built, in any consistent system of units (lengths in mm and masses in
//! t give densities of 2e-9 and gravity of 9810), and far inside of what arithmetic can carry: inertia goes with the
//! density and the fifth power of lengths, and residuals with its square. A number beyond them comes from a damaged file
//! or a slip of the keyboard, and would come out as an infinite force.

use super::shown;

/// Numbers that a quantity may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest magnitude (other than zero, where that is allowed).
    least: f64,
    /// Largest magnitude.
    most: f64,
    sign: Sign,
    unit: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sign {
    Any,
    ZeroOrAbove,
    AboveZero,
}

/// Coordinates and lengths (m). Geodetic and geocentric coordinates in metres stay below 1e7.
pub const LENGTH: Range = Range::any(super::LARGEST_COORDINATE, "m");
/// Distances between faces that are joined (m).
pub const DISTANCE: Range = Range::above_zero(1e-12, super::LARGEST_COORDINATE, "m");
/// Densities (kg/m³).
pub const DENSITY: Range = Range::above_zero(1e-12, 1e12, "kg/m3");
/// Masses of blocks (kg). The Great Pyramid has 6e9.
pub const MASS: Range = Range::above_zero(1e-15, 1e15, "kg");
/// Friction coefficients. At 1e6 a joint holds up to 0.2 seconds of arc short of a right angle.
pub const FRICTION: Range = Range::zero_or_above(1e6, "");
/// Coefficients of restitution.
pub const RESTITUTION: Range = Range::zero_or_above(1.0, "");
/// Stiffnesses of joints (N/m³).
pub const JOINT_STIFFNESS: Range = Range::above_zero(1e-12, 1e20, "N/m3");
/// Strengths of joints (Pa).
pub const STRENGTH: Range = Range::zero_or_above(1e15, "Pa");
/// Fracture energies of joints (J/m²).
pub const FRACTURE_ENERGY: Range = Range::above_zero(1e-12, 1e12, "J/m2");
/// Viscosities of their damage (J s/m²).
pub const DAMAGE_VISCOSITY: Range = Range::zero_or_above(1e12, "J s/m2");
/// Compressive strengths of joints (Pa).
pub const CRUSHING: Range = Range::above_zero(1e-3, 1e15, "Pa");
/// Strengths of contact points (N).
pub const POINT_STRENGTH: Range = Range::zero_or_above(1e15, "N");
/// Components of accelerations (m/s²).
pub const ACCELERATION: Range = Range::any(1e6, "m/s2");
/// Components of forces (N).
pub const FORCE: Range = Range::any(1e15, "N");
/// Pressures, and components of tractions (Pa).
pub(crate) const PRESSURE: Range = Range::any(1e15, "Pa");
/// Weights by volume (N/m³).
pub(crate) const UNIT_WEIGHT: Range = Range::above_zero(1e-12, 1e15, "N/m3");
/// Horizontal over vertical stresses.
pub(crate) const LATERAL: Range = Range::zero_or_above(1e3, "");
/// Moments of inertia and products (kg·m²).
pub(crate) const INERTIA: Range = Range::any(1e30, "kg m2");
/// Components of moments (N·m).
pub const MOMENT: Range = Range::any(1e15, "N m");
/// Stiffnesses of ties (N/m).
pub const STIFFNESS: Range = Range::above_zero(1e-12, 1e18, "N/m");
/// Rest lengths of ties (m).
pub const REST_LENGTH: Range = Range::zero_or_above(super::LARGEST_COORDINATE, "m");
/// Sections of ties (m²).
pub const AREA: Range = Range::above_zero(1e-18, 1e16, "m2");
/// Moduli of elasticity (Pa).
pub const MODULUS: Range = Range::above_zero(1e-12, 1e18, "Pa");
/// Rayleigh damping in proportion to mass (1/s).
pub const RAYLEIGH_MASS: Range = Range::zero_or_above(1e9, "1/s");
/// Rayleigh damping in proportion to stiffness (s).
pub const RAYLEIGH_STIFFNESS: Range = Range::zero_or_above(1e6, "s");
/// Forces that ties are prestressed by (N).
pub const TENSION: Range = Range::zero_or_above(1e15, "N");
/// Forces at which ties yield (N).
pub const YIELD_FORCE: Range = Range::above_zero(1e-12, 1e15, "N");
/// Elongations at which ties break (m).
pub const ELONGATION: Range = Range::above_zero(1e-12, super::LARGEST_COORDINATE, "m");
/// Other numbers of motions and histories, in their units.
pub(crate) const NUMBER: Range = Range::any(1e12, "");
/// Times, frequencies and factors of motions and histories that must be above zero.
pub(crate) const POSITIVE: Range = Range::above_zero(1e-12, 1e12, "");
/// Times and ratios of motions and histories that may be zero.
pub(crate) const NOT_NEGATIVE: Range = Range::zero_or_above(1e12, "");

/// What is wrong with a Poisson's ratio: what it must be. `None` if it is in range.
pub fn refuses_poisson(value: f64) -> Option<String> {
    let must = "must be 0 or above, and below 0.5: at 0.5 a block could not change its volume";
    (!(0.0..0.5).contains(&value)).then(|| must.to_owned())
}

impl Range {
    const fn any(most: f64, unit: &'static str) -> Self {
        Self {
            least: 0.0,
            most,
            sign: Sign::Any,
            unit,
        }
    }

    const fn zero_or_above(most: f64, unit: &'static str) -> Self {
        Self {
            least: 0.0,
            most,
            sign: Sign::ZeroOrAbove,
            unit,
        }
    }

    const fn above_zero(least: f64, most: f64, unit: &'static str) -> Self {
        Self {
            least,
            most,
            sign: Sign::AboveZero,
            unit,
        }
    }

    /// What is wrong with a value: what it must be. `None` if it is in range.
    pub fn refuses(&self, value: f64) -> Option<String> {
        let unit = if self.unit.is_empty() {
            String::new()
        } else {
            format!(" {}", self.unit)
        };
        let most = shown_short(self.most);
        if !value.is_finite() {
            return Some(match self.sign {
                Sign::Any => "must be a finite number".to_owned(),
                Sign::ZeroOrAbove => "must be 0 or above".to_owned(),
                Sign::AboveZero => "must be above 0".to_owned(),
            });
        }
        match self.sign {
            Sign::ZeroOrAbove if value < 0.0 => Some("must be 0 or above".to_owned()),
            Sign::AboveZero if value <= 0.0 => Some("must be above 0".to_owned()),
            Sign::AboveZero if value < self.least => {
                Some(format!("must be from {} to {most}{unit}", shown_short(self.least)))
            }
            Sign::Any if value.abs() > self.most => Some(format!("must be from -{most} to {most}{unit}")),
            Sign::ZeroOrAbove if value > self.most => Some(format!("must be from 0 to {most}{unit}")),
            Sign::AboveZero if value > self.most => {
                Some(format!("must be from {} to {most}{unit}", shown_short(self.least)))
            }
            _ => None,
        }
    }

    /// What is wrong with a value, in a sentence that names it: `1e300 is not allowed; must be ...`.
    pub fn complaint(&self, value: f64) -> Option<String> {
        let must = self.refuses(value)?;
        Some(format!("{} is not allowed; {must}", shown(value)))
    }
}

/// A limit as a person writes it.
fn shown_short(limit: f64) -> String {
    if (1e-3..1e4).contains(&limit) {
        format!("{limit}")
    } else {
        format!("{limit:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_structures_in_any_system_of_units_are_in_range_and_absurd_ones_are_not() {
        for (range, good, bad) in [
            (LENGTH, vec![0.0, -6.4e6, 1e7], vec![1e9, -1e300, f64::NAN]),
            // kg/m3, t/mm3, and a density that gives a block of unit mass.
            (
                DENSITY,
                vec![2400.0, 2.4e-9, 1e-3],
                vec![0.0, -1.0, 1e300, 1e-300, f64::INFINITY],
            ),
            (MASS, vec![6e9, 1e-6], vec![0.0, 1e300]),
            (FRICTION, vec![0.0, 1e3], vec![-0.1, 1e300]),
            (ACCELERATION, vec![0.0, -9810.0], vec![1e300, -1e7]),
            (FORCE, vec![-1e12], vec![1e300]),
        ] {
            for value in good {
                assert_eq!(range.complaint(value), None, "{range:?}");
            }
            for value in bad {
                let complaint = range.complaint(value).unwrap();
                assert!(complaint.contains("is not allowed; must be"), "{complaint}");
            }
        }
        for (poisson, is_good) in [
            (0.0, true),
            (0.49, true),
            (0.5, false),
            (-0.1, false),
            (f64::NAN, false),
        ] {
            assert_eq!(refuses_poisson(poisson).is_none(), is_good, "{poisson}");
        }
        assert_eq!(
            DENSITY.complaint(1e300).unwrap(),
            "1e300 is not allowed; must be from 1e-12 to 1e12 kg/m3"
        );
    }
}

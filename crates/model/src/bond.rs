use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What holds a joint together until it breaks, mortar above all. A contact point bears tension up to its tensile strength
/// and shear up to its cohesion plus friction. Then it is damaged, at once or little by little, and for good; what is damaged
/// is dry.
///
/// Strengths are stresses, times the tributary area of each contact point, or forces of every contact point whatever its area.
/// Blocks are bonded where they touch at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bond {
    /// A mortar whose strengths and fracture energies are taken where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Mortar>,
    /// Tensile strength (Pa); zero or above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tension_pa: Option<f64>,
    /// Cohesion (Pa): shear strength without compression. At least friction times the tensile strength, which it is where it
    /// is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohesion_pa: Option<f64>,
    /// Tensile strength of every contact point (N), in place of `tension_pa`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tension_n: Option<f64>,
    /// Cohesion of every contact point (N), in place of `cohesion_pa`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohesion_n: Option<f64>,
    /// Fracture energies in tension and in shear (J/m2): strengths fall to zero in proportion to opening and slip, and these
    /// are the areas below the two curves. Left out, a point breaks at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fracture_energy_j_m2: Option<[f64; 2]>,
    /// Damage by stored energy, in place of strengths. The joint needs a stiffness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adhesion: Option<Adhesion>,
}

/// Mortars with typical strengths; docs/joint-laws.md has their figures and where they come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mortar {
    /// Clay or earth mortar.
    Clay,
    /// Lime mortar of old buildings.
    Lime,
    /// Cement mortar between clay bricks.
    Cement,
}

impl Mortar {
    /// Every one of them.
    pub const ALL: [Self; 3] = [Self::Clay, Self::Lime, Self::Cement];

    /// Tensile strength and cohesion (Pa), fracture energies in tension and in shear (J/m²).
    pub fn figures(self) -> [f64; 4] {
        match self {
            Self::Clay => [1e4, 2e4, 1.0, 5.0],
            Self::Lime => [5e4, 1e5, 5.0, 25.0],
            Self::Cement => [2.5e5, 3.5e5, 18.0, 125.0],
        }
    }
}

/// A bond that is damaged where it stores more than a threshold: its intensity b falls from 1 to 0 by
/// `viscosity * db/dt = energy - b (k_n u_n^2 + k_t u_t^2)` where that is negative, and its stiffness is b^2 times that of the joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adhesion {
    /// Threshold of the stored energy (J/m2), above zero.
    pub energy_j_m2: f64,
    /// Viscosity of the damage (J s/m2), zero or above; zero (default) for damage at once.
    #[serde(default)]
    pub viscosity_j_s_m2: f64,
}

/// Strengths of one contact point (N).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strength {
    /// Tension that it bears.
    pub tension: f64,
    /// Shear that it bears without compression.
    pub cohesion: f64,
}

impl Bond {
    /// The same without a preset: its figures stand where none are given.
    #[must_use]
    pub fn resolved(&self) -> Self {
        let Some(mortar) = self.preset else { return *self };
        let [tension, cohesion, first, second] = mortar.figures();
        let by_points = self.tension_n.is_some() || self.cohesion_n.is_some();
        let or = |given: Option<f64>, figure: f64| given.or((!by_points).then_some(figure));
        Self {
            preset: None,
            tension_pa: or(self.tension_pa, tension),
            cohesion_pa: or(self.cohesion_pa, cohesion),
            fracture_energy_j_m2: self.fracture_energy_j_m2.or(Some([first, second])),
            ..*self
        }
    }

    /// Strengths of a contact point of tributary area `area` (m²), in a joint with this coefficient of friction.
    pub fn strength(&self, area: f64, friction: f64) -> Strength {
        let sum = |stress: Option<f64>, force: Option<f64>| match (stress, force) {
            (None, None) => None,
            (stress, force) => Some(stress.map_or(0.0, |s| s * area) + force.unwrap_or(0.0)),
        };
        let bond = self.resolved();
        let tension = sum(bond.tension_pa, bond.tension_n).unwrap_or(0.0);
        Strength {
            tension,
            cohesion: sum(bond.cohesion_pa, bond.cohesion_n).unwrap_or(friction * tension),
        }
    }

    /// Whether it holds nothing.
    pub fn is_nothing(&self) -> bool {
        self.adhesion.is_none() && self.strength(1.0, 1.0) == Strength::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_gives_what_is_not_given() {
        let lime = |json: &str| serde_json::from_str::<Bond>(json).unwrap();
        let plain = lime(r#"{"preset": "lime"}"#);
        assert_eq!(plain.strength(0.5, 0.6).tension, 2.5e4);
        assert_eq!(plain.strength(0.5, 0.6).cohesion, 5e4);
        let own = lime(r#"{"preset": "lime", "tension_pa": 2e4}"#).resolved();
        assert_eq!((own.tension_pa, own.cohesion_pa), (Some(2e4), Some(1e5)));
        assert_eq!(own.fracture_energy_j_m2, Some([5.0, 25.0]));
        let points = lime(r#"{"preset": "lime", "tension_n": 300}"#);
        assert_eq!(points.strength(0.5, 0.6).tension, 300.0);
        // Between sound mortars: cohesion exceeds friction times tension for any usual friction.
        assert!(Mortar::ALL.iter().all(|m| m.figures()[1] >= 1.2 * m.figures()[0]));
    }
}

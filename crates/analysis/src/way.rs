//! How a question is asked, and the one assumption that methods differ in.

use drystone_mechanics::statics::Method;
use drystone_model::certificate::SelfStress;

/// A static method, or time stepping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By a method of statics.
    Static(Method),
    /// By the elastic equilibrium of blocks that deform.
    Elastic,
    /// By time stepping from joints that are a little open.
    Dynamic,
}

impl Way {
    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static(method) => method.name(),
            Self::Elastic => "elastic",
            Self::Dynamic => "dynamic",
        }
    }

    /// What it does, in a few words.
    pub fn title(self) -> &'static str {
        match self {
            Self::Static(Method::Cone) => "equilibrium within friction cones",
            Self::Static(Method::Rbe) => "rigid-block equilibrium, tension at a price",
            Self::Static(Method::RbeLinearised) => "rigid-block equilibrium with friction pyramids",
            Self::Static(Method::Cra) => "coupled rigid-block analysis",
            Self::Static(Method::CraPenalty) => "coupled rigid-block analysis, tension at a price",
            Self::Elastic => "elastic equilibrium of blocks that deform, loaded from a state free of stress",
            Self::Dynamic => "time stepping with Coulomb friction from slightly open joints",
        }
    }

    /// Which forces count.
    pub fn self_stress(self) -> SelfStress {
        match self {
            Self::Static(method) => method.self_stress(),
            Self::Elastic | Self::Dynamic => SelfStress::Excluded,
        }
    }

    /// Whether it tells how much tension would hold a structure.
    pub fn has_tension(self) -> bool {
        matches!(self, Self::Static(Method::Rbe | Method::CraPenalty))
    }
}

/// The name of an assumption in results.
pub fn self_stress_name(self_stress: SelfStress) -> &'static str {
    match self_stress {
        SelfStress::Allowed => "allowed",
        SelfStress::Excluded => "excluded",
    }
}

/// An assumption in plain words.
pub fn assumption(self_stress: SelfStress) -> &'static str {
    match self_stress {
        SelfStress::Allowed => "self-stress allowed: any forces in equilibrium within friction limits count",
        SelfStress::Excluded => "self-stress not allowed: only forces mobilised by displacement count",
    }
}

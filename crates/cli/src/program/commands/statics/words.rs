//! The names of methods on the command line.

use clap::ValueEnum;

use drystone_analysis::Way;
use drystone_mechanics::statics::Method;

/// How a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodName {
    /// Equilibrium within friction cones; self-stress allowed
    Cone,
    /// Rigid-block equilibrium: the same, and where there are none, how much tension would hold it
    Rbe,
    /// The same with 8-sided pyramids around the friction cones, as published
    RbeLinearised,
    /// Coupled rigid-block analysis: forces mobilised by displacement; self-stress not allowed
    Cra,
    /// The same, and where there are none, how much tension would hold it
    CraPenalty,
    /// Elastic equilibrium of blocks that deform, loaded from a state free of stress (needs --deformable, or a model that says so)
    Elastic,
    /// Time stepping with Coulomb friction from slightly open joints; self-stress not allowed
    Dynamic,
    /// All of them but rbe-linearised and elastic
    All,
}

impl MethodName {
    pub(super) fn ways(self) -> Vec<Way> {
        match self {
            Self::Cone => vec![Way::Static(Method::Cone)],
            Self::Rbe => vec![Way::Static(Method::Rbe)],
            Self::RbeLinearised => vec![Way::Static(Method::RbeLinearised)],
            Self::Cra => vec![Way::Static(Method::Cra)],
            Self::CraPenalty => vec![Way::Static(Method::CraPenalty)],
            Self::Elastic => vec![Way::Elastic],
            Self::Dynamic => vec![Way::Dynamic],
            Self::All => [Self::Cra, Self::Cone, Self::Rbe, Self::CraPenalty, Self::Dynamic]
                .into_iter()
                .flat_map(Self::ways)
                .collect(),
        }
    }
}

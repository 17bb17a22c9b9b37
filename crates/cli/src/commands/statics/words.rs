//! What is said of methods, their one assumption and their verdicts.

use clap::ValueEnum;

use drystone_mechanics::statics::{Method, Verdict};
use drystone_model::certificate::Prestress;

/// How a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MethodName {
    /// Forces in the friction cones that balance the loads; prestress is admitted
    Cone,
    /// Rigid-block equilibrium: the same, and where there are none, how much tension would hold it
    Rbe,
    /// The same with 8-sided pyramids around the friction cones, as published
    RbeLinearised,
    /// Coupled rigid-block analysis: forces that one small motion calls up; no prestress
    Cra,
    /// The same, and where there are none, how much tension would hold it
    CraPenalty,
    /// Time stepping with Coulomb friction from joints that are a little open; no prestress
    Dynamic,
    /// All of them but rbe-linearised
    All,
}

/// A method, with that of time stepping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Static(Method),
    Dynamic,
}

impl MethodName {
    pub(super) fn ways(self) -> Vec<Way> {
        match self {
            Self::Cone => vec![Way::Static(Method::Cone)],
            Self::Rbe => vec![Way::Static(Method::Rbe)],
            Self::RbeLinearised => vec![Way::Static(Method::RbeLinearised)],
            Self::Cra => vec![Way::Static(Method::Cra)],
            Self::CraPenalty => vec![Way::Static(Method::CraPenalty)],
            Self::Dynamic => vec![Way::Dynamic],
            Self::All => [Self::Cra, Self::Cone, Self::Rbe, Self::CraPenalty, Self::Dynamic]
                .into_iter()
                .flat_map(Self::ways)
                .collect(),
        }
    }
}

impl Way {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Static(method) => method.name(),
            Self::Dynamic => "dynamic",
        }
    }

    /// What it does, in a few words.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Static(Method::Cone) => "forces in the friction cones",
            Self::Static(Method::Rbe) => "rigid-block equilibrium, tension at a price",
            Self::Static(Method::RbeLinearised) => "rigid-block equilibrium with friction pyramids",
            Self::Static(Method::Cra) => "coupled rigid-block analysis",
            Self::Static(Method::CraPenalty) => "coupled rigid-block analysis, tension at a price",
            Self::Dynamic => "time stepping with Coulomb friction from opened joints",
        }
    }

    pub(super) fn prestress(self) -> Prestress {
        match self {
            Self::Static(method) => method.prestress(),
            Self::Dynamic => Prestress::Excluded,
        }
    }

    /// Whether it tells how much tension would hold a structure.
    pub(super) fn has_tension(self) -> bool {
        matches!(self, Self::Static(Method::Rbe | Method::CraPenalty))
    }
}

/// The name of an assumption in results.
pub(super) fn prestress_name(prestress: Prestress) -> &'static str {
    match prestress {
        Prestress::Admitted => "admitted",
        Prestress::Excluded => "excluded",
    }
}

/// An assumption in plain words.
pub(super) fn assumption(prestress: Prestress) -> &'static str {
    match prestress {
        Prestress::Admitted => {
            "prestress is admitted: any forces that balance count, also those that no motion called up"
        }
        Prestress::Excluded => "no prestress: only forces that a small motion of the blocks calls up count",
    }
}

/// A verdict as a sentence about a structure.
pub(super) fn sentence(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stable => "it stands",
        Verdict::Unstable => "it does not stand",
        Verdict::Undecided => "undecided",
    }
}

/// What several verdicts say together: nothing where only one assumption was tried and all agree.
pub(super) fn together(verdicts: &[(Way, Verdict)]) -> Option<String> {
    let names = |of: &dyn Fn(Way, Verdict) -> bool| -> Vec<&str> {
        let chosen = verdicts.iter().filter(|(way, verdict)| of(*way, *verdict));
        chosen.map(|(way, _)| way.name()).collect()
    };
    let by = |prestress: Prestress, is: Verdict| names(&|way, verdict| way.prestress() == prestress && verdict == is);
    let undecided = names(&|_, verdict| verdict == Verdict::Undecided);
    let wedged = by(Prestress::Admitted, Verdict::Stable);
    let loose = by(Prestress::Admitted, Verdict::Unstable);
    let called = by(Prestress::Excluded, Verdict::Stable);
    let falls = by(Prestress::Excluded, Verdict::Unstable);
    let called_at_once: Vec<&str> = called.iter().copied().filter(|n| *n != Way::Dynamic.name()).collect();
    let list = |names: &[&str]| match names {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.join(", "),
    };
    let verb = |names: &[&str], one: &str| {
        if names.len() == 1 {
            format!("{one}s")
        } else {
            one.to_string()
        }
    };
    let mut said = Vec::new();
    if !wedged.is_empty() && !falls.is_empty() && called_at_once.is_empty() {
        said.push(format!(
            "The methods differ in one assumption. {} {} prestress: forces that balance the loads count although no \
             motion has called them up, as if blocks had been wedged against each other. {} {} only forces that a \
             motion calls up, and {} that it falls. It stands only if something wedges its blocks; do not rely on it.",
            list(&wedged),
            verb(&wedged, "admit"),
            list(&falls),
            verb(&falls, "admit"),
            verb(&falls, "find"),
        ));
    }
    if !loose.is_empty() && !called_at_once.is_empty() {
        said.push(format!(
            "{} and {} contradict each other: forces that a motion calls up are forces that balance the loads. Trust \
             neither before `drystone verify` has checked both.",
            list(&loose),
            list(&called_at_once)
        ));
    }
    let in_time = verdicts
        .iter()
        .find(|(way, _)| *way == Way::Dynamic)
        .map(|(_, verdict)| *verdict);
    if in_time == Some(Verdict::Stable) && !(loose.is_empty() && falls.is_empty()) {
        said.push(
            "dynamic differs because it follows the blocks: they moved, and came to rest where they lie then.".into(),
        );
    }
    if in_time == Some(Verdict::Unstable) && !called_at_once.is_empty() {
        said.push(
            "dynamic differs because it follows the blocks from joints a little open: they fall where the first motion \
             would have been held."
                .into(),
        );
    }
    if !undecided.is_empty() && undecided.len() < verdicts.len() {
        said.push(format!("Not decided by {}.", list(&undecided)));
    }
    if said.is_empty() && !wedged.is_empty() && !called.is_empty() {
        said.push("It stands whether prestress is admitted or not.".into());
    }
    if said.is_empty() && !loose.is_empty() && !falls.is_empty() {
        said.push("It does not stand, whether prestress is admitted or not.".into());
    }
    (!said.is_empty()).then(|| said.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(verdicts: &[(MethodName, Verdict)]) -> String {
        let each = verdicts.iter().map(|(name, verdict)| (name.ways()[0], *verdict));
        together(&each.collect::<Vec<_>>()).unwrap_or_default()
    }

    #[test]
    fn verdicts_that_differ_by_assumption_are_told_from_those_that_contradict() {
        use {MethodName::*, Verdict::*};
        let wedged = said(&[(Cra, Unstable), (Dynamic, Unstable), (Cone, Stable)]);
        assert!(wedged.contains("cone admits prestress"), "{wedged}");
        assert!(wedged.contains("cra and dynamic admit only"), "{wedged}");
        let settled = said(&[(Cra, Unstable), (Cone, Unstable), (Dynamic, Stable)]);
        assert!(settled.starts_with("dynamic differs"), "{settled}");
        let shaken = said(&[(Cra, Stable), (Cone, Stable), (Dynamic, Unstable)]);
        assert!(shaken.starts_with("dynamic differs"), "{shaken}");
        assert!(said(&[(Cra, Stable), (Cone, Unstable)]).contains("contradict"));
        assert!(said(&[(Cra, Undecided), (Cone, Stable)]).contains("Not decided by cra"));
        assert!(said(&[(Cra, Stable), (Cone, Stable)]).contains("whether prestress is admitted or not"));
        assert_eq!(said(&[(Cone, Stable)]), "");
    }
}

//! The two sides of a limit, each with its proof: up to where it stands, and from where on it falls.

use drystone_mechanics::statics::{Check, Limit, Loads, Tilt, TiltStatus, tilted};
use drystone_model::certificate::Certificate;
use glam::DVec3;

use crate::{
    Case, Geometry, Growing, Proof,
    conclusion::{about_doubtful, about_overlaps, defect, no_verdict},
    words::listed,
};

/// How close two sides must be to be told as one, over their size.
const ONE: f64 = 1e-4;

/// What grows towards the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grows {
    /// A load, by its multiplier.
    Load,
    /// The angle of a tilt.
    Tilt,
}

impl Grows {
    /// What a bound of zero is.
    fn zero(self) -> &'static str {
        match self {
            Self::Load => "without this load",
            Self::Tilt => "upright",
        }
    }

    /// That there is no limit.
    fn no_limit(self) -> &'static str {
        match self {
            Self::Load => "There is no limit: forces within friction limits balance the load alone",
            Self::Tilt => "It stands at every angle that was looked at, upside down, too",
        }
    }
}

/// One side of a limit.
#[derive(Clone, Debug)]
pub struct Side {
    /// The bound: a multiplier, or an angle (unit: rad).
    pub at: f64,
    /// Where its certificate holds: at the bound, or just beyond it where loads do work.
    pub proven_at: f64,
    /// How far it is proven there.
    pub proof: Proof,
    /// The certificate that was checked.
    pub certificate: Option<Certificate>,
}

/// A limit from both sides. A side that was refused is withheld.
#[derive(Clone, Debug, Default)]
pub struct Bracket {
    /// Up to where it stands.
    pub lower: Option<Side>,
    /// From where on it falls.
    pub upper: Option<Side>,
    /// Where there is no limit: that the load alone is balanced, or that it stands upside down.
    pub unbounded: Option<Side>,
    /// Where a load is needed to make it stand: that it falls without it.
    pub without: Option<Side>,
    /// From where on it stands then.
    pub needed: Option<Side>,
    /// Sides that independent code refused, in words, and the claims that failed.
    pub refused: Vec<(&'static str, Vec<String>)>,
}

impl Bracket {
    /// Proves the bounds of a multiplier of `live` loads; the loads of the case act beside them.
    pub fn of_limit(
        case: &Case<'_>,
        growing: &Growing,
        live: &Loads,
        found: &Limit,
    ) -> Result<Self, serde_json::Error> {
        let mut bracket = Self::default();
        let none = Loads::none(case.structure);
        // What grows, at a multiplier, as load cases and others.
        let stated = |before: &[(String, f64)], others: &Loads, multiplier: f64| match growing {
            Growing::Load(name) => {
                let grown = (name.clone(), multiplier);
                (before.iter().cloned().chain([grown]).collect(), others.clone())
            }
            Growing::Direction(_) => (before.to_vec(), others.plus(live, multiplier)),
        };
        // A bound, and the multiplier at which its certificate holds.
        let proven = |[at, proven_at]: [f64; 2], check: &Check| {
            let further = case.further.plus(live, proven_at);
            let (load_cases, others): (Vec<_>, Loads) = match case.others {
                Some(others) => stated(case.load_cases, others, proven_at),
                None => stated(&[], case.further, proven_at),
            };
            let case = Case {
                further: &further,
                load_cases: &load_cases,
                others: Some(&others),
                ..*case
            };
            side(&case, [at, proven_at], check)
        };
        if let (Some(check), Some(multiplier)) = (&found.stands, found.multiplier) {
            bracket.lower = bracket.admitted(proven([multiplier; 2], check)?, "the lower bound");
        }
        if let Some((above, check)) = &found.falls {
            bracket.upper = bracket.admitted(proven([found.bounds[1], *above], check)?, "the upper bound");
        }
        if let Some(check) = &found.falls_without {
            bracket.without = bracket.admitted(proven([0.0; 2], check)?, "that it falls without the load");
        }
        if let Some((least, check)) = &found.needed {
            bracket.needed = bracket.admitted(proven([*least; 2], check)?, "from where on it stands");
        }
        if let Some(check) = &found.carried_alone {
            let (load_cases, others): (Vec<_>, Loads) = stated(&[], &none, 1.0);
            let case = Case {
                gravity: DVec3::ZERO,
                further: live,
                load_cases: &load_cases,
                others: Some(&others),
                ..*case
            };
            let side = side(&case, [f64::INFINITY; 2], check)?;
            bracket.unbounded = bracket.admitted(side, "that there is no limit");
        }
        Ok(bracket)
    }

    /// Proves the bounds of an angle about an axis, from the gravity of the case on.
    pub fn of_tilt(case: &Case<'_>, axis: DVec3, found: &Tilt) -> Result<Self, serde_json::Error> {
        let mut bracket = Self::default();
        let at = |angle: f64| Case {
            gravity: tilted(case.gravity, axis, angle),
            ..*case
        };
        if let (Some(check), Some(angle)) = (&found.stands, found.lower) {
            let side = side(&at(angle), [angle; 2], check)?;
            bracket.lower = bracket.admitted(side, "the lower bound");
            bracket.unbounded = bracket.lower.clone().filter(|_| found.status == TiltStatus::NeverFalls);
        }
        if let (Some(check), Some(angle)) = (&found.falls, found.upper) {
            let side = side(&at(angle), [angle; 2], check)?;
            bracket.upper = bracket.admitted(side, "the upper bound");
        }
        Ok(bracket)
    }

    fn admitted(&mut self, side: Side, what: &'static str) -> Option<Side> {
        match side.proof {
            Proof::Refused(claims) => {
                self.refused.push((what, claims));
                None
            }
            Proof::Accepted | Proof::Open(_) => Some(side),
        }
    }

    /// Whether each side is proven: lower, upper.
    pub fn proven(&self) -> [bool; 2] {
        [&self.lower, &self.upper].map(|side| side.as_ref().is_some_and(|s| s.proof.is_accepted()))
    }

    /// What is known, in plain words. `shown` writes a bound with its unit.
    pub fn conclusion(&self, grows: Grows, shown: impl Fn(f64) -> String, geometry: &Geometry) -> String {
        let zero = grows.zero();
        if let (false, Some(overlaps)) = (self.refused.is_empty(), geometry.overlapping(1)) {
            return no_verdict(&overlaps);
        }
        let lower = |side: &Side| {
            if side.proof.is_accepted() {
                "proven"
            } else {
                "not proven"
            }
        };
        let upper = |side: &Side| {
            if side.proof.is_accepted() {
                "proven"
            } else {
                "evidence, not proof"
            }
        };
        let mut said = Vec::new();
        if let (Some(without), Some(needed)) = (&self.without, &self.needed) {
            said.push(format!(
                "It does not stand {zero} ({}); from {} on it does ({}).",
                upper(without),
                shown(needed.at),
                lower(needed)
            ));
        }
        said.push(match (&self.lower, &self.upper) {
            _ if self.unbounded.is_some() => {
                let proven = self.unbounded.as_ref().map_or("", |side| lower(side));
                format!("{} ({proven}).", grows.no_limit())
            }
            (Some(low), Some(high)) => {
                let [a, b] = [shown(low.at), shown(high.at)];
                let are_one = a == b || (high.at - low.at).abs() <= ONE * high.at.abs();
                match (are_one, lower(low) == upper(high)) {
                    (true, true) => format!("It stands up to {a} and falls beyond that (both {}).", lower(low)),
                    (true, false) => format!(
                        "It stands up to {a} ({}) and falls beyond that ({}).",
                        lower(low),
                        upper(high)
                    ),
                    (false, _) => format!(
                        "It stands up to {a} ({}) and falls beyond {b} ({}); between them nothing is decided.",
                        lower(low),
                        upper(high)
                    ),
                }
            }
            (Some(low), None) => {
                let a = shown(low.at);
                format!("It stands up to {a} ({}). Beyond that nothing is decided.", lower(low))
            }
            (None, Some(high)) if high.at <= 0.0 => match geometry.loose(1) {
                Some(loose) => format!("It does not stand because of its geometry: {loose}."),
                None => format!("It does not stand {zero} ({}).", upper(high)),
            },
            (None, None) if self.without.is_some() => match (geometry.loose(1), &self.without) {
                (Some(loose), _) => format!("It does not stand because of its geometry: {loose}."),
                (None, without) => format!(
                    "It does not stand {zero} ({}), and no multiple of the load was found under which it does.",
                    without.as_ref().map_or("", |side| upper(side))
                ),
            },
            (None, Some(high)) => {
                let b = shown(high.at);
                format!("It falls beyond {b} ({}). Below that nothing is decided.", upper(high))
            }
            (None, None) => format!("Not decided: it was not found to stand {zero}, nor to fall."),
        });
        if !self.refused.is_empty() {
            let sides: Vec<&str> = self.refused.iter().map(|(what, _)| *what).collect();
            said.push(defect(&listed(&sides)));
        }
        said.extend(geometry.overlapping(1).map(|overlaps| about_overlaps(&overlaps)));
        said.extend(geometry.doubtful(1).map(|joints| about_doubtful(&joints)));
        said.join(" ")
    }
}

fn side(case: &Case<'_>, [at, proven_at]: [f64; 2], check: &Check) -> Result<Side, serde_json::Error> {
    let (certificate, proof) = case.prove(check)?;
    Ok(Side {
        at,
        proven_at,
        proof,
        certificate,
    })
}

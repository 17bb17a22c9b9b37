//! What one method found, and how far it is proven.

use drystone_mechanics::statics::Verdict;

use crate::Way;

/// How far a finding is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Independent code has accepted its certificate.
    Accepted,
    /// There is none: time stepping, growing openings, nothing found. What was found and cannot be certified tells why.
    Open(Option<String>),
    /// Independent code has refused its certificate: the claims that failed.
    Refused(Vec<String>),
}

impl Proof {
    /// Whether it was accepted.
    pub fn is_accepted(&self) -> bool {
        *self == Self::Accepted
    }

    /// The claims that failed, where it was refused.
    pub fn refused(&self) -> Option<&[String]> {
        match self {
            Self::Refused(claims) => Some(claims),
            Self::Accepted | Self::Open(_) => None,
        }
    }
}

/// What one method found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How it was asked.
    pub way: Way,
    /// What was found.
    pub found: Verdict,
    /// How far that is proven; of what is undecided, how far equilibrium is.
    pub proof: Proof,
}

impl Finding {
    /// The verdict that may be told: what was refused is withheld.
    pub fn verdict(&self) -> Verdict {
        match self.proof {
            Proof::Refused(_) => Verdict::Undecided,
            Proof::Accepted | Proof::Open(_) => self.found,
        }
    }

    /// Whether the verdict is proven.
    pub fn is_proven(&self) -> bool {
        self.found != Verdict::Undecided && self.proof.is_accepted()
    }

    /// Whether an admissible force distribution is proven, whatever the verdict.
    pub fn proves_equilibrium(&self) -> bool {
        self.found != Verdict::Unstable && self.proof.is_accepted()
    }
}

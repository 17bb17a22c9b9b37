//! What a verification answers, claim by claim.

use serde::Serialize;

/// What became of a certificate.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Verification {
    /// Whether every claim holds.
    pub valid: bool,
    /// The claims, in the order in which they were checked. After one that leaves nothing to check the rest are left out.
    pub claims: Vec<CheckedClaim>,
}

/// One claim and what was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckedClaim {
    /// What is claimed, in plain words.
    pub claim: String,
    /// Whether it holds.
    pub holds: bool,
    /// The figure found, if the claim has one and it is finite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<f64>,
    /// The limit of that figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<f64>,
    /// What the figure is measured in or relative to; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub relative_to: String,
    /// Which block or joint is worst, or why the claim fails.
    pub detail: String,
}

impl CheckedClaim {
    /// A claim without a figure.
    pub(crate) fn plain(claim: impl Into<String>, holds: bool, detail: impl Into<String>) -> Self {
        Self {
            claim: claim.into(),
            holds,
            found: None,
            allowed: None,
            relative_to: String::new(),
            detail: detail.into(),
        }
    }

    /// A claim that fails if there is a reason why.
    pub(crate) fn unless(claim: impl Into<String>, reason: Option<String>, otherwise: impl Into<String>) -> Self {
        match reason {
            Some(reason) => Self::plain(claim, false, reason),
            None => Self::plain(claim, true, otherwise),
        }
    }

    /// A claim about a figure that must be at least so large.
    pub(crate) fn at_least(claim: &str, found: f64, allowed: f64, relative_to: &str, detail: String) -> Self {
        Self {
            claim: claim.into(),
            holds: found >= allowed,
            found: found.is_finite().then_some(found),
            allowed: Some(allowed),
            relative_to: relative_to.into(),
            detail,
        }
    }
}

/// The largest of some figures, and what it belongs to. A figure that is no number is larger than all others: no claim
/// can hold by it.
pub(crate) struct Worst {
    pub(crate) value: f64,
    detail: String,
}

impl Worst {
    /// Nothing yet: zero, which `detail` explains.
    pub(crate) fn new(detail: &str) -> Self {
        Self {
            value: 0.0,
            detail: detail.into(),
        }
    }

    /// Takes a figure into account.
    pub(crate) fn note(&mut self, value: f64, detail: impl FnOnce() -> String) {
        let value = if value.is_nan() { f64::INFINITY } else { value };
        if value > self.value {
            (self.value, self.detail) = (value, detail());
        }
    }

    /// What the largest belongs to.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// The claim that none of the figures is above a limit.
    pub(crate) fn claim(self, claim: &str, allowed: f64, relative_to: &str) -> CheckedClaim {
        CheckedClaim {
            claim: claim.into(),
            holds: self.value <= allowed,
            found: self.value.is_finite().then_some(self.value),
            allowed: Some(allowed),
            relative_to: relative_to.into(),
            detail: self.detail,
        }
    }
}

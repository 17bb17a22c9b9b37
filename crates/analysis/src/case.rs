//! A structure with what acts on it, and the certificate of what was found.

use drystone_mechanics::statics::{
    Acting, Check, Evidence, Loads, Overrides, Structure, Uncertified, Verdict, certify,
};
use drystone_model::{
    Model,
    certificate::{AppliedLoad, Certificate},
};
use drystone_verify::Verifier;
use glam::DVec3;

use crate::Proof;

/// What a question is about.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The model as its file gives it.
    pub as_read: &'a Model,
    /// That model, ready to check certificates of it.
    pub verifier: &'a Verifier,
    /// With the changes that were asked for.
    pub model: &'a Model,
    /// That model by index, with its joints.
    pub structure: &'a Structure,
    /// Those changes, as a certificate states them.
    pub overrides: &'a Overrides,
    /// Gravity as the structure feels it (unit: m/s²).
    pub gravity: DVec3,
    /// Loads beside the weight.
    pub further: &'a Loads,
    /// The load cases that these come from, each times a factor.
    pub load_cases: &'a [(String, f64)],
    /// Those that come from none: all of them, unless this says which.
    pub others: Option<&'a Loads>,
}

impl Case<'_> {
    /// All that acts.
    pub fn loads(&self) -> Loads {
        Loads::body_force(self.structure, self.gravity).plus(self.further, 1.0)
    }

    /// Loads beside the weight, block by block.
    pub fn applied(&self) -> Vec<AppliedLoad> {
        self.further.listed(self.structure)
    }

    /// The certificate of what was found, where it has one, and what independent code says of it: nothing is proven before.
    /// Of what is undecided, it is that of the equilibrium within it.
    pub fn prove(&self, check: &Check) -> Result<(Option<Certificate>, Proof), serde_json::Error> {
        if check.verdict == Verdict::Undecided {
            return match check.equilibrium() {
                Some(equilibrium) => self.prove(&equilibrium),
                None => Ok((None, Proof::Open(None))),
            };
        }
        let acting = Acting {
            gravity: self.gravity,
            load_cases: self.others.map_or(&[], |_| self.load_cases),
            others: self.others.or(Some(self.further)),
            further: Some(self.further),
        };
        let situation = (self.overrides, acting);
        let certificate = match certify(self.as_read, self.structure, &self.loads(), situation, check) {
            Ok(certificate) => certificate,
            Err(Uncertified::Written(error)) => return Err(error),
            Err(why) => return Ok((None, Proof::Open(Some(why.to_string())))),
        };
        let found = self.verifier.verify(&certificate);
        let proof = if !found.valid {
            let failed = found.claims.into_iter().filter(|c| !c.holds);
            Proof::Refused(failed.map(|c| format!("{}: {}", c.claim, c.detail)).collect())
        } else if matches!(check.evidence, Evidence::Growth { .. }) {
            // A motion that friction without self-stress might resist: the file is valid, and no proof.
            Proof::Open(None)
        } else {
            Proof::Accepted
        };
        Ok((Some(certificate), proof))
    }
}

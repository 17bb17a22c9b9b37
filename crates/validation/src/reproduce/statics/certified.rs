//! Questions about rest whose certificates are verified on the spot, with code that shares nothing with the analyses.

use std::ops::Deref;

use glam::DVec3;

use drystone_mechanics::statics::{self, Assembly, Check, Loads, Method, Overrides, certify};
use drystone_model::{Model, certificate::AppliedLoad};

use super::{Failure, Row};

/// A model that is asked about, and the friction that it is asked with.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    model: Model,
    assembly: Assembly,
    friction: Option<f64>,
}

impl Subject {
    pub(super) fn new(model: &Model) -> Result<Self, Failure> {
        Ok(Self {
            model: model.clone(),
            assembly: Assembly::new(model).map_err(Failure::run)?,
            friction: None,
        })
    }

    /// The same with another friction in every joint.
    #[must_use]
    pub(super) fn with_friction(&self, friction: f64) -> Self {
        Self {
            model: self.model.clone(),
            assembly: self.assembly.with_friction(friction),
            friction: Some(friction),
        }
    }

    fn certificate_holds(&self, gravity: DVec3, further: &Loads, check: &Check) -> Result<Option<Holds>, Failure> {
        let assembly = &self.assembly;
        let acts = |b: &usize| further.wrenches[*b] != drystone_cone::Wrench::default();
        let applied: Vec<AppliedLoad> = (assembly.free().filter(acts))
            .map(|b| AppliedLoad {
                block: assembly.names[b].clone(),
                force: further.wrenches[b].force,
                at: assembly.center[b],
                couple: further.wrenches[b].moment,
            })
            .collect();
        let overrides = Overrides {
            friction: self.friction,
            ..Overrides::default()
        };
        let loads = Loads::body_force(assembly, gravity).plus(further, 1.0);
        let situation = (&overrides, gravity, &applied[..]);
        let certificate = certify(&self.model, assembly, &loads, situation, check).map_err(Failure::run)?;
        Ok(certificate.map(|certificate| {
            let found = drystone_verify::verify(&certificate, &self.model);
            let failed = found.claims.iter().find(|c| !c.holds);
            Holds {
                valid: found.valid,
                why: failed.map_or(String::new(), |c| format!("{}: {}", c.claim, c.detail)),
            }
        }))
    }
}

impl Deref for Subject {
    type Target = Assembly;

    fn deref(&self) -> &Assembly {
        &self.assembly
    }
}

/// What became of one certificate.
struct Holds {
    valid: bool,
    why: String,
}

/// Memory that questions share, and what became of the certificates of their answers.
#[derive(Debug, Default)]
pub(super) struct Solvers {
    /// For questions that are asked without certificates.
    pub(super) plain: statics::Solvers,
    valid: usize,
    all: usize,
    /// Of the first that does not hold.
    wrong: Option<String>,
}

impl Solvers {
    /// Asks about rest under a gravity and further loads, and verifies the certificate of the answer.
    pub(super) fn check(
        &mut self,
        subject: &Subject,
        gravity: DVec3,
        further: &Loads,
        method: Method,
    ) -> Result<Check, Failure> {
        let loads = Loads::body_force(subject, gravity).plus(further, 1.0);
        let check = statics::check(subject, &loads, method, &mut self.plain).map_err(Failure::run)?;
        if let Some(holds) = subject.certificate_holds(gravity, further, &check)? {
            self.all += 1;
            self.valid += usize::from(holds.valid);
            if !holds.valid && self.wrong.is_none() {
                let what = format!("`{}`, {}, {}", subject.model.name, method.name(), check.verdict.name());
                self.wrong = Some(format!("{what}: {}", holds.why));
            }
        }
        Ok(check)
    }

    /// A row for the certificates of all answers so far.
    pub(super) fn certificates(&self) -> Row {
        let row = Row::words(
            "certificates that drystone-verify finds valid",
            format!("{0} of {0}", self.all),
            format!("{} of {}", self.valid, self.all),
        );
        match &self.wrong {
            Some(wrong) => row.note(wrong.clone()),
            None => row,
        }
    }
}

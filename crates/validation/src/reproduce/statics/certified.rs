//! Questions about rest whose certificates are verified on the spot, with code that shares nothing with the analyses.

use std::{ops::Deref, sync::Arc};

use glam::DVec3;

use drystone_analysis::Case;
use drystone_mechanics::statics::{self, Check, Loads, Method, Overrides, Structure, Verdict};
use drystone_model::Model;
use drystone_verify::Verifier;

use super::{Failure, Row};

/// A model that is asked about, and the friction that it is asked with.
#[derive(Clone)]
pub(super) struct Subject {
    model: Arc<Model>,
    verifier: Arc<Verifier>,
    structure: Structure,
    overrides: Overrides,
}

impl Subject {
    pub(super) fn new(model: &Model) -> Result<Self, Failure> {
        Ok(Self {
            model: Arc::new(model.clone()),
            verifier: Arc::new(Verifier::new(model)),
            structure: Structure::new(model)?,
            overrides: Overrides::default(),
        })
    }

    /// The same with another friction in every joint.
    #[must_use]
    pub(super) fn with_friction(&self, friction: f64) -> Self {
        Self {
            structure: self.structure.with_friction(friction),
            overrides: Overrides {
                friction: Some(friction),
                ..Overrides::default()
            },
            ..self.clone()
        }
    }

    fn case<'a>(&'a self, gravity: DVec3, further: &'a Loads) -> Case<'a> {
        Case {
            as_read: &self.model,
            verifier: &self.verifier,
            model: &self.model,
            structure: &self.structure,
            overrides: &self.overrides,
            gravity,
            further,
            load_cases: &[],
            others: None,
        }
    }
}

impl Deref for Subject {
    type Target = Structure;

    fn deref(&self) -> &Structure {
        &self.structure
    }
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
        let case = subject.case(gravity, further);
        let check = statics::check(subject, &case.loads(), method, &mut self.plain)?;
        if check.verdict == Verdict::Undecided {
            return Ok(check);
        }
        if let (Some(_), proof) = case.prove(&check).map_err(Failure::run)? {
            self.all += 1;
            match proof.refused() {
                None => self.valid += 1,
                Some(claims) if self.wrong.is_none() => {
                    let what = format!("`{}`, {}, {}", subject.model.name, method.name(), check.verdict.name());
                    self.wrong = Some(format!("{what}: {}", claims.join("; ")));
                }
                Some(_) => {}
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

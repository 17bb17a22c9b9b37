use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use drystone_analysis::{assumption, self_stress_name};
use drystone_model::{
    Model,
    certificate::{Certificate, CertifiedSituation, Claim, SelfStress},
};
use drystone_verify::{CheckedClaim, Verification};

use super::question::read;
use crate::program::{
    Failure,
    report::{Console, counted, table},
};

/// Check a certificate against its model, with code of its own
///
/// Goes through everything that a certificate claims: that it is whole and about this model, that forces act where blocks
/// touch and balance every block within friction, or that a motion is one that no joint resists and the loads drive.
/// Joints are found again from the shapes; nothing is taken from the analyses. Changes that the analysis made to the
/// model (friction, density, gravity, supports, loads) are in the certificate.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone check arch.json --certificate arch.certificate.json
  drystone verify arch.certificate.json arch.json
  drystone verify arch.certificate.json arch.json --json

A certificate that is not valid is an answer, too: exit status 0. Files that cannot be read: 2.
docs/certificates.md gives the file, the checks and the tolerances.")]
pub(crate) struct Verify {
    /// Certificate file
    certificate: PathBuf,
    /// Model file that it is about, or a COMPAS, OBJ, STL or PLY file
    model: PathBuf,
}

impl Verify {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let certificate = Certificate::read(&self.certificate).map_err(Failure::input)?;
        let model = read(&self.model, console)?;
        let (result, found) = verified(&certificate, &model);
        console.result(&result, || text(&certificate, &found))
    }
}

/// What a certificate is worth, as it is printed with `--json`.
pub(crate) fn verified(certificate: &Certificate, model: &Model) -> (Value, Verification) {
    let found = drystone_verify::verify(certificate, model);
    let result = json!({
        "valid": found.valid,
        "claims": found.claims,
        "claim": claim(certificate),
        "method": certificate.method,
        "self_stress": self_stress_name(certificate.self_stress),
        "situation": certificate.situation,
        "proof": found.valid && is_proof(certificate),
    });
    (result, found)
}

fn claim(certificate: &Certificate) -> &'static str {
    match certificate.claim {
        Claim::Stable => "stable",
        Claim::Unstable => "unstable",
    }
}

/// Whether a valid certificate proves its claim. Without self-stress, a motion that loads drive shows how a structure would
/// fall, and not that friction cannot resist.
fn is_proof(certificate: &Certificate) -> bool {
    certificate.claim == Claim::Stable || certificate.self_stress == SelfStress::Allowed
}

fn text(certificate: &Certificate, found: &Verification) -> String {
    let claim = claim(certificate);
    let failed = found.claims.iter().filter(|c| !c.holds).count();
    let valid = if found.valid {
        format!("yes, all {} claims hold", found.claims.len())
    } else {
        format!("no, {failed} of {} claims fail", found.claims.len())
    };
    let assumes = match (certificate.claim, certificate.self_stress) {
        (Claim::Unstable, SelfStress::Allowed) => {
            "nothing: no force distribution is admissible, with self-stress or without"
        }
        (_, self_stress) => assumption(self_stress),
    };
    let mut rows = vec![
        ("valid:", valid),
        ("claim:", format!("{claim}, found by {}", certificate.method)),
        ("assumes:", assumes.to_string()),
        ("situation:", situation(&certificate.situation)),
    ];
    if !is_proof(certificate) {
        rows.push((
            "note:",
            "it shows a motion that the loads drive; evidence, not proof, that friction without self-stress cannot resist".into(),
        ));
    }
    let head = table(&rows);
    let lines: String = found.claims.iter().map(line).collect();
    format!("{head}\n{lines}")
}

/// What the certificate says that the model was changed to: whoever reads it has to agree.
fn situation(situation: &CertifiedSituation) -> String {
    let g = situation.gravity;
    let mut words = vec![format!("gravity {},{},{}", g.x, g.y, g.z)];
    if let Some(friction) = situation.friction {
        words.push(format!("friction {friction} in every joint"));
    }
    if let Some(density) = situation.density {
        words.push(format!("density {density} of every block"));
    }
    if !situation.supports.is_empty() {
        words.push(format!("fixed as well: {}", situation.supports.join(", ")));
    }
    if !situation.loads.is_empty() {
        words.push(format!("{} beside the weight", counted(situation.loads.len(), "load")));
    }
    words.join("; ")
}

fn line(claim: &CheckedClaim) -> String {
    let mark = if claim.holds { "holds" } else { "FAILS" };
    let mut text = format!("{mark}  {}\n", claim.claim);
    let mut more = Vec::new();
    if let Some(found) = claim.found {
        more.push(format!("found {found:.3e}"));
    }
    if let Some(allowed) = claim.allowed {
        more.push(format!("allowed {allowed:.3e}"));
    }
    if !claim.relative_to.is_empty() && !more.is_empty() {
        more.push(format!("relative to {}", claim.relative_to));
    }
    if !claim.detail.is_empty() {
        more.push(claim.detail.clone());
    }
    if !more.is_empty() {
        text.push_str(&format!("         {}\n", more.join("; ")));
    }
    text
}

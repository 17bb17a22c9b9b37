//! The file that proves a verdict: what was asked, and the forces or the motion that answer it.
//!
//! It is plain data, written by the analyses and read by whoever wants to check them. Nothing here knows how forces and
//! motions were found.

use std::path::Path;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{JointSearch, Model, file};

/// Version of the certificate file that this program writes and reads.
pub const CERTIFICATE_VERSION: u32 = 1;

/// What a certificate says of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// It stands: the forces balance its loads and every joint can carry them.
    Stable,
    /// It does not: the loads drive the motion, and no joint resists it.
    Unstable,
}

/// Which forces may exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelfStress {
    /// Any that balance the loads, also those that no displacement mobilises: blocks may be wedged against each other.
    Allowed,
    /// Only those that a small displacement of the blocks mobilises.
    Excluded,
}

/// A verdict with its proof.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Version of the file: 1.
    pub drystone_certificate: u32,
    /// The verdict.
    pub claim: Claim,
    /// The method that found it.
    pub method: String,
    /// Whether it allows self-stress.
    pub self_stress: SelfStress,
    /// The model, by a fingerprint of all it holds.
    pub model: ModelReference,
    /// What the model was changed to, and what acts on it.
    pub situation: CertifiedSituation,
    /// Forces at the contact points, if the claim is that it stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forces: Vec<PointOfForce>,
    /// Forces in ties, if the claim is that it stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tie_forces: Vec<TieForce>,
    /// Motions of the blocks: the mechanism, if the claim is that it does not stand; the motion that mobilises the forces,
    /// where self-stress is excluded and it stands. Blocks that are not named do not move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motions: Vec<BlockMotion>,
    /// What every joint has to close before it acts (m): the opening that the motion of a structure that stands without
    /// self-stress closes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening_m: Option<f64>,
    /// The figures that whoever made it measured.
    pub measured: Measured,
    /// Fingerprint of all of the above.
    pub fingerprint: String,
}

/// The model that a certificate is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelReference {
    /// Its name.
    pub name: String,
    /// How many blocks it has.
    pub blocks: usize,
    /// Fingerprint of the model as its file gives it.
    pub fingerprint: String,
}

/// What was changed after the model was read, and what acts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedSituation {
    /// Acceleration of gravity, tilted with the structure (m/s²).
    pub gravity: DVec3,
    /// Friction of every joint, where it was overridden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Density of every block (kg/m³), where it was overridden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Which faces count as joined, where that was overridden: it replaces the model's own settings and the
    /// joints stored with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_search: Option<JointSearch>,
    /// Blocks that were fixed beside those that the file fixes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub supports: Vec<String>,
    /// Load cases of the model that act, each times a factor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_cases: Vec<ActingCase>,
    /// Forces and couples on blocks beside their weight and the load cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<AppliedLoad>,
}

/// A load case of the model that acts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActingCase {
    /// Its name.
    pub name: String,
    /// What its loads are multiplied by. Its history in time counts for nothing.
    pub factor: f64,
}

/// A force and a couple on a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliedLoad {
    /// Name of the block.
    pub block: String,
    /// Force (N).
    pub force: DVec3,
    /// Where it acts (m).
    pub at: DVec3,
    /// Couple (N m).
    #[serde(default)]
    pub couple: DVec3,
}

/// The force at a contact point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointOfForce {
    /// Names of the two blocks.
    pub blocks: [String; 2],
    /// Where (m).
    pub point: DVec3,
    /// Unit normal of the joint from the first block to the second.
    pub normal: DVec3,
    /// First unit vector across the normal; the second is `normal` x `tangent`.
    pub tangent: DVec3,
    /// Force on the second block, in world axes (N).
    pub force: DVec3,
}

/// The force in a tie.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TieForce {
    /// Its name.
    pub tie: String,
    /// What it pulls with (N); negative for a rod that pushes.
    pub tension_n: f64,
}

/// How a block moves: a velocity, or a small displacement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockMotion {
    /// Name of the block.
    pub block: String,
    /// Of its centre of mass (m/s, or m).
    pub linear: DVec3,
    /// Rotation in world axes (rad/s, or rad).
    pub angular: DVec3,
}

/// What was measured when the certificate was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// For each free block its weight and the size of the forces beside it, added up (N); zero where couples alone act.
    pub weight_n: f64,
    /// Largest force that is left over on a block, over the block's own load; moments over that times the block's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equilibrium_residual: Option<f64>,
    /// Smallest distance of a contact force to the boundary of its friction cone, over `weight_n`; below zero outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone_margin: Option<f64>,
    /// Power of the loads on the motion, over `weight_n` times the largest speed of a block's centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<f64>,
}

/// Why a certificate cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is no certificate.
    #[error("{file}: not a certificate: {source}")]
    Format {
        /// The file.
        file: String,
        /// Why.
        source: serde_json::Error,
    },
    /// It is of another version.
    #[error("{file}: a certificate of version {found}; this program reads version {CERTIFICATE_VERSION}")]
    Version {
        /// The file.
        file: String,
        /// Its version.
        found: u32,
    },
}

impl Certificate {
    /// Reads a certificate. Whether it is true, or even whole, is not looked at.
    pub fn read(path: &Path) -> Result<Self, CertificateError> {
        let file = path.display().to_string();
        let bytes = file::file_bytes(path, file::LARGEST_FILE, file::Pipes::Refused).map_err(|source| {
            CertificateError::Read {
                file: file.clone(),
                source,
            }
        })?;
        let certificate: Self = serde_json::from_slice(&bytes).map_err(|source| CertificateError::Format {
            file: file.clone(),
            source,
        })?;
        match certificate.drystone_certificate {
            CERTIFICATE_VERSION => Ok(certificate),
            found => Err(CertificateError::Version { file, found }),
        }
    }

    /// The text of its file.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }

    /// The fingerprint of what it holds.
    pub fn own_fingerprint(&self) -> Result<String, serde_json::Error> {
        let bare = Self {
            fingerprint: String::new(),
            ..self.clone()
        };
        Ok(fingerprint(serde_json::to_string(&bare)?.as_bytes()))
    }

    /// The same with its fingerprint set.
    pub fn sealed(mut self) -> Result<Self, serde_json::Error> {
        self.fingerprint = self.own_fingerprint()?;
        Ok(self)
    }
}

impl ModelReference {
    /// Refers to a model as its file gives it.
    pub fn to(model: &Model) -> Result<Self, serde_json::Error> {
        Ok(Self {
            name: model.name.clone(),
            blocks: model.blocks.len(),
            fingerprint: fingerprint(file::to_text(model)?.as_bytes()),
        })
    }
}

impl CertifiedSituation {
    /// Changes a model as it was changed for the analysis. Returns names of supports that do not exist.
    pub fn apply(&self, model: &mut Model) -> Vec<String> {
        model.gravity = self.gravity;
        if let Some(friction) = self.friction {
            model.joints.set_friction(friction);
        }
        if let Some(density) = self.density {
            model.set_density(density);
        }
        if let Some(search) = self.joint_search {
            model.search_joints(search);
        }
        let mut unknown = Vec::new();
        for name in &self.supports {
            match model.blocks.iter_mut().find(|b| b.name == *name) {
                Some(block) => block.fixed = true,
                None => unknown.push(name.clone()),
            }
        }
        unknown
    }
}

/// SHA-256 in hexadecimal digits.
fn fingerprint(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate() -> Certificate {
        Certificate {
            drystone_certificate: CERTIFICATE_VERSION,
            claim: Claim::Stable,
            method: "cone".into(),
            self_stress: SelfStress::Allowed,
            model: ModelReference::to(&Model::named("m")).unwrap(),
            situation: CertifiedSituation {
                gravity: Model::STANDARD_GRAVITY,
                ..CertifiedSituation::default()
            },
            forces: vec![PointOfForce {
                blocks: ["a".into(), "b".into()],
                point: DVec3::new(0.1, 1.0 / 3.0, 0.0),
                normal: DVec3::Z,
                tangent: DVec3::X,
                force: DVec3::new(0.0, 0.0, 981.0 / 7.0),
            }],
            tie_forces: Vec::new(),
            motions: Vec::new(),
            opening_m: None,
            measured: Measured::default(),
            fingerprint: String::new(),
        }
        .sealed()
        .unwrap()
    }

    #[test]
    fn a_file_gives_back_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        let written = certificate();
        std::fs::write(&path, written.to_text().unwrap()).unwrap();
        let read = Certificate::read(&path).unwrap();
        assert_eq!(read, written);
        assert_eq!(read.own_fingerprint().unwrap(), read.fingerprint);
    }

    #[test]
    fn any_change_shows_in_the_fingerprint() {
        let mut changed = certificate();
        changed.forces[0].force.z = changed.forces[0].force.z.next_up();
        assert_ne!(changed.own_fingerprint().unwrap(), changed.fingerprint);
        let mut model = Model::named("m");
        let before = ModelReference::to(&model).unwrap();
        model.density = model.density.next_up();
        assert_ne!(ModelReference::to(&model).unwrap(), before);
    }

    #[test]
    fn files_of_other_kinds_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c.json");
        std::fs::write(&path, "{}").unwrap();
        assert!(matches!(Certificate::read(&path), Err(CertificateError::Format { .. })));
        let mut newer = certificate();
        newer.drystone_certificate = 2;
        std::fs::write(&path, newer.to_text().unwrap()).unwrap();
        let error = Certificate::read(&path).unwrap_err();
        assert!(error.to_string().contains("version 2"), "{error}");
        // What never ends, or never comes, is not waited for.
        #[cfg(unix)]
        {
            let fifo = folder.path().join("fifo");
            let made = std::process::Command::new("mkfifo").arg(&fifo).status();
            let is_made = made.is_ok_and(|status| status.success());
            for endless in [Path::new("/dev/zero"), &fifo]
                .into_iter()
                .take(1 + usize::from(is_made))
            {
                let error = Certificate::read(endless).unwrap_err();
                assert!(matches!(error, CertificateError::Read { .. }), "{error}");
            }
        }
        let missing = folder.path().join("none.json");
        assert!(matches!(
            Certificate::read(&missing),
            Err(CertificateError::Read { .. })
        ));
    }
}

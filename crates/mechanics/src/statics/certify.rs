//! Writes a verdict down so that anybody can check it.

use drystone_model::{
    JointSearch, Model,
    certificate::{
        AppliedLoad, BlockMotion, CERTIFICATE_VERSION, Certificate, Claim, Measured, ModelReference, PointOfForce,
        Situation, TieForce,
    },
};

use glam::DVec3;

use super::{Assembly, Check, Evidence, Loads, Verdict};

/// Velocity at which a joint may close, over that of the fastest point, in a motion that is certified.
const CLOSING: f64 = 5e-7;

/// What was changed after the model was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Friction of every joint.
    pub friction: Option<f64>,
    /// Density of every block (unit: kg/m³).
    pub density: Option<f64>,
    /// Which faces count as joined.
    pub joint_search: Option<JointSearch>,
    /// Blocks fixed beside those that the file fixes.
    pub supports: Vec<String>,
}

/// The certificate of a verdict; nothing where there is none, or where what it rests on is not exact enough to be checked. `model` is the model as its file gives it, `gravity` what the
/// weight was computed with, `applied` the loads beside it.
pub fn certify(
    model: &Model,
    assembly: &Assembly,
    loads: &Loads,
    (overrides, gravity, applied): (&Overrides, glam::DVec3, &[AppliedLoad]),
    check: &Check,
) -> Result<Option<Certificate>, serde_json::Error> {
    let claim = match check.verdict {
        Verdict::Stable => Claim::Stable,
        Verdict::Unstable => Claim::Unstable,
        Verdict::Undecided => return Ok(None),
    };
    if claim == Claim::Stable && check.cone_margin().is_some_and(|margin| margin < -1e-9) {
        // Forces within pyramids need not lie in the cones.
        return Ok(None);
    }
    let is_growth = matches!(check.evidence, Evidence::Growth { .. });
    if is_growth && check.closing().is_none_or(|closing| !(closing <= CLOSING)) {
        // The motion that openings tend to still closes joints: it would be refused.
        return Ok(None);
    }
    let name = |b: u32| assembly.names[b as usize].clone();
    let stands = claim == Claim::Stable;
    let mut forces = Vec::new();
    if stands {
        for (point, force) in assembly.points.iter().zip(&check.forces) {
            forces.push(PointOfForce {
                blocks: point.blocks.map(name),
                point: point.position,
                normal: point.normal,
                tangent: point.normal.any_orthonormal_vector(),
                force: *force,
            });
        }
    }
    let tie = |(tie, tension): (&super::TieLine, &f64)| TieForce {
        tie: tie.name.clone(),
        tension_n: *tension,
    };
    let mut motions = Vec::new();
    if !stands || check.opening().is_some() {
        for b in assembly.free() {
            let Some(motion) = check.motions.get(b) else { continue };
            motions.push(BlockMotion {
                block: name(b as u32),
                linear: motion.linear,
                angular: motion.angular,
            });
        }
    }
    let weight: f64 = assembly.free().map(|b| assembly.mass[b] * gravity.length()).sum();
    // Loads on supports count for nothing, nor do loads on one block that cancel each other.
    let net = |b: usize| -> DVec3 {
        let on = applied.iter().filter(|l| l.block == assembly.names[b]);
        on.map(|l| l.force).sum()
    };
    let weight_n = weight + assembly.free().map(|b| net(b).length()).sum::<f64>();
    let per_weight = loads.size(assembly) / weight_n;
    let fastest = motions
        .iter()
        .map(|m: &BlockMotion| m.linear.length())
        .fold(0.0, f64::max);
    let measured = Measured {
        weight_n,
        equilibrium_residual: check.unbalanced().filter(|_| stands).map(|u| u * per_weight),
        cone_margin: check.cone_margin().filter(|_| stands).map(|m| m * per_weight),
        work: check
            .power()
            .filter(|_| !stands && fastest > 0.0)
            .map(|p| p * per_weight / fastest),
    };
    let certificate = Certificate {
        drystone_certificate: CERTIFICATE_VERSION,
        claim,
        method: check.method.name().into(),
        // A motion that associated friction cannot resist is a proof whatever forces are admitted.
        prestress: if !stands && !is_growth {
            drystone_model::certificate::Prestress::Admitted
        } else {
            check.method.prestress()
        },
        model: ModelReference::to(model)?,
        situation: Situation {
            gravity,
            friction: overrides.friction,
            density: overrides.density,
            joint_search: overrides.joint_search,
            supports: overrides.supports.clone(),
            loads: applied.to_vec(),
        },
        forces,
        tie_forces: if stands {
            assembly.ties.iter().zip(&check.tie_forces).map(tie).collect()
        } else {
            Vec::new()
        },
        motions,
        opening_m: check.opening().filter(|_| stands),
        measured,
        fingerprint: String::new(),
    };
    certificate.sealed().map(Some)
}

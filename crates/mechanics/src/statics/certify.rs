//! Writes a verdict down so that anybody can check it.

use drystone_cone::Wrench;
use drystone_model::{
    JointSearch, Model,
    certificate::{
        ActingCase, BlockMotion, CERTIFICATE_VERSION, Certificate, CertifiedSituation, Claim, Measured, ModelReference,
        PointOfForce, TieForce,
    },
};

use glam::DVec3;

use super::{Check, ContactPoint, Evidence, Loads, Structure, Verdict, equilibrium::Forces, refine, ties};

const TUNING: crate::statics::tuning::Acceptance = crate::statics::Tuning::DEFAULT.acceptance;

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

/// Why a verdict has no certificate.
#[derive(Debug, thiserror::Error)]
pub enum Uncertified {
    /// There is no verdict.
    #[error("there is no verdict to certify")]
    NoVerdict,
    /// The forces lie within the pyramids of the method, and may lie outside the friction cones.
    #[error("forces within pyramids need not lie in the friction cones")]
    OutsideCones,
    /// The forces do not balance the loads well enough.
    #[error("its forces leave {0:.1e} of the load on a block, and a certificate may leave {most:.0e}", most = TUNING.left_over)]
    Unbalanced(f64),
    /// Joints close, all together, by more than what the loads do on the motion can prove anything against.
    #[error("the joints of its motion close by more than what the loads do on it can outweigh")]
    Closing,
    /// The certificate could not be written.
    #[error("the certificate could not be written: {0}")]
    Written(#[from] serde_json::Error),
}

/// What acts, as a certificate states it.
#[derive(Clone, Copy, Debug)]
pub struct Acting<'a> {
    /// What the weight was computed with (unit: m/s²).
    pub gravity: DVec3,
    /// Load cases of the model, each times a factor.
    pub load_cases: &'a [(String, f64)],
    /// Loads that no load case states, if there are any.
    pub others: Option<&'a Loads>,
    /// All loads beside the weight, if there are any: those of the load cases and the others.
    pub further: Option<&'a Loads>,
}

impl Acting<'_> {
    /// The weight alone.
    pub fn weight(gravity: DVec3) -> Self {
        Self {
            gravity,
            load_cases: &[],
            others: None,
            further: None,
        }
    }
}

/// The certificate of a verdict, or why it has none. `model` is the model as its file gives it, `loads` all that acts.
pub fn certify(
    model: &Model,
    structure: &Structure,
    loads: &Loads,
    (overrides, acting): (&Overrides, Acting<'_>),
    check: &Check,
) -> Result<Certificate, Uncertified> {
    let gravity = acting.gravity;
    let claim = match check.verdict {
        Verdict::Stable => Claim::Stable,
        Verdict::Unstable => Claim::Unstable,
        Verdict::Undecided => return Err(Uncertified::NoVerdict),
    };
    let stands = claim == Claim::Stable;
    let is_growth = matches!(check.evidence, Evidence::Growth { .. });
    let nothing = Loads::none(structure);
    let applied_to = &acting.further.unwrap_or(&nothing).wrenches;
    let own = own_loads(structure, gravity, applied_to);
    let mut found = Forces {
        contact: check.forces.clone(),
        tension: Vec::new(),
        ties: check.tie_forces.clone(),
    };
    // Forces and motions are corrected as they were found: with ties that yield put from below or from above.
    let above = &check.ties_from_above;
    let as_found = ties::any_yields(structure).then(|| {
        ties::turned(structure, above, &mut found.ties);
        (ties::stated(structure, above), ties::pulled(structure, loads, above))
    });
    let (stated, loads) = as_found.as_ref().map_or((structure, loads), |(s, l)| (s, l));
    let mut moved = check.motions.clone();
    let mut residual = None;
    if stands {
        if check.cone_margin().is_some_and(|margin| margin < -1e-9) {
            return Err(Uncertified::OutsideCones);
        }
        let directions = match check.opening() {
            Some(opening) => refine::Directions::Against {
                motions: &moved,
                opening,
            },
            None => refine::Directions::Cones,
        };
        let left = refine::forces(stated, loads, &own, directions, &mut found);
        if !(left <= TUNING.left_over) {
            return Err(Uncertified::Unbalanced(left));
        }
        residual = Some(left);
    } else if !(refine::motion(stated, loads, !is_growth, &mut moved) >= TUNING.resist) {
        return Err(Uncertified::Closing);
    }
    ties::turned(structure, above, &mut found.ties);
    ties::clamp(structure, &mut found.ties);
    let name = |b: u32| structure.names[b as usize].clone();
    let mut forces = Vec::new();
    if stands {
        for (point, force) in structure.points.iter().zip(&found.contact) {
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
    let case = |(name, factor): &(String, f64)| ActingCase {
        name: name.clone(),
        factor: *factor,
    };
    let mut motions = Vec::new();
    if !stands || check.opening().is_some() {
        for b in structure.free() {
            let Some(motion) = moved.get(b) else { continue };
            motions.push(BlockMotion {
                block: name(b as u32),
                linear: motion.linear,
                angular: motion.angular,
            });
        }
    }
    let weight: f64 = structure.free().map(|b| structure.mass[b] * gravity.length()).sum();
    // Loads on supports count for nothing, nor do loads on one block that cancel each other.
    let weight_n = weight + structure.free().map(|b| applied_to[b].force.length()).sum::<f64>();
    let fastest = motions
        .iter()
        .map(|m: &BlockMotion| m.linear.length())
        .fold(0.0, f64::max);
    let measured = Measured {
        weight_n,
        equilibrium_residual: residual,
        cone_margin: check
            .cone_margin()
            .filter(|_| stands)
            .map(|_| cone_margin(structure, &found.contact) / weight_n)
            .filter(|margin| margin.is_finite()),
        work: check
            .power()
            .filter(|_| !stands && fastest > 0.0)
            .map(|_| loads.power(&moved) / (weight_n * fastest))
            .filter(|work| work.is_finite()),
    };
    let certificate = Certificate {
        drystone_certificate: CERTIFICATE_VERSION,
        claim,
        method: check.method.name().into(),
        // A motion that associated friction cannot resist is a proof whatever forces are admitted.
        self_stress: if !stands && !is_growth {
            drystone_model::certificate::SelfStress::Allowed
        } else {
            check.method.self_stress()
        },
        model: ModelReference::to(model)?,
        situation: CertifiedSituation {
            gravity,
            friction: overrides.friction,
            density: overrides.density,
            joint_search: overrides.joint_search,
            supports: overrides.supports.clone(),
            load_cases: acting.load_cases.iter().map(case).collect(),
            loads: acting.others.unwrap_or(&nothing).listed(structure),
        },
        forces,
        tie_forces: if stands {
            structure.ties.iter().zip(&found.ties).map(tie).collect()
        } else {
            Vec::new()
        },
        motions,
        opening_m: check.opening().filter(|_| stands),
        measured,
        fingerprint: String::new(),
    };
    Ok(certificate.sealed()?)
}

/// The smallest distance of a force to the boundary of its friction cone (N), below zero outside. It is that of the forces
/// that are written down: improving the balance moves forces within their cones.
fn cone_margin(structure: &Structure, forces: &[DVec3]) -> f64 {
    let one = |(point, force): (&ContactPoint, &DVec3)| {
        let press = force.dot(point.normal);
        let across = (*force - press * point.normal).length();
        let mu = structure.friction(point);
        (mu * press - across) / mu.hypot(1.0)
    };
    let all = structure.points.iter().zip(forces).map(one);
    all.fold(f64::INFINITY, f64::min)
}

/// What each block's own load is (N): its weight, the size of the sum of the forces applied to it, and that of their moment
/// over the block's size. Of a block on which nothing acts, the least of any other.
fn own_loads(structure: &Structure, gravity: DVec3, applied_to: &[Wrench]) -> Vec<f64> {
    let one = |(b, Wrench { force, moment }): (usize, &Wrench)| {
        structure.mass[b] * gravity.length() + force.length() + moment.length() / (2.0 * structure.radius[b])
    };
    let own: Vec<f64> = applied_to.iter().enumerate().map(one).collect();
    let some = structure.free().map(|b| own[b]).filter(|o| *o > 0.0);
    let least = some.fold(f64::INFINITY, f64::min);
    own.into_iter().map(|o| if o > 0.0 { o } else { least }).collect()
}

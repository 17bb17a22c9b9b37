//! Structures with answers from the statics of single blocks, as certificates.
#![allow(dead_code)]

use drystone_model::{
    Block, Joints, Model, Shape,
    certificate::{
        BlockMotion, CERTIFICATE_VERSION, Certificate, CertifiedSituation, Claim, Measured, ModelReference,
        PointOfForce, SelfStress,
    },
    recipes,
};
use drystone_verify::{Verification, verify};
use glam::{DAffine3, DQuat, DVec3};

pub(crate) const G: f64 = 9.81;

/// A model and what is claimed of it.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) model: Model,
    pub(crate) certificate: Certificate,
}

/// A certificate that holds nothing yet.
pub(crate) fn claim(model: &Model, gravity: DVec3, claim: Claim) -> Case {
    let situation = CertifiedSituation {
        gravity,
        ..CertifiedSituation::default()
    };
    let weight: f64 = model.free_blocks().map(|b| model.mass_of(b).0 * gravity.length()).sum();
    let certificate = Certificate {
        drystone_certificate: CERTIFICATE_VERSION,
        claim,
        method: "by hand".into(),
        self_stress: SelfStress::Allowed,
        model: ModelReference::to(model).unwrap(),
        situation,
        forces: Vec::new(),
        tie_forces: Vec::new(),
        motions: Vec::new(),
        opening_m: None,
        measured: Measured {
            weight_n: weight,
            ..Measured::default()
        },
        fingerprint: String::new(),
    };
    Case {
        model: model.clone(),
        certificate,
    }
}

pub(crate) fn recipe(name: &str, values: &[(&str, &str)]) -> Model {
    let values: Vec<_> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(name).and_then(|r| r.build_alone(&values)).unwrap()
}

impl Case {
    pub(crate) fn force(mut self, blocks: [&str; 2], point: DVec3, normal: DVec3, force: DVec3) -> Self {
        self.certificate.forces.push(PointOfForce {
            blocks: blocks.map(String::from),
            point,
            normal,
            tangent: normal.any_orthonormal_vector(),
            force,
        });
        self
    }

    pub(crate) fn motion(mut self, block: &str, linear: DVec3, angular: DVec3) -> Self {
        self.certificate.motions.push(BlockMotion {
            block: block.into(),
            linear,
            angular,
        });
        self
    }

    pub(crate) fn without_self_stress(mut self, opening_m: Option<f64>) -> Self {
        self.certificate.self_stress = SelfStress::Excluded;
        self.certificate.opening_m = opening_m;
        self
    }

    /// Verified with fingerprints that agree.
    pub(crate) fn verify(&self) -> Verification {
        let mut certificate = self.certificate.clone();
        certificate.model = ModelReference::to(&self.model).unwrap();
        verify(&certificate.sealed().unwrap(), &self.model)
    }

    /// Everything turned, scaled and moved.
    pub(crate) fn moved(&self, turn: DQuat, scale: f64, shift: DVec3) -> Self {
        let map = DAffine3::from_scale_rotation_translation(DVec3::splat(scale), turn, shift);
        let at = |p: DVec3| map.transform_point3(p);
        let mut moved = self.clone();
        for block in &mut moved.model.blocks {
            block.shape = Shape::from(block.polyhedron().transformed(&map));
            block.pose = drystone_model::Pose::default();
        }
        for tie in &mut moved.model.ties {
            (tie.from.at, tie.to.at) = (at(tie.from.at), at(tie.to.at));
        }
        for interface in &mut moved.model.interfaces {
            interface.points = interface.points.iter().map(|&p| at(p)).collect();
            let frame = &mut interface.frame;
            (frame.point, frame.xaxis, frame.yaxis) = (at(frame.point), turn * frame.xaxis, turn * frame.yaxis);
        }
        let searches = [
            &mut moved.model.joint_search,
            &mut moved.certificate.situation.joint_search,
        ];
        for search in searches.into_iter().flatten() {
            (search.distance, search.precision) = (search.distance * scale, search.precision * scale);
        }
        let c = &mut moved.certificate;
        let heavier = scale.powi(3);
        c.situation.gravity = turn * c.situation.gravity;
        c.measured.weight_n *= heavier;
        c.opening_m = c.opening_m.map(|o| o * scale);
        for f in &mut c.forces {
            f.point = at(f.point);
            (f.normal, f.tangent, f.force) = (turn * f.normal, turn * f.tangent, turn * f.force * heavier);
        }
        for t in &mut c.tie_forces {
            t.tension_n *= heavier;
        }
        for m in &mut c.motions {
            (m.linear, m.angular) = (turn * m.linear * scale, turn * m.angular);
        }
        moved
    }
}

/// Gravity on an incline, seen by someone who stands straight on it.
pub(crate) fn inclined(angle: f64) -> DVec3 {
    G * DVec3::new(angle.sin(), 0.0, -angle.cos())
}

/// A block of 1 m by 0.8 m by 0.5 m on a support that is larger, with a friction of 0.6.
pub(crate) fn block_on_support() -> Model {
    let mut model = Model::named("block");
    model.joints = Joints::uniform(0.6);
    let (low, high) = (DVec3::new(-2.0, -2.0, -0.5), DVec3::new(2.0, 2.0, 0.0));
    model
        .blocks
        .push(Block::new("support", Shape::cuboid(low, high)).fixed());
    let (low, high) = (DVec3::new(-0.5, -0.4, 0.0), DVec3::new(0.5, 0.4, 0.5));
    model.blocks.push(Block::new("block", Shape::cuboid(low, high)));
    model
}

/// It rests on an incline by pressures that grow towards the lower side, with friction in proportion.
pub(crate) fn resting(angle: f64) -> Case {
    let model = block_on_support();
    let gravity = inclined(angle);
    let mass = model.mass_of(&model.blocks[1]).0;
    let more = 0.5 * mass * gravity.x / (8.0 * 0.5);
    let mut case = claim(&model, gravity, Claim::Stable);
    for (x, y) in [(-0.5, -0.4), (0.5, -0.4), (0.5, 0.4), (-0.5, 0.4)] {
        let press = -0.25 * mass * gravity.z + more * f64::signum(x);
        let force = DVec3::new(press * gravity.x / gravity.z, 0.0, press);
        case = case.force(["support", "block"], DVec3::new(x, y, 0.0), DVec3::Z, force);
    }
    case
}

/// It slides down an incline and rises by friction times its way.
pub(crate) fn sliding(angle: f64) -> Case {
    let case = claim(&block_on_support(), inclined(angle), Claim::Unstable);
    case.motion("block", DVec3::new(1.0, 0.0, 0.6), DVec3::ZERO)
}

/// It rests on an incline because a small motion closes its joint and slides down.
pub(crate) fn resting_without_self_stress(angle: f64) -> Case {
    let slide = if angle > 0.0 { 1e-4 } else { 0.0 };
    let motion = DVec3::new(slide, 0.0, -1e-3);
    resting(angle)
        .motion("block", motion, DVec3::ZERO)
        .without_self_stress(Some(1e-3))
}

/// The claims that fail.
pub(crate) fn failures(found: &Verification) -> Vec<&str> {
    assert_eq!(found.valid, found.claims.iter().all(|c| c.holds));
    let failed = found.claims.iter().filter(|c| !c.holds);
    failed.map(|c| c.claim.as_str()).collect()
}

#[track_caller]
pub(crate) fn assert_valid(case: &Case) {
    let found = case.verify();
    assert!(
        found.valid,
        "{:#?}",
        found.claims.iter().filter(|c| !c.holds).collect::<Vec<_>>()
    );
}

/// Checks that a claim fails whose text holds some words.
#[track_caller]
pub(crate) fn assert_fails(case: &Case, words: &str) {
    let found = case.verify();
    let failed = failures(&found);
    assert!(
        failed.iter().any(|f| f.contains(words)),
        "expected `{words}`, failed: {failed:?}"
    );
}

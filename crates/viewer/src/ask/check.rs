//! Does it stand? The verdict, and what it rests on as arrays to draw.

use std::{sync::Arc, time::Instant};

use drystone_mechanics::statics::{
    Assembly, Check, ContactPoint, Loads, Verdict, certify, check as ask_mechanics,
    results::{JointResult, JointState, PointForces, joint_results},
};
use drystone_model::certificate::{Certificate, Prestress};
use drystone_verify::{Verification, verify};
use glam::DVec3;
use serde_json::{Value, json};

use super::finite;
use crate::{
    protocol::{Asked, MethodName, Refusal, Situation},
    session::{Done, Posed, Session, Unanswered},
    wire::{Binary, Kind, flat},
};

/// Speed, over that of the fastest point, below which a joint does not move.
const STILL: f64 = 1e-4;

/// A check, and all that it was about.
pub(crate) struct Checked {
    pub(crate) posed: Arc<Posed>,
    pub(crate) gravity: DVec3,
    pub(crate) further: Loads,
    pub(crate) loads: Loads,
    pub(crate) check: Check,
}

/// Asks whether the model stands in a situation.
pub(crate) fn checked(session: &mut Session, situation: &Situation, method: MethodName) -> Result<Checked, Refusal> {
    let (posed, gravity, further) = session.posed(situation)?;
    let loads = Loads::body_force(&posed.assembly, gravity).plus(&further, 1.0);
    if loads.is_nothing(&posed.assembly) {
        return Err(Refusal::new(
            "nothing acts on the structure: there is no gravity and no load",
        ));
    }
    let check = ask_mechanics(&posed.assembly, &loads, method.method(), &mut session.solvers)?;
    Ok(Checked {
        posed,
        gravity,
        further,
        loads,
        check,
    })
}

pub(crate) fn check(session: &mut Session, id: u64, asked: &Asked) -> Done {
    let start = Instant::now();
    let found = checked(session, &asked.situation, asked.method)?;
    let joints = session.version()?.joints.joints.len();
    let message = arrays(id, &found, joints);
    let mut fields = fields(&found.check);
    fields["revision"] = json!(session.history.revision());
    fields["time_ms"] = json!(1e3 * start.elapsed().as_secs_f64());
    session.out.answer(id, "check", fields)?;
    Ok(session.out.binary(message)?)
}

fn fields(check: &Check) -> Value {
    let has_forces = !check.forces.is_empty();
    json!({
        "verdict": check.verdict.name(),
        "method": check.method.name(),
        "reason": check.reason,
        "prestress": match check.method.prestress() {
            Prestress::Admitted => "admitted",
            Prestress::Excluded => "excluded",
        },
        "residual": check.residual().and_then(finite),
        "evidence": check.evidence.name(),
        "unstable_blocks": check.unstable_blocks,
        "tension_n": (!check.tensions.is_empty()).then(|| check.tension()),
        "max_force_n": has_forces.then(|| check.largest_force()),
        "growth": check.growth,
        "cone_margin": check.cone_margin(),
        "redundancy": check.redundancy,
    })
}

/// Forces by point, and by joint in the numbers of the model's joints.
fn arrays(id: u64, found: &Checked, joints: usize) -> Vec<u8> {
    let (assembly, check) = (&found.posed.assembly, &found.check);
    let results = PointForces::of(check).map(|forces| joint_results(assembly, &found.loads, forces));
    let mut by_joint = ByJoint::new(joints);
    match &results {
        Some(results) => by_joint.forces(&found.posed.numbers, results),
        None => by_joint.motions(&found.posed.numbers, assembly, check),
    }
    let tension = |k: usize| check.tensions.get(k).copied().unwrap_or(0.0) as f32;
    let points: Vec<&ContactPoint> = if check.forces.is_empty() {
        Vec::new()
    } else {
        assembly.points.iter().collect()
    };
    let motion = |b: usize| {
        let motion = check.motions.get(b).copied().unwrap_or(drystone_cone::Twist::ZERO);
        [motion.linear, motion.angular]
            .into_iter()
            .flat_map(|v| v.as_vec3().to_array())
    };
    Binary::new(Kind::Forces, id, json!({ "joints": joints }))
        .floats("points", flat(points.iter().map(|p| &p.position)))
        .floats("forces", flat(&check.forces))
        .floats("tension", (0..points.len()).map(tension))
        .indices(
            "point_joint",
            points.iter().map(|p| found.posed.numbers[p.joint as usize]),
        )
        .floats("use", by_joint.used)
        .floats("resultant_at", flat(&by_joint.at))
        .floats("resultant", flat(&by_joint.resultant))
        .bytes("state", &by_joint.state)
        .floats("motion", (0..assembly.len()).flat_map(motion))
        .floats("pressure", by_joint.pressure)
        .finish()
}

/// What joints do, by the numbers of the model's joints.
struct ByJoint {
    used: Vec<f32>,
    at: Vec<DVec3>,
    resultant: Vec<DVec3>,
    state: Vec<u8>,
    pressure: Vec<f32>,
}

/// States of joints as the page knows them.
mod state {
    pub(super) const OPEN: u8 = 0;
    pub(super) const RESTS: u8 = 1;
    pub(super) const HINGE: u8 = 2;
    pub(super) const SLIDES: u8 = 3;
    pub(super) const BOTH: u8 = 4;
    pub(super) const PULLED: u8 = 5;
}

impl ByJoint {
    fn new(joints: usize) -> Self {
        Self {
            used: vec![-1.0; joints],
            at: vec![DVec3::ZERO; joints],
            resultant: vec![DVec3::ZERO; joints],
            state: vec![state::RESTS; joints],
            pressure: vec![0.0; joints],
        }
    }

    fn forces(&mut self, numbers: &[u32], results: &[JointResult]) {
        for (&number, joint) in numbers.iter().zip(results) {
            let k = number as usize;
            self.used[k] = joint.friction_use.map_or(-1.0, |used| used as f32);
            self.at[k] = joint.center_of_pressure.unwrap_or(joint.center);
            self.resultant[k] = joint.force_n;
            self.state[k] = match joint.state {
                JointState::Open => state::OPEN,
                JointState::Closed => state::RESTS,
                JointState::Hinge => state::HINGE,
                JointState::Sliding if joint.edge.is_some() => state::BOTH,
                JointState::Sliding => state::SLIDES,
                JointState::Pulled => state::PULLED,
            };
            let stress = joint.stress.as_ref();
            self.pressure[k] = stress.map_or(0.0, |s| s.largest_pa.unwrap_or(s.mean_pa) as f32);
        }
    }

    /// Where there are no forces, the mechanism tells what joints do.
    fn motions(&mut self, numbers: &[u32], assembly: &Assembly, check: &Check) {
        if check.verdict != Verdict::Unstable || check.motions.len() != assembly.len() {
            return;
        }
        let mut opens = vec![[0_usize; 3]; assembly.joints.len()];
        for point in &assembly.points {
            let d = assembly.relative(&check.motions, point);
            let apart = d.dot(point.normal);
            let across = (d - apart * point.normal).length();
            // Associated friction opens a joint as it slides.
            let slid = if apart > STILL + 1.01 * point.friction * across {
                0
            } else if across > STILL {
                1
            } else {
                2
            };
            opens[point.joint as usize][slid] += 1;
        }
        for (joint, counts) in opens.iter().enumerate() {
            self.state[numbers[joint] as usize] = match counts {
                [_, 0, 0] => state::OPEN,
                [0, 0, _] => state::RESTS,
                [0, _, _] => state::SLIDES,
                [_, 0, _] => state::HINGE,
                _ => state::BOTH,
            };
            self.at[numbers[joint] as usize] = center(&assembly.joints[joint].points);
        }
    }
}

fn center(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

/// The certificate of a verdict, and what independent code says of it.
pub(crate) fn certified(
    session: &mut Session,
    situation: &Situation,
    method: MethodName,
) -> Result<(Certificate, Verification), Refusal> {
    let found = checked(session, situation, method)?;
    let model = session.model()?;
    let overrides = found.posed.stated(&model, situation)?;
    let applied = found.posed.applied(&found.further);
    let stated = (&overrides, found.gravity, &applied[..]);
    let certificate =
        certify(&model, &found.posed.assembly, &found.loads, stated, &found.check).map_err(Refusal::new)?;
    let certificate = certificate.ok_or_else(|| {
        let verdict = found.check.verdict.name();
        Refusal::new(format!(
            "there is no certificate of this verdict ({verdict}): {}",
            found.check.reason
        ))
    })?;
    let verification = verify(&certificate, &model);
    Ok((certificate, verification))
}

pub(crate) fn certificate(session: &mut Session, id: u64, asked: &Asked) -> Done {
    let (certificate, verification) = certified(session, &asked.situation, asked.method)?;
    let whole = serde_json::to_value(&certificate).map_err(Refusal::new)?;
    let claims = serde_json::to_value(&verification.claims).map_err(Refusal::new)?;
    let fields = json!({ "certificate": whole, "valid": verification.valid, "claims": claims });
    session.out.answer(id, "certificate", fields).map_err(Unanswered::from)
}

//! Does it stand? The verdict, and what it rests on as arrays to draw.

use std::{sync::Arc, time::Instant};

use drystone_analysis::{Answer, Conclusion, Finding, Geometry, Way, ask, conclude};
use drystone_mechanics::statics::{
    Check, ContactPoint, Loads, Structure, Verdict,
    results::{JointResult, JointState, PointForces, joint_results},
};
use drystone_model::certificate::Certificate;
use drystone_verify::{Verification, verify};
use glam::DVec3;
use serde_json::{Value, json};

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
    pub(crate) loads: Loads,
    pub(crate) check: Check,
    pub(crate) answer: Answer,
    pub(crate) geometry: Geometry,
    pub(crate) conclusion: Conclusion,
}

/// What methods have found of one situation of one model: the conclusion is drawn from all of it.
#[derive(Default)]
pub(crate) struct Findings {
    about: Option<(u64, Situation)>,
    found: Vec<Finding>,
}

impl Findings {
    /// Adds what was found, and gives everything found of the same situation, this first.
    fn with(&mut self, revision: u64, situation: &Situation, found: Finding) -> &[Finding] {
        let about = Some((revision, situation.clone()));
        if self.about != about {
            self.found.clear();
            self.about = about;
        }
        self.found.retain(|known| known.way != found.way);
        self.found.insert(0, found);
        &self.found
    }
}

/// Asks whether the model stands in a situation, and has the answer checked by independent code.
pub(crate) fn checked(session: &mut Session, situation: &Situation, method: MethodName) -> Result<Checked, Refusal> {
    let (posed, gravity, further) = session.posed(situation)?;
    let loads = Loads::body_force(&posed.structure, gravity).plus(&further, 1.0);
    if loads.is_nothing(&posed.structure) {
        return Err(Refusal::new(
            "nothing acts on the structure: there is no gravity and no load",
        ));
    }
    let version = session.version()?.clone();
    let stated = posed.stated_somehow(&version, situation);
    let case = posed.case(&stated, gravity, &further);
    let geometry = Geometry::with_pairs(&posed.model, &version.pairs, &posed.structure.loose);
    let answer = ask(&case, Way::Static(method.method()), &geometry, &mut session.solvers)?;
    let check = answer.check.clone();
    let check = check.ok_or_else(|| Refusal::new("the method has no answer"))?;
    let revision = session.history.revision();
    let findings = session.findings.with(revision, situation, answer.finding.clone());
    let conclusion = conclude(findings, &geometry).of_joints(&posed.structure);
    Ok(Checked {
        posed,
        gravity,
        loads,
        check,
        answer,
        geometry,
        conclusion,
    })
}

pub(crate) fn check(session: &mut Session, id: u64, asked: &Asked) -> Done {
    let start = Instant::now();
    let found = checked(session, &asked.situation, asked.method)?;
    let joints = session.version()?.joints.joints.len();
    let message = arrays(id, &found, joints);
    let mut fields = fields(&found).map_err(Refusal::new)?;
    fields["revision"] = json!(session.history.revision());
    fields["time_ms"] = json!(1e3 * start.elapsed().as_secs_f64());
    session.out.answer(id, "check", fields)?;
    Ok(session.out.binary(message)?)
}

fn fields(found: &Checked) -> Result<Value, serde_json::Error> {
    let check = &found.check;
    let has_forces = !check.forces.is_empty();
    let mut fields = found.conclusion.stated(&found.answer, &found.geometry)?;
    fields["geometry"] = json!(found.geometry.lines());
    // Blocks by number: the page knows them so.
    fields["unstable_blocks"] = json!(check.unstable_blocks);
    fields["tension_n"] = json!((!check.tensions.is_empty()).then(|| check.tension()));
    fields["max_force_n"] = json!(has_forces.then(|| check.largest_force()));
    Ok(fields)
}

/// Forces by point, and by joint in the numbers of the model's joints.
fn arrays(id: u64, found: &Checked, joints: usize) -> Vec<u8> {
    let (structure, check) = (&found.posed.structure, &found.check);
    let results = PointForces::of(check).map(|forces| joint_results(structure, &found.loads, forces));
    let mut by_joint = ByJoint::new(joints);
    by_joint.frictions(&found.posed.numbers, structure);
    match &results {
        Some(results) => by_joint.forces(&found.posed.numbers, results),
        None => by_joint.motions(&found.posed.numbers, structure, check),
    }
    let tension = |k: usize| check.tensions.get(k).copied().unwrap_or(0.0) as f32;
    let points: Vec<&ContactPoint> = if check.forces.is_empty() {
        Vec::new()
    } else {
        structure.points.iter().collect()
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
        .floats("motion", (0..structure.len()).flat_map(motion))
        .floats("pressure", by_joint.pressure)
        .floats("friction", by_joint.friction)
        .finish()
}

/// What joints do, by the numbers of the model's joints.
struct ByJoint {
    used: Vec<f32>,
    at: Vec<DVec3>,
    resultant: Vec<DVec3>,
    state: Vec<u8>,
    pressure: Vec<f32>,
    friction: Vec<f32>,
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
            friction: vec![-1.0; joints],
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

    fn frictions(&mut self, numbers: &[u32], structure: &Structure) {
        for point in &structure.points {
            self.friction[numbers[point.joint as usize] as usize] = structure.friction(point) as f32;
        }
    }

    /// Where there are no forces, the mechanism tells what joints do.
    fn motions(&mut self, numbers: &[u32], structure: &Structure, check: &Check) {
        if check.verdict != Verdict::Unstable || check.motions.len() != structure.len() {
            return;
        }
        let mut opens = vec![[0_usize; 3]; structure.joints.len()];
        for point in &structure.points {
            let d = structure.relative(&check.motions, point);
            let apart = d.dot(point.normal);
            let across = (d - apart * point.normal).length();
            // Associated friction opens a joint as it slides.
            let slid = if apart > STILL + 1.01 * structure.friction(point) * across {
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
            self.at[numbers[joint] as usize] = center(&structure.joints[joint].points);
        }
    }
}

fn center(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

/// The certificate of a verdict, as independent code has accepted it.
pub(crate) fn certified(
    session: &mut Session,
    situation: &Situation,
    method: MethodName,
) -> Result<(Certificate, Verification), Refusal> {
    let found = checked(session, situation, method)?;
    let model = session.model()?;
    // A file about a model that nobody has would be of no use.
    found.posed.stated(&model, situation)?;
    let verdict = found.answer.finding.verdict().name();
    let none = || {
        Refusal::new(format!(
            "there is no certificate of this verdict ({verdict}): {}",
            found.answer.reason()
        ))
    };
    let certificate = found.answer.certificate.as_ref().ok_or_else(none)?;
    let verification = verify(certificate, &model);
    Ok((certificate.clone(), verification))
}

pub(crate) fn certificate(session: &mut Session, id: u64, asked: &Asked) -> Done {
    let (certificate, verification) = certified(session, &asked.situation, asked.method)?;
    let whole = serde_json::to_value(&certificate).map_err(Refusal::new)?;
    let claims = serde_json::to_value(&verification.claims).map_err(Refusal::new)?;
    let fields = json!({ "certificate": whole, "valid": verification.valid, "claims": claims });
    session.out.answer(id, "certificate", fields).map_err(Unanswered::from)
}

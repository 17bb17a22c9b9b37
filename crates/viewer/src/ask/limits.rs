//! Safety margins: tilt, load, friction.

use drystone_analysis::{Geometry, Growing, limit as limited, tilt as tilted};
use drystone_cone::Twist;
use drystone_mechanics::statics::{self, Loads};
use drystone_model::JointLaw;
use glam::DVec3;
use serde_json::{Value, json};

use crate::{
    protocol::{Asked, FrictionLaw, Refusal, Situation},
    session::{Done, Session},
};

pub(crate) fn tilt(session: &mut Session, id: u64, asked: &Asked, axis: DVec3) -> Done {
    session.tell_progress(id, "tilting")?;
    let (posed, gravity, further) = session.posed(&asked.situation)?;
    let version = session.version()?.clone();
    let stated = posed.stated_somehow(&version, &asked.situation);
    let case = posed.case(&stated, gravity, &further);
    let geometry = Geometry::with_pairs(&posed.model, &version.pairs, &posed.structure.loose);
    let answer = tilted(&case, axis, asked.method.method(), &geometry, &mut session.solvers)?;
    let mut fields = json!(answer);
    fields["time_ms"] = json!(1e3 * answer.found.time);
    fields["mechanism"] = mechanism(answer.found.falls.as_ref().map_or(&[], |check| &check.motions));
    Ok(session.out.answer(id, "tilt", fields)?)
}

pub(crate) fn limit(
    session: &mut Session,
    id: u64,
    situation: &Situation,
    direction: Option<DVec3>,
    load: Option<String>,
    law: FrictionLaw,
) -> Done {
    session.tell_progress(id, "loading")?;
    let (posed, gravity, further) = session.posed(situation)?;
    let growing = match (direction, load) {
        (Some(direction), None) => Growing::Direction(direction),
        (None, Some(load)) => Growing::Load(load),
        _ => return Err(Refusal::new("`limit` needs either a `direction` or the name of a `load`").into()),
    };
    let version = session.version()?.clone();
    let stated = posed.stated_somehow(&version, situation);
    let case = posed.case(&stated, gravity, &further);
    let geometry = Geometry::with_pairs(&posed.model, &version.pairs, &posed.structure.loose);
    let answer = limited(&case, growing, law.friction(), &geometry, &mut session.solvers)?;
    let mut fields = json!(answer);
    fields["time_ms"] = json!(1e3 * answer.found.time);
    fields["mechanism"] = mechanism(answer.found.motions());
    Ok(session.out.answer(id, "limit", fields)?)
}

pub(crate) fn sensitivity(session: &mut Session, id: u64, asked: &Asked) -> Done {
    session.tell_progress(id, "looking for the minimum friction")?;
    let (posed, gravity, further) = session.posed(&asked.situation)?;
    let loads = Loads::body_force(&posed.structure, gravity).plus(&further, 1.0);
    let found = statics::least_friction(&posed.structure, &loads, asked.method.method(), &mut session.solvers)?;
    let mut motions = Vec::new();
    if let Some(factor) = found.falls_at_factor {
        let mut slippery = posed.structure.clone();
        slippery.change_laws(|law| JointLaw {
            friction: factor * law.friction,
            ..law
        });
        let falls = statics::check(&slippery, &loads, asked.method.method(), &mut session.solvers)?;
        motions = falls.motions;
    }
    let fields = json!({
        "mechanism": mechanism(&motions),
        "least_friction": found.least_friction,
        "friction_factor": found.friction_factor,
        "falls_at_factor": found.falls_at_factor,
        "is_exact": found.is_exact(),
    });
    Ok(session.out.answer(id, "sensitivity", fields)?)
}

/// The motion by which it falls: for each block that moves its number, velocity and angular velocity.
fn mechanism(motions: &[Twist]) -> Value {
    let moving = motions.iter().enumerate().filter(|(_, motion)| **motion != Twist::ZERO);
    let row = |(block, motion): (usize, &Twist)| {
        let numbers = [motion.linear, motion.angular].map(|v| v.as_vec3().to_array());
        json!([block, numbers[0], numbers[1]])
    };
    moving.map(row).collect()
}

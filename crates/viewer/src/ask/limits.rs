//! How far can it go: tilt, load, friction.

use drystone_analysis::{Bracket, Geometry, Grows, Side, words::significant};
use drystone_mechanics::statics::{self, LimitSettings, Loads};
use glam::DVec3;
use serde_json::json;

use super::finite;
use crate::{
    protocol::{Asked, FrictionLaw, Refusal, Situation},
    session::{Done, Session},
};

pub(crate) fn tilt(session: &mut Session, id: u64, asked: &Asked, axis: DVec3) -> Done {
    session.tell_progress(id, "tilting")?;
    if asked.situation.loads.iter().any(|l| l.factor != 0.0) {
        let refusal = Refusal::new("the critical tilt is that of the weight alone, but loads act");
        return Err(refusal
            .help("set the loads to zero, or ask for a check at the angle")
            .into());
    }
    let (posed, gravity, none) = session.posed(&asked.situation)?;
    let mut assembly = posed.assembly.clone();
    assembly.gravity = gravity;
    let found = statics::tilt(&assembly, axis, asked.method.method(), &mut session.solvers)?;
    let version = session.version()?;
    let stated = posed.stated_somehow(version, &asked.situation);
    let case = posed.case(&stated, gravity, &none);
    let bracket = Bracket::of_tilt(&case, axis.normalize_or_zero(), &found).map_err(Refusal::new)?;
    let geometry = Geometry::with_pairs(&posed.model, &version.pairs, &posed.assembly.loose);
    let shown = |angle: f64| format!("{:.2}°", angle.to_degrees());
    let degrees = |side: &Option<Side>| side.as_ref().map(|s| s.at.to_degrees());
    let [lower, upper] = bracket.proven();
    let fields = json!({
        "critical_tilt_deg": found.critical.filter(|_| bracket.refused.is_empty()).map(f64::to_degrees),
        "lower_deg": degrees(&bracket.lower),
        "upper_deg": degrees(&bracket.upper),
        "status": found.status.name(),
        "above_deg": degrees(&bracket.upper),
        "beyond": found.beyond().name(),
        "lower_proven": lower,
        "upper_proven": upper,
        "conclusion": bracket.conclusion(Grows::Tilt, shown, &geometry),
        "geometry_problems": geometry,
        "stands_again": found.stands_again,
        "method": found.method.name(),
        "time_ms": 1e3 * found.time,
    });
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
    let unit = load
        .as_ref()
        .map_or_else(|| "g".into(), |name| format!("times load case `{name}`"));
    let live = match (direction, load) {
        (Some(direction), None) => {
            let direction = direction.try_normalize();
            let direction = direction.ok_or_else(|| Refusal::new("the direction must have a length"))?;
            Loads::body_force(&posed.assembly, direction * gravity.length())
        }
        (None, Some(load)) => Loads::case(&posed.model, &posed.assembly, &load)?,
        _ => return Err(Refusal::new("`limit` needs either a `direction` or the name of a `load`").into()),
    };
    let dead = Loads::body_force(&posed.assembly, gravity).plus(&further, 1.0);
    let settings = LimitSettings {
        friction: law.friction(),
        ..LimitSettings::default()
    };
    let found = statics::limit(&posed.assembly, &dead, &live, &settings, &mut session.solvers)?;
    let version = session.version()?;
    let stated = posed.stated_somehow(version, situation);
    let bracket = Bracket::of_limit(&posed.case(&stated, gravity, &further), &live, &found).map_err(Refusal::new)?;
    let geometry = Geometry::with_pairs(&posed.model, &version.pairs, &posed.assembly.loose);
    let bound = |side: &Option<Side>| side.as_ref().and_then(|s| finite(s.at));
    let shown = |multiplier: f64| format!("{} {unit}", significant(multiplier));
    let [lower, upper] = bracket.proven();
    let fields = json!({
        "multiplier": bound(&bracket.lower),
        "bounds": [bound(&bracket.lower), bound(&bracket.upper)],
        "unbounded": bracket.unbounded.is_some(),
        "needed": bound(&bracket.needed),
        "lower_proven": lower,
        "upper_proven": upper,
        "conclusion": bracket.conclusion(Grows::Load, shown, &geometry),
        "geometry_problems": geometry,
        "residual": found.residual(),
        "note": found.note,
        "time_ms": 1e3 * found.time,
    });
    Ok(session.out.answer(id, "limit", fields)?)
}

pub(crate) fn sensitivity(session: &mut Session, id: u64, asked: &Asked) -> Done {
    session.tell_progress(id, "looking for the minimum friction")?;
    let (posed, gravity, further) = session.posed(&asked.situation)?;
    let loads = Loads::body_force(&posed.assembly, gravity).plus(&further, 1.0);
    let found = statics::least_friction(&posed.assembly, &loads, asked.method.method(), &mut session.solvers)?;
    let fields = json!({
        "least_friction": found.least_friction,
        "friction_factor": found.friction_factor,
        "falls_at_factor": found.falls_at_factor,
        "is_exact": found.is_exact(),
    });
    Ok(session.out.answer(id, "sensitivity", fields)?)
}

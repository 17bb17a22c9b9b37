//! Where the thrust runs, how hard joints press, how weight flows down.

use drystone_mechanics::statics::results::{self, Course, JointResult, Results, ThrustLine};
use glam::DVec3;
use serde_json::{Value, json};

use super::check::checked;
use crate::{
    protocol::Asked,
    session::{Done, Session},
};

pub(crate) fn thrust(session: &mut Session, id: u64, asked: &Asked) -> Done {
    session.out.progress(id, 0.0, "following the thrust")?;
    let found = checked(session, &asked.situation, asked.method)?;
    let (posed, solvers) = (&found.posed, &mut session.solvers);
    let results = results::results(&posed.model, &posed.structure, &found.loads, &found.check, solvers)?;
    let down = found.gravity.normalize_or(DVec3::NEG_Z);
    let stress = results.joints.iter().filter_map(|joint| {
        let corners = &posed.structure.joints[joint.joint].points;
        stress(joint, corners, posed.numbers[joint.joint])
    });
    let fields = json!({
        "lines": lines(&results),
        "stress": stress.collect::<Vec<_>>(),
        "flow": results.courses.iter().map(|c| course(c, down)).collect::<Vec<_>>(),
        "verdict": found.check.verdict.name(),
        "revision": session.history.revision(),
    });
    Ok(session.out.answer(id, "thrust", fields)?)
}

fn lines(results: &Results) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut add = |kind: &str, list: &[ThrustLine], thrust: Option<f64>| {
        for line in list {
            let ends = [line.blocks.first(), line.blocks.last()].map(|b| b.map_or("", String::as_str));
            lines.push(json!({
                "name": format!("{} to {}", ends[0], ends[1]),
                "kind": kind,
                "points": line.points(),
                "arch": line.arch,
                "thrust_n": thrust.unwrap_or(line.horizontal_n[1]),
            }));
        }
    };
    add("computed", &results.thrust_lines, None);
    if let Some(range) = &results.thrust_range {
        add("minimum", &range.minimum.lines, Some(range.minimum.horizontal_n));
        add("maximum", &range.maximum.lines, Some(range.maximum.horizontal_n));
    }
    lines
}

fn stress(joint: &JointResult, corners: &[DVec3], number: u32) -> Option<Value> {
    let stress = joint.stress.as_ref()?;
    let at = |(point, pa): (&DVec3, &f64)| [point.x, point.y, point.z, *pa];
    Some(json!({
        "joint": number,
        "least_pa": stress.linear_pa[0],
        "most_pa": stress.largest_pa.unwrap_or(stress.linear_pa[1]),
        "centre": joint.center_of_pressure,
        "in_kernel": joint.in_kernel,
        "corners": corners.iter().zip(&stress.corners_pa).map(at).collect::<Vec<_>>(),
    }))
}

fn course(course: &Course, down: DVec3) -> Value {
    let weighted: DVec3 = course.flows.iter().map(|f| f.down_n * f.point).sum();
    let at = if course.down_n > 0.0 {
        weighted / course.down_n
    } else {
        -course.height_m * down
    };
    let one = |flow: &results::JointFlow| json!({ "at": flow.point, "force": flow.force_n });
    json!({
        "height_m": course.height_m,
        "vertical_n": course.down_n,
        "at": at,
        "forces": course.flows.iter().map(one).collect::<Vec<_>>(),
    })
}

//! Limits that textbooks give in closed form.

use drystone_cone::Twist;
use drystone_model::Model;
use glam::DVec3;

use super::{
    Allowed, Case, Context, Failure, Method, Outcome, Row, Solvers, Structure, Verdict, at_rest, bracket, structure,
    tilted_until, verdict,
};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "analytical",
    group: "statics",
    source: "textbooks",
    summary: "incline, toppling, harmonic stack, least thickness of a semicircular arch",
    long: false,
    run,
};

/// Least thickness of a semicircular arch over the radius of its centreline, and the angle of its haunch hinges from the
/// crown (deg), for radial joints and any number of them (Milankovitch).
const LEAST_THICKNESS: f64 = 0.1075;
const HAUNCH: f64 = 54.5;
/// Friction that excludes sliding.
const NO_SLIDING: f64 = 5.0;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut solvers = Solvers::default();
    let mut rows = incline(&mut solvers)?;
    rows.extend(toppling(&mut solvers)?);
    for blocks in context.pick(&[2, 5, 10, 20][..], &[2, 5]) {
        rows.extend(harmonic_stack(*blocks, &mut solvers)?);
    }
    rows.extend(least_arch(context.pick(60, 36), &mut solvers)?);
    rows.push(solvers.certificates());
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

/// A block on an incline slides where the tangent of the slope is the friction coefficient.
pub(super) fn incline(solvers: &mut Solvers) -> Result<Vec<Row>, Failure> {
    let model = drive::build("block", &[("width", "1"), ("depth", "1"), ("height", "0.5")])?;
    let mut rows = Vec::new();
    for method in [Method::Cone, Method::Cra] {
        for friction in [0.2, 0.7] {
            let block = structure(&model)?.with_friction(friction);
            let found = tilted_until(&block, DVec3::Y, method, solvers)?;
            rows.push(Row::figure(
                format!("block on an incline, mu {friction}, {} (deg)", method.name()),
                f64::atan(friction).to_degrees(),
                found.lower.unwrap_or(0.0).to_degrees(),
                Allowed::Within(0.01),
            ));
        }
    }
    Ok(rows)
}

/// A block topples where the tangent of the slope is its width over its height.
pub(super) fn toppling(solvers: &mut Solvers) -> Result<Vec<Row>, Failure> {
    let model = drive::build("block", &[("width", "0.6"), ("depth", "0.9"), ("height", "2")])?;
    let block = structure(&model)?.with_friction(2.0);
    let mut rows = Vec::new();
    for (axis, name, width) in [(DVec3::Y, "y", 0.6), (DVec3::X, "x", 0.9)] {
        for method in [Method::Cone, Method::Cra] {
            let found = tilted_until(&block, axis, method, solvers)?;
            rows.push(Row::figure(
                format!("toppling block about {name}, {} (deg)", method.name()),
                f64::atan2(width, 2.0).to_degrees(),
                found.lower.unwrap_or(0.0).to_degrees(),
                Allowed::Within(0.01),
            ));
        }
    }
    Ok(rows)
}

/// Blocks shifted by 1/2, 1/4, 1/6... of their length from the top overhang by half a harmonic number: the farthest that one
/// block a course can reach.
pub(super) fn harmonic_stack(blocks: usize, solvers: &mut Solvers) -> Result<Vec<Row>, Failure> {
    const OFF: f64 = 1e-4;
    let count = blocks.to_string();
    let overhang: f64 = (1..blocks).map(|k| 0.5 / k as f64).sum();
    let mut rows = Vec::new();
    for (factor, published) in [(1.0 - OFF, Verdict::Stable), (1.0 + OFF, Verdict::Unstable)] {
        let offset = (0.5 * factor).to_string();
        let mut values = vec![("blocks", &*count), ("offset", &*offset)];
        if blocks > 2 {
            // Two blocks have one offset, whatever the law of the others.
            values.push(("lean", "harmonic"));
        }
        let model = drive::build("stack", &values)?;
        let cone = verdict(&model, Method::Cone, solvers)?;
        let cra = verdict(&model, Method::Cra, solvers)?;
        let quantity = format!(
            "harmonic stack of {blocks}, overhang {:.4} lengths, cone and cra",
            overhang * factor
        );
        let both = |v: Verdict| format!("{0}, {0}", v.name());
        rows.push(Row::words(
            quantity,
            both(published),
            format!("{}, {}", cone.name(), cra.name()),
        ));
    }
    Ok(rows)
}

/// The thinnest semicircular arch that stands, and where it opens.
pub(super) fn least_arch(voussoirs: usize, solvers: &mut Solvers) -> Result<Vec<Row>, Failure> {
    let count = voussoirs.to_string();
    let arch = |thickness: f64| -> Result<Model, Failure> {
        let thickness = thickness.to_string();
        let values = [("radius", "1"), ("thickness", &*thickness), ("voussoirs", &*count)];
        drive::build("arch", &values)
    };
    let mut mechanism: Option<(f64, Vec<f64>)> = None;
    let found = bracket([0.09, 0.13], 2e-5, |thickness| {
        let thin = structure(&arch(thickness)?)?.with_friction(NO_SLIDING);
        let found = at_rest(&thin, Method::Cone, solvers)?;
        let thicker = mechanism.as_ref().is_none_or(|m| m.0 < thickness);
        if found.verdict == Verdict::Unstable && thicker {
            mechanism = Some((thickness, intrados_hinges(&thin, &found.motions)));
        }
        Ok(found.verdict)
    })?;
    let hinges = mechanism.unwrap_or_default().1;
    let shown: Vec<String> = hinges.iter().map(|a| format!("{a:.1}")).collect();
    let mean = hinges.iter().map(|a| a.abs()).sum::<f64>() / hinges.len().max(1) as f64;
    let step = 180.0 / voussoirs as f64;
    Ok(vec![
        Row::between(
            "semicircular arch, least thickness over radius",
            LEAST_THICKNESS,
            found,
            5e-4,
        )
        .note(format!(
            "{voussoirs} straight-sided voussoirs, friction {NO_SLIDING}; proven to fall, proven to stand, undecided between"
        )),
        Row::figure(
            "its hinges at the soffit, from the crown (deg)",
            HAUNCH,
            mean,
            Allowed::Within(step),
        )
        .note(format!("at {}; a voussoir is {step}°", shown.join(", "))),
    ])
}

/// Angles from the crown (deg) of the joints that turn about their soffit, in the mechanism of an arch about the origin.
fn intrados_hinges(arch: &Structure, motions: &[Twist]) -> Vec<f64> {
    let mut joints: Vec<(f64, f64)> = Vec::new();
    for joint in &arch.joints {
        let [a, b] = joint.blocks;
        let turn = (motions[b].angular - motions[a].angular).length();
        // The corner that opens least is the hinge.
        let opening = |p: &DVec3| {
            let at = |b: usize| motions[b].at(*p - arch.center[b]);
            (at(b) - at(a)).dot(joint.normal)
        };
        let Some(hinge) = joint.points.iter().min_by(|p, q| opening(p).total_cmp(&opening(q))) else {
            continue;
        };
        if hinge.x.hypot(hinge.z) < 1.0 {
            joints.push((hinge.x.atan2(hinge.z).to_degrees(), turn));
        }
    }
    let most = joints.iter().map(|j| j.1).fold(0.0, f64::max);
    joints.retain(|j| j.1 > 0.1 * most);
    joints.iter().map(|j| j.0).collect()
}

//! That a structure does not stand: a motion that no joint resists and the loads drive.
//!
//! Suppose forces within friction balanced the loads, and let the blocks move so that at every joint
//! `d_n >= mu |d_t|`. Then no joint does work against the motion, `f · d >= f_n (d_n - mu |d_t|) >= 0`, while forces in
//! balance do none in all: loads that do work contradict it. In numbers the inequality is off by some `delta`; then
//! forces could balance only if they added up to the work of the loads over `delta`. That bound is checked and told.

use drystone_model::{
    TieKind,
    certificate::{Certificate, Prestress},
};

use crate::{
    bodies::Bodies,
    claims::{CheckedClaim, Worst},
    contacts::Contacts,
    loads::Loads,
    motions::{Link, Motions},
    stable::STATED,
};

/// How far a joint may be from letting the motion pass, over the largest speed of a corner.
const PASSES: f64 = 1e-6;
/// The least power of the loads, over their size times the largest speed of a corner.
const WORK: f64 = 1e-7;
/// The least sum of forces, over the weight, that could still resist because the motion is only nearly one that passes.
/// Forces in structures of stone add up to some weight times the number of courses.
const RESIST: f64 = 1e3;

/// The claims of a structure that does not stand.
pub(crate) fn moves(
    certificate: &Certificate,
    bodies: &Bodies,
    contacts: &Contacts,
    loads: &Loads,
    links: &[Link],
) -> Vec<CheckedClaim> {
    let supports = "supports rest and some block moves";
    let motions = match Motions::of(&certificate.motions, bodies) {
        Ok(motions) => motions,
        Err(why) => return vec![CheckedClaim::plain(supports, false, why)],
    };
    let speed = motions.largest_speed(bodies);
    if !(speed > 0.0 && speed.is_finite()) {
        let detail = format!("the largest speed of a corner is {speed}");
        return vec![CheckedClaim::plain(supports, false, detail)];
    }
    let mut claims = vec![CheckedClaim::plain(
        supports,
        true,
        format!("{} motions are listed", certificate.motions.len()),
    )];
    let mut joints = Worst::new("no joint resists");
    let mut delta = 0f64;
    for joint in &contacts.points {
        let [a, b] = joint.blocks;
        let d = motions.between(bodies, joint.blocks, joint.point) / speed;
        let opening = d.dot(joint.normal);
        let sliding = (d - joint.normal * opening).length();
        let (what, needed) = match certificate.prestress {
            Prestress::Admitted => ("friction times sliding", bodies.friction(a, b) * sliding),
            Prestress::Excluded => ("nothing", 0.0),
        };
        delta = delta.max(needed - opening);
        // Faces that are not quite parallel have either normal.
        joints.note(needed - opening - joint.misfit * sliding, || {
            let [a, b] = joint.blocks.map(|k| bodies.name(k));
            format!(
                "joint of `{a}` and `{b}` at {}: opens by {opening:.6e}, needed {needed:.6e} ({what})",
                joint.point
            )
        });
    }
    let mut ties = Worst::new("no tie resists");
    for link in links {
        let ends = [link.tie.from.at, link.tie.to.at];
        let [from, to] = [0, 1].map(|k| motions.at(bodies, link.blocks[k], ends[k]));
        let stretch = (to - from).dot(link.along) / speed;
        let resisted = match link.tie.kind {
            TieKind::RigidRod => stretch.abs(),
            TieKind::TensionSpring { .. } => stretch,
        };
        ties.note(resisted, || {
            format!("tie `{}` lengthens by {stretch:.6e}", link.tie.name)
        });
    }
    let delta = delta.max(joints.value).max(ties.value);
    let passes = match certificate.prestress {
        Prestress::Admitted => "every joint opens at least by its friction times its sliding",
        Prestress::Excluded => "no joint closes",
    };
    claims.push(joints.claim(passes, PASSES, "largest speed of a corner"));
    if !links.is_empty() {
        claims.push(ties.claim(
            "rods keep their length and other ties do not lengthen",
            PASSES,
            "largest speed of a corner",
        ));
    }
    let power: f64 = loads
        .wrenches
        .iter()
        .enumerate()
        .map(|(k, w)| motions.power(k, w))
        .sum();
    let work = power / (loads.weight * speed);
    claims.push(CheckedClaim::at_least(
        "the loads drive the motion",
        work,
        WORK,
        "weight times largest speed of a corner",
        format!("power {power:.6e} W at a largest speed of {speed:.6e} m/s"),
    ));
    claims.extend(stated_work(
        certificate,
        power / (loads.weight * motions.largest_center_speed()),
    ));
    claims.push(match certificate.prestress {
        Prestress::Admitted => no_force_resists(work, delta),
        Prestress::Excluded => CheckedClaim::plain(
            "this is not a proof: the motion is one that the loads drive and that no joint blocks",
            true,
            "that friction without prestress cannot resist it is not shown",
        ),
    });
    claims
}

/// That the motion passes well enough for the work to be proof.
fn no_force_resists(work: f64, delta: f64) -> CheckedClaim {
    let bound = if delta > 0.0 { work / delta } else { f64::INFINITY };
    let detail = if bound.is_finite() {
        format!("forces that resist would add up to {bound:.3e} times the weight at least")
    } else {
        "no forces, however large, resist".to_owned()
    };
    let holds = work > 0.0 && bound >= RESIST;
    CheckedClaim {
        holds,
        ..CheckedClaim::at_least(
            "no forces in joints and ties resist the motion, unless they are far beyond the weight",
            bound,
            RESIST,
            "weight",
            detail,
        )
    }
}

/// That the work is no less than the certificate states, in its own measure.
fn stated_work(certificate: &Certificate, found: f64) -> Option<CheckedClaim> {
    let stated = certificate.measured.work?;
    let is_met = stated <= found + STATED + 1e-3 * found.abs();
    Some(CheckedClaim {
        found: found.is_finite().then_some(found),
        allowed: Some(stated),
        relative_to: "weight times largest speed of a block's centre".into(),
        ..CheckedClaim::plain(
            "the loads do as much work as stated",
            is_met,
            format!("stated {stated:.6e}, found {found:.6e}"),
        )
    })
}

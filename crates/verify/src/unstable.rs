//! That a structure does not stand: a motion that no joint resists and the loads drive.
//!
//! Suppose forces within friction balanced the loads. Forces in balance do no work in all, whatever the motion. Let a
//! motion close joint `i` by at most `delta_i >= mu |d_t| - d_n`, above zero where the motion is not one that the joint lets
//! pass. The forces there, `R_i` in all along the normal, do work of at least `-R_i delta_i`. So the power of the loads is at
//! most the sum of all `R_i delta_i`. If none of the `R_i` is above some bound, that is at most the bound times the sum of
//! all `delta_i`: closings count together, however many joints share them.
//!
//! A tie that yields carries at most its yield force: what it may take up as the motion lengthens it is taken off the power.

use drystone_model::certificate::{Certificate, SelfStress};

use crate::{
    bodies::Bodies,
    claims::{CheckedClaim, Worst},
    contacts::{Contacts, Joint, least_of},
    loads::Loads,
    motions::{Link, Motions},
    stable::STATED,
};

/// The least power of the loads, over what the own loads of the blocks that move would do at the speeds of their fastest
/// corners: loads may differ by as much and drive the motion still.
const WORK: f64 = 1e-7;
/// The least force, over the weight, that a joint or a tie would have to carry for the structure to stand.
const RESIST: f64 = 1e6;

/// Speed, over the largest, below which blocks rest against each other.
const STILL: f64 = 1e-12;

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
    if !(speed.is_normal() && speed.is_finite()) {
        let detail = format!("the largest speed of a corner is {speed}");
        return vec![CheckedClaim::plain(supports, false, detail)];
    }
    // How fast a motion is means nothing: the fastest corner at one metre a second, or up to two.
    let slower = 0.5f64.powi((speed.log2().floor() as i32).clamp(-1000, 1000));
    let motions = motions.faster(slower);
    let speed = speed * slower;
    let mut claims = vec![CheckedClaim::plain(
        supports,
        true,
        format!("{} motions are listed", certificate.motions.len()),
    )];
    let mut closings = 0.0;
    let mut worst = Worst::new("no joint closes");
    for joint in contacts.joints.iter().filter(|j| !bodies.are_fixed(j.blocks)) {
        let closing = closing(joint, certificate.self_stress, bodies, &motions) / speed;
        closings += closing;
        worst.note(closing, || {
            let [a, b] = joint.blocks.map(|k| bodies.name(k));
            let at = joint.points.first().copied().unwrap_or_default();
            format!("joint of `{a}` and `{b}` at {at}")
        });
    }
    let unknown = contacts.unknown.iter().find(|(blocks, point)| {
        let apart = motions.between(bodies, *blocks, *point).length();
        apart.is_nan() || apart > STILL * speed
    });
    if let Some((blocks, point)) = unknown {
        let [a, b] = blocks.map(|k| bodies.name(k));
        claims.push(CheckedClaim::plain(
            "the joints of blocks that move against each other are known",
            false,
            format!("`{a}` and `{b}` meet at {point} in a dent, where no normals tell how they may move"),
        ));
    }
    let mut yielded = 0.0;
    for link in links {
        let law = link.tie.law();
        let d = motions.apart(bodies, link.blocks, [link.tie.from.at, link.tie.to.at]);
        let stretch = d.dot(link.along) / speed;
        let resisted = if law.pushes {
            stretch.abs()
        } else if law.yield_force.is_finite() {
            yielded += law.yield_force * d.dot(link.along).max(0.0);
            0.0
        } else {
            stretch.max(0.0)
        };
        closings += resisted;
        worst.note(resisted, || {
            format!("tie `{}` lengthens by {stretch:.6e}", link.tie.name)
        });
    }
    let free = || (0..bodies.all.len()).filter(|&k| !bodies.fixed[k]);
    let power: f64 = free().map(|k| motions.power(k, &loads.wrenches[k])).sum::<f64>() - yielded;
    let most: f64 = free().map(|k| loads.own[k] * motions.speed(bodies, k)).sum();
    claims.push(CheckedClaim::at_least(
        "the loads drive the motion",
        power / most,
        WORK,
        "own loads of the blocks that move times the largest speeds of their corners",
        format!("power {power:.6e} W at a largest speed of {speed:.6e} m/s"),
    ));
    claims.extend(stated_work(
        certificate,
        power / (loads.scale * motions.largest_center_speed()),
    ));
    claims.push(nothing_resists(
        certificate.self_stress,
        power / (loads.scale * speed),
        closings,
        &worst,
    ));
    if certificate.self_stress == SelfStress::Excluded {
        claims.push(CheckedClaim::plain(
            "this is not a proof: the motion is one that the loads drive and that no joint blocks",
            true,
            "that friction without self-stress cannot resist it is not shown",
        ));
    }
    claims
}

/// By how much a motion closes a joint against its friction, at the worst of its points. Where the faces are not parallel the
/// joint has the normal, of those that it may have, that suits the motion. Corners may be off by the rounding of the model.
fn closing(joint: &Joint, self_stress: SelfStress, bodies: &Bodies, motions: &Motions) -> f64 {
    let friction = match self_stress {
        SelfStress::Allowed => bodies.friction(joint.blocks),
        SelfStress::Excluded => 0.0,
    };
    if !joint.blocks.iter().any(|&k| motions.moves(k)) {
        return if friction.is_nan() { f64::NAN } else { 0.0 };
    }
    let uncertain = (1.0 + friction) * (joint.rounded + joint.rounding) * motions.turning(joint.blocks);
    let larger = |a: f64, b: f64| if b.is_nan() { b } else { a.max(b) };
    least_of(&joint.normals, |normal| {
        let at = |&point: &glam::DVec3| {
            let d = motions.between(bodies, joint.blocks, point);
            let opening = d.dot(normal);
            friction * (d - normal * opening).length() - opening - uncertain
        };
        joint.points.iter().map(at).fold(0.0, larger)
    })
}

/// That all closings together leave no forces that resist, but for enormous ones.
fn nothing_resists(self_stress: SelfStress, work: f64, closings: f64, worst: &Worst) -> CheckedClaim {
    let bound = if closings == 0.0 {
        f64::INFINITY
    } else {
        work / closings
    };
    let what = match self_stress {
        SelfStress::Allowed => "every joint opens at least by its friction times its sliding, ties do not lengthen",
        SelfStress::Excluded => "no joint closes, ties do not lengthen",
    };
    let detail = if bound == f64::INFINITY {
        "nothing closes: no forces, however large, resist".to_owned()
    } else {
        format!(
            "closings add up to {closings:.3e} of the largest speed: some joint would have to carry {bound:.3e} times the \
             weight; the largest is {:.3e}, {}",
            worst.value,
            worst.detail()
        )
    };
    let claim = format!("{what}: no forces resist, unless one is far beyond the weight");
    CheckedClaim::at_least(&claim, bound, RESIST, "weight", detail)
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

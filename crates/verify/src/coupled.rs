//! That one small motion mobilises the forces, where self-stress is excluded.
//!
//! Coupled rigid-block analysis (Kao et al. 2022, equations 9 to 11): every joint has to close an opening `eps` before it
//! acts. For a small displacement of the blocks, with `d` that of the second block of a joint against the first,
//!
//! ```text
//! d_n >= -eps                    no joint closes by more than its opening
//! f_n (d_n + eps) = 0            only joints that have closed press
//! f_t = -alpha d_t, alpha >= 0   friction opposes the sliding that goes with it
//! ```
//!
//! Every condition is looked at joint by joint and force by force: however small a force is beside others, it acts only
//! where the motion has closed the joint, and only against the sliding there. What closes and what slides is told by the
//! normal that the joint has, not by the one stated: a motion may slide by many times the opening, and any tilt would turn a
//! part of that into a closing. How far a motion may go is limited by the rounding of the normals themselves.

use drystone_model::certificate::Certificate;
use glam::DVec3;

use crate::{
    bodies::Bodies,
    claims::{CheckedClaim, Worst},
    contacts::{Chosen, Contacts, least_of},
    motions::Motions,
    stable::Acting,
};

/// How far each condition may be off: openings over `eps`, friction over the compression of the same force.
const COUPLED: f64 = 1e-6;
/// Sliding, over the opening, below which it has no direction: what rounding leaves of motions many openings large. Joints
/// that stick slide virtually by very little, and their friction must be against that little, too.
const STILL: f64 = 1e-11;

/// The claims of a structure that stands without self-stress.
pub(crate) fn called_up(
    certificate: &Certificate,
    bodies: &Bodies,
    (contacts, chosen): (&Contacts, &Chosen),
    forces: &[Acting],
) -> Vec<CheckedClaim> {
    let opening = "every joint has an opening to close";
    let eps = match certificate.opening_m {
        Some(eps) if eps > 0.0 => eps,
        Some(eps) => return vec![CheckedClaim::plain(opening, false, format!("the opening is {eps} m"))],
        None => return vec![CheckedClaim::plain(opening, false, "the certificate states no opening")],
    };
    let small = "supports rest while the other blocks move";
    let motions = match Motions::of(&certificate.motions, bodies) {
        Ok(motions) => motions,
        Err(why) => return vec![CheckedClaim::plain(small, false, why)],
    };
    let mut closed = Worst::new("no joint closes by more than its opening");
    let mut hidden = Worst::new("nothing moves");
    for (k, joint) in contacts.joints.iter().enumerate() {
        if bodies.are_fixed(joint.blocks) {
            continue;
        }
        let [a, b] = joint.blocks.map(|k| bodies.name(k));
        let place = || format!("joint of `{a}` and `{b}` at {}", joint.points[0]);
        let turning = motions.turning(joint.blocks);
        let moved: Vec<DVec3> = joint
            .points
            .iter()
            .map(|&p| motions.between(bodies, joint.blocks, p))
            .collect();
        let larger = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
        let closes = |n: DVec3| moved.iter().map(|d| -d.dot(n)).fold(f64::NEG_INFINITY, larger);
        let beyond = least_of(chosen.of(contacts, k), closes) - eps - joint.rounded * turning;
        closed.note(beyond / eps, || format!("{} closes {beyond:.6e} m too far", place()));
        let reach = moved.iter().map(|d| d.length()).fold(0.0, larger);
        hidden.note(joint.rounding * (turning + reach / joint.size) / eps, || {
            format!("{} moves by {:.3e} openings", place(), reach / eps)
        });
    }
    let mut pressing = Worst::new("only joints that have closed press");
    let mut sliding = Worst::new("friction opposes sliding throughout");
    for force in forces {
        let n = force.normal;
        let d = motions.between(bodies, force.blocks, force.point);
        let d_n = d.dot(n);
        let (left, press) = (d_n + eps, force.compression());
        closed.note(-left / eps, || {
            format!("{} closes {:.6e} m too far", force.place(), -left)
        });
        if force.given.force == DVec3::ZERO {
            continue;
        }
        pressing.note(left.abs() / eps, || {
            format!("{}: {press:.6e} N where {left:.6e} m are still open", force.place())
        });
        let d_t = d - n * d_n;
        let f_t = force.across();
        let slide = d_t.length();
        let opposed = if slide < STILL * eps {
            DVec3::ZERO
        } else {
            let against = -d_t / slide;
            against * f_t.dot(against).max(0.0)
        };
        let astray = (f_t - opposed).length();
        sliding.note(astray / press, || {
            format!(
                "{}: {astray:.6e} N of friction are not against the sliding",
                force.place()
            )
        });
    }
    vec![
        CheckedClaim::plain(opening, true, format!("{eps} m")),
        CheckedClaim::plain(small, true, format!("{} motions are listed", certificate.motions.len())),
        closed.claim("no joint closes by more than its opening", COUPLED, "opening"),
        hidden.claim(
            "the motion is not so large that rounding could close a joint",
            COUPLED,
            "opening",
        ),
        pressing.claim("only joints that the motion closes press", COUPLED, "opening"),
        sliding.claim(
            "friction opposes the sliding that goes with it",
            COUPLED,
            "compression of the same force",
        ),
    ]
}

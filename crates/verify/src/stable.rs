//! That a structure stands: forces where blocks touch, within friction, in balance with the loads.
//!
//! What is left over on a block counts against the block's own load, never against other forces: those may be as large as
//! whoever writes them likes, if only they balance each other. For the same reason nothing of a large force is forgiven:
//! what the balance is computed with are the forces cut back to their friction cones, about the normals that the joints
//! have, at the points of the joints nearest to those stated. These forces are within friction and in exact balance with loads that differ from the true ones, block by block,
//! by no more than what is left over.

use drystone_model::certificate::{Certificate, PointOfForce};
use glam::DVec3;

use crate::{
    bodies::{Bodies, Body},
    claims::{CheckedClaim, Worst},
    contacts::{Chosen, Contacts},
    loads::Loads,
    motions::{Link, links_of},
    slack::Slack,
    wide::Wide,
};

/// What may be left over on a block, over its own load; of moments, over that times its size.
pub(crate) const BALANCE: f64 = 1e-6;
/// How far friction may be exceeded, over the compression of the same force, before it is cut back, beside what follows from
/// a normal that is not quite the stated one.
const FRICTION: f64 = 1e-9;
/// How far a cone is widened against rounding, as a fraction of its friction.
const ROUNDED: f64 = 4.0 * f64::EPSILON;
/// Forces on a block, added up and over its own load, beyond which rounding of normals and cones could carry it.
const LARGEST: f64 = 2.5e9;
/// How far frames may be from orthonormal.
const FRAME: f64 = 1e-9;
/// Figures that a certificate states may be better than those found by this much, for rounding alone. They are information:
/// what proves are the limits above.
pub(crate) const STATED: f64 = 1e-10;

/// A force with its blocks by index.
pub(crate) struct Acting<'a> {
    pub(crate) blocks: [usize; 2],
    pub(crate) given: &'a PointOfForce,
    pub(crate) friction: f64,
    /// Where it acts: at the joint, or as stated if it acts at none.
    pub(crate) point: DVec3,
    /// Unit normal of the joint, or as stated if it acts at none.
    pub(crate) normal: DVec3,
    /// The same, or as stated if that is the same but for rounding.
    axis: DVec3,
}

impl Acting<'_> {
    /// What it is called in messages.
    pub(crate) fn place(&self) -> String {
        let [a, b] = &self.given.blocks;
        format!("joint of `{a}` and `{b}` at {}", self.given.point)
    }

    /// How far the normal of the joint is turned against the stated one.
    fn turned(&self) -> f64 {
        self.axis.distance(self.given.normal)
    }

    /// Its part along the normal (N).
    pub(crate) fn compression(&self) -> f64 {
        self.given.force.dot(self.axis)
    }

    /// Its part across the normal (N).
    pub(crate) fn across(&self) -> DVec3 {
        self.given.force - self.axis * self.compression()
    }

    /// What has to be added to it for the sum to be within friction about the normal of the joint (N).
    fn cut(&self) -> DVec3 {
        let (force, axis) = (self.given.force, self.axis);
        let mut press = Wide::default();
        (0..3).for_each(|k| press.add_product(force[k], axis[k]));
        let press = press.value();
        if press.is_nan() || press <= 0.0 {
            return -force;
        }
        // Each component in twice the precision: of a large force, a little across is much of a light block.
        let across = DVec3::from_array(std::array::from_fn(|k| {
            let mut sum = Wide::default();
            sum.add(force[k]);
            sum.add_product(-press, axis[k]);
            sum.value()
        }));
        let (most, length) = (self.friction * press, across.length());
        if length <= most * (1.0 + ROUNDED) {
            DVec3::ZERO
        } else {
            across * (most / length - 1.0)
        }
    }
}

/// Names that exist, of blocks that differ.
pub(crate) fn acting<'a>(certificate: &'a Certificate, bodies: &Bodies) -> Result<Vec<Acting<'a>>, String> {
    let mut last: Option<([usize; 2], f64)> = None;
    let act = |given: &'a PointOfForce| {
        let blocks = [bodies.find(&given.blocks[0])?, bodies.find(&given.blocks[1])?];
        if blocks[0] == blocks[1] {
            return Err(format!("a force acts between block `{}` and itself", given.blocks[0]));
        }
        // Forces come joint by joint: friction need not be looked up for each.
        let friction = match last {
            Some((pair, friction)) if pair == blocks => friction,
            _ => bodies.friction(blocks),
        };
        last = Some((blocks, friction));
        Ok(Acting {
            blocks,
            given,
            friction,
            point: given.point,
            normal: given.normal.normalize_or_zero(),
            axis: given.normal.normalize_or_zero(),
        })
    };
    certificate.forces.iter().map(act).collect()
}

/// Every force acts where its blocks touch, along their normal, in a frame that is one.
pub(crate) fn placed(
    forces: &mut [Acting],
    contacts: &Contacts,
    bodies: &Bodies,
    chosen: &mut Chosen,
) -> [CheckedClaim; 2] {
    let mut off = None;
    for force in forces.iter_mut() {
        match contacts.seat(bodies, force.blocks, force.given.point, force.normal, chosen) {
            Ok(seat) => (force.normal, force.axis, force.point) = (seat.normal, seat.axis, seat.point),
            Err(why) => off = off.or_else(|| Some(format!("{}: {why}", force.place()))),
        }
    }
    let mut frames = Worst::new("all frames are exact");
    for force in forces.iter() {
        let (n, t) = (force.given.normal, force.given.tangent);
        let off = (n.length() - 1.0).abs() + (t.length() - 1.0).abs() + n.dot(t).abs();
        frames.note(off, || force.place());
    }
    [
        CheckedClaim::unless(
            "every force acts at a joint of its two blocks, along the joint's normal",
            off,
            format!("{} forces", forces.len()),
        ),
        frames.claim("normals and tangents are unit vectors across each other", FRAME, "1"),
    ]
}

/// Every force presses and stays within friction; the margin that is stated is there.
pub(crate) fn within_friction(certificate: &Certificate, forces: &[Acting], weight: f64) -> Vec<CheckedClaim> {
    let mut pulls = Worst::new("no joint pulls");
    let mut slips = Worst::new("no force is outside its friction cone");
    let (mut least, mut turned) = (f64::INFINITY, 0.0_f64);
    for force in forces {
        let (n, t, mu) = (force.compression(), force.across().length(), force.friction);
        pulls.note(-n / weight, || force.place());
        // A force that does not press has no friction, however small.
        let beyond = if t == 0.0 { 0.0 } else { t / n.max(0.0) - mu };
        // A force on its cone is outside another about a normal next to it. What is outside is cut back for the balance.
        let beyond = beyond - (1.0 + mu * mu) * force.turned();
        turned = turned.max((1.0 + mu) * force.given.force.length() * force.turned() / weight);
        slips.note(if mu.is_nan() { mu } else { beyond }, || {
            format!(
                "{}: friction {t:.6e} N, compression {n:.6e} N, coefficient {mu}",
                force.place()
            )
        });
        // The distance to the boundary, or the friction that is left: whichever is larger, so that both ways of
        // stating it are taken.
        let left = if n < 0.0 { n } else { mu * n - t };
        least = least.min((left / weight).max(left / weight / (1.0 + mu * mu).sqrt()));
    }
    let mut claims = vec![
        pulls.claim("no joint pulls", 0.0, "weight"),
        slips.claim(
            "no joint carries more than its friction",
            FRICTION,
            "compression of the same force",
        ),
    ];
    if let Some(stated) = certificate.measured.cone_margin {
        let detail = format!("stated {stated:.6e}, found {least:.6e}");
        let is_met = stated <= least + turned + STATED + 1e-3 * least.abs();
        claims.push(CheckedClaim {
            found: least.is_finite().then_some(least),
            allowed: Some(stated),
            relative_to: "weight".into(),
            ..CheckedClaim::plain("the margin to friction is not smaller than stated", is_met, detail)
        });
    }
    claims
}

/// Forces in ties are forces that they can carry.
pub(crate) fn carried_by_ties(certificate: &Certificate, links: &[Link]) -> CheckedClaim {
    let wrong = match links_of(links, &certificate.tie_forces) {
        Err(why) => Some(why),
        Ok(found) => {
            let mut pairs = found.iter().zip(&certificate.tie_forces);
            pairs.find_map(|(link, force)| {
                let (law, tension) = (link.tie.law(), force.tension_n);
                if !law.pushes && tension < 0.0 {
                    Some(format!("tie `{}` pushes with {} N and cannot", force.tie, -tension))
                } else if tension > law.yield_force {
                    let most = law.yield_force;
                    Some(format!(
                        "tie `{}` pulls with {tension} N and yields at {most} N",
                        force.tie
                    ))
                } else {
                    None
                }
            })
        }
    };
    let detail = format!("{} ties carry forces", certificate.tie_forces.len());
    CheckedClaim::unless("ties carry only what they can", wrong, detail)
}

/// Forces balance the loads on every free block, as well as is stated.
pub(crate) fn balanced(
    certificate: &Certificate,
    bodies: &Bodies,
    loads: &Loads,
    forces: &[Acting],
    links: &[Link],
) -> Vec<CheckedClaim> {
    let mut left = loads.wrenches.clone();
    let mut acting = vec![0.0; left.len()];
    // What of the remainder, over the own load, whoever stated forces about other points and normals cannot know.
    let mut unknown = vec![0.0; left.len()];
    let mut act = |sign: f64, block: usize, force: DVec3, at: DVec3| {
        left[block].add(sign, force, at, bodies.all[block].center);
        acting[block] += force.length();
    };
    for force in forces {
        let [a, b] = force.blocks;
        let cut = force.cut();
        for part in [force.given.force, cut] {
            act(-1.0, a, part, force.point);
            act(1.0, b, part, force.point);
        }
        for block in force.blocks {
            let Body { size, center, .. } = &bodies.all[block];
            let [off, arm] = [force.given.point, *center].map(|p| p.distance(force.point) / size);
            let cut = cut
                .length()
                .min((1.0 + force.friction) * force.given.force.length() * force.turned());
            unknown[block] += (force.given.force.length() * off + cut * arm.max(1.0)) / loads.own[block];
        }
    }
    let links = links_of(links, &certificate.tie_forces).unwrap_or_default();
    for (link, force) in links.iter().zip(&certificate.tie_forces) {
        let pull = link.along * force.tension_n;
        let [a, b] = link.blocks;
        act(1.0, a, pull, link.tie.from.at);
        act(-1.0, b, pull, link.tie.to.at);
    }
    let mut worst = Worst::new("nothing is left over on any block");
    let mut unstated = 0.0_f64;
    let mut largest = Worst::new("no block carries anything");
    for k in (0..left.len()).filter(|&k| !bodies.fixed[k]) {
        let (force, moment) = (left[k].force().length(), left[k].moment().length());
        let (own, size) = (loads.own[k], bodies.all[k].size);
        // Points and centres of mass far from the origin are rounded themselves.
        let rounding = Slack::of(bodies.model, &bodies.all[k], &bodies.all[k], 0.0).rounding;
        unstated = unstated.max(unknown[k] + rounding / size * (1.0 + acting[k] / own));
        worst.note(force / own, || {
            let name = bodies.name(k);
            format!("block `{name}`: a force of {force:.6e} N is left over, its own load is {own:.6e} N")
        });
        largest.note(acting[k] / own, || format!("block `{}`", bodies.name(k)));
        worst.note(moment / (own * size), || {
            let name = bodies.name(k);
            format!("block `{name}`: a moment of {moment:.6e} N m is left over, its own load is {own:.6e} N")
        });
    }
    let found = worst.value;
    let mut claims = vec![
        worst.claim(
            "forces within friction balance the loads on every block",
            BALANCE,
            "the block's own load; moments: that times its size",
        ),
        largest.claim(
            "no forces are so large that rounding could carry a block",
            LARGEST,
            "the block's own load",
        ),
    ];
    if let Some(stated) = certificate.measured.equilibrium_residual {
        claims.push(CheckedClaim {
            found: found.is_finite().then_some(found),
            allowed: Some(stated),
            relative_to: "the block's own load".into(),
            ..CheckedClaim::plain(
                "the balance is as good as stated",
                found <= 1.001 * stated + unstated + STATED,
                format!("stated {stated:.6e}, found {found:.6e}"),
            )
        });
    }
    claims
}

//! That a structure stands: forces where blocks touch, within friction, in balance with the loads.

use drystone_model::{
    TieKind,
    certificate::{Certificate, PointOfForce},
};

use crate::{
    bodies::Bodies,
    claims::{CheckedClaim, Worst},
    contacts::Contacts,
    loads::{Loads, Wrench},
    motions::{Link, link_of},
};

/// What may be left over of the forces on a block, over the weight; of moments, over the weight times its size.
pub(crate) const BALANCE: f64 = 1e-6;
/// What may be left over on a block, over the sizes of all that acts on it: a light block must not hang in the air because the
/// others are heavy.
const ALONE: f64 = 1e-3;
/// How far a force may be outside its friction cone, over the weight: rounding of the file and of the arithmetic.
const CONE: f64 = 1e-9;
/// How far frames may be from orthonormal.
const FRAME: f64 = 1e-9;
/// Figures that a certificate states may be better than those found by this much, for rounding alone.
pub(crate) const STATED: f64 = 1e-10;

/// A force with its blocks by index.
pub(crate) struct Acting<'a> {
    pub(crate) blocks: [usize; 2],
    pub(crate) given: &'a PointOfForce,
    pub(crate) friction: f64,
}

impl Acting<'_> {
    /// What it is called in messages.
    pub(crate) fn place(&self) -> String {
        let [a, b] = &self.given.blocks;
        format!("joint of `{a}` and `{b}` at {}", self.given.point)
    }

    /// Its part along the normal (N).
    pub(crate) fn compression(&self) -> f64 {
        self.given.force.dot(self.given.normal)
    }

    /// Its part across the normal (N).
    pub(crate) fn across(&self) -> glam::DVec3 {
        self.given.force - self.given.normal * self.compression()
    }
}

/// Names that exist, of blocks that differ.
pub(crate) fn acting<'a>(certificate: &'a Certificate, bodies: &Bodies) -> Result<Vec<Acting<'a>>, String> {
    let act = |given: &'a PointOfForce| {
        let [a, b] = [bodies.find(&given.blocks[0])?, bodies.find(&given.blocks[1])?];
        if a == b {
            return Err(format!("a force acts between block `{}` and itself", given.blocks[0]));
        }
        Ok(Acting {
            blocks: [a, b],
            given,
            friction: bodies.friction(a, b),
        })
    };
    certificate.forces.iter().map(act).collect()
}

/// Every force acts where its blocks touch, along their normal, in a frame that is one.
pub(crate) fn placed(forces: &[Acting], contacts: &Contacts, bodies: &Bodies) -> [CheckedClaim; 2] {
    let off = forces.iter().find_map(|f| {
        let why = contacts.admit(bodies, f.blocks, f.given.point, f.given.normal).err()?;
        Some(format!("{}: {why}", f.place()))
    });
    let mut frames = Worst::new("all frames are exact");
    for force in forces {
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
    let mut least = f64::INFINITY;
    for force in forces {
        let (n, t, mu) = (force.compression(), force.across().length(), force.friction);
        pulls.note(-n / weight, || force.place());
        slips.note((t - mu * n.max(0.0)) / weight, || {
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
        pulls.claim("no joint pulls", CONE, "weight"),
        slips.claim("no joint carries more than its friction", CONE, "weight"),
    ];
    if let Some(stated) = certificate.measured.cone_margin {
        let detail = format!("stated {stated:.6e}, found {least:.6e}");
        let is_met = stated <= least + STATED + 1e-3 * least.abs();
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
pub(crate) fn carried_by_ties(certificate: &Certificate, links: &[Link], weight: f64) -> CheckedClaim {
    let wrong = certificate
        .tie_forces
        .iter()
        .find_map(|force| match link_of(links, force) {
            Err(why) => Some(why),
            Ok(link) => match link.tie.kind {
                TieKind::RigidRod => None,
                TieKind::TensionSpring { .. } => (force.tension_n < -CONE * weight)
                    .then(|| format!("tie `{}` pushes with {} N and cannot", force.tie, -force.tension_n)),
            },
        });
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
    let mut left: Vec<Wrench> = loads.wrenches.clone();
    // The sizes of all that acts on each block, whichever way.
    let mut acting: Vec<f64> = left.iter().map(|w| w.force.length()).collect();
    let arm = |block: usize, point: glam::DVec3| point - bodies.all[block].center;
    for force in forces {
        let [a, b] = force.blocks;
        let (point, f) = (force.given.point, force.given.force);
        left[a].add(-f, arm(a, point));
        left[b].add(f, arm(b, point));
        for block in [a, b] {
            acting[block] += f.length();
        }
    }
    for force in &certificate.tie_forces {
        let Ok(link) = link_of(links, force) else { continue };
        let pull = link.along * force.tension_n;
        let [a, b] = link.blocks;
        left[a].add(pull, arm(a, link.tie.from.at));
        left[b].add(-pull, arm(b, link.tie.to.at));
        for block in [a, b] {
            acting[block] += pull.length();
        }
    }
    let mut worst = Worst::new("nothing is left over on any block");
    let mut alone = Worst::new("every block is held");
    for (k, (body, wrench)) in bodies.all.iter().zip(&left).enumerate().filter(|(_, (b, _))| !b.fixed) {
        let (force, moment) = (wrench.force.length(), wrench.moment.length());
        worst.note(force / loads.weight, || {
            format!("block `{}`: a force of {force:.6e} N is left over", bodies.name(k))
        });
        worst.note(moment / (loads.weight * body.size), || {
            format!("block `{}`: a moment of {moment:.6e} N m is left over", bodies.name(k))
        });
        if acting[k] > 0.0 {
            alone.note(force.max(moment / body.size) / acting[k], || {
                format!(
                    "block `{}`: a force of {force:.6e} N and a moment of {moment:.6e} N m are left over",
                    bodies.name(k)
                )
            });
        }
    }
    let found = worst.value;
    let mut claims = vec![worst.claim(
        "forces balance the loads on every block",
        BALANCE,
        "weight; moments: weight times size of the block",
    )];
    claims.push(alone.claim(
        "no block is left over for being light: what remains is small against what acts on it",
        ALONE,
        "sum of the forces on the block; moments: that times its size",
    ));
    if let Some(stated) = certificate.measured.equilibrium_residual {
        claims.push(CheckedClaim {
            found: found.is_finite().then_some(found),
            allowed: Some(stated),
            relative_to: "weight".into(),
            ..CheckedClaim::plain(
                "the balance is as good as stated",
                found <= 1.001 * stated + STATED,
                format!("stated {stated:.6e}, found {found:.6e}"),
            )
        });
    }
    claims
}

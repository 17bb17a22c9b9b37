//! The order of checks: what the certificate is about, then what it claims.

use drystone_model::{
    JointSearch, Model,
    certificate::{CERTIFICATE_VERSION, Certificate, CertifiedSituation, Claim, ModelReference, SelfStress},
};
use glam::DVec3;

use crate::{
    bodies::{Bodies, Body, shapes},
    claims::{CheckedClaim, Verification},
    contacts::{Chosen, Contacts},
    coupled,
    loads::Loads,
    motions::links,
    precision, stable, unstable,
};

/// How far the weight that a certificate states may be off.
const WEIGHT: f64 = 1e-9;

/// Checks a certificate against the model as read from its file, before the certificate's situation is applied to it.
///
/// Never panics: a certificate or a model with which nothing can be done makes a claim that fails and says why.
pub fn verify(certificate: &Certificate, model: &Model) -> Verification {
    Verifier::new(model).verify(certificate)
}

/// A model made ready to check many certificates of it: its shapes, its joints and its fingerprint, found once.
///
/// What a certificate changes (friction, density, supports, gravity, loads) needs no new search. Where it changes which
/// faces count as joined, the joints are found anew for it.
pub struct Verifier {
    model: Model,
    reference: Result<ModelReference, String>,
    shapes: Result<Vec<Body>, String>,
    contacts: Result<Contacts, String>,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier")
            .field("model", &self.model.name)
            .finish_non_exhaustive()
    }
}

impl Verifier {
    /// Makes a model ready, as read from its file. What is wrong with it is told by each verification.
    pub fn new(model: &Model) -> Self {
        let (shapes, contacts) = Self::joints_of(model);
        Self {
            model: model.clone(),
            reference: ModelReference::to(model).map_err(|why| why.to_string()),
            shapes,
            contacts,
        }
    }

    fn joints_of(model: &Model) -> (Result<Vec<Body>, String>, Result<Contacts, String>) {
        let shapes = shapes(model);
        let contacts = match &shapes {
            Ok(shapes) => Contacts::of(model, shapes),
            Err(why) => Err(why.clone()),
        };
        (shapes, contacts)
    }

    /// Checks a certificate of the model.
    pub fn verify(&self, certificate: &Certificate) -> Verification {
        let mut claims = self.identity(certificate);
        if claims.iter().all(|c| c.claim != FINITE || c.holds) {
            self.content(certificate, &mut claims);
        }
        Verification {
            valid: claims.iter().all(|c| c.holds),
            claims,
        }
    }
}

const FINITE: &str = "every number is finite";

impl Verifier {
    /// Whether the certificate is whole and about this model.
    fn identity(&self, certificate: &Certificate) -> Vec<CheckedClaim> {
        let version = certificate.drystone_certificate;
        let whole = match certificate.own_fingerprint() {
            Ok(own) if own == certificate.fingerprint => None,
            Ok(own) => Some(format!(
                "it states {}, its content gives {own}",
                certificate.fingerprint
            )),
            Err(why) => Some(why.to_string()),
        };
        let same = match &self.reference {
            Ok(own) if *own == certificate.model => None,
            Ok(own) => Some(format!(
                "it is about `{}` ({} blocks, {}); this is `{}` ({} blocks, {})",
                certificate.model.name,
                certificate.model.blocks,
                certificate.model.fingerprint,
                own.name,
                own.blocks,
                own.fingerprint
            )),
            Err(why) => Some(why.clone()),
        };
        vec![
            CheckedClaim::plain(
                "the certificate is of a version that is known",
                version == CERTIFICATE_VERSION,
                format!("version {version}, known {CERTIFICATE_VERSION}"),
            ),
            CheckedClaim::unless("the certificate is as it was written", whole, "its fingerprint agrees"),
            CheckedClaim::unless("it is about this model", same, "the model's fingerprint agrees"),
            CheckedClaim::unless(FINITE, not_finite(certificate), ""),
            CheckedClaim::unless(
                "it holds what its claim needs, and nothing else",
                mismatch(certificate),
                "",
            ),
        ]
    }
}

/// What of a certificate is no finite number.
fn not_finite(certificate: &Certificate) -> Option<String> {
    let bad = |place: String, vectors: &[DVec3], numbers: &[f64]| {
        let is_finite = vectors.iter().all(|v| v.is_finite()) && numbers.iter().all(|x| x.is_finite());
        (!is_finite).then(|| format!("{place}: not finite"))
    };
    let situation = &certificate.situation;
    let mut overridden: Vec<f64> = situation.friction.into_iter().chain(situation.density).collect();
    overridden.extend(
        situation
            .joint_search
            .iter()
            .flat_map(|s| [s.distance, s.angle_deg, s.precision]),
    );
    let measured = &certificate.measured;
    let figures = [measured.equilibrium_residual, measured.cone_margin, measured.work];
    let mut figures: Vec<f64> = figures.into_iter().flatten().collect();
    figures.push(measured.weight_n);
    bad("situation".into(), &[situation.gravity], &overridden)
        .or_else(|| bad("measured".into(), &[], &figures))
        .or_else(|| bad("opening".into(), &[], certificate.opening_m.as_slice()))
        .or_else(|| {
            let mut loads = situation.loads.iter();
            loads.find_map(|l| bad(format!("load on `{}`", l.block), &[l.force, l.at, l.couple], &[]))
        })
        .or_else(|| {
            let mut cases = situation.load_cases.iter();
            cases.find_map(|c| bad(format!("load case `{}`", c.name), &[], &[c.factor]))
        })
        .or_else(|| {
            let mut forces = certificate.forces.iter();
            forces.find_map(|f| {
                let place = format!("force between `{}` and `{}`", f.blocks[0], f.blocks[1]);
                bad(place, &[f.point, f.normal, f.tangent, f.force], &[])
            })
        })
        .or_else(|| {
            let mut ties = certificate.tie_forces.iter();
            ties.find_map(|t| bad(format!("tie `{}`", t.tie), &[], &[t.tension_n]))
        })
        .or_else(|| {
            let mut motions = certificate.motions.iter();
            motions.find_map(|m| bad(format!("motion of `{}`", m.block), &[m.linear, m.angular], &[]))
        })
}

/// What a certificate holds that its claim has no use for: whoever wrote it meant something else.
fn mismatch(certificate: &Certificate) -> Option<String> {
    let has_forces = !(certificate.forces.is_empty() && certificate.tie_forces.is_empty());
    let has_motions = !certificate.motions.is_empty() || certificate.opening_m.is_some();
    match (certificate.claim, certificate.self_stress) {
        (Claim::Unstable, _) if has_forces => Some("it claims a motion and holds forces".into()),
        (Claim::Unstable, _) if certificate.motions.is_empty() => Some("it claims a motion and holds none".into()),
        (Claim::Stable, SelfStress::Allowed) if has_motions => {
            Some("it claims forces that no motion needs to mobilise, and holds motions or an opening".into())
        }
        _ => None,
    }
}

impl Verifier {
    /// Checks what the certificate claims of the model.
    fn content(&self, certificate: &Certificate, claims: &mut Vec<CheckedClaim>) {
        let situation = &certificate.situation;
        let mut changed = self.model.clone();
        let unknown = situation.apply(&mut changed);
        let reason = (!unknown.is_empty()).then(|| format!("the model has no blocks `{}`", unknown.join("`, `")));
        claims.push(CheckedClaim::unless(
            "every support named is a block of the model",
            reason,
            "",
        ));
        claims.push(CheckedClaim::plain(
            "it is about the model in the situation that it states",
            true,
            changes(situation, &self.model),
        ));
        let free = changed.free_blocks().count();
        let detail = format!("{free} of {} blocks are free", changed.blocks.len());
        claims.push(CheckedClaim::plain("some block is free to move", free > 0, detail));
        if free == 0 {
            return;
        }
        let other_joints;
        // Another density moves the centre of mass of a block that carries something.
        let centers_move = situation.density.is_some() && changed.blocks.iter().any(|b| !b.added_mass.is_empty());
        let (shapes, contacts) = if situation.joint_search.is_some() || centers_move {
            other_joints = Self::joints_of(&changed);
            (&other_joints.0, &other_joints.1)
        } else {
            (&self.shapes, &self.contacts)
        };
        if let (Some(search), Ok(shapes)) = (&situation.joint_search, shapes) {
            claims.push(CheckedClaim::unless(
                "coordinates are rounded as far as it takes them to be",
                precision::unexplained(search, &self.model, shapes),
                "",
            ));
        }
        let prepared = || -> Result<_, String> {
            let shapes = shapes.as_deref().map_err(Clone::clone)?;
            let contacts = contacts.as_ref().map_err(Clone::clone)?;
            let bodies = Bodies::of(&changed, shapes)?;
            let loads = Loads::of(situation, &bodies)?;
            let links = links(&bodies)?;
            match contacts.fault(&bodies) {
                Some(fault) => Err(fault),
                None => Ok((bodies, loads, links, contacts)),
            }
        };
        let sound = "blocks, loads, ties and joints of the model are sound";
        let (bodies, loads, links, contacts) = match prepared() {
            Ok(prepared) => prepared,
            Err(why) => return claims.push(CheckedClaim::plain(sound, false, why)),
        };
        claims.push(CheckedClaim::plain(
            sound,
            true,
            match &changed.joint_search {
                Some(search) => format!("{} joints; {}", contacts.joints.len(), searched(search)),
                None => format!("{} joints", contacts.joints.len()),
            },
        ));
        claims.push(weight(certificate.measured.weight_n, loads.weight));
        if certificate.claim == Claim::Unstable {
            claims.extend(unstable::moves(certificate, &bodies, contacts, &loads, &links));
            return;
        }
        let mut forces = match stable::acting(certificate, &bodies) {
            Ok(forces) => forces,
            Err(why) => {
                return claims.push(CheckedClaim::plain(
                    "forces act between blocks of the model",
                    false,
                    why,
                ));
            }
        };
        let mut chosen = Chosen::none(contacts);
        claims.extend(stable::placed(&mut forces, contacts, &bodies, &mut chosen));
        claims.extend(stable::within_friction(certificate, &forces, loads.scale));
        claims.push(stable::carried_by_ties(certificate, &links));
        claims.extend(stable::balanced(certificate, &bodies, &loads, &forces, &links));
        if certificate.self_stress == SelfStress::Excluded {
            claims.extend(coupled::called_up(certificate, &bodies, (contacts, &chosen), &forces));
        }
    }
}

/// What a situation changes of a model, in words: whoever reads a verification has to agree with it.
fn changes(situation: &CertifiedSituation, model: &Model) -> String {
    let mut words = Vec::new();
    if situation.gravity != model.gravity {
        words.push(format!("gravity {} instead of {}", situation.gravity, model.gravity));
    }
    words.extend(
        situation
            .friction
            .map(|friction| format!("friction {friction} in every joint")),
    );
    words.extend(
        situation
            .density
            .map(|density| format!("density {density} kg/m³ of every block")),
    );
    words.extend(situation.joint_search.as_ref().map(searched));
    if !situation.supports.is_empty() {
        words.push(format!("fixed as well: `{}`", situation.supports.join("`, `")));
    }
    for case in &situation.load_cases {
        words.push(format!("load case `{}` {} times", case.name, case.factor));
    }
    if !situation.loads.is_empty() {
        words.push(format!("{} loads beside the weight", situation.loads.len()));
    }
    let joints = &model.joints;
    let laws = (joints.groups.iter().map(|j| j.law())).chain(joints.blocks.iter().map(|j| j.law()));
    if (laws.chain([joints.law()]))
        .any(|law| law.static_friction.is_some() || law.bond.is_some_and(|b| !b.is_nothing()))
    {
        words.push("joints are dry, without their bonds and static friction".into());
    }
    if words.is_empty() {
        return "nothing of the model is changed".into();
    }
    words.join("; ")
}

/// Which faces are taken as joined, in words.
fn searched(search: &JointSearch) -> String {
    let rounded = if search.precision > 0.0 {
        format!("rounded by up to {} m", search.precision)
    } else {
        "exact".to_owned()
    };
    let (distance, angle) = (search.distance, search.angle_deg);
    format!("faces joined up to {distance} m and {angle} degrees apart, coordinates taken as {rounded}")
}

fn weight(stated: f64, found: f64) -> CheckedClaim {
    // Where couples alone act there is none.
    let off = if stated == found {
        0.0
    } else {
        (stated - found).abs() / found
    };
    CheckedClaim {
        found: off.is_finite().then_some(off),
        allowed: Some(WEIGHT),
        relative_to: "weight".into(),
        ..CheckedClaim::plain(
            "the weight is as stated",
            off <= WEIGHT,
            format!("stated {stated:.9e} N, found {found:.9e} N"),
        )
    }
}

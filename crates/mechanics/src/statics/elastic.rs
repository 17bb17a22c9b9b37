//! Elastic equilibrium: which of all forces that balance the loads there are where blocks deform.
//!
//! Weight and loads grow from nothing on blocks free of stress, joints are unilateral with Coulomb friction, and the structure is
//! followed through equilibria ([`crate::slow`]). What deforms leaves nothing undetermined; forces at the nodes of a joint are told at
//! its corners, each spread so that its resultant stays where it is, and balance the loads there as well.

use drystone_contact::{Joint, Placement};
use drystone_model::{Model, Stage, Stages};
use glam::DVec3;

use super::{Balanced, Check, Loads, Method, Solvers, StaticsError, Structure, Verdict, equilibrium::Forces};
use crate::{
    dynamics::{ContactForce, Deformed},
    slow::{Path, PathEnd, PathError, PathSettings},
};

/// What forces at rest may leave of the loads where blocks are drawn: these have moved a little.
const BALANCED: f64 = 1e-2;
/// Steps in which weight and loads grow.
const STEPS: u32 = 4;

/// A structure in elastic equilibrium.
#[derive(Clone, Debug)]
pub struct ElasticEquilibrium {
    /// Where blocks are.
    pub placements: Vec<Placement>,
    /// How blocks are deformed.
    pub deformed: Vec<Deformed>,
    /// Forces at the nodes of the joints.
    pub contacts: Vec<ContactForce>,
    /// Largest displacement of a block (unit: m).
    pub displacement: f64,
}

/// Looks for the elastic equilibrium of a structure whose blocks deform, under gravity (unit: m/s²) and load cases of its model, each
/// times a factor, which all together are `loads`. Where there
/// is none, or none was found, the answer is what [`super::check()`] says of rigid blocks: what deforms little stands where they do.
pub fn check_elastic(
    model: &Model,
    structure: &Structure,
    (gravity, cases, loads): (DVec3, &[(String, f64)], &Loads),
    solvers: &mut Solvers,
) -> Result<(Check, Option<ElasticEquilibrium>), StaticsError> {
    let start = std::time::Instant::now();
    let rigid = |solvers: &mut Solvers, why: &str| {
        let mut check = super::check(structure, loads, Method::Cone, solvers)?;
        check.reason = format!("{why}; of rigid blocks: {}", check.reason);
        if check.verdict == Verdict::Stable {
            check.verdict = Verdict::Undecided;
        }
        check.time = start.elapsed().as_secs_f64();
        Ok((check, None))
    };
    if !structure.loose.is_empty() {
        return rigid(solvers, "some blocks hang on nothing");
    }
    let mut loaded = model.clone();
    loaded.gravity = gravity;
    let mut stage = Stage {
        name: "loads".to_string(),
        steps: Some(STEPS),
        gravity: Some(1.0),
        ..Stage::default()
    };
    for (name, factor) in cases {
        *stage.loads.entry(name.clone()).or_insert(0.0) += factor;
    }
    let mut own = structure.clone();
    own.gravity = gravity;
    let failed = |error: PathError| match error {
        PathError::Simulation(error) => StaticsError::from(error),
        other => StaticsError::Elastic(other.to_string()),
    };
    let stages = Stages { stages: vec![stage] };
    let mut path = Path::new(&loaded, own, &stages, PathSettings::default()).map_err(failed)?;
    path.stop_by(solvers.stop.clone());
    if path.follow(|_| ()).map_err(failed)? != PathEnd::Completed {
        return rigid(solvers, "no elastic equilibrium was found");
    }
    let simulation = path.simulation();
    let contacts: Vec<ContactForce> = simulation.contact_forces().collect();
    let forces = Forces {
        contact: at_corners(structure, &contacts),
        tension: Vec::new(),
        ties: simulation.ties().map(|tie| tie.state.force).collect(),
    };
    let balance = Balanced::of(structure, loads, &forces);
    if !(balance.unbalanced <= BALANCED) {
        return rigid(
            solvers,
            "the forces of the elastic equilibrium do not balance the loads on the structure as drawn",
        );
    }
    let mut check = Check::by_forces(structure, Method::Cone, (forces, balance));
    check.reason = "blocks and joints come to an elastic equilibrium within the friction limits".to_string();
    check.time = start.elapsed().as_secs_f64();
    let equilibrium = ElasticEquilibrium {
        placements: simulation.state().placements.clone(),
        deformed: simulation.state().deformed().to_vec(),
        contacts,
        displacement: path.points().last().map_or(0.0, |p| p.displacement),
    };
    Ok((check, Some(equilibrium)))
}

/// Forces at the corners of joints, on their second blocks, for forces at points within them.
fn at_corners(structure: &Structure, contacts: &[ContactForce]) -> Vec<DVec3> {
    let mut first = 0;
    let begins: Vec<usize> = (structure.joints.iter())
        .map(|joint| {
            let begin = first;
            first += joint.points.len();
            begin
        })
        .collect();
    let mut forces = vec![DVec3::ZERO; structure.points.len()];
    for contact in contacts.iter().filter(|c| c.force != DVec3::ZERO) {
        let blocks = contact.blocks.map(|b| b as usize);
        let joins = |joint: &Joint| joint.blocks == blocks || joint.blocks == [blocks[1], blocks[0]];
        let spread = (structure.joints.iter().enumerate())
            .filter(|(_, joint)| joins(joint))
            .map(|(k, joint)| (k, shares(joint, contact.point)))
            .min_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let Some((k, (shares, _))) = spread else { continue };
        let sign = if structure.joints[k].blocks == blocks {
            1.0
        } else {
            -1.0
        };
        for (corner, share) in shares {
            forces[begins[k] + corner] += sign * share * contact.force;
        }
    }
    forces
}

/// Shares of corners of a joint whose resultant acts at a point, and how far off the joint that is: of the corners of the triangle
/// that has the point, or of the nearest.
fn shares(joint: &Joint, point: DVec3) -> (Vec<(usize, f64)>, f64) {
    let p = &joint.points;
    let part = |corners: &[usize]| {
        let weights = match *corners {
            [a, b, c] => barycentric([p[a], p[b], p[c]], point),
            [a, b] => {
                let along = p[b] - p[a];
                let t = (point - p[a]).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
                vec![1.0 - t, t]
            }
            _ => vec![1.0],
        };
        let inside: Vec<f64> = weights.iter().map(|w| w.max(0.0)).collect();
        let sum: f64 = inside.iter().sum();
        let shares: Vec<(usize, f64)> = corners.iter().zip(inside).map(|(&k, w)| (k, w / sum)).collect();
        let at: DVec3 = shares.iter().map(|&(k, w)| w * p[k]).sum();
        (shares, at.distance(point))
    };
    let parts = match p.len() {
        0 => Vec::new(),
        1 => vec![part(&[0])],
        2 => vec![part(&[0, 1])],
        n => (1..n - 1).map(|k| part(&[0, k, k + 1])).collect(),
    };
    let nearest = parts.into_iter().filter(|(_, off)| off.is_finite());
    nearest
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((Vec::new(), f64::INFINITY))
}

fn barycentric([a, b, c]: [DVec3; 3], point: DVec3) -> Vec<f64> {
    let normal = (b - a).cross(c - a);
    let of = |q: DVec3, r: DVec3| (q - point).cross(r - point).dot(normal) / normal.length_squared();
    vec![of(b, c), of(c, a), of(a, b)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::dvec3;

    #[test]
    fn a_force_spread_over_corners_keeps_its_place() {
        let joint = Joint {
            blocks: [0, 1],
            points: [(0.0, 0.0), (2.0, 0.0), (2.5, 1.0), (1.0, 2.0), (0.0, 1.0)]
                .map(|(x, y)| dvec3(x, y, 3.0))
                .to_vec(),
            normal: DVec3::Z,
            area: 3.25,
            least_gap: 0.0,
            largest_gap: 0.0,
        };
        for point in [(0.1, 0.1), (1.0, 1.0), (2.2, 0.9), (0.0, 0.5), (1.0, 2.0), (2.0, 0.0)] {
            let point = dvec3(point.0, point.1, 3.0);
            let (shares, off) = shares(&joint, point);
            let sum: f64 = shares.iter().map(|s| s.1).sum();
            let at: DVec3 = shares.iter().map(|&(k, w)| w * joint.points[k]).sum();
            assert!((sum - 1.0).abs() < 1e-12 && shares.iter().all(|s| s.1 >= 0.0));
            assert!(off < 1e-12 && at.distance(point) < 1e-12, "{point} {at}");
        }
        // Beside it, no corner is nearer.
        assert!(shares(&joint, dvec3(-1.0, 0.5, 3.0)).1 >= 1.0 - 1e-12);
    }
}

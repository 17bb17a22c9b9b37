//! Paper 002, section 5.2: a dome of 12 x 24 blocks that deform, with brittle cohesion, under its weight.

use std::f64::consts::PI;

use drystone_mechanics::{
    deformable::von_mises,
    slow::{Path, PathEnd, PathWay},
};
use drystone_model::{Bond, JointLaw, Joints};
use drystone_output::plot::{Panel, Plot};
use glam::DVec3;

use super::{Allowed, Case, Failure, Outcome, POISSON, Row, YOUNG, elastic, followed, short, stresses};
use crate::reproduce::{
    drive,
    slow::{reached, resultant, stage},
};

pub(super) const CASE: Case = Case {
    name: "deformable-dome",
    group: "deformable",
    source: "002 5.2, fig. 5",
    summary: "a dome of 12 x 24 blocks under its weight: stresses and thrust line",
    long: true,
    run: |context| {
        let [courses, meridians] = context.pick([12, 24], [4, 8]);
        let (rows, line) = dome(courses, meridians)?;
        let plot = Plot::new().title("A dome: eccentricity of the thrust by joint").panel(
            Panel::new("degrees from the crown", "eccentricity over thickness")
                .line("thrust line", line)
                .reference("inside and outside", vec![[0.0, -0.5], [90.0, -0.5]])
                .reference("", vec![[0.0, 0.5], [90.0, 0.5]]),
        );
        Ok(Outcome {
            rows,
            plots: vec![("deformable-dome".to_string(), plot)],
        })
    },
};

/// Radius of the inner sphere and thickness of the recipe (m).
const RADIUS: f64 = 5.0;
const THICKNESS: f64 = 0.5;
/// Length of the time steps that damp what swings (s).
const STEP: f64 = 5e-3;
/// Cohesion of a point (N).
const COHESION: f64 = 1000.0;

pub(super) fn dome(courses: usize, meridians: usize) -> Result<(Vec<Row>, Vec<[f64; 2]>), Failure> {
    // Blocks of a running bond have twelve corners; those of the paper are hexahedra.
    let (c, m) = (courses.to_string(), meridians.to_string());
    let values = [("courses", c.as_str()), ("meridians", m.as_str()), ("bond", "stacked")];
    let mut model = drive::build("dome", &values)?;
    let bond = Bond {
        tension_n: Some(COHESION),
        ..Bond::default()
    };
    model.joints = Joints::of(JointLaw {
        bond: Some(bond),
        ..model.joints.law()
    });
    let model = elastic(model, "H8x2x2x2", [YOUNG, POISSON])?;
    // By time steps, as in the paper: bonds break in dozens at once on the way, and what they held then moves.
    let (path, end) = followed(&model, vec![stage("weight", 1)], PathWay::NumericalFilter(STEP))?;
    let simulation = path.simulation();
    let weight = simulation.structure().free_mass() * model.gravity.length();
    let line = eccentricities(&path, meridians);
    let worst = line.iter().map(|p| p[1].abs()).fold(0.0, f64::max);
    let (mut low, mut high, mut at) = (f64::INFINITY, 0.0, DVec3::ZERO);
    for k in 0..simulation.structure().elastic.blocks.len() {
        let centre = simulation.structure().center[simulation.structure().elastic.blocks[k].0 as usize];
        for (middle, stress) in stresses(simulation, k) {
            let value = von_mises(&stress);
            low = value.min(low);
            if value > high {
                (high, at) = (value, centre + middle);
            }
        }
    }
    let [bonds, intact] = simulation.bonds();
    let rows = vec![
        Row::figure(
            "part of the weight with an equilibrium",
            1.0,
            reached(&end),
            Allowed::AtLeast,
        )
        .note(match &end {
            PathEnd::Completed => format!("{} of {bonds} bonds broken", bonds - intact),
            PathEnd::NoEquilibrium { is_proven, .. } => {
                format!("proven: {is_proven}; {} of {bonds} bonds broken", bonds - intact)
            }
        }),
        Row::figure(
            "resultant on the supports over the weight",
            1.0,
            resultant(simulation) / weight,
            Allowed::Within(1e-3),
        ),
        Row::figure(
            "thrust line: largest distance from the middle over the thickness",
            0.5,
            worst,
            Allowed::AtMost,
        ),
        Row::shown(
            "von Mises stress of elements (kPa)",
            "a drawing",
            format!("{} to {}", short(1e-3 * low), short(1e-3 * high)),
        )
        .note(format!(
            "largest {} degrees from the crown, at a radius of {} m",
            short(angle(at)),
            short(at.length())
        )),
    ];
    Ok((rows, line))
}

fn angle(at: DVec3) -> f64 {
    at.truncate().length().atan2(at.z).to_degrees()
}

/// Where the resultant of each ring of bed joints passes, from the middle of the thickness, over the thickness; by the angle from the
/// crown (degrees).
fn eccentricities(path: &Path, meridians: usize) -> Vec<[f64; 2]> {
    let structure = path.simulation().structure();
    // Blocks have plane faces: what lies on the chord between two corners has their angle and radius if it is taken to the
    // circle of the corners.
    let circle = 1.0 / (PI / meridians as f64).cos();
    let mut found: Vec<[f64; 3]> = Vec::new();
    for contact in path.simulation().contact_forces() {
        let Some(block) = contact.blocks.into_iter().find(|&b| !structure.fixed[b as usize]) else {
            continue;
        };
        let middle = structure.center[block as usize].with_z(0.0).normalize_or_zero();
        // Bed joints lie along the radius and not in a meridian plane.
        if contact.normal.dot(DVec3::Z.cross(middle)).abs() < 0.5 {
            let across = circle * contact.point.dot(middle);
            let e = (across.hypot(contact.point.z) - RADIUS - 0.5 * THICKNESS) / THICKNESS;
            let at = across.atan2(contact.point.z).to_degrees();
            found.push([at, contact.force.dot(contact.normal), e]);
        }
    }
    found.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let joints = found.chunk_by(|a, b| b[0] - a[0] < 0.5);
    joints
        .map(|joint| {
            let sum = |f: &dyn Fn(&[f64; 3]) -> f64| joint.iter().map(f).sum::<f64>();
            [joint[0][0], sum(&|c| c[1]), sum(&|c| c[1] * c[2])]
        })
        .filter(|[_, force, _]| *force > 0.0)
        .map(|[at, force, moment]| [at, moment / force])
        .collect()
}

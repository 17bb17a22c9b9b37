//! Paper 002, section 5.2: a dome of 12 x 24 blocks with brittle cohesion.

use std::collections::BTreeMap;

use drystone_analysis::openings;
use drystone_mechanics::slow::Path;
use drystone_model::{Bond, JointLaw, Joints};
use drystone_output::plot::{Panel, Plot};

use super::{Allowed, Case, Context, Failure, Outcome, Row, followed, short, stage};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "dome-cohesion",
    group: "slow",
    source: "002 5.2",
    summary: "a dome with brittle cohesion: hoop forces where it holds, meridian cracks where it does not",
    long: false,
    run,
};

/// Where the hoop force of a thin dome under its weight changes its sign: cos a + cos² a = 1 (degrees from the crown).
const CHANGES: f64 = 51.827;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let steps = context.pick(10, 4);
    let dome = |strength: f64| -> Result<Path, Failure> {
        let mut model = drive::build("dome", &[("courses", "12"), ("meridians", "24")])?;
        let bond = Bond {
            tension_n: Some(strength),
            ..Bond::default()
        };
        model.joints = Joints::of(JointLaw {
            bond: Some(bond),
            ..model.joints.law()
        });
        Ok(followed(&model, vec![stage("weight", steps)], None)?.0)
    };
    let strong = dome(1e6)?;
    let hoops = hoop_forces(&strong);
    let sign = hoops.windows(2).find(|w| w[0][1] > 0.0 && w[1][1] <= 0.0);
    let changes = sign.map_or(f64::NAN, |w| {
        w[0][0] + (w[1][0] - w[0][0]) * w[0][1] / (w[0][1] - w[1][1])
    });
    let weak = dome(1000.0)?;
    let simulation = weak.simulation();
    let (structure, state) = (simulation.structure(), simulation.state());
    let all = openings(
        structure,
        weak.initial(),
        (&state.placements, state.deformed()),
        simulation.absent(),
    );
    let opened = 1e-8 * structure.length;
    let is_meridian = |k: usize| structure.joints[k].normal.z.abs() < 1e-6;
    let low = |k: usize| angle(&weak, k) > CHANGES;
    let open = |k: &usize| all[*k].opening > opened;
    let meridian: Vec<usize> = (0..all.len()).filter(|&k| is_meridian(k)).collect();
    let below = meridian.iter().filter(|&&k| low(k)).filter(|k| open(k)).count();
    let above = meridian.iter().filter(|&&k| !low(k)).filter(|k| open(k)).count();
    let [bonds, intact] = simulation.bonds();
    let rows = vec![
        Row::figure(
            "cohesion holds: hoop force changes its sign at (degrees from the crown)",
            CHANGES,
            changes,
            Allowed::Within(7.5),
        )
        .note("a thin membrane; a course is 7.5 degrees high, and the dome is a tenth of its radius thick"),
        Row::words(
            "1000 N a point: meridian cracks in the lower part",
            "yes",
            if below > 10 * above.max(1) { "yes" } else { "no" },
        )
        .note(format!(
            "{below} of its meridian joints open, {above} above; {} of {bonds} bonds break, the dome {}",
            bonds - intact,
            if weak.points().last().is_some_and(|p| p.done >= 1.0) {
                "stands"
            } else {
                "falls"
            }
        )),
        Row::shown(
            "hoop force of the lowest course (kN)",
            "tension",
            short(1e-3 * hoops.last().map_or(0.0, |h| h[1])),
        ),
    ];
    let weak_hoops = hoop_forces(&weak);
    let kilo = |list: &[[f64; 2]]| list.iter().map(|h| [h[0], 1e-3 * h[1]]).collect::<Vec<_>>();
    let plot = Plot::new().title("A dome: hoop force by course").panel(
        Panel::new("degrees from the crown", "hoop force, compression positive (kN)")
            .line("cohesion holds", kilo(&hoops))
            .line("1000 N a point", kilo(&weak_hoops)),
    );
    Ok(Outcome {
        rows,
        plots: vec![("dome-cohesion".to_string(), plot)],
    })
}

/// How far a joint is from the crown, seen from the centre of the dome (degrees).
fn angle(path: &Path, joint: usize) -> f64 {
    let points = &path.simulation().structure().joints[joint].points;
    let centre = points.iter().sum::<glam::DVec3>() / points.len() as f64;
    centre.truncate().length().atan2(centre.z).to_degrees()
}

/// Mean force across the meridian joints of each course (N), from the crown down, compression positive.
fn hoop_forces(path: &Path) -> Vec<[f64; 2]> {
    let simulation = path.simulation();
    let structure = simulation.structure();
    let mut of_pair: BTreeMap<[u32; 2], f64> = BTreeMap::new();
    for contact in simulation.contact_forces() {
        *of_pair.entry(contact.blocks).or_default() += contact.force.dot(contact.normal);
    }
    let mut courses: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for (k, joint) in structure.joints.iter().enumerate() {
        let free = joint.blocks.iter().all(|&b| !structure.fixed[b]);
        if free && joint.normal.z.abs() < 1e-6 {
            let mut blocks = joint.blocks.map(|b| b as u32);
            blocks.sort_unstable();
            let course = courses.entry((10.0 * angle(path, k)).round() as i64).or_default();
            course.0 += of_pair.get(&blocks).copied().unwrap_or(0.0);
            course.1 += 1.0;
        }
    }
    courses
        .iter()
        .map(|(at, (sum, n))| [0.1 * *at as f64, sum / n])
        .collect()
}

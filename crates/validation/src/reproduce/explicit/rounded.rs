//! Paper 001's structures with what its program has and rigid, sharp blocks have not: joints that yield, and rounded edges.
//!
//! The paper gives no compliance and no radius. The program of its authors has 5e-9 m/N for either block at a contact point, four
//! points a joint, and insets collision shapes by 5 mm, so that edges have fillets of that radius. Bed joints of the spandrel arch
//! are 0.27 by 0.8 m: four springs of 1e8 N/m on them are 1.9e9 N/m3.

use drystone_analysis::Failure;
use drystone_mechanics::dynamics::{SimulationSettings, Start, max_displacement};
use drystone_model::Model;

use super::{
    super::{spandrel, unsupported},
    Case, Context, GROUP, Outcome, Row, STIFFNESS, drive, explicit, short,
};

pub(super) const SPANDREL: Case = Case {
    name: "spandrel-arch-1hz-explicit",
    group: GROUP,
    source: "001 section 4, figs. 11, 12",
    summary: "the spandrel arch under 0.2 g at 1 Hz by explicit steps, with compliant joints and rounded edges",
    long: true,
    run: run_spandrel,
};

pub(super) const NATURAL_ARCH: Case = Case {
    name: "natural-arch-explicit",
    group: GROUP,
    source: "001 section 3.2, fig. 9",
    summary: "a wall over a gap by explicit steps, with compliant joints and rounded edges",
    long: true,
    run: |context| hollow(context, "natural-arch-wall", "triangle", 3.0, OTHERS),
};

pub(super) const CYLINDER: Case = Case {
    name: "corbelled-cylinder-explicit",
    group: GROUP,
    source: "001 section 3.2, fig. 10",
    summary: "a cylinder of 2,890 blocks over an octagonal hole by explicit steps, with compliant joints and rounded edges",
    long: true,
    run: |context| hollow(context, "corbelled-cylinder", "dome", 1.0, FEW),
};

/// Stiffness of joints (N/m3), radius of fillets (m), and where joints begin.
struct Joints {
    stiffness: f64,
    radius: f64,
    start: Start,
}

/// Joints that begin in equilibrium with the weight.
const fn compressed(stiffness: f64, radius: f64) -> Joints {
    Joints {
        stiffness,
        radius,
        start: Start::Compressed,
    }
}

/// Blocks that are released as they are drawn.
const fn released(stiffness: f64, radius: f64) -> Joints {
    Joints {
        start: Start::Uncompressed,
        ..compressed(stiffness, radius)
    }
}

/// As in the program of the paper's authors.
const AUTHORS: Joints = released(2e9, 5e-3);
/// Stiffer and softer, sharper and rounder.
const OTHERS: &[Joints] = &[
    compressed(STIFFNESS, 0.0),
    compressed(2e9, 0.0),
    compressed(2e9, 5e-3),
    compressed(2e8, 5e-3),
    compressed(2e9, 0.02),
    compressed(2e9, 0.05),
];
/// The same for many blocks.
const FEW: &[Joints] = &[compressed(2e9, 5e-3), compressed(2e9, 0.05), released(2e9, 0.0)];

impl Joints {
    /// A fillet of a right-angled edge takes a strip as wide as its radius from either face; so does a chamfer of this depth.
    fn model(&self, recipe: &str) -> Result<Model, Failure> {
        let chamfer = self.radius / std::f64::consts::SQRT_2;
        drive::build(recipe, &[("chamfer", &chamfer.to_string())])
    }

    fn words(&self) -> String {
        let start = match self.start {
            Start::Compressed => "compressed at first",
            Start::Uncompressed => "released",
        };
        format!(
            "{:.0e} N/m3, edges rounded by {} mm, {start}",
            self.stiffness,
            short(1e3 * self.radius)
        )
    }

    fn settings(&self, interval: f64) -> SimulationSettings {
        SimulationSettings {
            start: self.start,
            ..explicit(self.stiffness, interval)
        }
    }
}

/// Those that are judged first, then those of others that are shown.
fn with(context: &Context<'_>, others: &'static [Joints]) -> impl Iterator<Item = (&'static Joints, bool)> {
    let others = context.pick(others, &[]);
    std::iter::once((&AUTHORS, true)).chain(others.iter().map(|j| (j, false)))
}

fn run_spandrel(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut all_rows = Outcome::default();
    let duration = context.pick(6.0, 3.0);
    for (axis, name) in [('x', "in plane"), ('y', "out of plane")] {
        for (joints, is_judged) in with(context, OTHERS) {
            let model = joints.model("spandrel-arch")?;
            let mut simulation = drive::simulation_with(&model, joints.settings(2e-3), &spandrel::shaking(axis))?;
            let keystone = drive::index(&model, "keystone")?;
            let mut largest = 0.0_f64;
            let history = drive::run(context, &mut simulation, duration, &[keystone], |s, _| {
                largest = largest.max(max_displacement(s.structure(), s.state(), s.ground_displacement()));
                false
            })?;
            let when = format!("{name}, {}, within {duration} s", joints.words());
            let note = format!(
                "{}; any block by up to {} m; energy balance off by {:.0e}",
                spandrel::fall(&history),
                short(largest),
                history.balance_error()
            );
            let row = spandrel::outcome(&when, &history);
            all_rows
                .rows
                .push(if is_judged { row } else { row.unjudged() }.note(note));
            if is_judged {
                let title = format!("Spandrel arch, 0.2 g at 1 Hz {name}, {}", joints.words());
                let file = format!("spandrel-arch-1hz-explicit-{}", name.replace(' ', "-"));
                all_rows.plots.push((file, spandrel::plot(&title, &history, axis)));
            }
        }
    }
    Ok(all_rows)
}

/// A structure over a hole, of which a part of some shape falls.
fn hollow(
    context: &Context<'_>,
    recipe: &str,
    shape: &'static str,
    duration: f64,
    others: &'static [Joints],
) -> Result<Outcome, Failure> {
    let mut rows = Vec::new();
    for (joints, is_judged) in with(context, others) {
        let model = joints.model(recipe)?;
        let mut simulation = drive::simulation_with(&model, joints.settings(1e-3), "")?;
        let history = drive::run(context, &mut simulation, duration, &[], |_, _| false)?;
        let (what, fallen) = unsupported::fallen(&simulation, shape);
        let row = Row::words(
            format!("{}: what falls within {duration} s", joints.words()),
            shape,
            what,
        );
        rows.push(if is_judged { row } else { row.unjudged() }.note(format!(
            "fallen blocks by course, from below: {fallen:?}; what stands moves at up to {} m/s; energy balance off by {:.0e}",
            short(unsupported::standing_speed(&simulation)),
            history.balance_error()
        )));
    }
    Ok(Outcome { rows, plots: vec![] })
}

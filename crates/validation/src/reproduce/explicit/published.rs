//! Cases of paper 003 by explicit steps, beside the paper and the implicit method with the same joints.

use drystone_analysis::Failure;
use drystone_mechanics::dynamics::{ExplicitSettings, Integrator, SimulationSettings};

use super::{
    super::{block3d, oppenheim},
    Allowed, Case, Context, GROUP, Outcome, Row, explicit, implicit,
    measure::{nearest, times},
};

pub(super) const BLOCK3D: Case = Case {
    name: "block3d-explicit",
    group: GROUP,
    source: "003 section 4.2, figs. 6 to 9",
    summary: "a block under a one-sine impulse at 44 degrees, by explicit steps",
    long: false,
    run: run_block3d,
};

pub(super) const OPPENHEIM: Case = Case {
    name: "oppenheim-explicit",
    group: GROUP,
    source: "003 section 4.3, figs. 11, 12",
    summary: "an arch of seven blocks under a biphasic impulse, by explicit steps",
    long: false,
    run: run_oppenheim,
};

/// The paper's joints are rigid (N/m3), and its impacts inelastic: dashpots that leave next to nothing of a velocity, as a part of what is critical.
const STIFF: f64 = 1e11;
/// The arch of seven blocks falls by so little that joints must be stiffer: with 1e11 N/m3 it stands, by both methods.
const STIFFER: f64 = 1e13;
const INELASTIC: f64 = 5.0;
const DT: f64 = 1e-3;

fn inelastic(stiffness: f64) -> SimulationSettings {
    let integrator = Integrator::Explicit(ExplicitSettings {
        damping: Some(INELASTIC),
        ..ExplicitSettings::default()
    });
    SimulationSettings {
        integrator,
        ..explicit(stiffness, DT)
    }
}

fn run_block3d(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut rows = Vec::new();
    for published in &block3d::PUBLISHED {
        let ours = block3d::shake(context, published.peak, inelastic(STIFF))?;
        let beside = block3d::shake(context, published.peak, implicit(STIFF, DT))?;
        let name = format!("a_p {} m/s2", published.peak);
        let found = [&ours, &beside].map(block3d::potential_peaks);
        let endings = [&ours, &beside].map(block3d::ending);
        rows.push(outcome(&name, STIFF, published.outcome, endings));
        rows.extend(peaks(&name, published.peaks, &found));
    }
    Ok(Outcome { rows, plots: vec![] })
}

fn run_oppenheim(context: &Context<'_>) -> Result<Outcome, Failure> {
    let ours = oppenheim::shake(context, inelastic(STIFFER))?;
    let beside = oppenheim::shake(context, implicit(STIFFER, DT))?;
    let hinges = [&ours, &beside].map(|h| oppenheim::hinges(h, 0.2));
    let found = [&ours, &beside].map(oppenheim::potential_peaks);
    let mut rows = vec![
        Row::figure(
            "hinges of the first motion, at 0.2 s",
            4.0,
            hinges[0].len() as f64,
            Allowed::Within(0.0),
        )
        .note(format!(
            "joints from right to left: {:?}; implicit {:?}",
            hinges[0], hinges[1]
        )),
        outcome(
            "arch",
            STIFFER,
            "collapses to the left",
            [&ours, &beside].map(oppenheim::ending),
        ),
    ];
    rows.extend(peaks("arch", &oppenheim::PEAKS, &found));
    Ok(Outcome { rows, plots: vec![] })
}

fn outcome(name: &str, stiffness: f64, published: &str, [ours, implicit]: [&str; 2]) -> Row {
    let note = format!("joints of {stiffness:e} N/m3, dashpots {INELASTIC} of critical; implicit, dt {DT}: {implicit}");
    Row::words(format!("{name}, outcome"), published, ours).note(note)
}

/// Times of the peaks of the potential energy, found by explicit and by implicit steps.
fn peaks(name: &str, published: &[f64], [ours, implicit]: &[Vec<[f64; 2]>; 2]) -> Vec<Row> {
    let row = |(k, &time): (usize, &f64)| {
        let quantity = format!("{name}, potential-energy peak {} (s)", k + 1);
        let row = Row::figure(quantity, time, nearest(ours, time), Allowed::Within(block3d::PEAK_TIME));
        match k {
            0 => row.note(format!("peaks: {}; implicit: {}", times(ours), times(implicit))),
            _ => row,
        }
    };
    published.iter().enumerate().map(row).collect()
}

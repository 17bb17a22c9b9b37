//! Structures that begin compressed stay where they begin.

use drystone_analysis::Failure;

use super::{Allowed, Case, Context, GROUP, Outcome, Row, STIFFNESS, drive, explicit};

pub(super) const STACK: Case = Case {
    name: "stack-at-rest-explicit",
    group: GROUP,
    source: "beyond the papers",
    summary: "a stack of 100 blocks stands still for 10 s, by explicit steps",
    long: false,
    run: |context| stand(context, "stack", &[("blocks", "100")]),
};

pub(super) const ARCH: Case = Case {
    name: "arch-at-rest-explicit",
    group: GROUP,
    source: "beyond the papers",
    summary: "an arch of 27 voussoirs stands still for 10 s, by explicit steps",
    long: false,
    run: |context| {
        let values = [("voussoirs", "27"), ("radius", "5"), ("thickness", "0.75")];
        stand(context, "arch", &values)
    },
};

pub(super) const SPANDREL: Case = Case {
    name: "spandrel-arch-at-rest-explicit",
    group: GROUP,
    source: "beyond the papers",
    summary: "the spandrel arch stands still for 10 s, by explicit steps",
    long: false,
    run: |context| stand(context, "spandrel-arch", &[]),
};

fn stand(context: &Context<'_>, recipe: &str, values: &[(&str, &str)]) -> Result<Outcome, Failure> {
    let model = drive::build(recipe, values)?;
    let duration = context.pick(10.0, 0.5);
    let mut simulation = drive::simulation_with(&model, explicit(STIFFNESS, 1e-2), "")?;
    let start = simulation.state().placements.clone();
    let (mut drift, mut fastest) = (0.0_f64, 0.0_f64);
    drive::run(context, &mut simulation, duration, &[], |s, _| {
        let moved = s.state().placements.iter().zip(&start);
        drift = moved
            .map(|(now, then)| now.center.distance(then.center))
            .fold(drift, f64::max);
        fastest = fastest.max(s.max_speed());
        false
    })?;
    let rows = vec![
        Row::figure(
            format!("largest displacement within {duration} s (m)"),
            1e-8,
            drift,
            Allowed::AtMost,
        )
        .note("from where it comes to rest before the run, compressed by its weight"),
        Row::figure(
            format!("largest speed within {duration} s (m/s)"),
            1e-8,
            fastest,
            Allowed::AtMost,
        ),
    ];
    Ok(Outcome { rows, plots: vec![] })
}

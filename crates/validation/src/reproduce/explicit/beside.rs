//! Structures of many blocks by both methods, with the same joints.

use drystone_analysis::Failure;
use drystone_mechanics::dynamics::{SimulationSettings, max_displacement};
use drystone_output::plot::{Panel, Plot};

use super::{
    super::drive::History, Allowed, Case, Context, GROUP, Outcome, Row, STIFFNESS, drive, explicit, implicit,
    measure::at, short,
};

pub(super) const ARCH: Case = Case {
    name: "spandrel-arch-explicit",
    group: GROUP,
    source: "003 section 4.4",
    summary: "the spandrel arch under 0.36 g with a half-period of 1 s: the first second by both methods",
    long: false,
    run: |context| {
        compare(
            context,
            &Shaken {
                recipe: "spandrel-arch",
                motion: "sine:amplitude=0.36g,frequency=0.5,direction=-x",
                blocks: &["keystone"],
                peer_dt: DT,
            },
        )
    },
};

pub(super) const HOUSE: Case = Case {
    name: "stone-house-explicit",
    group: GROUP,
    source: "003 section 4.5.1",
    summary: "the stone house under 0.8 g with a half-period of 0.2 s: the first second by both methods",
    long: false,
    run: |context| {
        compare(
            context,
            &Shaken {
                recipe: "stone-house",
                motion: "impulse:peak=0.8g,half_period=0.2,direction=-y",
                blocks: &super::super::stone_house::MONITORED,
                // Its rocking gable does not converge in longer implicit steps.
                peer_dt: 0.25 * DT,
            },
        )
    },
};

/// How near both methods must be.
const NEAR: f64 = 0.05;
const DT: f64 = 1e-3;

struct Shaken {
    recipe: &'static str,
    motion: &'static str,
    /// Those that are looked at.
    blocks: &'static [&'static str],
    /// Step of the implicit method (s).
    peer_dt: f64,
}

/// A run, and the largest displacement of any block in it (m).
struct Ran {
    history: History,
    largest: f64,
}

fn compare(context: &Context<'_>, shaken: &Shaken) -> Result<Outcome, Failure> {
    let ours = ran(context, shaken, explicit(STIFFNESS, DT))?;
    let beside = ran(context, shaken, implicit(STIFFNESS, shaken.peer_dt))?;
    let mut panel = Panel::new("time (s)", "displacement (mm)");
    let mut rows = Vec::new();
    for (k, name) in shaken.blocks.iter().enumerate() {
        let curves = [&ours, &beside].map(|r| r.history.block(k, |s| s.moved.length()));
        let [largest, expected] = curves.each_ref().map(|c| c.iter().map(|p| p[1]).fold(0.0, f64::max));
        let apart = curves[0]
            .iter()
            .map(|p| (p[1] - at(&curves[1], p[0])).abs())
            .fold(0.0, f64::max);
        rows.push(
            Row::figure(
                format!("{name}: largest displacement within 1 s (m)"),
                expected,
                largest,
                Allowed::Part(NEAR),
            )
            .note(format!(
                "published: implicit, dt {}, associated friction, joints of 1e10 N/m3; at most {} m apart at the same time",
                shaken.peer_dt,
                short(apart)
            )),
        );
        let [ours, beside] = curves.map(|c| c.iter().map(|p| [p[0], 1e3 * p[1]]).collect());
        let name = name.replace('-', " ");
        panel = panel
            .line(format!("{name}, explicit"), ours)
            .dashed(format!("{name}, implicit"), beside);
    }
    rows.push(Row::figure(
        "any block: largest displacement within 1 s (m)",
        beside.largest,
        ours.largest,
        Allowed::Part(NEAR),
    ));
    let ending = |r: &Ran| {
        if r.history.collapsed.is_some() {
            "collapses"
        } else {
            "stands"
        }
    };
    rows.push(Row::words("outcome within 1 s", ending(&beside), ending(&ours)).note("published: implicit"));
    let error = ours.history.balance_error();
    rows.push(Row::figure(
        "energy balance, error (part)",
        1e-3,
        error,
        Allowed::AtMost,
    ));
    let plot = Plot::new()
        .title(format!("{}, {}", shaken.recipe.replace('-', " "), shaken.motion))
        .panel(panel);
    Ok(Outcome {
        rows,
        plots: vec![(format!("{}-explicit", shaken.recipe), plot)],
    })
}

fn ran(context: &Context<'_>, shaken: &Shaken, settings: SimulationSettings) -> Result<Ran, Failure> {
    let model = drive::build(shaken.recipe, &[])?;
    let mut simulation = drive::simulation_with(&model, settings, shaken.motion)?;
    let blocks = shaken.blocks.iter().map(|name| drive::index(&model, name));
    let blocks = blocks.collect::<Result<Vec<_>, _>>()?;
    let mut largest = 0.0_f64;
    let duration = context.pick(1.0, 0.3);
    let history = drive::run(context, &mut simulation, duration, &blocks, |s, _| {
        let ground = s.ground_displacement();
        largest = largest.max(max_displacement(s.structure(), s.state(), ground));
        false
    })?;
    Ok(Ran { history, largest })
}

//! Studies of the stone house (paper 003, sections 4.5.2 and 4.5.3): failure domains by friction, and fragility.
//!
//! The study files are those of `examples/studies`. With `--plots DIR` the runs are kept in a folder there, and a case that is run again
//! goes on from them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use drystone_analysis::Failure;
use drystone_study::{EngineSettings, Plan, Store, Study, Summary, plot, work, write_files};

use super::case::{Allowed, Case, Context, Outcome, Row};

pub(super) const CASES: &[Case] = &[
    Case {
        name: "house-domain",
        group: "studies",
        source: "003 section 4.5.2, fig. 21",
        summary: "failure domains of the stone house for friction 0.3, 0.5 and 0.7, beside its capacity",
        long: true,
        run: domain,
    },
    Case {
        name: "house-fragility",
        group: "studies",
        source: "003 section 4.5.3, fig. 22",
        summary: "fragility of the stone house, with the records of --records, or synthetic ones",
        long: true,
        run: fragility,
    },
];

const DOMAIN: &str = include_str!("../../../../examples/studies/stone-house-domain.toml");
const FRAGILITY: &str = include_str!("../../../../examples/studies/stone-house-fragility.toml");

/// Performs a study. It is kept beside the plots, if there are any.
fn perform(context: &Context<'_>, name: &str, text: &str) -> Result<Summary, Failure> {
    let plan = Plan::new(Study::parse(text, name, Path::new(""))?)?;
    let (folder, is_kept) = match context.plots {
        Some(plots) => (plots.join(name), true),
        None => (
            std::env::temp_dir().join(format!("drystone-{name}-{}", std::process::id())),
            false,
        ),
    };
    let done = in_folder(context, name, &plan, &folder);
    if !is_kept {
        let _ = std::fs::remove_dir_all(&folder);
    }
    done
}

fn in_folder(context: &Context<'_>, name: &str, plan: &Plan, folder: &PathBuf) -> Result<Summary, Failure> {
    std::fs::create_dir_all(folder)?;
    let mut store = Store::open(folder)?;
    let mut told = 0;
    let worked = work(plan, &mut store, &EngineSettings::default(), |progress| {
        if progress.done > told + progress.runs / 20 {
            told = progress.done;
            context
                .listener
                .progress(&format!("{name}: {} of {} runs", progress.done, progress.runs));
        }
    })?;
    let summary = write_files(plan, &store, worked.wall_s, folder)?;
    match summary.failed {
        0 => Ok(summary),
        n => Err(Failure::run(format!("{n} of {} runs failed", summary.runs))),
    }
}

fn outcome(summary: &Summary, rows: Vec<Row>) -> Outcome {
    let plots = summary
        .charts
        .iter()
        .map(|chart| (format!("house-{}", chart.name), plot(chart)))
        .collect();
    Outcome { rows, plots }
}

/// What is told of one variant of a failure domain.
struct Domain {
    friction: f64,
    capacity: f64,
    /// Half-period and amplitude of each impulse, and whether it brings the house down.
    impulses: Vec<([f64; 2], bool)>,
}

impl Domain {
    fn of(summary: &Summary, variant: &Value) -> Option<Self> {
        let name = variant["variant"].as_str()?;
        let capacities = variant["capacities"].as_array()?.iter();
        let places = |chart: &drystone_study::Chart, what: &str| -> Vec<[f64; 2]> {
            let series = chart.series.iter().filter(|s| s.name.starts_with(what));
            series.flat_map(|s| s.points.iter().copied()).collect()
        };
        let chart = summary
            .charts
            .iter()
            .find(|c| c.name != "failure-domains" && c.title.starts_with(name))?;
        let mut impulses: Vec<([f64; 2], bool)> = places(chart, "collapse").into_iter().map(|p| (p, true)).collect();
        impulses.extend(places(chart, "stands").into_iter().map(|p| (p, false)));
        Some(Self {
            friction: name.trim_start_matches("friction ").parse().ok()?,
            capacity: capacities
                .filter_map(|c| c["capacity_g"].as_f64())
                .fold(f64::INFINITY, f64::min),
            impulses,
        })
    }

    /// The weakest impulse of a half-period that brings it down (g).
    fn weakest(&self, half_period: f64) -> f64 {
        let of = self
            .impulses
            .iter()
            .filter(|([t, _], collapsed)| *collapsed && *t == half_period);
        of.map(|([_, a], _)| *a).fold(f64::INFINITY, f64::min)
    }

    /// The shortest half-period at which an impulse of at most this amplitude brings it down (s).
    fn shortest(&self, amplitude: f64) -> f64 {
        let of = self
            .impulses
            .iter()
            .filter(|([_, a], collapsed)| *collapsed && *a <= amplitude);
        of.map(|([t, _], _)| *t).fold(f64::INFINITY, f64::min)
    }
}

fn domain(context: &Context<'_>) -> Result<Outcome, Failure> {
    let text = match context.quick {
        false => DOMAIN.to_string(),
        true => DOMAIN
            .replace(
                "half_periods = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]",
                "half_periods = [0.2, 0.4, 0.8]",
            )
            .replace(
                "amplitudes_g = [0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5]",
                "amplitudes_g = [0.3, 0.5, 0.8, 1.5]",
            )
            .replace("dt = 0.0025", "dt = 0.005"),
    };
    let summary = perform(context, "house-domain", &text)?;
    let variants = summary.result.get("domains").and_then(Value::as_array);
    let mut domains: Vec<Domain> = variants
        .into_iter()
        .flatten()
        .filter_map(|v| Domain::of(&summary, v))
        .collect();
    domains.sort_by(|a, b| b.friction.total_cmp(&a.friction));
    let [rough, .., smooth] = &domains[..] else {
        return Err(Failure::run("the study tells no domains"));
    };
    let mut half_periods: Vec<f64> = rough.impulses.iter().map(|([t, _], _)| *t).collect();
    half_periods.sort_by(f64::total_cmp);
    half_periods.dedup();
    let longest = half_periods.last().copied().unwrap_or(0.0);
    let mut rows = vec![
        Row::figure(
            "capacity with friction 0.7 (g)",
            0.372,
            rough.capacity,
            Allowed::Within(5e-4),
        )
        .note("the outward collapse of the facade"),
        Row::figure(
            "impulses looked at with friction 0.7",
            150.0,
            rough.impulses.len() as f64,
            match context.quick {
                false => Allowed::AtLeast,
                true => Allowed::AtMost,
            },
        ),
    ];
    let weaker = |d: &Domain| {
        d.impulses
            .iter()
            .filter(|([_, a], collapsed)| *collapsed && *a <= d.capacity)
            .count()
    };
    let below: usize = domains.iter().map(weaker).sum();
    rows.push(Row::figure(
        "impulses weaker than the capacity that bring it down",
        0.0,
        below as f64,
        Allowed::AtMost,
    ));
    let falls = domains.iter().all(|d| {
        let weakest: Vec<f64> = half_periods.iter().map(|t| d.weakest(*t)).collect();
        weakest.windows(2).all(|w| w[1] <= w[0])
    });
    rows.push(Row::words(
        "weakest impulse that brings it down, as half-periods get longer",
        "falls",
        if falls { "falls" } else { "does not always fall" },
    ));
    for d in &domains {
        let [stands, falls] = [stands_below(d, longest), d.weakest(longest)].map(|a| format!("{a}"));
        rows.push(
            Row::shown(
                format!("friction {}: boundary at {longest} s (g)", d.friction),
                format!("tends to the capacity, {:.3}", d.capacity),
                format!("{stands} to {falls}"),
            )
            .note("between amplitudes that were looked at"),
        );
    }
    let capacities = domains.windows(2).all(|w| w[1].capacity < w[0].capacity);
    rows.push(Row::words(
        "capacity with less friction",
        "less",
        if capacities { "less" } else { "not less" },
    ));
    let [of_rough, of_smooth] = [rough, smooth].map(|d| d.shortest(f64::INFINITY));
    rows.push(
        Row::words(
            "shortest half-period that brings it down, with less friction",
            "longer",
            match of_smooth > of_rough {
                true => "longer",
                false if of_smooth == of_rough => "the same",
                false => "shorter",
            },
        )
        .note(format!(
            "friction {}: {of_rough} s; {}: {of_smooth} s",
            rough.friction, smooth.friction
        )),
    );
    Ok(outcome(&summary, rows))
}

/// The strongest impulse of a half-period below the weakest that brings it down (g).
fn stands_below(d: &Domain, half_period: f64) -> f64 {
    let weakest = d.weakest(half_period);
    let of = d
        .impulses
        .iter()
        .filter(|([t, a], _)| *t == half_period && *a < weakest);
    of.map(|([_, a], _)| *a).fold(0.0, f64::max)
}

fn fragility(context: &Context<'_>) -> Result<Outcome, Failure> {
    let records = "records = \"records\"        # a folder: the far-field records of FEMA P695, say\ndirection = \"y\"";
    let (motions, what) = match (context.records, context.quick) {
        (Some(folder), false) => {
            let folder = std::path::absolute(folder)?;
            (
                format!("records = {:?}\ndirection = \"y\"", folder.display().to_string()),
                "the records of --records",
            )
        }
        (_, true) => (
            "synthetic = { count = 4, motion = { duration = 8, dt = 0.01, direction = [0, 1, 0] } }".into(),
            "4 synthetic motions",
        ),
        (None, false) => (
            "synthetic = { count = 20, motion = { direction = [0, 1, 0], spectrum = { ag = 2.0, ground = \"B\" } } }"
                .into(),
            "20 synthetic motions",
        ),
    };
    let mut text = FRAGILITY.replace(records, &motions);
    if context.quick {
        text = text
            .replace("dt = 0.0025", "dt = 0.005")
            .replace("[0.5, 0.75, 1.0, 1.5, 2.0, 2.5]", "[0.5, 1.5]");
    }
    let summary = perform(context, "house-fragility", &text)?;
    let found = summary
        .result
        .get("fragility")
        .and_then(|f| f.get(0))
        .cloned()
        .unwrap_or_default();
    let stripes = found["stripes"].as_array().cloned().unwrap_or_default();
    let fractions: Vec<String> = stripes
        .iter()
        .map(|s| format!("{} of {} at {} g", s["collapses"], s["runs"], s["intensity"]))
        .collect();
    let estimate = &found["fit"]["estimate"]["curve"];
    let bands = |what: &str| match &found["bands"][what] {
        Value::Array(band) if band.len() == 2 => {
            format!(
                "90 % band {:.3} to {:.3}",
                band[0].as_f64().unwrap_or(f64::NAN),
                band[1].as_f64().unwrap_or(f64::NAN)
            )
        }
        _ => "no band".to_string(),
    };
    let told = |name: &str| {
        estimate[name]
            .as_f64()
            .map_or("none".to_string(), |v| format!("{v:.3}"))
    };
    let rows = vec![
        Row::shown("median PGA of collapse, theta (g)", "0.981", told("theta"))
            .note(format!("{what}; {}", bands("theta"))),
        Row::shown("dispersion, beta", "0.436", told("beta")).note(format!(
            "the paper has 56 near-field records beside the 44; {}",
            bands("beta")
        )),
        Row::shown("collapses", "a drawing", fractions.join(", ")),
        Row::figure(
            "worst residual of a time step",
            1e-2,
            summary.worst_residual.unwrap_or(f64::NAN),
            Allowed::AtMost,
        ),
    ];
    Ok(outcome(&summary, rows))
}

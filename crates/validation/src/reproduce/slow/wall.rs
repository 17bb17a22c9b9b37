//! Paper 002, section 5.1: a wall of 12 courses under its weight, by three ways to equilibrium, and on ground that settles.

use drystone_analysis::openings;
use drystone_mechanics::dynamics::{SimulationSettings, Start, TimeStep};
use drystone_model::{Block, Model, Shape};
use drystone_output::plot::{Panel, Plot};
use glam::DVec3;

use super::{Allowed, Case, Context, Failure, Outcome, Row, followed, reached, resultant, shift, short, stage};
use crate::reproduce::drive;

pub(super) const AT_REST: Case = Case {
    name: "wall-resultant",
    group: "slow",
    source: "002 5.1, fig. 6",
    summary: "a wall under its weight: resultant on the ground by dynamics, velocity cancelling and numerical filter",
    long: false,
    run: at_rest,
};

pub(super) const SETTLEMENT: Case = Case {
    name: "wall-settlement",
    group: "slow",
    source: "002 5.1, fig. 7",
    summary: "half of the ground below the wall is lowered by 50 mm",
    long: false,
    run: settlement,
};

/// Stiffness of the joints (N/m3): that of the stone between two of them, 60 GPa over 0.25 m.
const STONE: f64 = 60e9 / 0.25;
/// Poisson's ratio of the stone.
const POISSON: f64 = 0.27;
/// How long the paper's figure is (s).
const DURATION: f64 = 0.012;
/// How long velocities are cancelled (s): joints relax, the slower the larger their waves are against the step.
const CANCELLED: f64 = 0.06;
/// How far half of the ground is lowered (m).
const LOWERED: f64 = 0.05;

fn elastic() -> drystone_model::JointStiffness {
    drystone_model::JointStiffness {
        normal: STONE,
        tangential: STONE / (2.0 * (1.0 + POISSON)),
    }
}

fn at_rest(context: &Context<'_>) -> Result<Outcome, Failure> {
    let model = drive::build("wall", &[])?;
    let weight: f64 = model.free_blocks().map(|b| model.mass_of(b).0).sum::<f64>() * model.gravity.length();
    let released = SimulationSettings {
        stiffness: Some(elastic()),
        start: Start::Uncompressed,
        rest: false,
        ..SimulationSettings::default()
    };
    let short_step = context.pick(2.5e-5, 1e-4);
    let ways = [
        ("dynamics", short_step, 0.5, false),
        ("velocity cancelling", short_step, 1.0, true),
        ("numerical filter", 1e-3, 1.0, false),
    ];
    let mut panel = Panel::new("time (ms)", "resultant on the ground (kN)");
    let mut rows = Vec::new();
    for (name, dt, theta, cancels) in ways {
        let settings = SimulationSettings {
            time_step: TimeStep::Fixed(dt),
            theta,
            ..released
        };
        let mut simulation = drive::simulation_with(&model, settings, "")?;
        let mut curve = vec![[0.0, 0.0]];
        let duration = if cancels { CANCELLED } else { DURATION };
        while simulation.state().time < duration - 0.5 * dt {
            simulation.step().map_err(Failure::run)?;
            curve.push([1e3 * simulation.state().time, -1e-3 * resultant(&simulation)]);
            if cancels {
                simulation.cancel_velocities();
            }
        }
        let last = |share: f64| {
            let from = ((1.0 - share) * curve.len() as f64) as usize;
            curve[from..].iter().map(|c| -1e3 * c[1] / weight)
        };
        let swing = last(0.5).map(|r| (r - 1.0).abs()).fold(0.0, f64::max);
        if name == "dynamics" {
            let row = Row::figure(
                format!("{name}: largest deviation from the weight in the second half"),
                0.05,
                swing,
                Allowed::AtLeast,
            );
            rows.push(row.note("the paper's curve swings about the weight; its size is in a drawing"));
        } else {
            let end = last(0.02).next_back().unwrap_or(0.0);
            let row = Row::figure(
                format!("{name}: resultant after {} ms over the weight", short(1e3 * duration)),
                1.0,
                end,
                Allowed::Within(1e-3),
            );
            let after = curve.iter().find(|c| (-1e3 * c[1] / weight - 1.0).abs() <= 1e-3);
            rows.push(row.note(after.map_or(String::new(), |c| format!("within 0.1 % after {} ms", short(c[0])))));
        }
        panel = panel.line(name, curve);
    }
    panel = panel.reference("weight", vec![[0.0, -1e-3 * weight], [1e3 * CANCELLED, -1e-3 * weight]]);
    let plot = Plot::new()
        .title("A wall under its weight: three ways to rest")
        .panel(panel);
    Ok(Outcome {
        rows,
        plots: vec![("wall-resultant".to_string(), plot)],
    })
}

/// The wall with its ground in two halves.
fn on_two_halves() -> Result<Model, Failure> {
    let mut model = drive::build("wall", &[])?;
    let bounds = model.bounds(|b| !b.fixed);
    let middle = 0.5 * (bounds.min.x + bounds.max.x);
    model.blocks.retain(|b| !b.fixed);
    let (low, high) = (bounds.min, bounds.max);
    for (name, from, to) in [("left", low.x - 1.0, middle), ("right", middle, high.x + 1.0)] {
        let slab = Shape::cuboid(
            DVec3::new(from, low.y - 0.5, low.z - 0.5),
            DVec3::new(to, high.y + 0.5, low.z),
        );
        model.blocks.push(Block::new(name, slab).fixed().in_group("ground"));
    }
    Ok(model)
}

fn settlement(context: &Context<'_>) -> Result<Outcome, Failure> {
    let model = on_two_halves()?;
    let steps = context.pick(25, 10);
    let stages = vec![
        stage("weight", 2),
        shift("right", DVec3::new(0.0, 0.0, -LOWERED), steps),
    ];
    let (path, end) = followed(&model, stages, Some(elastic()))?;
    let simulation = path.simulation();
    let structure = simulation.structure();
    let weight = structure.free_mass() * structure.gravity.length();
    let state = simulation.state();
    let all = openings(
        structure,
        path.initial(),
        (&state.placements, state.deformed()),
        simulation.absent(),
    );
    let largest = |of: fn(&drystone_analysis::JointOpening) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let cracked = all.iter().filter(|j| j.opening > 1e-3).count();
    // A stepped crack goes through head joints and bed joints of many courses.
    let mut courses: Vec<i64> = (structure.joints.iter().zip(&all))
        .filter(|(_, o)| o.opening > 1e-3 || o.slip > 1e-3)
        .map(|(j, _)| (j.points[0].z / 0.25).round() as i64)
        .collect();
    courses.sort_unstable();
    courses.dedup();
    let rows = vec![
        Row::figure(
            "part of the settlement with an equilibrium",
            1.0,
            reached(&end),
            Allowed::AtLeast,
        ),
        Row::figure(
            "resultant on the ground over the weight",
            1.0,
            resultant(simulation) / weight,
            Allowed::Within(1e-3),
        ),
        Row::words(
            "joints open",
            "stepped cracks",
            if cracked > 3 && courses.len() > 3 {
                "stepped cracks"
            } else {
                "no"
            },
        )
        .note(format!(
            "{cracked} joints open by more than 1 mm, up to {} mm, slips up to {} mm, on {} heights",
            short(1e3 * largest(|j| j.opening)),
            short(1e3 * largest(|j| j.slip)),
            courses.len()
        )),
    ];
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

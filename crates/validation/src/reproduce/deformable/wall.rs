//! Paper 002, section 5.1: a wall of 12 courses of blocks that deform, under its weight by three ways, and on ground that settles.

use std::f64::consts::PI;

use drystone_analysis::openings;
use drystone_mechanics::{
    deformable::von_mises,
    dynamics::Simulation,
    slow::{PathEnd, PathWay},
};
use drystone_model::{Block, Model, Shape};
use drystone_output::plot::{Panel, Plot};
use glam::{DVec3, dvec3};

use super::{
    Allowed, Case, DENSITY, Failure, Outcome, POISSON, Row, YOUNG, elastic, followed, released, short, stresses,
};
use crate::reproduce::{
    drive,
    slow::{reached, resultant, shift, stage},
};

pub(super) const WAYS: Case = Case {
    name: "deformable-wall-ways",
    group: "deformable",
    source: "002 5.1, fig. 6",
    summary: "a wall under its weight: resultant on the ground by dynamics, velocity cancelling and numerical filter",
    long: true,
    run: |context| ways(context.pick(12, 4), &Ways::PAPER),
};

pub(super) const SETTLEMENT: Case = Case {
    name: "deformable-settlement",
    group: "deformable",
    source: "002 5.1, fig. 7",
    summary: "half of the ground below a wall of blocks that deform is lowered by 50 mm",
    long: true,
    run: |context| settlement(context.pick(12, 4), 0.05, context.pick(10, 5)),
};

const CANCELLING: &str = "velocity cancelling";

/// Force below a bar, over its weight, after steps from a state free of stress at the end of which velocities are set to zero. Each
/// mode of the bar nears its rest by itself.
fn cancelled_bar(height: f64, dt: f64, steps: usize) -> f64 {
    let speed = (YOUNG / DENSITY).sqrt();
    let left = |k: usize| {
        let odd = (2 * k + 1) as f64;
        let turned = odd * 0.5 * PI * speed / height * dt;
        8.0 / (PI * odd).powi(2) * (1.0 + turned * turned).powi(-(steps as i32))
    };
    1.0 - (0..200).map(left).sum::<f64>()
}

/// Length of a unit, height of a course (m).
const UNIT: [f64; 2] = [0.5, 0.25];

/// The wall of the paper, of so many courses, twice as long as high.
fn wall(courses: usize) -> Result<Model, Failure> {
    let height = UNIT[1] * courses as f64;
    let values = [("length", (2.0 * height).to_string()), ("height", height.to_string())];
    drive::build("wall", &[(values[0].0, &values[0].1), (values[1].0, &values[1].1)])
}

/// How long each way is followed, and in which steps (s).
pub(super) struct Ways {
    duration: f64,
    cancelled: f64,
    short: f64,
    long: f64,
}

impl Ways {
    /// The duration of figure 6, twenty-fifths of a millisecond and milliseconds. Velocity cancelling takes longer: what is left of
    /// the lowest mode falls by `1 + (h w)²` a step.
    pub(super) const PAPER: Self = Self {
        duration: 0.012,
        cancelled: 0.036,
        short: 2.5e-5,
        long: 1e-3,
    };
    /// For small walls, which come to rest sooner.
    #[cfg(test)]
    pub(super) const BRIEF: Self = Self {
        duration: 0.002,
        cancelled: 0.003,
        short: 2.5e-5,
        long: 1e-3,
    };
}

/// A state that was reached.
struct Rest {
    name: &'static str,
    curve: Vec<[f64; 2]>,
    /// Displacement of every free block, and mean vertical stress of every element.
    moved: Vec<DVec3>,
    vertical: Vec<f64>,
    mises: f64,
    /// Head joints that bear nothing, and all.
    open: [usize; 2],
}

pub(super) fn ways(courses: usize, times: &Ways) -> Result<Outcome, Failure> {
    let model = elastic(wall(courses)?, "H8x2x2x2", [YOUNG, POISSON])?;
    let weight: f64 = model.free_blocks().map(|b| model.mass_of(b).0).sum::<f64>() * model.gravity.length();
    let all = [
        ("standard dynamics", times.short, 0.5, false, times.duration),
        (CANCELLING, times.short, 1.0, true, times.cancelled),
        (
            "numerical filtering",
            times.long,
            1.0,
            false,
            times.duration.max(12.0 * times.long),
        ),
    ];
    let mut found = Vec::new();
    for (name, dt, theta, cancels, duration) in all {
        let mut simulation = released(&model, dt, theta, 1e-4)?;
        let mut curve = vec![[0.0, 0.0]];
        while simulation.state().time < duration - 0.5 * dt {
            simulation.step().map_err(Failure::run)?;
            curve.push([1e3 * simulation.state().time, -1e-3 * resultant(&simulation)]);
            if cancels {
                simulation.cancel_velocities();
            }
        }
        found.push(rest(name, curve, &simulation));
    }
    let (path, _) = followed(&model, vec![stage("weight", 1)], PathWay::Equilibria)?;
    let exact = rest("equilibrium", Vec::new(), path.simulation());
    let mut rows = rows_of(&found, &exact, weight);
    for rest in found.iter().filter(|r| r.name == CANCELLING) {
        rows.extend([1.0 / 12.0, 1.0].map(|part| {
            let steps = (part * times.duration / times.short).round() as usize;
            let [time, force] = rest.curve[steps.min(rest.curve.len() - 1)];
            let theory = cancelled_bar(UNIT[1] * courses as f64, times.short, steps);
            let quantity = format!("{CANCELLING}: resultant over the weight after {} ms", short(time));
            Row::figure(quantity, theory, -1e3 * force / weight, Allowed::Within(0.03)).note("a bar on its end")
        }));
    }
    rows.push(Row::shown(
        format!("of {} head joints, without a force", exact.open[1]),
        "more by dynamics",
        found
            .iter()
            .chain([&exact])
            .map(|r| format!("{} {}", r.name, r.open[0]))
            .collect::<Vec<_>>()
            .join(", "),
    ));
    rows.push(Row::shown(
        "largest von Mises stress of an element (kPa)",
        "a drawing",
        short(1e-3 * exact.mises),
    ));
    let mut panel = Panel::new("time (ms)", "resultant on the ground (kN)");
    let end = 1e3 * times.duration.max(times.cancelled);
    panel = panel.reference("weight", vec![[0.0, -1e-3 * weight], [end, -1e-3 * weight]]);
    for rest in found {
        panel = panel.line(rest.name, rest.curve);
    }
    let plot = Plot::new()
        .title("A wall of elastic blocks under its weight: three ways to rest")
        .panel(panel);
    Ok(Outcome {
        rows,
        plots: vec![("deformable-wall-ways".to_string(), plot)],
    })
}

fn rows_of(found: &[Rest], exact: &Rest, weight: f64) -> Vec<Row> {
    let over = |c: &[f64; 2]| -1e3 * c[1] / weight;
    let mut rows = Vec::new();
    let largest = |a: &[f64]| a.iter().map(|x| x.abs()).fold(0.0, f64::max);
    for rest in found {
        let name = rest.name;
        if name == "standard dynamics" {
            let later = &rest.curve[rest.curve.len() / 4..];
            let mean = later.iter().map(over).sum::<f64>() / later.len() as f64;
            let most = rest.curve.iter().map(over).fold(0.0, f64::max);
            rows.push(
                Row::figure(
                    format!("{name}: mean of the resultant over the weight"),
                    1.0,
                    mean,
                    Allowed::Within(0.1),
                )
                .note(format!(
                    "it swings up to {}; the paper's swings within a drawing",
                    short(most)
                )),
            );
            continue;
        }
        let end = rest.curve.last().map_or(f64::NAN, over);
        let after = rest
            .curve
            .iter()
            .rfind(|c| (over(c) - 1.0).abs() > 0.01)
            .map_or(0.0, |c| c[0]);
        rows.push(
            Row::figure(
                format!("{name}: last resultant over the weight"),
                1.0,
                end,
                Allowed::Within(0.01),
            )
            .note(format!("within 1 % after {} ms", short(after))),
        );
        let apart = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        let size = exact.moved.iter().map(|m| m.length()).fold(0.0, f64::max);
        let stress: Vec<f64> = rest.vertical.iter().zip(&exact.vertical).map(|(a, b)| a - b).collect();
        rows.push(Row::figure(
            format!("{name}: displacements of blocks, largest difference from the equilibrium over the largest"),
            0.0,
            apart(&rest.moved, &exact.moved) / size,
            Allowed::Within(0.05),
        ));
        rows.push(Row::figure(
            format!("{name}: vertical stresses, largest difference from the equilibrium over the largest"),
            0.0,
            largest(&stress) / largest(&exact.vertical),
            Allowed::Within(0.05),
        ));
    }
    rows
}

fn rest(name: &'static str, curve: Vec<[f64; 2]>, simulation: &Simulation) -> Rest {
    let structure = simulation.structure();
    let moved = structure
        .free()
        .map(|b| simulation.state().placements[b].center - structure.initial(b).center);
    let elements = (0..structure.elastic.blocks.len()).flat_map(|k| stresses(simulation, k));
    let (vertical, mises): (Vec<f64>, Vec<f64>) = elements.map(|(_, s)| (s[2], von_mises(&s))).unzip();
    let head = |k: &usize| structure.joints[*k].normal.x.abs() > 0.9;
    let bears = |k: usize| {
        let own = structure.joints[k].blocks.map(|b| b as u32);
        let same = |b: [u32; 2]| b == own || b == [own[1], own[0]];
        simulation
            .contact_forces()
            .any(|c| same(c.blocks) && c.force.length() > 1.0)
    };
    let heads: Vec<usize> = (0..structure.joints.len()).filter(head).collect();
    Rest {
        name,
        curve,
        moved: moved.collect(),
        vertical,
        mises: mises.into_iter().fold(0.0, f64::max),
        open: [heads.iter().filter(|&&k| !bears(k)).count(), heads.len()],
    }
}

/// The wall with its ground in two halves.
fn on_two_halves(courses: usize) -> Result<Model, Failure> {
    let mut model = wall(courses)?;
    let bounds = model.bounds(|b| !b.fixed);
    let middle = 0.5 * (bounds.min.x + bounds.max.x);
    let group = model.blocks.iter().find(|b| b.fixed).and_then(|b| b.group.clone());
    model.blocks.retain(|b| !b.fixed);
    let (low, high) = (bounds.min, bounds.max);
    for (name, from, to) in [("left", low.x - 1.0, middle), ("right", middle, high.x + 1.0)] {
        let slab = Shape::cuboid(dvec3(from, low.y - 0.5, low.z - 0.5), dvec3(to, high.y + 0.5, low.z));
        let mut half = Block::new(name, slab).fixed();
        half.group.clone_from(&group);
        model.blocks.push(half);
    }
    Ok(model)
}

/// Half of the ground is lowered by `by` (m): with blocks that deform, in time steps of 20 ms, and with rigid ones.
pub(super) fn settlement(courses: usize, by: f64, steps: u32) -> Result<Outcome, Failure> {
    let model = on_two_halves(courses)?;
    let stages = || vec![stage("weight", 1), shift("right", -by * DVec3::Z, steps)];
    let way = PathWay::NumericalFilter(0.02);
    let mut rows = Vec::new();
    let mut cracked = Vec::new();
    for (name, model) in [
        ("deformable", elastic(model.clone(), "H8x2x2x2", [YOUNG, POISSON])?),
        ("rigid", model),
    ] {
        let (path, end) = followed(&model, stages(), way)?;
        let simulation = path.simulation();
        let structure = simulation.structure();
        let weight = structure.free_mass() * structure.gravity.length();
        let all = openings(
            structure,
            path.initial(),
            (&simulation.state().placements, simulation.state().deformed()),
            simulation.absent(),
        );
        let open: Vec<bool> = all.iter().map(|j| j.opening > 1e-3 || j.slip > 1e-3).collect();
        let mut heights: Vec<i64> = (structure.joints.iter().zip(&open))
            .filter(|(_, open)| **open)
            .map(|(j, _)| (j.points[0].z / UNIT[1]).round() as i64)
            .collect();
        heights.sort_unstable();
        heights.dedup();
        let largest = all.iter().map(|j| j.opening).fold(0.0, f64::max);
        rows.push(
            Row::figure(
                format!("{name}: part of the settlement with an equilibrium"),
                1.0,
                reached(&end),
                Allowed::AtLeast,
            )
            .note(match end {
                PathEnd::Completed => String::new(),
                PathEnd::NoEquilibrium { is_proven, .. } => format!("proven: {is_proven}"),
            }),
        );
        rows.push(Row::figure(
            format!("{name}: resultant on the ground over the weight"),
            1.0,
            resultant(simulation) / weight,
            Allowed::Within(0.01),
        ));
        let many = open.iter().filter(|o| **o).count();
        rows.push(
            Row::words(
                format!("{name}: joints open"),
                "stepped cracks",
                if many > 3 && heights.len() + 1 >= courses {
                    "stepped cracks"
                } else {
                    "no"
                },
            )
            .note(format!(
                "{many} joints open or slid by more than 1 mm, up to {} mm, on {} heights",
                short(1e3 * largest),
                heights.len()
            )),
        );
        cracked.push(open);
    }
    let same = cracked[0].iter().zip(&cracked[1]).filter(|(a, b)| a == b).count();
    rows.push(Row::shown(
        "joints that are open, or closed, in both",
        "-",
        format!("{same} of {}", cracked[0].len()),
    ));
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

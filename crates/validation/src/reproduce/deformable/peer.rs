//! A wall of three courses beside an independent finite element program (peers/wall_penalty.py: enhanced hexahedra or hexahedra of
//! 27 nodes, node to node contact by penalty, Newton's method).

use std::collections::BTreeMap;

use drystone_mechanics::slow::{Path, PathEnd, PathWay};
use drystone_model::{Block, LoadCase, Model, PointForce, Shape, Stage};
use glam::{DVec3, dvec3};
use serde_json::Value;

use super::{Allowed, Case, Context, Failure, Outcome, POISSON, Row, YOUNG, elastic, entry, followed, short, stresses};
use crate::reproduce::{
    drive,
    slow::{load, shift, stage},
};

pub(super) const CASE: Case = Case {
    name: "elastic-wall-peer",
    group: "deformable",
    source: "peers/wall_penalty.py",
    summary: "a wall of three courses under its weight, a load and a settlement, beside another program",
    long: true,
    run,
};

const NUMBERS: &str = include_str!("../../../peers/elastic_wall.json");
/// Length, depth and height of a block (m).
const BLOCK: [f64; 3] = [0.5, 0.3, 0.25];
/// On half a metre in the middle of the top (N).
const PATCH: f64 = 1e5;
/// Steps of a settlement: in a single one joints slide on the way to the equilibrium, and friction keeps some of it.
pub(super) const STEPS: u32 = 10;
/// Of the left half of the ground (m).
const SETTLED: f64 = 2e-7;

/// What is done to the wall after its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Done {
    Nothing,
    Patch,
    Settled,
}

impl Done {
    const ALL: [Self; 3] = [Self::Nothing, Self::Patch, Self::Settled];

    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "gravity",
            Self::Patch => "patch",
            Self::Settled => "settle_2e-7",
        }
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut rows = Vec::new();
    for done in Done::ALL {
        rows.push(beside(done, 2, "eas/n2", STEPS)?);
    }
    for done in Done::ALL {
        // Coarse meshes are off by their elements, as the peer's are: that is seen, and not judged.
        rows.push(beside(done, 2, "q2/n4", STEPS)?.unjudged());
        if !context.quick {
            rows.push(beside(done, 4, "q2/n4", STEPS)?.unjudged());
            rows.push(beside(done, 8, "q2/n4", STEPS)?);
        }
    }
    let at_once = beside(Done::Settled, 2, "eas/n2", 1)?.unjudged();
    rows.push(at_once.also("the settlement in one step"));
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

/// The wall with `n` elements along each edge of a whole block, on two halves of ground.
fn wall(n: usize) -> Result<Model, Failure> {
    let values = [
        ("length", "1"),
        ("height", "0.75"),
        ("thickness", "0.3"),
        ("unit-length", "0.5"),
        ("unit-height", "0.25"),
    ];
    let mut model = drive::build("wall", &values)?;
    let bounds = model.bounds(|b| !b.fixed);
    let ground_friction: Vec<Block> = model.blocks.iter().filter(|b| b.fixed).cloned().collect();
    model.blocks.retain(|b| !b.fixed);
    let middle = 0.5 * (bounds.min.x + bounds.max.x);
    for (name, from, to) in [
        ("left", bounds.min.x - 1.0, middle),
        ("right", middle, bounds.max.x + 1.0),
    ] {
        let (low, high) = (bounds.min, bounds.max);
        let slab = Shape::cuboid(dvec3(from, low.y - 0.5, low.z - 0.5), dvec3(to, high.y + 0.5, low.z));
        let mut half = Block::new(name, slab).fixed();
        half.group = ground_friction.first().and_then(|b| b.group.clone());
        model.blocks.push(half);
    }
    let mut model = elastic(model, &format!("H8x{n}x{n}x{n}"), [YOUNG, POISSON])?;
    let halves: Vec<String> = (model.blocks.iter())
        .filter(|b| !b.fixed && b.polyhedron().bounds().size().x < 0.75 * BLOCK[0])
        .map(|b| b.name.clone())
        .collect();
    for name in halves {
        model.deformable.push(entry(&format!("{name}:H8x{}x{n}x{n}", n / 2))?);
    }
    Ok(model)
}

/// The load as forces of the nodes below it.
fn patch(model: &Model, n: usize) -> LoadCase {
    let bounds = model.bounds(|b| !b.fixed);
    let [length, depth, _] = BLOCK;
    let part = |k: usize, all: usize| if k == 0 || k == all { 0.5 } else { 1.0 } / all as f64;
    let mut forces = Vec::new();
    let (low, high) = (bounds.min.x + 0.5 * length, bounds.min.x + 1.5 * length);
    let top = model
        .free_blocks()
        .filter(|b| b.polyhedron().bounds().max.z > bounds.max.z - 1e-9);
    for block in top {
        let own = block.polyhedron().bounds();
        let (from, to) = (own.min.x.max(low), own.max.x.min(high));
        let along = ((to - from) / length * n as f64).round() as usize;
        for (i, j) in (0..=along).flat_map(|i| (0..=n).map(move |j| (i, j))) {
            let at = dvec3(
                from + (to - from) * i as f64 / along as f64,
                own.min.y + depth * j as f64 / n as f64,
                own.max.z,
            );
            let share = (to - from) / (high - low) * part(i, along) * part(j, n);
            forces.push(PointForce {
                block: block.name.clone(),
                force: -PATCH * share * DVec3::Z,
                at: Some(at),
            });
        }
    }
    LoadCase {
        forces,
        ..LoadCase::default()
    }
}

/// Largest difference of the mean vertical stress of a half block, over that stress; what is done after the weight, in so many steps.
pub(super) fn beside(done: Done, n: usize, reference: &str, steps: u32) -> Result<Row, Failure> {
    let mut model = wall(n)?;
    model.load_cases.insert("patch".to_string(), patch(&model, n));
    let more: Vec<Stage> = match done {
        Done::Nothing => Vec::new(),
        Done::Patch => vec![load("patch", 1.0, 1)],
        Done::Settled => vec![shift("left", -SETTLED * DVec3::Z, steps)],
    };
    let stages = [stage("weight", 1)].into_iter().chain(more).collect();
    let (path, end) = followed(&model, stages, PathWay::Equilibria)?;
    if end != PathEnd::Completed {
        return Err(Failure::run(format!("{}: {end:?}", done.name())));
    }
    let numbers: Value = serde_json::from_str(NUMBERS).map_err(Failure::run)?;
    let published = &numbers[format!("{}/{reference}", done.name())];
    let key = |v: &Value| (v[0].as_i64(), v[1].as_i64(), v[2].as_i64());
    let published: BTreeMap<_, f64> = published
        .as_array()
        .into_iter()
        .flatten()
        .map(|v| (key(v), v[3].as_f64().unwrap_or(f64::NAN)))
        .collect();
    let found = halves(&path, &model);
    if published.len() != found.len() {
        return Err(Failure::run(format!(
            "{} halves of blocks, {} published",
            found.len(),
            published.len()
        )));
    }
    let mean = published.values().map(|s| s.abs()).sum::<f64>() / published.len() as f64;
    let (mut off, mut worst) = (0.0, String::new());
    let mut least = (0.0, 0.0_f64);
    for ((exact, own), key) in published.values().zip(&found).zip(published.keys()) {
        let error = (own / exact - 1.0).abs();
        least = (least.0, least.1.max((own - exact).abs() / mean));
        if error > off {
            (off, worst) = (
                error,
                format!(
                    "block {} of course {}: {} instead of {} kPa",
                    key.1.unwrap_or(-1),
                    key.0.unwrap_or(-1),
                    short(1e-3 * own),
                    short(1e-3 * exact)
                ),
            );
        }
    }
    let name = format!(
        "{}, {n} elements along an edge, against {reference}: largest difference of a mean stress",
        done.name()
    );
    Ok(Row::figure(name, 0.0, off, Allowed::Within(0.05))
        .note(format!("{worst}; {} of the mean stress at most", short(least.1))))
}

/// Mean vertical stress of each half of each block: courses from below, blocks from the left, halves from the left.
fn halves(path: &Path, model: &Model) -> Vec<f64> {
    let simulation = path.simulation();
    let structure = simulation.structure();
    let mut blocks: Vec<usize> = (0..structure.elastic.blocks.len()).collect();
    let centre = |k: usize| structure.center[structure.elastic.blocks[k].0 as usize];
    blocks.sort_by(|&a, &b| {
        let (a, b) = (centre(a), centre(b));
        ((4.0 * a.z).round(), a.x)
            .partial_cmp(&((4.0 * b.z).round(), b.x))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let mut all = Vec::new();
    for k in blocks {
        let block = &model.blocks[structure.elastic.blocks[k].0 as usize];
        let whole = block.polyhedron().bounds().size().x > 0.75 * BLOCK[0];
        let elements = stresses(simulation, k);
        let mean = |of: &dyn Fn(f64) -> bool| {
            let own: Vec<f64> = elements.iter().filter(|(at, _)| of(at.x)).map(|(_, s)| s[2]).collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        match whole {
            true => all.extend([mean(&|x| x < 0.0), mean(&|x| x > 0.0)]),
            false => all.push(mean(&|_| true)),
        }
    }
    all
}

use std::time::Instant;

use clap::Args;
use glam::{DQuat, DVec3};
use parry3d_f64::{
    glamx,
    query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher},
    shape::ConvexPolyhedron,
};
use serde::Serialize;

use drystone_contact::{Bodies, Contacts, Detector, DetectorSettings, Placement};
use drystone_model::{Model, geometry::near_pairs, recipes};

use super::{exponent, median};
use drystone_analysis::{Failure, words::count};

use crate::{CommandReport, Listener};

/// Contact detection on structures of 201 to 50,000 blocks, beside parry3d's manifolds
///
/// Blocks stand still, or each wobbles by a thousandth of its size about where it stands. Times are medians over
/// steps: for drystone the whole detection, from new placements to sorted contacts; for parry3d (one thread) only its
/// manifold query over the pairs of blocks whose boxes are near, without finding those pairs.
#[derive(Args)]
pub struct ContactBench {
    /// Steps to measure at each size; the largest structure takes a tenth of them
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(10..=10_000))]
    steps: u32,
    /// Leave out structures with more blocks than this
    #[arg(long, default_value_t = 60_000)]
    most: usize,
}

/// A structure, by recipe and values, and how many blocks it has.
const STRUCTURES: [(&str, &[(&str, &str)]); 4] = [
    ("spandrel-arch", &[]),
    ("wall", &[("length", "20"), ("height", "10"), ("unit-length", "0.5")]),
    ("church", &[]),
    ("wall", &[("length", "120"), ("height", "50"), ("unit-length", "0.48")]),
];

#[derive(Clone, Serialize)]
struct Row {
    structure: String,
    blocks: usize,
    pairs: usize,
    interfaces: usize,
    contacts: usize,
    motion: &'static str,
    threads: usize,
    time_ms: f64,
    parry_ms: f64,
    parry_points: usize,
    ratio: f64,
}

impl ContactBench {
    pub(crate) fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        let mut rows = Vec::new();
        for (recipe, values) in STRUCTURES {
            let values: Vec<(String, String)> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
            let model = recipes::find(recipe)
                .and_then(|r| r.build_alone(&values))
                .map_err(Failure::run)?;
            if model.blocks.len() <= self.most {
                listener.progress(&format!("{recipe}, {} blocks ...", count(model.blocks.len())));
                rows.extend(self.measure(recipe, &model)?);
            }
        }
        let growth: Vec<(String, f64)> = [("static", 1), ("static", 2), ("moving", 1), ("moving", 2)]
            .map(|(motion, threads)| {
                let points: Vec<(f64, f64)> = rows
                    .iter()
                    .filter(|r| r.motion == motion && r.threads == threads)
                    .map(|r| (r.blocks as f64, r.time_ms))
                    .collect();
                (format!("{motion}_{threads}_threads"), exponent(&points))
            })
            .into();
        let result = serde_json::json!({
            "rows": rows,
            "growth_exponents": growth.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        });
        Ok(CommandReport::new(result, text(&rows, &growth)))
    }

    fn measure(&self, structure: &str, model: &Model) -> Result<Vec<Row>, Failure> {
        let steps = if model.blocks.len() > 10_000 {
            self.steps.div_ceil(10)
        } else {
            self.steps
        };
        let (bodies, still) = Bodies::of_model(model).map_err(Failure::run)?;
        let sizes: Vec<f64> = model
            .blocks
            .iter()
            .map(|b| b.polyhedron().bounds().diagonal())
            .collect();
        let boxes: Vec<_> = model.blocks.iter().map(|b| b.polyhedron().bounds()).collect();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        // Ground slabs are as large as the structure; the margin must suit the blocks.
        let smallest = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        let margin = 5e-3 * smallest.min(largest);
        let pairs: Vec<(usize, usize)> = near_pairs(&boxes, margin)
            .into_iter()
            .filter(|&(i, j)| !(model.blocks[i].fixed && model.blocks[j].fixed))
            .collect();
        let mut rows = Vec::new();
        for motion in ["static", "moving"] {
            let amplitude = if motion == "moving" { 1e-3 * smallest } else { 0.0 };
            let path: Vec<Vec<Placement>> = (0..=steps)
                .map(|step| wobble(model, &still, amplitude, smallest, f64::from(step)))
                .collect();
            let (parry_ms, parry_points) = parry(model, &pairs, &path, margin);
            for threads in [1, 2] {
                let settings = DetectorSettings {
                    margin,
                    ..DetectorSettings::default()
                };
                let (time_ms, contacts) = ours(bodies.clone(), settings, &path, threads)?;
                rows.push(Row {
                    structure: structure.to_string(),
                    blocks: model.blocks.len(),
                    pairs: pairs.len(),
                    interfaces: contacts.interfaces.len(),
                    contacts: contacts.contacts.len(),
                    motion,
                    threads,
                    time_ms,
                    parry_ms,
                    parry_points,
                    ratio: parry_ms / time_ms,
                });
            }
        }
        Ok(rows)
    }
}

/// Free blocks turned and shifted a little, each in its own way, smoothly from step to step.
fn wobble(model: &Model, still: &[Placement], amplitude: f64, size: f64, step: f64) -> Vec<Placement> {
    let moved = |(k, (block, place)): (usize, (&drystone_model::Block, &Placement))| {
        if block.fixed || amplitude == 0.0 {
            return *place;
        }
        let phase = |n: f64| (0.1 * step + 1.7 * k as f64 + 2.1 * n).sin();
        let shift = DVec3::new(phase(0.0), phase(1.0), phase(2.0)) * amplitude;
        let turn = DVec3::new(phase(3.0), phase(4.0), phase(5.0)) * (amplitude / size);
        Placement {
            center: place.center + shift,
            rotation: DQuat::from_scaled_axis(turn),
        }
    };
    model.blocks.iter().zip(still).enumerate().map(moved).collect()
}

/// Median time of a step (ms), and the contacts of the last.
fn ours(
    bodies: Bodies,
    settings: DetectorSettings,
    path: &[Vec<Placement>],
    threads: usize,
) -> Result<(f64, Contacts), Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(Failure::run)?;
    Ok(pool.install(|| {
        let mut detector = Detector::new(bodies, settings);
        let mut seconds = Vec::with_capacity(path.len());
        for placements in path {
            let start = Instant::now();
            detector.detect(placements);
            seconds.push(start.elapsed().as_secs_f64());
        }
        // The first step fills the memory that the others use again.
        seconds.remove(0);
        (1e3 * median(seconds), detector.contacts().clone())
    }))
}

/// Median time of parry3d's manifold query over the same pairs (ms), and how many points it returns in the end.
fn parry(model: &Model, pairs: &[(usize, usize)], path: &[Vec<Placement>], margin: f64) -> (f64, usize) {
    let vector = |v: DVec3| glamx::DVec3::new(v.x, v.y, v.z);
    let shapes: Vec<Option<ConvexPolyhedron>> = model
        .blocks
        .iter()
        .zip(&path[0])
        .map(|(block, _)| {
            let solid = block.polyhedron();
            let center = solid.mass_properties().centroid;
            let points: Vec<glamx::DVec3> = solid.vertices.iter().map(|&v| vector(v - center)).collect();
            ConvexPolyhedron::from_convex_hull(&points)
        })
        .collect();
    let mut manifolds: Vec<Vec<ContactManifold<(), ()>>> = vec![Vec::new(); pairs.len()];
    let mut workspaces = vec![None; pairs.len()];
    let mut seconds = Vec::with_capacity(path.len());
    for placements in path {
        let poses: Vec<glamx::DPose3> = placements
            .iter()
            .map(|p| {
                let q = p.rotation;
                glamx::DPose3::from_parts(vector(p.center), glamx::DQuat::from_xyzw(q.x, q.y, q.z, q.w))
            })
            .collect();
        let start = Instant::now();
        for (k, &(i, j)) in pairs.iter().enumerate() {
            if let (Some(a), Some(b)) = (&shapes[i], &shapes[j]) {
                let between = poses[i].inv_mul(&poses[j]);
                // Shapes it cannot treat leave the manifolds empty, which the number of points shows.
                let _ = DefaultQueryDispatcher.contact_manifolds(
                    &between,
                    a,
                    b,
                    margin,
                    &mut manifolds[k],
                    &mut workspaces[k],
                );
            }
        }
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.remove(0);
    let points = manifolds.iter().flatten().map(|m| m.points.len()).sum();
    (1e3 * median(seconds), points)
}

fn text(rows: &[Row], growth: &[(String, f64)]) -> String {
    let mut text = format!(
        "{:<14} {:>7} {:>8} {:>9} {:<7} {:>7} {:>12} {:>12} {:>8} {:>13}\n",
        "structure",
        "blocks",
        "pairs",
        "contacts",
        "motion",
        "threads",
        "drystone ms",
        "parry3d ms",
        "ratio",
        "parry points"
    );
    for r in rows {
        text.push_str(&format!(
            "{:<14} {:>7} {:>8} {:>9} {:<7} {:>7} {:>12.3} {:>12.3} {:>8.2} {:>13}\n",
            r.structure,
            count(r.blocks),
            count(r.pairs),
            count(r.contacts),
            r.motion,
            r.threads,
            r.time_ms,
            r.parry_ms,
            r.ratio,
            count(r.parry_points),
        ));
    }
    text.push_str("\ntime grows with the number of blocks to the power of\n");
    for (name, exponent) in growth {
        text.push_str(&format!("  {:<18} {exponent:.2}\n", name.replace('_', " ")));
    }
    text
}

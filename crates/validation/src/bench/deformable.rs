//! Time steps of blocks that deform, beside rigid blocks with as many degrees of freedom.

use std::time::Instant;

use clap::Args;
use serde::Serialize;

use drystone_analysis::{Failure, words::count};
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, Start, TimeStep};
use drystone_model::{DeformableGroup, Elasticity, MeshSpec, Model, motion::Supports, recipes};

use super::{exponent, median, memory_mb, on_threads};
use crate::{CommandReport, Listener};

/// A structure to measure.
struct Case {
    recipe: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    /// Elements along each edge of a block.
    meshes: &'static [usize],
}

/// The structures of paper 002, section 5, and meshes of growing fineness.
const CASES: [Case; 2] = [
    Case {
        recipe: "wall",
        parameters: &[],
        meshes: &[2, 1, 3],
    },
    Case {
        recipe: "dome",
        parameters: &[("bond", "stacked")],
        meshes: &[2],
    },
];

/// Time steps of blocks that deform, beside rigid ones
///
/// Structures of paper 002, section 5, under their weight, from a state free of stress. The peer of each is a wall of rigid blocks
/// with as many degrees of freedom, in steps of the same length.
#[derive(Args)]
pub struct DeformableBench {
    /// Steps of each, without the first
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Length of a step (s)
    #[arg(long, value_name = "S", default_value_t = 1e-3)]
    dt: f64,
    /// Numbers of threads
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [2_u16], value_parser = clap::value_parser!(u16).range(1..))]
    threads: Vec<u16>,
    /// Structures to measure: wall, dome [default: both]
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
}

#[derive(Clone, Serialize)]
struct Row {
    structure: String,
    mesh: String,
    threads: usize,
    blocks: usize,
    degrees_of_freedom: usize,
    contacts: usize,
    start_s: f64,
    step_s: f64,
    detect_s: f64,
    assemble_s: f64,
    solve_s: f64,
    factor_s: f64,
    integrate_s: f64,
    iterations: f64,
    worst_residual: f64,
    memory_mb: f64,
    us_per_degree_of_freedom: f64,
    rigid_step_s: Option<f64>,
    ratio_per_degree_of_freedom: Option<f64>,
}

impl DeformableBench {
    pub(super) fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        let mut rows: Vec<Row> = Vec::new();
        let mut growth = Vec::new();
        for threads in self.threads.iter().map(|&n| usize::from(n)) {
            for Case {
                recipe: name,
                parameters,
                meshes,
            } in CASES
            {
                if !(self.cases.is_empty() || self.cases.iter().any(|c| c == name)) {
                    continue;
                }
                for &n in meshes {
                    let mesh = MeshSpec::Hexahedra([n; 3]);
                    listener.progress(&format!("{name}, {mesh}, {threads} threads ..."));
                    let model = deformable(name, parameters, mesh)?;
                    let mut row = on_threads(threads, || self.measure(name, &mesh.to_string(), threads, &model))??;
                    let side = (row.degrees_of_freedom as f64 / 6.0 / 12.0).round();
                    listener.progress(&format!(
                        "as many degrees of freedom of rigid blocks, {threads} threads ..."
                    ));
                    let size = [("length", format!("{}", 0.5 * side))];
                    let rigid = build("wall", &size.each_ref().map(|(k, v)| (*k, v.as_str())))?;
                    let peer = on_threads(threads, || self.measure("wall", "rigid", threads, &rigid))??;
                    row.rigid_step_s = Some(peer.step_s);
                    row.ratio_per_degree_of_freedom =
                        Some(row.us_per_degree_of_freedom / peer.us_per_degree_of_freedom);
                    if name == "wall" && threads == usize::from(self.threads[0]) {
                        growth.push((row.degrees_of_freedom as f64, row.step_s));
                    }
                    rows.push(row);
                    rows.push(peer);
                }
            }
        }
        let power = (growth.len() > 1).then(|| exponent(&growth));
        let mut text = text(&rows);
        if let Some(power) = power {
            text.push_str(&format!(
                "\n\nThe time of a step of the wall grows with the power {power:.2} of its degrees of freedom."
            ));
        }
        Ok(CommandReport::new(
            serde_json::json!({ "rows": rows, "growth_exponent": power }),
            text,
        ))
    }

    fn measure(&self, name: &str, mesh: &str, threads: usize, model: &Model) -> Result<Row, Failure> {
        let settings = SimulationSettings {
            time_step: TimeStep::Fixed(self.dt),
            start: Start::Uncompressed,
            rest: false,
            ..SimulationSettings::default()
        };
        let began = Instant::now();
        let mut simulation = Simulation::new(model, settings, Supports::default(), &[])?;
        // The first step factorises every shape and orders the contact problem.
        simulation.step().map_err(Failure::run)?;
        let start_s = began.elapsed().as_secs_f64();
        let steps: Result<Vec<_>, _> = (0..self.steps).map(|_| simulation.step().copied()).collect();
        let steps = steps.map_err(Failure::run)?;
        let structure = simulation.structure();
        let elastic = &structure.elastic;
        let nodes: usize = (0..elastic.blocks.len())
            .map(|k| 3 * elastic.shape(k).elastic.node_count())
            .sum();
        let rigid = structure.free().count() - elastic.blocks.len();
        let degrees_of_freedom = nodes + 6 * rigid;
        let middle = |of: &dyn Fn(&drystone_mechanics::dynamics::Step) -> f64| median(steps.iter().map(of).collect());
        let step_s = middle(&|s| s.times.total_s());
        Ok(Row {
            structure: name.to_string(),
            mesh: mesh.to_string(),
            threads,
            blocks: structure.free().count(),
            degrees_of_freedom,
            contacts: steps.last().map_or(0, |s| s.contacts),
            start_s,
            step_s,
            detect_s: middle(&|s| s.times.detect_s),
            assemble_s: middle(&|s| s.times.assemble_s),
            solve_s: middle(&|s| s.times.solve_s),
            factor_s: middle(&|s| s.times.factor_s),
            integrate_s: middle(&|s| s.times.integrate_s),
            iterations: steps.iter().map(|s| s.iterations as f64).sum::<f64>() / steps.len() as f64,
            worst_residual: steps.iter().map(|s| s.residual).fold(0.0, f64::max),
            memory_mb: memory_mb(),
            us_per_degree_of_freedom: 1e6 * step_s / degrees_of_freedom as f64,
            rigid_step_s: None,
            ratio_per_degree_of_freedom: None,
        })
    }
}

fn build(name: &str, parameters: &[(&str, &str)]) -> Result<Model, Failure> {
    let parameters: Vec<(String, String)> = parameters.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(name)
        .and_then(|r| r.build_alone(&parameters))
        .map_err(Failure::input)
}

fn deformable(name: &str, parameters: &[(&str, &str)], mesh: MeshSpec) -> Result<Model, Failure> {
    let mut model = build(name, parameters)?;
    model.set_density(2700.0);
    model.elasticity = Some(Elasticity {
        young_pa: 60e9,
        poisson: 0.27,
        rayleigh_mass_per_s: None,
        rayleigh_stiffness_s: None,
    });
    model.deformable = vec![DeformableGroup {
        blocks: DeformableGroup::ALL.to_string(),
        mesh: Some(mesh),
    }];
    Ok(model)
}

fn text(rows: &[Row]) -> String {
    let head = [
        "structure",
        "mesh",
        "threads",
        "blocks",
        "dof",
        "contacts",
        "step",
        "factorise",
        "rest of solve",
        "other",
        "iterations",
        "memory",
        "us / dof",
        "rigid us / dof",
        "ratio",
    ];
    let mut cells = vec![head.map(str::to_string)];
    for row in rows.iter().filter(|r| r.rigid_step_s.is_some()) {
        let ms = |s: f64| format!("{:.1} ms", 1e3 * s);
        let ratio = row.ratio_per_degree_of_freedom.unwrap_or(f64::NAN);
        cells.push([
            row.structure.clone(),
            row.mesh.clone(),
            row.threads.to_string(),
            count(row.blocks),
            count(row.degrees_of_freedom),
            count(row.contacts),
            ms(row.step_s),
            ms(row.factor_s),
            ms(row.solve_s - row.factor_s),
            ms(row.detect_s + row.assemble_s + row.integrate_s),
            format!("{:.1}", row.iterations),
            format!("{:.0} MB", row.memory_mb),
            format!("{:.2}", row.us_per_degree_of_freedom),
            format!("{:.2}", row.us_per_degree_of_freedom / ratio),
            format!("{ratio:.1}"),
        ]);
    }
    crate::reproduce::columns(&cells)
}

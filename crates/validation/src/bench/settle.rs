use std::time::Instant;

use clap::Args;
use serde::Serialize;

use drystone_analysis::{Failure, words::count};
use drystone_mechanics::{
    Structure,
    dynamics::{Simulation, SimulationSettings, Start, TimeStep},
    slow::{Path, PathEnd, PathSettings},
};
use drystone_model::{JointStiffness, Model, Stage, Stages, motion::Supports, recipes};

use crate::{CommandReport, Listener};

/// Slow loading under gravity, beside the time stepper with velocities cancelled on the same problem
///
/// The weight grows in steps, each brought into equilibrium. The peer is the time stepper from unstressed joints of the same
/// stiffness, with every velocity set to zero after every step, until the ground bears the weight to 0.1 %.
#[derive(Args)]
pub struct SettleBench {
    /// Recipes to measure
    #[arg(long = "case", value_name = "RECIPE", default_values = ["arch", "spandrel-arch", "stone-house", "church"])]
    cases: Vec<String>,
    /// Steps of the weight
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Length of the steps of the peer (s)
    #[arg(long, value_name = "S", default_value_t = 1e-3)]
    dt: f64,
    /// Seconds after which the peer is given up; 0 leaves it out
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    most: f64,
}

#[derive(Serialize)]
struct Row {
    structure: String,
    blocks: usize,
    steps: usize,
    rounds: usize,
    settle_s: f64,
    completed: bool,
    displacement_m: f64,
    peer_s: Option<f64>,
    peer_steps: Option<usize>,
    peer_resultant: Option<f64>,
    ratio: Option<f64>,
}

impl SettleBench {
    pub(super) fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        let mut rows = Vec::new();
        for name in &self.cases {
            listener.progress(name);
            let model = recipes::find(name)
                .and_then(|r| r.build_alone(&[]))
                .map_err(Failure::input)?;
            rows.push(self.measure(name, &model)?);
        }
        let mut cells = vec![
            [
                "structure",
                "blocks",
                "steps",
                "rounds",
                "settle",
                "cancelling",
                "its steps",
                "ratio",
            ]
            .map(str::to_string),
        ];
        for row in &rows {
            let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_string());
            cells.push([
                row.structure.clone(),
                count(row.blocks),
                count(row.steps),
                count(row.rounds),
                format!("{:.2} s", row.settle_s),
                or(row.peer_s.map(|s| {
                    format!(
                        "{s:.2} s{}",
                        if row.peer_resultant.is_some_and(|r| (r - 1.0).abs() > 1e-3) {
                            ", not done"
                        } else {
                            ""
                        }
                    )
                })),
                or(row.peer_steps.map(count)),
                or(row.ratio.map(|r| format!("{r:.1}"))),
            ]);
        }
        Ok(CommandReport::new(
            serde_json::json!({ "rows": rows }),
            crate::reproduce::columns(&cells),
        ))
    }

    fn measure(&self, name: &str, model: &Model) -> Result<Row, Failure> {
        let structure = Structure::new(model)?;
        let weight = Stage {
            name: "weight".to_string(),
            steps: Some(self.steps),
            ..Stage::default()
        };
        let began = Instant::now();
        let mut path = Path::new(
            model,
            structure,
            &Stages { stages: vec![weight] },
            PathSettings::default(),
        )?;
        let end = path.follow(|_| ())?;
        let settle_s = began.elapsed().as_secs_f64();
        let points = path.points();
        let stiffness = path.simulation().structure().laws()[0].stiffness;
        let peer = match stiffness.filter(|_| self.most > 0.0) {
            Some(stiffness) => Some(self.cancel(model, stiffness)?),
            None => None,
        };
        Ok(Row {
            structure: name.to_string(),
            blocks: path.simulation().structure().free().count(),
            steps: points.len(),
            rounds: points.iter().map(|p| p.rounds).sum(),
            settle_s,
            completed: end == PathEnd::Completed,
            displacement_m: points.last().map_or(0.0, |p| p.displacement),
            peer_s: peer.map(|p| p.0),
            peer_steps: peer.map(|p| p.1),
            peer_resultant: peer.map(|p| p.2),
            ratio: peer.map(|p| p.0 / settle_s),
        })
    }

    /// Seconds, steps, and what the ground bears over the weight.
    fn cancel(&self, model: &Model, stiffness: JointStiffness) -> Result<(f64, usize, f64), Failure> {
        let settings = SimulationSettings {
            time_step: TimeStep::Fixed(self.dt),
            stiffness: Some(stiffness),
            start: Start::Uncompressed,
            rest: false,
            ..SimulationSettings::default()
        };
        let began = Instant::now();
        let mut simulation = Simulation::new(model, settings, Supports::default(), &[]).map_err(Failure::input)?;
        let weight = simulation.structure().free_mass() * simulation.structure().gravity.length();
        let (mut steps, mut bears) = (0, 0.0);
        while began.elapsed().as_secs_f64() < self.most {
            simulation.step().map_err(Failure::run)?;
            simulation.cancel_velocities();
            steps += 1;
            bears = crate::reproduce::resultant(&simulation) / weight;
            if (bears - 1.0_f64).abs() <= 1e-3 {
                break;
            }
        }
        Ok((began.elapsed().as_secs_f64(), steps, bears))
    }
}

use std::time::Instant;

use clap::Args;
use serde::Serialize;

use drystone_analysis::{Failure, words::count};
use drystone_mechanics::dynamics::{
    ExplicitSettings, Integrator, JointStiffness, Simulation, SimulationSettings, Start, TimeStep,
};
use drystone_model::{Model, recipes};

use super::{memory_mb, on_threads};
use crate::{CommandReport, Listener, reproduce::columns};

/// Explicit steps on the structures of paper 003 and on a large wall, beside the implicit method with the same joints
///
/// Joints have the same stiffness in both, motions are the same, and both run on as many threads. The wall is released from
/// uncompressed joints, without a peer: it shows what a contact costs in a short step, and what a second thread is good for.
#[derive(Args)]
pub struct ExplicitBench {
    /// Structures to measure [default: all]
    #[arg(long = "case", value_name = "CASE", value_parser = names())]
    cases: Vec<String>,
    /// Stiffness of joints (N/m3)
    #[arg(long, value_name = "K", default_value_t = ExplicitSettings::STIFFNESS)]
    stiffness: f64,
    /// Threads to measure with
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,2", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// Blocks of the wall, nearly
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(5..=1_000_000))]
    wall: u32,
    /// Leave the implicit method out
    #[arg(long)]
    no_peer: bool,
}

/// A structure and how it is shaken.
struct Case {
    name: &'static str,
    motion: &'static str,
    duration: f64,
    /// Steps of the implicit method: its time for a simulated second is scaled from these.
    peer_steps: u32,
}

const CASES: [Case; 3] = [
    Case {
        name: "spandrel-arch",
        motion: "sine:amplitude=0.36g,frequency=0.5,direction=-x",
        duration: 1.0,
        peer_steps: 1000,
    },
    Case {
        name: "stone-house",
        motion: "sine:amplitude=0.36g,frequency=0.5,direction=-y",
        duration: 1.0,
        peer_steps: 1000,
    },
    Case {
        name: "church",
        motion: "impulse:peak=1g,half_period=0.4,direction=-y",
        duration: 0.2,
        peer_steps: 3,
    },
];
const WALL: &str = "wall";

/// Time from one look at the structure to the next (s), and step of the implicit method (s).
const INTERVAL: f64 = 2e-3;
const PEER_DT: f64 = 1e-3;
/// Short steps of the wall.
const WALL_STEPS: u64 = 150;
/// Units of a course of the wall over its courses.
const LONG: f64 = 5.0;

fn names() -> [&'static str; 4] {
    [WALL, CASES[0].name, CASES[1].name, CASES[2].name]
}

#[derive(Serialize)]
struct Row {
    structure: &'static str,
    blocks: usize,
    threads: usize,
    contacts: usize,
    short_step_s: f64,
    short_steps: u64,
    simulated_s: f64,
    start_s: f64,
    wall_s_per_simulated_s: f64,
    /// Of whole steps, and of the loop over contacts and blocks in them.
    contact_step_ns: f64,
    loop_contact_step_ns: f64,
    detection_share: f64,
    /// Speed over that on one thread, over threads.
    efficiency: Option<f64>,
    implicit_start_s: Option<f64>,
    implicit_wall_s_per_simulated_s: Option<f64>,
    ratio: Option<f64>,
    energy_balance_error: f64,
    memory_mb: f64,
}

impl ExplicitBench {
    pub(crate) fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        let is_chosen = |name: &str| self.cases.is_empty() || self.cases.iter().any(|c| c == name);
        let mut rows: Vec<Row> = Vec::new();
        // The wall comes first: the most memory that was held is then its own.
        for name in names().into_iter().filter(|n| is_chosen(n)) {
            let case = CASES.iter().find(|c| c.name == name);
            let model = match case {
                Some(_) => recipes::find(name)
                    .and_then(|r| r.build_alone(&[]))
                    .map_err(Failure::run)?,
                None => self.wall()?,
            };
            for threads in self.threads.iter().map(|&n| usize::from(n)) {
                let blocks = count(model.blocks.len());
                listener.progress(&format!("{name}, {blocks} blocks, {threads} threads ..."));
                let mut row = on_threads(threads, || self.measure(case, &model, threads))??;
                let one = rows.iter().find(|r| r.structure == name && r.threads == 1);
                row.efficiency = one.map(|r| r.contact_step_ns / (row.contact_step_ns * threads as f64));
                rows.push(row);
            }
        }
        Ok(CommandReport::new(serde_json::json!({ "rows": rows }), text(&rows)))
    }

    /// A wall in running bond of nearly as many blocks as are asked for.
    fn wall(&self) -> Result<Model, Failure> {
        let courses = (f64::from(self.wall) / LONG).sqrt().round().max(1.0);
        let of = |name: &str, value: f64| (name.to_string(), value.to_string());
        recipes::find(WALL)
            .and_then(|r| r.build_alone(&[of("height", 0.25 * courses), of("length", 0.5 * LONG * courses)]))
            .map_err(Failure::input)
    }

    fn settings(&self, integrator: Integrator, dt: f64) -> SimulationSettings {
        SimulationSettings {
            integrator,
            time_step: TimeStep::Fixed(dt),
            stiffness: Some(JointStiffness {
                normal: self.stiffness,
                tangential: self.stiffness,
            }),
            ..SimulationSettings::default()
        }
    }

    /// Measures a case, or the wall where there is none.
    fn measure(&self, case: Option<&Case>, model: &Model, threads: usize) -> Result<Row, Failure> {
        let mut settings = self.settings(Integrator::Explicit(ExplicitSettings::default()), INTERVAL);
        if case.is_none() {
            settings.start = Start::Uncompressed;
        }
        let (mut simulation, start_s) = begun(case, model, settings)?;
        let is_over = |s: &Simulation| match case {
            Some(case) => s.state().time >= case.duration - 0.5 * INTERVAL,
            None => s.short_steps() >= WALL_STEPS,
        };
        let (mut whole, mut looped, mut detect, mut contact_steps, mut contacts) = (0.0, 0.0, 0.0, 0.0, 0);
        while !is_over(&simulation) {
            let began = Instant::now();
            let step = simulation.step().map_err(Failure::run)?;
            whole += began.elapsed().as_secs_f64();
            looped += step.times.solve_s;
            detect += step.times.detect_s;
            contact_steps += step.contacts as f64 * step.iterations as f64;
            contacts = contacts.max(step.contacts);
        }
        let state = simulation.state();
        let wall_s_per_simulated_s = whole / state.time;
        let (simulated_s, energy_balance_error) = (state.time, state.energies.balance_error());
        // Before the peer adds its own.
        let memory_mb = memory_mb();
        let peer = case.filter(|_| !self.no_peer);
        let peer = peer.map(|case| self.implicit(case, model)).transpose()?;
        Ok(Row {
            structure: case.map_or(WALL, |c| c.name),
            blocks: simulation.structure().free().count(),
            threads,
            contacts,
            short_step_s: simulation.stable_step().map_or(f64::NAN, |s| s.dt),
            short_steps: simulation.short_steps(),
            simulated_s,
            start_s,
            wall_s_per_simulated_s,
            contact_step_ns: 1e9 * whole / contact_steps,
            loop_contact_step_ns: 1e9 * looped / contact_steps,
            detection_share: detect / whole,
            efficiency: None,
            implicit_start_s: peer.map(|p| p.0),
            implicit_wall_s_per_simulated_s: peer.map(|p| p.1),
            ratio: peer.map(|p| p.1 / wall_s_per_simulated_s),
            energy_balance_error,
            memory_mb,
        })
    }

    /// Seconds that the implicit method takes to start, and for a simulated second.
    fn implicit(&self, case: &Case, model: &Model) -> Result<(f64, f64), Failure> {
        let (mut simulation, start_s) = begun(Some(case), model, self.settings(Integrator::Implicit, PEER_DT))?;
        let began = Instant::now();
        for _ in 0..case.peer_steps {
            simulation.step().map_err(Failure::run)?;
        }
        Ok((start_s, began.elapsed().as_secs_f64() / simulation.state().time))
    }
}

/// A simulation, and the seconds that it took to start.
fn begun(case: Option<&Case>, model: &Model, settings: SimulationSettings) -> Result<(Simulation, f64), Failure> {
    let motions: Vec<&str> = case.map(|c| c.motion).into_iter().collect();
    let began = Instant::now();
    let simulation = drystone_analysis::simulation(model, settings, &motions, &[])?;
    Ok((simulation, began.elapsed().as_secs_f64()))
}

fn text(rows: &[Row]) -> String {
    let mut cells = vec![
        [
            "structure",
            "blocks",
            "threads",
            "contacts",
            "short step",
            "short steps",
            "start",
            "1 s takes",
            "contact step",
            "its loop",
            "detection",
            "efficiency",
            "implicit, 1 s",
            "ratio",
            "balance",
            "memory",
        ]
        .map(str::to_string),
    ];
    for row in rows {
        let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_string());
        cells.push([
            row.structure.to_string(),
            count(row.blocks),
            row.threads.to_string(),
            count(row.contacts),
            format!("{:.1} us", 1e6 * row.short_step_s),
            count(row.short_steps as usize),
            format!("{:.2} s", row.start_s),
            format!("{:.2} s", row.wall_s_per_simulated_s),
            format!("{:.1} ns", row.contact_step_ns),
            format!("{:.1} ns", row.loop_contact_step_ns),
            format!("{:.1} %", 100.0 * row.detection_share),
            or(row.efficiency.map(|e| format!("{:.0} %", 100.0 * e))),
            or(row.implicit_wall_s_per_simulated_s.map(|s| format!("{s:.2} s"))),
            or(row.ratio.map(|r| format!("{r:.1}"))),
            format!("{:.0e}", row.energy_balance_error),
            format!("{:.0} MB", row.memory_mb),
        ]);
    }
    columns(&cells)
        + "\nSimulated seconds by both methods with the same joints: short explicit steps, and implicit steps of 1 ms with associated\n\
           friction. A contact step is the time of whole steps over contacts and short steps; its loop is without detection and\n\
           accounts. The church's implicit second is scaled from 3 steps. Memory is the most that the program held so far.\n"
}

//! Failure domains: which one-sine impulses bring a structure down (paper 003, section 4.5.2).

use std::collections::BTreeSet;

use drystone_analysis::{Failure, words::significant};
use drystone_model::{
    Motion, MotionQuantity,
    motion::{G, Impulse, ImpulseForm},
};
use glam::DVec3;
use serde_json::{Value, json};

use super::{
    Chart, Findings, Mark, Structure, Ways,
    intensities::{Tried, enclose, gone_round, has_collapsed},
    number,
};
use crate::{
    job::{Ask, Ground, Job, Outcomes, Task},
    spec::{FailureDomain, FrictionLaw, Search, SimulationSpec, Study},
    statistics::hull,
};

pub(super) struct Domain {
    domain: FailureDomain,
    simulation: SimulationSpec,
    structures: Vec<Structure>,
    half_periods: Vec<f64>,
    amplitudes: Vec<f64>,
}

/// Fewest time steps in half an impulse that can follow it.
const FEWEST_STEPS: f64 = 5.0;
/// The ways that the ground goes first.
const FORWARD: [(f64, &str); 2] = [(1.0, "+"), (-1.0, "-")];

impl Domain {
    pub(super) fn new(study: &Study, structures: &[Structure], notes: &mut Vec<String>) -> Result<Self, Failure> {
        let domain = study
            .failure_domain
            .clone()
            .ok_or_else(|| Failure::input("no failure domain"))?;
        let half_periods = domain.half_periods.ascending();
        let dt = study.simulation.dt();
        if let Some(shortest) = half_periods.first().filter(|t| **t < FEWEST_STEPS * dt) {
            notes.push(format!(
                "a half-period of {} s has fewer than {FEWEST_STEPS} time steps of {} s, which cannot follow such an impulse: take \
                 longer half-periods or a shorter simulation.dt",
                significant(*shortest),
                significant(dt)
            ));
        }
        Ok(Self {
            half_periods,
            amplitudes: domain.amplitudes_g.ascending(),
            domain,
            simulation: study.simulation.clone(),
            structures: structures.to_vec(),
        })
    }

    fn ways(&self) -> &[(f64, &'static str)] {
        match self.domain.both_directions {
            true => &FORWARD,
            false => &FORWARD[..1],
        }
    }

    /// One impulse.
    fn task(&self, structure: &Structure, (sign, way): (f64, &str), half_period: f64, amplitude: f64) -> Task {
        let duration = 2.0 * half_period + self.simulation.after;
        let impulse = Impulse {
            quantity: MotionQuantity::Acceleration,
            peak: sign * amplitude * G * self.domain.direction.unit(),
            duration: 2.0 * half_period,
            form: ImpulseForm::Whole,
            start: 0.0,
        };
        let ground = Ground::Motion(Motion::Impulse(impulse));
        let job = Job::time_history(&structure.spec, duration, ground, &self.simulation);
        let mut columns = structure.columns();
        columns.insert("direction".into(), json!(way));
        columns.insert("half_period_s".into(), json!(half_period));
        columns.insert("amplitude_g".into(), json!(amplitude));
        let label = format!("{way}{} g for {} s", significant(amplitude), significant(half_period));
        let group = format!("{} {way} {half_period}", structure.name);
        Task::new(
            group,
            structure.label(&label),
            duration / self.simulation.dt(),
            columns,
            job,
        )
    }

    /// The pseudo-static capacity.
    fn capacity_task(&self, structure: &Structure, (sign, way): (f64, &str)) -> Task {
        // The ground's acceleration pushes the structure the other way. Zero is added because -0 reads badly.
        let direction = DVec3::ZERO - sign * self.domain.direction.unit();
        let job = Job {
            model: structure.spec.clone(),
            // What acts during the impulses acts here.
            loads: self.simulation.loads.iter().map(|name| (name.clone(), 1.0)).collect(),
            tilt: None,
            ask: Ask::Limit {
                direction: Some(direction.to_array()),
                load: None,
                friction_law: FrictionLaw::Associated,
            },
        };
        let mut columns = structure.columns();
        columns.insert("direction".into(), json!(way));
        columns.insert("half_period_s".into(), Value::Null);
        columns.insert("amplitude_g".into(), Value::Null);
        let label = structure.label(&format!("capacity {way}"));
        Task::new(format!("{} capacity {way}", structure.name), label, 1.0, columns, job)
    }

    /// The impulses at one half-period that are wanted so far, each with its amplitude.
    fn column(&self, structure: &Structure, way: (f64, &str), half_period: f64, known: &Outcomes) -> Vec<(f64, Task)> {
        let task = |amplitude: f64| (amplitude, self.task(structure, way, half_period, amplitude));
        match self.domain.search {
            Search::Grid => self.amplitudes.iter().map(|a| task(*a)).collect(),
            Search::Boundary => {
                let mut taken = Vec::new();
                enclose(&self.amplitudes, self.domain.resolution_g, |amplitude| {
                    let (amplitude, task) = task(amplitude);
                    let tried = Tried::of(known.get(&task.id));
                    taken.push((amplitude, task));
                    tried
                });
                taken
            }
        }
    }

    /// How many runs of a structure failed that a search went round.
    fn failed(&self, structure: &Structure, known: &Outcomes) -> usize {
        let columns = self
            .ways()
            .iter()
            .flat_map(|way| self.half_periods.iter().map(move |t| (*way, *t)));
        let tasks = columns.flat_map(|(way, half_period)| self.column(structure, way, half_period, known));
        match self.domain.search {
            Search::Grid => 0,
            Search::Boundary => tasks
                .filter(|(_, task)| Tried::of(known.get(&task.id)) == Tried::Failed)
                .map(|(_, task)| task.id)
                .collect::<BTreeSet<_>>()
                .len(),
        }
    }

    /// What is known of all impulses of a structure.
    fn points(&self, structure: &Structure, known: &Outcomes) -> Vec<Point> {
        let mut points = Vec::new();
        for &way in self.ways() {
            for &half_period in &self.half_periods {
                for (amplitude, task) in self.column(structure, way, half_period, known) {
                    if let Some(collapsed) = known.get(&task.id).and_then(has_collapsed) {
                        points.push(Point {
                            way: way.1,
                            at: [half_period, amplitude],
                            collapsed,
                            run: task.id,
                        });
                    }
                }
            }
        }
        points
    }
}

struct Point {
    way: &'static str,
    at: [f64; 2],
    collapsed: bool,
    run: String,
}

impl Ways for Domain {
    fn tasks(&self, known: &Outcomes) -> Vec<Task> {
        let mut tasks = Vec::new();
        for structure in &self.structures {
            for &way in self.ways() {
                if self.domain.capacity {
                    tasks.push(self.capacity_task(structure, way));
                }
                for &half_period in &self.half_periods {
                    tasks.extend(
                        self.column(structure, way, half_period, known)
                            .into_iter()
                            .map(|(_, task)| task),
                    );
                }
            }
        }
        tasks
    }

    fn findings(&self, known: &Outcomes) -> Findings {
        let mut findings = Findings::default();
        let axes = ["half-period (s)", "amplitude (g)"];
        let longest = self.half_periods.last().copied().unwrap_or(0.0);
        let mut union = Chart::new(
            "failure-domains",
            "Failure domains: convex hulls of all impulses that bring it down",
            axes[0],
            axes[1],
        );
        let mut all = Vec::new();
        for (k, structure) in self.structures.iter().enumerate() {
            let points = self.points(structure, known);
            let name = if self.structures.len() == 1 {
                String::new()
            } else {
                format!("-{}", k + 1)
            };
            let mut chart = Chart::new(
                format!("failure-domain{name}"),
                structure.label("impulses that bring it down"),
                axes[0],
                axes[1],
            );
            let mut capacities = Vec::new();
            for &way in self.ways() {
                let of_way = |collapsed: bool| {
                    points
                        .iter()
                        .filter(move |p| p.way == way.1 && p.collapsed == collapsed)
                };
                let places = |collapsed: bool| of_way(collapsed).map(|p| p.at).collect();
                let runs = |collapsed: bool| of_way(collapsed).map(|p| p.run.clone()).collect();
                // Impulses of both directions are at the same places.
                let [falls, holds] = match (self.domain.both_directions, way.0 > 0.0) {
                    (false, _) => [Mark::Points; 2],
                    (true, true) => [Mark::FilledRight, Mark::HollowRight],
                    (true, false) => [Mark::FilledLeft, Mark::HollowLeft],
                };
                chart.add_runs(format!("collapse, {}", way.1), falls, places(true), runs(true));
                chart.add_runs(format!("stands, {}", way.1), holds, places(false), runs(false));
                let capacity = known
                    .get(&self.capacity_task(structure, way).id)
                    .and_then(|o| o.number("multiplier"));
                if let Some(capacity) = capacity {
                    chart.add(
                        format!("pseudo-static, {}", way.1),
                        Mark::Reference,
                        vec![[0.0, capacity], [longest, capacity]],
                    );
                }
                capacities.push(json!({ "direction": way.1, "capacity_g": capacity }));
            }
            let collapses: Vec<[f64; 2]> = points.iter().filter(|p| p.collapsed).map(|p| p.at).collect();
            let boundary = hull::boundary(&collapses);
            let outline = self.outline(&boundary);
            chart.add("convex hull", Mark::Line, outline.clone());
            let curve_name = if structure.name.is_empty() {
                "failure domain"
            } else {
                &structure.name
            };
            union.add(curve_name, Mark::Line, outline);
            let least = capacities
                .iter()
                .filter_map(|c| c["capacity_g"].as_f64())
                .fold(f64::INFINITY, f64::min);
            if least.is_finite() {
                union.add(
                    format!("pseudo-static, {curve_name}"),
                    Mark::Reference,
                    vec![[0.0, least], [longest, least]],
                );
            }
            let pockets = hull::safe_pockets(&stands(&points), &collapses);
            let conclusion = self.conclusion(&points, &boundary, least, pockets.len());
            let conclusion = conclusion + &gone_round(self.failed(structure, known));
            findings.conclusions.push(structure.label(&conclusion));
            all.push(json!({
                "variant": structure.name,
                "impulses": points.len(),
                "collapses": collapses.len(),
                "capacities": capacities,
                "boundary": boundary.iter().map(|[t, a]| json!({ "half_period_s": t, "amplitude_g": a })).collect::<Vec<_>>(),
                "lowest": self.lowest(&points),
                "safe_inside": pockets.len(),
            }));
            findings.charts.push(chart);
        }
        if self.structures.len() > 1 {
            findings.charts.insert(0, union);
        }
        findings.result.insert("domains".into(), Value::Array(all));
        findings
    }
}

fn stands(points: &[Point]) -> Vec<[f64; 2]> {
    points.iter().filter(|p| !p.collapsed).map(|p| p.at).collect()
}

impl Domain {
    /// A boundary as it is drawn: the domain goes on upwards from its beginning and to the right from its end.
    fn outline(&self, boundary: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let ([first, ..], [.., last]) = (boundary, boundary) else {
            return Vec::new();
        };
        let highest = self.amplitudes.last().copied().unwrap_or(0.0).max(first[1]);
        let longest = self.half_periods.last().copied().unwrap_or(0.0).max(last[0]);
        let mut outline = vec![[first[0], highest]];
        outline.extend(boundary);
        outline.push([longest, last[1]]);
        outline.dedup();
        outline
    }

    /// The lowest amplitude that brings it down at each half-period, by direction.
    fn lowest(&self, points: &[Point]) -> Value {
        let mut rows = Vec::new();
        for &(_, way) in self.ways() {
            for &half_period in &self.half_periods {
                let here = || points.iter().filter(|p| p.way == way && p.at[0] == half_period);
                let lowest = here()
                    .filter(|p| p.collapsed)
                    .map(|p| p.at[1])
                    .fold(f64::INFINITY, f64::min);
                let below = here()
                    .filter(|p| !p.collapsed && p.at[1] < lowest)
                    .map(|p| p.at[1])
                    .fold(0.0, f64::max);
                rows.push(json!({
                    "direction": way,
                    "half_period_s": half_period,
                    "collapses_at_g": number(lowest),
                    "stands_at_g": number(below),
                }));
            }
        }
        Value::Array(rows)
    }

    fn conclusion(&self, points: &[Point], boundary: &[[f64; 2]], least: f64, pockets: usize) -> String {
        let collapses = points.iter().filter(|p| p.collapsed).count();
        let mut text = format!("{collapses} of {} impulses bring it down", points.len());
        if let [.., [half_period, amplitude]] = boundary {
            text += &format!(
                ", the weakest of {} g with a half-period of {} s",
                significant(*amplitude),
                significant(*half_period)
            );
        }
        text.push('.');
        if least.is_finite() {
            text += &format!(" The pseudo-static capacity is {} g.", significant(least));
        }
        if pockets > 0 {
            text += &format!(
                " It withstood {pockets} impulses inside the convex hull, which counts as failure because the direction of the ground is not known in advance."
            );
        }
        text
    }
}

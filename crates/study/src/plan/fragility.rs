//! Fragility: how likely earthquakes of an intensity bring a structure down (paper 003, section 4.5.3).

use drystone_analysis::{Failure, words::significant};
use drystone_model::motion::record::Measure;
use serde_json::{Value, json};

use super::{
    Chart, Findings, Mark, Structure, Ways,
    intensities::{Enclosed, Tried, enclose, gone_round, has_collapsed},
    number,
};
use crate::{
    ground::{GroundMotion, measure_label, measure_unit, motions, text_of},
    job::{Ground, Job, Outcomes, Shared, Task, share},
    spec::{Fragility, FragilityMethod, SimulationSpec, Study},
    statistics::{
        bootstrap,
        error::InputError,
        fit, fragility as stripes,
        ida::{self, Capacity},
    },
};

/// Periods of response spectra, from and to (s), and how many.
const PERIODS: ([f64; 2], usize) = ([0.02, 4.0], 80);
/// Points of a fitted curve.
const POINTS: usize = 81;

pub(super) struct Suite {
    fragility: Fragility,
    measure: Measure,
    simulation: SimulationSpec,
    structures: Vec<Structure>,
    records: Vec<Scaled>,
    intensities: Vec<f64>,
    resolution: f64,
}

/// A record that is scaled.
struct Scaled {
    motion: GroundMotion,
    /// Its key among what runs share.
    key: String,
}

/// What is known of one stripe.
struct Stripe {
    intensity: f64,
    collapses: usize,
    runs: usize,
    wanted: usize,
}

impl Suite {
    pub(super) fn new(
        study: &Study,
        structures: &[Structure],
        shared: &mut Shared,
        notes: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        let fragility = study.fragility.clone().ok_or_else(|| Failure::input("no fragility"))?;
        let records: Vec<Scaled> = motions(study, &fragility, notes)?
            .into_iter()
            .map(|motion| Scaled {
                key: share(shared, text_of(&motion.record)),
                motion,
            })
            .collect();
        for (k, record) in records.iter().enumerate() {
            if let Some(twin) = records[..k].iter().find(|other| other.key == record.key) {
                notes.push(format!(
                    "`{}` is the same ground motion as `{}`: it counts twice",
                    record.motion.name, twin.motion.name
                ));
            }
        }
        let dt = study.simulation.dt();
        let finest = records.iter().map(|r| r.motion.record.dt).fold(f64::INFINITY, f64::min);
        // Rounding of either is not finer.
        if finest < 0.999 * dt {
            let finer = records.iter().filter(|r| r.motion.record.dt < 0.999 * dt).count();
            notes.push(format!(
                "{finer} of {} ground motions are sampled more finely (down to {} s) than the time steps of {} s",
                records.len(),
                significant(finest),
                significant(dt)
            ));
        }
        let intensities = fragility.intensities.ascending();
        let steps = intensities.windows(2).map(|w| w[1] - w[0]);
        let smallest = steps.fold(f64::INFINITY, f64::min).min(intensities[0]);
        Ok(Self {
            resolution: fragility.resolution.unwrap_or(0.1 * smallest),
            measure: fragility.measure,
            fragility,
            simulation: study.simulation.clone(),
            structures: structures.to_vec(),
            records,
            intensities,
        })
    }

    /// An intensity with its unit.
    fn words(&self, intensity: f64) -> String {
        format!("{} {}", significant(intensity), measure_unit(self.measure))
    }

    /// What a record is multiplied by to have an intensity.
    fn factor(&self, record: &Scaled, intensity: f64) -> f64 {
        // Both are positive, as was checked.
        self.measure.factor(record.motion.intensity, intensity).unwrap_or(0.0)
    }

    /// One record at one intensity.
    fn task(&self, structure: &Structure, record: &Scaled, intensity: f64) -> Task {
        let factor = self.factor(record, intensity);
        let duration = record.motion.record.duration() + self.simulation.after;
        let ground = Ground::Record {
            record: record.key.clone(),
            factor,
            start: 0.0,
        };
        let job = Job::time_history(&structure.spec, duration, ground, &self.simulation);
        let mut columns = structure.columns();
        columns.insert("record".into(), json!(record.motion.name));
        columns.insert("intensity".into(), json!(intensity));
        columns.insert("factor".into(), json!(factor));
        let label = format!(
            "{} at {} of {}",
            record.motion.name,
            self.words(intensity),
            self.measure.label()
        );
        let group = match (self.fragility.method, self.fragility.skip_decided) {
            // Which stripes are decided is known of all records only.
            (FragilityMethod::Stripes, true) => structure.name.clone(),
            (FragilityMethod::Stripes, false) => format!("{} {} {intensity}", structure.name, record.motion.name),
            (FragilityMethod::Incremental, _) => format!("{} {}", structure.name, record.motion.name),
        };
        // What comes down early costs less.
        let middle = self.intensities[self.intensities.len() / 2];
        let cost = duration / self.simulation.dt() / (1.0 + intensity / middle);
        Task::new(group, structure.label(&label), cost, columns, job)
    }

    /// The runs of a stripe.
    fn stripe_tasks(&self, structure: &Structure, intensity: f64) -> Vec<Task> {
        self.records
            .iter()
            .map(|record| self.task(structure, record, intensity))
            .collect()
    }

    fn stripe(&self, structure: &Structure, intensity: f64, known: &Outcomes) -> Stripe {
        let tasks = self.stripe_tasks(structure, intensity);
        let outcomes: Vec<bool> = tasks
            .iter()
            .filter_map(|task| has_collapsed(known.get(&task.id)?))
            .collect();
        Stripe {
            intensity,
            collapses: outcomes.iter().filter(|c| **c).count(),
            runs: outcomes.len(),
            // A run that failed is no longer waited for.
            wanted: tasks
                .iter()
                .filter(|task| known.get(&task.id).is_none_or(|o| has_collapsed(o).is_some()))
                .count(),
        }
    }

    /// Which stripes are wanted so far. Where decided ones are skipped: from the middle up to the first in which all collapse and
    /// down to the first in which none does.
    fn wanted_stripes(&self, structure: &Structure, known: &Outcomes) -> Vec<f64> {
        if !self.fragility.skip_decided {
            return self.intensities.clone();
        }
        let middle = self.intensities.len() / 2;
        let mut wanted = vec![self.intensities[middle]];
        let goes_on = |intensity: f64, is_decided: fn(&Stripe) -> bool| {
            let stripe = self.stripe(structure, intensity, known);
            // One of which every run failed decides nothing.
            stripe.runs == stripe.wanted && (stripe.runs == 0 || !is_decided(&stripe))
        };
        for k in middle..self.intensities.len() - 1 {
            if !goes_on(self.intensities[k], |s| s.collapses == s.runs) {
                break;
            }
            wanted.push(self.intensities[k + 1]);
        }
        for k in (1..=middle).rev() {
            if !goes_on(self.intensities[k], |s| s.collapses == 0) {
                break;
            }
            wanted.push(self.intensities[k - 1]);
        }
        wanted.sort_by(f64::total_cmp);
        wanted
    }

    /// The runs of one record of an incremental analysis, each with its intensity, and what they enclose.
    fn increments(&self, structure: &Structure, record: &Scaled, known: &Outcomes) -> (Vec<(f64, Task)>, Enclosed) {
        let mut taken = Vec::new();
        let enclosed = enclose(&self.intensities, self.resolution, |intensity| {
            let task = self.task(structure, record, intensity);
            let tried = Tried::of(known.get(&task.id));
            taken.push((intensity, task));
            tried
        });
        (taken, enclosed)
    }

    /// Response spectra of all records, scaled to an intensity of the study.
    fn spectra(&self) -> Chart {
        let ([from, to], count) = PERIODS;
        let last = (count - 1) as f64;
        let periods: Vec<f64> = (0..count)
            .map(|k| from * libm::pow(to / from, k as f64 / last))
            .collect();
        let intensity = self.intensities[self.intensities.len() / 2];
        let title = format!(
            "Response spectra (5 %) of {} ground motions at a {} of {}",
            self.records.len(),
            self.measure.label(),
            self.words(intensity)
        );
        let mut chart = Chart::new("spectra", title, "period (s)", "pseudo-acceleration (g)");
        chart.log_x = true;
        let mut all: Vec<Vec<f64>> = Vec::new();
        for record in &self.records {
            let factor = self.factor(record, intensity) / drystone_model::motion::G;
            // A record of displacements alone has none.
            for component in record.motion.record.spectrum(&periods, 0.05).unwrap_or_default() {
                all.push(component.iter().map(|a| factor * a).collect());
            }
        }
        for (k, spectrum) in all.iter().enumerate() {
            chart.add(
                if k == 0 { "each component" } else { "" },
                Mark::Faint,
                periods
                    .iter()
                    .copied()
                    .zip(spectrum.iter().copied())
                    .map(<[f64; 2]>::from)
                    .collect(),
            );
        }
        if all.is_empty() {
            return chart;
        }
        let middle = |k: usize| {
            let mut values: Vec<f64> = all.iter().map(|s| s[k]).collect();
            values.sort_by(f64::total_cmp);
            0.5 * (values[(values.len() - 1) / 2] + values[values.len() / 2])
        };
        chart.add(
            "median",
            Mark::Line,
            periods.iter().enumerate().map(|(k, t)| [*t, middle(k)]).collect(),
        );
        chart
    }

    /// Intensities of the points of a curve.
    fn curve_points(&self) -> Vec<f64> {
        let most = 1.3 * self.intensities.last().copied().unwrap_or(1.0);
        (0..POINTS).map(|k| most * k as f64 / (POINTS - 1) as f64).collect()
    }

    fn of_stripes(&self, structure: &Structure, known: &Outcomes, chart: &mut Chart, text: &mut String) -> Value {
        let wanted = self.wanted_stripes(structure, known);
        let found: Vec<Stripe> = wanted.iter().map(|x| self.stripe(structure, *x, known)).collect();
        let counted: Vec<stripes::Stripe> = found
            .iter()
            .filter(|s| s.runs > 0)
            .map(|s| stripes::Stripe {
                intensity: s.intensity,
                collapses: s.collapses,
                runs: s.runs,
            })
            .collect();
        let fractions: Vec<[f64; 2]> = counted
            .iter()
            .map(|s| [s.intensity, s.collapses as f64 / s.runs as f64])
            .collect();
        // Each point stands for all its runs.
        let runs = counted.iter().map(|s| {
            let tasks = self.stripe_tasks(structure, s.intensity);
            let ended = tasks
                .into_iter()
                .map(|task| task.id)
                .filter(|id| known.contains_key(id));
            ended.collect::<Vec<_>>().join(" ")
        });
        let runs = runs.collect();
        chart.add_runs(self.name(structure, "observed"), Mark::Points, fractions, runs);
        let fit = stripes::fit(&counted);
        self.draw(structure, &fit, "median", chart, text);
        let resample = |settings: &bootstrap::Settings| {
            let of_record = |record: &Scaled| {
                let outcome = |x: &f64| has_collapsed(known.get(&self.task(structure, record, *x).id)?);
                wanted.iter().map(outcome).collect()
            };
            let collapses: Vec<Vec<Option<bool>>> = self.records.iter().map(of_record).collect();
            bootstrap::bootstrap(&wanted, &collapses, settings)
        };
        let bands = self.bands(structure, &fit, resample, chart, text);
        let skipped: Vec<f64> = self
            .intensities
            .iter()
            .copied()
            .filter(|x| !wanted.contains(x))
            .collect();
        let waits = found.iter().any(|s| s.runs < s.wanted);
        if !skipped.is_empty() && !waits {
            *text += &format!(
                " Not run, because others decide them: {}; they do not count in the fit.",
                skipped.iter().map(|x| self.words(*x)).collect::<Vec<_>>().join(", ")
            );
        }
        json!({
            "variant": structure.name,
            "stripes": found.iter().map(|s| json!({
                "intensity": s.intensity, "collapses": s.collapses, "runs": s.runs, "of": self.records.len(),
            })).collect::<Vec<_>>(),
            "skipped": skipped,
            "fit": fit,
            "bands": bands,
        })
    }

    /// A fitted curve, drawn and told.
    fn draw(&self, structure: &Structure, fit: &fit::Fit, median: &str, chart: &mut Chart, text: &mut String) {
        let Some(estimate) = fit.estimate else {
            *text += &format!(" No fragility curve: {}.", fit.outcome);
            return;
        };
        let curve = estimate.curve;
        let points = self
            .curve_points()
            .into_iter()
            .map(|x| [x, curve.probability(x)])
            .collect();
        chart.add(self.name(structure, "fitted"), Mark::Line, points);
        *text += &format!(
            " Lognormal curve: {median} {} {}, dispersion {}.",
            significant(curve.theta),
            measure_unit(self.measure),
            significant(curve.beta)
        );
    }

    /// The name of a series of one structure among several.
    fn name(&self, structure: &Structure, what: &str) -> String {
        match structure.name.is_empty() {
            true => what.to_string(),
            false => format!("{what}, {}", structure.name),
        }
    }

    /// Confidence bands by resampling the records.
    fn bands(
        &self,
        structure: &Structure,
        fit: &fit::Fit,
        resample: impl FnOnce(&bootstrap::Settings) -> Result<bootstrap::Bootstrap, InputError>,
        chart: &mut Chart,
        text: &mut String,
    ) -> Value {
        if fit.estimate.is_none() || self.fragility.bootstrap == 0 || self.records.len() < 2 {
            return Value::Null;
        }
        let low = 0.5 * (1.0 - self.fragility.confidence);
        let settings = bootstrap::Settings {
            resamples: self.fragility.bootstrap,
            seed: self.fragility.seed,
            fractions: vec![low, 1.0 - low],
            intensities: self.curve_points().split_off(1),
        };
        let bands = match resample(&settings) {
            Ok(bands) => bands,
            Err(error) => return json!({ "error": error.to_string() }),
        };
        let percent = (100.0 * self.fragility.confidence).round();
        for k in 0..2 {
            let label = match k {
                0 => self.name(structure, &format!("{percent} % band")),
                _ => String::new(),
            };
            let points = bands
                .curve
                .iter()
                .filter_map(|p| Some([p.intensity, *p.probability.get(k)?]))
                .collect();
            chart.add(label, Mark::Dashed, points);
        }
        if let (&[theta_low, theta_high], &[beta_low, beta_high]) = (&bands.theta[..], &bands.beta[..]) {
            *text += &format!(
                " {percent} % bands: median {} to {}, dispersion {} to {}.",
                significant(theta_low),
                significant(theta_high),
                significant(beta_low),
                significant(beta_high)
            );
        }
        json!({
            "confidence": self.fragility.confidence,
            "theta": bands.theta.iter().map(|v| number(*v)).collect::<Vec<_>>(),
            "beta": bands.beta.iter().map(|v| number(*v)).collect::<Vec<_>>(),
            "resamples": self.fragility.bootstrap,
            "resamples_without_estimate": bands.outcomes.without_estimate(),
            "outcomes": bands.outcomes,
        })
    }

    fn of_increments(
        &self,
        structure: &Structure,
        known: &Outcomes,
        charts: &mut [Chart; 2],
        text: &mut String,
    ) -> Value {
        let mut capacities = Vec::new();
        let mut rows = Vec::new();
        let mut traces = Vec::new();
        let mut ends: Vec<(f64, String)> = Vec::new();
        let mut failed = 0;
        for record in &self.records {
            let (taken, enclosed) = self.increments(structure, record, known);
            let demand = |task: &Task| known.get(&task.id).and_then(|o| o.number("max_displacement_m"));
            let mut traced = vec![([0.0, 0.0], String::new())];
            for (intensity, task) in &taken {
                let stood = known.get(&task.id).and_then(has_collapsed) == Some(false);
                if let Some(demand) = demand(task).filter(|_| stood) {
                    traced.push(([demand, *intensity], task.id.clone()));
                }
            }
            traced.sort_by(|(a, _), (b, _)| a[1].total_cmp(&b[1]));
            let (points, runs): (Vec<[f64; 2]>, Vec<String>) = traced.into_iter().unzip();
            let name = if charts[1].series.is_empty() {
                "each ground motion"
            } else {
                ""
            };
            charts[1].add_runs(name, Mark::Faint, points.clone(), runs);
            let capacity = match (enclosed.stands, enclosed.collapses) {
                (stands, Some(falls)) => Some(Capacity::Between {
                    stands: stands.unwrap_or(0.0),
                    falls,
                }),
                (Some(stands), None) if enclosed.is_done => Some(Capacity::Above { stands }),
                _ => None,
            };
            traces.push(ida::Record {
                points: points.iter().map(|[demand, intensity]| [*intensity, *demand]).collect(),
                collapse: enclosed.collapses,
            });
            capacities.extend(capacity);
            let fatal = taken.iter().find(|(x, _)| Some(*x) == enclosed.collapses);
            ends.extend(fatal.map(|(x, task)| (*x, task.id.clone())));
            rows.push(json!({
                "record": record.motion.name,
                "stands_at": enclosed.stands,
                "collapses_at": enclosed.collapses,
                "failed_at": enclosed.failed,
                "done": enclosed.is_done,
            }));
            failed += enclosed.failed.len();
        }
        let fit = ida::fit(&capacities);
        self.draw(structure, &fit, "median intensity of collapse", &mut charts[0], text);
        let resample = |settings: &bootstrap::Settings| bootstrap::of_capacities(&capacities, settings);
        let bands = self.bands(structure, &fit, resample, &mut charts[0], text);
        *text += &gone_round(failed);
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all = self.records.len() as f64;
        let steps = ends
            .iter()
            .enumerate()
            .map(|(k, (x, _))| [*x, (k + 1) as f64 / all])
            .collect();
        let runs = ends.into_iter().map(|(_, run)| run).collect();
        charts[0].add_runs(self.name(structure, "records that collapse"), Mark::Points, steps, runs);
        let grid = self.curve_points().split_off(1);
        let fractiles = ida::demand_fractiles(&traces, &grid, &ida::FRACTIONS).unwrap_or_default();
        for (k, mark) in [Mark::Dashed, Mark::Line, Mark::Dashed].into_iter().enumerate() {
            let point = |p: &ida::DemandPoint| Some([*p.demand.get(k).filter(|d| d.is_finite())?, p.intensity]);
            let percent = (100.0 * ida::FRACTIONS[k]).round();
            charts[1].add(
                self.name(structure, &format!("{percent} %")),
                mark,
                fractiles.iter().filter_map(point).collect(),
            );
        }
        json!({ "variant": structure.name, "records": rows, "fit": fit, "bands": bands, "fractiles": fractiles })
    }
}

impl Ways for Suite {
    fn tasks(&self, known: &Outcomes) -> Vec<Task> {
        let mut tasks = Vec::new();
        for structure in &self.structures {
            match self.fragility.method {
                FragilityMethod::Stripes => {
                    for intensity in self.wanted_stripes(structure, known) {
                        tasks.extend(self.stripe_tasks(structure, intensity));
                    }
                }
                FragilityMethod::Incremental => {
                    for record in &self.records {
                        tasks.extend(
                            self.increments(structure, record, known)
                                .0
                                .into_iter()
                                .map(|(_, task)| task),
                        );
                    }
                }
            }
        }
        tasks
    }

    fn findings(&self, known: &Outcomes) -> Findings {
        let mut findings = Findings::default();
        let label = measure_label(self.measure);
        let mut curve = Chart::new(
            "fragility",
            "Probability of collapse",
            label.as_str(),
            "probability of collapse",
        );
        curve.y_range = Some([0.0, 1.0]);
        let ida = Chart::new(
            "incremental",
            "Largest displacement of each ground motion as it is scaled up",
            "largest displacement (m)",
            label.as_str(),
        );
        let mut charts = [curve, ida];
        let mut all = Vec::new();
        for structure in &self.structures {
            let mut text = String::new();
            all.push(match self.fragility.method {
                FragilityMethod::Stripes => self.of_stripes(structure, known, &mut charts[0], &mut text),
                FragilityMethod::Incremental => self.of_increments(structure, known, &mut charts, &mut text),
            });
            findings.conclusions.push(structure.label(text.trim()));
        }
        charts[1].faint_behind();
        findings.result.insert("measure".into(), json!(label));
        findings.result.insert("fragility".into(), Value::Array(all));
        findings.result.insert("ground_motions".into(), self.described());
        let used = if self.fragility.method == FragilityMethod::Incremental {
            2
        } else {
            1
        };
        findings.charts.extend(charts.into_iter().take(used));
        findings.charts.push(self.spectra());
        findings
    }
}

impl Suite {
    /// What is known of each ground motion.
    fn described(&self) -> Value {
        let one = |record: &Scaled| {
            let reports = record.motion.record.report();
            let largest = |of: &dyn Fn(&drystone_model::motion::record::RecordReport) -> Option<f64>| {
                reports
                    .iter()
                    .filter_map(of)
                    .fold(None, |most: Option<f64>, v| Some(most.map_or(v, |m| m.max(v))))
            };
            json!({
                "record": record.motion.name,
                "title": record.motion.record.title,
                "dt_s": record.motion.record.dt,
                "duration_s": record.motion.record.duration(),
                "pga_m_s2": largest(&|r| r.pga),
                "pgv_m_s": largest(&|r| Some(r.pgv)),
                "arias_m_s": largest(&|r| r.arias),
                "significant_duration_s": largest(&|r| r.significant_duration),
                "intensity": record.motion.intensity,
            })
        };
        self.records.iter().map(one).collect()
    }
}

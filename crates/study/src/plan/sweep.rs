//! Sweeps: how an answer depends on parameters.

use std::collections::{BTreeMap, BTreeSet};

use drystone_analysis::{
    Failure,
    words::{counted, listed, significant},
};
use drystone_model::{
    Model, Motion,
    motion::{parse, record::Record},
};
use serde_json::{Map, Value, json};

use super::{Chart, Findings, Mark, Structure, Ways, in_place, number};
use crate::{
    ground::text_of,
    job::{Ask, Base, Ground, Job, Outcome, Outcomes, Shared, Task, key_of, share},
    spec::{Analysis, Choices, Design, Direction, Parameter, SimulationSpec, Source, Study, Sweep},
    statistics::{
        sampling::{Placement, latin_hypercube},
        sensitivity::sensitivity,
    },
};

/// Most points of a sweep.
const MOST_POINTS: usize = 1_000_000;
/// Most curves of a chart.
const MOST_CURVES: usize = 10;

pub(super) struct Sweeping {
    sweep: Sweep,
    names: Vec<String>,
    quantity: String,
    structures: Vec<(Structure, Vec<Point>)>,
}

/// One point of a sweep of one structure.
struct Point {
    /// Values of the parameters.
    values: Vec<Value>,
    task: Task,
}

/// A point of a chart, and the run behind it.
type Place = ([f64; 2], String);

/// What a parameter changes.
enum Target {
    Friction,
    Density,
    Gravity,
    Young,
    Poisson,
    JointDistance,
    Recipe(String),
    Load(String),
    Tilt([f64; 3]),
    Motion(String),
    Field(String),
    Missing,
    Undersize,
    Dt,
    Stiffness,
}

impl Target {
    fn of(name: &str) -> Result<Self, Failure> {
        if let Some((kind, rest)) = name.split_once(':') {
            let rest_text = || rest.to_string();
            return match kind {
                "recipe" => Ok(Self::Recipe(rest_text())),
                "load" => Ok(Self::Load(rest_text())),
                "motion" => Ok(Self::Motion(rest_text())),
                "model" if rest.starts_with('/') => Ok(Self::Field(rest_text())),
                "model" => Err(Failure::input(format!(
                    "`{name}`: a JSON pointer begins with /, as in model:/blocks/3/density"
                ))),
                "tilt" => {
                    let axis = match rest
                        .split(',')
                        .map(|t| t.trim().parse::<f64>())
                        .collect::<Result<Vec<_>, _>>()
                    {
                        Ok(numbers) if numbers.len() == 3 => Direction::Vector([numbers[0], numbers[1], numbers[2]]),
                        _ => Direction::Axis(rest_text()),
                    };
                    let axis = axis.unit().to_array();
                    match axis == [0.0; 3] {
                        true => Err(Failure::input(format!(
                            "`{name}`: `{rest}` is no axis; as in tilt:y or tilt:0,1,0"
                        ))),
                        false => Ok(Self::Tilt(axis)),
                    }
                }
                _ => Err(unknown(name)),
            };
        }
        Ok(match name {
            "friction" => Self::Friction,
            "density" => Self::Density,
            "gravity" => Self::Gravity,
            "young" => Self::Young,
            "poisson" => Self::Poisson,
            "joint_distance" => Self::JointDistance,
            "missing" => Self::Missing,
            "undersize" => Self::Undersize,
            "dt" => Self::Dt,
            "stiffness" => Self::Stiffness,
            _ => return Err(unknown(name)),
        })
    }
}

fn unknown(name: &str) -> Failure {
    Failure::input(format!("there is no parameter `{name}`")).help(
        "there are friction, density, gravity, young, poisson, joint_distance, missing, undersize, dt, stiffness, recipe:NAME, \
         load:NAME, tilt:AXIS, motion:NAME and model:/PATH",
    )
}

impl Sweeping {
    pub(super) fn new(study: &Study, structures: &[Structure], shared: &mut Shared) -> Result<Self, Failure> {
        let sweep = study.sweep.clone().ok_or_else(|| Failure::input("no sweep"))?;
        let targets: Vec<Target> = sweep
            .parameters
            .iter()
            .map(|p| Target::of(&p.name))
            .collect::<Result<_, _>>()?;
        match &sweep.analysis {
            Analysis::Check { method } => drop(crate::job::way(method)?),
            Analysis::Tilt { method, .. } => drop(crate::job::method(method)?),
            Analysis::Limit { .. } | Analysis::Simulate { .. } => {}
        }
        let rows = rows(&sweep)?;
        let seeds = seeds(&sweep, &rows);
        let mut all = Vec::new();
        for structure in structures {
            let mut points = Vec::new();
            for (values, seed) in rows.iter().zip(&seeds) {
                let point = Setting::new(study, structure, *seed)
                    .with(&sweep.parameters, &targets, values)
                    .and_then(|setting| setting.task(study, &sweep, structure, values, shared));
                let task =
                    point.map_err(|failure| in_place(&failure, &structure.label(&words(&sweep.parameters, values))))?;
                points.push(Point {
                    values: values.clone(),
                    task,
                });
            }
            // One point at each end is built, and one with each set of missing blocks, so that what cannot be is told before hours
            // have passed.
            let mut seen = BTreeSet::new();
            let tried = points.iter().enumerate().filter(|(k, point)| {
                let missing = &point.task.job.model.missing;
                let is_new = seen.insert(missing) && !missing.is_empty();
                is_new || *k == 0 || k + 1 == points.len()
            });
            for (_, point) in tried {
                let job = &point.task.job;
                let built = job
                    .built(shared)
                    .and_then(|model| job.model.changes.changes().apply(&model))
                    .and_then(|model| has_load_cases(&model, job).and(has_free_blocks(&model)));
                built.map_err(|failure| in_place(&failure, &point.task.label))?;
            }
            all.push((structure.clone(), points));
        }
        Ok(Self {
            names: sweep.parameters.iter().map(|p| p.name.clone()).collect(),
            quantity: sweep
                .quantity
                .clone()
                .unwrap_or_else(|| first_quantity(&sweep.analysis).to_string()),
            sweep,
            structures: all,
        })
    }
}

/// Refuses load cases that a model does not have.
fn has_load_cases(model: &Model, job: &Job) -> Result<(), Failure> {
    let growing = match &job.ask {
        Ask::Limit { load, .. } => load.as_ref(),
        _ => None,
    };
    let named = job.loads.iter().map(|(name, _)| name).chain(growing);
    let unknown = named.into_iter().find(|name| !model.load_cases.contains_key(*name));
    let known = || match model.load_cases.is_empty() {
        true => "it has none".to_string(),
        false => format!("it has {}", listed(&model.load_cases.keys().collect::<Vec<_>>())),
    };
    unknown.map_or(Ok(()), |name| {
        Err(Failure::input(format!(
            "the model has no load case `{name}`; {}",
            known()
        )))
    })
}

/// Refuses models of which nothing could move.
fn has_free_blocks(model: &Model) -> Result<(), Failure> {
    match model.free_blocks().next() {
        Some(_) => Ok(()),
        None => Err(Failure::input("no block is left but supports: there is nothing to ask")
            .help("leave blocks that can move: fewer in `missing`, or fewer supports")),
    }
}

/// What is told of an analysis where nothing else is asked for.
fn first_quantity(analysis: &Analysis) -> &'static str {
    match analysis {
        Analysis::Check { .. } => "stands",
        Analysis::Limit { .. } => "multiplier",
        Analysis::Tilt { .. } => "critical_tilt_deg",
        Analysis::Simulate { .. } => "max_displacement_m",
    }
}

/// Values of all parameters at all points.
fn rows(sweep: &Sweep) -> Result<Vec<Vec<Value>>, Failure> {
    match sweep.design {
        Design::Grid => {
            let lists: Vec<Vec<Value>> = sweep.parameters.iter().map(choices).collect();
            let count = lists.iter().try_fold(1_usize, |n, list| n.checked_mul(list.len()));
            if count.is_none_or(|n| n > MOST_POINTS) {
                return Err(Failure::input(format!("a sweep of more than {MOST_POINTS} points"))
                    .help("take fewer values, or design = \"latin-hypercube\" with distributions"));
            }
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for list in &lists {
                rows = rows
                    .iter()
                    .flat_map(|row| {
                        list.iter()
                            .map(move |value| row.iter().chain([value]).cloned().collect())
                    })
                    .collect();
            }
            Ok(rows)
        }
        Design::LatinHypercube => {
            let units = latin_hypercube(sweep.samples, sweep.parameters.len(), sweep.seed, Placement::Random);
            let value = |(unit, parameter): (&f64, &Parameter)| {
                let distribution = parameter.distribution.as_ref();
                distribution.map_or(Value::Null, |d| number(d.at(*unit)))
            };
            Ok(units
                .iter()
                .map(|row| row.iter().zip(&sweep.parameters).map(value).collect())
                .collect())
        }
    }
}

/// The seed of the imperfections of each point: every one has its own, made of its values and not of its place, so that a study that
/// is extended keeps its points. The same values once more are another sample.
fn seeds(sweep: &Sweep, rows: &[Vec<Value>]) -> Vec<u64> {
    let mut copies: BTreeMap<String, usize> = BTreeMap::new();
    let mut seed = |values: &Vec<Value>| {
        let named: BTreeMap<&str, &Value> = sweep.parameters.iter().map(|p| p.name.as_str()).zip(values).collect();
        let point = json!([sweep.seed, named]).to_string();
        let copy = copies.entry(point.clone()).or_default();
        *copy += 1;
        let key = key_of(&format!("{point} {copy}"));
        u64::from_str_radix(key.get(..16).unwrap_or_default(), 16).unwrap_or(sweep.seed)
    };
    rows.iter().map(&mut seed).collect()
}

fn choices(parameter: &Parameter) -> Vec<Value> {
    match &parameter.values {
        Some(Choices::Numbers(numbers)) => numbers.all().into_iter().map(number).collect(),
        Some(Choices::Words(words)) => words.iter().map(|w| json!(w)).collect(),
        Some(Choices::Lists(lists)) => lists.iter().map(|l| json!(l)).collect(),
        None => Vec::new(),
    }
}

/// What is different at one point.
struct Setting {
    structure: Structure,
    fields: Vec<(String, Value)>,
    recipe: BTreeMap<String, Value>,
    loads: Vec<(String, f64)>,
    tilt: Option<([f64; 3], f64)>,
    words: BTreeMap<String, String>,
    simulation: SimulationSpec,
    seed: u64,
}

impl Setting {
    fn new(study: &Study, structure: &Structure, seed: u64) -> Self {
        Self {
            structure: structure.clone(),
            fields: Vec::new(),
            recipe: BTreeMap::new(),
            loads: Vec::new(),
            tilt: None,
            words: BTreeMap::new(),
            simulation: study.simulation.clone(),
            seed,
        }
    }

    fn with(mut self, parameters: &[Parameter], targets: &[Target], values: &[Value]) -> Result<Self, Failure> {
        for ((parameter, target), value) in parameters.iter().zip(targets).zip(values) {
            let bad = |what: &str| Failure::input(format!("`{}` must be {what}, and is {value}", parameter.name));
            let float = || value.as_f64().ok_or_else(|| bad("a number"));
            let spec = &mut self.structure.spec;
            match target {
                Target::Friction => spec.changes.friction = Some(float()?),
                Target::Density => spec.changes.density = Some(float()?),
                Target::Young => spec.changes.young = Some(float()?),
                Target::Poisson => spec.changes.poisson = Some(float()?),
                Target::JointDistance => spec.changes.joint_distance = Some(float()?),
                // Gravity that the study gives takes the place of the model's.
                Target::Gravity => match &mut spec.changes.gravity {
                    Some(gravity) => {
                        let factor = float()?;
                        *gravity = gravity.map(|g| factor * g);
                    }
                    None => spec.gravity_factor = Some(float()?),
                },
                Target::Undersize => {
                    let fraction = float()?;
                    if !(0.0..=0.5).contains(&fraction) {
                        return Err(bad("from 0 to 0.5"));
                    }
                    spec.undersize = Some((fraction, self.seed));
                }
                Target::Missing => {
                    spec.missing = match value {
                        Value::String(name) if name.is_empty() => Vec::new(),
                        Value::String(name) => vec![name.clone()],
                        Value::Array(names) => names.iter().filter_map(|n| n.as_str().map(String::from)).collect(),
                        _ => return Err(bad("the name of a block, or a list of names")),
                    };
                }
                Target::Recipe(name) => {
                    self.recipe.insert(name.clone(), value.clone());
                }
                Target::Field(pointer) => self.fields.push((pointer.clone(), value.clone())),
                Target::Load(name) => self.loads.push((name.clone(), float()?)),
                Target::Tilt(axis) => self.tilt = Some((*axis, float()?)),
                Target::Motion(name) => {
                    self.words.insert(name.clone(), crate::spec::plain(value));
                }
                Target::Dt => {
                    let dt = float()?;
                    if dt.is_nan() || dt <= 0.0 {
                        return Err(bad("above 0"));
                    }
                    self.simulation.dt = Some(dt);
                }
                Target::Stiffness => self.simulation.stiffness = Some([float()?; 2]),
            }
        }
        Ok(self)
    }

    fn task(
        mut self,
        study: &Study,
        sweep: &Sweep,
        structure: &Structure,
        values: &[Value],
        shared: &mut Shared,
    ) -> Result<Task, Failure> {
        if !self.recipe.is_empty() {
            let Source::Recipe(recipe) = structure.source.with(&self.recipe)? else {
                return Err(Failure::input(
                    "`recipe:NAME` changes a recipe, and the structure is a file",
                ));
            };
            self.structure.spec.base = Base::Recipe(recipe);
        }
        self.structure.spec.fields = std::mem::take(&mut self.fields);
        let mut cost = 1.0;
        let ask = match &sweep.analysis {
            Analysis::Check { method } => Ask::Check { method: method.clone() },
            Analysis::Limit {
                direction,
                load,
                friction_law,
            } => Ask::Limit {
                direction: direction.as_ref().map(|d| d.unit().to_array()),
                load: load.clone(),
                friction_law: *friction_law,
            },
            Analysis::Tilt { axis, method } => Ask::Tilt {
                axis: axis.unit().to_array(),
                method: method.clone(),
            },
            Analysis::Simulate { duration, motion } => {
                cost = duration / self.simulation.dt();
                let grounds = match motion {
                    None => Vec::new(),
                    Some(text) => self.grounds(text, study, shared)?,
                };
                Ask::Simulate {
                    duration: *duration,
                    grounds,
                    settings: self.simulation.clone(),
                }
            }
        };
        let is_dynamic = matches!(ask, Ask::Simulate { .. });
        for parameter in &sweep.parameters {
            let name = parameter.name.as_str();
            if !is_dynamic && (name.starts_with("motion:") || ["dt", "stiffness"].contains(&name)) {
                return Err(Failure::input(format!("`{name}` changes nothing but time histories")));
            }
        }
        let mut columns = structure.columns();
        for (parameter, value) in sweep.parameters.iter().zip(values) {
            columns.insert(parameter.name.clone(), value.clone());
        }
        let job = Job {
            model: self.structure.spec,
            loads: self.loads,
            tilt: self.tilt,
            ask,
        };
        let label = words(&sweep.parameters, values);
        let group = format!("{} {label}", structure.name);
        Ok(Task::new(group, structure.label(&label), cost, columns, job))
    }

    /// The motion of the supports, with its parameters put in.
    fn grounds(&self, text: &str, study: &Study, shared: &mut Shared) -> Result<Vec<Ground>, Failure> {
        let mut text = text.to_string();
        for (name, value) in &self.words {
            let place = format!("{{{name}}}");
            if !text.contains(&place) {
                return Err(Failure::input(format!(
                    "`motion:{name}` has no place: the motion `{text}` has no {place}"
                )));
            }
            text = text.replace(&place, value);
        }
        let motion = parse(&text).map_err(|e| Failure::input(format!("motion `{text}`: {e}")))?;
        let mut grounds = Vec::new();
        split(motion, study, shared, &mut grounds)?;
        Ok(grounds)
    }
}

/// Takes a motion apart into records, which are shared, and all others.
fn split(motion: Motion, study: &Study, shared: &mut Shared, grounds: &mut Vec<Ground>) -> Result<(), Failure> {
    match motion {
        Motion::Sum(parts) => {
            for part in parts {
                split(part, study, shared, grounds)?;
            }
        }
        Motion::Record(motion) => {
            let record: Record = motion.load(&study.folder).map_err(Failure::input)?;
            grounds.push(Ground::Record {
                record: share(shared, text_of(&record)),
                factor: 1.0,
                start: motion.start,
            });
        }
        other => grounds.push(Ground::Motion(other)),
    }
    Ok(())
}

/// The range of y where all values are one but for rounding: drawn from the least to the greatest they would look like a curve.
fn flat(chart: &Chart) -> Option<[f64; 2]> {
    let values = || chart.series.iter().flat_map(|s| &s.points).map(|p| p[1]);
    let (low, high) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    let size = low.abs().max(high.abs());
    let margin = if size > 0.0 { 0.1 * size } else { 1.0 };
    (high - low <= 1e-6 * size).then_some([low - margin, high + margin])
}

/// The values of a point, for people.
fn words(parameters: &[Parameter], values: &[Value]) -> String {
    let one = |(parameter, value): (&Parameter, &Value)| {
        let value = match value {
            Value::Number(n) => n.as_f64().map_or_else(|| n.to_string(), significant),
            Value::Array(all) => all.iter().map(crate::spec::plain).collect::<Vec<_>>().join("+"),
            other => crate::spec::plain(other),
        };
        format!("{} {value}", parameter.name)
    };
    parameters.iter().zip(values).map(one).collect::<Vec<_>>().join(", ")
}

impl Sweeping {
    /// The quantity of a run as a number.
    fn value(&self, outcome: &Outcome) -> Option<f64> {
        match outcome.result.get(&self.quantity)? {
            Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
            value => value.as_f64(),
        }
    }

    /// What is said where no run tells the quantity: failed runs have none, and others may never have it.
    fn nothing(&self, points: &[Point], known: &Outcomes) -> String {
        let outcomes: Vec<&Outcome> = points.iter().filter_map(|p| known.get(&p.task.id)).collect();
        let has_it = outcomes.iter().any(|o| o.result.contains_key(&self.quantity));
        let told: BTreeSet<&str> = outcomes
            .iter()
            .flat_map(|o| &o.result)
            .filter(|(_, value)| value.is_number() || value.is_boolean())
            .map(|(name, _)| name.as_str())
            .collect();
        match told.is_empty() || has_it {
            true => format!("No run tells `{}`.", self.quantity),
            false => {
                let told: Vec<&str> = told.into_iter().collect();
                format!(
                    "No run tells `{}`; sweep.quantity may be {}.",
                    self.quantity,
                    listed(&told)
                )
            }
        }
    }

    /// Names of the parameters that are numbers, by place.
    fn numeric(&self) -> Vec<usize> {
        let is_number = |k: &usize| {
            self.structures
                .iter()
                .all(|(_, points)| points.iter().all(|p| p.values[*k].is_number()))
        };
        (0..self.names.len()).filter(is_number).collect()
    }

    /// Charts of the quantity over each parameter that is a number.
    fn charts(&self, known: &Outcomes) -> Vec<Chart> {
        let label = self.quantity.replace('_', " ");
        let mut charts = Vec::new();
        for k in self.numeric() {
            let name = &self.names[k];
            let mut chart = Chart::new(
                format!("sweep-{}", k + 1),
                format!("{label} over {name}"),
                name.as_str(),
                label.as_str(),
            );
            let mut groups: Vec<(String, Vec<Place>)> = Vec::new();
            for (structure, points) in &self.structures {
                for point in points {
                    let Some(y) = known.get(&point.task.id).and_then(|o| self.value(o)) else {
                        continue;
                    };
                    let Some(x) = point.values[k].as_f64() else { continue };
                    let others: Vec<(&Parameter, &Value)> = match self.sweep.design {
                        Design::LatinHypercube => Vec::new(),
                        Design::Grid => {
                            let all = self.sweep.parameters.iter().zip(&point.values).enumerate();
                            all.filter(|(j, _)| *j != k).map(|(_, pair)| pair).collect()
                        }
                    };
                    let (parameters, values): (Vec<Parameter>, Vec<Value>) =
                        others.into_iter().map(|(p, v)| (p.clone(), v.clone())).unzip();
                    let series = structure
                        .label(&words(&parameters, &values))
                        .trim_end_matches(": ")
                        .to_string();
                    let place = ([x, y], point.task.id.clone());
                    match groups.iter_mut().find(|(name, _)| *name == series) {
                        Some((_, places)) => places.push(place),
                        None => groups.push((series, vec![place])),
                    }
                }
            }
            let are_few = groups.len() <= MOST_CURVES;
            for (name, mut places) in groups {
                places.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
                let (points, runs): (Vec<_>, Vec<_>) = places.into_iter().unzip();
                let is_curve = self.sweep.design == Design::Grid && are_few && points.len() > 1;
                if is_curve {
                    chart.add("", Mark::Reference, points.clone());
                }
                chart.add_runs(if are_few { name } else { String::new() }, Mark::Points, points, runs);
            }
            chart.y_range = flat(&chart);
            charts.push(chart);
        }
        charts
    }

    fn sensitivity(&self, points: &[Point], known: &Outcomes) -> Value {
        let numeric = self.numeric();
        let (mut inputs, mut output) = (Vec::new(), Vec::new());
        for point in points {
            let Some(outcome) = known.get(&point.task.id) else {
                continue;
            };
            inputs.push(numeric.iter().map(|k| point.values[*k].as_f64()).collect::<Vec<_>>());
            output.push(self.value(outcome));
        }
        if numeric.is_empty() || inputs.is_empty() {
            return Value::Null;
        }
        let names: Vec<&String> = numeric.iter().map(|k| &self.names[*k]).collect();
        match sensitivity(&inputs, &output) {
            Ok(found) => json!({ "parameters": names, "found": found }),
            Err(error) => json!({ "parameters": names, "error": error.to_string() }),
        }
    }
}

impl Ways for Sweeping {
    fn tasks(&self, _known: &Outcomes) -> Vec<Task> {
        self.structures
            .iter()
            .flat_map(|(_, points)| points.iter().map(|p| p.task.clone()))
            .collect()
    }

    fn findings(&self, known: &Outcomes) -> Findings {
        let mut findings = Findings {
            charts: self.charts(known),
            ..Findings::default()
        };
        let label = self.quantity.replace('_', " ");
        let mut all = Vec::new();
        for (structure, points) in &self.structures {
            let values: Vec<f64> = points
                .iter()
                .filter_map(|p| self.value(known.get(&p.task.id)?))
                .collect();
            let ended = points.iter().filter(|p| known.contains_key(&p.task.id)).count();
            let mut text = match (ended, values.len()) {
                (0, _) => "No run has ended yet.".to_string(),
                (_, 0) => self.nothing(points, known),
                (_, n) if self.quantity == "stands" => {
                    let stands = values.iter().filter(|v| **v == 1.0).count();
                    format!("It stands at {stands} of {}.", counted(n, "point"))
                }
                (_, n) => {
                    let [low, high] = [f64::INFINITY, f64::NEG_INFINITY];
                    let low = values.iter().copied().fold(low, f64::min);
                    let high = values.iter().copied().fold(high, f64::max);
                    let count = counted(n, "point");
                    match low == high {
                        true => format!("{label} {} at {count}.", significant(low)),
                        false => format!("{label} from {} to {} at {count}.", significant(low), significant(high)),
                    }
                }
            };
            if ended > values.len() && !values.is_empty() {
                text += &format!(" No {label} at {} more.", counted(ended - values.len(), "point"));
            }
            findings.conclusions.push(structure.label(&text));
            let rows: Vec<Value> = points
                .iter()
                .filter_map(|p| {
                    let outcome = known.get(&p.task.id)?;
                    let mut row = Map::new();
                    row.extend(self.names.iter().cloned().zip(p.values.iter().cloned()));
                    row.insert(
                        self.quantity.clone(),
                        outcome.result.get(&self.quantity).cloned().unwrap_or_default(),
                    );
                    row.insert("run".into(), json!(p.task.id));
                    Some(Value::Object(row))
                })
                .collect();
            all.push(
                json!({ "variant": structure.name, "points": rows, "sensitivity": self.sensitivity(points, known) }),
            );
        }
        findings.result.insert("quantity".into(), json!(self.quantity));
        findings.result.insert("sweep".into(), Value::Array(all));
        findings
    }
}

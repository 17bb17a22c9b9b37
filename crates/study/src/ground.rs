//! Ground motions of a study: read, made up, and as text that can be sent.

use drystone_analysis::Failure;
use drystone_model::motion::{
    G, MotionQuantity,
    record::{Component, Measure, ReadSettings, Record, RecordError, Suite},
};
use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::spec::{Fragility, Records, Study};

/// A ground motion that a study scales.
#[derive(Clone, Debug)]
pub struct GroundMotion {
    /// What it is called.
    pub name: String,
    /// The motion.
    pub record: Record,
    /// Its intensity, in the unit that study files give it in.
    pub intensity: f64,
}

/// A record as it is sent. Where it was read from is no part of it: the same motion is the same run in every folder, and on every
/// machine.
#[derive(Deserialize, Serialize)]
struct Sent {
    quantity: MotionQuantity,
    dt: f64,
    components: Vec<SentComponent>,
}

#[derive(Deserialize, Serialize)]
struct SentComponent {
    direction: DVec3,
    values: Vec<f64>,
}

/// The text of a record.
pub(crate) fn text_of(record: &Record) -> String {
    let sent = Sent {
        quantity: record.quantity,
        dt: record.dt,
        components: record
            .components
            .iter()
            .map(|c| SentComponent {
                direction: c.direction,
                values: c.values.clone(),
            })
            .collect(),
    };
    // Numbers of a record are finite: that cannot fail.
    serde_json::to_string(&sent).unwrap_or_default()
}

/// The record of a text.
pub(crate) fn record_of(text: &str) -> Result<Record, Failure> {
    let sent: Sent = serde_json::from_str(text).map_err(Failure::run)?;
    Ok(Record {
        file: String::new(),
        title: String::new(),
        quantity: sent.quantity,
        dt: sent.dt,
        first_time: 0.0,
        components: sent
            .components
            .into_iter()
            .map(|c| Component {
                name: String::new(),
                direction: c.direction,
                values: c.values,
            })
            .collect(),
    })
}

/// How many m/s² (of `pga` and `sa`) or m/s make up one unit of an intensity in study files.
pub(crate) fn unit_of(measure: Measure) -> f64 {
    match measure {
        Measure::Pga | Measure::Sa { .. } => G,
        Measure::Pgv | Measure::Arias => 1.0,
    }
}

/// The unit of an intensity in study files.
pub(crate) fn measure_unit(measure: Measure) -> &'static str {
    match measure {
        Measure::Pga | Measure::Sa { .. } => "g",
        Measure::Pgv | Measure::Arias => "m/s",
    }
}

/// The name of an intensity with its unit in study files.
pub(crate) fn measure_label(measure: Measure) -> String {
    format!("{} ({})", measure.label(), measure_unit(measure))
}

/// The ground motions of a fragility study. What cannot be read is named in `notes` where the study leaves it out.
pub(crate) fn motions(
    study: &Study,
    fragility: &Fragility,
    notes: &mut Vec<String>,
) -> Result<Vec<GroundMotion>, Failure> {
    let measure = fragility.measure;
    let (mut records, broken) = read(study, fragility)?;
    if !broken.is_empty() {
        let said: Vec<String> = broken.iter().map(ToString::to_string).collect();
        if !fragility.skip_broken {
            return Err(
                Failure::input(format!("records that cannot be read: {}", said.join("; "))).help(
                    "take them out of the folder, or set fragility.skip_broken = true: the result will name them",
                ),
            );
        }
        notes.push(format!("left out, because they cannot be read: {}", said.join("; ")));
    }
    if let Some(synthetic) = &fragility.synthetic {
        if !(1..=100_000).contains(&synthetic.count) {
            return Err(Failure::input(format!(
                "fragility.synthetic.count is {}; from 1 to 100,000",
                synthetic.count
            )));
        }
        for k in 0..synthetic.count {
            let mut one = synthetic.motion.clone();
            one.seed += k as u64;
            let record = one
                .generate()
                .map(|made| made.record)
                .map_err(|e| Failure::input(format!("fragility.synthetic: {e}")))?;
            records.push((format!("synthetic-{}", one.seed), record));
        }
    }
    let mut motions = Vec::new();
    for (name, mut record) in records {
        if let Some(direction) = &fragility.direction {
            match record.components.len() {
                1 => record.components[0].direction = direction.unit(),
                several => {
                    return Err(Failure::input(format!(
                        "{name} has {several} components, each with its direction; fragility.direction is for records with one"
                    )));
                }
            }
        }
        let intensity = record.measure(measure).map_err(Failure::input)? / unit_of(measure);
        if !(intensity > 0.0 && intensity.is_finite()) {
            return Err(Failure::input(format!(
                "{name}: its {} is {intensity}: it cannot be scaled",
                measure_label(measure)
            )));
        }
        motions.push(GroundMotion {
            name,
            record,
            intensity,
        });
    }
    if motions.is_empty() {
        return Err(Failure::input("fragility: no ground motions are left")
            .help("name records that can be read, or give `synthetic`"));
    }
    Ok(motions)
}

/// Records by name, and those that cannot be read.
type Named = (Vec<(String, Record)>, Vec<RecordError>);

fn read(study: &Study, fragility: &Fragility) -> Result<Named, Failure> {
    let settings = ReadSettings::default();
    match &fragility.records {
        None => Ok(Default::default()),
        Some(Records::Folder(folder)) => {
            let suite = Suite::read(&study.folder.join(folder), &settings).map_err(Failure::input)?;
            Ok((suite.records, suite.broken))
        }
        Some(Records::Files(files)) => {
            let (mut records, mut broken) = (Vec::new(), Vec::new());
            for file in files {
                match Record::read(&study.folder.join(file), &settings) {
                    Ok(record) => records.push((file.clone(), record)),
                    Err(error) => broken.push(error),
                }
            }
            Ok((records, broken))
        }
    }
}

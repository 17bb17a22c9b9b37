//! The short form of a motion on the command line: `sine:amplitude=0.2g,frequency=1,direction=x`.

use glam::DVec3;

use super::{
    Biphasic, G, Impulse, ImpulseForm, Motion, MotionQuantity, Ramp, RampForm, Ricker, RotationMotion, Sine,
    check::motion_problems,
    record::{Baseline, Envelope, Eurocode8, Ground, RecordMotion, RecordUnits, SpectrumShape, SyntheticMotion},
};
use crate::check::nearest;

/// What is wrong with the short form of a motion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("motion `{text}`: {what}")]
pub struct TextError {
    /// The text as given.
    pub text: String,
    /// What is wrong, with the field, the value and what is allowed.
    pub what: String,
}

const FUNCTIONS: [&str; 7] = ["sine", "impulse", "biphasic", "ramp", "ricker", "record", "synthetic"];

/// Reads the short form of a motion: `function:field=value,...` or `file:field=value,...`.
///
/// The fields are those of a model file, with `direction` (`x`, `-x`, `y`, `z` or three numbers) beside the one number
/// of an amplitude, a peak or a value; `frequency` and `phase` may stand for `frequency_hz` and `phase_deg`, and
/// `half_period` for half the `duration` of an impulse. Accelerations may be given in g: `0.2g`. With `pivot` it is a
/// turn about that point. Paths of records are as the command line means them.
pub fn parse(text: &str) -> Result<Motion, TextError> {
    let error = |what: String| TextError {
        text: text.to_owned(),
        what,
    };
    let motion = read(text.trim()).map_err(error)?;
    match motion_problems(&motion, "").into_iter().find(|p| p.is_error()) {
        Some(problem) => Err(error(format!(
            "{}: {}",
            problem.place.trim_start_matches('.'),
            problem.message
        ))),
        None => Ok(motion),
    }
}

/// Reads short forms that add up.
pub fn parse_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Motion, TextError> {
    let mut parts = texts
        .into_iter()
        .map(parse)
        .collect::<Result<Vec<Motion>, TextError>>()?;
    let only = if parts.len() == 1 { parts.pop() } else { None };
    Ok(only.unwrap_or(Motion::Sum(parts)))
}

fn read(text: &str) -> Result<Motion, String> {
    let (head, fields) = match text.rsplit_once(':') {
        // A colon without fields behind it belongs to a path, as in `C:\record.AT2`.
        Some((head, fields)) if fields.contains('=') || fields.trim().is_empty() => (head.trim(), fields),
        _ => (text, ""),
    };
    let mut fields = Fields::new(fields)?;
    let quantity = fields.quantity()?;
    let pivot = fields.take("pivot").map(|v| vector("pivot", &v)).transpose()?;
    let motion = match head {
        "sine" => Motion::Sine(Sine {
            quantity: quantity.unwrap_or_default(),
            amplitude: fields.along("amplitude", quantity)?,
            frequency_hz: fields.needed("frequency_hz", "frequency")?,
            phase_deg: fields.number("phase_deg", "phase")?.unwrap_or(0.0),
            start: fields.number("start", "start")?.unwrap_or(0.0),
            cycles: fields.number("cycles", "cycles")?,
            duration: fields.number("duration", "duration")?,
            centred: fields.yes("centred")?,
        }),
        "impulse" => Motion::Impulse(impulse(&mut fields, quantity)?),
        "biphasic" => {
            let peak = fields.along("peak", quantity)?;
            let default = Biphasic::new(peak, fields.needed("duration", "duration")?);
            Motion::Biphasic(Biphasic {
                quantity: quantity.unwrap_or_default(),
                ratio: fields.number("ratio", "ratio")?.unwrap_or(default.ratio),
                duration_ratio: fields
                    .number("duration_ratio", "duration_ratio")?
                    .unwrap_or(default.duration_ratio),
                start: fields.number("start", "start")?.unwrap_or(0.0),
                ..default
            })
        }
        "ramp" => Motion::Ramp(Ramp {
            quantity: quantity.unwrap_or_default(),
            to: fields.along("to", quantity)?,
            duration: fields.needed("duration", "duration")?,
            form: fields
                .word("form", &[("linear", RampForm::Linear), ("smooth", RampForm::Smooth)])?
                .unwrap_or_default(),
            start: fields.number("start", "start")?.unwrap_or(0.0),
        }),
        "ricker" => Motion::Ricker(Ricker {
            quantity: quantity.unwrap_or_default(),
            peak: fields.along("peak", quantity)?,
            frequency_hz: fields.needed("frequency_hz", "frequency")?,
            delay: fields.number("delay", "delay")?,
        }),
        "record" => {
            let path = fields.take("path").ok_or("field `path` is missing")?;
            Motion::Record(record(&path, &mut fields, quantity)?)
        }
        "synthetic" => Motion::Synthetic(synthetic(&mut fields, quantity)?),
        "" => {
            return Err(format!(
                "names no function and no file; functions are {}",
                FUNCTIONS.join(", ")
            ));
        }
        path if path.contains(['.', '/', '\\']) => Motion::Record(record(path, &mut fields, quantity)?),
        unknown => {
            let hint = nearest(unknown, FUNCTIONS)
                .map(|n| format!(" (did you mean `{n}`?)"))
                .unwrap_or_default();
            return Err(format!(
                "there is no function `{unknown}`{hint}; functions are {}, and anything with a dot or a slash is a file",
                FUNCTIONS.join(", ")
            ));
        }
    };
    fields.finish()?;
    Ok(match pivot {
        Some(pivot) => Motion::Rotation(RotationMotion {
            pivot,
            motion: Box::new(motion),
        }),
        None => motion,
    })
}

fn impulse(fields: &mut Fields, quantity: Option<MotionQuantity>) -> Result<Impulse, String> {
    let forms = [("whole", ImpulseForm::Whole), ("half", ImpulseForm::Half)];
    let form = fields.word("form", &forms)?.unwrap_or_default();
    let peak = fields.along("peak", quantity)?;
    let (duration, half) = (
        fields.number("duration", "duration")?,
        fields.number("half_period", "half_period")?,
    );
    let duration = match (duration, half, form) {
        (Some(_), Some(_), _) => return Err("both `duration` and `half_period` are given; give one of them".to_owned()),
        (Some(duration), None, _) => duration,
        (None, Some(half), ImpulseForm::Whole) => 2.0 * half,
        (None, Some(half), ImpulseForm::Half) => half,
        (None, None, _) => return Err("field `duration` or `half_period` is missing".to_owned()),
    };
    Ok(Impulse {
        quantity: quantity.unwrap_or_default(),
        peak,
        duration,
        form,
        start: fields.number("start", "start")?.unwrap_or(0.0),
    })
}

fn record(path: &str, fields: &mut Fields, quantity: Option<MotionQuantity>) -> Result<RecordMotion, String> {
    let baselines = [
        ("none", Baseline::None),
        ("mean", Baseline::Mean),
        ("linear", Baseline::Linear),
        ("quadratic", Baseline::Quadratic),
    ];
    let units = RecordUnits::ALL.map(|units| (units.name(), units));
    Ok(RecordMotion {
        direction: fields.direction()?,
        column: fields.take("column"),
        quantity,
        units: fields.word("units", &units)?,
        dt: fields.number("dt", "dt")?,
        start: fields.number("start", "start")?.unwrap_or(0.0),
        scale: fields.number("scale", "scale")?.unwrap_or(1.0),
        pga: fields.take("pga").map(|v| size("pga", &v, true)).transpose()?,
        baseline: fields.word("baseline", &baselines)?.unwrap_or_default(),
        taper: fields.number("taper", "taper")?.unwrap_or(0.0),
        high_pass_hz: fields.number("high_pass_hz", "high_pass")?,
        resample: fields.number("resample", "resample")?,
        ..RecordMotion::new(path)
    })
}

/// The response spectrum is given by its shape and ground type, `spectrum=1B`, and `ag`.
fn synthetic(fields: &mut Fields, quantity: Option<MotionQuantity>) -> Result<SyntheticMotion, String> {
    if let Some(other) = quantity.filter(|q| *q != MotionQuantity::Acceleration) {
        return Err(format!(
            "quantity: `{}` is not allowed; a synthetic motion is accelerations",
            other.name()
        ));
    }
    let default = SyntheticMotion::default();
    let seed = fields.take("seed").map(|v| {
        let seed = v.parse::<u64>();
        seed.map_err(|_| format!("seed: `{v}` is not allowed; must be a whole number from 0"))
    });
    let mut number = |name, short, default: f64| fields.number(name, short).map(|v| v.unwrap_or(default));
    let motion = SyntheticMotion {
        seed: seed.transpose()?.unwrap_or(default.seed),
        duration: number("duration", "duration", default.duration)?,
        dt: number("dt", "dt", default.dt)?,
        ground_frequency_hz: number("ground_frequency_hz", "ground_frequency", default.ground_frequency_hz)?,
        ground_damping: number("ground_damping", "ground_damping", default.ground_damping)?,
        high_pass_hz: number("high_pass_hz", "high_pass", default.high_pass_hz)?,
        high_pass_damping: number("high_pass_damping", "high_pass_damping", default.high_pass_damping)?,
        shortest_period: number("shortest_period", "shortest_period", default.shortest_period)?,
        longest_period: number("longest_period", "longest_period", default.longest_period)?,
        ..default
    };
    Ok(SyntheticMotion {
        pga: fields.take("pga").map(|v| size("pga", &v, true)).transpose()?,
        direction: fields.direction()?,
        envelope: Envelope {
            rise: fields.number("rise", "rise")?,
            strong: fields.number("strong", "strong")?,
            decay: fields.number("decay", "decay")?,
        },
        spectrum: eurocode8(fields)?,
        ..motion
    })
}

fn eurocode8(fields: &mut Fields) -> Result<Option<Eurocode8>, String> {
    let shapes = [("1", SpectrumShape::Type1), ("2", SpectrumShape::Type2)];
    let kinds = shapes.map(|(shape, s)| Ground::ALL.map(|ground| (format!("{shape}{}", ground.name()), (s, ground))));
    let kinds: Vec<(&str, (SpectrumShape, Ground))> = kinds.iter().flatten().map(|(k, v)| (k.as_str(), *v)).collect();
    let kind = fields.word("spectrum", &kinds)?;
    let ag = fields.take("ag").map(|v| size("ag", &v, true)).transpose()?;
    let damping = fields.number("damping", "damping")?;
    match (kind, ag) {
        (Some((shape, ground)), Some(ag)) => {
            let default = Eurocode8::new(ag);
            Ok(Some(Eurocode8 {
                shape,
                ground,
                damping: damping.unwrap_or(default.damping),
                ..default
            }))
        }
        (None, None) if damping.is_none() => Ok(None),
        (Some(_), None) => Err("field `ag` is missing: the design ground acceleration of the spectrum".to_owned()),
        _ => Err("field `spectrum` is missing: the shape and ground type, such as 1B".to_owned()),
    }
}

/// Fields that are given, and the names of those that were asked for.
struct Fields {
    given: Vec<(String, String)>,
    known: Vec<&'static str>,
}

impl Fields {
    fn new(text: &str) -> Result<Self, String> {
        let mut given: Vec<(String, String)> = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let Some((key, value)) = part.split_once('=') else {
                // A number of a vector: `direction=1,0,0`.
                match given.last_mut() {
                    Some((_, value)) => value.push_str(&format!(",{}", part.trim())),
                    None => {
                        return Err(format!(
                            "`{}` is not a field with a value; write field=value",
                            part.trim()
                        ));
                    }
                }
                continue;
            };
            if given.iter().any(|(known, _)| known == key.trim()) {
                return Err(format!("field `{}` is given twice", key.trim()));
            }
            given.push((key.trim().to_owned(), value.trim().to_owned()));
        }
        Ok(Self {
            given,
            known: Vec::new(),
        })
    }

    fn take(&mut self, name: &'static str) -> Option<String> {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
        let at = self.given.iter().position(|(key, _)| key == name)?;
        Some(self.given.remove(at).1)
    }

    /// A number under its name in files or a shorter one.
    fn number(&mut self, name: &'static str, short: &'static str) -> Result<Option<f64>, String> {
        let (long, other) = (self.take(name), if short == name { None } else { self.take(short) });
        match (long, other) {
            (Some(_), Some(_)) => Err(format!("`{name}` and `{short}` are the same field; give one of them")),
            (Some(value), None) => number(name, &value).map(Some),
            (None, Some(value)) => number(short, &value).map(Some),
            (None, None) => Ok(None),
        }
    }

    fn needed(&mut self, name: &'static str, short: &'static str) -> Result<f64, String> {
        self.number(name, short)?
            .ok_or_else(|| format!("field `{short}` is missing"))
    }

    fn word<T: Copy>(&mut self, name: &'static str, words: &[(&str, T)]) -> Result<Option<T>, String> {
        let Some(given) = self.take(name) else {
            return Ok(None);
        };
        let found = words.iter().find(|(word, _)| *word == given).map(|(_, value)| *value);
        found.map(Some).ok_or_else(|| {
            let allowed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            format!(
                "{name}: `{given}` is not allowed; must be one of {}",
                allowed.join(", ")
            )
        })
    }

    fn yes(&mut self, name: &'static str) -> Result<bool, String> {
        let words = [("yes", true), ("true", true), ("no", false), ("false", false)];
        Ok(self.word(name, &words)?.unwrap_or(false))
    }

    fn quantity(&mut self) -> Result<Option<MotionQuantity>, String> {
        use MotionQuantity::{Acceleration, Displacement, Velocity};
        self.word(
            "quantity",
            &[Acceleration, Velocity, Displacement].map(|q| (q.name(), q)),
        )
    }

    fn direction(&mut self) -> Result<Option<DVec3>, String> {
        self.take("direction").map(|v| direction(&v)).transpose()
    }

    /// A size and a direction, x where none is given.
    fn along(&mut self, name: &'static str, quantity: Option<MotionQuantity>) -> Result<DVec3, String> {
        let direction = self.direction()?.unwrap_or(DVec3::X);
        let value = self.take(name).ok_or_else(|| format!("field `{name}` is missing"))?;
        let in_g = quantity.unwrap_or_default() == MotionQuantity::Acceleration;
        Ok(size(name, &value, in_g)? * direction)
    }

    /// An error if fields are left that nothing asked for.
    fn finish(self) -> Result<(), String> {
        let Some((key, _)) = self.given.first() else {
            return Ok(());
        };
        let hint = nearest(key, self.known.iter().copied()).map(|n| format!(" (did you mean `{n}`?)"));
        Err(format!(
            "unknown field `{key}`{}; known here: {}",
            hint.unwrap_or_default(),
            self.known.join(", ")
        ))
    }
}

fn number(name: &str, text: &str) -> Result<f64, String> {
    let bare = text
        .strip_suffix("Hz")
        .or_else(|| text.strip_suffix('s'))
        .unwrap_or(text)
        .trim();
    match bare.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("{name}: `{text}` is not a finite number")),
    }
}

/// A size, for accelerations also in g.
fn size(name: &str, text: &str, in_g: bool) -> Result<f64, String> {
    let bare = text.strip_suffix('g').map(|bare| number(name, bare.trim()));
    match bare {
        Some(Ok(value)) if in_g => Ok(value * G),
        Some(Ok(_)) => Err(format!(
            "{name}: `{text}` is in g, which is for accelerations; give a number in SI units"
        )),
        _ => number(name, text),
    }
}

fn direction(text: &str) -> Result<DVec3, String> {
    let (sign, axis) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match axis {
        "x" => Ok(sign * DVec3::X),
        "y" => Ok(sign * DVec3::Y),
        "z" => Ok(sign * DVec3::Z),
        _ => {
            let allowed = || {
                format!("direction: `{text}` is not allowed; must be x, -x, y, -y, z, -z or three numbers, not all 0")
            };
            vector("direction", text)
                .ok()
                .and_then(|v| v.try_normalize())
                .ok_or_else(allowed)
        }
    }
}

fn vector(name: &str, text: &str) -> Result<DVec3, String> {
    let parts = text.split([',', ' ']).filter(|p| !p.is_empty());
    let numbers = parts.map(|p| number(name, p)).collect::<Result<Vec<f64>, String>>()?;
    match numbers[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err(format!("{name}: `{text}` is not allowed; must be three numbers")),
    }
}

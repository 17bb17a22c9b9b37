//! From what a model file says to functions of time.

use std::{f64::consts::PI, path::PathBuf};

use glam::DVec3;

use super::{
    Biphasic, Impulse, ImpulseForm, Motion, MotionError, MotionQuantity, Ramp, RampForm, Ricker, Sine, Trajectory,
    check::motion_problems,
    curve::{Curve, Shape},
    record::Record,
    trajectory::Term,
};

/// What a motion needs to know of its surroundings to be compiled.
#[derive(Clone, Debug, PartialEq)]
pub struct CompileSettings {
    /// Folder from which paths of records are taken: that of the model file. Default: the current one.
    pub folder: PathBuf,
    /// How long a settlement takes where time matters (s). Default 1.
    pub settlement_duration: f64,
}

impl Default for CompileSettings {
    fn default() -> Self {
        Self {
            folder: PathBuf::new(),
            settlement_duration: 1.0,
        }
    }
}

impl Motion {
    /// The motion as a function of time. Reads the files of records.
    pub fn compile(&self, settings: &CompileSettings) -> Result<Trajectory, MotionError> {
        let problems = motion_problems(self, "motion");
        if let Some(problem) = problems.into_iter().find(|p| p.is_error()) {
            return Err(MotionError::value(problem.place, problem.message));
        }
        if !(settings.settlement_duration > 0.0 && settings.settlement_duration.is_finite()) {
            let what = format!("{} is not allowed; must be above 0", settings.settlement_duration);
            return Err(MotionError::value("settlement_duration", what));
        }
        let mut trajectory = Trajectory::default();
        add(self, settings, &mut trajectory)?;
        Ok(trajectory)
    }
}

impl Record {
    /// The record as a motion whose first value comes at a time (s). Before it and after its last value there is no acceleration.
    pub fn trajectory(&self, start: f64) -> Trajectory {
        let mut trajectory = Trajectory::default();
        add_terms(record_terms(start, self), &mut trajectory);
        trajectory
    }
}

fn add(motion: &Motion, settings: &CompileSettings, into: &mut Trajectory) -> Result<(), MotionError> {
    match motion {
        Motion::Sum(parts) => parts.iter().try_for_each(|part| add(part, settings, into)),
        Motion::Rotation(rotation) => {
            let mut inner = Trajectory::default();
            add(&rotation.motion, settings, &mut inner)?;
            let (terms, notes) = inner.into_translation();
            notes.into_iter().for_each(|note| into.note(note));
            into.turn(rotation.pivot, terms)
                .map_err(|what| MotionError::value("motion.rotation.pivot", what))
        }
        Motion::Record(motion) => {
            let record = motion.load(&settings.folder)?;
            if record.first_time != 0.0 {
                let (told, taken) = (record.first_time, motion.start);
                into.note(format!(
                    "{}: its times start at {told} s; its first value is taken at {taken} s (`start` sets that)",
                    motion.path
                ));
            }
            add_terms(record_terms(motion.start, &record), into);
            Ok(())
        }
        Motion::Synthetic(motion) => {
            add_terms(record_terms(0.0, &motion.generate()?.record), into);
            Ok(())
        }
        _ => {
            add_terms(terms(motion, settings), into);
            Ok(())
        }
    }
}

fn add_terms(terms: Vec<Term>, into: &mut Trajectory) {
    let start: DVec3 = terms.iter().map(Term::start).sum();
    // Functions are counted from their start already, to rounding.
    if start.length() > 1e-12 {
        let [x, y, z] = start.to_array();
        into.note(format!(
            "a displacement starts at [{x}, {y}, {z}]: it is counted from there, because supports start where the model has \
             them"
        ));
    }
    into.translate(terms);
}

fn terms(motion: &Motion, settings: &CompileSettings) -> Vec<Term> {
    match motion {
        Motion::Table {
            quantity,
            times,
            values,
        } => table(*quantity, times, values),
        Motion::Settlement { translation } => vec![settlement(*translation, settings.settlement_duration)],
        Motion::Sine(sine) => vec![self::sine(sine)],
        Motion::Impulse(impulse) => vec![self::impulse(impulse)],
        Motion::Biphasic(biphasic) => vec![self::biphasic(biphasic)],
        Motion::Ramp(ramp) => vec![self::ramp(ramp)],
        Motion::Ricker(ricker) => vec![self::ricker(ricker)],
        // All of these are taken apart by the caller.
        Motion::Sum(_) | Motion::Rotation(_) | Motion::Record(_) | Motion::Synthetic(_) => Vec::new(),
    }
}

fn table(quantity: MotionQuantity, times: &[f64], values: &[DVec3]) -> Vec<Term> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let moving = (0..3).filter(|&axis| values.iter().any(|v| v[axis] != 0.0));
    let term = |axis: usize| {
        let [first, last] = [values.first(), values.last()].map(|v| Shape::constant(v.map_or(0.0, |v| v[axis])));
        let curve = Curve::through(times, |k| values[k][axis], first, last);
        Term::new(axes[axis], quantity, curve)
    };
    moving.map(term).collect()
}

fn settlement(translation: DVec3, duration: f64) -> Term {
    let pieces = [
        (0.0, Shape::smooth_step(0.0, 1.0, duration)),
        (duration, Shape::constant(1.0)),
    ];
    Term::new(translation, MotionQuantity::Displacement, Curve::new(pieces))
}

fn sine(sine: &Sine) -> Term {
    let omega = 2.0 * PI * sine.frequency_hz;
    // Without drift an acceleration is the second derivative of a sine displacement.
    let centred = sine.centred && sine.quantity == MotionQuantity::Acceleration;
    let (quantity, axis) = if centred {
        (MotionQuantity::Displacement, -sine.amplitude / (omega * omega))
    } else {
        (sine.quantity, sine.amplitude)
    };
    let phase = sine.phase_deg.to_radians();
    let is_displacement = quantity == MotionQuantity::Displacement;
    let shape = Shape::Sine {
        amplitude: 1.0,
        omega,
        phase,
        offset: if is_displacement { -phase.sin() } else { 0.0 },
    };
    let mut pieces = vec![(sine.start, shape)];
    if let Some(end) = sine.end() {
        let kept = shape.jet(end - sine.start).value;
        pieces.push((
            end,
            if is_displacement {
                Shape::constant(kept)
            } else {
                Shape::ZERO
            },
        ));
    }
    Term::new(axis, quantity, Curve::new(pieces))
}

fn impulse(impulse: &Impulse) -> Term {
    let cycle = match impulse.form {
        ImpulseForm::Whole => 2.0 * PI,
        ImpulseForm::Half => PI,
    };
    let shape = Shape::Sine {
        amplitude: 1.0,
        omega: cycle / impulse.duration,
        phase: 0.0,
        offset: 0.0,
    };
    let pieces = [(impulse.start, shape), (impulse.start + impulse.duration, Shape::ZERO)];
    Term::new(impulse.peak, impulse.quantity, Curve::new(pieces))
}

fn biphasic(b: &Biphasic) -> Term {
    let turn = b.start + b.duration;
    let pieces = [
        (b.start, Shape::constant(1.0)),
        (turn, Shape::constant(-b.ratio)),
        (turn + b.duration_ratio * b.duration, Shape::ZERO),
    ];
    Term::new(b.peak, b.quantity, Curve::new(pieces))
}

/// The pieces of a ramp between two values.
pub(super) fn ramp_pieces(from: f64, to: f64, start: f64, duration: f64, form: RampForm) -> [(f64, Shape); 2] {
    let rise = match form {
        RampForm::Linear => Shape::linear(from, (to - from) / duration),
        RampForm::Smooth => Shape::smooth_step(from, to, duration),
    };
    [(start, rise), (start + duration, Shape::constant(to))]
}

fn ramp(ramp: &Ramp) -> Term {
    let pieces = ramp_pieces(0.0, 1.0, ramp.start, ramp.duration, ramp.form);
    Term::new(ramp.to, ramp.quantity, Curve::new(pieces))
}

fn ricker(ricker: &Ricker) -> Term {
    let shape = |offset| Shape::ricker(1.0, ricker.frequency_hz, ricker.peak_time(), offset);
    let offset = match ricker.quantity {
        MotionQuantity::Displacement => -shape(0.0).jet(0.0).value,
        MotionQuantity::Velocity | MotionQuantity::Acceleration => 0.0,
    };
    // Three periods after its peak a wavelet is 1e-37 of it.
    let end = ricker.peak_time() + 3.0 / ricker.frequency_hz;
    let pieces = [(0.0, shape(offset)), (end, Shape::constant(offset))];
    Term::new(ricker.peak, ricker.quantity, Curve::new(pieces))
}

fn record_terms(start: f64, record: &Record) -> Vec<Term> {
    let count = record.components.first().map_or(0, |c| c.values.len());
    // Each time from its number, so that no rounding adds up.
    let times: Vec<f64> = (0..count).map(|k| start + k as f64 * record.dt).collect();
    let term = |component: &super::record::Component| {
        let ends = [component.values.first(), component.values.last()];
        let [before, after] = match record.quantity {
            MotionQuantity::Displacement => ends.map(|v| Shape::constant(v.copied().unwrap_or_default())),
            MotionQuantity::Velocity | MotionQuantity::Acceleration => [Shape::ZERO; 2],
        };
        let curve = Curve::through(&times, |k| component.values[k], before, after);
        Term::new(component.direction, record.quantity, curve)
    };
    record.components.iter().map(term).collect()
}

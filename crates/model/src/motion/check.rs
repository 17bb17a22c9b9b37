//! What is wrong with a motion or a history that can be said without reading a record.

use glam::DVec3;

use super::{
    History, Motion, MotionQuantity, RotationMotion,
    record::{MOST_POINTS, RecordMotion, SyntheticMotion},
};
use crate::check::{
    ModelProblem,
    ranges::{self, Range},
    shown, shown_list,
};

/// Everything that is wrong with a motion; `place` is where it stands.
pub(crate) fn motion_problems(motion: &Motion, place: &str) -> Vec<ModelProblem> {
    let mut check = Check::default();
    check.motion(motion, place, false);
    check.found
}

/// Everything that is wrong with a history; `place` is where it stands.
pub(crate) fn history_problems(history: &History, place: &str) -> Vec<ModelProblem> {
    let mut check = Check::default();
    check.history(history, place);
    check.found
}

#[derive(Default)]
struct Check {
    found: Vec<ModelProblem>,
    /// The pivot of turns seen so far.
    pivot: Option<DVec3>,
}

impl Check {
    fn motion(&mut self, motion: &Motion, place: &str, in_rotation: bool) {
        match motion {
            Motion::Settlement { translation } => self.vector(&format!("{place}.settlement"), *translation),
            Motion::Table {
                quantity,
                times,
                values,
            } => self.motion_table(*quantity, times, values, &format!("{place}.table")),
            Motion::Sine(sine) => {
                let place = format!("{place}.sine");
                self.vector(&format!("{place}.amplitude"), sine.amplitude);
                self.above_zero(&format!("{place}.frequency_hz"), sine.frequency_hz);
                self.finite(&format!("{place}.phase_deg"), sine.phase_deg);
                self.zero_or_above(&format!("{place}.start"), sine.start);
                self.optional(&format!("{place}.cycles"), sine.cycles);
                self.optional(&format!("{place}.duration"), sine.duration);
                if sine.cycles.is_some() && sine.duration.is_some() {
                    self.say(
                        format!("{place}.duration"),
                        "both `cycles` and `duration` are given; give one of them",
                    );
                }
                if sine.centred && sine.quantity != MotionQuantity::Acceleration {
                    let what = format!(
                        "is for accelerations; a sine of {} does not drift",
                        sine.quantity.name()
                    );
                    self.say(format!("{place}.centred"), what);
                }
            }
            Motion::Impulse(impulse) => {
                let place = format!("{place}.impulse");
                self.vector(&format!("{place}.peak"), impulse.peak);
                self.above_zero(&format!("{place}.duration"), impulse.duration);
                self.zero_or_above(&format!("{place}.start"), impulse.start);
            }
            Motion::Biphasic(biphasic) => {
                let place = format!("{place}.biphasic");
                self.vector(&format!("{place}.peak"), biphasic.peak);
                self.above_zero(&format!("{place}.duration"), biphasic.duration);
                self.zero_or_above(&format!("{place}.ratio"), biphasic.ratio);
                self.above_zero(&format!("{place}.duration_ratio"), biphasic.duration_ratio);
                self.zero_or_above(&format!("{place}.start"), biphasic.start);
                if biphasic.quantity == MotionQuantity::Displacement {
                    let what = "`displacement` would jump; must be `acceleration` or `velocity`";
                    self.say(format!("{place}.quantity"), what);
                }
            }
            Motion::Ramp(ramp) => {
                let place = format!("{place}.ramp");
                self.vector(&format!("{place}.to"), ramp.to);
                self.above_zero(&format!("{place}.duration"), ramp.duration);
                self.zero_or_above(&format!("{place}.start"), ramp.start);
            }
            Motion::Ricker(ricker) => {
                let place = format!("{place}.ricker");
                self.vector(&format!("{place}.peak"), ricker.peak);
                self.above_zero(&format!("{place}.frequency_hz"), ricker.frequency_hz);
                self.zero_or_above(&format!("{place}.delay"), ricker.delay.unwrap_or_default());
            }
            Motion::Record(record) => self.record(record, &format!("{place}.record")),
            Motion::Synthetic(synthetic) => self.synthetic(synthetic, &format!("{place}.synthetic")),
            Motion::Rotation(RotationMotion { pivot, motion }) => {
                let place = format!("{place}.rotation");
                if in_rotation {
                    return self.say(place, "stands inside a rotation; a rotation cannot turn another one");
                }
                self.vector(&format!("{place}.pivot"), *pivot);
                if self.pivot.is_some_and(|earlier| earlier != *pivot) {
                    let what = format!(
                        "{} is not {}, the pivot of another turn of the sum; turns that add up share one pivot",
                        shown_list(&pivot.to_array()),
                        shown_list(&self.pivot.unwrap_or_default().to_array())
                    );
                    self.say(format!("{place}.pivot"), what);
                }
                self.pivot = Some(*pivot);
                self.motion(motion, &format!("{place}.motion"), true);
            }
            Motion::Sum(parts) => {
                if parts.is_empty() {
                    self.say(format!("{place}.sum"), "is empty; at least one motion is needed");
                }
                for (k, part) in parts.iter().enumerate() {
                    self.motion(part, &format!("{place}.sum[{k}]"), in_rotation);
                }
            }
        }
    }

    fn motion_table(&mut self, quantity: MotionQuantity, times: &[f64], values: &[DVec3], place: &str) {
        self.times(times, values.len(), "values", place);
        let refused = |v: &DVec3| v.to_array().iter().any(|&v| ranges::NUMBER.refuses(v).is_some());
        if let Some(k) = values.iter().position(refused) {
            self.vector(&format!("{place}.values[{k}]"), values[k]);
        }
        let starts_elsewhere = quantity == MotionQuantity::Displacement
            && times.first().is_some_and(|&t| t >= 0.0)
            && values.first().is_some_and(|v| *v != DVec3::ZERO);
        if starts_elsewhere {
            let message = format!(
                "{} is not zero; the displacement is counted from there, because supports start where the model has them",
                shown_list(&values[0].to_array())
            );
            self.found
                .push(ModelProblem::warning(format!("{place}.values[0]"), message));
        }
    }

    fn times(&mut self, times: &[f64], values: usize, name: &str, place: &str) {
        if times.is_empty() {
            self.say(
                format!("{place}.times"),
                "is empty; at least one point in time is needed",
            );
        }
        if times.len() != values {
            let message = format!("{values} {name} for {} times; one a time needed", times.len());
            self.say(format!("{place}.{name}"), message);
        }
        if let Some(k) = times.iter().position(|&t| ranges::NUMBER.refuses(t).is_some()) {
            return self.finite(&format!("{place}.times[{k}]"), times[k]);
        }
        if let Some(k) = (1..times.len()).find(|&k| times[k] <= times[k - 1]) {
            let (now, before) = (shown(times[k]), shown(times[k - 1]));
            let message = format!("{now} comes after {before}; times must increase");
            self.say(format!("{place}.times[{k}]"), message);
        }
    }

    fn record(&mut self, record: &RecordMotion, place: &str) {
        if record.path.trim().is_empty() {
            self.say(format!("{place}.path"), "must not be empty");
        }
        self.direction(record.direction, place);
        self.finite(&format!("{place}.scale"), record.scale);
        self.zero_or_above(&format!("{place}.start"), record.start);
        for (name, value) in [
            ("pga", record.pga),
            ("dt", record.dt),
            ("resample", record.resample),
            ("high_pass_hz", record.high_pass_hz),
        ] {
            self.optional(&format!("{place}.{name}"), value);
        }
        if !(0.0..=0.5).contains(&record.taper) {
            let message = format!("{} is not allowed; must be from 0 to 0.5", shown(record.taper));
            self.say(format!("{place}.taper"), message);
        }
        if record.pga.is_some() && record.scale != 1.0 {
            self.say(
                format!("{place}.pga"),
                "both `pga` and `scale` are given; give one of them",
            );
        }
        if let (Some(quantity), Some(units)) = (record.quantity, record.units)
            && units.quantity() != quantity
        {
            let message = format!(
                "{} is a unit of {}, not of {}",
                units.name(),
                units.quantity().name(),
                quantity.name()
            );
            self.say(format!("{place}.units"), message);
        }
    }

    fn synthetic(&mut self, motion: &SyntheticMotion, place: &str) {
        self.direction(motion.direction, place);
        let known = self.found.len();
        for (name, value) in [
            ("duration", motion.duration),
            ("dt", motion.dt),
            ("pga", motion.pga.unwrap_or(1.0)),
            ("ground_frequency_hz", motion.ground_frequency_hz),
            ("ground_damping", motion.ground_damping),
            ("high_pass_hz", motion.high_pass_hz),
            ("high_pass_damping", motion.high_pass_damping),
            ("shortest_period", motion.shortest_period),
            ("longest_period", motion.longest_period),
            ("envelope.decay", motion.envelope.decay.unwrap_or(1.0)),
        ] {
            self.above_zero(&format!("{place}.{name}"), value);
        }
        self.zero_or_above(
            &format!("{place}.envelope.rise"),
            motion.envelope.rise.unwrap_or_default(),
        );
        self.zero_or_above(
            &format!("{place}.envelope.strong"),
            motion.envelope.strong.unwrap_or_default(),
        );
        if self.found.len() > known {
            return;
        }
        let points = motion.points();
        if !(16.0..=MOST_POINTS).contains(&points) {
            let message = format!("makes {points} points; must be 16 to {MOST_POINTS}");
            self.say(format!("{place}.dt"), message);
        }
        let [rise, strong, _] = motion.envelope.times(motion.duration);
        if rise + strong > motion.duration * (1.0 + 1e-9) {
            let message = format!("a rise of {rise} s and {strong} s of full strength are longer than the duration");
            self.say(format!("{place}.envelope"), message);
        }
        let nyquist = 0.5 / motion.dt;
        for (name, value) in [
            ("ground_frequency_hz", motion.ground_frequency_hz),
            ("high_pass_hz", motion.high_pass_hz),
        ] {
            if value >= nyquist {
                let message = format!("{value} is not allowed; with this time step it must be below {nyquist} Hz");
                self.say(format!("{place}.{name}"), message);
            }
        }
        let Some(spectrum) = &motion.spectrum else {
            return;
        };
        if motion.pga.is_some() {
            self.say(
                format!("{place}.pga"),
                "both `pga` and `spectrum` are given; give one of them",
            );
        }
        for (name, message) in spectrum.problems() {
            self.say(format!("{place}.spectrum.{name}"), message);
        }
        let (shortest, longest) = (motion.shortest_period, motion.longest_period);
        if shortest < 2.0 * motion.dt {
            let message = format!(
                "{shortest} is not allowed; with this time step it must be at least {}",
                2.0 * motion.dt
            );
            self.say(format!("{place}.shortest_period"), message);
        }
        if !(longest >= 1.1 * shortest && longest <= 4.0 && longest <= 0.5 * motion.duration) {
            let message = format!(
                "{longest} is not allowed; must be above the shortest period, at most 4 s and half of the duration"
            );
            self.say(format!("{place}.longest_period"), message);
        }
    }

    fn history(&mut self, history: &History, place: &str) {
        match history {
            History::Table { times, factors } => {
                let place = format!("{place}.table");
                self.times(times, factors.len(), "factors", &place);
                if let Some(k) = factors.iter().position(|&f| ranges::NUMBER.refuses(f).is_some()) {
                    self.finite(&format!("{place}.factors[{k}]"), factors[k]);
                }
            }
            History::Ramp {
                from,
                to,
                duration,
                start,
                ..
            } => {
                self.finite(&format!("{place}.ramp.from"), *from);
                self.finite(&format!("{place}.ramp.to"), *to);
                self.above_zero(&format!("{place}.ramp.duration"), *duration);
                self.zero_or_above(&format!("{place}.ramp.start"), *start);
            }
            History::Sine {
                mean,
                amplitude,
                frequency_hz,
                phase_deg,
            } => {
                for (name, value) in [("mean", mean), ("amplitude", amplitude), ("phase_deg", phase_deg)] {
                    self.finite(&format!("{place}.sine.{name}"), *value);
                }
                self.above_zero(&format!("{place}.sine.frequency_hz"), *frequency_hz);
            }
            History::Impulse {
                peak, duration, start, ..
            } => {
                self.finite(&format!("{place}.impulse.peak"), *peak);
                self.above_zero(&format!("{place}.impulse.duration"), *duration);
                self.zero_or_above(&format!("{place}.impulse.start"), *start);
            }
        }
    }

    fn say(&mut self, place: impl Into<String>, message: impl Into<String>) {
        self.found.push(ModelProblem::error(place, message));
    }

    fn number(&mut self, place: &str, value: f64, range: Range) {
        if let Some(complaint) = range.complaint(value) {
            self.say(place, complaint);
        }
    }

    fn above_zero(&mut self, place: &str, value: f64) {
        self.number(place, value, ranges::POSITIVE);
    }

    fn optional(&mut self, place: &str, value: Option<f64>) {
        self.above_zero(place, value.unwrap_or(1.0));
    }

    fn zero_or_above(&mut self, place: &str, value: f64) {
        self.number(place, value, ranges::NOT_NEGATIVE);
    }

    fn finite(&mut self, place: &str, value: f64) {
        self.number(place, value, ranges::NUMBER);
    }

    fn direction(&mut self, direction: Option<DVec3>, place: &str) {
        if let Some(direction) = direction
            && direction.try_normalize().is_none()
        {
            let message = format!(
                "{} has no direction; must be finite and not zero",
                shown_list(&direction.to_array())
            );
            self.say(format!("{place}.direction"), message);
        }
    }

    fn vector(&mut self, place: &str, value: DVec3) {
        let value = value.to_array();
        if let Some(must) = value.iter().find_map(|&v| ranges::NUMBER.refuses(v)) {
            let must = must.replace("a finite number", "finite numbers");
            self.say(place, format!("{} is not allowed; {must}", shown_list(&value)));
        }
    }
}

//! Axes: which range they show, where their ticks lie and what stands at them.

use super::AxisSpec;

/// A part of the free room that is left beyond the points.
const ROOM: f64 = 0.05;

/// Numbers beyond this, and on a logarithmic axis below its inverse, are not drawn: room beside them would overflow.
pub(super) const LARGEST: f64 = 1e290;

/// An axis with its range and ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Where ticks with labels are, and their labels.
    pub(super) ticks: Vec<(f64, String)>,
    /// Where ticks without labels are.
    pub(super) minor: Vec<f64>,
    /// The power of ten that the labels leave out, as ` ×10³`.
    pub(super) factor: Option<String>,
}

impl Axis {
    /// The axis for values; `tight` ones end where the values end. `most` is the number of ticks that have room.
    pub(super) fn new(spec: &AxisSpec, values: impl Iterator<Item = f64>, tight: bool, most: usize) -> Self {
        let usable = |v: &f64| v.abs() <= LARGEST && (!spec.logarithmic || *v >= 1.0 / LARGEST);
        let (low, high) = values
            .filter(usable)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let [low, high] = match spec.range {
            Some(range) => range,
            None if low > high && spec.logarithmic => [0.1, 10.0],
            None if low > high => [0.0, 1.0],
            None if spec.logarithmic => roomy(low.log10(), high.log10(), tight).map(|v| 10f64.powf(v)),
            None => roomy(low, high, tight),
        };
        let mut axis = Self {
            low,
            high,
            logarithmic: spec.logarithmic,
            ticks: Vec::new(),
            minor: Vec::new(),
            factor: None,
        };
        let has_decades = high / low >= 10.0;
        if spec.logarithmic && has_decades {
            axis.decades(most.max(2));
        } else {
            axis.steps(most.max(2));
        }
        axis
    }

    /// Where a value lies along the axis: 0 at its beginning, 1 at its end.
    pub(super) fn place(&self, value: f64) -> f64 {
        if self.logarithmic {
            (value / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    fn steps(&mut self, most: usize) {
        let step = round_step((self.high - self.low) / most as f64);
        let first = (self.low / step - 1e-6).ceil() as i64;
        let last = (self.high / step + 1e-6).floor() as i64;
        let largest = self.low.abs().max(self.high.abs());
        // Labels keep at most this many digits; beyond that a power of ten goes to the end of the axis.
        let power = if (1e-3..1e5).contains(&largest) || (step >= 1.0 && largest < 1e5) {
            0
        } else {
            3 * (largest.log10() / 3.0).floor() as i32
        };
        let unit = 10f64.powi(power);
        let digits = (-(step / unit * (1.0 + 1e-9)).log10().floor()).max(0.0) as usize;
        // Steps of a quarter need a digit more than their size says.
        let shown = |v: f64, digits: usize| (v * 10f64.powi(digits as i32)).fract().abs();
        let rest = shown(step / unit, digits);
        let digits = if rest > 1e-6 && rest < 1.0 - 1e-6 {
            digits + 1
        } else {
            digits
        };
        let ticks = first..=last;
        self.ticks = ticks
            .map(|k| {
                let value = k as f64 * step;
                // A tick at zero must not read -0, and a minus sign is longer than a hyphen.
                let text = format!("{:.digits$}", (value / unit) + 0.0);
                (value, text.replace('-', "−"))
            })
            .collect();
        self.factor = (power != 0).then(|| format!("×10{}", raised(power)));
        let parts = if step / 10f64.powf(step.log10().floor()) > 1.5 {
            2
        } else {
            5
        };
        let fine = step / f64::from(parts);
        let minor = (self.low / fine).ceil() as i64..=(self.high / fine).floor() as i64;
        self.minor = minor
            .filter(|k| k % i64::from(parts) != 0)
            .map(|k| k as f64 * fine)
            .collect();
    }

    fn decades(&mut self, most: usize) {
        let first = (self.low.log10() - 1e-9).ceil() as i32;
        let last = (self.high.log10() + 1e-9).floor() as i32;
        let stride = ((last - first + 1) as usize).div_ceil(most).max(1) as i32;
        for power in first..=last {
            let value = 10f64.powi(power);
            if power.rem_euclid(stride) == 0 {
                self.ticks.push((value, format!("10{}", raised(power))));
            } else {
                self.minor.push(value);
            }
        }
        if stride == 1 {
            let fine = (first - 1..=last).flat_map(|p| (2..10).map(move |k| f64::from(k) * 10f64.powi(p)));
            self.minor.extend(fine.filter(|v| (self.low..=self.high).contains(v)));
        }
    }
}

/// The range with some room beyond it, never empty.
fn roomy(low: f64, high: f64, tight: bool) -> [f64; 2] {
    let size = high - low;
    // What differs in the last digits only is level: its noise must not fill the picture.
    if size <= 1e-12 * low.abs().max(high.abs()) {
        let half = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
        return [low - half, high + half];
    }
    let room = if tight { 0.0 } else { ROOM * size };
    [low - room, high + room]
}

/// The smallest of 1, 2 or 5 times a power of ten that is not much below a step: one tick more than asked for has room,
/// half of them would be too few.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let fitting = [1.0, 2.0, 5.0].into_iter().find(|s| s * power >= least * 0.8);
    let step = fitting.unwrap_or(10.0) * power;
    // 10^-1 need not be 0.1 to the last digit.
    format!("{step:.3e}").parse().unwrap_or(step)
}

/// A power as raised figures.
fn raised(power: i32) -> String {
    let raise = |c: char| match c.to_digit(10) {
        Some(d) => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(d as usize).unwrap_or(c),
        None => '⁻',
    };
    power.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(low: f64, high: f64, logarithmic: bool) -> Axis {
        let spec = AxisSpec {
            label: String::new(),
            range: Some([low, high]),
            logarithmic,
        };
        Axis::new(&spec, std::iter::empty(), false, 6)
    }

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn ticks_are_round_and_as_many_as_have_room() {
        assert_eq!(labels(&axis(0.0, 10.0, false)), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(
            labels(&axis(-0.1, 0.1, false)),
            ["−0.10", "−0.05", "0.00", "0.05", "0.10"]
        );
        assert_eq!(labels(&axis(0.3, 0.31, false))[..2], ["0.300", "0.302"]);
        let large = axis(0.0, 2.5e6, false);
        assert_eq!(labels(&large), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]);
        assert_eq!(large.factor.as_deref(), Some("×10⁶"));
        let small = axis(0.0, 4e-5, false);
        assert_eq!(labels(&small), ["0", "10", "20", "30", "40"]);
        assert_eq!(small.factor.as_deref(), Some("×10⁻⁶"));
    }

    #[test]
    fn powers_of_ten_have_even_places_on_a_logarithmic_axis() {
        let axis = axis(1e-4, 1e2, true);
        assert_eq!(labels(&axis), ["10⁻⁴", "10⁻²", "10⁰", "10²"]);
        assert!((axis.place(1e-1) - 0.5).abs() < 1e-12);
        assert!((axis.place(axis.ticks[1].0) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_level_line_and_no_points_at_all_still_have_an_axis() {
        let spec = AxisSpec {
            label: String::new(),
            range: None,
            logarithmic: false,
        };
        let level = Axis::new(&spec, [7.0, 7.0].into_iter(), false, 5);
        assert!(level.place(7.0) > 0.4 && level.place(7.0) < 0.6 && level.ticks.len() >= 2);
        let none = Axis::new(&spec, [f64::NAN].into_iter(), false, 5);
        assert!(none.ticks.len() >= 2);
    }
}

//! What the colours, lengths and marks of a drawing mean.

use glam::DVec2;

use super::{
    LineKind,
    drawing::{ARROW, SLIDING, TENSION, arrow, hinge, line_mark, sliding},
};
use crate::{
    Rgb,
    marks::{Mark, text_width},
    picture::{Stage, ghost},
};

/// Colours of the use of friction, from 0 to 1: they differ in lightness and stay apart for colour-blind eyes, and none is
/// the red of tension.
const RAMP: [Rgb; 4] = [
    Rgb([0x1f, 0x5f, 0xa8]),
    Rgb([0x3a, 0x97, 0xa6]),
    Rgb([0x9a, 0xa8, 0x3a]),
    Rgb([0xf0, 0x7c, 0x00]),
];
const STEPS: usize = 48;
/// Size of its text, over that of the picture's.
const SMALLER: f64 = 0.86;

/// Colour for a use of friction.
pub(super) fn ramp(part: f64) -> Rgb {
    let place = part.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let k = (place as usize).min(RAMP.len() - 2);
    RAMP[k].mixed(RAMP[k + 1], place - k as f64)
}

/// A mark and what it means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Line(LineKind, Option<f64>),
    Hinge,
    Sliding,
    Tension(f64),
    /// Where blocks were before they moved.
    Before,
}

/// The legend beside a drawing.
pub(super) struct Legend {
    pub(super) pixels_per_newton: f64,
    /// The largest force (N).
    pub(super) largest: f64,
    pub(super) entries: Vec<Entry>,
}

impl Legend {
    pub(super) fn marks(&self, stage: &Stage<'_>) -> Vec<Mark> {
        let text = SMALLER * stage.capitals;
        let step = 2.3 * text;
        let left = stage.size.x - stage.margin - 17.0 * text;
        let mut pen = DVec2::new(left, stage.margin + 4.0 * text);
        let mut marks = Vec::new();
        let write = |text: String, at: DVec2, capitals: f64| stage.text(text, at, capitals);
        if self.largest > 0.0 {
            marks.push(write("friction use".into(), pen, text));
            marks.push(write(
                "|T| / (μ N)".into(),
                pen + DVec2::new(0.0, 1.7 * text),
                0.85 * text,
            ));
            pen.y += 2.8 * text;
            bar(&mut marks, pen, stage);
            pen.y += 3.2 * text + step;
            let round = round_force(self.largest);
            let length = round * self.pixels_per_newton;
            let middle = pen + DVec2::new(0.5 * length.max(3.0 * text), -0.4 * text);
            marks.extend(arrow(middle, DVec2::new(length, 0.0), ARROW * stage.line, RAMP[0]));
            let beside = pen + DVec2::new(length.max(3.0 * text) + 0.9 * text, 0.0);
            marks.push(write(format!("force {}", force_text(round)), beside, text));
            pen.y += step;
        }
        for entry in &self.entries {
            let (from, to) = (
                pen - DVec2::new(0.0, 0.4 * text),
                pen + DVec2::new(3.0 * text, -0.4 * text),
            );
            let label = match entry {
                Entry::Line(kind, thrust) => {
                    marks.push(line_mark(*kind, vec![from, to], stage));
                    match kind {
                        LineKind::Computed => "thrust line".to_string(),
                        LineKind::Minimum => with_force("min thrust", *thrust),
                        LineKind::Maximum => with_force("max thrust", *thrust),
                    }
                }
                Entry::Hinge => {
                    marks.extend(hinge(0.5 * (from + to), stage));
                    "hinge".to_string()
                }
                Entry::Sliding => {
                    marks.push(sliding([from, to], SLIDING, stage));
                    "sliding".to_string()
                }
                Entry::Before => {
                    let size = to - from;
                    let high = DVec2::new(0.0, 1.1 * text);
                    let corner = from + DVec2::new(0.0, -0.55 * text);
                    let outline = vec![corner, corner + size, corner + size + high, corner + high];
                    marks.extend(ghost(outline, stage));
                    "before".to_string()
                }
                Entry::Tension(sum) => {
                    marks.push(sliding([from, to], TENSION, stage));
                    with_force("tension", Some(*sum))
                }
            };
            marks.push(write(label, pen + DVec2::new(3.9 * text, 0.0), text));
            pen.y += step;
        }
        marks
    }
}

fn with_force(what: &str, force: Option<f64>) -> String {
    force.map_or(what.to_string(), |f| format!("{what} {}", force_text(f)))
}

/// The colour bar, with its numbers below.
fn bar(marks: &mut Vec<Mark>, at: DVec2, stage: &Stage<'_>) {
    let text = SMALLER * stage.capitals;
    let (width, height) = (12.0 * text, 1.1 * text);
    // On whole pixels: where steps overlap, half-covered ones would be darker.
    let (top, bottom) = (at.y.round(), (at.y + height).round());
    for k in 0..STEPS {
        let part = k as f64 / STEPS as f64;
        // A little overlap leaves no seams between the steps.
        let x = [
            at.x + part * width,
            (at.x + (part + 1.6 / STEPS as f64) * width).min(at.x + width),
        ];
        let outline = vec![
            DVec2::new(x[0], top),
            DVec2::new(x[1], top),
            DVec2::new(x[1], bottom),
            DVec2::new(x[0], bottom),
        ];
        marks.push(Mark::figure(outline, ramp((k as f64 + 0.5) / STEPS as f64)));
    }
    let capitals = 0.85 * text;
    for (part, text) in [(0.0, "0"), (0.5, "0.5"), (1.0, "1")] {
        let shift = part * (width - text_width(text, capitals));
        marks.push(stage.text(text, at + DVec2::new(shift, height + 1.5 * capitals), capitals));
    }
}

/// The largest of 1, 2 or 5 times a power of ten that is not above a force.
pub(super) fn round_force(most: f64) -> f64 {
    let power = 10f64.powf(most.log10().floor());
    let fitting = [5.0, 2.0, 1.0]
        .into_iter()
        .map(|s| s * power)
        .find(|&f| f <= most * (1.0 + 1e-9));
    fitting.unwrap_or(power)
}

/// A force as people say it.
pub(super) fn force_text(newtons: f64) -> String {
    let (value, unit) = match newtons.abs() {
        f if f >= 1e9 => (newtons / 1e9, "GN"),
        f if f >= 1e6 => (newtons / 1e6, "MN"),
        f if f >= 1e3 => (newtons / 1e3, "kN"),
        f if f >= 0.1 => (newtons, "N"),
        _ => (newtons * 1e3, "mN"),
    };
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    let short = if digits > 0 {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{short} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forces_have_round_samples_and_plain_labels() {
        for (most, label) in [
            (7300.0, "5 kN"),
            (1.0, "1 N"),
            (2.4e6, "2 MN"),
            (0.03, "20 mN"),
            (199.0, "100 N"),
        ] {
            assert_eq!(force_text(round_force(most)), label);
        }
        assert_eq!(force_text(12_345.0), "12.3 kN");
        assert_eq!(force_text(102.0), "102 N");
    }

    #[test]
    fn the_ramp_ends_in_the_colour_of_sliding() {
        assert_eq!((ramp(0.0), ramp(1.0), ramp(7.0)), (RAMP[0], SLIDING, SLIDING));
    }
}

//! Where everything of a plot goes.

use glam::DVec2;

use super::{
    Panel, Plot, Series, Style,
    axis::Axis,
    drawing::{Drawing, INK, Marker, marker, text},
    legend::{self, Entry, Look, Place},
    lines::{clip, thin},
};
use crate::{
    OutputError, Rgb,
    marks::{Align, Mark, Text, text_width},
};

/// Heights of capitals (pixels).
const TITLE: f64 = 11.0;
const LABEL: f64 = 9.6;
const TICK: f64 = 8.6;
/// Colours of Okabe and Ito, without the yellow, which is lost on white.
const COLORS: [Rgb; 7] = [
    Rgb([0x00, 0x72, 0xb2]), // blue
    Rgb([0xd5, 0x5e, 0x00]), // vermilion
    Rgb([0x00, 0x9e, 0x73]), // bluish green
    Rgb([0xcc, 0x79, 0xa7]), // reddish purple
    Rgb([0xe6, 0x9f, 0x00]), // orange
    Rgb([0x56, 0xb4, 0xe9]), // sky blue
    Rgb([0x55, 0x55, 0x55]), // grey
];
const GRID: Rgb = Rgb([0xe6, 0xe6, 0xe6]);
const FAINT: Rgb = Rgb([0xba, 0xba, 0xba]);
const ZERO: Rgb = Rgb([0xb8, 0xb8, 0xb8]);
const LINE: f64 = 1.6;
const FRAME: f64 = 0.9;
const LONG_TICK: f64 = 5.0;
const SHORT_TICK: f64 = 2.8;

/// A panel on its way to paper.
struct Placed<'a> {
    panel: &'a Panel,
    x: Axis,
    y: Axis,
    /// Corners of the axes.
    min: DVec2,
    max: DVec2,
    entries: Vec<Entry>,
    /// Room above the axes, for a power of ten and the legend.
    above: f64,
}

pub(super) fn compose(plot: &Plot) -> Result<Drawing, OutputError> {
    let (width, height) = (f64::from(plot.width), f64::from(plot.height));
    let panels = &plot.panels;
    let shared = panels.len() > 1 && panels.iter().all(|p| p.x.label == panels[0].x.label);
    let top = if plot.title.is_some() { 36.0 } else { 14.0 };
    let below_last = 48.0;
    let between = if shared { 16.0 } else { 62.0 };
    let count = panels.len() as f64;
    let each = (height - top - below_last - between * (count - 1.0)) / count;
    if each < 50.0 {
        return Err(OutputError::BadPlot(format!(
            "{} panels on a height of {height} pixels leave {each:.0} for each; at least 50 are needed",
            panels.len()
        )));
    }
    let y_ticks = (each / 38.0).clamp(2.0, 8.0) as usize;
    let ys: Vec<Axis> = panels
        .iter()
        .map(|p| Axis::new(&p.y, values(&p.series, 1), false, y_ticks))
        .collect();
    let labels = ys.iter().flat_map(|y| &y.ticks).map(|(_, text)| text_width(text, TICK));
    let left = 16.0 + LABEL + 12.0 + labels.fold(0.0, f64::max) + 7.0;
    let right = 22.0;
    let x_ticks = ((width - left - right) / 78.0).clamp(2.0, 12.0) as usize;
    let mut placed: Vec<Placed<'_>> = Vec::new();
    for (k, (panel, y)) in panels.iter().zip(ys).enumerate() {
        let x = if shared {
            let all: Vec<f64> = panels.iter().flat_map(|p| values(&p.series, 0)).collect();
            let spec = panels.iter().map(|p| &p.x).find(|x| x.range.is_some());
            let tight = panels.iter().all(|p| p.series.iter().all(is_history));
            Axis::new(spec.unwrap_or(&panel.x), all.into_iter(), tight, x_ticks)
        } else {
            let tight = panel.series.iter().all(is_history);
            Axis::new(&panel.x, values(&panel.series, 0), tight, x_ticks)
        };
        let start = top + k as f64 * (each + between);
        let mut place = Placed {
            panel,
            above: if y.factor.is_some() { 14.0 } else { 0.0 },
            x,
            y,
            min: DVec2::new(left, start),
            max: DVec2::new(width - right, start + each),
            entries: entries(&panel.series),
        };
        place.min.y += place.above;
        placed.push(place);
    }
    let mut drawing = Drawing {
        width,
        height,
        title: plot.title.clone(),
        marks: Vec::new(),
    };
    if let Some(title) = &plot.title {
        drawing.marks.push(text(
            title,
            DVec2::new(0.5 * (left + width - right), 24.0),
            TITLE,
            Align::Middle,
        ));
    }
    let last = placed.len() - 1;
    for (k, mut place) in placed.into_iter().enumerate() {
        place.draw(&mut drawing.marks, !shared || k == last);
    }
    Ok(drawing)
}

fn values(series: &[Series], part: usize) -> impl Iterator<Item = f64> + '_ {
    series.iter().flat_map(move |s| s.points.iter().map(move |p| p[part]))
}

/// Whether a series runs forward in x, as a history in time does; such a panel ends where its series end.
fn is_history(series: &Series) -> bool {
    !series.style.is_marker() && series.points.windows(2).all(|p| p[0][0] <= p[1][0])
}

/// How each series is drawn. Colours go round; reference lines, faint ones and half discs take none.
fn looks(series: &[Series]) -> Vec<Look> {
    let is_half = |s: &Series| matches!(s.style, Style::Half { .. });
    // Half discs have the first two.
    let mut colors = if series.iter().any(is_half) { 2 } else { 0 };
    let (mut markers, mut last) = (0, None);
    let look = |s: &Series| {
        let line = |color, width, dash| Look {
            color,
            width,
            dash,
            marker: None,
        };
        match s.style {
            Style::Reference => return line(INK, 1.0, Some([3.0, 3.0])),
            Style::Faint => return line(FAINT, 0.7, None),
            Style::Half { side, is_filled } => {
                let color = if is_filled { COLORS[1] } else { COLORS[0] };
                return Look {
                    marker: Some(Marker::Half { side, is_filled }),
                    ..line(color, LINE, None)
                };
            }
            Style::Line | Style::Dashed | Style::Markers => {}
        }
        // A line without a name goes with the one before it, as the two ends of a band do.
        let next = match last.filter(|_| s.name.is_empty() && !s.style.is_marker()) {
            Some(last) => last,
            None => {
                colors += 1;
                colors - 1
            }
        };
        last = Some(next);
        let turn = next / COLORS.len();
        let color = COLORS[next % COLORS.len()];
        let is_marker = s.style == Style::Markers;
        markers += usize::from(is_marker);
        Look {
            color,
            width: LINE,
            dash: match s.style {
                Style::Dashed => Some([6.0, 4.0]),
                // Once the colours are used up, dashes tell lines of one colour apart.
                Style::Line if turn > 0 => Some([8.0, 2.5]),
                _ => None,
            },
            marker: is_marker.then(|| Marker::Shape(markers - 1)),
        }
    };
    series.iter().map(look).collect()
}

fn entries(series: &[Series]) -> Vec<Entry> {
    let named = series.iter().zip(looks(series)).filter(|(s, _)| !s.name.is_empty());
    named
        .map(|(s, look)| Entry {
            name: s.name.clone(),
            look,
        })
        .collect()
}

impl Placed<'_> {
    fn at(&self, [x, y]: [f64; 2]) -> DVec2 {
        let size = self.max - self.min;
        DVec2::new(
            self.min.x + self.x.place(x) * size.x,
            self.max.y - self.y.place(y) * size.y,
        )
    }

    fn draw(&mut self, marks: &mut Vec<Mark>, x_labels: bool) {
        let mut place = None;
        if !self.entries.is_empty() {
            let drawn: Vec<Vec<DVec2>> = self.panel.series.iter().flat_map(|s| self.lines(s)).collect();
            place = Some(legend::place(&self.entries, self.min, self.max, &drawn));
            if matches!(place, Some(Place::Above)) {
                self.min.y += legend::height_above(&self.entries, self.max.x - self.min.x);
            }
        }
        self.draw_grid(marks);
        self.draw_series(marks);
        self.draw_frame(marks, x_labels);
        match place {
            Some(Place::Inside(corner)) => legend::draw_inside(&self.entries, corner, marks),
            Some(Place::Above) => {
                let under = DVec2::new(self.min.x, self.min.y - self.above);
                legend::draw_above(&self.entries, under, self.max.x - self.min.x, marks);
            }
            None => {}
        }
    }

    fn draw_grid(&self, marks: &mut Vec<Mark>) {
        let (min, max) = (self.min, self.max);
        for (value, _) in &self.x.ticks {
            let x = crisp(self.at([*value, 0.0]).x);
            marks.push(Mark::line(vec![DVec2::new(x, min.y), DVec2::new(x, max.y)], 0.7, GRID));
        }
        for (value, _) in &self.y.ticks {
            let y = crisp(max.y - self.y.place(*value) * (max.y - min.y));
            let color = if *value == 0.0 { ZERO } else { GRID };
            marks.push(Mark::line(vec![DVec2::new(min.x, y), DVec2::new(max.x, y)], 0.7, color));
        }
    }

    /// What is seen of a series, as lines or as single points.
    fn lines(&self, series: &Series) -> Vec<Vec<DVec2>> {
        let points = series.points.iter().map(|p| self.at(*p));
        if series.style.is_marker() {
            let (min, max) = (self.min - 0.5, self.max + 0.5);
            let is_seen = |p: &DVec2| p.is_finite() && p.cmpge(min).all() && p.cmple(max).all();
            return points.filter(is_seen).map(|p| vec![p]).collect();
        }
        let thinned = thin(&points.collect::<Vec<_>>());
        clip(&thinned, self.min, self.max)
    }

    fn draw_series(&self, marks: &mut Vec<Mark>) {
        for (series, look) in self.panel.series.iter().zip(looks(&self.panel.series)) {
            let color = look.color;
            for points in self.lines(series) {
                marks.push(match look.marker {
                    Some(shape) => marker(points[0], shape, color),
                    None => Mark::Line {
                        points,
                        width: look.width,
                        color,
                        dash: look.dash,
                    },
                });
            }
        }
    }

    fn draw_frame(&self, marks: &mut Vec<Mark>, x_labels: bool) {
        let (min, max) = (
            DVec2::new(crisp(self.min.x), crisp(self.min.y)),
            DVec2::new(crisp(self.max.x), crisp(self.max.y)),
        );
        let corners = [min, DVec2::new(max.x, min.y), max, DVec2::new(min.x, max.y), min];
        marks.push(Mark::line(corners.to_vec(), FRAME, INK));
        let major = |axis: &Axis| axis.ticks.iter().map(|(v, _)| (*v, LONG_TICK)).collect::<Vec<_>>();
        let minor = |axis: &Axis| axis.minor.iter().map(|v| (*v, SHORT_TICK)).collect::<Vec<_>>();
        for (value, length) in major(&self.x).into_iter().chain(minor(&self.x)) {
            let x = crisp(self.at([value, 0.0]).x);
            for (edge, inward) in [(max.y, -length), (min.y, length)] {
                marks.push(Mark::line(
                    vec![DVec2::new(x, edge), DVec2::new(x, edge + inward)],
                    FRAME,
                    INK,
                ));
            }
        }
        for (value, length) in major(&self.y).into_iter().chain(minor(&self.y)) {
            let y = crisp(self.max.y - self.y.place(value) * (self.max.y - self.min.y));
            for (edge, inward) in [(min.x, length), (max.x, -length)] {
                marks.push(Mark::line(
                    vec![DVec2::new(edge, y), DVec2::new(edge + inward, y)],
                    FRAME,
                    INK,
                ));
            }
        }
        for (value, label) in &self.y.ticks {
            let y = self.max.y - self.y.place(*value) * (self.max.y - self.min.y);
            marks.push(text(label, DVec2::new(min.x - 7.0, y + 0.5 * TICK), TICK, Align::End));
        }
        if let Some(factor) = &self.y.factor {
            marks.push(text(factor, DVec2::new(min.x, min.y - 6.0), TICK, Align::Start));
        }
        let beside = DVec2::new(16.0 + LABEL, 0.5 * (min.y + max.y));
        marks.push(Mark::Text(Text {
            upward: true,
            ..Text::new(&self.panel.y.label, beside, LABEL, Align::Middle, INK)
        }));
        if x_labels {
            for (value, label) in &self.x.ticks {
                let x = self.at([*value, 0.0]).x;
                marks.push(text(label, DVec2::new(x, max.y + 7.0 + TICK), TICK, Align::Middle));
            }
            let factor = self.x.factor.as_ref().map_or(String::new(), |f| format!(" [{f}]"));
            let label = format!("{}{factor}", self.panel.x.label);
            let middle = DVec2::new(0.5 * (min.x + max.x), max.y + 26.0 + LABEL);
            marks.push(text(&label, middle, LABEL, Align::Middle));
        }
    }
}

/// The middle of a pixel, where a thin line is crisp.
fn crisp(place: f64) -> f64 {
    place.floor() + 0.5
}

#[cfg(test)]
mod tests {
    use super::{super::Side, *};

    fn named(name: &str, style: Style) -> Series {
        Series {
            name: name.to_string(),
            points: Vec::new(),
            style,
        }
    }

    #[test]
    fn the_ends_of_a_band_look_alike_and_half_discs_have_their_own_colours() {
        let band = looks(&[
            named("fit", Style::Line),
            named("band", Style::Dashed),
            named("", Style::Dashed),
        ]);
        assert!(band[1] == band[2] && band[0].color != band[1].color);
        let half = |side, is_filled| named("a", Style::Half { side, is_filled });
        let halves = [half(Side::Left, true), half(Side::Right, true), half(Side::Left, false)];
        let looks = looks(&[&halves[..], &[named("hull", Style::Line)]].concat());
        assert!(looks[0].color == looks[1].color && looks[0].marker != looks[1].marker);
        assert!(looks[0].color != looks[2].color && looks[..3].iter().all(|look| look.color != looks[3].color));
    }

    #[test]
    fn no_two_series_of_a_panel_look_alike() {
        let series = |style| named("a", style);
        let all: Vec<Series> = [Style::Line, Style::Dashed, Style::Markers]
            .into_iter()
            .chain([Style::Line; 7])
            .map(series)
            .collect();
        let looks = looks(&all);
        for (k, a) in looks.iter().enumerate() {
            assert!(looks[..k].iter().all(|b| a != b), "{k}");
        }
    }
}

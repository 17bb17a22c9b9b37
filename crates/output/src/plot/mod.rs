//! Line charts as in papers, made by the program itself: SVG with text that stays text, and PNG drawn from it.
//!
//! A [`Plot`] is one or more [`Panel`]s above each other; panels with the same label of x share its range. `axis` finds
//! round ticks, `lines` thins and cuts, `layout` puts everything in its place as
//! a list of marks, `drawing` turns the marks into SVG or pixels.
//! Colours are those of Okabe and Ito, which colour-blind eyes tell apart.

mod axis;
mod drawing;
mod layout;
mod legend;
mod lines;

use crate::OutputError;

/// Smallest and largest side of a plot (pixels, before scaling).
const SIDES: std::ops::RangeInclusive<u32> = 160..=4096;

/// A chart of one or more panels above each other.
///
/// ```
/// # use drystone_output::plot::{Panel, Plot};
/// let swing: Vec<[f64; 2]> = (0..200).map(|k| 0.05 * k as f64).map(|t| [t, (-0.1 * t).exp() * t.cos()]).collect();
/// let panel = Panel::new("time (s)", "displacement (mm)").line("keystone", swing);
/// let plot = Plot::new().title("A keystone at rest again").panel(panel);
/// let svg: String = plot.svg()?;
/// let png: Vec<u8> = plot.png()?;
/// # Ok::<(), drystone_output::OutputError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plot {
    width: u32,
    height: u32,
    scale: f64,
    title: Option<String>,
    panels: Vec<Panel>,
}

/// One pair of axes with its series.
#[derive(Clone, Debug)]
pub struct Panel {
    x: AxisSpec,
    y: AxisSpec,
    series: Vec<Series>,
}

/// What an axis is to show.
#[derive(Clone, Debug)]
struct AxisSpec {
    label: String,
    range: Option<[f64; 2]>,
    logarithmic: bool,
}

/// Points that belong together.
#[derive(Clone, Debug)]
struct Series {
    name: String,
    points: Vec<[f64; 2]>,
    style: Style,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Line,
    Dashed,
    Markers,
    Half { side: Side, is_filled: bool },
    Reference,
    Faint,
}

impl Style {
    /// Whether points stand for themselves.
    fn is_marker(self) -> bool {
        matches!(self, Self::Markers | Self::Half { .. })
    }
}

/// A side of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where x is less.
    Left,
    /// Where x is more.
    Right,
}

impl Default for Plot {
    fn default() -> Self {
        Self::new()
    }
}

impl Plot {
    /// A plot without panels: 720 by 440 pixels, PNG twice as fine.
    pub fn new() -> Self {
        Self {
            width: 720,
            height: 440,
            scale: 2.0,
            title: None,
            panels: Vec::new(),
        }
    }

    /// Width and height (pixels), each 160 to 4096.
    #[must_use]
    pub fn size(mut self, width: u32, height: u32) -> Self {
        (self.width, self.height) = (width, height);
        self
    }

    /// How many times finer a PNG is than its size says, 0.5 to 4. Default 2, sharp on paper and on fine screens.
    #[must_use]
    pub fn scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    /// A line of text above the panels.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// One more panel, below the others.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The points of every series as a table: `panel,series,x,y`, panels counted from 1.
    pub fn csv(&self) -> String {
        let mut text = String::from("panel,series,x,y\n");
        for (k, panel) in self.panels.iter().enumerate() {
            for series in &panel.series {
                let name = series.name.replace('"', "\"\"");
                for [x, y] in &series.points {
                    text += &format!("{},\"{name}\",{x:?},{y:?}\n", k + 1);
                }
            }
        }
        text
    }

    /// The plot as an SVG file.
    pub fn svg(&self) -> Result<String, OutputError> {
        Ok(self.compose()?.svg())
    }

    /// The plot as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, OutputError> {
        self.compose()?.png(self.scale)
    }

    fn compose(&self) -> Result<drawing::Drawing, OutputError> {
        if !(SIDES.contains(&self.width) && SIDES.contains(&self.height)) {
            return Err(OutputError::BadSize {
                width: self.width,
                height: self.height,
                min: *SIDES.start(),
                max: *SIDES.end(),
            });
        }
        let bad = |what: String| Err(OutputError::BadPlot(what));
        if !(0.5..=4.0).contains(&self.scale) {
            return bad(format!("a plot scaled by {}; allowed are 0.5 to 4", self.scale));
        }
        if self.panels.is_empty() {
            return bad("a plot without panels: there is nothing to draw".to_string());
        }
        for axis in self.panels.iter().flat_map(|p| [&p.x, &p.y]) {
            let limit = axis::LARGEST;
            let lowest = if axis.logarithmic { 1.0 / limit } else { -limit };
            if let Some([low, high]) = axis.range
                && !(low >= lowest && low < high && high <= limit)
            {
                return bad(format!(
                    "axis `{}` from {low} to {high}: the range must be finite, rise, and on a logarithmic axis lie \
                     above zero",
                    axis.label
                ));
            }
        }
        layout::compose(self)
    }
}

impl Panel {
    /// Axes with labels; put units into them: `time (s)`.
    pub fn new(x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        let axis = |label| AxisSpec {
            label,
            range: None,
            logarithmic: false,
        };
        Self {
            x: axis(x_label.into()),
            y: axis(y_label.into()),
            series: Vec::new(),
        }
    }

    fn add(mut self, name: impl Into<String>, points: Vec<[f64; 2]>, style: Style) -> Self {
        self.series.push(Series {
            name: name.into(),
            points,
            style,
        });
        self
    }

    /// Points joined by a line. A point that is not a number interrupts it. A name that is empty stays out of the
    /// legend.
    #[must_use]
    pub fn line(self, name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        self.add(name, points, Style::Line)
    }

    /// Points joined by a dashed line, in a colour of its own.
    #[must_use]
    pub fn dashed(self, name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        self.add(name, points, Style::Dashed)
    }

    /// A thin dashed line in the colour of the axes: a limit, or what theory says.
    #[must_use]
    pub fn reference(self, name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        self.add(name, points, Style::Reference)
    }

    /// Single points, as from an experiment or a paper.
    #[must_use]
    pub fn markers(self, name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        self.add(name, points, Style::Markers)
    }

    /// Single points as half discs on one side of their places, so that two series at the same places can be read. Filled ones
    /// have one colour, hollow ones another.
    #[must_use]
    pub fn halves(self, name: impl Into<String>, points: Vec<[f64; 2]>, side: Side, is_filled: bool) -> Self {
        self.add(name, points, Style::Half { side, is_filled })
    }

    /// A thin, light line: one of many, behind what is made of them.
    #[must_use]
    pub fn faint(self, name: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        self.add(name, points, Style::Faint)
    }

    /// Range of x, instead of that of the points.
    #[must_use]
    pub fn x_range(mut self, low: f64, high: f64) -> Self {
        self.x.range = Some([low, high]);
        self
    }

    /// Range of y, instead of that of the points.
    #[must_use]
    pub fn y_range(mut self, low: f64, high: f64) -> Self {
        self.y.range = Some([low, high]);
        self
    }

    /// x by powers of ten; points at or below zero are left out.
    #[must_use]
    pub fn log_x(mut self) -> Self {
        self.x.logarithmic = true;
        self
    }

    /// y by powers of ten; points at or below zero are left out.
    #[must_use]
    pub fn log_y(mut self) -> Self {
        self.y.logarithmic = true;
        self
    }
}

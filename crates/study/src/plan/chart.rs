//! Charts as data: the files of a study and the page draw the same.

use serde::Serialize;

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chart {
    /// Name of its files.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What x is, with its unit.
    pub x: String,
    /// What y is, with its unit.
    pub y: String,
    /// Whether x goes by powers of ten.
    pub log_x: bool,
    /// Range of y, instead of that of the points.
    pub y_range: Option<[f64; 2]>,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// What they are; empty: not in the legend.
    pub name: String,
    /// How they are drawn.
    pub mark: Mark,
    /// The points.
    pub points: Vec<[f64; 2]>,
    /// The runs behind each point, with a space between them; empty where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<String>,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Joined by a line.
    Line,
    /// Joined by a dashed line.
    Dashed,
    /// A thin line in the colour of the axes.
    Reference,
    /// A thin, light line: one of many.
    Faint,
    /// Each for itself.
    Points,
    /// Each as a half disc on one side of its place, beside those of another series at the same places.
    FilledLeft,
    /// The same on the other side.
    FilledRight,
    /// Half discs that are hollow.
    HollowLeft,
    /// The same on the other side.
    HollowRight,
}

/// Names of charts; where there are several of a kind, each has its number behind it.
const NAMES: [&str; 7] = [
    "failure-domains",
    "failure-domain",
    "fragility",
    "incremental",
    "spectra",
    "sweep",
    "assembly",
];

impl Chart {
    /// Whether a study gives this name to one of its charts.
    pub(crate) fn may_be_called(name: &str) -> bool {
        let kind = match name.rsplit_once('-') {
            Some((kind, number)) if number.parse::<usize>().is_ok() => kind,
            _ => name,
        };
        NAMES.contains(&kind)
    }

    /// Without series.
    pub fn new(name: impl Into<String>, title: impl Into<String>, x: impl Into<String>, y: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            x: x.into(),
            y: y.into(),
            ..Self::default()
        }
    }

    /// With its faint lines behind all others.
    pub(crate) fn faint_behind(&mut self) {
        self.series.sort_by_key(|series| series.mark != Mark::Faint);
    }

    /// With one more series, if it has points.
    pub fn add(&mut self, name: impl Into<String>, mark: Mark, points: Vec<[f64; 2]>) {
        self.add_runs(name, mark, points, Vec::new());
    }

    /// With one more series of runs, if it has points.
    pub fn add_runs(&mut self, name: impl Into<String>, mark: Mark, points: Vec<[f64; 2]>, runs: Vec<String>) {
        if !points.is_empty() {
            self.series.push(Series {
                name: name.into(),
                mark,
                points,
                runs,
            });
        }
    }
}

//! Charts as pictures and tables.

use std::fmt::Write;

use drystone_output::plot::{Panel, Plot, Side};

use crate::plan::{Chart, Mark};

/// A chart as a picture.
pub fn plot(chart: &Chart) -> Plot {
    let mut panel = Panel::new(chart.x.as_str(), chart.y.as_str());
    for series in &chart.series {
        let (name, points) = (series.name.as_str(), series.points.clone());
        panel = match series.mark {
            Mark::Line => panel.line(name, points),
            Mark::Dashed => panel.dashed(name, points),
            Mark::Reference => panel.reference(name, points),
            Mark::Faint => panel.faint(name, points),
            Mark::Points => panel.markers(name, points),
            Mark::FilledLeft => panel.halves(name, points, Side::Left, true),
            Mark::FilledRight => panel.halves(name, points, Side::Right, true),
            Mark::HollowLeft => panel.halves(name, points, Side::Left, false),
            Mark::HollowRight => panel.halves(name, points, Side::Right, false),
        };
    }
    if let Some([low, high]) = chart.y_range {
        panel = panel.y_range(low, high);
    }
    if chart.log_x {
        panel = panel.log_x();
    }
    Plot::new().title(chart.title.as_str()).panel(panel)
}

/// The points of a chart, each with the run behind it: `series,x,y,run`.
pub(super) fn csv(chart: &Chart) -> String {
    let mut text = String::from("series,x,y,run\n");
    for series in &chart.series {
        let name = series.name.replace('"', "\"\"");
        for (k, [x, y]) in series.points.iter().enumerate() {
            let run = series.runs.get(k).map_or("", String::as_str);
            // Writing to a string does not fail.
            let _ = writeln!(text, "\"{name}\",{x:?},{y:?},{run}");
        }
    }
    text
}

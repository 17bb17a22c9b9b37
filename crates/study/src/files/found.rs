//! What a study found in numbers, as parts of its report: the parameters of fragility curves, the counts behind them, and orders
//! of construction.

use drystone_analysis::words::significant;
use drystone_output::report::Section;
use serde_json::{Map, Value};

/// The parts that a result has.
pub(super) fn sections(result: &Map<String, Value>) -> Vec<Section> {
    let list = |name: &str| {
        result
            .get(name)
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice)
    };
    let measure = result.get("measure").and_then(Value::as_str).unwrap_or_default();
    let mut sections = fragility(list("fragility"), measure);
    sections.extend(list("assembly").iter().filter_map(order));
    sections
}

fn fragility(curves: &[Value], measure: &str) -> Vec<Section> {
    let mut fits = Vec::new();
    let mut stripes = Vec::new();
    for curve in curves {
        let variant = text(&curve["variant"]);
        let estimate = &curve["fit"]["estimate"];
        if estimate.is_object() {
            let band = |name: &str| {
                let ends: Vec<String> = curve["bands"][name]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(cell)
                    .collect();
                ends.join(" to ")
            };
            fits.push(vec![
                variant.clone(),
                cell(&estimate["theta"]),
                cell(&estimate["theta_error"]),
                band("theta"),
                cell(&estimate["beta"]),
                cell(&estimate["beta_error"]),
                band("beta"),
            ]);
        }
        for stripe in curve["stripes"].as_array().into_iter().flatten() {
            let [collapses, runs] = ["collapses", "runs"].map(|name| stripe[name].as_f64().unwrap_or(0.0));
            stripes.push(vec![
                variant.clone(),
                cell(&stripe["intensity"]),
                text(&stripe["collapses"]),
                text(&stripe["runs"]),
                if runs > 0.0 {
                    significant(collapses / runs)
                } else {
                    String::new()
                },
            ]);
        }
    }
    let columns = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    let median = format!("median {measure}");
    let mut sections = Vec::new();
    if !fits.is_empty() {
        let names = [
            "variant",
            &median,
            "standard error",
            "band",
            "dispersion",
            "standard error",
            "band",
        ];
        sections.push(Section::new("Fragility curves").table(columns(&names), fits));
    }
    if !stripes.is_empty() {
        let names = ["variant", measure, "collapses", "runs", "fraction"];
        sections.push(Section::new("Collapses").table(columns(&names), stripes));
    }
    sections
}

/// An order that was looked for, or the stages of one that was given.
fn order(building: &Value) -> Option<Section> {
    let variant = text(&building["variant"]);
    let heading = match variant.is_empty() {
        true => "Order of construction".to_string(),
        false => format!("Order of construction: {variant}"),
    };
    if let Some(order) = building["order"].as_array() {
        let rows = order
            .iter()
            .enumerate()
            .map(|(k, block)| vec![(k + 1).to_string(), text(block)]);
        return Some(Section::new(heading).table(vec!["stage".into(), "block".into()], rows.collect()));
    }
    let names = |list: &Value| {
        let names: Vec<String> = list.as_array().into_iter().flatten().map(text).collect();
        names.join(", ")
    };
    let stages = building["stages"].as_array().filter(|stages| !stages.is_empty())?;
    let rows = stages.iter().map(|stage| {
        vec![
            text(&stage["stage"]),
            names(&stage["placed"]),
            text(&stage["verdict"]),
            names(&stage["unstable_blocks"]),
        ]
    });
    let columns = ["stage", "placed", "verdict", "blocks that move"].map(String::from);
    Some(Section::new(heading).table(columns.to_vec(), rows.collect()))
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        value => crate::spec::plain(value),
    }
}

fn cell(value: &Value) -> String {
    value.as_f64().map_or_else(|| text(value), significant)
}

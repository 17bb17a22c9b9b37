//! `drystone report`: one HTML page of what a folder holds.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::{Value, json};

use drystone_output::{
    file::write_atomically,
    report::{Image, Report as Page, Section, Tone},
    table::Table,
};

use crate::program::{Failure, report::Console};

/// Put a check or a run into one HTML page
///
/// Reads the folder that `drystone check -o DIR` or `drystone simulate -o DIR` left: verdict, reasons, figures with their
/// units and residuals, pictures. The page needs nothing else: it can be sent and kept.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone check arch.json -o verdict && drystone report verdict -o arch.html
  drystone simulate arch.json --duration 5 -o run && drystone report run")]
pub(crate) struct Report {
    /// Folder of a check or a run
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// File to write [default: report.html in the folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Blocks whose peaks are listed.
const MOST_BLOCKS: usize = 20;
/// Files that are larger are left out of the page (bytes).
const LARGEST: u64 = 20 << 20;

impl Report {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let folder = &self.folder;
        let page = if folder.join("summary.json").is_file() {
            of_run(folder)?
        } else if folder.join("result.json").is_file() {
            of_check(folder)?
        } else {
            let message = format!("{}: neither a check nor a run is there", folder.display());
            let help = "give a folder that `drystone check -o DIR` or `drystone simulate -o DIR` has written";
            return Err(Failure::input(message).help(help));
        };
        let path = self.output.clone().unwrap_or_else(|| folder.join("report.html"));
        write_atomically(&path, page.html().as_bytes()).map_err(Failure::run)?;
        let file = path.display().to_string();
        console.result(&json!({ "file": file }), || format!("{file}  (open it)"))
    }
}

fn read(path: &Path) -> Result<Value, Failure> {
    let text = fs::read_to_string(path).map_err(|e| Failure::input(format!("{}: {e}", path.display())))?;
    serde_json::from_str(&text).map_err(|e| Failure::input(format!("{}: not JSON: {e}", path.display())))
}

/// A picture of the folder, where it is there.
fn picture(section: Section, folder: &Path, name: &str, caption: &str) -> Section {
    let path = folder.join(name);
    let is_small = fs::metadata(&path).is_ok_and(|m| m.len() <= LARGEST);
    let Some(bytes) = is_small.then(|| fs::read(&path).ok()).flatten() else {
        return section;
    };
    let image = match path.extension().and_then(|e| e.to_str()) {
        Some("svg") => Image::Svg(String::from_utf8_lossy(&bytes).into_owned()),
        Some("gif") => Image::Gif(bytes),
        _ => Image::Png(bytes),
    };
    section.image(caption, image)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".into(),
        Value::Bool(is) => if *is { "yes" } else { "no" }.into(),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Number(number) => match number.as_f64() {
            Some(v) if !(number.is_i64() || number.is_u64()) => shown(v),
            _ => number.to_string(),
        },
        Value::Object(_) => value.to_string(),
    }
}

/// A number with six digits that count.
fn shown(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e7).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 8) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

/// Fields of an object as rows: their names in words, with the unit that the name ends in.
fn rows(object: &Value, names: &[&str]) -> Vec<(String, String)> {
    const UNITS: [(&str, &str); 7] = [
        ("_m_s", "m/s"),
        ("_pa", "Pa"),
        ("_ms", "ms"),
        ("_kg", "kg"),
        ("_n", "N"),
        ("_m", "m"),
        ("_s", "s"),
    ];
    let mut rows = Vec::new();
    for &name in names {
        let Some(value) = object.get(name).filter(|v| !v.is_null() && **v != json!([])) else {
            continue;
        };
        let unit = UNITS.iter().find(|(ending, _)| name.ends_with(ending));
        let (word, unit) = unit.map_or((name, ""), |(ending, unit)| (name.trim_end_matches(ending), *unit));
        let shown = format!("{} {unit}", text(value));
        rows.push((word.replace('_', " "), shown.trim_end().to_string()));
    }
    rows
}

/// Problems of the geometry that are listed one by one.
const MOST_PROBLEMS: usize = 20;

fn of_check(folder: &Path) -> Result<Page, Failure> {
    let result = read(&folder.join("result.json"))?;
    let field = |name: &str| result.get(name).and_then(Value::as_str).unwrap_or_default();
    let title = folder.canonicalize().ok();
    let title = title
        .as_deref()
        .unwrap_or(folder)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let mut page = Page::new(title);
    if let Some(verdict) = result.get("verdict").and_then(Value::as_str) {
        let (tone, word) = match verdict {
            "stable" => (Tone::Good, "It stands"),
            "unstable" => (Tone::Bad, "It does not stand"),
            _ => (Tone::Open, "Undecided"),
        };
        // Folders of earlier versions have a reason only.
        let conclusion = [field("conclusion"), field("reason")]
            .into_iter()
            .find(|text| !text.is_empty());
        let headline = [field("headline"), word].into_iter().find(|text| !text.is_empty());
        page = page.verdict(tone, headline.unwrap_or(word), conclusion.unwrap_or_default());
    }
    const FIGURES: [&str; 18] = [
        "verdict",
        "method",
        "assumption",
        "proven",
        "reason",
        "residual",
        "max_force_n",
        "tension_n",
        "cone_margin",
        "work",
        "growth",
        "displacement_m",
        "unstable_blocks",
        "multiplier",
        "bounds",
        "critical_tilt_deg",
        "certificate",
        "time_s",
    ];
    page = page.section(Section::new("Verdict").rows(rows(&result, &FIGURES)));
    let problems = result.get("geometry_problems").and_then(Value::as_array);
    let messages: Vec<String> = problems
        .into_iter()
        .flatten()
        .filter_map(|p| p.get("message").map(text))
        .collect();
    if !messages.is_empty() {
        let mut section = Section::new("Problems of the geometry");
        for (k, message) in messages.iter().take(MOST_PROBLEMS).enumerate() {
            section = section.row((k + 1).to_string(), message.clone());
        }
        if messages.len() > MOST_PROBLEMS {
            section = section.row("", format!("{} more", messages.len() - MOST_PROBLEMS));
        }
        page = page.section(section);
    }
    for other in result.get("others").and_then(Value::as_array).into_iter().flatten() {
        let method = other.get("method").map(text).unwrap_or_default();
        page = page.section(Section::new(format!("By {method}")).rows(rows(other, &FIGURES)));
    }
    let mut forces = Section::new("Forces");
    if let Ok(results) = read(&folder.join("results.json")) {
        const SUMS: [&str; 5] = [
            "load_n",
            "reaction_n",
            "tension_n",
            "largest_friction_use",
            "largest_stress_pa",
        ];
        forces = forces.rows(rows(&results, &SUMS));
        let states = results.get("states").and_then(Value::as_array).into_iter().flatten();
        let named = states.filter_map(|s| Some((format!("joints: {}", s.get(0)?.as_str()?), text(s.get(1)?))));
        forces = forces.rows(named);
    }
    Ok(page.section(picture(
        forces,
        folder,
        "forces.svg",
        "Resultants of the joints and thrust lines",
    )))
}

fn of_run(folder: &Path) -> Result<Page, Failure> {
    let summary = read(&folder.join("summary.json"))?;
    let asked = read(&folder.join("run.json")).unwrap_or_default();
    let name = asked.get("model").and_then(Value::as_str).filter(|n| !n.is_empty());
    let collapsed = summary.get("collapsed").and_then(Value::as_bool).unwrap_or(false);
    let extent = summary.get("collapse").and_then(Value::as_str);
    let (tone, word) = match (collapsed, extent) {
        (true, Some("partial")) => (Tone::Bad, "It collapsed partially"),
        (true, _) => (Tone::Bad, "It collapsed"),
        (false, _) => (Tone::Good, "It did not collapse"),
    };
    let ended = summary.get("ended").and_then(Value::as_str).unwrap_or_default();
    let mut page = Page::new(name.unwrap_or("Run")).verdict(tone, word, format!("The run went on until {ended}."));
    page = page.section(Section::new("Input").rows(rows(
        &asked,
        &["motions", "loads", "every_s", "monitor", "dt_s", "method"],
    )));
    page = page.section(Section::new("Results").rows(rows(
        &summary,
        &[
            "time_s",
            "steps",
            "collapse",
            "collapse_time_s",
            "at_rest",
            "max_displacement_m",
            "max_displacement_block",
            "max_displacement_time_s",
            "max_speed_m_s",
            "max_speed_block",
            "max_speed_time_s",
            "residual_drift_m",
            "residual_drift_block",
            "final_speed_m_s",
            "fallen_fraction",
            "max_potential_drop",
            "bonds",
            "broken_bonds",
            "energy_balance_error",
            "energy_created_j",
            "worst_residual",
            "steps_above_tolerance",
            "wall_s",
            "step_ms_median",
            "threads",
        ],
    )));
    if let Some(peaks) = peaks(folder) {
        page = page.section(peaks);
    }
    let mut pictures = Section::new("Pictures");
    for (file, caption) in [
        ("film.gif", "The run"),
        ("energies.svg", "Energies by weight"),
        ("ties.svg", "Forces in ties"),
        ("displacement-x.svg", "Displacements along x"),
        ("displacement-y.svg", "Displacements along y"),
        ("displacement-z.svg", "Displacements along z"),
    ] {
        pictures = picture(pictures, folder, file, caption);
    }
    Ok(page.section(pictures))
}

/// The blocks that moved farthest, where the folder has the table.
fn peaks(folder: &Path) -> Option<Section> {
    let table = Table::read(&folder.join("peaks.parquet"), None).ok()?;
    let column = |name: &str| table.floats(name);
    let (moved, at) = (column("max_displacement_m")?, column("max_displacement_time_s")?);
    let (speed, drift) = (column("max_speed_m_s")?, column("residual_drift_m")?);
    let names = table.texts("name")?;
    let mut order: Vec<usize> = (0..table.rows()).collect();
    order.sort_by(|&a, &b| moved[b].total_cmp(&moved[a]));
    let rows = order.into_iter().take(MOST_BLOCKS).map(|k| {
        let [d, t, v, r] = [moved[k], at[k], speed[k], drift[k]].map(shown);
        vec![names[k].to_string(), d, t, v, r]
    });
    let columns = [
        "block",
        "largest displacement (m)",
        "at (s)",
        "largest speed (m/s)",
        "residual drift (m)",
    ];
    Some(
        Section::new("Blocks that moved farthest")
            .text("Of centres of mass, relative to the ground. All blocks are in peaks.parquet.")
            .table(columns.map(String::from).to_vec(), rows.collect()),
    )
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn numbers_have_the_digits_that_count() {
        let texts = [-0.0, 47_397.897_537, 0.563_809_397, 2.5, 6.758e9, 1.1e-14].map(shown);
        assert_eq!(texts, ["0", "47397.9", "0.563809", "2.5", "6.758e9", "1.100e-14"]);
    }
}

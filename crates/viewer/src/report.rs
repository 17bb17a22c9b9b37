//! The page that sums up: what was asked, the verdict, figures with their residuals, pictures.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use drystone_analysis::{
    assumption,
    words::{force, joint_laws, length, mass, pressure},
};
use drystone_mechanics::statics::{Verdict, results};
use drystone_model::Model;
use drystone_output::{
    plot::{Panel, Plot},
    report::{Image, Report, Section, Tone},
    statics::{Drawing, joint_forces, thrust_lines},
};
use serde_json::Value;

use crate::{
    ask::{Checked, checked},
    protocol::{Export, Refusal, Situation},
    runs::Run,
    session::Session,
};

/// Blocks named one by one.
const MOST_NAMED: usize = 20;

pub(crate) fn report(session: &mut Session, asked: &Export) -> Result<String, Refusal> {
    let model = session.model()?;
    let picture = asked.picture.as_deref().map(png).transpose()?;
    let name = if model.name.is_empty() {
        "Structure"
    } else {
        &model.name
    };
    let mut report = Report::new(name);
    // A run of an earlier socket is gone; the rest can still be reported.
    let run = asked.which.and_then(|which| session.runs.find(Some(which)).ok());
    let (mut sections, mut failure, mut at_rest) = (Vec::new(), None, None);
    match checked(session, &asked.situation, asked.method) {
        Ok(found) => {
            let tone = match found.conclusion.verdict {
                Verdict::Stable => Tone::Good,
                Verdict::Unstable => Tone::Bad,
                Verdict::Undecided => Tone::Open,
            };
            report = report.verdict(tone, found.conclusion.headline, found.conclusion.sentence.clone());
            at_rest = Some(found.conclusion.sentence.clone());
            sections.push(statics(&found));
            sections.push(forces(session, &found, &model)?);
        }
        // A structure that cannot be asked about may still have been shaken.
        Err(refusal) => failure = Some(refusal),
    }
    if let (Some(refusal), None) = (&failure, &run) {
        return Err(refusal.clone());
    }
    let mut shown = Section::new("As shown");
    if let Some(Value::Object(view)) = &asked.view {
        shown = shown.rows(view.iter().map(|(name, value)| (name.clone(), plain(value))));
    }
    if let Some(picture) = picture {
        shown = shown.image("The structure as the page showed it", Image::Png(picture));
    }
    report = report
        .section(shown)
        .section(structure(&model))
        .section(situation(&asked.situation));
    for section in sections {
        report = report.section(section);
    }
    if let Some(run) = run {
        // A report with a run is about the run: what a check says of it at rest comes after.
        if let Some((tone, headline, sentence)) = outcome(&run) {
            let before = at_rest.map_or_else(String::new, |sentence| format!(" At rest, before: {sentence}"));
            report = report.verdict(tone, headline, sentence + &before);
        }
        report = report.section(shaking(&run)?);
    }
    Ok(report.html())
}

/// What came of a run, for the head of a report; nothing where it has not ended.
fn outcome(run: &Run) -> Option<(Tone, &'static str, String)> {
    let ended = run.ended()?;
    let number = |name: &str| ended[name].as_f64();
    let moved =
        number("max_displacement_m").map_or_else(String::new, |m| format!("Blocks moved by up to {}.", length(m)));
    let time = format!("{:.2} s", run.duration());
    Some(match ended["collapse"].as_str()? {
        "none" if ended["ended"] == "finished" => (
            Tone::Good,
            "Does not collapse",
            format!("It did not collapse in the {time} of this run. {moved}"),
        ),
        "none" => (
            Tone::Open,
            "Run not finished",
            format!("It had not collapsed in the first {time}, when the run was stopped. {moved}"),
        ),
        extent => {
            let headline = if extent == "partial" {
                "Collapses partially"
            } else {
                "Collapses"
            };
            let when = number("collapse_time_s").map_or_else(String::new, |t| format!(" after {t:.2} s"));
            (Tone::Bad, headline, format!("In this run it collapsed{when}. {moved}"))
        }
    })
}

/// The bytes of a picture that the page sends, if it is one.
fn png(text: &str) -> Result<Vec<u8>, Refusal> {
    let text = text.strip_prefix("data:image/png;base64,").unwrap_or(text);
    let bytes = STANDARD
        .decode(text)
        .map_err(|e| Refusal::new(format!("the picture is not base64: {e}")))?;
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Ok(bytes)
    } else {
        Err(Refusal::new("the picture is no PNG file"))
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn structure(model: &Model) -> Section {
    let free = model.free_blocks().count();
    let kg: f64 = model.free_blocks().map(|b| model.mass_of(b).0).sum();
    let size = model.bounds(|_| true).size();
    let g = model.gravity;
    let section = Section::new("Structure")
        .row("blocks", format!("{free} free, {} supports", model.blocks.len() - free))
        .row("mass of the free blocks", mass(kg))
        .row("size", format!("{:.3} × {:.3} × {:.3} m", size.x, size.y, size.z))
        .row("joint laws", joint_laws(&model.joints))
        .row("gravity", format!("{}, {}, {} m/s²", g.x, g.y, g.z));
    if model.description.is_empty() {
        section
    } else {
        section.text(model.description.clone())
    }
}

fn situation(situation: &Situation) -> Section {
    let mut section = Section::new("Assumptions other than the model's");
    if let Some(friction) = situation.friction {
        section = section.row("friction of every joint", format!("{friction}"));
    }
    if let Some(density) = situation.density {
        section = section.row("density of every block", format!("{density} kg/m³"));
    }
    if let Some(tilt) = &situation.tilt {
        let [x, y, z] = tilt.axis.to_array();
        section = section.row("tilt", format!("{}° about {x}, {y}, {z}", tilt.angle_deg));
    }
    if let Some(fixed) = &situation.fixed {
        section = section.row("supports", named(fixed));
    }
    if let Some(only) = &situation.only {
        section = section.row("only these blocks, the others being supports", named(only));
    }
    for load in &situation.loads {
        section = section.row("load case", format!("{} × {}", load.factor, load.case));
    }
    section
}

fn named(names: &[String]) -> String {
    let some = names.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => some,
        more => format!("{some} and {more} more"),
    }
}

fn statics(found: &Checked) -> Section {
    let check = &found.check;
    let mut section = Section::new("Verdict")
        .row("verdict", found.conclusion.verdict.name())
        .row("method", check.method.name())
        .row("assumes", assumption(check.method.self_stress()))
        .row("because", found.answer.reason());
    for line in found.geometry.lines() {
        section = section.row("geometry", line);
    }
    if !check.forces.is_empty() {
        section = section.row("largest force at a point", force(check.largest_force()));
    }
    if !check.tensions.is_empty() {
        section = section.row("tension that would hold it", force(check.tension()));
    }
    if !check.unstable_blocks.is_empty() {
        let names: Vec<String> = check
            .unstable_blocks
            .iter()
            .map(|&b| found.posed.structure.names[b].clone())
            .collect();
        section = section.row("blocks that move or need tension", named(&names));
    }
    for detail in found.answer.details() {
        section = section.row("details", detail);
    }
    section.row("time", format!("{:.1} ms", 1e3 * check.time))
}

fn forces(session: &mut Session, found: &Checked, model: &Model) -> Result<Section, Refusal> {
    let posed = &found.posed;
    let results = results::results(
        &posed.model,
        &posed.structure,
        &found.loads,
        &found.check,
        &mut session.solvers,
    )?;
    let section = Section::new("Forces");
    if results.joints.is_empty() {
        return Ok(section);
    }
    let states = results.states.iter().filter(|(_, count)| *count > 0);
    let mut section = section.rows(states.map(|(name, count)| (format!("joints: {name}"), count.to_string())));
    if let Some(used) = results.largest_friction_use {
        section = section.row("largest use of friction", format!("{:.1} %", 100.0 * used));
    }
    if let Some(stress) = results.largest_stress_pa {
        section = section.row("largest contact stress", pressure(stress));
    }
    if let Some(range) = &results.thrust_range {
        let [least, most] = [range.minimum.horizontal_n, range.maximum.horizontal_n];
        section = section.row(
            "horizontal thrust that is possible",
            format!("{} to {}", force(least), force(most)),
        );
    }
    let joints = joint_forces(&posed.structure, &results.joints);
    let lines = thrust_lines(&results);
    let drawing = Drawing::new(model, &joints, &lines).svg().map_err(Refusal::new)?;
    Ok(section.image("Resultants of the joints and thrust lines", Image::Svg(drawing)))
}

/// Rows of what a run came to: objects within it field by field, lists entry by entry.
fn rows(name: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(fields) => {
            let inner = |(field, value): (&String, &Value)| {
                let field = field.replace('_', " ");
                rows(format!("{name} {field}").trim(), value)
            };
            fields.iter().flat_map(inner).collect()
        }
        Value::Array(entries) => entries.iter().flat_map(|entry| rows(name, entry)).collect(),
        other => vec![(name.to_string(), plain(other))],
    }
}

fn shaking(run: &Run) -> Result<Section, Refusal> {
    let frames = run.frames();
    let mut section = Section::new("Shaking")
        .rows(run.asked.iter().cloned())
        .row("simulated", format!("{} s, {} frames", run.duration(), frames.len()));
    if let Some(ended) = run.ended() {
        section = section.rows(rows("", &ended));
    }
    if frames.len() < 2 {
        return Ok(section);
    }
    let line = |of: &dyn Fn(&crate::runs::RunFrame) -> f64| frames.iter().map(|f| [f.time, of(f)]).collect::<Vec<_>>();
    let panel = Panel::new("time (s)", "energy (J)")
        .line("kinetic", line(&|f| f.kinetic))
        .line("potential", line(&|f| f.potential))
        .line("dissipated", line(&|f| f.dissipated));
    let plot = Plot::new().panel(panel).svg().map_err(Refusal::new)?;
    Ok(section.image("Energies", Image::Svg(plot)))
}

//! The report of the page: what it shows, as the document that `drystone report` writes.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use drystone_mechanics::statics::{Verdict, results};
use drystone_model::Model;
use drystone_output::{
    history::Rest,
    plot::{Panel, Plot},
    report::{About, Cover, Document, Figure, Image, Still, stills, today},
    statics::{Drawing, MechanismDrawing, joint_forces, thrust_lines},
};
use serde_json::{Value, json};

use crate::{
    ask::{Checked, checked},
    protocol::{Export, Refusal, Situation},
    runs::{Run, RunFrame},
    session::Session,
};

/// Blocks named one by one.
const MOST_NAMED: usize = 20;
/// Moments of a run that are shown.
const MOMENTS: usize = 4;

pub(crate) fn report(session: &mut Session, asked: &Export) -> Result<String, Refusal> {
    let model = session.model()?;
    let mut figures = Vec::new();
    if let Some(picture) = asked.picture.as_deref() {
        figures.push(figure("shown", Image::Png(png(picture)?)));
    }
    // A run of an earlier socket is gone; the rest can still be reported.
    let run = asked.which.and_then(|which| session.runs.find(Some(which)).ok());
    // A structure that cannot be asked about may still have been shaken.
    let found = match checked(session, &asked.situation, asked.method) {
        Ok(found) => Some(found),
        Err(refusal) if run.is_none() => return Err(refusal),
        Err(_) => None,
    };
    let mut forces = None;
    let mut check = None;
    if let Some(found) = &found {
        check = Some(
            found
                .conclusion
                .stated(&found.answer, &found.geometry)
                .map_err(Refusal::new)?,
        );
        let (told, drawn) = statics(session, found)?;
        forces = Some(told);
        figures.extend(drawn);
    }
    let situated = situated(&model, found.as_ref(), &asked.situation);
    let view = asked.view.as_ref().and_then(Value::as_object).into_iter().flatten();
    let mut settings: Vec<(String, String)> = view.map(|(name, value)| (name.clone(), plain(value))).collect();
    let (mut moments, mut ended) = (Vec::new(), None);
    if let Some(run) = &run {
        settings.extend(run.asked.iter().cloned());
        figures.extend(histories(run)?);
        moments = still(run)?;
        // One that goes on is told as far as it is.
        ended = Some(
            run.ended()
                .unwrap_or_else(|| json!({ "time_s": run.duration(), "ended": "stopped" })),
        );
    }
    // What is shaken is what the report is about; whether it stands at rest comes beside it.
    let (about, beside) = match (&ended, &check) {
        (Some(ended), check) => (Some((About::Run, ended)), check.as_ref()),
        (None, check) => (check.as_ref().map(|check| (About::Check, check)), None),
    };
    let certificate = found.as_ref().and_then(|found| {
        let accepted = found.answer.finding.proof.refused().is_none();
        found.answer.certificate.clone().filter(|_| accepted)
    });
    let of = run.as_ref().map_or(&situated, |run| &run.model);
    let document = Document {
        cover: Cover {
            date: Some(today()),
            ..Cover::default()
        },
        model: Some(of),
        as_read: Some(&model),
        changed: changes(&asked.situation),
        tilt: asked.situation.tilt.as_ref().map(|t| (t.axis.to_array(), t.angle_deg)),
        loads: asked
            .situation
            .loads
            .iter()
            .map(|l| (l.case.clone(), l.factor))
            .collect(),
        settings,
        about,
        beside,
        forces: forces.as_ref(),
        certificates: certificate
            .into_iter()
            .map(|c| ("certificate.json".to_string(), c))
            .collect(),
        figures,
        stills: moments,
        // No option scales friction.
        command: (run.is_none() && asked.situation.friction_factor.is_none()).then(|| command(&model, asked)),
        ..Document::default()
    };
    document.html().map_err(Refusal::new)
}

fn figure(name: &str, image: Image) -> Figure {
    Figure {
        name: name.to_string(),
        image,
    }
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

/// The model as it is asked about.
fn situated(model: &Model, found: Option<&Checked>, situation: &Situation) -> Model {
    let mut model = found.map_or_else(|| model.clone(), |found| found.posed.model.clone());
    if let Some(friction) = situation.friction {
        model.joints.set_friction(friction);
    }
    model
}

/// Assumptions other than the model's.
fn changes(situation: &Situation) -> Vec<(String, String)> {
    let mut changed = Vec::new();
    let mut add = |what: &str, to: Option<String>| changed.extend(to.map(|to| (what.to_string(), to)));
    add("friction of every joint", situation.friction.map(|f| f.to_string()));
    let factor = situation
        .friction_factor
        .map(|factor| format!("{factor} times its own"));
    add("friction of every joint", factor);
    add(
        "density of every block",
        situation.density.map(|density| format!("{density} kg/m³")),
    );
    add("supports", situation.fixed.as_deref().map(named));
    let only = situation.only.as_deref().map(named);
    add("only these blocks are free", only);
    changed
}

fn named(names: &[String]) -> String {
    let some = names.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MOST_NAMED) {
        0 => some,
        more => format!("{some} and {more} more"),
    }
}

/// The command line that asks the same of the model's file, but for supports that were set free or fixed by name.
fn command(model: &Model, asked: &Export) -> String {
    let name = if model.name.is_empty() { "model" } else { &model.name };
    let situation = &asked.situation;
    let mut words = vec![format!(
        "drystone check '{}.json' --method {}",
        name.replace('\'', ""),
        asked.method.method().name()
    )];
    words.extend(situation.friction.map(|f| format!("--friction {f}")));
    words.extend(situation.density.map(|d| format!("--density {d}")));
    words.extend(situation.tilt.as_ref().map(|tilt| {
        let [x, y, z] = tilt.axis.to_array();
        format!("--tilt-axis {x},{y},{z} --tilt-deg {}", tilt.angle_deg)
    }));
    let loads = situation.loads.iter();
    words.extend(loads.map(|load| format!("--load '{}:{}'", load.case.replace('\'', ""), load.factor)));
    words.join(" ")
}

/// What statics found, and drawings of it.
fn statics(session: &mut Session, found: &Checked) -> Result<(Value, Vec<Figure>), Refusal> {
    let posed = &found.posed;
    let results = results::results(
        &posed.model,
        &posed.structure,
        &found.loads,
        &found.check,
        &mut session.solvers,
    )?;
    let mut drawn = Vec::new();
    let check = &found.check;
    if check.verdict == Verdict::Unstable && !check.motions.is_empty() {
        let drawing = MechanismDrawing::new(&posed.model, &posed.structure, &check.motions);
        drawn.push(figure("mechanism", Image::Svg(drawing.svg().map_err(Refusal::new)?)));
    }
    if !results.joints.is_empty() {
        let joints = joint_forces(&posed.structure, &results.joints);
        let lines = thrust_lines(&results);
        let drawing = Drawing::new(&posed.model, &joints, &lines)
            .svg()
            .map_err(Refusal::new)?;
        drawn.push(figure("forces", Image::Svg(drawing)));
    }
    Ok((serde_json::to_value(&results).map_err(Refusal::new)?, drawn))
}

/// Displacements and energies over time.
fn histories(run: &Run) -> Result<Vec<Figure>, Refusal> {
    let frames = run.frames();
    if frames.len() < 2 {
        return Ok(Vec::new());
    }
    let line = |of: &dyn Fn(&RunFrame) -> f64| frames.iter().map(|f| [f.time, of(f)]).collect::<Vec<_>>();
    let rest = Rest::of(&run.model);
    let moved = |frame: &RunFrame| {
        let ground = glam::Vec3::from_array(frame.ground).as_dvec3();
        let blocks = run.model.blocks.iter().zip(rest.centres()).zip(frame.states());
        let free = blocks.filter(|((block, _), _)| !block.fixed);
        let distances = free.map(|((_, centre), state)| (state.position - *centre - ground).length());
        distances.fold(0.0, f64::max)
    };
    let displacement = Panel::new("time (s)", "displacement (m)").line("largest, against the ground", line(&moved));
    let energies = Panel::new("time (s)", "energy (J)")
        .line("kinetic", line(&|f| f.kinetic))
        .line("potential", line(&|f| f.potential))
        .line("dissipated", line(&|f| f.dissipated));
    [("displacement", displacement), ("energies", energies)]
        .into_iter()
        .map(|(name, panel)| {
            let plot = Plot::new().panel(panel).svg().map_err(Refusal::new)?;
            Ok(figure(name, Image::Svg(plot)))
        })
        .collect()
}

/// Moments of a run at equal distances, the first and the last among them.
fn still(run: &Run) -> Result<Vec<Still>, Refusal> {
    let frames = run.frames();
    let mut wanted: Vec<usize> = (0..MOMENTS)
        .map(|k| k * frames.len().saturating_sub(1) / (MOMENTS - 1))
        .collect();
    wanted.dedup();
    let moments: Vec<_> = wanted
        .into_iter()
        .filter_map(|k| frames.get(k))
        .map(|frame| (frame.time, frame.states()))
        .collect();
    stills(&run.model, &moments).map_err(Refusal::new)
}

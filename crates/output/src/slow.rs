//! Slow loading: the path as a table and a curve, cracks drawn on the structure, states as models, the motion at the end.

use std::{fmt::Write, path::Path};

use drystone_analysis::{Failure, JointOpening, SettleAnswer, moved_model};
use drystone_contact::Placement;
use drystone_mechanics::Structure;
use drystone_model::{Model, file::to_text};

use crate::{
    OutputError, Rgb,
    deformed::{StressMap, StressTables, unstructured_grid},
    file::write_atomically,
    glb::Animation,
    history::{BlockState, Frame, Rest},
    marks::Mark,
    picture::{Picture, View},
    plot::{Panel, Plot},
    statics::mechanism,
};

const CRACK: Rgb = Rgb([0xc8, 0x10, 0x2e]);
const SLIP: Rgb = Rgb([0x00, 0x57, 0xb8]);
/// Width of the widest crack, over that of thin lines, and of the narrowest that is drawn.
const WIDTHS: [f64; 2] = [7.0, 1.2];
/// Openings and slips, over the largest of either, that are drawn.
const SMALLEST: f64 = 0.02;
/// Seconds of the animation.
const DURATION: f64 = 6.0;

/// Writes into a folder: `path.csv`, `joints.csv`, the curve and the cracks as SVG and PNG, the structure after each stage as a
/// model, the path as an animation, and, where it ends before its last stage, the motion that follows. Where blocks deform, their
/// elements, stresses and a picture of them after each stage. Gives the names of the files.
pub fn write_files(
    dir: &Path,
    model: &Model,
    structure: &Structure,
    answer: &SettleAnswer,
) -> Result<Vec<String>, Failure> {
    let initial: &[Placement] = &(0..structure.len()).map(|b| structure.initial(b)).collect::<Vec<_>>();
    let mut files: Vec<(String, Vec<u8>)> = vec![
        ("path.csv".into(), path_table(answer).into_bytes()),
        ("joints.csv".into(), joint_table(model, answer).into_bytes()),
    ];
    let curve = curve(answer);
    files.push(("curve.svg".into(), curve.svg().map_err(Failure::run)?.into_bytes()));
    files.push(("curve.png".into(), curve.png().map_err(Failure::run)?));
    let of = match model.name.as_str() {
        "" => "structure",
        name => name,
    };
    let mut tables = StressTables::new("stage");
    for (k, state) in answer.states.iter().enumerate() {
        let moved = moved_model(model, initial, &state.placements, &state.absent);
        files.push((
            format!("stage-{}.json", k + 1),
            to_text(&moved).map_err(Failure::run)?.into_bytes(),
        ));
        let name = &answer.stages[k].name;
        let drawing =
            CrackMap::new(&moved, &state.joints, structure.length).title(format!("{of}: cracks after `{name}`"));
        files.push((
            format!("cracks-{}.svg", k + 1),
            drawing.svg().map_err(Failure::run)?.into_bytes(),
        ));
        files.push((format!("cracks-{}.png", k + 1), drawing.png().map_err(Failure::run)?));
        let field = state.field(structure);
        if field.is_empty() {
            continue;
        }
        tables.push(k as u64 + 1, model, &field);
        files.push((format!("deformed-{}.vtu", k + 1), unstructured_grid(model, &field)));
        let drawing = StressMap::new(model, &field, initial, &state.placements, &state.absent)
            .title(format!("{of}: stress after `{name}`"));
        files.push((
            format!("stress-{}.svg", k + 1),
            drawing.svg().map_err(Failure::run)?.into_bytes(),
        ));
        files.push((format!("stress-{}.png", k + 1), drawing.png().map_err(Failure::run)?));
    }
    files.push((
        "path.glb".into(),
        animation(model, &answer.frames).map_err(Failure::run)?,
    ));
    if !answer.motions.is_empty()
        && let Some(state) = answer.states.last()
        && !state.absent.contains(&true)
    {
        let moved = moved_model(model, initial, &state.placements, &state.absent);
        files.push((
            "mechanism.glb".into(),
            mechanism(&moved, &answer.motions).map_err(Failure::run)?,
        ));
    }
    std::fs::create_dir_all(dir).map_err(|e| Failure::run(format!("cannot make `{}`: {e}", dir.display())))?;
    let mut written = Vec::new();
    for (name, bytes) in files {
        write_atomically(&dir.join(&name), &bytes).map_err(Failure::run)?;
        written.push(name);
    }
    if tables.nodes().rows() > 0 {
        written.extend(tables.write(dir).map_err(Failure::run)?);
    }
    Ok(written)
}

/// One row for each equilibrium.
fn path_table(answer: &SettleAnswer) -> String {
    let mut text = String::from("stage,done,gravity");
    for name in &answer.load_cases {
        // Writing to a string does not fail.
        let _ = write!(text, ",load {}", name.replace([',', '"', '\n'], " "));
    }
    text.push_str(",max_displacement_m,along_loads_m,rounds,residual_m\n");
    for point in &answer.points {
        let _ = write!(text, "{},{},{}", point.stage + 1, point.done, point.gravity);
        for factor in &point.factors {
            let _ = write!(text, ",{factor}");
        }
        let _ = writeln!(
            text,
            ",{:e},{:e},{},{:e}",
            point.displacement, point.along_loads, point.rounds, point.residual
        );
    }
    text
}

/// One row for each joint after each stage.
fn joint_table(model: &Model, answer: &SettleAnswer) -> String {
    let mut text = String::from("stage,first_block,second_block,opening_m,slip_m\n");
    for (k, state) in answer.states.iter().enumerate() {
        for joint in &state.joints {
            let [a, b] = joint
                .blocks
                .map(|b| model.blocks[b].name.replace([',', '"', '\n'], " "));
            let _ = writeln!(text, "{},{a},{b},{:e},{:e}", k + 1, joint.opening, joint.slip);
        }
    }
    text
}

/// Load against displacement: where load cases act, each of their factors over the displacement along them; otherwise the
/// largest displacement over the progress.
fn curve(answer: &SettleAnswer) -> Plot {
    let mm = |x: f64| 1e3 * x;
    let mut plot = Plot::new().title("Slow loading");
    let mut any = false;
    for (k, name) in answer.load_cases.iter().enumerate() {
        let acts = |p: &&drystone_mechanics::slow::PathPoint| p.along_loads != 0.0 || p.factors[k] != 0.0;
        let points: Vec<[f64; 2]> = answer
            .points
            .iter()
            .filter(acts)
            .map(|p| [mm(p.along_loads), p.factors[k]])
            .collect();
        if points.len() > 1 {
            plot = plot.panel(
                Panel::new("displacement along the loads (mm)", format!("factor of {name}")).line(name.clone(), points),
            );
            any = true;
        }
    }
    if !any {
        let points = answer
            .points
            .iter()
            .map(|p| [p.stage as f64 + p.done, mm(p.displacement)])
            .collect();
        plot = plot.panel(Panel::new("stage", "largest displacement (mm)").line("displacement", points));
    }
    plot
}

fn animation(model: &Model, frames: &[Vec<Placement>]) -> Result<Vec<u8>, OutputError> {
    let rest = Rest::of(model);
    let mut animation = Animation::new(model)?;
    let every = frames.len().div_ceil(300).max(1);
    let shown: Vec<&Vec<Placement>> = frames.iter().step_by(every).chain(frames.last()).collect();
    let still = drystone_cone::Twist::ZERO;
    let all = std::iter::once(rest.frame()).chain(
        shown
            .iter()
            .map(|placements| placements.iter().map(|p| BlockState::new(p, &still)).collect()),
    );
    for (k, blocks) in all.enumerate() {
        animation.push(&Frame {
            step: k as u64,
            time_s: DURATION * k as f64 / shown.len().max(1) as f64,
            blocks: &blocks,
            contacts: &[],
            measures: &[],
        })?;
    }
    animation.glb()
}

/// A structure with its cracks and slips: openings are red, slips blue, the wider the larger.
pub struct CrackMap<'a> {
    model: &'a Model,
    joints: &'a [JointOpening],
    /// Size of a block (m), by which cracks are measured that are none.
    length: f64,
    title: String,
}

impl<'a> CrackMap<'a> {
    /// A drawing of a model where its blocks are now.
    pub fn new(model: &'a Model, joints: &'a [JointOpening], length: f64) -> Self {
        Self {
            model,
            joints,
            length,
            title: String::new(),
        }
    }

    /// A line of text above it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// As a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, OutputError> {
        self.picture().marked_png(&|stage| self.marks(stage))
    }

    /// As an SVG file.
    pub fn svg(&self) -> Result<String, OutputError> {
        self.picture().marked_svg(&|stage| self.marks(stage))
    }

    fn picture(&self) -> Picture<'a> {
        Picture::new(self.model)
            .view(View::of(self.model))
            .title(self.title.clone())
            .pale(0.35)
            .aside(320.0)
    }

    fn marks(&self, stage: &crate::picture::Stage<'_>) -> Vec<Mark> {
        // What is nothing beside a block is no crack.
        let nothing = 1e-6 * self.length;
        let largest = self
            .joints
            .iter()
            .map(|j| j.opening.max(j.slip))
            .fold(nothing, f64::max);
        let mut marks = Vec::new();
        let least = (SMALLEST * largest).max(nothing);
        let width = |x: f64| stage.line * (WIDTHS[1] + (WIDTHS[0] - WIDTHS[1]) * (x / largest).clamp(0.0, 1.0));
        for (of, color) in [
            ((|j: &JointOpening| j.slip) as fn(&JointOpening) -> f64, SLIP),
            (|j: &JointOpening| j.opening, CRACK),
        ] {
            for joint in self.joints.iter().filter(|j| of(j) > least) {
                let places: Vec<_> = joint.outline.iter().map(|&p| stage.place(p)).collect();
                // A joint seen square on is a line: its two corners that are farthest apart.
                let pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
                let far = pairs.max_by(|a, b| {
                    let d = |(i, j): &(usize, usize)| places[*i].distance_squared(places[*j]);
                    d(a).total_cmp(&d(b))
                });
                if let Some((i, j)) = far {
                    marks.push(Mark::Line {
                        points: vec![places[i], places[j]],
                        width: width(of(joint)),
                        color,
                        dash: None,
                    });
                }
            }
        }
        let text = 0.86 * stage.capitals;
        let mut pen = glam::DVec2::new(stage.size.x - stage.margin - 17.0 * text, stage.margin + 4.0 * text);
        for (what, of, color) in [
            (
                "opening",
                (|j: &JointOpening| j.opening) as fn(&JointOpening) -> f64,
                CRACK,
            ),
            ("slip", |j: &JointOpening| j.slip, SLIP),
        ] {
            let most = self.joints.iter().map(of).fold(0.0, f64::max);
            let shown = if most > nothing {
                format!("up to {}", drystone_analysis::words::length(most))
            } else {
                "none".to_string()
            };
            marks.push(Mark::Line {
                points: vec![
                    pen - glam::DVec2::new(0.0, 0.4 * text),
                    pen + glam::DVec2::new(3.0 * text, -0.4 * text),
                ],
                width: width(most.max(least)),
                color,
                dash: None,
            });
            marks.push(stage.text(format!("{what} {shown}"), pen + glam::DVec2::new(3.9 * text, 0.0), text));
            pen.y += 2.3 * text;
        }
        marks
    }
}

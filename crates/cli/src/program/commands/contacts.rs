use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use drystone_analysis::Geometry;
use drystone_contact::{Choice, Joint, Search, Survey, interfaces::SearchSettings, survey};
use drystone_model::{
    Block, Model, StoredFrame, StoredInterface, file,
    geometry::{Plane, Polyhedron},
};
use drystone_output::{file::write_atomically, picture::Picture, vtk};

use crate::program::{
    Failure, joints,
    overrides::Overrides,
    report::{Console, area, count, length, table},
};

/// Show where blocks touch: interfaces, contact points, areas, gaps and overlaps
///
/// Joints stored with a model are honoured; blocks that are not convex are searched face by face, others by their convex
/// parts. Joints between two supports are left out. Analyses find the same joints by the same settings (--joint-distance,
/// --joint-angle-deg, kept in the model); joints found in another way are theirs once they are stored (-o model.json).
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone contacts wall.json
  drystone contacts wall.json --json
  drystone contacts wall.json -o joints.vtp -o joints.png
  drystone contacts wall.json --joint-distance 0.012 -o joined.json
  drystone contacts scan.json --search faces --distance 0.05 --angle-deg 15 --merge-angle-deg 25 -o joined.json")]
pub(crate) struct Contacts {
    /// Model file
    model: PathBuf,
    /// How joints are found; left out: the way that suits the model
    #[arg(long, value_enum)]
    search: Option<SearchName>,
    /// How far blocks may be apart or overlap and still touch, as a fraction of the smaller one's size [default: the
    /// model's contact tolerance]
    #[arg(long, value_name = "FRACTION", value_parser = fraction)]
    distance: Option<f64>,
    /// By faces: how far two faces may be from parallel (degrees)
    #[arg(long, value_name = "DEG", value_parser = angle)]
    angle_deg: Option<f64>,
    /// By faces: join neighbouring faces of a block that differ by no more than this (degrees), for warped faces
    #[arg(long, value_name = "DEG", value_parser = angle)]
    merge_angle_deg: Option<f64>,
    /// File to write to: .json (the model with these joints stored, for every analysis), .vtp (ParaView), .png or .svg. May
    /// be given several times
    #[arg(short, long = "output", value_name = "FILE")]
    outputs: Vec<PathBuf>,
    #[command(flatten)]
    overrides: Overrides,
}

/// How joints are found.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SearchName {
    /// By the contacts of convex parts
    Parts,
    /// By faces that lie on each other
    Faces,
    /// As stored with the model
    Stored,
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 0.5 => Ok(value),
        _ => Err("must be a number above 0 and at most 0.5".into()),
    }
}

fn angle(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=60.0).contains(&value) => Ok(value),
        _ => Err("must be a number of degrees from 0 to 60".into()),
    }
}

impl Contacts {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let touching = self.of(&file::read(&self.model)?, console)?;
        console.result(&touching.result, || table(&touching.rows()))
    }

    /// Finds the joints of a model, and writes what is to be written.
    pub(crate) fn of(&self, model: &Model, console: &Console) -> Result<Touching, Failure> {
        let mut model = self.overrides.changes().apply(model)?;
        let choice = joints::settle(&mut model);
        let search = match self.search {
            None => Search::for_model(&model),
            Some(SearchName::Parts) => Search::Parts,
            Some(SearchName::Faces) => Search::Faces,
            Some(SearchName::Stored) => Search::Stored,
        };
        let mut settings = SearchSettings::for_model(&model);
        if let Some(distance) = self.distance {
            (settings.distance, settings.distance_m) = (distance, None);
        }
        settings.angle_deg = self.angle_deg.unwrap_or(settings.angle_deg);
        settings.merge_angle_deg = self.merge_angle_deg.unwrap_or(settings.merge_angle_deg);
        let survey = survey(&model, search, &settings).map_err(Failure::input)?;
        let (misses, warning) = joints::nearly_joined(&model, &survey);
        if !console.json {
            warning.iter().for_each(|w| console.warn(w));
        }
        let mut made = Vec::new();
        for path in &self.outputs {
            made.push((path, draw(path, &model, &survey)?));
        }
        for (path, bytes) in &made {
            write_atomically(path, bytes).map_err(Failure::run)?;
        }
        let geometry = Geometry::of(&model, &survey);
        let files: Vec<String> = self.outputs.iter().map(|p| p.display().to_string()).collect();
        let result = json!({
            "interfaces": survey.joints.len(),
            "contacts": survey.contacts(),
            "area_m2": survey.area(),
            "worst_overlap_m": survey.worst_overlap(),
            "worst_gap_m": survey.worst_gap(),
            "search": survey.search.name(),
            "components": survey.components(&model).len(),
            "geometry_problems": geometry,
            "joint_search": joints::as_json(&choice),
            "nearly_joined": joints::misses_as_json(&model, &misses),
            "warnings": warning,
            "files": files,
        });
        Ok(Touching {
            result,
            model,
            survey,
            choice,
            geometry,
            files,
        })
    }
}

/// A model whose joints were found.
pub struct Touching {
    /// What is printed with `--json`.
    pub result: Value,
    /// The model with the changes of the command.
    pub model: Model,
    /// Its joints.
    pub survey: Survey,
    choice: Choice,
    geometry: Geometry,
    files: Vec<String>,
}

impl Touching {
    fn rows(&self) -> Vec<(&'static str, String)> {
        let Self {
            survey,
            choice,
            geometry,
            files,
            ..
        } = self;
        let mut rows = vec![
            ("interfaces", count(survey.joints.len())),
            ("contact points", count(survey.contacts())),
            ("area", area(survey.area())),
            ("worst overlap", length(survey.worst_overlap())),
            ("worst gap", length(survey.worst_gap())),
            ("found by", survey.search.name().to_string()),
            ("settings", choice.reason.clone()),
        ];
        rows.extend(geometry.lines().into_iter().map(|line| ("geometry", line)));
        if !files.is_empty() {
            rows.push(("written", files.join(", ")));
        }
        rows
    }
}

fn draw(path: &Path, model: &Model, survey: &Survey) -> Result<Vec<u8>, Failure> {
    let ending = path
        .extension()
        .map(|e| e.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    match ending.as_str() {
        "json" => file::to_text(&joined(model, survey))
            .map(String::into_bytes)
            .map_err(Failure::run),
        "vtp" => Ok(polygons(survey)),
        "png" => Picture::new(&plates(model, survey)).png().map_err(Failure::run),
        "svg" => Picture::new(&plates(model, survey))
            .svg()
            .map(String::into_bytes)
            .map_err(Failure::run),
        _ => Err(Failure::input(format!(
            "{}: its ending says nothing about what to write",
            path.display()
        ))
        .help("use .json, .vtp, .png or .svg")),
    }
}

/// The model with its joints stored.
fn joined(model: &Model, survey: &Survey) -> Model {
    let stored = |joint: &Joint| {
        let (xaxis, yaxis) = Plane::through(joint.points[0], joint.normal).axes();
        StoredInterface {
            between: joint.blocks.map(|b| model.blocks[b].name.clone()),
            points: joint.points.clone(),
            frame: StoredFrame {
                point: joint.points.iter().sum::<glam::DVec3>() / joint.points.len() as f64,
                xaxis,
                yaxis,
            },
            area: Some(joint.area),
            forces: Vec::new(),
        }
    };
    let mut model = model.clone();
    model.interfaces = survey
        .joints
        .iter()
        .filter(|j| !j.points.is_empty())
        .map(stored)
        .collect();
    model
}

/// The joints as polygons for ParaView, with their blocks, areas and gaps.
fn polygons(survey: &Survey) -> Vec<u8> {
    let joints = &survey.joints;
    let outlines: Vec<&[glam::DVec3]> = joints.iter().map(|j| j.points.as_slice()).collect();
    let column = |of: &dyn Fn(&Joint) -> f64| -> Vec<f64> { joints.iter().map(of).collect() };
    let cells = [
        ("first_block", column(&|j| j.blocks[0] as f64)),
        ("second_block", column(&|j| j.blocks[1] as f64)),
        ("area_m2", column(&|j| j.area)),
        ("least_gap_m", column(&|j| j.least_gap)),
        ("largest_gap_m", column(&|j| j.largest_gap)),
        ("normal_x", column(&|j| j.normal.x)),
        ("normal_y", column(&|j| j.normal.y)),
        ("normal_z", column(&|j| j.normal.z)),
    ];
    vtk::polygons(&outlines, &cells)
}

/// A picture of the joints alone: thin plates where the blocks touch, and the supports below them.
fn plates(model: &Model, survey: &Survey) -> Model {
    let size = model.bounds(|b| !b.fixed).diagonal();
    let mut drawn = Model::named(model.name.clone());
    drawn.blocks = model.blocks.iter().filter(|b| b.fixed).cloned().collect();
    for (k, joint) in survey.joints.iter().enumerate().filter(|(_, j)| j.points.len() >= 3) {
        let half = joint.normal * (0.001 * size);
        let outline: Vec<glam::DVec3> = joint.points.iter().map(|p| *p - half).collect();
        let group = if joint.normal.z.abs() > 0.7 {
            "bed joints"
        } else {
            "other joints"
        };
        let name = format!("joint {k}");
        drawn
            .blocks
            .push(Block::new(name, Polyhedron::extruded(&outline, 2.0 * half)).in_group(group));
    }
    drawn
}

//! The files of a check: results, forces and joints for ParaView, pictures, and the mechanism.

use std::path::Path;

use drystone_cone::Twist;
use glam::DQuat;

use drystone_analysis::{Failure, Way};
use drystone_mechanics::statics::{
    Check, Loads, Solvers, Structure, Verdict,
    results::{self, JointState, Results},
};
use drystone_model::Model;

use super::{
    Drawing, FlowDrawing, MechanismDrawing,
    found::{course_forces, joint_forces, point_forces, thrust_lines},
    joints_vtp, mechanism, points_vtp,
};
use crate::file::write_atomically;

/// Names of the files that [`write()`] may leave in a folder.
pub const FILES: [&str; 10] = [
    "results.json",
    "forces.vtp",
    "joints.vtp",
    "forces.svg",
    "forces.png",
    "courses.svg",
    "courses.png",
    "mechanism.svg",
    "mechanism.png",
    "mechanism.glb",
];

/// Where one joint in so many is level, a structure has courses.
const LEVEL: usize = 3;

/// Writes `results.json` into a folder and, where the check found forces, `forces.vtp`, `joints.vtp`, `forces.svg` and
/// `forces.png`; where they pass through several courses of level joints, `courses.svg` and `courses.png`; where it found a
/// mechanism, the files of [`mechanism_files`]. `way` is how it was asked. Gives the paths of what was written.
pub fn write(
    dir: &Path,
    model: &Model,
    structure: &Structure,
    loads: &Loads,
    (check, way): (&Check, Way),
) -> Result<Vec<String>, Failure> {
    let mut solvers = Solvers::default();
    let mut results = results::results(model, structure, loads, check, &mut solvers).map_err(Failure::run)?;
    results.method = way.name();
    let mut text = serde_json::to_string_pretty(&results).map_err(Failure::run)?;
    text.push('\n');
    let mut files = vec![("results.json", text.into_bytes())];
    if !results.joints.is_empty() {
        let joints = joint_forces(structure, &results.joints);
        let lines = thrust_lines(&results);
        let drawing = Drawing::new(model, &joints, &lines).title(title(model, &results));
        files.push(("forces.vtp", points_vtp(&point_forces(structure, check))));
        files.push(("joints.vtp", joints_vtp(&joints)));
        files.push(("forces.svg", drawing.svg().map_err(Failure::run)?.into_bytes()));
        files.push(("forces.png", drawing.png().map_err(Failure::run)?));
        let courses = course_forces(structure, &results);
        // The few joints of an arch that happen to be level are no courses.
        let pressed = results.joints.iter().filter(|j| j.state != JointState::Open).count();
        if courses.len() > 1 && LEVEL * courses.len() >= pressed {
            let drawing = FlowDrawing::new(model, &courses).title(format!("{}, by courses", title(model, &results)));
            files.push(("courses.svg", drawing.svg().map_err(Failure::run)?.into_bytes()));
            files.push(("courses.png", drawing.png().map_err(Failure::run)?));
        }
    }
    if check.verdict == Verdict::Unstable && !check.motions.is_empty() {
        let title = title(model, &results);
        files.extend(mechanism_files(
            model,
            structure,
            &check.motions,
            (&title, DQuat::IDENTITY),
        )?);
    }
    written(dir, files)
}

/// The files of a mechanism, given the velocity of each block: `mechanism.svg`, `mechanism.png` and `mechanism.glb`. The pictures
/// have a title, and show the structure turned: a tilt.
pub fn mechanism_files(
    model: &Model,
    structure: &Structure,
    motions: &[Twist],
    (title, turned): (&str, DQuat),
) -> Result<[(&'static str, Vec<u8>); 3], Failure> {
    let drawing = MechanismDrawing::new(model, structure, motions)
        .title(title)
        .turned(turned);
    Ok([
        ("mechanism.svg", drawing.svg().map_err(Failure::run)?.into_bytes()),
        ("mechanism.png", drawing.png().map_err(Failure::run)?),
        ("mechanism.glb", mechanism(model, motions).map_err(Failure::run)?),
    ])
}

/// Puts files into a folder and gives their paths.
pub fn written(dir: &Path, files: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Result<Vec<String>, Failure> {
    std::fs::create_dir_all(dir).map_err(|e| Failure::run(format!("cannot make `{}`: {e}", dir.display())))?;
    let mut written = Vec::new();
    for (name, bytes) in files {
        let path = dir.join(name);
        write_atomically(&path, &bytes).map_err(Failure::run)?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

fn title(model: &Model, results: &Results) -> String {
    let name = if model.name.is_empty() {
        "structure"
    } else {
        &model.name
    };
    format!("{name}: {}, {}", results.verdict, results.method)
}

#[cfg(test)]
mod tests {
    use drystone_mechanics::statics::{Method, check};
    use drystone_model::recipes;

    use super::*;

    fn files(recipe: &str, values: &[(&str, &str)], method: Method, dir: &Path) -> Vec<String> {
        let values: Vec<(String, String)> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let model = recipes::find(recipe).unwrap().build(&values).unwrap();
        let structure = Structure::new(&model).unwrap();
        let loads = Loads::body_force(&structure, model.gravity);
        let check = check(&structure, &loads, method, &mut Solvers::default()).unwrap();
        write(dir, &model, &structure, &loads, (&check, Way::Static(method))).unwrap()
    }

    fn names(paths: &[String]) -> Vec<&str> {
        paths.iter().map(|p| p.rsplit('/').next().unwrap()).collect()
    }

    /// The pictures of docs/statics-results.md; they are written there where the environment asks for it.
    #[test]
    fn a_standing_arch_has_forces_and_no_mechanism() {
        let dir = tempfile::tempdir().unwrap();
        let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
        for (recipe, values) in [("arch", vec![]), ("spandrel-arch", vec![])] {
            let written = files(recipe, &values, Method::Cone, &dir.path().join(recipe));
            let mut expected = vec!["results.json", "forces.vtp", "joints.vtp", "forces.svg", "forces.png"];
            // Voussoirs have no level joints but at the springings; a wall has courses.
            if recipe == "spandrel-arch" {
                expected.extend(["courses.svg", "courses.png"]);
            }
            assert_eq!(names(&written), expected);
            let text = std::fs::read_to_string(&written[0]).unwrap();
            let results: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(results["verdict"], "stable");
            assert!(results["thrust_lines"][0]["arch"].as_bool().unwrap());
            let picture = format!("statics-{recipe}.png");
            if std::env::var_os("UPDATE_DOCS").is_some() {
                std::fs::copy(&written[4], pictures.join(&picture)).unwrap();
                if let Some(courses) = written.get(6) {
                    std::fs::copy(courses, pictures.join("statics-courses.png")).unwrap();
                }
            }
            assert!(pictures.join(picture).exists());
        }
    }

    #[test]
    fn a_stack_that_falls_has_a_mechanism_and_the_tension_that_would_hold_it() {
        let dir = tempfile::tempdir().unwrap();
        let values = [("blocks", "4"), ("offset", "0.5")];
        let written = files("stack", &values, Method::Rbe, dir.path());
        let mechanism = ["mechanism.svg", "mechanism.png", "mechanism.glb"];
        assert_eq!(names(&written)[5..7], ["courses.svg", "courses.png"]);
        assert_eq!(names(&written)[7..], mechanism);
        let svg = std::fs::read_to_string(&written[3]).unwrap();
        assert!(svg.contains(">tension ") && svg.ends_with("</svg>\n"));
        let written = files("stack", &values, Method::Cone, dir.path());
        assert_eq!(names(&written)[0], "results.json");
        assert_eq!(names(&written)[1..], mechanism);
        // It overturns: it turns about an edge.
        let svg = std::fs::read_to_string(&written[1]).unwrap();
        assert!(svg.contains(">hinge<") && svg.contains(">before<"));
    }
}

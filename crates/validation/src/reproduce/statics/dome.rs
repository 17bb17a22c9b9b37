//! The thinnest hemispherical dome.

use drystone_model::Model;

use super::{Case, Context, Failure, Method, Outcome, Row, Solvers, at_rest, bracket, structure};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "least-dome",
    group: "statics",
    source: "Heyman 1967",
    summary: "the least thickness of a hemispherical dome whose head joints take no tension",
    long: false,
    run,
};

const LEAST_THICKNESS: f64 = 0.042;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut solvers = Solvers::default();
    let [courses, meridians] = context.pick([20, 16], [12, 8]);
    let found = bracket([0.02, 0.1], 2e-4, |thickness| {
        let shell = structure(&dome(thickness, courses, meridians)?)?;
        Ok(at_rest(&shell, Method::Cone, &mut solvers)?.verdict)
    })?;
    let row = Row::between(
        "hemispherical dome, least thickness over radius",
        LEAST_THICKNESS,
        found,
        1e-3,
    );
    let row = row.note(format!(
        "{courses} courses of {meridians} blocks and a keystone, head joints aligned, no sliding; radius of the middle surface; proven to fall, proven to stand, undecided between"
    ));
    Ok(Outcome {
        rows: vec![row, solvers.certificates()],
        plots: Vec::new(),
    })
}

/// A dome with a middle surface of radius 1. Head joints are aligned, so that friction of the beds cannot take the hoops'
/// tension.
fn dome(thickness: f64, courses: usize, meridians: usize) -> Result<Model, Failure> {
    let values = [
        ("radius", (1.0 - 0.5 * thickness).to_string()),
        ("thickness", thickness.to_string()),
        ("courses", courses.to_string()),
        ("meridians", meridians.to_string()),
        ("oculus-deg", "3".to_string()),
        ("crown", "keystone".to_string()),
        ("bond", "stacked".to_string()),
        ("friction", "5".to_string()),
    ];
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    drive::build("dome", &values)
}

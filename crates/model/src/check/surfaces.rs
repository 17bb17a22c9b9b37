//! Loads on faces: what acts, and on which faces.

use super::{ModelProblem, block_place, ranges, references::Names, shown, shown_list};
use crate::{Block, Model, Shape, SurfaceLoad};

pub(super) fn check(model: &Model, found: &mut Vec<ModelProblem>) {
    let names = Names::new(model);
    for (name, case) in &model.load_cases {
        for (k, load) in case.surfaces.iter().enumerate() {
            let place = format!("load_cases.{name}.surfaces[{k}]");
            let before = found.len();
            what(load, &place, found);
            for block in &load.blocks {
                names.block(format!("{place}.blocks"), block, found);
            }
            for group in &load.groups {
                names.group(format!("{place}.groups"), group, found);
            }
            if found.len() == before {
                where_to(model, load, &place, found);
            }
        }
    }
}

/// Whether one thing acts, by numbers in range.
fn what(load: &SurfaceLoad, place: &str, found: &mut Vec<ModelProblem>) {
    let mut say = |field: &str, message: String| {
        let dot = if field.is_empty() { "" } else { "." };
        found.push(ModelProblem::error(format!("{place}{dot}{field}"), message));
    };
    let given = [
        ("pressure_pa", load.pressure_pa.is_some()),
        ("traction_pa", load.traction_pa.is_some()),
        ("hydrostatic", load.hydrostatic.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    match given.as_slice() {
        [_] => {}
        [] => say(
            "",
            "nothing acts: give `pressure_pa`, `traction_pa` or `hydrostatic`".into(),
        ),
        more => say("", format!("`{}` are given; give one of them", more.join("` and `"))),
    }
    let mut number = |field: &str, value: Option<f64>, range: ranges::Range| {
        if let Some(complaint) = value.and_then(|v| range.complaint(v)) {
            say(field, complaint);
        }
    };
    number("pressure_pa", load.pressure_pa, ranges::PRESSURE);
    for component in load.traction_pa.into_iter().flat_map(|t| t.to_array()) {
        number("traction_pa", Some(component), ranges::PRESSURE);
    }
    let of = load.hydrostatic;
    number("hydrostatic.level", of.map(|h| h.level), ranges::LENGTH);
    number(
        "hydrostatic.unit_weight",
        of.map(|h| h.unit_weight),
        ranges::UNIT_WEIGHT,
    );
    number("hydrostatic.lateral", of.map(|h| h.lateral), ranges::LATERAL);
    if !(load.within_deg > 0.0 && load.within_deg <= 180.0) {
        let message = format!(
            "{} is not allowed; must be above 0 and at most 180",
            shown(load.within_deg)
        );
        say("within_deg", message);
    }
    if let Some(facing) = load.facing
        && facing.try_normalize().is_none()
    {
        let message = format!(
            "{} has no direction; must be finite and not zero",
            shown_list(&facing.to_array())
        );
        say("facing", message);
    }
    if load.blocks.is_empty() && load.groups.is_empty() {
        say("", "is on no block: give `blocks` or `groups`".into());
    }
}

/// Whether there are the faces that it names. Shapes that are no solids are told of by themselves.
fn where_to(model: &Model, load: &SurfaceLoad, place: &str, found: &mut Vec<ModelProblem>) {
    let mut is_any = false;
    for (index, block) in model.blocks.iter().enumerate().filter(|(_, b)| load.is_on(b)) {
        if !is_whole(block) {
            return;
        }
        let solid = block.polyhedron();
        if let Some(face) = load.faces.iter().find(|f| **f as usize >= solid.faces.len()) {
            let (block, last) = (block_place(index, &block.name), solid.faces.len() - 1);
            let message = format!("{block} has no face {face}; its faces are from 0 to {last}");
            return found.push(ModelProblem::error(format!("{place}.faces"), message));
        }
        is_any |= !load.faces_of(&solid).is_empty();
    }
    if let (false, Some(facing)) = (is_any, load.facing) {
        let message = format!(
            "no face looks along {} within {} degrees; give another direction or a larger `within_deg`",
            shown_list(&facing.to_array()),
            shown(load.within_deg)
        );
        found.push(ModelProblem::error(format!("{place}.facing"), message));
    }
}

fn is_whole(block: &Block) -> bool {
    match &block.shape {
        Shape::Mesh(mesh) => {
            !mesh.faces.is_empty()
                && mesh.faces.iter().flatten().all(|&c| (c as usize) < mesh.vertices.len())
                && mesh.vertices.iter().all(|v| v.is_finite())
        }
        Shape::Prism(prism) => prism.polygon.len() > 2,
        Shape::Box(_) => true,
    }
}

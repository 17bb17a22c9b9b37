//! Paper 004, figures 7 and 12: a shelf with two pieces that slide, and how one holds them.

use drystone_model::{Block, MeshShape, Model, Shape};
use glam::DVec3;

use super::{
    Assembly, Case, Check, Context, Failure, Method, Outcome, PYRAMID, Row, Solvers, Verdict, absent, assembly,
    at_rest, published,
};

pub(super) const CASE: Case = Case {
    name: "shelf",
    group: "statics",
    source: "004 figs. 7, 12",
    summary: "a shelf with two pieces that slide, the shelf without them, and with stops under them",
    long: false,
    run,
};

const FRICTION: f64 = 0.84;
/// The two pieces under the top board, by the names of the file: the authors' stable shelf is the one without them.
const SLIDING: [&str; 2] = ["9", "10"];

fn run(_: &Context<'_>) -> Result<Outcome, Failure> {
    let mut solvers = Solvers::default();
    let mut outcome = Outcome::default();
    let rows = &mut outcome.rows;
    let Some(model) = published("shelf", &["0"], FRICTION)? else {
        rows.push(absent("shelf"));
        return Ok(outcome);
    };
    let shelf = assembly(&model)?;
    // Piece 10 is nearly vertical between the top board and a slope of 50 degrees: it can be jammed from a friction angle
    // of about 41 degrees on. Cones have 40.0, the paper's pyramids up to 42.3.
    let found = at_rest(&shelf.with_friction(PYRAMID * FRICTION), Method::Rbe, &mut solvers)?;
    rows.push(
        Row::words(
            "shelf, rbe, cones around the paper's pyramids",
            "stable",
            found.verdict.name(),
        )
        .note("wrongly, as the paper says: blocks are wedged"),
    );
    let found = at_rest(&shelf, Method::Rbe, &mut solvers)?;
    rows.push(Row::shown("shelf, rbe, cones", "stable", found.verdict.name()).note(
        "piece 10 can be jammed from a friction angle of about 41° on; cones have 40.0°, the paper's pyramids up to 42.3°",
    ));
    let wider = shelf.with_friction(PYRAMID * FRICTION);
    for (method, shelf, cones) in [
        (Method::Cra, &shelf, "cones"),
        (Method::Cra, &wider, "cones around the pyramids"),
        (Method::CraPenalty, &wider, "cones around the pyramids"),
    ] {
        let found = at_rest(shelf, method, &mut solvers)?;
        let what = format!("shelf, {}, {cones}", method.name());
        rows.push(Row::words(&what, "unstable", found.verdict.name()).note(found.reason.clone()));
        let quantity = format!("{what}: unstable pieces");
        rows.push(Row::words(quantity, SLIDING.join(", "), named(shelf, &found)));
    }
    for keep in SLIDING {
        let mut part = model.clone();
        part.blocks.retain(|b| b.name == keep || !SLIDING.contains(&&*b.name));
        part.interfaces.clear();
        let part = assembly(&part)?;
        let found = at_rest(&part, Method::Cra, &mut solvers)?;
        let computed = format!("{}: {}", found.verdict.name(), named(&part, &found));
        let quantity = format!("shelf with piece {keep} alone of the two, cra");
        rows.push(Row::words(quantity, format!("unstable: {keep}"), computed).note(found.reason));
    }
    rows.push(repaired(&model, &mut solvers)?);
    if let Some(model) = published("shelf-stable", &["0"], FRICTION)? {
        let found = at_rest(&assembly(&model)?, Method::Cra, &mut solvers)?;
        rows.push(Row::words("shelf without them, cra", "stable", found.verdict.name()));
    } else {
        rows.push(absent("shelf-stable"));
    }
    Ok(outcome)
}

fn named(shelf: &Assembly, found: &Check) -> String {
    let names: Vec<&str> = found.unstable_blocks.iter().map(|&b| &*shelf.names[b]).collect();
    names.join(", ")
}

/// The shelf with a fixed stop at the lower side of the foot of each sliding piece (fig. 12b).
fn repaired(model: &Model, solvers: &mut Solvers) -> Result<Row, Failure> {
    let mut model = model.clone();
    for name in SLIDING {
        let Some(stop) = model.block(name).and_then(stop) else {
            return Err(Failure::run(format!("piece {name} of the shelf is no strut")));
        };
        model.blocks.push(stop);
    }
    let shelf = assembly(&model)?;
    let found = at_rest(&shelf, Method::Cra, solvers)?;
    let row = Row::words(
        "shelf with a stop under each of them, cra",
        "stable",
        found.verdict.name(),
    );
    let note = match found.verdict {
        Verdict::Stable => String::new(),
        _ => format!("{}: {}; ", named(&shelf, &found), found.reason),
    };
    Ok(row.note(note + "a fixed wedge between the foot's lower corner and the piece below; figs. 12c, 12d change drawings that are not given"))
}

/// A fixed wedge on the downhill side of a strut's foot, between the foot's plane and the strut's side.
fn stop(piece: &Block) -> Option<Block> {
    let solid = piece.polyhedron();
    let middle = 0.5 * (solid.bounds().min.y + solid.bounds().max.y);
    // Front and back are drawn apart: they are alike to a few digits only.
    let front = wedge(solid.vertices.iter().filter(|v| v.y < middle).copied().collect())?;
    let back = wedge(solid.vertices.iter().filter(|v| v.y > middle).copied().collect())?;
    let shape = Shape::Mesh(MeshShape {
        vertices: front.into_iter().chain(back).collect(),
        faces: vec![
            vec![0, 1, 2],
            vec![5, 4, 3],
            vec![1, 0, 3, 4],
            vec![2, 1, 4, 5],
            vec![0, 2, 5, 3],
        ],
        parts: Default::default(),
    });
    let mut stop = Block::new(format!("stop-{}", piece.name), shape).fixed();
    if stop.polyhedron().volume() < 0.0 {
        stop.shape = match stop.shape {
            Shape::Mesh(mut mesh) => {
                mesh.faces.iter_mut().for_each(|f| f.reverse());
                Shape::Mesh(mesh)
            }
            other => other,
        };
    }
    Some(stop)
}

/// The wedge in one of a strut's two ends along y, from its four corners there.
fn wedge(mut corners: Vec<DVec3>) -> Option<[DVec3; 3]> {
    corners.sort_by(|a, b| a.z.total_cmp(&b.z));
    let [low, high, tops @ ..] = &corners[..] else {
        return None;
    };
    // The side that starts at the foot's lower corner leads to the upper one on the same side.
    let side = (high.x - low.x).signum();
    let top = tops.iter().min_by(|a, b| (side * a.x).total_cmp(&(side * b.x)))?;
    // Piece 9 leans over its foot: the stop must reach above its centre.
    Some([*low, *low + 0.5 * (*low - *high), *low + 0.6 * (*top - *low)])
}

//! Paper 004, figures 7 and 12: a shelf with two pieces that slide, and how one holds them.

use drystone_mechanics::statics::unstable_in_turn;
use drystone_model::Model;

use super::{
    Case, Check, Context, Failure, Loads, Method, Outcome, PYRAMID, Row, Solvers, Structure, absent, at_rest,
    published, shelf_repairs::Repair, structure,
};

pub(super) const CASE: Case = Case {
    name: "shelf",
    group: "statics",
    source: "004 figs. 7, 12",
    summary: "a shelf with two pieces that slide, the shelf without them, and three ways to hold them",
    long: false,
    run,
};

const FRICTION: f64 = 0.84;
/// The two pieces under the top board, by the names of the file: the authors' stable shelf is the one without them.
const SLIDING: [&str; 2] = ["9", "10"];
/// What their feet stand on.
const BELOW: [&str; 2] = ["5", "8"];

fn run(_: &Context<'_>) -> Result<Outcome, Failure> {
    let mut solvers = Solvers::default();
    let mut outcome = Outcome::default();
    let rows = &mut outcome.rows;
    let Some(model) = published("shelf", &["0"], FRICTION)? else {
        rows.push(absent("shelf"));
        return Ok(outcome);
    };
    let shelf = structure(&model)?;
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
        // A mechanism shows what moves first: a piece that can be wedged rests in it.
        rows.push(Row::shown(
            format!("{what}: pieces that move first"),
            SLIDING.join(", "),
            named(shelf, &found),
        ));
    }
    rows.push(one_after_the_other(&model, &mut solvers)?);
    for piece in SLIDING {
        rows.push(local(&model, piece, &mut solvers)?);
    }
    for keep in SLIDING {
        let mut part = model.clone();
        part.blocks.retain(|b| b.name == keep || !SLIDING.contains(&&*b.name));
        part.interfaces.clear();
        let part = structure(&part)?;
        let found = at_rest(&part, Method::Cra, &mut solvers)?;
        let computed = format!("{}: {}", found.verdict.name(), named(&part, &found));
        let quantity = format!("shelf with piece {keep} alone of the two, cra");
        rows.push(Row::words(quantity, format!("unstable: {keep}"), computed).note(found.reason));
    }
    for repair in Repair::ALL {
        rows.push(repaired(&model, repair, &mut solvers)?);
    }
    if let Some(model) = published("shelf-stable", &["0"], FRICTION)? {
        let found = at_rest(&structure(&model)?, Method::Cra, &mut solvers)?;
        rows.push(Row::words("shelf without them, cra", "stable", found.verdict.name()));
    } else {
        rows.push(absent("shelf-stable"));
    }
    rows.push(solvers.certificates());
    Ok(outcome)
}

fn named(shelf: &Structure, found: &Check) -> String {
    let names: Vec<&str> = found.unstable_blocks.iter().map(|&b| &*shelf.names[b]).collect();
    names.join(", ")
}

/// Every piece that moves, each held where it is once it is named, until the shelf stands.
pub(super) fn one_after_the_other(model: &Model, solvers: &mut Solvers) -> Result<Row, Failure> {
    let shelf = structure(model)?;
    let loads = Loads::body_force(&shelf, shelf.gravity);
    let first = at_rest(&shelf, Method::Cra, solvers)?;
    let (turns, last) = unstable_in_turn(&shelf, &loads, &first, &mut solvers.plain).map_err(Failure::run)?;
    let all = first.unstable_blocks.iter().chain(turns.iter().flatten());
    let mut unstable: Vec<&str> = all.map(|&b| &*shelf.names[b]).collect();
    // Names are numbers.
    unstable.sort_by_key(|name| (name.len(), *name));
    let row = Row::words(
        "shelf, cra, cones: unstable pieces",
        format!("{}; then stable", SLIDING.join(", ")),
        format!("{}; then {}", unstable.join(", "), last.name()),
    );
    Ok(row.note("each is held where it is once it is named, and the rest asked again"))
}

/// A sliding piece alone, its neighbours fixed (fig. 12a): which of its joints asks for tension.
fn local(model: &Model, piece: &str, solvers: &mut Solvers) -> Result<Row, Failure> {
    let mut model = model.clone();
    for block in &mut model.blocks {
        block.fixed = block.name != piece;
    }
    let alone = structure(&model)?;
    let found = at_rest(&alone, Method::CraPenalty, solvers)?;
    let size = Loads::body_force(&alone, alone.gravity).size(&alone);
    let mut pulled: Vec<&str> = (alone.points.iter().zip(&found.tensions))
        .filter(|(_, t)| **t > 1e-6 * size)
        .flat_map(|(p, _)| p.blocks)
        .map(|b| &*alone.names[b as usize])
        .filter(|name| *name != piece)
        .collect();
    pulled.sort_unstable();
    pulled.dedup();
    let quantity = format!("piece {piece} between fixed neighbours, cra-penalty: tension towards");
    let row = Row::words(
        quantity,
        "unstable: 0",
        format!("{}: {}", found.verdict.name(), pulled.join(", ")),
    );
    Ok(row.note("fig. 12a: tension at the upper joint, to the frame (0)"))
}

/// The shelf with both sliding pieces held.
pub(super) fn repaired(model: &Model, repair: Repair, solvers: &mut Solvers) -> Result<Row, Failure> {
    let mut model = model.clone();
    for (piece, below) in SLIDING.into_iter().zip(BELOW) {
        repair.apply(&mut model, piece, below)?;
    }
    let shelf = structure(&model)?;
    let found = at_rest(&shelf, Method::Cra, solvers)?;
    let row = Row::words(format!("shelf {}, cra", repair.words()), "stable", found.verdict.name());
    let row = row.note_if_off(|| format!("{}: {}", named(&shelf, &found), found.reason));
    Ok(row.also(repair.note()))
}

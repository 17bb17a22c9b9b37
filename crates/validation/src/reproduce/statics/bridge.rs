//! Paper 004, figures 15 and 16: a bridge that is built without scaffolding.

use std::collections::HashMap;

use drystone_model::Model;

use super::{
    Allowed, Case, Context, Failure, Method, Outcome, Row, Solvers, Verdict, absent, at_rest, published, structure,
};

pub(super) const CASE: Case = Case {
    name: "bridge",
    group: "statics",
    source: "004 figs. 15, 16",
    summary: "a bridge with and without its load, and the minimum friction with which it can be built piece by piece",
    long: false,
    run,
};

const FRICTION: f64 = 0.66;
/// Below this friction the paper's bridge cannot be built without scaffolding.
const LEAST: f64 = 0.35;
/// Pieces of the bridge between its piers, and pieces of its load, by the names of the file.
const PIECES: std::ops::RangeInclusive<usize> = 2..=10;
const LOAD: std::ops::RangeInclusive<usize> = 11..=15;
/// Masses of the pieces and of the load (kg).
const MASSES: [f64; 2] = [0.319, 1.208];

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut solvers = Solvers::default();
    let Some(mut model) = published("bridge", &["0", "1"], FRICTION)? else {
        return Ok(Outcome {
            rows: vec![absent("bridge")],
            plots: Vec::new(),
        });
    };
    weigh(&mut model);
    let mut rows = Vec::new();
    let bridge = some_of(&model, |k| !LOAD.contains(&k));
    for (name, model) in [("bridge", &bridge), ("bridge with its load", &model)] {
        let found = at_rest(&structure(model)?, Method::Cra, &mut solvers)?;
        let row = Row::words(format!("{name}, mu {FRICTION}, cra"), "stable", found.verdict.name());
        rows.push(row.note(format!("{:.2} s", found.time)));
    }
    let order = built(&bridge, FRICTION, &mut solvers)?;
    let found = order.as_ref().map_or("no", |_| "yes");
    let note = order.map_or(String::new(), |o| format!("pieces in the order {}", o.join(", ")));
    rows.push(Row::words("can be built piece by piece, mu 0.66, cra", "yes", found).note(note));
    let (mut low, mut high) = (0.2, FRICTION);
    while high - low > context.pick(0.005, 0.02) {
        let middle = 0.5 * (low + high);
        match built(&bridge, middle, &mut solvers)? {
            Some(_) => high = middle,
            None => low = middle,
        }
    }
    let row = Row::figure(
        "minimum friction to build it piece by piece, cra",
        LEAST,
        high,
        Allowed::Within(0.01),
    );
    rows.push(row.note("any order of single pieces; the paper's stages are in its drawing"));
    rows.push(solvers.certificates());
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

/// Gives pieces and load the masses of the physical model, each part of one density.
fn weigh(model: &mut Model) {
    for (which, mass) in [(PIECES, MASSES[0]), (LOAD, MASSES[1])] {
        let in_part = |name: &str| name.parse::<usize>().is_ok_and(|k| which.contains(&k));
        let volume = |name: &str, v: f64| if in_part(name) { v } else { 0.0 };
        let whole: f64 = model
            .blocks
            .iter()
            .map(|b| volume(&b.name, b.polyhedron().volume()))
            .sum();
        for block in model.blocks.iter_mut().filter(|b| in_part(&b.name)) {
            block.density = Some(mass / whole);
            block.mass = None;
        }
    }
}

/// The model with some of its blocks, by the numbers that are their names.
fn some_of(model: &Model, keep: impl Fn(usize) -> bool) -> Model {
    let mut part = model.clone();
    part.blocks.retain(|b| b.name.parse::<usize>().is_ok_and(&keep));
    part.interfaces.clear();
    part
}

/// An order in which the pieces can be laid so that every stage stands, if there is one.
fn built(bridge: &Model, friction: f64, solvers: &mut Solvers) -> Result<Option<Vec<String>>, Failure> {
    let pieces: Vec<usize> = PIECES.collect();
    let whole = (1_usize << pieces.len()) - 1;
    let mut known: HashMap<usize, bool> = HashMap::new();
    let mut stands = |set: usize| -> Result<bool, Failure> {
        if let Some(&answer) = known.get(&set) {
            return Ok(answer);
        }
        let part = some_of(bridge, |k| {
            pieces.iter().position(|&p| p == k).is_none_or(|i| set & (1 << i) != 0)
        });
        let part = structure(&part)?.with_friction(friction);
        let answer = part.loose.is_empty() && at_rest(&part, Method::Cra, solvers)?.verdict == Verdict::Stable;
        known.insert(set, answer);
        Ok(answer)
    };
    if !stands(whole)? {
        return Ok(None);
    }
    // From nothing, each stage with the piece that was added to reach it.
    let mut reached: HashMap<usize, (usize, usize)> = HashMap::new();
    let mut open = vec![0_usize];
    while let Some(set) = open.pop() {
        if set == whole {
            let mut order = Vec::new();
            let mut at = whole;
            while let Some(&(before, piece)) = reached.get(&at) {
                order.push(pieces[piece].to_string());
                at = before;
            }
            order.reverse();
            return Ok(Some(order));
        }
        for piece in (0..pieces.len()).rev() {
            let next = set | (1 << piece);
            if next != set && !reached.contains_key(&next) && stands(next)? {
                reached.insert(next, (set, piece));
                open.push(next);
            }
        }
    }
    Ok(None)
}

//! Structures at rest: published verdicts, critical tilts, collapse loads and capacities, and textbook limits.
//!
//! Models come from recipes where a recipe has the published geometry, else from the files of paper 004's authors, which
//! lie in `shared/cra` beside the project or above the folder that the program is run in. Without them their rows are
//! skipped, and say so.

mod analytical;
mod armadillo;
mod bridge;
mod capacities;
mod certified;
mod dome;
mod joints;
mod point_loads;
mod scales;
mod shelf;
mod shelf_repairs;
mod spandrel_load;
mod sweeps;
mod table1;
mod thresholds;
mod wedges;

use std::path::{Path, PathBuf};

use glam::DVec3;

use drystone_mechanics::statics::{
    Check, Limit, LimitSettings, Loads, Method, Structure, Tilt, Verdict, limit, tilt, tilted,
};
use drystone_model::{Joints, Model, import};

use super::case::{Allowed, Case, Context, Outcome, Row, short};
use certified::{Solvers, Subject};
use drystone_analysis::Failure;

/// The cases of this group, in the order in which they are listed and run.
pub(super) const CASES: &[Case] = &[
    analytical::CASE,
    dome::CASE,
    table1::CASE,
    wedges::CASE,
    joints::CONCAVE,
    joints::CURVED,
    shelf::CASE,
    bridge::CASE,
    armadillo::CASE,
    point_loads::CASE,
    spandrel_load::CASE,
    capacities::CASE,
    capacities::CHURCH,
    scales::CASE,
    sweeps::CASE,
];

/// How far beyond a limit answers are certified: tilts (rad) and multipliers.
const BEYOND: f64 = 1e-3;

/// A file of paper 004's authors with one friction coefficient, and the blocks that are its supports. Nothing where the
/// file is absent.
fn published(name: &str, supports: &[&str], friction: f64) -> Result<Option<Model>, Failure> {
    let Some(path) = file(name) else { return Ok(None) };
    let mut model = import::import_files(&[path]).map_err(Failure::run)?.model;
    let supports: Vec<String> = supports.iter().map(|s| s.to_string()).collect();
    import::set_supports(&mut model, &supports).map_err(Failure::run)?;
    model.joints = Joints::uniform(friction);
    Ok(Some(model))
}

fn file(name: &str) -> Option<PathBuf> {
    let beside = |folder: &Path| {
        let mut candidates = folder
            .ancestors()
            .map(|f| f.join("shared/cra").join(format!("{name}.json")));
        candidates.find(|path| path.is_file())
    };
    let here = std::env::current_dir().ok();
    let program = std::env::current_exe().ok();
    [here, program].iter().flatten().find_map(|folder| beside(folder))
}

/// A row for what a missing file leaves out.
fn absent(name: &str) -> Row {
    Row::skipped(name, format!("there is no shared/cra/{name}.json beside the project"))
}

/// A model as a question about rest.
fn structure(model: &Model) -> Result<Subject, Failure> {
    Subject::new(model)
}

/// Asks about a structure under its own weight.
fn at_rest(subject: &Subject, method: Method, solvers: &mut Solvers) -> Result<Check, Failure> {
    solvers.check(subject, subject.gravity, &Loads::none(subject), method)
}

/// The verdict of a method under the own weight.
fn verdict(model: &Model, method: Method, solvers: &mut Solvers) -> Result<Verdict, Failure> {
    Ok(at_rest(&structure(model)?, method, solvers)?.verdict)
}

/// How far a structure can be tilted about an axis; certified there and just beyond.
fn tilted_until(subject: &Subject, axis: DVec3, method: Method, solvers: &mut Solvers) -> Result<Tilt, Failure> {
    let found = tilt(subject, &Loads::none(subject), axis, method, &mut solvers.plain).map_err(Failure::run)?;
    for angle in [found.lower, found.upper.map(|upper| upper + BEYOND)]
        .into_iter()
        .flatten()
    {
        let gravity = tilted(subject.gravity, axis.normalize_or_zero(), angle);
        solvers.check(subject, gravity, &Loads::none(subject), method)?;
    }
    Ok(found)
}

/// The largest part of gravity that a structure carries sideways; certified there and just beyond.
fn capacity(subject: &Subject, direction: DVec3, solvers: &mut Solvers) -> Result<Limit, Failure> {
    let push = Loads::body_force(subject, direction * subject.gravity.length());
    limited(
        subject,
        &Loads::none(subject),
        &push,
        &LimitSettings::default(),
        solvers,
    )
}

/// The largest multiplier of live loads beside the weight and dead loads; certified there and just beyond.
fn limited(
    subject: &Subject,
    dead: &Loads,
    live: &Loads,
    settings: &LimitSettings,
    solvers: &mut Solvers,
) -> Result<Limit, Failure> {
    let weight = Loads::body_force(subject, subject.gravity).plus(dead, 1.0);
    let found = limit(subject, &weight, live, settings, &mut solvers.plain).map_err(Failure::run)?;
    let [low, high] = found.bounds;
    for multiplier in [low, high * (1.0 + BEYOND)].into_iter().filter(|m| m.is_finite()) {
        let further = dead.plus(live, multiplier);
        solvers.check(subject, subject.gravity, &further, Method::Cone)?;
    }
    Ok(found)
}

/// The largest angle at which it was found to stand (deg); zero where it was at none.
fn lower_deg(found: &Tilt) -> f64 {
    found.lower.unwrap_or(0.0).to_degrees()
}

/// A row for a critical angle that a paper gives for a method that excludes self-stress.
fn angle_row(quantity: String, published: f64, found: &Tilt, within: f64) -> Row {
    let row = Row::figure(quantity, published, lower_deg(found), Allowed::Within(within));
    match found.beyond() {
        Verdict::Undecided => row.note(format!(
            "beyond {}°: undecided, so a lower bound",
            short(lower_deg(found))
        )),
        _ => row,
    }
}

/// The largest value that is proven to fall and the smallest that is proven to stand, between one that falls and one that
/// stands. What is undecided lies between them.
fn bracket(
    [falls, stands]: [f64; 2],
    precision: f64,
    mut verdict: impl FnMut(f64) -> Result<Verdict, Failure>,
) -> Result<[f64; 2], Failure> {
    let mut found = [falls, stands];
    for (side, wanted) in [Verdict::Unstable, Verdict::Stable].into_iter().enumerate() {
        let [mut near, mut far] = if side == 0 { [falls, stands] } else { [stands, falls] };
        while (far - near).abs() > precision {
            let middle = 0.5 * (near + far);
            if verdict(middle)? == wanted {
                near = middle;
            } else {
                far = middle;
            }
        }
        found[side] = near;
    }
    Ok(found)
}

/// Paper 004 takes a pyramid of eight sides for the friction cone, drawn around it: it lies between the cone and one wider
/// by this factor.
const PYRAMID: f64 = 1.082_392_200_292_394;

/// A row for a critical angle of rigid-block equilibrium: the published one, found with pyramids, must lie between those of
/// the inscribed and of the circumscribed cone.
fn equilibrium_row(
    quantity: String,
    published: f64,
    subject: &Subject,
    axis: DVec3,
    friction: f64,
    slack: f64,
    solvers: &mut Solvers,
) -> Result<Row, Failure> {
    let mut angle = |factor: f64| {
        let cone = subject.with_friction(friction * factor);
        let found = tilted_until(&cone, axis, Method::Cone, solvers)?;
        Ok::<f64, Failure>(lower_deg(&found))
    };
    let found = [angle(1.0)?, angle(PYRAMID)?];
    Ok(Row::between(quantity, published, found, slack))
}

#[cfg(test)]
mod tests;

//! Blocks that slide together: a wall as a whole and a stack whose blocks slide on each other, against exact motions.

use std::f64::consts::TAU;

use drystone_analysis::Failure;
use drystone_cone::Twist;
use drystone_mechanics::dynamics::reference::{self, SlidingBlock};
use drystone_model::Model;
use glam::DVec3;

use super::{
    super::sliding::{G, part_of_way},
    Allowed, Case, Context, GROUP, Outcome, Row, drive, explicit, short,
};

pub(super) const CASE: Case = Case {
    name: "sliding-together-explicit",
    group: GROUP,
    source: "beyond the papers",
    summary: "a wall that slides as a whole and a stack whose blocks slide on each other, against exact motions",
    long: false,
    run,
};

const INTERVAL: f64 = 1e-3;
/// What slides is pressed down in front and lifted behind by its own inertia; joints are so stiff that this does not show (N/m3).
const STIFFNESS: f64 = 1e11;
/// Friction of the joint that slides.
const FRICTION: f64 = 0.3;
/// Associated friction would lift what slides; Coulomb's does not (m).
const LIFTED: f64 = 1e-6;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut rows = pushed_wall(context)?;
    rows.extend(shaken_wall(context)?);
    rows.extend(stack(context)?);
    Ok(Outcome { rows, plots: vec![] })
}

/// A low wall that grips its own joints and not the ground.
fn wall() -> Result<Model, Failure> {
    let values = [
        ("length", "3"),
        ("height", "0.75"),
        ("friction", "1"),
        ("ground-friction", &*FRICTION.to_string()),
    ];
    drive::build("wall", &values)
}

/// Velocities along x of blocks at the start (m/s), and the way and the largest rise of each (m) until `duration`.
fn pushed(
    context: &Context<'_>,
    model: &Model,
    speed: impl Fn(usize) -> f64,
    duration: f64,
) -> Result<Vec<[f64; 2]>, Failure> {
    let mut simulation = drive::simulation_with(model, explicit(STIFFNESS, INTERVAL), "")?;
    let free: Vec<usize> = simulation.structure().free().collect();
    for (k, &b) in free.iter().enumerate() {
        let push = Twist {
            linear: speed(k) * DVec3::X,
            angular: DVec3::ZERO,
        };
        simulation.set_velocity(b, push);
    }
    let start: Vec<DVec3> = free.iter().map(|&b| simulation.state().placements[b].center).collect();
    let mut rises = vec![0.0_f64; free.len()];
    drive::run(context, &mut simulation, duration, &[], |s, _| {
        for ((rise, &b), start) in rises.iter_mut().zip(&free).zip(&start) {
            *rise = rise.max(s.state().placements[b].center.z - start.z);
        }
        false
    })?;
    let now = &simulation.state().placements;
    let way = |((&b, start), rise): ((&usize, &DVec3), &f64)| [now[b].center.x - start.x, *rise];
    Ok(free.iter().zip(&start).zip(&rises).map(way).collect())
}

fn pushed_wall(context: &Context<'_>) -> Result<Vec<Row>, Failure> {
    let speed = 1.0;
    let exact = speed * speed / (2.0 * FRICTION * G);
    let found = pushed(context, &wall()?, |_| speed, 1.2 * speed / (FRICTION * G))?;
    let worst = |of: usize, best: f64| {
        let far = |x: &&[f64; 2], y: &&[f64; 2]| (x[of] - best).abs().total_cmp(&(y[of] - best).abs());
        found.iter().max_by(far).map_or(f64::NAN, |f| f[of])
    };
    Ok(vec![
        Row::figure(
            "wall pushed at 1 m/s: way until it stops (m)",
            exact,
            worst(0, exact),
            Allowed::Part(1e-3),
        )
        .note(format!("of the one of {} blocks that is off most", found.len())),
        Row::figure(
            "wall pushed at 1 m/s: largest rise of a block (m)",
            LIFTED,
            worst(1, 0.0),
            Allowed::AtMost,
        ),
    ])
}

fn shaken_wall(context: &Context<'_>) -> Result<Vec<Row>, Failure> {
    let (shake, duration) = (0.5 * G, 3.0);
    let block = SlidingBlock {
        friction: FRICTION * G,
        slope: 0.0,
    };
    let ground = |t: f64| [shake / TAU * (1.0 - (TAU * t).cos()), shake * (TAU * t).sin()];
    let exact = reference::sliding(&block, ground, duration, INTERVAL);
    let model = wall()?;
    let motion = "sine:amplitude=0.5g,frequency=1,direction=x";
    let mut simulation = drive::simulation_with(&model, explicit(STIFFNESS, INTERVAL), motion)?;
    let free: Vec<usize> = simulation.structure().free().collect();
    let start: Vec<f64> = free
        .iter()
        .map(|&b| simulation.state().placements[b].center.z)
        .collect();
    let mut rise = 0.0_f64;
    let history = drive::run(context, &mut simulation, duration, &free, |s, _| {
        for (&b, start) in free.iter().zip(&start) {
            rise = rise.max(s.state().placements[b].center.z - start);
        }
        false
    })?;
    let off = |k: usize| {
        let relative = history.block(k, |s| s.moved.x);
        let positions = relative.iter().zip(&history.ground);
        let positions: Vec<[f64; 2]> = positions.map(|(p, g)| [p[0], p[1] + g.x]).collect();
        part_of_way(&positions, &exact)
    };
    let worst = (0..free.len()).map(off).fold(0.0, f64::max);
    Ok(vec![
        Row::figure(
            "wall on a ground that shakes: largest error of a block's position (part of the way)",
            1e-3,
            worst,
            Allowed::AtMost,
        )
        .note("0.5 g at 1 Hz in its plane, friction on the ground 0.3"),
        Row::figure(
            "wall on a ground that shakes: largest rise of a block (m)",
            LIFTED,
            rise,
            Allowed::AtMost,
        ),
    ])
}

/// Three blocks at 0, v and 2 v. Weights make the friction of each joint: the upper two are both slowed by mu g, until the middle
/// one stops, after v^2 / (2 mu g), and then the top one, after four times that. The lowest is held.
fn stack(context: &Context<'_>) -> Result<Vec<Row>, Failure> {
    let speed = 1.0;
    let values = [
        ("blocks", "3"),
        ("width", "2"),
        ("depth", "0.5"),
        ("height", "0.1"),
        ("friction", &*FRICTION.to_string()),
    ];
    let model = drive::build("stack", &values)?;
    let found = pushed(context, &model, |k| speed * k as f64, 2.4 * speed / (FRICTION * G))?;
    let way = speed * speed / (2.0 * FRICTION * G);
    let rise = found.iter().map(|f| f[1]).fold(0.0, f64::max);
    let mut rows = Vec::new();
    for (k, name) in ["middle", "top"].into_iter().enumerate() {
        let exact = way * [1.0, 4.0][k];
        let quantity = format!("stack, blocks at 0, 1 and 2 m/s: way of the {name} one (m)");
        rows.push(Row::figure(quantity, exact, found[k + 1][0], Allowed::Part(1e-3)));
    }
    rows.push(
        Row::figure("stack: largest rise of a block (m)", LIFTED, rise, Allowed::AtMost)
            .note(format!("the lowest block has moved by {} m", short(found[0][0]))),
    );
    Ok(rows)
}

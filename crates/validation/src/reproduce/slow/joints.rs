//! Single joints: strengths and loops against closed forms.

use drystone_model::{Block, Bond, Control, JointLaw, JointStiffness, Joints, Model, Shape, Stage};
use drystone_output::plot::{Panel, Plot};
use glam::DVec3;

use super::{Allowed, Case, Context, Failure, Outcome, Row, followed, force, load, reached, stage};

pub(super) const COUPLET: Case = Case {
    name: "couplet",
    group: "slow",
    source: "Mohr and Coulomb",
    summary: "a mortar joint in shear under precompression: peak and residual",
    long: false,
    run: couplet,
};

pub(super) const CANTILEVER: Case = Case {
    name: "cantilever",
    group: "slow",
    source: "beam of blocks",
    summary: "mortared blocks in a row from a wall, pulled up at the end, and pulled off",
    long: false,
    run: cantilever,
};

pub(super) const CYCLIC: Case = Case {
    name: "cyclic-shear",
    group: "slow",
    source: "elastic and perfectly plastic",
    summary: "a joint sheared to and fro: dissipation is the area of the loop, and damage does not heal",
    long: false,
    run: cyclic,
};

const STIFFNESS: JointStiffness = JointStiffness {
    normal: 1e10,
    tangential: 4e9,
};
const COHESION: f64 = 2e5;
const TENSION: f64 = 1e5;
const FRICTION: f64 = 0.7;

/// A brick of 1 x 1 x 0.5 m on a fixed one.
fn brick(law: JointLaw) -> Model {
    let mut model = Model::named("couplet");
    model.density = 2000.0;
    model.joints = Joints::of(law);
    let cuboid = |low: [f64; 3], high: [f64; 3]| Shape::cuboid(DVec3::from(low), DVec3::from(high));
    model
        .blocks
        .push(Block::new("lower", cuboid([-2.0, -2.0, -1.0], [2.0, 2.0, 0.0])).fixed());
    model
        .blocks
        .push(Block::new("upper", cuboid([-0.5, -0.5, 0.0], [0.5, 0.5, 0.5])));
    model
}

fn mortar(energies: Option<[f64; 2]>) -> JointLaw {
    JointLaw {
        stiffness: Some(STIFFNESS),
        bond: Some(Bond {
            tension_pa: Some(TENSION),
            cohesion_pa: Some(COHESION),
            fracture_energy_j_m2: energies,
            ..Bond::default()
        }),
        ..JointLaw::dry(FRICTION)
    }
}

/// Shears the upper brick at the height of the joint.
fn sheared(by: f64, steps: u32) -> Stage {
    Stage {
        control: Some(Control {
            block: "upper".to_string(),
            at: Some(DVec3::ZERO),
            direction: DVec3::X,
            to_m: by,
        }),
        ..load("shear", 1.0, steps)
    }
}

fn couplet(_: &Context<'_>) -> Result<Outcome, Failure> {
    let mut rows = Vec::new();
    let mut panel = Panel::new("slip (mm)", "shear stress (MPa)");
    for (name, energies) in [("brittle", None), ("softening", Some([20.0, 100.0]))] {
        for sigma in [1e5, 5e5] {
            let mut model = brick(mortar(energies));
            let weight = 2000.0 * 0.5 * 9.81;
            force(&mut model, "press", "upper", DVec3::new(0.0, 0.0, weight - sigma), None);
            force(
                &mut model,
                "shear",
                "upper",
                DVec3::new(1e6, 0.0, 0.0),
                Some(DVec3::ZERO),
            );
            let (exact, residual) = (1e-6 * (COHESION + FRICTION * sigma), 1e-6 * FRICTION * sigma);
            // The peak by a force that grows, what is left of it by a prescribed displacement.
            let before = [stage("weight", 1), load("press", 1.0, 1)];
            let stages = before.iter().cloned().chain([load("shear", 1.2 * exact, 24)]).collect();
            let (_, end) = followed(&model, stages, None)?;
            let peak = 1.2 * exact * reached(&end);
            let stages = before.into_iter().chain([sheared(1.5e-3, 600)]).collect();
            let (path, _) = followed(&model, stages, None)?;
            let curve: Vec<[f64; 2]> = (path.points().iter().filter(|p| p.stage == 2))
                .map(|p| [1e3 * p.along_loads, p.factors[1]])
                .collect();
            let label = format!("{name}, precompression {:.1} MPa", 1e-6 * sigma);
            rows.push(Row::figure(
                format!("{label}: peak (MPa)"),
                exact,
                peak,
                Allowed::Part(1e-3),
            ));
            let last = curve.last().map_or(f64::NAN, |c| c[1]);
            rows.push(Row::figure(
                format!("{label}: residual (MPa)"),
                residual,
                last,
                Allowed::Part(1e-4),
            ));
            panel = panel.line(label, curve);
        }
    }
    let plot = Plot::new().title("A mortar joint in shear").panel(panel);
    Ok(Outcome {
        rows,
        plots: vec![("couplet".to_string(), plot)],
    })
}

fn cantilever(_: &Context<'_>) -> Result<Outcome, Failure> {
    let (length, depth, width, count) = (0.5, 0.4, 0.3, 4);
    let mut model = Model::named("cantilever");
    model.gravity = DVec3::ZERO;
    model.joints = Joints::of(mortar(None));
    let cuboid = |low: DVec3, high: DVec3| Shape::cuboid(low, high);
    let wall = cuboid(DVec3::new(-1.0, -1.0, -1.0), DVec3::new(0.0, 1.0, 1.0));
    model.blocks.push(Block::new("wall", wall).fixed());
    for k in 0..count {
        let low = DVec3::new(length * f64::from(k), -0.5 * width, -0.5 * depth);
        let high = low + DVec3::new(length, width, depth);
        model.blocks.push(Block::new(format!("{k}"), cuboid(low, high)));
    }
    let tip = DVec3::new(length * f64::from(count), 0.0, 0.0);
    let last = format!("{}", count - 1);
    let area = depth * width;
    let bending = 0.5 * TENSION * area * depth / tip.x;
    force(&mut model, "up", &last, DVec3::new(0.0, 0.0, bending), Some(tip));
    force(
        &mut model,
        "off",
        &last,
        DVec3::new(TENSION * area, 0.0, 0.0),
        Some(tip),
    );
    let mut rows = Vec::new();
    for (name, what, note) in [
        (
            "up",
            "pulled up: moment at the wall over f_t A h / 2",
            "points at the corners of the joint",
        ),
        ("off", "pulled off: force over f_t A", ""),
    ] {
        let (_, end) = followed(&model, vec![stage("nothing", 1), load(name, 1.5, 30)], None)?;
        rows.push(Row::figure(what, 1.0, 1.5 * reached(&end), Allowed::Within(1e-3)).note(note));
    }
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

fn cyclic(_: &Context<'_>) -> Result<Outcome, Failure> {
    let sigma = 2e5;
    let limit = FRICTION * sigma;
    let slack = limit / STIFFNESS.tangential;
    let amplitude = 4.0 * slack;
    let mut rows = Vec::new();
    let mut panel = Panel::new("slip (µm)", "shear stress (kPa)");
    for (name, law) in [
        (
            "dry",
            JointLaw {
                stiffness: Some(STIFFNESS),
                ..JointLaw::dry(FRICTION)
            },
        ),
        ("mortar", mortar(Some([20.0, 20.0]))),
    ] {
        let mut model = brick(law);
        let weight = 2000.0 * 0.5 * 9.81;
        force(&mut model, "press", "upper", DVec3::new(0.0, 0.0, weight - sigma), None);
        force(
            &mut model,
            "shear",
            "upper",
            DVec3::new(limit, 0.0, 0.0),
            Some(DVec3::ZERO),
        );
        let a = amplitude;
        let stages = vec![
            stage("weight", 1),
            load("press", 1.0, 1),
            sheared(a, 40),
            sheared(-2.0 * a, 80),
            sheared(2.0 * a, 80),
            sheared(-2.0 * a, 80),
            sheared(2.0 * a, 80),
        ];
        let (path, _) = followed(&model, stages, None)?;
        let of = |from: usize, to: usize| -> Vec<[f64; 2]> {
            let points = path.points().iter().filter(|p| (from..=to).contains(&p.stage));
            points.map(|p| [p.along_loads, limit * p.factors[1]]).collect()
        };
        let area = |curve: &[[f64; 2]]| {
            curve
                .windows(2)
                .map(|w| 0.5 * (w[0][1] + w[1][1]) * (w[1][0] - w[0][0]))
                .sum::<f64>()
        };
        let loop_of = |first: usize| {
            let start = of(first - 1, first - 1).last().copied().into_iter();
            start.chain(of(first, first + 1)).collect::<Vec<_>>()
        };
        let loops = [area(&loop_of(3)), area(&loop_of(5))];
        if name == "dry" {
            let exact = 4.0 * limit * (amplitude - slack);
            for (k, found) in loops.iter().enumerate() {
                rows.push(Row::figure(
                    format!("{name}, loop {}: area (J)", k + 1),
                    exact,
                    *found,
                    Allowed::Part(0.01),
                ));
            }
        } else {
            let word = if loops[1] <= loops[0] * (1.0 + 1e-3) {
                "never"
            } else {
                "heals"
            };
            let row = Row::words("mortar: damage heals", "never", word);
            rows.push(row.note(format!("loops of {:.3} and {:.3} J", loops[0], loops[1])));
        }
        let curve = of(2, 6).iter().map(|c| [1e6 * c[0], 1e-3 * c[1]]).collect();
        panel = panel.line(name, curve);
    }
    let plot = Plot::new().title("A joint sheared to and fro").panel(panel);
    Ok(Outcome {
        rows,
        plots: vec![("cyclic-shear".to_string(), plot)],
    })
}

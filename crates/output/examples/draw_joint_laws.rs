//! Draws what every joint law does into a folder: the graphs of docs/joint-laws.md. Each is a joint of one square metre between
//! two blocks that is pulled, pressed and sheared by the program itself.

use std::path::Path as File;

use drystone_mechanics::{
    Structure,
    dynamics::{Simulation, SimulationSettings, TimeStep},
    slow::{Path, PathEnd},
};
use drystone_model::{
    Adhesion, Block, Bond, Control, JointLaw, JointStiffness, Joints, LoadCase, Model, PointForce, Shape, Stage,
    Stages, SupportMove, Tie, TieEnd, TieKind,
    motion::{History, Supports},
};
use drystone_output::{
    file::write_atomically,
    plot::{Panel, Plot},
};
use glam::{DVec3, dvec3};

type Error = Box<dyn std::error::Error>;
type Curve = Vec<[f64; 2]>;

const STIFFNESS: JointStiffness = JointStiffness {
    normal: 4e9,
    tangential: 2e9,
};
const MEGA: f64 = 1e6;
const MILLI: f64 = 1e-3;
/// Stiffness of what grips the upper block (N/m).
const GRIP: f64 = 2e10;

fn main() -> Result<(), Error> {
    let folder = std::env::args().nth(1).ok_or("usage: draw_joint_laws FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    for (name, plot) in [
        ("dry", dry()?),
        ("compliance", compliance()?),
        ("friction", friction()?),
        ("brittle", brittle()?),
        ("softening", softening()?),
        ("adhesion", adhesion()?),
        ("envelope", envelope()?),
    ] {
        let path = File::new(&folder).join(format!("joint-law-{name}.png"));
        write_atomically(&path, &plot.size(720, 640).png()?)?;
        println!("{}", path.display());
    }
    Ok(())
}

/// Signorini and Coulomb: joints too hard for it to show.
fn dry() -> Result<Plot, Error> {
    let law = JointLaw::dry(0.6);
    let hard = JointLaw {
        stiffness: Some(JointStiffness {
            normal: 1e12,
            tangential: 1e12,
        }),
        ..law
    };
    let normal = Panel::new("opening (mm)", "compression (MPa)")
        .line("r_N / A", pressed(law)?)
        .x_range(-0.02, 0.1);
    let shear = Panel::new("slip (mm)", "shear (MPa)")
        .line("r_T / A, 0.5 MPa pressing", sheared(hard, 0.5, &[0.5, -1.0, 1.0], 200)?);
    Ok(Plot::new()
        .title("Dry: Signorini and Coulomb")
        .panel(normal)
        .panel(shear))
}

fn compliance() -> Result<Plot, Error> {
    let law = JointLaw {
        stiffness: Some(STIFFNESS),
        ..JointLaw::dry(0.6)
    };
    let normal = Panel::new("opening (mm)", "compression (MPa)").line("r_N / A", pressed(law)?);
    let mut shear = Panel::new("slip (mm)", "shear (MPa)");
    for sigma in [0.25, 0.5] {
        let curve = sheared(law, sigma, &[0.5, -0.2, 0.3, -1.2, 1.2], 60)?;
        shear = shear.line(format!("r_T / A, {sigma} MPa pressing"), curve);
    }
    Ok(Plot::new()
        .title("Compliance: k_N = 4, k_T = 2 GN/m3, friction 0.6")
        .panel(normal)
        .panel(shear))
}

/// Pushed until it slides, then let go.
fn friction() -> Result<Plot, Error> {
    let law = JointLaw {
        static_friction: Some(0.7),
        ..JointLaw::dry(0.4)
    };
    let mut model = couplet(law);
    let weight = 2000.0 * 0.5 * 9.81;
    let factors = [(0.0, 0.0), (0.8, 0.8), (0.85, 0.0), (1.3, 0.0), (2.1, 0.8), (2.2, 0.8)];
    force(&mut model, "push", weight * DVec3::X, Some(DVec3::ZERO));
    model.load_cases["push"].history = Some(History::Table {
        times: factors.iter().map(|f| f.0).collect(),
        factors: factors.iter().map(|f| f.1).collect(),
    });
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(2e-3),
        ..SimulationSettings::default()
    };
    let mut simulation = Simulation::new(&model, settings, Supports::default(), &["push".to_string()])?;
    let (mut used, mut speed) = (Curve::new(), Curve::new());
    while simulation.state().time < 2.1 {
        simulation.step()?;
        let all: DVec3 = simulation.contact_forces().map(|c| c.force).sum();
        let time = simulation.state().time;
        used.push([time, -all.x / all.z]);
        speed.push([time, simulation.state().velocities[1].linear.x]);
    }
    let forces = Panel::new("time (s)", "over the normal force")
        .line("friction", used)
        .reference("push", factors[..5].iter().map(|f| [f.0, f.1]).collect());
    let motion = Panel::new("time (s)", "speed (m/s)").line("block", speed);
    Ok(Plot::new()
        .title("Static friction 0.7, kinetic friction 0.4")
        .panel(forces)
        .panel(motion))
}

fn brittle() -> Result<Plot, Error> {
    tension_and_shear("Brittle: f_t = 0.2 MPa, c = 0.3 MPa, friction 0.6", mortar(None))
}

fn softening() -> Result<Plot, Error> {
    let title = "Softening: f_t = 0.2 MPa, c = 0.3 MPa, G_I = 20 J/m2, G_II = 100 J/m2, friction 0.6";
    tension_and_shear(title, mortar(Some([20.0, 100.0])))
}

fn tension_and_shear(title: &str, law: JointLaw) -> Result<Plot, Error> {
    let tension = Panel::new("opening (mm)", "tension (MPa)").line(
        "opened, closed a little, opened",
        pulled(law, &[1e-4, -8e-5, 2.8e-4], 60)?,
    );
    let mut shear = Panel::new("slip (mm)", "shear (MPa)");
    for sigma in [0.1, 0.3] {
        let curve = sheared(law, sigma, &[0.35, -0.3, 0.95], 120)?;
        shear = shear.line(format!("{sigma} MPa pressing"), curve);
    }
    Ok(Plot::new().title(title).panel(tension).panel(shear))
}

fn adhesion() -> Result<Plot, Error> {
    let law = |viscosity_j_s_m2: f64| JointLaw {
        stiffness: Some(STIFFNESS),
        bond: Some(Bond {
            adhesion: Some(Adhesion {
                energy_j_m2: 10.0,
                viscosity_j_s_m2,
            }),
            ..Bond::default()
        }),
        ..JointLaw::dry(0.6)
    };
    let mut tension = Panel::new("opening (mm)", "tension (MPa)");
    let mut shear = Panel::new("slip (mm)", "shear (MPa)");
    for (name, viscosity) in [
        ("at once", 0.0),
        ("viscosity 100 J s/m2", 100.0),
        ("viscosity 500 J s/m2", 500.0),
    ] {
        tension = tension.line(name, pulled(law(viscosity), &[2e-4], 60)?);
        shear = shear.line(name, sheared(law(viscosity), 0.1, &[0.4], 60)?);
    }
    Ok(Plot::new()
        .title("Adhesion: 10 J/m2; a step of 3 µm, and of 7 µm in shear, is a second")
        .panel(tension)
        .panel(shear))
}

/// The largest shear that a joint bears, for every stress across it, and the largest tension.
fn envelope() -> Result<Plot, Error> {
    let intact = mortar(None);
    let broken = JointLaw { bond: None, ..intact };
    let tension = borne(intact, 0.0, DVec3::Z)?;
    let mut peaks = vec![[-tension, 0.0]];
    for sigma in [-0.999 * tension, -0.1, 0.0, 0.2, 0.5] {
        peaks.push([sigma, borne(intact, sigma, DVec3::X)?]);
    }
    let mut residuals = vec![[0.0, 0.0]];
    for sigma in [0.1, 0.3, 0.5] {
        residuals.push([sigma, borne(broken, sigma, DVec3::X)?]);
    }
    let panel = Panel::new("compression (MPa), tension below zero", "shear (MPa)")
        .line("intact", peaks)
        .line("broken", residuals)
        .x_range(-0.25, 0.5);
    Ok(Plot::new()
        .title("What a mortar joint bears: f_t = 0.2 MPa, c = 0.3 MPa, friction 0.6")
        .panel(panel))
}

fn mortar(fracture_energy_j_m2: Option<[f64; 2]>) -> JointLaw {
    JointLaw {
        stiffness: Some(STIFFNESS),
        bond: Some(Bond {
            tension_pa: Some(0.2 * MEGA),
            cohesion_pa: Some(0.3 * MEGA),
            fracture_energy_j_m2,
            ..Bond::default()
        }),
        ..JointLaw::dry(0.6)
    }
}

/// A block of 1 x 1 x 0.5 m on a fixed one.
fn couplet(law: JointLaw) -> Model {
    let cuboid = |low: [f64; 3], high: [f64; 3]| Shape::cuboid(DVec3::from(low), DVec3::from(high));
    let mut model = Model::named("couplet");
    model.density = 2000.0;
    model.joints = Joints::of(law);
    let lower = Block::new("lower", cuboid([-4.0, -4.0, -1.0], [4.0, 4.0, 0.0]));
    model.blocks.push(lower.fixed());
    let upper = cuboid([-0.5, -0.5, 0.0], [0.5, 0.5, 0.5]);
    model.blocks.push(Block::new("upper", upper));
    model
}

fn force(model: &mut Model, case: &str, force: DVec3, at: Option<DVec3>) {
    let block = "upper".to_string();
    let forces = vec![PointForce { block, force, at }];
    let case_of = LoadCase {
        forces,
        ..LoadCase::default()
    };
    model.load_cases.insert(case.to_string(), case_of);
}

fn load(case: &str, factor: f64, steps: u32) -> Stage {
    Stage {
        steps: Some(steps),
        loads: [(case.to_string(), factor)].into_iter().collect(),
        ..Stage::default()
    }
}

fn follow(model: &Model, stages: Vec<Stage>, look: impl FnMut(&Path)) -> Result<PathEnd, Error> {
    let mut path = Path::new(
        model,
        Structure::new(model)?,
        &Stages { stages },
        drystone_mechanics::slow::PathSettings::default(),
    )?;
    Ok(path.follow(look)?)
}

/// Compression (MPa) over the opening (mm) where the upper block is pressed on, and then lifted off more and more.
fn pressed(law: JointLaw) -> Result<Curve, Error> {
    let mut model = couplet(law);
    force(&mut model, "lift", 0.5 * MEGA * DVec3::Z, None);
    model.load_cases["lift"].history = Some(History::Table {
        times: vec![0.0, 1.2],
        factors: vec![-1.0, 0.2],
    });
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(2e-4),
        ..SimulationSettings::default()
    };
    let mut simulation = Simulation::new(&model, settings, Supports::default(), &["lift".to_string()])?;
    let mut curve = Curve::new();
    while curve.last().is_none_or(|p| p[0] < 0.1) {
        simulation.step()?;
        let opening = simulation.state().placements[1].center.z - 0.25;
        let all: DVec3 = simulation.contact_forces().map(|c| c.force).sum();
        curve.push([opening / MILLI, all.z / MEGA]);
    }
    Ok(curve)
}

/// Tension (MPa) over the opening (mm) where the upper block is moved up by these ways (m), gripped by stiff springs.
fn pulled(law: JointLaw, ways: &[f64], steps: u32) -> Result<Curve, Error> {
    let mut model = couplet(law);
    let (low, high) = (dvec3(-1.0, -1.0, 1.0), dvec3(1.0, 1.0, 1.5));
    model.blocks.push(Block::new("grip", Shape::cuboid(low, high)).fixed());
    let mut grip = |from: DVec3, to: DVec3| {
        let end = |block: &str, at: DVec3| TieEnd {
            block: block.to_string(),
            at,
        };
        model.ties.push(Tie {
            name: format!("{}", model.ties.len()),
            from: end("upper", from),
            to: end("grip", to),
            kind: TieKind::Spring {
                stiffness_n_m: GRIP,
                rest_length_m: None,
            },
            group: None,
        });
    };
    for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
        grip(dvec3(x, y, 0.5), dvec3(x, y, 1.0));
    }
    for (from, to) in [
        (dvec3(0.5, -0.5, 0.25), dvec3(1.0, -0.5, 0.25)),
        (dvec3(0.5, 0.5, 0.25), dvec3(1.0, 0.5, 0.25)),
        (dvec3(0.0, 0.5, 0.25), dvec3(0.0, 1.0, 0.25)),
    ] {
        grip(from, to);
    }
    let moved = |way: &f64| Stage {
        steps: Some(steps),
        moves: vec![SupportMove {
            blocks: vec!["grip".to_string()],
            by: *way * DVec3::Z,
            ..SupportMove::default()
        }],
        ..Stage::default()
    };
    let stages = ways.iter().map(moved).collect();
    // How exact an equilibrium is goes by what joints are compressed by: one beside it is, whatever becomes of this.
    let (low, high) = (dvec3(2.0, -0.5, 0.0), dvec3(3.0, 0.5, 0.5));
    model.blocks.push(Block::new("beside", Shape::cuboid(low, high)));
    let weight = 2000.0 * 0.5 * 9.81;
    let mut curve = vec![[0.0; 2]];
    let end = follow(&model, stages, |path| {
        let simulation = path.simulation();
        let opening = simulation.state().placements[1].center.z - 0.25;
        let carried = path.points().last().map_or(0.0, |p| p.gravity * weight);
        let pull = simulation.ties().take(4).map(|t| t.state.force).sum::<f64>() - carried;
        curve.push([opening / MILLI, pull / MEGA]);
    })?;
    if end != PathEnd::Completed {
        return Err(format!("pulled: {end:?}").into());
    }
    Ok(curve)
}

/// Shear (MPa) over the slip (mm) where the upper block is moved along by these ways (mm) under a compression (MPa).
fn sheared(law: JointLaw, sigma: f64, ways: &[f64], steps: u32) -> Result<Curve, Error> {
    let mut model = couplet(law);
    let weight = 2000.0 * 0.5 * 9.81;
    force(&mut model, "press", dvec3(0.0, 0.0, weight - sigma * MEGA), None);
    force(&mut model, "shear", MEGA * DVec3::X, Some(DVec3::ZERO));
    let moved = |way: &f64| Stage {
        control: Some(Control {
            block: "upper".to_string(),
            at: Some(DVec3::ZERO),
            direction: DVec3::X,
            to_m: way * MILLI,
        }),
        ..load("shear", 1.0, steps)
    };
    let stages = [load("press", 1.0, 2)]
        .into_iter()
        .chain(ways.iter().map(moved))
        .collect();
    let mut curve = vec![[0.0; 2]];
    let end = follow(&model, stages, |path| {
        if let Some(point) = path.points().last().filter(|p| p.stage > 0) {
            curve.push([point.along_loads / MILLI, point.factors[1]]);
        }
    })?;
    if end != PathEnd::Completed {
        return Err(format!("sheared: {end:?}").into());
    }
    Ok(curve)
}

/// The stress (MPa) in a direction up to which there is an equilibrium under a compression (MPa).
fn borne(law: JointLaw, sigma: f64, direction: DVec3) -> Result<f64, Error> {
    let mut model = couplet(law);
    model.gravity = DVec3::ZERO;
    force(&mut model, "press", -sigma * MEGA * DVec3::Z, None);
    force(&mut model, "load", MEGA * direction, Some(DVec3::ZERO));
    match follow(&model, vec![load("press", 1.0, 2), load("load", 1.0, 20)], |_| ())? {
        PathEnd::NoEquilibrium { stage: 1, between, .. } => Ok(between[0]),
        end => Err(format!("loaded under {sigma} MPa: {end:?}").into()),
    }
}

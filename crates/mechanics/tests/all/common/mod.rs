//! Simulations of recipes, in a few words.
#![allow(dead_code, reason = "each test uses its own part")]

use drystone_mechanics::dynamics::{Simulation, SimulationSettings, TimeStep};
use drystone_model::{
    Block, Joints, LoadCase, Model, PointForce, Pose, Rotation, Shape,
    motion::{CompileSettings, History, Supports, parse},
    recipes,
};
use glam::{DQuat, DVec3};

/// A structure by its recipe and values for some of its parameters.
pub(crate) fn built(recipe: &str, values: &[(&str, &str)]) -> Model {
    let values: Vec<(String, String)> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(recipe).unwrap().build_alone(&values).unwrap()
}

/// The motions of a model's supports, and those that move all of them: none, one, or several with ` & ` between them.
pub(crate) fn supports(model: &Model, motions: &str) -> Supports {
    let compile = CompileSettings::default();
    let motions: Vec<_> = motions
        .split(" & ")
        .filter(|m| !m.is_empty())
        .map(|m| parse(m).unwrap().compile(&compile).unwrap())
        .collect();
    Supports::new(model, &compile, &motions).unwrap()
}

/// The simulation of a model whose supports all move as `motion` says, if it says anything.
pub(crate) fn simulation(model: &Model, dt: f64, motion: &str) -> Simulation {
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        ..SimulationSettings::default()
    };
    with(model, motion, settings)
}

/// The same with other settings.
pub(crate) fn with(model: &Model, motion: &str, settings: SimulationSettings) -> Simulation {
    Simulation::new(model, settings, supports(model, motion), &[]).unwrap()
}

/// Steps until a time.
pub(crate) fn run(simulation: &mut Simulation, until: f64, mut look: impl FnMut(&Simulation)) {
    while simulation.state().time < until * (1.0 - 1e-9) {
        simulation.step().unwrap();
        look(simulation);
    }
}

/// Numbers that look random, the same for a seed (Steele, Lea and Flood's SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A floor of 20 x 20 m, its top at zero.
pub(crate) fn floor() -> Block {
    let (low, high) = (DVec3::new(-10.0, -10.0, -1.0), DVec3::new(10.0, 10.0, 0.0));
    Block::new("floor", Shape::cuboid(low, high)).fixed()
}

/// A cuboid, turned about its centre.
pub(crate) fn cuboid(name: &str, size: DVec3, center: DVec3, q: DQuat) -> Block {
    let mut block = Block::new(name, Shape::cuboid(-0.5 * size, 0.5 * size));
    block.pose = Pose {
        position: center,
        rotation: Some(Rotation::Quaternion {
            quaternion: [q.w, q.x, q.y, q.z],
        }),
    };
    block
}

/// A force on a block as a load case; at its centre where no point is given.
pub(crate) fn push<'a>(
    model: &'a mut Model,
    case: &str,
    block: &str,
    force: DVec3,
    at: Option<DVec3>,
) -> &'a mut LoadCase {
    let forces = vec![PointForce {
        block: block.to_string(),
        force,
        at,
    }];
    let loads = LoadCase {
        forces,
        ..LoadCase::default()
    };
    model.load_cases.insert(case.to_string(), loads);
    &mut model.load_cases[case]
}

/// Factors at times, in straight lines between them.
pub(crate) fn table(points: &[(f64, f64)]) -> History {
    History::Table {
        times: points.iter().map(|p| p.0).collect(),
        factors: points.iter().map(|p| p.1).collect(),
    }
}

/// Four stones of random sizes and turns above a floor, one over the other.
pub(crate) fn stones(seed: u64) -> Model {
    let mut random = Random(seed);
    let mut within = |low: f64, high: f64| random.within(low, high);
    let mut model = Model::named("stones");
    model.blocks.push(floor());
    for k in 0..4 {
        let size = DVec3::new(within(0.15, 0.5), within(0.15, 0.5), within(0.15, 0.5));
        let center = DVec3::new(within(-0.4, 0.4), within(-0.4, 0.4), 0.5 + 0.6 * f64::from(k));
        let axis = DVec3::new(within(-1.0, 1.0), within(-1.0, 1.0), within(0.1, 1.0)).normalize();
        let turn = DQuat::from_axis_angle(axis, within(0.0, 3.0));
        model.blocks.push(cuboid(&format!("stone {k}"), size, center, turn));
    }
    model.joints = Joints::uniform(0.6);
    model
}

//! Blocks that deform: bars, blocks and prisms beside closed forms and finite elements of others; paper 002's wall and dome.
//!
//! Numbers of independent programs stand as constants beside the cases; where they come from is said there.

mod dome;
mod hertz;
mod peer;
mod single;
mod stiff;
mod wall;

#[cfg(test)]
mod tests;

use drystone_analysis::Failure;
use drystone_mechanics::{
    Structure,
    deformable::Elements,
    dynamics::{Simulation, SimulationSettings, Start, TimeStep},
    slow::{Path, PathEnd, PathSettings, PathWay},
};
use drystone_model::{Block, DeformableGroup, Elasticity, Model, Shape, Stage, Stages, motion::Supports};
use glam::{DVec3, dvec3};

use super::case::{Allowed, Case, Context, Outcome, Row, short};

/// The cases of this group, in the order in which they are listed and run.
pub(super) const CASES: &[Case] = &[
    single::BAR,
    single::WEIGHT,
    hertz::CASE,
    single::FREQUENCIES,
    single::TUMBLING,
    wall::WAYS,
    wall::SETTLEMENT,
    dome::CASE,
    stiff::CASE,
    peer::CASE,
];

/// The stone of paper 002, section 5.1: Young's modulus (Pa), Poisson's ratio, density (kg/m3).
const YOUNG: f64 = 60e9;
const POISSON: f64 = 0.27;
const DENSITY: f64 = 2700.0;

/// A model whose blocks all deform.
fn elastic(mut model: Model, mesh: &str, [young, poisson]: [f64; 2]) -> Result<Model, Failure> {
    model.elasticity = Some(Elasticity {
        young_pa: young,
        poisson,
        rayleigh_mass_per_s: None,
        rayleigh_stiffness_s: None,
    });
    model.deformable = vec![entry(&format!("all:{mesh}"))?];
    Ok(model)
}

fn entry(text: &str) -> Result<DeformableGroup, Failure> {
    text.parse().map_err(Failure::run)
}

/// One cuboid, named `block`, over a fixed plane at z = 0.
fn over_plane(low: DVec3, high: DVec3, friction: f64) -> Model {
    let mut model = Model::named("block");
    model.density = DENSITY;
    model.joints.set_friction(friction);
    let ground = Shape::cuboid(dvec3(-5.0, -5.0, -1.0), dvec3(5.0, 5.0, 0.0));
    model.blocks = vec![
        Block::new("ground", ground).fixed(),
        Block::new("block", Shape::cuboid(low, high)),
    ];
    model
}

/// A simulation that begins free of stress.
fn released(model: &Model, dt: f64, theta: f64, tolerance: f64) -> Result<Simulation, Failure> {
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(dt),
        theta,
        start: Start::Uncompressed,
        rest: false,
        tolerance: Some(tolerance),
        ..SimulationSettings::default()
    };
    Simulation::new(model, settings, Supports::default(), &[]).map_err(Failure::run)
}

/// A path through stages, followed to its end.
fn followed(model: &Model, stages: Vec<Stage>, way: PathWay) -> Result<(Path, PathEnd), Failure> {
    let settings = PathSettings {
        way,
        ..PathSettings::default()
    };
    let mut path = Path::new(model, Structure::new(model)?, &Stages { stages }, settings)?;
    let end = path.follow(|_| ())?;
    Ok((path, end))
}

/// Elements of a block that deforms, by its place among these: where the middle of each was at first, from the centre of its block,
/// and its mean stress.
fn stresses(simulation: &Simulation, place: usize) -> Vec<(DVec3, [f64; 6])> {
    let elastic = &simulation.structure().elastic.shape(place).elastic;
    let mesh = elastic.mesh();
    let middle = |nodes: &[u32]| nodes.iter().map(|&n| mesh.nodes[n as usize]).sum::<DVec3>() / nodes.len() as f64;
    let middles: Vec<DVec3> = match &mesh.elements {
        Elements::H8(all) => all.iter().map(|e| middle(e)).collect(),
        Elements::T10(all) => all.iter().map(|e| middle(&e[..4])).collect(),
    };
    let stress = elastic.element_stress(&simulation.state().deformed()[place].displacement);
    middles.into_iter().zip(stress).collect()
}

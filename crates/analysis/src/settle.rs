//! Slow loading: the path of a structure through equilibria, and what it comes to.

use std::time::Instant;

use drystone_cone::{Stop, Twist};
use drystone_contact::Placement;
use drystone_mechanics::{
    Structure,
    deformable::ElasticField,
    dynamics::Deformed,
    slow::{Path, PathEnd, PathError, PathPoint, PathSettings, PathWay},
};
use drystone_model::{Model, Rotation, Stages};
use glam::{DQuat, DVec3};
use serde::Serialize;

use crate::{
    DeformationResult, Failure, TieGroup, ties,
    words::{counted, length, listed, significant},
};

/// Opening or slip from which a joint counts as cracked, as a fraction of the size of a block.
const CRACK: f64 = 1e-5;

/// How far the two sides of a joint have come apart since the start.
#[derive(Clone, Debug, PartialEq)]
pub struct JointOpening {
    /// Its number among the joints of the structure.
    pub joint: usize,
    /// The two blocks.
    pub blocks: [usize; 2],
    /// Its corners, where they are now on the first block (unit: m).
    pub outline: Vec<DVec3>,
    /// Largest distance of the two sides along the normal (unit: m); zero where they are pressed together.
    pub opening: f64,
    /// Largest distance across it (unit: m).
    pub slip: f64,
}

/// What a stage came to.
#[derive(Clone, Debug, Serialize)]
pub struct StageResult {
    /// Its name.
    pub name: String,
    /// How much of it was reached, from 0 to 1.
    pub done: f64,
    /// Equilibria found.
    pub equilibria: usize,
    /// Rounds that they took.
    pub rounds: usize,
    /// Largest displacement of a free block at its end (m).
    pub max_displacement_m: f64,
    /// Largest opening of a joint at its end (m).
    pub max_opening_m: f64,
    /// Largest slip of a joint at its end (m).
    pub max_slip_m: f64,
    /// Joints that are open at its end.
    pub open_joints: usize,
    /// Joints that have slipped at its end.
    pub slipped_joints: usize,
    /// Points of joints that were bonded, and how many of them are broken.
    pub bonds: usize,
    /// See there.
    pub broken_bonds: usize,
    /// Points of joints that have been crushed.
    pub crushed_points: usize,
    /// What the most crushed of them has shortened by (m).
    pub max_crushing_m: f64,
    /// Stresses at its end, where blocks deform.
    #[serde(flatten)]
    pub deformation: Option<DeformationResult>,
}

/// A tie in an equilibrium.
#[derive(Clone, Debug, Serialize)]
pub struct SettledTie {
    /// Its name.
    pub name: String,
    /// The group it is of, where it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Force, positive where it pulls (N).
    pub force_n: f64,
    /// How much longer it is than it is drawn (m).
    pub elongation_m: f64,
    /// `slack`, `bears`, `yields` or `ruptured`.
    pub state: &'static str,
}

/// An equilibrium, told as it is found.
pub struct Reached<'a> {
    /// Where on the path.
    pub point: &'a PathPoint,
    /// Names of the load cases whose factors it has.
    pub load_cases: &'a [String],
    /// Where blocks stood at first.
    pub initial: &'a [Placement],
    /// Where they are.
    pub placements: &'a [Placement],
    /// How blocks are deformed, in the order of
    /// [`ElasticBlocks::blocks`](drystone_mechanics::deformable::ElasticBlocks::blocks).
    pub deformed: &'a [Deformed],
    /// Which blocks are not there.
    pub absent: &'a [bool],
    /// What joints have done since the start.
    pub joints: &'a [JointOpening],
    /// Opening or slip from which a joint counts as open or as slipped (unit: m).
    pub crack: f64,
    /// Points of joints that were bonded, and how many of them are broken.
    pub bonds: usize,
    /// See there.
    pub broken_bonds: usize,
}

impl Reached<'_> {
    /// Joints that are open.
    pub fn open_joints(&self) -> usize {
        self.joints.iter().filter(|j| j.opening > self.crack).count()
    }

    /// Joints that have slipped.
    pub fn slipped_joints(&self) -> usize {
        self.joints.iter().filter(|j| j.slip > self.crack).count()
    }

    /// Largest opening of a joint (unit: m).
    pub fn max_opening(&self) -> f64 {
        self.joints.iter().map(|j| j.opening).fold(0.0, f64::max)
    }

    /// Largest slip of a joint (unit: m).
    pub fn max_slip(&self) -> f64 {
        self.joints.iter().map(|j| j.slip).fold(0.0, f64::max)
    }
}

/// Opening or slip of a joint from which it counts as cracked (unit: m).
pub fn crack_width(structure: &Structure) -> f64 {
    CRACK * structure.length
}

/// A structure at the end of a stage.
pub struct StageState {
    /// Where blocks are.
    pub placements: Vec<Placement>,
    /// Which blocks are not there.
    pub absent: Vec<bool>,
    /// Its joints.
    pub joints: Vec<JointOpening>,
    /// How blocks are deformed, in the order of
    /// [`ElasticBlocks::blocks`](drystone_mechanics::deformable::ElasticBlocks::blocks).
    pub deformed: Vec<Deformed>,
}

impl StageState {
    /// Displacements and stresses of the blocks that deform and are there.
    pub fn field(&self, structure: &Structure) -> ElasticField {
        ElasticField::of(structure, &self.placements, &self.deformed).without(&self.absent)
    }
}

/// What came of slow loading.
#[derive(Serialize)]
pub struct SettleAnswer {
    /// `completed`, or `no_equilibrium`.
    pub end: &'static str,
    /// What is known, in plain words.
    pub conclusion: String,
    /// The stages that were begun.
    pub stages: Vec<StageResult>,
    /// Names of the load cases.
    pub load_cases: Vec<String>,
    /// Stage in which it ends, the last fraction of it with an equilibrium and the next without; nothing where all were done.
    pub ends_in: Option<(String, [f64; 2])>,
    /// Whether it is proven that no forces balance the loads there.
    pub no_forces: Option<bool>,
    /// Blocks that the motion moves which follows.
    pub moving_blocks: Vec<String>,
    /// Ties in the last equilibrium.
    pub ties: Vec<SettledTie>,
    /// How equilibria were found: `equilibria`, `velocity_cancelling` or `numerical_filter`.
    pub way: &'static str,
    /// Length of the time steps, where equilibria were found by them (s).
    pub dt_s: Option<f64>,
    /// The largest force of each group of ties there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tie_groups: Vec<TieGroup>,
    /// Whether joints without a stiffness were given one so large that it does not show.
    pub hard_joints: bool,
    /// Stresses in the last equilibrium, where blocks deform.
    #[serde(flatten)]
    pub deformation: Option<DeformationResult>,
    /// Seconds it took.
    pub time_s: f64,
    /// Every equilibrium.
    #[serde(skip)]
    pub points: Vec<PathPoint>,
    /// The structure at the end of each stage that was begun.
    #[serde(skip)]
    pub states: Vec<StageState>,
    /// The motion that follows, by block.
    #[serde(skip)]
    pub motions: Vec<Twist>,
    /// Placements at every equilibrium.
    #[serde(skip)]
    pub frames: Vec<Vec<Placement>>,
}

impl From<PathError> for Failure {
    fn from(error: PathError) -> Self {
        match error {
            PathError::Simulation(error) => Self::run(error),
            error => Self::input(error),
        }
    }
}

/// Loads a structure slowly, stage by stage. `watch` sees every equilibrium.
pub fn settle(
    model: &Model,
    structure: &Structure,
    stages: &Stages,
    settings: PathSettings,
    stop: Option<Stop>,
    mut watch: impl FnMut(&Reached<'_>),
) -> Result<SettleAnswer, Failure> {
    let began = Instant::now();
    let mut path = Path::new(model, structure.clone(), stages, settings)?;
    if let Some(stop) = stop {
        path.stop_by(stop);
    }
    let mut states: Vec<StageState> = Vec::new();
    let mut results: Vec<StageResult> = Vec::new();
    let mut frames = Vec::new();
    let end = path.follow(|path| {
        let Some(point) = path.points().last() else { return };
        let simulation = path.simulation();
        let placements = simulation.state().placements.clone();
        let joints = openings(
            simulation.structure(),
            path.initial(),
            (&placements, simulation.state().deformed()),
            simulation.absent(),
        );
        let [bonds, intact] = simulation.bonds();
        let reached = Reached {
            point,
            load_cases: path.load_cases(),
            initial: path.initial(),
            placements: &placements,
            deformed: simulation.state().deformed(),
            absent: simulation.absent(),
            joints: &joints,
            crack: crack_width(simulation.structure()),
            bonds,
            broken_bonds: bonds - intact,
        };
        watch(&reached);
        while results.len() <= point.stage {
            results.push(StageResult {
                name: stage_name(path, results.len()),
                done: 0.0,
                equilibria: 0,
                rounds: 0,
                max_displacement_m: 0.0,
                max_opening_m: 0.0,
                max_slip_m: 0.0,
                open_joints: 0,
                slipped_joints: 0,
                bonds,
                broken_bonds: 0,
                crushed_points: 0,
                max_crushing_m: 0.0,
                deformation: None,
            });
        }
        let result = &mut results[point.stage];
        (result.done, result.max_displacement_m) = (point.done, point.displacement);
        result.equilibria += 1;
        result.rounds += point.rounds;
        (result.max_opening_m, result.max_slip_m) = (reached.max_opening(), reached.max_slip());
        (result.open_joints, result.slipped_joints) = (reached.open_joints(), reached.slipped_joints());
        result.broken_bonds = reached.broken_bonds;
        (result.crushed_points, result.max_crushing_m) = simulation.crushed();
        frames.push(placements.clone());
        let state = StageState {
            placements,
            absent: simulation.absent().to_vec(),
            joints,
            deformed: simulation.state().deformed().to_vec(),
        };
        states.truncate(point.stage);
        states.push(state);
    })?;
    // Of the ends of stages alone: stresses of every equilibrium would take as long as finding it.
    for (result, state) in results.iter_mut().zip(&states) {
        let structure = path.simulation().structure();
        result.deformation = DeformationResult::of(structure, &state.placements, &state.deformed, &state.absent);
    }
    let name = |k: usize| stage_name(&path, k);
    let (mut ends_in, mut no_forces, mut motions) = (None, None, Vec::new());
    if let PathEnd::NoEquilibrium {
        stage,
        between,
        motions: moving,
        is_proven,
    } = end
    {
        (ends_in, no_forces, motions) = (Some((name(stage), between)), Some(is_proven), moving);
    }
    let moving_blocks = moving(structure, &motions);
    let (way, dt_s) = match path.way() {
        PathWay::Equilibria => ("equilibria", None),
        PathWay::VelocityCancelling(dt) => ("velocity_cancelling", Some(dt)),
        PathWay::NumericalFilter(dt) => ("numerical_filter", Some(dt)),
        PathWay::Relaxation => ("relaxation", None),
    };
    let conclusion = conclude(&path, &results, ends_in.as_ref(), no_forces, &moving_blocks);
    let deformation = results.last().and_then(|r| r.deformation.clone());
    Ok(SettleAnswer {
        end: if ends_in.is_some() {
            "no_equilibrium"
        } else {
            "completed"
        },
        conclusion,
        stages: results,
        load_cases: path.load_cases().to_vec(),
        ends_in,
        no_forces,
        moving_blocks,
        ties: (path.simulation().ties())
            .map(|tie| SettledTie {
                name: tie.name.to_string(),
                group: tie.group.map(str::to_string),
                force_n: tie.state.force,
                elongation_m: tie.elongation,
                state: tie.status().name(),
            })
            .collect(),
        way,
        dt_s,
        tie_groups: ties::groups((path.simulation().ties()).map(|t| (t.name, t.group, t.state.force))),
        hard_joints: path.is_hard(),
        deformation,
        time_s: began.elapsed().as_secs_f64(),
        points: path.points().to_vec(),
        states,
        motions,
        frames,
    })
}

/// What a stage is called, or its number.
fn stage_name(path: &Path, k: usize) -> String {
    match path.stages()[k].name.as_str() {
        "" => format!("stage {}", k + 1),
        name => name.to_string(),
    }
}

fn conclude(
    path: &Path,
    results: &[StageResult],
    ends_in: Option<&(String, [f64; 2])>,
    no_forces: Option<bool>,
    moving: &[String],
) -> String {
    let moved = |r: &StageResult| {
        let cracks = match r.open_joints {
            0 => "no joint is open".to_string(),
            n => format!("{} open by up to {}", counted(n, "joint"), length(r.max_opening_m)),
        };
        format!("Blocks have moved by up to {}; {cracks}.", length(r.max_displacement_m))
    };
    let last = results.last().map_or(String::new(), moved);
    let Some((stage, [from, to])) = ends_in else {
        return format!("It stands through {}. {last}", counted(path.stages().len(), "stage"));
    };
    let factors: Vec<String> = path.points().last().map_or(Vec::new(), |point| {
        let named = path.load_cases().iter().zip(&point.factors);
        let loads = named.map(|(name, f)| format!("`{name}` at {}", significant(*f)));
        let angle = point.tilt.length().to_degrees();
        let tilt = (angle > 0.0).then(|| format!("tilted by {}°", significant(angle)));
        loads.chain(tilt).collect()
    });
    let at = match factors.is_empty() {
        true => String::new(),
        false => format!(" ({})", listed(&factors)),
    };
    let why = match no_forces {
        _ if path.way() != PathWay::Equilibria => "beyond, blocks go on moving (no equilibrium was found)",
        Some(true) => "beyond, no forces balance the loads",
        _ => "beyond, closing the joints takes ever more motion (no equilibrium was found)",
    };
    let who = match moving.len() {
        0 => String::new(),
        1 => " 1 block then moves.".to_string(),
        n => format!(" {n} blocks then move."),
    };
    format!(
        "It is in equilibrium up to {} % of stage `{stage}`{at}; {why} at {} %.{who} {last}",
        significant(100.0 * from),
        significant(100.0 * to)
    )
}

/// Blocks that take part in a motion.
fn moving(structure: &Structure, motions: &[Twist]) -> Vec<String> {
    let speed = |b: usize| motions[b].linear.length() + structure.radius[b] * motions[b].angular.length();
    let all = 0..motions.len().min(structure.len());
    let fastest = all.clone().map(speed).fold(0.0, f64::max);
    all.filter(|&b| speed(b) > 1e-3 * fastest && fastest > 0.0)
        .map(|b| structure.names[b].clone())
        .collect()
}

/// How far the two sides of each joint have come apart, by the motion and the deformation of their blocks. Joints of blocks that are not
/// there are left out.
pub fn openings(
    structure: &Structure,
    initial: &[Placement],
    (placements, deformed): (&[Placement], &[Deformed]),
    absent: &[bool],
) -> Vec<JointOpening> {
    let within = |b: usize, arm: DVec3| {
        let Some((place, deformed)) = structure
            .elastic
            .place(b as u32)
            .and_then(|k| Some((k, deformed.get(k)?)))
        else {
            return DVec3::ZERO;
        };
        let mut weights = Vec::new();
        structure
            .elastic
            .shape(place)
            .elastic
            .mesh()
            .interpolate(arm, &mut weights);
        weights
            .iter()
            .map(|&(node, w)| w * deformed.displacement[node as usize])
            .sum()
    };
    let moved = |b: usize, p: DVec3| {
        let arm = p - initial[b].center;
        placements[b].center + placements[b].rotation * (arm + within(b, arm))
    };
    let joints = structure.joints.iter().enumerate();
    joints
        .filter(|(_, joint)| !joint.blocks.iter().any(|&b| absent[b]))
        .map(|(number, joint)| {
            let [a, b] = joint.blocks;
            let normal = placements[a].rotation * joint.normal;
            let (mut opening, mut slip) = (0.0_f64, 0.0_f64);
            for &point in &joint.points {
                let apart = moved(b, point) - moved(a, point);
                let along = apart.dot(normal);
                opening = opening.max(along);
                slip = slip.max((apart - along * normal).length());
            }
            JointOpening {
                joint: number,
                blocks: joint.blocks,
                outline: joint.points.iter().map(|&p| moved(a, p)).collect(),
                opening,
                slip,
            }
        })
        .collect()
}

/// A model with its blocks moved, for other analyses to start from. Stored joints are left out: they are found anew.
pub fn moved_model(model: &Model, initial: &[Placement], placements: &[Placement], absent: &[bool]) -> Model {
    let mut moved = model.clone();
    moved.interfaces.clear();
    let turn = |b: usize| (placements[b].rotation * initial[b].rotation.conjugate()).normalize();
    let place = |b: usize, p: DVec3| placements[b].center + turn(b) * (p - initial[b].center);
    for (b, block) in moved.blocks.iter_mut().enumerate() {
        let own = block
            .pose
            .rotation
            .and_then(|r| r.quaternion())
            .unwrap_or(DQuat::IDENTITY);
        let rotation = (turn(b) * own).normalize();
        block.pose.position = place(b, block.pose.position);
        if rotation != DQuat::IDENTITY {
            let [x, y, z, w] = rotation.to_array();
            block.pose.rotation = Some(Rotation::Quaternion {
                quaternion: [w, x, y, z],
            });
        }
    }
    let index = |name: &str| model.blocks.iter().position(|b| b.name == name);
    for end in moved.ties.iter_mut().flat_map(|t| [&mut t.from, &mut t.to]) {
        if let Some(b) = index(&end.block) {
            end.at = place(b, end.at);
        }
    }
    let gone = |name: &str| index(name).is_some_and(|b| absent[b]);
    moved.ties.retain(|t| !gone(&t.from.block) && !gone(&t.to.block));
    let mut at = 0;
    moved.blocks.retain(|_| {
        at += 1;
        !absent[at - 1]
    });
    moved.forget_deformable();
    moved
}

//! Slow loading: a structure is followed through equilibria, stage by stage, to the last that there is.
//!
//! A [`Path`] takes each stage in steps, and each step to an equilibrium on the deformed shape
//! ([`Simulation::equilibrate`]). A step that has none is halved; where the shortest has none either, the path ends there, with
//! the motion that follows. Stiffness of joints that have none is one so large that it does not show.

mod control;
mod level;

use drystone_cone::{Equilibrium, EquilibriumSettings, Stop, Twist};
use drystone_contact::Placement;
use drystone_model::{JointLaw, JointStiffness, Model, Stage, Stages, motion::Supports, named};
use glam::DVec3;

use self::level::{Level, between};
use crate::{
    Structure,
    dynamics::{
        Calming, Equilibrated, ExplicitSettings, Integrator, Simulation, SimulationError, SimulationSettings, Start,
        TimeStep,
    },
    laws::hard_stiffness,
};

/// Steps of a stage that says nothing.
pub const STEPS: u32 = 20;
/// How closely joints are closed, over what they are compressed by: on the way, where what is left is carried on into the next
/// step, and at the end of a stage.
const CLOSED: [f64; 2] = [1e-2, 1e-4];
/// How many times a step is halved before there is no equilibrium.
const HALVINGS: u32 = 12;
/// Compression of a joint without a stiffness under the weight of the whole structure on one block, or its largest load or
/// strength, as a fraction of the size of a block.
const HARD: f64 = 1e-6;
/// The same where paths are followed by relaxation, whose steps are the shorter the stiffer joints are.
const HARD_ENOUGH: f64 = 1e-4;
/// The same for blocks that deform.
const FEW_HALVINGS: u32 = 2;
/// Local damping of relaxation, and the time after which it is looked at, over that of a fall by the size of a block.
const DAMPING: f64 = 0.8;
const LOOK: f64 = 1e-2;

/// Why a path cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// Stages do not fit the model.
    #[error("{}", .0.join("; "))]
    Stages(Vec<String>),
    /// A stage leaves blocks without a support.
    #[error("stage `{stage}` leaves blocks without a support: {}", .blocks.join(", "))]
    Unsupported {
        /// Name of the stage.
        stage: String,
        /// Names of the blocks, or the first of them.
        blocks: Vec<String>,
    },
    /// A step failed.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

/// How equilibria are found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum PathWay {
    /// Each by itself, without a mass.
    #[default]
    Equilibria,
    /// By time steps of this length (s), after each of which every velocity is set to zero.
    VelocityCancelling(f64),
    /// By time steps of this length (s) that damp what swings: longer than the slowest period of the joints.
    NumericalFilter(f64),
    /// By the distinct element method, with local damping: Coulomb friction and every law of the joints, followed in small steps.
    Relaxation,
}

/// How a path is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PathSettings {
    /// Stiffness of every joint, in place of those of the model.
    pub stiffness: Option<JointStiffness>,
    /// How equilibria are found.
    pub way: PathWay,
}

/// An equilibrium on the path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPoint {
    /// Which stage.
    pub stage: usize,
    /// How much of it is done, from 0 to 1.
    pub done: f64,
    /// Factor of the weight.
    pub gravity: f64,
    /// Factor of each load case, in the order of [`Path::load_cases`].
    pub factors: Vec<f64>,
    /// How the structure is tilted: an axis as long as the angle (unit: rad).
    pub tilt: DVec3,
    /// Largest displacement of a free block (unit: m).
    pub displacement: f64,
    /// Displacement in the direction of the loads, which does work with them: the sum of `force . displacement` over the sum of
    /// the sizes of the forces of this stage's load cases (unit: m); zero where it has none.
    pub along_loads: f64,
    /// Rounds that the equilibrium took.
    pub rounds: usize,
    /// How far the last round moved a block (unit: m).
    pub residual: f64,
}

/// How a path ended.
#[derive(Clone, Debug, PartialEq)]
pub enum PathEnd {
    /// All stages were done.
    Completed,
    /// There is no equilibrium farther on.
    NoEquilibrium {
        /// In which stage.
        stage: usize,
        /// The last fraction of it with one, and the next without.
        between: [f64; 2],
        /// The motion that follows, by block: directions alone mean something.
        motions: Vec<Twist>,
        /// Whether no forces balance the loads there; otherwise closing the joints takes ever more motion.
        is_proven: bool,
    },
}

/// A structure that is loaded slowly.
pub struct Path {
    simulation: Simulation,
    equilibrium: Equilibrium,
    stages: Vec<Stage>,
    load_cases: Vec<String>,
    model: Model,
    initial: Vec<Placement>,
    level: Level,
    /// Supports as earlier stages left them.
    supports: Vec<(usize, Placement)>,
    weights: Vec<f64>,
    points: Vec<PathPoint>,
    /// Whether a joint had no stiffness of its own.
    is_hard: bool,
    way: PathWay,
}

impl Path {
    /// A structure before its first stage.
    pub fn new(
        model: &Model,
        mut structure: Structure,
        stages: &Stages,
        settings: PathSettings,
    ) -> Result<Self, PathError> {
        let PathSettings { stiffness, way } = settings;
        let mut problems: Vec<String> = stages.problems(model).iter().map(ToString::to_string).collect();
        let deforms = !structure.elastic.is_empty();
        if deforms && way == PathWay::Relaxation {
            problems.push(
                "blocks that deform are not followed by relaxation: use equilibria, or implicit time steps".to_string(),
            );
        }
        if deforms || way != PathWay::Equilibria {
            if structure.laws().iter().any(|law| law.crushing_pa.is_some()) {
                problems.push(format!("`crushing_pa` needs {}", one_by_one(deforms)));
            }
            problems.extend(stages.stages.iter().filter(|s| !is_for_time_steps(s)).map(|stage| {
                format!(
                    "stage `{}`: `build`, `remove` and `control` need {}",
                    stage.name,
                    one_by_one(deforms)
                )
            }));
        }
        if !problems.is_empty() {
            return Err(PathError::Stages(problems));
        }
        let is_hard = stiffness.is_none() && structure.laws().iter().any(|law| law.stiffness.is_none());
        let compression = if way == PathWay::Relaxation { HARD_ENOUGH } else { HARD };
        // Where blocks deform, forces are unique but where three blocks meet at a point: a little yielding of the joints settles these.
        let hard = match deforms {
            true => structure.elastic.joint_stiffness(),
            false => too_hard_to_show(model, &structure, stages, compression),
        };
        structure.change_laws(|law| JointLaw {
            restitution: 0.0,
            stiffness: stiffness.or(law.stiffness).or(hard),
            ..law
        });
        let mut load_cases: Vec<String> = Vec::new();
        for name in stages.stages.iter().flat_map(|s| s.loads.keys()) {
            if !load_cases.contains(name) {
                load_cases.push(name.clone());
            }
        }
        let mut settings = SimulationSettings {
            start: Start::Uncompressed,
            rest: false,
            ..SimulationSettings::default()
        };
        if let PathWay::VelocityCancelling(dt) | PathWay::NumericalFilter(dt) = way {
            settings.time_step = TimeStep::Fixed(dt);
        }
        if deforms && way == PathWay::Equilibria {
            settings = settings.proximal(&structure);
        }
        if way == PathWay::Relaxation {
            let gravity = structure.gravity.length();
            let unit = (structure.length / if gravity > 0.0 { gravity } else { 1.0 }).sqrt();
            settings.time_step = TimeStep::Fixed(LOOK * unit);
            settings.integrator = Integrator::Explicit(ExplicitSettings {
                local_damping: DAMPING,
                ..ExplicitSettings::default()
            });
        }
        let mut simulation = Simulation::with_structure(model, structure, settings, Supports::default(), &load_cases)?;
        simulation.count_crushing();
        let later: Vec<usize> = stages.stages.iter().flat_map(|s| blocks_of(model, &s.build)).collect();
        simulation.remove(&later);
        let initial = simulation.state().placements.clone();
        let path = Self {
            equilibrium: Equilibrium::new(EquilibriumSettings::default()),
            stages: stages.stages.clone(),
            level: Level {
                gravity: 0.0,
                tilt: DVec3::ZERO,
                factors: vec![0.0; load_cases.len()],
                shrinkage: 0.0,
                moved: Vec::new(),
            },
            load_cases,
            model: model.clone(),
            initial,
            supports: Vec::new(),
            weights: vec![1.0; simulation.structure().len()],
            simulation,
            points: Vec::new(),
            is_hard,
            way,
        };
        path.check_supports()?;
        Ok(path)
    }

    /// Gives up, from now on, soon after a flag is set.
    pub fn stop_by(&mut self, stop: Stop) {
        self.simulation.stop_by(stop.clone());
        self.equilibrium.stop_by(stop);
    }

    /// The structure where it is.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The stages.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Names of the load cases that act in any stage.
    pub fn load_cases(&self) -> &[String] {
        &self.load_cases
    }

    /// The equilibria so far.
    pub fn points(&self) -> &[PathPoint] {
        &self.points
    }

    /// How equilibria are found.
    pub fn way(&self) -> PathWay {
        self.way
    }

    /// Whether joints without a stiffness were given a hard one.
    pub fn is_hard(&self) -> bool {
        self.is_hard
    }

    /// Whether blocks deform.
    fn deforms(&self) -> bool {
        !self.simulation.structure().elastic.is_empty()
    }

    /// Where blocks stood at first.
    pub fn initial(&self) -> &[Placement] {
        &self.initial
    }

    /// Follows the path to its end. `watch` sees every equilibrium.
    pub fn follow(&mut self, mut watch: impl FnMut(&Self)) -> Result<PathEnd, PathError> {
        for k in 0..self.stages.len() {
            if let Some(end) = self.follow_stage(k, &mut watch)? {
                return Ok(end);
            }
        }
        Ok(PathEnd::Completed)
    }

    fn follow_stage(&mut self, k: usize, watch: &mut impl FnMut(&Self)) -> Result<Option<PathEnd>, PathError> {
        let stage = self.stages[k].clone();
        let built = blocks_of(&self.model, &stage.build);
        if !built.is_empty() {
            self.simulation.build(&built);
        }
        self.simulation.remove(&blocks_of(&self.model, &stage.remove));
        self.check_stage(&stage)?;
        let from = self.level.clone();
        let to = self.target(k, &stage);
        if let Some(control) = &stage.control {
            return self.follow_controlled(k, &stage, (control, &built), (&from, &to), watch);
        }
        let longest = 1.0 / f64::from(stage.steps.unwrap_or(STEPS));
        let shortest = match self.way {
            PathWay::Equilibria if self.deforms() => longest / f64::from(1_u32 << FEW_HALVINGS),
            PathWay::Equilibria => longest / f64::from(1_u32 << HALVINGS),
            // Where time steps lead nowhere, shorter steps of the load take as long and tell no more.
            _ => longest,
        };
        let ends = |motions: Vec<Twist>, is_proven: bool, between: [f64; 2]| PathEnd::NoEquilibrium {
            stage: k,
            between,
            motions,
            is_proven,
        };
        let (mut done, mut step, mut last) = (0.0_f64, longest, None);
        while done < 1.0 {
            let next = if done + step > 1.0 - 1e-9 { 1.0 } else { done + step };
            for &b in &built {
                self.weights[b] = next;
            }
            let level = between(&from, &to, next);
            let closed = if next >= 1.0 { CLOSED[1] } else { CLOSED[0] };
            // Supports that move make joints slide and open anew in every step: there is nothing to go on from, and all stages
            // before are followed closely.
            let ahead = match self.stages.iter().all(|s| s.moves.is_empty()) {
                true => last.map_or(0.0, |last| (next - done) / last),
                false => 0.0,
            };
            let acting = self.acting(&level, None, closed, ahead);
            let found = match self.way {
                PathWay::Equilibria if self.deforms() => self.simulation.relax(&acting, Calming::Proximal)?,
                PathWay::Equilibria => self.simulation.equilibrate(&acting, &mut self.equilibrium)?,
                PathWay::VelocityCancelling(_) => self.simulation.relax(&acting, Calming::Stops)?,
                PathWay::NumericalFilter(_) | PathWay::Relaxation => self.simulation.relax(&acting, Calming::None)?,
            };
            match found {
                Equilibrated::Found { rounds, residual, .. } => {
                    last = Some(next - done);
                    (done, self.level) = (next, level);
                    let point = self.point(k, &stage, done, rounds, residual);
                    self.points.push(point);
                    watch(self);
                    step = (2.0 * step).min(longest);
                }
                Equilibrated::NoForces(motions) if step <= shortest => {
                    return Ok(Some(ends(motions, true, [done, next])));
                }
                Equilibrated::NotFound(motions, _) if step <= shortest => {
                    return Ok(Some(ends(motions, false, [done, next])));
                }
                Equilibrated::NoForces(_) | Equilibrated::NotFound(..) => step *= 0.5,
            }
        }
        self.supports = self.support_placements(&to);
        self.level = Level {
            moved: Vec::new(),
            ..to
        };
        Ok(None)
    }

    fn point(&self, k: usize, stage: &Stage, done: f64, rounds: usize, residual: f64) -> PathPoint {
        let structure = self.simulation.structure();
        let now = &self.simulation.state().placements;
        let moved = |b: usize| {
            let turned = (now[b].rotation * self.initial[b].rotation.conjugate()).to_scaled_axis();
            now[b].center.distance(self.initial[b].center) + structure.radius[b] * turned.length()
        };
        let present = structure.free().filter(|&b| !self.simulation.absent()[b]);
        PathPoint {
            stage: k,
            done,
            gravity: self.level.gravity,
            factors: self.level.factors.clone(),
            tilt: self.level.tilt,
            displacement: present.map(moved).fold(0.0, f64::max),
            along_loads: self.along_loads(stage),
            rounds,
            residual,
        }
    }

    /// Displacement that does work with the load cases of a stage.
    fn along_loads(&self, stage: &Stage) -> f64 {
        let (structure, now) = (self.simulation.structure(), &self.simulation.state().placements);
        let (mut work, mut size) = (0.0, 0.0);
        for name in stage.loads.keys() {
            let Some(case) = self.model.load_cases.get(name) else {
                continue;
            };
            for load in structure.loads_of(&self.model, name, case).unwrap_or_default() {
                let (was, is) = (&self.initial[load.block], &now[load.block]);
                let arm = load.at.map_or(DVec3::ZERO, |at| at - was.center);
                let moved = is.center + is.rotation * arm - (was.center + arm);
                work += load.force.dot(moved);
                size += load.force.length();
            }
        }
        if size > 0.0 { work / size } else { 0.0 }
    }

    fn check_supports(&self) -> Result<(), PathError> {
        match self.stages.first() {
            Some(first) if blocks_of(&self.model, &first.build).is_empty() => self.check_stage(first),
            _ => Ok(()),
        }
    }

    /// Every block that is there must hang together with a support.
    fn check_stage(&self, stage: &Stage) -> Result<(), PathError> {
        let (structure, absent) = (self.simulation.structure(), self.simulation.absent());
        let mut held: Vec<bool> = (0..structure.len()).map(|b| structure.fixed[b] && !absent[b]).collect();
        let joints = structure.joints.iter().map(|j| j.blocks);
        let ties = structure.ties.iter().map(|t| t.blocks.map(|b| b as usize));
        let pairs: Vec<[usize; 2]> = joints.chain(ties).filter(|p| !p.iter().any(|&b| absent[b])).collect();
        loop {
            let mut changed = false;
            for &[a, b] in &pairs {
                if held[a] != held[b] {
                    (held[a], held[b], changed) = (true, true, true);
                }
            }
            if !changed {
                break;
            }
        }
        let loose = (0..structure.len()).filter(|&b| !held[b] && !absent[b]);
        let blocks: Vec<String> = loose.take(5).map(|b| format!("`{}`", structure.names[b])).collect();
        if blocks.is_empty() {
            return Ok(());
        }
        Err(PathError::Unsupported {
            stage: stage.name.clone(),
            blocks,
        })
    }
}

fn one_by_one(deforms: bool) -> &'static str {
    match deforms {
        true => "rigid blocks: what deforms comes to rest by long time steps",
        false => "equilibria that are found one by one, not by time steps",
    }
}

fn is_for_time_steps(stage: &Stage) -> bool {
    stage.build.is_empty() && stage.remove.is_empty() && stage.control.is_none()
}

fn blocks_of(model: &Model, names: &[String]) -> Vec<usize> {
    names.iter().flat_map(|name| named(model, name)).collect()
}

/// A stiffness so large that it does not show.
fn too_hard_to_show(model: &Model, structure: &Structure, stages: &Stages, compression: f64) -> Option<JointStiffness> {
    let size = structure.length;
    let weight = structure.free_mass() * structure.gravity.length();
    let load = |(name, factor): (&String, &f64)| {
        let case = model.load_cases.get(name)?;
        let all = structure.loads_of(model, name, case).ok()?;
        let sizes = all.iter().map(|l| l.force.length() + l.couple.length() / size);
        Some(factor.abs() * sizes.sum::<f64>())
    };
    let loads = stages.stages.iter().flat_map(|s| &s.loads).filter_map(load);
    let bonds = structure.laws().iter().filter_map(|law| {
        let strength = law.bond?.strength(size * size, law.sticking_friction());
        Some(strength.tension.max(strength.cohesion))
    });
    let crushing = structure
        .laws()
        .iter()
        .filter_map(|law| Some(law.crushing_pa? * size * size));
    let largest = loads.chain(bonds).chain(crushing).fold(weight, f64::max);
    hard_stiffness(if largest > 0.0 { largest } else { 1.0 }, size, compression)
}

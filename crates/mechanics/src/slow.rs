//! Slow loading: a structure is followed through equilibria, stage by stage, to the last that there is.
//!
//! A [`Path`] takes each stage in steps, and each step to an equilibrium on the deformed shape
//! ([`Simulation::equilibrate`]). A step that has none is halved; where the shortest has none either, the path ends there, with
//! the motion that follows. Stiffness of joints that have none is one so large that it does not show.

use drystone_cone::{Equilibrium, EquilibriumSettings, Stop, Twist};
use drystone_contact::Placement;
use drystone_model::{Control, JointLaw, JointStiffness, Model, Stage, Stages, motion::Supports, named};
use glam::{DQuat, DVec3};

use crate::{
    Structure,
    dynamics::{Acting, Equilibrated, HeldPoint, Simulation, SimulationError, SimulationSettings, Start},
};

/// Steps of a stage that says nothing.
pub const STEPS: u32 = 20;
/// How closely joints are closed, over what they are compressed by: on the way, where what is left is carried on into the next
/// step, and at the end of a stage.
const CLOSED: [f64; 2] = [1e-2, 1e-4];
/// Trials of the factor of a load, and what may be left to hold a point, over the load.
const TRIALS: usize = 25;
const UNHELD: f64 = 1e-6;
/// How many times a step is halved before there is no equilibrium.
const HALVINGS: u32 = 12;
/// Compression of a joint without a stiffness under the weight of the whole structure on one block, or its largest load or
/// strength, as a fraction of the size of a block.
const HARD: f64 = 1e-6;

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

/// What acts at one place of a path.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    gravity: f64,
    tilt: DVec3,
    factors: Vec<f64>,
    shrinkage: f64,
    /// Motion of each support: shift, rotation and the point it is about.
    moved: Vec<(usize, DVec3, DVec3, Option<DVec3>)>,
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
}

impl Path {
    /// A structure before its first stage.
    pub fn new(
        model: &Model,
        mut structure: Structure,
        stages: &Stages,
        stiffness: Option<JointStiffness>,
    ) -> Result<Self, PathError> {
        let problems = stages.problems(model);
        if !problems.is_empty() {
            return Err(PathError::Stages(problems));
        }
        let is_hard = stiffness.is_none() && structure.laws().iter().any(|law| law.stiffness.is_none());
        let hard = hard_stiffness(model, &structure, stages);
        structure.change_laws(|law| JointLaw {
            restitution: 0.0,
            stiffness: stiffness.or(law.stiffness).or(Some(hard)),
            ..law
        });
        let mut load_cases: Vec<String> = Vec::new();
        for name in stages.stages.iter().flat_map(|s| s.loads.keys()) {
            if !load_cases.contains(name) {
                load_cases.push(name.clone());
            }
        }
        let settings = SimulationSettings {
            start: Start::Uncompressed,
            ..SimulationSettings::default()
        };
        let mut simulation = Simulation::with_structure(model, structure, settings, Supports::default(), &load_cases)?;
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
        };
        path.check_supports()?;
        Ok(path)
    }

    /// Gives up, from now on, soon after a flag is set.
    pub fn stop_by(&mut self, stop: Stop) {
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

    /// Whether joints without a stiffness were given a hard one.
    pub fn is_hard(&self) -> bool {
        self.is_hard
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
        let shortest = longest / f64::from(1_u32 << HALVINGS);
        let (mut done, mut step) = (0.0_f64, longest);
        while done < 1.0 {
            let next = if done + step > 1.0 - 1e-9 { 1.0 } else { done + step };
            for &b in &built {
                self.weights[b] = next;
            }
            let level = between(&from, &to, next);
            let acting = self.acting(&level, None, if next >= 1.0 { CLOSED[1] } else { CLOSED[0] });
            match self.simulation.equilibrate(&acting, &mut self.equilibrium)? {
                Equilibrated::Found { rounds, residual, .. } => {
                    (done, self.level) = (next, level);
                    let point = self.point(k, &stage, done, rounds, residual);
                    self.points.push(point);
                    watch(self);
                    step = (2.0 * step).min(longest);
                }
                Equilibrated::NoForces(motions) | Equilibrated::NotFound(motions, _) if step <= shortest => {
                    let proven = self.simulation.equilibrate(&acting, &mut self.equilibrium)?;
                    return Ok(Some(PathEnd::NoEquilibrium {
                        stage: k,
                        between: [done, next],
                        motions,
                        is_proven: matches!(proven, Equilibrated::NoForces(_)),
                    }));
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

    /// A stage in which the displacement of a point is prescribed: in every step the factor of the loads is found at which
    /// nothing is needed to hold the point there.
    fn follow_controlled(
        &mut self,
        k: usize,
        stage: &Stage,
        (control, built): (&Control, &[usize]),
        (from, to): (&Level, &Level),
        watch: &mut impl FnMut(&Self),
    ) -> Result<Option<PathEnd>, PathError> {
        let structure = self.simulation.structure();
        let block = structure.names.iter().position(|n| *n == control.block).unwrap_or(0);
        let center = structure.center[block];
        let mut held = HeldPoint {
            block,
            arm: control.at.map_or(DVec3::ZERO, |at| at - center),
            direction: control.direction.normalize_or_zero(),
            at: 0.0,
        };
        let start = held.direction.dot(held.point(&self.simulation.state().placements));
        let push = self.push_along(stage, held.direction);
        let longest = 1.0 / f64::from(stage.steps.unwrap_or(STEPS));
        let shortest = longest / f64::from(1_u32 << HALVINGS);
        // The loads of the stage are a factor times what it gives, whatever they were before.
        let acts: Vec<bool> = self
            .load_cases
            .iter()
            .map(|name| stage.loads.contains_key(name))
            .collect();
        let begins = (0..acts.len()).find(|&k| acts[k] && to.factors[k] != 0.0);
        let before = begins.map_or(0.0, |k| from.factors[k] / to.factors[k]);
        let (mut done, mut step, mut factor, mut slope) = (0.0_f64, longest, before, 0.0);
        while done < 1.0 {
            let next = if done + step > 1.0 - 1e-9 { 1.0 } else { done + step };
            held.at = start + next * control.to_m;
            let guess = factor + slope * (next - done);
            for &b in built {
                self.weights[b] = next;
            }
            let at = between(from, to, next);
            let level = |factor: f64| Level {
                factors: (from.factors.iter().zip(&to.factors).enumerate())
                    .map(|(k, (from, to))| if acts[k] { factor * to } else { *from })
                    .collect(),
                ..at.clone()
            };
            match self.find_factor(&level, held, guess, push)? {
                Some((found, rounds, residual)) => {
                    slope = (found - factor) / (next - done);
                    (done, factor) = (next, found);
                    self.level = level(factor);
                    let point = self.point(k, stage, done, rounds, residual);
                    self.points.push(point);
                    watch(self);
                    step = (2.0 * step).min(longest);
                }
                None if step <= shortest => {
                    return Ok(Some(PathEnd::NoEquilibrium {
                        stage: k,
                        between: [done, next],
                        motions: self.equilibrium.solution().motions.clone(),
                        is_proven: false,
                    }));
                }
                None => (step, slope) = (0.5 * step, 0.0),
            }
        }
        self.supports = self.support_placements(to);
        self.level.moved.clear();
        Ok(None)
    }

    /// The factor at which a point stays where it is held by itself, with the rounds and the residual of that equilibrium; the
    /// structure is then in it. `push` is what a unit of the factor pushes the point by (N).
    fn find_factor(
        &mut self,
        level: &impl Fn(f64) -> Level,
        held: HeldPoint,
        guess: f64,
        push: f64,
    ) -> Result<Option<(f64, usize, f64)>, PathError> {
        let before = self.simulation.state().clone();
        let mut known: Option<(f64, f64)> = None;
        let (mut factor, mut all) = (guess, 0);
        for _ in 0..TRIALS {
            self.simulation.resume(before.clone())?;
            let acting = self.acting(&level(factor), Some(held), CLOSED[1]);
            let Equilibrated::Found {
                rounds,
                residual,
                reaction,
            } = self.simulation.equilibrate(&acting, &mut self.equilibrium)?
            else {
                break;
            };
            all += rounds;
            if reaction.abs() <= UNHELD * push * factor.abs().max(1e-3) {
                return Ok(Some((factor, all, residual)));
            }
            // Secant; at first, as if the load acted at the point.
            let slope = match known {
                Some((other, was)) if was != reaction => (reaction - was) / (factor - other),
                _ => -push,
            };
            known = Some((factor, reaction));
            factor -= reaction / slope;
            if !factor.is_finite() {
                break;
            }
        }
        self.simulation.resume(before)?;
        Ok(None)
    }

    /// The size of the loads of a stage along a direction, or all of it where they are across (N).
    fn push_along(&self, stage: &Stage, direction: DVec3) -> f64 {
        let structure = self.simulation.structure();
        let (mut along, mut size) = (0.0, 0.0);
        for (name, factor) in &stage.loads {
            let Some(case) = self.model.load_cases.get(name) else {
                continue;
            };
            for load in structure.loads_of(&self.model, name, case).unwrap_or_default() {
                along += factor * load.force.dot(direction);
                size += factor.abs() * load.force.length();
            }
        }
        if along.abs() > 1e-3 * size {
            along.abs()
        } else {
            size.max(f64::MIN_POSITIVE)
        }
    }

    /// What a stage ends with.
    fn target(&self, k: usize, stage: &Stage) -> Level {
        let mut to = self.level.clone();
        to.gravity = stage.gravity.unwrap_or(if k == 0 { 1.0 } else { to.gravity });
        to.shrinkage = stage.shrinkage_m.unwrap_or(to.shrinkage);
        if let Some(tilt) = stage.tilt {
            to.tilt = tilt.axis.normalize_or_zero() * tilt.angle_deg.to_radians();
        }
        for (name, factor) in &stage.loads {
            if let Some(at) = self.load_cases.iter().position(|l| l == name) {
                to.factors[at] = *factor;
            }
        }
        for moved in &stage.moves {
            let turn = moved.turn_deg.map(f64::to_radians);
            for b in blocks_of(&self.model, &moved.blocks) {
                to.moved.push((b, moved.by, turn, moved.about));
            }
        }
        to
    }

    fn acting(&self, level: &Level, held: Option<HeldPoint>, closed: f64) -> Acting {
        // The structure is tilted: gravity turns the other way.
        let gravity = DQuat::from_scaled_axis(-level.tilt) * self.simulation.structure().gravity;
        Acting {
            gravity: level.gravity * gravity,
            weights: self.weights.clone(),
            factors: level.factors.clone(),
            supports: self.support_placements(level),
            shrinkage: level.shrinkage,
            held,
            closed,
        }
    }

    /// Where supports are that any stage has moved.
    fn support_placements(&self, level: &Level) -> Vec<(usize, Placement)> {
        let mut placed = self.supports.clone();
        for &(b, by, turn, about) in &level.moved {
            let at = placed.iter().position(|(known, _)| *known == b).unwrap_or_else(|| {
                placed.push((b, self.initial[b]));
                placed.len() - 1
            });
            let placement = &mut placed[at].1;
            let rotation = DQuat::from_scaled_axis(turn);
            let pivot = about.unwrap_or(placement.center);
            placement.center = pivot + rotation * (placement.center - pivot) + by;
            placement.rotation = (rotation * placement.rotation).normalize();
        }
        placed
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

fn blocks_of(model: &Model, names: &[String]) -> Vec<usize> {
    names.iter().flat_map(|name| named(model, name)).collect()
}

fn between(from: &Level, to: &Level, at: f64) -> Level {
    let mix = |a: f64, b: f64| if at == 1.0 { b } else { a + at * (b - a) };
    Level {
        gravity: mix(from.gravity, to.gravity),
        tilt: from.tilt + at * (to.tilt - from.tilt),
        factors: from.factors.iter().zip(&to.factors).map(|(a, b)| mix(*a, *b)).collect(),
        shrinkage: mix(from.shrinkage, to.shrinkage),
        moved: (to.moved.iter())
            .map(|&(b, by, turn, about)| (b, at * by, at * turn, about))
            .collect(),
    }
}

/// A stiffness so large that it does not show.
fn hard_stiffness(model: &Model, structure: &Structure, stages: &Stages) -> JointStiffness {
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
    let largest = loads.chain(bonds).fold(weight, f64::max);
    let stiffness = if largest > 0.0 { largest } else { 1.0 } / (size * size * HARD * size);
    JointStiffness {
        normal: stiffness,
        tangential: stiffness,
    }
}

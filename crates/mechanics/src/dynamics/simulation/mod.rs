//! The step.

mod budget;
mod equilibrate;
mod gate;
mod peaks;
mod rest;
mod slip;
mod solve;
mod start;
mod subproblem;
mod ties;

use std::time::Instant;

use drystone_cone::{self as cone, BodyMotion, Engine, Problem, Solution, Twist};
use drystone_contact::{self as contact, Bodies, Detector};
use drystone_model::{Model, motion::Supports};
use glam::{DMat3, DVec3};

use super::{
    ContactForce, ReferenceFrame, RestGaps, SimulationError, SimulationSettings, State, Step, TimeStep,
    bonds::{Bonds, with_stiffness},
    contacts::{contact_force, state_contacts},
    energy::{Account, Work},
    loads::Loads,
    memory::Past,
    rotation::turn,
    settings::law_problem,
    springs::{Held, Spring, look_ahead, set_springs, stored_after},
    ties::StatedTies,
};
use crate::{Structure, StructureError};
use budget::Budget;
use equilibrate::Shift;
pub use equilibrate::{Acting, Equilibrated, HeldPoint};
pub use gate::StepAttempt;
pub use peaks::{Extreme, Extremes, Peak, RelativeMotion};
use rest::Islands;
use slip::SlipRounds;
use subproblem::Subproblem;
pub use ties::TieNow;

/// A structure on its way through time.
#[derive(Debug)]
pub struct Simulation {
    structure: Structure,
    settings: SimulationSettings,
    supports: Supports,
    loads: Loads,
    state: State,
    detector: Detector,
    /// What fills the joints at rest.
    rest_gaps: RestGaps,
    engine: Engine,
    problem: Problem,
    /// What of the problem is solved, and the solution of all of it.
    subproblem: Subproblem,
    solution: Solution,
    islands: Islands,
    /// Springs of contacts (of rigid ones, their overlap), what those of each interface hold at the start of the step, and how
    /// much faces may be apart and still touch, as a fraction of the smaller block.
    springs: Vec<Spring>,
    springs_held: Vec<Held>,
    touch: f64,
    /// Ties as they are stated, and what they hold at the start of the step (J).
    ties: StatedTies,
    links_held: f64,
    /// Blocks that begin uncompressed because no forces of their springs hold them.
    not_compressed: Vec<usize>,
    not_settled: Vec<usize>,
    accounts: Vec<Account>,
    /// Energies of the islands in the attempt that was made last, by their roots.
    budgets: Vec<Budget>,
    /// Coulomb's law by convex problems.
    slip: SlipRounds,
    /// A support that moves as the ground does, where it moves.
    ground_support: Option<usize>,
    /// Force and couple on each block beside gravity, and those of the step before.
    forces: Vec<[DVec3; 2]>,
    last_forces: Vec<[DVec3; 2]>,
    /// Joint laws with a history; empty where there are none.
    bonds: Bonds,
    /// Whether each contact slid in the last step.
    slid: Vec<bool>,
    /// Blocks that are not there, and how much every joint has shrunk (m): static equilibria alone look at them.
    absent: Vec<bool>,
    shrinkage: f64,
    /// How far faces may be apart that touch without a force (m).
    apart: f64,
    /// Supports that were moved before a round of static equilibrium.
    shifts: Vec<Shift>,
    /// Inertias at the start of the step, in world axes.
    inertia: Vec<DMat3>,
    /// Angular velocities that the equations are linearised about.
    iterate: Vec<DVec3>,
    /// Velocity of the ground over the step, where the axes move with it.
    ground: DVec3,
    /// Whether the problem and its solution are those of the last step that was not passed over.
    is_solved: bool,
    report: Step,
}

impl Simulation {
    /// A structure at rest, as its model has it. `supports` move its fixed blocks; `loads` names the load cases that act.
    pub fn new(
        model: &Model,
        settings: SimulationSettings,
        supports: Supports,
        loads: &[String],
    ) -> Result<Self, SimulationError> {
        Self::with_structure(model, Structure::new(model)?, settings, supports, loads)
    }

    /// The same where the structure of the model is known: its joints are not searched again.
    pub fn with_structure(
        model: &Model,
        mut structure: Structure,
        mut settings: SimulationSettings,
        supports: Supports,
        loads: &[String],
    ) -> Result<Self, SimulationError> {
        if let Some((what, value, allowed)) = settings.problem() {
            return Err(SimulationError::Setting { what, value, allowed });
        }
        if settings.frame == ReferenceFrame::Ground {
            let moved = |b: usize| supports.of(b).is_some();
            let mixed = (0..model.blocks.len()).any(|b| model.blocks[b].fixed && !moved(b));
            let all = supports.trajectories();
            if all.len() > 1 || (all.len() == 1 && mixed) || all.iter().any(|t| t.turns()) {
                return Err(SimulationError::NoCommonGround);
            }
        }
        structure.change_laws(|law| settings.law(law));
        let (weight, size) = (structure.free_mass() * structure.gravity.length(), structure.length);
        structure.change_laws(|law| with_stiffness(law, weight, size));
        if let Some((what, value, allowed)) = structure.laws().iter().find_map(law_problem) {
            return Err(SimulationError::Setting { what, value, allowed });
        }
        let loads = Loads::new(model, &structure, loads)?;
        let mut state = State {
            placements: structure.placements(),
            velocities: vec![Twist::ZERO; structure.len()],
            resting: vec![false; structure.len()],
            peaks: vec![Peak::default(); structure.len()],
            ties: structure.drawn_ties(),
            ..State::default()
        };
        // Where nothing is exchanged there is no error to speak of: the least scale is that of a lift that nobody sees.
        let lift = |b: usize| structure.mass[b] * structure.gravity.length() * structure.radius[b];
        state.energies.scale = 1e-6 * structure.free().map(lift).sum::<f64>();
        state.energies.measure(&structure, &state.placements, &state.velocities);
        if settings.recovery_speed.is_none() {
            let smallest = structure
                .free()
                .map(|b| structure.radius[b])
                .fold(f64::INFINITY, f64::min);
            let speed = 0.1 * (structure.gravity.length() * smallest).sqrt();
            settings.recovery_speed = Some(if speed > 0.0 { speed } else { f64::INFINITY });
        }
        let (bodies, _) = Bodies::of_model(model).map_err(StructureError::from)?;
        let mut search = contact::DetectorSettings {
            touch: model.tolerances.contact,
            distance: model.joint_search.map_or(0.0, |search| search.distance),
            rounding: model.rounding(),
            ..contact::DetectorSettings::default()
        };
        // Joints that are stored with the model, or found by settings of its own, are taken as they are at rest. Elsewhere
        // blocks touch to the last digits of their coordinates.
        let mut rest_gaps = RestGaps::default();
        if model.joint_search.is_some() || !model.interfaces.is_empty() {
            rest_gaps = RestGaps::new(&structure, &bodies, &search);
            search.distance = search.distance.max(rest_gaps.thickest());
        }
        let touch = search.touch;
        let detector = Detector::new(bodies, search);
        let engine = Engine::new(cone::SolverSettings {
            solver: settings.solver,
            friction: settings.friction,
            tolerance: settings.solver_tolerance(),
            ..cone::SolverSettings::default()
        });
        let problem = Problem {
            bodies: structure.problem_bodies(),
            ..Problem::default()
        };
        let n = structure.len();
        let ground_support = peaks::ground_support(&structure, &supports);
        let bonds = Bonds::new(&structure);
        state.bonds.clone_from(&bonds.states);
        let mut simulation = Self {
            structure,
            settings,
            supports,
            loads,
            state,
            detector,
            rest_gaps,
            engine,
            problem,
            subproblem: Subproblem::default(),
            solution: Solution::default(),
            islands: Islands::new(n),
            springs: Vec::new(),
            springs_held: Vec::new(),
            touch,
            ties: StatedTies::default(),
            links_held: 0.0,
            not_compressed: Vec::new(),
            not_settled: Vec::new(),
            accounts: vec![Account::default(); n],
            budgets: Vec::new(),
            slip: SlipRounds::default(),
            ground_support,
            forces: vec![[DVec3::ZERO; 2]; n],
            last_forces: vec![[DVec3::ZERO; 2]; n],
            bonds,
            slid: Vec::new(),
            shifts: Vec::new(),
            absent: vec![false; n],
            shrinkage: 0.0,
            apart: 0.0,
            inertia: vec![DMat3::ZERO; n],
            iterate: vec![DVec3::ZERO; n],
            ground: DVec3::ZERO,
            is_solved: false,
            report: Step::default(),
        };
        simulation.begin()?;
        Ok(simulation)
    }

    /// Blocks that begin with uncompressed joints although their settings ask for compressed ones: no forces within these hold
    /// them at the start.
    pub fn not_compressed(&self) -> &[usize] {
        &self.not_compressed
    }

    /// Blocks that begin where they are drawn, although their settings ask for compressed joints: forces of their springs hold
    /// them there, but where the springs settle by these was not found.
    pub fn not_settled(&self) -> &[usize] {
        &self.not_settled
    }

    /// The structure.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// What fills its joints at rest.
    pub fn rest_gaps(&self) -> &RestGaps {
        &self.rest_gaps
    }

    /// How it is stepped.
    pub fn settings(&self) -> &SimulationSettings {
        &self.settings
    }

    /// Where it is now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The motions of its supports.
    pub fn supports(&self) -> &Supports {
        &self.supports
    }

    /// When motions and loads are over (s), or `None` where one goes on for ever.
    pub fn forcing_end(&self) -> Option<f64> {
        Some(self.supports.end()?.max(self.loads.end()?))
    }

    /// What the last step came to; all zero before the first.
    pub fn last_step(&self) -> &Step {
        &self.report
    }

    /// A bound of the speed of the points of free blocks (m/s), in the axes of the equations.
    pub fn max_speed(&self) -> f64 {
        let speed = |b: usize| self.speed_of(b, &self.state.velocities[b]);
        self.structure.free().map(speed).fold(0.0, f64::max)
    }

    /// Whether a run that is resumed from the present state goes on with the same bits.
    pub fn is_at_checkpoint(&self) -> bool {
        self.state.step.is_multiple_of(self.settings.checkpoint_steps.max(1))
    }

    /// Goes on from another state of the same structure.
    pub fn resume(&mut self, state: State) -> Result<(), SimulationError> {
        let (have, need) = (state.placements.len(), self.structure.len());
        let lengths = [have, state.velocities.len(), state.resting.len(), state.peaks.len()];
        if lengths != [need; 4] {
            let what = format!("it has {have} blocks, the model {need}");
            return Err(SimulationError::Checkpoint(what));
        }
        if state.ties.len() != self.structure.ties.len() {
            let (have, need) = (state.ties.len(), self.structure.ties.len());
            return Err(SimulationError::Checkpoint(format!(
                "it has {have} ties, the model {need}"
            )));
        }
        if state.bonds.len() != self.state.bonds.len() {
            let what = "its joints are bonded in other places than those of the model";
            return Err(SimulationError::Checkpoint(what.to_string()));
        }
        if state.level > self.settings.time_step.levels().1 + TimeStep::SPARE {
            let what = "its step is shorter than the shortest of this run";
            return Err(SimulationError::Checkpoint(what.to_string()));
        }
        self.state = state;
        self.engine.forget();
        self.is_solved = false;
        Ok(())
    }

    /// From now on a step ends with [`SimulationError::Stopped`] soon after a flag is set, also within its solve.
    pub fn stop_by(&mut self, stop: cone::Stop) {
        self.engine.stop_by(stop);
    }

    /// Gives a free block another velocity, before the first step or between two.
    pub fn set_velocity(&mut self, block: usize, velocity: Twist) {
        if self.structure.fixed.get(block) == Some(&false) {
            self.state.velocities[block] = velocity;
            (self.state.at_rest, self.state.resting[block]) = (false, false);
            self.state.energies.initial += self.measure_energies();
            self.note_motions();
        }
    }

    /// Brings every block to a stop; what is lost of kinetic energy counts as taken by impacts. Done after every step, it leads
    /// to an equilibrium without waves (paper 002, section 4).
    pub fn cancel_velocities(&mut self) {
        let fixed = &self.structure.fixed;
        for (velocity, _) in self
            .state
            .velocities
            .iter_mut()
            .zip(fixed)
            .filter(|(_, fixed)| !**fixed)
        {
            *velocity = Twist::ZERO;
        }
        self.state.energies.impact -= self.measure_energies();
    }

    /// Measures energies where blocks are and as they move. Gives what kinetic energy has become more by (J).
    fn measure_energies(&mut self) -> f64 {
        let State {
            placements,
            velocities,
            energies,
            ..
        } = &mut self.state;
        let kinetic = energies.kinetic;
        energies.measure(&self.structure, placements, velocities);
        energies.kinetic - kinetic
    }

    /// Takes one step. After an error the state is that before the step.
    pub fn step(&mut self) -> Result<&Step, SimulationError> {
        self.report = Step::default();
        let level = self.state.level;
        if let Err(error) = self.advance() {
            self.state.level = level;
            self.is_solved = false;
            return Err(error);
        }
        self.note_motions();
        if self.is_at_checkpoint() {
            // From here on a resumed run knows as much as this one.
            self.engine.forget();
            self.is_solved = false;
        }
        Ok(&self.report)
    }

    /// The step itself: drive, detect, assemble, solve, integrate; and again with half its length if it was too long.
    fn advance(&mut self) -> Result<(), SimulationError> {
        loop {
            let dt = self.step_length();
            let (from, to) = (self.state.time, self.time_after(dt));
            self.drive(from, to, dt);
            if self.is_known(dt) {
                self.pass(dt);
                return Ok(());
            }
            self.detect(dt);
            self.bonds.begin(&self.state.bonds);
            self.assemble(dt);
            match self.solve_with_laws(dt) {
                Ok(()) if self.is_accepted(dt) => return self.integrate(dt),
                Ok(()) => {}
                Err(SimulationError::Unsolved { .. }) if self.ticks_per_step() > 1 => {}
                Err(error) => return Err(error),
            }
            self.state.level += 1;
        }
    }

    /// Solves the step, and again after bonds were damaged, contacts began to slide or ties came to another part of their law.
    fn solve_with_laws(&mut self, dt: f64) -> Result<(), SimulationError> {
        loop {
            self.solve_with_ties(dt)?;
            let Self { structure, problem, .. } = self;
            if self.bonds.is_empty() || !self.bonds.give_way(structure, problem, &self.solution, dt) {
                return Ok(());
            }
            self.assemble(dt);
        }
    }

    fn step_length(&self) -> f64 {
        let (longest, _) = self.settings.time_step.levels();
        longest / (1_u64 << self.state.level) as f64
    }

    fn ticks_per_step(&self) -> u64 {
        let (_, levels) = self.settings.time_step.levels();
        1 << (levels + TimeStep::SPARE - self.state.level)
    }

    /// Times follow from whole numbers, so that they are the same whichever steps led there.
    fn time_after(&self, dt: f64) -> f64 {
        let tick = dt / self.ticks_per_step() as f64;
        (self.state.tick + self.ticks_per_step()) as f64 * tick
    }

    /// Velocities of supports over the step, and forces on blocks.
    fn drive(&mut self, from: f64, to: f64, dt: f64) {
        self.problem.dt = dt;
        std::mem::swap(&mut self.forces, &mut self.last_forces);
        self.forces.fill([DVec3::ZERO; 2]);
        self.loads.add(from, to, &self.state.placements, &mut self.forces);
        let ground = self.supports.trajectories().first();
        self.ground = match (self.settings.frame, ground) {
            (ReferenceFrame::Ground, Some(ground)) => ground.step(DVec3::ZERO, from, to).velocity,
            _ => DVec3::ZERO,
        };
        if self.settings.frame == ReferenceFrame::Ground {
            let acceleration = (self.ground - self.state.ground) / dt;
            for b in self.structure.free() {
                self.forces[b][0] -= self.structure.mass[b] * acceleration;
            }
            return;
        }
        for b in 0..self.structure.len() {
            if let (true, Some(motion)) = (self.structure.fixed[b], self.supports.of(b)) {
                let step = motion.step(self.structure.center[b], from, to);
                let velocity = Twist {
                    linear: step.velocity,
                    angular: step.angular_velocity,
                };
                self.problem.bodies[b].motion = BodyMotion::Driven { velocity };
            }
        }
    }

    /// Contacts of the blocks where they are, and of what may touch within the step.
    fn detect(&mut self, dt: f64) {
        let start = Instant::now();
        // Two blocks may come towards each other.
        self.detector.set_margin(2.0 * dt * self.fastest(dt));
        self.detector.detect(&self.state.placements);
        self.report.times.detect_s += start.elapsed().as_secs_f64();
    }

    /// A bound of the speeds within the step: of supports as they are driven in it, and of blocks with what weight and loads
    /// add. What a support hits is thrown no faster than the support.
    fn fastest(&self, dt: f64) -> f64 {
        let speed = |b: usize| match self.problem.bodies[b].motion {
            BodyMotion::Driven { velocity } => self.speed_of(b, &velocity),
            BodyMotion::Free { .. } => {
                let [force, couple] = self.forces[b];
                let turning = match couple == DVec3::ZERO {
                    true => DVec3::ZERO,
                    false => self.structure.inertia_at(b, &self.state.placements[b]).inverse() * couple,
                };
                let gained = Twist {
                    linear: dt * (self.structure.gravity + force / self.structure.mass[b]),
                    angular: dt * turning,
                };
                self.speed_of(b, &self.state.velocities[b]) + self.speed_of(b, &gained)
            }
        };
        (0..self.structure.len()).map(speed).fold(0.0, f64::max)
    }

    /// A bound of the speed of the points of a block.
    fn speed_of(&self, block: usize, velocity: &Twist) -> f64 {
        velocity.linear.length() + self.structure.radius[block] * velocity.angular.length()
    }

    /// States the contact problem of the step.
    fn assemble(&mut self, dt: f64) {
        let start = Instant::now();
        for b in self.structure.free() {
            self.inertia[b] = self.structure.inertia_at(b, &self.state.placements[b]);
        }
        self.ties.choose(&self.structure, &self.state.ties);
        self.state_problem(dt, self.settings.theta, dt * self.settings.bounded_recovery());
        self.report.contacts = self.problem.contacts.len();
        // What springs are compressed by is no overlap, nor is what joints have at rest or start with.
        self.report.overlap = self.springs.iter().map(Spring::unsettled).fold(0.0, f64::max);
        self.report.times.assemble_s += start.elapsed().as_secs_f64();
    }

    /// Contacts and ties of a step of `dt`, with what they remember. Overlaps that are no compression of springs shrink by
    /// `back`, where blocks move.
    fn state_problem(&mut self, dt: f64, theta: f64, back: f64) {
        let contacts = self.detector.contacts();
        let Self { structure, state, .. } = self;
        let (points, springs, touch) = (&mut self.problem.contacts, &mut self.springs, self.touch);
        let interfaces = self.rest_gaps.walk(contacts, &state.placements);
        let stated = (dt, self.shrinkage);
        state_contacts(structure, &self.settings, state, interfaces, stated, points, springs);
        let yields = structure.yields();
        self.slid.clear();
        self.slid.resize(points.len(), false);
        let is_still = |b: u32| structure.fixed[b as usize] || state.resting[b as usize];
        state.memory.recall(contacts, dt, |i, past| {
            let contact = &mut points[i];
            (contact.guess, contact.slip) = (past.impulse, past.slip);
            self.slid[i] = past.slides;
            let is_still = contact.bodies.into_iter().all(is_still);
            let back = if is_still { 0.0 } else { back };
            if yields && structure.law(contact.bodies).stiffness.is_some() {
                springs[i].go_on(&past.spring, touch * structure.smaller(contact.bodies), back);
            }
        });
        let links = &mut self.problem.links;
        self.ties.state(
            structure,
            &state.placements,
            &state.ties,
            &state.memory.links,
            dt,
            links,
        );
        if !self.bonds.is_empty() {
            let past = (&state.bonds[..], &self.slid[..]);
            let bonds = &mut self.bonds;
            bonds.state_contacts(structure, &state.placements, past, dt, points, springs);
            bonds.state_links(&state.placements, dt, links);
        }
        self.links_held = self.ties.held_at_start(links, dt);
        self.springs_held.clear();
        if yields {
            for (interface, held) in state.memory.held(contacts) {
                let of = interface.contacts[0] as usize..interface.contacts[1] as usize;
                let stiffness = structure.law(interface.blocks).stiffness;
                // What is rigid holds nothing.
                self.springs_held.push(stiffness.map_or_else(Held::default, |k| {
                    set_springs(k, dt, held, &springs[of.clone()], &mut points[of])
                }));
            }
            if theta < 1.0 {
                look_ahead(state, theta, dt, points);
            }
        }
    }

    /// What springs hold at the start of the step as stated, and what was given to them since the end of the last (J).
    fn held(&self) -> [f64; 2] {
        let sum = |of: fn(&Held) -> f64| self.springs_held.iter().map(of).sum::<f64>();
        let links = (self.links_held - self.state.memory.links_held).max(0.0);
        [
            self.links_held + sum(|h| h.energy[0] + h.energy[1]),
            links + sum(|h| h.given),
        ]
    }

    /// Whether the step is short enough. The change of position is compared with that by the trapezoidal rule.
    fn is_accepted(&self, dt: f64) -> bool {
        let TimeStep::Adaptive { tolerance, .. } = self.settings.time_step else {
            return true;
        };
        let (_, levels) = self.settings.time_step.levels();
        self.state.level >= levels || self.local_error(dt) <= tolerance
    }

    fn local_error(&self, dt: f64) -> f64 {
        let after = &self.solution.velocities;
        let error = |b: usize| {
            let (v, w) = (&self.state.velocities[b], &after[b]);
            let change = v.linear.distance(w.linear) + self.structure.radius[b] * v.angular.distance(w.angular);
            0.5 * dt * change
        };
        self.structure.free().map(error).fold(0.0, f64::max)
    }

    /// Moves the blocks.
    fn integrate(&mut self, dt: f64) -> Result<(), SimulationError> {
        let start = Instant::now();
        let (ticks, time, error) = (self.ticks_per_step(), self.time_after(dt), self.local_error(dt));
        let (solution, at_rest) = (&self.solution, &self.islands.at_rest);
        let not_finite = |b: &usize| {
            let v = &solution.velocities[*b];
            !(v.linear.is_finite() && v.angular.is_finite())
        };
        if let Some(block) = self.structure.free().find(not_finite) {
            return Err(SimulationError::NotFinite { time, block });
        }
        let [held, given] = self.held();
        let theta = self.settings.theta;
        let state = &mut self.state;
        let work = Work {
            problem: &self.problem,
            solution,
            before: &state.velocities,
            fixed: &self.structure.fixed,
            at_rest,
            islands: self.islands.roots(),
            theta,
            pulls: &self.ties.pulls,
            held,
            given,
        };
        state.memory.links_held = self.links_held
            + state
                .energies
                .add_contacts(&work, &mut self.accounts, &mut self.ties.held);
        // What slept is where it was, to the last bit.
        for b in self.structure.free().filter(|&b| !self.islands.sleeps(b)) {
            let (before, mut after) = (state.velocities[b], solution.velocities[b]);
            let [force, couple] = self.forces[b];
            if at_rest[b] {
                after = Twist::ZERO;
            } else {
                state.energies.add_load(force, couple, &before, &after, dt);
            }
            // Backward Euler, or as much of the velocity before as theta leaves.
            let mean = |a: DVec3, b: DVec3| theta * b + (1.0 - theta) * a;
            let weight = self.structure.mass[b] * self.structure.gravity;
            state.energies.ahead += dt * (theta - 0.5) * weight.dot(after.linear - before.linear);
            let placement = &mut state.placements[b];
            placement.center += dt * mean(before.linear, after.linear);
            let turned = turn(mean(before.angular, after.angular), dt) * placement.rotation;
            placement.rotation = turned.normalize();
            state.velocities[b] = after;
        }
        if self.settings.frame == ReferenceFrame::World {
            for b in 0..self.structure.len() {
                if let (true, Some(motion)) = (self.structure.fixed[b], self.supports.of(b)) {
                    let initial = self.structure.initial(b);
                    let placement = &mut state.placements[b];
                    placement.center = motion.position(initial.center, time);
                    placement.rotation = motion.at(time).rotation * initial.rotation;
                    state.velocities[b] = solution.velocities[b];
                }
            }
        }
        let (points, springs) = (&self.problem.contacts, &self.springs);
        let held_after = |k: usize| {
            // As blocks were moved: what came to rest did not.
            let at = |b: u32| {
                let arm = points[k].point - self.problem.bodies[b as usize].center;
                state.velocities[b as usize].at(arm)
            };
            let [first, second] = points[k].bodies.map(at);
            stored_after(&points[k], theta, dt, second - first, solution.elastic_slip[k])
        };
        let pasts = (0..points.len()).map(|k| Past {
            impulse: solution.impulses[k],
            // Slips of the problem are over the fraction of the way that the velocities at the end make.
            slip: theta * solution.elastic_slip[k],
            spring: Spring {
                area: if held_after(k)[0] > 0.0 { springs[k].area } else { 0.0 },
                ..springs[k]
            },
            slides: self.bonds.slides_after(k, &points[k], solution.impulses[k]),
        });
        let contacts = self.detector.contacts();
        let held = contacts.interfaces.iter().enumerate().map(|(i, interface)| {
            let [first, end] = interface.contacts.map(|k| k as usize);
            let before = self.springs_held.get(i).copied().unwrap_or_default();
            let sum = |sum: [f64; 2], k: usize| {
                let more = held_after(k);
                [sum[0] + more[0], sum[1] + more[1]]
            };
            before.after((first..end).fold([0.0; 2], sum))
        });
        let links = self.ties.kept(&solution.link_impulses, self.structure.ties.len());
        state.memory.store(contacts, pasts, held, links.iter(), dt);
        self.bonds.store(&solution.link_impulses, &mut state.bonds);
        state.resting.clone_from(at_rest);
        state.at_rest = self.structure.free().all(|b| at_rest[b]) && !self.problem.bodies.iter().any(rest::is_moving);
        state.ground = self.ground;
        state.step += 1;
        state.tick += ticks;
        state.time = time;
        state
            .energies
            .measure(&self.structure, &state.placements, &state.velocities);
        self.integrate_ties(dt, time);
        self.report.dt = dt;
        let is_long_enough = match self.settings.time_step {
            TimeStep::Fixed(_) => false,
            TimeStep::Adaptive { tolerance, .. } => error > 0.25 * tolerance,
        };
        if !is_long_enough {
            self.lengthen();
        }
        self.report.times.integrate_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// Doubles the step, where the longer one would begin.
    fn lengthen(&mut self) {
        if self.state.level > 0 && self.state.tick.is_multiple_of(2 * self.ticks_per_step()) {
            self.state.level -= 1;
        }
    }

    /// How many points of joints were bonded at the start, and how many of them are not broken.
    pub fn bonds(&self) -> [usize; 2] {
        Bonds::count(&self.state.bonds)
    }

    /// Forces of the contacts over the last step that was solved, with those of bonds.
    pub fn contact_forces(&self) -> impl Iterator<Item = ContactForce> + '_ {
        let (dt, solution) = (self.problem.dt, &self.solution);
        let bonds = self.bonds.forces(&self.problem, solution, dt);
        let points = self.problem.contacts.iter().zip(&solution.impulses);
        points
            .zip(&solution.relative_velocities)
            .enumerate()
            .map(move |(i, ((contact, impulse), velocity))| contact_force(contact, *impulse, bonds[i], *velocity, dt))
    }
}

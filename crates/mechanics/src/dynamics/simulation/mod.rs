//! The step.

mod part;
mod rest;
mod solve;

use std::time::Instant;

use drystone_cone::{self as cone, Engine, Motion, Problem, Solution, Twist};
use drystone_contact::Detector;
use drystone_model::{Model, motion::Supports};
use glam::{DMat3, DVec3};

use super::{
    ContactForce, Frame, Settings, SimulationError, State, Step, TimeStep,
    contacts::{contact_force, state_contacts},
    loads::Loads,
    rotation::turn,
};
use crate::Structure;
use part::Part;
use rest::Islands;

/// A structure on its way through time.
#[derive(Debug)]
pub struct Simulation {
    structure: Structure,
    settings: Settings,
    supports: Supports,
    loads: Loads,
    state: State,
    detector: Detector,
    engine: Engine,
    problem: Problem,
    /// What of the problem is solved, and the solution of all of it.
    part: Part,
    solution: Solution,
    islands: Islands,
    /// Force and couple on each block beside gravity, and those of the step before.
    forces: Vec<[DVec3; 2]>,
    last_forces: Vec<[DVec3; 2]>,
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
        mut settings: Settings,
        supports: Supports,
        loads: &[String],
    ) -> Result<Self, SimulationError> {
        if let Some((what, value, allowed)) = settings.problem() {
            return Err(SimulationError::Setting { what, value, allowed });
        }
        if settings.frame == Frame::Ground {
            let moved = |b: usize| supports.of(b).is_some();
            let mixed = (0..model.blocks.len()).any(|b| model.blocks[b].fixed && !moved(b));
            let all = supports.trajectories();
            if all.len() > 1 || (all.len() == 1 && mixed) || all.iter().any(|t| t.turns()) {
                return Err(SimulationError::NoCommonGround);
            }
        }
        let structure = Structure::new(model)?;
        let loads = Loads::new(model, &structure, loads)?;
        let mut state = State {
            placements: structure.initial.clone(),
            velocities: vec![Twist::ZERO; structure.len()],
            resting: vec![false; structure.len()],
            ..State::default()
        };
        // Where nothing is exchanged there is no error to speak of: the least scale is that of a lift that nobody sees.
        let lift = |b: usize| structure.mass[b] * structure.gravity.length() * structure.radius[b];
        state.energies.scale = 1e-9 * structure.free().map(lift).sum::<f64>();
        state.energies.measure(&structure, &state.placements, &state.velocities);
        if settings.recovery_speed == 0.0 {
            let smallest = structure
                .free()
                .map(|b| structure.radius[b])
                .fold(f64::INFINITY, f64::min);
            let speed = 0.1 * (structure.gravity.length() * smallest).sqrt();
            settings.recovery_speed = if speed > 0.0 { speed } else { f64::INFINITY };
        }
        let detector = Detector::new(structure.bodies.clone(), structure.contact_settings());
        let engine = Engine::new(cone::Settings {
            solver: settings.solver,
            friction: settings.friction,
            tolerance: settings.solver_tolerance(),
            ..cone::Settings::default()
        });
        let problem = Problem {
            bodies: structure.problem_bodies(),
            ..Problem::default()
        };
        let n = structure.len();
        Ok(Self {
            structure,
            settings,
            supports,
            loads,
            state,
            detector,
            engine,
            problem,
            part: Part::default(),
            solution: Solution::default(),
            islands: Islands::new(n),
            forces: vec![[DVec3::ZERO; 2]; n],
            last_forces: vec![[DVec3::ZERO; 2]; n],
            inertia: vec![DMat3::ZERO; n],
            iterate: vec![DVec3::ZERO; n],
            ground: DVec3::ZERO,
            is_solved: false,
            report: Step::default(),
        })
    }

    /// The structure.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// How it is stepped.
    pub fn settings(&self) -> &Settings {
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

    /// How far the ground has moved (m): the first of the motions of its supports. Zero in axes that move with it.
    pub fn ground_displacement(&self) -> DVec3 {
        match (self.settings.frame, self.supports.trajectories().first()) {
            (Frame::World, Some(ground)) => ground.at(self.state.time).displacement,
            _ => DVec3::ZERO,
        }
    }

    /// Largest speed of a point of a free block (m/s).
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
        if have != need || state.velocities.len() != need || state.resting.len() != need {
            let what = format!("it has {have} blocks, the model {need}");
            return Err(SimulationError::Checkpoint(what));
        }
        if state.level > self.settings.time_step.levels().1 {
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
            let State {
                placements,
                velocities,
                energies,
                ..
            } = &mut self.state;
            let kinetic = energies.kinetic;
            energies.measure(&self.structure, placements, velocities);
            energies.initial += energies.kinetic - kinetic;
        }
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
            self.assemble(dt);
            self.solve(dt)?;
            if self.is_accepted(dt) {
                return self.integrate(dt);
            }
            self.state.level += 1;
        }
    }

    fn step_length(&self) -> f64 {
        let (longest, _) = self.settings.time_step.levels();
        longest / f64::from(1u32 << self.state.level)
    }

    fn ticks_per_step(&self) -> u64 {
        let (_, levels) = self.settings.time_step.levels();
        1 << (levels - self.state.level)
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
            (Frame::Ground, Some(ground)) => ground.step(DVec3::ZERO, from, to).velocity,
            _ => DVec3::ZERO,
        };
        if self.settings.frame == Frame::Ground {
            let acceleration = (self.ground - self.state.ground) / dt;
            for b in self.structure.free() {
                self.forces[b][0] -= self.structure.mass[b] * acceleration;
            }
            return;
        }
        for b in 0..self.structure.len() {
            if let (true, Some(motion)) = (self.structure.fixed[b], self.supports.of(b)) {
                let step = motion.step(self.structure.initial[b].center, from, to);
                let velocity = Twist {
                    linear: step.velocity,
                    angular: step.angular_velocity,
                };
                self.problem.bodies[b].motion = Motion::Driven { velocity };
            }
        }
    }

    /// Contacts of the blocks where they are, and of what may touch within the step.
    fn detect(&mut self, dt: f64) {
        let start = Instant::now();
        let gravity = self.structure.gravity.length();
        let fastest = self.fastest(&self.state.velocities) + gravity * dt;
        self.detector.set_margin(2.0 * dt * fastest);
        self.detector.detect(&self.state.placements);
        self.report.overlap = self.detector.contacts().worst_overlap();
        self.report.times.detect_s += start.elapsed().as_secs_f64();
    }

    /// Largest speed of a point of a block, supports included.
    fn fastest(&self, velocities: &[Twist]) -> f64 {
        let speed = |(b, v): (usize, &Twist)| self.speed_of(b, v);
        velocities.iter().enumerate().map(speed).fold(0.0, f64::max)
    }

    /// A bound of the speed of the points of a block.
    fn speed_of(&self, block: usize, velocity: &Twist) -> f64 {
        velocity.linear.length() + self.structure.radius[block] * velocity.angular.length()
    }

    /// States the contact problem of the step.
    fn assemble(&mut self, dt: f64) {
        let start = Instant::now();
        let contacts = self.detector.contacts();
        for b in self.structure.free() {
            self.inertia[b] = self.structure.inertia_at(b, &self.state.placements[b]);
        }
        state_contacts(
            &self.structure,
            &self.settings,
            &self.state,
            contacts,
            dt,
            &mut self.problem.contacts,
        );
        let State { memory, placements, .. } = &self.state;
        let points = &mut self.problem.contacts;
        memory.recall(contacts, dt, |i, impulse, slip| {
            (points[i].guess, points[i].slip) = (impulse, slip);
        });
        self.structure
            .fill_links(placements, dt, &memory.links, &mut self.problem.links);
        self.report.contacts = contacts.contacts.len();
        self.report.times.assemble_s += start.elapsed().as_secs_f64();
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
        let state = &mut self.state;
        state.energies.add_contacts(
            &self.problem,
            solution,
            &state.velocities,
            &self.structure.fixed,
            at_rest,
        );
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
            let theta = self.settings.theta;
            let mean = |a: DVec3, b: DVec3| theta * b + (1.0 - theta) * a;
            let placement = &mut state.placements[b];
            placement.center += dt * mean(before.linear, after.linear);
            let turned = turn(mean(before.angular, after.angular), dt) * placement.rotation;
            placement.rotation = turned.normalize();
            state.velocities[b] = after;
        }
        if self.settings.frame == Frame::World {
            for b in 0..self.structure.len() {
                if let (true, Some(motion)) = (self.structure.fixed[b], self.supports.of(b)) {
                    let initial = &self.structure.initial[b];
                    let placement = &mut state.placements[b];
                    placement.center = motion.position(initial.center, time);
                    placement.rotation = motion.at(time).rotation * initial.rotation;
                    state.velocities[b] = solution.velocities[b];
                }
            }
        }
        state.memory.store(
            self.detector.contacts(),
            &solution.impulses,
            &solution.elastic_slip,
            &solution.link_impulses,
            dt,
        );
        state.resting.clone_from(at_rest);
        state.at_rest = self.structure.free().all(|b| at_rest[b]) && !self.problem.bodies.iter().any(rest::is_moving);
        state.ground = self.ground;
        state.step += 1;
        state.tick += ticks;
        state.time = time;
        state
            .energies
            .measure(&self.structure, &state.placements, &state.velocities);
        self.report.dt = dt;
        self.report.max_speed = self.max_speed();
        if let TimeStep::Adaptive { tolerance, .. } = self.settings.time_step
            && error <= 0.25 * tolerance
        {
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

    /// Forces of the contacts over the last step that was solved.
    pub fn contact_forces(&self) -> impl Iterator<Item = ContactForce> + '_ {
        let (dt, solution) = (self.problem.dt, &self.solution);
        let points = self.problem.contacts.iter().zip(&solution.impulses);
        points
            .zip(&solution.relative_velocities)
            .map(move |((contact, impulse), velocity)| contact_force(contact, *impulse, *velocity, dt))
    }
}

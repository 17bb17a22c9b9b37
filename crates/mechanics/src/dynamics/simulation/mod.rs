//! The step.

mod assemble;
mod budget;
mod burst;
mod crushing;
mod equilibrate;
mod forecast;
mod gate;
mod held;
mod integrate;
mod peaks;
mod relax;
mod rest;
mod round;
mod skin;
mod solve;
mod start;
mod subproblem;
mod ties;

use drystone_cone::{self as cone, Engine, Problem, Solution, Twist};
use drystone_contact::{self as contact, Bodies, Detector};
use drystone_model::{Model, motion::Supports};
use glam::{DMat3, DVec3};

use super::{
    ContactForce, Deformed, ReferenceFrame, RestGaps, SimulationError, SimulationSettings, State, Step, TimeStep,
    bonds::{Bonds, with_stiffness},
    contacts::contact_force,
    deformation::Deformation,
    energy::Account,
    loads::Loads,
    springs::{Held, Spring},
    ties::StatedTies,
};
use crate::{Structure, StructureError};
use budget::Budget;
use crushing::Crushing;
use equilibrate::Shift;
pub use equilibrate::{Acting, Equilibrated, HeldPoint};
use forecast::Forecast;
pub use gate::StepAttempt;
pub use peaks::{Extreme, Extremes, Peak, RelativeMotion};
pub use relax::Calming;
use rest::Islands;
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
    /// A support that moves as the ground does, where it moves.
    ground_support: Option<usize>,
    /// Force and couple on each block beside gravity, and those of the step before.
    forces: Vec<[DVec3; 2]>,
    last_forces: Vec<[DVec3; 2]>,
    /// Blocks that deform.
    deformation: Deformation,
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
    forecast: Forecast,
    crushing: Crushing,
    /// What acts in steps towards an equilibrium, in place of loads and motions that follow time.
    slow: Option<Acting>,
    /// Where steps are taken explicitly.
    explicit: Option<Box<burst::Explicit>>,
    has_assumed_stiffness: bool,
    /// Inertias at the start of the step, in world axes.
    inertia: Vec<DMat3>,
    /// Angular velocities that the equations are linearised about.
    iterate: Vec<DVec3>,
    /// Velocity of the ground over the step, where the axes move with it.
    ground: DVec3,
    /// Whether the problem and its solution are those of the last step that was not passed over.
    is_solved: bool,
    /// Loads that it holds at rest.
    held: held::Held,
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
        if settings.frame == ReferenceFrame::Ground && !ReferenceFrame::is_common(model, &supports) {
            return Err(SimulationError::NoCommonGround);
        }
        let has_assumed_stiffness = settings.explicit().is_some()
            && settings.stiffness.is_none()
            && structure.laws().iter().any(|law| law.stiffness.is_none());
        structure.change_laws(|law| settings.law(law));
        let (weight, size) = (structure.free_mass() * structure.gravity.length(), structure.length);
        structure.change_laws(|law| with_stiffness(law, weight, size));
        if let Some((what, value, allowed)) = structure.laws().iter().find_map(|law| settings.law_problem(law)) {
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
        let mut detector = Detector::new(bodies, search);
        let deformation = Deformation::new(&structure, settings.explicit().is_some());
        detector.mesh(deformation.meshed(structure.len()));
        state.elastic = deformation.undeformed();
        let engine = Engine::new(cone::SolverSettings {
            solver: settings.solver,
            friction: settings.friction,
            tolerance: settings.solver_tolerance(),
            coulomb: cone::CoulombMeasure::VelocityError,
            ..cone::SolverSettings::default()
        });
        let problem = Problem {
            bodies: structure.problem_bodies(),
            ..Problem::default()
        };
        let n = structure.len();
        let ground_support = peaks::ground_support(&structure, &supports);
        let is_bonded = |law: &drystone_model::JointLaw| law.bond.is_some();
        let nodes = match deformation.is_empty() || !structure.laws().iter().any(is_bonded) {
            true => contact::Contacts::default(),
            false => detector.detect(&state.placements).clone(),
        };
        let bonds = Bonds::new(&structure, &nodes);
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
            ground_support,
            forces: vec![[DVec3::ZERO; 2]; n],
            last_forces: vec![[DVec3::ZERO; 2]; n],
            deformation,
            bonds,
            slid: Vec::new(),
            shifts: Vec::new(),
            forecast: Forecast::default(),
            crushing: Crushing::default(),
            slow: None,
            explicit: settings.explicit().map(|_| Box::default()),
            has_assumed_stiffness,
            absent: vec![false; n],
            shrinkage: 0.0,
            apart: 0.0,
            inertia: vec![DMat3::ZERO; n],
            iterate: vec![DVec3::ZERO; n],
            ground: DVec3::ZERO,
            is_solved: false,
            held: held::Held::default(),
            report: Step::default(),
        };
        simulation.begin()?;
        simulation.begin_deformed()?;
        simulation.prepare()?;
        // A run that is resumed from here finds contacts anew, and so does this one.
        simulation.forget_contacts();
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
        let fits = |(a, b): (&Deformed, &Deformed)| {
            [a.displacement.len(), a.velocity.len()] == [b.displacement.len(), b.velocity.len()]
        };
        let [have, need] = [&state.elastic, &self.state.elastic];
        if have.len() != need.len() || !have.iter().zip(need).all(fits) {
            let what = "its blocks deform in another way than those of the model";
            return Err(SimulationError::Checkpoint(what.to_string()));
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
        self.forget_contacts();
        self.engine.forget();
        self.is_solved = false;
        self.held.forget();
        Ok(())
    }

    /// From now on a step ends with [`SimulationError::Stopped`] soon after a flag is set, also within its solve.
    pub fn stop_by(&mut self, stop: cone::Stop) {
        self.engine.stop_by(stop);
    }

    /// Deforms a block in another way, before the first step or between two: displacements and velocities of its nodes in its own
    /// axes, of which what is rigid is left out. Whether the block deforms and has so many nodes.
    pub fn set_deformed(&mut self, block: usize, deformed: &Deformed) -> bool {
        let is_set = self.deformation.set(block, deformed, &mut self.state.elastic);
        if is_set {
            self.forget_contacts();
            let energies = &mut self.state.energies;
            let before = energies.deformation;
            energies.deformation = self.deformation.energy(&self.state.elastic);
            energies.initial += energies.deformation - before;
        }
        is_set
    }

    /// Gives a free block another velocity, before the first step or between two.
    pub fn set_velocity(&mut self, block: usize, velocity: Twist) {
        if self.structure.fixed.get(block) == Some(&false) {
            self.state.velocities[block] = velocity;
            self.forget_contacts();
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
        for deformed in &mut self.state.elastic {
            deformed.velocity.fill(DVec3::ZERO);
        }
        self.forget_contacts();
        let deformation = self.deformation.energy(&self.state.elastic);
        let energies = &mut self.state.energies;
        energies.damped -= deformation - energies.deformation;
        energies.deformation = deformation;
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
            self.held.forget();
            return Err(error);
        }
        self.note_motions();
        if self.is_at_checkpoint() {
            // From here on a resumed run knows as much as this one.
            self.forget_contacts();
            self.engine.forget();
            self.is_solved = false;
            self.held.forget();
        }
        Ok(&self.report)
    }

    /// The step itself: drive, detect, assemble, solve, integrate; and again with half its length if it was too long.
    fn advance(&mut self) -> Result<(), SimulationError> {
        if let Some(settings) = self.settings.explicit() {
            return self.burst(*settings);
        }
        loop {
            let dt = self.step_length();
            let (from, to) = (self.state.time, self.time_after(dt));
            self.drive(from, to, dt);
            if self.is_known(dt) || self.is_held(dt) {
                self.pass(dt);
                return Ok(());
            }
            let was_at_rest = self.state.at_rest;
            self.detect(dt);
            self.bonds.begin(&self.state.bonds);
            self.assemble(dt)?;
            match self.solve_with_laws(dt) {
                Ok(()) if self.is_accepted(dt) => {
                    self.integrate(dt)?;
                    self.note_held(was_at_rest, dt);
                    return Ok(());
                }
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
            self.assemble(dt)?;
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

    /// Contacts of the problem as it was stated last.
    pub fn contact_count(&self) -> usize {
        self.problem.contacts.len()
    }

    /// How many points of joints were bonded at the start, and how many of them are not broken.
    pub fn bonds(&self) -> [usize; 2] {
        Bonds::count(&self.state.bonds)
    }

    /// Forces of the contacts over the last step that was solved, with those of bonds.
    pub fn contact_forces(&self) -> impl Iterator<Item = ContactForce> + '_ {
        let (dt, solution) = (self.problem.dt, &self.solution);
        let bonds = self.bonds.forces(&self.problem, solution, dt);
        let explicit = self.explicit_contacts();
        let solved = explicit.is_none().then(|| {
            let impulses = self.problem.contacts.iter().zip(&solution.impulses);
            impulses.zip(&solution.relative_velocities)
        });
        let solved = solved.into_iter().flatten().map(|((c, r), v)| (*c, *r, *v));
        (explicit.into_iter().flatten().chain(solved))
            .zip(bonds)
            .map(move |((contact, impulse, velocity), bond)| contact_force(&contact, impulse, bond, velocity, dt))
    }
}

//! A step of the simulation as many short explicit ones.
//!
//! Between two steps the state of the simulation is whole: blocks, what contacts remember, energies. Contacts are looked for
//! again where blocks have moved against the ground by a part of the skin, within which they were found.

use std::time::Instant;

use drystone_cone::BodyMotion;
use drystone_contact::Placement;
use glam::DVec3;

use super::{
    super::{
        Energies, ExplicitSettings, ReferenceFrame, SimulationError, StableStep, Start,
        explicit::{Engine, Loaded, Shapes, Span},
        memory::Past,
        springs::{Held, Spring},
    },
    Simulation, rest,
};

/// Thickness of the skin within which contacts are found, as a part of the size of the largest block.
const SKIN: f64 = 5e-4;
/// Speed that is rest, as a part of that of a fall by the size of a block.
const STILL: f64 = 1e-7;

/// Short steps after which a structure that is calmed is looked at, by what local damping, and what may be left of its forces over
/// the mean weight of a block: as little as that, or, after so many steps of contacts in all, no more than the second.
const SPAN: usize = 100;
const CALMING: f64 = 0.7;
const BALANCED: [f64; 2] = [1e-8, 1e-3];
const ENOUGH: f64 = 4e8;
/// What moves by more than this part of the size of a block does not come to rest.
const FAR: f64 = 1e-2;

/// A simulation that is stepped explicitly.
#[derive(Debug, Default)]
pub(super) struct Explicit {
    engine: Engine,
    is_loaded: bool,
    /// Where blocks were when contacts were found, and how thick the skin was.
    found_at: Vec<Placement>,
    skin: f64,
    /// Elastic energy of each interface: memory that is used again.
    held: Vec<[f64; 2]>,
    pasts: Vec<Past>,
    /// The fastest motions of the structure, as contacts were found last.
    shapes: Shapes,
}

impl Simulation {
    /// The length of short steps and where it comes from, once contacts are known.
    pub fn stable_step(&self) -> Option<&StableStep> {
        self.explicit.as_ref().map(|e| &e.engine.stable)
    }

    /// Whether joints without a stiffness were given one, because steps are explicit.
    pub fn has_assumed_stiffness(&self) -> bool {
        self.has_assumed_stiffness
    }

    /// Short steps taken since the start or the last resumption.
    pub fn short_steps(&self) -> u64 {
        self.explicit.as_ref().map_or(0, |e| e.engine.steps)
    }

    /// The largest force on a free block that nothing balanced in the last short step (N), where steps are explicit.
    pub(super) fn unbalanced(&self) -> Option<f64> {
        self.explicit.as_ref().map(|e| e.engine.unbalanced())
    }

    /// What is not forgotten at the next step is found anew.
    pub(super) fn forget_contacts(&mut self) {
        if let Some(explicit) = &mut self.explicit {
            explicit.is_loaded = false;
            explicit.shapes.iter_mut().for_each(Vec::clear);
        }
    }

    /// Length of short steps (s), if the one that is asked for is stable.
    fn short_step(&self, settings: &ExplicitSettings, stable: &StableStep) -> Result<f64, SimulationError> {
        match settings.dt {
            Some(asked) if asked > stable.limit => Err(SimulationError::Unstable {
                asked,
                limit: stable.limit,
                block: self.structure.names[stable.block].clone(),
            }),
            Some(asked) => Ok(asked),
            None => Ok(stable.dt),
        }
    }

    /// Finds the contacts at the start, and whether the step that is asked for is stable.
    pub(super) fn prepare(&mut self) -> Result<(), SimulationError> {
        let (Some(&settings), Some(mut explicit)) = (self.settings.explicit(), self.explicit.take()) else {
            return Ok(());
        };
        self.load(&mut explicit, &settings, 0.0, self.step_length());
        let short = self.short_step(&settings, &explicit.engine.stable);
        if let (Ok(short), Start::Compressed) = (&short, self.settings.start) {
            self.come_to_rest(&mut explicit, &settings, *short);
        }
        self.explicit = Some(explicit);
        short.map(|_| ())
    }

    /// Lets what is left of forces that do not balance go, so that nothing swings at the start. What does not come to rest
    /// begins as it is.
    fn come_to_rest(&mut self, explicit: &mut Explicit, settings: &ExplicitSettings, short: f64) {
        self.forces.fill([DVec3::ZERO; 2]);
        self.loads.add(0.0, 0.0, &self.state.placements, &mut self.forces);
        explicit.engine.set_loads(&self.forces);
        let free = self.structure.free().count().max(1) as f64;
        let load: f64 = self.forces.iter().map(|[force, _]| force.length()).sum();
        let weight = (self.structure.free_mass() * self.structure.gravity.length() + load) / free;
        let kept = self.state.clone();
        let farthest = FAR * self.structure.length;
        let contacts = self.problem.contacts.len().max(1) as f64;
        let spans = (ENOUGH / (contacts * SPAN as f64)).clamp(20.0, 500.0) as usize;
        for span in 1..=spans {
            explicit.engine.run(&Span {
                steps: SPAN,
                dt: short / f64::sqrt(1.0 + CALMING),
                time: 0.0,
                damping: CALMING,
                drive: &|_, _| None,
            });
            self.export(explicit, self.step_length());
            let allowed = BALANCED[usize::from(span == spans)];
            let is_balanced = explicit.engine.unbalanced() <= allowed * weight;
            if is_balanced {
                explicit.engine.halt();
                self.export(explicit, self.step_length());
            } else if self.has_left(explicit, 0.0) {
                self.load(explicit, settings, 0.0, self.step_length());
                explicit.engine.set_loads(&self.forces);
            }
            if is_balanced {
                self.begin_here(explicit, kept.energies.scale);
                return;
            }
            let stays = self.structure.free().all(|b| {
                let (now, was) = (&self.state.placements[b], &kept.placements[b]);
                now.center.distance(was.center) <= farthest
            });
            if !stays {
                break;
            }
        }
        let scale = kept.energies.scale;
        self.state = kept;
        self.load(explicit, settings, 0.0, self.step_length());
        self.begin_here(explicit, scale);
    }

    /// Counts steps and energies from here.
    fn begin_here(&mut self, explicit: &mut Explicit, scale: f64) {
        explicit.engine.take_spent();
        explicit.engine.steps = 0;
        let state = &mut self.state;
        state.energies = Energies {
            elastic: state.energies.elastic,
            scale,
            ..Energies::default()
        };
        state
            .energies
            .measure(&self.structure, &state.placements, &state.velocities);
        state.energies.initial = state.energies.total();
    }

    /// Takes a step.
    pub(super) fn burst(&mut self, settings: ExplicitSettings) -> Result<(), SimulationError> {
        let dt = self.step_length();
        let (from, to) = (self.state.time, self.time_after(dt));
        self.drive(from, to, dt);
        let Some(mut explicit) = self.explicit.take() else {
            return Ok(());
        };
        let outcome = self.burst_with(&mut explicit, &settings, dt, to);
        self.explicit = Some(explicit);
        outcome
    }

    fn burst_with(
        &mut self,
        explicit: &mut Explicit,
        settings: &ExplicitSettings,
        dt: f64,
        to: f64,
    ) -> Result<(), SimulationError> {
        let start = Instant::now();
        let moves = dt * self.fastest_from_ground(dt);
        if !explicit.is_loaded || self.has_left(explicit, moves) {
            self.load(explicit, settings, moves, dt);
        }
        let short = self.short_step(settings, &explicit.engine.stable)?;
        self.report.times.assemble_s += start.elapsed().as_secs_f64() - self.report.times.detect_s;
        let start = Instant::now();
        explicit.engine.set_loads(&self.forces);
        let steps = ((dt / short) * (1.0 - 1e-12)).ceil().max(1.0) as usize;
        let (from, placements) = (self.state.time, &self.state.placements);
        let slow = self.slow.as_ref();
        let drive = |b: usize, time: f64| -> Option<Placement> {
            if let Some(acting) = slow {
                let (_, target) = acting.supports.iter().find(|(support, _)| *support == b)?;
                let (was, done) = (&placements[b], ((time - from) / dt).min(1.0));
                return Some(super::relax::between(was, target, done));
            }
            let (motion, initial) = (self.supports.of(b)?, self.structure.initial(b));
            Some(Placement {
                center: motion.position(initial.center, time),
                rotation: motion.at(time).rotation * initial.rotation,
            })
        };
        explicit.engine.run(&Span {
            steps,
            dt: dt / steps as f64,
            time: from,
            damping: settings.local_damping,
            drive: &drive,
        });
        self.report.times.solve_s += start.elapsed().as_secs_f64();
        let start = Instant::now();
        self.report.iterations = steps;
        self.take_over(explicit, dt, to)?;
        self.report.times.integrate_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// How the ground has moved since contacts were found.
    fn ground_moved(&self, explicit: &Explicit) -> DVec3 {
        self.ground_support.map_or(DVec3::ZERO, |b| {
            self.state.placements[b].center - explicit.found_at[b].center
        })
    }

    /// A bound of the speed of blocks against the ground within a step.
    fn fastest_from_ground(&self, dt: f64) -> f64 {
        let ground = self
            .ground_support
            .map_or(DVec3::ZERO, |b| match self.problem.bodies[b].motion {
                BodyMotion::Driven { velocity } => velocity.linear,
                BodyMotion::Free { .. } => DVec3::ZERO,
            });
        let speed = |b: usize| {
            let mut velocity = match self.problem.bodies[b].motion {
                BodyMotion::Driven { velocity } => velocity,
                BodyMotion::Free { .. } => self.state.velocities[b],
            };
            velocity.linear -= ground;
            self.speed_of(b, &velocity)
        };
        let fastest = (0..self.structure.len()).map(speed).fold(0.0, f64::max);
        fastest + dt * self.structure.gravity.length()
    }

    /// Whether blocks may leave the skin within a step that moves them by at most `moves`.
    fn has_left(&self, explicit: &Explicit, moves: f64) -> bool {
        let ground = self.ground_moved(explicit);
        let moved = |b: usize| {
            let (now, then) = (&self.state.placements[b], &explicit.found_at[b]);
            let turned = 2.0 * (now.rotation * then.rotation.conjugate()).xyz().length();
            (now.center - then.center - ground).length() + turned * self.structure.radius[b]
        };
        let allowed = 0.5 * explicit.skin - moves;
        (0..self.structure.len()).any(|b| !self.absent[b] && moved(b) > allowed)
    }

    /// Finds contacts and hands them to the engine, with what they remember.
    fn load(&mut self, explicit: &mut Explicit, settings: &ExplicitSettings, moves: f64, dt: f64) {
        let start = Instant::now();
        let largest = self
            .structure
            .free()
            .map(|b| self.structure.radius[b])
            .fold(0.0, f64::max);
        explicit.skin = (SKIN * largest).max(4.0 * moves);
        self.detect_around(explicit.skin);
        self.report.times.detect_s += start.elapsed().as_secs_f64();
        self.bonds.begin(&self.state.bonds);
        self.ties.choose(&self.structure, &[]);
        self.state_problem(dt, 1.0, dt * self.settings.bounded_recovery());
        let [held, given] = self.held();
        let energies = &mut self.state.energies;
        energies.created += given;
        energies.impact -= held - energies.elastic - given;
        energies.elastic = held;
        let slow = self.slow.as_ref();
        let is_driven = |b: usize| match slow {
            Some(acting) => acting.supports.iter().any(|(support, _)| *support == b),
            None => self.settings.frame == ReferenceFrame::World && self.supports.of(b).is_some(),
        };
        let steps = explicit.engine.steps;
        let loaded = Loaded {
            structure: &self.structure,
            settings,
            placements: &self.state.placements,
            velocities: &self.state.velocities,
            absent: &self.absent,
            is_driven: &is_driven,
            contacts: &self.problem.contacts,
            springs: &self.springs,
            slid: &self.slid,
            bonds: &self.bonds,
            bond_states: &self.state.bonds,
            ties: &self.state.ties,
            threads: rayon::current_num_threads(),
        };
        let last = std::mem::take(&mut explicit.engine.stable);
        explicit.engine = Engine::load(&loaded, last, &mut explicit.shapes);
        explicit.engine.steps = steps;
        explicit.found_at.clone_from(&self.state.placements);
        explicit.is_loaded = true;
        let n = self.problem.contacts.len();
        let solution = &mut self.solution;
        for list in [
            &mut solution.impulses,
            &mut solution.relative_velocities,
            &mut solution.elastic_slip,
        ] {
            list.clear();
            list.resize(n, DVec3::ZERO);
        }
        solution
            .velocities
            .resize(self.structure.len(), drystone_cone::Twist::ZERO);
        solution.link_impulses.clear();
        solution.link_impulses.resize(self.problem.links.len(), 0.0);
    }

    /// Brings the state to where the engine is.
    fn take_over(&mut self, explicit: &mut Explicit, dt: f64, time: f64) -> Result<(), SimulationError> {
        let mut not_finite = None;
        explicit.engine.blocks(|b, placement, velocity| {
            let is_finite =
                placement.center.is_finite() && placement.rotation.is_finite() && velocity.linear.is_finite();
            not_finite = not_finite.or((!is_finite).then_some(b));
        });
        if let Some(block) = not_finite {
            explicit.is_loaded = false;
            return Err(SimulationError::NotFinite { time, block });
        }
        let half = 0.5 * dt / self.report.iterations as f64;
        let weight = |s: &Self| -> f64 {
            let of = |b: usize| s.structure.mass[b] * s.structure.gravity.dot(s.state.velocities[b].linear);
            s.structure.free().map(of).sum()
        };
        // Positions are half a short step ahead of velocities.
        self.state.energies.ahead -= half * weight(self);
        self.export(explicit, dt);
        self.state.energies.ahead += half * weight(self);
        let (spent, ticks) = (explicit.engine.take_spent(), self.ticks_per_step());
        let state = &mut self.state;
        let energies = &mut state.energies;
        energies.viscous += spent.viscous;
        energies.friction += spent.friction;
        energies.impact += spent.bonds;
        energies.ties += spent.ties;
        energies.input += spent.input;
        state.end_step(&self.structure, ticks, time, self.ground);
        let fall = (self.structure.gravity.length() * self.structure.length).sqrt();
        let fastest = self.max_speed();
        let is_forced = self.problem.bodies.iter().any(rest::is_moving);
        self.state.at_rest = self.settings.rest && !is_forced && fastest <= STILL * fall;
        self.report.dt = dt;
        self.report.contacts = self.problem.contacts.len();
        Ok(())
    }

    /// Blocks, contacts, bonds and ties as the engine has them, and what is remembered of them over steps of `dt`.
    fn export(&mut self, explicit: &mut Explicit, dt: f64) {
        let (state, solution) = (&mut self.state, &mut self.solution);
        explicit.engine.blocks(|b, placement, velocity| {
            state.placements[b] = placement;
            state.velocities[b] = velocity;
            solution.velocities[b] = velocity;
        });
        let contacts = self.detector.contacts();
        explicit.held.clear();
        explicit.held.resize(contacts.interfaces.len(), [0.0; 2]);
        explicit.pasts.clear();
        explicit.pasts.extend(self.springs.iter().map(|&spring| Past {
            impulse: DVec3::ZERO,
            slip: DVec3::ZERO,
            spring: Spring { area: 0.0, ..spring },
            slides: false,
        }));
        let mut of = contacts.interfaces.iter().enumerate().peekable();
        let (mut elastic, mut deepest, mut compressed) = (0.0, 0.0_f64, 0.0_f64);
        explicit.engine.contacts(|k, point| {
            let contact = &mut self.problem.contacts[k];
            (contact.point, contact.normal, contact.gap, contact.slip) =
                (point.point, point.normal, point.gap, point.slip);
            solution.impulses[k] = dt * point.force;
            solution.relative_velocities[k] = point.velocity;
            solution.elastic_slip[k] = point.slip;
            let past = &mut explicit.pasts[k];
            (past.impulse, past.slip, past.slides) = (dt * point.force, point.slip, point.slides);
            if point.gap >= 0.0 {
                return;
            }
            past.spring.area = self.springs[k].area;
            let size = self.structure.smaller(contact.bodies);
            compressed = compressed.max(-point.gap / size);
            deepest = deepest.max(past.spring.unsettled());
            while of.next_if(|(_, i)| i.contacts[1] as usize <= k).is_some() {}
            let [normal, across] = point.stiffness;
            let held = [
                0.5 * normal * point.gap * point.gap,
                0.5 * across * point.slip.length_squared(),
            ];
            elastic += held[0] + held[1];
            if let Some((i, _)) = of.peek() {
                (0..2).for_each(|m| explicit.held[*i][m] += held[m]);
            }
        });
        let mut links_held = 0.0;
        let links = &self.problem.links;
        explicit.engine.bonds(|k, bond, force, held| {
            state.bonds[k] = *bond;
            links_held += held;
            if let Some(first) = self.bonds.link_of(k) {
                for axis in 0..3 {
                    let impulse = dt * force.dot(links[first + axis].force);
                    solution.link_impulses[first + axis] = impulse;
                    state.bonds[k].impulses[axis] = impulse;
                }
            }
        });
        explicit.engine.ties(|k, tie, held| {
            state.ties[k] = *tie;
            links_held += held;
        });
        state.energies.elastic = elastic + links_held;
        let springs = self.springs_held.iter().map(|h| h.after([0.0; 2]));
        let springs = springs.chain(std::iter::repeat(Held::default()));
        let held = explicit
            .held
            .iter()
            .zip(springs)
            .map(|(energy, held)| held.after(*energy));
        let tie_impulses = vec![0.0; self.structure.ties.len()];
        state
            .memory
            .store(contacts, explicit.pasts.iter().copied(), held, tie_impulses.iter(), dt);
        state.memory.links_held = links_held;
        self.report.overlap = deepest;
        self.report.relative_compression = compressed;
    }
}

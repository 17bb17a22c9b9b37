//! A step of the simulation as many short explicit ones.
//!
//! Between two steps the state of the simulation is whole: blocks, what contacts remember, energies. Contacts are looked for
//! again where blocks have moved against the ground by a part of the skin, within which they were found.

use std::time::Instant;

use drystone_cone::{Contact, Twist};
use drystone_contact::Placement;
use glam::DVec3;

use super::{
    super::{
        Energies, ExplicitSettings, ReferenceFrame, SimulationError, StableStep, Start,
        explicit::{Engine, Loaded, Shape, Span},
        memory::Past,
        springs::Held,
    },
    Simulation, rest,
};

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
    pub(super) found_at: Vec<Placement>,
    pub(super) skin: f64,
    /// The interface of each contact, and the elastic energy of each interface: memory that is used again.
    interface_of: Vec<u32>,
    held: Vec<[f64; 2]>,
    /// The fastest motion of the structure, as contacts were found last.
    shape: Shape,
    /// Whether the structure did not come to rest before the start.
    is_unbalanced: bool,
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

    /// Whether explicit steps begin out of balance: the structure was to begin at rest, compressed by its loads, and did not come to rest.
    pub fn starts_unbalanced(&self) -> bool {
        self.explicit.as_ref().is_some_and(|e| e.is_unbalanced)
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
        self.deformation.forget();
        if let Some(explicit) = &mut self.explicit {
            explicit.is_loaded = false;
            explicit.shape.clear();
            self.detector.forget();
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
        self.load(&mut explicit, &settings, self.step_length(), 0.0);
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
        let mut is_found = false;
        for span in 1..=spans {
            explicit.engine.run(&Span {
                steps: SPAN,
                dt: short / (1.0 + CALMING),
                time: 0.0,
                damping: CALMING,
                drive: &|_, _| None,
            });
            self.export(explicit, self.step_length());
            let is_last = span == spans;
            let is_balanced = explicit.engine.unbalanced() <= BALANCED[usize::from(is_last)] * weight;
            if is_balanced {
                explicit.engine.halt();
                self.export(explicit, self.step_length());
            }
            if is_balanced && (is_found || is_last) {
                self.begin_here(explicit, kept.energies.scale);
                return;
            }
            if is_balanced || self.has_left(explicit, 0.0) {
                // Contacts that are found where it rests differ a little from those that it came to rest with.
                is_found = is_balanced;
                self.load(explicit, settings, self.step_length(), 0.0);
                explicit.engine.set_loads(&self.forces);
            }
            let stays = self.structure.free().all(|b| {
                let (now, was) = (&self.state.placements[b], &kept.placements[b]);
                now.center.distance(was.center) <= farthest
            });
            if !stays {
                break;
            }
        }
        explicit.is_unbalanced = true;
        let scale = kept.energies.scale;
        self.state = kept;
        self.load(explicit, settings, self.step_length(), 0.0);
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
        let kept = (self.piece(dt) < dt).then(|| self.state.clone());
        let outcome = self.burst_with(&mut explicit, &settings, dt, to);
        if outcome.is_err() {
            // The engine may be ahead of the state that is kept.
            explicit.is_loaded = false;
            self.state = kept.unwrap_or_else(|| std::mem::take(&mut self.state));
        }
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
        let half_way = self.power_of_weight();
        let from = self.state.time;
        let at_start = self.slow.is_some().then(|| self.state.placements.clone());
        let (mut done, mut taken, mut last) = (0.0, 0, 0.0);
        while done < dt * (1.0 - 1e-9) {
            let start = Instant::now();
            let piece = self.piece(dt - done);
            if !explicit.is_loaded || self.has_left(explicit, piece) {
                self.book(explicit);
                self.load(explicit, settings, dt, piece);
            }
            let short = self.short_step(settings, &explicit.engine.stable)?;
            self.report.times.assemble_s += start.elapsed().as_secs_f64();
            let start = Instant::now();
            explicit.engine.set_loads(&self.forces);
            let piece = piece.max(short.min(dt - done));
            let steps = ((piece / short) * (1.0 - 1e-12)).ceil().max(1.0) as usize;
            let drive = |b: usize, time: f64| -> Option<Placement> {
                if let (Some(acting), Some(placements)) = (&self.slow, &at_start) {
                    let (_, target) = acting.supports.iter().find(|(support, _)| *support == b)?;
                    let part = ((time - from) / dt).min(1.0);
                    return Some(super::relax::between(&placements[b], target, part));
                }
                let (motion, initial) = (self.supports.of(b)?, self.structure.initial(b));
                Some(Placement {
                    center: motion.position(initial.center, time),
                    rotation: motion.at(time).rotation * initial.rotation,
                })
            };
            last = piece / steps as f64;
            explicit.engine.run(&Span {
                steps,
                dt: last,
                time: from + done,
                damping: settings.local_damping,
                drive: &drive,
            });
            self.report.times.solve_s += start.elapsed().as_secs_f64();
            done += piece;
            taken += steps;
            Self::check_finite(explicit, to)?;
            if done < dt * (1.0 - 1e-9) {
                self.export(explicit, dt);
            }
        }
        let start = Instant::now();
        self.report.iterations = taken;
        self.report.times.assemble_s -= self.report.times.detect_s;
        self.take_over(explicit, dt, to, [half_way, 0.5 * last]);
        self.report.times.integrate_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// What weight gives to blocks as they move (W).
    fn power_of_weight(&self) -> f64 {
        let of = |b: usize| self.structure.mass[b] * self.structure.gravity.dot(self.state.velocities[b].linear);
        self.structure.free().map(of).sum()
    }

    /// Counts what joints and blocks took and were given since the last time.
    fn book(&mut self, explicit: &mut Explicit) {
        let spent = explicit.engine.take_spent();
        let energies = &mut self.state.energies;
        energies.viscous += spent.viscous;
        energies.friction += spent.friction;
        energies.impact += spent.bonds;
        energies.ties += spent.ties;
        energies.input += spent.input;
    }

    fn check_finite(explicit: &Explicit, time: f64) -> Result<(), SimulationError> {
        let mut not_finite = None;
        explicit.engine.blocks(|b, placement, velocity| {
            let is_finite =
                placement.center.is_finite() && placement.rotation.is_finite() && velocity.linear.is_finite();
            not_finite = not_finite.or((!is_finite).then_some(b));
        });
        not_finite.map_or(Ok(()), |block| Err(SimulationError::NotFinite { time, block }))
    }

    /// Finds contacts and hands them to the engine, with what they remember.
    fn load(&mut self, explicit: &mut Explicit, settings: &ExplicitSettings, dt: f64, ahead: f64) {
        let start = Instant::now();
        explicit.found_at.clone_from(&self.state.placements);
        explicit.skin = self.skin(explicit, ahead);
        self.detect_around(explicit.skin);
        // Which blocks are near is known from here on.
        let needed = self.skin(explicit, ahead);
        if needed > explicit.skin {
            explicit.skin = needed;
            self.detect_around(needed);
        }
        self.report.times.detect_s += start.elapsed().as_secs_f64();
        self.bonds.begin(&self.state.bonds);
        self.ties.choose(&self.structure, &[]);
        self.state_problem(dt, 1.0, dt * self.settings.bounded_recovery());
        // Ties and bonds keep what they hold; only contacts are other ones than before.
        let sum = |of: fn(&Held) -> f64| self.springs_held.iter().map(of).sum::<f64>();
        let (of_contacts, given) = (sum(|h| h.energy[0] + h.energy[1]), sum(|h| h.given));
        let held = self.state.memory.links_held + of_contacts;
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
            dt,
            slid: &self.slid,
            bonds: &self.bonds,
            bond_states: &self.state.bonds,
            ties: &self.state.ties,
            threads: rayon::current_num_threads(),
        };
        let last = std::mem::take(&mut explicit.engine.stable);
        explicit.engine = Engine::load(&loaded, last, &mut explicit.shape);
        explicit.engine.steps = steps;
        explicit.is_loaded = true;
        self.begin_memory(explicit, dt);
        self.solution.velocities.resize(self.structure.len(), Twist::ZERO);
        self.solution.link_impulses.clear();
        self.solution.link_impulses.resize(self.problem.links.len(), 0.0);
    }

    /// Remembers contacts that were just found, for [`Self::export`] to say anew what of them changes.
    fn begin_memory(&mut self, explicit: &mut Explicit, dt: f64) {
        let contacts = self.detector.contacts();
        explicit.interface_of.clear();
        for (i, interface) in (0..).zip(&contacts.interfaces) {
            explicit.interface_of.resize(interface.contacts[1] as usize, i);
        }
        let pasts = self.springs.iter().zip(&self.problem.contacts);
        let pasts = pasts.zip(&self.slid).map(|((&spring, contact), &slides)| Past {
            sliding: 0.0,
            impulse: DVec3::ZERO,
            slip: contact.slip,
            spring,
            slides,
        });
        let held = self
            .springs_held
            .iter()
            .copied()
            .chain(std::iter::repeat(Held::default()));
        let ties = std::iter::repeat_n(&0.0, self.structure.ties.len());
        self.state.memory.store(contacts, pasts, held, ties, dt);
    }

    /// Brings the state to where the engine is. Positions are half a short step ahead of velocities.
    fn take_over(&mut self, explicit: &mut Explicit, dt: f64, time: f64, [half_way, half]: [f64; 2]) {
        self.export(explicit, dt);
        self.state.energies.ahead += half * (self.power_of_weight() - half_way);
        self.book(explicit);
        let ticks = self.ticks_per_step();
        let state = &mut self.state;
        state.end_step(&self.structure, ticks, time, self.ground);
        let fall = (self.structure.gravity.length() * self.structure.length).sqrt();
        let fastest = self.max_speed();
        let is_forced = self.problem.bodies.iter().any(rest::is_moving);
        self.state.at_rest = self.settings.rest && !is_forced && fastest <= STILL * fall;
        self.report.dt = dt;
        self.report.contacts = self.problem.contacts.len();
    }

    /// The contacts as the engine has them: point, normal, gap, impulse over the last step, and velocity of the second block against the
    /// first.
    pub(super) fn explicit_contacts(&self) -> Option<Vec<(Contact, DVec3, DVec3)>> {
        let explicit = self.explicit.as_ref()?;
        let contacts = self.problem.contacts.iter();
        let mut points: Vec<_> = contacts.map(|c| (*c, DVec3::ZERO, DVec3::ZERO)).collect();
        explicit.engine.contacts(|k, point| {
            let (contact, impulse, velocity) = &mut points[k];
            [contact.point, contact.normal] = point.place();
            contact.gap = point.gap;
            (*impulse, *velocity) = (self.problem.dt * point.force, point.velocity());
        });
        Some(points)
    }

    /// Blocks, contacts, bonds and ties as the engine has them, and what is remembered of them over steps of `dt`.
    fn export(&mut self, explicit: &mut Explicit, dt: f64) {
        let (state, solution) = (&mut self.state, &mut self.solution);
        explicit.engine.blocks(|b, placement, velocity| {
            state.placements[b] = placement;
            state.velocities[b] = velocity;
            solution.velocities[b] = velocity;
        });
        explicit.held.clear();
        explicit
            .held
            .resize(self.detector.contacts().interfaces.len(), [0.0; 2]);
        let (mut elastic, mut deepest, mut compressed) = (0.0, 0.0_f64, 0.0_f64);
        let (springs, structure, contacts) = (&self.springs, &self.structure, &self.problem.contacts);
        explicit.engine.contacts(|k, point| {
            let is_closed = point.gap < 0.0;
            state.memory.renew(k, |past| {
                (past.impulse, past.slip, past.slides) = (dt * point.force, point.slip, point.slides);
                past.spring.area = if is_closed { springs[k].area } else { 0.0 };
            });
            if !is_closed {
                return;
            }
            compressed = compressed.max(-point.gap / structure.smaller(contacts[k].bodies));
            deepest = deepest.max(springs[k].unsettled());
            let [normal, across] = point.stiffness;
            let held = [
                0.5 * normal * point.gap * point.gap,
                0.5 * across * point.slip.length_squared(),
            ];
            elastic += held[0] + held[1];
            let of = &mut explicit.held[explicit.interface_of[k] as usize];
            (0..2).for_each(|m| of[m] += held[m]);
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
        state.memory.hold(held);
        state.memory.links_held = links_held;
        self.report.overlap = deepest;
        self.report.relative_compression = compressed;
    }
}

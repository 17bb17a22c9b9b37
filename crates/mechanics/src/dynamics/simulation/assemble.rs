//! What a step is stated with: motions of supports, loads, contacts and what they remember.

use std::time::Instant;

use drystone_cone::{BodyMotion, Twist};
use glam::DVec3;

use super::{
    super::{
        ReferenceFrame, SimulationError,
        contacts::state_contacts,
        springs::{Held, Spring, look_ahead, set_springs},
    },
    Simulation,
};

impl Simulation {
    /// Velocities of supports over the step, and forces on blocks.
    pub(super) fn drive(&mut self, from: f64, to: f64, dt: f64) {
        self.problem.dt = dt;
        std::mem::swap(&mut self.forces, &mut self.last_forces);
        self.forces.fill([DVec3::ZERO; 2]);
        self.deformation.clear_loads();
        if let Some(acting) = self.slow.take() {
            self.drive_slowly(&acting, dt);
            self.load_nodes(dt, |case| acting.factors[case]);
            self.slow = Some(acting);
            return;
        }
        self.loads.add(from, to, &self.state.placements, &mut self.forces);
        if !self.deformation.is_empty() {
            let factors = (0..self.loads.cases()).map(|case| self.loads.factor(case, from, to));
            let factors: Vec<f64> = factors.collect();
            self.load_nodes(dt, |case| factors[case]);
        }
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

    /// Loads of a step at points of blocks that deform.
    fn load_nodes(&mut self, dt: f64, factors: impl Fn(usize) -> f64) {
        let Self { loads, deformation, .. } = self;
        if !deformation.is_empty() {
            loads.impulses(factors, dt, &self.state.placements, |block, at, impulse| {
                deformation.add_load(block, at, impulse);
            });
        }
    }

    /// Contacts of the blocks where they are, and of what may touch within the step.
    pub(super) fn detect(&mut self, dt: f64) {
        let start = Instant::now();
        // Two blocks may come towards each other.
        let [moved, moving] = self.deformation.largest(&self.state.elastic);
        self.detector
            .set_margin(2.0 * dt * (self.fastest(dt) + 2.0 * moving) + 2.0 * moved);
        self.detector.detect(&self.state.placements);
        self.report.times.detect_s += start.elapsed().as_secs_f64();
    }

    /// A bound of the speeds within the step: of supports as they are driven in it, and of blocks with what weight and loads
    /// add. What a support hits is thrown no faster than the support.
    pub(super) fn fastest(&self, dt: f64) -> f64 {
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
    pub(super) fn speed_of(&self, block: usize, velocity: &Twist) -> f64 {
        velocity.linear.length() + self.structure.radius[block] * velocity.angular.length()
    }

    /// States the contact problem of the step.
    pub(super) fn assemble(&mut self, dt: f64) -> Result<(), SimulationError> {
        let start = Instant::now();
        for b in self.structure.free() {
            self.inertia[b] = self.structure.inertia_at(b, &self.state.placements[b]);
        }
        self.ties.choose(&self.structure, &self.state.ties);
        self.state_step(dt)?;
        self.report.contacts = self.problem.contacts.len();
        // What springs are compressed by is no overlap, nor is what joints have at rest or start with.
        self.report.overlap = self.springs.iter().map(Spring::unsettled).fold(0.0, f64::max);
        self.report.times.assemble_s += start.elapsed().as_secs_f64();
        Ok(())
    }

    /// States the problem of a time step, and how blocks answer in it that deform.
    pub(super) fn state_step(&mut self, dt: f64) -> Result<(), SimulationError> {
        let theta = self.settings.theta;
        self.state_problem(dt, theta, dt * self.settings.bounded_recovery());
        let Self {
            deformation,
            problem,
            state,
            ..
        } = self;
        if deformation.is_empty() {
            return Ok(());
        }
        let spin = |b: usize| state.velocities[b].angular;
        deformation.state(problem, theta, &state.elastic, &state.placements, spin)
    }

    /// Contacts and ties of a step of `dt`, with what they remember. Overlaps that are no compression of springs shrink by
    /// `back`, where blocks move.
    pub(super) fn state_problem(&mut self, dt: f64, theta: f64, back: f64) {
        let contacts = self.detector.contacts();
        let Self { structure, state, .. } = self;
        let (points, springs, touch) = (&mut self.problem.contacts, &mut self.springs, self.touch);
        let interfaces = self.rest_gaps.walk(contacts, &state.placements);
        let deformation = &mut self.deformation;
        if !deformation.is_empty() {
            let touches = contacts.interfaces.iter().flat_map(|interface| {
                let arms = contacts.of(interface).iter().map(|c| [c.arm_first, c.arm_second]);
                arms.map(|arms| (interface.blocks, arms))
            });
            deformation.locate_contacts(touches, &state.placements, &state.elastic);
        }
        let stated = (dt, self.shrinkage, deformation.jumps());
        state_contacts(structure, &self.settings, state, interfaces, stated, points, springs);
        let yields = structure.yields();
        self.slid.clear();
        self.slid.resize(points.len(), false);
        let is_still = |b: u32| structure.fixed[b as usize] || state.resting[b as usize];
        state.memory.recall(contacts, dt, |i, past| {
            let contact = &mut points[i];
            (contact.guess, contact.slip, contact.sliding) = (past.impulse, past.slip, past.sliding);
            self.slid[i] = past.slides;
            let is_still = contact.bodies.into_iter().all(is_still);
            let back = if is_still { 0.0 } else { back };
            if yields && structure.law(contact.bodies).stiffness.is_some() {
                if past.spring.crushed > 0.0 {
                    // As if the joint had shrunk there.
                    contact.gap += past.spring.crushed;
                    let Spring { area, on_face, .. } = springs[i];
                    springs[i] = Spring {
                        crushed: past.spring.crushed,
                        on_face,
                        ..Spring::new(contact.gap, area, area)
                    };
                }
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
            let jumps = self.deformation.jumps();
            bonds.state_contacts(structure, &state.placements, past, (dt, jumps), points, springs);
            bonds.state_links(&state.placements, dt, links);
        }
        if !self.deformation.is_empty() {
            let placements = &state.placements;
            for (k, link) in links.iter_mut().enumerate() {
                let ends = self.ties.ends(k, structure, placements).unwrap_or([link.point; 2]);
                let jump = self
                    .deformation
                    .locate_link(link.bodies, ends, placements, &state.elastic);
                link.offset += link.force.dot(jump[0]);
            }
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
                look_ahead(state, self.deformation.jumps(), theta, dt, points);
            }
        }
    }

    /// What springs hold at the start of the step as stated, and what was given to them since the end of the last (J).
    pub(super) fn held(&self) -> [f64; 2] {
        let sum = |of: fn(&Held) -> f64| self.springs_held.iter().map(of).sum::<f64>();
        let links = (self.links_held - self.state.memory.links_held).max(0.0);
        [
            self.links_held + sum(|h| h.energy[0] + h.energy[1]),
            links + sum(|h| h.given),
        ]
    }
}

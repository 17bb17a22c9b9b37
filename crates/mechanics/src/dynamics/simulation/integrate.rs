//! The end of a step: blocks are moved, and what contacts, ties and bonds remember is kept.

use std::time::Instant;

use drystone_cone::{Contact, Solution, Twist};
use glam::DVec3;

use super::{
    super::{
        ReferenceFrame, SimulationError, TimeStep,
        deformation::relative_after,
        energy::Work,
        memory::Past,
        rotation::turn,
        springs::{Spring, stored_after},
    },
    Simulation, rest,
};

impl Simulation {
    /// Whether the step is short enough. The change of position is compared with that by the trapezoidal rule.
    pub(super) fn is_accepted(&self, dt: f64) -> bool {
        let TimeStep::Adaptive { tolerance, .. } = self.settings.time_step else {
            return true;
        };
        let (_, levels) = self.settings.time_step.levels();
        self.state.level >= levels || self.local_error(dt) <= tolerance
    }

    pub(super) fn local_error(&self, dt: f64) -> f64 {
        let after = &self.solution.velocities;
        let error = |b: usize| {
            let (v, w) = (&self.state.velocities[b], &after[b]);
            let change = v.linear.distance(w.linear) + self.structure.radius[b] * v.angular.distance(w.angular);
            0.5 * dt * change
        };
        self.structure.free().map(error).fold(0.0, f64::max)
    }

    /// Moves the blocks.
    pub(super) fn integrate(&mut self, dt: f64) -> Result<(), SimulationError> {
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
            jumps: self.deformation.jumps(),
        };
        state.memory.links_held = self.links_held
            + state
                .energies
                .add_contacts(&work, &mut self.accounts, &mut self.ties.held);
        if !self.deformation.is_empty() {
            let work =
                self.deformation
                    .integrate(&self.problem, solution, theta, &state.placements, &mut state.elastic);
            state.energies.deformation = work.energy;
            state.energies.damped += work.damped;
            state.energies.input += work.input;
        }
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
            let velocity = relative_after(&self.problem, solution, k, second - first);
            stored_after(&points[k], theta, dt, velocity, solution.elastic_slip[k])
        };
        let pasts = (0..points.len()).map(|k| Past {
            impulse: solution.impulses[k],
            sliding: sliding(&points[k], solution, k, dt),
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
        state.end_step(&self.structure, ticks, time, self.ground);
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
    pub(super) fn lengthen(&mut self) {
        if self.state.level > 0 && self.state.tick.is_multiple_of(2 * self.ticks_per_step()) {
            self.state.level -= 1;
        }
    }
}

/// How fast a contact slides. What a spring across the joint takes up is no sliding.
pub(super) fn sliding(contact: &Contact, solution: &Solution, k: usize, dt: f64) -> f64 {
    let u = solution.relative_velocities[k];
    let across = u - contact.normal.dot(u) * contact.normal;
    (across + (contact.slip - solution.elastic_slip[k]) / dt).length()
}

//! Ties of a simulation: a step is solved again where one of them was stated for another part of its law.

use drystone_model::TieLaw;

use super::{
    super::{SimulationError, TieState, TieStatus},
    Simulation,
};

/// Solves of a step after which ties still change sides: the step is halved then.
const ROUNDS: usize = 12;
/// Solves after which ties change sides one by one, which ends a cycle.
const ALL_AT_ONCE: usize = 4;

/// A tie at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TieNow<'a> {
    /// Its name.
    pub name: &'a str,
    /// The group it is of.
    pub group: Option<&'a str>,
    /// Its law.
    pub law: &'a TieLaw,
    /// What it remembers.
    pub state: &'a TieState,
    /// How much longer it is than it is drawn (m).
    pub elongation: f64,
}

impl TieNow<'_> {
    /// What it does.
    pub fn status(&self) -> TieStatus {
        self.state.status(self.law)
    }
}

impl Simulation {
    /// The ties now, in the order of the model.
    pub fn ties(&self) -> impl Iterator<Item = TieNow<'_>> {
        let ties = self.structure.ties.iter().zip(&self.state.ties);
        ties.map(|(tie, state)| TieNow {
            name: &tie.name,
            group: tie.group.as_deref(),
            law: &tie.law,
            state,
            elongation: self.structure.tie_length(tie, &self.state.placements) - tie.law.drawn_length,
        })
    }

    /// Finds velocities and impulses, with every tie within its bounds.
    pub(super) fn solve_with_ties(&mut self, dt: f64) -> Result<(), SimulationError> {
        for round in 0..ROUNDS {
            self.solve(dt)?;
            let impulses = &self.solution.link_impulses;
            if !self.ties.turn(&self.structure, impulses, dt, round >= ALL_AT_ONCE) {
                return Ok(());
            }
            self.state_step(dt)?;
        }
        Err(SimulationError::Unsolved {
            time: self.state.time,
            status: self.report.status,
            residual: self.report.residual,
            attempts: self.report.attempts,
            created: 0.0,
            yields: true,
        })
    }

    /// Takes over what a step did to the ties, with the blocks where they are at its end. What broke gives back nothing.
    pub(super) fn integrate_ties(&mut self, dt: f64, time: f64) {
        let (state, impulses) = (&mut self.state, &self.solution.link_impulses);
        let lost = self.ties.after(
            &self.structure,
            &state.placements,
            impulses,
            [dt, time],
            &mut state.ties,
        );
        if lost > 0.0 {
            state.memory.links_held -= lost;
            state.energies.elastic -= lost;
            state.energies.ties += lost;
            // Nothing holds what the tie held: it does not sleep on.
            (state.at_rest, self.is_solved) = (false, false);
            state.resting.fill(false);
        }
    }
}

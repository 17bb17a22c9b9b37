//! The methods, behind one trait, each in its own file.

mod apgd;
mod block;
mod clarabel;
mod colour;
mod coupled;
mod direct;
mod interior;
mod local;
mod nlgs;
mod outer;
mod passes;
mod proximal;
mod rest;
mod scaling;
mod semismooth;
mod spg;
mod sums;

pub(crate) use coupled::Coupled;
pub(crate) use rest::{COLD, Outcome, Rest};

use crate::{
    cone::V3,
    settings::{Settings, Solver},
    solution::Status,
    system::{System, V6},
};

/// What a method works on: where to start, and what it found.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Impulses: the start on entry, the result on return. In their cones, whatever the status.
    pub(crate) r: Vec<V3>,
    /// Velocities of the free bodies less their free velocities, where the method keeps them beside the impulses; empty
    /// where they follow from the impulses.
    pub(crate) twist: Vec<V6>,
    /// Scratch for relative velocities.
    pub(crate) u: Vec<V3>,
}

/// How a method ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Report {
    /// What it thinks of its result. `Inaccurate` where it can get no further above the tolerance.
    pub(crate) status: Status,
    /// Iterations, as the method counts them.
    pub(crate) iterations: usize,
    /// Seconds spent on factorisations.
    pub(crate) factor_s: f64,
    /// Seconds spent on solves with the factor.
    pub(crate) substitute_s: f64,
}

/// A method for the dimensionless problem. It keeps its memory from one call to the next, and nothing else that could
/// change the result.
pub(crate) trait Method: std::fmt::Debug + Send {
    /// Solves `system` from `state.r` until [`measure`](crate::measure::measure) falls below the tolerance.
    fn solve(&mut self, system: &System, settings: &Settings, state: &mut State) -> Report;
}

/// Constraints above which `Auto` does not factorise.
const MOST_TO_FACTOR: usize = 2_000_000;
/// Compliance, where the diagonal blocks of N are about one, above which `Auto` takes the semismooth method: on a building
/// of 5,100 blocks it takes 0.6 of the time of the interior-point method with such joints, and twice as much with joints
/// a hundred times stiffer.
const SOFT: f64 = 1e-3;

/// One of each method, made when first asked for.
#[derive(Debug, Default)]
pub(crate) struct Methods {
    interior: Option<Box<interior::Interior>>,
    semismooth: Option<Box<semismooth::Semismooth>>,
    spg: Option<Box<spg::Spg>>,
    apgd: Option<Box<apgd::Apgd>>,
    nlgs: Option<Box<nlgs::Nlgs>>,
    clarabel: Option<Box<clarabel::Clarabel>>,
}

impl Methods {
    /// The method that the settings name, or the one that suits the problem: interior point, which depends least on what
    /// it is given; semismooth Newton where every contact yields so much that few factorisations do; accelerated gradient
    /// where a factor would not fit.
    pub(crate) fn choose(&self, settings: &Settings, system: &System) -> Solver {
        match settings.solver {
            Solver::Auto if system.len() > MOST_TO_FACTOR => Solver::Apgd,
            Solver::Auto if system.yields(SOFT) => Solver::Semismooth,
            Solver::Auto => Solver::Interior,
            named => named,
        }
    }

    /// Forgets what was learnt of earlier problems, so that the next solve depends on its problem alone.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Solves, and says by which method.
    pub(crate) fn solve(&mut self, system: &System, settings: &Settings, state: &mut State) -> (Solver, Report) {
        let solver = self.choose(settings, system);
        let method: &mut dyn Method = match solver {
            Solver::Interior => self.interior.get_or_insert_default().as_mut(),
            Solver::Semismooth => self.semismooth.get_or_insert_default().as_mut(),
            Solver::Spg => self.spg.get_or_insert_default().as_mut(),
            Solver::Apgd => self.apgd.get_or_insert_default().as_mut(),
            Solver::Clarabel => self.clarabel.get_or_insert_default().as_mut(),
            _ => self.nlgs.get_or_insert_default().as_mut(),
        };
        (solver, method.solve(system, settings, state))
    }
}

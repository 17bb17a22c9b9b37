//! The methods, behind one trait, each in its own file, and the pipeline that runs them in stages.
//!
//! A new method is one file, which implements [`Method`], and its lines here: the module and the entry of the registry.

mod apgd;
mod at_rest;
mod block;
mod clarabel;
mod colour;
mod coupled;
mod direct;
mod interior;
mod jacobian;
mod local;
mod mixing;
mod nlgs;
mod outer;
mod passes;
mod pipeline;
mod proximal;
mod scaling;
mod semismooth;
mod spg;
mod sums;

pub(crate) use at_rest::{AtRest, Outcome};
pub(crate) use coupled::{Coupled, Creep};
pub(crate) use pipeline::Pipeline;

use std::str::FromStr;

use crate::{
    cone::V3,
    newton::Newton,
    settings::{Friction, SolverSettings},
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
    /// The least residual met, where it was measured.
    pub(crate) residual: Option<f64>,
    /// Seconds spent on factorisations since [`Method::prepare`].
    pub(crate) factor_s: f64,
    /// Seconds spent on solves with the factor since then.
    pub(crate) substitute_s: f64,
}

impl Report {
    /// With the seconds that a factorising method spent.
    fn timed(self, newton: &Newton) -> Self {
        Self {
            factor_s: newton.factor_s,
            substitute_s: newton.substitute_s,
            ..self
        }
    }
}

/// The stages of a method, as the pipeline runs them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Iterations, if the settings leave it to the method.
    pub(crate) iterations: usize,
    /// Turns of the method and of polishing; none where the method stands alone.
    pub(crate) polishes: usize,
    /// Whether a local minimum is left by proximal points in the end, with Coulomb friction.
    pub(crate) leaves_local_minimum: bool,
    /// The method that replaces it where it fails.
    pub(crate) fallback: Option<Named>,
}

impl Plan {
    /// The method alone.
    pub(crate) fn alone(iterations: usize) -> Self {
        Self {
            iterations,
            polishes: 0,
            leaves_local_minimum: false,
            fallback: None,
        }
    }
}

/// A method for the dimensionless problem. It keeps its memory from one call to the next, and nothing else that could
/// change the result.
pub(crate) trait Method: std::fmt::Debug + Send {
    /// The stages that belong to it.
    fn plan(&self, friction: Friction) -> Plan;

    /// Takes in a system, once before it is solved.
    fn prepare(&mut self, system: &System);

    /// Solves `system` from `state.r`, in at most `limit` iterations, until [`measure`](crate::measure::measure) falls below
    /// the tolerance.
    fn solve(&mut self, system: &System, settings: &SolverSettings, limit: usize, state: &mut State) -> Report;
}

/// Declares the methods: names, memory, and how one is found by its name.
macro_rules! registry {
    ($($(#[$doc:meta])+ $solver:ident, $name:literal, $method:ty;)+) => {
        /// The method.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub enum Solver {
            /// Chosen by size and regularisation; the solution says which it was.
            #[default]
            Auto,
            $($(#[$doc])+ $solver,)+
        }

        impl Solver {
            /// All of them.
            pub const ALL: &'static [Self] = &[Self::Auto, $(Self::$solver,)+];

            /// Name on the command line, in tables and in JSON.
            pub fn name(self) -> &'static str {
                match self {
                    Self::Auto => "auto",
                    $(Self::$solver => $name,)+
                }
            }

            /// The method that is named, or none where it is left to the crate.
            fn named(self) -> Option<Named> {
                match self {
                    Self::Auto => None,
                    $(Self::$solver => Some(Named::$solver),)+
                }
            }
        }

        /// A method by its name: never `Auto`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Named {
            $($solver,)+
        }

        impl From<Named> for Solver {
            fn from(named: Named) -> Self {
                match named {
                    $(Named::$solver => Self::$solver,)+
                }
            }
        }

        /// One of each method, made when first asked for.
        #[derive(Debug, Default)]
        struct Methods {
            made: Vec<(Named, Box<dyn Method>)>,
        }

        impl Methods {
            fn make(named: Named) -> Box<dyn Method> {
                match named {
                    $(Named::$solver => Box::<$method>::default(),)+
                }
            }
        }
    };
}

registry! {
    /// Primal-dual interior point.
    Interior, "interior", interior::Interior;
    /// Semismooth Newton on proximal subproblems.
    Semismooth, "semismooth", semismooth::Semismooth;
    /// Preconditioned spectral projected gradient with fall-back.
    Spg, "spg", spg::Spg;
    /// Accelerated projected gradient with restart.
    Apgd, "apgd", apgd::Apgd;
    /// Non-linear block Gauss-Seidel.
    Nlgs, "nlgs", nlgs::Nlgs;
    /// The Clarabel conic solver.
    Clarabel, "clarabel", clarabel::Clarabel;
}

impl Methods {
    fn get(&mut self, named: Named) -> &mut dyn Method {
        let at = match self.made.iter().position(|(name, _)| *name == named) {
            Some(at) => at,
            None => {
                self.made.push((named, Self::make(named)));
                self.made.len() - 1
            }
        };
        self.made[at].1.as_mut()
    }
}

impl FromStr for Solver {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|solver| solver.name() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|solver| solver.name()).collect();
            format!("`{name}` is no solver; there are {}", names.join(", "))
        })
    }
}

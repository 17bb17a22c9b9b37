use drystone_cone::{ProblemError, Status};
use drystone_model::motion::MotionError;

use crate::StructureError;

/// Why a simulation cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The model cannot be simulated.
    #[error(transparent)]
    Structure(#[from] StructureError),
    /// A motion or the history of a load cannot be used.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// A setting is out of its range.
    #[error("{what} is {value}; it must be {allowed}")]
    Setting {
        /// Which setting.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        allowed: &'static str,
    },
    /// Blocks that deform cannot be stepped.
    #[error("blocks cannot deform in steps of this length: {0}")]
    Elastic(String),
    /// Axes that move with the ground need one ground.
    #[error("axes that move with the ground need supports that all move alike and do not turn")]
    NoCommonGround,
    /// A load case does not exist.
    #[error("there is no load case `{name}`; the model has: {known}")]
    NoSuchLoad {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// It was told to stop.
    #[error("stopped")]
    Stopped,
    /// A step could not be stated.
    #[error("at {time} s: {source}")]
    Problem {
        /// Time at the start of the step (s).
        time: f64,
        /// What is wrong.
        source: ProblemError,
    },
    /// A step could not be solved.
    #[error(
        "at {time} s the contact problem could not be solved in {attempts} attempts, nor with shorter steps (the last {}): {} may \
         help",
        match *created > 0.0 {
            true => format!("created energy, {:.1} % of what the blocks had and were given", 100.0 * created),
            false => format!("ended as {} with a residual of {residual:.1e}", status.name()),
        },
        match yields {
            true => "a shorter time step, a smaller tolerance, or joints of a lower stiffness",
            false => "a shorter time step, or joints with a stiffness",
        }
    )]
    Unsolved {
        /// Time at the start of the step (s).
        time: f64,
        /// How the last attempt ended.
        status: Status,
        /// Its residual.
        residual: f64,
        /// Attempts made.
        attempts: usize,
        /// Energy that the last attempt created, over all that was there or came in; zero where it was within bounds.
        created: f64,
        /// Whether joints have a stiffness.
        yields: bool,
    },
    /// Blocks are squeezed and have nowhere to go.
    #[error(
        "at {time} s blocks `{}` and `{}` are squeezed into each other by {:.3} mm; {:.3} mm are allowed, a hundredth of the \
         smaller block. {}",
        blocks[0], blocks[1], 1e3 * depth, 1e3 * allowed,
        match driven {
            true => "Rigid blocks cannot give way: check the motions of the supports",
            false => "No support moves: what bears on them is too heavy for the contact solver at this step. A shorter time \
                      step, associated friction, or joints with a stiffness, may help",
        }
    )]
    Squeezed {
        /// Time at the start of the step (s).
        time: f64,
        /// The two blocks.
        blocks: [String; 2],
        /// How deep they would overlap after the step (m).
        depth: f64,
        /// How deep they may (m).
        allowed: f64,
        /// Whether a support moves.
        driven: bool,
    },
    /// A step of explicit stepping is too long.
    #[error(
        "the time step is {asked:.3e} s; block `{block}` allows no more than {limit:.3e} s: above it explicit steps are not stable. A \
         lower stiffness of its joints, or mass scaling, allows longer ones"
    )]
    Unstable {
        /// What was asked for (s).
        asked: f64,
        /// What is stable (s).
        limit: f64,
        /// The block that rules it.
        block: String,
    },
    /// Velocities or positions are no longer numbers.
    #[error("at {time} s block {block} left the range of numbers")]
    NotFinite {
        /// Time at the end of the step (s).
        time: f64,
        /// Index of the block.
        block: usize,
    },
    /// A checkpoint cannot be written or read.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(String),
}

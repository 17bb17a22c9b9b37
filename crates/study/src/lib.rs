//! Studies: one structure, many questions, until a curve comes of them.
//!
//! ```text
//!   study file -> Study (spec) -> Plan -> tasks -> engine -> Store (SQLite) -> outcomes -> Plan -> findings -> files
//! ```
//!
//! [`Study`] is what a study file says. A [`Plan`] tells which runs it takes, and what they come to. A [`Task`] is one run as
//! data that can be sent to another machine with what it needs of [`Shared`]; [`perform`] does it there. [`work`] performs runs on this
//! machine and keeps each in a [`Store`] when it has ended; [`write_files`] makes tables, charts and a report of what is known.
//! Whoever performs the runs, in whatever order: the same tables (docs/studies.md).
//!
//! Nothing here prints.

mod engine;
mod files;
mod ground;
mod job;
mod plan;
mod queue;
mod spec;
pub mod statistics;
mod store;

pub use engine::{Alone, EngineSettings, Progress, Shard, Worked, work};
pub use files::{STUDY, SUMMARY, Summary, Watched, plot, runs_table, summary, write_files, write_summary};
pub use ground::GroundMotion;
pub use job::{Ask, BUILD, Base, Ground, Job, ModelSpec, Outcome, Outcomes, Shared, Status, Task, perform};
pub use plan::{Chart, Findings, Mark, Plan, Series};
pub use queue::Queue;
pub use spec::{
    Analysis, Assembly, Choices, CollapseSpec, Design, Direction, FailureDomain, Fragility, FragilityMethod,
    FrictionLaw, IntegratorName, Kind, ModelChanges, Named, Numbers, Parameter, Range, RecipeSource, Records, Search,
    SimulationSpec, Source, Spacing, Step, Study, Sweep, Synthetic, Variant, template,
};
pub use store::{DATABASE, RecordedRun, Store};

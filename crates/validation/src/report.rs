//! What commands return, and what they tell while they run.

use drystone_analysis::Failure;
use serde_json::Value;

/// The result of a command.
pub struct CommandReport {
    /// With the documented fields.
    pub json: Value,
    /// For people: what was not told line by line.
    pub text: String,
    /// Why the program exits with a failure all the same: figures outside their tolerances.
    pub failure: Option<Failure>,
}

impl CommandReport {
    pub(crate) fn new(json: Value, text: String) -> Self {
        Self {
            json,
            text,
            failure: None,
        }
    }
}

/// Whoever watches a command at work.
pub trait Listener {
    /// How far it is.
    fn progress(&self, text: &str);

    /// What a reader of the result has to know.
    fn warn(&self, text: &str);

    /// A line of the text of the result, as soon as it is there.
    fn line(&self, text: &str) -> Result<(), Failure>;
}

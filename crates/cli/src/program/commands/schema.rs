use clap::Args;

use drystone_model::file;

use crate::program::{Failure, report::Console};

/// Print the JSON Schema of model files, for editors that complete and check as you type
#[derive(Args)]
#[command(after_help = "\
Example: drystone schema > drystone.schema.json
In an editor that knows JSON Schema, name that file for your model files.")]
pub(crate) struct Schema {}

impl Schema {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let pretty = serde_json::to_string_pretty(file::schema()).map_err(Failure::run)?;
        console.result(file::schema(), || pretty)
    }
}

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use drystone_model::file;

use crate::program::{
    Failure,
    overrides::{Elastic, Overrides},
    report::Console,
    target::Targets,
};

/// Write a model in other formats, or draw it
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone export arch.json -o arch.png -o arch.glb
  drystone export arch.json -o arch.compas.json
  drystone export arch.json -o arch.dxf          for drawing programs
  drystone export arch.json -o arch.vtu          for ParaView")]
pub(crate) struct Export {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    targets: Targets,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    elastic: Elastic,
}

impl Export {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let model = self
            .elastic
            .added_to(self.overrides.changes())
            .apply(&file::read(&self.model)?)?;
        let files = self.targets.write(&model)?;
        console.result(&json!({ "files": files }), || files.join("\n"))
    }
}

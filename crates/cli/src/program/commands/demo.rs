use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use drystone_model::recipes;

use super::{info::Look, simulate};
use crate::program::{
    Failure,
    report::{Console, table},
    target::Targets,
};

/// Show what drystone does, on the spandrel arch of the literature
///
/// Builds the arch in its wall (5.0 m tall, 0.8 m thick, 16.2 m long, opening radius 3.8 m), checks that its blocks
/// fit, shakes the ground under it with 0.36 g for two seconds, and writes the model, pictures, 3D files and a film.
#[derive(Args)]
pub(crate) struct Demo {
    /// Folder for the files
    #[arg(short, long = "output", value_name = "DIR", default_value = "drystone-demo")]
    output: PathBuf,
}

impl Demo {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let model = recipes::find("spandrel-arch")
            .and_then(|r| r.build(&[]))
            .map_err(Failure::run)?;
        let look = Look::at(&model)?;
        let summary = &look.summary;
        std::fs::create_dir_all(&self.output).map_err(|e| Failure::run(format!("{}: {e}", self.output.display())))?;
        let named = |ending: &str| self.output.join(format!("spandrel-arch.{ending}"));
        let files = Targets::files(["json", "png", "svg", "glb"].map(named).to_vec()).write(&model)?;
        let rows = look.rows(&model);
        let folder = self.output.join("run");
        let shaken = simulate::demonstrate(&model, &folder, console)?;
        let film = folder.join("film.gif").display().to_string();
        let result = json!({
            "blocks": summary.blocks,
            "fixed": summary.fixed,
            "mass_kg": summary.mass,
            "volume_m3": summary.volume,
            "size_m": summary.size,
            "worst_overlap_m": summary.worst_overlap,
            "files": files,
            "simulation": shaken,
        });
        console.result(&result, || {
            format!(
                "Spandrel arch: an arch bonded into a wall, blocks without mortar\n\n{}\n\
                 Its ground shaken with 0.36 g, half a cycle a second\n\n{}\n\
                 written\n  {}\n  {}  (open it)\n  {}\n  {}  (opens in Blender and browsers)\n  {film}  (open it)\n\n\
                 next\n  drystone new --list\n  drystone info {}\n  drystone view {}  (look at it, change it and shake it in the browser)\n",
                table(&rows),
                table(&shaken.rows()[..6]),
                files[0],
                files[1],
                files[2],
                files[3],
                files[0],
                files[0],
            )
        })
    }
}

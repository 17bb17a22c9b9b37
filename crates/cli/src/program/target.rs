//! Where results go: a file whose ending says what is written.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use drystone_model::{Model, export, file};
use drystone_output as output;

use drystone_analysis::Failure;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Our model file
    Json,
    /// Wavefront OBJ, one object a block
    Obj,
    /// DXF drawing, the outline of each block as a closed polyline
    Dxf,
    /// COMPAS JSON, an assembly of compas_assembly
    Compas,
    /// Binary glTF, one node a block
    Glb,
    /// VTK polygons for ParaView
    Vtp,
    /// VTK polyhedra for ParaView
    Vtu,
    /// A picture in pixels
    Png,
    /// A picture in vectors
    Svg,
}

const ENDINGS: &str = ".json, .compas.json, .obj, .dxf, .glb, .vtp, .vtu, .png, .svg";

impl Format {
    /// The format that a file's name asks for.
    fn of(path: &Path) -> Result<Self, Failure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        match ending {
            "json" if name.ends_with(".compas.json") => Ok(Self::Compas),
            "json" => Ok(Self::Json),
            "obj" => Ok(Self::Obj),
            "dxf" => Ok(Self::Dxf),
            "glb" => Ok(Self::Glb),
            "vtp" => Ok(Self::Vtp),
            "vtu" => Ok(Self::Vtu),
            "png" => Ok(Self::Png),
            "svg" => Ok(Self::Svg),
            _ => Err(Failure::input(format!(
                "{}: its ending says nothing about what to write",
                path.display()
            ))
            .help(format!("use one of {ENDINGS}, or name the format with --format"))),
        }
    }

    fn bytes(self, model: &Model) -> Result<Vec<u8>, Failure> {
        Ok(match self {
            Self::Json => file::to_text(model).map_err(Failure::run)?.into_bytes(),
            Self::Obj => export::obj(model).into_bytes(),
            Self::Dxf => export::dxf(model).map_err(Failure::input)?.into_bytes(),
            Self::Compas => export::compas(model).into_bytes(),
            Self::Glb => output::glb::glb(model).map_err(Failure::run)?,
            Self::Vtp => output::vtk::polydata(model).map_err(Failure::run)?,
            Self::Vtu => output::vtk::unstructured_grid(model).map_err(Failure::run)?,
            Self::Png => output::picture::Picture::new(model).png().map_err(Failure::run)?,
            Self::Svg => output::picture::Picture::new(model)
                .svg()
                .map_err(Failure::run)?
                .into_bytes(),
        })
    }
}

// No doc comment: clap would take it as the text of the command that these options belong to.
#[derive(clap::Args, Debug)]
pub(crate) struct Targets {
    /// File to write; its ending says what: .json (model), .compas.json, .obj, .dxf, .glb, .vtp, .vtu, .png, .svg.
    /// May be given several times
    #[arg(short, long = "output", value_name = "FILE", required = true)]
    outputs: Vec<PathBuf>,
    /// What to write, whatever the ending of the file
    #[arg(long, value_enum)]
    format: Option<Format>,
}

impl Targets {
    /// Several files, each by its ending.
    pub(crate) fn files(outputs: Vec<PathBuf>) -> Self {
        Self { outputs, format: None }
    }

    /// Writes every file, whole or not at all, and gives their names.
    pub(crate) fn write(&self, model: &Model) -> Result<Vec<String>, Failure> {
        let again = |k: &usize| {
            self.outputs[..*k]
                .iter()
                .any(|earlier| is_same(earlier, &self.outputs[*k]))
        };
        if let Some(k) = (1..self.outputs.len()).find(again) {
            let message = format!("{}: named twice as output", self.outputs[k].display());
            return Err(Failure::input(message).help("name each file once"));
        }
        let formats: Vec<Format> = self
            .outputs
            .iter()
            .map(|path| self.format.map_or_else(|| Format::of(path), Ok))
            .collect::<Result<_, _>>()?;
        // All of them are made before the first is written: a model that cannot be drawn leaves no half of the files.
        let contents: Vec<Vec<u8>> = formats
            .into_iter()
            .map(|format| format.bytes(model))
            .collect::<Result<_, _>>()?;
        for (path, bytes) in self.outputs.iter().zip(contents) {
            output::file::write_atomically(path, &bytes).map_err(Failure::run)?;
        }
        Ok(self.outputs.iter().map(|p| p.display().to_string()).collect())
    }
}

/// Whether two paths lead to one file, which need not be there yet.
fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| match path.canonicalize() {
        Ok(place) => Some(place),
        Err(_) => {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(folder.join(path.file_name()?))
        }
    };
    a == b || place(a).is_some_and(|a| place(b) == Some(a))
}

use std::path::{Path, PathBuf};

use super::{
    Imported, chrono, compas,
    dxf::{self, Drawing},
    error::{ImportError, format_error, single},
    mesh::Meshes,
    obj, ply, stl,
    text::stem,
    treat::{Treatment, treat},
};
use crate::{
    Model,
    file::{LARGEST_FILE, Pipes, file_bytes},
};

/// A format that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL, ASCII or binary.
    Stl,
    /// PLY, ASCII or binary.
    Ply,
    /// A DXF drawing.
    Dxf,
    /// COMPAS JSON.
    Compas,
    /// A text file of the Chrono masonry simulator.
    Chrono(chrono::ChronoFile),
}

/// The format of a file, by the ending of its name, or else by its content.
pub fn format(file: &str, bytes: &[u8]) -> Result<Format, ImportError> {
    let ending = Path::new(file).extension().map(|e| e.to_ascii_lowercase());
    match ending.as_ref().and_then(|e| e.to_str()) {
        Some("obj") => return Ok(Format::Obj),
        Some("stl") => return Ok(Format::Stl),
        Some("ply") => return Ok(Format::Ply),
        Some("dxf") => return Ok(Format::Dxf),
        Some("json") => return Ok(Format::Compas),
        _ => {}
    }
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    if start.starts_with(b"{") {
        return Ok(Format::Compas);
    }
    if start.starts_with(b"ply") {
        return Ok(Format::Ply);
    }
    let first = start.first().copied().unwrap_or_default();
    if first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.' | b'#') {
        return chrono::kind(bytes, file).map(Format::Chrono);
    }
    Err(format_error(
        file,
        "its format is not known; OBJ (.obj), STL (.stl), PLY (.ply), DXF (.dxf), COMPAS (.json) and brick, spring, rod and motion \
         files of the Chrono masonry simulator can be imported",
    ))
}

/// Imports files that make one structure together.
///
/// Any number of OBJ, STL and PLY files are put side by side; brick, spring, rod and motion files become one model;
/// a COMPAS file is a model by itself. The model is named after the first file, or the brick file.
pub fn import_files(paths: &[PathBuf]) -> Result<Imported, ImportError> {
    import_files_with(paths, Treatment::default())
}

/// [`import_files`], with blocks that are no solids left out or repaired.
pub fn import_files_with(paths: &[PathBuf], treatment: Treatment) -> Result<Imported, ImportError> {
    import_files_as(paths, treatment, &Drawing::default())
}

/// [`import_files_with`], with what drawings do not tell.
pub fn import_files_as(paths: &[PathBuf], treatment: Treatment, drawing: &Drawing) -> Result<Imported, ImportError> {
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let bytes = file_bytes(path, LARGEST_FILE, Pipes::Allowed).map_err(|source| ImportError::Read {
            path: path.clone(),
            source,
        })?;
        files.push((path.display().to_string(), bytes));
    }
    import_as(&files, treatment, drawing)
}

/// Imports files that are in memory already, each with its name.
pub fn import(files: &[(String, Vec<u8>)]) -> Result<Imported, ImportError> {
    import_with(files, Treatment::default())
}

/// [`import`], with blocks that are no solids left out or repaired.
pub fn import_with(files: &[(String, Vec<u8>)], treatment: Treatment) -> Result<Imported, ImportError> {
    import_as(files, treatment, &Drawing::default())
}

fn import_as(files: &[(String, Vec<u8>)], treatment: Treatment, drawing: &Drawing) -> Result<Imported, ImportError> {
    let mut imported = read_all(files, treatment, drawing)?;
    let first = files.first().map_or("", |(file, _)| file);
    let treated = treat(&mut imported.model, treatment, &mut imported.warnings, first)?;
    imported.treated.extend(treated);
    Ok(imported)
}

fn read_all(files: &[(String, Vec<u8>)], treatment: Treatment, drawing: &Drawing) -> Result<Imported, ImportError> {
    let mut formats = Vec::with_capacity(files.len());
    for (file, bytes) in files {
        formats.push(format(file, bytes)?);
    }
    match (files, &formats[..]) {
        ([], _) => Err(ImportError::NoFiles),
        ([(file, bytes)], [Format::Compas]) => compas::read(bytes, file),
        ([(file, bytes)], [Format::Dxf]) => dxf::read(bytes, file, drawing),
        (_, formats) if formats.contains(&Format::Dxf) => Err(ImportError::Combination(
            "a drawing is a model by itself; import it alone".to_owned(),
        )),
        (_, formats) if formats.contains(&Format::Compas) => Err(ImportError::Combination(
            "a COMPAS file is a model by itself; import it alone".to_owned(),
        )),
        (_, formats) if formats.iter().all(|f| matches!(f, Format::Chrono(_))) => masonry(files, formats, treatment),
        (_, formats) if formats.iter().any(|f| matches!(f, Format::Chrono(_))) => Err(ImportError::Combination(
            "meshes and files of the Chrono masonry simulator cannot be mixed".to_owned(),
        )),
        (_, formats) => meshes(files, formats),
    }
}

fn meshes(files: &[(String, Vec<u8>)], formats: &[Format]) -> Result<Imported, ImportError> {
    let mut meshes = Meshes::default();
    let mut warnings = Vec::new();
    let first = files.first().map_or("", |(file, _)| file);
    for ((file, bytes), format) in files.iter().zip(formats) {
        meshes.single_precision = false;
        match format {
            Format::Stl => stl::read_into(&mut meshes, bytes, file)?,
            Format::Ply => ply::read_into(&mut meshes, bytes, file)?,
            _ => obj::read_into(&mut meshes, &mut warnings, bytes, file)?,
        }
    }
    let mut model = Model::named(stem(first));
    meshes
        .finish(&mut model, &mut warnings)
        .map_err(|what| single(first, None, what))?;
    super::with_blocks(model, warnings, first)
}

fn masonry(files: &[(String, Vec<u8>)], formats: &[Format], treatment: Treatment) -> Result<Imported, ImportError> {
    let mut parts = chrono::Files::default();
    let mut brick_file = None;
    let mut passed_over = Vec::new();
    for ((file, bytes), format) in files.iter().zip(formats) {
        let Format::Chrono(kind) = format else { continue };
        passed_over.extend(chrono::lines_passed_over(bytes, file));
        match kind {
            chrono::ChronoFile::Bricks => {
                if let Some(other) = brick_file.replace(file) {
                    return Err(ImportError::Combination(format!(
                        "{other} and {file} are both brick files"
                    )));
                }
                parts.bricks = chrono::read_bricks(bytes, file)?;
            }
            chrono::ChronoFile::Springs => parts.links.extend(chrono::read_springs(bytes, file)?),
            chrono::ChronoFile::Rods => parts.links.extend(chrono::read_rods(bytes, file)?),
            chrono::ChronoFile::Motion => {
                if parts.motion.replace(chrono::read_motion(bytes, file)?).is_some() {
                    return Err(ImportError::Combination("there are two motion files".to_owned()));
                }
            }
        }
    }
    match brick_file {
        Some(file) => {
            let mut imported = chrono::assemble_with(parts, file, treatment)?;
            imported.warnings.extend(passed_over);
            Ok(imported)
        }
        None => Err(ImportError::Combination(
            "springs, rods and motions need the brick file they belong to".to_owned(),
        )),
    }
}

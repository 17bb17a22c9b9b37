//! Time series for ParaView: a mesh of the blocks, a cloud of the contacts and the elements of blocks that deform for each
//! frame, and a list of each.
//!
//! In the folder given, `blocks.pvd`, `contacts.pvd` and `deformed.pvd` list the files `frames/blocks_00000010.vtu`,
//! `frames/contacts_00000010.vtp` and `frames/deformed_00000010.vtu`, named by step. The lists are written anew after every frame, so that a run that is
//! killed leaves a series that opens. `docs/outputs.md` tells what the arrays are.

use std::{
    fs,
    path::{Path, PathBuf},
};

use drystone_mechanics::{deformable::ElasticField, dynamics::ContactForce};
use drystone_model::Model;
use glam::DVec3;

use crate::{
    OutputError,
    deformed::unstructured_grid,
    file::{WriteError, write_atomically},
    history::{Frame, Rest},
    palette::Groups,
    records::TableStart,
    solids::{Solid, solids},
    vtk,
};

/// The last where blocks deform.
const KINDS: [(&str, &str); 3] = [("blocks", "vtu"), ("contacts", "vtp"), ("deformed", "vtu")];

/// A time series for ParaView in the making.
pub struct VtkSeries<'a> {
    folder: PathBuf,
    rest: Rest<'a>,
    /// Step and time (s) of each frame written.
    frames: Vec<(u64, f64)>,
    /// Whether blocks deform.
    deforms: bool,
}

impl<'a> VtkSeries<'a> {
    /// Begins a series in a folder, or goes on with it.
    pub fn open(folder: &Path, model: &'a Model, start: TableStart) -> Result<Self, OutputError> {
        let frames_folder = folder.join("frames");
        fs::create_dir_all(&frames_folder).map_err(|e| WriteError::new(&frames_folder, e))?;
        let listed = listed(&folder.join("blocks.pvd"))?;
        let is_kept = |step: u64| matches!(start, TableStart::After(last) if step <= last);
        let (kept, dropped): (Vec<_>, Vec<_>) = listed.into_iter().partition(|(step, _)| is_kept(*step));
        let series = Self {
            folder: folder.to_path_buf(),
            rest: Rest::of(model),
            frames: kept,
            deforms: folder.join("deformed.pvd").exists(),
        };
        if !dropped.is_empty() {
            // The lists first: they must never name a file that is gone.
            series.write_lists()?;
            for (step, _) in dropped {
                for (kind, extension) in KINDS {
                    // A file that stays is in nobody's way.
                    let _ = fs::remove_file(folder.join(file_name(kind, step, extension)));
                }
            }
        }
        Ok(series)
    }

    /// Writes a frame of rigid blocks.
    pub fn push(&mut self, frame: &Frame<'_>) -> Result<(), OutputError> {
        self.push_with(frame, &ElasticField::default())
    }

    /// Writes a frame with the blocks that deform. Where one frame has some, all must.
    pub fn push_with(&mut self, frame: &Frame<'_>, field: &ElasticField) -> Result<(), OutputError> {
        if let Some((_, previous_s)) = self.frames.last().copied().filter(|last| last.0 >= frame.step) {
            return Err(OutputError::OutOfOrder {
                time_s: frame.time_s,
                previous_s,
            });
        }
        let maps = self.rest.maps(frame)?;
        let mut solids = solids(self.rest.model())?;
        for (solid, map) in solids.iter_mut().zip(&maps) {
            solid.polyhedron = solid.polyhedron.transformed(map);
        }
        let mut files = vec![self.blocks(frame, &solids), contacts(frame.contacts)];
        self.deforms = !field.is_empty();
        if self.deforms {
            files.push(unstructured_grid(self.rest.model(), field));
        }
        for ((kind, extension), bytes) in KINDS.into_iter().zip(files) {
            write_atomically(&self.folder.join(file_name(kind, frame.step, extension)), &bytes)?;
        }
        self.frames.push((frame.step, frame.time_s));
        self.write_lists()
    }

    fn blocks(&self, frame: &Frame<'_>, solids: &[Solid<'_>]) -> Vec<u8> {
        let states = frame.blocks;
        let displacement: Vec<DVec3> = states
            .iter()
            .zip(self.rest.centres())
            .map(|(s, c)| s.position - c)
            .collect();
        let magnitude: Vec<f64> = displacement.iter().map(|d| d.length()).collect();
        let flat = |v: &mut dyn Iterator<Item = DVec3>| v.flat_map(|v| v.to_array()).collect::<Vec<f64>>();
        let rotation = &mut states.iter().map(|s| {
            let turn = s.rotation.normalize();
            // Of the two quaternions of a rotation the one of at most half a turn.
            if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis()
        });
        let mut more = vtk::vectors("displacement", &flat(&mut displacement.into_iter()))
            + &vtk::array("displacement_magnitude", &magnitude)
            + &vtk::vectors("velocity", &flat(&mut states.iter().map(|s| s.velocity)))
            + &vtk::vectors(
                "angular_velocity",
                &flat(&mut states.iter().map(|s| s.angular_velocity)),
            )
            + &vtk::vectors("rotation", &flat(rotation));
        for (name, values) in frame.measures {
            more += &vtk::array(&crate::xml::escape(name), values);
        }
        vtk::grid(solids, &Groups::of(self.rest.model()), &more)
    }

    fn write_lists(&self) -> Result<(), OutputError> {
        let kinds = KINDS.len() - usize::from(!self.deforms);
        for &(kind, extension) in &KINDS[..kinds] {
            let named = |(step, time): &(u64, f64)| (*time, file_name(kind, *step, extension));
            let files: Vec<(f64, String)> = self.frames.iter().map(named).collect();
            let list = vtk::collection(files.iter().map(|(time, file)| (*time, file.as_str())));
            write_atomically(&self.folder.join(format!("{kind}.pvd")), list.as_bytes())?;
        }
        Ok(())
    }
}

fn file_name(kind: &str, step: u64, extension: &str) -> String {
    format!("frames/{kind}_{step:08}.{extension}")
}

fn contacts(contacts: &[ContactForce]) -> Vec<u8> {
    let flat =
        |part: fn(&ContactForce) -> DVec3| contacts.iter().flat_map(|c| part(c).to_array()).collect::<Vec<f64>>();
    let block = |k: usize| contacts.iter().map(|c| c.blocks[k] as i32).collect::<Vec<_>>();
    let places: Vec<DVec3> = contacts.iter().map(|c| c.point).collect();
    let data = vtk::vectors("force", &flat(|c| c.force))
        + &vtk::vectors("normal", &flat(|c| c.normal))
        + &vtk::array("gap", &contacts.iter().map(|c| c.gap).collect::<Vec<_>>())
        + &vtk::array(
            "friction_use",
            &contacts.iter().map(|c| c.friction_use).collect::<Vec<_>>(),
        )
        + &vtk::array(
            "status",
            &contacts.iter().map(|c| c.status.number()).collect::<Vec<_>>(),
        )
        + &vtk::array("block_a", &block(0))
        + &vtk::array("block_b", &block(1));
    vtk::cloud(&places, &data)
}

/// Steps and times of the frames that a list names; none where there is no list.
fn listed(path: &Path) -> Result<Vec<(u64, f64)>, OutputError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            let path = path.to_path_buf();
            return Err(OutputError::Read { path, source });
        }
    };
    let between = |line: &'_ str, from: &str, to: char| {
        let rest = line.split_once(from)?.1;
        Some(rest.split_once(to)?.0.to_string())
    };
    let frame = |line: &str| {
        let time = between(line, "timestep=\"", '"')?.parse().ok()?;
        let step = between(line, "file=\"frames/blocks_", '.')?.parse().ok()?;
        Some((step, time))
    };
    Ok(text.lines().filter_map(frame).collect())
}

//! The tables of a run are read back, whole, cut off and gone on with.

use std::{fs, path::Path};

use crate::structures::wall;
use drystone_mechanics::dynamics::{ContactForce, ContactStatus};
use drystone_model::Model;
use drystone_output::{
    OutputError,
    history::{BlockState, Frame, Rest},
    records::{BlockTable, ContactTable, Moment, Replay, StepTable, TableStart},
    table::{ColumnKind, Table, TableWriter},
};
use glam::{DQuat, DVec3};

/// A motion in which every number of every block and step differs from the others.
fn states(rest: &Rest<'_>, step: u64) -> Vec<BlockState> {
    let at = |k: usize| step as f64 + k as f64 / 128.0;
    let centres = rest.centres().iter().enumerate();
    centres
        .map(|(k, &centre)| BlockState {
            position: centre + DVec3::new(0.1, 0.2, 0.3) * at(k),
            rotation: DQuat::from_rotation_y(0.01 * at(k)),
            velocity: DVec3::new(1.0, 2.0, 3.0) * at(k),
            angular_velocity: DVec3::new(4.0, 5.0, 6.0) * at(k),
        })
        .collect()
}

fn push(table: &mut BlockTable, rest: &Rest<'_>, step: u64) {
    let blocks = states(rest, step);
    let frame = Frame {
        step,
        time_s: 0.25 * step as f64,
        blocks: &blocks,
        contacts: &[],
        measures: &[],
    };
    table.push(&frame).unwrap();
}

fn moments(path: &Path) -> Vec<Moment> {
    Replay::open(path).unwrap().map(Result::unwrap).collect()
}

fn assert_run(path: &Path, model: &Model, steps: std::ops::Range<u64>) {
    let rest = Rest::of(model);
    let read = moments(path);
    assert_eq!(read.len() as u64, steps.end - steps.start);
    for (moment, step) in read.iter().zip(steps) {
        assert_eq!((moment.step, moment.time_s), (step, 0.25 * step as f64));
        assert_eq!(moment.blocks, states(&rest, step), "step {step}: every bit comes back");
    }
}

#[test]
fn every_placement_comes_back_to_the_last_bit_across_row_groups() {
    let model = wall(40, 20);
    let rest = Rest::of(&model);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("blocks.parquet");
    let mut table = BlockTable::open(&path, &model, TableStart::Fresh).unwrap();
    // More rows than one row group holds, so that a frame lies across two.
    let steps = 140_000 / model.blocks.len() as u64;
    for step in 0..steps {
        push(&mut table, &rest, step);
    }
    table.finish().unwrap();
    assert_run(&path, &model, 0..steps);
    let read = Table::read(&path, Some(&["name", "block"])).unwrap();
    assert_eq!(read.rows() as u64, steps * model.blocks.len() as u64);
    let (names, blocks) = (read.texts("name").unwrap(), read.ints("block").unwrap());
    for (name, &block) in names.iter().zip(blocks) {
        assert_eq!(**name, model.blocks[block as usize].name);
    }
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 1, "neither parts nor temporary files stay");
}

#[test]
fn a_killed_run_is_readable_up_to_its_checkpoint_and_goes_on_from_an_earlier_step() {
    let model = wall(4, 3);
    let rest = Rest::of(&model);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("blocks.parquet");
    let mut table = BlockTable::open(&path, &model, TableStart::Fresh).unwrap();
    for step in 0..30 {
        push(&mut table, &rest, step);
        if step % 10 == 9 && step < 29 {
            table.checkpoint().unwrap();
        }
    }
    drop(table);
    assert!(!path.exists(), "an unfinished run leaves no file that looks finished");
    assert_run(&path, &model, 0..20);
    // From within the second part: its rows beyond step 14 are dropped.
    let mut table = BlockTable::open(&path, &model, TableStart::After(14)).unwrap();
    assert_run(&path, &model, 0..15);
    for step in 15..25 {
        push(&mut table, &rest, step);
    }
    table.finish().unwrap();
    assert_run(&path, &model, 0..25);
    // A finished run can be gone on with, too.
    let mut table = BlockTable::open(&path, &model, TableStart::After(4)).unwrap();
    push(&mut table, &rest, 5);
    table.finish().unwrap();
    assert_run(&path, &model, 0..6);
}

#[test]
fn a_new_run_leaves_the_finished_file_of_the_last_one_until_it_is_finished_itself() {
    let model = wall(4, 3);
    let rest = Rest::of(&model);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("blocks.parquet");
    let mut table = BlockTable::open(&path, &model, TableStart::Fresh).unwrap();
    push(&mut table, &rest, 0);
    table.finish().unwrap();
    let before = fs::read(&path).unwrap();
    let mut table = BlockTable::open(&path, &model, TableStart::Fresh).unwrap();
    push(&mut table, &rest, 1);
    drop(table);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(moments(&path).len(), 0, "the run that was begun has no rows yet");
}

#[test]
fn contacts_and_steps_come_back_under_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contacts.parquet");
    let contact = |k: u32, status| ContactForce {
        blocks: [k, k + 1],
        point: DVec3::new(1.0, 2.0, 3.0) * f64::from(k),
        normal: DVec3::Z,
        force: DVec3::new(-1.0, 0.5, 100.0 * f64::from(k)),
        gap: -1e-7,
        status,
        friction_use: 0.25,
    };
    let contacts = [
        contact(0, ContactStatus::Open),
        contact(1, ContactStatus::Stick),
        contact(2, ContactStatus::Slide),
    ];
    let mut table = ContactTable::open(&path, TableStart::Fresh).unwrap();
    table
        .push(&Frame {
            step: 7,
            time_s: 0.5,
            blocks: &[],
            contacts: &contacts,
            measures: &[],
        })
        .unwrap();
    table.finish().unwrap();
    let read = Table::read(&path, None).unwrap();
    let status: Vec<&str> = read.texts("status").unwrap().iter().map(AsRef::as_ref).collect();
    assert_eq!(status, ["open", "stick", "slide"]);
    assert_eq!(read.ints("block_b").unwrap(), [1, 2, 3]);
    assert_eq!(read.ints("step").unwrap(), [7, 7, 7]);
    assert_eq!(read.floats("fz").unwrap(), [0.0, 100.0, 200.0]);
    assert_eq!(read.floats("z").unwrap(), [0.0, 3.0, 6.0]);
    assert_eq!(read.floats("nz").unwrap(), [1.0; 3]);
    assert_eq!(read.floats("gap").unwrap(), [-1e-7; 3]);
    assert_eq!(read.floats("friction_use").unwrap(), [0.25; 3]);

    let path = folder.path().join("steps.parquet");
    let mut table = StepTable::open(&path, &["kinetic_energy_j", "residual"], TableStart::Fresh).unwrap();
    for step in 0..5 {
        let values = [0.5 * step as f64, f64::NAN];
        table.push(step, 1e-3 * step as f64, &values).unwrap();
    }
    assert!(
        table
            .push(5, 5e-3, &[1.0])
            .unwrap_err()
            .to_string()
            .contains("residual")
    );
    table.finish().unwrap();
    let read = Table::read(&path, None).unwrap();
    assert_eq!(read.floats("kinetic_energy_j").unwrap(), [0.0, 0.5, 1.0, 1.5, 2.0]);
    assert!(read.floats("residual").unwrap().iter().all(|v| v.is_nan()));
    assert_eq!(read.floats("time_s").unwrap()[4], 4e-3);
}

#[test]
fn what_cannot_be_written_or_read_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steps.parquet");
    assert!(matches!(Table::read(&path, None), Err(OutputError::Read { .. })));
    fs::write(&path, b"PAR1 is not enough").unwrap();
    let told = Table::read(&path, None).unwrap_err().to_string();
    assert!(told.contains("steps.parquet"), "{told}");
    let mut table = TableWriter::create(&path, &[("step", ColumnKind::Int), ("a", ColumnKind::Float)]).unwrap();
    table.push_row(0, &[1.0]).unwrap();
    table.finish().unwrap();
    let told = Table::read(&path, Some(&["b"])).unwrap_err().to_string();
    assert!(told.contains("no column `b`") && told.contains("step, a"), "{told}");
    let other = TableWriter::resume(&path, &[("step", ColumnKind::Int), ("b", ColumnKind::Float)], 9);
    assert!(other.err().unwrap().to_string().contains("another folder"));
    assert!(path.is_file(), "a mistaken resume changes nothing");
    // The folder of the parts vanishes: the disk's own words, with the file.
    let mut table = TableWriter::create(&path, &[("step", ColumnKind::Int), ("a", ColumnKind::Float)]).unwrap();
    fs::remove_dir_all(folder.path().join("steps.parquet.parts")).unwrap();
    table.push_row(0, &[1.0]).unwrap();
    let told = table.checkpoint().unwrap_err().to_string();
    assert!(told.contains("00000.parquet") && told.contains("os error"), "{told}");
}

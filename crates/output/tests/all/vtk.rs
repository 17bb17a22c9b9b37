//! What is written for VTK is read back by VTK.
//!
//! The environment variable `DRYSTONE_PYTHON` names a Python interpreter that has the packages of `requirements.txt`;
//! without it the tests that need VTK say that they are skipped.

use std::{path::Path, process::Command};

use crate::structures::{arch, nook, wall};
use drystone_model::Model;
use drystone_output::{file::write_atomically, vtk};
use serde_json::Value;

/// What VTK finds in the files, or `None` if there is no VTK to ask.
pub(crate) fn ask_vtk(files: &[&Path]) -> Option<Vec<Value>> {
    let Some(python) = std::env::var_os("DRYSTONE_PYTHON") else {
        eprintln!("skipped: DRYSTONE_PYTHON is not set to a Python interpreter with the packages of requirements.txt");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vtk_check.py");
    let output = Command::new(python).arg(script).args(files).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.is_empty(), "VTK complains: {errors}");
    let lines = String::from_utf8(output.stdout).unwrap();
    let found: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(found.len(), files.len());
    for one in &found {
        assert_eq!(one["complaints"], serde_json::json!([]));
    }
    Some(found)
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("{value} is no list"));
    list.iter().map(|v| v.as_f64().unwrap()).collect()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        assert!((f - e).abs() <= tolerance * e.abs().max(1.0), "{found:?} {expected:?}");
    }
}

fn vtk_bounds(model: &Model) -> [f64; 6] {
    let b = model.bounds(|_| true);
    [b.min.x, b.max.x, b.min.y, b.max.y, b.min.z, b.max.z]
}

#[test]
fn vtk_reads_the_polygons_of_every_block() {
    let folder = tempfile::tempdir().unwrap();
    for model in [arch(), wall(5, 4), nook()] {
        let path = folder.path().join("model.vtp");
        write_atomically(&path, &vtk::polydata(&model).unwrap()).unwrap();
        let Some(found) = ask_vtk(&[&path]) else { return };
        let solids: Vec<_> = model.blocks.iter().map(|b| b.polyhedron()).collect();
        assert_eq!(
            found[0]["points"],
            solids.iter().map(|s| s.vertices.len()).sum::<usize>()
        );
        assert_eq!(found[0]["cells"], solids.iter().map(|s| s.faces.len()).sum::<usize>());
        assert_near(&numbers(&found[0]["bounds"]), &vtk_bounds(&model), 1e-15);
        let volumes: Vec<f64> = solids.iter().map(|s| s.volume()).collect();
        assert_near(&numbers(&found[0]["volumes"]), &volumes, 1e-6);
        let owners: Vec<f64> = solids
            .iter()
            .enumerate()
            .flat_map(|(k, s)| vec![k as f64; s.faces.len()])
            .collect();
        assert_near(&numbers(&found[0]["cell_data"]["block"]), &owners, 0.0);
    }
}

#[test]
fn vtk_reads_loose_polygons_with_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let triangle = [(0., 0., 0.), (1., 0., 0.), (0., 2., 0.5)].map(glam::DVec3::from);
    let square = [(0., 0., 1.), (1., 0., 1.), (1., 1., 1.), (0., 1., 1.)].map(glam::DVec3::from);
    let path = folder.path().join("polygons.vtp");
    let bytes = vtk::polygons(&[&triangle, &square], &[("area", vec![1.5, 1.0])]);
    write_atomically(&path, &bytes).unwrap();
    let Some(found) = ask_vtk(&[&path]) else { return };
    assert_eq!(
        (found[0]["points"].as_u64(), found[0]["cells"].as_u64()),
        (Some(7), Some(2))
    );
    assert_near(&numbers(&found[0]["bounds"]), &[0.0, 1.0, 0.0, 2.0, 0.0, 1.0], 0.0);
    assert_near(&numbers(&found[0]["cell_data"]["area"]), &[1.5, 1.0], 0.0);
}

#[test]
fn vtk_reads_each_block_as_one_polyhedron() {
    let folder = tempfile::tempdir().unwrap();
    for model in [arch(), wall(5, 4), nook()] {
        let path = folder.path().join("model.vtu");
        write_atomically(&path, &vtk::unstructured_grid(&model).unwrap()).unwrap();
        let Some(found) = ask_vtk(&[&path]) else { return };
        let found = &found[0];
        let solids: Vec<_> = model.blocks.iter().map(|b| b.polyhedron()).collect();
        assert_eq!(found["cells"], model.blocks.len());
        assert_eq!(found["types"], serde_json::json!([42]));
        assert_near(&numbers(&found["bounds"]), &vtk_bounds(&model), 1e-15);
        let faces: Vec<f64> = solids.iter().map(|s| s.faces.len() as f64).collect();
        assert_near(&numbers(&found["faces"]), &faces, 0.0);
        let volumes: Vec<f64> = solids.iter().map(|s| s.volume()).collect();
        let data = &found["cell_data"];
        assert_near(&numbers(&data["volume"]), &volumes, 0.0);
        assert_near(
            &[found["surface_volume"].as_f64().unwrap()],
            &[volumes.iter().sum()],
            1e-6,
        );
        // VTK cuts a polyhedron into tetrahedra without regard to reflex edges, so its sizes hold for convex ones.
        for ((size, volume), solid) in numbers(&found["cell_volumes"]).iter().zip(&volumes).zip(&solids) {
            assert!(!solid.is_convex(1e-9) || (size / volume - 1.0).abs() < 1e-9);
        }
        let fixed: Vec<f64> = model.blocks.iter().map(|b| f64::from(u8::from(b.fixed))).collect();
        assert_near(&numbers(&data["fixed"]), &fixed, 0.0);
        let names: Vec<&str> = model.blocks.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(data["name"], serde_json::json!(names));
        let groups: Vec<&str> = found["groups"]
            .as_array()
            .unwrap()
            .iter()
            .map(|g| g.as_str().unwrap())
            .collect();
        for (id, block) in numbers(&data["group"]).iter().zip(&model.blocks) {
            assert_eq!(
                groups.get(*id as usize).copied().filter(|_| *id >= 0.0),
                block.group.as_deref()
            );
        }
        let masses: Vec<f64> = model.blocks.iter().map(|b| model.mass_of(b).0).collect();
        assert_near(&numbers(&data["mass"]), &masses, 1e-12);
    }
}

#[test]
fn a_collection_names_its_frames_in_order() {
    let text = vtk::collection([(0.0, "a & b.vtp"), (0.1, "frame 1.vtp"), (1.0 / 3.0, "c.vtp")]);
    let document = roxmltree::Document::parse(&text).unwrap();
    let frames: Vec<(f64, &str)> = document
        .descendants()
        .filter(|n| n.has_tag_name("DataSet"))
        .map(|n| {
            let time = n.attribute("timestep").unwrap().parse().unwrap();
            (time, n.attribute("file").unwrap())
        })
        .collect();
    assert_eq!(frames, [(0.0, "a & b.vtp"), (0.1, "frame 1.vtp"), (1.0 / 3.0, "c.vtp")]);
}

#[test]
fn files_are_sound_xml_and_an_empty_model_is_an_error() {
    for bytes in [
        vtk::polydata(&nook()).unwrap(),
        vtk::unstructured_grid(&nook()).unwrap(),
    ] {
        roxmltree::Document::parse(std::str::from_utf8(&bytes).unwrap()).unwrap();
    }
    assert!(vtk::polydata(&Model::default()).is_err());
    assert!(vtk::unstructured_grid(&Model::default()).is_err());
}

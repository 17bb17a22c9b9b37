//! Time series and films are read back.

use std::{fs, path::Path};

use crate::structures::{cuboid, ground, wall};
use drystone_mechanics::dynamics::{ContactForce, ContactStatus};
use drystone_output::{
    film::Film,
    history::{Frame, Rest},
    records::TableStart,
    series::VtkSeries,
};
use glam::{DQuat, DVec3};

/// Numbers of an array of doubles in a VTK file.
fn floats(path: &Path, name: &str) -> Vec<f64> {
    let text = fs::read_to_string(path).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let array = document
        .descendants()
        .find(|n| n.attribute("Name") == Some(name))
        .unwrap();
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let coded = array.text().unwrap().trim_end_matches('=');
    let (mut bytes, mut word, mut bits) = (Vec::new(), 0u32, 0);
    for c in coded.chars() {
        word = (word << 6) | digits.find(c).unwrap() as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
            word &= (1 << bits) - 1;
        }
    }
    bytes[8..]
        .chunks(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

fn listed(path: &Path) -> Vec<(f64, String)> {
    let text = fs::read_to_string(path).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let sets = document.descendants().filter(|n| n.has_tag_name("DataSet"));
    sets.map(|n| {
        let time = n.attribute("timestep").unwrap().parse().unwrap();
        (time, n.attribute("file").unwrap().to_string())
    })
    .collect()
}

#[test]
fn a_series_lists_files_that_exist_and_goes_on_after_a_step() {
    let model = wall(3, 2);
    let rest = Rest::of(&model);
    let folder = tempfile::tempdir().unwrap();
    let contact = ContactForce {
        blocks: [0, 1],
        point: DVec3::new(1.0, 2.0, 3.0),
        normal: DVec3::Z,
        force: DVec3::new(0.0, -4.0, 50.0),
        gap: 1e-4,
        status: ContactStatus::Slide,
        friction_use: 1.0,
    };
    let damage: Vec<f64> = (0..model.blocks.len()).map(|k| 0.1 * k as f64).collect();
    let push = |series: &mut VtkSeries<'_>, step: u64| {
        let mut states = rest.frame();
        states[1].position += DVec3::new(3.0, 0.0, 4.0) * step as f64;
        states[1].rotation = DQuat::from_rotation_x(0.5);
        states[1].velocity = DVec3::X;
        let frame = Frame {
            step,
            time_s: 0.1 * step as f64,
            blocks: &states,
            contacts: &[contact],
            measures: &[("damage", &damage)],
        };
        series.push(&frame)
    };
    let mut series = VtkSeries::open(folder.path(), &model, TableStart::Fresh).unwrap();
    for step in [0, 10, 20, 30] {
        push(&mut series, step).unwrap();
        for list in ["blocks.pvd", "contacts.pvd"] {
            for (_, file) in listed(&folder.path().join(list)) {
                assert!(folder.path().join(file).is_file());
            }
        }
    }
    assert!(push(&mut series, 30).is_err(), "a step comes once");
    let file = folder.path().join("frames/blocks_00000020.vtu");
    assert_eq!(floats(&file, "displacement")[..6], [0.0, 0.0, 0.0, 60.0, 0.0, 80.0]);
    assert_eq!(floats(&file, "displacement_magnitude")[1], 100.0);
    assert_eq!(floats(&file, "velocity")[3..6], [1.0, 0.0, 0.0]);
    assert!((floats(&file, "rotation")[3] - 0.5).abs() < 1e-12);
    assert_eq!(floats(&file, "damage"), damage);
    let moved = &floats(&file, "Points")[24..48];
    let middle: f64 = moved.iter().step_by(3).sum::<f64>() / 8.0;
    assert!((middle - rest.centres()[1].x - 60.0).abs() < 1e-9);
    let file = folder.path().join("frames/contacts_00000020.vtp");
    assert_eq!(floats(&file, "Points"), [1.0, 2.0, 3.0]);
    assert_eq!(floats(&file, "force"), [0.0, -4.0, 50.0]);
    assert_eq!(floats(&file, "gap"), [1e-4]);

    let mut series = VtkSeries::open(folder.path(), &model, TableStart::After(10)).unwrap();
    push(&mut series, 15).unwrap();
    let files: Vec<String> = listed(&folder.path().join("blocks.pvd"))
        .into_iter()
        .map(|f| f.1)
        .collect();
    assert_eq!(
        files,
        [
            "frames/blocks_00000000.vtu",
            "frames/blocks_00000010.vtu",
            "frames/blocks_00000015.vtu"
        ]
    );
    assert!(!folder.path().join("frames/blocks_00000030.vtu").exists());
    assert_eq!(listed(&folder.path().join("contacts.pvd"))[2].0, 1.5);
}

#[test]
fn a_film_shows_every_frame_from_one_place_at_the_pace_asked_for() {
    let mut model = drystone_model::Model::named("drop");
    model.blocks.push(ground(5.0));
    model.blocks.push(cuboid("cube", [-0.2, -0.2, 0.0], [0.2, 0.2, 0.4]));
    model.blocks.push(cuboid("post", [0.5, -0.2, 0.0], [0.7, 0.2, 1.0]));
    let rest = Rest::of(&model);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    let film = Film::new(&model).with(|p| p.size(200, 140)).frames_per_second(30.0);
    let mut writer = film.clone().create(&path).unwrap();
    let mut states = rest.frame();
    let mut stills = Vec::new();
    for step in 0..6 {
        let blocks = states.clone();
        let frame = Frame {
            step,
            time_s: 0.1 * step as f64,
            blocks: &blocks,
            contacts: &[],
            measures: &[],
        };
        writer.push(&frame).unwrap();
        stills.push(film.png(&frame).unwrap());
        states[1].position.z += 0.1;
    }
    assert!(!path.exists());
    writer.finish().unwrap();
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(fs::File::open(&path).unwrap()).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (200, 140));
    let mut delays = Vec::new();
    let mut shown = vec![0u8; 200 * 140 * 4];
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
        let (left, top, width) = (frame.left as usize, frame.top as usize, frame.width as usize);
        for (row, line) in frame.buffer.chunks(4 * width).enumerate() {
            let first = 4 * ((top + row) * 200 + left);
            shown[first..first + line.len()].copy_from_slice(line);
        }
        // What is shown is the still picture, up to the choice of 256 colours.
        let bytes = &stills[delays.len() - 1];
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut still = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut still).unwrap();
        let far = still.iter().zip(&shown).filter(|(a, b)| a.abs_diff(**b) > 24).count();
        assert!(far < 200 * 140 * 4 / 50, "{far} of the channels differ");
    }
    assert_eq!(delays.len(), 6);
    assert_eq!(
        delays.iter().map(|d| u32::from(*d)).sum::<u32>(),
        20,
        "six frames at 30 a second"
    );
    // The post stands still while the cube rises: same camera.
    let pixel = |png: &[u8]| {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut all = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut all).unwrap();
        all
    };
    let (first, last) = (pixel(&stills[0]), pixel(&stills[5]));
    let same = first.iter().zip(&last).filter(|(a, b)| a == b).count();
    assert!(same as f64 > 0.75 * first.len() as f64 && first != last);
    let empty = film.create(&path).unwrap();
    assert!(empty.finish().is_err());
    assert!(path.is_file(), "the finished film is still there");
}

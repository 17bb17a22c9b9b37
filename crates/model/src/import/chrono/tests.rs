use super::*;
use crate::TieKind;

/// The eight corners of a box in the simulator's axes, as fields.
fn corners(min: [f64; 3], max: [f64; 3]) -> String {
    let mut out = Vec::new();
    for x in [min[0], max[0]] {
        for y in [min[1], max[1]] {
            for z in [min[2], max[2]] {
                out.push(format!("{x}\t,\t{y}\t,\t{z}"));
            }
        }
    }
    out.join(" , ")
}

fn brick(id: usize, fixed: u8, yielding: u8, force: &str, corners: &str) -> String {
    format!("{id}\t,\t{fixed},1,{yielding},1800,{force},0,0,0,{corners},,\t\t\r\n")
}

#[test]
fn y_up_becomes_z_up_and_forces_turn_with_it() {
    let text = brick(7, 0, 1, "1,2,3", &corners([0., 0., 0.], [1., 2., 3.]));
    let bricks = read_bricks(text.as_bytes(), "b.txt").unwrap();
    let imported = assemble(
        Files {
            bricks,
            ..Files::default()
        },
        "b.txt",
    )
    .unwrap();
    let bounds = imported.model.blocks[0].polyhedron().bounds();
    assert_eq!(
        (bounds.min, bounds.max),
        (DVec3::new(0., -3., 0.), DVec3::new(1., 0., 2.))
    );
    assert_eq!(
        imported.model.load_cases["imported"].forces[0].force,
        DVec3::new(1., -3., 2.)
    );
    assert_eq!(imported.model.joints.friction, 0.5);
}

#[test]
fn parts_that_share_a_face_become_one_surface_and_others_stay_shells() {
    let low = corners([0., 0., 0.], [1., 1., 1.]);
    let high = corners([0., 1., 0.], [1., 2., 1.]);
    let beside = corners([0.5, 1., 0.], [2., 2., 1.]);
    for (second, vertices, faces, volume) in [(high, 8, 6, 2.0), (beside, 16, 12, 2.5)] {
        let text = brick(1, 0, 1, "0,0,0", &format!("{low},9999,{second}"));
        let bricks = read_bricks(text.as_bytes(), "b.txt").unwrap();
        let (shape, common) = union::shape(&bricks[0].parts).unwrap();
        assert_eq!(common, 0.0);
        assert_eq!((shape.vertices.len(), shape.faces.len()), (vertices, faces));
        assert_eq!(shape.parts.len(), 2);
        let block = Block::new("1", Shape::Mesh(shape));
        assert!((block.polyhedron().volume() - volume).abs() < 1e-12);
        let parts = block.convex_parts(1e-9).unwrap();
        assert!((parts.iter().map(|p| p.volume()).sum::<f64>() - volume).abs() < 1e-12);
    }
}

#[test]
fn links_and_motion_join_the_blocks_and_unknown_ends_are_told() {
    let cube = corners([0., 0., 0.], [1., 1., 1.]);
    let text = brick(1, 1, 0, "0,0,0", &cube) + &brick(2, 1, 3, "0,0,0", &cube) + &brick(3, 0, 0, "0,0,0", &cube);
    let bricks = read_bricks(text.as_bytes(), "b.txt").unwrap();
    let springs = read_springs(b"9, 1, 0,1,2, 3, 0,0,0, 5e3, 0.5,\n", "s.txt").unwrap();
    assert_eq!(springs[0].tie.from.at, DVec3::new(0., -2., 1.));
    let rods = read_rods(b"8, 1, 0,1,2, 4, 0,0,0\n", "r.txt").unwrap();
    let motion = read_motion(b"0, 0\n0.1, 0.2\n", "m.txt").unwrap();
    let mut files = Files {
        bricks,
        links: springs,
        motion: Some(motion),
    };
    let model = assemble(files.clone(), "b.txt").unwrap();
    assert!(matches!(
        model.model.ties[0].kind,
        TieKind::TensionSpring { stiffness: 5e3, .. }
    ));
    assert_eq!(model.model.support_motions[0].blocks, ["1"]);
    assert!(
        model
            .warnings
            .iter()
            .any(|w| w.contains("yielding 3") && w.contains("`2`"))
    );
    files.links.extend(rods);
    let message = assemble(files, "b.txt").unwrap_err().to_string();
    assert!(message.contains("r.txt:1: tie 8 is anchored to block 4"), "{message}");
}

#[test]
fn wrong_lines_are_named_and_spheres_are_refused() {
    let cube = corners([0., 0., 0.], [1., 1., 1.]);
    let good = brick(1, 0, 1, "0,0,0", &cube);
    let text = [
        good.clone(),
        good.clone(),
        good.replace("1800", "-1"),
        good.replace("1800", "x"),
        good.replace(",1,1,1800", ",1,9,1800"),
        brick(5, 0, 1, "0,0,0", "0,0,0, 1,0,0, 0,1,0, 1,1"),
    ]
    .concat();
    let message = read_bricks(text.as_bytes(), "b.txt").unwrap_err().to_string();
    for expected in [
        "b.txt:2: block 1 stands in line 1",
        "b.txt:3:",
        "b.txt:4: density: `x`",
        "b.txt:5:",
        "b.txt:6: the line ends before vertex",
    ] {
        assert!(message.contains(expected), "{expected} is not in\n{message}");
    }
    let flat = brick(1, 0, 1, "0,0,0", "0,0,0, 1,0,0, 0,1,0, 1,1,0");
    let bricks = read_bricks(flat.as_bytes(), "b.txt").unwrap();
    let files = Files {
        bricks,
        ..Files::default()
    };
    assert!(assemble(files, "b.txt").unwrap_err().to_string().contains("one plane"));
    assert!(
        kind(b"1,0,1,2000,0,0,0,0.5\n", "s.txt")
            .unwrap_err()
            .to_string()
            .contains("spheres")
    );
    assert!(read_motion(b"0,0\n0,1\n", "m.txt").is_err());
    assert!(read_motion(b"", "m.txt").is_err());
    assert_eq!(kind(b"# c\n0,0\n", "m.txt").unwrap(), ChronoFile::Motion);
}

fn imported(text: &str) -> Imported {
    let bricks = read_bricks(text.as_bytes(), "b.txt").unwrap();
    let files = Files {
        bricks,
        ..Files::default()
    };
    assemble(files, "b.txt").unwrap()
}

#[test]
fn what_stands_after_the_last_vertex_is_not_read_and_told() {
    let cube = corners([0., 0., 0.], [1., 1., 1.]);
    let line = brick(1, 0, 1, "0,0,0", &cube);
    let line = line.trim_end_matches([',', '\t', '\r', '\n']);
    for after in [", a note", ", 7", ", 7, 8", " // a note, with a comma", ", 7 m, a note"] {
        let imported = imported(&format!("{line}{after}\n"));
        assert!((imported.model.blocks[0].polyhedron().volume() - 1.0).abs() < 1e-12);
        assert_eq!(imported.model.blocks[0].polyhedron().vertices.len(), 8);
        let told = imported.warnings.join("\n");
        assert!(
            told.starts_with("b.txt:1: block 1: `") && told.ends_with("is not read"),
            "{told}"
        );
    }
    assert_eq!(imported(&format!("{line}\n")).warnings, Vec::<String>::new());
}

#[test]
fn a_line_that_is_cut_off_or_a_vertex_that_is_wrong_is_no_note() {
    let cube = corners([0., 0., 0.], [1., 1., 1.]);
    let line = brick(1, 0, 1, "0,0,0", &cube);
    let line = line.trim_end_matches([',', '\t', '\r', '\n']);
    let refused = |text: String| read_bricks(text.as_bytes(), "b.txt").unwrap_err().to_string();
    // The end of the file: the vertex that begins there may have been a whole one.
    assert!(refused(format!("{line}, 2, 2")).contains("ends before vertex"));
    assert!(refused(format!("{line}, 2, x, 2\n")).contains("`x` is not a number"));
    let last = line.rfind('1').unwrap();
    let wrong = format!("{}1o{}\n", &line[..last], &line[last + 1..]);
    assert!(refused(wrong).contains("b.txt:1"));
}

/// Broke: where the hulls of a brick's parts overlap by the rounding of their corners, the brick was a surface that cuts
/// itself.
#[test]
fn parts_that_overlap_by_their_rounding_are_parts_of_one_block() {
    let low = corners([0., 0., 0.], [1., 1., 1.]);
    let high = |overlap: f64| corners([0.2, 1. - overlap, 0.2], [0.8, 2., 0.8]);
    let block = |overlap| imported(&brick(1, 1, 1, "0,0,0", &format!("{low},9999,{}", high(overlap))));
    let slight = block(4e-5);
    assert_eq!(crate::check::problems(&slight.model), []);
    assert!(
        slight.warnings.iter().any(|w| w.contains("counts twice")),
        "{:?}",
        slight.warnings
    );
    let (mass, properties) = slight.model.mass_of(&slight.model.blocks[0]);
    let upper = 0.36 * (1.0 + 4e-5);
    assert!((mass - 1800.0 * (1.0 + upper)).abs() < 1e-9 * mass);
    let height = (0.5 + upper * 0.5 * (3.0 - 4e-5)) / (1.0 + upper);
    assert!((properties.centroid.z - height).abs() < 1e-12);
    // Two parts deep in each other are a mistake.
    let deep = crate::check::problems(&block(0.1).model);
    assert!(
        deep.iter().any(|p| p.is_error() && p.message.contains("counts twice")),
        "{deep:?}"
    );
}

#[test]
fn a_flat_brick_is_left_out_with_its_ties_where_that_is_wanted() {
    let cube = corners([0., 0., 0.], [1., 1., 1.]);
    let flat = "0,0,0, 1,0,0, 0,1,0, 1,1,0";
    let text = brick(1, 1, 0, "0,0,0", &cube) + &brick(2, 0, 0, "0,0,0", flat);
    let files = || Files {
        bricks: read_bricks(text.as_bytes(), "b.txt").unwrap(),
        links: read_rods(b"8, 1, 0,1,2, 2, 0,0,0\n", "r.txt").unwrap(),
        motion: None,
    };
    assert!(assemble(files(), "b.txt").is_err());
    let skip = Treatment {
        skip_bad: true,
        repair: false,
    };
    let imported = assemble_with(files(), "b.txt", skip).unwrap();
    assert_eq!((imported.model.blocks.len(), imported.model.ties.len()), (1, 0));
    assert_eq!(imported.treated[0].block, "2");
    assert!(imported.treated[0].reason.contains("one plane"));
}

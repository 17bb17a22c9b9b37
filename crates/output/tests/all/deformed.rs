//! Elements, tables and pictures of blocks that deform.

use std::path::Path;

use drystone_analysis::settle;
use drystone_contact::Placement;
use drystone_mechanics::{
    Structure,
    deformable::ElasticField,
    dynamics::Deformed,
    slow::{PathSettings, PathWay},
};
use drystone_model::{Block, Elasticity, Model, Shape, Stage, Stages};
use drystone_output::{
    deformed::{StressMap, StressTables, unstructured_grid},
    table::Table,
};
use glam::{DMat3, DQuat, DVec3, dvec3};

/// A beam of hexahedra and one of tetrahedra on a rigid ground, side by side.
fn model() -> Model {
    let mut model = Model::named("beams");
    let ground = Shape::cuboid(dvec3(-1.0, -1.0, -0.5), dvec3(3.0, 2.0, 0.0));
    model.blocks.push(Block::new("ground", ground).fixed());
    for (k, name) in ["hexahedra", "tetrahedra, \"quoted\""].into_iter().enumerate() {
        let low = dvec3(0.0, 0.7 * k as f64, 0.0);
        model
            .blocks
            .push(Block::new(name, Shape::cuboid(low, low + dvec3(2.0, 0.4, 0.5))));
    }
    model.elasticity = Some(Elasticity {
        young_pa: 30e9,
        poisson: 0.25,
        rayleigh_mass_per_s: None,
        rayleigh_stiffness_s: None,
    });
    let groups = ["hexahedra:H8x4x2x2", "tetrahedra, \"quoted\":T10"];
    model.deformable = groups.map(|g| g.parse().unwrap()).into();
    model
}

/// Both beams stretched by a constant gradient; the second has moved and turned.
fn field(structure: &Structure) -> (Vec<Placement>, ElasticField) {
    let gradient = DMat3::from_cols(dvec3(1e-5, 0.0, 2e-6), dvec3(0.0, -2e-6, 0.0), dvec3(3e-6, 0.0, -4e-6));
    let deformed = |place: usize| {
        let nodes = &structure.elastic.shape(place).elastic.mesh().nodes;
        Deformed {
            displacement: nodes.iter().map(|&x| gradient * x).collect(),
            velocity: vec![DVec3::ZERO; nodes.len()],
        }
    };
    let mut placements: Vec<Placement> = (0..3).map(|b| structure.initial(b)).collect();
    placements[2] = Placement {
        center: structure.center[2] + dvec3(0.0, 1e-3, 0.0),
        rotation: DQuat::from_rotation_z(1e-3),
    };
    let field = ElasticField::of(structure, &placements, &[deformed(0), deformed(1)]);
    (placements, field)
}

/// Numbers of an array of a VTK file, decoded as the format says: base 64 of a length in eight bytes and the numbers.
fn array<const N: usize, T>(text: &str, name: &str, of: impl Fn([u8; N]) -> T) -> Vec<T> {
    let document = roxmltree::Document::parse(text).unwrap();
    let node = document
        .descendants()
        .find(|n| n.attribute("Name") == Some(name))
        .unwrap();
    let digits = node.text().unwrap().bytes().filter(|b| *b != b'=').map(|b| match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' => 62,
        _ => 63,
    });
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for digit in digits {
        (bits, count) = ((bits << 6 | u32::from(digit)) & 0xff_ffff, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    assert_eq!(bytes.len(), 8 + length, "{name}");
    let (numbers, rest) = bytes[8..].as_chunks::<N>();
    assert!(rest.is_empty());
    numbers.iter().map(|n| of(*n)).collect()
}

/// Volumes and kinds of the cells of a file, from its points and their order in the cells alone.
fn volumes(text: &str) -> Vec<(u8, f64)> {
    let points: Vec<DVec3> = (array(text, "Points", f64::from_le_bytes).chunks(3))
        .map(DVec3::from_slice)
        .collect();
    let (nodes, ends) = (
        array(text, "connectivity", i64::from_le_bytes),
        array(text, "offsets", i64::from_le_bytes),
    );
    let kinds = array(text, "types", |[kind]| kind);
    assert_eq!((kinds.len(), ends.last()), (ends.len(), Some(&(nodes.len() as i64))));
    let mut start = 0;
    let volume = |(&kind, &end): (&u8, &i64)| {
        let cell: Vec<DVec3> = nodes[start..end as usize].iter().map(|&n| points[n as usize]).collect();
        start = end as usize;
        let tetrahedron = |k: [usize; 4]| {
            let [a, b, c, d] = k.map(|k| cell[k]);
            (b - a).cross(c - a).dot(d - a) / 6.0
        };
        match (kind, cell.len()) {
            (12, 8) => {
                let parts = [
                    [0, 1, 2, 6],
                    [0, 2, 3, 6],
                    [0, 3, 7, 6],
                    [0, 7, 4, 6],
                    [0, 4, 5, 6],
                    [0, 5, 1, 6],
                ];
                let parts = parts.map(tetrahedron);
                assert!(parts.iter().all(|v| *v > 0.0), "{parts:?}");
                (kind, parts.iter().sum())
            }
            (24, 10) => {
                for (k, [a, b]) in [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]].into_iter().enumerate() {
                    assert!(cell[4 + k].distance(cell[a].midpoint(cell[b])) < 1e-12);
                }
                assert!(tetrahedron([0, 1, 2, 3]) > 0.0);
                (kind, tetrahedron([0, 1, 2, 3]))
            }
            other => panic!("{other:?}"),
        }
    };
    kinds.iter().zip(&ends).map(volume).collect()
}

#[test]
fn elements_are_cells_that_fill_the_deformed_blocks_with_displacements_and_stresses() {
    let model = model();
    let structure = Structure::new(&model).unwrap();
    let (_, field) = field(&structure);
    let bytes = unstructured_grid(&model, &field);
    let text = std::str::from_utf8(&bytes).unwrap();
    let cells = volumes(text);
    // The volume changes by the determinant of the gradient of deformation.
    let exact = 0.4 * (1.0 + 1e-5) * (1.0 - 2e-6) * (1.0 - 4e-6);
    for kind in [12, 24] {
        let volume: f64 = cells.iter().filter(|c| c.0 == kind).map(|c| c.1).sum();
        assert!((volume / exact - 1.0).abs() < 1e-10, "{kind}: {volume} {exact}");
    }
    assert_eq!(cells.iter().filter(|c| c.0 == 12).count(), 16);

    let points = field.blocks.iter().map(|b| b.nodes.len()).sum::<usize>();
    let moved = array(text, "displacement", f64::from_le_bytes);
    let places = array(text, "Points", f64::from_le_bytes);
    assert_eq!((moved.len(), places.len()), (3 * points, 3 * points));
    // Displacements lead back to where the blocks were drawn.
    let start: Vec<f64> = places.iter().zip(&moved).map(|(p, u)| p - u).collect();
    let low = start.chunks(3).map(DVec3::from_slice).fold(DVec3::INFINITY, DVec3::min);
    let high = start
        .chunks(3)
        .map(DVec3::from_slice)
        .fold(DVec3::NEG_INFINITY, DVec3::max);
    assert!(low.distance(DVec3::ZERO) < 1e-12 && high.distance(dvec3(2.0, 1.1, 0.5)) < 1e-12);

    // Stress is constant in each block, at points and in cells.
    let stress = array(text, "stress", f64::from_le_bytes);
    assert_eq!(stress.len(), 6 * points);
    for s in stress[..6 * field.blocks[0].nodes.len()].chunks(6) {
        assert!(
            s.iter()
                .zip(&field.blocks[0].stress[0])
                .all(|(a, b)| (a - b).abs() < 1e-3)
        );
    }
    let blocks = array(text, "block", i32::from_le_bytes);
    assert_eq!((blocks.len(), blocks[0], blocks.last()), (cells.len(), 1, Some(&2)));
    let energy: f64 = (array(text, "energy_density", f64::from_le_bytes).iter().zip(&cells))
        .map(|(w, (_, volume))| w * volume)
        .sum();
    assert!((energy / field.extremes().unwrap().strain_energy - 1.0).abs() < 1e-4);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deformed.vtu");
    std::fs::write(&path, &bytes).unwrap();
    let Some(found) = crate::vtk::ask_vtk(&[&path]) else {
        return;
    };
    assert_eq!(found[0]["types"], serde_json::json!([12, 24]));
    assert_eq!(found[0]["points"], points);
    let sizes: f64 = (found[0]["cell_volumes"].as_array().unwrap().iter())
        .map(|v| v.as_f64().unwrap())
        .sum();
    assert!((sizes / (2.0 * exact) - 1.0).abs() < 1e-9);
}

#[test]
fn tables_have_a_row_for_each_integration_point_and_each_node() {
    let model = model();
    let structure = Structure::new(&model).unwrap();
    let (_, field) = field(&structure);
    let folder = tempfile::tempdir().unwrap();
    let mut tables = StressTables::new("stage");
    tables.push(1, &model, &field);
    tables.push(2, &model, &field);
    let files = tables.write(folder.path()).unwrap();
    assert_eq!(
        files,
        ["stresses.parquet", "stresses.csv", "nodes.parquet", "nodes.csv"]
    );
    let points: usize = field.blocks.iter().map(|b| b.gauss.len()).sum();
    let nodes: usize = field.blocks.iter().map(|b| b.nodes.len()).sum();
    for (name, rows, columns) in [("stresses", points, 17), ("nodes", nodes, 23)] {
        let table = Table::read(&folder.path().join(format!("{name}.parquet")), None).unwrap();
        assert_eq!((table.rows(), table.columns().count()), (2 * rows, columns));
        assert_eq!(table.ints("stage").unwrap()[rows], 2);
        assert_eq!(&*table.texts("name").unwrap()[0], "hexahedra");
        let (s1, s3) = (table.floats("s1_pa").unwrap(), table.floats("s3_pa").unwrap());
        assert!(s1.iter().zip(s3).all(|(a, b)| a >= b));
        let csv = std::fs::read_to_string(folder.path().join(format!("{name}.csv"))).unwrap();
        assert_eq!(csv.lines().count(), 1 + 2 * rows);
        // Commas between quotation marks are part of a name.
        let commas = |line: &str| {
            line.split('"')
                .step_by(2)
                .map(|part| part.matches(',').count())
                .sum::<usize>()
        };
        assert!(csv.lines().all(|line| commas(line) + 1 == columns));
    }
    let table = Table::read(&folder.path().join("nodes.parquet"), None).unwrap();
    let [u, x] = ["displacement_x_m", "x_m"].map(|name| table.floats(name).unwrap()[0]);
    assert!((u - field.blocks[0].moved(0).x).abs() < 1e-20 && (x - field.blocks[0].place(0).x).abs() < 1e-15);
}

/// A model with all blocks deformable.
fn deformable(mut model: Model, mesh: &str) -> Model {
    model.density = 2200.0;
    model.elasticity = Some(Elasticity {
        young_pa: 5e9,
        poisson: 0.2,
        rayleigh_mass_per_s: None,
        rayleigh_stiffness_s: None,
    });
    model.deformable = vec![format!("all:{mesh}").parse().unwrap()];
    model
}

#[test]
fn slow_loading_leaves_elements_tables_and_pictures_of_each_stage() {
    let model = deformable(crate::structures::wall(4, 4), "H8x4x1x2");
    let structure = Structure::new(&model).unwrap();
    let settings = PathSettings {
        stiffness: None,
        way: PathWay::NumericalFilter(0.02),
    };
    let stages = Stages {
        stages: vec![Stage {
            name: "weight".to_string(),
            steps: Some(1),
            ..Stage::default()
        }],
    };
    let answer = settle(&model, &structure, &stages, settings, None, |_| ()).unwrap();
    let found = answer.deformation.as_ref().unwrap();
    assert_eq!(found.deformable_blocks, structure.free().count());
    // The lowest course carries the weight of all.
    let weight = 2200.0 * 9.81 * 1.0;
    assert!(
        found.max_compression_pa > weight && found.max_compression_pa < 10.0 * weight,
        "{found:?}"
    );
    let json = serde_json::to_value(&answer).unwrap();
    assert_eq!(json["max_von_mises_pa"], json["stages"][0]["max_von_mises_pa"]);

    let folder = tempfile::tempdir().unwrap();
    let files = drystone_output::slow::write_files(folder.path(), &model, &structure, &answer).unwrap();
    let new = [
        "deformed-1.vtu",
        "stress-1.svg",
        "stress-1.png",
        "stresses.csv",
        "nodes.parquet",
    ];
    for name in new {
        assert!(
            files.iter().any(|f| f == name) && folder.path().join(name).is_file(),
            "{name}"
        );
    }
    let nodes = Table::read(&folder.path().join("nodes.parquet"), None).unwrap();
    let most = nodes
        .floats("von_mises_pa")
        .unwrap()
        .iter()
        .copied()
        .fold(0.0, f64::max);
    assert_eq!(most, found.max_von_mises_pa);
    if let Some(pictures) = std::env::var_os("DRYSTONE_PICTURES") {
        std::fs::copy(
            folder.path().join("stress-1.png"),
            Path::new(&pictures).join("wall.png"),
        )
        .unwrap();
    }
}

#[test]
fn the_picture_tells_its_magnification_and_its_largest_stress() {
    let model = model();
    let structure = Structure::new(&model).unwrap();
    let (placements, field) = field(&structure);
    let initial: Vec<Placement> = (0..3).map(|b| structure.initial(b)).collect();
    let drawing = StressMap::new(&model, &field, &initial, &placements, &[]).title("beams");
    let svg = drawing.svg().unwrap();
    // The structure is 2.3 m large, and its farthest corner has moved by some 2 mm.
    assert_eq!(drawing.magnification(), 20.0);
    for text in [
        "von Mises stress (kPa)",
        "displacements × 20",
        "tension up to",
        "largest",
        "beams",
    ] {
        assert!(svg.contains(text), "{text}");
    }
    let png = drawing.png().unwrap();
    if let Some(folder) = std::env::var_os("DRYSTONE_PICTURES") {
        std::fs::write(Path::new(&folder).join("deformed-beams.png"), &png).unwrap();
    }
    assert!(png.len() > 10_000);
    // Without one of them it is not drawn.
    let one = field.without(&[false, false, true]);
    let fewer = StressMap::new(&model, &one, &initial, &placements, &[false, false, true]);
    assert!(fewer.svg().unwrap().len() < svg.len() && fewer.magnification() > 1000.0);
}

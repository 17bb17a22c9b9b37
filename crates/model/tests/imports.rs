//! Files of other programs import with the block counts that their makers state, and come back from our exports as
//! they were.

use std::path::{Path, PathBuf};

use drystone_model::{
    Block, ContactForce, Frame, Model, Pose, Rotation, Shape, StoredInterface, TieKind, export,
    geometry::defects,
    import::{self, Imported, import_files},
    recipes,
};
use glam::DVec3;

/// A file or folder of the shared data, or `None`, said aloud, where it is absent.
fn shared(path: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("shared").join(path))
        .find(|p| p.exists());
    if found.is_none() {
        eprintln!("skipped: shared/{path} is not beside this project");
    }
    found
}

fn import_one(path: &Path) -> Imported {
    import_files(&[path.to_owned()]).unwrap_or_else(|e| panic!("{e}"))
}

/// Every block is a sound solid within the model's own tolerance.
fn assert_sound(model: &Model) {
    for block in &model.blocks {
        let solid = block.polyhedron();
        let found = defects(&solid, model.tolerances.planarity * solid.bounds().diagonal());
        assert!(found.is_empty(), "{} block {}: {}", model.name, block.name, found[0]);
    }
}

/// What each format can hold comes back from it; the model file holds everything.
fn assert_round_trips(model: &Model) {
    let text = serde_json::to_string(model).unwrap();
    assert_eq!(*model, serde_json::from_str::<Model>(&text).unwrap(), "{}", model.name);

    let obj = import::obj::read(export::obj(model).as_bytes(), "again.obj").unwrap();
    let compas = import::compas::read(export::compas(model).as_bytes(), "again.json").unwrap();
    for again in [&obj.model, &compas.model] {
        assert_eq!(again.blocks.len(), model.blocks.len(), "{}", model.name);
        for (a, b) in model.blocks.iter().zip(&again.blocks) {
            assert_eq!(a.name, b.name);
            assert!(a.polyhedron() == b.polyhedron(), "{} block {}", model.name, a.name);
        }
        assert_eq!(model.tolerances, again.tolerances, "{}", model.name);
    }
    let again = compas.model;
    assert_eq!(model.name, again.name);
    assert_eq!(model.density, again.density);
    assert_eq!(model.joints.friction, again.joints.friction);
    for (a, b) in model.blocks.iter().zip(&again.blocks) {
        assert_eq!((a.fixed, a.mass, &a.group), (b.fixed, b.mass, &b.group));
        let density = a
            .density
            .or_else(|| Some(model.materials.get(a.material.as_ref()?)?.density));
        assert_eq!(density.filter(|_| a.mass.is_none()), b.density);
    }
    let sorted = |model: &Model| {
        let mut all = model.interfaces.clone();
        let place = |name: &str| model.blocks.iter().position(|b| b.name == name);
        all.sort_by_key(|i| i.between.each_ref().map(|n| place(n)));
        all
    };
    assert_eq!(sorted(model), sorted(&again), "{}", model.name);
}

#[test]
fn compas_assemblies_import_with_their_blocks_supports_and_interfaces() {
    let Some(folder) = shared("cra") else { return };
    // File, blocks, supports stored, interfaces stored, contact points stored.
    for (file, blocks, supports, interfaces, points) in [
        ("cubes", 3, 0, 0, 0),
        ("H", 3, 0, 0, 0),
        ("A", 3, 0, 0, 0),
        ("type-a", 3, 0, 0, 0),
        ("type-b", 3, 0, 0, 0),
        ("type-c", 3, 0, 0, 0),
        ("type-d", 3, 0, 0, 0),
        ("concave-short", 2, 0, 7, 28),
        ("concave-long", 2, 0, 7, 28),
        ("curve-3-blocks", 3, 0, 40, 160),
        ("cube-curve-short", 2, 0, 72, 280),
        ("cube-curve-tall", 2, 0, 72, 280),
        ("shelf", 11, 0, 0, 0),
        ("shelf-stable", 9, 0, 0, 0),
        ("bridge", 16, 0, 0, 0),
        ("armadillo_cra", 399, 33, 1014, 5031),
        ("arch_assembly", 30, 2, 29, 116),
        ("wall_assembly", 52, 10, 80, 480),
        ("stack_assembly", 10, 1, 9, 36),
    ] {
        let imported = import_one(&folder.join(format!("{file}.json")));
        eprintln!("{file}: {:?}", imported.warnings);
        let model = imported.model;
        let found = (
            model.blocks.len(),
            model.blocks.iter().filter(|b| b.fixed).count(),
            model.interfaces.len(),
            model.interfaces.iter().map(|i| i.points.len()).sum::<usize>(),
        );
        assert_eq!(found, (blocks, supports, interfaces, points), "{file}");
        let names: Vec<String> = model.blocks.iter().map(|b| b.name.clone()).collect();
        assert_eq!(names, (0..blocks).map(|k| k.to_string()).collect::<Vec<_>>(), "{file}");
        assert_round_trips(&model);
        assert_sound(&model);
    }
}

#[test]
fn the_armadillo_keeps_its_force_solution() {
    let Some(path) = shared("cra/armadillo_cra.json") else {
        return;
    };
    let imported = import_one(&path);
    assert!(
        imported
            .model
            .interfaces
            .iter()
            .all(|i| i.forces.len() == i.points.len())
    );
    assert!(imported.warnings.iter().any(|w| w.contains("not planar")));
    // The normal of an interface points from the first block to the second, or nearly so for the curved ones.
    let middle = |name: &str| {
        imported
            .model
            .block(name)
            .unwrap()
            .polyhedron()
            .mass_properties()
            .centroid
    };
    let along = |i: &&StoredInterface| {
        let normal = i.frame.xaxis.cross(i.frame.yaxis);
        normal.dot(middle(&i.between[1]) - middle(&i.between[0])) > 0.0
    };
    let agree = imported.model.interfaces.iter().filter(along).count();
    assert!(
        agree * 100 > 95 * imported.model.interfaces.len(),
        "{agree} normals agree"
    );
}

#[test]
fn obj_files_import_one_block_an_object() {
    for (file, blocks) in [
        ("cra/obj/arch_pi.obj", 39),
        ("cra/obj/crossvault.obj", 184),
        ("cra/obj/wall_pyramid.obj", 14),
        // One of its 39 objects is a single rectangle: the outline of the ground.
        ("cra/obj/wall_simple_supported.obj", 38),
        ("lmgc90/bridge_pr.obj", 22),
        ("lmgc90/wall_pr.obj", 105),
    ] {
        let Some(path) = shared(file) else { continue };
        let imported = import_one(&path);
        eprintln!("{file}: {:?}", imported.warnings);
        assert_eq!(imported.model.blocks.len(), blocks, "{file}");
        assert_sound(&imported.model);
        let mut model = imported.model;
        model.name = "again".into();
        assert_round_trips(&model);
    }
}

#[test]
fn the_bridge_ring_has_faces_turned_outwards_and_joined_to_polygons() {
    let Some(path) = shared("lmgc90/bridge_pr.obj") else {
        return;
    };
    let imported = import_one(&path);
    for block in &imported.model.blocks {
        let solid = block.polyhedron();
        assert!(solid.volume() > 0.0);
        assert!(solid.faces.len() <= 7, "{} has {} faces", block.name, solid.faces.len());
    }
}

#[test]
fn the_masonry_simulators_files_make_one_model() {
    let Some(folder) = shared("chrono_masonry") else { return };
    let files = [
        "wall_motionfile.txt",
        "wall_springfile.txt",
        "wall_brickfile.txt",
        "wall_rigidrodfile.txt",
    ];
    let imported = import_files(&files.map(|f| folder.join(f))).unwrap_or_else(|e| panic!("{e}"));
    eprintln!("{:?}", imported.warnings);
    let model = &imported.model;
    // One of the 322 lines is commented out.
    assert_eq!((model.name.as_str(), model.blocks.len()), ("wall_brickfile", 321));
    assert_eq!(model.blocks.iter().filter(|b| b.fixed).count(), 3);
    let springs = model
        .ties
        .iter()
        .filter(|t| matches!(t.kind, TieKind::TensionSpring { .. }))
        .count();
    assert_eq!((model.ties.len(), springs), (4, 2));
    assert_eq!(model.support_motions[0].blocks, ["999"]);
    assert_eq!(
        model
            .blocks
            .iter()
            .filter(|b| matches!(&b.shape, Shape::Mesh(m) if m.parts.len() == 2))
            .count(),
        2
    );
    assert!(imported.warnings.iter().any(|w| w.contains("yielding 3")));
    for block in &model.blocks {
        assert!(block.polyhedron().volume() > 0.0);
    }
    let text = serde_json::to_string(model).unwrap();
    assert_eq!(*model, serde_json::from_str::<Model>(&text).unwrap());

    let colonnade = import_one(&folder.join("colonnade_brickfile.txt"));
    assert_eq!(colonnade.model.blocks.len(), 31);
    let alone = import_files(&[folder.join("wall_springfile.txt")])
        .unwrap_err()
        .to_string();
    assert!(alone.contains("need the brick file"), "{alone}");
}

#[test]
fn recipes_and_models_made_by_hand_round_trip() {
    for tilt in ["0", "15"] {
        let values = [("tilt-deg".to_owned(), tilt.to_owned())];
        assert_round_trips(&recipes::find("block").unwrap().build(&values).unwrap());
    }
    let mut model = Model::named("by hand");
    model.density = 2350.0;
    model.joints.friction = 0.75;
    model
        .materials
        .insert("granite".into(), drystone_model::Material { density: 2700.0 });
    let l = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)].map(glam::DVec2::from);
    let mut turned = Block::new(
        "turned",
        drystone_model::geometry::Polyhedron::from_elevation(&l, 0.0, 0.3),
    )
    .in_group("arch");
    turned.pose = Pose {
        position: DVec3::new(0.1, 0.2, 0.3),
        rotation: Some(Rotation::AxisAngle {
            axis: DVec3::new(1.0, 2.0, 3.0),
            angle_deg: 33.0,
        }),
    };
    turned.mass = Some(12.5);
    let mut stone = Block::new("a stone, \"named\"", Shape::cuboid(DVec3::ZERO, DVec3::ONE)).fixed();
    stone.material = Some("granite".into());
    let mut dense = Block::new("dense", Shape::cuboid(DVec3::ZERO, DVec3::new(0.3, 1.0 / 3.0, 0.1)));
    dense.density = Some(7800.0);
    model.blocks = vec![turned, stone, dense];
    for forces in [0, 1] {
        model.interfaces.push(StoredInterface {
            between: ["dense".into(), "turned".into()],
            points: vec![DVec3::new(1.0 / 3.0, 0.0, 0.0); 1],
            frame: Frame {
                point: DVec3::ZERO,
                xaxis: DVec3::X,
                yaxis: DVec3::Y,
            },
            area: Some(0.1),
            forces: vec![
                ContactForce {
                    compression: 3.0,
                    tension: 0.0,
                    u: -0.1,
                    v: 0.2
                };
                forces
            ],
        });
    }
    assert_round_trips(&model);
}

#[test]
fn files_that_do_not_go_together_are_refused_with_the_reason() {
    let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    let refused = |files: &[(String, Vec<u8>)]| import::import(files).unwrap_err().to_string();
    assert!(refused(&[]).contains("no file was given"));
    assert!(refused(&[file("a.json", "{}"), file("b.obj", "")]).contains("by itself"));
    assert!(refused(&[file("a.txt", "0,0"), file("b.obj", "")]).contains("cannot be mixed"));
    assert!(refused(&[file("a.doc", "hello")]).contains("format is not known"));
    assert!(refused(&[file("a.txt", "1,2,3")]).contains("3 columns"));
    assert!(
        import_files(&["no/such/file.obj".into()])
            .unwrap_err()
            .to_string()
            .contains("cannot be read")
    );
}

//! Files of other programs import with the block counts that their makers state, and come back from our exports as
//! they were.

use std::path::Path;

use crate::shared::shared;
use drystone_model::{
    Block, Model, Pose, Rotation, Shape, StoredForce, StoredFrame, StoredInterface, TieKind, export,
    geometry::defects,
    import::{self, Imported, import_files},
    recipes,
};
use glam::DVec3;

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
        .insert("granite".into(), drystone_model::Material::of_density(2700.0));
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
            frame: StoredFrame {
                point: DVec3::ZERO,
                xaxis: DVec3::X,
                yaxis: DVec3::Y,
            },
            area: Some(0.1),
            forces: vec![
                StoredForce {
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

/// The blocks of a recipe as PLY, each face with the number of its block, after a change to the faces of some.
fn scanned(model: &Model, damage: impl Fn(&str, &mut Vec<Vec<DVec3>>)) -> Vec<u8> {
    let (mut vertices, mut faces) = (String::new(), String::new());
    let (mut points, mut count) = (0, 0);
    for (number, block) in model.blocks.iter().enumerate() {
        let solid = block.polyhedron();
        let mut corners: Vec<Vec<DVec3>> = (0..solid.faces.len()).map(|f| solid.corners(f).collect()).collect();
        damage(&block.name, &mut corners);
        for face in corners {
            faces += &format!("{}", face.len());
            for p in face {
                vertices += &format!("{} {} {}\n", p.x, p.y, p.z);
                faces += &format!(" {points}");
                points += 1;
            }
            faces += &format!(" {number}\n");
            count += 1;
        }
    }
    format!(
        "ply\nformat ascii 1.0\nelement vertex {points}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {count}\nproperty list uchar int vertex_indices\nproperty int block\nend_header\n{vertices}{faces}"
    )
    .into_bytes()
}

/// Stones as surveyed: one with a hole, one that is half missing, one with a fin, one with a doubled and a turned face.
fn damaged_stones(name: &str, faces: &mut Vec<Vec<DVec3>>) {
    match name {
        "stone-3" => drop(faces.pop()),
        "stone-8" => faces.truncate(4),
        "stone-12" => {
            let [a, b] = [faces[0][0], faces[0][1]];
            faces.push(vec![a, b, a + DVec3::new(0.0, -0.3, 0.1)]);
        }
        "stone-20" => {
            faces.push(faces[1].clone());
            faces[2].reverse();
        }
        _ => {}
    }
}

#[test]
fn bad_stones_are_left_out_or_repaired_and_the_others_are_imported() {
    let wall = recipes::find("rubble-wall").unwrap().build(&[]).unwrap();
    let file = [("scan.ply".to_owned(), scanned(&wall, damaged_stones))];
    let number = |name: &str| wall.blocks.iter().position(|b| b.name == name).unwrap().to_string();
    let bad: Vec<String> = ["stone-3", "stone-8", "stone-12", "stone-20"].map(number).to_vec();

    // Without either, every one of them is an error, and nothing else is.
    let plain = import::import(&file).unwrap();
    let problems = drystone_model::check::problems(&plain.model);
    for problem in problems.iter().filter(|p| p.is_error()) {
        let named = bad.iter().any(|b| problem.place.contains(&format!("(`{b}`)")));
        assert!(named, "{problem}");
    }

    let skip = import::Treatment {
        skip_bad: true,
        repair: false,
    };
    let skipped = import::import_with(&file, skip).unwrap();
    // The stone with a doubled and a turned face is refused for the doubled one.
    let names: Vec<&str> = skipped.treated.iter().map(|t| t.block.as_str()).collect();
    assert_eq!(names, bad, "{:?}", skipped.treated);
    assert_eq!(skipped.model.blocks.len(), wall.blocks.len() - bad.len());
    assert!(
        skipped
            .treated
            .iter()
            .all(|t| t.action == import::Action::LeftOut && !t.reason.is_empty())
    );
    assert!(
        !drystone_model::check::problems(&skipped.model)
            .iter()
            .any(|p| p.is_error())
    );

    let repair = import::Treatment {
        skip_bad: false,
        repair: true,
    };
    let repaired = import::import_with(&file, repair).unwrap();
    assert_eq!(repaired.model.blocks.len(), wall.blocks.len());
    assert!(
        !drystone_model::check::problems(&repaired.model)
            .iter()
            .any(|p| p.is_error())
    );
    for (block, original) in repaired.model.blocks.iter().zip(&wall.blocks) {
        let (volume, was) = (block.polyhedron().volume(), original.polyhedron().volume());
        let hull = repaired
            .treated
            .iter()
            .any(|t| t.block == block.name && matches!(t.action, import::Action::Repaired { hull: true, .. }));
        // A hull of what is left of a convex stone is no larger than the stone; all else comes back as it was.
        assert!(
            if hull {
                volume <= was * (1.0 + 1e-9)
            } else {
                (volume / was - 1.0).abs() < 1e-9
            },
            "{}",
            original.name
        );
        assert_eq!(hull, original.name == "stone-8", "{}", original.name);
    }
}

#[test]
fn a_repair_that_fails_leaves_the_block_to_the_checks_and_skipping_takes_it_out() {
    // A square with a square beside it, open: no volume, and its hull has none either.
    let flat = "o flat\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nf 1 2 3 4\nf 2 5 6 3\n";
    let cube = "o cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
                f -8 -5 -6 -7\nf -4 -3 -2 -1\nf -8 -7 -3 -4\nf -7 -6 -2 -3\nf -6 -5 -1 -2\nf -5 -8 -4 -1\n";
    let file = [("x.obj".to_owned(), format!("{flat}{cube}").into_bytes())];
    for (skip_bad, repair) in [(true, false), (false, true), (true, true)] {
        let imported = import::import_with(&file, import::Treatment { skip_bad, repair }).unwrap();
        let names: Vec<&str> = imported.model.blocks.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["cube"]);
        assert!(
            imported
                .warnings
                .iter()
                .any(|w| w.contains("left out") && w.contains("`flat`"))
        );
    }
}

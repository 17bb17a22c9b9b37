//! Model files: what is written reads back to the same bits, whatever the structure.

use drystone_model::{Block, Elasticity, Material, Model, Pose, Rotation, Shape, file, geometry::Polyhedron, recipes};
use glam::{DVec2, DVec3};
use proptest::prelude::*;

fn round_trip(model: &Model) -> Model {
    let text = file::to_text(model).unwrap();
    file::parse(text.as_bytes(), "round trip").unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_recipe_survives_its_file() {
    for recipe in recipes::all() {
        let model = recipe.build(&[]).unwrap();
        assert_eq!(round_trip(&model), model, "{}", recipe.name);
    }
}

#[test]
fn the_text_is_for_people() {
    let model = recipes::find("block").unwrap().build(&[]).unwrap();
    let text = file::to_text(&model).unwrap();
    assert!(text.lines().all(|line| line.len() <= 130), "{text}");
    assert!(text.contains("\"size\": [0.6, 0.6, 2]"), "{text}");
}

/// Elasticity and meshes are written as they were read, a short mesh in full.
#[test]
fn deformable_blocks_survive_their_file() {
    let mut model = recipes::find("block").unwrap().build(&[]).unwrap();
    let plain = file::to_text(&model).unwrap();
    assert!(!plain.contains("deformable") && !plain.contains("elasticity") && !plain.contains("young"));
    let material = Material {
        young_pa: Some(6e10),
        rayleigh_mass_per_s: Some(0.5),
        ..Material::of_density(2700.0)
    };
    model.materials.insert("granite".into(), material);
    model.elasticity = Some(Elasticity {
        young_pa: 2e10,
        poisson: 0.2,
        rayleigh_mass_per_s: None,
        rayleigh_stiffness_s: Some(1e-4),
    });
    model.deformable = ["all", "all:1x2x3"].map(|text| text.parse().unwrap()).into();
    assert_eq!(round_trip(&model), model);
    let text = file::to_text(&model).unwrap();
    assert!(text.contains("\"mesh\": \"H8x1x2x3\""), "{text}");
}

#[test]
fn a_byte_order_mark_is_no_obstacle() {
    let model = recipes::find("block").unwrap().build(&[]).unwrap();
    let text = format!("\u{feff}{}", file::to_text(&model).unwrap());
    assert_eq!(file::parse(text.as_bytes(), "with a mark").unwrap(), model);
}

fn any_length() -> impl Strategy<Value = f64> {
    (1e-4..1e4f64).prop_union(1e-3..1e-2)
}

proptest! {
    /// Numbers come back to the last bit, at any size.
    #[test]
    fn boxes_prisms_and_poses_survive_to_the_last_bit(
        size in prop::array::uniform3(any_length()),
        at in prop::array::uniform3(-1e4..1e4f64),
        axis in prop::array::uniform3(0.1..1.0f64),
        angle in -360.0..360.0f64,
        density in 1e-3..1e5f64,
    ) {
        let size = DVec3::from(size);
        let mut block = Block::new("block", Shape::cuboid(DVec3::ZERO, size));
        block.pose = Pose {
            position: DVec3::from(at),
            rotation: Some(Rotation::AxisAngle { axis: DVec3::from(axis), angle_deg: angle }),
        };
        block.density = Some(density);
        let triangle = [DVec2::ZERO, DVec2::new(size.x, 0.0), DVec2::new(0.3 * size.x, size.z)];
        let mesh = Block::new("mesh", Polyhedron::from_elevation(&triangle, 0.0, size.y)).fixed();
        let model = Model { blocks: vec![block, mesh], ..Model::named("any") };
        prop_assert_eq!(round_trip(&model), model);
    }

    /// Whatever the bytes, reading ends with a model or a message.
    #[test]
    fn reading_never_panics_on_random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = file::parse(&bytes, "random");
    }

    /// A sound file with a few bytes changed is read, or refused with a message that names the file.
    #[test]
    fn reading_never_panics_on_a_damaged_file(changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..6)) {
        let mut bytes = file::to_text(&recipes::find("block").unwrap().build(&[]).unwrap()).unwrap().into_bytes();
        for (at, byte) in changes {
            let at = at as usize % bytes.len();
            bytes[at] = byte;
        }
        if let Err(error) = file::parse(&bytes, "damaged.json") {
            prop_assert!(error.to_string().starts_with("damaged.json"));
        }
    }
}

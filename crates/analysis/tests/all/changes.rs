//! Changes to a model: blocks that deform.

use drystone_analysis::{Changes, Failure};
use drystone_model::{Block, Elasticity, Material, MeshSpec, Model, Shape};
use glam::DVec3;

/// A block on the ground, and one of granite on it.
fn tower() -> Model {
    let cube = |name: &str, z: f64| {
        let corner = DVec3::new(0.0, 0.0, z);
        Block::new(name, Shape::cuboid(corner, corner + DVec3::ONE))
    };
    let granite = Material {
        young_pa: Some(6e10),
        poisson: Some(0.2),
        ..Material::of_density(2700.0)
    };
    let mut top = cube("top", 1.0).in_group("wall");
    top.material = Some("granite".into());
    Model {
        materials: [("granite".into(), granite)].into_iter().collect(),
        blocks: vec![
            cube("ground", -1.0).fixed().in_group("base"),
            cube("plinth", 0.0).in_group("wall:low"),
            top,
        ],
        ..Model::named("tower")
    }
}

fn changed(deformable: &[&str], young: Option<f64>, poisson: Option<f64>) -> Result<Model, Failure> {
    let changes = Changes {
        deformable: deformable.iter().map(ToString::to_string).collect(),
        young,
        poisson,
        ..Changes::default()
    };
    changes.apply(&tower())
}

fn elasticity(model: &Model, block: &str) -> Option<(f64, f64)> {
    let found = model.deformable_of(model.block(block)?)?;
    Some((found.young, found.poisson))
}

#[test]
fn blocks_deform_by_their_material_and_by_what_replaces_it() {
    let model = changed(&["wall:T10x2"], None, None).unwrap();
    assert_eq!(elasticity(&model, "top"), Some((6e10, 0.2)));
    assert_eq!(elasticity(&model, "plinth"), None);
    let mesh = model.deformable_of(&model.blocks[2]).unwrap().mesh;
    assert_eq!(mesh, Some(MeshSpec::Tetrahedra(2)));
    let model = changed(&["top"], Some(1e9), None).unwrap();
    assert_eq!(elasticity(&model, "top"), Some((1e9, 0.2)));
    let model = changed(&["all"], Some(3e10), Some(0.3)).unwrap();
    for block in ["plinth", "top"] {
        assert_eq!(elasticity(&model, block), Some((3e10, 0.3)));
    }
    assert_eq!(elasticity(&model, "ground"), None);
    // A name may hold a colon.
    let model = changed(&["wall:low", "wall:low:H8"], Some(3e10), Some(0.3)).unwrap();
    assert_eq!(model.deformable[0].blocks, model.deformable[1].blocks);
    assert_eq!(elasticity(&model, "plinth"), Some((3e10, 0.3)));
}

#[test]
fn blocks_that_deform_already_take_the_elasticity_that_is_given_and_another_density_leaves_it() {
    let mut model = tower();
    model.deformable = vec!["all".parse().unwrap()];
    let changes = |young, poisson| Changes {
        young,
        poisson,
        density: Some(1000.0),
        ..Changes::default()
    };
    let refused = changes(None, None).apply(&model).unwrap_err();
    assert!(
        refused
            .message()
            .starts_with("block 1 (`plinth`): is deformable but has neither `young_pa` nor `poisson`:"),
        "{refused}"
    );
    // What was given is not asked for again.
    let refused = changes(Some(1e10), None).apply(&model).unwrap_err();
    assert!(refused.message().contains("has no `poisson`:"), "{refused}");
    let both = changes(Some(1e10), Some(0.1)).apply(&model).unwrap();
    assert_eq!(elasticity(&both, "plinth"), Some((1e10, 0.1)));
    model.elasticity = Some(Elasticity {
        young_pa: 2e10,
        poisson: 0.25,
        rayleigh_mass_per_s: None,
        rayleigh_stiffness_s: None,
    });
    let light = changes(None, None).apply(&model).unwrap();
    assert_eq!(elasticity(&light, "top"), Some((6e10, 0.2)));
    assert_eq!(elasticity(&light, "plinth"), Some((2e10, 0.25)));
    assert_eq!(light.density_of(&light.blocks[2], 1.0), 1000.0);
}

#[test]
fn what_cannot_deform_is_refused_with_what_can() {
    let both = (Some(3e10), Some(0.2));
    for (deformable, (young, poisson), told) in [
        (
            &["wal"][..],
            both,
            "no group and no block called `wal`; did you mean `wall`?",
        ),
        (&["keystone:H8"], both, "groups are: base, wall, wall:low"),
        (&["wall:H9"], both, "`H9` is no mesh; must be H8xNxNxN or NxNxN"),
        (&["base"], both, "supports only, which stay rigid"),
        (&[], both, "all blocks are rigid"),
        (
            &["all"],
            (Some(0.0), Some(0.2)),
            "Young's modulus (Pa) is 0e0; it must be above 0",
        ),
        (&["all"], (Some(f64::NAN), Some(0.2)), "Young's modulus (Pa)"),
        (
            &["all"],
            (Some(3e10), Some(0.5)),
            "Poisson's ratio is 0.5; it must be 0 or above, and below 0.5",
        ),
        (&["all"], (Some(3e10), Some(f64::NAN)), "Poisson's ratio is NaN"),
    ] {
        let refused = changed(deformable, young, poisson).unwrap_err();
        assert!(refused.message().contains(told), "{deformable:?}: {refused}");
    }
    // A support that the question sets is one, too.
    let changes = Changes {
        deformable: vec!["wall".into()],
        supports: vec!["top".into()],
        ..Changes::default()
    };
    let refused = changes.apply(&tower()).unwrap_err();
    assert!(refused.message().contains("stay rigid"), "{refused}");
}

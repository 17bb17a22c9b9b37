//! The ground that recipes lay beneath supports in mid-air catches what falls and is otherwise as if it were not there.

use crate::common::{built, run, simulation};
use drystone_mechanics::{
    Structure,
    statics::{Loads, Method, Solvers, Verdict, check},
};
use drystone_model::{Model, recipes};
use glam::DVec3;

/// Small ones of every recipe that gets a ground; about half of them fall.
const CASES: &[(&str, &[(&str, &str)])] = &[
    ("natural-arch-wall", &[]),
    ("arch", &[("voussoirs", "9")]),
    ("arch", &[("voussoirs", "9"), ("thickness", "0.3")]),
    ("arch", &[("voussoirs", "9"), ("embrace-deg", "240")]),
    ("oppenheim-arch", &[]),
    ("barrel-vault", &[("voussoirs", "7"), ("blocks-along", "2")]),
    ("cross-vault", &[("voussoirs", "5")]),
    ("dome", &[("courses", "3"), ("meridians", "8")]),
    ("model-h", &[]),
    ("model-a", &[]),
    ("wedge", &[]),
    ("shelf", &[]),
];

fn on_ground(recipe: &str, values: &[(&str, &str)]) -> Model {
    let values: Vec<(String, String)> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(recipe).unwrap().build(&values).unwrap()
}

#[test]
fn a_ground_beneath_changes_no_bit_of_a_check() {
    let mut fell = 0;
    for (recipe, values) in CASES {
        for method in [Method::Cone, Method::Cra] {
            let [with, without] = [on_ground(recipe, values), built(recipe, values)].map(|model| {
                let structure = Structure::new(&model).unwrap();
                let loads = Loads::body_force(&structure, model.gravity);
                check(&structure, &loads, method, &mut Solvers::default()).unwrap()
            });
            let what = format!("{recipe} {values:?} {method:?}");
            assert_eq!(with.verdict, without.verdict, "{what}");
            assert_eq!(with.forces, without.forces, "{what}");
            assert_eq!(with.unstable_blocks, without.unstable_blocks, "{what}");
            assert_eq!(
                with.motions.get(..without.motions.len()).unwrap(),
                without.motions,
                "{what}"
            );
            fell += usize::from(with.verdict == Verdict::Unstable);
        }
    }
    assert!(fell >= 4, "{fell}");
}

/// Broke: blocks of an arch fell for ever, a kilometre in a run of a quarter of a minute.
#[test]
fn what_falls_lands_on_the_ground() {
    let model = on_ground("arch", &[("voussoirs", "11"), ("thickness", "0.08"), ("radius", "2")]);
    let top = model.blocks.last().unwrap().polyhedron().bounds().max.z;
    let mut simulation = simulation(&model, 5e-3, "");
    run(&mut simulation, 3.0, |_| ());
    let structure = simulation.structure();
    let (mut landed, placements) = (0, &simulation.state().placements);
    for block in structure.free() {
        assert!(placements[block].center.z > top, "{}", structure.names[block]);
        landed += usize::from(placements[block].center.distance(structure.center[block]) > 0.5);
    }
    assert!(landed >= 4, "it falls: {landed}");
    assert!(simulation.max_speed() < 1.0, "{}", simulation.max_speed());
    assert!(simulation.ground_displacement() == DVec3::ZERO);
}

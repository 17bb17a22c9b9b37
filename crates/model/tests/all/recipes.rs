//! What holds for every recipe, at its defaults and at other settings: sound solids that do not overlap, one connected
//! structure, convex parts that fill their blocks, figures that the caller's options reach.

use drystone_model::{
    Model, check,
    geometry::{Polyhedron, defects},
    recipes::{self, RecipeError},
};

/// Settings beside the defaults at which each recipe is tried.
const SETTINGS: &[(&str, [&str; 3])] = &[
    (
        "block",
        [
            "--tilt-deg 15",
            "--width 0.05 --depth 0.03 --height 0.2 --tilt-deg -30",
            "--height 80 --width 40",
        ],
    ),
    (
        "stack",
        [
            "--blocks 3 --offset 0.3",
            "--blocks 40 --lean harmonic --offset 0.5",
            "--height 0.01 --width 0.02 --depth 0.01",
        ],
    ),
    (
        "column",
        [
            "--columns 4",
            "--columns 3 --base-height 0.3 --sides 9 --drums 11",
            "--top-radius 0.5 --entablature false --columns 2",
        ],
    ),
    (
        "wall",
        [
            "--opening door",
            "--opening window --head arch --length 8",
            "--length 4.3 --height 2.25 --unit-length 0.37",
        ],
    ),
    (
        "rubble-wall",
        [
            "--irregularity 1 --seed 5",
            "--irregularity 0 --leaves 2 --thickness 0.8",
            "--length 0.6 --height 0.3 --thickness 0.05 --stone-length 0.1 --stone-height 0.05",
        ],
    ),
    (
        "tower",
        [
            "--door true",
            "--width 5 --depth 2.6 --height 4",
            "--door true --head arch --wall-thickness 0.6",
        ],
    ),
    (
        "natural-arch-wall",
        [
            "--gap 3",
            "--length 8 --height 3 --gap 2.2",
            "--unit-length 0.45 --unit-height 0.25",
        ],
    ),
    (
        "corbelled-cylinder",
        [
            "--opening 0 --courses 2",
            "--diameter 6 --height 2 --courses 5 --opening 2",
            "--diameter 4 --ring-width 0.4 --opening 1 --block-length 0.5",
        ],
    ),
    (
        "bridge",
        [
            "--spans 3 --rise 1.5 --fill none --axle-load 0",
            "--abutments masonry --fill pressure --rise 3 --axles 2",
            "--spandrel 0.4 --width 3 --axle-position 3",
        ],
    ),
    (
        "arch",
        [
            "--embrace-deg 120 --voussoirs 11 --thickness 0.4",
            "--profile pointed --voussoirs 15",
            "--profile flat --voussoirs 9",
        ],
    ),
    (
        "oppenheim-arch",
        [
            "--blocks 16",
            "--embrace-deg 180 --thickness-ratio 0.2",
            "--radius 0.1 --width 0.02",
        ],
    ),
    (
        "spandrel-arch",
        [
            "--courses 14",
            "--chamfer 0.0075",
            "--radius 2.5 --length 9 --height 4 --thickness 0.4",
        ],
    ),
    (
        "barrel-vault",
        [
            "--embrace-deg 120",
            "--voussoirs 9 --blocks-along 3",
            "--radius 0.3 --thickness 0.04 --length 0.5",
        ],
    ),
    (
        "cross-vault",
        [
            "--embrace-deg 120",
            "--voussoirs 9 --block-length 1.1",
            "--radius 6 --thickness 0.5 --voussoirs 21",
        ],
    ),
    (
        "dome",
        [
            "--bond stacked --oculus-deg 0",
            "--crown keystone --courses 6 --meridians 12",
            "--embrace-deg 120 --thickness 0.2",
        ],
    ),
    (
        "stone-house",
        [
            "--gable raked",
            "--width 5 --length 4 --unit-length 0.5",
            "--eaves-height 3.3 --window-width 1.1",
        ],
    ),
    (
        "church",
        [
            "--block-length 1 --block-height 0.7",
            "--openings false --block-length 0.9 --block-height 0.5",
            "--gable raked --block-length 1.2 --block-height 0.5 --nave-length 12",
        ],
    ),
    (
        "model-h",
        [
            "--width 0.5",
            "--height 2 --wall-height 3",
            "--depth 0.01 --width 0.02 --height 0.01 --wall-height 0.03 --wall-thickness 0.002",
        ],
    ),
    (
        "model-a",
        [
            "--lean-deg 10",
            "--lean-deg 45 --height 0.5 --wall-length 1.5",
            "--lean-deg -20",
        ],
    ),
    ("wedge", ["--type b", "--type c", "--type d --depth 2"]),
    (
        "shelf",
        [
            "--hangers false",
            "--width 3",
            "--width 0.5 --height 0.6 --frame 0.02 --depth 0.1",
        ],
    ),
    (
        "three-legged-pi",
        [
            "--spacing 2",
            "--overhang 0",
            "--leg-width 0.05 --leg-height 0.2 --spacing 0.2 --depth 0.1 --slab-height 0.04",
        ],
    ),
];

fn values(arguments: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    words
        .chunks(2)
        .map(|w| (w[0].trim_start_matches("--").to_string(), w[1].to_string()))
        .collect()
}

fn built(recipe: &str, arguments: &str) -> Model {
    let built = recipes::find(recipe).and_then(|r| r.build(&values(arguments)));
    built.unwrap_or_else(|e| panic!("{recipe} {arguments}: {e}"))
}

#[test]
fn every_recipe_gives_sound_blocks_that_fit_at_any_setting() {
    for recipe in recipes::all() {
        let (_, others) = SETTINGS
            .iter()
            .find(|(name, _)| *name == recipe.name)
            .expect("every recipe has settings");
        for arguments in std::iter::once(&"").chain(others) {
            let model = built(recipe.name, arguments);
            let what = format!("{} {arguments}", recipe.name);
            for block in &model.blocks {
                let solid = block.polyhedron();
                let size = solid.bounds().diagonal();
                assert_eq!(defects(&solid, 1e-9 * size), [], "{what}: {}", block.name);
                let parts = block.convex_parts(1e-9 * size).unwrap();
                let sum: f64 = parts.iter().map(Polyhedron::volume).sum();
                assert!(
                    (sum / solid.volume() - 1.0).abs() < 1e-9,
                    "{what}: parts of {}",
                    block.name
                );
                assert!(parts.iter().all(|p| p.is_convex(1e-8 * size)), "{what}: {}", block.name);
            }
            let summary = check::summary(&model);
            assert!(summary.problems.is_empty(), "{what}: {}", summary.problems[0]);
            assert_eq!(summary.components, 1, "{what}");
            assert!(summary.fixed > 0 && summary.fixed < summary.blocks, "{what}");
        }
    }
}

#[test]
fn density_and_friction_asked_for_are_those_of_the_model() {
    for recipe in recipes::all() {
        let model = built(recipe.name, "--density 1234 --friction 0.321");
        assert_eq!(model.joints.friction, 0.321, "{}", recipe.name);
        for block in &model.blocks {
            assert_eq!(model.density_of(block, 1.0), 1234.0, "{}: {}", recipe.name, block.name);
        }
    }
}

#[test]
fn values_out_of_range_and_unknown_parameters_are_told_for_every_recipe() {
    for recipe in recipes::all() {
        for parameter in recipe.parameters() {
            let error = recipe
                .build(&[(parameter.name.clone(), "nonsense".to_string())])
                .unwrap_err();
            assert!(
                matches!(error, RecipeError::BadValue { .. }),
                "{} --{}: {error}",
                recipe.name,
                parameter.name
            );
            let error = recipe
                .build(&[(parameter.name.clone(), "NaN".to_string())])
                .unwrap_err();
            assert!(
                error.to_string().contains("must be"),
                "{} --{}: {error}",
                recipe.name,
                parameter.name
            );
            assert!(!parameter.help.is_empty());
        }
        let error = recipe.build(&values("--frction 1 --chamfer -1")).unwrap_err();
        let told = error.to_string();
        assert!(
            told.contains("did you mean `friction`?") && told.contains("--chamfer -1"),
            "{told}"
        );
    }
}

#[test]
fn extreme_values_within_the_ranges_build_or_are_refused_with_a_reason() {
    use drystone_model::recipes::ParameterKind;
    for recipe in recipes::all() {
        for parameter in recipe.parameters() {
            let extremes = match parameter.kind {
                ParameterKind::Number { min, max } => vec![format!("{min}"), format!("{max}")],
                // The largest counts are allowed up to the cap on blocks; building them all takes too long for a test.
                ParameterKind::Count { min, max } => vec![format!("{min}"), format!("{}", max.min(300))],
                ParameterKind::Flag => vec!["true".into(), "false".into()],
                ParameterKind::Choice(words) => words.iter().map(ToString::to_string).collect(),
            };
            for value in extremes {
                match recipe.build(&[(parameter.name.clone(), value.clone())]) {
                    Ok(model) => assert!(!model.blocks.is_empty()),
                    Err(error) => assert!(error.to_string().len() > 20, "--{} {value}: {error}", parameter.name),
                }
            }
        }
    }
}

//! Every option of every recipe: what is said of it can be proven to somebody who finds the joints by code of his own.

use drystone_mechanics::statics::{
    Acting, LimitSettings, Loads, Method, Overrides, Solvers, Structure, Verdict, certify, check, limit,
};
use drystone_model::{
    Model,
    recipes::{self, ParameterKind, Recipe},
};
use glam::DVec3;

/// Sizes that keep a recipe small.
const SMALL: &[(&str, &str)] = &[
    ("stack", "blocks=4 offset=0.05"),
    ("column", "columns=2 drums=3 sides=8"),
    (
        "wall",
        "length=3 height=1.75 opening-width=0.9 opening-height=0.9 opening-sill=0.25 unit-length=0.5",
    ),
    (
        "tower",
        "width=3 depth=2.5 height=1.75 door-width=0.7 door-height=1 unit-length=0.7 unit-height=0.35",
    ),
    ("natural-arch-wall", "length=8 height=2.5 gap=3"),
    ("corbelled-cylinder", "diameter=4 height=1.5 courses=3 opening=1.8"),
    ("arch", "voussoirs=9"),
    (
        "spandrel-arch",
        "length=8 height=3 radius=2 ring=0.5 courses=5 voussoir-length=0.9 unit-length=1",
    ),
    ("barrel-vault", "voussoirs=7 blocks-along=3"),
    ("cross-vault", "voussoirs=5"),
    ("dome", "courses=4 meridians=8"),
    ("stone-house", "unit-length=0.8"),
];

/// Values that make a recipe small.
fn small(recipe: &Recipe) -> Vec<(String, String)> {
    let small = SMALL.iter().find(|(name, _)| *name == recipe.name).map_or("", |s| s.1);
    let pairs = small.split_whitespace().filter_map(|pair| pair.split_once('='));
    pairs.map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

/// Every way to set the options that are words or flags.
fn variants(recipe: &Recipe) -> Vec<Vec<(String, String)>> {
    let mut all = vec![small(recipe)];
    for parameter in recipe.parameters() {
        let words: Vec<&str> = match parameter.kind {
            ParameterKind::Flag => vec!["true", "false"],
            ParameterKind::Choice(words) => words.to_vec(),
            _ => continue,
        };
        let before = std::mem::take(&mut all);
        for old in before {
            for word in &words {
                let mut new = old.clone();
                new.push((parameter.name.clone(), (*word).to_string()));
                all.push(new);
            }
        }
    }
    all
}

fn proven(
    model: &Model,
    structure: &Structure,
    gravity: DVec3,
    expected: Option<Verdict>,
    solvers: &mut Solvers,
) -> Verdict {
    let loads = Loads::body_force(structure, gravity);
    let found = check(structure, &loads, Method::Cone, solvers).unwrap();
    assert!(
        expected.is_none_or(|e| e == found.verdict),
        "{}: {:?} under {gravity}, expected {expected:?}",
        model.name,
        found.verdict
    );
    let situation = (&Overrides::default(), Acting::weight(gravity));
    let certificate = certify(model, structure, &loads, situation, &found);
    let certificate =
        certificate.unwrap_or_else(|why| panic!("{}: no certificate for {:?}: {why}", model.name, found.verdict));
    let verified = drystone_verify::verify(&certificate, model);
    let failed: Vec<_> = verified.claims.iter().filter(|c| !c.holds).collect();
    assert!(verified.valid, "{} ({:?}): {failed:?}", model.name, found.verdict);
    found.verdict
}

#[test]
fn every_option_of_every_recipe_is_proven_at_rest_and_on_both_sides_of_its_limit() {
    // The church has thousands of blocks; its walls are those of the stone house.
    for recipe in recipes::all().iter().filter(|r| r.name != "church") {
        let all = variants(recipe);
        let mut missing: std::collections::BTreeSet<&(String, String)> = all.iter().flatten().collect();
        for values in &all {
            let values = &recipe.with_effect(values);
            // Some openings do not fit with some heads.
            let Ok(model) = recipe.build(values) else { continue };
            missing.retain(|option| !values.contains(option));
            let told = format!("{} {values:?}", recipe.name);
            let model = Model {
                name: told.clone(),
                ..model
            };
            let structure = Structure::new(&model).unwrap();
            assert!(
                structure.len() < 400,
                "{told}: {} blocks are too many for a test",
                structure.len()
            );
            let mut solvers = Solvers::default();
            let gravity = model.gravity;
            if proven(&model, &structure, gravity, None, &mut solvers) != Verdict::Stable {
                continue;
            }
            let sideways = gravity.length() * DVec3::X;
            let [dead, live] = [gravity, sideways].map(|a| Loads::body_force(&structure, a));
            let found = limit(&structure, &dead, &live, &LimitSettings::default(), &mut solvers).unwrap();
            if found.bounds[0].is_infinite() {
                continue;
            }
            assert!(found.bounds[1].is_finite(), "{told}: {found:?}");
            let at = |multiplier: f64| gravity + multiplier * sideways;
            let [low, high] = found.bounds;
            proven(&model, &structure, at(0.995 * low), Some(Verdict::Stable), &mut solvers);
            proven(
                &model,
                &structure,
                at(1.005 * high + 1e-6),
                Some(Verdict::Unstable),
                &mut solvers,
            );
        }
        assert!(missing.is_empty(), "{}: nothing is built with {missing:?}", recipe.name);
    }
}

#[test]
fn bricks_over_an_arched_window_that_share_a_corner_carry_nothing_through_it() {
    // The limit is that of a linear program on the faces that touch, by other code.
    let values = [("opening", "window"), ("head", "arch")].map(|(k, v)| (k.to_string(), v.to_string()));
    let model = recipes::find("wall").and_then(|r| r.build(&values)).unwrap();
    let structure = Structure::new(&model).unwrap();
    for [a, b] in [["wall-9-5", "wall-10-6"], ["wall-9-6", "wall-10-10"]] {
        let is_pair = |j: &&drystone_contact::Joint| {
            let names = j.blocks.map(|b| structure.names[b].as_str());
            names == [a, b] || names == [b, a]
        };
        assert!(
            structure.joints.iter().find(is_pair).is_none(),
            "{a} and {b} are joined"
        );
    }
    let gravity = model.gravity;
    let [dead, live] = [gravity, gravity.length() * DVec3::X].map(|a| Loads::body_force(&structure, a));
    let found = limit(
        &structure,
        &dead,
        &live,
        &LimitSettings::default(),
        &mut Solvers::default(),
    )
    .unwrap();
    assert!((found.bounds[1] / 0.429_739 - 1.0).abs() < 1e-4, "{:?}", found.bounds);
}

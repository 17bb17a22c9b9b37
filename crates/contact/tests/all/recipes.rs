//! Every recipe: one structure with its supports, and areas of contact that two independent searches agree on.

use std::collections::BTreeMap;

use drystone_contact::{
    Bodies, Detector, DetectorSettings, Search,
    interfaces::{SearchSettings, interfaces},
    survey,
};
use drystone_model::{Model, recipes};

fn built(recipe: &str, values: &[(&str, &str)]) -> Model {
    let values: Vec<(String, String)> = values.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    recipes::find(recipe).and_then(|r| r.build_alone(&values)).unwrap()
}

/// Area of contact of each pair of blocks.
fn areas(model: &Model) -> BTreeMap<[usize; 2], f64> {
    let (bodies, placements) = Bodies::of_model(model).unwrap();
    let mut detector = Detector::new(bodies, DetectorSettings::default());
    let contacts = detector.detect(&placements);
    let mut areas = BTreeMap::new();
    for i in &contacts.interfaces {
        *areas.entry(i.blocks.map(|b| b as usize)).or_insert(0.0) += i.area;
    }
    areas
}

#[test]
fn the_detector_and_the_face_search_agree_on_every_area_of_every_recipe() {
    for recipe in recipes::all() {
        let model = recipe.build(&[]).unwrap();
        let found = areas(&model);
        let mut searched: BTreeMap<[usize; 2], f64> = BTreeMap::new();
        for i in interfaces(&model, &SearchSettings::for_model(&model)) {
            if !i.blocks.iter().all(|&b| model.blocks[b].fixed) {
                *searched.entry(i.blocks).or_insert(0.0) += i.area;
            }
        }
        let pairs = |areas: &BTreeMap<[usize; 2], f64>| areas.keys().copied().collect::<Vec<_>>();
        assert_eq!(pairs(&found), pairs(&searched), "{}", recipe.name);
        for (pair, area) in &found {
            assert!(
                (area / searched[pair] - 1.0).abs() < 1e-9,
                "{} {pair:?}: {area}",
                recipe.name
            );
        }
    }
}

#[test]
fn the_areas_of_the_points_of_a_joint_add_up_to_that_of_the_joint() {
    // A voussoir under stepped courses shows several faces to its neighbour; they share corners.
    for recipe in recipes::all() {
        let model = recipe.build(&[]).unwrap();
        let (bodies, placements) = Bodies::of_model(&model).unwrap();
        let mut detector = Detector::new(bodies, DetectorSettings::default());
        let contacts = detector.detect(&placements);
        for i in &contacts.interfaces {
            let shares: f64 = contacts.of(i).iter().map(|c| c.area).sum();
            assert!(
                (shares - i.area).abs() <= 1e-9 * i.area,
                "{} {:?}: {shares} of {}",
                recipe.name,
                i.blocks,
                i.area
            );
        }
    }
}

#[test]
fn every_recipe_is_one_structure_with_its_supports() {
    for recipe in recipes::all() {
        let model = recipe.build(&[]).unwrap();
        // Supports hold each other through the earth; everything else must hang on one by a chain of contacts.
        let mut reached: Vec<bool> = model.blocks.iter().map(|b| b.fixed).collect();
        let pairs: Vec<[usize; 2]> = areas(&model).into_keys().collect();
        while let Some(&[i, j]) = pairs.iter().find(|[i, j]| reached[*i] != reached[*j]) {
            (reached[i], reached[j]) = (true, true);
        }
        assert!(reached.iter().all(|r| *r), "{}: a block hangs on nothing", recipe.name);
    }
}

#[test]
fn areas_known_by_construction_are_found() {
    let total = |model: &Model| areas(model).values().sum::<f64>();
    let close = |found: f64, known: f64| assert!((found / known - 1.0).abs() < 1e-9, "{found} is not {known}");
    close(
        total(&built("stack", &[("blocks", "7"), ("width", "0.8"), ("depth", "0.5")])),
        7.0 * 0.8 * 0.5,
    );
    close(
        total(&built(
            "arch",
            &[("voussoirs", "21"), ("thickness", "0.6"), ("width", "0.9")],
        )),
        22.0 * 0.6 * 0.9,
    );
    close(total(&built("oppenheim-arch", &[])), 8.0 * 1.5 * 1.0);
    // 12 courses of 0.25 m, 6 m long and 0.3 m thick: 12 bed joints; 11 head joints in six courses, 12 in the others.
    close(
        total(&built("wall", &[])),
        12.0 * 6.0 * 0.3 + (6.0 * 11.0 + 6.0 * 12.0) * 0.25 * 0.3,
    );
    // A prism of 0.6 m between walls touches with both its ends.
    close(total(&built("model-h", &[])), 2.0 * 0.8 * 1.0);
}

#[test]
fn both_searches_agree_on_the_joints_of_rubble_walls() {
    for seed in 1..=15 {
        let model = built("rubble-wall", &[("seed", &seed.to_string())]);
        let settings = SearchSettings::for_model(&model);
        let [parts, faces] = [Search::Parts, Search::Faces].map(|search| survey(&model, search, &settings).unwrap());
        assert_eq!(parts.joints.len(), faces.joints.len(), "seed {seed}");
        assert!((parts.area() / faces.area() - 1.0).abs() < 1e-9, "seed {seed}");
    }
}

#[test]
fn a_rubble_wall_with_mortar_has_the_joints_of_a_dry_one() {
    let joined = |mortar: &str| {
        let model = built("rubble-wall", &[("mortar", mortar)]);
        drystone_contact::joints(&model).unwrap()
    };
    let (dry, mortared) = (joined("0"), joined("0.005"));
    // Slim faces are gone with what was cut back.
    assert!(
        mortared.joints.len() > 8 * dry.joints.len() / 10,
        "{}",
        mortared.joints.len()
    );
    assert!(mortared.area() > 0.9 * dry.area());
    let model = built("rubble-wall", &[("mortar", "0.005")]);
    assert_eq!(mortared.components(&model).len(), 1);
}

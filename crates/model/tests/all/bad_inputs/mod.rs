//! What a bad model file, or one of stages, is told. The table in docs/bad-inputs.md is made from these cases; run with
//! `UPDATE_DOCS=1` to write it anew.

mod files;
mod made;
mod meshes;
mod stages;
mod values;

use drystone_model::{check, file};
use made::{Case, add, set, sound};
use meshes::add_cuboid;
use serde_json::json;

#[test]
fn a_cavity_and_a_block_of_two_pieces_are_sound() {
    for (min, max, inside_out) in [([0.25; 3], [0.75; 3], true), ([2.0, 0.0, 0.0], [3.0, 1.0, 1.0], false)] {
        let mut model = sound();
        add_cuboid(&mut model, min, max, inside_out);
        file::parse(model.to_string().as_bytes(), "model.json").unwrap();
    }
}

fn cases() -> Vec<Case> {
    [
        files::text_cases(),
        files::structure_cases(),
        values::value_cases(),
        values::reference_cases(),
        values::tie_cases(),
        meshes::mesh_cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Every case with the name of its file and what it is told.
fn told() -> Vec<(Case, &'static str, String)> {
    let models = cases().into_iter().map(|case| {
        let message = message(&case.text);
        (case, "model.json", message)
    });
    let model = file::parse(sound().to_string().as_bytes(), "model.json").unwrap();
    let stages = stages::stage_cases().into_iter().map(|case| {
        let message = file::parse_stages(case.text.as_bytes(), "stages.json", &model).expect_err(case.title);
        (case, "stages.json", message.to_string())
    });
    models.chain(stages).collect()
}

fn message(text: &str) -> String {
    file::parse(text.as_bytes(), "model.json")
        .expect_err("a bad file must be refused")
        .to_string()
}

#[test]
fn the_sound_model_is_accepted() {
    let model = file::parse(sound().to_string().as_bytes(), "model.json").unwrap();
    assert_eq!(check::problems(&model), []);
    assert!(check::overlaps(&model).unwrap().is_empty());
}

/// Built, loaded, held and removed in order, with a load that is taken off with its block.
#[test]
fn sound_stages_are_accepted() {
    let model = file::parse(sound().to_string().as_bytes(), "model.json").unwrap();
    let stages = json!({ "stages": [
        { "move": [{ "blocks": ["ground"], "by": [0, 0, -0.1] }] },
        { "build": ["cube"] },
        { "loads": { "push": 2 }, "control": { "block": "cube", "direction": [1, 0, 0], "to_m": 0.1 } },
        { "loads": { "push": 0 }, "remove": ["cube"] },
    ] });
    file::parse_stages(stages.to_string().as_bytes(), "stages.json", &model).unwrap();
}

#[test]
fn every_bad_file_is_told_what_is_wrong_where_and_what_is_allowed() {
    for (case, file, message) in told() {
        assert!(
            message.starts_with(file),
            "{}: the file is not named: {message}",
            case.title
        );
        let mut rest = message.as_str();
        for told in case.told {
            let Some(at) = rest.find(told) else {
                panic!("{}: `{told}` is not in\n{message}", case.title)
            };
            rest = &rest[at + told.len()..];
        }
    }
}

#[test]
fn faults_of_one_file_are_reported_together() {
    let mut model = sound();
    add("/blocks/0", "fixd", json!(true))(&mut model);
    set("/blocks/1/material", json!(5))(&mut model);
    add("", "gravity", json!([0, 0]))(&mut model);
    let message = message(&model.to_string());
    for told in [
        "3 problems",
        "block 0 (`ground`)",
        "block 1 (`plinth`), material",
        "gravity",
    ] {
        assert!(message.contains(told), "{message}");
    }
}

#[test]
fn what_a_person_should_judge_is_a_warning() {
    let mut free = sound();
    free["blocks"][0]["fixed"] = json!(false);
    free["support_motions"] = json!([]);
    let model = file::parse(free.to_string().as_bytes(), "model.json").unwrap();
    let found = check::problems(&model);
    assert_eq!(found.len(), 1);
    assert!(!found[0].is_error() && found[0].message.contains("no block is fixed"));

    // A command line may give what is missing.
    let mut unknown = sound();
    unknown["deformable"] = json!([{ "blocks": "wall" }]);
    let told = |model: &serde_json::Value| {
        let model = file::parse(model.to_string().as_bytes(), "model.json").unwrap();
        let found = check::problems(&model);
        assert!(found.iter().all(|p| !p.is_error()));
        found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    let all = told(&unknown);
    for said in [
        "block 1 (`plinth`): is deformable but has neither `young_pa` nor `poisson` (like 1 more block)",
        "in its material, or `elasticity` in the model, or --young and --poisson",
    ] {
        assert!(all.contains(said), "{all}");
    }
    unknown["elasticity"] = json!({ "young_pa": 6e10, "poisson": 0.2 });
    assert_eq!(told(&unknown), "");
    unknown["deformable"] = json!([{ "blocks": "ground" }]);
    let supports = told(&unknown);
    assert!(
        supports.contains("deformable[0].blocks: `ground` names supports only, which stay rigid"),
        "{supports}"
    );

    let mut deep = sound();
    deep["blocks"][2]["pose"]["position"][2] = json!(0.75);
    let model = file::parse(deep.to_string().as_bytes(), "model.json").unwrap();
    let summary = check::summary(&model);
    assert!((summary.worst_overlap - 0.25).abs() < 1e-12);
    let told = summary.problems[0].to_string();
    assert!(
        told.contains("block 1 (`plinth`) and block 2 (`cube`)") && told.contains("overlap by 2.500e-1 m"),
        "{told}"
    );
}

#[test]
fn the_table_of_bad_inputs_in_the_docs_is_the_one_produced() {
    let mut table = String::from(
        "# What bad input is told\n\nEvery error names the file, the block, the field, the value and what is allowed. \
         Made from `crates/model/tests/bad_inputs`.\n\n| input | message |\n|---|---|\n",
    );
    for (case, _, message) in told() {
        let message = message
            .replace("\n  ", "<br>")
            .replace('\n', "<br>")
            .replace('|', "\\|");
        table.push_str(&format!("| {} | {message} |\n", case.title));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/bad-inputs.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    assert_eq!(
        std::fs::read_to_string(path).unwrap(),
        table,
        "run with UPDATE_DOCS=1 to write the table anew"
    );
}

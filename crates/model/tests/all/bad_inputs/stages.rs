//! Files of stages that do not fit the sound model, or that make no sense one after another.

use serde_json::{Value, json};

use super::made::Case;

fn of(title: &'static str, stages: Value, told: &'static [&'static str]) -> Case {
    Case {
        title,
        text: json!({ "stages": stages }).to_string(),
        told,
    }
}

pub(crate) fn stage_cases() -> Vec<Case> {
    let control = |block: &str| json!({ "block": block, "direction": [1, 0, 0], "to_m": 0.1 });
    vec![
        Case {
            title: "stages cut short",
            text: "{\"stages\": [\n {\"name\": \"weight\"}".to_string(),
            told: &["stages.json:2:", "not a whole JSON file"],
        },
        Case {
            title: "a file of something else than stages",
            text: "[1, 2]".to_string(),
            told: &["[1,2] is not an object in braces {}"],
        },
        of(
            "a field of a stage misspelt",
            json!([{ "gravty": 1 }]),
            &["stages[0]", "unknown field `gravty`", "did you mean `gravity`?"],
        ),
        of(
            "a field of a stage like nothing",
            json!([{ "wind": 1 }]),
            &["stages[0]", "unknown field `wind`", "known here: ", "loads, ", "move, "],
        ),
        of(
            "a motion of a support without its blocks in a list",
            json!([{ "move": [{ "blocks": "ground", "by": [0, 0, -1] }] }]),
            &["stages[0].move[0].blocks", "\"ground\" is not a list"],
        ),
        of("no stages", json!([]), &["stages: is empty"]),
        of(
            "steps that are none",
            json!([{ "steps": 0 }]),
            &["stages[0].steps: must be from 1 to 100000"],
        ),
        of(
            "a stage of a load case that is not there",
            json!([{ "loads": { "wind": 1 } }]),
            &["stages[0].loads: there is no load case `wind`"],
        ),
        of(
            "a stage that loads a block before it is built",
            json!([{}, { "loads": { "push": 1 } }, { "build": ["cube"] }]),
            &[
                "1 problem",
                "stages[1].loads.push: acts on no free block that is there in this stage",
            ],
        ),
        of(
            "a stage that removes a block before it is built",
            json!([{ "remove": ["cube"] }, { "build": ["cube"] }]),
            &[
                "1 problem",
                "stages[0].remove: block `cube` is removed before it is built",
            ],
        ),
        of(
            "a block built twice",
            json!([{ "build": ["cube"] }, { "build": ["wall"] }]),
            &["1 problem", "stages[1].build: block `cube` is built already"],
        ),
        of(
            "a block removed twice",
            json!([{ "remove": ["cube"] }, {}, { "remove": ["cube"] }]),
            &[
                "1 problem",
                "stages[2].remove: block `cube` was removed in stages[0] already",
            ],
        ),
        of(
            "a stage that removes everything",
            json!([{}, { "remove": ["wall"] }]),
            &[
                "1 problem",
                "stages[1]: there is no free block in it: nothing is left to stand",
            ],
        ),
        of(
            "a stage that moves a free block",
            json!([{ "move": [{ "blocks": ["cube"], "by": [0, 0, -1] }] }]),
            &["stages[0].move[0].blocks: block `cube` is not fixed; only supports are moved"],
        ),
        of(
            "a stage that moves a support that is not there",
            json!([{ "move": [{ "blocks": ["ground"], "by": [0, 0, -1] }], "remove": ["ground"] }]),
            &["stages[0].move[0].blocks: block `ground` is not there in this stage"],
        ),
        of(
            "control of a support",
            json!([{ "loads": { "push": 1 }, "control": control("ground") }]),
            &["stages[0].control.block: there is no free block `ground`"],
        ),
        of(
            "control of a block that is not there",
            json!([{ "loads": { "push": 1 }, "control": control("plinth"), "remove": ["plinth"] }]),
            &[
                "1 problem",
                "stages[0].control.block: block `plinth` is not there in this stage",
            ],
        ),
        of(
            "control without a load",
            json!([{ "control": control("cube") }]),
            &["stages[0].control: needs `loads`, whose factor it finds"],
        ),
        of(
            "control with a load of zero",
            json!([{ "loads": { "push": 0 }, "control": control("cube") }]),
            &["stages[0].control: needs `loads` that are not zero"],
        ),
    ]
}

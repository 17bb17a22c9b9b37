//! Files that are no JSON, or not of the structure of a model.

use serde_json::json;

use super::made::{Case, add, changed, set, sound};

pub(crate) fn text_cases() -> Vec<Case> {
    let raw = |title, text: &str, told| Case {
        title,
        text: text.to_string(),
        told,
    };
    let sound = sound().to_string();
    vec![
        raw("an empty file", "  \n", &["not JSON", "the file is empty"]),
        raw("a list instead of a model", "[]", &["[] is not an object in braces {}"]),
        raw(
            "a comma too many",
            "{\"drystone\": 1,}",
            &["1:16", "not JSON", "trailing comma"],
        ),
        raw(
            "a file cut short",
            &sound[..sound.len() / 2],
            &["not a whole JSON file: it ends too early, within a"],
        ),
        raw(
            "NaN as a number",
            "{\"drystone\": 1,\n \"density\": NaN, \"blocks\": []}",
            &["2:", "not JSON", "`NaN` is not a number; every number must be finite"],
        ),
        raw(
            "a number too large",
            &sound.replace("2700.0", "1e999"),
            &["not JSON", "number out of range"],
        ),
        raw(
            "a field given twice",
            &sound.replacen("\"drystone\":1", "\"drystone\":1,\"drystone\":1", 1),
            &["duplicate field `drystone`"],
        ),
        raw(
            "nesting without end",
            &"[".repeat(100_000),
            &["not JSON", "recursion limit"],
        ),
    ]
}

pub(crate) fn structure_cases() -> Vec<Case> {
    vec![
        changed(
            "a version from the future",
            set("/drystone", json!(7)),
            &["drystone", "7 is not a version", "reads 1"],
        ),
        changed(
            "no version",
            |m| drop(m.as_object_mut().unwrap().remove("drystone")),
            &["field `drystone` is missing"],
        ),
        changed(
            "an unknown field",
            add("/blocks/1", "densty", json!(3)),
            &[
                "block 1 (`plinth`)",
                "unknown field `densty`",
                "did you mean `density`?",
            ],
        ),
        changed(
            "an unknown field like nothing",
            add("", "colour_of_sky", json!(3)),
            &["unknown field `colour_of_sky`", "known here: drystone, name"],
        ),
        changed(
            "text for a number",
            set("/joints/friction", json!("high")),
            &["joints.friction", "\"high\" is not a number"],
        ),
        changed(
            "two coordinates for three",
            set("/blocks/2/pose/position", json!([1, 2])),
            &["block 2 (`cube`), pose.position", "has 2 entries; 3 needed"],
        ),
        changed(
            "an unknown shape",
            set("/blocks/1/shape", json!({ "sphere": { "radius": 1 } })),
            &["block 1 (`plinth`), shape", "must be one of `box`, `prism`, `mesh`"],
        ),
        changed(
            "a shape misspelt",
            set("/blocks/1/shape", json!({ "prizm": {} })),
            &["block 1 (`plinth`), shape", "did you mean `prism`?"],
        ),
        // Broke: the second shape was called an unknown field.
        changed(
            "two shapes for one block",
            add("/blocks/0/shape", "mesh", json!({ "vertices": [], "faces": [] })),
            &["block 0 (`ground`), shape: give one of `box`, `prism`, `mesh`"],
        ),
        changed(
            "two rotations for one block",
            add(
                "/blocks/2/pose",
                "rotation",
                json!({ "axis": [0, 0, 1], "angle_deg": 30, "quaternion": [1, 0, 0, 0] }),
            ),
            &["block 2 (`cube`), pose.rotation: give one of `axis` with `angle_deg`, `quaternion`"],
        ),
        changed(
            "an axis that is none",
            set("/blocks/1/shape/prism/axis", json!("w")),
            &[
                "block 1 (`plinth`), shape.prism.axis",
                "\"w\" is not allowed",
                "`x`, `y`, `z`",
            ],
        ),
        changed(
            "a negative index",
            set("/blocks/2/shape/mesh/faces/0/1", json!(-2)),
            &["block 2 (`cube`), shape.mesh.faces[0][1]", "-2"],
        ),
        changed(
            "three faults at once",
            |m| {
                add("/blocks/0", "fixd", json!(true))(m);
                set("/blocks/1/material", json!(5))(m);
                add("", "gravity", json!([0, 0]))(m);
            },
            &["3 problems", "`fixd`", "did you mean `fixed`?"],
        ),
    ]
}

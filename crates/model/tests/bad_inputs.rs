//! What a bad model file is told. The table in docs/bad-inputs.md is made from these cases; run with
//! `UPDATE_DOCS=1` to write it anew.

use drystone_model::{check, file};
use serde_json::{Value, json};

/// A small sound model: a box on the ground, a prism on the box and a mesh (a cube) on the prism.
fn sound() -> Value {
    json!({
        "drystone": 1,
        "materials": { "granite": { "density": 2700.0 } },
        "joints": { "friction": 0.6, "groups": [{ "between": ["ground", "wall"], "friction": 0.7 }] },
        "blocks": [
            { "name": "ground", "shape": { "box": { "size": [4, 4, 1], "center": [0, 0, -0.5] } },
              "fixed": true, "group": "ground" },
            { "name": "plinth", "shape": { "prism": { "polygon": [[-1, 0], [1, 0], [0.5, 1], [-0.5, 1]], "axis": "y",
              "from": -0.5, "to": 0.5 } }, "group": "wall", "material": "granite" },
            { "name": "cube", "shape": { "mesh": {
                "vertices": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
                "faces": [[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]] } },
              "pose": { "position": [-0.5, -0.5, 1] }, "group": "wall" }
        ],
        "load_cases": { "push": { "forces": [{ "block": "cube", "force": [10, 0, 0] }] } },
        "motions": { "quake": { "table": { "quantity": "acceleration", "times": [0, 1], "values": [[0, 0, 0], [1, 0, 0]] } } },
        "support_motions": [{ "motion": "quake", "blocks": ["ground"] }]
    })
}

struct Case {
    title: &'static str,
    text: String,
    /// What the message must contain, in order.
    told: &'static [&'static str],
}

/// A case made from the sound model by one change.
fn changed(title: &'static str, change: impl Fn(&mut Value), told: &'static [&'static str]) -> Case {
    let mut value = sound();
    change(&mut value);
    Case {
        title,
        text: value.to_string(),
        told,
    }
}

fn set(pointer: &'static str, to: Value) -> impl Fn(&mut Value) {
    move |model| *model.pointer_mut(pointer).unwrap() = to.clone()
}

fn add(pointer: &'static str, key: &'static str, to: Value) -> impl Fn(&mut Value) {
    move |model| {
        model
            .pointer_mut(pointer)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .insert(key.to_string(), to.clone());
    }
}

const FACES: &str = "/blocks/2/shape/mesh/faces";
const VERTICES: &str = "/blocks/2/shape/mesh/vertices";

/// Adds the surface of a box to the mesh of the cube.
fn add_cuboid(model: &mut Value, min: [f64; 3], max: [f64; 3], inside_out: bool) {
    let mut faces = sound().pointer(FACES).unwrap().as_array().unwrap().clone();
    for face in &mut faces {
        let face = face.as_array_mut().unwrap();
        face.iter_mut().for_each(|v| *v = json!(v.as_u64().unwrap() + 8));
        if inside_out {
            face.reverse();
        }
    }
    let corners = sound().pointer(VERTICES).unwrap().as_array().unwrap().clone();
    let placed = |corner: &Value| -> Value { (0..3).map(|k| if corner[k] == 0 { min[k] } else { max[k] }).collect() };
    let list = |model: &mut Value, pointer: &str, more: Vec<Value>| {
        model.pointer_mut(pointer).unwrap().as_array_mut().unwrap().extend(more);
    };
    list(model, VERTICES, corners.iter().map(placed).collect());
    list(model, FACES, faces);
}

#[test]
fn a_cavity_and_a_block_of_two_pieces_are_sound() {
    for (min, max, inside_out) in [([0.25; 3], [0.75; 3], true), ([2.0, 0.0, 0.0], [3.0, 1.0, 1.0], false)] {
        let mut model = sound();
        add_cuboid(&mut model, min, max, inside_out);
        file::parse(model.to_string().as_bytes(), "model.json").unwrap();
    }
}

fn text_cases() -> Vec<Case> {
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
        raw("a file cut short", &sound[..sound.len() / 2], &["not JSON", "EOF"]),
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

fn structure_cases() -> Vec<Case> {
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

fn value_cases() -> Vec<Case> {
    vec![
        changed(
            "zero density",
            set("/materials/granite/density", json!(0)),
            &["materials.granite.density", "0 is not allowed; must be above 0"],
        ),
        changed(
            "negative density of a block",
            add("/blocks/2", "density", json!(-5.0)),
            &["block 2 (`cube`), density", "-5 is not allowed; must be above 0"],
        ),
        changed(
            "mass and density",
            |m| {
                add("/blocks/2", "density", json!(5.0))(m);
                add("/blocks/2", "mass", json!(5.0))(m)
            },
            &["block 2 (`cube`), mass", "give one of them"],
        ),
        changed(
            "negative friction",
            set("/joints/groups/0/friction", json!(-0.1)),
            &["joints.groups[0].friction", "-0.1 is not allowed; must be 0 or above"],
        ),
        changed(
            "a rotation about nothing",
            add(
                "/blocks/2/pose",
                "rotation",
                json!({ "axis": [0, 0, 0], "angle_deg": 30 }),
            ),
            &["block 2 (`cube`), pose.rotation.axis", "has no direction"],
        ),
        // Broke: the axis was written out with three hundred zeros.
        changed(
            "a rotation about next to nothing",
            add(
                "/blocks/2/pose",
                "rotation",
                json!({ "axis": [0, 1e-310, 0], "angle_deg": 30 }),
            ),
            &["block 2 (`cube`), pose.rotation.axis: [0, 1e-310, 0] has no direction"],
        ),
        changed(
            "a box without thickness",
            set("/blocks/0/shape/box/size/2", json!(0)),
            &["block 0 (`ground`), shape.box.size", "three lengths above 0"],
        ),
        changed(
            "a prism without length",
            set("/blocks/1/shape/prism/to", json!(-0.5)),
            &["block 1 (`plinth`), shape.prism.to", "from and to must differ"],
        ),
        changed(
            "times that go back",
            set("/motions/quake/table/times", json!([1, 0])),
            &["motions.quake.table.times[1]", "times must increase"],
        ),
        changed(
            "a planarity tolerance of a metre",
            add("", "tolerances", json!({ "planarity": 1.0 })),
            &["tolerances.planarity", "at most 0.1"],
        ),
    ]
}

fn reference_cases() -> Vec<Case> {
    vec![
        changed(
            "no blocks",
            |m| {
                for key in ["load_cases", "support_motions", "joints"] {
                    m.as_object_mut().unwrap().remove(key);
                }
                set("/blocks", json!([]))(m)
            },
            &["blocks", "is empty"],
        ),
        changed(
            "a name used twice",
            set("/blocks/2/name", json!("plinth")),
            &["block 2 (`plinth`)", "name is used twice; block 1 has it too"],
        ),
        changed(
            "an empty name",
            set("/blocks/2/name", json!("")),
            &["block 2", "must not be empty"],
        ),
        changed(
            "a material that is not there",
            set("/blocks/1/material", json!("granit")),
            &[
                "block 1 (`plinth`), material",
                "no material called `granit`",
                "did you mean `granite`?",
            ],
        ),
        changed(
            "a group that is not there",
            set("/joints/groups/0/between/1", json!("walls")),
            &[
                "joints.groups[0].between",
                "no group called `walls`",
                "did you mean `wall`?",
            ],
        ),
        changed(
            "a load on no block",
            set("/load_cases/push/forces/0/block", json!("cub")),
            &["load_cases.push", "no block called `cub`", "did you mean `cube`?"],
        ),
        changed(
            "a motion for a free block",
            set("/support_motions/0/blocks/0", json!("cube")),
            &["support_motions[0].blocks", "block `cube` is free"],
        ),
        changed(
            "a motion that is not there",
            set("/support_motions/0/motion", json!("quack")),
            &["support_motions[0].motion", "did you mean `quake`?"],
        ),
    ]
}

fn mesh_cases() -> Vec<Case> {
    vec![
        changed(
            "a mesh that is not closed",
            |m| drop(m.pointer_mut(FACES).unwrap().as_array_mut().unwrap().pop()),
            &["block 2 (`cube`), shape.mesh", "not closed", "belongs to one face only"],
        ),
        changed(
            "a mesh inside-out",
            |m| {
                for f in m.pointer_mut(FACES).unwrap().as_array_mut().unwrap() {
                    f.as_array_mut().unwrap().reverse()
                }
            },
            &[
                "block 2 (`cube`), shape.mesh",
                "inside-out",
                "counter-clockwise as seen from outside",
            ],
        ),
        changed(
            "one face turned over",
            |m| m.pointer_mut(FACES).unwrap()[3].as_array_mut().unwrap().reverse(),
            &["face 3 is turned the wrong way"],
        ),
        changed(
            "a mesh that cuts itself",
            |m| {
                // The top is drawn down to a point below the bottom.
                m.pointer_mut(VERTICES)
                    .unwrap()
                    .as_array_mut()
                    .unwrap()
                    .push(json!([0.5, 0.5, -0.5]));
                let faces = m.pointer_mut(FACES).unwrap().as_array_mut().unwrap();
                faces.remove(1);
                faces.extend([[4, 5, 8], [5, 6, 8], [6, 7, 8], [7, 4, 8]].map(|f| json!(f)));
            },
            &[
                "block 2 (`cube`), shape.mesh",
                "the surface cuts itself",
                "passes through face 0",
            ],
        ),
        changed(
            "a face twice",
            |m| {
                let f = m.pointer(FACES).unwrap()[0].clone();
                m.pointer_mut(FACES).unwrap().as_array_mut().unwrap().push(f)
            },
            &["faces 0 and 6 have the same corners"],
        ),
        changed(
            "a corner named twice in a face",
            set("/blocks/2/shape/mesh/faces/0", json!([3, 2, 2, 0])),
            &["face 0 names vertex 2 twice"],
        ),
        changed(
            "a face with two corners",
            set("/blocks/2/shape/mesh/faces/0", json!([3, 2])),
            &["face 0 has 2 corners; at least 3"],
        ),
        changed(
            "a vertex that is not there",
            set("/blocks/2/shape/mesh/faces/0/1", json!(9)),
            &["face 0 names vertex 9, but there are only 8 vertices (0 to 7)"],
        ),
        changed(
            "a face that is not planar",
            set("/blocks/2/shape/mesh/vertices/6/2", json!(1.01)),
            &["face 1 is not planar", "allowed", "Raise `tolerances.planarity`"],
        ),
        // Broke: no edge of such meshes passes through a face, so they were taken for solids; they only failed later,
        // where convex parts were needed.
        changed(
            "two surfaces that overlap in one mesh",
            |m| add_cuboid(m, [0.5, 0.0, 0.0], [1.5, 1.0, 1.0], false),
            &[
                "block 2 (`cube`), shape.mesh: cannot be cut into convex parts",
                "blocks of their own",
            ],
        ),
        changed(
            "a surface inside-out beside another",
            |m| add_cuboid(m, [2.0, 0.0, 0.0], [2.5, 0.5, 0.5], true),
            &[
                "block 2 (`cube`), shape.mesh: cannot be cut into convex parts",
                "looks inwards",
            ],
        ),
        changed(
            "a surface within another that looks outwards too",
            |m| add_cuboid(m, [0.25, 0.25, 0.25], [0.75, 0.75, 0.75], false),
            &[
                "block 2 (`cube`), shape.mesh: cannot be cut into convex parts",
                "looks inwards",
            ],
        ),
        changed(
            "a flat mesh",
            |m| {
                for v in m.pointer_mut(VERTICES).unwrap().as_array_mut().unwrap() {
                    v[2] = json!(0)
                }
            },
            &["degenerate"],
        ),
        changed(
            "two vertices for one",
            |m| {
                m.pointer_mut(VERTICES)
                    .unwrap()
                    .as_array_mut()
                    .unwrap()
                    .push(json!([0, 0, 0]));
                set("/blocks/2/shape/mesh/faces/2/0", json!(8))(m)
            },
            &["vertices 0 and 8 are at the same place"],
        ),
        changed(
            "parts that do not fill the shape",
            add(
                "/blocks/2/shape/mesh",
                "parts",
                json!([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]]),
            ),
            &["block 2 (`cube`), shape.mesh.parts", "must fill it exactly"],
        ),
        // Broke: parts were only asked for their volume, so contact would have been looked for in the wrong place.
        changed(
            "parts of the right volume in the wrong place",
            add(
                "/blocks/2/shape/mesh",
                "parts",
                json!([[
                    [5, 0, 0],
                    [6, 0, 0],
                    [6, 1, 0],
                    [5, 1, 0],
                    [5, 0, 1],
                    [6, 0, 1],
                    [6, 1, 1],
                    [5, 1, 1]
                ]]),
            ),
            &["block 2 (`cube`), shape.mesh.parts", "lie elsewhere or on each other"],
        ),
        // Broke: the same half twice has the volume of the whole.
        changed(
            "the same part twice",
            add(
                "/blocks/2/shape/mesh",
                "parts",
                json!([
                    [
                        [0, 0, 0],
                        [1, 0, 0],
                        [1, 0.5, 0],
                        [0, 0.5, 0],
                        [0, 0, 1],
                        [1, 0, 1],
                        [1, 0.5, 1],
                        [0, 0.5, 1]
                    ],
                    [
                        [0, 0, 0],
                        [1, 0, 0],
                        [1, 0.5, 0],
                        [0, 0.5, 0],
                        [0, 0, 1],
                        [1, 0, 1],
                        [1, 0.5, 1],
                        [0, 0.5, 1]
                    ]
                ]),
            ),
            &["block 2 (`cube`), shape.mesh.parts", "lie elsewhere or on each other"],
        ),
        // Broke: the volume of such a box overflowed, and looking at its faces ended in a panic.
        changed(
            "a box larger than numbers can describe",
            set("/blocks/0/shape/box/size", json!([1e200, 1e200, 1e200])),
            &["block 0 (`ground`), shape.box", "reaches 5.000e199 m", "allowed 1e12 m"],
        ),
        changed(
            "a box smaller than numbers can describe",
            set("/blocks/0/shape/box", json!({ "size": [1e-100, 1e-100, 1e-100] })),
            &[
                "block 0 (`ground`), shape.box",
                "1.732e-100 m across",
                "at least 1e-30 m",
            ],
        ),
        // Broke: the corners of such a block round to one point, which left it without volume and mass, untold.
        changed(
            "a block too far from the origin for its size",
            set("/blocks/2/pose/position", json!([1e10, 0, 0])),
            &[
                "block 2 (`cube`), shape.mesh",
                "too coarse",
                "move the structure to the origin",
            ],
        ),
        changed(
            "a prism whose outline crosses itself",
            set(
                "/blocks/1/shape/prism/polygon",
                json!([[-1, 0], [1, 0], [-0.5, 1], [0.7, 1]]),
            ),
            &[
                "1 problem\n",
                "block 1 (`plinth`), shape.prism.polygon",
                "crosses itself",
                "the edge from corner 1 to 2 crosses the one from corner 3 to 0",
            ],
        ),
        changed(
            "a prism with a corner twice",
            set(
                "/blocks/1/shape/prism/polygon",
                json!([[-1, 0], [1, 0], [1, 0], [0.5, 1], [-0.5, 1]]),
            ),
            &["shape.prism.polygon", "corners 1 and 2 are both at [1, 0]"],
        ),
        // Broke: spikes without width and outlines that touch themselves passed, as no two edges cross.
        changed(
            "a prism with a spike without width",
            set(
                "/blocks/1/shape/prism/polygon",
                json!([[0, 0], [1, 0], [1, 1], [2, 1], [1, 1], [0, 1]]),
            ),
            &[
                "shape.prism.polygon",
                "touches itself",
                "corners 2 and 4 are both at [1, 1]",
            ],
        ),
        changed(
            "a prism with a notch down to its base",
            set(
                "/blocks/1/shape/prism/polygon",
                json!([[0, 0], [2, 0], [2, 2], [1, 0], [0, 2]]),
            ),
            &[
                "shape.prism.polygon",
                "touches itself",
                "corner 3 at [1, 0] lies on the edge from corner 0 to 1",
            ],
        ),
        changed(
            "a prism without area",
            set("/blocks/1/shape/prism/polygon", json!([[0, 0], [1, 1], [3, 3]])),
            &["shape.prism.polygon"],
        ),
        changed(
            "a mesh with a face that touches itself",
            |m| {
                // A prism whose end faces have a notch that reaches down to the base.
                let outline = [[0, 0], [2, 0], [2, 2], [1, 0], [0, 2]];
                let at = |z: i32| outline.map(|[x, y]| json!([x, y, z]));
                let vertices: Vec<Value> = at(0).into_iter().chain(at(1)).collect();
                let side = |k: usize| json!([k, (k + 1) % 5, (k + 1) % 5 + 5, k + 5]);
                let mut faces: Vec<Value> = (0..5).map(side).collect();
                faces.extend([json!([4, 3, 2, 1, 0]), json!([5, 6, 7, 8, 9])]);
                set("/blocks/2/shape/mesh", json!({ "vertices": vertices, "faces": faces }))(m);
            },
            &[
                "block 2 (`cube`), shape.mesh",
                "the outline of face 5 touches itself",
                "vertex 3 lies on its edge from vertex 1 to vertex 0",
            ],
        ),
    ]
}

fn cases() -> Vec<Case> {
    [
        text_cases(),
        structure_cases(),
        value_cases(),
        reference_cases(),
        mesh_cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
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

#[test]
fn every_bad_file_is_told_what_is_wrong_where_and_what_is_allowed() {
    for case in cases() {
        let message = message(&case.text);
        assert!(
            message.starts_with("model.json"),
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
         Made from `crates/model/tests/bad_inputs.rs`.\n\n| input | message |\n|---|---|\n",
    );
    for case in cases() {
        let message = message(&case.text)
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

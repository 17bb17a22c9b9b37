//! Bad files made from a sound one by one change.

use serde_json::{Value, json};

/// A small sound model: a box on the ground, a prism on the box and a mesh (a cube) on the prism.
pub(crate) fn sound() -> Value {
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

pub(crate) struct Case {
    pub(crate) title: &'static str,
    pub(crate) text: String,
    /// What the message must contain, in order.
    pub(crate) told: &'static [&'static str],
}

/// A case made from the sound model by one change.
pub(crate) fn changed(title: &'static str, change: impl Fn(&mut Value), told: &'static [&'static str]) -> Case {
    let mut value = sound();
    change(&mut value);
    Case {
        title,
        text: value.to_string(),
        told,
    }
}

pub(crate) fn set(pointer: &'static str, to: Value) -> impl Fn(&mut Value) {
    move |model| *model.pointer_mut(pointer).unwrap() = to.clone()
}

pub(crate) fn add(pointer: &'static str, key: &'static str, to: Value) -> impl Fn(&mut Value) {
    move |model| {
        model
            .pointer_mut(pointer)
            .unwrap()
            .as_object_mut()
            .unwrap()
            .insert(key.to_string(), to.clone());
    }
}

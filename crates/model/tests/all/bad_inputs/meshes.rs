//! Shapes that are no solids.

use serde_json::{Value, json};

use super::made::{Case, add, changed, set, sound};

pub(crate) const FACES: &str = "/blocks/2/shape/mesh/faces";
pub(crate) const VERTICES: &str = "/blocks/2/shape/mesh/vertices";

/// Adds the surface of a box to the mesh of the cube.
pub(crate) fn add_cuboid(model: &mut Value, min: [f64; 3], max: [f64; 3], inside_out: bool) {
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

pub(crate) fn mesh_cases() -> Vec<Case> {
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
            &["block 0 (`ground`), shape.box", "reaches 5.000e199 m", "allowed 1e8 m"],
        ),
        changed(
            "a box smaller than numbers can describe",
            set("/blocks/0/shape/box", json!({ "size": [1e-100, 1e-100, 1e-100] })),
            &[
                "block 0 (`ground`), shape.box",
                "1.732e-100 m across",
                "at least 1e-9 m",
            ],
        ),
        // Broke: the corners of such a block round to one point, which left it without volume and mass, untold.
        changed(
            "a block too far from the origin for its size",
            |m| {
                set("/blocks/2/shape", json!({ "box": { "size": [0.01, 0.01, 0.01] } }))(m);
                set("/blocks/2/pose/position", json!([9e7, 0, 0]))(m)
            },
            &[
                "block 2 (`cube`), shape.box",
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

//! Values out of range, and names of what is not there.

use serde_json::json;

use crate::made::{Case, add, changed, set};

pub(crate) fn value_cases() -> Vec<Case> {
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

pub(crate) fn reference_cases() -> Vec<Case> {
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

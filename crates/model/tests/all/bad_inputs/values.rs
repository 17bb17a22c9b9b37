//! Values out of range, and names of what is not there.

use serde_json::{Value, json};

use super::made::{Case, add, changed, set};

pub(crate) fn value_cases() -> Vec<Case> {
    vec![
        changed(
            "zero density",
            set("/materials/granite/density", json!(0)),
            &["materials.granite.density", "0 is not allowed; must be above 0"],
        ),
        changed(
            "a material that any force flattens",
            add("/materials/granite", "young_pa", json!(0)),
            &["materials.granite.young_pa", "0 is not allowed; must be above 0"],
        ),
        changed(
            "a material that cannot change its volume",
            add("/materials/granite", "poisson", json!(0.5)),
            &[
                "materials.granite.poisson",
                "0.5 is not allowed; must be 0 or above, and below 0.5",
            ],
        ),
        changed(
            "damping that drives",
            add("/materials/granite", "rayleigh_mass_per_s", json!(-1)),
            &[
                "materials.granite.rayleigh_mass_per_s",
                "-1 is not allowed; must be 0 or above",
            ],
        ),
        changed(
            "elasticity of a model that no number can carry further",
            add(
                "",
                "elasticity",
                json!({ "young_pa": 1e300, "poisson": -0.2, "rayleigh_stiffness_s": -1 }),
            ),
            &[
                "elasticity.young_pa: 1e300 is not allowed; must be from 1e-12 to 1e18 Pa",
                "elasticity.rayleigh_stiffness_s: -1 is not allowed; must be 0 or above",
                "elasticity.poisson: -0.2 is not allowed; must be 0 or above",
            ],
        ),
        changed(
            "elasticity without a Poisson's ratio",
            add("", "elasticity", json!({ "young_pa": 6e10 })),
            &["elasticity", "field `poisson` is missing"],
        ),
        changed(
            "a mesh that is none",
            deformable("wall", json!("T10x3")),
            &[
                "deformable[0].mesh: `T10x3` is no mesh",
                "must be H8xNxNxN or NxNxN",
                "T10 or T10xN",
            ],
        ),
        changed(
            "negative density of a block",
            add("/blocks/2", "density", json!(-5.0)),
            &["block 2 (`cube`), density", "-5 is not allowed; must be above 0"],
        ),
        // Broke: the structure stood with a largest force of `inf MN`.
        changed(
            "a density that no number can carry further",
            set("/materials/granite/density", json!(1e300)),
            &[
                "materials.granite.density",
                "1e300 is not allowed; must be from 1e-12 to 1e12 kg/m3",
            ],
        ),
        changed(
            "a mass that no number can carry further",
            add("/blocks/2", "mass", json!(1e300)),
            &[
                "block 2 (`cube`), mass",
                "1e300 is not allowed; must be from 1e-15 to 1e15 kg",
            ],
        ),
        changed(
            "gravity that no number can carry further",
            add("", "gravity", json!([0, 0, -1e300])),
            &[
                "gravity",
                "[0, 0, -1e300] is not allowed; must be from -1e6 to 1e6 m/s2",
            ],
        ),
        changed(
            "friction that no number can carry further",
            set("/joints/groups/0/friction", json!(1e300)),
            &[
                "joints.groups[0].friction",
                "1e300 is not allowed; must be from 0 to 1e6",
            ],
        ),
        changed(
            "a motion that no number can carry further",
            set(
                "/motions/quake",
                json!({ "sine": { "amplitude": [1e300, 0, 0], "frequency_hz": 1 } }),
            ),
            &[
                "motions.quake.sine.amplitude",
                "[1e300, 0, 0] is not allowed; must be from -1e12 to 1e12",
            ],
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
            "a restitution above one",
            add("/joints/groups/0", "restitution", json!(1.5)),
            &[
                "joints.groups[0].restitution",
                "1.5 is not allowed; must be from 0 to 1",
            ],
        ),
        changed(
            "a joint without stiffness across",
            add("/joints", "stiffness_n_m3", json!([1e9, 0])),
            &["joints.stiffness_n_m3", "0 is not allowed; must be above 0"],
        ),
        changed(
            "a joint that rebounds twice",
            |m| {
                add("/joints/groups/0", "stiffness_n_m3", json!([1e9, 1e9]))(m);
                add("/joints/groups/0", "restitution", json!(0.5))(m)
            },
            &["joints.groups[0].restitution", "springs rebound by themselves"],
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
            "a motion that is none",
            set(
                "/motions/quake",
                json!({ "sin": { "amplitude": [1, 0, 0], "frequency_hz": 1 } }),
            ),
            &[
                "motions.quake",
                "must be one of `table`, `settlement`, `sine`",
                "did you mean `sine`?",
            ],
        ),
        changed(
            "a sine of no frequency",
            set(
                "/motions/quake",
                json!({ "sine": { "amplitude": [1, 0, 0], "frequency_hz": 0 } }),
            ),
            &["motions.quake.sine.frequency_hz: 0 is not allowed; must be above 0"],
        ),
        changed(
            "an impulse that lasts less than nothing",
            set(
                "/motions/quake",
                json!({ "impulse": { "peak": [1, 0, 0], "duration": -0.5 } }),
            ),
            &["motions.quake.impulse.duration: -0.5 is not allowed; must be above 0"],
        ),
        changed(
            "a displacement that jumps",
            set(
                "/motions/quake",
                json!({ "biphasic": { "quantity": "displacement", "peak": [1, 0, 0], "duration": 1 } }),
            ),
            &[
                "motions.quake.biphasic.quantity",
                "would jump",
                "must be `acceleration` or `velocity`",
            ],
        ),
        changed(
            "a record along no direction",
            set(
                "/motions/quake",
                json!({ "sum": [{ "record": { "path": "a.AT2", "direction": [0, 0, 0] } }] }),
            ),
            &["motions.quake.sum[0].record.direction: [0, 0, 0] has no direction"],
        ),
        changed(
            "a record scaled twice",
            set(
                "/motions/quake",
                json!({ "record": { "path": "a.AT2", "scale": 2, "pga": 3 } }),
            ),
            &["motions.quake.record.pga", "both `pga` and `scale` are given"],
        ),
        changed(
            "a turn inside a turn",
            set(
                "/motions/quake",
                json!({ "rotation": { "motion": { "rotation": { "motion": { "ramp": { "to": [0, 1, 0], "duration": 1 } } } } } }),
            ),
            &["motions.quake.rotation.motion.rotation", "stands inside a rotation"],
        ),
        changed(
            "a load on faces on which nothing acts",
            surface(json!({ "blocks": ["cube"] })),
            &[
                "load_cases.push.surfaces[0]: nothing acts",
                "`pressure_pa`, `traction_pa` or `hydrostatic`",
            ],
        ),
        changed(
            "a load on faces of which two things are said",
            surface(json!({ "blocks": ["cube"], "pressure_pa": 1, "traction_pa": [0, 0, -1] })),
            &["load_cases.push.surfaces[0]: `pressure_pa` and `traction_pa` are given; give one of them"],
        ),
        changed(
            "a load on faces of nothing, that looks nowhere, by no angle, of a liquid that is lighter than nothing",
            surface(
                json!({ "facing": [0, 0, 0], "within_deg": 0, "hydrostatic": { "level": 1, "unit_weight": -1, "lateral": -1 } }),
            ),
            &[
                "hydrostatic.unit_weight: -1 is not allowed; must be above 0",
                "hydrostatic.lateral: -1 is not allowed; must be 0 or above",
                "within_deg: 0 is not allowed; must be above 0 and at most 180",
                "facing: [0, 0, 0] has no direction",
                "surfaces[0]: is on no block: give `blocks` or `groups`",
            ],
        ),
        changed(
            "mass that lifts, with an inertia that no body has",
            add(
                "/blocks/2",
                "added_mass",
                json!([{ "mass": -1, "center": [0, 0, 1] }, { "mass": 5, "center": [0, 0, 1], "inertia": [1, 1, 3, 0, 0, 0] }]),
            ),
            &[
                "block 2 (`cube`), added_mass[0].mass: -1 is not allowed; must be above 0",
                "added_mass[1].inertia: [1, 1, 3, 0, 0, 0] is that of no body",
            ],
        ),
        changed(
            "mass on a block that deforms",
            |model| {
                add("/blocks/2", "added_mass", json!([{ "mass": 1, "center": [0, 0, 1] }]))(model);
                deformable("cube", json!("H8"))(model);
            },
            &["block 2 (`cube`), added_mass: a deformable block cannot carry `added_mass`"],
        ),
        changed(
            "a load whose history goes back",
            add(
                "/load_cases/push",
                "history",
                json!({ "table": { "times": [0, 2, 1], "factors": [0, 1, 1] } }),
            ),
            &[
                "load_cases.push.history.table.times[2]",
                "1 comes after 2; times must increase",
            ],
        ),
        changed(
            "a planarity tolerance of a metre",
            add("", "tolerances", json!({ "planarity": 1.0 })),
            &["tolerances.planarity", "at most 0.1"],
        ),
        changed(
            "a joint distance of nothing",
            add("", "joint_search", json!({ "distance": 0.0 })),
            &["joint_search.distance", "0 is not allowed; must be above 0"],
        ),
        changed(
            "a joint angle of a right angle",
            add("", "joint_search", json!({ "distance": 0.01, "angle_deg": 90 })),
            &["joint_search.angle_deg", "90 is not allowed; must be from 0 to 60"],
        ),
    ]
}

/// The sound model with a load on faces in its load case.
fn surface(load: Value) -> impl Fn(&mut Value) {
    add("/load_cases/push", "surfaces", json!([load]))
}

/// The sound model with blocks that deform.
fn deformable(blocks: &'static str, mesh: Value) -> impl Fn(&mut Value) {
    move |model| {
        add("", "elasticity", json!({ "young_pa": 6e10, "poisson": 0.2 }))(model);
        add("", "deformable", json!([{ "blocks": blocks, "mesh": mesh.clone() }]))(model)
    }
}

/// The sound model with a tie from the plinth to the cube.
fn tied(to: &'static str, at: [f64; 3], kind: Value) -> impl Fn(&mut Value) {
    let end = |block: &str, at: [f64; 3]| json!({ "block": block, "at": at });
    let tie = json!({ "name": "rod", "from": end("plinth", [0.0, 0.0, 0.5]), "to": end(to, at), "kind": kind });
    add("", "ties", json!([tie]))
}

pub(crate) fn tie_cases() -> Vec<Case> {
    let rod = |to: &'static str, at: [f64; 3], fields: Value| tied(to, at, json!({ "tie": fields }));
    let up = [0.0, 0.0, 1.5];
    vec![
        changed(
            "a tie to a block that is not there",
            rod("cub", up, json!({ "stiffness_n_m": 1e6 })),
            &[
                "ties[0] (`rod`).to.block",
                "no block called `cub`",
                "did you mean `cube`?",
            ],
        ),
        changed(
            "a tie from a block to itself",
            rod("plinth", up, json!({ "stiffness_n_m": 1e6 })),
            &["ties[0] (`rod`)", "both ends are on block `plinth`"],
        ),
        changed(
            "a tie without length",
            rod("cube", [0.0, 0.0, 0.5], json!({ "stiffness_n_m": 1e6 })),
            &["ties[0] (`rod`)", "both ends are at [0, 0, 0.5]; a tie needs a length"],
        ),
        changed(
            "a tie without stiffness",
            rod("cube", up, json!({ "area_m2": 1e-3 })),
            &["ties[0] (`rod`).kind.tie", "has no stiffness; give `stiffness_n_m`"],
        ),
        changed(
            "a tie of two stiffnesses",
            rod(
                "cube",
                up,
                json!({ "stiffness_n_m": 1e6, "area_m2": 1e-3, "modulus_pa": 2e11 }),
            ),
            &["ties[0] (`rod`).kind.tie", "has a stiffness and an area or a modulus"],
        ),
        changed(
            "a tie of negative strength",
            rod("cube", up, json!({ "stiffness_n_m": 1e6, "yield_n": -1.0 })),
            &["ties[0] (`rod`).kind.tie.yield_n", "-1 is not allowed; must be above 0"],
        ),
        changed(
            "a tie of negative prestress",
            rod("cube", up, json!({ "stiffness_n_m": 1e6, "prestress_n": -1.0 })),
            &[
                "ties[0] (`rod`).kind.tie.prestress_n",
                "-1 is not allowed; must be 0 or above",
            ],
        ),
        changed(
            "a tie prestressed beyond its yield force",
            rod(
                "cube",
                up,
                json!({ "stiffness_n_m": 1e6, "prestress_n": 300, "yield_n": 200 }),
            ),
            &[
                "ties[0] (`rod`).kind.tie.prestress_n",
                "300 is not allowed; must be at most the yield force of 200 N",
            ],
        ),
        changed(
            "a tie that breaks at once",
            rod("cube", up, json!({ "stiffness_n_m": 1e6, "rupture_elongation_m": 0.0 })),
            &[
                "ties[0] (`rod`).kind.tie.rupture_elongation_m",
                "0 is not allowed; must be above 0",
            ],
        ),
        changed(
            "a spring of negative stiffness",
            tied("cube", up, json!({ "spring": { "stiffness_n_m": -1e6 } })),
            &[
                "ties[0] (`rod`).kind.spring.stiffness_n_m",
                "is not allowed; must be above 0",
            ],
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
            "deformable blocks that are not there",
            deformable("wal", json!("H8")),
            &[
                "deformable[0].blocks",
                "no group and no block called `wal`",
                "did you mean `wall`?",
            ],
        ),
        changed(
            "deformable blocks with a name like no other",
            deformable("keystone", json!("H8")),
            &["no group and no block called `keystone`", "groups are: ground, wall"],
        ),
        changed(
            "a load on faces of a block that is not there",
            surface(json!({ "blocks": ["cub"], "pressure_pa": 1 })),
            &["load_cases.push.surfaces[0].blocks", "did you mean `cube`?"],
        ),
        changed(
            "a load on faces of a group that is not there",
            surface(json!({ "groups": ["walls"], "pressure_pa": 1 })),
            &["load_cases.push.surfaces[0].groups", "did you mean `wall`?"],
        ),
        changed(
            "a load on a face that a block does not have",
            surface(json!({ "blocks": ["cube"], "faces": [6], "pressure_pa": 1 })),
            &[
                "load_cases.push.surfaces[0].faces",
                "block 2 (`cube`) has no face 6",
                "from 0 to 5",
            ],
        ),
        changed(
            "a load on faces where none looks",
            surface(json!({ "blocks": ["cube"], "facing": [1, 1, 1], "within_deg": 20, "pressure_pa": 1 })),
            &[
                "load_cases.push.surfaces[0].facing",
                "no face looks along [1, 1, 1] within 20 degrees",
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
            "a motion for a group of free blocks",
            set("/support_motions/0", json!({ "motion": "quake", "groups": ["wall"] })),
            &["support_motions[0].groups", "no block of group `wall` is fixed"],
        ),
        changed(
            "a motion for a group that is not there",
            set("/support_motions/0", json!({ "motion": "quake", "groups": ["grund"] })),
            &["support_motions[0].groups", "did you mean `ground`?"],
        ),
        changed(
            "a motion that is not there",
            set("/support_motions/0/motion", json!("quack")),
            &["support_motions[0].motion", "did you mean `quake`?"],
        ),
    ]
}

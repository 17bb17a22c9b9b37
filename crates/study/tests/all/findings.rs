//! Studies of structures whose answers theory gives.

use drystone_study::{Outcomes, Summary};
use serde_json::Value;

use crate::support::{BLOCK, SHORT, found, found_by, perform, plan, study_in};

/// The points of a sweep of one structure: one field of each.
#[track_caller]
fn points(summary: &Summary, field: &str) -> Vec<Option<f64>> {
    let points = summary.result["sweep"][0]["points"].as_array().expect("points");
    points.iter().map(|point| point[field].as_f64()).collect()
}

fn sweep(model: &str, analysis: &str, name: &str, values: &str) -> Summary {
    found(&format!(
        "{model}[sweep]\nanalysis = {analysis}\n[[sweep.parameters]]\nname = \"{name}\"\nvalues = {values}\n"
    ))
}

#[track_caller]
fn multipliers(model: &str, name: &str, values: &str, expected: &[f64]) {
    let found = points(
        &sweep(model, "{ limit = { direction = \"x\" } }", name, values),
        "multiplier",
    );
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        let found = found.expect("a multiplier");
        assert!(
            (found - expected).abs() < 1e-6,
            "{name} = {values}: {found} instead of {expected}"
        );
    }
}

#[test]
fn a_block_slides_or_tips_over() {
    // At the lesser of friction and width over height.
    multipliers(
        BLOCK,
        "friction",
        "[0.1, 0.3, 0.34, 1.0]",
        &[0.1, 0.3, 1.0 / 3.0, 1.0 / 3.0],
    );
    multipliers(BLOCK, "recipe:height", "[1.0, 3.0]", &[0.5, 1.0 / 6.0]);
    multipliers(BLOCK, "model:/joints/friction", "[0.2, 2.0]", &[0.2, 1.0 / 3.0]);
    // On ground that is tilted by d about y, gravity has the parts sin d along x and cos d down.
    let tilted = |degrees: f64| degrees.to_radians().cos() / 3.0 - degrees.to_radians().sin();
    multipliers(BLOCK, "tilt:y", "[0.0, 10.0, -10.0]", &[0.0, 10.0, -10.0].map(tilted));
}

#[test]
fn a_stack_without_its_top_carries_more() {
    let stack =
        "model = { recipe = \"stack\", parameters = { blocks = 4, width = 1.0, height = 0.25, friction = 5.0 } }\n";
    // n blocks of 0.25 m tip over as one at 1/(0.25 n).
    let values = "[[], [\"block-4\"], [\"block-3\", \"block-4\"]]";
    multipliers(stack, "missing", values, &[1.0, 4.0 / 3.0, 2.0]);
}

/// A factor of gravity was lost where the study gives gravity itself.
#[test]
fn gravity_is_multiplied_wherever_it_comes_from() {
    let rocking = "{ simulate = { duration = 0.6, motion = \"impulse:peak=5.0,duration=0.5,direction=x\" } }";
    let displacement = |changes: &str, factor: &str| {
        let model = format!("{BLOCK}[changes]\n{changes}[simulation]\ndt = 0.01\n");
        points(&sweep(&model, rocking, "gravity", factor), "max_displacement_m")[0].expect("a displacement")
    };
    let expected = displacement("gravity = [0.0, 0.0, -4.905]\n", "[1.0]");
    assert!(expected > 0.01, "{expected}");
    assert_eq!(displacement("gravity = [0.0, 0.0, -9.81]\n", "[0.5]"), expected);
    assert_eq!(displacement("", "[0.5]"), expected);
    assert_ne!(displacement("", "[1.0]"), expected);
}

/// The search for joints of undersized blocks knew nothing of the gaps that the model has: with mortar between its stones, a wall
/// fell apart at no undersize at all.
#[test]
fn undersize_leaves_the_joints_that_there_are() {
    let wall = "model = { recipe = \"rubble-wall\", parameters = { length = 1.0, height = 0.6, mortar = 0.01 } }\n";
    let limit = "{ limit = { direction = \"x\" } }";
    let whole = points(&sweep(wall, limit, "friction", "[0.6]"), "multiplier")[0].expect("it stands");
    let found = points(&sweep(wall, limit, "undersize", "[0.0, 1e-6, 0.002]"), "multiplier");
    let found: Vec<f64> = found.into_iter().map(|m| m.expect("it stands")).collect();
    assert!(
        (found[0] - whole).abs() < 1e-9 && (found[1] - whole).abs() < 1e-3,
        "{found:?} and {whole}"
    );
    assert!((found[2] - whole).abs() < 0.05 * whole, "{found:?} and {whole}");
}

/// Blocks smaller than drawn began a time history with their gaps filled, as if with mortar.
#[test]
fn undersized_blocks_settle_in_a_time_history() {
    let plan = plan(
        "model = { recipe = \"stack\", parameters = { blocks = 3 } }\n[simulation]\ndt = 0.002\n[sweep]\n\
         analysis = { simulate = { duration = 0.3 } }\n[[sweep.parameters]]\nname = \"undersize\"\nvalues = [0.0, 0.02]\n",
    );
    let tasks = plan.tasks(&Outcomes::new());
    let model = tasks[1].job.structure(plan.shared()).unwrap();
    let height = |block: &drystone_model::Block| {
        let bounds = block.polyhedron().bounds();
        (bounds.min.z, bounds.max.z - bounds.min.z)
    };
    // The highest comes to stand on all others.
    let blocks: Vec<(f64, f64)> = model.free_blocks().map(height).collect();
    let gaps = blocks[2].0 - blocks[0].1 - blocks[1].1;
    assert!(gaps > 1e-3, "{gaps}");
    let found = points(&found_by(&plan), "max_displacement_m");
    let [still, settled] = [0, 1].map(|k| found[k].expect("a displacement"));
    assert!(
        still < 1e-9 && (settled - gaps).abs() < 0.03 * gaps,
        "{still}, {settled} instead of {gaps}"
    );
}

/// Mortar between stones that are smaller than drawn is thicker: nothing drops.
#[test]
fn mortar_fills_the_gaps_of_undersized_stones() {
    let wall = "model = { recipe = \"rubble-wall\", parameters = { length = 1.0, height = 0.6, mortar = 0.01 } }\n[simulation]\ndt = 0.005\n";
    let found = points(
        &sweep(wall, "{ simulate = { duration = 0.2 } }", "undersize", "[0.0, 0.005]"),
        "max_displacement_m",
    );
    assert!(
        found.iter().all(|moved| moved.is_some_and(|moved| moved < 1e-5)),
        "{found:?}"
    );
}

fn collapses(summary: &Summary) -> Vec<bool> {
    let chart = &summary.charts[0];
    let mut points: Vec<([f64; 2], bool)> = Vec::new();
    for series in chart.series.iter().filter(|series| !series.runs.is_empty()) {
        points.extend(series.points.iter().map(|p| (*p, series.name.starts_with("collapse"))));
    }
    points.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]).then(a.0[1].total_cmp(&b.0[1])));
    points.into_iter().map(|(_, collapsed)| collapsed).collect()
}

/// Housner's block: 0.4 m by 2 m, rocking about its corners with the restitution 1 - 1.5 sin² of the angle of its diagonal. Expected is what
/// SciPy's `solve_ivp` (relative tolerance 1e-8, impacts as events) makes of his equation for these impulses.
#[test]
fn a_slender_block_is_overturned_where_housner_says() {
    let domain = |half_period: f64, amplitudes: &str| {
        found(&format!(
            "model = {{ recipe = \"block\", parameters = {{ width = 0.4, depth = 0.8, height = 2.0, friction = 5.0 }} }}\n\
             [simulation]\ndt = 0.0025\nafter = 4.0\ncollapse = {{ potential_drop = 0.3 }}\n[failure_domain]\ndirection = \"x\"\n\
             both_directions = false\nhalf_periods = [{half_period}]\namplitudes_g = {amplitudes}\n"
        ))
    };
    let (short, middle, long) = (
        domain(0.2, "[0.19, 0.6, 1.1]"),
        domain(0.3, "[0.19, 0.28, 0.42, 1.0, 1.15]"),
        domain(0.6, "[0.19, 0.35]"),
    );
    assert_eq!(collapses(&short), [false, false, true]);
    // At 1 g it is thrown back: a safe pocket.
    assert_eq!(collapses(&middle), [false, false, true, false, true]);
    assert_eq!(collapses(&long), [false, true]);
    let pockets = [&short, &middle, &long].map(|summary| summary.result["domains"][0]["safe_inside"].clone());
    assert_eq!(pockets, [0, 1, 0]);
    // It begins to rock at width over height.
    for summary in [&short, &middle, &long] {
        let capacity = summary.result["domains"][0]["capacities"][0]["capacity_g"]
            .as_f64()
            .expect("a capacity");
        assert!((capacity - 0.2).abs() < 1e-9, "{capacity}");
    }
}

/// The pseudo-static capacity left out the loads that act during the impulses.
#[test]
fn the_capacity_is_that_under_the_loads_of_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let block = drystone_model::recipes::find("block").unwrap();
    let size = [("width", "0.5"), ("depth", "0.5"), ("height", "1.5"), ("friction", "2")];
    let model = block
        .build(&size.map(|(name, value)| (name.to_string(), value.to_string())))
        .unwrap();
    let mut json: Value = serde_json::from_str(&drystone_model::file::to_text(&model).unwrap()).unwrap();
    json["load_cases"] = serde_json::json!({
        "push": { "forces": [{ "block": "block", "force": [500.0, 0.0, 0.0], "at": [0.0, 0.0, 1.5] }] }
    });
    std::fs::write(folder.path().join("pushed.json"), json.to_string()).unwrap();
    let text = format!(
        "model = \"pushed.json\"\n{SHORT}loads = [\"push\"]\n[failure_domain]\ndirection = \"x\"\nhalf_periods = [0.2]\namplitudes_g = [0.1]\n"
    );
    let plan = study_in(&text, folder.path()).unwrap();
    let summary = found_by(&plan);
    // It tips over an edge: (W b ± P h) / (W h/2) with b = 0.25 m and h = 1.5 m.
    let weight = 2000.0 * 0.5 * 0.5 * 1.5 * 9.81;
    let expected = [1.0, -1.0].map(|way| (weight * 0.25 + way * 500.0 * 1.5) / (weight * 0.75));
    let capacities = summary.result["domains"][0]["capacities"]
        .as_array()
        .expect("two of them");
    for (capacity, expected) in capacities.iter().zip(expected) {
        // The ground's acceleration along x pushes the block along -x, against the load.
        let found = capacity["capacity_g"].as_f64().expect("a capacity");
        assert!(
            (found - expected).abs() < 1e-6,
            "{capacity}: {found} instead of {expected}"
        );
    }
}

/// One half-period alone made a line of one point, which is not drawn: the chart of the domain was empty.
#[test]
fn a_failure_domain_is_drawn_upwards_and_to_the_right() {
    let outline = |half_periods: &str| {
        let summary = found(&format!(
            "{BLOCK}{SHORT}[failure_domain]\ndirection = \"x\"\nhalf_periods = {half_periods}\namplitudes_g = [0.2, 1.2, 1.5]\n"
        ));
        let hull = summary.charts[0]
            .series
            .iter()
            .find(|s| s.name == "convex hull")
            .cloned();
        hull.expect("it is drawn").points
    };
    assert_eq!(outline("[0.05, 0.9]"), [[0.9, 1.5], [0.9, 1.2]]);
    assert_eq!(outline("[0.05, 0.9, 1.1]"), [[0.9, 1.5], [0.9, 1.2], [1.1, 1.2]]);
}

fn assembly(model: &str, rest: &str) -> Value {
    found(&format!("{model}[assembly]\n{rest}")).result["assembly"][0].clone()
}

#[test]
fn an_arch_falls_until_its_keystone_is_placed() {
    let arch = "model = { recipe = \"arch\", parameters = { voussoirs = 5, thickness = 1.0 } }\n";
    let names = [
        "voussoir-01",
        "voussoir-05",
        "voussoir-02",
        "voussoir-04",
        "voussoir-03",
    ];
    let found = assembly(arch, &format!("order = {names:?}\n"));
    let verdicts: Vec<&str> = found["stages"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|s| s["verdict"].as_str())
        .collect();
    // The springers' neighbours stand on them, the haunches slide and tip.
    assert_eq!(verdicts, ["stable", "stable", "unstable", "unstable", "stable"]);
    assert_eq!(found["stages_that_fall"], serde_json::json!([3, 4]));
    let at_once = assembly(arch, &format!("order = [{names:?}]\n"));
    assert_eq!(at_once["stages_that_fall"], serde_json::json!([]));
    let looked_for = assembly(arch, "");
    assert_eq!(
        (&looked_for["search"], &looked_for["order"]),
        (&"none".into(), &Value::Null)
    );
}

#[test]
fn a_stack_is_built_from_below() {
    let stack = "model = { recipe = \"stack\", parameters = { blocks = 4 } }\n";
    let found = assembly(stack, "");
    let order = ["block-1", "block-2", "block-3", "block-4"];
    assert_eq!(
        (&found["search"], &found["order"]),
        (&"found".into(), &serde_json::json!(order))
    );
    let given = assembly(
        stack,
        &format!("order = {:?}\n", ["block-2", "block-1", "block-3", "block-4"]),
    );
    assert_eq!(given["stages_that_fall"], serde_json::json!([1]));
}

/// A beam on a pier: its load tips it over unless the counterweight is there before. The counterweight is the higher one, which the search
/// takes away first, and must put back.
#[test]
fn a_counterweight_comes_before_the_load() {
    // Size and centre. About the edge of the pier on its side, the load (0.6 m³ at 1.25 m) outweighs the beam (1 m³ at 0.5 m), the counterweight
    // (0.25 m³ at 1.4375 m) does not, and with it the load is held (0.25 m³ at 2.4375 m more).
    let blocks = [
        ("ground", [6.0, 1.0, 0.5], [0.0, 0.0, -0.25]),
        ("pier", [1.0, 1.0, 1.0], [0.0, 0.0, 0.5]),
        ("beam", [4.0, 1.0, 0.25], [0.0, 0.0, 1.125]),
        ("load", [0.5, 1.0, 1.2], [1.75, 0.0, 1.85]),
        ("counterweight", [0.125, 1.0, 2.0], [-1.9375, 0.0, 2.25]),
    ];
    let boxes = blocks.map(|(name, size, center)| {
        serde_json::json!({ "name": name, "fixed": name == "ground", "shape": { "box": { "size": size, "center": center } } })
    });
    let model = serde_json::json!({ "drystone": 1, "density": 2000, "joints": { "friction": 0.6 }, "blocks": boxes });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("beam.json"), model.to_string()).unwrap();
    let plan = study_in("model = \"beam.json\"\n[assembly]\n", folder.path()).unwrap();
    let out = tempfile::tempdir().unwrap();
    let found = perform(&plan, out.path()).result["assembly"][0].clone();
    assert_eq!(
        found["order"],
        serde_json::json!(["pier", "beam", "counterweight", "load"]),
        "{found}"
    );
    let report = std::fs::read_to_string(out.path().join("report.html")).unwrap();
    assert!(
        report.contains("<td>3</td><td>counterweight</td>"),
        "the report lists the order"
    );
}

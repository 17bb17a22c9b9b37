//! The program as a person or a script meets it: commands, files, exit status, messages.

use crate::common::{drystone, failure, folder, json};
use serde_json::Value;

#[test]
fn the_demo_writes_a_model_a_picture_and_a_3d_file() {
    let folder = folder();
    let result = json(folder.path(), "demo");
    assert_eq!(result["blocks"], 202);
    assert_eq!(result["fixed"], 1);
    for (name, magic) in [
        ("png", b"\x89PNG".as_slice()),
        ("glb", b"glTF"),
        ("svg", b"<svg"),
        ("json", b"{"),
    ] {
        let bytes = std::fs::read(folder.path().join(format!("drystone-demo/spandrel-arch.{name}"))).unwrap();
        assert!(bytes.starts_with(magic), "{name}");
    }
    let text = String::from_utf8(drystone(folder.path(), "demo").stdout).unwrap();
    assert!(
        text.contains("201 free, 1 fixed") && text.contains("16.2 x 0.8 x 5 m"),
        "{text}"
    );
}

#[test]
fn the_spandrel_arch_has_the_published_figures() {
    let folder = folder();
    json(folder.path(), "new spandrel-arch -o a.json");
    let info = json(folder.path(), "info a.json");
    let number = |key: &str| info[key].as_f64().unwrap();
    assert_eq!(number("blocks") - number("fixed"), 201.0);
    let size: Vec<f64> = info["size_m"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect();
    for (size, published) in size.iter().zip([16.2, 0.8, 5.0]) {
        assert!((size - published).abs() < 1e-9, "{size} is not {published}");
    }
    assert_eq!(number("worst_overlap_m"), 0.0);
    assert_eq!(number("components"), 1.0);
    assert_eq!(info["problems"], Value::Array(Vec::new()));
    assert!((number("mass_kg") / number("volume_m3") - 1800.0).abs() < 1e-9);
}

#[test]
fn every_recipe_can_be_built_looked_at_and_drawn() {
    let folder = folder();
    let list = json(folder.path(), "new --list");
    let recipes = list["recipes"].as_array().unwrap();
    assert!(recipes.len() >= 20);
    for recipe in recipes.iter().filter(|r| r["name"] != "church") {
        let name = recipe["name"].as_str().unwrap();
        json(folder.path(), &format!("new {name} -o m.json"));
        let info = json(folder.path(), "info m.json");
        assert_eq!(info["problems"], Value::Array(Vec::new()), "{name}");
        assert_eq!(info["components"], 1, "{name}");
        assert!(
            recipe["notes"].as_str().is_some_and(|n| !n.is_empty()),
            "{name} says nothing of its source"
        );
    }
}

#[test]
fn a_model_is_exported_by_the_ending_of_the_file() {
    let folder = folder();
    let path = folder.path();
    json(path, "new arch --voussoirs 5 -o arch.json");
    let outputs = [
        "a.obj",
        "a.compas.json",
        "a.glb",
        "a.vtp",
        "a.vtu",
        "a.png",
        "a.svg",
        "a.json",
    ];
    let arguments: String = outputs.iter().map(|o| format!(" -o {o}")).collect();
    json(path, &format!("export arch.json{arguments}"));
    for output in outputs {
        assert!(path.join(output).metadata().unwrap().len() > 500, "{output}");
    }
    // What another format can hold comes back from it.
    let info = json(path, "info arch.json");
    for output in ["a.obj", "a.compas.json"] {
        json(path, &format!("import {output} -o back.json"));
        let back = json(path, "info back.json");
        assert_eq!(back["blocks"], info["blocks"], "{output}");
        let volume = |i: &Value| i["volume_m3"].as_f64().unwrap() + i["fixed_volume_m3"].as_f64().unwrap();
        assert!((volume(&back) / volume(&info) - 1.0).abs() < 1e-12, "{output}");
    }
}

#[test]
fn contacts_are_counted_measured_written_and_drawn() {
    let folder = folder();
    let path = folder.path();
    json(path, "new stack --blocks 5 --width 1 --depth 0.5 -o s.json");
    let found = json(path, "contacts s.json -o joints.vtp -o joints.png");
    assert_eq!(
        (&found["interfaces"], &found["contacts"]),
        (&Value::from(5), &Value::from(20))
    );
    assert!((found["area_m2"].as_f64().unwrap() - 2.5).abs() < 1e-12);
    assert_eq!(found["worst_overlap_m"], 0.0);
    assert!(std::fs::read(path.join("joints.vtp")).unwrap().starts_with(b"<?xml"));
    assert!(std::fs::read(path.join("joints.png")).unwrap().starts_with(b"\x89PNG"));
    let faces = json(path, "contacts s.json --search faces");
    assert_eq!(
        (&faces["interfaces"], &faces["search"]),
        (&Value::from(5), &Value::from("faces"))
    );
    assert!(failure(path, "contacts s.json --distance 2", 2).contains("at most 0.5"));
    assert!(failure(path, "contacts s.json -o joints.doc", 2).contains(".vtp, .png or .svg"));
}

#[test]
fn blocks_that_hang_on_nothing_are_named() {
    let folder = folder();
    let path = folder.path();
    let cube = |name: &str, z: f64, fixed: bool| serde_json::json!({ "name": name, "shape": { "box": { "size": [1, 1, 1], "center": [0, 0, z] } }, "fixed": fixed });
    let blocks = [
        cube("ground", -0.5, true),
        cube("low", 0.5, false),
        cube("up", 5.5, false),
        cube("upper", 6.5, false),
        cube("lost", 9.0, false),
    ];
    std::fs::write(
        path.join("m.json"),
        serde_json::json!({ "drystone": 1, "blocks": blocks }).to_string(),
    )
    .unwrap();
    let info = json(path, "info m.json");
    assert_eq!(
        (&info["components"], &info["interfaces"], &info["contacts"]),
        (&Value::from(3), &Value::from(2), &Value::from(8))
    );
    let told = info["problems"].to_string();
    assert!(told.contains("1 block without any contact: `lost`"), "{told}");
    assert!(
        told.contains("2 blocks connected to no support: `up`, `upper`"),
        "{told}"
    );
}

#[test]
fn options_change_the_model_that_is_looked_at() {
    let folder = folder();
    let path = folder.path();
    json(path, "new stack -o s.json");
    let plain = json(path, "info s.json");
    let heavy = json(path, "info s.json --density 4000 --friction 0.3");
    assert_eq!(
        heavy["mass_kg"].as_f64().unwrap(),
        2.0 * plain["mass_kg"].as_f64().unwrap()
    );
    assert_eq!(heavy["friction"], 0.3);
    let err = failure(path, "info s.json --supports nobody", 2);
    assert!(err.contains("nobody"), "{err}");
    assert!(failure(path, "info s.json --density -1", 2).contains("must be above 0"));
    assert!(failure(path, "info s.json --gravity 0,0", 2).contains("three numbers"));
}

#[test]
fn info_shows_restitution_and_stiffness_of_joint_laws() {
    let folder = folder();
    let path = folder.path();
    json(path, "new block -o b.json");
    let mut model: Value = serde_json::from_slice(&std::fs::read(path.join("b.json")).unwrap()).unwrap();
    let between = [&model["blocks"][0]["name"], &model["blocks"][1]["name"]];
    model["joints"] = serde_json::json!({
        "friction": 0.5,
        "restitution": 0.25,
        "blocks": [{ "between": between, "friction": 0.4, "stiffness_n_m3": [2e9, 8e8] }],
    });
    std::fs::write(path.join("b.json"), model.to_string()).unwrap();
    assert_eq!(json(path, "info b.json")["joint_laws"], model["joints"]);
    let said = String::from_utf8(drystone(path, "info b.json").stdout).unwrap();
    assert!(said.contains("friction 0.5, restitution 0.25; "), "{said}");
    assert!(
        said.contains("friction 0.4, stiffness 2 GN/m³ (normal) and 800 MN/m³ (tangential)"),
        "{said}"
    );
}

#[test]
fn bad_usage_ends_with_status_2_and_says_what_would_do() {
    let folder = folder();
    let path = folder.path();
    assert!(failure(path, "new arhc -o a.json", 2).contains("arch"));
    assert!(failure(path, "new arch --voussoirs -3 -o a.json", 2).contains("must be a whole number from"));
    let two = failure(path, "new arch --voussoirs many --radius x -o a.json", 2);
    assert!(
        two.contains("--voussoirs many") && two.contains("--radius x"),
        "both faults are told: {two}"
    );
    assert!(failure(path, "new arch -o a.xyz", 2).contains(".json, .compas.json"));
    assert!(failure(path, "info missing.json", 2).contains("missing.json"));
    assert!(failure(path, "inof", 2).contains("info"));
    std::fs::write(path.join("bad.json"), "{\n  \"drystone\": 1,\n  \"blocks\": [NaN]\n}").unwrap();
    let err = failure(path, "info bad.json", 2);
    assert!(
        err.contains("bad.json:3") && err.contains("`NaN` is not a number"),
        "{err}"
    );
    std::fs::write(path.join("open.obj"), "o lid\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n").unwrap();
    let err = failure(path, "import open.obj -o a.json", 2);
    assert!(err.contains("open.obj") && err.contains("lid"), "{err}");
    assert!(
        !path.join("a.json").exists(),
        "nothing is written when the input is bad"
    );
}

#[test]
fn a_folder_that_cannot_be_written_to_is_a_failure_of_the_run() {
    let folder = folder();
    let err = failure(folder.path(), "new stack -o no/such/folder/s.json", 1);
    assert!(err.contains("no/such/folder"), "{err}");
}

#[test]
fn help_shows_examples_and_completions_know_the_recipes() {
    let folder = folder();
    let help = |arguments: &str| String::from_utf8(drystone(folder.path(), arguments).stdout).unwrap();
    for command in [
        "",
        "new",
        "import",
        "export",
        "info",
        "contacts",
        "bench",
        "schema",
        "completions",
    ] {
        assert!(
            help(&format!("{command} --help")).contains("Example"),
            "drystone {command} --help"
        );
    }
    assert!(help("new arch --help").contains("--embrace-deg"));
    assert!(help("completions bash").contains("spandrel-arch"));
    assert_eq!(json(folder.path(), "schema")["title"], "drystone model");
}

/// Broke: the message left out what the system said, so nobody learned that the folder is missing.
#[test]
fn a_file_that_cannot_be_written_is_told_with_the_reason() {
    let folder = folder();
    let told = failure(folder.path(), "new block -o no-such-folder/a.json", 1);
    assert!(
        told.contains("no-such-folder/a.json") && told.contains("os error"),
        "{told}"
    );
}

/// Broke: what is wrong with an imported shape was told without the file it comes from.
#[test]
fn a_shape_that_is_no_solid_is_told_with_the_file_it_comes_from() {
    let folder = folder();
    // Two boxes in one object that share half of their space; every face of one lies in or beside a face of the other.
    let cube = |x: f64, first: usize| {
        let corners = [
            (0, 0, 0),
            (1, 0, 0),
            (1, 1, 0),
            (0, 1, 0),
            (0, 0, 1),
            (1, 0, 1),
            (1, 1, 1),
            (0, 1, 1),
        ];
        let vertices = corners.map(|(dx, y, z)| format!("v {} {y} {z}\n", x + f64::from(dx)));
        let faces = [
            [4, 3, 2, 1],
            [5, 6, 7, 8],
            [1, 2, 6, 5],
            [2, 3, 7, 6],
            [3, 4, 8, 7],
            [4, 1, 5, 8],
        ];
        let faces = faces.map(|f| format!("f {}\n", f.map(|v: usize| (v + first).to_string()).join(" ")));
        vertices.concat() + &faces.concat()
    };
    let text = format!("o pair\n{}{}", cube(0.0, 0), cube(0.5, 8));
    std::fs::write(folder.path().join("pair.obj"), text).unwrap();
    let err = failure(folder.path(), "import pair.obj -o pair.json", 2);
    assert!(
        err.contains("pair.obj: 1 problem") && err.contains("cannot be cut into convex parts"),
        "{err}"
    );
    assert!(!folder.path().join("pair.json").exists());
}

/// Broke: `--list` was passed over when a recipe was named, and of two outputs of one name the first was lost.
#[test]
fn what_cannot_be_done_together_is_refused() {
    let folder = folder();
    assert!(failure(folder.path(), "new --list arch -o a.json", 2).contains("--list"));
    assert!(failure(folder.path(), "new block -o a.json -o ./a.json", 2).contains("./a.json: named twice"));
    assert!(!folder.path().join("a.json").exists());
}

#[test]
fn one_thing_is_not_told_as_several() {
    let folder = folder();
    let told = String::from_utf8(drystone(folder.path(), "new block -o a.json -o a.obj").stdout).unwrap();
    assert!(told.contains("1 free block,"), "{told}");
}

/// Two contacts of one body: the first is pushed together and along, the second slides freely.
const TWO_CONTACTS: &str = "fc3d 1
contacts 2
mu
0.5 0.3
q
-1 0.2 -0.1
-0.5 2 0
W 8
0 0 2
1 1 1.5
2 2 1.5
3 3 3
4 4 1
5 5 1
0 3 0.5
3 0 0.5
";

/// Residual of the natural map of impulses for [`TWO_CONTACTS`], as the collections of problems define it: with W and r
/// scaled so that the mean diagonal of W is one.
fn natural_map(r: &[[f64; 3]]) -> f64 {
    let w = [[2.0, 1.5, 1.5], [3.0, 1.0, 1.0]];
    let q = [[-1.0, 0.2, -0.1], [-0.5, 2.0, 0.0]];
    let mean = w.as_flattened().iter().sum::<f64>() / 6.0;
    let mut sum = 0.0;
    for (i, mu) in [0.5, 0.3].into_iter().enumerate() {
        let mut u: [f64; 3] = std::array::from_fn(|k| w[i][k] * r[i][k] + q[i][k]);
        u[0] += 0.5 * r[1 - i][0];
        u[0] += mu * (u[1] * u[1] + u[2] * u[2]).sqrt();
        let s = r[i].map(|x| x * mean);
        let x: [f64; 3] = std::array::from_fn(|k| s[k] - u[k]);
        let t = (x[1] * x[1] + x[2] * x[2]).sqrt();
        let projected = if t <= mu * x[0] {
            x
        } else if mu * t <= -x[0] {
            [0.0; 3]
        } else {
            let n = (x[0] + mu * t) / (1.0 + mu * mu);
            [n, mu * n * x[1] / t, mu * n * x[2] / t]
        };
        sum += (0..3).map(|k| (s[k] - projected[k]).powi(2)).sum::<f64>();
    }
    let load: f64 = q.as_flattened().iter().map(|x| x * x).sum();
    (sum / load).sqrt()
}

#[test]
fn a_collected_contact_problem_is_solved_and_its_impulses_written() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("two.fc3d"), TWO_CONTACTS).unwrap();
    let result = json(path, "bench cone --problem two.fc3d --solution r.txt --solver clarabel");
    let row = &result["rows"][0];
    assert_eq!(
        (&row["contacts"], &row["solver"], &row["status"]),
        (&Value::from(2), &Value::from("clarabel"), &Value::from("solved"))
    );
    assert!(row["iterations"].as_u64().unwrap() > 0 && row["time_ms"].as_f64().unwrap() > 0.0);
    let text = std::fs::read_to_string(path.join("r.txt")).unwrap();
    let impulses: Vec<[f64; 3]> = text
        .lines()
        .map(|line| {
            let numbers: Vec<f64> = line.split_whitespace().map(|x| x.parse().unwrap()).collect();
            numbers.try_into().unwrap()
        })
        .collect();
    let residual = natural_map(&impulses);
    assert!(residual <= 1e-8, "{residual}");
    let told = row["residual_natural_map"].as_f64().unwrap();
    assert!((residual - told).abs() < 1e-12, "{residual} is told as {told}");
    // A folder of problems has a row for each.
    let result = json(path, "bench cone --problem . --solver clarabel");
    assert_eq!(result["rows"].as_array().unwrap().len(), 1);
    assert_eq!(result["rows"][0]["problem"], "two");
}

#[test]
fn the_steps_of_a_wall_are_solved_beside_clarabel() {
    let folder = folder();
    let arguments = "bench cone --most 300 --steps 2 --accelerations 0.3 --threads 1 --reference clarabel";
    let result = json(folder.path(), &format!("{arguments} --clarabel-tolerances 1e-3"));
    let rows = result["rows"].as_array().unwrap();
    let solvers: Vec<&str> = rows.iter().map(|r| r["solver"].as_str().unwrap()).collect();
    assert_eq!(solvers, ["clarabel", "auto", "interior", "semismooth"]);
    for row in rows {
        assert_eq!((&row["blocks"], &row["steps"]), (&Value::from(205), &Value::from(2)));
        assert!(row["contacts"].as_u64().unwrap() > 2000 && row["time_ms"].as_f64().unwrap() > 0.0);
    }
    assert!(rows[1]["clarabel_ratio"].as_f64().is_some_and(|x| x > 0.0));
    let error = rows[0]["velocity_error"].as_f64().unwrap();
    assert!(error < 1e-3, "{error}");
}

/// Rows are printed as they come: those of problems that were solved before one that cannot be read are not lost.
#[test]
fn a_row_is_printed_as_soon_as_it_is_there() {
    let folder = folder();
    let path = folder.path();
    std::fs::write(path.join("first-problem.fc3d"), TWO_CONTACTS).unwrap();
    std::fs::write(path.join("second.fc3d"), TWO_CONTACTS).unwrap();
    std::fs::write(path.join("third.fc3d"), "no problem").unwrap();
    let output = drystone(path, "bench cone --problem . --solver clarabel -q");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    // Columns stand below their heads.
    let column = |line: &str, word: &str| line.find(word).unwrap();
    let solver = column(lines[0], "solver");
    for line in &lines[1..] {
        assert_eq!(column(line, "clarabel"), solver, "{text}");
    }
    let output = drystone(path, "bench cone --problem . --solver clarabel -q --json");
    assert!(output.stdout.is_empty(), "one object at the end, or none");
}

#[test]
fn a_contact_problem_that_cannot_be_read_is_refused() {
    let folder = folder();
    let path = folder.path();
    let cut = TWO_CONTACTS.split("W 8").next().unwrap();
    std::fs::write(path.join("cut.fc3d"), cut).unwrap();
    let err = failure(path, "bench cone --problem cut.fc3d --solution r.txt -q", 2);
    assert!(err.contains("cut.fc3d") && err.contains("line 8"), "{err}");
    assert!(failure(path, "bench cone --problem no.fc3d", 2).contains("no.fc3d"));
    std::fs::create_dir(path.join("empty")).unwrap();
    assert!(failure(path, "bench cone --problem empty", 2).contains("no `.fc3d` file"));
    assert!(failure(path, "bench cone --problem cut.fc3d --tolerance NaN", 2).contains("finite"));
    assert!(failure(path, "bench cone --most 3", 2).contains("205"));
    assert!(!path.join("r.txt").exists());
}

#[test]
fn a_parameter_without_effect_is_refused_with_the_one_that_has_it() {
    let folder = folder();
    let told = failure(folder.path(), "new arch --span 6 -o a.json", 2);
    assert!(
        told.contains("--span 6 has no effect with --profile circular"),
        "{told}"
    );
    assert!(told.contains("--radius"), "{told}");
    assert!(!folder.path().join("a.json").exists());
    json(folder.path(), "new arch --profile flat --span 6 -o a.json");
}

#[test]
fn supports_are_chosen_by_place() {
    let folder = folder();
    json(folder.path(), "new rubble-wall -o wall.json -o wall.obj");
    let import = |supports: &str| {
        let result = json(
            folder.path(),
            &format!("import wall.obj --supports {supports} -o w.json"),
        );
        result["fixed"].as_u64().unwrap()
    };
    // The ground reaches 0.45 m below the wall; the first row begins at its top.
    assert_eq!(import("lowest"), 1);
    assert_eq!(import("below:0.4"), 1);
    let row = import("below:0.46") - 1;
    assert_eq!(row, 8, "3 m of stones of about 0.4 m");
    json(folder.path(), "import wall.obj -o free.json");
    let check = json(folder.path(), "check free.json --method cone --supports lowest");
    assert_eq!(check["verdict"], "stable");
    let told = failure(folder.path(), "check free.json --supports below:x", 2);
    assert!(told.contains("below:0.05"), "{told}");
}

#[test]
fn a_certificate_names_supports_that_were_chosen_by_place() {
    let folder = folder();
    json(folder.path(), "new stack --blocks 3 -o s.obj");
    json(folder.path(), "import s.obj -o s.json");
    let check = json(
        folder.path(),
        "check s.json --method cone --supports lowest --certificate c.json",
    );
    assert_eq!(check["verdict"], "stable");
    assert_eq!(json(folder.path(), "verify c.json s.json")["valid"], true);
}

#[test]
fn an_import_of_bad_solids_names_both_remedies_and_each_does_what_it_says() {
    let folder = folder();
    let open = "o open\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0 0 2\nv 1 0 2\nv 1 1 2\nv 0 1 2\n\
                f 1 4 3 2\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    let whole = "o whole\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
                 f 9 12 11 10\nf 13 14 15 16\nf 9 10 14 13\nf 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\n";
    std::fs::write(folder.path().join("two.obj"), format!("{open}{whole}")).unwrap();
    let told = failure(folder.path(), "import two.obj -o m.json", 2);
    assert!(
        told.contains("`open`") && told.contains("--repair") && told.contains("--skip-bad"),
        "{told}"
    );
    let skipped = json(folder.path(), "import two.obj --skip-bad -o m.json");
    assert_eq!(
        (&skipped["blocks"], &skipped["skipped"][0]["block"]),
        (&1.into(), &"open".into())
    );
    assert!(skipped["skipped"][0]["reason"].as_str().unwrap().contains("not closed"));
    let repaired = json(folder.path(), "import two.obj --repair -o m.json");
    assert_eq!(
        (&repaired["blocks"], &repaired["repaired"][0]["block"]),
        (&2.into(), &"open".into())
    );
    assert_eq!(repaired["repaired"][0]["done"][0], "1 hole closed");
    let volume = repaired["repaired"][0]["volume_after_m3"].as_f64().unwrap();
    assert!((volume - 1.0).abs() < 1e-12);
}

#[cfg(unix)]
#[test]
fn a_record_that_is_a_pipe_or_a_device_is_refused_at_once() {
    let folder = folder();
    json(folder.path(), "new stack --blocks 1 -o s.json");
    let made = std::process::Command::new("mkfifo")
        .arg(folder.path().join("pipe.txt"))
        .status();
    let mut records = vec!["/dev/zero"];
    if made.is_ok_and(|status| status.success()) {
        records.push("pipe.txt");
    }
    for record in records {
        let run = format!("simulate s.json --duration 0.1 --motion {record}:direction=x -o run");
        let told = failure(folder.path(), &run, 2);
        assert!(told.contains("a file is needed"), "{told}");
    }
}

#[test]
fn numbers_out_of_range_are_refused_where_they_are_given() {
    let folder = folder();
    json(folder.path(), "new stack --blocks 1 -o s.json");
    for (option, expected) in [
        ("--density 1e300", "from 1e-12 to 1e12 kg/m3"),
        ("--friction 1e300", "from 0 to 1e6"),
        ("--gravity 0,0,-1e300", "from -1e6 to 1e6 m/s2"),
    ] {
        let told = failure(folder.path(), &format!("check s.json {option}"), 2);
        assert!(told.contains(expected), "{told}");
    }
}

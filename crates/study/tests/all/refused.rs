//! Study files that make no sense are refused before anything is computed, with place, value and remedy.

use std::{fs, path::Path};

use drystone_study::Study;

use crate::support::{BLOCK, DOMAIN, SHORT, study_in};

const FRAGILITY: &str = "[fragility]\nsynthetic = { count = 1, motion = { duration = 1.0 } }\nintensities = [0.4]\n";
const SWEEP: &str = "[sweep]\nanalysis = { limit = { direction = \"x\" } }\n[[sweep.parameters]]\nname = \"friction\"\nvalues = [0.3]\n";

/// What is said of a study, with its remedy.
#[track_caller]
fn refused(text: &str) -> String {
    match study_in(text, Path::new("")) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(failure) => format!("{failure} ({})", failure.remedy().unwrap_or_default()),
    }
}

/// A study with one text in place of another.
#[track_caller]
fn with(study: &str, old: &str, new: &str) -> String {
    assert!(study.contains(old), "{old} is not in\n{study}");
    study.replacen(old, new, 1)
}

#[test]
fn every_wrong_field_is_named_with_its_value() {
    let domain = [BLOCK, SHORT, DOMAIN].concat();
    let fragility = [BLOCK, SHORT, FRAGILITY].concat();
    let sweep = [BLOCK, SWEEP].concat();
    let assembly = [BLOCK, "[assembly]\n"].concat();
    let cases: &[(&str, &str, &str, &[&str])] = &[
        (&domain, "\"block\"", "\"blok\"", &["`blok`", "`block`"]),
        (&domain, "width", "widht", &["`widht`", "`width`"]),
        (&domain, "0.5,", "-0.5,", &["width", "-0.5"]),
        (&domain, "dt = 0.01", "dt = nan", &["simulation.dt", "NaN", "above 0"]),
        (
            &domain,
            "dt = 0.01",
            "dt = 1e-9",
            &["1.000e-9 s", "10,000,000", "simulation.dt"],
        ),
        (&domain, "dt = 0.01", "dt = 50.0", &["50.00 s", "not one step"]),
        (
            &domain,
            "after = 0.2",
            "after = -1",
            &["simulation.after", "-1", "0 or more"],
        ),
        (
            &domain,
            "after = 0.2",
            "after = 0.2\ntolerance = 5.0",
            &["tolerance", "5", "below 1"],
        ),
        (
            &domain,
            "after = 0.2",
            "after = 0.2\nrestitution = -1.0",
            &["restitution", "-1", "from 0 to 1"],
        ),
        (
            &domain,
            "after = 0.2",
            "after = 0.2\nstiffness = [0.0, 1.0]",
            &["stiffness", "0"],
        ),
        (
            &domain,
            "after = 0.2",
            "after = 0.2\nsolver = \"x\"",
            &["simulation.solver", "`x`", "interior"],
        ),
        (
            &domain,
            "after = 0.2",
            "after = 0.2\ncollapse = {}",
            &["simulation.collapse"],
        ),
        (
            &domain,
            "after = 0.2",
            "after = 0.2\ncollapse = { potential_drop = 20.0 }",
            &["simulation.collapse.potential_drop", "20", "fraction"],
        ),
        (
            &domain,
            "after = 0.2",
            "after = 0.2\nloads = [\"wind\"]",
            &["simulation.loads", "`wind`"],
        ),
        (&domain, "[0.4, 0.8]", "[]", &["failure_domain.half_periods", "empty"]),
        (
            &domain,
            "[0.4, 0.8]",
            "[0.4, nan]",
            &["failure_domain.half_periods", "NaN"],
        ),
        (
            &domain,
            "[0.4, 0.8]",
            "3",
            &["study.toml:7:16", "expected a list of numbers"],
        ),
        (
            &domain,
            "[0.4, 0.8]",
            "{ from = 1, to = 2, count = 99999999 }",
            &["failure_domain.half_periods", "99999999", "1000000"],
        ),
        (
            &domain,
            "\"x\"",
            "\"w\"",
            &["failure_domain.direction", "\"w\"", "\"-y\""],
        ),
        (
            &domain,
            "\"x\"",
            "[0, 0, 0]",
            &["failure_domain.direction", "[0.0, 0.0, 0.0]"],
        ),
        (
            &domain,
            "[failure_domain]",
            "[fragilty]",
            &["study.toml:5:2", "`fragilty`", "`fragility`"],
        ),
        (
            &domain,
            "[failure_domain]",
            "[[variants]]\n[[variants]]\n[failure_domain]",
            &["variants 1 and 2"],
        ),
        (
            &fragility,
            "count = 1",
            "count = 0",
            &["fragility.synthetic.count", "0"],
        ),
        (&fragility, "[0.4]", "[-0.4]", &["fragility.intensities", "-0.4"]),
        (&fragility, "[0.4]", "[0.4]\nmeasure = \"sa:0\"", &["`sa:0`", "sa:0.5"]),
        (
            &fragility,
            "[0.4]",
            "[0.4]\nconfidence = 1.0",
            &["fragility.confidence", "1", "between 0 and 1"],
        ),
        (
            &sweep,
            "\"friction\"",
            "\"frction\"",
            &["`frction`", "friction, density"],
        ),
        (&sweep, "[0.3]", "[-0.3]", &["friction -0.3", "0 or above"]),
        (&sweep, "[0.3]", "[\"a\"]", &["`friction`", "a number", "\"a\""]),
        (&sweep, "[0.3]", "[nan]", &["`friction`", "NaN", "finite"]),
        (&sweep, "\"friction\"", "\"load:wind\"", &["no load case `wind`"]),
        (
            &sweep,
            "\"friction\"",
            "\"model:/blocks/99/name\"",
            &["model:/blocks/99/name"],
        ),
        (&sweep, "\"friction\"", "\"tilt:w\"", &["`w`", "tilt:y"]),
        (
            &sweep,
            "limit = { direction = \"x\" }",
            "limit = { load = \"wind\" }",
            &["no load case `wind`"],
        ),
        (
            &sweep,
            "limit = { direction = \"x\" }",
            "check = { method = \"x\" }",
            &["no method `x`", "cra"],
        ),
        (
            &sweep,
            "[[sweep",
            "design = \"latin-hypercube\"\n[[sweep",
            &["`friction`", "`distribution`"],
        ),
        (
            &assembly,
            "[assembly]",
            "[assembly]\norder = [\"block\", []]",
            &["assembly.order", "stage 2"],
        ),
        (
            &assembly,
            "[assembly]",
            "[assembly]\norder = [\"block\", \"block\"]",
            &["`block` twice"],
        ),
        (
            &assembly,
            "[assembly]",
            "[assembly]\norder = []",
            &["does not place `block`"],
        ),
        (
            &assembly,
            "[assembly]",
            "[assembly]\nmost_checks = 0",
            &["assembly.most_checks"],
        ),
    ];
    for (study, old, new, told) in cases {
        let text = with(study, old, new);
        let said = refused(&text);
        for part in *told {
            assert!(said.contains(part), "{new}: `{part}` is not in: {said}");
        }
        // 1e300 with all its zeros helps nobody.
        assert!(said.len() < 700, "{new}: {said}");
    }
}

#[test]
fn a_study_says_one_thing_to_do() {
    assert!(refused(BLOCK).contains("[failure_domain], [fragility], [sweep], [assembly]"));
    let both = refused(&[BLOCK, SHORT, DOMAIN, FRAGILITY].concat());
    assert!(both.contains("[failure_domain] and [fragility]"), "{both}");
}

#[test]
fn a_study_file_is_text_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let said = |path: &Path| {
        let failure = Study::read(path).expect_err("no study");
        format!("{failure} ({})", failure.remedy().unwrap_or_default())
    };
    assert!(
        said(folder.path()).contains("study.toml"),
        "a folder is no study file, but may hold one"
    );
    let path = folder.path().join("s.toml");
    assert!(
        said(&path).contains("--new"),
        "where there is no file, the remedy is how to get one"
    );
    fs::write(&path, b"title = \"\xff\xfe\"").unwrap();
    assert!(said(&path).contains("UTF-8"));
    fs::write(&path, b"").unwrap();
    assert!(said(&path).contains("`model`"));
}

/// Blocks that are missing were looked at when their run began: hours after the first.
#[test]
fn missing_blocks_are_looked_at_before_any_run() {
    let missing = |values: &str| {
        format!(
            "model = {{ recipe = \"stack\", parameters = {{ blocks = 2 }} }}\n[sweep]\nanalysis = {{ limit = {{ direction = \"x\" }} }}\n\
             [[sweep.parameters]]\nname = \"missing\"\nvalues = {values}\n"
        )
    };
    let said = refused(&missing("[[], [\"block-1\", \"block-2\"], [\"block-2\"]]"));
    assert!(
        said.contains("missing block-1+block-2") && said.contains("no block is left"),
        "{said}"
    );
    let said = refused(&missing("[[], [\"block-9\"], [\"block-2\"]]"));
    assert!(said.contains("`block-9`"), "{said}");
    assert!(study_in(&missing("[[], [\"block-2\"]]"), Path::new("")).is_ok());
}

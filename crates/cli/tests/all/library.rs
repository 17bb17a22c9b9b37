//! The package as a library.

use drystone::prelude::*;

/// The example is compiled and run where it stands in the documentation of the library; the README shows the same.
#[test]
fn the_readme_shows_the_example_of_the_library() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let source = std::fs::read_to_string(format!("{root}/crates/cli/src/lib.rs")).unwrap();
    let documented = source.lines().map_while(|line| line.strip_prefix("//!"));
    let documented: Vec<&str> = documented.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    let example = documented
        .split(|line| line.starts_with("```"))
        .nth(1)
        .unwrap()
        .join("\n");
    assert!(
        example.lines().count() <= 22 && example.contains("prelude"),
        "{example}"
    );
    let readme = std::fs::read_to_string(format!("{root}/README.md")).unwrap();
    assert!(readme.contains(&example), "README.md shows another example");
}

/// A block on a floor stands up to a push of its friction, by hand: mu g.
#[test]
fn a_limit_is_asked_for_in_a_few_lines() {
    let model = recipes::order("stack")
        .with("blocks", 1)
        .with("friction", 0.3)
        .build()
        .unwrap();
    let subject = Subject::new(model, &Situation::default()).unwrap();
    let growing = Growing::Direction(DVec3::X);
    let found = limit(
        &subject.case(),
        growing,
        Friction::Associated,
        &subject.geometry,
        &mut Solvers::default(),
    );
    let [low, high] = found.unwrap().found.bounds;
    assert!((low - 0.3).abs() < 1e-5 && (high - 0.3).abs() < 1e-5, "{low} to {high}");
}

/// Changes are applied once, the same for every question: a situation out of range is refused with the value.
#[test]
fn a_situation_out_of_range_is_refused_with_its_value() {
    let model = recipes::order("stack").build().unwrap();
    let situation = Situation {
        changes: Changes {
            friction: Some(-1.0),
            ..Changes::default()
        },
        ..Situation::default()
    };
    let refused = Subject::new(model, &situation).err().unwrap();
    assert!(
        refused.message().contains("friction") && refused.message().contains("-1"),
        "{refused}"
    );
}

//! That parameters do what they say: each has an effect where what it needs is so, and none where it is not.

use super::{Is, Need, Parameter, ParameterKind, Recipe, RecipeError, all, find};

type Given = Vec<(String, String)>;

/// Values that keep the largest recipes small.
fn base(recipe: &Recipe) -> Given {
    let given: &[(&str, &str)] = match recipe.name {
        "church" => &[("block-length", "1"), ("block-height", "0.7")],
        "wall" => &[("unit-length", "1"), ("unit-height", "0.3")],
        _ => &[],
    };
    given.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

fn with(given: &Given, name: &str, value: &str) -> Given {
    let mut given = given.clone();
    given.retain(|(key, _)| key != name);
    given.push((name.to_string(), value.to_string()));
    given
}

/// Other values of a parameter, near its default first.
fn others(p: &Parameter) -> Vec<String> {
    let others: Vec<String> = match p.kind {
        ParameterKind::Number { min, max } => {
            let default: f64 = p.default.parse().unwrap();
            let near = [0.9, 1.2, 0.7, 1.5, 0.5, 0.3, 0.1].map(|f| default * f);
            let near = near
                .into_iter()
                .chain([default + 0.01, default + 0.3, default - 20.0, default + 30.0]);
            near.filter(|v| (min..=max).contains(v))
                .map(|v| v.to_string())
                .collect()
        }
        ParameterKind::Count { min, max } => {
            let default: usize = p.default.parse().unwrap();
            let near = [
                default + 1,
                default + 2,
                default.saturating_sub(1),
                default.saturating_sub(2),
                2 * default,
            ];
            near.into_iter()
                .filter(|v| (min..=max).contains(v))
                .map(|v| v.to_string())
                .collect()
        }
        ParameterKind::Flag => vec!["true".into(), "false".into()],
        ParameterKind::Choice(words) => words.iter().map(ToString::to_string).collect(),
    };
    others.into_iter().filter(|v| *v != p.default).collect()
}

fn parameter(recipe: &Recipe, name: &str) -> Parameter {
    let found = recipe.parameters().into_iter().find(|p| p.name == name);
    found.unwrap_or_else(|| panic!("{} has no parameter {name}", recipe.name))
}

/// A value of the other parameter under which a need is met, or is not.
fn value_for(recipe: &Recipe, need: &Need, met: bool) -> String {
    let other = parameter(recipe, need.parameter);
    let mut candidates = vec![other.default.clone()];
    candidates.extend(others(&other));
    if let Is::Above(number) | Is::Not(number) = need.is {
        candidates.extend([
            number.to_string(),
            (number + 2.0).to_string(),
            (number + 0.3).to_string(),
        ]);
    }
    let fits = |v: &&String| need.is_met_by(v) == met;
    candidates
        .iter()
        .find(fits)
        .unwrap_or_else(|| panic!("{} {need}", recipe.name))
        .clone()
}

#[test]
fn every_parameter_changes_the_structure_where_its_needs_are_met() {
    for recipe in all() {
        for p in recipe.parameters() {
            let mut given = base(recipe);
            for need in p.needs {
                given = with(&given, need.parameter, &value_for(recipe, need, true));
            }
            let before = recipe
                .build(&given)
                .unwrap_or_else(|e| panic!("{} {given:?}: {e}", recipe.name));
            // Values that are all refused, such as chamfers of blocks that are not convex, do not pass in silence.
            let values = others(&p);
            let mut built = values
                .iter()
                .filter_map(|v| recipe.build(&with(&given, &p.name, v)).ok())
                .peekable();
            let refused = built.peek().is_none();
            let what = format!("{}: --{} has no effect", recipe.name, p.name);
            assert!(refused || built.any(|model| model != before), "{what}");
        }
    }
}

#[test]
fn a_parameter_whose_needs_are_not_met_changes_nothing_and_is_refused() {
    let mut tried = 0;
    for recipe in all() {
        for p in recipe.parameters() {
            for need in p.needs {
                let mut given = base(recipe);
                for other in p.needs.iter().filter(|n| *n != need) {
                    given = with(&given, other.parameter, &value_for(recipe, other, true));
                }
                given = with(&given, need.parameter, &value_for(recipe, need, false));
                let idle = recipe.with_effect(&given);
                for value in others(&p).iter().take(3) {
                    let also = with(&given, &p.name, value);
                    let what = format!("{} {also:?}", recipe.name);
                    let refused = recipe.build(&also).unwrap_err().to_string();
                    assert!(
                        refused.contains(&format!("--{} {value} has no effect with", p.name)),
                        "{what}: {refused}"
                    );
                    // Without the refusal nothing would change.
                    if let (Ok(without), Ok(with)) = ((recipe.make)(&idle), (recipe.make)(&with(&idle, &p.name, value)))
                    {
                        assert!(without == with, "{what}: it has an effect");
                    }
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 30, "{tried}");
}

#[test]
fn a_span_given_to_a_circular_arch_names_what_sets_it() {
    let arch = find("arch").unwrap();
    let given =
        |pairs: &[(&str, &str)]| -> Given { pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect() };
    let error = arch.build(&given(&[("span", "6")])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "--span 6 has no effect with --profile circular; it needs --profile flat, or use --radius and --embrace-deg \
         instead"
    );
    assert!(arch.build(&given(&[("span", "6"), ("profile", "flat")])).is_ok());
    // A word that is misspelt is told, not what depends on it.
    let error = arch.build(&given(&[("span", "6"), ("profile", "flatt")])).unwrap_err();
    assert!(
        matches!(&error, RecipeError::BadValue { parameter, .. } if parameter == "profile"),
        "{error}"
    );
    let wedge = [
        ("type", "b"),
        ("slope-deg", "50"),
        ("half-width", "0.5"),
        ("neck", "0.1"),
    ];
    let error = find("wedge").unwrap().build(&given(&wedge)).unwrap_err();
    assert!(
        matches!(&error, RecipeError::NoEffect { parameter, .. } if parameter == "type"),
        "{error}"
    );
    assert!(find("wedge").unwrap().build(&given(&wedge[..3])).is_ok());
}

//! The reference in docs/model-file.md, the schema beside it and docs/recipes.md are made from the types and recipes;
//! run with `UPDATE_DOCS=1` to write them anew. `cargo xtask docs` does so and draws the pictures.

use drystone_model::{file, materials, recipes};
use serde_json::Value;

const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
const BEGIN: &str = "<!-- made from the types: begin -->\n";
const END: &str = "<!-- made from the types: end -->\n";

fn reference() -> String {
    let schema = file::schema();
    let mut text = section("The model", schema);
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        text.push_str(&section(name, definition));
    }
    text
}

fn section(title: &str, schema: &Value) -> String {
    let mut text = format!("### {title}\n\n{}\n\n", prose(schema));
    if let Some(variants) = schema
        .get("oneOf")
        .or_else(|| schema.get("anyOf"))
        .and_then(Value::as_array)
    {
        text.push_str("One of:\n\n");
        for variant in variants {
            text.push_str(&variant_line(variant));
        }
        text.push('\n');
    }
    if schema["properties"].is_object() {
        text.push_str(&fields(schema));
    }
    text
}

fn prose(schema: &Value) -> String {
    schema["description"]
        .as_str()
        .unwrap_or_default()
        .replace("\n\n", " ")
        .replace('\n', " ")
}

fn variant_line(variant: &Value) -> String {
    if let Some(word) = variant["const"].as_str() {
        return format!("- `\"{word}\"`: {}\n", prose(variant));
    }
    if variant.get("$ref").is_some() {
        return format!("- {}: {}\n", kind(variant), prose(variant));
    }
    let mut text = String::new();
    for (name, field) in variant["properties"].as_object().into_iter().flatten() {
        let nested = field["properties"].is_object();
        let prose = if prose(field).is_empty() {
            prose(variant)
        } else {
            prose(field)
        };
        let kind = if nested { "an object".to_string() } else { kind(field) };
        text.push_str(&format!("- `{name}` ({kind}): {prose}\n"));
        for (inner, field) in field["properties"].as_object().into_iter().flatten() {
            text.push_str(&format!(
                "  - `{inner}` ({}): {}\n",
                self::kind(field),
                self::prose(field)
            ));
        }
    }
    text
}

fn fields(schema: &Value) -> String {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut text = "| field | is | default | meaning |\n|---|---|---|---|\n".to_string();
    for (name, field) in schema["properties"].as_object().unwrap() {
        let default = match field.get("default") {
            _ if required.contains(&name.as_str()) => "required".to_string(),
            Some(Value::Object(_)) | None => "-".to_string(),
            Some(Value::Null) => "-".to_string(),
            Some(value) => format!("`{value}`"),
        };
        text.push_str(&format!(
            "| `{name}` | {} | {default} | {} |\n",
            kind(field),
            prose(field)
        ));
    }
    text.push('\n');
    text
}

fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|r| r.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(options) = schema["anyOf"].as_array() {
        return options
            .iter()
            .filter(|o| o["type"] != "null")
            .map(kind)
            .collect::<Vec<_>>()
            .join(" or ");
    }
    let name = match &schema["type"] {
        Value::String(name) => name.clone(),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|n| *n != "null")
            .unwrap_or("")
            .to_string(),
        _ => String::new(),
    };
    match name.as_str() {
        "array" => match schema["maxItems"].as_u64() {
            Some(n) => format!("{n} x {}", kind(&schema["items"])),
            None => format!("list of {}", kind(&schema["items"])),
        },
        "object" => format!("names to {}", kind(&schema["additionalProperties"])),
        "integer" => "whole number".to_string(),
        "string" => "text".to_string(),
        "boolean" => "true or false".to_string(),
        other => other.to_string(),
    }
}

#[test]
fn the_published_schema_is_the_one_of_the_types() {
    let text = format!("{}\n", serde_json::to_string_pretty(file::schema()).unwrap());
    check("model.schema.json", &text);
}

#[test]
fn the_reference_of_the_model_file_is_the_one_of_the_types() {
    let path = format!("{DOCS}model-file.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let begin = page.find(BEGIN).expect("the page has a place for the reference") + BEGIN.len();
    let end = page.find(END).expect("the page has an end to the reference");
    check(
        "model-file.md",
        &format!("{}{}{}", &page[..begin], reference(), &page[end..]),
    );
}

fn recipe_page() -> String {
    let mut text = String::from(
        "# Recipes\n\nStructures that `drystone new NAME [--parameter value]... -o FILE` builds; `drystone new NAME --help` \
         shows the same. Pictures are at the defaults. Supports are hatched.\n\n",
    );
    for recipe in recipes::all() {
        text.push_str(&format!("- [`{0}`](#{0}): {1}\n", recipe.name, recipe.summary));
    }
    for recipe in recipes::all() {
        let model = recipe.build(&[]).unwrap();
        let fixed = model.blocks.iter().filter(|b| b.fixed).count();
        text.push_str(&format!(
            "\n## {0}\n\n{1}.\n\n![{0}](pictures/{0}.png)\n\n",
            recipe.name, recipe.summary
        ));
        text.push_str(&format!(
            "At its defaults {} free blocks and {fixed} fixed.",
            model.blocks.len() - fixed
        ));
        text.push_str(&format!(" {}\n\n", recipe.notes));
        text.push_str("| parameter | default | allowed | meaning |\n|---|---|---|---|\n");
        for p in recipe.parameters() {
            let unit = if p.unit.is_empty() {
                String::new()
            } else {
                format!(" {}", p.unit)
            };
            text.push_str(&format!(
                "| `--{}` | {}{unit} | {} | {} |\n",
                p.name,
                p.default,
                p.kind,
                p.help_with_needs()
            ));
        }
    }
    text
}

#[test]
fn the_page_of_recipes_is_the_one_of_the_recipes_with_a_picture_of_each() {
    check("recipes.md", &recipe_page());
    for recipe in recipes::all() {
        let picture = format!("{DOCS}pictures/{}.png", recipe.name);
        assert!(
            std::path::Path::new(&picture).exists(),
            "{picture} is missing: run `cargo xtask docs`"
        );
    }
}

fn material_page() -> String {
    let mut text = String::from(
        "# Materials\n\nThe library behind `drystone new --materials` and `--material NAME` (on `new` and `import`). A model takes the value; the range is what \
         the source gives, and the value its middle, to three digits. They are a start where nothing is known: measure where it matters, and try both ends of \
         the range. Strengths are for comparison with stresses; a model does not hold them (see `crushing_pa` in [joint-laws.md](joint-laws.md)). What is left \
         out has no source here. Values given by number (`--density`, `--friction`, `--young`, `--poisson`) come before those of the library.\n\n",
    );
    for m in materials::all() {
        text.push_str(&format!(
            "## {}\n\n{}.\n\n| property | value | range | source |\n|---|---|---|---|\n",
            m.name, m.summary
        ));
        for (what, scale, unit, known) in [
            ("density", 1.0, " kg/m3", Some(m.density)),
            ("friction", 1.0, "", Some(m.friction)),
            ("compressive strength", 1e-6, " MPa", Some(m.strength_pa)),
            ("Young's modulus", 1e-9, " GPa", m.young_pa),
            ("Poisson's ratio", 1.0, "", m.poisson),
        ] {
            let Some(known) = known else { continue };
            let short = |v: f64| format!("{:.2e}", scale * v).parse::<f64>().unwrap();
            let range = if known.low == known.high {
                "-".to_string()
            } else {
                format!("{} to {}", short(known.low), short(known.high))
            };
            text.push_str(&format!(
                "| {what} | {}{unit} | {range} | {} |\n",
                short(known.value()),
                known.source.short()
            ));
        }
        text.push('\n');
    }
    text.push_str("## Sources\n\n");
    for source in materials::Source::ALL {
        text.push_str(&format!("- **{}**: {}.\n", source.short(), source.citation()));
    }
    text
}

#[test]
fn the_page_of_materials_is_the_one_of_the_library() {
    check("materials.md", &material_page());
}

#[test]
fn the_examples_on_the_page_are_models_that_can_be_read() {
    let page = std::fs::read_to_string(format!("{DOCS}model-file.md")).unwrap();
    let examples: Vec<&str> = page
        .split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(examples.len() >= 2);
    for example in examples.iter().filter(|e| e.contains("\"drystone\"")) {
        file::parse(example.as_bytes(), "model-file.md").unwrap();
    }
}

#[test]
fn the_example_files_are_models_without_problems() {
    let folder = format!("{DOCS}../examples");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "json") {
            let summary = drystone_model::check::summary(&file::read(&path).unwrap());
            assert!(
                summary.problems.is_empty(),
                "{}: {}",
                path.display(),
                summary.problems[0]
            );
            assert_eq!(summary.components, 1, "{}", path.display());
            read += 1;
        }
    }
    assert!(read >= 2);
}

fn check(name: &str, text: &str) {
    let path = format!("{DOCS}{name}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        found, text,
        "docs/{name} is out of date: run the tests of drystone-model with UPDATE_DOCS=1"
    );
}

//! Every place where a JSON value departs from the schema, with what is allowed there.
//!
//! This understands exactly the part of JSON Schema that the model's types produce. A test feeds it every example and
//! recipe; whatever the types accept, it must accept too.

use serde_json::{Map, Value};

use crate::{
    MeshSpec,
    check::{ModelProblem, nearest, shown},
};

/// Faults reported before the walk stops; a broken file of a thousand blocks has a thousand times the same one.
const MOST: usize = 200;

pub(super) fn faults(value: &Value, schema: &Value) -> Vec<ModelProblem> {
    let mut walk = Walk {
        root: value,
        schema,
        path: Vec::new(),
        found: Vec::new(),
    };
    walk.value(value, schema);
    walk.found
}

enum Step {
    Field(String),
    Index(usize),
}

struct Walk<'a> {
    root: &'a Value,
    /// That of the whole file, which the others are references into.
    schema: &'a Value,
    path: Vec<Step>,
    found: Vec<ModelProblem>,
}

impl<'a> Walk<'a> {
    fn fault(&mut self, message: impl Into<String>) {
        if self.found.len() < MOST {
            self.found.push(ModelProblem::error(self.place(), message));
        }
    }

    /// `block 17 (`keystone`), shape.box.size[1]`
    fn place(&self) -> String {
        let mut text = String::new();
        let mut steps = self.path.as_slice();
        if let [Step::Field(field), Step::Index(index), rest @ ..] = steps
            && field == "blocks"
        {
            let name = self.root["blocks"][*index].get("name").and_then(Value::as_str);
            text = crate::check::block_place(*index, name.unwrap_or_default());
            steps = rest;
        }
        for (k, step) in steps.iter().enumerate() {
            match step {
                Step::Index(index) => text.push_str(&format!("[{index}]")),
                Step::Field(field) => {
                    text.push_str(if k > 0 {
                        "."
                    } else if text.is_empty() {
                        ""
                    } else {
                        ", "
                    });
                    text.push_str(field);
                }
            }
        }
        text
    }

    fn at(&mut self, step: Step, value: &Value, schema: &Value) {
        self.path.push(step);
        self.value(value, schema);
        self.path.pop();
    }

    fn value(&mut self, value: &Value, schema: &Value) {
        if self.found.len() >= MOST {
            return;
        }
        let schema = resolved(self.schema, schema);
        if let Some(branches) = schema
            .get("oneOf")
            .or_else(|| schema.get("anyOf"))
            .and_then(Value::as_array)
        {
            return self.choice(value, branches);
        }
        if let Some(allowed) = words(schema) {
            if !value.as_str().is_some_and(|word| allowed.contains(&word)) {
                let hint = value.as_str().and_then(|w| nearest(w, allowed.iter().copied()));
                self.fault(format!(
                    "{} is not allowed; must be {}{}",
                    show(value),
                    one_of(&allowed),
                    did_you_mean(hint)
                ));
            }
            return;
        }
        if !has_type(value, &schema["type"]) {
            self.fault(format!("{} is not {}", show(value), describe(schema)));
            return;
        }
        match value {
            Value::Number(number) => self.number(number.as_f64().unwrap_or(f64::NAN), schema),
            Value::String(text) => self.string(text, schema),
            Value::Array(items) => self.array(items, schema),
            Value::Object(fields) => self.object(fields, schema),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn number(&mut self, number: f64, schema: &Value) {
        if let Some(min) = schema["minimum"].as_f64().filter(|&min| number < min) {
            self.fault(format!("{} is not allowed; must be {min} or above", shown(number)));
        }
        if let Some(min) = schema["exclusiveMinimum"].as_f64().filter(|&min| number <= min) {
            self.fault(format!("{} is not allowed; must be above {min}", shown(number)));
        }
    }

    fn string(&mut self, text: &str, schema: &Value) {
        if text.is_empty() && schema["minLength"].as_u64().unwrap_or(0) > 0 {
            self.fault("must not be empty");
        }
        if schema["format"] == MeshSpec::FORMAT
            && let Err(error) = text.parse::<MeshSpec>()
        {
            self.fault(error.to_string());
        }
    }

    fn array(&mut self, items: &[Value], schema: &Value) {
        let count = items.len() as u64;
        let (min, max) = (
            schema["minItems"].as_u64().unwrap_or(0),
            schema["maxItems"].as_u64().unwrap_or(u64::MAX),
        );
        if count < min || count > max {
            let allowed = if min == max {
                format!("{min}")
            } else if max == u64::MAX {
                format!("at least {min}")
            } else {
                format!("{min} to {max}")
            };
            let entries = if count == 1 { "entry" } else { "entries" };
            self.fault(format!("has {count} {entries}; {allowed} needed"));
            return;
        }
        for (index, item) in items.iter().enumerate() {
            let of_place = schema["prefixItems"].get(index);
            if let Some(item_schema) = of_place.or_else(|| schema.get("items")) {
                self.at(Step::Index(index), item, item_schema);
            }
        }
    }

    fn object(&mut self, fields: &Map<String, Value>, schema: &Value) {
        let known = schema["properties"].as_object();
        let of_any = schema.get("additionalProperties");
        for (key, value) in fields {
            if let Some(field_schema) = known.and_then(|k| k.get(key)) {
                self.at(Step::Field(key.clone()), value, field_schema);
            } else if let Some(any @ Value::Object(_)) = of_any {
                self.at(Step::Field(key.clone()), value, any);
            } else if of_any == Some(&Value::Bool(false)) {
                let names: Vec<&str> = known.into_iter().flat_map(|k| k.keys()).map(String::as_str).collect();
                let hint = nearest(key, names.iter().copied());
                let allowed = if hint.is_some() {
                    String::new()
                } else {
                    format!("; known here: {}", names.join(", "))
                };
                self.fault(format!("unknown field `{key}`{}{allowed}", did_you_mean(hint)));
            }
        }
        for name in schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            if !fields.contains_key(name) {
                self.fault(format!("field `{name}` is missing"));
            }
        }
    }

    /// An alternative: `null` or something, a word, or an object whose fields tell which variant is meant.
    fn choice(&mut self, value: &Value, branches: &[Value]) {
        let branches: Vec<&Value> = branches.iter().map(|b| resolved(self.schema, b)).collect();
        if value.is_null() && branches.iter().any(|b| b["type"] == "null") {
            return;
        }
        let branches: Vec<&Value> = branches.into_iter().filter(|b| b["type"] != "null").collect();
        if let [only] = branches[..] {
            return self.value(value, only);
        }
        let allowed: Vec<&str> = branches.iter().filter_map(|b| words(b)).flatten().collect();
        let keys = |branch: &&Value| -> Vec<String> {
            branch["properties"]
                .as_object()
                .into_iter()
                .flat_map(|p| p.keys().cloned())
                .collect()
        };
        if let Value::Object(fields) = value {
            let matching = |branch: &&&Value| keys(branch).iter().filter(|k| fields.contains_key(*k)).count();
            let best = branches
                .iter()
                .filter(|b| b["properties"].is_object())
                .max_by_key(matching);
            if let Some(best) = best.filter(|b| matching(b) > 0) {
                let known = |key: &&String| branches.iter().any(|b| keys(b).contains(key));
                if fields.keys().filter(known).count() > matching(&best) {
                    let variants: Vec<String> = branches.iter().map(keys).filter(|k| !k.is_empty()).map(with).collect();
                    return self.fault(format!("give one of {}, not several", variants.join(", ")));
                }
                return self.value(value, best);
            }
        } else if let Some(word) = value.as_str()
            && allowed.contains(&word)
        {
            return;
        }
        let names: Vec<String> = branches.iter().flat_map(keys).collect();
        let names: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .chain(allowed.iter().copied())
            .collect();
        let given = match value {
            Value::Object(fields) => fields.keys().next().cloned(),
            Value::String(word) => Some(word.clone()),
            _ => None,
        };
        let hint = given.and_then(|g| nearest(&g, names.iter().copied()));
        self.fault(format!(
            "{} is not allowed; must be {}{}",
            show(value),
            one_of(&names),
            did_you_mean(hint)
        ));
    }
}

fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|r| r.strip_prefix('#'))
    {
        Some(pointer) => root.pointer(pointer).unwrap_or(schema),
        None => schema,
    }
}

/// The words that a schema of fixed strings allows.
fn words(schema: &Value) -> Option<Vec<&str>> {
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        return Some(vec![word]);
    }
    let words: Vec<&str> = schema
        .get("enum")?
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    Some(words)
}

fn has_type(value: &Value, types: &Value) -> bool {
    let is = |name: &str| match name {
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    };
    match types {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

fn describe(schema: &Value) -> String {
    let name = match &schema["type"] {
        Value::String(name) => name.as_str(),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|n| *n != "null")
            .unwrap_or("value"),
        _ => "value",
    };
    match name {
        "number" => "a number".to_string(),
        "integer" => "a whole number, zero or above".to_string(),
        "string" => "a text in quotes".to_string(),
        "boolean" => "true or false".to_string(),
        "object" => "an object in braces {}".to_string(),
        "array" => match schema["maxItems"].as_u64() {
            Some(n) => format!("a list of {n} entries in brackets []"),
            None => "a list in brackets []".to_string(),
        },
        other => other.to_string(),
    }
}

fn one_of(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    if quoted.len() == 1 {
        quoted[0].clone()
    } else {
        format!("one of {}", quoted.join(", "))
    }
}

/// The fields of one variant: `axis` with `angle_deg`.
fn with(keys: Vec<String>) -> String {
    let quoted: Vec<String> = keys.iter().map(|k| format!("`{k}`")).collect();
    quoted.join(" with ")
}

fn did_you_mean(hint: Option<String>) -> String {
    hint.map(|h| format!("; did you mean `{h}`?")).unwrap_or_default()
}

/// The value as in the file, cut short.
fn show(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        text
    } else {
        format!("{}...", text.chars().take(57).collect::<String>())
    }
}

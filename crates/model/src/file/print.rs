use serde_json::Value;

/// Width up to which an array or object stays on one line.
const WIDTH: usize = 120;

/// JSON laid out for people: whatever fits on a line is on one line, so that a block or a vertex is one.
pub(super) fn pretty(value: &Value) -> String {
    let mut out = String::new();
    print(value, 0, &mut out);
    out.push('\n');
    out
}

fn print(value: &Value, indent: usize, out: &mut String) {
    let column = out.len() - out.rfind('\n').map_or(0, |k| k + 1);
    let mut line = String::new();
    if is_flat(value, WIDTH.saturating_sub(column), &mut line) {
        out.push_str(&line);
        return;
    }
    let pad = " ".repeat(indent + 2);
    match value {
        Value::Array(items) => {
            out.push('[');
            for (k, item) in items.iter().enumerate() {
                out.push_str(if k == 0 { "\n" } else { ",\n" });
                out.push_str(&pad);
                print(item, indent + 2, out);
            }
            out.push_str(&format!("\n{}]", " ".repeat(indent)));
        }
        Value::Object(fields) => {
            out.push('{');
            for (k, (key, item)) in fields.iter().enumerate() {
                out.push_str(if k == 0 { "\n" } else { ",\n" });
                out.push_str(&format!("{pad}{}: ", Value::from(key.as_str())));
                print(item, indent + 2, out);
            }
            out.push_str(&format!("\n{}}}", " ".repeat(indent)));
        }
        other => out.push_str(&other.to_string()),
    }
}

/// Writes the value on one line, giving up as soon as it gets longer than `room`.
fn is_flat(value: &Value, room: usize, line: &mut String) -> bool {
    match value {
        Value::Array(items) => {
            line.push('[');
            for (k, item) in items.iter().enumerate() {
                if k > 0 {
                    line.push_str(", ");
                }
                if !is_flat(item, room, line) {
                    return false;
                }
            }
            line.push(']');
        }
        Value::Object(fields) => {
            line.push_str("{ ");
            for (k, (key, item)) in fields.iter().enumerate() {
                if k > 0 {
                    line.push_str(", ");
                }
                line.push_str(&format!("{}: ", Value::from(key.as_str())));
                if !is_flat(item, room, line) {
                    return false;
                }
            }
            line.push_str(" }");
        }
        // Arithmetic leaves whole coordinates as 0.0; a person writes 0, and it reads back as the same number.
        Value::Number(n) => match n.as_f64().filter(|x| x.fract() == 0.0 && x.abs() < 1e15) {
            Some(x) if !(x == 0.0 && x.is_sign_negative()) => line.push_str(&format!("{x}")),
            _ => line.push_str(&n.to_string()),
        },
        other => line.push_str(&other.to_string()),
    }
    line.len() <= room
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn short_things_stand_on_one_line_and_long_ones_do_not() {
        let long: Vec<f64> = (0..60).map(f64::from).collect();
        let text = pretty(&json!({ "size": [1.0, 2.5, 0.3], "long": [long, [1.0]], "name": "a \"b\"" }));
        assert!(text.contains("\"size\": [1, 2.5, 0.3]"));
        assert!(text.contains("    [1]\n"));
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["name"], "a \"b\"");
        assert_eq!(back["long"][0][59], 59);
    }
}

//! The small forms of COMPAS JSON: typed wrappers, keys, points, frames.

use glam::DVec3;
use serde_json::{Map, Value};

use super::super::text::in_range;
use crate::StoredFrame;

/// The content of `{"dtype": .., "data": ..}`, or the value itself. COMPAS 1 wrote `value` for `data`.
pub(super) fn unwrapped(value: &Value) -> &Value {
    let typed = value.get("dtype").or_else(|| value.get("datatype")).is_some();
    let inner = value.get("data").or_else(|| value.get("value"));
    match inner {
        Some(inner) if typed => inner,
        _ => value,
    }
}

/// The class in a typed wrapper, without its package.
pub(super) fn class(value: &Value) -> Option<&str> {
    let dtype = value.get("dtype").or_else(|| value.get("datatype"))?.as_str()?;
    dtype.rsplit('/').next()
}

/// A key as it stands in a JSON object, without the quotes that Python's `repr` puts around text.
pub(super) fn key(text: &str) -> String {
    let bare = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    bare('\'').or_else(|| bare('"')).unwrap_or(text).to_owned()
}

/// A key given as a value: a number or a text.
pub(super) fn key_of(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(key(text)),
        _ => None,
    }
}

/// The entries of an object in the order of their keys: numbers by size, then texts.
pub(super) fn in_order(object: &Map<String, Value>) -> Vec<(String, &Value)> {
    let mut entries: Vec<(String, &Value)> = object.iter().map(|(k, v)| (key(k), v)).collect();
    entries.sort_by(|(a, _), (b, _)| {
        let number = |k: &str| k.parse::<i64>().map_or((1, 0), |n| (0, n));
        number(a).cmp(&number(b)).then_with(|| a.cmp(b))
    });
    entries
}

pub(super) fn positive(value: &Value) -> Option<f64> {
    value.as_f64().filter(|v| *v > 0.0 && v.is_finite())
}

/// True, or a number other than zero.
pub(super) fn truth(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| value.as_f64().map(|v| v != 0.0))
}

/// A point or vector: a list of three numbers, or an object with x, y and z.
pub(super) fn vector(value: &Value) -> Option<DVec3> {
    let value = unwrapped(value);
    let number = |v: &Value| in_range(v.as_f64()?).ok();
    match value {
        Value::Array(list) => match &list[..] {
            [x, y, z] => Some(DVec3::new(number(x)?, number(y)?, number(z)?)),
            _ => None,
        },
        Value::Object(of) => Some(DVec3::new(
            number(of.get("x")?)?,
            number(of.get("y")?)?,
            number(of.get("z")?)?,
        )),
        _ => None,
    }
}

/// A frame whose two axes span a plane.
pub(super) fn frame(value: &Value) -> Option<StoredFrame> {
    let value = unwrapped(value);
    let part = |name: &str| vector(value.get(name)?);
    let frame = StoredFrame {
        point: part("point")?,
        xaxis: part("xaxis")?,
        yaxis: part("yaxis")?,
    };
    let span = frame.xaxis.normalize_or_zero().cross(frame.yaxis.normalize_or_zero());
    (span.length() > 1e-6).then_some(frame)
}

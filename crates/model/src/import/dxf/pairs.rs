//! The lines of a DXF file: a code, then a value, over and over.

use super::super::{
    error::{ImportError, format_error, single},
    text::{quoted, text},
};

/// A value with its code.
pub(super) struct Pair<'a> {
    pub(super) code: i32,
    pub(super) value: &'a str,
    /// Line of the value, from 1.
    pub(super) line: usize,
}

/// The text of a file, or why it is none that can be read.
pub(super) fn content<'a>(bytes: &'a [u8], file: &str) -> Result<std::borrow::Cow<'a, str>, ImportError> {
    if bytes.starts_with(b"AutoCAD Binary DXF") {
        return Err(format_error(file, "this is a binary DXF file; save it as ASCII DXF"));
    }
    if bytes.starts_with(b"AC10") {
        return Err(format_error(file, "this is a DWG file; save it as ASCII DXF"));
    }
    Ok(text(bytes))
}

/// All pairs up to the end of the file.
pub(super) fn pairs<'a>(content: &'a str, file: &str) -> Result<Vec<Pair<'a>>, ImportError> {
    let mut pairs = Vec::new();
    let mut lines = content.lines().enumerate();
    while let Some((k, code)) = lines.next() {
        let Ok(number) = code.trim().parse::<i32>() else {
            // Empty lines at the end are no pair that is cut off.
            if code.trim().is_empty() && lines.all(|(_, rest)| rest.trim().is_empty()) {
                break;
            }
            let what = format!(
                "{} is no group code; every value of a DXF file stands below the number that says what it is",
                quoted(code)
            );
            return Err(single(file, Some(k + 1), what));
        };
        let Some((k, value)) = lines.next() else {
            return Err(single(
                file,
                Some(k + 1),
                "the file ends after a group code: it is cut off",
            ));
        };
        let value = value.trim();
        if number == 0 && value == "EOF" {
            break;
        }
        pairs.push(Pair {
            code: number,
            value,
            line: k + 1,
        });
    }
    Ok(pairs)
}

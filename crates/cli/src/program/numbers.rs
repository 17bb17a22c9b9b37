//! Numbers on the command line: each option says what it allows, and refuses the rest in one way.

use clap::builder::RangedU64ValueParser;

/// Most threads: more than any machine that this was tried on has, and few enough to be started.
const MOST_THREADS: u64 = 1024;

/// Reads a finite number.
pub(crate) fn number(text: &str) -> Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| format!("`{text}` is not a number"))?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(format!("`{text}` is not a finite number"))
    }
}

/// Reads a number from `least` to `most`.
pub(crate) fn within(least: f64, most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| match number(text)? {
        value if (least..=most).contains(&value) => Ok(value),
        _ => Err(format!("must be from {} to {}", short(least), short(most))),
    }
}

/// Reads a fraction: above 0, and at most 1.
pub(crate) fn fraction(text: &str) -> Result<f64, String> {
    match number(text)? {
        value if value > 0.0 && value <= 1.0 => Ok(value),
        _ => Err("must be above 0 and at most 1".into()),
    }
}

/// Reads a number of threads.
pub(crate) fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=MOST_THREADS)
}

/// A number as a person writes it.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_allowed_is_told_with_what_is() {
        let parse = within(1e-9, 1e3);
        assert_eq!(parse("1e-9"), Ok(1e-9));
        assert_eq!(parse(" 1000"), Ok(1e3));
        for wrong in ["0", "-1", "1e-300", "1e300"] {
            assert_eq!(parse(wrong), Err("must be from 1e-9 to 1000".into()), "{wrong}");
        }
        for wrong in ["nan", "inf", "-inf"] {
            assert!(
                parse(wrong).is_err_and(|e| e.contains("not a finite number")),
                "{wrong}"
            );
        }
        assert!(parse("much").is_err_and(|e| e.contains("not a number")));
        assert_eq!(fraction("1"), Ok(1.0));
        assert!(["0", "-0.1", "1.1", "nan"].iter().all(|text| fraction(text).is_err()));
    }
}

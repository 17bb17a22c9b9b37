//! Verdicts across every threshold of paper 004's tables: each must change once.

use drystone_mechanics::statics::{Loads, tilted};

use super::{
    Allowed, Case, Context, Failure, Outcome, Row, Solvers, Verdict, absent, short, structure, thresholds, tilted_until,
};

pub(super) const CASE: Case = Case {
    name: "statics-sweeps",
    group: "statics",
    source: "004 tables 1 to 4",
    summary: "verdicts at 200 angles within 2 degrees of every critical tilt: how often they change",
    long: true,
    run,
};

/// Angles of a sweep.
const ANGLES: usize = 200;
/// How far a sweep goes to both sides of the critical angle (deg).
const SWEPT: f64 = 2.0;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut solvers = Solvers::default();
    let (thresholds, missing) = thresholds::all()?;
    let angles = context.pick(ANGLES, 20);
    for threshold in &thresholds {
        let subject = structure(&threshold.model)?.with_friction(threshold.friction);
        let axis = threshold.axis.normalize_or_zero();
        for &method in threshold.methods {
            let found = tilted_until(&subject, axis, method, &mut solvers)?;
            let middle = found.middle().to_degrees();
            let (from, to) = ((middle - SWEPT).max(0.0), (middle + SWEPT).min(180.0));
            let mut verdicts = Vec::with_capacity(angles);
            for k in 0..angles {
                let angle = from + (to - from) * k as f64 / (angles - 1) as f64;
                let gravity = tilted(subject.gravity, axis, angle.to_radians());
                let none = Loads::none(&subject);
                verdicts.push(solvers.check(&subject, gravity, &none, method)?.verdict);
            }
            let what = format!("table {}: {}, {}", threshold.table, threshold.name, method.name());
            let (changes, undecided) = (changes(&verdicts), undecided(&verdicts));
            let row = Row::figure(
                format!("{what}: changes of verdict"),
                1.0,
                changes as f64,
                Allowed::Within(0.0),
            );
            outcome
                .rows
                .push(row.note(format!("{angles} angles about {}°", short(middle))));
            let row = Row::figure(
                format!("{what}: undecided"),
                0.0,
                undecided as f64,
                Allowed::Within(0.0),
            );
            outcome.rows.push(row);
        }
    }
    outcome.rows.extend(missing.into_iter().map(absent));
    outcome.rows.push(solvers.certificates());
    Ok(outcome)
}

/// How often verdicts change, those that are undecided left aside.
fn changes(verdicts: &[Verdict]) -> usize {
    let decided: Vec<Verdict> = verdicts.iter().copied().filter(|v| *v != Verdict::Undecided).collect();
    decided.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

fn undecided(verdicts: &[Verdict]) -> usize {
    verdicts.iter().filter(|v| **v == Verdict::Undecided).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undecided_verdicts_are_counted_and_change_nothing() {
        let of = |text: &str| -> Vec<Verdict> {
            let one = |c| match c {
                's' => Verdict::Stable,
                'u' => Verdict::Unstable,
                _ => Verdict::Undecided,
            };
            text.chars().map(one).collect()
        };
        for (text, expected) in [
            ("sssuuu", (1, 0)),
            ("ss??uu", (1, 2)),
            ("s?s?uu", (1, 2)),
            ("susu", (3, 0)),
            ("??", (0, 2)),
        ] {
            let verdicts = of(text);
            assert_eq!((changes(&verdicts), undecided(&verdicts)), expected, "{text}");
        }
    }
}

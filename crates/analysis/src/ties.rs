//! Forces in ties as results give them.

use drystone_mechanics::statics::{Check, Structure};
use serde::Serialize;

use crate::words::force;

/// The force in a tie.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TieResult {
    /// Name of the tie.
    pub tie: String,
    /// Force, positive where it pulls (unit: N).
    pub force_n: f64,
    /// Force at which it yields (unit: N), where it does.
    pub yield_n: Option<f64>,
    /// Whether it carries that.
    pub yields: bool,
}

/// The forces in the ties of a structure that an answer rests on; none where it rests on none.
pub(crate) fn of(structure: &Structure, check: Option<&Check>) -> Vec<TieResult> {
    let forces = check.map_or(&[][..], |check| &check.tie_forces);
    let ties = structure.ties.iter().zip(forces);
    ties.map(|(tie, &force_n)| TieResult {
        tie: tie.name.clone(),
        force_n,
        yield_n: Some(tie.law.yield_force).filter(|most| most.is_finite()),
        yields: force_n >= (1.0 - 1e-6) * tie.law.yield_force,
    })
    .collect()
}

/// Forces below this fraction of the yield force, or of the largest force in a tie, are what solvers leave of none.
const NOTHING: f64 = 1e-6;
/// Ties told by name before the rest is only counted.
const MOST_NAMED: usize = 8;

/// Forces in ties for people: those of the largest first.
pub fn tie_words(ties: &[TieResult]) -> Option<String> {
    let mut sorted: Vec<&TieResult> = ties.iter().collect();
    sorted.sort_by(|a, b| b.force_n.abs().total_cmp(&a.force_n.abs()));
    let largest = sorted.first().map_or(0.0, |tie| tie.force_n.abs());
    let one = |tie: &&TieResult| {
        if tie.force_n.abs() <= NOTHING * tie.yield_n.unwrap_or(largest) {
            return format!("`{}` nothing", tie.tie);
        }
        let how = match (tie.yields, tie.yield_n) {
            (true, _) => " (yields)".to_string(),
            (false, Some(most)) => format!(" of {}", force(most)),
            (false, None) if tie.force_n < 0.0 => " (pushes)".to_string(),
            (false, None) => String::new(),
        };
        format!("`{}` {}{how}", tie.tie, force(tie.force_n.abs()))
    };
    let mut words: Vec<String> = sorted.iter().take(MOST_NAMED).map(one).collect();
    if sorted.len() > MOST_NAMED {
        words.push(format!("{} more", sorted.len() - MOST_NAMED));
    }
    (!words.is_empty()).then(|| words.join(", "))
}

//! Forces in ties as results give them.

use drystone_mechanics::statics::{Check, Structure};
use serde::Serialize;

use crate::words::force;

/// The force in a tie.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TieResult {
    /// Name of the tie.
    pub tie: String,
    /// The group it is of, where it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
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
        group: tie.group.clone(),
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

/// The ties of one group: the one that carries most speaks for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TieGroup {
    /// Its name.
    pub group: String,
    /// How many ties it has.
    pub ties: usize,
    /// The largest force in size, positive where it pulls (unit: N).
    pub max_force_n: f64,
    /// The tie that carries it.
    pub tie: String,
}

/// The groups of ties, each with its largest force, in the order of their first ties. Ties are their name, group and force.
pub(crate) fn groups<'a>(ties: impl Iterator<Item = (&'a str, Option<&'a str>, f64)>) -> Vec<TieGroup> {
    let mut found: Vec<TieGroup> = Vec::new();
    for (tie, group, force) in ties {
        let Some(group) = group else { continue };
        let at = found.iter().position(|g| g.group == group).unwrap_or_else(|| {
            found.push(TieGroup {
                group: group.to_string(),
                ties: 0,
                max_force_n: 0.0,
                tie: tie.to_string(),
            });
            found.len() - 1
        });
        let known = &mut found[at];
        known.ties += 1;
        if force.abs() > known.max_force_n.abs() {
            (known.max_force_n, known.tie) = (force, tie.to_string());
        }
    }
    found
}

/// The groups of the ties of an answer.
pub(crate) fn groups_of(ties: &[TieResult]) -> Vec<TieGroup> {
    groups(ties.iter().map(|t| (t.tie.as_str(), t.group.as_deref(), t.force_n)))
}

/// Of ties that are sorted by force, those that speak for themselves or for a group, each with the size of its group.
pub(crate) fn spokesmen<'a, T>(sorted: &[&'a T], group: impl Fn(&'a T) -> Option<&'a str>) -> Vec<(&'a T, usize)> {
    let size = |of: &str| sorted.iter().filter(|t| group(t) == Some(of)).count();
    let is_first = |k: usize, of: &str| sorted.iter().position(|t| group(t) == Some(of)) == Some(k);
    let speaks = |(k, tie): (usize, &&'a T)| match group(tie) {
        None => Some((*tie, 1)),
        Some(of) => is_first(k, of).then(|| (*tie, size(of))),
    };
    sorted.iter().enumerate().filter_map(speaks).collect()
}

/// How a tie is called that may speak for a group.
pub(crate) fn spoken(tie: &str, group: Option<&str>, size: usize) -> String {
    match group {
        Some(group) if size > 1 => format!("`{group}` (largest of {size} ties, `{tie}`)"),
        _ => format!("`{tie}`"),
    }
}

/// Forces in ties for people: those of the largest first, and of a group the largest alone.
pub fn tie_words(ties: &[TieResult]) -> Option<String> {
    let mut sorted: Vec<&TieResult> = ties.iter().collect();
    sorted.sort_by(|a, b| b.force_n.abs().total_cmp(&a.force_n.abs()));
    let largest = sorted.first().map_or(0.0, |tie| tie.force_n.abs());
    let one = |(tie, size): &(&TieResult, usize)| {
        let name = spoken(&tie.tie, tie.group.as_deref(), *size);
        if tie.force_n.abs() <= NOTHING * tie.yield_n.unwrap_or(largest) {
            return format!("{name} nothing");
        }
        let how = match (tie.yields, tie.yield_n) {
            (true, _) => " (yields)".to_string(),
            (false, Some(most)) => format!(" of {}", force(most)),
            (false, None) if tie.force_n < 0.0 => " (pushes)".to_string(),
            (false, None) => String::new(),
        };
        format!("{name} {}{how}", force(tie.force_n.abs()))
    };
    let told = spokesmen(&sorted, |t| t.group.as_deref());
    let mut words: Vec<String> = told.iter().take(MOST_NAMED).map(one).collect();
    if told.len() > MOST_NAMED {
        words.push(format!("{} more", told.len() - MOST_NAMED));
    }
    (!words.is_empty()).then(|| words.join(", "))
}

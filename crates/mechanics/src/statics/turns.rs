//! What moves once that which moves first is held.
//!
//! The motion that proves a fall is one of many. Blocks that stay at rest in it, because others slide before them, may fall, too,
//! as soon as these are held: whoever fixes a structure wants to know all of them.

use super::{Check, Loads, Solvers, StaticsError, Structure, Verdict, check};

const TUNING: crate::statics::tuning::Sensitivity = crate::statics::Tuning::DEFAULT.sensitivity;

/// Holds the blocks that a verdict names where they are and asks again, until nothing moves. What it gives is which blocks move
/// in each further round, and the verdict of the last.
pub fn unstable_in_turn(
    structure: &Structure,
    loads: &Loads,
    first: &Check,
    solvers: &mut Solvers,
) -> Result<(Vec<Vec<usize>>, Verdict), StaticsError> {
    let mut held = structure.clone();
    let mut turns = Vec::new();
    let mut named = first.unstable_blocks.clone();
    let mut verdict = first.verdict;
    while verdict == Verdict::Unstable && !named.is_empty() && turns.len() < TUNING.turns {
        named.iter().for_each(|&b| held.fixed[b] = true);
        if held.free().next().is_none() {
            break;
        }
        // Whatever hangs on a block that is held hangs on a support now.
        held.loose.retain(|island| island.iter().all(|&b| !held.fixed[b]));
        let found = check(&held, loads, first.method, solvers)?;
        (verdict, named) = (found.verdict, found.unstable_blocks);
        if verdict == Verdict::Unstable && !named.is_empty() {
            turns.push(named.clone());
        }
    }
    Ok((turns, verdict))
}

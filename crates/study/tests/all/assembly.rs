//! The search for an order of construction, with answers that are made up: it finds an order exactly if there is one.

use std::collections::{BTreeMap, BTreeSet};

use drystone_study::{Outcome, Outcomes, Plan, Task, statistics::random::Random};
use serde_json::{Value, json};

use crate::support::{answer, outcome, plan};

/// A stack of blocks, of which only the names count here.
fn pile(blocks: usize, most_checks: usize) -> Plan {
    plan(&format!(
        "model = {{ recipe = \"stack\", parameters = {{ blocks = {blocks} }} }}\n[assembly]\nmost_checks = {most_checks}\n"
    ))
}

/// Which blocks a check has, as bits: `block-1` is the lowest.
fn set(task: &Task) -> usize {
    let names = task.job.model.present.as_ref().expect("a check names its blocks");
    names
        .iter()
        .map(|name| 1 << (name.trim_start_matches("block-").parse::<usize>().expect("a number") - 1))
        .sum()
}

fn verdict(stands: bool) -> Outcome {
    outcome(json!({ "stands": stands, "verdict": if stands { "stable" } else { "unstable" } }))
}

fn result(plan: &Plan, known: &Outcomes) -> Value {
    plan.findings(known).result["assembly"][0].clone()
}

/// Whether the finished structure can be reached from nothing, block by block, through what stands.
fn can_be_built(stands: &[bool], blocks: usize) -> bool {
    let all = (1 << blocks) - 1;
    let (mut reached, mut open) = (BTreeSet::from([0]), vec![0]);
    while let Some(set) = open.pop() {
        for next in (0..blocks).map(|k| set | 1 << k) {
            if stands[next] && reached.insert(next) {
                open.push(next);
            }
        }
    }
    stands[all] && reached.contains(&all)
}

#[test]
fn an_order_is_found_exactly_if_there_is_one() {
    const BLOCKS: usize = 5;
    let plan = pile(BLOCKS, 10_000);
    let mut random = Random::new(7);
    let mut ends = BTreeMap::new();
    for case in 0..300 {
        // From structures that nearly always stand to such that hardly do.
        let likely = 0.2 + 0.6 * f64::from(case) / 300.0;
        let mut stands: Vec<bool> = (0..1 << BLOCKS).map(|_| random.unit() < likely).collect();
        stands[0] = true;
        let known = answer(&plan, |task| verdict(stands[set(task)]));
        let found = result(&plan, &known);
        let end = found["search"].as_str().expect("an end").to_string();
        let expected = match (stands[stands.len() - 1], can_be_built(&stands, BLOCKS)) {
            (false, _) => "finished_falls",
            (true, false) => "none",
            (true, true) => "found",
        };
        assert_eq!(end, expected, "{stands:?}");
        if end == "found" {
            let order = found["order"].as_array().expect("an order");
            assert_eq!(order.len(), BLOCKS);
            let mut placed = 0;
            for name in order {
                let name = name.as_str().expect("a name");
                placed |= 1 << (name.trim_start_matches("block-").parse::<usize>().expect("a number") - 1);
                assert!(stands[placed], "{order:?} in {stands:?}");
            }
            assert_eq!(placed, (1 << BLOCKS) - 1);
        }
        *ends.entry(end).or_insert(0) += 1;
    }
    assert!(ends.len() == 3 && ends.values().all(|n| *n > 20), "{ends:?}");
}

/// Checks that were asked for ahead of the search, and were known when it was stopped, counted as made: a study that was
/// interrupted could give up earlier than one that was not.
#[test]
fn what_is_known_beside_what_was_needed_changes_nothing() {
    const BLOCKS: usize = 5;
    // The finished structure, and no other, stands but for one order that is tried last.
    let stands = |set: usize| set == 31 || (set & 1 == 0 && set.count_ones() > 1);
    for most in [1, 3, 7, 12, 10_000] {
        let plan = pile(BLOCKS, most);
        let known = answer(&plan, |task| verdict(stands(set(task))));
        let ids = |known: &Outcomes| plan.tasks(known).into_iter().map(|t| t.id).collect::<Vec<_>>();
        let (needed, found) = (ids(&known), result(&plan, &known));
        assert!(needed.len() <= most && found["checks"] == needed.len(), "{found}");
        // All checks that there can be, by a plan that asks for each.
        let every = pile(BLOCKS, 10_000);
        let mut more = answer(&every, |task| verdict(set(task) == 31 || set(task).is_multiple_of(3)));
        more.extend(answer(&every, |_| verdict(true)));
        more.retain(|id, _| !needed.contains(id));
        assert!(!more.is_empty() || needed.len() > 20);
        more.extend(known.clone());
        assert_eq!(
            (ids(&more), result(&plan, &more)),
            (needed, found),
            "at most {most} checks"
        );
    }
}

#[test]
fn what_could_not_be_decided_does_not_stand() {
    let plan = pile(3, 100);
    let known = answer(&plan, |task| match set(task) {
        0b111 => verdict(true),
        _ => outcome(json!({ "stands": null, "verdict": "undecided" })),
    });
    let found = result(&plan, &known);
    assert_eq!((&found["search"], &found["undecided"]), (&json!("none"), &json!(3)));
    let said = plan.findings(&known).conclusions.concat();
    assert!(said.contains("3 checks could not be decided"), "{said}");
}

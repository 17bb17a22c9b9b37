//! Assembly: whether a structure stands at every stage of its construction, and in which order it does (paper 004).
//!
//! An order is looked for backwards: from the finished structure, blocks are taken away one by one, the highest first, so that
//! what is left stands; where that leads nowhere, another block is tried. Read from its end, that is an order in which the
//! structure can be built without scaffolding.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use drystone_analysis::{
    Failure,
    words::{counted, listed},
};
use serde_json::{Value, json};

use super::{Chart, Findings, Mark, Structure, Ways};
use crate::{
    job::{Ask, Gaps, Job, Outcomes, Shared, Task},
    spec::{Assembly, Study},
};

/// Checks that a search asks for at a time: enough for the cores of a machine, few enough not to waste many.
const AT_A_TIME: usize = 8;

pub(super) struct Building {
    assembly: Assembly,
    structures: Vec<Site>,
}

/// A structure that is built.
struct Site {
    structure: Structure,
    /// Names of the free blocks, the highest first.
    blocks: Vec<String>,
    /// Stages of a given order: the blocks that are placed.
    stages: Option<Vec<Vec<String>>>,
    /// Checks that were made up, by which of the blocks are there.
    checks: Mutex<BTreeMap<Vec<bool>, Arc<Task>>>,
}

/// How far a search has come.
#[derive(Default)]
struct Search {
    /// Blocks in the order in which they are taken away, as far as it has come.
    removed: Vec<usize>,
    end: Ended,
    /// Checks that were needed, and how many of them could not be decided.
    checks: usize,
    undecided: usize,
    /// Their identities.
    counted: BTreeSet<String>,
    /// Checks that were needed, and those that are wanted next.
    asked: Vec<Arc<Task>>,
}

impl Search {
    fn ended(self, end: Ended) -> Self {
        Self { end, ..self }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ended {
    /// An order is found.
    Found,
    /// There is none.
    None,
    /// The finished structure does not stand.
    FallsFinished,
    /// It took too many checks.
    GaveUp,
    /// Checks are awaited.
    #[default]
    Waits,
}

impl Building {
    pub(super) fn new(study: &Study, structures: &[Structure], shared: &Shared) -> Result<Self, Failure> {
        let assembly = study.assembly.clone().ok_or_else(|| Failure::input("no assembly"))?;
        crate::job::way(&assembly.method)?;
        let sites = structures
            .iter()
            .map(|structure| Site::new(structure, &assembly, shared));
        Ok(Self {
            structures: sites.collect::<Result<_, _>>()?,
            assembly,
        })
    }
}

impl Site {
    fn new(structure: &Structure, assembly: &Assembly, shared: &Shared) -> Result<Self, Failure> {
        let model = structure.spec.build(shared, Gaps::Bridged)?;
        let model = structure.spec.changes.changes().apply(&model)?;
        let mut free: Vec<(f64, &str)> = model
            .blocks
            .iter()
            .filter(|b| !b.fixed)
            .map(|b| (model.mass_of(b).1.centroid.z, b.name.as_str()))
            .collect();
        // Sorting keeps blocks of one height in the order of the model, the last of it first.
        free.reverse();
        free.sort_by(|a, b| b.0.total_cmp(&a.0));
        let blocks: Vec<String> = free.iter().map(|(_, name)| name.to_string()).collect();
        if blocks.is_empty() {
            return Err(Failure::input("every block is a support: there is nothing to assemble"));
        }
        let stages = match &assembly.order {
            None => None,
            Some(order) => Some(stages(order, &blocks)?),
        };
        Ok(Self {
            structure: structure.clone(),
            blocks,
            stages,
            checks: Mutex::default(),
        })
    }

    /// The check of a part of the blocks.
    fn check(&self, there: &[bool], assembly: &Assembly) -> Arc<Task> {
        let mut checks = self.checks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = checks.get(there) {
            return Arc::clone(task);
        }
        // In the order of their heights, so that one set has one identity.
        let present: Vec<String> = (0..self.blocks.len())
            .filter(|k| there[*k])
            .map(|k| self.blocks[k].clone())
            .collect();
        let mut columns = self.structure.columns();
        columns.insert("blocks".into(), json!(present.len()));
        let absent: Vec<&String> = (0..self.blocks.len())
            .filter(|k| !there[*k])
            .map(|k| &self.blocks[k])
            .collect();
        let label = match absent.len() {
            0 => "finished".to_string(),
            n => format!(
                "{} of {} blocks, without {}",
                present.len(),
                present.len() + n,
                some(&absent)
            ),
        };
        let mut model = self.structure.spec.clone();
        model.present = Some(present);
        let job = Job {
            model,
            loads: Vec::new(),
            tilt: None,
            ask: Ask::Check {
                method: assembly.method.clone(),
            },
        };
        let task = Arc::new(Task::new(
            self.structure.name.clone(),
            self.structure.label(&label),
            columns["blocks"].as_f64().unwrap_or(1.0),
            columns,
            job,
        ));
        checks.insert(there.to_vec(), Arc::clone(&task));
        task
    }

    /// Which blocks are there after each stage of the given order.
    fn sets(&self, stages: &[Vec<String>]) -> Vec<Vec<bool>> {
        let mut there = vec![false; self.blocks.len()];
        stages
            .iter()
            .map(|stage| {
                for (k, name) in self.blocks.iter().enumerate() {
                    there[k] |= stage.contains(name);
                }
                there.clone()
            })
            .collect()
    }

    /// Follows the search as far as checks are known. What it comes to is that of one check after another: checks that were asked for
    /// meanwhile, and were not needed, leave no trace in it.
    fn search(&self, assembly: &Assembly, known: &Outcomes) -> Search {
        let mut search = Search::default();
        let mut there = vec![true; self.blocks.len()];
        match self.stands(&there, assembly, known, &mut search) {
            Ok(true) => {}
            Ok(false) => return search.ended(Ended::FallsFinished),
            Err(end) => return search.ended(end),
        }
        let mut dead: BTreeSet<Vec<bool>> = BTreeSet::new();
        // For each block that was taken away, where to go on looking if it leads nowhere.
        let mut next = vec![0];
        loop {
            let Some(&from) = next.last() else {
                return search.ended(Ended::None);
            };
            if search.removed.len() == self.blocks.len() {
                return search.ended(Ended::Found);
            }
            let mut step = None;
            for k in from..self.blocks.len() {
                if !there[k] {
                    continue;
                }
                there[k] = false;
                // Nothing but supports stands.
                let is_bare = !there.contains(&true);
                let answer = match (is_bare, dead.contains(&there)) {
                    (true, _) => Ok(true),
                    (_, true) => Ok(false),
                    _ => self.stands(&there, assembly, known, &mut search),
                };
                there[k] = true;
                match answer {
                    Ok(true) => {
                        step = Some(k);
                        break;
                    }
                    Ok(false) => {}
                    Err(end) => {
                        if end == Ended::Waits {
                            self.ask_ahead(k + 1, &mut there, &dead, assembly, known, &mut search);
                        }
                        return search.ended(end);
                    }
                }
            }
            match step {
                Some(k) => {
                    if let Some(at) = next.last_mut() {
                        *at = k + 1;
                    }
                    there[k] = false;
                    search.removed.push(k);
                    next.push(0);
                }
                None => {
                    dead.insert(there.clone());
                    next.pop();
                    if let Some(k) = search.removed.pop() {
                        there[k] = true;
                    }
                }
            }
        }
    }

    /// Whether some of the blocks stand by themselves; why the search ends here where that is not to be told.
    fn stands(
        &self,
        there: &[bool],
        assembly: &Assembly,
        known: &Outcomes,
        search: &mut Search,
    ) -> Result<bool, Ended> {
        let task = self.check(there, assembly);
        let outcome = known.get(&task.id);
        if search.counted.insert(task.id.clone()) {
            if search.checks == assembly.most_checks {
                return Err(Ended::GaveUp);
            }
            search.asked.push(task);
            let Some(outcome) = outcome else {
                return Err(Ended::Waits);
            };
            search.checks += 1;
            search.undecided += usize::from(outcome.word("verdict").is_none_or(|v| v == "undecided"));
        }
        Ok(outcome.and_then(|o| o.flag("stands")) == Some(true))
    }

    /// Asks about the blocks that come next in case the one that is waited for is not the one to take away: idle cores do that
    /// meanwhile.
    fn ask_ahead(
        &self,
        from: usize,
        there: &mut [bool],
        dead: &BTreeSet<Vec<bool>>,
        assembly: &Assembly,
        known: &Outcomes,
        search: &mut Search,
    ) {
        let mut left = AT_A_TIME.min(assembly.most_checks - search.checks).saturating_sub(1);
        for k in from..self.blocks.len() {
            if left == 0 {
                return;
            }
            if !there[k] {
                continue;
            }
            there[k] = false;
            if there.contains(&true) && !dead.contains(&*there) {
                let task = self.check(there, assembly);
                if !known.contains_key(&task.id) {
                    search.asked.push(task);
                    left -= 1;
                }
            }
            there[k] = true;
        }
    }
}

/// The stages of an order. Every free block is placed once.
fn stages(order: &[crate::spec::Step], blocks: &[String]) -> Result<Vec<Vec<String>>, Failure> {
    let mut placed = BTreeSet::new();
    let mut stages = Vec::new();
    for (k, step) in order.iter().enumerate() {
        if step.blocks().is_empty() {
            return Err(
                Failure::input(format!("assembly.order: stage {} places no block", k + 1))
                    .help("take out the empty list"),
            );
        }
        for name in step.blocks() {
            if !blocks.contains(name) {
                return Err(Failure::input(format!(
                    "assembly.order: there is no free block `{name}`"
                )));
            }
            if !placed.insert(name.clone()) {
                return Err(Failure::input(format!("assembly.order places `{name}` twice")));
            }
        }
        stages.push(step.blocks().to_vec());
    }
    let left: Vec<&String> = blocks.iter().filter(|name| !placed.contains(*name)).collect();
    match left.is_empty() {
        true => Ok(stages),
        false => Err(Failure::input(format!("assembly.order does not place {}", some(&left)))),
    }
}

/// Some names, and how many more there are.
fn some(names: &[&String]) -> String {
    let first: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(first.len()) {
        0 => listed(&first),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

impl Ways for Building {
    fn tasks(&self, known: &Outcomes) -> Vec<Task> {
        let mut tasks = Vec::new();
        for site in &self.structures {
            let wanted: Vec<Arc<Task>> = match &site.stages {
                Some(stages) => {
                    let sets = site.sets(stages);
                    sets.iter().map(|there| site.check(there, &self.assembly)).collect()
                }
                None => site.search(&self.assembly, known).asked,
            };
            tasks.extend(wanted.iter().map(|task| Task::clone(task)));
        }
        tasks
    }

    fn findings(&self, known: &Outcomes) -> Findings {
        let mut findings = Findings::default();
        let mut all = Vec::new();
        let mut chart = Chart::new(
            "assembly",
            "Blocks that move at each stage of the construction",
            "blocks placed",
            "blocks that move",
        );
        for site in &self.structures {
            let (text, row) = match &site.stages {
                Some(stages) => self.given(site, stages, known, &mut chart),
                None => self.found(site, known),
            };
            findings.conclusions.push(site.structure.label(&text));
            all.push(row);
        }
        if !chart.series.is_empty() {
            findings.charts.push(chart);
        }
        findings.result.insert("assembly".into(), Value::Array(all));
        findings
    }
}

impl Building {
    /// What comes of a given order.
    fn given(&self, site: &Site, stages: &[Vec<String>], known: &Outcomes, chart: &mut Chart) -> (String, Value) {
        let mut rows = Vec::new();
        let (mut points, mut runs) = (Vec::new(), Vec::new());
        let (mut falls, mut undecided) = (Vec::new(), 0);
        for (k, there) in site.sets(stages).iter().enumerate() {
            let task = site.check(there, &self.assembly);
            let Some(outcome) = known.get(&task.id) else { continue };
            let placed = there.iter().filter(|t| **t).count();
            let moves = outcome
                .result
                .get("unstable_blocks")
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            points.push([placed as f64, moves as f64]);
            runs.push(task.id.clone());
            match outcome.flag("stands") {
                Some(true) => {}
                Some(false) => falls.push(k + 1),
                None => undecided += 1,
            }
            rows.push(json!({
                "stage": k + 1,
                "placed": stages[k],
                "verdict": outcome.word("verdict"),
                "proven": outcome.flag("proven"),
                "unstable_blocks": outcome.result.get("unstable_blocks"),
            }));
        }
        chart.add_runs(site.structure.name.as_str(), Mark::Points, points, runs);
        let count = stages.len();
        let text = match (falls.len(), undecided) {
            _ if rows.len() < count => format!("{} of {} checked.", rows.len(), counted(count, "stage")),
            (0, 0) => format!(
                "It stands at every one of its {}: no scaffolding is needed.",
                counted(count, "stage")
            ),
            (0, n) => format!(
                "Of {}, {n} could not be decided; it stands at the others.",
                counted(count, "stage")
            ),
            (n, _) => {
                let first = &rows[falls[0] - 1];
                let moves = first["unstable_blocks"].as_array().cloned().unwrap_or_default();
                let names: Vec<String> = moves.iter().filter_map(|v| v.as_str().map(String::from)).collect();
                let names: Vec<&String> = names.iter().collect();
                format!(
                    "Scaffolding is needed at {n} of {}: first at stage {}, where {} would move.",
                    counted(count, "stage"),
                    falls[0],
                    some(&names)
                )
            }
        };
        (
            text,
            json!({ "variant": site.structure.name, "stages": rows, "stages_that_fall": falls, "undecided": undecided }),
        )
    }

    /// What comes of a search.
    fn found(&self, site: &Site, known: &Outcomes) -> (String, Value) {
        let search = site.search(&self.assembly, known);
        let order: Vec<&String> = search.removed.iter().rev().map(|k| &site.blocks[*k]).collect();
        let mut text = match search.end {
            Ended::Found => format!(
                "It can be built without scaffolding, one block at a time: first {}. Every stage stands.",
                some(&order)
            ),
            Ended::None => "No order of single blocks needs no scaffolding: every one was tried backwards from the finished structure, and each leads to a stage that falls.".to_string(),
            Ended::FallsFinished => "The finished structure is not shown to stand: there is no order to look for.".to_string(),
            Ended::GaveUp => format!(
                "No order was found within {}; there may be one. Raise assembly.most_checks.",
                counted(search.checks, "check")
            ),
            Ended::Waits => format!("The search goes on: {} so far.", counted(search.checks, "check")),
        };
        if search.undecided > 0 {
            text += &format!(
                " {} could not be decided and count as stages that fall.",
                counted(search.undecided, "check")
            );
        }
        let end = match search.end {
            Ended::Found => "found",
            Ended::None => "none",
            Ended::FallsFinished => "finished_falls",
            Ended::GaveUp => "gave_up",
            Ended::Waits => "unfinished",
        };
        let order = if search.end == Ended::Found {
            json!(order)
        } else {
            Value::Null
        };
        (
            text,
            json!({
                "variant": site.structure.name, "search": end, "order": order, "checks": search.checks, "undecided": search.undecided,
            }),
        )
    }
}

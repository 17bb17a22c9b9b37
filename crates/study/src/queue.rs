//! Which run is next: what the plan asks for, what is known of it, and what is under way.

use std::collections::BTreeMap;

use drystone_analysis::Failure;

use crate::{
    engine::{Progress, Shard},
    job::{Outcome, Outcomes, Status, Task},
    plan::Plan,
    store::Store,
};

/// The runs of a study that are not recorded yet, for whoever performs them: threads of this machine, or others.
#[derive(Default)]
pub struct Queue {
    shard: Option<Shard>,
    known: Outcomes,
    tasks: Vec<Task>,
    /// The most expensive one last.
    waiting: Vec<Task>,
    under_way: BTreeMap<String, Task>,
    /// Cost of the runs that have ended since, and how long they took (s).
    spent: (f64, f64),
    tally: Tally,
}

/// How many of the runs have ended. Counted over all of them only when the plan is looked at.
#[derive(Default)]
struct Tally {
    done: usize,
    failed: usize,
    /// Cost of those that have not.
    open_cost: f64,
}

impl Tally {
    fn add(&mut self, task: &Task, outcome: &Outcome) {
        self.done += 1;
        self.failed += usize::from(outcome.status == Status::Failed);
        self.open_cost = (self.open_cost - task.cost).max(0.0);
    }
}

impl Queue {
    /// The runs of a plan that a store does not know; of a part of them where there is a shard. The store is told of them.
    pub fn new(plan: &Plan, store: &mut Store, shard: Option<Shard>) -> Result<Self, Failure> {
        let mut queue = Self {
            shard,
            known: store.outcomes()?,
            ..Self::default()
        };
        store.share(plan.shared())?;
        queue.look(plan);
        store.plan(&queue.tasks)?;
        Ok(queue)
    }

    /// Looks for runs; says whether they are others than before.
    fn look(&mut self, plan: &Plan) -> bool {
        let mut tasks = plan.tasks(&self.known);
        if let Some(shard) = self.shard {
            tasks.retain(|task| shard.has(task));
        }
        let is_new = !tasks.iter().map(|t| &t.id).eq(self.tasks.iter().map(|t| &t.id));
        self.tasks = tasks;
        self.tally = Tally {
            open_cost: self.tasks.iter().map(|t| t.cost).sum(),
            ..Tally::default()
        };
        for task in &self.tasks {
            if let Some(outcome) = self.known.get(&task.id) {
                self.tally.add(task, outcome);
            }
        }
        let is_open = |t: &&Task| !self.known.contains_key(&t.id) && !self.under_way.contains_key(&t.id);
        let open = self.tasks.iter().filter(is_open);
        self.waiting = open.cloned().collect();
        self.waiting
            .sort_by(|a, b| a.cost.total_cmp(&b.cost).then_with(|| b.id.cmp(&a.id)));
        is_new
    }

    /// The most expensive run that waits; it is under way from now on. Where none waits, the plan is asked for more.
    pub fn next(&mut self, plan: &Plan, store: &mut Store) -> Result<Option<Task>, Failure> {
        if self.waiting.is_empty() && self.look(plan) {
            store.plan(&self.tasks)?;
        }
        let task = self.waiting.pop();
        self.under_way.extend(task.clone().map(|task| (task.id.clone(), task)));
        Ok(task)
    }

    /// Records how a run ended that was under way, and gives the run.
    pub fn record(
        &mut self,
        store: &mut Store,
        id: &str,
        outcome: Outcome,
        worker: &str,
    ) -> Result<Option<Task>, Failure> {
        let Some(task) = self.under_way.remove(id) else {
            return Ok(None);
        };
        store.record(&task, &outcome, worker)?;
        self.spent = (self.spent.0 + task.cost, self.spent.1 + outcome.wall_s);
        self.tally.add(&task, &outcome);
        self.known.insert(task.id.clone(), outcome);
        Ok(Some(task))
    }

    /// A run that was under way and was stopped: it waits again once the plan is asked for more.
    pub fn stopped(&mut self, id: &str) {
        self.under_way.remove(id);
    }

    /// Runs that are under way.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// How far the study is, where so many runs are performed at a time; `last` is the run that ended last.
    pub fn progress<'a>(&'a self, threads: usize, last: Option<&'a Task>) -> Progress<'a> {
        Progress {
            runs: self.tasks.len(),
            done: self.tally.done,
            failed: self.tally.failed,
            left_s: self.left(threads),
            last: last.and_then(|task| Some((task, self.known.get(&task.id)?))),
            known: &self.known,
        }
    }

    /// The time that is left (s), by what a unit of cost took.
    fn left(&self, threads: usize) -> Option<f64> {
        let (cost, seconds) = self.spent;
        (cost > 0.0).then(|| self.tally.open_cost * seconds / cost / threads.max(1) as f64)
    }
}

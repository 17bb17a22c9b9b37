//! Performs the runs of a study on this machine: one on each core, the expensive ones first.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use drystone_analysis::Failure;
use drystone_cone::Stop;

use crate::{
    job::{Outcome, Outcomes, Shared, Task, perform},
    plan::Plan,
    queue::Queue,
    store::Store,
};

/// Time between two looks at whether to stop.
const LOOK: Duration = Duration::from_millis(50);

/// How the runs of a study are performed.
#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    /// Runs at a time (default, and at most: the cores of the machine).
    pub threads: Option<usize>,
    /// Which part of the runs is done here: number and count of the parts.
    pub shard: Option<Shard>,
    /// Ends the work; runs that are under way are done again later.
    pub stop: Stop,
}

/// A part of a study: `3/8` is the third of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From one.
    pub number: usize,
    /// How many parts there are.
    pub count: usize,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no part: it must be like 3/8, the third of eight");
        let (number, count) = text.split_once('/').ok_or_else(wrong)?;
        let [number, count] = [number, count].map(|t| t.trim().parse::<usize>().ok());
        match (number, count) {
            (Some(number), Some(count)) if (1..=count).contains(&number) => Ok(Self { number, count }),
            _ => Err(wrong()),
        }
    }
}

impl Shard {
    /// Whether a run belongs to this part.
    pub fn has(&self, task: &Task) -> bool {
        let key = crate::job::key_of(&task.group);
        let start = u64::from_str_radix(key.get(..12).unwrap_or_default(), 16).unwrap_or(0);
        start % self.count as u64 == self.number as u64 - 1
    }
}

/// How far a study is.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// Runs that are known to be needed.
    pub runs: usize,
    /// Runs that have ended.
    pub done: usize,
    /// Runs among them that failed.
    pub failed: usize,
    /// The time that is left, by what runs took so far (s).
    pub left_s: Option<f64>,
    /// The run that ended last.
    pub last: Option<(&'a Task, &'a Outcome)>,
    /// What is known of all runs.
    pub known: &'a Outcomes,
}

/// What the engine did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worked {
    /// Runs that were performed now.
    pub performed: usize,
    /// How long it took (s).
    pub wall_s: f64,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
}

/// Performs all runs of a study that are not recorded yet, and records each when it has ended.
pub fn work(
    plan: &Plan,
    store: &mut Store,
    settings: &EngineSettings,
    mut tell: impl FnMut(&Progress<'_>),
) -> Result<Worked, Failure> {
    let began = Instant::now();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = settings.threads.unwrap_or(cores).max(1);
    let mut queue = Queue::new(plan, store, settings.shard)?;
    let shared = Arc::new(plan.shared().clone());
    let ending = Arc::new(AtomicBool::new(false));
    let stop = {
        let (asked, ending) = (settings.stop.clone(), Arc::clone(&ending));
        Stop::when(move || ending.load(Ordering::Relaxed) || asked.is_set())
    };
    let (ended, outcomes) = channel::<(Task, Option<Outcome>)>();
    let mut worked = Worked::default();
    tell(&queue.progress(threads, None));
    let done = thread::scope(|scope| {
        let mut idle: Vec<Sender<Task>> = Vec::new();
        let mut busy: BTreeMap<String, Sender<Task>> = BTreeMap::new();
        for _ in 0..threads {
            let (send, tasks) = channel();
            let (ended, shared, stop) = (ended.clone(), Arc::clone(&shared), stop.clone());
            scope.spawn(move || worker(&tasks, &ended, &shared, &stop));
            idle.push(send);
        }
        // Whatever ends this, the workers end.
        let _end = Ending(&ending);
        loop {
            while let Some(free) = idle.pop_if(|_| !settings.stop.is_set()) {
                let Some(task) = queue.next(plan, store)? else {
                    idle.push(free);
                    break;
                };
                let id = task.id.clone();
                // A worker that is gone has panicked: the scope passes that on.
                if free.send(task).is_err() {
                    return Err(Failure::run("a worker ended before its time"));
                }
                busy.insert(id, free);
            }
            if busy.is_empty() {
                break;
            }
            let Ok((task, outcome)) = outcomes.recv_timeout(LOOK) else {
                if settings.stop.is_set() {
                    ending.store(true, Ordering::Relaxed);
                }
                continue;
            };
            idle.extend(busy.remove(&task.id));
            let Some(outcome) = outcome else {
                queue.stopped(&task.id);
                continue;
            };
            queue.record(store, &task.id, outcome, "local")?;
            worked.performed += 1;
            tell(&queue.progress(threads, Some(&task)));
        }
        Ok(())
    });
    done?;
    worked.is_stopped = settings.stop.is_set();
    worked.wall_s = began.elapsed().as_secs_f64();
    Ok(worked)
}

/// Ends the workers when it is dropped.
struct Ending<'a>(&'a AtomicBool);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Performs runs, one after another, on one thread.
fn worker(tasks: &Receiver<Task>, ended: &Sender<(Task, Option<Outcome>)>, shared: &Shared, stop: &Stop) {
    let alone = Alone::new();
    while let Ok(task) = tasks.recv() {
        let outcome = alone.perform(&task, shared, stop);
        if ended.send((task, outcome)).is_err() {
            return;
        }
    }
}

/// One thread to perform runs on: the threads are for different runs.
pub struct Alone(Option<rayon::ThreadPool>);

impl Alone {
    /// A thread.
    pub fn new() -> Self {
        Self(rayon::ThreadPoolBuilder::new().num_threads(1).build().ok())
    }

    /// Performs a run. Nothing where it was stopped. What goes wrong within the program is a run that failed.
    pub fn perform(&self, task: &Task, shared: &Shared, stop: &Stop) -> Option<Outcome> {
        let began = Instant::now();
        let run = || std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| perform(task, shared, stop)));
        let caught = match &self.0 {
            Some(pool) => pool.install(run),
            None => run(),
        };
        caught.unwrap_or_else(|_| {
            let why = "the program failed within; please report it";
            Some(Outcome::failed(why, began.elapsed().as_secs_f64()))
        })
    }
}

impl Default for Alone {
    fn default() -> Self {
        Self::new()
    }
}

//! Studies: performed here, or handed out run by run to whoever performs them.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use drystone::{
    analysis::Failure,
    output::table::{ColumnValues, Table},
    program::call::{self, Again, OpenStudy, how_far},
    study::{Alone, BUILD, Kind, Outcome, Plan, Queue, Shared, Study, Task, Watched, runs_table},
};
use numpy::IntoPyArray;
use pyo3::{prelude::*, types::PyDict};

use crate::{
    errors::raised,
    model::{NativeModel, Told, film},
    values::to_python,
    work::{Wait, work, work_by},
};

/// How long a study that was interrupted is waited for: until its files are written.
const PATIENCE: Duration = Duration::from_secs(60);
/// What is called wrong in a study that was given as text.
const TEXT: &str = "study";

/// A run to be performed: identity, what it is, what it costs beside others, all of it as JSON, and keys of what it needs.
type Handed = (String, String, f64, String, Vec<String>);

/// The plan of a study file, or of its text.
fn planned(path: Option<&Path>, text: Option<&str>) -> Result<Plan, Failure> {
    match (path, text) {
        (Some(path), _) => Plan::read(path),
        (None, text) => Plan::new(Study::parse(text.unwrap_or_default(), TEXT, Path::new(""))?),
    }
}

/// Performs all runs that are not recorded yet, on threads of this machine. Gives the fields of the summary.
#[pyfunction]
#[pyo3(signature = (path, text, options, progress=None))]
pub(crate) fn study_run(
    py: Python<'_>,
    path: Option<PathBuf>,
    text: Option<String>,
    options: Vec<String>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Py<PyAny>, Vec<String>)> {
    let wait = Wait {
        progress,
        patience: PATIENCE,
        ..Wait::default()
    };
    let (summary, warnings) = work_by(py, wait, move |caller| {
        let plan = planned(path.as_deref(), text.as_deref())?;
        let summary = call::study(plan, &options, caller)?;
        serde_json::to_value(&summary).map_err(Failure::run)
    })?;
    Ok((to_python(py, &summary)?, warnings))
}

/// A study file to start from.
#[pyfunction]
pub(crate) fn study_template(py: Python<'_>, kind: &str, model: PathBuf) -> PyResult<(String, Vec<String>)> {
    let kind: Kind = kind.parse().map_err(|e: String| raised(&Failure::input(e)))?;
    work(py, None, move |caller| call::new_study(kind, &model, caller))
}

/// The table of the runs of a folder that have ended, by column.
#[pyfunction]
pub(crate) fn study_table(py: Python<'_>, folder: PathBuf) -> PyResult<Py<PyDict>> {
    let (table, _) = work(py, None, move |_| runs_table(&folder))?;
    columns(py, &table).map(Bound::unbind)
}

/// Does a run again. A time history gives its model and what comes back of one; another one its model, and a command with options.
#[pyfunction]
#[pyo3(signature = (folder, run, output=None, progress=None))]
pub(crate) fn study_again(
    py: Python<'_>,
    folder: PathBuf,
    run: String,
    output: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(NativeModel, Vec<String>, Option<Told<'_>>)> {
    let (again, warnings) = work(py, progress, move |caller| {
        call::again(&folder, &run, output.as_deref(), caller)
    })?;
    Ok(match again {
        Again::Asked(model, words) => (NativeModel::of(*model), words, None),
        Again::Filmed(filmed) => {
            let model = filmed.run.model.clone();
            let told = film(py, *filmed, &model, warnings)?;
            (NativeModel::of(model), Vec::new(), Some(told))
        }
    })
}

/// Performs one run on one thread, wherever that is; `shared` has what it needs. `stop` is asked now and then whether to give it
/// up: then there is no outcome.
#[pyfunction]
#[pyo3(signature = (task, shared, stop=None))]
pub(crate) fn perform(
    py: Python<'_>,
    task: String,
    shared: BTreeMap<String, String>,
    stop: Option<Py<PyAny>>,
) -> PyResult<Option<String>> {
    let shared: Shared = shared.into_iter().map(|(key, text)| (key, Arc::from(text))).collect();
    let wait = Wait {
        stop,
        ..Wait::default()
    };
    let (outcome, _) = work_by(py, wait, move |caller| {
        let task: Task = serde_json::from_str(&task)
            .map_err(|e| Failure::input(format!("this is no run of drystone {BUILD}: {e}")))?;
        let outcome = Alone::new().perform(&task, &shared, &caller.stop);
        outcome
            .map(|o| serde_json::to_string(&o))
            .transpose()
            .map_err(Failure::run)
    })?;
    Ok(outcome)
}

/// A table as Python has it: arrays of numbers, lists of texts.
fn columns<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, values) in table.columns() {
        match values {
            ColumnValues::Float(values) => dict.set_item(name, values.clone().into_pyarray(py))?,
            ColumnValues::Int(values) => dict.set_item(name, values.clone().into_pyarray(py))?,
            ColumnValues::Text(values) => dict.set_item(name, values.iter().map(|v| &**v).collect::<Vec<_>>())?,
        }
    }
    Ok(dict)
}

/// A study whose runs others perform: plan, store and folder. It alone writes there.
#[pyclass(name = "NativeStudy", module = "drystone._drystone", frozen)]
pub(crate) struct NativeStudy {
    /// Nothing once it is finished.
    work: Arc<Mutex<Option<Work>>>,
}

struct Work {
    open: OpenStudy,
    queue: Queue,
    watched: Watched,
}

#[pymethods]
impl NativeStudy {
    /// Takes the folder of a study. Gives it and warnings.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        path: Option<PathBuf>,
        text: Option<String>,
        options: Vec<String>,
    ) -> PyResult<(Self, Vec<String>)> {
        let (work, warnings) = work(py, None, move |caller| {
            let plan = planned(path.as_deref(), text.as_deref())?;
            let mut open = call::open_study(plan, &options, caller)?;
            Ok(Work {
                queue: Queue::new(&open.plan, &mut open.store, open.shard)?,
                watched: Watched::new(&open.folder),
                open,
            })
        })?;
        let work = Arc::new(Mutex::new(Some(work)));
        Ok((Self { work }, warnings))
    }

    /// The most expensive run that waits, which is under way from now on. The plan is asked for more where none waits.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Handed>> {
        self.with(py, |work| {
            let Some(task) = work.queue.next(&work.open.plan, &mut work.open.store)? else {
                return Ok(None);
            };
            let json = serde_json::to_string(&task).map_err(Failure::run)?;
            let needs = task.job.needs().into_iter().map(str::to_string).collect();
            Ok(Some((task.id, task.label, task.cost, json, needs)))
        })
    }

    /// The text of a key that runs need.
    fn shared(&self, py: Python<'_>, key: String) -> PyResult<String> {
        self.with(py, |work| {
            let text = work.open.plan.shared().get(&key);
            text.map(ToString::to_string)
                .ok_or_else(|| Failure::input(format!("nothing is shared as {key}")))
        })
    }

    /// Records the outcome of a run that was under way, as `perform` gave it.
    fn record(&self, py: Python<'_>, run: String, outcome: String, worker: String) -> PyResult<()> {
        self.with(py, |work| {
            let outcome = serde_json::from_str(&outcome).map_err(|e| Failure::run(format!("{worker}: {e}")))?;
            work.record(&run, outcome, &worker)
        })
    }

    /// Records that a run that was under way has failed.
    fn fail(&self, py: Python<'_>, run: String, why: String, worker: String) -> PyResult<()> {
        self.with(py, |work| work.record(&run, Outcome::failed(why, 0.0), &worker))
    }

    /// How far it is, where so many runs are performed at a time: as a fraction and in words.
    fn progress(&self, py: Python<'_>, at_a_time: usize) -> PyResult<(f64, String)> {
        self.with(py, |work| {
            let progress = work.queue.progress(at_a_time, None);
            work.watched.tell(&work.open.plan, progress.known);
            Ok(how_far(&progress))
        })
    }

    /// Writes the files after so many seconds of work, and leaves the folder. Gives the fields of the summary.
    fn finish(&self, py: Python<'_>, wall_s: f64) -> PyResult<Py<PyAny>> {
        let work = Arc::clone(&self.work);
        let wait = Wait {
            patience: PATIENCE,
            ..Wait::default()
        };
        let (summary, _) = work_by(py, wait, move |_| {
            let Some(Work { open, .. }) = taken(&work).take() else {
                return Err(over());
            };
            serde_json::to_value(&open.finish(wall_s)?).map_err(Failure::run)
        })?;
        to_python(py, &summary)
    }
}

impl NativeStudy {
    /// Does something with what is there, beside Python's other threads.
    fn with<T: Send>(&self, py: Python<'_>, what: impl FnOnce(&mut Work) -> Result<T, Failure> + Send) -> PyResult<T> {
        let done = py.detach(|| match taken(&self.work).as_mut() {
            Some(work) => what(work),
            None => Err(over()),
        });
        done.map_err(|failure| raised(&failure))
    }
}

impl Work {
    fn record(&mut self, run: &str, outcome: Outcome, worker: &str) -> Result<(), Failure> {
        self.queue.record(&mut self.open.store, run, outcome, worker).map(drop)
    }
}

fn taken(work: &Mutex<Option<Work>>) -> MutexGuard<'_, Option<Work>> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

fn over() -> Failure {
    Failure::run("the study is finished")
}

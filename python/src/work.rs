//! Work away from Python: other threads run meanwhile, Ctrl-C ends it, and who waits is told how far it is.

use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    time::{Duration, Instant},
};

use drystone::{analysis::Failure, program::call::Caller};
use pyo3::prelude::*;

use crate::errors::{RunError, raised};

/// Time between two looks at whether Python was interrupted.
const LOOK: Duration = Duration::from_millis(30);
/// How long work that was interrupted is waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// Time between two questions whether to give work up.
const ASK: Duration = Duration::from_millis(500);
/// Time between two words about progress.
const TELL: Duration = Duration::from_millis(100);
/// The process that this was loaded in.
static LOADED_IN: OnceLock<u32> = OnceLock::new();

/// Notes which process this is.
pub(crate) fn loaded() {
    LOADED_IN.get_or_init(std::process::id);
}

/// Does a task where threads are: those of a process stay behind where it forks, and a child has its own.
fn with_threads<T: Send>(task: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    if LOADED_IN.get() == Some(&std::process::id()) {
        return task();
    }
    let pool = rayon::ThreadPoolBuilder::new().build();
    pool.map_err(Failure::run)?.install(task)
}

/// How work is waited for.
pub(crate) struct Wait {
    /// Is told how far it is.
    pub(crate) progress: Option<Py<PyAny>>,
    /// Is asked now and then whether to give it up.
    pub(crate) stop: Option<Py<PyAny>>,
    /// How long work that was interrupted is waited for.
    pub(crate) patience: Duration,
}

impl Default for Wait {
    fn default() -> Self {
        Self {
            progress: None,
            stop: None,
            patience: PATIENCE,
        }
    }
}

/// Does work on a thread of its own. Gives what came of it, and what is to be known of it.
pub(crate) fn work<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    task: impl FnOnce(Arc<Caller>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<(T, Vec<String>)> {
    let wait = Wait {
        progress,
        ..Wait::default()
    };
    work_by(py, wait, task)
}

/// The same, waited for as it says.
pub(crate) fn work_by<T: Send + 'static>(
    py: Python<'_>,
    how: Wait,
    task: impl FnOnce(Arc<Caller>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<(T, Vec<String>)> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised_there: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let mut caller = Caller::default();
    caller.stop = Arc::clone(&stop).into();
    if let Some(progress) = how.progress {
        let (stop, raised_there) = (Arc::clone(&stop), Arc::clone(&raised_there));
        let told: Mutex<Option<Instant>> = Mutex::new(None);
        caller.progress = Some(Arc::new(move |done, what| {
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.is_some_and(|at| at.elapsed() < TELL) {
                return;
            }
            *told = Some(Instant::now());
            let outcome = Python::attach(|py| progress.call1(py, (done, what)).map(drop));
            if let Err(error) = outcome {
                stop.store(true, Ordering::Relaxed);
                *raised_there.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        }));
    }
    let caller = Arc::new(caller);
    let (finished, over) = channel();
    let (given, over) = (Arc::clone(&caller), Mutex::new(over));
    let handle = std::thread::spawn(move || {
        // Whoever waits may have gone.
        let _ = finished.send(with_threads(|| task(given)));
    });
    let wait = || {
        let over = over.lock().unwrap_or_else(PoisonError::into_inner);
        over.recv_timeout(LOOK)
    };
    let mut interrupted: Option<(PyErr, Instant)> = None;
    let mut asked = Instant::now();
    let outcome = loop {
        match (py.detach(wait), &interrupted) {
            (Ok(outcome), None) => break outcome,
            (Err(RecvTimeoutError::Disconnected), None) => {
                let _ = py.detach(|| handle.join());
                return Err(RunError::new_err("the program failed within; please report it"));
            }
            (Err(RecvTimeoutError::Timeout), None) => {
                let mut looked = py.check_signals();
                if let (Ok(()), Some(ask)) = (&looked, &how.stop)
                    && asked.elapsed() >= ASK
                {
                    asked = Instant::now();
                    looked = is_true(py, ask).map(|gives_up| stop.store(gives_up, Ordering::Relaxed));
                }
                if let Err(error) = looked {
                    stop.store(true, Ordering::Relaxed);
                    interrupted = Some((error, Instant::now()));
                }
            }
            // What does not look whether to stop, as a search for joints, is left to end by itself. Who interrupts again does
            // not wait.
            (Err(RecvTimeoutError::Timeout), Some((_, since)))
                if since.elapsed() < how.patience && py.check_signals().is_ok() => {}
            (_, Some(_)) => break Err(Failure::run("interrupted")),
        }
    };
    if let Some((error, _)) = interrupted {
        return Err(error);
    }
    if let Some(error) = raised_there.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let found = outcome.map_err(|failure| raised(&failure))?;
    Ok((found, caller.warnings()))
}

/// What a function of Python says.
fn is_true(py: Python<'_>, function: &Py<PyAny>) -> PyResult<bool> {
    function.call0(py)?.is_truthy(py)
}

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

/// Does work on a thread of its own. Gives what came of it, and what is to be known of it.
pub(crate) fn work<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    task: impl FnOnce(Arc<Caller>) -> Result<T, Failure> + Send + 'static,
) -> PyResult<(T, Vec<String>)> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised_there: Arc<Mutex<Option<PyErr>>> = Arc::default();
    let mut caller = Caller::default();
    caller.stop = Arc::clone(&stop).into();
    if let Some(progress) = progress {
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
    let outcome = loop {
        match (py.detach(wait), &interrupted) {
            (Ok(outcome), None) => break outcome,
            (Err(RecvTimeoutError::Disconnected), None) => {
                let _ = py.detach(|| handle.join());
                return Err(RunError::new_err("the program failed within; please report it"));
            }
            (Err(RecvTimeoutError::Timeout), None) => {
                if let Err(error) = py.check_signals() {
                    stop.store(true, Ordering::Relaxed);
                    interrupted = Some((error, Instant::now()));
                }
            }
            // What does not look whether to stop, as a search for joints, is left to end by itself.
            (Err(RecvTimeoutError::Timeout), Some((_, since))) if since.elapsed() < PATIENCE => {}
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

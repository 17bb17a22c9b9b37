//! Questions that wait for a session, and what can be told to it while it is busy: stop, pause, go on.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use crate::protocol::{Ask, Question, Refusal};

/// Questions that may wait at a time.
const MOST_WAITING: usize = 256;

/// Questions with files that may wait at a time: each may be as large as an upload.
const MOST_UPLOADS: usize = 4;

/// Between the task that reads a socket and the thread that answers.
#[derive(Default)]
pub(crate) struct Desk {
    state: Mutex<State>,
    changed: Condvar,
    /// Set where the question at hand is to be given up.
    stop: Arc<AtomicBool>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Question>,
    at_hand: Option<u64>,
    simulation: Option<(u64, Arc<Control>)>,
    watch: Option<(u64, Arc<Watch>)>,
    closed: bool,
}

/// Whether a study is still looked at.
#[derive(Default)]
pub(crate) struct Watch {
    stopped: Mutex<bool>,
    changed: Condvar,
}

/// How a simulation or a slow loading is held.
#[derive(Default)]
pub(crate) struct Control {
    stopped: Arc<AtomicBool>,
    paused: Mutex<bool>,
    changed: Condvar,
}

/// What becomes of a question that is put on a desk.
pub(crate) enum Put {
    /// It waits; those of its kind that waited before it are given up.
    Waits(Vec<u64>),
    /// Too many wait already.
    Refused(Refusal),
    /// Nobody answers any more.
    Closed,
}

/// A lock that a panic of another thread does not close.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    pub(crate) fn put(&self, question: Question) -> Put {
        let mut state = lock(&self.state);
        if state.closed {
            return Put::Closed;
        }
        let mut given_up = Vec::new();
        let same: Option<fn(&Ask) -> bool> = match question.ask {
            Ask::Check(_) => Some(|ask| matches!(ask, Ask::Check(_))),
            Ask::Build { .. } => Some(|ask| matches!(ask, Ask::Build { .. })),
            Ask::Record { .. } => Some(|ask| matches!(ask, Ask::Record { .. })),
            _ => None,
        };
        if let Some(same) = same {
            state.waiting.retain(|q| {
                if same(&q.ask) {
                    given_up.push(q.id);
                }
                !same(&q.ask)
            });
        }
        let is_upload = |ask: &Ask| matches!(ask, Ask::Open { .. } | Ask::Simulate { .. } | Ask::Record { .. });
        let uploads = state.waiting.iter().filter(|q| is_upload(&q.ask)).count();
        if is_upload(&question.ask) && uploads >= MOST_UPLOADS {
            let what = format!("{MOST_UPLOADS} uploads wait already");
            return Put::Refused(Refusal::new(what).help("wait for their answers"));
        }
        if state.waiting.len() >= MOST_WAITING {
            let what = format!("{MOST_WAITING} questions wait already");
            return Put::Refused(Refusal::new(what).help("wait for their answers"));
        }
        state.waiting.push_back(question);
        self.changed.notify_all();
        Put::Waits(given_up)
    }

    /// The next question, or nothing once the socket is closed.
    pub(crate) fn take(&self) -> Option<Question> {
        let mut state = lock(&self.state);
        state.at_hand = None;
        loop {
            if state.closed {
                return None;
            }
            if let Some(question) = state.waiting.pop_front() {
                state.at_hand = Some(question.id);
                self.stop.store(false, Ordering::Relaxed);
                return Some(question);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The flag that gives up the question at hand.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Stops a question: one that waits is taken away (then it is to be answered), others end by themselves.
    pub(crate) fn stop(&self, which: u64) -> bool {
        let mut state = lock(&self.state);
        if state.at_hand == Some(which) {
            self.stop.store(true, Ordering::Relaxed);
        }
        if let Some((id, control)) = &state.simulation
            && *id == which
        {
            control.stop();
        }
        if let Some((id, watch)) = &state.watch
            && *id == which
        {
            watch.stop();
        }
        let before = state.waiting.len();
        state.waiting.retain(|q| q.id != which);
        state.waiting.len() < before
    }

    pub(crate) fn pause(&self, which: u64, paused: bool) {
        if let Some((id, control)) = &lock(&self.state).simulation
            && *id == which
        {
            control.pause(paused);
        }
    }

    /// Takes a simulation or a slow loading under control, if none runs.
    pub(crate) fn begin(&self, id: u64) -> Result<Arc<Control>, Refusal> {
        let mut state = lock(&self.state);
        if state.simulation.is_some() {
            let what = "a simulation or a slow loading runs already";
            return Err(Refusal::new(what).help("stop it first: one at a time"));
        }
        let control = Arc::new(Control::default());
        // It may have been told to stop while it was made ready.
        if state.closed || (state.at_hand == Some(id) && self.stop.load(Ordering::Relaxed)) {
            control.stop();
        }
        state.simulation = Some((id, Arc::clone(&control)));
        Ok(control)
    }

    pub(crate) fn end(&self, id: u64) {
        let mut state = lock(&self.state);
        if state.simulation.as_ref().is_some_and(|(own, _)| *own == id) {
            state.simulation = None;
        }
    }

    /// Begins to look at a study, in place of the one that was looked at before.
    pub(crate) fn watch(&self, id: u64) -> Arc<Watch> {
        let mut state = lock(&self.state);
        let watch = Arc::new(Watch::default());
        if let Some((_, before)) = state.watch.replace((id, Arc::clone(&watch))) {
            before.stop();
        }
        if state.closed {
            watch.stop();
        }
        watch
    }

    /// The page has gone: everything ends.
    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.waiting.clear();
        self.stop.store(true, Ordering::Relaxed);
        if let Some((_, control)) = &state.simulation {
            control.stop();
        }
        if let Some((_, watch)) = &state.watch {
            watch.stop();
        }
        self.changed.notify_all();
    }
}

impl Watch {
    fn stop(&self) {
        *lock(&self.stopped) = true;
        self.changed.notify_all();
    }

    /// Waits so long, or until it is told to stop; tells whether to go on.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        let stopped = lock(&self.stopped);
        let waited = self.changed.wait_timeout_while(stopped, time, |stopped| !*stopped);
        !*waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Control {
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.pause(false);
    }

    fn pause(&self, paused: bool) {
        *lock(&self.paused) = paused;
        self.changed.notify_all();
    }

    /// The flag that gives up the step at hand.
    pub(crate) fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Waits while paused, and tells whether to go on.
    pub(crate) fn go_on(&self) -> bool {
        let mut paused = lock(&self.paused);
        while *paused && !self.is_stopped() {
            paused = self.changed.wait(paused).unwrap_or_else(PoisonError::into_inner);
        }
        !self.is_stopped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::read;

    fn question(text: &str) -> Question {
        read(text).unwrap()
    }

    #[test]
    fn a_newer_check_takes_the_place_of_one_that_waits_and_of_nothing_else() {
        let desk = Desk::default();
        for (id, ask) in [(1, "check"), (2, "undo"), (3, "check"), (4, "check")] {
            let put = desk.put(question(&format!(r#"{{"id": {id}, "ask": "{ask}"}}"#)));
            let Put::Waits(given_up) = put else { panic!() };
            assert_eq!(
                given_up,
                match id {
                    3 => vec![1],
                    4 => vec![3],
                    _ => vec![],
                }
            );
        }
        assert_eq!([desk.take().unwrap().id, desk.take().unwrap().id], [2, 4]);
        desk.close();
        assert!(desk.take().is_none());
    }

    #[test]
    fn one_simulation_at_a_time() {
        let desk = Desk::default();
        let control = desk.begin(5).unwrap();
        assert!(desk.begin(6).is_err());
        desk.pause(5, true);
        desk.stop(5);
        assert!(!control.go_on());
        desk.end(5);
        assert!(desk.begin(6).is_ok());
    }

    #[test]
    fn one_study_is_looked_at_until_it_is_stopped_or_another_is() {
        let desk = Desk::default();
        let first = desk.watch(5);
        assert!(first.wait(Duration::from_millis(1)));
        desk.stop(4);
        assert!(first.wait(Duration::from_millis(1)));
        let second = desk.watch(6);
        assert!(!first.wait(Duration::from_secs(60)), "it does not wait any more");
        desk.stop(6);
        assert!(!second.wait(Duration::from_secs(60)));
        let third = desk.watch(7);
        desk.close();
        assert!(!third.wait(Duration::from_secs(60)));
        assert!(!desk.watch(8).wait(Duration::from_secs(60)));
    }
}

//! Tells that work goes on where it takes more than a second.

use std::{
    io::IsTerminal,
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use indicatif::ProgressBar;

use crate::program::report::Console;

/// Time before the first sign of life.
const FIRST: Duration = Duration::from_secs(1);
/// Time between two lines where there is no terminal.
const LINE: Duration = Duration::from_secs(10);

/// Shows what is being done, from after a second until it is dropped.
pub(super) struct Waiting {
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Waiting {
    pub(super) fn new(console: &Console, what: &str) -> Self {
        console.progress(0.0, what);
        if console.quiet || console.caller.is_some() {
            return Self {
                done: None,
                thread: None,
            };
        }
        let (done, over) = channel::<()>();
        let what = what.to_string();
        let thread = std::thread::spawn(move || {
            let began = Instant::now();
            if over.recv_timeout(FIRST) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            if std::io::stderr().is_terminal() {
                let bar = ProgressBar::new_spinner().with_message(what);
                bar.enable_steady_tick(Duration::from_millis(100));
                // Ends with the channel: whoever waits has dropped its side.
                let _ = over.recv();
                bar.finish_and_clear();
                return;
            }
            loop {
                eprintln!("{what}: {:.0} s", began.elapsed().as_secs_f64());
                if over.recv_timeout(LINE) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        });
        Self {
            done: Some(done),
            thread: Some(thread),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // It has nothing to say but its lines.
            let _ = thread.join();
        }
    }
}

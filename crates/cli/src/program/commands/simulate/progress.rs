//! How far a run is: a bar on a terminal, a line now and then elsewhere. Ctrl-C stops it after the step.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use indicatif::ProgressBar;

use drystone_analysis::{Flow, Run};
use drystone_output::run::Watcher;

use crate::program::{
    progress::{LINE, LOOK, bar, clock, interrupt_flag},
    report::Console,
};

/// Shows how far a run is.
pub(crate) struct Progress<'a> {
    console: &'a Console,
    bar: Option<ProgressBar>,
    duration: f64,
    /// When the run began, at which of its times; known from its first step on.
    began: Option<(Instant, f64)>,
    shown: Instant,
    interrupted: Arc<AtomicBool>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(console: &'a Console, duration: f64) -> Self {
        Self {
            console,
            bar: bar(console, 1000),
            duration,
            began: None,
            shown: Instant::now(),
            // A caller has its own way to stop.
            interrupted: if console.caller.is_some() {
                Arc::default()
            } else {
                interrupt_flag()
            },
        }
    }
}

impl Watcher for Progress<'_> {
    fn warn(&self, message: &str) {
        self.console.warn(message);
    }

    fn proceed(&mut self) -> Flow {
        if self.interrupted.load(Ordering::Relaxed) || self.console.stop().is_set() {
            Flow::Stop
        } else {
            Flow::GoOn
        }
    }

    fn step(&mut self, run: &Run<'_>) {
        let (now, step) = (Instant::now(), run.last_step());
        let time = run.state().time;
        self.console.progress(time / self.duration, "running");
        let (began, from) = *self.began.get_or_insert((now, time - step.dt));
        let wait = if self.bar.is_some() { LOOK } else { LINE };
        if self.console.quiet || self.console.caller.is_some() || now - self.shown < wait {
            return;
        }
        self.shown = now;
        let wall = (now - began).as_secs_f64();
        let factor = (time - from) / wall.max(1e-9);
        let left = (self.duration - time) / factor.max(1e-9);
        let message = format!(
            "{time:.3} of {} s, {factor:.3} x real time, {} left, {} contacts, residual {:.0e}",
            self.duration,
            clock(left),
            step.contacts,
            step.residual
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position((1000.0 * time / self.duration) as u64);
                bar.set_message(message);
            }
            None => eprintln!("{message}"),
        }
    }

    fn done(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

//! How far a run is: a bar on a terminal, a line now and then elsewhere. Ctrl-C stops it after the step.

use std::{
    io::IsTerminal,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

use drystone_analysis::{Flow, Run};
use drystone_output::run::Watcher;

use crate::program::report::Console;

/// Time between two lines where there is no terminal.
const LINE: Duration = Duration::from_secs(10);
/// Time between two looks at the bar.
const LOOK: Duration = Duration::from_millis(100);

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
    pub(super) fn new(console: &'a Console, duration: f64) -> Self {
        let bar = (!console.quiet && console.caller.is_none() && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(1000);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self {
            console,
            bar,
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

/// Seconds as a person would say them.
fn clock(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once.
fn interrupt_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&flag);
    // It fails where a handler is set already, by a run before this one in the same program.
    let _ = ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    });
    flag
}

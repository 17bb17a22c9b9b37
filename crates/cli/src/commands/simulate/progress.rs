//! How far a run is: a bar on a terminal, a line now and then elsewhere.

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

use drystone_mechanics::dynamics::Step;

use crate::report::Console;

/// Time between two lines where there is no terminal.
const LINE: Duration = Duration::from_secs(10);
/// Time between two looks at the bar.
const LOOK: Duration = Duration::from_millis(100);

/// Shows how far a run is.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    began: Instant,
    shown: Instant,
    from: f64,
    duration: f64,
}

impl Progress {
    pub(super) fn new(console: &Console, from: f64, duration: f64) -> Self {
        let now = Instant::now();
        let bar = (!console.quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(1000);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            quiet: console.quiet,
            began: now,
            shown: now,
            from,
            duration,
        }
    }

    /// After a step that ended at `time`.
    pub(super) fn step(&mut self, time: f64, step: &Step) {
        let now = Instant::now();
        let wait = if self.bar.is_some() { LOOK } else { LINE };
        if self.quiet || now - self.shown < wait {
            return;
        }
        self.shown = now;
        let wall = (now - self.began).as_secs_f64();
        let factor = (time - self.from) / wall.max(1e-9);
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

    pub(super) fn done(&self) {
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

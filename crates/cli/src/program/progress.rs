//! What tells how far long work is: a bar on a terminal, a line now and then elsewhere, and Ctrl-C that ends it in good order.

use std::{
    io::IsTerminal,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use super::report::Console;

/// Time between two lines where there is no terminal.
pub(crate) const LINE: Duration = Duration::from_secs(10);
/// Time between two looks at the bar.
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// A bar of so many pieces of work, where somebody sees it.
pub(crate) fn bar(console: &Console, pieces: u64) -> Option<ProgressBar> {
    (!console.quiet && console.caller.is_none() && std::io::stderr().is_terminal()).then(|| {
        let bar = ProgressBar::new(pieces);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}") {
            bar.set_style(style);
        }
        bar
    })
}

/// Seconds as a person would say them.
pub(crate) fn clock(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once.
pub(crate) fn interrupt_flag() -> Arc<AtomicBool> {
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

//! `drystone reproduce` and `drystone bench`: what they give, printed.

use drystone_validation::{Bench, CommandReport, Listener, Reproduce};

use crate::program::{Failure, report::Console};

impl Listener for Console {
    fn progress(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    fn warn(&self, text: &str) {
        Console::warn(self, text);
    }

    fn line(&self, text: &str) -> Result<(), Failure> {
        Console::line(self, text)
    }
}

pub(crate) fn reproduce(options: &Reproduce, console: &Console) -> Result<(), Failure> {
    print(options.run(console)?, console)
}

pub(crate) fn bench(options: &Bench, console: &Console) -> Result<(), Failure> {
    print(options.run(console)?, console)
}

fn print(report: CommandReport, console: &Console) -> Result<(), Failure> {
    console.result(&report.json, || report.text)?;
    report.failure.map_or(Ok(()), Err)
}

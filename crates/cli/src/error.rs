use std::process::ExitCode;

use miette::{Diagnostic, MietteHandlerOpts, NamedSource, Report, SourceOffset};

use drystone_analysis::{Failure, FailureKind, Place};

/// A failure as it is shown: with the place in the file where it lies.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
struct Shown {
    message: String,
    #[help]
    help: Option<String>,
    #[source_code]
    source_code: Option<NamedSource<String>>,
    #[label("here")]
    here: Option<SourceOffset>,
}

/// Prints a failure on standard error and gives the exit status for it.
pub(crate) fn report(failure: &Failure) -> ExitCode {
    // Setting the hook fails only if it is set already, which does no harm.
    let _ = miette::set_hook(Box::new(|_| Box::new(handler())));
    let (source_code, here) = failure.place().and_then(excerpt).unzip();
    let shown = Shown {
        message: failure.message().to_string(),
        help: failure.remedy().map(str::to_string),
        source_code,
        here,
    };
    eprintln!("{:?}", Report::new(shown));
    ExitCode::from(match failure.kind() {
        FailureKind::Input => 2,
        FailureKind::Run => 1,
    })
}

/// Messages hold file names and values that must stay whole for people to copy and scripts to find: no wrapping.
fn handler() -> miette::MietteHandler {
    MietteHandlerOpts::new().wrap_lines(false).context_lines(1).build()
}

/// The text around a place. A file of one enormous line would fill the screen.
fn excerpt(Place { file, line, column }: &Place) -> Option<(NamedSource<String>, SourceOffset)> {
    let text = std::fs::read_to_string(file).ok()?;
    let is_shown = !text.is_empty() && text.lines().all(|l| l.len() < 400);
    is_shown.then(|| {
        let here = SourceOffset::from_location(&text, *line, *column);
        (NamedSource::new(file, text), here)
    })
}

use std::{fmt::Display, process::ExitCode};

use miette::{Diagnostic, MietteHandlerOpts, NamedSource, Report, SourceOffset};

use drystone_model::file::ReadError;

/// Why a command ended without an answer. Boxed, because results of commands pass through many hands.
#[derive(Debug)]
pub(crate) struct Failure(Box<Message>);

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{message}")]
struct Message {
    message: String,
    #[help]
    help: Option<String>,
    #[source_code]
    source_code: Option<NamedSource<String>>,
    #[label("here")]
    here: Option<SourceOffset>,
    kind: Kind,
}

/// Whose fault it is; decides the exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Bad input or usage: exit 2.
    Input,
    /// The run failed: exit 1.
    Run,
}

impl Failure {
    /// Bad input or bad usage.
    pub(crate) fn input(message: impl Display) -> Self {
        let message = message.to_string();
        Self(Box::new(Message {
            message,
            help: None,
            source_code: None,
            here: None,
            kind: Kind::Input,
        }))
    }

    /// The input is good, but the run failed.
    pub(crate) fn run(message: impl Display) -> Self {
        let mut failure = Self::input(message);
        failure.0.kind = Kind::Run;
        failure
    }

    /// The same failure with a remedy.
    pub(crate) fn help(mut self, help: impl Display) -> Self {
        self.0.help = Some(help.to_string());
        self
    }

    /// What went wrong, in one line.
    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// Prints the failure on standard error and gives the exit status for it.
    pub(crate) fn report(self) -> ExitCode {
        let code = match self.0.kind {
            Kind::Input => 2,
            Kind::Run => 1,
        };
        // Setting the hook fails only if it is set already, which does no harm.
        let _ = miette::set_hook(Box::new(|_| Box::new(handler())));
        eprintln!("{:?}", Report::new(*self.0));
        ExitCode::from(code)
    }
}

/// Messages hold file names and values that must stay whole for people to copy and scripts to find: no wrapping.
fn handler() -> miette::MietteHandler {
    MietteHandlerOpts::new().wrap_lines(false).context_lines(1).build()
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match &error {
            ReadError::Syntax { file, line, column, .. } => {
                let text = std::fs::read_to_string(file).unwrap_or_default();
                let mut failure = Self::input(&error);
                // A file of one enormous line would fill the screen.
                if !text.is_empty() && text.lines().all(|l| l.len() < 400) {
                    failure.0.here = Some(SourceOffset::from_location(&text, *line, *column));
                    failure.0.source_code = Some(NamedSource::new(file, text));
                }
                failure
            }
            ReadError::Io { .. } | ReadError::Invalid { .. } => Self::input(&error),
        }
    }
}

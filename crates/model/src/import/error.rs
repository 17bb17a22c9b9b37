use std::path::PathBuf;

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each variant and its fields mean")]
pub enum ImportError {
    #[error("{}: cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{file}: {what}")]
    Format { file: String, what: String },
    #[error("{}", list(file, problems, *more))]
    Content {
        file: String,
        problems: Vec<ImportProblem>,
        /// Problems beyond those listed.
        more: usize,
    },
    #[error("these files do not go together: {0}")]
    Combination(String),
    #[error("no file was given; name one or more files to import")]
    NoFiles,
}

/// One thing that is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportProblem {
    /// Line in the file, from 1, where the format has lines.
    pub line: Option<usize>,
    /// What is wrong, with the offending text and what is allowed.
    pub what: String,
}

fn list(file: &str, problems: &[ImportProblem], more: usize) -> String {
    let mut lines: Vec<String> = problems
        .iter()
        .map(|p| match p.line {
            Some(line) => format!("{file}:{line}: {}", p.what),
            None => format!("{file}: {}", p.what),
        })
        .collect();
    if more > 0 {
        lines.push(format!("{file}: and {more} more problems"));
    }
    lines.join("\n")
}

/// Collects problems, so that a user can fix several at once.
pub(super) struct Problems {
    file: String,
    list: Vec<ImportProblem>,
    more: usize,
}

impl Problems {
    const MOST: usize = 20;

    pub(super) fn new(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            list: Vec::new(),
            more: 0,
        }
    }

    pub(super) fn at(&mut self, line: usize, what: impl Into<String>) {
        self.push(Some(line), what.into());
    }

    pub(super) fn somewhere(&mut self, what: impl Into<String>) {
        self.push(None, what.into());
    }

    fn push(&mut self, line: Option<usize>, what: String) {
        if self.list.len() < Self::MOST {
            self.list.push(ImportProblem { line, what });
        } else {
            self.more += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// An error if anything was found.
    pub(super) fn finish(self) -> Result<(), ImportError> {
        if self.list.is_empty() {
            Ok(())
        } else {
            Err(self.into_error())
        }
    }

    /// The error, with `what` in it if nothing else was found.
    pub(super) fn into_error(self) -> ImportError {
        ImportError::Content {
            file: self.file,
            problems: self.list,
            more: self.more,
        }
    }
}

/// An error with one problem.
pub(super) fn single(file: &str, line: Option<usize>, what: impl Into<String>) -> ImportError {
    ImportError::Content {
        file: file.to_owned(),
        problems: vec![ImportProblem {
            line,
            what: what.into(),
        }],
        more: 0,
    }
}

pub(super) fn format_error(file: &str, what: impl Into<String>) -> ImportError {
    ImportError::Format {
        file: file.to_owned(),
        what: what.into(),
    }
}

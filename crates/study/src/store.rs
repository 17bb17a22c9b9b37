//! What is known of a study, on disk: one SQLite database. A run is recorded once, whole or not at all, when it has ended; whatever
//! ends the program leaves a database that it goes on from.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use drystone_analysis::Failure;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    files::Row,
    job::{BUILD, Job, Outcome, Outcomes, Shared, Status, Task},
};

/// Name of the database in the folder of a study.
pub const DATABASE: &str = "study.sqlite";

/// Layout of the database.
const VERSION: i64 = 1;
const LAYOUT: &str = "
    CREATE TABLE IF NOT EXISTS runs (
        id TEXT PRIMARY KEY,
        label TEXT NOT NULL,
        parameters TEXT NOT NULL,
        job TEXT NOT NULL,
        status TEXT NOT NULL,
        result TEXT NOT NULL,
        error TEXT,
        residual REAL,
        wall_s REAL NOT NULL,
        version TEXT NOT NULL,
        worker TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS planned (
        id TEXT PRIMARY KEY,
        label TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS shared (
        key TEXT PRIMARY KEY,
        text TEXT NOT NULL
    ) STRICT;";

/// The database of a study.
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens the database of a folder, or begins one.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(DATABASE);
        let opened = Connection::open(&path);
        let store = Self {
            connection: opened.map_err(|e| failure(&path, &e))?,
            path,
        };
        store.prepare()?;
        Ok(store)
    }

    /// Opens the database of a folder to look at it only.
    pub fn look(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(DATABASE);
        if !path.is_file() {
            return Err(Failure::input(format!("{}: there is no study here", folder.display()))
                .help("give the folder that a study was told to leave its results in"));
        }
        // Open for writing, and nothing is written: whoever closes it last takes the files beside it away, which a connection that
        // may only read would leave.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&path, flags);
        let store = Self {
            connection: opened.map_err(|e| failure(&path, &e))?,
            path,
        };
        // Whoever writes there may just be tidying up.
        let patience = store.connection.busy_timeout(std::time::Duration::from_secs(2));
        let only = patience.and_then(|()| store.connection.pragma_update(None, "query_only", true));
        only.map_err(|e| store.failure(&e))?;
        store.check_version()?;
        Ok(store)
    }

    fn prepare(&self) -> Result<(), Failure> {
        let run = || -> rusqlite::Result<()> {
            self.connection.busy_timeout(std::time::Duration::from_secs(10))?;
            // Whole after a power failure, too; others may read meanwhile.
            self.connection.pragma_update(None, "journal_mode", "WAL")?;
            self.connection.pragma_update(None, "synchronous", "FULL")
        };
        run().map_err(|e| self.failure(&e))?;
        self.check_version()?;
        let create = || -> rusqlite::Result<()> {
            self.connection.execute_batch(LAYOUT)?;
            self.connection.pragma_update(None, "user_version", VERSION)
        };
        create().map_err(|e| self.failure(&e))
    }

    /// The number of its layout; 0 where it has none yet.
    fn version(&self) -> Result<i64, Failure> {
        let version = self
            .connection
            .pragma_query_value(None, "user_version", |row| row.get(0));
        version.map_err(|e| self.failure(&e))
    }

    fn check_version(&self) -> Result<(), Failure> {
        match self.version()? {
            0 | VERSION => Ok(()),
            other => Err(Failure::input(format!(
                "{}: its layout is number {other}, and this program knows {VERSION}",
                self.path.display()
            ))
            .help("go on with the version of the program that began it, or give another folder with -o")),
        }
    }

    fn failure(&self, error: &rusqlite::Error) -> Failure {
        failure(&self.path, error)
    }

    /// Records a run that has ended. One that is recorded already stays as it is.
    pub fn record(&mut self, task: &Task, outcome: &Outcome, worker: &str) -> Result<(), Failure> {
        let (parameters, job, result) = (text(&task.parameters)?, text(&task.job)?, text(&outcome.result)?);
        self.connection
            .execute(
                "INSERT OR IGNORE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                params![
                    task.id,
                    task.label,
                    parameters,
                    job,
                    outcome.status.name(),
                    result,
                    outcome.error,
                    outcome.residual,
                    outcome.wall_s,
                    outcome.version,
                    worker
                ],
            )
            .map_err(|e| self.failure(&e))?;
        Ok(())
    }

    /// Forgets runs that failed, so that they are done again. Gives how many there were.
    pub fn forget_failed(&mut self) -> Result<usize, Failure> {
        let forgotten = self.connection.execute("DELETE FROM runs WHERE status = 'failed'", []);
        forgotten.map_err(|e| self.failure(&e))
    }

    /// Forgets runs that another build of the program did, so that they are done again. Gives how many there were.
    pub fn forget_other_builds(&mut self) -> Result<usize, Failure> {
        let forgotten = self.connection.execute("DELETE FROM runs WHERE version <> ?1", [BUILD]);
        forgotten.map_err(|e| self.failure(&e))
    }

    /// What is known of all runs, also of those that the study no longer takes.
    pub fn outcomes(&self) -> Result<Outcomes, Failure> {
        let read = || -> rusqlite::Result<Vec<(String, Raw)>> {
            let mut query = self
                .connection
                .prepare("SELECT id, status, result, error, residual, wall_s, version FROM runs ORDER BY id")?;
            query.query_map([], |row| Ok((row.get(0)?, Raw::of(row)?)))?.collect()
        };
        let rows = read().map_err(|e| self.failure(&e))?;
        rows.into_iter()
            .map(|(id, raw)| Ok((id, raw.outcome(&self.path)?)))
            .collect()
    }

    /// The planned runs that have ended, in the order of the plan.
    pub(crate) fn recorded(&self) -> Result<Vec<Recorded>, Failure> {
        let read = || -> rusqlite::Result<Vec<(String, String, String, Raw)>> {
            let mut query = self.connection.prepare(
                "SELECT id, status, result, error, residual, wall_s, version, planned.label, parameters
                 FROM planned JOIN runs USING (id) ORDER BY planned.rowid",
            )?;
            query
                .query_map([], |row| Ok((row.get(0)?, row.get(7)?, row.get(8)?, Raw::of(row)?)))?
                .collect()
        };
        let rows = read().map_err(|e| self.failure(&e))?;
        rows.into_iter()
            .map(|(id, label, parameters, raw)| {
                let parameters = serde_json::from_str(&parameters);
                Ok(Recorded {
                    id,
                    label,
                    parameters: parameters.map_err(|e| {
                        Failure::run(format!("{}: parameters that cannot be read: {e}", self.path.display()))
                    })?,
                    outcome: raw.outcome(&self.path)?,
                })
            })
            .collect()
    }

    /// The run whose identity begins with a text: what it is called, and what was to be done.
    pub fn find(&self, start: &str) -> Result<(String, Job), Failure> {
        let read = || -> rusqlite::Result<Vec<[String; 3]>> {
            let mut query = self
                .connection
                .prepare("SELECT id, label, job FROM runs WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 2")?;
            query
                .query_map([start], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?
                .collect()
        };
        let found = read().map_err(|e| self.failure(&e))?;
        match &found[..] {
            [[_, label, job]] => Ok((label.clone(), serde_json::from_str(job).map_err(Failure::run)?)),
            [] => Err(Failure::input(format!(
                "{}: no run's identity begins with `{start}`",
                self.path.display()
            ))
            .help("the column `run` of runs.csv lists them")),
            _ => Err(Failure::input(format!(
                "{}: several runs' identities begin with `{start}`",
                self.path.display()
            ))
            .help("give more of its letters")),
        }
    }

    /// The runs of the plan that have ended, in its order, at most so many: their identities, and how each ended.
    pub fn ended(&self, most: usize) -> Result<Vec<(String, Status)>, Failure> {
        let read = || -> rusqlite::Result<Vec<(String, Status)>> {
            let mut query = self.connection.prepare_cached(
                "SELECT id, status FROM planned JOIN runs USING (id) ORDER BY planned.rowid LIMIT ?1",
            )?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            query
                .query_map([most], |row| {
                    Ok((row.get(0)?, Status::of(row.get_ref(1)?.as_str().unwrap_or_default())))
                })?
                .collect()
        };
        read().map_err(|e| self.failure(&e))
    }

    /// How many runs of the plan have failed.
    pub fn failed(&self) -> Result<usize, Failure> {
        let count = self.connection.query_row(
            "SELECT count(*) FROM planned JOIN runs USING (id) WHERE status = 'failed'",
            [],
            |row| row.get::<_, i64>(0),
        );
        count
            .map(|rows| usize::try_from(rows).unwrap_or(0))
            .map_err(|e| self.failure(&e))
    }

    /// All that is known of a run, by its identity; nothing where it is not recorded.
    pub fn run(&self, id: &str) -> Result<Option<RecordedRun>, Failure> {
        let read = || -> rusqlite::Result<Option<([String; 3], Raw)>> {
            let mut query = self.connection.prepare_cached(
                "SELECT id, status, result, error, residual, wall_s, version, label, parameters, job FROM runs WHERE id = ?1",
            )?;
            let row = query.query_row([id], |row| Ok(([row.get(7)?, row.get(8)?, row.get(9)?], Raw::of(row)?)));
            row.optional()
        };
        let Some(([label, parameters, job], raw)) = read().map_err(|e| self.failure(&e))? else {
            return Ok(None);
        };
        let damaged =
            |e: serde_json::Error| Failure::run(format!("{}: the run `{id}` cannot be read: {e}", self.path.display()));
        Ok(Some(RecordedRun {
            label,
            parameters: serde_json::from_str(&parameters).map_err(damaged)?,
            job: serde_json::from_str(&job).map_err(damaged)?,
            outcome: raw.outcome(&self.path)?,
        }))
    }

    /// Who performed each run.
    pub fn workers(&self) -> Result<BTreeMap<String, String>, Failure> {
        let read = || -> rusqlite::Result<BTreeMap<String, String>> {
            let mut query = self.connection.prepare("SELECT id, worker FROM runs")?;
            query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        };
        read().map_err(|e| self.failure(&e))
    }

    /// Keeps what runs share, so that each can be done again from the database alone.
    pub fn share(&mut self, shared: &Shared) -> Result<(), Failure> {
        let mut run = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction()?;
            {
                let mut insert = transaction.prepare("INSERT OR IGNORE INTO shared VALUES (?1, ?2)")?;
                for (key, text) in shared {
                    insert.execute(params![key, &**text])?;
                }
            }
            transaction.commit()
        };
        let done = run();
        done.map_err(|e| self.failure(&e))
    }

    /// What runs share.
    pub fn shared(&self) -> Result<Shared, Failure> {
        let read = || -> rusqlite::Result<Shared> {
            let mut query = self.connection.prepare("SELECT key, text FROM shared")?;
            query
                .query_map([], |row| Ok((row.get(0)?, row.get::<_, String>(1)?.into())))?
                .collect()
        };
        read().map_err(|e| self.failure(&e))
    }

    /// Takes over the runs of another database. Gives how many were new.
    pub fn merge(&mut self, other: &Path) -> Result<usize, Failure> {
        // That it is one, and of this layout.
        let runs = Self::look(other)?;
        if runs.version()? != VERSION {
            return Err(Failure::input(format!(
                "{}: there are no runs in it yet",
                runs.path.display()
            )));
        }
        let path = other.join(DATABASE);
        let path = path
            .to_str()
            .ok_or_else(|| Failure::input(format!("{}: not valid UTF-8", path.display())))?;
        let mut run = || -> rusqlite::Result<usize> {
            self.connection.execute("ATTACH DATABASE ?1 AS other", [path])?;
            let taken = take_over(&mut self.connection);
            self.connection.execute("DETACH DATABASE other", [])?;
            taken
        };
        let done = run();
        done.map_err(|e| self.failure(&e))
    }

    /// Tells those who look which runs are planned so far.
    pub fn plan(&mut self, tasks: &[Task]) -> Result<(), Failure> {
        let mut run = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction()?;
            transaction.execute("DELETE FROM planned", [])?;
            {
                let mut insert = transaction.prepare("INSERT OR IGNORE INTO planned VALUES (?1, ?2)")?;
                for task in tasks {
                    insert.execute(params![task.id, task.label])?;
                }
            }
            transaction.commit()
        };
        let done = run();
        done.map_err(|e| self.failure(&e))
    }

    /// How many runs are planned so far, and how many of them have ended.
    pub fn progress(&self) -> Result<[usize; 2], Failure> {
        let count = |query: &str| -> rusqlite::Result<usize> {
            let rows: i64 = self.connection.query_row(query, [], |row| row.get(0))?;
            Ok(usize::try_from(rows).unwrap_or(0))
        };
        let both = || -> rusqlite::Result<[usize; 2]> {
            Ok([
                count("SELECT count(*) FROM planned")?,
                count("SELECT count(*) FROM planned JOIN runs USING (id)")?,
            ])
        };
        both().map_err(|e| self.failure(&e))
    }
}

/// Takes over the runs of the database that is attached as `other`.
fn take_over(connection: &mut Connection) -> rusqlite::Result<usize> {
    let transaction = connection.transaction()?;
    transaction.execute("INSERT OR IGNORE INTO shared SELECT * FROM other.shared", [])?;
    // A run that failed here counts as it ended there.
    transaction.execute(
        "DELETE FROM runs WHERE status = 'failed' AND id IN (SELECT id FROM other.runs WHERE status = 'done')",
        [],
    )?;
    let taken = transaction.execute("INSERT OR IGNORE INTO runs SELECT * FROM other.runs ORDER BY id", [])?;
    transaction.commit()?;
    Ok(taken)
}

/// JSON as text.
fn text(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(Failure::run)
}

/// A run that has ended, with what was to be done.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRun {
    /// What it is, for people.
    pub label: String,
    /// Where it stands in the study.
    pub parameters: Map<String, Value>,
    /// What was to be done.
    pub job: Job,
    /// What came of it.
    pub outcome: Outcome,
}

/// A run as the database has it.
struct Raw {
    status: String,
    result: String,
    error: Option<String>,
    residual: Option<f64>,
    wall_s: f64,
    version: String,
}

/// A run that has ended, with where it stands in the study.
pub(crate) struct Recorded {
    id: String,
    label: String,
    parameters: Map<String, Value>,
    outcome: Outcome,
}

impl Recorded {
    /// It as a row of a table.
    pub(crate) fn row(&self) -> Row<'_> {
        Row {
            id: &self.id,
            label: &self.label,
            parameters: &self.parameters,
            outcome: &self.outcome,
        }
    }
}

impl Raw {
    /// Of the columns behind the identity.
    fn of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            status: row.get(1)?,
            result: row.get(2)?,
            error: row.get(3)?,
            residual: row.get(4)?,
            wall_s: row.get(5)?,
            version: row.get(6)?,
        })
    }

    fn outcome(self, path: &Path) -> Result<Outcome, Failure> {
        let result: Map<String, Value> = serde_json::from_str(&self.result)
            .map_err(|e| Failure::run(format!("{}: a result that cannot be read: {e}", path.display())))?;
        Ok(Outcome {
            status: Status::of(&self.status),
            result,
            error: self.error,
            residual: self.residual,
            wall_s: self.wall_s,
            version: self.version,
        })
    }
}

fn failure(path: &Path, error: &rusqlite::Error) -> Failure {
    let failure = Failure::run(format!("{}: {error}", path.display()));
    if let rusqlite::Error::SqlInputError { .. } = error {
        // It has tables, and they are not those of a study.
        return failure.help("the file is not a study's database; give another folder with -o");
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => failure
            .help("the disk is full; runs that were recorded are kept: make room, and give the same command again"),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            failure.help("the file is not a study's database, or it was damaged; give another folder with -o")
        }
        Some(ErrorCode::ReadOnly) => {
            failure.help("the folder or its files cannot be written to; give another folder with -o")
        }
        Some(ErrorCode::CannotOpen) => failure.help("there is no study in this folder, or it cannot be written to"),
        _ => failure.help("runs that were recorded are kept: give the same command again"),
    }
}

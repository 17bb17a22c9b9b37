//! All records of a folder.

use std::path::Path;

use super::{Measure, ReadSettings, Record, RecordError};

/// Endings of files that are taken for records.
const ENDINGS: [&str; 4] = ["at2", "txt", "csv", "dat"];

/// The records of a folder, as a suite of ground motions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suite {
    /// The records with the names of their files, sorted by these.
    pub records: Vec<(String, Record)>,
    /// Why other files that look like records cannot be read, in the order of their names.
    pub broken: Vec<RecordError>,
}

/// What a record of a suite amounts to. Of several components the largest value; `None` where the record does not say.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSummary {
    /// Name of the file.
    pub name: String,
    /// What the file says about itself.
    pub title: String,
    /// Time step (s).
    pub dt: f64,
    /// Values of a component.
    pub points: usize,
    /// From the first value to the last (s).
    pub duration: f64,
    /// Peak ground acceleration (m/s²).
    pub pga: Option<f64>,
    /// Peak ground velocity (m/s).
    pub pgv: Option<f64>,
    /// Arias intensity (m/s).
    pub arias: Option<f64>,
    /// From 5 to 95 % of the Arias intensity (s).
    pub significant_duration: Option<f64>,
}

impl Suite {
    /// Reads the records of a folder, without its subfolders: files that end in `.at2`, `.txt`, `.csv` or `.dat`. Hidden
    /// files and those whose names start with `README` are none.
    pub fn read(folder: &Path, settings: &ReadSettings) -> Result<Self, RecordError> {
        let name = folder.display().to_string();
        let unreadable = |e: std::io::Error| RecordError::new(&name, None, format!("the folder cannot be read: {e}"));
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let file = entry.file_name().to_string_lossy().into_owned();
            // A link counts as what it points to; a broken one is tried, so that it is named.
            if looks_like_a_record(&file) && !entry.path().is_dir() {
                files.push((file, entry.path()));
            }
        }
        if files.is_empty() {
            let what = "there are no records in this folder; they end in .at2, .txt, .csv or .dat";
            return Err(RecordError::new(&name, None, what));
        }
        files.sort();
        let mut suite = Self::default();
        for (file, path) in files {
            match Record::read(&path, settings) {
                Ok(record) => suite.records.push((file, record)),
                Err(error) => suite.broken.push(error),
            }
        }
        Ok(suite)
    }

    /// What each record amounts to.
    pub fn summaries(&self) -> Vec<RecordSummary> {
        self.records.iter().map(|(name, record)| record.summary(name)).collect()
    }
}

impl Record {
    /// What the record amounts to, under a name.
    pub fn summary(&self, name: &str) -> RecordSummary {
        RecordSummary {
            name: name.to_owned(),
            title: self.title.clone(),
            dt: self.dt,
            points: self.len(),
            duration: self.duration(),
            pga: self.measure(Measure::Pga).ok(),
            pgv: self.measure(Measure::Pgv).ok(),
            arias: self.measure(Measure::Arias).ok(),
            significant_duration: self.significant_duration().ok(),
        }
    }
}

fn looks_like_a_record(file: &str) -> bool {
    let hidden = file.starts_with('.');
    let readme = file.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("readme"));
    let ending = file.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    !hidden && !readme && ending.is_some_and(|e| ENDINGS.contains(&e.as_str()))
}

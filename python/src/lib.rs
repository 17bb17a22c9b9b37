//! drystone for Python: what the package `drystone` stands on. Models go in, results come out as dictionaries and arrays; what
//! they are called there, and everything that only Python has, is in `drystone/`.

mod errors;
mod model;
mod study;
mod values;
mod work;

use pyo3::prelude::*;

/// What the package stands on.
#[pymodule]
mod _drystone {
    #[pymodule_export]
    use super::{
        errors::{InputError, RunError},
        model::NativeModel,
        study::{NativeStudy, perform, study_again, study_run, study_table, study_template},
    };

    use super::*;

    /// Runs a command line, without the program's name; gives its exit status.
    #[pyfunction]
    fn run(py: Python<'_>, words: Vec<String>) -> i32 {
        let words = std::iter::once("drystone".to_string()).chain(words);
        // What an exit code is can only be compared.
        let code = py.detach(|| drystone::program::run(words.map(Into::into)));
        let known = [0_u8, 1, 2]
            .into_iter()
            .find(|k| code == std::process::ExitCode::from(*k));
        known.map_or(1, i32::from)
    }

    /// Recipes and their parameters: name, summary, and of each parameter its name, default, unit and meaning.
    #[pyfunction]
    fn recipes() -> Vec<(String, String, Vec<[String; 3]>)> {
        super::model::recipes()
    }

    /// The JSON Schema of model files.
    #[pyfunction]
    fn schema(py: Python<'_>) -> PyResult<Py<PyAny>> {
        super::values::to_python(py, drystone::model::file::schema())
    }

    #[pymodule_init]
    fn init(m: &Bound<'_, PyModule>) -> PyResult<()> {
        super::work::loaded();
        m.add("__version__", env!("CARGO_PKG_VERSION"))?;
        m.add("__build__", drystone::study::BUILD)
    }
}

//! JSON and vectors as Python has them.

use glam::DVec3;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyDict, PyList},
};
use serde_json::Value;

/// A value of JSON.
pub(crate) fn to_python(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Null => Ok(py.None()),
        Value::Bool(flag) => flag.into_py_any(py),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_py_any(py),
            None => number.as_f64().into_py_any(py),
        },
        Value::String(text) => text.into_py_any(py),
        Value::Array(all) => {
            let list = PyList::empty(py);
            for value in all {
                list.append(to_python(py, value)?)?;
            }
            list.into_py_any(py)
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, to_python(py, value)?)?;
            }
            dict.into_py_any(py)
        }
    }
}

/// Numbers in rows of so many.
pub(crate) fn rows<'py, T: numpy::Element>(
    py: Python<'py>,
    all: Vec<T>,
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let count = all.len() / columns;
    PyArray1::from_vec(py, all).reshape([count, columns])
}

/// Vectors, a row each.
pub(crate) fn vectors<'py>(
    py: Python<'py>,
    all: impl IntoIterator<Item = DVec3>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    rows(py, all.into_iter().flat_map(|v| v.to_array()).collect(), 3)
}

/// Points from rows of three numbers.
pub(crate) fn points(array: &PyReadonlyArray2<'_, f64>) -> Vec<DVec3> {
    array
        .as_array()
        .rows()
        .into_iter()
        .map(|row| DVec3::new(row[0], row[1], row[2]))
        .collect()
}

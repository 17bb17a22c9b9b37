//! A model as Python holds it, and the questions that can be asked of it.

use std::{path::PathBuf, sync::Arc};

use drystone::{
    analysis::{Answer, Edit, Failure, Reached, Subject, edit, known_blocks},
    cone::Twist,
    model::{Block, Model, Shape, certificate::Certificate, check, file, geometry::Polyhedron, recipes},
    program::call,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    errors::{InputError, raised},
    values::{points, rows, to_python, vectors},
    work::work,
};

/// What comes back of a question: the fields of the command's `--json`, arrays by name, and warnings.
pub(crate) type Told<'py> = (Py<PyAny>, Bound<'py, PyDict>, Vec<String>);

/// Corners and faces of a block.
type Surface<'py> = (Bound<'py, PyArray2<f64>>, Vec<Vec<u32>>);

/// A structure of blocks. The package's `Model` stands on it.
#[pyclass(name = "NativeModel", module = "drystone._drystone", frozen)]
pub(crate) struct NativeModel {
    model: Arc<Model>,
}

/// Recipes: name, summary, and of each parameter its name, default and meaning.
pub(crate) fn recipes() -> Vec<(String, String, Vec<[String; 3]>)> {
    let one = |recipe: &recipes::Recipe| {
        let parameters = recipe.parameters().into_iter();
        let parameters = parameters.map(|p| [p.name.clone(), p.default.clone(), p.help_with_needs()]);
        (
            recipe.name.to_string(),
            recipe.summary.to_string(),
            parameters.collect(),
        )
    };
    recipes::all().iter().map(one).collect()
}

#[pymethods]
impl NativeModel {
    /// Builds a model by a recipe, with values of its parameters as text.
    #[staticmethod]
    fn recipe(name: &str, values: Vec<(String, String)>) -> PyResult<Self> {
        let recipe = recipes::find(name).map_err(|e| raised(&e.into()))?;
        recipe.build(&values).map(Self::of).map_err(|e| raised(&e.into()))
    }

    /// Reads a file, as the command line does. Gives the model and warnings.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<(Self, Vec<String>)> {
        let (model, warnings) = work(py, None, move |caller| call::open(&path, caller))?;
        Ok((Self::of(model), warnings))
    }

    /// Reads the text of a model file.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Self> {
        let model = file::parse(text.as_bytes(), "model").map_err(|e| raised(&e.into()))?;
        Ok(Self::of(model))
    }

    /// A model of closed surfaces: names, corners and faces of each.
    #[staticmethod]
    fn of_meshes(name: String, meshes: Vec<(String, PyReadonlyArray2<'_, f64>, Vec<Vec<u32>>)>) -> PyResult<Self> {
        let mut model = Model::named(name);
        for (name, vertices, faces) in meshes {
            let solid = Polyhedron {
                vertices: points(&vertices),
                faces,
            };
            model.blocks.push(Block::new(name, Shape::from(solid)));
        }
        Self::sound(model)
    }

    /// The text of its file.
    fn text(&self) -> PyResult<String> {
        file::to_text(&self.model).map_err(|e| raised(&Failure::run(e)))
    }

    /// Writes it; the ending says what.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let model = Arc::clone(&self.model);
        let (done, _) = work(py, None, move |_| call::save(&model, &path))?;
        Ok(done)
    }

    /// The model after a change, and whether joints that were stored with it were dropped.
    fn edited(&self, change: &str) -> PyResult<(Self, bool)> {
        let change: Edit = serde_json::from_str(change).map_err(|e| InputError::new_err(e.to_string()))?;
        let edited = edit(&self.model, &change).map_err(|e| raised(&e))?;
        Ok((Self::sound(edited.model)?, edited.drops_joints))
    }

    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    /// Names of the blocks.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.model.blocks.iter().map(|b| b.name.as_str()).collect()
    }

    /// Groups of the blocks.
    #[getter]
    fn groups(&self) -> Vec<Option<&str>> {
        self.model.blocks.iter().map(|b| b.group.as_deref()).collect()
    }

    /// Which blocks are supports.
    #[getter]
    fn fixed<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let fixed: Vec<bool> = self.model.blocks.iter().map(|b| b.fixed).collect();
        fixed.into_pyarray(py)
    }

    /// Masses (kg), volumes (m³) and centres of mass (m) of the blocks.
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<[Bound<'py, PyAny>; 3]> {
        let of_blocks = || self.model.blocks.iter().map(|b| self.model.mass_of(b));
        let mass: Vec<f64> = of_blocks().map(|m| m.0).collect();
        let volume: Vec<f64> = of_blocks().map(|m| m.1.volume).collect();
        let centers = vectors(py, of_blocks().map(|m| m.1.centroid))?;
        Ok([
            mass.into_pyarray(py).into_any(),
            volume.into_pyarray(py).into_any(),
            centers.into_any(),
        ])
    }

    /// Corners and faces of a block.
    fn mesh<'py>(&self, py: Python<'py>, block: &str) -> PyResult<Surface<'py>> {
        let name = [block.to_string()];
        known_blocks(&self.model, &name).map_err(|e| raised(&e))?;
        let found = self.model.block(block).map(Block::polyhedron).unwrap_or_default();
        Ok((vectors(py, found.vertices)?, found.faces))
    }

    #[pyo3(signature = (options, progress=None))]
    fn check<'py>(&self, py: Python<'py>, options: Vec<String>, progress: Option<Py<PyAny>>) -> PyResult<Told<'py>> {
        let model = (*self.model).clone();
        let (checked, warnings) = work(py, progress, move |caller| call::check(model, &options, caller))?;
        let arrays = PyDict::new(py);
        let structure = &checked.subject.structure;
        add_points(py, &arrays, &checked.subject)?;
        for (k, answer) in checked.answers.iter().enumerate() {
            let own = PyDict::new(py);
            add_answer(py, &own, answer)?;
            if let Some(certificate) = &answer.certificate {
                let text = certificate.to_text().map_err(|e| raised(&Failure::run(e)))?;
                own.set_item("certificate", text)?;
            }
            arrays.set_item(format!("answer {k}"), own)?;
        }
        arrays.set_item("blocks", structure.names.clone())?;
        Ok((to_python(py, &checked.result)?, arrays, warnings))
    }

    #[pyo3(signature = (options, progress=None))]
    fn limit<'py>(&self, py: Python<'py>, options: Vec<String>, progress: Option<Py<PyAny>>) -> PyResult<Told<'py>> {
        let model = (*self.model).clone();
        let (limited, warnings) = work(py, progress, move |caller| call::limit(model, &options, caller))?;
        let arrays = PyDict::new(py);
        add_points(py, &arrays, &limited.subject)?;
        arrays.set_item("blocks", limited.subject.structure.names.clone())?;
        let bracket = &limited.answer.bracket;
        for (name, side) in [("lower", &bracket.lower), ("upper", &bracket.upper)] {
            let certificate = side.as_ref().and_then(|side| side.certificate.as_ref());
            arrays.set_item(format!("{name} certificate"), text_of(certificate)?)?;
        }
        Ok((to_python(py, &limited.result)?, arrays, warnings))
    }

    #[pyo3(signature = (options, progress=None))]
    fn tilt<'py>(&self, py: Python<'py>, options: Vec<String>, progress: Option<Py<PyAny>>) -> PyResult<Told<'py>> {
        let model = (*self.model).clone();
        let (tilted, warnings) = work(py, progress, move |caller| call::tilt(model, &options, caller))?;
        let arrays = PyDict::new(py);
        let bracket = &tilted.answer.bracket;
        for (name, side) in [("lower", &bracket.lower), ("upper", &bracket.upper)] {
            let certificate = side.as_ref().and_then(|side| side.certificate.as_ref());
            arrays.set_item(format!("{name} certificate"), text_of(certificate)?)?;
        }
        Ok((to_python(py, &tilted.result)?, arrays, warnings))
    }

    #[pyo3(signature = (options, progress=None))]
    fn settle<'py>(&self, py: Python<'py>, options: Vec<String>, progress: Option<Py<PyAny>>) -> PyResult<Told<'py>> {
        let model = (*self.model).clone();
        let ((settled, path), warnings) = work(py, progress, move |caller| {
            let mut path: Vec<[f64; 6]> = Vec::new();
            let watch = |reached: &Reached<'_>| {
                let point = reached.point;
                let (open, slip) = (reached.max_opening(), reached.max_slip());
                let [stage, gravity] = [point.stage as f64, point.gravity];
                path.push([stage, point.done, gravity, point.displacement, open, slip]);
            };
            let settled = call::settle(model, &options, caller, watch)?;
            Ok((settled, path))
        })?;
        let arrays = PyDict::new(py);
        arrays.set_item("path", rows(py, path.into_iter().flatten().collect(), 6)?)?;
        let frames = &settled.answer.frames;
        add_placements(py, &arrays, frames.iter().flatten(), settled.subject.structure.len())?;
        arrays.set_item("motions", twists(py, &settled.answer.motions)?)?;
        arrays.set_item("blocks", settled.subject.structure.names.clone())?;
        Ok((to_python(py, &settled.result)?, arrays, warnings))
    }

    #[pyo3(signature = (options, folder, progress=None))]
    fn simulate<'py>(
        &self,
        py: Python<'py>,
        options: Vec<String>,
        folder: PathBuf,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Told<'py>> {
        let model = Arc::clone(&self.model);
        let (filmed, warnings) = work(py, progress, move |caller| {
            call::simulate(&model, &options, &folder, caller)
        })?;
        film(py, filmed, &self.model, warnings)
    }

    fn contacts<'py>(&self, py: Python<'py>, options: Vec<String>) -> PyResult<Told<'py>> {
        let model = Arc::clone(&self.model);
        let (touching, warnings) = work(py, None, move |caller| call::contacts(&model, &options, caller))?;
        let arrays = PyDict::new(py);
        let joints = &touching.survey.joints;
        let pairs: Vec<u32> = joints.iter().flat_map(|j| j.blocks.map(|b| b as u32)).collect();
        arrays.set_item("pairs", rows(py, pairs, 2)?)?;
        arrays.set_item("areas", PyArray1::from_iter(py, joints.iter().map(|j| j.area)))?;
        arrays.set_item("normals", vectors(py, joints.iter().map(|j| j.normal))?)?;
        arrays.set_item("gaps", PyArray1::from_iter(py, joints.iter().map(|j| j.least_gap)))?;
        let outlines = joints.iter().map(|j| vectors(py, j.points.iter().copied()));
        arrays.set_item("outlines", outlines.collect::<PyResult<Vec<_>>>()?)?;
        arrays.set_item("blocks", self.names())?;
        Ok((to_python(py, &touching.result)?, arrays, warnings))
    }

    fn info(&self, py: Python<'_>, options: Vec<String>) -> PyResult<Py<PyAny>> {
        let model = Arc::clone(&self.model);
        let (found, _) = work(py, None, move |_| call::info(&model, &options))?;
        to_python(py, &found)
    }

    /// What the text of a certificate is worth.
    fn verify(&self, py: Python<'_>, certificate: &str) -> PyResult<Py<PyAny>> {
        let certificate: Certificate =
            serde_json::from_str(certificate).map_err(|e| InputError::new_err(format!("not a certificate: {e}")))?;
        let model = Arc::clone(&self.model);
        let (found, _) = work(py, None, move |_| Ok(call::verify(&model, &certificate)))?;
        to_python(py, &found)
    }
}

impl NativeModel {
    pub(crate) fn of(model: Model) -> Self {
        Self { model: Arc::new(model) }
    }

    /// Refuses a model that no file could hold.
    fn sound(model: Model) -> PyResult<Self> {
        let problems = check::problems(&model);
        let errors: Vec<String> = problems
            .iter()
            .filter(|p| p.is_error())
            .map(ToString::to_string)
            .collect();
        match errors.is_empty() {
            true => Ok(Self::of(model)),
            false => Err(InputError::new_err(errors.join("\n"))),
        }
    }
}

/// What comes back of a run of a model.
pub(crate) fn film<'py>(
    py: Python<'py>,
    filmed: call::Filmed,
    model: &Model,
    warnings: Vec<String>,
) -> PyResult<Told<'py>> {
    let arrays = PyDict::new(py);
    arrays.set_item("times", filmed.times.into_pyarray(py))?;
    add_placements(py, &arrays, filmed.placements.iter(), model.blocks.len())?;
    let columns = 1 + call::ENERGIES.len();
    arrays.set_item("steps", rows(py, filmed.steps.into_flattened(), columns)?)?;
    arrays.set_item("energies", call::ENERGIES.to_vec())?;
    let names: Vec<&str> = model.blocks.iter().map(|b| b.name.as_str()).collect();
    arrays.set_item("blocks", names)?;
    let summary = serde_json::to_value(&filmed.summary).map_err(|e| raised(&Failure::run(e)))?;
    Ok((to_python(py, &summary)?, arrays, warnings))
}

fn text_of(certificate: Option<&Certificate>) -> PyResult<Option<String>> {
    let text = certificate.map(Certificate::to_text).transpose();
    text.map_err(|e| raised(&Failure::run(e)))
}

/// Contact points of a structure.
fn add_points(py: Python<'_>, arrays: &Bound<'_, PyDict>, subject: &Subject) -> PyResult<()> {
    let points = &subject.structure.points;
    arrays.set_item("points", vectors(py, points.iter().map(|p| p.position))?)?;
    arrays.set_item("normals", vectors(py, points.iter().map(|p| p.normal))?)?;
    let pairs: Vec<u32> = points.iter().flat_map(|p| p.blocks).collect();
    arrays.set_item("pairs", rows(py, pairs, 2)?)?;
    let joints: Vec<u32> = points.iter().map(|p| p.joint).collect();
    arrays.set_item("joints", joints.into_pyarray(py))
}

/// Forces and motions of one method.
fn add_answer(py: Python<'_>, arrays: &Bound<'_, PyDict>, answer: &Answer) -> PyResult<()> {
    let Some(check) = &answer.check else { return Ok(()) };
    arrays.set_item("forces", vectors(py, check.forces.iter().copied())?)?;
    arrays.set_item("tensions", check.tensions.clone().into_pyarray(py))?;
    arrays.set_item("motions", twists(py, &check.motions)?)
}

/// Velocities and angular velocities, a row for each block.
fn twists<'py>(py: Python<'py>, all: &[Twist]) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers = all.iter().flat_map(|t| [t.linear.to_array(), t.angular.to_array()]);
    rows(py, numbers.flatten().collect(), 6)
}

/// Where blocks are, frame by frame: centres, and rotations as quaternions with the real part first.
fn add_placements<'a>(
    py: Python<'_>,
    arrays: &Bound<'_, PyDict>,
    placements: impl Iterator<Item = &'a drystone::contact::Placement> + Clone,
    blocks: usize,
) -> PyResult<()> {
    let frames = |columns: usize, all: Vec<f64>| {
        let count = all.len() / (columns * blocks.max(1));
        numpy::PyArrayMethods::reshape(&PyArray1::from_vec(py, all), [count, blocks, columns])
    };
    let centers = placements.clone().flat_map(|p| p.center.to_array());
    arrays.set_item("centers", frames(3, centers.collect())?)?;
    let rotations = placements.flat_map(|p| {
        let q = p.rotation;
        [q.w, q.x, q.y, q.z]
    });
    arrays.set_item("rotations", frames(4, rotations.collect())?)
}

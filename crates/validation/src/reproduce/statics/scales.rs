//! What must not depend on size and density: verdicts and critical tilts of paper 004's models.

use drystone_model::{MeshShape, Model, Shape};
use glam::DAffine3;

use super::{
    Allowed, Case, Context, Failure, Method, Outcome, Row, Solvers, absent, at_rest, published, structure, thresholds,
};
use drystone_mechanics::statics::{Loads, tilt};

pub(super) const CASE: Case = Case {
    name: "statics-scales",
    group: "statics",
    source: "004",
    summary: "the models of paper 004 at 1/1000 to 1000 times their size, light and heavy: the same verdicts and tilts",
    long: true,
    run,
};

/// Sizes, over that of the file.
const SIZES: [f64; 3] = [1.0, 1e-3, 1e3];
/// Densities (kg/m³).
const DENSITIES: [f64; 2] = [1.0, 1e5];
const METHODS: [Method; 3] = [Method::Cra, Method::Cone, Method::Rbe];
const FRICTION: f64 = 0.84;
/// How far critical tilts may lie apart (deg).
const APART: f64 = 0.01;
/// Files and their supports.
const MODELS: [(&str, &[&str]); 16] = [
    ("cubes", &["0"]),
    ("H", &["0", "1"]),
    ("A", &["0", "1"]),
    ("type-a", &["0", "1"]),
    ("type-b", &["0", "1"]),
    ("type-c", &["0", "1"]),
    ("type-d", &["0", "1"]),
    ("concave-short", &["0"]),
    ("concave-long", &["0"]),
    ("curve-3-blocks", &["0"]),
    ("cube-curve-short", &["0"]),
    ("cube-curve-tall", &["0"]),
    ("shelf", &["0"]),
    ("shelf-stable", &["0"]),
    ("bridge", &["0", "1"]),
    ("armadillo_cra", &[]),
];

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let mut solvers = Solvers::default();
    for (name, supports) in MODELS {
        let Some(model) = published(name, supports, FRICTION)? else {
            outcome.rows.push(absent(name));
            continue;
        };
        outcome.rows.push(verdicts(name, &model, &mut solvers)?);
    }
    let (thresholds, _) = thresholds::all()?;
    for threshold in thresholds.iter().filter(|t| t.table > 1) {
        let mut angles = Vec::new();
        for model in scaled(&threshold.model).take(context.pick(usize::MAX, 3)) {
            let subject = structure(&model)?.with_friction(threshold.friction);
            let found = tilt(
                &subject,
                &Loads::none(&subject),
                threshold.axis,
                Method::Cra,
                &mut solvers.plain,
            )
            .map_err(Failure::run)?;
            angles.push(found.lower.unwrap_or(0.0).to_degrees());
        }
        let most = angles.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = angles.iter().copied().fold(f64::INFINITY, f64::min);
        let quantity = format!("{}: critical tilts lie apart by (deg)", threshold.name);
        let row = Row::figure(quantity, 0.0, most - least, Allowed::Within(APART));
        outcome.rows.push(row.note(format!("{least:.3} to {most:.3}")));
    }
    outcome.rows.push(solvers.certificates());
    Ok(outcome)
}

/// How many verdicts differ from those of the first scale.
fn verdicts(name: &str, model: &Model, solvers: &mut Solvers) -> Result<Row, Failure> {
    let mut seen: Vec<[&str; 3]> = Vec::new();
    for model in scaled(model) {
        let subject = structure(&model)?;
        let mut found = [""; 3];
        for (verdict, method) in found.iter_mut().zip(METHODS) {
            *verdict = at_rest(&subject, method, solvers)?.verdict.name();
        }
        seen.push(found);
    }
    let first = seen.first().copied().unwrap_or_default();
    let differ = seen.iter().flatten().zip(std::iter::repeat(first).flatten());
    let count = differ.filter(|(a, b)| *a != b).count();
    let row = Row::figure(
        format!("{name}, mu {FRICTION}: verdicts that differ between scales"),
        0.0,
        count as f64,
        Allowed::Within(0.0),
    );
    Ok(row.note(format!("cra, cone, rbe: {}", first.join(", "))))
}

/// The model at every size and density.
fn scaled(model: &Model) -> impl Iterator<Item = Model> + '_ {
    let pairs = SIZES.into_iter().flat_map(|s| DENSITIES.map(|d| (s, d)));
    pairs.map(|(size, density)| at_scale(model, size, density))
}

/// The model with every length times a size, and every block of one density.
fn at_scale(model: &Model, size: f64, density: f64) -> Model {
    let mut scaled = model.clone();
    scaled.density = density;
    let by = DAffine3::from_scale(glam::DVec3::splat(size));
    for (block, old) in scaled.blocks.iter_mut().zip(&model.blocks) {
        let map = by * old.pose.map().unwrap_or(DAffine3::IDENTITY);
        let solid = old.shape.polyhedron();
        let parts = match &old.shape {
            Shape::Mesh(mesh) => mesh.parts.clone(),
            _ => Vec::new(),
        };
        block.shape = Shape::Mesh(MeshShape {
            vertices: solid.vertices.iter().map(|&v| map.transform_point3(v)).collect(),
            faces: solid.faces,
            parts: parts
                .into_iter()
                .map(|part| part.into_iter().map(|v| map.transform_point3(v)).collect())
                .collect(),
        });
        block.pose = Default::default();
        (block.density, block.mass, block.material) = (None, None, None);
    }
    for interface in &mut scaled.interfaces {
        interface.points.iter_mut().for_each(|p| *p *= size);
        interface.frame.point *= size;
        interface.area = interface.area.map(|a| a * size * size);
    }
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::drive;

    #[test]
    fn mass_goes_with_the_cube_of_size() {
        let model = drive::build("model-h", &[]).unwrap();
        let mass = |m: &Model| m.free_blocks().map(|b| m.mass_of(b).0).sum::<f64>();
        let [one, large] = [1.0, 10.0].map(|size| mass(&at_scale(&model, size, 7.0)));
        let volume: f64 = model.free_blocks().map(|b| b.polyhedron().volume()).sum();
        assert!((one / (7.0 * volume) - 1.0).abs() < 1e-12);
        assert!((large / (1e3 * one) - 1.0).abs() < 1e-12);
    }
}

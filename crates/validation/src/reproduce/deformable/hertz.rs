//! A prism of 64 facets pressed on a block: Hertz's contact of a cylinder, by facets.

use std::f64::consts::PI;

use drystone_mechanics::slow::{PathEnd, PathWay};
use drystone_model::{Block, BodyForce, LoadCase, Model, Shape, geometry::convex_hull};
use drystone_output::plot::{Panel, Plot};
use glam::{DVec3, dvec3};

use super::{Allowed, Case, Context, DENSITY, Failure, Outcome, POISSON, Row, YOUNG, elastic, entry, followed, short};
use crate::reproduce::slow::load;

pub(super) const CASE: Case = Case {
    name: "hertz",
    group: "deformable",
    source: "Hertz; scikit-fem",
    summary: "a prism of 64 facets pressed on a block: mean pressure of its facets",
    long: true,
    run,
};

const FACETS: usize = 64;
const WIDTH: f64 = 0.3;
/// Hexahedra of the block, and their length (m).
pub(super) const BLOCK: [usize; 3] = [48, 1, 16];
const ELEMENT: f64 = 2.0 / BLOCK[0] as f64;

/// Plane strain, frictionless, 16 quadratic triangles along a facet, by scikit-fem (peers/hertz.py): force (N), and mean pressure
/// (MPa) of the facet below and of the two after it.
pub(super) const PLANE: [(f64, [f64; 3]); 3] = [
    (27_447_848.66, [768.5, 82.3, 0.0]),
    (76_244_024.06, [1567.5, 513.7, 0.0]),
    (171_549_054.1, [2384.1, 1679.6, 51.1]),
];

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut rows = Vec::new();
    let mut panel = Panel::new("from the middle (m)", "pressure (MPa)");
    for (force, reference) in PLANE {
        let found = pressed(force, BLOCK, context.pick("T10x2", "T10"))?;
        rows.extend(found.rows(force, reference));
        panel = panel.markers(format!("{} MN", short(1e-6 * force)), found.points.clone());
        let (a, p0) = hertz(force);
        let exact = (0..=100)
            .map(|k| a * f64::from(k) / 100.0)
            .map(|x| [x, 1e-6 * p0 * (1.0 - (x / a).powi(2)).max(0.0).sqrt()]);
        panel = panel.reference(format!("Hertz, {} MN", short(1e-6 * force)), exact.collect());
    }
    let plot = Plot::new()
        .title("A prism of 64 facets on a block: mean pressure of facets")
        .panel(panel);
    Ok(Outcome {
        rows,
        plots: vec![("hertz".to_string(), plot)],
    })
}

/// Half the width of the contact (m) and the largest pressure (Pa) of a cylinder.
fn hertz(force: f64) -> (f64, f64) {
    let modulus = 0.5 * YOUNG / (1.0 - POISSON * POISSON);
    let a = (4.0 * force / (PI * WIDTH * modulus)).sqrt();
    (a, 2.0 * force / (PI * a * WIDTH))
}

/// Mean pressure of a cylinder of Hertz between two places (Pa).
fn hertz_mean(force: f64, from: f64, to: f64) -> f64 {
    let (a, p0) = hertz(force);
    let whole = |x: f64| {
        let s = (x / a).clamp(-1.0, 1.0);
        0.5 * a * p0 * (s * (1.0 - s * s).sqrt() + s.asin())
    };
    (whole(to) - whole(from)) / (to - from)
}

pub(super) struct Pressed {
    facets: [f64; 3],
    total: f64,
    points: Vec<[f64; 2]>,
    end: PathEnd,
}

/// Without Poisson's effect, and with the modulus of plane strain, so that nothing depends on the width: the plane reference with these two
/// constants differs from that of the stone by less than 0.1 %.
fn model(force: f64, block: [usize; 3], prism: &str) -> Result<Model, Failure> {
    let angle = |k: usize| 2.0 * PI * (k as f64 + 0.5) / FACETS as f64 - 0.5 * PI;
    let apothem = (PI / FACETS as f64).cos();
    let points: Vec<DVec3> = (0..FACETS)
        .flat_map(|k| [-0.5, 0.5].map(|y| dvec3(angle(k).cos(), y * WIDTH, apothem + angle(k).sin())))
        .collect();
    let mut model = Model::named("hertz");
    model.density = DENSITY;
    model.joints.set_friction(0.0);
    let ground = Shape::cuboid(dvec3(-2.0, -1.0, -2.0), dvec3(2.0, 1.0, -1.0));
    let low = Shape::cuboid(dvec3(-1.0, -0.5 * WIDTH, -1.0), dvec3(1.0, 0.5 * WIDTH, 0.0));
    let round = Shape::from(convex_hull(&points, 1e-9).map_err(Failure::run)?);
    model.blocks = vec![
        Block::new("ground", ground).fixed(),
        Block::new("block", low),
        Block::new("prism", round).in_group("pressed"),
    ];
    let [x, y, z] = block;
    let mut model = elastic(
        model,
        &format!("H8x{x}x{y}x{z}"),
        [YOUNG / (1.0 - POISSON * POISSON), 0.0],
    )?;
    model.deformable.push(entry(&format!("prism:{prism}"))?);
    let mass = model.mass_of(&model.blocks[2]).0;
    let body = BodyForce {
        acceleration: -(force / mass) * DVec3::Z,
        groups: vec!["pressed".to_string()],
    };
    let case = LoadCase {
        body: vec![body],
        ..LoadCase::default()
    };
    model.load_cases.insert("press".to_string(), case);
    Ok(model)
}

pub(super) fn pressed(force: f64, block: [usize; 3], prism: &str) -> Result<Pressed, Failure> {
    let model = model(force, block, prism)?;
    let (path, end) = followed(&model, vec![load("press", 1.0, 1)], PathWay::Equilibria)?;
    let (mut facets, mut total) = ([0.0; 3], 0.0);
    let places: Vec<f64> = (0..4)
        .map(|k| ((2 * k - 1) as f64 * PI / FACETS as f64).sin())
        .collect();
    for contact in path.simulation().contact_forces() {
        if contact.blocks.contains(&2) {
            let up = if contact.blocks[1] == 2 {
                contact.force.z
            } else {
                -contact.force.z
            };
            total += up;
            // A node of an edge has half of its force from either facet.
            let x = contact.point.x.abs();
            for (k, facet) in facets.iter_mut().enumerate() {
                let (from, to) = (places[k], places[k + 1]);
                let part = match (x - from).abs().min((x - to).abs()) < 1e-3 * (to - from) {
                    true => 0.5,
                    false => f64::from(u8::from(x > from && x < to)),
                };
                // The others are there twice.
                *facet += if k == 0 { part * up } else { 0.5 * part * up };
            }
        }
    }
    let mean = |k: usize| facets[k] / ((places[k + 1] - places[k]) * WIDTH);
    let points = (0..3)
        .map(|k| [0.5 * (places[k + 1] + places[k]), 1e-6 * mean(k)])
        .collect();
    Ok(Pressed {
        facets: [mean(0), mean(1), mean(2)],
        total,
        points,
        end,
    })
}

impl Pressed {
    pub(super) fn rows(&self, force: f64, reference: [f64; 3]) -> Vec<Row> {
        let place = |k: usize| ((2.0 * k as f64 - 1.0) * PI / FACETS as f64).sin();
        let name = format!("{} MN", short(1e-6 * force));
        let mut rows = vec![
            Row::figure(
                format!("{name}: force between them over the load"),
                1.0,
                self.total / force,
                Allowed::Within(1e-3),
            )
            .note(format!("{:?}", self.end)),
        ];
        for (k, (found, exact)) in self
            .facets
            .iter()
            .zip(reference)
            .enumerate()
            .filter(|(_, (_, e))| *e > 0.0)
        {
            let by_hertz = 1e-6 * hertz_mean(force, place(k), place(k + 1));
            let row = Row::figure(
                format!("{name}: facet {k} (MPa)"),
                exact,
                1e-6 * found,
                Allowed::Part(0.1),
            );
            let row = row.note(format!("Hertz {}", short(by_hertz)));
            // The contact must be some elements wide, and what is left at its edge is a matter of less than one.
            rows.push(match (hertz(force).0 < 2.0 * ELEMENT, k) {
                (true, _) => row
                    .note(format!(
                        "half a contact is {} mm wide, too narrow for elements of {} mm",
                        short(1e3 * hertz(force).0),
                        short(1e3 * ELEMENT)
                    ))
                    .unjudged(),
                (false, 2) => row.unjudged(),
                _ => row,
            });
        }
        rows
    }
}

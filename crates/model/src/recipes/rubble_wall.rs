//! A wall of irregular stones that fit each other: the cells around scattered points, nearest in a metric that keeps the
//! beds flat.
//!
//! Points lie in rows, staggered by half a stone from row to row and jittered. A stone is what lies nearer to its point
//! than to any other: convex, with plane faces that it shares with its neighbours, and together the stones fill the wall.
//! Distances along the wall and through it count less than those upwards, `|M (x - p)|` with `M` diagonal, which tilts the
//! faces between rows towards the level: between points `(dx, dz)` apart the face rises by `Mx² dx / dz`.

use glam::DVec3;

use super::{Recipe, RecipeError, above, block_count::within_limit, masonry::ground, parameters};
use crate::{
    Block, JointSearch, Joints, Model,
    geometry::{Plane, Polyhedron, clip},
    random::Random,
};

pub(super) const RECIPE: Recipe = Recipe {
    name: "rubble-wall",
    summary: "A wall of irregular stones, fitted dry or with mortar gaps",
    notes: "This program's own. Stones are convex polyhedra with the plane faces they share, laid in staggered rows; \
            together they fill the wall. The same seed gives the same wall. With `--mortar` every stone is cut back so \
            that faces that met lie that far apart, as stones do that were surveyed in a wall; the model \
            says that faces that far apart are joined. Lengths and heights of stones are stretched to fill \
            the wall, and `--leaves` of two or more alternate with one more from row to row, for bond through the \
            thickness.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        length: f64 = 3.0, in 1e-3..=1e4, "m", "Length, along x";
        height: f64 = 1.8, in 1e-3..=1e3, "m", "Height";
        thickness: f64 = 0.45, in 1e-3..=1e3, "m", "Thickness, along y";
        stone_length: f64 = 0.4, in 1e-3..=1e3, "m", "Mean length of a stone";
        stone_height: f64 = 0.25, in 1e-3..=1e3, "m", "Mean height of a row of stones";
        leaves: usize = 1, in 1..=1000, "", "Stones through the thickness";
        irregularity: f64 = 0.5, in 0.0..=1.0, "", "How much stones differ (0: all alike)";
        seed: usize = 1, in 0..=1_000_000_000, "", "Which of the walls of that irregularity",
            needs [above("irregularity", 0.0)];
        mortar: f64 = 0.0, in 0.0..=10.0, "m", "Gap between stones, and between stones and ground (0: faces meet)";
        density: f64 = 2400.0, in 1e-6..=1e6, "kg/m3", "Density of the blocks";
        friction: f64 = 0.6, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

/// Distance up to which faces are joined, over the thickness of the mortar: a little above what is drawn.
const MORTAR_JOINED: f64 = 1.01;
/// Rise of the face between staggered points of a regular wall: 10 degrees.
const BED_SLOPE: f64 = 0.176;

fn build(p: &Params) -> Result<Model, RecipeError> {
    let rows = (p.height / p.stone_height).round().max(1.0);
    let along = (p.length / p.stone_length).round().max(1.0);
    within_limit(
        rows * (along + 1.0) * (p.leaves as f64 + 1.0),
        "Make the stones larger, the wall smaller, or lower --leaves.",
    )?;
    let scatter = Scatter::new(p, rows as usize, along as usize);
    let foot = DVec3::new(-0.5 * p.length, -0.5 * p.thickness, p.mortar);
    let head = DVec3::new(0.5 * p.length, 0.5 * p.thickness, p.height);
    if p.mortar >= p.height {
        return Err(too_thick(p));
    }
    let wall = Polyhedron::cuboid(foot, head);
    let margin = p.thickness.max(p.stone_length);
    let mut model = Model::named("rubble-wall");
    model.density = p.density;
    model.joints = Joints::uniform(p.friction);
    let (x, y) = ((foot.x - margin, head.x + margin), (foot.y - margin, head.y + margin));
    model.blocks.push(ground("ground", x, y, margin));
    for stone in 0..scatter.points.len() {
        let shape = scatter.cell(stone, &wall, p.mortar).ok_or_else(|| too_thick(p))?;
        model
            .blocks
            .push(Block::new(format!("stone-{}", stone + 1), shape).in_group("wall"));
    }
    if p.mortar > 0.0 {
        model.joint_search = Some(JointSearch {
            distance: MORTAR_JOINED * p.mortar,
            angle_deg: JointSearch::DEFAULT_ANGLE_DEG,
            precision: 0.0,
            source: None,
        });
    }
    Ok(model)
}

fn too_thick(p: &Params) -> RecipeError {
    RecipeError::conflict(format!(
        "--mortar {}: nothing would be left of the smallest stone; give thinner mortar, larger stones, or a lower \
         --irregularity",
        p.mortar
    ))
}

/// A point and its place in the rows, in units of stones.
struct Point {
    at: DVec3,
    lattice: [f64; 3],
}

/// The points around which stones lie.
struct Scatter {
    points: Vec<Point>,
    /// First point of each row, and one past the last.
    rows: Vec<usize>,
    /// Squares of the diagonal of M.
    metric: DVec3,
}

impl Scatter {
    fn new(p: &Params, rows: usize, along: usize) -> Self {
        let mean = DVec3::new(
            p.length / along as f64,
            p.thickness / p.leaves as f64,
            p.height / rows as f64,
        );
        let mut random = Random::new(p.seed as u64);
        let mut jitter = |amplitude: f64| p.irregularity * amplitude * random.between_minus_one_and_one();
        let mut scatter = Self {
            points: Vec::new(),
            rows: vec![0],
            metric: DVec3::new(
                2.0 * BED_SLOPE * mean.z / mean.x,
                (2.0 * BED_SLOPE * mean.z / mean.y).min(1.0),
                1.0,
            ),
        };
        for row in 0..rows {
            let staggered = row % 2 == 1;
            let level = row as f64 + 0.5 + jitter(0.2);
            for leaf in places(p.leaves, staggered && p.leaves > 1) {
                for place in places(along, staggered) {
                    let lattice = [place, leaf, row as f64];
                    // Heights within a row differ little: the faces between its stones would lean far.
                    let shift = DVec3::new(jitter(0.25), jitter(0.1), jitter(0.06));
                    let corner = DVec3::new(-0.5 * p.length, -0.5 * p.thickness, 0.0);
                    let at = corner + mean * (DVec3::new(place, leaf, level) + shift);
                    scatter.points.push(Point { at, lattice });
                }
            }
            scatter.rows.push(scatter.points.len());
        }
        scatter
    }

    /// The stone around a point, cut back by half the mortar from each of its neighbours.
    fn cell(&self, stone: usize, wall: &Polyhedron, mortar: f64) -> Option<Polyhedron> {
        let me = &self.points[stone];
        let distance = |at: DVec3| ((at - me.at) * (at - me.at)).dot(self.metric).sqrt();
        let mut others: Vec<(f64, usize)> = self
            .around(me)
            .filter(|&other| other != stone)
            .map(|other| (distance(self.points[other].at), other))
            .collect();
        others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let tolerance = 1e-10 * wall.bounds().size().min_element().min(self.smallest());
        let mut cell = wall.clone();
        for (away, other) in others {
            let reach = cell.vertices.iter().map(|&v| distance(v)).fold(0.0, f64::max);
            // No point of the cell is nearer to this neighbour, or to any that follow. M shortens lengths.
            if away > 2.0 * (reach + mortar) {
                break;
            }
            let between = self.points[other].at - me.at;
            let mut plane = Plane::through(0.5 * (self.points[other].at + me.at), self.metric * between);
            plane.offset -= 0.5 * mortar;
            cell = clip(&cell, &plane, tolerance)?;
        }
        Some(cell)
    }

    fn smallest(&self) -> f64 {
        let first = &self.points[0].at;
        let nearest = self.points.iter().skip(1).map(|p| p.at.distance(*first));
        nearest.fold(f64::INFINITY, f64::min)
    }

    /// The points whose cells can be neighbours: those a few stones away.
    fn around<'a>(&'a self, me: &'a Point) -> impl Iterator<Item = usize> + 'a {
        let [x, y, row] = me.lattice;
        let rows = (row as usize).saturating_sub(3)..(row as usize + 4).min(self.rows.len() - 1);
        rows.flat_map(|r| self.rows[r]..self.rows[r + 1]).filter(move |&k| {
            let [u, v, _] = self.points[k].lattice;
            (u - x).abs() <= 3.6 && (v - y).abs() <= 3.6
        })
    }
}

/// Middles of so many stones in a row, in units of stones; staggered ones begin and end with a half.
fn places(stones: usize, staggered: bool) -> Vec<f64> {
    if staggered {
        (0..=stones).map(|k| k as f64).collect()
    } else {
        (0..stones).map(|k| k as f64 + 0.5).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::soundness::{assert_sound, built, free_volume};
    use crate::{
        check,
        geometry::{Polyhedron, separation},
        recipes::find,
    };

    #[test]
    fn stones_are_convex_and_fill_the_wall_at_any_irregularity_and_scale() {
        for (arguments, volume) in [
            ("", 3.0 * 1.8 * 0.45),
            ("--irregularity 0", 3.0 * 1.8 * 0.45),
            ("--irregularity 1 --seed 7", 3.0 * 1.8 * 0.45),
            ("--leaves 3 --thickness 0.9 --irregularity 0.8", 3.0 * 1.8 * 0.9),
            (
                "--length 0.003 --height 0.002 --thickness 0.001 --stone-length 0.001 --stone-height 0.001",
                6e-9,
            ),
            (
                "--length 60 --height 20 --thickness 6 --stone-length 7 --stone-height 3 --leaves 2",
                7200.0,
            ),
            ("--length 1 --height 0.2 --stone-length 2", 0.09),
        ] {
            let model = built("rubble-wall", arguments);
            assert_sound(&model);
            assert!((free_volume(&model) / volume - 1.0).abs() < 1e-9, "{arguments}");
            for block in model.free_blocks() {
                let solid = block.polyhedron();
                assert!(
                    solid.is_convex(1e-9 * solid.bounds().diagonal()),
                    "{arguments}: {}",
                    block.name
                );
            }
        }
    }

    #[test]
    fn a_seed_gives_one_wall_and_another_seed_another() {
        assert_eq!(built("rubble-wall", "--seed 3"), built("rubble-wall", "--seed 3"));
        assert_ne!(built("rubble-wall", "--seed 3"), built("rubble-wall", "--seed 4"));
    }

    #[test]
    fn faces_that_met_lie_apart_by_the_mortar() {
        let gap = 0.015;
        let (dry, mortared) = (built("rubble-wall", ""), built("rubble-wall", "--mortar 0.015"));
        assert_sound(&mortared);
        assert_eq!(dry.blocks.len(), mortared.blocks.len());
        let solids: Vec<Polyhedron> = mortared.blocks.iter().map(|b| b.polyhedron()).collect();
        let touching = check::neighbours(&dry).unwrap();
        assert!(touching.len() > 2 * dry.blocks.len());
        let mut exact = 0;
        for pair in &touching {
            let [a, b] = pair.blocks;
            let apart = separation(&solids[a], &solids[b], f64::INFINITY);
            // Stones that met in an edge or a corner lie further apart.
            assert!(apart > gap - 1e-12, "{apart}");
            exact += usize::from((apart - gap).abs() < 1e-12);
        }
        assert!(exact > touching.len() / 2, "{exact} of {}", touching.len());
        assert!(check::neighbours(&mortared).unwrap().is_empty());
    }

    #[test]
    fn mortar_that_leaves_nothing_of_a_stone_is_refused() {
        for mortar in ["0.3", "9"] {
            let values = [("mortar".to_string(), mortar.to_string())];
            let message = find("rubble-wall").unwrap().build(&values).unwrap_err().to_string();
            assert!(message.contains("thinner mortar"), "{message}");
        }
    }
}

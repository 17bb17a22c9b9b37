//! A column of drums, or a row of them under an architrave.

use std::f64::consts::TAU;

use glam::DVec3;

use super::{Recipe, RecipeError, above, block_count::within_limit, one_of, parameters};
use crate::{Block, Model, Shape, geometry::Polyhedron};

pub(super) const RECIPE: Recipe = Recipe {
    name: "column",
    summary: "A column of drums with a capital, or a colonnade: several columns under an architrave",
    notes: "Proportions of a small Doric order, chosen here. Drums are prisms over regular polygons whose corners lie on \
            the given radii; from the bottom to the top of the shaft the radius changes linearly, so their sides stay \
            planar. Base and capital are square slabs (plinth and abacus), left out at a height of 0. Two or more \
            columns carry architrave blocks that meet over the columns' axes; the outer ones reach to the outer edge \
            of the last capital.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        columns: usize = 1, in 1..=10_000, "", "Number of columns in a row along x";
        spacing: f64 = 2.5, in 1e-3..=1e4, "m", "Distance between the axes of columns", needs [above("columns", 1.0)];
        drums: usize = 6, in 1..=10_000, "", "Number of drums in a column";
        sides: usize = 20, in 3..=200, "", "Number of sides of a drum";
        shaft_height: f64 = 5.0, in 1e-3..=1e4, "m", "Height of the drums together";
        bottom_radius: f64 = 0.5, in 1e-3..=1e3, "m", "Radius of the lowest drum at its foot";
        top_radius: f64 = 0.4, in 1e-3..=1e3, "m", "Radius of the highest drum at its head";
        base_height: f64 = 0.0, in 0.0..=1e3, "m", "Height of the square base under the drums (0: none)";
        base_width: f64 = 1.2, in 1e-3..=1e3, "m", "Side of the base", needs [above("base-height", 0.0)];
        capital_height: f64 = 0.25, in 0.0..=1e3, "m", "Height of the square capital on the drums (0: none)";
        capital_width: f64 = 1.1, in 1e-3..=1e3, "m", "Side of the capital", needs [above("capital-height", 0.0)];
        entablature: bool = true, in .., "", "Whether two or more columns carry an architrave",
            needs [above("columns", 1.0)];
        architrave_height: f64 = 0.6, in 1e-3..=1e3, "m", "Height of the architrave",
            needs [above("columns", 1.0), one_of("entablature", &["true"])];
        architrave_depth: f64 = 0.7, in 1e-3..=1e3, "m", "Size of the architrave along y",
            needs [above("columns", 1.0), one_of("entablature", &["true"])];
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    within_limit(p.columns as f64 * (p.drums as f64 + 3.0), "Lower --columns or --drums.")?;
    let widest = p.widest();
    if p.columns > 1 && p.spacing < widest {
        return Err(RecipeError::conflict(format!(
            "--spacing {}: the columns are {widest} m wide and would overlap; give at least that",
            p.spacing
        )));
    }
    let mut model = Model::named("column");
    let half_row = 0.5 * (p.columns - 1) as f64 * p.spacing;
    model.blocks.push(ground(p, half_row));
    for c in 0..p.columns {
        let axis = c as f64 * p.spacing - half_row;
        let prefix = match p.columns {
            1 => String::new(),
            _ => format!("column-{}-", c + 1),
        };
        column(&mut model, p, axis, &prefix);
    }
    if p.columns > 1 && p.entablature {
        architraves(&mut model, p, half_row);
    }
    Ok(model)
}

impl Params {
    fn widest(&self) -> f64 {
        let slab = |height: f64, width: f64| if height > 0.0 { width } else { 0.0 };
        (2.0 * self.bottom_radius.max(self.top_radius))
            .max(slab(self.base_height, self.base_width))
            .max(slab(self.capital_height, self.capital_width))
    }

    /// Width along x of what the architrave lies on.
    fn head_width(&self) -> f64 {
        if self.capital_height > 0.0 {
            self.capital_width
        } else {
            2.0 * self.top_radius
        }
    }
}

fn ground(p: &Params, half_row: f64) -> Block {
    let reach = p.widest().max(p.architrave_depth);
    let low = DVec3::new(-half_row - reach, -reach, -0.5 * reach);
    let high = DVec3::new(half_row + reach, reach, 0.0);
    Block::new("ground", Shape::cuboid(low, high))
        .fixed()
        .in_group("ground")
}

fn column(model: &mut Model, p: &Params, axis: f64, prefix: &str) {
    let slab = |width: f64, z0: f64, height: f64| {
        let half = 0.5 * width;
        Shape::cuboid(
            DVec3::new(axis - half, -half, z0),
            DVec3::new(axis + half, half, z0 + height),
        )
    };
    let mut push = |name: String, group: &str, shape: Shape| {
        model
            .blocks
            .push(Block::new(format!("{prefix}{name}"), shape).in_group(group));
    };
    if p.base_height > 0.0 {
        push("base".into(), "bases", slab(p.base_width, 0.0, p.base_height));
    }
    let ring = |level: usize| {
        let up = level as f64 / p.drums as f64;
        let radius = p.bottom_radius + up * (p.top_radius - p.bottom_radius);
        polygon(axis, p.base_height + up * p.shaft_height, radius, p.sides)
    };
    for d in 0..p.drums {
        let drum = Polyhedron::lofted(&ring(d), &ring(d + 1));
        push(format!("drum-{}", d + 1), "drums", drum.into());
    }
    if p.capital_height > 0.0 {
        let z = p.base_height + p.shaft_height;
        push("capital".into(), "capitals", slab(p.capital_width, z, p.capital_height));
    }
}

/// A level regular polygon around a column's axis, with two sides across y when the number of sides is a multiple of 4.
fn polygon(axis: f64, z: f64, radius: f64, sides: usize) -> Vec<DVec3> {
    let corner = |k: usize| {
        let (sin, cos) = ((k as f64 + 0.5) * TAU / sides as f64).sin_cos();
        DVec3::new(axis + radius * cos, radius * sin, z)
    };
    (0..sides).map(corner).collect()
}

fn architraves(model: &mut Model, p: &Params, half_row: f64) {
    let z = p.base_height + p.shaft_height + p.capital_height;
    let axis = |c: usize| c as f64 * p.spacing - half_row;
    let end = 0.5 * p.head_width();
    for span in 1..p.columns {
        let left = axis(span - 1) - if span == 1 { end } else { 0.0 };
        let right = axis(span) + if span + 1 == p.columns { end } else { 0.0 };
        let shape = Shape::cuboid(
            DVec3::new(left, -0.5 * p.architrave_depth, z),
            DVec3::new(right, 0.5 * p.architrave_depth, z + p.architrave_height),
        );
        let block = Block::new(format!("architrave-{span}"), shape);
        model.blocks.push(block.in_group("architrave"));
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::super::soundness::{assert_sound, built, free_volume};
    use crate::recipes::find;

    #[test]
    fn columns_stand_without_gaps_or_overlaps() {
        for arguments in [
            "",
            "--columns 4",
            "--columns 3 --entablature false --base-height 0.3 --sides 8",
            "--drums 1 --sides 3 --capital-height 0",
            "--top-radius 0.7 --sides 7 --columns 2 --spacing 1.4",
        ] {
            let model = built("column", arguments);
            assert_sound(&model);
            // Each column is a chain from the ground up, and each architrave joins two heads; architraves touch.
            let (touching, blocks) = (crate::check::neighbours(&model).unwrap().len(), model.blocks.len());
            assert!(
                touching >= blocks - 1,
                "{arguments}: {touching} contacts of {blocks} blocks"
            );
        }
    }

    #[test]
    fn four_columns_of_six_drums_with_capitals_carry_three_architraves() {
        assert_eq!(built("column", "").blocks.len(), 1 + 6 + 1);
        assert_eq!(built("column", "--columns 4").blocks.len(), 1 + 4 * 7 + 3);
        assert_eq!(
            built("column", "--columns 4 --entablature false").blocks.len(),
            1 + 4 * 7
        );
    }

    #[test]
    fn the_shaft_is_a_frustum_over_a_regular_polygon() {
        let n = 10.0;
        let area = |r: f64| 0.5 * n * r * r * (TAU / n).sin();
        let (a, b) = (area(0.6), area(0.45));
        let frustum = 4.0 / 3.0 * (a + b + (a * b).sqrt());
        let model = built(
            "column",
            "--sides 10 --bottom-radius 0.6 --top-radius 0.45 --shaft-height 4 --capital-height 0 --drums 9",
        );
        assert!((free_volume(&model) - frustum).abs() < 1e-12 * frustum);
    }

    #[test]
    fn columns_that_would_overlap_are_refused() {
        let values = [("columns", "2"), ("spacing", "1")].map(|(k, v)| (k.to_string(), v.to_string()));
        let message = find("column").unwrap().build(&values).unwrap_err().to_string();
        assert!(message.contains("would overlap"), "{message}");
    }
}

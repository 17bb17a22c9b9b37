//! A wall whose base is unsupported in its middle: Beatini, Royer-Carfagni and Tasora (2017), section 3.2, figure 9.

use super::{
    Recipe, RecipeError,
    masonry::{Masonry, Panel, Run, Wall, beds, ground},
    parameters,
};
use crate::{Joints, Model};

pub(super) const RECIPE: Recipe = Recipe {
    name: "natural-arch-wall",
    summary: "A wall in running bond over a gap: a triangle falls, a natural arch stays",
    notes: "Beatini, Royer-Carfagni and Tasora (2017), section 3.2, figure 9: the bond of the spandrel arch (16.2 x \
            5.0 x 0.8 m, units of 0.6 x 0.5 m, density 1800 kg/m3, friction 0.4) as a plain wall, unsupported over \
            the span of that arch, 7.6 m. Two fixed blocks, `ground-left` and `ground-right`, end at the gap; stones \
            over its edges are partly supported, since the paper's gap is no whole number of units.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        length: f64 = 16.2, in 1e-3..=1e4, "m", "Length, along x";
        height: f64 = 5.0, in 1e-3..=1e3, "m", "Height";
        thickness: f64 = 0.8, in 1e-3..=1e3, "m", "Thickness, along y";
        unit_length: f64 = 0.6, in 1e-3..=1e3, "m", "Length of a unit";
        unit_height: f64 = 0.5, in 1e-3..=1e3, "m", "Height of a course";
        gap: f64 = 7.6, in 1e-3..=1e4, "m", "Width of the unsupported part, in the middle";
        density: f64 = 1800.0, in 1e-6..=1e6, "kg/m3", "Density of the blocks";
        friction: f64 = 0.4, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let (half, edge) = (0.5 * p.length, 0.5 * p.gap);
    if edge >= half {
        return Err(RecipeError::conflict(format!(
            "--gap {}: nothing of the base is left to support a wall of {} m; make the gap narrower than the wall",
            p.gap, p.length
        )));
    }
    let beds = beds(&[p.height], p.unit_height)?;
    let faces = (-0.5 * p.thickness, 0.5 * p.thickness);
    let panel = Panel::straight("wall", 0..beds.len() - 1, (-half, half));
    let masonry = Masonry {
        beds,
        unit: p.unit_length,
        walls: vec![Wall::new("wall", Run::AlongX, faces, vec![panel])],
    };
    let margin = p.thickness.max(p.unit_length);
    let y = (faces.0 - margin, faces.1 + margin);
    let mut model = Model::named("natural-arch-wall");
    model.density = p.density;
    model.joints = Joints::uniform(p.friction);
    model
        .blocks
        .push(ground("ground-left", (-half - margin, -edge), y, margin));
    model
        .blocks
        .push(ground("ground-right", (edge, half + margin), y, margin));
    model.blocks.extend(masonry.lay()?);
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::super::soundness::{assert_sound, built, free_volume};

    #[test]
    fn the_paper_s_wall_is_ten_courses_of_27_units() {
        let model = built("natural-arch-wall", "");
        assert_eq!(model.free_blocks().count(), 5 * 27 + 5 * 28);
        assert!((free_volume(&model) - 16.2 * 5.0 * 0.8).abs() < 1e-9);
        assert_eq!((model.density, model.joints.friction), (1800.0, 0.4));
        assert_sound(&model);
    }

    #[test]
    fn the_ground_leaves_the_gap_free_at_any_size() {
        for (arguments, gap) in [
            ("", 7.6),
            ("--gap 3", 3.0),
            ("--length 4 --height 1.3 --unit-length 0.35 --gap 1.1", 1.1),
            ("--thickness 0.3 --gap 0.2 --unit-height 0.21", 0.2),
        ] {
            let model = built("natural-arch-wall", arguments);
            assert_sound(&model);
            let bounds = |name| model.block(name).unwrap().polyhedron().bounds();
            let free = bounds("ground-right").min.x - bounds("ground-left").max.x;
            assert!((free - gap).abs() < 1e-12);
        }
    }

    #[test]
    fn joints_of_neighbouring_courses_are_half_a_unit_apart() {
        let model = built("natural-arch-wall", "");
        let end = |name: &str| model.block(name).unwrap().polyhedron().bounds().max.x;
        for i in 1..27 {
            let step = end(&format!("wall-2-{i}")) - end(&format!("wall-1-{i}"));
            assert!((step + 0.3).abs() < 1e-12, "stone {i}: {step}");
        }
    }
}

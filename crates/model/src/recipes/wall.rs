//! A straight wall in running bond, plain or with a door or a window: Acary and Jean, section 5.1.

use super::{
    Recipe, RecipeError, choices,
    masonry::{Head, Masonry, Opening, Panel, Run, Wall, beds, ground, nearest_bed},
    one_of, parameters,
};
use crate::{GroupJoint, JointLaw, Joints, Model};

pub(super) const RECIPE: Recipe = Recipe {
    name: "wall",
    summary: "A straight wall in running bond, plain or with a door or a window",
    notes: "Acary and Jean, section 5.1: 12 courses of blocks of 500 x 250 x 300 mm, twice as long as high, friction \
            0.5 between blocks and 1 on the ground, density 2700 kg/m3. The paper's 25 mm of mortar are left out: \
            joints are dry. Courses and units are stretched to fill height and length exactly. Openings are this \
            program's addition; their height and sill are rounded to whole courses. A lintel is one stone that bears \
            at least half a unit on either side; an arch is a flat (jack) arch of voussoirs that fills the course \
            above the opening, between skewbacks at 60 degrees.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

choices! { pub(super) enum OpeningKind { None = "none", Door = "door", Window = "window" } }
choices! { pub(super) enum HeadKind { Lintel = "lintel", Arch = "arch" } }

parameters! {
    struct Params {
        length: f64 = 6.0, in 1e-3..=1e4, "m", "Length, along x";
        height: f64 = 3.0, in 1e-3..=1e3, "m", "Height";
        thickness: f64 = 0.3, in 1e-3..=1e3, "m", "Thickness, along y";
        unit_length: f64 = 0.5, in 1e-3..=1e3, "m", "Length of a unit";
        unit_height: f64 = 0.25, in 1e-3..=1e3, "m", "Height of a course";
        opening: OpeningKind = OpeningKind::None, in OpeningKind::WORDS, "", "Opening in the middle of the wall";
        opening_width: f64 = 1.0, in 1e-3..=1e3, "m", "Width of the opening",
            needs [one_of("opening", &["door", "window"])];
        opening_height: f64 = 1.5, in 1e-3..=1e3, "m", "Height of the opening, rounded to whole courses",
            needs [one_of("opening", &["door", "window"])];
        opening_sill: f64 = 0.75, in 0.0..=1e3, "m", "Height of a window's sill, rounded to whole courses",
            needs [one_of("opening", &["window"])];
        head: HeadKind = HeadKind::Lintel, in HeadKind::WORDS, "", "What carries the wall over the opening",
            needs [one_of("opening", &["door", "window"])];
        density: f64 = 2700.0, in 1e-6..=1e6, "kg/m3", "Density of the blocks";
        friction: f64 = 0.5, in 0.0..=1e3, "", "Friction coefficient between blocks";
        ground_friction: f64 = 1.0, in 0.0..=1e3, "", "Friction coefficient between blocks and the ground";
    }
}

impl From<HeadKind> for Head {
    fn from(kind: HeadKind) -> Self {
        match kind {
            HeadKind::Lintel => Self::Lintel,
            HeadKind::Arch => Self::FlatArch,
        }
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let beds = beds(&[p.height], p.unit_height)?;
    let ends = (-0.5 * p.length, 0.5 * p.length);
    let faces = (-0.5 * p.thickness, 0.5 * p.thickness);
    let panel = Panel::straight("wall", 0..beds.len() - 1, ends);
    let mut wall = Wall::new("wall", Run::AlongX, faces, vec![panel]);
    wall.openings.extend(opening(p, &beds));
    let masonry = Masonry {
        beds,
        unit: p.unit_length,
        walls: vec![wall],
    };
    let margin = p.thickness.max(p.unit_length);
    let mut model = Model::named("wall");
    model.density = p.density;
    model.joints = Joints {
        friction: p.friction,
        groups: vec![GroupJoint::between(
            ["ground", "wall"],
            JointLaw::dry(p.ground_friction),
        )],
        ..Joints::default()
    };
    let x = (ends.0 - margin, ends.1 + margin);
    let y = (faces.0 - margin, faces.1 + margin);
    model.blocks.push(ground("ground", x, y, margin));
    model.blocks.extend(masonry.lay()?);
    Ok(model)
}

fn opening(p: &Params, beds: &[f64]) -> Option<Opening> {
    let (name, sill) = match p.opening {
        OpeningKind::None => return None,
        OpeningKind::Door => ("door", 0.0),
        OpeningKind::Window => ("window", p.opening_sill),
    };
    Some(Opening {
        name,
        jambs: (-0.5 * p.opening_width, 0.5 * p.opening_width),
        courses: nearest_bed(beds, sill)..nearest_bed(beds, sill + p.opening_height),
        head: p.head.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{
        find,
        masonry::facts::{assert_no_straight_joints, assert_rests},
        soundness::{assert_sound, built, free_volume},
    };

    #[test]
    fn the_paper_s_wall_has_twelve_courses_of_alternately_twelve_and_thirteen_blocks() {
        let model = built("wall", "");
        assert_eq!(model.free_blocks().count(), 6 * 12 + 6 * 13);
        assert!((free_volume(&model) - 6.0 * 3.0 * 0.3).abs() < 1e-9);
        assert_sound(&model);
        let ground = model.block("ground").unwrap();
        let first = model.block("wall-1-1").unwrap();
        assert_eq!(model.joints.law_between(ground, first).friction, 1.0);
        assert_eq!(model.joints.friction, 0.5);
    }

    #[test]
    fn openings_take_their_volume_and_nothing_else() {
        let solid = 6.0 * 3.0 * 0.3;
        for head in ["lintel", "arch"] {
            for (opening, volume) in [("door", 1.0 * 1.5 * 0.3), ("window", 1.0 * 1.5 * 0.3)] {
                let model = built("wall", &format!("--opening {opening} --head {head}"));
                assert!(
                    (free_volume(&model) - (solid - volume)).abs() < 1e-9,
                    "{opening} {head}"
                );
                assert_sound(&model);
            }
        }
    }

    #[test]
    fn a_lintel_bears_half_a_unit_on_either_side() {
        let model = built("wall", "--opening door --opening-width 1.3");
        let over = |b: &&crate::Block| {
            let bounds = b.polyhedron().bounds();
            bounds.min.x < 0.0 && bounds.max.x > 0.0 && (bounds.min.z - 1.5).abs() < 1e-9
        };
        let lintel = model.free_blocks().find(over).unwrap().polyhedron().bounds();
        assert!(lintel.min.x <= -0.65 - 0.25 + 1e-9 && lintel.max.x >= 0.65 + 0.25 - 1e-9);
    }

    #[test]
    fn odd_sizes_still_fill_the_wall() {
        for arguments in [
            "--length 3.37 --height 1.9 --unit-length 0.41 --unit-height 0.23",
            "--length 0.2 --height 0.1",
            "--length 5 --opening window --opening-width 0.77 --opening-height 0.6 --unit-length 0.3 --head arch",
        ] {
            let model = built("wall", arguments);
            assert_sound(&model);
        }
        let volume = free_volume(&built("wall", "--length 3.37 --height 1.9 --unit-length 0.41"));
        assert!((volume - 3.37 * 1.9 * 0.3).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_built_is_refused_with_a_reason() {
        let refused = |arguments: &[(&str, &str)]| {
            let values: Vec<_> = arguments.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
            find("wall").unwrap().build(&values).unwrap_err().to_string()
        };
        assert!(refused(&[("opening", "door"), ("opening-width", "5.9")]).contains("narrower"));
        assert!(refused(&[("opening", "door"), ("opening-height", "3")]).contains("head"));
        assert!(refused(&[("opening", "door"), ("opening-height", "0.01")]).contains("less than a course"));
        assert!(refused(&[("length", "10000"), ("unit-length", "0.001")]).contains("200000"));
    }

    #[test]
    fn changing_the_friction_between_blocks_leaves_that_on_the_ground() {
        let model = built("wall", "--friction 0.3");
        assert_eq!((model.joints.friction, model.joints.groups[0].friction), (0.3, 1.0));
    }

    #[test]
    fn every_stone_rests_on_others_and_covers_the_joints_below() {
        for arguments in [
            "",
            "--opening door",
            "--opening door --opening-width 1.3 --unit-length 0.4",
            "--opening window --length 4.4",
        ] {
            let model = built("wall", arguments);
            assert_rests(&model);
            assert_no_straight_joints(&model, 0.05);
        }
        assert_no_straight_joints(&built("wall", "--opening window --head arch"), 0.05);
    }
}

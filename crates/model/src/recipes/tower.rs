//! A hollow rectangular tower of four interlocked walls.

use super::{
    Recipe, RecipeError,
    masonry::{Head, Masonry, Opening, Panel, Run, Wall, beds, ground, nearest_bed},
    one_of, parameters,
    wall::HeadKind,
};
use crate::Model;

pub(super) const RECIPE: Recipe = Recipe {
    name: "tower",
    summary: "A hollow rectangular tower of four walls interlocked at the corners, perhaps with a door",
    notes: "No source: a bell tower or a chimney of plain ashlar. Courses take turns in running through the corners \
            (walls along x on the first course), so no vertical joint goes through two courses there. The door stands \
            in the middle of the front wall, at the least y; its height is rounded to whole courses. The inside is \
            hollow and there is no floor or roof.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        width: f64 = 3.0, in 1e-3..=1e3, "m", "Outer size along x";
        depth: f64 = 3.0, in 1e-3..=1e3, "m", "Outer size along y";
        height: f64 = 8.0, in 1e-3..=1e3, "m", "Height";
        wall_thickness: f64 = 0.5, in 1e-3..=1e3, "m", "Thickness of the walls";
        unit_length: f64 = 0.5, in 1e-3..=1e3, "m", "Length of a unit";
        unit_height: f64 = 0.25, in 1e-3..=1e3, "m", "Height of a course";
        door: bool = false, in .., "", "Whether the front wall has a door";
        door_width: f64 = 0.9, in 1e-3..=1e3, "m", "Width of the door", needs [one_of("door", &["true"])];
        door_height: f64 = 2.0, in 1e-3..=1e3, "m", "Height of the door, rounded to whole courses", needs [one_of("door", &["true"])];
        head: HeadKind = HeadKind::Lintel, in HeadKind::WORDS, "", "What carries the wall over the door", needs [one_of("door", &["true"])];
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let room = p.width.min(p.depth) - 2.0 * p.wall_thickness;
    if room < 0.5 * p.unit_length {
        return Err(RecipeError::conflict(format!(
            "--wall-thickness {}: walls this thick leave {room:.3} m inside a tower of {} x {} m, less than half a \
             unit; make them thinner or the tower wider",
            p.wall_thickness, p.width, p.depth
        )));
    }
    let beds = beds(&[p.height], p.unit_height)?;
    let (x, y) = ((-0.5 * p.width, 0.5 * p.width), (-0.5 * p.depth, 0.5 * p.depth));
    let t = p.wall_thickness;
    let courses = 0..beds.len() - 1;
    let wall = |name: &'static str, run, faces, ends| {
        Wall::new(name, run, faces, vec![Panel::straight("tower", courses.clone(), ends)])
    };
    let mut front = wall("front", Run::AlongX, (y.0, y.0 + t), x);
    if p.door {
        front = front.with(Opening {
            name: "door",
            jambs: (-0.5 * p.door_width, 0.5 * p.door_width),
            courses: 0..nearest_bed(&beds, p.door_height),
            head: Head::from(p.head),
        });
    }
    let walls = vec![
        front,
        wall("back", Run::AlongX, (y.1 - t, y.1), x),
        wall("left", Run::AlongY, (x.0, x.0 + t), y),
        wall("right", Run::AlongY, (x.1 - t, x.1), y),
    ];
    let masonry = Masonry {
        beds,
        unit: p.unit_length,
        walls,
    };
    let margin = p.wall_thickness.max(p.unit_length);
    let mut model = Model::named("tower");
    let around = |e: (f64, f64)| (e.0 - margin, e.1 + margin);
    model.blocks.push(ground("ground", around(x), around(y), margin));
    model.blocks.extend(masonry.lay()?);
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::super::{
        find,
        masonry::facts::{assert_no_straight_joints, assert_rests},
        soundness::{assert_sound, built, free_volume},
    };

    #[test]
    fn its_volume_is_that_of_the_ring_less_the_door() {
        let ring = (3.0 * 3.0 - 2.0 * 2.0) * 8.0;
        for (arguments, door) in [
            ("", 0.0),
            ("--door true", 0.9 * 2.0 * 0.5),
            ("--door true --head arch --door-width 0.6", 0.6 * 2.0 * 0.5),
        ] {
            let model = built("tower", arguments);
            assert!((free_volume(&model) - (ring - door)).abs() < 1e-9, "{arguments}");
            assert_sound(&model);
        }
    }

    #[test]
    fn it_is_sound_whatever_the_proportion_of_thickness_and_unit() {
        for arguments in [
            "--width 2.3 --depth 4.1 --height 3 --wall-thickness 0.37 --unit-length 0.6",
            "--width 5 --height 2 --wall-thickness 1.1 --unit-length 0.4 --unit-height 0.3",
            "--width 1 --depth 1 --height 1 --wall-thickness 0.1 --unit-length 0.25 --unit-height 0.1",
        ] {
            assert_sound(&built("tower", arguments));
        }
    }

    #[test]
    fn courses_take_turns_in_running_through_a_corner() {
        let model = built("tower", "");
        let corner = |course: usize| {
            let bounds = model.block(&format!("front-{course}-1")).unwrap().polyhedron().bounds();
            bounds.min.x
        };
        for course in 1..32 {
            let expected = if course % 2 == 1 { -1.5 } else { -1.0 };
            assert_eq!(corner(course), expected, "course {course}");
        }
    }

    #[test]
    fn walls_that_leave_no_room_inside_are_refused() {
        let values = [("wall-thickness".to_string(), "1.5".to_string())];
        let error = find("tower").unwrap().build(&values).unwrap_err().to_string();
        assert!(error.contains("thinner"), "{error}");
    }

    #[test]
    fn every_stone_rests_on_others_and_covers_the_joints_below() {
        for arguments in ["", "--door true", "--width 2.3 --depth 4.1 --wall-thickness 0.37"] {
            let model = built("tower", arguments);
            assert_rests(&model);
            assert_no_straight_joints(&model, 0.05);
        }
    }
}

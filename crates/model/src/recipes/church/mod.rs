//! A church on the plan of a Latin cross, with a bell tower and a chapel: Nodargi and Bisegna (2024), section 4.6.

mod plan;

use plan::Plan;

use super::{
    Recipe, RecipeError,
    masonry::{Gable, Masonry, ground},
    parameters,
};
use crate::{Joints, Model};

pub(super) const RECIPE: Recipe = Recipe {
    name: "church",
    summary: "A church on the plan of a Latin cross, with a bell tower and a chapel beside the apse",
    notes: "Nodargi and Bisegna (2024), section 4.6: single nave about 18 m long, transept 14 m wide, church 14 m and \
            bell tower 17 m high, a chapel and the tower at the sides of the apse, x across and y along the church, \
            5161 blocks. The drawing is not part of the text; chosen are: façade at y = 0, nave of 8 m from there to \
            the transept, transept 6 m deep, square-ended apse 6.5 m deep, eaves of nave and transept at 10 m, of the \
            apse at 8 m, tower in the corner of transept and apse at greater x, chapel opposite, 6 m high, walls 0.8 \
            m thick and one block through; blocks of about 0.5 x 0.35 m are picked so that their number is the \
            paper's. Gables stand on the façade, on the ends of the transept and on the apse, all with the slope of \
            the façade's; they are stepped, or cut along the rake with `--gable raked`. Doors and windows have \
            lintels; their sizes are fractions of their walls, rounded to whole courses. Walls are interlocked \
            wherever they meet: courses take turns in running through. Only walls are built: the text gives no \
            vaults, roof or floors, and the crossing is open to nave, transept and apse.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        nave_length: f64 = 18.0, in 1.0..=1e3, "m", "From the face of the façade to the transept, along y";
        nave_width: f64 = 8.0, in 1.0..=1e3, "m", "Outer width of nave and apse, along x";
        transept_width: f64 = 14.0, in 1.0..=1e3, "m", "Outer width of the transept, along x";
        transept_depth: f64 = 6.0, in 1.0..=1e3, "m", "Outer depth of the transept, along y";
        apse_depth: f64 = 6.5, in 1.0..=1e3, "m", "Depth of the apse behind the transept, along y";
        tower_depth: f64 = 4.0, in 0.5..=1e3, "m", "Depth of the bell tower behind the transept, along y";
        chapel_depth: f64 = 3.0, in 0.5..=1e3, "m", "Depth of the chapel behind the transept, along y";
        height: f64 = 14.0, in 1.0..=500.0, "m", "Height of the tip of the façade";
        eaves_height: f64 = 10.0, in 1.0..=500.0, "m", "Height of the walls of nave and transept";
        apse_height: f64 = 8.0, in 1.0..=500.0, "m", "Height of the walls of the apse, rounded to whole courses";
        tower_height: f64 = 17.0, in 1.0..=500.0, "m", "Height of the bell tower";
        chapel_height: f64 = 6.0, in 0.5..=500.0, "m", "Height of the chapel, rounded to whole courses";
        thickness: f64 = 0.8, in 0.01..=10.0, "m", "Thickness of the walls";
        block_length: f64 = 0.5, in 0.01..=10.0, "m", "Length of a block";
        block_height: f64 = 0.35, in 0.01..=10.0, "m", "Height of a course";
        openings: bool = true, in .., "", "Whether there are doors and windows";
        gable: Gable = Gable::Stepped, in Gable::WORDS, "", "How the ends of the gables' courses are cut";
        friction: f64 = 0.6, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    check(p)?;
    let plan = Plan::of(p)?;
    let mut walls = plan.walls(p);
    if p.openings {
        plan.pierce(&mut walls);
    }
    let margin = 2.0 * p.thickness;
    let x = (-0.5 * p.transept_width - margin, 0.5 * p.transept_width + margin);
    let y = (-margin, plan.apse.1 + margin);
    let mut model = Model::named("church");
    model.joints = Joints::uniform(p.friction);
    model.blocks.push(ground("ground", x, y, margin));
    let masonry = Masonry {
        beds: plan.beds,
        unit: p.block_length,
        walls,
    };
    model.blocks.extend(masonry.lay()?);
    Ok(model)
}

fn check(p: &Params) -> Result<(), RecipeError> {
    // Two walls and at least one unit between them.
    let least = 2.0 * p.thickness + p.block_length;
    let arm = 0.5 * (p.transept_width - p.nave_width) + p.thickness;
    let rooms = [
        ("--nave-width", p.nave_width, least),
        ("--transept-depth", p.transept_depth, least),
        (
            "an arm of the transept (--transept-width less --nave-width)",
            arm,
            least,
        ),
        ("--nave-length", p.nave_length, least),
        ("--tower-depth", p.tower_depth + p.thickness, least),
        ("--chapel-depth", p.chapel_depth + p.thickness, least),
        (
            "--apse-depth less --tower-depth",
            p.apse_depth - p.tower_depth,
            p.thickness + p.block_length,
        ),
        (
            "--apse-depth less --chapel-depth",
            p.apse_depth - p.chapel_depth,
            p.thickness + p.block_length,
        ),
    ];
    if let Some((what, size, least)) = rooms.iter().find(|(_, size, least)| size < least) {
        return Err(RecipeError::conflict(format!(
            "{what}: {size:.3} m with walls of {} m; at least {least:.3} m are needed for the walls and a block of {} m \
             between them",
            p.thickness, p.block_length
        )));
    }
    let course = p.block_height;
    let levels = [
        ("--chapel-height", p.chapel_height, "--apse-height", p.apse_height),
        ("--apse-height", p.apse_height, "--eaves-height", p.eaves_height),
        ("--eaves-height", p.eaves_height, "--height", p.height),
        ("--height", p.height, "--tower-height", p.tower_height),
    ];
    if let Some((low, z0, high, z1)) = levels.iter().find(|(_, z0, _, z1)| z1 - z0 < course) {
        return Err(RecipeError::conflict(format!(
            "{low} {z0} and {high} {z1}: the second must be at least one course ({course} m) above the first"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::recipes::{
        find,
        masonry::facts::{assert_no_straight_joints, assert_rests},
        soundness::{assert_sound, built, free_volume},
    };

    #[test]
    fn it_has_the_paper_s_blocks_and_heights_and_is_sound() {
        let model = built("church", "");
        assert_eq!(model.free_blocks().count(), 5161);
        assert_eq!(model.joints.friction, 0.6);
        let top = |group: &str| model.bounds(|b| b.group.as_deref() == Some(group)).max.z;
        assert_eq!((top("facade"), top("tower")), (14.0, 17.0));
        let transept = model.bounds(|b| b.group.as_deref() == Some("transept"));
        assert!((transept.max.x - transept.min.x - 14.0).abs() < 1e-12);
        assert_sound(&model);
        assert_rests(&model);
    }

    #[test]
    fn every_part_is_a_group() {
        let model = built("church", "--block-length 1 --block-height 0.5");
        for group in ["ground", "facade", "nave", "transept", "apse", "tower", "chapel"] {
            assert!(
                model.blocks.iter().any(|b| b.group.as_deref() == Some(group)),
                "{group}"
            );
        }
    }

    #[test]
    fn its_volume_without_openings_is_that_of_its_walls() {
        let model = built("church", "--openings false --block-height 0.5 --block-length 0.8");
        let t = 0.8;
        let facade = 8.0 * 10.0 + 0.5 * 8.0 * 4.0;
        let nave = 2.0 * (18.0 - t) * 10.0;
        let transept = 4.0 * (3.0 + t) * 10.0 + 2.0 * ((6.0 - 2.0 * t) * 10.0 + 0.5 * 6.0 * 3.0);
        let apse = 2.0 * (6.5 - t) * 8.0 + 8.0 * 8.0 + 0.5 * 8.0 * 4.0;
        let tower = (3.0 + t) * 7.0 + 4.0 * (17.0 - 8.0) + 3.0 * 17.0 + (4.0 - t) * 17.0;
        let chapel = (3.0 + 3.0 - t) * 6.0;
        // Two steps of the transept's gable stand within the tower's wall.
        let shared = (0.55 + 0.05) * 0.5;
        let expected = t * (facade + nave + transept + apse + tower + chapel - shared);
        let volume = free_volume(&model);
        assert!((volume - expected).abs() < 1e-6, "{volume}, expected {expected}");
    }

    #[test]
    fn it_is_sound_in_other_sizes() {
        for arguments in [
            "--block-length 1 --block-height 0.7",
            "--block-length 1.1 --block-height 0.5 --gable raked",
            "--nave-length 11 --nave-width 6 --transept-width 11 --height 9 --eaves-height 6.1 --apse-height 5 \
             --tower-height 12 --chapel-height 3 --thickness 0.5 --block-length 0.7 --gable raked",
        ] {
            let model = built("church", arguments);
            assert_sound(&model);
            assert_rests(&model);
        }
    }

    #[test]
    fn no_vertical_joint_goes_through_two_courses() {
        assert_no_straight_joints(&built("church", ""), 0.05);
    }

    #[test]
    fn a_tower_deeper_than_the_apse_or_lower_than_the_church_is_refused() {
        let refused = |key: &str, value: &str| {
            let values = [(key.to_string(), value.to_string())];
            find("church").unwrap().build(&values).unwrap_err().to_string()
        };
        assert!(refused("tower-depth", "6").contains("--tower-depth"));
        assert!(refused("tower-height", "14").contains("--tower-height"));
    }
}

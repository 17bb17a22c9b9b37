//! A church on the plan of a Latin cross, with a bell tower and a chapel: paper 003, section 4.6.

use std::ops::Range;

use super::{
    Recipe, RecipeError,
    masonry::{Gable, Head, Masonry, Opening, Panel, Run, Wall, beds, ground, nearest_bed},
    parameters,
};
use crate::{Joints, Model};

pub(super) const RECIPE: Recipe = Recipe {
    name: "church",
    summary: "A church on the plan of a Latin cross, with a bell tower and a chapel beside the apse",
    notes: "Paper 003, section 4.6: single nave about 18 m long, transept 14 m wide, church 14 m and bell tower 17 m \
            high, a chapel and the tower at the sides of the apse, x across and y along the church, 5161 blocks. The \
            drawing is not part of the text; chosen are: façade at y = 0, nave of 8 m from there to the transept, \
            transept 6 m deep, square-ended apse 6.5 m deep, eaves of nave and transept at 10 m, of the apse at 8 m, \
            tower in the corner of transept and apse at greater x, chapel opposite, 6 m high, walls 0.8 m thick and \
            one block through; with blocks of about 0.5 x 0.35 m their number is the paper's. Gables stand on the \
            façade, on the ends of the transept and on the apse, all with the slope of the façade's; they are stepped, \
            or cut along the rake with `--gable raked`. Doors and windows have lintels; their sizes are fractions of \
            their walls, rounded to whole courses. Walls are interlocked wherever they meet: courses take turns in \
            running through. Only walls are built: the text gives no vaults, roof or floors, and the crossing is open \
            to nave, transept and apse.",
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

/// Positions that walls share: each is computed once, so that walls that meet have the same numbers.
struct Plan {
    beds: Vec<f64>,
    /// Outer faces of the nave and of the transept across the church.
    nave: (f64, f64),
    transept_x: (f64, f64),
    /// Outer faces along the church.
    transept_y: (f64, f64),
    apse: (f64, f64),
    tower_end: f64,
    chapel_end: f64,
    thickness: f64,
    /// Courses up to which the parts are built.
    eaves: usize,
    apse_eaves: usize,
    ridge: usize,
    apse_ridge: usize,
    transept_ridge: usize,
    tower: usize,
    chapel: usize,
}

impl Plan {
    fn of(p: &Params) -> Result<Self, RecipeError> {
        let beds = beds(&[p.eaves_height, p.height, p.tower_height], p.block_height)?;
        let level = |z: f64| nearest_bed(&beds, z);
        // Gables have the slope of the façade's; each is at least a course high.
        let slope = (p.height - p.eaves_height) / (0.5 * p.nave_width);
        let eaves = level(p.eaves_height);
        let apse_eaves = level(p.apse_height).clamp(1, eaves);
        let rear = p.nave_length + p.transept_depth;
        Ok(Self {
            nave: (-0.5 * p.nave_width, 0.5 * p.nave_width),
            transept_x: (-0.5 * p.transept_width, 0.5 * p.transept_width),
            transept_y: (p.nave_length, rear),
            apse: (rear - p.thickness, rear + p.apse_depth),
            tower_end: rear + p.tower_depth,
            chapel_end: rear + p.chapel_depth,
            thickness: p.thickness,
            eaves,
            apse_eaves,
            ridge: level(p.height),
            apse_ridge: level(beds[apse_eaves] + p.height - p.eaves_height).max(apse_eaves + 1),
            transept_ridge: level(p.eaves_height + 0.5 * slope * p.transept_depth).max(eaves + 1),
            tower: beds.len() - 1,
            chapel: level(p.chapel_height).clamp(1, apse_eaves),
            beds,
        })
    }

    /// Faces of the wall whose outer face is at the lower or at the upper end of a range.
    fn lower(&self, range: (f64, f64)) -> (f64, f64) {
        (range.0, range.0 + self.thickness)
    }

    fn upper(&self, range: (f64, f64)) -> (f64, f64) {
        (range.1 - self.thickness, range.1)
    }

    fn walls(&self, p: &Params) -> Vec<Wall> {
        let straight = Panel::straight;
        let gable = |group, courses: Range<usize>, foot| Panel::gable(p.gable, group, courses, foot);
        // Along x; the arms of the transept reach into the walls of the nave, so that they tie.
        let left_arm = (self.transept_x.0, self.lower(self.nave).1);
        let right_arm = (self.upper(self.nave).0, self.transept_x.1);
        let along_x = |name, faces, panels| Wall::new(name, Run::AlongX, faces, panels);
        let tower_rear = (self.tower_end - self.thickness, self.tower_end);
        let chapel_rear = (self.chapel_end - self.thickness, self.chapel_end);
        let mut walls = vec![
            along_x(
                "facade",
                (0.0, self.thickness),
                vec![
                    straight("facade", 0..self.eaves, self.nave),
                    gable("facade", self.eaves..self.ridge, self.nave),
                ],
            ),
            along_x(
                "transept_front",
                self.lower(self.transept_y),
                vec![
                    straight("transept", 0..self.eaves, left_arm),
                    straight("transept", 0..self.eaves, right_arm),
                ],
            ),
            along_x(
                "transept_rear",
                (self.apse.0, self.transept_y.1),
                vec![
                    straight("transept", 0..self.eaves, left_arm),
                    straight("transept", 0..self.eaves, right_arm),
                    straight("tower", self.eaves..self.tower, right_arm),
                ],
            ),
            along_x(
                "apse_rear",
                self.upper(self.apse),
                vec![
                    straight("apse", 0..self.apse_eaves, self.nave),
                    gable("apse", self.apse_eaves..self.apse_ridge, self.nave),
                ],
            ),
            along_x(
                "tower_rear",
                tower_rear,
                vec![straight("tower", 0..self.tower, right_arm)],
            ),
            along_x(
                "chapel_rear",
                chapel_rear,
                vec![straight("chapel", 0..self.chapel, left_arm)],
            ),
        ];
        // Along y; walls that end in another reach through it, so that they tie.
        let along_y = |name, faces, panels| Wall::new(name, Run::AlongY, faces, panels);
        let nave = (0.0, self.lower(self.transept_y).1);
        let tower = (self.apse.0, self.tower_end);
        let chapel = (self.apse.0, self.chapel_end);
        let transept_end = || {
            [
                straight("transept", 0..self.eaves, self.transept_y),
                gable("transept", self.eaves..self.transept_ridge, self.transept_y),
            ]
        };
        let with = |[a, b]: [Panel; 2], c: Panel| vec![a, b, c];
        walls.extend([
            along_y(
                "nave_left",
                self.lower(self.nave),
                vec![straight("nave", 0..self.eaves, nave)],
            ),
            along_y(
                "nave_right",
                self.upper(self.nave),
                vec![straight("nave", 0..self.eaves, nave)],
            ),
            along_y(
                "apse_left",
                self.lower(self.nave),
                vec![straight("apse", 0..self.apse_eaves, self.apse)],
            ),
            along_y(
                "apse_right",
                self.upper(self.nave),
                vec![
                    straight("apse", 0..self.apse_eaves, self.apse),
                    straight("tower", self.apse_eaves..self.tower, tower),
                ],
            ),
            along_y(
                "left",
                self.lower(self.transept_x),
                with(transept_end(), straight("chapel", 0..self.chapel, chapel)),
            ),
            along_y(
                "right",
                self.upper(self.transept_x),
                with(transept_end(), straight("tower", 0..self.tower, tower)),
            ),
        ]);
        walls
    }

    /// Cuts doors and windows. Their sizes are fractions of the walls they stand in, so that they scale with the church.
    fn pierce(&self, walls: &mut [Wall]) {
        let t = self.thickness;
        let z = |bed: usize| self.beds[bed];
        let (eaves, apse, chapel) = (z(self.eaves), z(self.apse_eaves), z(self.chapel));
        let nave_inside = self.nave.1 - self.nave.0 - 2.0 * t;
        let arm = (self.nave.1, self.transept_x.1 - t);
        let arm_left = (self.transept_x.0 + t, self.nave.0);
        let transept = (self.transept_y.0 + t, self.transept_y.1 - t);
        let middle = |range: (f64, f64)| 0.5 * (range.0 + range.1);
        let size = |range: (f64, f64)| range.1 - range.0;
        let tower = (self.transept_y.1, self.tower_end - t);
        // The belfry is the storey above the church's ridge; its openings start a course above that.
        let belfry = (z((self.ridge + 1).min(self.tower - 1)), z(self.tower.saturating_sub(2)));

        let mut cut = |wall: &str, name: &'static str, at: f64, width: f64, sill: f64, head: f64| {
            let courses = nearest_bed(&self.beds, sill)..nearest_bed(&self.beds, head);
            if let Some(wall) = walls.iter_mut().find(|w| w.name == wall) {
                wall.openings.push(Opening {
                    name,
                    jambs: (at - 0.5 * width, at + 0.5 * width),
                    courses,
                    head: Head::Lintel,
                });
            }
        };
        cut("facade", "door", 0.0, 0.28 * nave_inside, 0.0, 0.35 * eaves);
        cut("facade", "window", 0.0, 0.2 * nave_inside, 0.6 * eaves, 0.8 * eaves);
        cut("apse_rear", "window", 0.0, 0.16 * nave_inside, 0.45 * apse, 0.7 * apse);
        let bay = (self.transept_y.0 - t) / 3.0;
        for wall in ["nave_left", "nave_right"] {
            for i in 0..3 {
                let at = t + (i as f64 + 0.5) * bay;
                cut(wall, "window", at, 0.18 * bay, 0.55 * eaves, 0.75 * eaves);
            }
        }
        for wall in ["left", "right"] {
            cut(
                wall,
                "window",
                middle(transept),
                0.25 * size(transept),
                0.55 * eaves,
                0.75 * eaves,
            );
        }
        cut(
            "transept_rear",
            "chapel door",
            middle(arm_left),
            0.4 * size(arm_left),
            0.0,
            0.5 * chapel,
        );
        cut(
            "transept_rear",
            "tower door",
            middle(arm),
            0.4 * size(arm),
            0.0,
            0.5 * chapel,
        );
        for (wall, across) in [
            ("transept_rear", arm),
            ("tower_rear", arm),
            ("apse_right", tower),
            ("right", tower),
        ] {
            cut(
                wall,
                "belfry window",
                middle(across),
                0.3 * size(across),
                belfry.0,
                belfry.1,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
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

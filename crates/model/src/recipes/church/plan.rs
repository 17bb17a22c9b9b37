use std::ops::Range;

use super::Params;
use crate::recipes::{
    RecipeError,
    masonry::{Head, Opening, Panel, Run, Wall, beds, nearest_bed},
};

/// The plan of the church and its levels: positions that walls share. Each is computed once, so that walls that meet have the same numbers.
pub(super) struct Plan {
    pub(super) beds: Vec<f64>,
    /// Outer faces of the nave and of the transept across the church.
    nave: (f64, f64),
    transept_x: (f64, f64),
    /// Outer faces along the church.
    transept_y: (f64, f64),
    pub(super) apse: (f64, f64),
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
    pub(super) fn of(p: &Params) -> Result<Self, RecipeError> {
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

    pub(super) fn walls(&self, p: &Params) -> Vec<Wall> {
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
    pub(super) fn pierce(&self, walls: &mut [Wall]) {
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

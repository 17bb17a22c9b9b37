//! All joints of a model at rest, whichever way they are found, and what hangs together by them.

use std::collections::HashSet;

use drystone_model::{Model, geometry::Sets};
use glam::DVec3;

use crate::{
    Bodies, BodiesError, Detector, DetectorSettings, Placement,
    bearing::bears,
    bodies::convexity_tolerance,
    dents::dents,
    interfaces::{SearchSettings, interfaces},
};

/// How the joints of a model at rest are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// By the contacts of convex parts: faces on faces, and edges or corners that bear.
    Parts,
    /// By faces that lie on each other: blocks of any shape, one joint for each pair of faces.
    Faces,
    /// As they are stored with the model.
    Stored,
}

impl Search {
    /// The way that suits a model: joints stored with it are honoured; blocks that are not convex are searched by
    /// faces, because joints are then those of the blocks and not of the parts they were cut into, and so are blocks of
    /// models that say how near faces must be; others by parts.
    pub fn for_model(model: &Model) -> Self {
        if !model.interfaces.is_empty() {
            Self::Stored
        } else if model.joint_search.is_none() && model.blocks.iter().all(|b| is_convex(model, b)) {
            Self::Parts
        } else {
            Self::Faces
        }
    }

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parts => "parts",
            Self::Faces => "faces",
            Self::Stored => "stored",
        }
    }
}

fn is_convex(model: &Model, block: &drystone_model::Block) -> bool {
    let solid = block.polyhedron();
    solid.is_convex(convexity_tolerance(model, &solid))
}

/// A joint between two blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The two blocks, as indices into the model's.
    pub blocks: [usize; 2],
    /// Contact points, around the joint (m).
    pub points: Vec<DVec3>,
    /// Unit normal from the first block to the second.
    pub normal: DVec3,
    /// Area (m²); zero along an edge or at a corner.
    pub area: f64,
    /// Smallest distance between the blocks at its points (m); below zero where they overlap.
    pub least_gap: f64,
    /// Largest distance between the blocks at its points (m).
    pub largest_gap: f64,
}

impl Joint {
    /// The area that each point stands for (m²), by the halves of the sides that meet in it: they add up to the area of the
    /// joint.
    pub fn tributary_areas(&self) -> impl Iterator<Item = f64> + '_ {
        let (p, n) = (&self.points, self.points.len());
        let side = move |k: usize| p[(k + 1) % n].distance(p[k % n]);
        let around: f64 = (0..n).map(side).sum();
        let twice: DVec3 = (0..n).map(|k| (p[k] - p[0]).cross(p[(k + 1) % n] - p[0])).sum();
        let is_outline = (0.5 * twice.length() - self.area).abs() <= 1e-3 * self.area;
        (0..n).map(move |k| {
            if is_outline && around > 0.0 {
                self.area * 0.5 * (side(k) + side(k + n - 1)) / around
            } else {
                // The points do not run around the joint.
                self.area / n as f64
            }
        })
    }
}

/// The joints of a model at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Survey {
    /// How they were found.
    pub search: Search,
    /// The joints, by pair of blocks. Joints between two supports are left out: nothing depends on them.
    pub joints: Vec<Joint>,
}

/// Finds the joints of a model as every analysis takes them: the way that suits it, by the settings that it holds.
pub fn joints(model: &Model) -> Result<Survey, BodiesError> {
    survey(model, Search::for_model(model), &SearchSettings::for_model(model))
}

/// Finds the joints of a model. `settings` serve the search by faces; their distances also that by parts.
pub fn survey(model: &Model, search: Search, settings: &SearchSettings) -> Result<Survey, BodiesError> {
    let mut joints = match search {
        Search::Parts => {
            let (bodies, placements) = Bodies::of_model(model)?;
            by_parts(&bodies, &placements, part_settings(settings))
        }
        Search::Faces => by_faces(model, settings),
        Search::Stored => stored(model),
    };
    joints.retain(|j| !j.blocks.iter().all(|&b| model.blocks[b].fixed));
    Ok(Survey { search, joints })
}

fn part_settings(settings: &SearchSettings) -> DetectorSettings {
    DetectorSettings {
        touch: if settings.distance_m.is_some() {
            0.0
        } else {
            settings.distance
        },
        distance: settings.distance_m.unwrap_or(0.0),
        rounding: settings.rounding,
        ..DetectorSettings::default()
    }
}

/// The joints of convex parts; points no farther apart than the distances of `touching` touch.
fn by_parts(bodies: &Bodies, placements: &[Placement], touching: DetectorSettings) -> Vec<Joint> {
    let settings = DetectorSettings {
        whole_faces: true,
        ..touching
    };
    let mut detector = Detector::new(bodies.clone(), settings);
    let contacts = detector.detect(placements);
    let joint = |i: &crate::DetectedInterface| {
        let blocks = i.blocks.map(|b| b as usize);
        let [a, b] = blocks.map(|k| placements[k].center);
        let size = blocks.map(|k| bodies.size[k]).into_iter().fold(f64::INFINITY, f64::min);
        let point = |c: &crate::DetectedContact| 0.5 * (a + c.arm_first + b + c.arm_second);
        let reach = settings
            .distance
            .max((settings.touch * size).max(settings.tolerance * size));
        // Points without an area are edges and corners, of the joint or beside it.
        let bearing: Vec<&crate::DetectedContact> = contacts
            .of(i)
            .iter()
            .filter(|c| c.area > 0.0 || bears(bodies, placements, i, point(c), reach))
            .collect();
        Joint {
            blocks,
            points: bearing.iter().map(|c| point(c)).collect(),
            normal: i.normal,
            area: i.area,
            least_gap: bearing.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min),
            largest_gap: bearing.iter().map(|c| c.gap).fold(f64::NEG_INFINITY, f64::max),
        }
    };
    let found = contacts.interfaces.iter().map(joint);
    found.filter(|joint| !joint.points.is_empty()).collect()
}

fn by_faces(model: &Model, settings: &SearchSettings) -> Vec<Joint> {
    let joint = |i: crate::interfaces::Interface| Joint {
        blocks: i.blocks,
        points: i.points,
        normal: i.normal,
        area: i.area,
        least_gap: i.gaps[0],
        largest_gap: i.gaps[1],
    };
    let mut found: Vec<Joint> = interfaces(model, settings).into_iter().map(joint).collect();
    found.extend(bearing_edges(model, settings, &found));
    found.sort_by_key(|joint| joint.blocks);
    found
}

/// Edges and corners that bear, beside common faces. Mortar has faces: only what touches, exactly or to within
/// rounding, bears on an edge.
fn bearing_edges(model: &Model, settings: &SearchSettings, found: &[Joint]) -> Vec<Joint> {
    let joined: HashSet<[usize; 2]> = found.iter().map(|joint| joint.blocks).collect();
    let touching = bearing_settings(settings);
    // Where a block cannot be cut into convex parts, the check of the geometry says so.
    let Ok((bodies, placements)) = Bodies::of_model(model) else {
        return Vec::new();
    };
    let is_whole = |&b: &usize| bodies.part_range[b][1] - bodies.part_range[b][0] == 1;
    let mut edges = by_parts(&bodies, &placements, touching);
    // Convex blocks that share a face have all their common points there.
    edges.retain(|e| e.area == 0.0 && e.blocks.iter().all(is_whole) && !joined.contains(&e.blocks));
    edges.extend(dents(&bodies, &placements, &touching, found).joints);
    edges
}

fn bearing_settings(settings: &SearchSettings) -> DetectorSettings {
    DetectorSettings {
        touch: if settings.rounding > 0.0 {
            0.0
        } else {
            settings.distance
        },
        distance: settings.reach(0.0).min(settings.rounding),
        rounding: settings.rounding,
        ..DetectorSettings::default()
    }
}

/// Pairs of blocks that meet in a dent, at a point where no normals tell how they may move against each other.
/// `joints` are those of the model.
pub fn unknown_joints(model: &Model, joints: &Survey) -> Vec<[usize; 2]> {
    // Blocks that are all convex have no dents.
    if Search::for_model(model) != Search::Faces {
        return Vec::new();
    }
    let Ok((bodies, placements)) = Bodies::of_model(model) else {
        return Vec::new();
    };
    let settings = bearing_settings(&SearchSettings::for_model(model));
    dents(&bodies, &placements, &settings, &joints.joints).unknown
}

fn stored(model: &Model) -> Vec<Joint> {
    let index: std::collections::HashMap<&str, usize> = model
        .blocks
        .iter()
        .enumerate()
        .map(|(k, b)| (b.name.as_str(), k))
        .collect();
    let joint = |i: &drystone_model::StoredInterface| {
        let [a, b] = [&i.between[0], &i.between[1]].map(|name| index.get(name.as_str()).copied());
        let area = i.area.unwrap_or_else(|| polygon_area(&i.points));
        Some(Joint {
            blocks: [a?, b?],
            points: i.points.clone(),
            normal: i.frame.xaxis.cross(i.frame.yaxis).normalize_or_zero(),
            area,
            least_gap: 0.0,
            largest_gap: 0.0,
        })
    };
    model.interfaces.iter().filter_map(joint).collect()
}

fn polygon_area(points: &[DVec3]) -> f64 {
    let Some(&origin) = points.first() else { return 0.0 };
    0.5 * points
        .windows(2)
        .map(|e| (e[0] - origin).cross(e[1] - origin))
        .sum::<DVec3>()
        .length()
}

impl Survey {
    /// Number of contact points.
    pub fn contacts(&self) -> usize {
        self.joints.iter().map(|j| j.points.len()).sum()
    }

    /// Sum of the areas (m²).
    pub fn area(&self) -> f64 {
        self.joints.iter().map(|j| j.area).sum()
    }

    /// The deepest overlap at a contact point (m); zero if there is none.
    pub fn worst_overlap(&self) -> f64 {
        self.joints.iter().map(|j| -j.least_gap).fold(0.0, f64::max)
    }

    /// The largest gap at a contact point (m); zero if there is none.
    pub fn worst_gap(&self) -> f64 {
        self.joints.iter().map(|j| j.largest_gap).fold(0.0, f64::max)
    }

    /// The parts of the structure that neither touch one another nor are tied, each the indices of its blocks, in order. Supports
    /// hold each other through the earth: all of them, and what hangs on any of them, are one part.
    pub fn components(&self, model: &Model) -> Vec<Vec<usize>> {
        let mut sets = Sets::new(model.blocks.len());
        let fixed: Vec<usize> = (0..model.blocks.len()).filter(|&k| model.blocks[k].fixed).collect();
        let through_earth = fixed.windows(2).map(|w| [w[0], w[1]]);
        for [i, j] in self.joints.iter().map(|j| j.blocks).chain(through_earth) {
            sets.join(i, j);
        }
        for tie in &model.ties {
            let place = |name: &str| model.blocks.iter().position(|b| b.name == name);
            if let (Some(i), Some(j)) = (place(&tie.from.block), place(&tie.to.block)) {
                sets.join(i, j);
            }
        }
        let mut components: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
        for k in 0..model.blocks.len() {
            components.entry(sets.of(k)).or_default().push(k);
        }
        components.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use drystone_model::{Block, Shape, recipes};

    use super::*;

    #[test]
    fn a_block_that_touches_nothing_is_a_part_of_its_own() {
        let mut model = recipes::find("wall").and_then(|r| r.build(&[])).unwrap();
        let search = Search::for_model(&model);
        assert_eq!(search, Search::Parts);
        let found = survey(&model, search, &SearchSettings::for_model(&model)).unwrap();
        assert_eq!(found.components(&model).len(), 1);
        let far = DVec3::splat(50.0);
        model.blocks.push(Block::new("lost", Shape::cuboid(far, far + 1.0)));
        let found = survey(&model, search, &SearchSettings::for_model(&model)).unwrap();
        let components = found.components(&model);
        assert_eq!(components.len(), 2);
        assert_eq!(components[1], [model.blocks.len() - 1]);
    }

    #[test]
    fn both_searches_find_the_joints_of_a_wall() {
        let model = recipes::find("wall").and_then(|r| r.build(&[])).unwrap();
        let settings = SearchSettings::for_model(&model);
        let [parts, faces] = [Search::Parts, Search::Faces].map(|search| survey(&model, search, &settings).unwrap());
        assert_eq!(parts.joints.len(), faces.joints.len());
        assert_eq!(parts.contacts(), faces.contacts());
        assert!((parts.area() / faces.area() - 1.0).abs() < 1e-12);
    }
}

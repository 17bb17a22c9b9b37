//! The interfaces of a structure at rest: where faces of two blocks lie on each other.
//!
//! This is the search that static analyses build on (Kao et al. (2022), sections 2.1 and 3.3). An interface is a planar convex
//! polygon; where the common part of two faces is not convex, or where blocks meet along several faces, the blocks
//! share several (sub)interfaces. Faces are found to lie on each other by tolerances on distance, angle and area, all
//! relative to the sizes at hand, so that scale, place and orientation of a structure do not matter.
//!
//! `faces` turns a block into the faces that are searched, `overlap` finds the common part of two of them, `polygon`
//! holds the plane geometry. The module needs the model alone and nothing else of this crate.

mod faces;
mod overlap;
pub(crate) mod polygon;

use drystone_model::{
    Model, Tolerances,
    geometry::{Bounds, near_pairs},
};
use glam::DVec3;

use faces::Faces;
use overlap::overlaps;

/// When two faces count as lying on each other. [`drystone_model::JointSearch`] gives the rules in full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchSettings {
    /// How far the faces may be apart, or overlap, at any corner of their interface, as a fraction of the size of the
    /// smaller block (the diagonal of its bounding box). Common parts narrower than this are no interfaces, and
    /// corners of an interface that close to the line between their neighbours are left out. Default 1e-6.
    pub distance: f64,
    /// How far the faces may be apart, or overlap (m), instead of that fraction. Default none.
    pub distance_m: Option<f64>,
    /// How far two faces may be off each other by the rounding of their corners alone (m). Default 0.
    pub rounding: f64,
    /// How far the faces may be from parallel (degrees). Default 0.1.
    pub angle_deg: f64,
    /// Smallest area of an interface, as a fraction of the area of the smaller face. Default 1e-6.
    pub area: f64,
    /// Adjacent faces of one block whose normals differ by no more than this (degrees) are searched as one face in
    /// their mean plane: for blocks with warped faces that are cut into triangles. 0 leaves faces as they are.
    /// Default 0.
    pub merge_angle_deg: f64,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            distance: Tolerances::default().contact,
            distance_m: None,
            rounding: 0.0,
            angle_deg: 0.1,
            area: 1e-6,
            merge_angle_deg: 0.0,
        }
    }
}

impl SearchSettings {
    /// The settings that a model holds, or that follow from its tolerances. Faces cannot be told apart by less than
    /// their corners are off their planes, hence the larger of the two.
    pub fn for_model(model: &Model) -> Self {
        Self {
            distance: model.tolerances.contact.max(model.tolerances.planarity),
            distance_m: model.joint_search.map(|search| search.distance),
            rounding: model.rounding(),
            angle_deg: model.joint_angle_deg(),
            ..Self::default()
        }
    }

    /// How far the faces may be apart (m) where the smaller block has a size.
    pub fn reach(&self, size: f64) -> f64 {
        self.distance_m.unwrap_or(self.distance * size)
    }
}

/// A planar convex part of the surface along which two blocks touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    /// The two blocks, as indices into the model's, the smaller first.
    pub blocks: [usize; 2],
    /// The face of each block, as an index into the faces of its polyhedron; of merged faces the first.
    pub faces: [usize; 2],
    /// Corners, half-way between the faces, counter-clockwise seen against the normal (m).
    pub points: Vec<DVec3>,
    /// Unit normal, from the first block to the second.
    pub normal: DVec3,
    /// Area (m²).
    pub area: f64,
    /// Mean distance between the faces (m): above zero where there is a gap, below where the blocks overlap.
    pub gap: f64,
    /// Smallest and largest distance between the faces at its corners (m).
    pub gaps: [f64; 2],
    /// Angle between the faces (degrees).
    pub angle_deg: f64,
}

/// All interfaces of a model, ordered by blocks and then by faces. Pairs of supports are included.
pub fn interfaces(model: &Model, settings: &SearchSettings) -> Vec<Interface> {
    let blocks: Vec<Faces> = model
        .blocks
        .iter()
        .map(|block| Faces::of(&block.polyhedron(), settings))
        .collect();
    let boxes: Vec<Bounds> = blocks.iter().map(|block| block.bounds).collect();
    let margin = blocks.iter().map(|b| b.reach(settings)).fold(0.0, f64::max);
    let near = near_pairs(&boxes, margin);
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); blocks.len()];
    for &(i, j) in &near {
        beside[i].push(j);
        beside[j].push(i);
    }
    let mut found = Vec::new();
    for (i, j) in near {
        let both = beside[i].iter().filter(|&k| beside[j].contains(k));
        let others: Vec<&Faces> = both.map(|&k| &blocks[k]).collect();
        for overlap in overlaps([&blocks[i], &blocks[j]], &others, settings) {
            found.push(Interface {
                blocks: [i, j],
                faces: overlap.faces,
                points: overlap.points,
                normal: overlap.normal,
                area: overlap.area,
                gap: overlap.gap,
                gaps: overlap.gaps,
                angle_deg: overlap.angle_deg,
            });
        }
    }
    found
}

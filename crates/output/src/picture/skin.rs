//! Surfaces in many colours that take the place of the faces of a block.

use drystone_model::geometry::Polyhedron;
use glam::DVec3;

use super::{
    camera::Camera,
    scene::{Facet, PartLine, ROUNDED, Scene},
    shade::Light,
};
use crate::Rgb;

/// How much light changes colours that mean something.
const LIGHT: f64 = 0.45;
/// A patch is seen edge-on, and not drawn, where its normal is closer than this (sine) to the picture plane.
const EDGE_ON: f64 = 1e-3;

/// A surface in place of the faces of a block.
#[derive(Clone, Debug)]
pub(crate) struct Skin {
    /// Index of the block in the model that is drawn.
    pub(crate) block: usize,
    pub(crate) patches: Vec<Patch>,
    pub(crate) lines: Vec<SkinLine>,
}

/// A triangle or a nearly flat quadrilateral, counter-clockwise seen from outside.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub(crate) corners: Vec<DVec3>,
    pub(crate) color: Rgb,
}

/// A line upon a skin, seen where one of the surfaces beside it is.
#[derive(Clone, Debug)]
pub(crate) struct SkinLine {
    pub(crate) points: Vec<DVec3>,
    /// Outward normals of the surfaces beside it, of any length.
    pub(crate) normals: Vec<DVec3>,
    /// Whether it is an edge of the block, not one within its faces.
    pub(crate) is_edge: bool,
}

impl SkinLine {
    /// Whether it is no line on a rounded surface, such as that of a drum, but for the outline.
    fn is_sharp(&self, camera: &Camera) -> bool {
        let [a, b] = self.normals[..] else { return true };
        let (a, b) = (a.normalize_or_zero(), b.normalize_or_zero());
        let looks_here = |normal: DVec3| camera.turn(normal).z > 0.0;
        a.dot(b) < 0.0 || a.cross(b).length() > ROUNDED || looks_here(a) != looks_here(b)
    }
}

impl Skin {
    /// Adds what looks towards the eye; `solid` is near enough to the skin for parts to be sorted by.
    pub(super) fn add(&self, scene: &mut Scene, solid: &Polyhedron, light: &Light, camera: &Camera) {
        let part = scene.parts.len();
        for patch in &self.patches {
            let corners: Vec<DVec3> = patch.corners.iter().map(|&p| camera.project(p)).collect();
            let last = patch.corners.len() - 1;
            let [a, b, c, d] = [0, 1, 2, last].map(|k| patch.corners[k]);
            let across = if last == 3 {
                (c - a).cross(d - b)
            } else {
                (b - a).cross(c - a)
            };
            let Some(outward) = across.try_normalize() else {
                continue;
            };
            let normal = camera.turn(outward);
            if normal.z <= EDGE_ON {
                continue;
            }
            let mean = corners.iter().sum::<DVec3>() / corners.len() as f64;
            let slope = -normal.truncate() / normal.z;
            let shade = 1.0 - LIGHT * (1.0 - light.on(outward)).max(0.0);
            scene.facets.push(Facet {
                triangles: (1..last).map(|k| [0, k, k + 1]).collect(),
                depth: slope.extend(mean.z - slope.dot(mean.truncate())),
                corners,
                color: patch.color.scaled(shade),
                hatched: false,
                part,
                edges: Vec::new(),
                is_patch: true,
            });
        }
        let is_seen = |line: &&SkinLine| line.normals.iter().any(|&n| camera.turn(n).z > 0.0);
        let lines = self.lines.iter().filter(is_seen);
        scene.skin_lines.extend(lines.map(|line| PartLine {
            part,
            points: line.points.iter().map(|&p| camera.project(p).truncate()).collect(),
            is_edge: line.is_edge && line.is_sharp(camera),
        }));
        let vertices = solid.vertices.iter().map(|&p| camera.project(p)).collect();
        scene.add_part(vertices, solid);
    }
}

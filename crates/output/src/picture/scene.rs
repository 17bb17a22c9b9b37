//! What there is to see: facets on the picture plane, with their shades and their edges.

use std::collections::HashMap;

use drystone_model::{
    Model,
    geometry::{Bounds, Plane, Polyhedron, clip, convex_parts, triangulate_face},
};
use glam::{DVec2, DVec3};

use super::{
    camera::Camera,
    shade::{Light, shaded, tone},
    skin::Skin,
};
use crate::{Rgb, palette::Groups, solids::Solid};

/// A facet is seen edge-on, and not drawn, if its normal is closer than this (sine) to the picture plane.
const EDGE_ON: f64 = 1e-6;
/// Faces that meet at less than this angle (its sine) are one surface cut up by a mesh; the edge is not drawn.
const FLAT: f64 = 1e-3;
/// Faces that meet at less than 20 degrees (its sine) stand for a rounded surface, such as a drum's: the shades show
/// it, and lines between them would be mistaken for joints. Only its outline is drawn.
pub(super) const ROUNDED: f64 = 0.342;
/// A support is cropped if it reaches beyond the free blocks by this fraction of their size ...
const LARGE: f64 = 0.6;
/// ... and then to this fraction to the sides, and to the other below.
const KEPT_ASIDE: f64 = 0.12;
const KEPT_BELOW: f64 = 0.05;

/// A face that looks towards the eye.
pub(super) struct Facet {
    /// Corners on the picture (pixels), and nearness in z.
    pub(super) corners: Vec<DVec3>,
    /// Triangles of the facet, as positions in `corners`.
    pub(super) triangles: Vec<[usize; 3]>,
    /// Nearness over the facet: `depth.x * x + depth.y * y + depth.z`.
    pub(super) depth: DVec3,
    pub(super) color: Rgb,
    /// Supports are hatched on their sides.
    pub(super) hatched: bool,
    /// Which convex part of the scene it belongs to.
    pub(super) part: usize,
    /// Straight pieces of the outline that are edges of the block, as positions in `Scene::edges`.
    pub(super) edges: Vec<usize>,
    /// Whether it is a piece of a skin, which goes on around it.
    pub(super) is_patch: bool,
}

/// An edge between two points on the picture.
pub(super) struct Edge {
    pub(super) from: DVec3,
    pub(super) to: DVec3,
}

/// Everything that may be seen.
pub(super) struct Scene {
    pub(super) facets: Vec<Facet>,
    pub(super) edges: Vec<Edge>,
    /// The solids behind the parts, in the axes of the picture (pixels): x right, y down, z towards the eye.
    pub(super) parts: Vec<Polyhedron>,
    /// Lines upon skins, by part.
    pub(super) skin_lines: Vec<PartLine>,
}

/// A line upon the skin of a part.
pub(super) struct PartLine {
    pub(super) part: usize,
    pub(super) points: Vec<DVec2>,
    /// Whether it is an edge of the block.
    pub(super) is_edge: bool,
}

/// Crops supports that are much larger than what stands on them: a ground slab must not dwarf the structure.
/// What is to be seen may be a box larger than they are, into which they will move.
pub(super) fn crop_supports<'a>(solids: Vec<Solid<'a>>, window: Option<Bounds>) -> Vec<Solid<'a>> {
    let is_free = |s: &&Solid<'_>| !s.block.fixed;
    let free = solids
        .iter()
        .filter(is_free)
        .fold(Bounds::EMPTY, |all, s| all.union(&s.polyhedron.bounds()));
    let free = window.map_or(free, |window| free.union(&window));
    let size = free.size().max_element();
    if free.is_empty() || size == 0.0 {
        return solids;
    }
    let grown = |aside: f64, below: f64| Bounds {
        min: free.min - DVec3::new(aside, aside, below) * size,
        max: free.max + DVec3::splat(aside) * size,
    };
    let (large, kept) = (grown(LARGE, LARGE), grown(KEPT_ASIDE, KEPT_BELOW));
    let planes = DVec3::AXES.map(|axis| [Plane::through(kept.max, axis), Plane::through(kept.min, -axis)]);
    let crop = |mut solid: Solid<'a>| -> Option<Solid<'a>> {
        let bounds = solid.polyhedron.bounds();
        let is_large = bounds.min.cmplt(large.min).any() || bounds.max.cmpgt(large.max).any();
        let is_convex = || solid.polyhedron.is_convex(1e-9 * bounds.diagonal());
        if solid.block.fixed && is_large && is_convex() {
            let cut = |s: Polyhedron, plane: &Plane| clip(&s, plane, 1e-9 * size);
            solid.polyhedron = planes.iter().flatten().try_fold(solid.polyhedron, cut)?;
        }
        Some(solid)
    };
    solids.into_iter().filter_map(crop).collect()
}

impl Scene {
    pub(super) fn new(model: &Model, solids: &[Solid<'_>], skins: &[Skin], camera: &Camera) -> Self {
        let groups = Groups::of(model);
        let light = Light::over_left_shoulder(camera);
        let mut scene = Self {
            facets: Vec::new(),
            edges: Vec::new(),
            parts: Vec::new(),
            skin_lines: Vec::new(),
        };
        for solid in solids {
            if let Some(skin) = skins.iter().find(|s| s.block == solid.index) {
                skin.add(&mut scene, &solid.polyhedron, &light, camera);
                continue;
            }
            let paint = Paint {
                light: &light,
                color: groups.color(solid.block),
                tone: if solid.block.fixed { 1.0 } else { tone(solid.index) },
                fixed: solid.block.fixed,
            };
            let whole = &solid.polyhedron;
            let tolerance = 1e-9 * whole.bounds().diagonal();
            // Only convex parts can be sorted from back to front.
            let parts = match whole.is_convex(tolerance) {
                false => convex_parts(whole, tolerance).ok(),
                true => None,
            };
            match parts {
                Some(parts) => {
                    let real = drawn_edges(whole, camera);
                    for part in &parts {
                        scene.add(part, &paint, camera, Some(&real));
                    }
                }
                None => scene.add(whole, &paint, camera, None),
            }
        }
        scene
    }

    /// Length on the picture (pixels) that three quarters of the edges do not exceed: how large blocks look.
    pub(super) fn typical_edge(&self) -> Option<f64> {
        let length = |e: &Edge| e.from.truncate().distance(e.to.truncate());
        let mut lengths: Vec<f64> = self.edges.iter().map(length).collect();
        let line = |l: &PartLine| l.points.windows(2).map(|w| w[0].distance(w[1])).sum::<f64>();
        lengths.extend(self.skin_lines.iter().filter(|l| l.is_edge).map(line));
        lengths.sort_by(f64::total_cmp);
        lengths.get(lengths.len() * 3 / 4).copied()
    }

    /// Adds the faces of a solid that look towards the eye. Where the solid is a part of a block, `real` names the
    /// segments that are edges of the block; other edges of the part are cuts, which nobody should see.
    fn add(&mut self, solid: &Polyhedron, paint: &Paint<'_>, camera: &Camera, real: Option<&[[DVec3; 2]]>) {
        let part = self.parts.len();
        let on_picture: Vec<DVec3> = solid.vertices.iter().map(|&p| camera.project(p)).collect();
        let mut facet_of = vec![None; solid.faces.len()];
        for (face, list) in solid.faces.iter().enumerate() {
            let plane = solid.face_plane(face);
            let normal = camera.turn(plane.normal);
            if normal.z <= EDGE_ON || solid.face_area(face) == 0.0 {
                continue;
            }
            facet_of[face] = Some(self.facets.len());
            let corners: Vec<DVec3> = list.iter().map(|&v| on_picture[v as usize]).collect();
            let mean = corners.iter().sum::<DVec3>() / corners.len() as f64;
            let slope = -normal.truncate() / normal.z;
            let place = |v: u32| list.iter().position(|&c| c == v).unwrap_or(0);
            let triangles = triangulate_face(solid, face)
                .into_iter()
                .map(|t| t.map(place))
                .collect();
            self.facets.push(Facet {
                corners,
                triangles,
                depth: slope.extend(mean.z - slope.dot(mean.truncate())),
                color: shaded(paint.color, paint.light, plane.normal, paint.tone),
                hatched: paint.fixed && plane.normal.z < 0.5,
                part,
                edges: Vec::new(),
                is_patch: false,
            });
        }
        for (faces, ends) in edges_of(solid) {
            let facets = faces.map(|f| f.and_then(|f| facet_of[f]));
            if facets == [None, None] {
                continue;
            }
            match real {
                None if is_drawn(solid, faces, camera) => self.add_edge(ends.map(|v| on_picture[v as usize]), facets),
                None => {}
                Some(real) => {
                    let ends = ends.map(|v| solid.vertices[v as usize]);
                    for piece in real.iter().filter_map(|r| common_piece(ends, *r)) {
                        self.add_edge(piece.map(|p| camera.project(p)), facets);
                    }
                }
            }
        }
        self.add_part(on_picture, solid);
    }

    /// Adds a solid, by its vertices on the picture, for parts to be sorted by.
    pub(super) fn add_part(&mut self, vertices: Vec<DVec3>, solid: &Polyhedron) {
        let faces = solid.faces.clone();
        // With y downwards the axes of the picture are left-handed, which turns faces inside out.
        self.parts.push(Polyhedron { vertices, faces }.flipped());
    }

    fn add_edge(&mut self, [from, to]: [DVec3; 2], facets: [Option<usize>; 2]) {
        for facet in facets.into_iter().flatten() {
            self.facets[facet].edges.push(self.edges.len());
        }
        self.edges.push(Edge { from, to });
    }
}

/// What gives a block's faces their colours.
struct Paint<'a> {
    light: &'a Light,
    color: Rgb,
    tone: f64,
    fixed: bool,
}

/// Every edge with the one or two faces it belongs to, in the order in which faces name them.
fn edges_of(solid: &Polyhedron) -> Vec<([Option<usize>; 2], [u32; 2])> {
    let mut place: HashMap<(u32, u32), usize> = HashMap::new();
    let mut edges: Vec<([Option<usize>; 2], [u32; 2])> = Vec::new();
    for face in 0..solid.faces.len() {
        for (a, b) in solid.face_edges(face) {
            let slot = *place.entry((a.min(b), a.max(b))).or_insert_with(|| {
                edges.push(([None, None], [a, b]));
                edges.len() - 1
            });
            let faces = &mut edges[slot].0;
            if faces[0].is_none() {
                faces[0] = Some(face);
            } else if faces[1].is_none() {
                faces[1] = Some(face);
            }
        }
    }
    edges
}

/// Whether the edge between two faces is drawn: a sharp one always, a blunt one only where it is the outline.
fn is_drawn(solid: &Polyhedron, faces: [Option<usize>; 2], camera: &Camera) -> bool {
    let [Some(a), Some(b)] = faces else { return true };
    let (a, b) = (solid.face_plane(a).normal, solid.face_plane(b).normal);
    let sine = a.cross(b).length();
    let looks_here = |normal: DVec3| camera.turn(normal).z > EDGE_ON;
    a.dot(b) < 0.0 || sine > ROUNDED || (sine > FLAT && looks_here(a) != looks_here(b))
}

fn drawn_edges(solid: &Polyhedron, camera: &Camera) -> Vec<[DVec3; 2]> {
    let edges = edges_of(solid).into_iter();
    edges
        .filter(|(faces, _)| is_drawn(solid, *faces, camera))
        .map(|(_, ends)| ends.map(|v| solid.vertices[v as usize]))
        .collect()
}

/// The piece that two segments on one line have in common.
pub(super) fn common_piece([a, b]: [DVec3; 2], other: [DVec3; 2]) -> Option<[DVec3; 2]> {
    let length = a.distance(b);
    let along = (b - a).try_normalize()?;
    let tolerance = 1e-7 * length;
    let is_off = |p: DVec3| (p - a).reject_from_normalized(along).length() > tolerance;
    if other.into_iter().any(is_off) {
        return None;
    }
    let [s, t] = other.map(|p| (p - a).dot(along));
    let (low, high) = (s.min(t).max(0.0), s.max(t).min(length));
    (high - low > tolerance).then(|| [a + along * low, a + along * high])
}

/// The corners on the picture, without their depths.
pub(super) fn flat(corners: &[DVec3]) -> impl Iterator<Item = DVec2> + '_ {
    corners.iter().map(|c| c.truncate())
}

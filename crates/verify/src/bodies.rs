//! The model by index: what the checks need of each block, computed once and known to be sound.

use std::collections::HashMap;

use drystone_model::{Block, Model, Shape, geometry::Polyhedron};
use glam::{DVec2, DVec3};

use crate::{
    boxes::Span,
    polygons::{self, Outline},
};

/// The coarsest tolerance of the geometry, as a fraction of a block's size, with which places mean anything.
const COARSEST: f64 = 1e-2;
/// The farthest that joined faces may be apart, as a fraction of the smallest block's size.
const COARSEST_JOINT: f64 = 0.5;

/// Faces times corners up to which a block is asked whether it is convex.
const MANY: usize = 10_000_000;

/// The shape of a block, in world coordinates.
pub(crate) struct Body {
    /// Centre of mass.
    pub(crate) center: DVec3,
    /// Diagonal of its bounding box (m).
    pub(crate) size: f64,
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
    pub(crate) corners: Vec<DVec3>,
    pub(crate) edges: Vec<[DVec3; 2]>,
    pub(crate) faces: Vec<Face>,
    /// Whether no corner lies before any face.
    pub(crate) is_convex: bool,
}

/// A face with a frame in its plane.
pub(crate) struct Face {
    /// Outward unit normal.
    pub(crate) normal: DVec3,
    pub(crate) origin: DVec3,
    pub(crate) u: DVec3,
    pub(crate) v: DVec3,
    pub(crate) min: DVec3,
    pub(crate) max: DVec3,
    /// Corners in the frame, counter-clockwise.
    pub(crate) outline: Outline,
    /// Convex pieces that fill the face.
    pub(crate) pieces: Vec<Outline>,
    /// How far its corners are off its plane (m).
    pub(crate) warp: f64,
}

impl Body {
    pub(crate) fn span(&self) -> Span {
        Span {
            min: self.min,
            max: self.max,
        }
    }
}

impl Face {
    pub(crate) fn span(&self) -> Span {
        Span {
            min: self.min,
            max: self.max,
        }
    }

    pub(crate) fn flat(&self, p: DVec3) -> DVec2 {
        let arm = p - self.origin;
        DVec2::new(arm.dot(self.u), arm.dot(self.v))
    }

    pub(crate) fn lifted(&self, p: DVec2) -> DVec3 {
        self.origin + self.u * p.x + self.v * p.y
    }

    pub(crate) fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p - self.origin)
    }

    /// Whether a point is as near as this to the face.
    pub(crate) fn is_near(&self, p: DVec3, near: f64) -> bool {
        let margin = DVec3::splat(near);
        (self.min - margin).cmple(p).all()
            && p.cmple(self.max + margin).all()
            && self.height(p).abs() <= near
            && polygons::distance(&self.outline, self.flat(p)) <= near
    }

    fn of(corners: &[DVec3]) -> Option<Self> {
        let origin = mean(corners)?;
        let around = corners.iter().zip(corners.iter().cycle().skip(1));
        let normal = around
            .map(|(&a, &b)| (a - origin).cross(b - origin))
            .sum::<DVec3>()
            .try_normalize()?;
        let u = normal.any_orthonormal_vector();
        let mut face = Self {
            normal,
            origin,
            u,
            v: normal.cross(u),
            min: corners.iter().fold(DVec3::INFINITY, |m, c| m.min(*c)),
            max: corners.iter().fold(DVec3::NEG_INFINITY, |m, c| m.max(*c)),
            outline: Vec::new(),
            pieces: Vec::new(),
            warp: 0.0,
        };
        face.outline = corners.iter().map(|&c| face.flat(c)).collect();
        face.pieces = polygons::convex_pieces(&face.outline);
        face.warp = corners.iter().map(|&c| face.height(c).abs()).fold(0.0, f64::max);
        Some(face)
    }
}

/// The middle of some points, computed from one of them so that a block far from the origin loses no digits.
pub(crate) fn mean(points: &[DVec3]) -> Option<DVec3> {
    let first = *points.first()?;
    Some(first + points.iter().map(|&p| p - first).sum::<DVec3>() / points.len() as f64)
}

/// The shapes of all blocks of a model, or what is wrong with one of them.
pub(crate) fn shapes(model: &Model) -> Result<Vec<Body>, String> {
    let named = |block: &Block| shape(model, block).map_err(|why| format!("block `{}`: {why}", block.name));
    let tolerances = [model.tolerances.contact, model.tolerances.planarity];
    if !tolerances.iter().all(|t| *t > 0.0 && *t <= COARSEST) {
        return Err(format!(
            "the tolerances of the model are not above zero and up to {COARSEST}"
        ));
    }
    let shapes: Vec<Body> = model.blocks.iter().map(named).collect::<Result<_, _>>()?;
    if let Some(search) = &model.joint_search {
        let smallest = shapes.iter().map(|b| b.size).fold(f64::INFINITY, f64::min);
        let is_sound = search.distance > 0.0
            && search.precision >= 0.0
            && (0.0..=60.0).contains(&search.angle_deg)
            && search.distance.max(model.rounding()) <= COARSEST_JOINT * smallest;
        if !is_sound {
            return Err(format!(
                "the settings for the search of joints are out of range, or reach farther than {COARSEST_JOINT} of the \
                 smallest block"
            ));
        }
    }
    Ok(shapes)
}

/// All blocks in the situation of a certificate, and their indices by name.
pub(crate) struct Bodies<'a> {
    pub(crate) model: &'a Model,
    pub(crate) all: &'a [Body],
    /// Which blocks are supports.
    pub(crate) fixed: Vec<bool>,
    /// Masses (kg); zero for supports, whose weight nothing has to carry.
    pub(crate) mass: Vec<f64>,
    index: HashMap<&'a str, usize>,
}

impl<'a> Bodies<'a> {
    /// The blocks of a model with their shapes, or what is wrong with one of them.
    pub(crate) fn of(model: &'a Model, all: &'a [Body]) -> Result<Self, String> {
        let mut index = HashMap::new();
        let mut mass = Vec::with_capacity(all.len());
        for (k, block) in model.blocks.iter().enumerate() {
            if index.insert(block.name.as_str(), k).is_some() {
                return Err(format!("two blocks are named `{}`", block.name));
            }
            let own = weigh(model, block, &block.polyhedron()).0;
            if !(own > 0.0 && own.is_finite()) {
                return Err(format!("block `{}`: its mass is {own} kg", block.name));
            }
            mass.push(if block.fixed { 0.0 } else { own });
        }
        Ok(Self {
            model,
            all,
            fixed: model.blocks.iter().map(|b| b.fixed).collect(),
            mass,
            index,
        })
    }

    pub(crate) fn find(&self, name: &str) -> Result<usize, String> {
        let found = self.index.get(name).copied();
        found.ok_or_else(|| format!("the model has no block `{name}`"))
    }

    pub(crate) fn name(&self, index: usize) -> &str {
        self.model.blocks.get(index).map_or("?", |b| b.name.as_str())
    }

    /// Whether nothing depends on what is between two blocks.
    pub(crate) fn are_fixed(&self, [a, b]: [usize; 2]) -> bool {
        self.fixed[a] && self.fixed[b]
    }

    /// Friction of the joint between two blocks; no number if the model's is not zero or above.
    pub(crate) fn friction(&self, [a, b]: [usize; 2]) -> f64 {
        let friction = self
            .model
            .joints
            .law_between(&self.model.blocks[a], &self.model.blocks[b])
            .friction;
        if friction >= 0.0 && friction.is_finite() {
            friction
        } else {
            f64::NAN
        }
    }
}

/// Mass of a block with what it carries (kg), and its centre.
fn weigh(model: &Model, block: &Block, solid: &Polyhedron) -> (f64, DVec3) {
    let properties = solid.mass_properties();
    let own = model.density_of(block, properties.volume) * properties.volume;
    let Some(map) = block.pose.map().filter(|_| !block.added_mass.is_empty()) else {
        return (own, properties.centroid);
    };
    let (mut mass, mut off) = (own, DVec3::ZERO);
    for added in &block.added_mass {
        mass += added.mass;
        off += added.mass * (map.transform_point3(added.center) - properties.centroid);
    }
    (mass, properties.centroid + off / mass)
}

fn shape(model: &Model, block: &Block) -> Result<Body, String> {
    let is_sound = match &block.shape {
        Shape::Mesh(mesh) => mesh.faces.iter().flatten().all(|&c| (c as usize) < mesh.vertices.len()),
        Shape::Box(_) | Shape::Prism(_) => true,
    };
    if !is_sound {
        return Err("a face names a corner that does not exist".into());
    }
    let solid = block.polyhedron();
    if solid.vertices.is_empty() || !solid.vertices.iter().all(|v| v.is_finite()) {
        return Err("it has no corners, or corners that are no numbers".into());
    }
    let bounds = solid.bounds();
    let center = weigh(model, block, &solid).1;
    let has_volume = solid.volume() > 0.0 && center.is_finite() && bounds.diagonal().is_finite();
    if !has_volume {
        return Err("it has no volume".into());
    }
    let corners_of = |face: usize| solid.corners(face).collect::<Vec<_>>();
    // Faces without area, such as those of corners that were listed twice, carry nothing and are passed over.
    let faces: Vec<Face> = (0..solid.faces.len())
        .filter_map(|f| Face::of(&corners_of(f)))
        .collect();
    let corners = used_corners(&solid);
    let slack = 1e-9 * bounds.diagonal();
    // Of a shape with very many corners it is not worth knowing: it only saves time.
    let is_convex =
        faces.len() * corners.len() <= MANY && faces.iter().all(|f| corners.iter().all(|&c| f.height(c) <= slack));
    Ok(Body {
        center,
        size: bounds.diagonal(),
        min: bounds.min,
        max: bounds.max,
        corners,
        edges: solid
            .edges()
            .into_iter()
            .map(|(a, b)| [solid.vertices[a as usize], solid.vertices[b as usize]])
            .collect(),
        faces,
        is_convex,
    })
}

/// Corners that some face has: a mesh may list others.
fn used_corners(solid: &Polyhedron) -> Vec<DVec3> {
    let mut used = vec![false; solid.vertices.len()];
    for &corner in solid.faces.iter().flatten() {
        used[corner as usize] = true;
    }
    let vertices = solid.vertices.iter().zip(used);
    vertices.filter(|(_, used)| *used).map(|(&v, _)| v).collect()
}

//! A cross vault (groin vault): two equal barrel vaults that cross over a square bay, on four fixed springers.
//!
//! Seen in plan, x points east and y north. The web to the north is the part of the barrel along y where y > |x|; the
//! other three follow by symmetry. Two webs meet in a groin, in the vertical plane of a diagonal. A course of one web
//! meets the same course of the other there, and one stone takes the corner: it reaches into both webs and so binds
//! them. Such a stone is the union of two prisms mitred on the diagonal, and of four at the crown; the union is exact
//! because mitred corners are put on the diagonal to the last bit and neighbours are mirror images.

use glam::{DAffine3, DMat3, DVec2, DVec3};

use super::{
    Recipe, RecipeError, parameters,
    voussoir::{Joint, Ring, Side, between, numbered, springer},
};
use crate::{
    Block, MeshShape, Model, Shape,
    geometry::{Plane, Polyhedron, clip, merge_coplanar_faces},
};

pub(super) const RECIPE: Recipe = Recipe {
    name: "cross-vault",
    summary: "A groin vault over a square bay, its webs bound by stones that straddle the groins",
    notes: "Two equal polygonal barrels cross; courses run parallel to the axis of their barrel, from the edge of the \
            bay to the groin. Every groin stone is L-shaped in plan and reaches into both webs; its legs are longer \
            and shorter in turn, because joints across a course are staggered by half a block from course to course, \
            counted from the edge of the bay. The keystone is a cross that reaches into all four webs. Groin stones \
            and keystone are not convex (their convex parts are in the model), so `--chamfer` does not apply. The \
            webs overhang the springing by `margin`, so that the lowest stones are not sharp wedges. Four fixed \
            skewbacks, L-shaped in plan, carry the groins' feet; between them the sides of the bay are open.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

parameters! {
    struct Params {
        radius: f64 = 3.0, in 1e-3..=1e4, "m", "Radius of the centreline of both barrels";
        thickness: f64 = 0.4, in 1e-4..=1e4, "m", "Depth of the voussoirs, radially";
        embrace_deg: f64 = 180.0, in 60.0..=180.0, "deg", "Angle of embrace: from the first joint of a barrel to the last";
        voussoirs: usize = 13, in 3..=199, "", "Number of courses of a whole barrel; odd";
        block_length: f64 = 0.8, in 1e-3..=1e4, "m", "Length of a whole block along its course";
        margin: f64 = 0.4, in 1e-3..=1e4, "m", "How far the webs go on past the springing's back";
    }
}

/// A leg of a groin stone is at least this part of a block long, measured from its course's outer edge at the groin.
const SHORTEST_LEG: f64 = 0.3;

fn build(p: &Params) -> Result<Model, RecipeError> {
    if p.voussoirs.is_multiple_of(2) {
        return Err(RecipeError::conflict(format!(
            "--voussoirs {}: a cross vault closes with a keystone, so the number of courses is odd; give {} or {}",
            p.voussoirs,
            p.voussoirs - 1,
            p.voussoirs + 1
        )));
    }
    let vault = CrossVault::new(p)?;
    let mut model = Model::named("cross-vault");
    for quadrant in QUADRANTS {
        let foot = vault.groin_stone(springer(&vault.joints[0], Side::Right), vault.edge, quadrant)?;
        let block = Block::new(format!("springer-{}", quadrant.name), foot);
        model.blocks.push(block.fixed().in_group("ground"));
    }
    for course in 0..vault.joints.len() - 1 {
        vault.add_course(course, &mut model)?;
    }
    vault.add_crown(&mut model)?;
    Ok(model)
}

/// A quarter of the bay: the image of the north-eastern one under two reflections.
#[derive(Clone, Copy)]
struct Quadrant {
    name: &'static str,
    /// Webs that meet in its groin: the one along y, then the one along x.
    webs: [&'static str; 2],
    signs: DVec2,
}

const QUADRANTS: [Quadrant; 4] = [
    Quadrant {
        name: "north-east",
        webs: ["north", "east"],
        signs: DVec2::new(1.0, 1.0),
    },
    Quadrant {
        name: "north-west",
        webs: ["north", "west"],
        signs: DVec2::new(-1.0, 1.0),
    },
    Quadrant {
        name: "south-west",
        webs: ["south", "west"],
        signs: DVec2::new(-1.0, -1.0),
    },
    Quadrant {
        name: "south-east",
        webs: ["south", "east"],
        signs: DVec2::new(1.0, -1.0),
    },
];

impl Quadrant {
    /// Maps a piece of the northern web's eastern half to this quadrant's web along y.
    fn along_y(self) -> DAffine3 {
        DAffine3::from_scale(self.signs.extend(1.0))
    }

    /// Maps a piece of the northern web's eastern half to this quadrant's web along x.
    fn along_x(self) -> DAffine3 {
        self.along_y() * swap()
    }
}

/// The reflection in the diagonal plane x = y.
fn swap() -> DAffine3 {
    DAffine3::from_mat3(DMat3::from_cols(DVec3::Y, DVec3::X, DVec3::Z))
}

struct CrossVault {
    /// Joints of the right half of a barrel, from the springing to the keystone course.
    joints: Vec<Joint>,
    /// Distance of the edge of the bay from its middle.
    edge: f64,
    block_length: f64,
}

impl CrossVault {
    fn new(p: &Params) -> Result<Self, RecipeError> {
        let ring = Ring::about(p.radius, p.thickness)?;
        let mut joints = ring.joints(p.embrace_deg.to_radians(), p.voussoirs)?;
        joints.reverse();
        joints.truncate(p.voussoirs.div_ceil(2));
        let edge = joints[0].extrados.x + p.margin;
        let blocks = p.voussoirs as f64 * 4.0 * edge / p.block_length;
        if blocks > 50_000.0 {
            return Err(RecipeError::conflict(format!(
                "blocks of {} m in {} courses over a bay {} m wide are more than 50000: give longer blocks or fewer \
                 courses",
                p.block_length,
                p.voussoirs,
                2.0 * edge
            )));
        }
        Ok(Self {
            joints,
            edge,
            block_length: p.block_length,
        })
    }

    /// Where a course is cut across, from the edge of the bay inwards, the edge included.
    ///
    /// `reach` is how far from the middle the groin ends in this course; the last cut is where its stone's leg ends.
    fn cuts(&self, course: usize, reach: f64) -> Vec<f64> {
        let first = if course.is_multiple_of(2) { 1.0 } else { 0.5 };
        let inner = (0..).map(|i| self.edge - self.block_length * (first + f64::from(i)));
        let room = reach + SHORTEST_LEG * self.block_length;
        [self.edge]
            .into_iter()
            .chain(inner.take_while(|&y| y >= room))
            .collect()
    }

    /// The stones of a course below the crown, in all four quadrants.
    fn add_course(&self, course: usize, model: &mut Model) -> Result<(), RecipeError> {
        let outline = between(&self.joints[course], &self.joints[course + 1]);
        let reach = outline.iter().map(|c| c.x).fold(0.0, f64::max);
        let cuts = self.cuts(course, reach);
        let leg = cuts[cuts.len() - 1];
        let last = self.joints.len();
        for quadrant in QUADRANTS {
            let name = numbered(&format!("groin-{}-course", quadrant.name), course + 1, last);
            let stone = self.groin_stone(outline.clone(), leg, quadrant)?;
            model.blocks.push(Block::new(name, stone).in_group("groin"));
            // The web's name comes first, then the half of it that the quadrant holds.
            let [y_web, x_web] = quadrant.webs;
            let halves = [(y_web, x_web, quadrant.along_y()), (x_web, y_web, quadrant.along_x())];
            for (web, half, map) in halves {
                let course = numbered(&format!("web-{web}-{half}-course"), course + 1, last);
                add_row(&outline, &cuts, &map, &course, model);
            }
        }
        Ok(())
    }

    /// The keystone and the four arms of the course at the crown.
    fn add_crown(&self, model: &mut Model) -> Result<(), RecipeError> {
        let right = self.joints[self.joints.len() - 1];
        let outline = between(&right, &right.mirrored());
        let cuts = self.cuts(self.joints.len() - 1, right.extrados.x);
        let diagonals = [DVec3::new(1.0, -1.0, 0.0), DVec3::new(-1.0, -1.0, 0.0)];
        let north = mitred(&outline, cuts[cuts.len() - 1], &diagonals)?;
        let south = DAffine3::from_scale(DVec3::new(1.0, -1.0, 1.0));
        let west = DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0)) * swap();
        let webs = [
            ("north", DAffine3::IDENTITY),
            ("east", swap()),
            ("south", south),
            ("west", west),
        ];
        let arms: Vec<Polyhedron> = webs.iter().map(|(_, map)| north.transformed(map)).collect();
        model
            .blocks
            .push(Block::new("keystone", united(&arms)).in_group("groin"));
        for (web, map) in webs {
            add_row(&outline, &cuts, &map, &format!("crown-{web}"), model);
        }
        Ok(())
    }

    /// The stone that takes the corner of a course: its outline along y up to `leg`, and the mirror image along x.
    fn groin_stone(&self, outline: Vec<DVec2>, leg: f64, quadrant: Quadrant) -> Result<Shape, RecipeError> {
        let piece = mitred(&outline, leg, &[DVec3::new(1.0, -1.0, 0.0)])?;
        Ok(united(&[
            piece.transformed(&quadrant.along_y()),
            piece.transformed(&quadrant.along_x()),
        ]))
    }
}

/// The plain blocks of a course between its cuts, numbered from the edge of the bay inwards.
fn add_row(outline: &[DVec2], cuts: &[f64], map: &DAffine3, course: &str, model: &mut Model) {
    for (i, y) in cuts.windows(2).enumerate() {
        let solid = Polyhedron::from_elevation(outline, y[1], y[0]).transformed(map);
        let name = numbered(&format!("{course}-block"), i + 1, cuts.len());
        model.blocks.push(Block::new(name, solid).in_group("web"));
    }
}

/// The elevation as a solid that runs along y up to `end` and is cut off behind vertical planes through the origin
/// with the given outward normals, all of them diagonal.
fn mitred(outline: &[DVec2], end: f64, normals: &[DVec3]) -> Result<Polyhedron, RecipeError> {
    let far = outline.iter().map(|p| p.x.abs()).fold(end.abs(), f64::max);
    let mut solid = Polyhedron::from_elevation(outline, -far, end);
    let tolerance = 1e-12 * far;
    for &normal in normals {
        let plane = Plane::through(DVec3::ZERO, normal);
        solid = clip(&solid, &plane, tolerance).ok_or_else(|| {
            RecipeError::conflict("a course ends before the groin; lengthen --margin or --block-length")
        })?;
    }
    // Rounding leaves cut corners beside the diagonal; mirror images must share them to the last bit.
    for v in solid
        .vertices
        .iter_mut()
        .filter(|v| (v.y - v.x.abs()).abs() <= 4.0 * tolerance)
    {
        v.y = v.x.abs();
    }
    Ok(solid)
}

/// The union of pieces that meet in faces on the diagonals, with the pieces as its convex parts.
fn united(pieces: &[Polyhedron]) -> Shape {
    let mut union = Polyhedron::default();
    for piece in pieces {
        let offset = union.vertices.len() as u32;
        union.vertices.extend(&piece.vertices);
        let outer = (0..piece.faces.len()).filter(|&f| !piece.corners(f).all(|v| v.x.abs() == v.y.abs()));
        let faces = outer.map(|f| piece.faces[f].iter().map(|v| v + offset).collect());
        union.faces.extend(faces.collect::<Vec<Vec<u32>>>());
    }
    let union = merge_coplanar_faces(&union, 1e-12 * union.bounds().diagonal());
    Shape::Mesh(MeshShape {
        vertices: union.vertices,
        faces: union.faces,
        parts: pieces.iter().map(|p| p.vertices.clone()).collect(),
    })
}

#[cfg(test)]
mod tests;

//! Paper 004, figure 12: three ways to hold the sliding pieces of the shelf.
//!
//! The figure shows ideas, not measures; those here are ours. Pieces are prisms along y, each a strut with four corners in
//! elevation: a foot on a slope that is steeper than friction holds, and a level head under the top of the frame.

use drystone_model::{
    Block, Model, Shape,
    geometry::{
        Plane, Polyhedron,
        edit::{cut, move_corners, split},
    },
};
use glam::{DVec2, DVec3};

use super::Failure;

/// How far down its side the head of a piece is cut, over the length of the side (fig. 12d).
const HEAD: f64 = 0.4;
/// How far the foot must reach beyond the middle of the piece, over the foot's width (fig. 12c).
const FOOT: f64 = 0.2;

/// Ways to hold a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repair {
    /// A supporting element at the foot (fig. 12b).
    Stop,
    /// Another lower interface (fig. 12c).
    Foot,
    /// Another upper interface (fig. 12d).
    Head,
}

impl Repair {
    pub(super) const ALL: [Self; 3] = [Self::Stop, Self::Foot, Self::Head];

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Stop => "with a stop at either foot (fig. 12b)",
            Self::Foot => "with other feet (fig. 12c)",
            Self::Head => "with other heads (fig. 12d)",
        }
    }

    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Stop => "a fixed wedge between the foot's lower corner and the piece below",
            Self::Foot => "level feet, wide enough to stand on, on seats that belong to the pieces below",
            Self::Head => "heads cut steeply, what is cut off belongs to the frame",
        }
    }

    /// The model with a piece held; `below` is what its foot stands on.
    pub(super) fn apply(self, model: &mut Model, piece: &str, below: &str) -> Result<(), Failure> {
        let strut = Strut::of(block(model, piece)?)?;
        // Joints stored with the file are those of the old shapes.
        model.interfaces.clear();
        match self {
            Self::Stop => {
                let stop = strut.stop();
                model
                    .blocks
                    .push(Block::new(format!("stop-{piece}"), Shape::from(stop)).fixed());
            }
            Self::Foot => {
                let (solid, seat) = strut.level_foot()?;
                let slope = outline(&block(model, below)?.polyhedron())?;
                let (y0, y1) = (strut.solid.bounds().min.y, strut.solid.bounds().max.y);
                let joined = with_seat(&slope, &seat)
                    .ok_or_else(|| Failure::run(format!("piece {piece} does not stand on piece {below}")))?;
                replace(model, piece, solid)?;
                replace(model, below, Polyhedron::from_elevation(&joined, y0, y1))?;
            }
            Self::Head => {
                let [rest, off] = strut.steep_head()?;
                replace(model, piece, rest)?;
                model
                    .blocks
                    .push(Block::new(format!("frame-{piece}"), Shape::from(off)).fixed());
            }
        }
        Ok(())
    }
}

fn block<'a>(model: &'a Model, name: &str) -> Result<&'a Block, Failure> {
    let found = model.block(name);
    found.ok_or_else(|| Failure::run(format!("the shelf has no piece {name}")))
}

fn replace(model: &mut Model, name: &str, solid: Polyhedron) -> Result<(), Failure> {
    let mut blocks = model.blocks.iter_mut();
    let block = blocks.find(|b| b.name == name);
    let block = block.ok_or_else(|| Failure::run(format!("the shelf has no piece {name}")))?;
    block.shape = Shape::from(solid);
    block.pose = Default::default();
    Ok(())
}

/// A piece and its corners in elevation. The lower corner of the foot is on the left: both pieces slide to the left.
struct Strut {
    solid: Polyhedron,
    /// Of the foot, lower and upper corner.
    foot: [DVec2; 2],
    /// Of the head, left and right corner.
    head: [DVec2; 2],
}

impl Strut {
    fn of(piece: &Block) -> Result<Self, Failure> {
        let solid = piece.polyhedron();
        let mut corners = outline(&solid)?;
        corners.sort_by(|a, b| a.y.total_cmp(&b.y));
        let [low, high, mut left, mut right] = corners[..] else {
            return Err(Failure::run(format!("piece {} of the shelf is no strut", piece.name)));
        };
        if left.x > right.x {
            (left, right) = (right, left);
        }
        Ok(Self {
            solid,
            foot: [low, high],
            head: [left, right],
        })
    }

    /// A wedge at the lower corner of the foot, between the slope and the strut's side.
    fn stop(&self) -> Polyhedron {
        let [low, high] = self.foot;
        // Piece 9 leans over its foot: the stop must reach above its centre.
        let top = low + 0.6 * (self.head[0] - low);
        let bounds = self.solid.bounds();
        Polyhedron::from_elevation(&[low, low + 0.5 * (low - high), top], bounds.min.y, bounds.max.y)
    }

    /// The strut with a level foot at the height of the old foot's upper corner, and the seat under it.
    fn level_foot(&self) -> Result<(Polyhedron, [DVec2; 3]), Failure> {
        let [low, high] = self.foot;
        let mut solid = cut(&self.solid, &Plane::through(lift(high), DVec3::NEG_Z)).map_err(Failure::run)?;
        let size = solid.bounds().diagonal();
        let left = |solid: &Polyhedron| {
            let level = solid.vertices.iter().filter(|v| (v.z - high.y).abs() < 1e-6 * size);
            level.map(|v| v.x).fold(f64::INFINITY, f64::min)
        };
        // A wider foot moves the centre, too; each round halves what is left of that.
        for _ in 0..40 {
            let (edge, center) = (left(&solid), solid.mass_properties().centroid.x);
            let wanted = center - FOOT * (high.x - edge);
            if edge <= wanted {
                break;
            }
            let is_edge = |v: &DVec3| (v.z - high.y).abs() < 1e-6 * size && (v.x - edge).abs() < 1e-6 * size;
            let moves: Vec<(usize, DVec3)> = (solid.vertices.iter().enumerate())
                .filter(|(_, v)| is_edge(v))
                .map(|(k, _)| (k, DVec3::X * (wanted - edge - 1e-3 * (high.x - edge))))
                .collect();
            solid = move_corners(&solid, &moves).map_err(Failure::run)?;
        }
        let seat = [low, DVec2::new(left(&solid), high.y), high];
        Ok((solid, seat))
    }

    /// The strut with its head cut from the right corner down to its left side, and what is cut off.
    fn steep_head(&self) -> Result<[Polyhedron; 2], Failure> {
        let [left, right] = self.head;
        let down = left.lerp(self.foot[0], HEAD);
        let along = right - down;
        // Points up and to the left: away from what stays.
        let plane = Plane::through(lift(right), DVec3::new(-along.y, 0.0, along.x));
        split(&self.solid, &plane).map_err(Failure::run)
    }
}

fn lift(p: DVec2) -> DVec3 {
    DVec3::new(p.x, 0.0, p.y)
}

/// The front of a prism along y, in elevation.
fn outline(solid: &Polyhedron) -> Result<Vec<DVec2>, Failure> {
    let front = (0..solid.faces.len()).find(|&f| solid.face_plane(f).normal.y < -0.999);
    let front = front.ok_or_else(|| Failure::run("a piece of the shelf is no prism along y"))?;
    Ok(solid.corners(front).map(|p| DVec2::new(p.x, p.z)).collect())
}

/// An outline with a seat on the side that the seat's first and last corner lie on.
fn with_seat(outline: &[DVec2], [low, corner, high]: &[DVec2; 3]) -> Option<Vec<DVec2>> {
    let n = outline.len();
    let off = |p: DVec2, a: DVec2, b: DVec2| ((b - a).perp_dot(p - a) / (b - a).length()).abs();
    let within = |p: DVec2, a: DVec2, b: DVec2| {
        let along = (p - a).dot(b - a) / (b - a).length_squared();
        (0.0..=1.0).contains(&along) && off(p, a, b) < 1e-3 * (b - a).length()
    };
    let side = (0..n).find(|&k| {
        let (a, b) = (outline[k], outline[(k + 1) % n]);
        within(*low, a, b) && within(*high, a, b)
    })?;
    let mut joined = outline.to_vec();
    let from = outline[side];
    let mut seat = [*low, *corner, *high];
    if from.distance(*high) < from.distance(*low) {
        seat.reverse();
    }
    joined.splice(side + 1..side + 1, seat);
    Some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_adds_its_own_area_to_the_outline_below() {
        // A slope of 45 degrees with a level seat on it: a triangle of legs 0.5.
        let slope = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0)].map(DVec2::from);
        let seat = [(0.5, 0.5), (0.5, 1.0), (1.0, 1.0)].map(DVec2::from);
        let mut reversed = slope;
        reversed.reverse();
        for slope in [slope, reversed] {
            let joined = with_seat(&slope, &seat).unwrap();
            let volume = Polyhedron::from_elevation(&joined, 0.0, 1.0).volume();
            assert!((volume - (2.0 + 0.125)).abs() < 1e-14, "{volume}");
        }
        let aside = [(0.5, 0.7), (0.5, 1.0), (1.0, 1.2)].map(DVec2::from);
        assert!(with_seat(&slope, &aside).is_none());
    }
}

//! The common parts of the faces of two blocks.

use drystone_model::{
    JointSearch,
    geometry::{Bounds, Plane, signed_area},
};
use glam::{DVec2, DVec3};

use super::{
    SearchSettings,
    faces::{Face, Faces},
    polygon,
};

/// Largest width, as a fraction of the smaller block's size, of what counts as a line. Faces may be searched at a
/// distance far above this, and narrow interfaces between them are still interfaces.
const WIDEST_LINE: f64 = 1e-4;

/// A face that looks back along a normal by more than this (cosine) covers what is behind it.
const LOOKING_BACK: f64 = 0.1;

/// An interface before it knows its blocks.
pub(super) struct Overlap {
    pub(super) faces: [usize; 2],
    pub(super) points: Vec<DVec3>,
    pub(super) normal: DVec3,
    pub(super) area: f64,
    pub(super) gap: f64,
    pub(super) gaps: [f64; 2],
    pub(super) angle_deg: f64,
}

/// The interfaces between two blocks, ordered by faces. `others` are blocks that may lie between them.
pub(super) fn overlaps([a, b]: [&Faces; 2], others: &[&Faces], settings: &SearchSettings) -> Vec<Overlap> {
    // Everything is seen from the middle of the first block.
    let shift = b.origin - a.origin;
    let size = a.size.min(b.size);
    let tolerance = settings.reach(size);
    let box_of = |block: &Faces, by: DVec3| Bounds {
        min: block.bounds.min - block.origin + by,
        max: block.bounds.max - block.origin + by,
    };
    let (box_a, box_b) = (box_of(a, DVec3::ZERO), box_of(b, shift));
    let near = |face: &Face, by: DVec3, other: &Bounds| {
        let bounds = Bounds {
            min: face.bounds.min + by,
            max: face.bounds.max + by,
        };
        bounds.is_near(other, 2.0 * (tolerance + face.warp)).then_some(bounds)
    };
    let of_b: Vec<(&Face, Bounds)> = b
        .faces
        .iter()
        .filter_map(|face| Some((face, near(face, shift, &box_a)?)))
        .collect();
    // Compared by chord length, which is exact for small angles where the cosine is not.
    let chord = |angle_deg: f64| 2.0 * (0.5 * angle_deg.to_radians()).sin();
    let turn = chord(settings.angle_deg);
    let most_turned = if settings.rounding > 0.0 {
        turn.max(chord(JointSearch::MOST_ROUNDED_DEG))
    } else {
        turn
    };
    let mut found = Vec::new();
    for face_a in &a.faces {
        let Some(bounds_a) = near(face_a, DVec3::ZERO, &box_b) else {
            continue;
        };
        for (face_b, bounds_b) in &of_b {
            let margin = 2.0 * (tolerance + face_a.warp + face_b.warp);
            let turned = (face_a.plane.normal + face_b.plane.normal).length();
            if turned <= most_turned && bounds_a.is_near(bounds_b, margin) {
                let common = Common {
                    faces: [face_a, face_b],
                    shift,
                    tolerance,
                    line_width: (settings.distance.min(WIDEST_LINE) * size).max(settings.rounding),
                    turned,
                    most_varied: if turned <= turn {
                        f64::INFINITY
                    } else {
                        settings.rounding
                    },
                };
                common.find(settings, a.origin, others, &mut found);
            }
        }
    }
    found
}

/// Two faces that look at each other.
struct Common<'a> {
    faces: [&'a Face; 2],
    /// From the origin of the first face's coordinates to that of the second's.
    shift: DVec3,
    /// Largest distance between the faces (m).
    tolerance: f64,
    /// Largest width of what counts as a line (m).
    line_width: f64,
    /// How far the faces are from parallel (chord).
    turned: f64,
    /// How much the distance between the faces may vary (m): rounding turns small faces more than large ones.
    most_varied: f64,
}

impl Common<'_> {
    fn find(&self, settings: &SearchSettings, origin: DVec3, others: &[&Faces], found: &mut Vec<Overlap>) {
        let [a, b] = self.faces;
        let plane_a = a.plane;
        let plane_b = Plane {
            normal: b.plane.normal,
            offset: b.plane.offset + b.plane.normal.dot(self.shift),
        };
        let normal = (plane_a.normal - plane_b.normal).normalize();
        // The plane half-way between the faces, above the middle of the first.
        let middle = a.bounds.center();
        let above = |plane: &Plane, p: DVec3| -plane.distance(p) / plane.normal.dot(normal);
        let center = middle + 0.5 * (above(&plane_a, middle) + above(&plane_b, middle)) * normal;
        let (u, v) = Plane::through(center, normal).axes();
        let flat = |p: DVec3| DVec2::new((p - center).dot(u), (p - center).dot(v));
        let lifted = |p: DVec2| center + p.x * u + p.y * v;
        let heights = |p: DVec2| [above(&plane_a, lifted(p)), above(&plane_b, lifted(p))];
        let gap = |p: DVec2| {
            let [low, high] = heights(p);
            high - low
        };

        let mut pieces = Vec::new();
        for piece_a in a.pieces() {
            let outline_a: Vec<DVec2> = piece_a.iter().map(|&p| flat(p)).collect();
            for piece_b in b.pieces() {
                // Seen from the first block the second face turns clockwise.
                let outline_b: Vec<DVec2> = piece_b.iter().rev().map(|&p| flat(p + self.shift)).collect();
                let common = polygon::clip(&outline_a, &outline_b);
                if self.has_width(&common) {
                    pieces.push(common);
                }
            }
        }
        // Faces that are apart are not joined through what lies between them.
        if pieces.iter().flatten().any(|&p| gap(p) > self.line_width) {
            for face in others
                .iter()
                .flat_map(|other| other.faces.iter().map(move |f| (other.origin, f)))
            {
                let (at, face) = (face.0 - origin, face.1);
                if face.plane.normal.dot(normal) >= -LOOKING_BACK {
                    continue;
                }
                let plane = Plane {
                    normal: face.plane.normal,
                    offset: face.plane.offset + face.plane.normal.dot(at),
                };
                for cover in face.pieces() {
                    let outline: Vec<DVec2> = cover.iter().rev().map(|&p| flat(p + at)).collect();
                    let lies_between = |part: &[DVec2]| {
                        let p = polygon::centroid(part);
                        let ([low, high], height) = (heights(p), above(&plane, lifted(p)));
                        height >= low - self.line_width && height < high - self.line_width
                    };
                    let rest = |piece: Vec<DVec2>| {
                        let covered = polygon::clip(&piece, &outline);
                        match self.has_width(&covered) && lies_between(&covered) {
                            true => polygon::without(&piece, &outline),
                            false => vec![piece],
                        }
                    };
                    pieces = pieces
                        .into_iter()
                        .flat_map(rest)
                        .filter(|p| self.has_width(p))
                        .collect();
                }
            }
        }
        let least_area = settings.area * a.area.min(b.area);
        for piece in polygon::join_convex(pieces, self.line_width) {
            let outline = if settings.rounding > 0.0 {
                polygon::simplified(piece, self.line_width)
            } else {
                polygon::without_straight_corners(piece, self.line_width)
            };
            let area = signed_area(&outline);
            let gaps = outline
                .iter()
                .map(|&p| gap(p))
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], gap| {
                    [low.min(gap), high.max(gap)]
                });
            let touches = gaps[0] >= -self.tolerance && gaps[1] <= self.tolerance;
            let is_parallel = gaps[1] - gaps[0] <= self.most_varied;
            if touches && is_parallel && area >= least_area && self.has_width(&outline) {
                found.push(Overlap {
                    faces: [a.index, b.index],
                    points: outline.iter().map(|&p| origin + lifted(p)).collect(),
                    normal,
                    area,
                    gap: gap(polygon::centroid(&outline)),
                    gaps,
                    angle_deg: 2.0 * (0.5 * self.turned).min(1.0).asin().to_degrees(),
                });
            }
        }
    }

    /// Whether a polygon is more than a line, as neighbours in a row leave it along their common edge.
    fn has_width(&self, outline: &[DVec2]) -> bool {
        outline.len() >= 3 && signed_area(outline) > self.line_width * polygon::extent(outline)
    }
}

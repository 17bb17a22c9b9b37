//! Lengths and angles below which things count as touching: the tolerances of the model, for a pair of blocks.

use drystone_model::{JointSearch, Model};

use crate::bodies::Body;

/// How many times the model's own tolerance a stated point may be off the joint that it is meant for. Whoever made the
/// certificate may have put the point on either block or between them. What acts there is taken to act on the joint.
const TOUCH: f64 = 4.0;
/// How many times the model's tolerance edges and corners are wide where blocks touch at single points.
const FEATURE: f64 = 10.0;
/// Width of a joint, as a fraction of the smaller block's size, above which it is never a line.
const WIDEST_LINE: f64 = 1e-4;
/// Rounding of arithmetic in the units of the last digit of coordinates.
const ROUNDING: f64 = 16.0;

/// What counts as touching, for a pair of blocks.
pub(crate) struct Slack {
    /// Largest distance between joined faces, and depth by which they overlap (m).
    pub(crate) joined: f64,
    /// Largest distance between the unit normals of joined faces, one turned round.
    pub(crate) turned: f64,
    /// The same for faces that rounding alone may have turned, if they are apart by the same all over but for `rounded`.
    pub(crate) turned_by_rounding: f64,
    /// How far corners may be off each other because the coordinates of the model are rounded (m).
    pub(crate) rounded: f64,
    /// How far a stated point may be off the joint that it is meant for (m).
    pub(crate) touch: f64,
    /// How far corners and edges may be off what they stand on (m).
    pub(crate) bears: f64,
    /// Points as near as this to an edge are on the edge (m).
    pub(crate) feature: f64,
    /// Common parts of faces that are narrower than this are lines (m).
    pub(crate) line: f64,
    /// How far coordinates are rounded (m).
    pub(crate) rounding: f64,
    /// Size of the smaller block (m).
    pub(crate) size: f64,
}

impl Slack {
    /// For two blocks whose corners may be off each other by `rounded` (m).
    pub(crate) fn of(model: &Model, a: &Body, b: &Body, rounded: f64) -> Self {
        let size = a.size.min(b.size);
        // Where it is known how far corners are off, that they are off their planes tells nothing more.
        let relative = match model.rounding() > 0.0 {
            true => model.tolerances.contact,
            false => model.tolerances.contact.max(model.tolerances.planarity),
        };
        // Coordinates far from the origin are rounded themselves.
        let far = [a.min, a.max, b.min, b.max].map(|p| p.abs().max_element());
        let rounding = ROUNDING * f64::EPSILON * far.into_iter().fold(0.0, f64::max);
        let joined = model.joint_distance(size);
        // Mortar has faces: on an edge bears only what touches, to within the tolerance or rounding.
        let bears = (relative * size).max(joined.min(rounded));
        Self {
            size,
            joined: joined * (1.0 + 1e-9) + rounding,
            turned: chord(model.joint_angle_deg()) * (1.0 + 1e-9),
            turned_by_rounding: chord(JointSearch::MOST_ROUNDED_DEG) * (1.0 + 1e-9),
            rounded: rounded * (1.0 + 1e-9),
            bears: bears * (1.0 + 1e-9) + rounding,
            touch: (TOUCH * relative * size).max(rounded) + rounding,
            feature: (FEATURE * relative * size).max(2.0 * rounded) + rounding,
            line: (joined.min(WIDEST_LINE * size)).max(rounded),
            rounding,
        }
    }

    /// How far blocks may be apart and still have a joint (m).
    pub(crate) fn reach(&self) -> f64 {
        self.joined.max(self.feature)
    }

    /// Depth by which blocks may overlap (m).
    pub(crate) fn depth(&self) -> f64 {
        self.joined.max(self.touch)
    }
}

/// Distance between the ends of two unit vectors at an angle.
fn chord(angle_deg: f64) -> f64 {
    2.0 * (0.5 * angle_deg.to_radians()).sin()
}

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The features of two convex parts whose meeting makes a contact point. Together with the parts it is the point's
/// identity: it stays the same while the blocks move, as long as the same features meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Feature {
    /// A corner of the first part on a face of the second.
    CornerOnFace {
        /// Corner of the first part.
        corner: u32,
        /// Face of the second part.
        face: u32,
    },
    /// A corner of the second part on a face of the first.
    FaceUnderCorner {
        /// Face of the first part.
        face: u32,
        /// Corner of the second part.
        corner: u32,
    },
    /// An edge of the first part across an edge of the second, each named by the corners at its ends, the smaller first.
    EdgeOnEdge {
        /// Ends of the edge of the first part.
        first: (u32, u32),
        /// Ends of the edge of the second part.
        second: (u32, u32),
    },
    /// A cell of two faces that are divided.
    Cell {
        /// Face of the first part, and of the second.
        faces: (u32, u32),
        /// Which of their cells.
        cell: u32,
    },
    /// A node of the grid over two faces, of which one at least deforms.
    Node {
        /// Face of the first part, and of the second.
        faces: (u32, u32),
        /// Which of the nodes.
        node: u32,
    },
}

/// A pair of points, one on each block, that touch or nearly do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectedContact {
    /// What meets: with the parts of the interface, the identity of this contact.
    pub feature: Feature,
    /// Point on the first block, relative to its centre, in world axes (m).
    pub arm_first: DVec3,
    /// Point on the second block, relative to its centre, in world axes (m).
    pub arm_second: DVec3,
    /// Distance along the normal (m), negative for an interpenetration.
    pub gap: f64,
    /// Share of the interface's area (m²); zero where blocks meet along an edge or at a corner.
    pub area: f64,
}

impl DetectedContact {
    /// Fills memory that is about to be written.
    pub(crate) const NONE: Self = Self {
        feature: Feature::CornerOnFace {
            corner: u32::MAX,
            face: u32::MAX,
        },
        arm_first: DVec3::ZERO,
        arm_second: DVec3::ZERO,
        gap: f64::INFINITY,
        area: 0.0,
    };
}

/// Two convex parts that touch, with their common normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectedInterface {
    /// The two blocks, the smaller index first.
    pub blocks: [u32; 2],
    /// The convex parts of these blocks.
    pub parts: [u32; 2],
    /// Unit normal from the first block to the second.
    pub normal: DVec3,
    /// Overlap of the faces that touch, across the normal (m²).
    pub area: f64,
    /// First and last (excluded) of its contacts in [`Contacts::contacts`].
    pub contacts: [u32; 2],
}

impl DetectedInterface {
    /// The same interface with its contacts further on.
    pub(crate) fn shifted(&self, by: u32) -> Self {
        Self {
            contacts: self.contacts.map(|c| c + by),
            ..*self
        }
    }
}

/// Everything that touches, in an order that depends on the blocks alone: by pair of blocks, then of parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Pairs of parts.
    pub interfaces: Vec<DetectedInterface>,
    /// Contact points, those of an interface next to each other.
    pub contacts: Vec<DetectedContact>,
}

impl Contacts {
    /// The contacts of an interface.
    pub fn of(&self, interface: &DetectedInterface) -> &[DetectedContact] {
        &self.contacts[interface.contacts[0] as usize..interface.contacts[1] as usize]
    }

    /// Sum of the areas of all interfaces (m²).
    pub fn area(&self) -> f64 {
        self.interfaces.iter().map(|i| i.area).sum()
    }

    /// The deepest interpenetration (m); zero if there is none.
    pub fn worst_overlap(&self) -> f64 {
        self.contacts.iter().map(|c| -c.gap).fold(0.0, f64::max)
    }

    pub(crate) fn clear(&mut self) {
        self.interfaces.clear();
        self.contacts.clear();
    }
}

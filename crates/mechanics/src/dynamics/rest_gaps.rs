//! What is between joined faces at rest: mortar, or the rounding of coordinates.
//!
//! The joints of a structure at rest carry as they are: a gap between joined faces does not have to close first, and an
//! overlap is not driven apart. Where blocks move, the gap of such a pair is therefore measured from the one at rest, as
//! if its filling stayed on the face of the first block.

use std::collections::BTreeMap;

use drystone_contact::{
    Bodies, Contacts, DetectedContact, DetectedInterface, Detector, DetectorSettings, Placement, Search,
};
use glam::{DMat3, DVec3};

use crate::Structure;

/// Normals closer than this (cosine of 30 degrees) are those of the same two faces.
const SAME_FACES: f64 = 0.866;

/// How far apart joined blocks are looked for, as a fraction of the size of the smaller: stored joints may belong to
/// blocks whose shapes fit badly.
const FARTHEST: f64 = 0.05;

/// By how much two computations of the same gap may differ, as a fraction of the size of the smaller block.
const ROUNDING: f64 = 1e-9;

/// The filling of one joint: a wedge between two convex parts, in the axes of the first block.
#[derive(Clone, Copy, Debug)]
struct Filling {
    blocks: [u32; 2],
    parts: [u32; 2],
    normal: DVec3,
    /// Thickness at a point of the first block: `thickness + slope . point`, from `least` to `most` (m).
    thickness: f64,
    slope: DVec3,
    least: f64,
    most: f64,
}

/// The fillings of all joints, by blocks and parts.
#[derive(Clone, Debug, Default)]
pub struct RestGaps {
    fillings: Vec<Filling>,
    /// Pairs of blocks that are joined but too far apart to touch as they move.
    pub lost: Vec<[u32; 2]>,
}

impl RestGaps {
    /// Measures the joints of a structure where its blocks stand at first.
    pub(super) fn new(structure: &Structure, bodies: &Bodies, settings: &DetectorSettings) -> Self {
        let is_stored = structure.search == Search::Stored;
        let touch = if is_stored {
            settings.touch.max(FARTHEST)
        } else {
            settings.touch
        };
        let initial = structure.placements();
        let mut detector = Detector::new(bodies.clone(), DetectorSettings { touch, ..*settings });
        let contacts = detector.detect(&initial);
        let mut joints: BTreeMap<[u32; 2], Vec<(DVec3, f64)>> = BTreeMap::new();
        for joint in &structure.joints {
            let [a, b] = joint.blocks.map(|b| b as u32);
            let (blocks, normal) = if a < b {
                ([a, b], joint.normal)
            } else {
                ([b, a], -joint.normal)
            };
            // Nothing is known of the gaps of stored joints.
            let gap = if is_stored { f64::INFINITY } else { joint.largest_gap };
            joints.entry(blocks).or_default().push((normal, gap));
        }
        let mut fillings = Vec::new();
        for interface in &contacts.interfaces {
            let of = joints.get(&interface.blocks).map_or(&[][..], Vec::as_slice);
            let same = of.iter().filter(|(n, _)| n.dot(interface.normal) >= SAME_FACES);
            let thickest = same.map(|(_, gap)| *gap).fold(f64::NEG_INFINITY, f64::max);
            // Both gaps are those of the same faces, each with a rounding of its own.
            let rounding = settings.rounding.max(ROUNDING * structure.smaller(interface.blocks));
            fillings.extend(Filling::of(interface, contacts, &initial, thickest + rounding));
        }
        let is_found = |blocks: &&[u32; 2]| fillings.iter().any(|f: &Filling| f.blocks == **blocks);
        let lost = joints.keys().filter(|blocks| !is_found(blocks)).copied().collect();
        Self { fillings, lost }
    }

    /// The thickest filling (m); zero where there is none.
    pub fn thickest(&self) -> f64 {
        self.fillings.iter().map(|f| f.most).fold(0.0, f64::max)
    }

    /// Every interface with its contacts, and with what fills it at rest: a function that gives the thickness at a contact.
    /// Both lists are in the order of blocks and parts.
    pub(super) fn walk<'a>(
        &'a self,
        contacts: &'a Contacts,
        placements: &'a [Placement],
    ) -> impl Iterator<
        Item = (
            &'a DetectedInterface,
            &'a [DetectedContact],
            impl Fn(&DetectedContact) -> f64 + 'a,
        ),
    > + 'a {
        let mut known = self.fillings.iter().peekable();
        contacts.interfaces.iter().map(move |interface| {
            let key = (interface.blocks, interface.parts);
            while known.next_if(|f| (f.blocks, f.parts) < key).is_some() {}
            let filling = known.peek().filter(|f| (f.blocks, f.parts) == key).copied();
            let back = filling.map(|f| {
                let rotation = placements[interface.blocks[0] as usize].rotation;
                let back = DMat3::from_quat(rotation).transpose();
                ((back * interface.normal).dot(f.normal) >= SAME_FACES).then_some((f, back))
            });
            let back = back.flatten();
            let thickness =
                move |contact: &DetectedContact| back.map_or(0.0, |(f, back)| f.at(back * contact.arm_first));
            (interface, contacts.of(interface), thickness)
        })
    }
}

impl Filling {
    /// What fills an interface; nothing where the blocks are farther apart than the joint is thick.
    fn of(interface: &DetectedInterface, contacts: &Contacts, initial: &[Placement], thickest: f64) -> Option<Self> {
        let back = DMat3::from_quat(initial[interface.blocks[0] as usize].rotation).transpose();
        let normal = back * interface.normal;
        let within = contacts.of(interface).iter().filter(|c| c.gap <= thickest);
        let points: Vec<(DVec3, f64)> = within.map(|c| (back * c.arm_first, c.gap)).collect();
        if points.is_empty() {
            return None;
        }
        let count = points.len() as f64;
        let middle = points.iter().map(|p| p.0).sum::<DVec3>() / count;
        let mean = points.iter().map(|p| p.1).sum::<f64>() / count;
        let slope = slope(&points, middle, mean, normal);
        Some(Self {
            blocks: interface.blocks,
            parts: interface.parts,
            normal,
            thickness: mean - slope.dot(middle),
            slope,
            least: points.iter().map(|p| p.1).fold(f64::INFINITY, f64::min),
            most: points.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max),
        })
    }

    fn at(&self, point: DVec3) -> f64 {
        (self.thickness + self.slope.dot(point)).clamp(self.least, self.most)
    }
}

/// How the gap changes across the normal, by least squares; zero along directions in which the points do not spread.
fn slope(points: &[(DVec3, f64)], middle: DVec3, mean: f64, normal: DVec3) -> DVec3 {
    let (u, v) = normal.any_orthonormal_pair();
    let (mut uu, mut uv, mut vv, mut ug, mut vg) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (point, gap) in points {
        let (x, y, g) = ((*point - middle).dot(u), (*point - middle).dot(v), gap - mean);
        (uu, uv, vv, ug, vg) = (uu + x * x, uv + x * y, vv + y * y, ug + x * g, vg + y * g);
    }
    // Moments of inertia of the points: along a direction with next to none, nothing can be told.
    let spread = uu + vv;
    let determinant = uu * vv - uv * uv;
    if determinant > 1e-6 * spread * spread {
        return u * ((vv * ug - uv * vg) / determinant) + v * ((uu * vg - uv * ug) / determinant);
    }
    if spread > 0.0 {
        let along = if uu >= vv { u * uu + v * uv } else { u * uv + v * vv }.normalize_or_zero();
        let product: f64 = points.iter().map(|(p, g)| (*p - middle).dot(along) * (g - mean)).sum();
        return along * (product / spread);
    }
    DVec3::ZERO
}

//! Thrust lines: where resultants pass from block to block.

use std::collections::BTreeMap;

use glam::DVec3;
use serde::Serialize;

use super::joints::JointResult;
use crate::statics::Structure;

/// Sine of the angle between resultants below which they have no point in common.
const PARALLEL: f64 = 1e-6;

/// Which side of an arch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ArchSide {
    /// The soffit, inside.
    Intrados,
    /// The back, outside.
    Extrados,
}

/// A thrust line at a joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Station {
    /// The joint; of several between two blocks the one with the largest force.
    pub joint: usize,
    /// Where the resultant passes (unit: m).
    pub point: DVec3,
    /// The resultant on the block that the line goes on to (unit: N).
    pub force_n: DVec3,
    /// Where the resultant lies between the soffit (-1) and the back (1) of an arch.
    pub height: Option<f64>,
    /// Which edge it stands on, where it is a hinge of an arch.
    pub hinge: Option<ArchSide>,
}

/// A thrust line through a chain of blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThrustLine {
    /// The blocks, in order.
    pub blocks: Vec<String>,
    /// Whether it runs from support to support.
    pub arch: bool,
    /// The joints between them, in order.
    pub stations: Vec<Station>,
    /// The polygon whose sides are the resultants (unit: m): its corners lie where those of neighbouring joints meet.
    pub funicular: Vec<DVec3>,
    /// Smallest and largest horizontal part of the resultants (unit: N).
    pub horizontal_n: [f64; 2],
}

impl ThrustLine {
    /// The points where it passes the joints.
    pub fn points(&self) -> Vec<DVec3> {
        self.stations.iter().map(|s| s.point).collect()
    }
}

/// The thrust lines of a structure: one for every chain of at least two joints through blocks that touch two others. With
/// `members`, only these blocks and the supports count, so that an arch within a wall has one.
pub fn thrust_lines(structure: &Structure, joints: &[JointResult], members: Option<&[bool]>) -> Vec<ThrustLine> {
    let counts = |b: usize| structure.fixed[b] || members.is_none_or(|m| m.get(b).copied().unwrap_or(false));
    let mut between: BTreeMap<[usize; 2], Vec<usize>> = BTreeMap::new();
    for (k, joint) in structure.joints.iter().enumerate() {
        let [a, b] = joint.blocks;
        if counts(a) && counts(b) {
            between.entry([a.min(b), a.max(b)]).or_default().push(k);
        }
    }
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); structure.len()];
    for [a, b] in between.keys() {
        neighbours[*a].push(*b);
        neighbours[*b].push(*a);
    }
    let is_end = |b: usize| structure.fixed[b] || neighbours[b].len() != 2;
    let mut lines = Vec::new();
    for start in (0..structure.len()).filter(|&b| is_end(b)) {
        for &first in &neighbours[start] {
            let mut chain = vec![start, first];
            while let [.., before, at] = chain[..]
                && !is_end(at)
            {
                let next = neighbours[at].iter().find(|&&n| n != before);
                // Both joints of a block may lead to one support.
                chain.push(next.copied().unwrap_or(before));
            }
            let last = chain[chain.len() - 1];
            // Each chain is met from both its ends.
            let is_first = (start, first) <= (last, chain[chain.len() - 2]);
            if is_first && chain.len() > 2 {
                lines.extend(walk(structure, joints, &between, &chain));
            }
        }
    }
    lines
}

/// The lines along a chain: a joint that carries nothing cuts it.
fn walk(
    structure: &Structure,
    joints: &[JointResult],
    between: &BTreeMap<[usize; 2], Vec<usize>>,
    chain: &[usize],
) -> Vec<ThrustLine> {
    let stations: Vec<Option<Station>> = chain
        .windows(2)
        .map(|pair| station(structure, joints, between, pair[0], pair[1]))
        .collect();
    let centers = |k: usize| stations[k].as_ref().map(|s| joints[s.joint].center);
    let is_arch = structure.fixed[chain[0]] && structure.fixed[chain[chain.len() - 1]];
    let middle = match (is_arch, centers(0), centers(stations.len() - 1)) {
        (true, Some(a), Some(b)) => Some(0.5 * (a + b)),
        _ => None,
    };
    let mut lines = Vec::new();
    let mut from = 0;
    while from < stations.len() {
        let run: Vec<Station> = stations[from..].iter().map_while(Clone::clone).collect();
        let count = run.len();
        if count > 1 {
            let names = chain[from..=from + count].iter().map(|&b| structure.names[b].clone());
            lines.push(line(structure, joints, names.collect(), run, middle));
        }
        from += count + 1;
    }
    lines
}

fn station(
    structure: &Structure,
    joints: &[JointResult],
    between: &BTreeMap<[usize; 2], Vec<usize>>,
    from: usize,
    to: usize,
) -> Option<Station> {
    let list = between.get(&[from.min(to), from.max(to)])?;
    let (mut force, mut point, mut weight) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    let mut largest: Option<(f64, usize)> = None;
    for &k in list {
        let joint = &joints[k];
        let Some(center) = joint.center_of_pressure else {
            continue;
        };
        let sign = if structure.joints[k].blocks[1] == to { 1.0 } else { -1.0 };
        force += sign * joint.force_n;
        point += joint.normal_force_n * center;
        weight += joint.normal_force_n;
        if largest.is_none_or(|(most, _)| joint.normal_force_n > most) {
            largest = Some((joint.normal_force_n, k));
        }
    }
    largest.map(|(_, joint)| Station {
        joint,
        point: point / weight,
        force_n: force,
        height: None,
        hinge: None,
    })
}

fn line(
    structure: &Structure,
    joints: &[JointResult],
    blocks: Vec<String>,
    mut stations: Vec<Station>,
    middle: Option<DVec3>,
) -> ThrustLine {
    let down = structure.gravity.normalize_or(DVec3::NEG_Z);
    for station in &mut stations {
        let joint = &joints[station.joint];
        let Some(middle) = middle else { break };
        let out = (joint.center - middle).reject_from(joint.normal);
        let offset = (station.point - joint.center).dot(out);
        station.height = joint.eccentricity_ratio.map(|r| r * offset.signum());
        station.hinge = joint.edge.as_ref().map(|edge| {
            if edge.toward.dot(out) > 0.0 {
                ArchSide::Extrados
            } else {
                ArchSide::Intrados
            }
        });
    }
    let level = |s: &Station| (s.force_n - s.force_n.dot(down) * down).length();
    let least = stations.iter().map(level).fold(f64::INFINITY, f64::min);
    let most = stations.iter().map(level).fold(0.0, f64::max);
    ThrustLine {
        blocks,
        arch: middle.is_some(),
        funicular: funicular(&stations),
        stations,
        horizontal_n: [least, most],
    }
}

fn funicular(stations: &[Station]) -> Vec<DVec3> {
    let mut corners: Vec<DVec3> = stations.first().map(|s| s.point).into_iter().collect();
    for pair in stations.windows(2) {
        corners.extend(meeting(&pair[0], &pair[1]));
    }
    corners.extend(stations.last().map(|s| s.point));
    corners
}

/// Where two resultants meet, or come nearest to each other.
fn meeting(a: &Station, b: &Station) -> Option<DVec3> {
    let (u, v) = (a.force_n.try_normalize()?, b.force_n.try_normalize()?);
    let across = u.cross(v);
    if across.length() < PARALLEL {
        return None;
    }
    let between = b.point - a.point;
    let squared = across.length_squared();
    let s = between.cross(v).dot(across) / squared;
    let t = between.cross(u).dot(across) / squared;
    Some(0.5 * (a.point + s * u + b.point + t * v))
}

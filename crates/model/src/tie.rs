//! Ties between blocks: what a file says of them, and the law of force against length that follows.

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// A link between two blocks, such as a tie rod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tie {
    /// Name of the tie.
    pub name: String,
    /// One end.
    pub from: TieEnd,
    /// The other end.
    pub to: TieEnd,
    /// What the tie does.
    pub kind: TieKind,
    /// Ties that are one thing, such as a ring beam or a chain: results tell the largest force of each group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// Ties from anchor to anchor, such as a ring beam or a chain around a tower. Read as so many ties, which are called by its name
/// and a number and are a group of its name.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TieRing {
    /// Name of all of it.
    name: String,
    /// Where it is anchored, one after another; three at least where it is closed, two where it is open.
    ring: Vec<TieEnd>,
    /// Whether it goes on from the last anchor to the first.
    #[serde(default = "closed")]
    closed: bool,
    /// What each of the ties does.
    kind: TieKind,
}

fn closed() -> bool {
    true
}

/// What the list of ties of a model file has.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum TieEntry {
    /// A tie between two blocks.
    Tie(Tie),
    /// Ties from anchor to anchor.
    Ring(TieRing),
}

/// Reads a list of ties and rings as ties.
pub(crate) fn read_ties<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Tie>, D::Error> {
    let entries = Vec::<TieEntry>::deserialize(deserializer)?;
    let mut ties = Vec::new();
    for entry in entries {
        match entry {
            TieEntry::Tie(tie) => ties.push(tie),
            TieEntry::Ring(ring) => ties.extend(ring.ties().map_err(D::Error::custom)?),
        }
    }
    Ok(ties)
}

impl TieRing {
    fn ties(self) -> Result<Vec<Tie>, String> {
        let (needed, count) = (if self.closed { 3 } else { 2 }, self.ring.len());
        if count < needed {
            let what = if self.closed { "closed" } else { "open" };
            return Err(format!(
                "ring `{}` has {count} anchors; one that is {what} needs {needed} at least",
                self.name
            ));
        }
        let last = if self.closed { count } else { count - 1 };
        let tie = |k: usize| Tie {
            name: format!("{} {}", self.name, k + 1),
            from: self.ring[k].clone(),
            to: self.ring[(k + 1) % count].clone(),
            kind: self.kind,
            group: Some(self.name.clone()),
        };
        Ok((0..last).map(tie).collect())
    }
}

/// Where a tie is anchored. A fixed block is the ground.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TieEnd {
    /// Name of the block.
    pub block: String,
    /// Point in world coordinates, fixed to the block (m).
    #[schemars(with = "[f64; 3]")]
    pub at: DVec3,
}

/// What a tie does.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TieKind {
    /// Keeps its length, in tension and in compression.
    RigidRod,
    /// Pulls when longer than its rest length; never pushes.
    TensionSpring {
        /// Stiffness (N/m), above zero.
        stiffness: f64,
        /// Length at which the pull begins (m).
        rest_length: f64,
    },
    /// A tie rod: it pulls, elastically up to its yield force, and breaks.
    Tie(TieRod),
    /// Pulls when longer than its rest length, and pushes when shorter.
    Spring {
        /// Stiffness (N/m), above zero.
        stiffness_n_m: f64,
        /// Length at which it carries nothing (m). Left out: the length that it is drawn with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rest_length_m: Option<f64>,
    },
}

/// A tie rod. Its force is the prestress and what its elongation adds, from zero to the yield force; it never pushes.
/// Elongations are from the length that it is drawn with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TieRod {
    /// Stiffness (N/m), above zero: force for an elongation of one metre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness_n_m: Option<f64>,
    /// Instead of a stiffness, with `modulus_pa`: area of the section (m²). The stiffness is modulus times area over the length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area_m2: Option<f64>,
    /// Modulus of elasticity (Pa).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modulus_pa: Option<f64>,
    /// Force at the length that it is drawn with (N). Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prestress_n: Option<f64>,
    /// Force at which it yields, perfectly plastic (N). Left out: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yield_n: Option<f64>,
    /// Elongation at which it breaks (m); it carries nothing from then on. Left out: it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rupture_elongation_m: Option<f64>,
}

/// The force of a tie against its length, whatever its kind: `stiffness (length - rest_length - plastic elongation)`, positive
/// where it pulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TieLaw {
    /// Stiffness (N/m); infinite for a rigid rod.
    pub stiffness: f64,
    /// Length that it is drawn with, which elongations are from (m).
    pub drawn_length: f64,
    /// Length at which it carries nothing, before it yields (m).
    pub rest_length: f64,
    /// Whether it pushes, too.
    pub pushes: bool,
    /// Force at which it yields (N); infinite where it does not.
    pub yield_force: f64,
    /// Elongation at which it breaks (m); infinite where it does not.
    pub rupture: f64,
}

impl Tie {
    /// The length that it is drawn with (m).
    pub fn drawn_length(&self) -> f64 {
        self.from.at.distance(self.to.at)
    }

    /// Its law. Of a tie rod with neither a stiffness nor both area and modulus, which checks of models refuse, the stiffness is
    /// zero.
    pub fn law(&self) -> TieLaw {
        let drawn_length = self.drawn_length();
        let rigid = TieLaw {
            stiffness: f64::INFINITY,
            drawn_length,
            rest_length: drawn_length,
            pushes: true,
            yield_force: f64::INFINITY,
            rupture: f64::INFINITY,
        };
        match self.kind {
            TieKind::RigidRod => rigid,
            TieKind::TensionSpring { stiffness, rest_length } => TieLaw {
                stiffness,
                rest_length,
                pushes: false,
                ..rigid
            },
            TieKind::Spring {
                stiffness_n_m,
                rest_length_m,
            } => TieLaw {
                stiffness: stiffness_n_m,
                rest_length: rest_length_m.unwrap_or(drawn_length),
                ..rigid
            },
            TieKind::Tie(rod) => {
                let stiffness = rod.stiffness(drawn_length).unwrap_or(0.0);
                TieLaw {
                    stiffness,
                    rest_length: drawn_length - rod.prestress_n.unwrap_or(0.0) / stiffness,
                    pushes: false,
                    yield_force: rod.yield_n.unwrap_or(f64::INFINITY),
                    rupture: rod.rupture_elongation_m.unwrap_or(f64::INFINITY),
                    ..rigid
                }
            }
        }
    }
}

impl TieRod {
    /// The stiffness of a rod of this length (N/m), where it is given one way or the other.
    pub fn stiffness(&self, length: f64) -> Option<f64> {
        let from_section = || Some(self.area_m2? * self.modulus_pa? / length);
        self.stiffness_n_m.or_else(from_section)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    fn read(ties: &str) -> Result<Vec<Tie>, String> {
        let text = format!(r#"{{"drystone": 1, "blocks": [], "ties": [{ties}]}}"#);
        serde_json::from_str::<Model>(&text)
            .map(|m| m.ties)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn a_ring_is_read_as_ties_from_anchor_to_anchor() {
        let anchors = ["a", "b", "c"]
            .map(|b| format!(r#"{{"block": "{b}", "at": [0, 0, 1]}}"#))
            .join(",");
        let ring = |more: &str| format!(r#"{{"name": "hoop", "ring": [{anchors}], {more} "kind": "rigid_rod"}}"#);
        let pairs = |ties: &[Tie]| -> Vec<String> {
            assert!(ties.iter().all(|t| t.group.as_deref() == Some("hoop")));
            let one = |t: &Tie| format!("{}: {} {}", t.name, t.from.block, t.to.block);
            ties.iter().map(one).collect()
        };
        let closed = read(&ring("")).unwrap();
        assert_eq!(pairs(&closed), ["hoop 1: a b", "hoop 2: b c", "hoop 3: c a"]);
        let open = read(&ring(r#""closed": false,"#)).unwrap();
        assert_eq!(pairs(&open), ["hoop 1: a b", "hoop 2: b c"]);
        // Written as the ties that it stands for, and read as the same.
        let text = open
            .iter()
            .map(|t| serde_json::to_string(t).unwrap())
            .collect::<Vec<_>>()
            .join(",");
        assert_eq!(read(&text).unwrap(), open);
        let few = r#"{"name": "hoop", "ring": [{"block": "a", "at": [0, 0, 1]}], "kind": "rigid_rod"}"#;
        assert!(read(few).unwrap_err().contains("ring `hoop` has 1 anchors"));
    }
}

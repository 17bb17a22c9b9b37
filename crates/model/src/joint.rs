use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Block;

/// Properties of the dry joints between blocks.
///
/// The most particular entry wins: a pair of blocks before a pair of groups before the default. Where two entries name
/// the same pair, the later one wins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Joints {
    /// Friction coefficient of every joint that no other entry names; zero or above.
    #[schemars(extend("minimum" = 0))]
    pub friction: f64,
    /// Joints between groups of blocks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupJoint>,
    /// Joints between single blocks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockJoint>,
}

/// The joint between any block of one group and any block of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupJoint {
    /// The two groups, in either order; twice the same for joints within a group.
    pub between: [String; 2],
    /// Friction coefficient; zero or above.
    #[schemars(extend("minimum" = 0))]
    pub friction: f64,
}

/// The joint between two blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockJoint {
    /// Names of the two blocks, in either order.
    pub between: [String; 2],
    /// Friction coefficient; zero or above.
    #[schemars(extend("minimum" = 0))]
    pub friction: f64,
}

impl Default for Joints {
    fn default() -> Self {
        Self {
            friction: Self::DEFAULT_FRICTION,
            groups: Vec::new(),
            blocks: Vec::new(),
        }
    }
}

impl Joints {
    /// Friction coefficient where a file says nothing: dry stone on stone.
    pub const DEFAULT_FRICTION: f64 = 0.6;

    /// One friction coefficient for every joint.
    pub fn uniform(friction: f64) -> Self {
        Self {
            friction,
            ..Self::default()
        }
    }

    /// Friction coefficient of the joint between two blocks.
    pub fn friction_between(&self, a: &Block, b: &Block) -> f64 {
        let same =
            |pair: &[String; 2], x: &str, y: &str| (pair[0] == x && pair[1] == y) || (pair[0] == y && pair[1] == x);
        let by_blocks = self
            .blocks
            .iter()
            .rev()
            .find(|j| same(&j.between, &a.name, &b.name))
            .map(|j| j.friction);
        let by_groups = || {
            let (ga, gb) = (a.group.as_deref()?, b.group.as_deref()?);
            self.groups
                .iter()
                .rev()
                .find(|j| same(&j.between, ga, gb))
                .map(|j| j.friction)
        };
        by_blocks.or_else(by_groups).unwrap_or(self.friction)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::Shape;

    #[test]
    fn the_most_particular_friction_wins_and_the_order_of_a_pair_does_not_matter() {
        let block = |name: &str, group: &str| Block::new(name, Shape::cuboid(DVec3::ZERO, DVec3::ONE)).in_group(group);
        let (a, b, c) = (block("a", "wall"), block("b", "wall"), block("c", "ground"));
        let joints = Joints {
            friction: 0.5,
            groups: vec![GroupJoint {
                between: ["ground".into(), "wall".into()],
                friction: 0.9,
            }],
            blocks: vec![BlockJoint {
                between: ["c".into(), "b".into()],
                friction: 0.1,
            }],
        };
        assert_eq!(joints.friction_between(&a, &b), 0.5);
        assert_eq!(joints.friction_between(&a, &c), 0.9);
        assert_eq!(joints.friction_between(&b, &c), 0.1);
        assert_eq!(joints.friction_between(&c, &b), 0.1);
    }
}

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Block, Bond};

/// Stiffness of a joint, spread over the area that touches. In files `[normal, tangential]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f64; 2]", into = "[f64; 2]")]
pub struct JointStiffness {
    /// Along the normal (unit: N/m³).
    pub normal: f64,
    /// Across it (unit: N/m³).
    pub tangential: f64,
}

impl From<[f64; 2]> for JointStiffness {
    fn from([normal, tangential]: [f64; 2]) -> Self {
        Self { normal, tangential }
    }
}

impl From<JointStiffness> for [f64; 2] {
    fn from(k: JointStiffness) -> Self {
        [k.normal, k.tangential]
    }
}

/// Declares a struct with the fields of a joint law between fields of its own, and its `law()`. A law is written down at three
/// places of a model; a field that is added here, with its range in `check`, is one at all of them.
macro_rules! with_law {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$of_before:meta])* pub $before:ident: $before_type:ty,)*
            law: $(#[$of_friction:meta])*
            $(; $($(#[$of_after:meta])* pub $after:ident: $after_type:ty,)*)?
        }
    ) => {
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        $(#[$meta])*
        pub struct $name {
            $($(#[$of_before])* pub $before: $before_type,)*
            $(#[$of_friction])*
            #[schemars(extend("minimum" = 0))]
            pub friction: f64,
            /// Newton's coefficient of restitution, from 0 (default) to 1. Time stepping alone looks at it.
            #[serde(default, skip_serializing_if = "is_zero")]
            #[schemars(extend("minimum" = 0, "maximum" = 1))]
            pub restitution: f64,
            /// Stiffness of the joint along its normal and across it (N/m3), above zero; left out, the joint is rigid. Not
            /// together with a restitution: springs rebound by themselves. Time stepping and slow loading look at it.
            #[serde(default, rename = "stiffness_n_m3", skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<[f64; 2]>")]
            pub stiffness: Option<JointStiffness>,
            /// Friction coefficient of a joint that does not slide, at least `friction`; left out, it is the same. Time stepping
            /// and slow loading look at it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("minimum" = 0))]
            pub static_friction: Option<f64>,
            /// What holds the joint together until it breaks; left out, the joint is dry. Time stepping and slow
            /// loading look at it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub bond: Option<Bond>,
            /// Compressive strength of the joint (Pa), above zero: where it is reached the joint is crushed, and hinges move
            /// inwards; left out, it bears any compression. Slow loading looks at it.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(extend("exclusiveMinimum" = 0))]
            pub crushing_pa: Option<f64>,
            $($($(#[$of_after])* pub $after: $after_type,)*)?
        }

        impl $name {
            /// The law that is written down here.
            pub fn law(&self) -> JointLaw {
                JointLaw {
                    friction: self.friction,
                    restitution: self.restitution,
                    stiffness: self.stiffness,
                    static_friction: self.static_friction,
                    bond: self.bond,
                    crushing_pa: self.crushing_pa,
                }
            }

            /// One that has a law, and nothing else.
            pub fn of(law: JointLaw) -> Self {
                Self {
                    $($before: Default::default(),)*
                    friction: law.friction,
                    restitution: law.restitution,
                    stiffness: law.stiffness,
                    static_friction: law.static_friction,
                    bond: law.bond,
                    crushing_pa: law.crushing_pa,
                    $($($after: Default::default(),)*)?
                }
            }
        }
    };
}

with_law! {
    /// How a joint answers to the motion of its two blocks.
    #[derive(Copy)]
    #[serde(deny_unknown_fields)]
    pub struct JointLaw {
        law:
        /// Friction coefficient; zero or above.
    }
}

with_law! {
    /// Laws of the dry joints between blocks.
    ///
    /// The most particular entry wins: a pair of blocks before a pair of groups before the default. Where two entries name
    /// the same pair, the later one wins. An entry is a whole law: what it leaves out is not taken from another.
    #[serde(deny_unknown_fields, default)]
    pub struct Joints {
        law:
        /// Friction coefficient of every joint that no other entry names; zero or above.
        ;
        /// Joints between groups of blocks.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub groups: Vec<GroupJoint>,
        /// Joints between single blocks.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub blocks: Vec<BlockJoint>,
    }
}

with_law! {
    /// The joint between any block of one group and any block of another.
    #[serde(deny_unknown_fields)]
    pub struct GroupJoint {
        /// The two groups, in either order; twice the same for joints within a group.
        pub between: [String; 2],
        law:
        /// Friction coefficient; zero or above.
    }
}

with_law! {
    /// The joint between two blocks.
    #[serde(deny_unknown_fields)]
    pub struct BlockJoint {
        /// Names of the two blocks, in either order.
        pub between: [String; 2],
        law:
        /// Friction coefficient; zero or above.
    }
}

fn is_zero(x: &f64) -> bool {
    *x == 0.0
}

impl Default for JointLaw {
    fn default() -> Self {
        Self::dry(Joints::DEFAULT_FRICTION)
    }
}

impl JointLaw {
    /// A rigid joint with friction that does not rebound.
    pub fn dry(friction: f64) -> Self {
        Self {
            friction,
            restitution: 0.0,
            stiffness: None,
            static_friction: None,
            bond: None,
            crushing_pa: None,
        }
    }

    /// The friction coefficient of a joint that does not slide.
    pub fn sticking_friction(&self) -> f64 {
        self.static_friction.unwrap_or(self.friction)
    }
}

impl Default for Joints {
    fn default() -> Self {
        Self::of(JointLaw::default())
    }
}

impl GroupJoint {
    /// The joint between two groups.
    pub fn between(groups: [&str; 2], law: JointLaw) -> Self {
        Self {
            between: groups.map(str::to_string),
            ..Self::of(law)
        }
    }
}

impl BlockJoint {
    /// The joint between two blocks.
    pub fn between(blocks: [&str; 2], law: JointLaw) -> Self {
        Self {
            between: blocks.map(str::to_string),
            ..Self::of(law)
        }
    }
}

impl Joints {
    /// Friction coefficient where a file says nothing: dry stone on stone.
    pub const DEFAULT_FRICTION: f64 = 0.6;

    /// One friction coefficient for every joint, all of them rigid.
    pub fn uniform(friction: f64) -> Self {
        Self::of(JointLaw::dry(friction))
    }

    /// Gives every joint the same friction coefficient and leaves the rest of its law.
    pub fn set_friction(&mut self, friction: f64) {
        self.friction = friction;
        self.groups.iter_mut().for_each(|j| j.friction = friction);
        self.blocks.iter_mut().for_each(|j| j.friction = friction);
        let law = self.law();
        if self.groups.iter().all(|j| j.law() == law) && self.blocks.iter().all(|j| j.law() == law) {
            *self = Self::of(law);
        }
    }

    /// Multiplies every friction coefficient.
    pub fn scale_friction(&mut self, factor: f64) {
        self.friction *= factor;
        self.groups.iter_mut().for_each(|j| j.friction *= factor);
        self.blocks.iter_mut().for_each(|j| j.friction *= factor);
    }

    /// The law of the joint between two blocks.
    pub fn law_between(&self, a: &Block, b: &Block) -> JointLaw {
        let same =
            |pair: &[String; 2], x: &str, y: &str| (pair[0] == x && pair[1] == y) || (pair[0] == y && pair[1] == x);
        let by_blocks = self
            .blocks
            .iter()
            .rev()
            .find(|j| same(&j.between, &a.name, &b.name))
            .map(BlockJoint::law);
        let by_groups = || {
            let (ga, gb) = (a.group.as_deref()?, b.group.as_deref()?);
            let mut latest = self.groups.iter().rev();
            latest.find(|j| same(&j.between, ga, gb)).map(GroupJoint::law)
        };
        by_blocks.or_else(by_groups).unwrap_or_else(|| self.law())
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::Shape;

    const SOFT: JointLaw = JointLaw {
        friction: 0.1,
        restitution: 0.0,
        stiffness: Some(JointStiffness {
            normal: 1e9,
            tangential: 4e8,
        }),
        static_friction: None,
        bond: None,
        crushing_pa: None,
    };

    fn joints() -> Joints {
        Joints {
            groups: vec![GroupJoint::between(["ground", "wall"], JointLaw::dry(0.9))],
            blocks: vec![BlockJoint::between(["c", "b"], SOFT)],
            ..Joints::uniform(0.5)
        }
    }

    #[test]
    fn the_most_particular_law_wins_and_the_order_of_a_pair_does_not_matter() {
        let block = |name: &str, group: &str| Block::new(name, Shape::cuboid(DVec3::ZERO, DVec3::ONE)).in_group(group);
        let (a, b, c) = (block("a", "wall"), block("b", "wall"), block("c", "ground"));
        let joints = joints();
        assert_eq!(joints.law_between(&a, &b), JointLaw::dry(0.5));
        assert_eq!(joints.law_between(&a, &c), JointLaw::dry(0.9));
        assert_eq!(joints.law_between(&b, &c), SOFT);
        assert_eq!(joints.law_between(&c, &b), SOFT);
    }

    #[test]
    fn one_friction_for_all_leaves_stiffness_and_drops_entries_that_say_no_more() {
        let mut mixed = joints();
        mixed.set_friction(0.3);
        assert_eq!(mixed.groups[0].law(), JointLaw::dry(0.3));
        assert_eq!(mixed.blocks[0].law(), JointLaw { friction: 0.3, ..SOFT });
        mixed.blocks.clear();
        mixed.set_friction(0.4);
        assert_eq!(mixed, Joints::uniform(0.4));
    }

    #[test]
    fn a_law_is_written_with_what_differs_from_a_dry_joint() {
        let written = serde_json::to_value(joints()).unwrap();
        assert_eq!(
            written["groups"][0],
            serde_json::json!({"between": ["ground", "wall"], "friction": 0.9})
        );
        assert_eq!(written["blocks"][0]["stiffness_n_m3"], serde_json::json!([1e9, 4e8]));
        assert_eq!(serde_json::from_value::<Joints>(written).unwrap(), joints());
        let unknown = serde_json::json!({"between": ["a", "b"], "friction": 0.9, "stifness_n_m3": [1, 1]});
        assert!(serde_json::from_value::<GroupJoint>(unknown).is_err());
    }
}

//! The colours of groups and supports, the same in every file and picture.

use drystone_model::{Block, Model};

/// A colour in the sRGB space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(
    /// Red, green and blue, 0 to 255.
    pub [u8; 3],
);

/// Ties: iron.
pub(crate) const TIE: Rgb = Rgb([0x9c, 0x2f, 0x2f]);

/// Tones of stone that stay apart in lightness as well as in hue, so that they differ for colour-blind eyes too.
/// Blocks without a group take the first.
const STONES: [Rgb; 8] = [
    Rgb([0xe3, 0xd3, 0xb4]), // limestone
    Rgb([0xa8, 0xbc, 0xcb]), // blue slate
    Rgb([0xd3, 0x9f, 0x7e]), // brick
    Rgb([0xc3, 0xcd, 0xab]), // sage sandstone
    Rgb([0xa3, 0x97, 0xb4]), // porphyry
    Rgb([0xe6, 0xc4, 0x6c]), // ochre
    Rgb([0x7d, 0xa0, 0x9e]), // serpentine
    Rgb([0xe2, 0xbd, 0xb6]), // rose marble
];

/// Supports: darker than any stone.
pub(crate) const SUPPORT: Rgb = Rgb([0x94, 0x91, 0x8d]);

impl Rgb {
    /// White.
    pub const WHITE: Self = Self([255, 255, 255]);

    /// The colour made lighter or darker by a factor on each channel.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self(self.0.map(|c| (f64::from(c) * factor).round().clamp(0.0, 255.0) as u8))
    }

    /// A mixture: 0 is this colour, 1 the other.
    pub(crate) fn mixed(self, other: Self, part: f64) -> Self {
        let mix = |k: usize| f64::from(self.0[k]) + part * (f64::from(other.0[k]) - f64::from(self.0[k]));
        Self([0, 1, 2].map(|k| mix(k).round().clamp(0.0, 255.0) as u8))
    }

    /// Channels from 0 to 1 in linear light, as glTF wants them.
    pub(crate) fn linear(self) -> [f32; 3] {
        self.0.map(|c| {
            let c = f32::from(c) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        })
    }
}

impl std::fmt::Display for Rgb {
    /// As in a style sheet: `#rrggbb`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

/// The groups of a model, numbered in the order in which blocks first name them.
pub(crate) struct Groups<'a> {
    pub(crate) names: Vec<&'a str>,
    /// Number of each group among those of free blocks, which alone take stone colours.
    stones: Vec<Option<usize>>,
}

impl<'a> Groups<'a> {
    pub(crate) fn of(model: &'a Model) -> Self {
        let mut groups = Self {
            names: Vec::new(),
            stones: Vec::new(),
        };
        let mut next = usize::from(model.free_blocks().any(|b| b.group.is_none()));
        for block in &model.blocks {
            let Some(name) = block.group.as_deref() else { continue };
            let id = groups.id(block).unwrap_or_else(|| {
                groups.names.push(name);
                groups.stones.push(None);
                groups.names.len() - 1
            });
            if !block.fixed && groups.stones[id].is_none() {
                groups.stones[id] = Some(next);
                next += 1;
            }
        }
        groups
    }

    /// Number of a block's group.
    pub(crate) fn id(&self, block: &Block) -> Option<usize> {
        let name = block.group.as_deref()?;
        self.names.iter().position(|n| *n == name)
    }

    /// Colour of a block: that of supports, or that of its group.
    pub(crate) fn color(&self, block: &Block) -> Rgb {
        if block.fixed {
            return SUPPORT;
        }
        let stone = self.id(block).and_then(|id| self.stones[id]).unwrap_or(0);
        STONES[stone % STONES.len()]
    }
}

#[cfg(test)]
mod tests {
    use drystone_model::Shape;
    use glam::DVec3;

    use super::*;

    #[test]
    fn groups_differ_in_colour_and_supports_are_darker_than_any_stone() {
        let shape = Shape::cuboid(DVec3::ZERO, DVec3::ONE);
        let mut model = Model::default();
        model
            .blocks
            .push(Block::new("g", shape.clone()).fixed().in_group("ground"));
        model.blocks.push(Block::new("a", shape.clone()).in_group("pier"));
        model.blocks.push(Block::new("b", shape.clone()).in_group("arch"));
        model.blocks.push(Block::new("c", shape).in_group("pier"));
        let groups = Groups::of(&model);
        assert_eq!(groups.names, ["ground", "pier", "arch"]);
        let colors: Vec<_> = model.blocks.iter().map(|b| groups.color(b)).collect();
        assert_eq!(colors, [SUPPORT, STONES[0], STONES[1], STONES[0]]);
        let lightness = |c: &Rgb| c.0.iter().map(|&v| u32::from(v)).sum::<u32>();
        assert!(STONES.iter().all(|c| lightness(c) > lightness(&SUPPORT)));
    }
}

//! What stands on the back of the rings: spandrel walls.

use glam::DVec2;

use super::{Bridge, numbered, prism};
use crate::{Block, recipes::RecipeError};

impl Bridge<'_> {
    /// Walls along both sides from the back of rings, piers and abutments up to the level of the fill, cut at joints of the ring
    /// into blocks that are no shorter than asked.
    pub(super) fn spandrels(&mut self) -> Result<(), RecipeError> {
        let pieces = self.pieces();
        let (y0, y1) = self.sides();
        let t = self.p.spandrel;
        let count = pieces.len();
        for (side, from, to) in [("south", y0, y0 + t), ("north", y1 - t, y1)] {
            for (k, outline) in pieces.iter().enumerate() {
                let name = numbered(&format!("spandrel-{side}"), k + 1, count);
                let block = Block::new(name, prism(outline.clone(), from, to));
                self.model.blocks.push(block.in_group("spandrel"));
            }
        }
        Ok(())
    }

    /// Outlines of the blocks of a wall.
    fn pieces(&self) -> Vec<Vec<DVec2>> {
        let mut bottoms: Vec<Vec<DVec2>> = Vec::new();
        let mut bottom: Vec<DVec2> = Vec::new();
        for segment in self.back.iter().filter(|s| s.to.x > s.from.x) {
            if bottom.is_empty() {
                bottom.push(segment.from);
            }
            bottom.push(segment.to);
            if segment.to.x - bottom[0].x >= self.p.spandrel_length {
                bottoms.push(std::mem::take(&mut bottom));
            }
        }
        // What is left at the end is too short for a block of its own.
        match (bottoms.last_mut(), bottom.is_empty()) {
            (Some(last), false) => last.extend(bottom.drain(1..)),
            (None, false) => bottoms.push(bottom),
            _ => {}
        }
        let top = self.top();
        let closed = |mut bottom: Vec<DVec2>| {
            let (first, last) = (bottom[0].x, bottom[bottom.len() - 1].x);
            bottom.extend([DVec2::new(last, top), DVec2::new(first, top)]);
            bottom
        };
        bottoms.into_iter().map(closed).collect()
    }
}

//! Outlines of blocks where they were, behind those that have moved.

use drystone_model::Model;
use glam::{DAffine3, DVec2};

use super::Stage;
use crate::{Rgb, marks::Mark};

/// Blocks beyond which outlines would be a thicket.
const MOST: usize = 400;
/// Distance (pixels) from which a block counts as moved.
const MOVED: f64 = 1.5;
const FILL: Rgb = Rgb([0xf4, 0xf2, 0xee]);
const LINE: Rgb = Rgb([0xb4, 0xae, 0xa6]);

/// Marks for the blocks that are placed elsewhere than `behind` says.
pub(super) fn behind(
    model: &Model,
    behind: Option<&[DAffine3]>,
    placed: Option<&[DAffine3]>,
    stage: &Stage<'_>,
) -> Vec<Mark> {
    let (Some(behind), Some(placed)) = (behind, placed) else {
        return Vec::new();
    };
    let pairs = model.blocks.iter().zip(behind.iter().zip(placed));
    let mut outlines = Vec::new();
    for (block, (was, is)) in pairs {
        let corners = block.polyhedron().vertices;
        let on = |map: &DAffine3| -> Vec<DVec2> {
            let place = |&p: &_| stage.place(map.transform_point3(p));
            corners.iter().map(place).collect()
        };
        let (was, is) = (on(was), on(is));
        if was.iter().zip(&is).any(|(a, b)| a.distance(*b) > MOVED) {
            outlines.push(hull(was));
        }
    }
    if outlines.len() > MOST {
        return Vec::new();
    }
    let (fills, lines): (Vec<Mark>, Vec<Mark>) = outlines.into_iter().map(|o| ghost(o, stage).into()).unzip();
    // All fills first: blocks that lie side by side keep their borders.
    fills.into_iter().chain(lines).collect()
}

/// The outline of what was there before: a pale figure with a dashed border.
pub(crate) fn ghost(outline: Vec<DVec2>, stage: &Stage<'_>) -> [Mark; 2] {
    let mut points = outline.clone();
    points.extend(outline.first());
    let border = Mark::Line {
        points,
        width: 0.8 * stage.line,
        color: LINE,
        dash: Some([3.5 * stage.line, 2.5 * stage.line]),
    };
    [Mark::figure(outline, FILL), border]
}

/// The convex hull of points.
fn hull(mut points: Vec<DVec2>) -> Vec<DVec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let half = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut chain: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && (b - a).perp_dot(p - b) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut outline = half(&mut points.iter().copied());
    outline.extend(half(&mut points.iter().rev().copied()));
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_leaves_out_what_lies_within() {
        let points = [(0.0, 0.0), (2.0, 0.0), (1.0, 1.0), (2.0, 2.0), (0.0, 2.0), (1.0, 0.0)];
        let outline = hull(points.map(|(x, y)| DVec2::new(x, y)).to_vec());
        assert_eq!(
            outline,
            [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)].map(|(x, y)| DVec2::new(x, y))
        );
    }
}

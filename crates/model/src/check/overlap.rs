use crate::{
    Model,
    geometry::{Bounds, DecomposeError, Polyhedron, near_pairs, separation},
};

/// Two blocks that occupy the same space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Indices of the two blocks, the smaller first.
    pub blocks: [usize; 2],
    /// How far one of them would have to move at least to clear the other (m). For two convex blocks that is how far it
    /// would have to move; for others it is the depth of the deepest pair of convex parts, which clearing the whole
    /// blocks may exceed.
    pub depth: f64,
}

/// Two blocks that touch or overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Indices of the two blocks, the smaller first.
    pub blocks: [usize; 2],
    /// Distance between them (m), or the depth of an overlap with a minus sign, as [`Overlap::depth`] has it; never above
    /// the contact tolerance.
    pub separation: f64,
    /// The tolerance used for this pair (m).
    pub tolerance: f64,
}

/// Every pair of blocks that touches or overlaps, in increasing order, by an exact test of their convex parts.
///
/// Two blocks touch if they are no farther apart than the model's contact tolerance times the size of the smaller, or than
/// the rounding of its coordinates.
pub fn neighbours(model: &Model) -> Result<Vec<Neighbour>, (usize, DecomposeError)> {
    let mut parts: Vec<Vec<(Bounds, Polyhedron)>> = Vec::with_capacity(model.blocks.len());
    let mut boxes = Vec::with_capacity(model.blocks.len());
    for (index, block) in model.blocks.iter().enumerate() {
        let bounds = block.polyhedron().bounds();
        let tolerance = (1e-9 * bounds.diagonal()).max(model.rounding());
        let found = block.convex_parts(tolerance).map_err(|e| (index, e))?;
        parts.push(found.into_iter().map(|p| (p.bounds(), p)).collect());
        boxes.push(bounds);
    }
    let largest = boxes.iter().map(Bounds::diagonal).fold(0.0, f64::max);
    let mut found = Vec::new();
    for (i, j) in near_pairs(
        &boxes,
        (model.tolerances.contact * largest).max(model.rounded_overlap()),
    ) {
        let tolerance =
            (model.tolerances.contact * boxes[i].diagonal().min(boxes[j].diagonal())).max(model.rounded_overlap());
        let mut nearest = f64::INFINITY;
        for (box_a, a) in &parts[i] {
            for (box_b, b) in &parts[j] {
                if box_a.is_near(box_b, tolerance) {
                    nearest = nearest.min(separation(a, b, tolerance.next_up()));
                }
            }
        }
        if nearest <= tolerance {
            found.push(Neighbour {
                blocks: [i, j],
                separation: nearest,
                tolerance,
            });
        }
    }
    Ok(found)
}

/// Every pair of blocks that overlaps by more than the contact tolerance.
pub fn overlaps(model: &Model) -> Result<Vec<Overlap>, (usize, DecomposeError)> {
    let deep = |n: Neighbour| {
        (n.separation < -n.tolerance).then_some(Overlap {
            blocks: n.blocks,
            depth: -n.separation,
        })
    };
    Ok(neighbours(model)?.into_iter().filter_map(deep).collect())
}

#[cfg(test)]
mod tests {
    use glam::{DVec2, DVec3};

    use super::*;
    use crate::{Block, Shape};

    #[test]
    fn an_overlap_is_found_with_its_depth_at_any_scale_and_touching_is_none() {
        for scale in [1e-3, 1.0, 100.0] {
            let cube = |x: f64| Shape::cuboid(DVec3::new(x, 0.0, 0.0) * scale, DVec3::new(x + 1.0, 1.0, 1.0) * scale);
            let mut model = Model::named("three cubes");
            model.blocks = vec![
                Block::new("a", cube(0.0)),
                Block::new("b", cube(1.0)),
                Block::new("c", cube(1.75)),
            ];
            let found = overlaps(&model).unwrap();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].blocks, [1, 2]);
            assert!((found[0].depth - 0.25 * scale).abs() < 1e-12 * scale);
            assert_eq!(neighbours(&model).unwrap().len(), 2);
        }
    }

    #[test]
    fn a_block_in_the_notch_of_another_does_not_overlap_it() {
        let l = [(0., 0.), (3., 0.), (3., 1.), (1., 1.), (1., 2.), (0., 2.)].map(DVec2::from);
        let mut model = Model::named("notch");
        model.blocks = vec![
            Block::new("l", Polyhedron::from_elevation(&l, 0.0, 1.0)),
            Block::new(
                "in the notch",
                Shape::cuboid(DVec3::new(1.0, 0.0, 1.0), DVec3::new(3.0, 1.0, 2.0)),
            ),
        ];
        assert_eq!(overlaps(&model).unwrap(), []);
    }
}

//! What a mason would ask of any wall, for the tests of the recipes.

use glam::DVec3;

use crate::{Block, Model, geometry::Bounds};

/// Every free block lies on others, and its centre is within the reach of what it lies on.
pub(in crate::recipes) fn assert_rests(model: &Model) {
    let tops: Vec<Bounds> = model.blocks.iter().map(|b| bed(b, |z| z.max.z)).collect();
    let mut by_height: Vec<usize> = (0..tops.len()).collect();
    by_height.sort_by(|&a, &b| tops[a].min.z.total_cmp(&tops[b].min.z));
    for block in model.free_blocks() {
        let foot = bed(block, |z| z.min.z);
        let first = by_height.partition_point(|&i| tops[i].min.z < foot.min.z - 1e-9);
        let level = by_height[first..]
            .iter()
            .map(|&i| &tops[i])
            .take_while(|t| t.min.z < foot.min.z + 1e-9);
        let mut reach = Bounds::EMPTY;
        for top in level {
            let (lo, hi) = (foot.min.max(top.min), foot.max.min(top.max));
            if hi.x - lo.x > 1e-9 && hi.y - lo.y > 1e-9 {
                reach = reach.union(&Bounds::around([lo, hi]));
            }
        }
        let c = block.polyhedron().mass_properties().centroid;
        let within = reach.min.x <= c.x && c.x <= reach.max.x && reach.min.y <= c.y && c.y <= reach.max.y;
        assert!(
            within,
            "{}: block `{}` does not rest on the blocks below",
            model.name, block.name
        );
    }
}

/// Plan of a block's corners at the height that `which` picks.
fn bed(block: &Block, which: impl Fn(&Bounds) -> f64) -> Bounds {
    let solid = block.polyhedron();
    let z = which(&solid.bounds());
    Bounds::around(solid.vertices.iter().copied().filter(|v| (v.z - z).abs() < 1e-9))
}

/// No vertical joint of a wall stands within `lap` (m) of one in the course below.
pub(in crate::recipes) fn assert_no_straight_joints(model: &Model, lap: f64) {
    // Joints by wall and course: where two stones of one course meet.
    let mut joints: std::collections::BTreeMap<(String, usize), Vec<f64>> = Default::default();
    for pair in model.blocks.windows(2) {
        let (Some(a), Some(b)) = (place(&pair[0]), place(&pair[1])) else {
            continue;
        };
        if a != b {
            continue;
        }
        let (one, two) = (pair[0].polyhedron().bounds(), pair[1].polyhedron().bounds());
        let gap = (two.min - one.max).abs();
        let along = if gap.x < gap.y { DVec3::X } else { DVec3::Y };
        if gap.dot(along) < 1e-9 {
            joints.entry(a).or_default().push(one.max.dot(along));
        }
    }
    for ((wall, course), above) in &joints {
        let Some(below) = joints.get(&(wall.clone(), course - 1)) else {
            continue;
        };
        for x in above {
            let straight = below.iter().find(|b| (*b - x).abs() < lap);
            assert_eq!(straight, None, "{}: wall {wall}, course {course}, at {x}", model.name);
        }
    }
}

/// Wall and course of a block, from its name.
fn place(block: &Block) -> Option<(String, usize)> {
    let mut parts = block.name.rsplitn(3, '-').skip(1);
    let course = parts.next()?.parse().ok()?;
    Some((parts.next()?.to_string(), course))
}

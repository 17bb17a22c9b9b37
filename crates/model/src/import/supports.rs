//! Which blocks are supports, told by name or by place.

use std::collections::{HashMap, HashSet};

use crate::{
    Model,
    check::{nearest, shown},
};

/// Why supports that were asked for cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SupportError {
    /// No block has the name.
    #[error("there is no block `{name}`{}", hint(nearest.as_ref()))]
    NoSuchBlock {
        /// The name that was given.
        name: String,
        /// The block whose name is most like it, if one is like it enough.
        nearest: Option<String>,
    },
    /// No block is of the group.
    #[error("there is no group `{name}`{}", of_group(nearest.as_ref()))]
    NoSuchGroup {
        /// The name that was given.
        name: String,
        /// The group whose name is most like it, if one is like it enough.
        nearest: Option<String>,
    },
    /// The height of `below:` is none.
    #[error("`{given}`: {what}; give a height in metres above 0, as in below:0.05")]
    BadHeight {
        /// The text that was given.
        given: String,
        /// What is wrong with it.
        what: String,
    },
}

fn hint(nearest: Option<&String>) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None => "; supports are blocks by name, `lowest`, `group:NAME`, or `below:HEIGHT`".to_owned(),
    }
}

fn of_group(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// Names of the blocks that `given` selects, in the order of the model. Each entry is
///
/// - the name of a block, which comes before the words below;
/// - `lowest`: blocks whose lowest point is the lowest of the model, within the contact tolerance of the block or, where
///   the model says that its coordinates are rounded, within what rounding leaves;
/// - `group:NAME`: blocks of a group, such as a layer of a drawing;
/// - `below:H`: blocks that reach below a height of `H` (m) above the lowest point of the model.
pub fn supports(model: &Model, given: &[String]) -> Result<Vec<String>, SupportError> {
    let mut chosen = vec![false; model.blocks.len()];
    let mut named: HashMap<&str, usize> = HashMap::new();
    for (index, block) in model.blocks.iter().enumerate() {
        named.entry(&block.name).or_insert(index);
    }
    // Polyhedra of all blocks are made only where a place is asked for.
    let mut depths: Option<Depths> = None;
    for entry in given {
        let entry = entry.trim();
        if let Some(&index) = named.get(entry) {
            chosen[index] = true;
            continue;
        }
        if let Some(group) = entry.strip_prefix("group:").map(str::trim) {
            let is_of = |block: &crate::Block| block.group.as_deref() == Some(group);
            if !model.blocks.iter().any(is_of) {
                return Err(SupportError::NoSuchGroup {
                    name: group.to_owned(),
                    nearest: nearest(group, model.blocks.iter().filter_map(|b| b.group.as_deref())),
                });
            }
            for (block, chosen) in model.blocks.iter().zip(&mut chosen) {
                *chosen |= is_of(block);
            }
            continue;
        }
        let place = place(entry)?.ok_or_else(|| SupportError::NoSuchBlock {
            name: entry.to_owned(),
            nearest: nearest(entry, model.blocks.iter().map(|b| b.name.as_str())),
        })?;
        let depths = depths.get_or_insert_with(|| Depths::of(model));
        for (index, chosen) in chosen.iter_mut().enumerate() {
            *chosen |= depths.is_at(index, place);
        }
    }
    let names = model.blocks.iter().zip(chosen).filter(|(_, chosen)| *chosen);
    Ok(names.map(|(block, _)| block.name.clone()).collect())
}

/// Blocks that `lowest` does not select though they begin only a little higher, and how much (m), the lowest first.
pub fn nearly_lowest(model: &Model, given: &[String]) -> Vec<(String, f64)> {
    let is_name = |entry: &str| model.blocks.iter().any(|b| b.name == entry);
    if !given.iter().any(|entry| entry.trim() == "lowest" && !is_name("lowest")) {
        return Vec::new();
    }
    let chosen: HashSet<String> = supports(model, given).unwrap_or_default().into_iter().collect();
    let depths = Depths::of(model);
    let all = model.blocks.iter().zip(&depths.above);
    let is_near = |block: &crate::Block, above: f64| {
        !block.fixed && !chosen.contains(&block.name) && above <= NEARLY * block.polyhedron().bounds().diagonal()
    };
    let mut near: Vec<(String, f64)> = all
        .filter(|(block, (above, _))| is_near(block, *above))
        .map(|(block, (above, _))| (block.name.clone(), *above))
        .collect();
    near.sort_by(|a, b| a.1.total_cmp(&b.1));
    near
}

/// Fixes the blocks that [`supports`] selects, beside those that are fixed already. Changes nothing on an error.
pub fn set_supports(model: &mut Model, given: &[String]) -> Result<(), SupportError> {
    let names: HashSet<String> = supports(model, given)?.into_iter().collect();
    for block in &mut model.blocks {
        block.fixed |= names.contains(&block.name);
    }
    Ok(())
}

/// How much higher than the lowest a block begins that nearly is one, as a fraction of its size.
const NEARLY: f64 = 0.01;

#[derive(Clone, Copy)]
enum Place {
    Lowest,
    /// Height above the lowest point of the model (m).
    Below(f64),
}

fn place(entry: &str) -> Result<Option<Place>, SupportError> {
    if entry == "lowest" {
        return Ok(Some(Place::Lowest));
    }
    let Some(height) = entry.strip_prefix("below:") else {
        return Ok(None);
    };
    let bad = |what: String| SupportError::BadHeight {
        given: entry.to_owned(),
        what,
    };
    match height.trim().parse::<f64>() {
        Ok(height) if height > 0.0 && height.is_finite() => Ok(Some(Place::Below(height))),
        Ok(height) => Err(bad(format!("a height of {} m is not allowed", shown(height)))),
        Err(_) => Err(bad(format!("`{height}` is not a number"))),
    }
}

/// How far above the lowest point of the model each block begins, and how far apart counts as the same height (m).
struct Depths {
    above: Vec<(f64, f64)>,
}

impl Depths {
    fn of(model: &Model) -> Self {
        let bounds: Vec<_> = model.blocks.iter().map(|b| b.polyhedron().bounds()).collect();
        let lowest = bounds.iter().map(|b| b.min.z).fold(f64::INFINITY, f64::min);
        // Coordinates of that size are rounded by about as much.
        let rounding = |b: &crate::geometry::Bounds| 4.0 * f64::EPSILON * b.min.z.abs().max(b.max.z.abs());
        let above = bounds.iter().map(|b| {
            let tolerance = (model.tolerances.contact * b.diagonal())
                .max(rounding(b))
                .max(model.rounding());
            (b.min.z - lowest, tolerance)
        });
        Self { above: above.collect() }
    }

    fn is_at(&self, index: usize, place: Place) -> bool {
        let (above, tolerance) = self.above[index];
        match place {
            Place::Lowest => above <= tolerance,
            Place::Below(height) => above < height,
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::{Block, Shape};

    fn boxes(names_and_feet: &[(&str, f64)]) -> Model {
        let mut model = Model::default();
        for &(name, z) in names_and_feet {
            let shape = Shape::cuboid(DVec3::new(0.0, 0.0, z), DVec3::new(1.0, 1.0, z + 1.0));
            model.blocks.push(Block::new(name, shape));
        }
        model
    }

    fn fixed(mut model: Model, given: &[&str]) -> Vec<bool> {
        let given: Vec<String> = given.iter().map(|g| (*g).to_owned()).collect();
        set_supports(&mut model, &given).unwrap();
        model.blocks.iter().map(|b| b.fixed).collect()
    }

    #[test]
    fn supports_are_added_by_name_and_a_slip_gets_a_hint() {
        let mut model = boxes(&[("pier", 0.0), ("keystone", 0.0), ("abutment", 0.0)]);
        model.blocks[0].fixed = true;
        let error = set_supports(&mut model, &["pier".into(), "abutement".into()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no block `abutement`; did you mean `abutment`?"
        );
        set_supports(&mut model, &["abutment".into()]).unwrap();
        let fixed: Vec<bool> = model.blocks.iter().map(|b| b.fixed).collect();
        assert_eq!(fixed, [true, false, true]);
    }

    /// Broke: any name was told `did you mean` some block, however different, because the most similar name was
    /// offered without asking whether it is similar.
    #[test]
    fn a_name_like_no_other_gets_no_hint() {
        let mut model = boxes(&[("voussoir-25", 0.0)]);
        for name in ["zz", ""] {
            let error = set_supports(&mut model, &[name.into()]).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("there is no block `{name}`; supports are")),
                "{error}"
            );
        }
    }

    #[test]
    fn supports_by_place_are_the_lowest_blocks_or_those_that_reach_below_a_height() {
        // Feet on a surveyed floor that is off level by 40 mm, far from the origin; one block stands on the others.
        let survey = [("a", 712.00), ("b", 712.04), ("c", 712.0 + 1e-7), ("d", 713.0)];
        assert_eq!(fixed(boxes(&survey), &["lowest"]), [true, false, true, false]);
        assert_eq!(fixed(boxes(&survey), &["below:0.05"]), [true, true, true, false]);
        assert_eq!(fixed(boxes(&survey), &["below:0.03"]), [true, false, true, false]);
        assert_eq!(fixed(boxes(&survey), &["below:1e-9", "d"]), [true, false, false, true]);
    }

    #[test]
    fn rounding_lifts_no_block_off_the_lowest_and_what_is_just_above_is_named() {
        let mut model = boxes(&[("a", 0.0), ("b", 2e-4), ("c", 5e-3), ("d", 1.0)]);
        assert_eq!(fixed(model.clone(), &["lowest"]), [true, false, false, false]);
        model.joint_search = Some(crate::JointSearch {
            distance: 2e-4,
            angle_deg: crate::JointSearch::DEFAULT_ANGLE_DEG,
            precision: 8.7e-5,
            source: None,
        });
        assert_eq!(fixed(model.clone(), &["lowest"]), [true, true, false, false]);
        let near = nearly_lowest(&model, &["lowest".into()]);
        assert!(
            near.len() == 1 && near[0].0 == "c" && (near[0].1 - 5e-3).abs() < 1e-12,
            "{near:?}"
        );
        assert_eq!(nearly_lowest(&model, &["below:0.001".into()]), []);
    }

    #[test]
    fn a_block_of_that_name_comes_before_the_place() {
        let model = boxes(&[("low", 0.0), ("lowest", 5.0)]);
        assert_eq!(fixed(model, &["lowest"]), [false, true]);
    }

    #[test]
    fn a_height_that_is_none_is_refused_with_its_text() {
        for given in ["below:", "below:x", "below:-1", "below:0", "below:nan", "below:inf"] {
            let error = supports(&boxes(&[("a", 0.0)]), &[given.into()])
                .unwrap_err()
                .to_string();
            assert!(error.contains(given) && error.contains("below:0.05"), "{error}");
        }
    }
}

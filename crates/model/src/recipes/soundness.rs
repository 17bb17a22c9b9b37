//! What every structure that a recipe builds must satisfy, for the tests of the recipes.

use crate::{Model, check, geometry::defects, recipes::find};

/// Builds a recipe with values written as on a command line: `built("arch", "--radius 3 --voussoirs 11")`. A ground that
/// catches what falls is left out: it is no part of what a recipe's source describes.
pub(crate) fn built(recipe: &str, arguments: &str) -> Model {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let values: Vec<(String, String)> = words
        .chunks(2)
        .map(|w| (w[0].trim_start_matches("--").to_string(), w[1].to_string()))
        .collect();
    find(recipe)
        .unwrap()
        .build_alone(&values)
        .unwrap_or_else(|e| panic!("{recipe} {arguments}: {e}"))
}

/// Every block a sound solid, no two overlapping, names unique, something fixed.
pub(crate) fn assert_sound(model: &Model) {
    for block in &model.blocks {
        let solid = block.polyhedron();
        let size = solid.bounds().diagonal();
        let found = defects(&solid, 1e-9 * size);
        assert!(found.is_empty(), "{}: block `{}`: {}", model.name, block.name, found[0]);
    }
    let mut names: Vec<&str> = model.blocks.iter().map(|b| b.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), model.blocks.len(), "{}: names are not unique", model.name);
    assert!(model.blocks.iter().any(|b| b.fixed), "{}: nothing is fixed", model.name);
    let overlaps = check::overlaps(model).unwrap();
    let worst = overlaps.iter().max_by(|a, b| a.depth.total_cmp(&b.depth));
    if let Some(o) = worst {
        let (a, b) = (&model.blocks[o.blocks[0]].name, &model.blocks[o.blocks[1]].name);
        panic!(
            "{}: {} overlaps; `{a}` and `{b}` by {} m",
            model.name,
            overlaps.len(),
            o.depth
        );
    }
}

/// Sum of the volumes of the free blocks (m³).
pub(crate) fn free_volume(model: &Model) -> f64 {
    model.free_blocks().map(|b| b.polyhedron().volume()).sum()
}

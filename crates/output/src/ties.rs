//! Where the ties of a model are, with its blocks where they are.

use std::collections::HashMap;

use drystone_model::Model;
use glam::{DAffine3, DVec3};

/// The two ends of each tie (m), its blocks moved by their maps from the model, where there are any.
pub(crate) fn ends<'a>(model: &'a Model, placed: Option<&'a [DAffine3]>) -> impl Iterator<Item = [DVec3; 2]> + 'a {
    let names = model.blocks.iter().enumerate();
    let index: HashMap<&str, usize> = match model.ties.is_empty() {
        true => HashMap::new(),
        false => names.map(|(b, block)| (block.name.as_str(), b)).collect(),
    };
    model.ties.iter().map(move |tie| {
        [&tie.from, &tie.to].map(|end| {
            let block = index.get(end.block.as_str());
            let map = block.and_then(|&b| placed?.get(b));
            map.map_or(end.at, |map| map.transform_point3(end.at))
        })
    })
}

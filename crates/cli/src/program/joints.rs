//! Which faces count as joined, and what is nearly joined, as commands tell it.

use serde_json::{Value, json};

use drystone_contact::{Choice, NearMiss, Survey, choose, describe, near_misses};
use drystone_model::Model;

/// Works out which faces count as joined, for a model that does not say so itself.
pub(crate) fn settle(model: &mut Model) -> Choice {
    let choice = choose(model);
    model.joint_search = choice.search;
    choice
}

/// The settings of the search as a field of a result.
pub(crate) fn as_json(choice: &Choice) -> Value {
    json!({
        "distance_m": choice.search.map(|s| s.distance),
        "angle_deg": choice.search.map(|s| s.angle_deg),
        "precision_m": choice.search.map(|s| s.precision),
        "source": choice.source.name(),
        "reason": choice.reason,
    })
}

/// What is nearly joined as a field of a result.
pub(crate) fn misses_as_json(model: &Model, misses: &[NearMiss]) -> Value {
    let one = |miss: &NearMiss| {
        let blocks = miss.blocks.map(|b| &model.blocks[b].name);
        json!({ "blocks": blocks, "distance_m": miss.distance, "angle_deg": miss.angle_deg })
    };
    misses.iter().map(one).collect()
}

/// What a search nearly joined, and a warning about it if there is any.
pub(crate) fn nearly_joined(model: &Model, survey: &Survey) -> (Vec<NearMiss>, Option<String>) {
    let misses = near_misses(model, survey);
    let warning = describe(model, &misses);
    (misses, warning)
}

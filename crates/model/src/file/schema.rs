use std::sync::LazyLock;

use serde_json::Value;

use crate::{Model, Stages};

/// The JSON Schema (draft 2020-12) of model files, generated from the types.
pub fn schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
        let mut schema = schemars::schema_for!(Model);
        schema.insert("title".into(), "drystone model".into());
        schema.into()
    });
    &SCHEMA
}

/// The same of files of stages.
pub(super) fn stages() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Stages).into());
    &SCHEMA
}

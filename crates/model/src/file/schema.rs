use std::sync::LazyLock;

use serde_json::Value;

use crate::Model;

/// The JSON Schema (draft 2020-12) of model files, generated from the types.
pub fn schema() -> &'static Value {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
        let mut schema = schemars::schema_for!(Model);
        schema.insert("title".into(), "drystone model".into());
        schema.into()
    });
    &SCHEMA
}

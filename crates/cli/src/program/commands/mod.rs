//! One file a command: its options, what it does, what it prints.

pub(crate) mod completions;
pub(crate) mod contacts;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod info;
pub(crate) mod new;
pub(crate) mod report;
pub(crate) mod schema;
pub(crate) mod simulate;
pub(crate) mod statics;
pub(crate) mod study;
pub(crate) mod validation;
pub(crate) mod view;

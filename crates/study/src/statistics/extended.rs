//! Infinite numbers in files: JSON knows no infinity, and a serializer that writes `null` for it loses its meaning.

use serde::{Serialize, Serializer};

/// A number, or the text `inf`, `-inf` or `nan`.
struct Extended(f64);

impl Serialize for Extended {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else if self.0.is_nan() {
            serializer.serialize_str("nan")
        } else if self.0 > 0.0 {
            serializer.serialize_str("inf")
        } else {
            serializer.serialize_str("-inf")
        }
    }
}

/// Serializes numbers of which some may be infinite.
pub(super) fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|value| Extended(*value)))
}

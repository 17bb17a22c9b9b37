use super::record::RecordError;

/// Why a motion or a history cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MotionError {
    /// A value is out of range.
    #[error("{place}: {what}")]
    Value {
        /// Where: the motion and the field.
        place: String,
        /// What is wrong, with the value and what is allowed.
        what: String,
    },
    /// A record cannot be read or prepared.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl MotionError {
    pub(super) fn value(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self::Value {
            place: place.into(),
            what: what.into(),
        }
    }
}

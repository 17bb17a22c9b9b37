//! Models in the formats of other programs.

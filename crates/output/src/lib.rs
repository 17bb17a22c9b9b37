//! Files and pictures of block structures.

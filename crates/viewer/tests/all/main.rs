//! The tests of this crate, in one program: each is linked once.

mod answers;
mod assumed;
mod common;
mod imports;
mod patience;
mod security;
mod served;
mod slow;
mod stepping;
mod studies;

//! Factorisation of matrices made of small dense blocks on a graph: Cholesky's of symmetric positive definite ones, and LU.
//!
//! [`graph`] holds the graph, [`ordering`] finds an elimination order with little fill, [`symbolic`] turns both into a
//! tree of dense fronts, and [`cholesky`] factorises and solves along that tree, on as many threads as there are, with
//! the same bits for any number of them. [`lu`] factorises matrices that are not symmetric along such a tree. Dense kernels are
//! faer's.

mod cholesky;
mod front;
mod graph;
mod lu;
mod ordering;
mod symbolic;

pub use cholesky::Cholesky;
pub use front::NotPositive;
pub(crate) use lu::Lu;

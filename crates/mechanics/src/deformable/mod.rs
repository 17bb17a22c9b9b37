//! Linear elastic finite elements of one block in its own frame.
//!
//! A [`Mesh`] divides the block's polyhedron, an [`Elastic`] is the mesh with its stiffness K and mass M, and a
//! [`Response`] solves with a M + b K on what is left of the motion once the rigid part is taken out. None of these knows
//! of time, contacts or other blocks; it builds on the geometry of `drystone-model` and on the sparse factorisation of
//! `drystone-cone` alone.
//!
//! # Elements
//!
//! - Blocks with six quadrilateral faces are divided into hexahedra with eight nodes and nine enhanced strains (J. C. Simo,
//!   M. S. Rifai, 1990: "A class of mixed assumed strain methods and the method of incompatible modes"), condensed in each
//!   element. They pass the patch test whatever their shape, bend without shear locking while they are parallelepipeds, and
//!   stand Poisson's ratios up to 0.499. Trapezoidal elements are stiff in bending: halve their size where a block tapers
//!   strongly. Strong distortion costs accuracy, not consistency.
//! - All other blocks are divided into straight-sided quadratic tetrahedra with ten nodes. They are insensitive to shape;
//!   near Poisson's ratio 0.5 they converge more slowly.
//!
//! Strains are small. Stresses are tension positive.
//!
//! # Rigid motion
//!
//! With the rigid modes R (three translations, three small rotations), P = I - R (R'MR)^-1 R'M takes the rigid part out of
//! a displacement, and P' balances forces by those of inertia. The response to forces f is x with
//!
//! ```text
//! (a M + b K) x = P' f,    R' M x = 0.
//! ```
//!
//! # Results
//!
//! An [`ElasticField`] has displacements and stresses of all blocks of a structure, in world axes.

mod assembly;
mod blocks;
mod elastic;
mod element;
mod error;
mod field;
mod material;
mod mesh;
mod modes;
mod response;
mod rigid;
mod stress;

#[cfg(test)]
mod tests;

pub use blocks::{ElasticBlockError, ElasticBlocks, ElasticShape};
pub use elastic::Elastic;
pub use error::{ElasticError, MeshError};
pub use field::{BlockField, ElasticField, ElementMean, FieldExtremes, FieldPeak, GaussPoint};
pub use material::{Elasticity, MassKind};
pub use mesh::{Elements, Facet, FacetNodes, MEMORY_LIMIT, Mesh, Subdivision, memory_bytes_estimate};
pub use response::Response;
pub use stress::{principal, von_mises};

//! Linear elastic finite elements of one block in its own frame.
//!
//! A [`Mesh`] divides the block's polyhedron, an [`Elastic`] is the mesh with its stiffness K and mass M, and a
//! [`Response`] solves with a M + b K on what is left of the motion once the rigid part is taken out. None of these knows
//! of time, contacts or other blocks; it builds on the geometry of `drystone-model` and on the sparse factorisation of
//! `drystone-cone` alone.
//!
//! # Elements
//!
//! - Blocks with six quadrilateral faces are divided into hexahedra with eight nodes and twelve enhanced strains (J. C.
//!   Simo, M. S. Rifai, 1990: "A class of mixed assumed strain methods and the method of incompatible modes", with the
//!   volumetric modes of J. C. Simo, F. Armero, R. L. Taylor, 1993), condensed in each element. They pass the patch test
//!   whatever their shape, bend without shear locking while they are parallelepipeds, and stand Poisson's ratios up to
//!   0.499. Trapezoidal elements are stiff in bending: halve their size where a block tapers strongly. Strong distortion
//!   costs accuracy, not consistency. Torsion is carried by warping: two elements across a section make it 19 % too stiff.
//! - All other blocks are divided into straight-sided quadratic tetrahedra with ten nodes. They bend exactly whatever their
//!   shape; near Poisson's ratio 0.5 they converge more slowly.
//!
//! Eight hexahedra (27 nodes) show how a block deforms; its first frequency is some 20 % too high, that of 12 x 5 x 4 within
//! 2 % for a block of 1 x 0.4 x 0.3 m. Tetrahedra halved once have it within 0.4 %.
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

#![allow(
    clippy::needless_range_loop,
    reason = "small matrices read like the formulas they come from"
)]
#![allow(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "a comparison with NaN must fall on the side of failure"
)]

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

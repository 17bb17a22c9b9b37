//! Polyhedra and what can be computed from them exactly.
//!
//! Everything here is pure geometry: it knows vertices, faces and planes, nothing of blocks, materials or files.
//! Other modules of this crate build on it; it depends on none of them.

mod bounds;
mod clip;
mod decompose;
mod defects;
pub mod edit;
mod hull;
mod mass;
mod merge;
mod orient;
mod plane;
mod polygon;
mod polyhedron;
mod precision;
mod repair;
mod separation;
mod sets;
mod split;
mod tree;
mod triangulate;

pub use bounds::{Bounds, near_pairs};
pub(crate) use clip::common_volume;
pub use clip::{chamfer, clip};
pub use decompose::{DecomposeError, convex_parts};
pub use defects::{Defect, defects};
pub use hull::{HullError, convex_hull};
pub use mass::{MassProperties, mass_properties};
pub use merge::merge_coplanar_faces;
pub(crate) use merge::weld_vertices;
pub(crate) use orient::orient;
pub use plane::Plane;
pub use polygon::signed_area;
pub(crate) use polygon::{Touch, outline_tolerance, touches_itself};
pub use polyhedron::Polyhedron;
pub use precision::{Grain, Precision, coordinate_precision, half_diagonal, length_text};
pub(crate) use repair::{hull_of, repair};
pub use separation::separation;
pub use sets::Sets;
pub(crate) use split::shells;
pub use triangulate::triangulate_face;
pub(crate) use triangulate::triangulate_warped_face;

//! Files and pictures of block structures.
//!
//! - [`glb`] writes a binary glTF scene with one node per block, for viewers and 3D editors.
//! - [`vtk`] writes polygons (VTP), polyhedra (VTU) and time series (PVD) for ParaView and other VTK programs.
//! - [`picture`] draws a structure as PNG or SVG, without any other program.
//! - [`mod@file`] puts finished bytes on disk, whole or not at all.
//!
//! Every writer works in memory and gives back bytes or text; nothing here prints, and nothing but [`mod@file`] touches
//! the disk. What goes in is a [`drystone_model::Model`], sound or not: a block that cannot be drawn is an
//! [`OutputError`] that names it.

pub mod file;
pub mod glb;
pub mod history;
pub mod picture;
pub mod plot;
pub mod records;
pub mod table;
pub mod vtk;

mod error;
mod palette;
mod solids;
mod xml;

pub use error::OutputError;
pub use palette::Rgb;

//! Files and pictures of block structures.
//!
//! Of a model:
//! - [`mod@glb`] writes a binary glTF scene with one node per block, for viewers and 3D editors.
//! - [`vtk`] writes polygons (VTP), polyhedra (VTU) and collections (PVD) for ParaView and other VTK programs.
//! - [`picture`] draws a structure as PNG or SVG, without any other program.
//!
//! Of a run, frame by frame ([`history`]):
//! - [`run`] drives a simulation and leaves a folder with all of it.
//! - [`records`] writes its tables as Parquet files ([`table`]) and reads them back.
//! - [`glb::Animation`] writes an animated glTF scene, [`series`] time series for ParaView, [`film`] an animated GIF.
//!
//! [`report`] puts what was found into one HTML page.
//!
//! Of blocks that deform: [`deformed`] writes their elements, displacements and stresses, and draws them.
//!
//! Of a structure at rest: [`statics`] draws its forces, and writes contact points, joints and mechanisms.
//!
//! [`plot`] draws line charts as SVG or PNG. [`mod@file`] puts finished bytes on disk, whole or not at all;
//! [`lock`] keeps two programs from writing to one folder.
//!
//! Nothing here prints. What goes in is a [`drystone_model::Model`], sound or not: a block that cannot be drawn is an
//! [`OutputError`] that names it. Writers return bytes or text; only those that grow with a run ([`records`],
//! [`series`], [`film`]) put files on disk themselves, by [`mod@file`].

pub mod deformed;
pub mod file;
pub mod film;
pub mod glb;
pub mod history;
pub mod lock;
pub mod picture;
pub mod plot;
pub mod records;
pub mod report;
pub mod run;
pub mod series;
pub mod slow;
pub mod statics;
pub mod table;
pub mod vtk;

mod error;
mod marks;
mod palette;
mod render;
mod solids;
mod ties;
mod xml;

pub use error::OutputError;
pub use palette::Rgb;

//! What a block structure is: blocks, shapes, mass, joints, supports, loads and motions.
//!
//! - [`Model`] and the types beside it describe a structure. A model is plain data: reading, building and changing one
//!   never runs an analysis, and analyses never change it.
//! - [`mod@file`] reads and writes model files, [`import`] and [`export`] speak other programs' formats, [`recipes`]
//!   builds whole structures from a few parameters.
//! - [`materials`] is what the literature gives for stone and masonry.
//! - [`motion`] says how supports move and loads vary in time, and reads recorded ground motions.
//! - [`certificate`] is the file that proves a verdict about a model.
//! - [`check`] finds what is wrong with a model; [`geometry`] holds the polyhedra underneath.
//!
//! Units are SI throughout, z points up, angles in files are in degrees and say so in their names.

pub mod certificate;
pub mod check;
pub mod export;
pub mod file;
pub mod geometry;
pub mod import;
pub mod materials;
pub mod motion;
pub mod recipes;

mod added_mass;
mod block;
mod bond;
mod deformable;
mod joint;
mod joint_search;
mod load;
mod model;
mod pose;
mod random;
mod shape;
mod stages;
mod stored;
mod surface;
mod tie;

pub use added_mass::AddedMass;
pub use block::Block;
pub use bond::{Adhesion, Bond, Mortar, Strength};
pub use deformable::{Deformable, DeformableGroup, Elasticity, MeshError, MeshSpec, MissingElasticity};
pub use joint::{BlockJoint, GroupJoint, JointLaw, JointStiffness, Joints};
pub use joint_search::{JointSearch, SearchSource};
pub use load::{BodyForce, Couple, LoadCase, PointForce};
pub use model::{FORMAT_VERSION, Material, Model, Tolerances};
pub use motion::{Motion, MotionQuantity, SupportMotion};
pub use pose::{Pose, Rotation};
pub use shape::{BoxShape, MeshShape, PrismAxis, PrismShape, Shape};
pub use stages::{Control, Stage, StageTilt, Stages, SupportMove, named};
pub use stored::{StoredForce, StoredFrame, StoredInterface};
pub use surface::{FacePressure, Hydrostatic, SurfaceLoad};
pub use tie::{Tie, TieEnd, TieKind, TieLaw, TieRod};

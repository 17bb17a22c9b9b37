use std::{io, path::PathBuf};

use crate::file::WriteError;

/// Why something cannot be written, drawn or read back.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// There is nothing to write.
    #[error("the model has no blocks, so there is nothing to write or draw")]
    NoBlocks,
    /// A block has no surface.
    #[error("block {index} (`{name}`): its shape has no faces")]
    NoFaces {
        /// Position of the block in the model.
        index: usize,
        /// Name of the block.
        name: String,
    },
    /// A coordinate is not a number, infinite, or too large to be drawn.
    #[error(
        "block {index} (`{name}`): a corner lies at ({x}, {y}, {z}); coordinates must be finite and below {limit:e} m"
    )]
    BadCoordinate {
        /// Position of the block in the model.
        index: usize,
        /// Name of the block.
        name: String,
        /// x of the corner (m).
        x: f64,
        /// y of the corner (m).
        y: f64,
        /// z of the corner (m).
        z: f64,
        /// Largest coordinate allowed (m).
        limit: f64,
    },
    /// A face names a corner that does not exist.
    #[error("block {index} (`{name}`): face {face} names corner {corner}, but there are {corners} (counted from 0)")]
    BadCorner {
        /// Position of the block in the model.
        index: usize,
        /// Name of the block.
        name: String,
        /// Position of the face in the block.
        face: usize,
        /// The corner it names.
        corner: u32,
        /// Number of corners of the block.
        corners: usize,
    },
    /// A picture of this size cannot be made.
    #[error("a picture of {width} x {height} pixels; each side must be {min} to {max} pixels")]
    BadSize {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
        /// Smallest side allowed.
        min: u32,
        /// Largest side allowed.
        max: u32,
    },
    /// A view direction is not a number.
    #[error("view from azimuth {azimuth_deg} and elevation {elevation_deg} degrees: both must be finite numbers")]
    BadView {
        /// Azimuth asked for (degrees).
        azimuth_deg: f64,
        /// Elevation asked for (degrees).
        elevation_deg: f64,
    },
    /// A drawing could not be turned into pixels.
    #[error("the drawing could not be turned into pixels")]
    Svg(#[from] resvg::usvg::Error),
    /// The PNG encoder failed.
    #[error("the picture could not be encoded as PNG")]
    Png(#[from] png::EncodingError),
    /// A frame does not fit the model.
    #[error("time {time_s} s: the frame has {found} {what}, the model {expected} blocks; there must be one for each")]
    WrongCount {
        /// Time of the frame (s).
        time_s: f64,
        /// What was counted.
        what: String,
        /// How many the frame has.
        found: usize,
        /// How many blocks the model has.
        expected: usize,
    },
    /// A block's placement is not a number, or its rotation has no direction.
    #[error(
        "time {time_s} s: block {index} (`{name}`) lies at ({}, {}, {}), turned by the quaternion (w {}, x {}, y {}, \
         z {}); all must be finite and the quaternion not zero",
        position[0], position[1], position[2], quaternion[0], quaternion[1], quaternion[2], quaternion[3]
    )]
    BadPlacement {
        /// Time of the frame (s).
        time_s: f64,
        /// Position of the block in the model.
        index: usize,
        /// Name of the block.
        name: String,
        /// Its centre of mass (m).
        position: [f64; 3],
        /// Its rotation, real part first.
        quaternion: [f64; 4],
    },
    /// Frames must come in the order of time.
    #[error("a frame at {time_s} s after one at {previous_s} s: frames must come in the order of time")]
    OutOfOrder {
        /// Time of the frame (s).
        time_s: f64,
        /// Time of the frame before it (s).
        previous_s: f64,
    },
    /// An animation has more keys than its file can hold.
    #[error("an animation of {frames} frames takes {bytes} bytes, and a .glb file holds 4 GiB; take fewer frames")]
    TooLarge {
        /// Number of frames.
        frames: usize,
        /// Size of the file (bytes).
        bytes: u64,
    },
    /// There are no frames to show.
    #[error("there are no frames, so there is nothing to animate")]
    NoFrames,
    /// A plot cannot be drawn.
    #[error("{0}")]
    BadPlot(String),
    /// A row does not fit its table.
    #[error("`{}`: {reason}", path.display())]
    BadTable {
        /// The table.
        path: PathBuf,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// A file could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// A Parquet file could not be read or written.
    #[error("`{}`: {source}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: parquet::errors::ParquetError,
    },
    /// The GIF encoder failed.
    #[error("the animation could not be encoded as GIF")]
    Gif(#[from] gif::EncodingError),
}

/// Why a model cannot be written or drawn.
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
    /// The PNG encoder failed.
    #[error("the picture could not be encoded as PNG")]
    Png(#[from] png::EncodingError),
}

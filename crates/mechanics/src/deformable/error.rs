use drystone_model::geometry::DecomposeError;

/// Why a block cannot be divided into finite elements.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// A subdivision into no parts.
    #[error("a block cannot be divided into {0}: every count must be at least 1")]
    NoElements(String),
    /// Tetrahedra are refined by halving.
    #[error("edges of tetrahedra are halved: they can be cut in 1, 2, 4, 8, ... parts, not in {0}")]
    NotAPowerOfTwo(u32),
    /// Hexahedra were asked for, and the block is none.
    #[error(
        "{why}, so that it cannot be divided into hexahedra, which takes a convex block with six faces of four corners; \
         use tetrahedra instead"
    )]
    NoHexahedron {
        /// What the block is instead.
        why: String,
    },
    /// The mesh would take too much memory.
    #[error(
        "{elements} elements with {nodes} nodes take about {} of memory, more than the {} allowed; use a coarser mesh",
        size(*.bytes), size(*.limit)
    )]
    TooFine {
        /// Number of elements.
        elements: u64,
        /// Number of nodes.
        nodes: u64,
        /// Memory that it would take (bytes).
        bytes: u64,
        /// Memory allowed (bytes).
        limit: u64,
    },
    /// The block is not convex and could not be cut into convex cells.
    #[error("the block cannot be cut into convex cells: {0}")]
    Decompose(#[from] DecomposeError),
    /// Cutting gave more cells than allowed.
    #[error(
        "the block falls into {cells} convex cells, more than the {limit} allowed; leave out detail that matters little"
    )]
    TooManyCells {
        /// Number of cells.
        cells: usize,
        /// Largest number allowed.
        limit: usize,
    },
    /// An element has no volume or is turned inside out.
    #[error("element {element} around ({:.4}, {:.4}, {:.4}) m {why}", .at[0], .at[1], .at[2])]
    Element {
        /// The element, by index.
        element: usize,
        /// Its centre (m).
        at: [f64; 3],
        /// What is wrong with it.
        why: String,
    },
    /// An element names a node that does not exist.
    #[error("element {element} names node {node}, and there are {nodes} nodes")]
    NoSuchNode {
        /// The element, by index.
        element: usize,
        /// The node it names.
        node: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// Elements do not fill the block or do not meet face to face.
    #[error("the elements do not fill the block: {what} {mesh:.9e} instead of {solid:.9e}")]
    NotFilled {
        /// What differs, with its unit.
        what: &'static str,
        /// Of the mesh.
        mesh: f64,
        /// Of the block.
        solid: f64,
    },
    /// The block is in several pieces, which may hang together by an edge or a corner.
    #[error("the block is {pieces} pieces that share no face; make them blocks of their own")]
    Disconnected {
        /// Number of pieces.
        pieces: usize,
    },
    /// The block has no volume or is not finite.
    #[error("the block has no volume that could be divided (volume {0:e} m3)")]
    NoVolume(f64),
}

/// Why a block cannot be made elastic.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ElasticError {
    /// Young's modulus out of range.
    #[error("Young's modulus is {0:e} Pa; it must be positive and finite")]
    Young(f64),
    /// Poisson's ratio out of range.
    #[error("Poisson's ratio is {0}; it must lie above -1 and below 0.5")]
    Poisson(f64),
    /// Density out of range.
    #[error("the density is {0} kg/m3; it must be positive and finite")]
    Density(f64),
    /// A bad mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The factors of mass and stiffness.
    #[error(
        "mass and stiffness cannot be added with factors {mass:e} and {stiffness:e}: both finite, none negative, stiffness positive"
    )]
    Factors {
        /// Factor of the mass.
        mass: f64,
        /// Factor of the stiffness.
        stiffness: f64,
    },
    /// The matrix could not be factorised.
    #[error(
        "the stiffness of the block is not positive definite to working precision; its elements may be too distorted"
    )]
    NotPositive,
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    let gigabytes = bytes as f64 / 1e9;
    if gigabytes >= 1e4 {
        format!("{gigabytes:.3e} GB")
    } else if gigabytes >= 1.0 {
        format!("{gigabytes:.1} GB")
    } else {
        format!("{:.1} MB", bytes as f64 / 1e6)
    }
}

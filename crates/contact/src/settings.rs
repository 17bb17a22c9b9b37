/// How contacts are found. Lengths are absolute: whoever sets them knows the structure and how fast it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectorSettings {
    /// Points farther apart than this are no contact (unit: metres; default: 0). A time stepper sets it to what blocks
    /// may move towards each other in a step.
    pub margin: f64,
    /// Points no farther apart than this fraction of the size of the smaller block touch, whatever the margin
    /// (default: 1e-6): models are drawn with rounded numbers.
    pub touch: f64,
    /// Points no farther apart than this touch, whatever the size of the blocks (unit: metres; default: 0).
    pub distance: f64,
    /// Lengths below this count as nothing, because corners are off their places by rounding (unit: metres; default: 0).
    pub rounding: f64,
    /// Fraction of the size of the smaller block below which lengths count as nothing: how thin an overlap may be and
    /// still be a contact, and how deep an interpenetration may be and still be one of touching faces (default: 1e-5).
    pub tolerance: f64,
    /// Whether every corner of an interface is kept, or only those that span its polygon (default: false).
    pub keep_all: bool,
    /// Whether two faces have an area of contact only where all corners of their common part are contacts (default: false).
    /// At rest a face that leaves the other at an angle has none; as blocks rock, theirs must not come and go.
    pub whole_faces: bool,
}

impl Default for DetectorSettings {
    fn default() -> Self {
        Self {
            margin: 0.0,
            touch: 1e-6,
            distance: 0.0,
            rounding: 0.0,
            tolerance: 1e-5,
            keep_all: false,
            whole_faces: false,
        }
    }
}

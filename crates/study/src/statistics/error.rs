//! Input that no statistics can be made of.

use std::fmt;

/// Why an input was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum InputError {
    /// An intensity that is not positive and finite.
    Intensity {
        /// Position in the list.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A row of a table with a different number of values than the first row or the header.
    RowLength {
        /// Position of the row.
        row: usize,
        /// Values it has.
        found: usize,
        /// Values it must have.
        expected: usize,
    },
    /// A fraction outside the interval from 0 to 1.
    Fraction {
        /// The value.
        value: f64,
    },
    /// A range whose parameters are not finite, in the wrong order, or not positive where they must be.
    Range {
        /// What is wrong, with the values.
        reason: String,
    },
    /// A record of an incremental dynamic analysis with a value that is not finite, or negative.
    Record {
        /// Position of the record.
        record: usize,
        /// What is wrong, with the values.
        reason: String,
    },
    /// A grid with more points than a computer can count.
    GridSize,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Intensity { index, value } => {
                write!(
                    f,
                    "intensity {index} is {value}; intensities must be positive and finite"
                )
            }
            Self::RowLength { row, found, expected } => {
                write!(
                    f,
                    "row {row} has {found} values, expected {expected}; mark a missing value as missing"
                )
            }
            Self::Fraction { value } => write!(f, "fraction {value} is outside the interval from 0 to 1"),
            Self::Range { reason } => f.write_str(reason),
            Self::Record { record, reason } => write!(f, "record {record}: {reason}"),
            Self::GridSize => f.write_str("the grid has too many points; use fewer levels or a Latin hypercube"),
        }
    }
}

impl std::error::Error for InputError {}

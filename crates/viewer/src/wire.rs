//! Binary messages: a header of JSON and arrays of numbers, little-endian, each from a multiple of four bytes.

use serde_json::{Value, json};

/// What a binary message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Kind {
    /// Shapes of blocks and joints.
    Geometry = 1,
    /// Forces and motions of a check.
    Forces = 2,
    /// One moment of a simulation.
    Frame = 3,
    /// One equilibrium of slow loading.
    Equilibrium = 4,
}

/// A message in the making.
pub(crate) struct Binary {
    kind: Kind,
    id: u64,
    header: Value,
    arrays: Vec<Value>,
    body: Vec<u8>,
}

impl Binary {
    pub(crate) fn new(kind: Kind, id: u64, header: Value) -> Self {
        Self {
            kind,
            id,
            header,
            arrays: Vec::new(),
            body: Vec::new(),
        }
    }

    pub(crate) fn floats(mut self, name: &str, values: impl IntoIterator<Item = f32>) -> Self {
        let before = self.body.len();
        self.body.extend(values.into_iter().flat_map(f32::to_le_bytes));
        let length = (self.body.len() - before) / 4;
        self.named(name, "f32", length)
    }

    pub(crate) fn indices(mut self, name: &str, values: impl IntoIterator<Item = u32>) -> Self {
        let before = self.body.len();
        self.body.extend(values.into_iter().flat_map(u32::to_le_bytes));
        let length = (self.body.len() - before) / 4;
        self.named(name, "u32", length)
    }

    pub(crate) fn bytes(mut self, name: &str, values: &[u8]) -> Self {
        self.body.extend(values);
        let padded = self.body.len().next_multiple_of(4);
        self.body.resize(padded, 0);
        self.named(name, "u8", values.len())
    }

    fn named(mut self, name: &str, kind: &str, length: usize) -> Self {
        self.arrays
            .push(json!({ "name": name, "type": kind, "length": length }));
        self
    }

    /// The message as it is sent.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.header["arrays"] = Value::Array(self.arrays);
        let mut header = self.header.to_string().into_bytes();
        header.resize(header.len().next_multiple_of(4), b' ');
        let mut message = Vec::with_capacity(12 + header.len() + self.body.len());
        // Ids beyond 32 bits are refused when a question arrives.
        for number in [self.kind as u32, self.id as u32, header.len() as u32] {
            message.extend(number.to_le_bytes());
        }
        message.extend(header);
        message.extend(self.body);
        message
    }
}

/// The components of vectors one after another, in single precision.
pub(crate) fn flat<'a>(vectors: impl IntoIterator<Item = &'a glam::DVec3>) -> impl Iterator<Item = f32> {
    vectors.into_iter().flat_map(|v| v.as_vec3().to_array())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_array_starts_at_a_multiple_of_four() {
        let message = Binary::new(Kind::Forces, 7, json!({ "a": "é" }))
            .bytes("state", &[1, 2, 3])
            .floats("use", [0.5, -1.0])
            .indices("joint", [9])
            .finish();
        let word = |at: usize| u32::from_le_bytes([message[at], message[at + 1], message[at + 2], message[at + 3]]);
        assert_eq!([word(0), word(4)], [2, 7]);
        let header = word(8) as usize;
        assert_eq!(header % 4, 0);
        let told: Value = serde_json::from_slice(&message[12..12 + header]).unwrap();
        assert_eq!(told["arrays"][0], json!({ "name": "state", "type": "u8", "length": 3 }));
        let body = 12 + header;
        assert_eq!(message[body..body + 4], [1, 2, 3, 0]);
        assert_eq!(f32::from_bits(word(body + 8)), -1.0);
        assert_eq!(word(body + 12), 9);
        assert_eq!(message.len(), body + 16);
    }
}

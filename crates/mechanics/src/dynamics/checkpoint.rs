//! Checkpoints as bytes: a name and version, a checksum, and what they hold.

use serde::{Serialize, de::DeserializeOwned};

use super::SimulationError;

/// What a checkpoint begins with: a name, and the version of what follows.
const MAGIC: &[u8; 8] = b"DRYST\x00\x00\x09";

/// What a checkpoint holds, as bytes.
pub fn to_bytes<T: Serialize>(content: &T) -> Result<Vec<u8>, SimulationError> {
    let mut bytes = MAGIC.to_vec();
    let body = postcard::to_stdvec(content).map_err(|e| SimulationError::Checkpoint(e.to_string()))?;
    bytes.extend(checksum(&body).to_le_bytes());
    bytes.extend(body);
    Ok(bytes)
}

/// What [`to_bytes`] made bytes of.
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, SimulationError> {
    let wrong = |what: &str| SimulationError::Checkpoint(what.to_string());
    let rest = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| wrong("it is no checkpoint of this version of drystone"))?;
    let (sum, body) = rest.split_first_chunk::<8>().ok_or_else(|| wrong("it is cut short"))?;
    if u64::from_le_bytes(*sum) != checksum(body) {
        return Err(wrong("it is damaged: its checksum does not fit"));
    }
    postcard::from_bytes(body).map_err(|e| wrong(&e.to_string()))
}

/// Fowler, Noll and Vo's hash (FNV-1a).
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

//! No reader panics, whatever bytes it is given: neither noise nor damaged files.

#[path = "support/damage.rs"]
mod damage;

use damage::{READERS, Random, damaged, noise, samples};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn on_noise(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for (_, read) in READERS {
            read(&bytes);
        }
    }

    #[test]
    fn on_text_that_looks_like_a_file(text in "(v|f|o|g|ply|solid|vertex|facet|format ascii 1.0|element face 3|[0-9.e,/ \\\\#{}\":\\[\\]-]|\n){0,80}") {
        for (_, read) in READERS {
            read(text.as_bytes());
        }
    }

    #[test]
    fn on_damaged_files(seed in any::<u64>()) {
        let samples = samples();
        let mut random = Random::new(seed);
        let sample = &samples[random.below(samples.len())];
        let bytes = if random.below(8) == 0 { noise(&mut random) } else { damaged(sample, &mut random) };
        for (_, read) in READERS {
            read(&bytes);
        }
    }
}

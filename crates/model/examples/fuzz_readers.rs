//! Gives damaged files and noise to every reader: `fuzz_readers [COUNT] [SEED]`. A panic is a bug; the input that
//! caused it is made again by the seed and number printed last. Such inputs are written to the temporary folder.

#[path = "../tests/all/support/damage.rs"]
mod damage;

use std::time::{Duration, Instant};

use damage::{READERS, Random, damaged, noise, samples};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let count = arguments.next().and_then(Result::ok).unwrap_or(10_000);
    let seed = arguments.next().and_then(Result::ok).unwrap_or(1);
    let samples = samples();
    let begin = Instant::now();
    let mut slowest = (Duration::ZERO, "", Vec::new());
    let mut panics = 0;
    for number in 0..count {
        let mut random = Random::new(seed ^ number.wrapping_mul(0xd129_42f0_5b5d_6a37));
        let bytes = match random.below(8) {
            0 => noise(&mut random),
            _ => damaged(&samples[random.below(samples.len())], &mut random),
        };
        for (name, read) in READERS {
            let start = Instant::now();
            if std::panic::catch_unwind(|| read(&bytes)).is_err() {
                panics += 1;
                let path = std::env::temp_dir().join(format!("fuzz_{name}_{seed}_{number}"));
                println!("{name} panicked on input {number} of seed {seed}: {}", path.display());
                if let Err(error) = std::fs::write(&path, &bytes) {
                    println!("could not write it: {error}");
                }
            }
            let mut took = start.elapsed();
            // Other programs on the machine make any input slow once; a slow input is slow again.
            for _ in 0..3 {
                if took <= slowest.0 {
                    break;
                }
                let start = Instant::now();
                drop(std::panic::catch_unwind(|| read(&bytes)));
                took = took.min(start.elapsed());
            }
            if took > slowest.0 {
                slowest = (took, name, bytes.clone());
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{count} inputs through {} readers in {seconds:.1} s: {:.0} inputs/s, {panics} panics",
        READERS.len(),
        count as f64 / seconds
    );
    println!(
        "slowest: {} on {} bytes, {:.3} ms",
        slowest.1,
        slowest.2.len(),
        slowest.0.as_secs_f64() * 1e3
    );
    if panics > 0 {
        std::process::exit(1);
    }
}

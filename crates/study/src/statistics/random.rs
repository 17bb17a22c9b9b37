//! Random numbers that are the same on every machine and in every version.

/// The generator SplitMix64 (Steele, Lea and Flood 2014): a counter with odd increment, mixed by two multiplications.
/// Its period is 2^64. A seed belongs to one sequence for good: changing this generator changes published results.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator that starts from `seed`; any value is good.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of the open interval from 0 to 1, both ends excluded: the centre of one of 2^52 cells, exact in binary.
    pub fn unit(&mut self) -> f64 {
        const CELL: f64 = 1.0 / (1_u64 << 52) as f64;
        ((self.bits() >> 12) as f64 + 0.5) * CELL
    }

    /// A whole number less than `count`, each as likely as any other (Lemire 2019); 0 if `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        let count = count as u64;
        if count == 0 {
            return 0;
        }
        // Products below this remainder would make some numbers more likely than others.
        let threshold = count.wrapping_neg() % count;
        loop {
            let product = u128::from(self.bits()) * u128::from(count);
            if product as u64 >= threshold {
                return (product >> 64) as usize;
            }
        }
    }
}

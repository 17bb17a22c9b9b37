/// A small random generator, the same on every machine (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn between_minus_one_and_one(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Two independent numbers of the standard normal distribution (Box and Muller).
    pub(crate) fn two_normal(&mut self) -> [f64; 2] {
        let unit = 1.0 / (1u64 << 53) as f64;
        // From above 0 to 1, so that the logarithm is finite.
        let first = ((self.next() >> 11) + 1) as f64 * unit;
        let second = (self.next() >> 11) as f64 * unit;
        let radius = (-2.0 * libm::log(first)).sqrt();
        let (sine, cosine) = libm::sincos(2.0 * std::f64::consts::PI * second);
        [radius * cosine, radius * sine]
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014): the first numbers of the seed 1234567
    /// as the reference implementation by Vigna prints them.
    #[test]
    fn the_generator_is_splitmix64() {
        let mut random = Random::new(1_234_567);
        let first = [random.next(), random.next(), random.next()];
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn white_noise_has_mean_zero_mean_square_one_and_no_correlation() {
        let mut random = Random::new(1);
        let noise: Vec<f64> = (0..100_000).flat_map(|_| random.two_normal()).collect();
        let count = noise.len() as f64;
        let mean = noise.iter().sum::<f64>() / count;
        let square = noise.iter().map(|x| x * x).sum::<f64>() / count;
        let fourth = noise.iter().map(|x| x.powi(4)).sum::<f64>() / count;
        let neighbours = noise.windows(2).map(|p| p[0] * p[1]).sum::<f64>() / count;
        // Four standard deviations of each estimate.
        let allowed = 4.0 / count.sqrt();
        assert!(mean.abs() < allowed, "{mean}");
        assert!((square - 1.0).abs() < allowed * 2f64.sqrt(), "{square}");
        assert!((fourth - 3.0).abs() < allowed * 96f64.sqrt(), "{fourth}");
        assert!(neighbours.abs() < allowed, "{neighbours}");
    }
}

//! The normal distribution.

use super::near;
use crate::statistics::normal::{cdf, log_cdf, pdf, quantile};

/// x, Φ, φ and ln Φ from mpmath.
const VALUES: [[f64; 4]; 10] = [
    [
        -37.2,
        3.412_054_343_470_239e-303,
        1.270_200_113_830_546_8e-301,
        -696.455_968_620_533_2,
    ],
    [
        -20.3,
        6.429_244_467_698_346e-92,
        1.308_288_554_681_529e-90,
        -209.976_971_525_242_04,
    ],
    [
        -8.7,
        1.659_420_869_964_784_2e-18,
        1.462_296_357_500_655e-17,
        -40.940_063_005_910_08,
    ],
    [
        -3.1,
        0.000_967_603_213_218_356_6,
        0.003_266_819_056_199_919_6,
        -6.940_688_458_421_228,
    ],
    [
        -1.0,
        0.158_655_253_931_457_05,
        0.241_970_724_519_143_35,
        -1.841_021_645_009_263_5,
    ],
    [
        -0.3,
        0.382_088_577_811_047_37,
        0.381_387_815_460_524_1,
        -0.962_102_818_168_850_7,
    ],
    [
        1e-9,
        0.500_000_000_398_942_3,
        0.398_942_280_401_432_68,
        -0.693_147_179_762_060_7,
    ],
    [
        0.25,
        0.598_706_325_682_923_7,
        0.386_668_116_802_849_2,
        -0.512_984_075_409_430_4,
    ],
    [
        1.7,
        0.955_434_537_241_457,
        0.094_049_077_376_886_93,
        -0.045_589_029_170_068_94,
    ],
    [
        5.0,
        0.999_999_713_348_428_1,
        1.486_719_514_734_297_7e-6,
        -2.866_516_129_637_636e-7,
    ],
];

/// p and its quantile from mpmath.
const QUANTILES: [[f64; 2]; 15] = [
    [5e-324, -38.467_405_617_144_346],
    [1e-300, -37.047_096_299_361_2],
    [1e-40, -13.310_921_371_425_17],
    [1e-12, -7.034_483_825_301_132],
    [0.001, -3.090_232_306_167_813_5],
    [0.05, -1.644_853_626_951_472_7],
    [0.0501, -1.643_884_802_230_035_2],
    [0.2, -0.841_621_233_572_914_2],
    [0.499_999_9, -2.506_628_274_703_106_5e-7],
    [0.500_000_1, 2.506_628_273_311_648_3e-7],
    [0.6, 0.253_347_103_135_799_74],
    [0.9, 1.281_551_565_544_600_6],
    [0.95, 1.644_853_626_951_472_3],
    [0.999, 3.090_232_306_167_813_3],
    [0.999_999_999_999_999_9, 8.209_536_151_601_387],
];

#[test]
fn probabilities_are_accurate_far_into_the_tails() {
    for [x, p, density, log] in VALUES {
        near(cdf(x), p, 2e-15);
        near(pdf(x), density, 2e-15);
        near(log_cdf(x), log, 2e-15);
    }
    // From mpmath, where Φ itself is less than the least double.
    near(log_cdf(-40.0), -804.608_442_013_753_8, 1e-15);
    near(log_cdf(-150.0), -11_255.929_618_266_808, 1e-15);
    near(log_cdf(-1e4), -50_000_010.129_278_915, 1e-15);
}

#[test]
fn the_two_formulas_of_the_tail_meet() {
    let (above, below) = (-37.0 + 1e-9, -37.0 - 1e-9);
    // d ln Φ/dx = 37.027 there.
    assert!((log_cdf(above) - log_cdf(below) - 2e-9 * 37.027).abs() < 1e-11);
}

#[test]
fn quantiles_are_accurate_to_1e_14() {
    for [p, x] in QUANTILES {
        near(quantile(p), x, 2e-15);
    }
}

#[test]
fn a_quantile_undoes_a_probability() {
    for k in 1..400 {
        let x = -37.0 + 0.1 * f64::from(k);
        if x < 0.0 {
            near(quantile(cdf(x)), x, 1e-14);
        }
    }
}

#[test]
fn ends_are_infinite_and_beyond_is_nan() {
    assert_eq!(quantile(0.5).to_bits() << 1, 0);
    assert_eq!(quantile(0.0), f64::NEG_INFINITY);
    assert_eq!(quantile(1.0), f64::INFINITY);
    assert!(quantile(-1e-300).is_nan() && quantile(1.1).is_nan() && quantile(f64::NAN).is_nan());
    assert_eq!(log_cdf(f64::NEG_INFINITY), f64::NEG_INFINITY);
    assert_eq!(
        [cdf(f64::NEG_INFINITY), cdf(f64::INFINITY), log_cdf(f64::INFINITY)],
        [0.0, 1.0, 0.0]
    );
    assert!(cdf(f64::NAN).is_nan() && log_cdf(f64::NAN).is_nan() && pdf(f64::NAN).is_nan());
}

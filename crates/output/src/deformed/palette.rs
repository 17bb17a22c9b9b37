//! Colours of stresses.

use crate::Rgb;

/// Matplotlib's `magma` from its light end in tenths, without the darkest two, on which lines would not be seen. It is perceptually
/// uniform, its lightness falls evenly, so that it can be read in grey and by colour-blind eyes, and little stress is light:
/// lines stand out, and paper stays paper.
const HEAT: [Rgb; 9] = [
    Rgb([0xfc, 0xfd, 0xbf]),
    Rgb([0xfe, 0xce, 0x91]),
    Rgb([0xfe, 0x9f, 0x6d]),
    Rgb([0xf7, 0x6f, 0x5c]),
    Rgb([0xde, 0x49, 0x68]),
    Rgb([0xb6, 0x36, 0x79]),
    Rgb([0x8c, 0x29, 0x81]),
    Rgb([0x64, 0x1a, 0x80]),
    Rgb([0x3b, 0x0f, 0x70]),
];

/// Colour of a stress, as a fraction of the largest that is told apart.
pub fn stress_color(part: f64) -> Rgb {
    let place = part.clamp(0.0, 1.0) * (HEAT.len() - 1) as f64;
    let k = (place as usize).min(HEAT.len() - 2);
    HEAT[k].mixed(HEAT[k + 1], place - k as f64)
}

/// The end of a scale of stresses: the largest of them, or where a few points stand out far, as corners do in finite elements,
/// the one that 98 % stay below; rounded up.
pub fn stress_scale(mut values: Vec<f64>) -> f64 {
    values.retain(|v| v.is_finite());
    values.sort_by(f64::total_cmp);
    let Some(&largest) = values.last() else { return 1.0 };
    let usual = values[(values.len() - 1) * 98 / 100];
    let end = if largest > STANDS_OUT * usual && usual > 0.0 {
        usual
    } else {
        largest
    };
    if end > 0.0 { rounded_up(end) } else { 1.0 }
}

/// Times the usual largest stress from which a stress stands out.
const STANDS_OUT: f64 = 2.5;

fn rounded_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [
        1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.4, 2.8, 3.2, 3.6, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0,
    ];
    let fits = |s: &f64| s * power >= value * (1.0 - 1e-9);
    steps.into_iter().find(fits).unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lightness_falls_with_stress() {
        let lightness = |k: usize| {
            let [r, g, b] = stress_color(k as f64 / 40.0).linear();
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        assert!((0..40).all(|k| lightness(k) > lightness(k + 1)));
        assert_eq!((stress_color(-1.0), stress_color(f64::INFINITY)), (HEAT[0], HEAT[8]));
    }

    #[test]
    fn scales_end_at_round_numbers_and_leave_out_what_stands_out() {
        let even: Vec<f64> = (0..=100).map(|k| 1130.0 * f64::from(k) / 100.0).collect();
        assert_eq!(stress_scale(even.clone()), 1200.0);
        let mut peaked = even;
        peaked.push(1e5);
        assert_eq!(stress_scale(peaked), 1200.0);
        assert_eq!((stress_scale(vec![]), stress_scale(vec![0.0])), (1.0, 1.0));
    }
}

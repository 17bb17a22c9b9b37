//! What the numbers of a geometry tell about how exact they are.

use glam::DVec3;

/// Most decimals that are told from none: beyond, numbers of a structure have no digits left to tell.
const MOST_DECIMALS: i32 = 8;

/// How far points may be off their true place (m), if all their coordinates are decimal numbers with up to eight decimals:
/// half of the last decimal along each axis. `None` where some coordinate has more.
///
/// Numbers such as 0.25 have few decimals by nature: that a geometry could be rounded does not say that it is.
pub fn coordinate_precision(points: impl IntoIterator<Item = DVec3>) -> Option<f64> {
    let mut decimals = 0;
    for value in points.into_iter().flat_map(|p| p.to_array()) {
        let is_whole = |decimals: i32| {
            let scaled = value * 10f64.powi(decimals);
            (scaled - scaled.round()).abs() <= 8.0 * f64::EPSILON * scaled.abs().max(1.0)
        };
        while !is_whole(decimals) {
            decimals += 1;
            if decimals > MOST_DECIMALS {
                return None;
            }
        }
    }
    Some(0.5 * 3f64.sqrt() * 10f64.powi(-decimals))
}

/// A length for people, in a unit that suits it.
pub fn length_text(length: f64) -> String {
    let (value, unit) = match length.abs() {
        l if l >= 1.0 => (length, "m"),
        l if l >= 1e-6 || l == 0.0 => (1e3 * length, "mm"),
        _ => (1e6 * length, "um"),
    };
    let digits = 2 - (value.abs().max(1e-12).log10().floor() as i32).clamp(-6, 2);
    format!("{value:.*} {unit}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_show_whatever_the_size_of_the_numbers() {
        let point = |x: f64| DVec3::new(x, 0.5, -120.25);
        let unit = 2.0 / 3f64.sqrt();
        for (x, expected) in [(0.1234, 1e-4), (3000.123, 1e-3), (7.0, 1e-2), (0.00001, 1e-5)] {
            let precision = coordinate_precision([point(x)]).unwrap();
            assert!((precision * unit / expected - 1.0).abs() < 1e-12, "{x}: {precision}");
        }
        assert_eq!(coordinate_precision([point(1.0 / 3.0)]), None);
        assert_eq!(coordinate_precision([point(std::f64::consts::PI * 1e-3)]), None);
    }

    #[test]
    fn lengths_are_told_in_three_digits() {
        assert_eq!(length_text(0.000173), "0.173 mm");
        assert_eq!(length_text(0.0123), "12.3 mm");
        assert_eq!(length_text(2.5), "2.50 m");
        assert_eq!(length_text(3.2e-8), "0.0320 um");
    }
}

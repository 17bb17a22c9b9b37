//! Letters made of strokes, for bitmaps: no font file is needed, and the strokes match the lines of the drawing.
//!
//! A glyph is a width and a list of strokes. A stroke is a run of points written as two digits, x and y, on a grid
//! where the baseline is at y = 2, small letters rise to 6 and capitals to 8. A stroke that begins with `~` is a
//! smooth curve through its points.

use glam::DVec2;

/// Grid units from the baseline to the top of capitals.
const CAPITAL: f64 = 6.0;
const BASELINE: f64 = 2.0;
/// Room between letters, in grid units.
const SPACING: f64 = 1.7;
const ROUND: &str = "~18 06 04 12 32 44 46 38 18";
const BOWL: &str = "~16 05 03 12 32 43 45 36 16";

/// Raised figures are this much smaller, and stand this high (grid units).
const RAISED: f64 = 0.62;
const RAISED_BY: f64 = 3.0;

/// Width of a line of text, for capitals of height 1.
pub(crate) fn width(text: &str) -> f64 {
    let advance = |c: char| {
        let (c, size, _) = placed(c);
        (f64::from(glyph(c).0) + SPACING) * size
    };
    let letters = text.chars().map(advance).sum::<f64>();
    (letters - SPACING).max(0.0) / CAPITAL
}

/// The letter to draw for a character, its size and how high it stands above the baseline (grid units).
fn placed(c: char) -> (char, f64, f64) {
    let raised = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻".chars().position(|r| r == c);
    match raised.and_then(|k| "0123456789-".chars().nth(k)) {
        Some(figure) => (figure, RAISED, RAISED_BY),
        None => (c, 1.0, 0.0),
    }
}

/// The strokes of a line of text as lines on the picture (y downwards), its baseline centred at `anchor`.
pub(crate) fn lines(text: &str, anchor: DVec2, capitals: f64) -> Vec<Vec<DVec2>> {
    let unit = capitals / CAPITAL;
    let mut pen = anchor.x - 0.5 * width(text) * capitals;
    let mut lines = Vec::new();
    for c in text.chars() {
        let (c, size, raised) = placed(c);
        let (advance, strokes) = glyph(c);
        for stroke in strokes.iter().copied() {
            let place = |p: DVec2| {
                let up = (p.y - BASELINE) * size + raised;
                DVec2::new(pen + p.x * size * unit, anchor.y - up * unit)
            };
            lines.push(points(stroke).into_iter().map(place).collect());
        }
        pen += (f64::from(advance) + SPACING) * size * unit;
    }
    lines
}

fn points(stroke: &str) -> Vec<DVec2> {
    let (smooth, digits) = match stroke.strip_prefix('~') {
        Some(rest) => (true, rest),
        None => (false, stroke),
    };
    let number = |b: u8| f64::from(b - b'0');
    let corners: Vec<DVec2> = digits
        .split(' ')
        .map(|p| DVec2::new(number(p.as_bytes()[0]), number(p.as_bytes()[1])))
        .collect();
    if smooth { curve(&corners) } else { corners }
}

/// A Catmull–Rom curve through the points; closed if the last is the first.
fn curve(p: &[DVec2]) -> Vec<DVec2> {
    const STEPS: usize = 6;
    let n = p.len();
    let closed = n > 2 && p[0] == p[n - 1];
    let mut points = vec![p[0]];
    for k in 0..n - 1 {
        let before = match k {
            0 if closed => p[n - 2],
            0 => 2.0 * p[0] - p[1],
            k => p[k - 1],
        };
        let after = match k + 2 {
            j if j < n => p[j],
            _ if closed => p[1],
            _ => 2.0 * p[n - 1] - p[n - 2],
        };
        let (a, b) = (p[k], p[k + 1]);
        for step in 1..=STEPS {
            let t = step as f64 / STEPS as f64;
            let straight = 2.0 * a + (b - before) * t;
            let bend = (2.0 * before - 5.0 * a + 4.0 * b - after) * t * t;
            let twist = (3.0 * a - before - 3.0 * b + after) * t * t * t;
            points.push(0.5 * (straight + bend + twist));
        }
    }
    points
}

/// Width in grid units and strokes of a letter; a box for letters not drawn here.
fn glyph(c: char) -> (u8, &'static [&'static str]) {
    match c {
        ' ' => (2, &[]),
        '0' => (4, &[ROUND]),
        '1' => (2, &["07 28 22"]),
        '2' => (4, &["~06 18 38 46 35 02", "02 42"]),
        '3' => (4, &["~07 18 38 46 25", "~25 44 32 12 03"]),
        '4' => (4, &["38 04 44", "38 32"]),
        '5' => (4, &["48 08 05", "~05 26 44 22 03"]),
        '6' => (4, &["~38 16 04 22 44 26 04"]),
        '7' => (4, &["08 48 12"]),
        '8' => (4, &["~28 07 25 47 28", "~25 04 03 22 43 44 25"]),
        '9' => (4, &["~12 34 46 28 06 24 46"]),
        'A' => (4, &["02 28 42", "14 34"]),
        'B' => (4, &["25 05 08 28", "05 02 22", "~28 47 46 25", "~25 44 43 22"]),
        'C' => (4, &["~47 38 18 06 04 12 32 43"]),
        'D' => (4, &["12 02 08 18", "~18 46 44 12"]),
        'E' => (4, &["48 08 02 42", "05 35"]),
        'F' => (4, &["48 08 02", "05 35"]),
        'G' => (4, &["~47 38 18 06 04 12 32 43", "43 45 25"]),
        'H' => (4, &["08 02", "48 42", "05 45"]),
        'I' => (0, &["08 02"]),
        'J' => (3, &["38 33", "~33 22 12 03"]),
        'K' => (4, &["08 02", "48 04", "15 42"]),
        'L' => (3, &["08 02 32"]),
        'M' => (5, &["02 08", "08 24 48", "48 42"]),
        'N' => (4, &["02 08 42 48"]),
        'O' => (4, &[ROUND]),
        'P' => (4, &["02 08 28", "~28 47 46 25", "25 05"]),
        'Q' => (4, &[ROUND, "34 42"]),
        'R' => (4, &["02 08 28", "~28 47 46 25", "25 05", "25 42"]),
        'S' => (4, &["~47 28 07 06 25 44 43 22 03"]),
        'T' => (4, &["08 48", "28 22"]),
        'U' => (4, &["08 04", "~04 13 22 33 44", "44 48"]),
        'V' => (4, &["08 22 48"]),
        'W' => (6, &["08 22 37 42 68"]),
        'X' => (4, &["08 42", "02 48"]),
        'Y' => (4, &["08 25 48", "25 22"]),
        'Z' => (4, &["08 48 02 42"]),
        'a' => (4, &[BOWL, "46 42"]),
        'b' => (4, &[BOWL, "08 02"]),
        'c' => (4, &["~45 36 16 05 03 12 32 43"]),
        'd' => (4, &[BOWL, "48 42"]),
        'e' => (4, &["04 44", "~44 45 36 16 05 03 12 32 43"]),
        'f' => (2, &["~28 17 15", "15 12", "06 26"]),
        'g' => (4, &[BOWL, "46 42", "~42 30 10"]),
        'h' => (4, &["08 02", "~04 26 44", "44 42"]),
        'i' => (0, &["06 02", "08 08"]),
        'j' => (1, &["16 12", "~12 11 00", "18 18"]),
        'k' => (3, &["08 02", "36 04", "15 32"]),
        'l' => (0, &["08 02"]),
        'm' => (6, &["06 02", "~05 16 26 35", "35 32", "~35 46 56 65", "65 62"]),
        'n' => (4, &["06 02", "~04 26 44", "44 42"]),
        'o' => (4, &[BOWL]),
        'p' => (4, &[BOWL, "06 00"]),
        'q' => (4, &[BOWL, "46 40"]),
        'r' => (2, &["06 02", "~04 16 26"]),
        's' => (3, &["~35 26 16 05 24 33 22 12 03"]),
        't' => (2, &["18 13", "~13 12 22", "06 26"]),
        'u' => (4, &["06 04", "~04 22 44", "46 42"]),
        'v' => (4, &["06 22 46"]),
        'w' => (6, &["06 22 35 42 66"]),
        'x' | '×' => (4, &["06 42", "02 46"]),
        'y' => (4, &["06 22", "46 10"]),
        'z' => (4, &["06 46 02 42"]),
        '.' => (0, &["02 02"]),
        ',' => (1, &["12 01"]),
        ':' => (0, &["02 02", "05 05"]),
        ';' => (1, &["12 01", "15 15"]),
        '!' => (0, &["08 04", "02 02"]),
        '-' | '–' | '−' => (3, &["04 34"]),
        '_' => (4, &["01 41"]),
        '+' => (4, &["04 44", "26 22"]),
        '=' => (4, &["03 43", "05 45"]),
        '/' => (3, &["01 39"]),
        '(' => (1, &["~19 07 03 11"]),
        ')' => (1, &["~09 17 13 01"]),
        '\'' => (0, &["08 07"]),
        '°' => (2, &["~18 07 16 27 18"]),
        '·' => (0, &["04 04"]),
        '%' => (5, &["02 58", "~18 07 16 27 18", "~44 33 42 53 44"]),
        '[' => (1, &["19 09 01 11"]),
        ']' => (1, &["09 19 11 01"]),
        '<' => (4, &["46 04 42"]),
        '>' => (4, &["06 44 02"]),
        '|' => (0, &["01 09"]),
        '*' => (4, &["27 23", "06 44", "04 46"]),
        '?' => (4, &["~06 18 38 46 25 24", "22 22"]),
        '"' => (1, &["08 07", "18 17"]),
        '#' => (4, &["12 18", "32 38", "04 44", "06 46"]),
        'α' => (4, &["~46 33 22 12 03 05 16 26 35 42"]),
        'β' => (4, &["00 07", "~07 18 28 37 36 25", "15 25", "~25 44 43 32 12 03"]),
        'γ' => (4, &["~06 15 23", "46 23 20"]),
        'δ' => (4, &["~36 16 05 03 12 32 43 45 26 17 28 38"]),
        'ε' => (3, &["~35 26 16 05 14", "14 24", "~14 03 12 22 33"]),
        'ζ' => (3, &["18 38", "~38 05 03 12 22 31 20"]),
        'θ' => (4, &[ROUND, "05 45"]),
        'λ' => (4, &["~08 18 25 42", "02 25"]),
        'μ' | 'µ' => (4, &["06 00", "~04 12 22 33 44", "46 42"]),
        'π' => (4, &["06 46", "16 12", "36 32"]),
        'ρ' => (4, &[BOWL, "04 00"]),
        'σ' => (4, &[BOWL, "26 46"]),
        'τ' => (4, &["06 46", "~26 23 32"]),
        'φ' => (4, &[BOWL, "28 20"]),
        'ψ' => (4, &["~06 04 22 44 46", "28 20"]),
        'ω' => (6, &["~16 05 03 12 22 33 34", "~34 33 42 52 63 65 56"]),
        'Δ' => (4, &["02 28 42 02"]),
        'Σ' => (4, &["48 08 25 02 42"]),
        'Φ' => (4, &["~27 06 04 23 44 46 27", "28 22"]),
        'Ω' => (4, &["02 12", "~12 04 06 18 38 46 44 32", "32 42"]),
        _ => (4, &["02 08 48 42 02"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_centred_at_its_anchor_and_as_tall_as_asked() {
        let anchor = DVec2::new(100.0, 50.0);
        let lines = lines("H 8 H", anchor, 12.0);
        let points: Vec<DVec2> = lines.into_iter().flatten().collect();
        let low = points.iter().copied().fold(DVec2::INFINITY, DVec2::min);
        let high = points.iter().copied().fold(DVec2::NEG_INFINITY, DVec2::max);
        assert!((0.5 * (low.x + high.x) - anchor.x).abs() < 1e-9);
        assert!((high.y - 50.0).abs() < 1e-9 && (low.y - 38.0).abs() < 1e-9);
    }

    #[test]
    fn every_printable_letter_has_strokes_within_its_width() {
        for c in (33u8..127).map(char::from) {
            let (advance, strokes) = glyph(c);
            for p in strokes.iter().flat_map(|s| points(s)) {
                assert!(p.x >= -0.5 && p.x <= f64::from(advance) + 0.5, "{c}");
            }
        }
    }
}

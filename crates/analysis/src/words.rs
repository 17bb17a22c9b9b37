//! Numbers, units, names and joint laws for people.

use drystone_model::{JointLaw, JointStiffness, Joints};

/// A number of things, with thousands set apart.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things with their name, which takes an s unless there is one.
pub fn counted(n: usize, thing: &str) -> String {
    format!("{} {thing}{}", count(n), if n == 1 { "" } else { "s" })
}

/// A quantity with about four digits and a unit prefix that suits it.
pub fn quantity(value: f64, units: &[(f64, &str)]) -> String {
    let (scale, unit) = units
        .iter()
        .copied()
        .find(|(scale, _)| value.abs() >= *scale)
        .unwrap_or_else(|| units.last().copied().unwrap_or((1.0, "")));
    let scaled = value / scale;
    let digits = if scaled == 0.0 {
        0
    } else {
        (3 - scaled.abs().log10().floor() as i32).clamp(0, 6) as usize
    };
    let text = format!("{scaled:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text} {unit}")
}

/// A mass with a unit that suits it.
pub fn mass(kg: f64) -> String {
    quantity(kg, &[(1e6, "kt"), (1e3, "t"), (1.0, "kg"), (1e-3, "g"), (1e-6, "mg")])
}

/// A length with a unit that suits it.
pub fn length(m: f64) -> String {
    if m == 0.0 {
        return "0 m".to_string();
    }
    if m.abs() < 1e-9 {
        return "below 1 nm".to_string();
    }
    quantity(m, &[(1e3, "km"), (1.0, "m"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm")])
}

/// A speed with a unit that suits it.
pub fn speed(m_s: f64) -> String {
    match m_s {
        0.0 => "0 m/s".to_string(),
        v if v.abs() < 1e-6 => "below 1 µm/s".to_string(),
        v => quantity(v, &[(1.0, "m/s"), (1e-3, "mm/s"), (1e-6, "µm/s")]),
    }
}

/// A short time with a unit that suits it, to two digits.
pub fn short_time(s: f64) -> String {
    let two_digits = format!("{s:.1e}").parse().unwrap_or(s);
    quantity(two_digits, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")])
}

/// How long something takes, roughly.
pub fn long_time(s: f64) -> String {
    match s {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s => format!("{:.0} hours", s / 3600.0),
    }
}

/// A force with a unit that suits it.
pub fn force(n: f64) -> String {
    if n == 0.0 {
        return "0 N".to_string();
    }
    quantity(n, &[(1e6, "MN"), (1e3, "kN"), (1.0, "N"), (1e-3, "mN"), (1e-6, "µN")])
}

/// A pressure with a unit that suits it.
pub fn pressure(pa: f64) -> String {
    if pa == 0.0 {
        return "0 Pa".to_string();
    }
    quantity(
        pa,
        &[(1e9, "GPa"), (1e6, "MPa"), (1e3, "kPa"), (1.0, "Pa"), (1e-3, "mPa")],
    )
}

/// The laws of joints: the default, those between groups, and those of the first few block pairs.
pub fn joint_laws(joints: &Joints) -> String {
    const MOST: usize = 3;
    let between = |pair: &[String; 2], law| format!("{} on {}: {}", pair[0], pair[1], joint_law(law));
    let mut laws = vec![joint_law(joints.law())];
    laws.extend(joints.groups.iter().map(|j| between(&j.between, j.law())));
    laws.extend(joints.blocks.iter().take(MOST).map(|j| between(&j.between, j.law())));
    if let more @ 1.. = joints.blocks.len().saturating_sub(MOST) {
        laws.push(counted(more, "more block pair"));
    }
    laws.join("; ")
}

fn joint_law(law: JointLaw) -> String {
    let mut text = format!("friction {}", law.friction);
    if law.restitution > 0.0 {
        text += &format!(", restitution {}", law.restitution);
    }
    if let Some(stiff) = law.stiffness {
        text += &format!(", stiffness {}", stiffness(stiff));
    }
    text
}

/// The stiffness of a joint with units that suit it.
pub fn stiffness(of: JointStiffness) -> String {
    let units = [(1e9, "GN/m³"), (1e6, "MN/m³"), (1e3, "kN/m³"), (1.0, "N/m³")];
    let [normal, tangential] = <[f64; 2]>::from(of).map(|k| quantity(k, &units));
    format!("{normal} (normal) and {tangential} (tangential)")
}

/// An area with a unit that suits it.
pub fn area(m2: f64) -> String {
    quantity(m2, &[(1.0, "m²"), (1e-4, "cm²"), (1e-6, "mm²")])
}

/// Lengths along x, y and z in one unit that suits the largest.
pub fn size(m: glam::DVec3) -> String {
    let units = [(1e4, 1e3, "km"), (0.1, 1.0, "m"), (0.0, 1e-3, "mm")];
    let (_, scale, unit) = units
        .into_iter()
        .find(|(from, ..)| m.max_element() >= *from)
        .unwrap_or(units[2]);
    let [x, y, z] = (m / scale).to_array().map(|v| quantity(v, &[(1.0, "")]));
    format!("{} x {} x {} {unit}", x.trim(), y.trim(), z.trim())
}

/// A volume with a unit that suits it.
pub fn volume(m3: f64) -> String {
    quantity(m3, &[(1.0, "m³"), (1e-3, "L"), (1e-6, "cm³"), (1e-9, "mm³")])
}

/// A number with four significant digits.
pub fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let size = value.abs().log10().floor() as i32;
    if !(-5..7).contains(&size) {
        return format!("{value:.3e}");
    }
    format!("{value:.*}", (3 - size).max(0) as usize)
}

/// Names in quotes, the first few one by one and the others counted.
pub fn named(names: &[String], most: usize) -> String {
    let some: Vec<String> = names.iter().take(most).map(|n| format!("`{n}`")).collect();
    match names.len().saturating_sub(most) {
        0 => listed(&some),
        more => format!("{} and {} more", some.join(", "), count(more)),
    }
}

/// Words one after another, the last after `and`.
pub fn listed<S: AsRef<str>>(words: &[S]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// A text as a sentence: a capital first, a full stop last.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let start: String = letters.next().map_or_else(String::new, |c| c.to_uppercase().collect());
    let stop = if text.is_empty() || text.ends_with(['.', '!', '?']) {
        ""
    } else {
        "."
    };
    format!("{start}{}{stop}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_come_with_a_unit_that_suits_them() {
        assert_eq!(mass(83_912.4), "83.91 t");
        assert_eq!(mass(0.0123), "12.3 g");
        assert_eq!(length(16.2), "16.2 m");
        assert_eq!(length(2.5e-7), "250 nm");
        assert_eq!(length(0.0), "0 m");
        assert_eq!(length(2e-15), "below 1 nm");
        assert_eq!(volume(46.62), "46.62 m³");
        assert_eq!(volume(5e-4), "500 cm³");
        assert_eq!(size(glam::DVec3::new(16.2, 0.8, 5.0)), "16.2 x 0.8 x 5 m");
        assert_eq!(size(glam::DVec3::new(0.05, 0.08, 0.0125)), "50 x 80 x 12.5 mm");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(201), "201");
        assert_eq!(counted(1, "block"), "1 block");
        assert_eq!(counted(2000, "block"), "2,000 blocks");
    }

    #[test]
    fn names_are_listed_and_the_others_counted() {
        let names = ["a", "b", "c"].map(String::from);
        assert_eq!(named(&names[..1], 3), "`a`");
        assert_eq!(named(&names, 3), "`a`, `b` and `c`");
        assert_eq!(named(&names, 1), "`a` and 2 more");
        assert_eq!(sentence("it stands"), "It stands.");
        assert_eq!(sentence(""), "");
    }
}

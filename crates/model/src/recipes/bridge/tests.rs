use super::*;
use crate::{
    check,
    recipes::soundness::{assert_sound, built, free_volume},
};

const G: f64 = 9.81;

/// Radius of the soffit, half of the angle that the ring embraces, and the angle of a voussoir.
fn circle(span: f64, rise: f64, voussoirs: usize) -> (f64, f64, f64) {
    let radius = (0.25 * span * span + rise * rise) / (2.0 * rise);
    let half = (0.5 * span / radius).asin();
    (radius, half, 2.0 * half / voussoirs as f64)
}

#[test]
fn a_ring_has_the_volume_of_its_voussoirs() {
    let model = built("bridge", "");
    assert_sound(&model);
    assert_eq!(model.free_blocks().count(), 25);
    let (radius, _, step) = circle(6.0, 2.0, 25);
    let outer = radius + 0.5;
    let expected = 4.0 * 25.0 * 0.5 * (outer * outer - radius * radius) * step.sin();
    assert!((free_volume(&model) - expected).abs() < 1e-12 * expected);
    // The soffit passes through the springings and the crown.
    let lowest = |b: &&crate::Block| b.polyhedron().bounds().min.z;
    let ring = model.bounds(|b| !b.fixed);
    // The crown voussoir of an odd number has a level back, below the circle.
    let crown = 2.0 - radius + outer * (0.5 * step).cos();
    assert!((ring.max.z - crown).abs() < 1e-12, "{}", ring.max.z);
    assert!(
        model
            .free_blocks()
            .map(|b| lowest(&b))
            .fold(f64::INFINITY, f64::min)
            .abs()
            < 1e-12
    );
}

/// Mass of the fill: the rectangle from the springings up to its level, less what is below the back of the ring, which is a
/// polygon in a circle.
#[test]
fn fill_weighs_what_stands_over_the_ring() {
    let model = built("bridge", "");
    let (radius, half, step) = circle(6.0, 2.0, 25);
    let outer = radius + 0.5;
    let [foot, reach] = [outer * half.cos() - (radius - 2.0), outer * half.sin()];
    let below = 0.5 * outer * outer * (25.0 * step.sin() - (2.0 * half).sin()) + 2.0 * reach * foot;
    let expected = 1800.0 * 4.0 * (2.0 * reach * (2.0 + 0.5 + 0.4) - below);
    let carried = |b: &Block| b.added_mass.iter().map(|a| a.mass).sum::<f64>();
    let found: f64 = model.blocks.iter().map(carried).sum();
    assert!((found - expected).abs() < 1e-10 * expected, "{found} {expected}");
    // It rides above the stones: the centre of each is higher with it.
    for block in model.free_blocks() {
        let own = block.polyhedron().mass_properties().centroid;
        assert!(model.center_of(block).z > own.z + 0.1, "{}", block.name);
    }
}

/// As pressure the fill presses down with its weight, and sideways on each half with the thrust of earth on the height of the ring.
#[test]
fn fill_as_pressure_has_the_weight_and_the_thrust_of_the_fill() {
    for spandrel in ["0", "0.5"] {
        let model = built("bridge", &format!("--fill pressure --spandrel {spandrel}"));
        let same = built("bridge", &format!("--fill mass --spandrel {spandrel}"));
        let mass: f64 = same.blocks.iter().flat_map(|b| &b.added_mass).map(|a| a.mass).sum();
        let case = &model.load_cases["fill"];
        let found: Vec<_> = case.surfaces.iter().flat_map(|s| s.pressures(&model)).collect();
        assert_eq!(found.len(), 25);
        let sum: DVec3 = found.iter().map(|f| f.force).sum();
        assert!((sum - DVec3::NEG_Z * G * mass).length() < 1e-9 * G * mass, "{sum}");
        let thrust: f64 = found.iter().map(|f| f.force.x.max(0.0)).sum();
        // The crown voussoir of an odd number is level: up to its back the fill is `cover` deep and its sagitta more.
        let (radius, half, step) = circle(6.0, 2.0, 25);
        let depth = |angle: f64| 2.9 + (radius - 2.0) - (radius + 0.5) * angle.cos();
        let (low, high) = (depth(half), depth(0.5 * step));
        let inner: f64 = 4.0 - 2.0 * spandrel.parse::<f64>().unwrap();
        let expected = 0.5 * 0.3 * 1800.0 * G * inner * (low * low - high * high);
        assert!((thrust - expected).abs() < 1e-9 * expected, "{thrust} {expected}");
        assert!(model.blocks.iter().all(|b| b.added_mass.is_empty()));
    }
}

#[test]
fn axles_come_down_with_their_load_where_they_are() {
    for arguments in [
        "--axle-position 1.5",
        "--axle-position 1.5 --axle-spread 0",
        "--axle-position 0.9 --axles 3 --axle-spacing 1.2",
        "--spans 2 --axle-position 6.7 --axle-spread 3",
        "--rise 3 --abutments masonry --axle-position -0.8",
    ] {
        let model = built("bridge", arguments);
        let forces = &model.load_cases["axle"].forces;
        let down: f64 = forces.iter().map(|f| -f.force.z).sum();
        let moment: f64 = forces.iter().map(|f| -f.force.z * f.at.unwrap().x).sum();
        let word = |name: &str, default: f64| {
            let words: Vec<&str> = arguments.split_whitespace().collect();
            let at = words.iter().position(|w| *w == name);
            at.map_or(default, |k| words[k + 1].parse().unwrap())
        };
        let (count, spacing) = (word("--axles", 1.0), word("--axle-spacing", 1.5));
        let spans = word("--spans", 1.0);
        let springing = -0.5 * (6.0 * spans + 1.4 * (spans - 1.0));
        let x = springing + word("--axle-position", 1.5) + 0.5 * spacing * (count - 1.0);
        assert!((down - 100e3 * count).abs() < 1e-6, "{arguments}: {down}");
        assert!((moment / down - x).abs() < 1e-9, "{arguments}: {} {x}", moment / down);
        // Each force is on the surface of its block.
        for force in forces {
            let block = model.block(&force.block).unwrap().polyhedron();
            let at = force.at.unwrap();
            let nearest = (0..block.faces.len()).map(|f| block.face_plane(f).distance(at).abs());
            assert!(
                nearest.fold(f64::INFINITY, f64::min) < 1e-9,
                "{arguments}: {}",
                force.block
            );
        }
    }
}

#[test]
fn bridges_of_all_kinds_are_sound() {
    for arguments in [
        "--rise 3",
        "--rise 0.6 --voussoirs 30",
        "--spans 3 --spandrel 0.4",
        "--spans 2 --rise 3 --pier-width 1.1 --spandrel 0.4 --fill pressure",
        "--abutments masonry",
        "--abutments masonry --rise 3 --spandrel 0.5 --spandrel-length 2",
        "--abutments masonry --spans 4 --voussoirs 9 --fill none",
        "--span 0.6 --rise 0.2 --ring 0.05 --width 0.4 --cover 0.04 --axle-position 0.15 --axle-spread 0.06",
    ] {
        let model = built("bridge", arguments);
        assert_sound(&model);
        let found = check::problems(&model);
        assert!(found.is_empty(), "{arguments}: {}", found[0]);
    }
}

/// Piers, saddles and spandrel walls fill what lies between the rings and the level of the fill, from end to end.
#[test]
fn walls_as_wide_as_the_bridge_would_fill_all_above_the_ring() {
    let arguments = "--spans 2 --abutments masonry --spandrel 0.3 --voussoirs 11";
    let model = built("bridge", arguments);
    assert_sound(&model);
    let of = |group: &'static str| model.blocks.iter().filter(move |b| b.group.as_deref() == Some(group));
    let volume = |group: &'static str| of(group).map(|b| b.polyhedron().volume()).sum::<f64>();
    let carried: f64 = model
        .blocks
        .iter()
        .flat_map(|b| &b.added_mass)
        .map(|a| a.mass / 1800.0)
        .sum();
    // Walls and fill stand on the same back, by their widths.
    assert!((volume("spandrel") / 0.6 - carried / 3.4).abs() < 1e-9);
    // Below the level and over the springings, less the openings, everything is stone or fill.
    let (radius, half, step) = circle(6.0, 2.0, 11);
    let opening = 0.5 * radius * radius * (11.0 * step.sin() - (2.0 * half).sin());
    let length = 2.0 * 6.0 + 1.4 + 2.0 * 2.5;
    let below = 4.0 * (1.4 * 4.0 + 2.0 * 2.5 * 2.0);
    let expected = 4.0 * (length * 2.9 - 2.0 * opening) + below;
    let found = free_volume(&model) + carried;
    assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
}

#[test]
fn what_cannot_be_built_is_refused_with_a_reason() {
    let refused = |arguments: &str| {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let pairs: Vec<_> = words
            .chunks(2)
            .map(|w| (w[0][2..].to_string(), w[1].to_string()))
            .collect();
        RECIPE.build(&pairs).unwrap_err().to_string()
    };
    for (arguments, told) in [
        ("--rise 3.1", "at most half of that, 3 m"),
        ("--rise 2.999", "slivers"),
        ("--spans 2 --pier-width 0.5", "need"),
        ("--abutments masonry --abutment-width 0.2", "needs"),
        ("--spandrel 1.9", "make them thinner"),
        ("--axle-position 9", "does not come down on the bridge"),
        ("--lateral 0.5", "--fill pressure"),
        ("--pier-height 3", "--spans above 1"),
    ] {
        let message = refused(arguments);
        assert!(message.contains(told), "{arguments}: {message}");
    }
}

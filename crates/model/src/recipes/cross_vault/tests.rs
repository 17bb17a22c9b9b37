use super::*;
use crate::recipes::soundness::{assert_sound, built, free_volume};

const OTHERS: [&str; 5] = [
    "--embrace-deg 120 --voussoirs 9",
    "--voussoirs 3 --block-length 2",
    "--thickness 1.5 --voussoirs 21 --block-length 0.5 --margin 1",
    "--radius 0.03 --thickness 0.004 --block-length 0.008 --margin 0.004",
    "--embrace-deg 60 --voussoirs 5 --margin 0.01",
];

fn params(arguments: &str) -> Params {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let values: Vec<_> = words
        .chunks(2)
        .map(|w| (w[0][2..].to_string(), w[1].to_string()))
        .collect();
    Params::read(&values).unwrap()
}

/// Volume of two crossing barrels with polygonal rings of inner radius `r` and outer radius `R`.
///
/// A column of height dA of a web's elevation at a distance x from the crown runs from the groin, at x, to the edge of
/// the bay, at e: a web holds ∫ (e - |x|) dA over the ring's elevation, and there are four webs. With n wedges of
/// angle d, the area is n (R² - r²) sin d / 2. The first moment of one triangle about the ring's centre is
/// (R³ sin d cos(d/2)) / 3 along its bisector, and the half triangle at the crown has (R³ sin²(d/2) cos(d/2)) / 6.
fn closed_form(p: &Params) -> f64 {
    let (n, embrace) = (p.voussoirs as f64, p.embrace_deg.to_radians());
    let (r, big_r) = (p.radius - 0.5 * p.thickness, p.radius + 0.5 * p.thickness);
    let (d, springing) = (embrace / n, 0.5 * (std::f64::consts::PI - embrace));
    let edge = big_r * springing.cos() + p.margin;
    let area = n * 0.5 * (big_r.powi(2) - r.powi(2)) * d.sin();
    let cubes = big_r.powi(3) - r.powi(3);
    let courses = (0..p.voussoirs / 2).map(|i| (springing + (i as f64 + 0.5) * d).cos());
    let moment = courses.sum::<f64>() * cubes * d.sin() * (0.5 * d).cos() / 3.0
        + cubes * (0.5 * d).sin().powi(2) * (0.5 * d).cos() / 6.0;
    4.0 * (edge * area - 2.0 * moment)
}

#[test]
fn the_webs_fill_the_crossing_barrels() {
    for arguments in [""].into_iter().chain(OTHERS) {
        let (volume, expected) = (
            free_volume(&built("cross-vault", arguments)),
            closed_form(&params(arguments)),
        );
        assert!(
            (volume - expected).abs() < 1e-9 * expected,
            "{arguments}: {volume} instead of {expected}"
        );
    }
}

#[test]
fn cross_vaults_are_sound_at_their_defaults_and_elsewhere() {
    for arguments in [""].into_iter().chain(OTHERS) {
        let model = built("cross-vault", arguments);
        assert_sound(&model);
        assert_eq!(model.blocks.iter().filter(|b| b.fixed).count(), 4);
    }
}

#[test]
fn every_course_has_a_stone_in_each_groin_whose_parts_fill_it() {
    let model = built("cross-vault", "");
    let groin: Vec<&Block> = model
        .free_blocks()
        .filter(|b| b.group.as_deref() == Some("groin"))
        .collect();
    assert_eq!(groin.len(), 4 * 6 + 1);
    for block in groin {
        let solid = block.polyhedron();
        assert!(!solid.is_convex(1e-6), "{} straddles no groin", block.name);
        let parts = block.convex_parts(1e-9).unwrap();
        assert_eq!(parts.len(), if block.name == "keystone" { 4 } else { 2 });
        let sum: f64 = parts.iter().map(Polyhedron::volume).sum();
        assert!((sum - solid.volume()).abs() < 1e-12 * sum);
    }
}

#[test]
fn joints_across_the_courses_are_staggered_by_half_a_block() {
    let vault = CrossVault::new(&Params::default()).unwrap();
    let [even, odd] = [0, 1].map(|course| vault.cuts(course, 0.0));
    for y in &odd[1..] {
        let nearest = even[1..].iter().map(|x| (x - y).abs()).fold(f64::INFINITY, f64::min);
        assert!((nearest - 0.4).abs() < 1e-12);
    }
}

#[test]
fn the_vault_looks_the_same_from_all_four_sides() {
    let model = built("cross-vault", "");
    let centroids: Vec<DVec3> = model
        .free_blocks()
        .map(|b| b.polyhedron().mass_properties().centroid)
        .collect();
    for c in &centroids {
        let turned = DVec3::new(-c.y, c.x, c.z);
        assert!(centroids.iter().any(|d| d.distance(turned) < 1e-9));
    }
}

#[test]
fn an_even_number_of_courses_is_refused() {
    let error = RECIPE.build(&[("voussoirs".into(), "8".into())]).unwrap_err();
    assert!(matches!(error, RecipeError::Conflict(m) if m.contains("give 7 or 9")));
}

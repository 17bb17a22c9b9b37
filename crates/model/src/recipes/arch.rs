//! A stand-alone arch on fixed springers: circular, pointed or flat.

use glam::DVec2;

use super::{
    Recipe, RecipeError, choices, one_of, parameters,
    voussoir::{Joint, Ring, Side, between, numbered, prism, springer, step},
};
use crate::{Block, Model};

pub(super) const RECIPE: Recipe = Recipe {
    name: "arch",
    summary: "A circular, pointed or flat arch of voussoirs between two fixed springers",
    notes: "The default is `arch thick` of Kao et al. (2022), remark 1: a semicircle with a thickness of 0.15 radii \
            and 36 voussoirs. `embrace-deg` spans the free voussoirs alone, and the springers are fixed blocks below \
            the end joints (below the two horizontal joints of a semicircle). Voussoirs are straight-sided: their \
            corners lie on the circles of soffit and back, at the joints. A pointed arch has two segments of circle; \
            with an odd number of voussoirs the middle one is a keystone with a level soffit and a pointed back, with \
            an even number a vertical joint stands at the crown. A flat arch has a level soffit and top and joints \
            that converge to one point below. Voussoirs are numbered from left to right.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?),
};

choices! {
    /// The shape of the soffit.
    enum Profile { Circular = "circular", Pointed = "pointed", Flat = "flat" }
}

parameters! {
    struct Params {
        profile: Profile = Profile::Circular, in Profile::WORDS, "", "Shape of the arch";
        radius: f64 = 5.0, in 1e-3..=1e4, "m", "Radius of the centreline",
            needs [one_of("profile", &["circular", "pointed"]).or_else(&["span"])];
        embrace_deg: f64 = 180.0, in 10.0..=270.0, "deg",
            "Circular: angle from the first joint of the free voussoirs to the last. Pointed: the end joints rise from \
             the horizontal as for a circular arch of this angle of embrace",
            needs [one_of("profile", &["circular", "pointed"]).or_else(&["skew-deg"])];
        centre_offset: f64 = 0.5, in 0.0..=0.95, "",
            "Distance of the centres from mid-span, over the radius (0: circular, 0.5: equilateral)",
            needs [one_of("profile", &["pointed"])];
        span: f64 = 3.0, in 1e-3..=1e4, "m", "Clear span at the soffit",
            needs [one_of("profile", &["flat"]).or_else(&["radius", "embrace-deg"])];
        skew_deg: f64 = 30.0, in 1.0..=75.0, "deg", "Inclination of the end joints from the vertical",
            needs [one_of("profile", &["flat"]).or_else(&["embrace-deg"])];
        thickness: f64 = 0.75, in 1e-4..=1e4, "m", "Depth of the voussoirs, radially (flat: height)";
        voussoirs: usize = 36, in 1..=2000, "", "Number of free voussoirs between the springers";
        width: f64 = 1.0, in 1e-3..=1e4, "m", "Size along y";
    }
}

/// An arch in elevation: its joints from left to right, and the top of its keystone if that is pointed.
struct Elevation {
    joints: Vec<Joint>,
    apex: Option<DVec2>,
}

impl Elevation {
    fn plain(joints: Vec<Joint>) -> Self {
        Self { joints, apex: None }
    }

    /// Outline of the voussoir with an index, from 0 at the left.
    fn voussoir(&self, index: usize) -> Vec<DVec2> {
        let mut outline = between(&self.joints[index], &self.joints[index + 1]);
        if let Some(apex) = self.apex.filter(|_| 2 * index + 2 == self.joints.len()) {
            outline.insert(2, apex);
        }
        outline
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let arch = match p.profile {
        Profile::Circular => {
            let ring = Ring::about(p.radius, p.thickness)?;
            Elevation::plain(ring.joints(p.embrace_deg.to_radians(), p.voussoirs)?)
        }
        Profile::Pointed => pointed(p)?,
        Profile::Flat => Elevation::plain(flat(p)),
    };
    let (y0, y1) = (-0.5 * p.width, 0.5 * p.width);
    let mut model = Model::named("arch");
    for (joint, side) in [(0, Side::Left), (p.voussoirs, Side::Right)] {
        let outline = springer(&arch.joints[joint], side);
        let block = Block::new(side.name(), prism(outline, y0, y1));
        model.blocks.push(block.fixed().in_group("ground"));
    }
    for i in 0..p.voussoirs {
        let name = numbered("voussoir", i + 1, p.voussoirs);
        let block = Block::new(name, prism(arch.voussoir(i), y0, y1));
        model.blocks.push(block.in_group("arch"));
    }
    Ok(model)
}

/// Two segments of circle about centres at the springing level; the right one springs from the left centre.
fn pointed(p: &Params) -> Result<Elevation, RecipeError> {
    let ring = Ring::about(p.radius, p.thickness)?;
    let offset = p.centre_offset * p.radius;
    let springing = (90.0 - 0.5 * p.embrace_deg).to_radians();
    let crown = p.centre_offset.acos();
    if crown - springing < 0.05 {
        return Err(RecipeError::conflict(format!(
            "--embrace-deg {}: the end joints would lie above the crown, which is {:.1} degrees up for --centre-offset \
             {}; give an angle of embrace of at least {:.1} degrees, or a smaller offset",
            p.embrace_deg,
            crown.to_degrees(),
            p.centre_offset,
            180.0 - 2.0 * crown.to_degrees() + 6.0
        )));
    }
    let step = step(2.0 * (crown - springing), p.voussoirs)?;
    let right: Vec<Joint> = (0..p.voussoirs.div_ceil(2))
        .map(|i| {
            let about_centre = ring.joint(springing + step * i as f64);
            Joint {
                intrados: about_centre.intrados - DVec2::new(offset, 0.0),
                extrados: about_centre.extrados - DVec2::new(offset, 0.0),
            }
        })
        .collect();
    // Radial joints of the two segments lean towards each other below the crown and must not meet.
    let clear = right.iter().map(|j| j.intrados.x).fold(f64::INFINITY, f64::min);
    if clear < 1e-3 * p.thickness {
        return Err(RecipeError::conflict(format!(
            "joints of the two segments meet below the crown of a pointed arch {} m thick with --centre-offset {} and \
             {} voussoirs: make it thinner, less pointed, or of fewer voussoirs",
            p.thickness, p.centre_offset, p.voussoirs
        )));
    }
    let above_crown = |radius: f64| DVec2::new(0.0, (radius * radius - offset * offset).sqrt());
    let apex = above_crown(ring.outer);
    let left = right.iter().map(Joint::mirrored);
    Ok(if p.voussoirs.is_multiple_of(2) {
        let at_crown = Joint {
            intrados: above_crown(ring.inner),
            extrados: apex,
        };
        Elevation::plain(left.chain([at_crown]).chain(right.iter().rev().copied()).collect())
    } else {
        Elevation {
            joints: left.chain(right.iter().rev().copied()).collect(),
            apex: Some(apex),
        }
    })
}

/// Joints at equal distances along the soffit, all through one point below it.
fn flat(p: &Params) -> Vec<Joint> {
    let centre = 0.5 * p.span / p.skew_deg.to_radians().tan();
    let spread = (centre + p.thickness) / centre;
    let joint = |i: usize| {
        // Measured from the nearer end, so that the two halves mirror each other exactly.
        let from_left = 2 * i <= p.voussoirs;
        let nearer = if from_left { i } else { p.voussoirs - i };
        let x = p.span * (0.5 - nearer as f64 / p.voussoirs as f64);
        let right = Joint {
            intrados: DVec2::new(x, 0.0),
            extrados: DVec2::new(x * spread, p.thickness),
        };
        if from_left { right.mirrored() } else { right }
    };
    (0..=p.voussoirs).map(joint).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipes::soundness::{assert_sound, built, free_volume};

    fn refused(arguments: &[(&str, &str)]) -> RecipeError {
        let values: Vec<_> = arguments.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        RECIPE.build(&values).unwrap_err()
    }

    #[test]
    fn arch_thick_is_a_semicircle_of_36_voussoirs_between_two_fixed_blocks() {
        let model = built("arch", "");
        assert_sound(&model);
        assert_eq!(model.free_blocks().count(), 36);
        assert_eq!(model.blocks.len(), 38);
        let bounds = model.bounds(|b| !b.fixed);
        assert!(bounds.min.z.abs() < 1e-14 && (bounds.max.x - 5.375).abs() < 1e-14);
        let ring = 36.0 * 0.5 * (5.375_f64.powi(2) - 4.625_f64.powi(2)) * (std::f64::consts::PI / 36.0).sin();
        assert!((free_volume(&model) - ring).abs() < 1e-12 * ring);
        // The springers end where the arch begins.
        assert!(model.bounds(|b| b.fixed).max.z.abs() < 1e-14);
    }

    #[test]
    fn circular_arches_are_sound_from_shallow_to_horseshoe() {
        for arguments in [
            "--embrace-deg 20 --voussoirs 3",
            "--embrace-deg 120 --voussoirs 11 --thickness 2",
            "--embrace-deg 260 --voussoirs 25 --width 0.2",
            "--voussoirs 1 --embrace-deg 120",
            "--voussoirs 2 --radius 0.01 --thickness 0.002 --width 0.01",
        ] {
            assert_sound(&built("arch", arguments));
        }
    }

    #[test]
    fn a_pointed_arch_without_offset_is_a_circular_one() {
        let [circular, pointed] = ["circular", "pointed --centre-offset 0"]
            .map(|profile| free_volume(&built("arch", &format!("--profile {profile} --voussoirs 12"))));
        assert!((circular - pointed).abs() < 1e-12 * circular);
    }

    #[test]
    fn a_pointed_arch_has_a_joint_or_a_keystone_at_the_crown() {
        for (voussoirs, expected) in [(12, 0), (13, 1)] {
            let model = built("arch", &format!("--profile pointed --voussoirs {voussoirs}"));
            assert_sound(&model);
            let across = model.free_blocks().filter(|b| {
                let bounds = b.polyhedron().bounds();
                bounds.min.x < -1e-9 && bounds.max.x > 1e-9
            });
            assert_eq!(across.count(), expected);
            // An equilateral arch rises to the height of the triangle over its centres.
            let top = model.bounds(|b| !b.fixed).max.z;
            assert!((top - (5.375_f64.powi(2) - 2.5_f64.powi(2)).sqrt()).abs() < 1e-12);
        }
        assert_sound(&built(
            "arch",
            "--profile pointed --centre-offset 0.2 --embrace-deg 150 --voussoirs 9",
        ));
        assert_sound(&built("arch", "--profile pointed --centre-offset 0.7 --voussoirs 1"));
        assert_sound(&built(
            "arch",
            "--profile pointed --centre-offset 0.1 --embrace-deg 200 --voussoirs 20",
        ));
    }

    #[test]
    fn a_flat_arch_fills_the_trapezium_between_its_skewbacks() {
        let model = built(
            "arch",
            "--profile flat --voussoirs 9 --span 2 --thickness 0.5 --skew-deg 30 --width 0.3",
        );
        assert_sound(&model);
        let top = 2.0 + 2.0 * 0.5 * 30_f64.to_radians().tan();
        let volume = 0.3 * 0.5 * 0.5 * (2.0 + top);
        assert!((free_volume(&model) - volume).abs() < 1e-12);
        for arguments in [
            "--skew-deg 75 --voussoirs 8",
            "--skew-deg 1 --voussoirs 1",
            "--span 0.1",
        ] {
            assert_sound(&built("arch", &format!("--profile flat {arguments}")));
        }
    }

    #[test]
    fn what_cannot_be_built_is_refused_with_a_reason() {
        assert!(matches!(refused(&[("thickness", "9.9")]), RecipeError::Conflict(m) if m.contains("centreline")));
        let high = refused(&[("profile", "pointed"), ("embrace-deg", "20")]);
        assert!(matches!(high, RecipeError::Conflict(m) if m.contains("above the crown")));
        let crossing = refused(&[("profile", "pointed"), ("centre-offset", "0.8"), ("thickness", "3")]);
        assert!(matches!(crossing, RecipeError::Conflict(m) if m.contains("meet below the crown")));
    }
}

//! The wedge of Kao et al. (2022), figures 4 and 8: a free block whose lower end is a wedge, in the notch between two
//! supports.

use glam::DVec2;

use super::{Recipe, RecipeError, Values, choices, parameter::Value, parameters};
use crate::{Block, Joints, Model, geometry::Polyhedron};

pub(super) const RECIPE: Recipe = Recipe {
    name: "wedge",
    summary: "A free block with a wedge-shaped foot in the notch between two fixed blocks",
    notes: "Kao et al. (2022), figure 8 and table 2; sizes of the authors' published data. Types a and b are sharp \
            (60 degrees), c and d blunt (30 degrees); b and c stand tall, a and d low. `slope-deg`, `half-width` and \
            `neck` take the place of the type's values where they are given. The tip of the wedge lies at x = 0, the \
            front at y = 0.",
    own_parameters: Params::parameters,
    make: |values| build(&Params::read(values)?.with_values_of_the_type(values)?),
};

choices! { pub(super) enum Type { A = "a", B = "b", C = "c", D = "d" } }

parameters! {
    struct Params {
        r#type: Type = Type::A, in Type::WORDS, "", "Published wedge whose slope, half width and neck are taken";
        slope_deg: f64 = 60.0, in 1.0..=89.0, "deg", "Slope of the wedge's faces from the horizontal (b: 60; c, d: 30)";
        half_width: f64 = 0.6, in 1e-4..=1e4, "m", "Half the width of the free block (b: 0.6; c, d: 1)";
        neck: f64 = 0.06077, in 1e-4..=1e5, "m", "Height of the free block above the notch (b, c: 1.26077; d: 0.06077)";
        depth: f64 = 1.0, in 1e-4..=1e4, "m", "Size along y";
        base: f64 = 0.5, in 1e-4..=1e4, "m", "Height of the supports under the tip of the wedge";
        half_length: f64 = 2.0, in 1e-4..=1e5, "m", "Length of each support along x";
        friction: f64 = 0.84, in 0.0..=1e3, "", "Friction coefficient of every joint";
    }
}

/// Parameters that a type sets where they are left out.
const OF_A_TYPE: [&str; 3] = ["slope-deg", "half-width", "neck"];

impl Params {
    fn with_values_of_the_type(mut self, values: &Values) -> Result<Self, RecipeError> {
        let (slope_deg, half_width, neck) = match self.r#type {
            Type::A => (60.0, 0.6, 0.06077),
            Type::B => (60.0, 0.6, 1.26077),
            Type::C => (30.0, 1.0, 1.26077),
            Type::D => (30.0, 1.0, 0.06077),
        };
        let given = |name: &str| values.iter().any(|(key, _)| key == name);
        if given("type") && OF_A_TYPE.iter().all(|name| given(name)) {
            return Err(RecipeError::NoEffect {
                parameter: "type".to_owned(),
                value: self.r#type.show(),
                because: format!(
                    "--{} all given; leave one of them out, or the type",
                    OF_A_TYPE.join(", --")
                ),
            });
        }
        if !given("slope-deg") {
            self.slope_deg = slope_deg;
        }
        if !given("half-width") {
            self.half_width = half_width;
        }
        if !given("neck") {
            self.neck = neck;
        }
        Ok(self)
    }
}

fn build(p: &Params) -> Result<Model, RecipeError> {
    let (a, l) = (p.half_width, p.half_length);
    if l < a {
        return Err(RecipeError::conflict(format!(
            "--half-length {l}: the supports are shorter than the notch; give at least the half width of the block, {a}"
        )));
    }
    let shoulder = p.base + a * p.slope_deg.to_radians().tan();
    let top = shoulder + p.neck;
    let mut support = vec![(0.0, 0.0), (l, 0.0), (l, shoulder), (a, shoulder), (0.0, p.base)];
    if l == a {
        support.remove(3);
    }
    let free = [(0.0, p.base), (a, shoulder), (a, top), (-a, top), (-a, shoulder)];
    let solid = |outline: &[(f64, f64)], side: f64| {
        let outline: Vec<DVec2> = outline.iter().map(|&(x, z)| DVec2::new(side * x, z)).collect();
        Polyhedron::from_elevation(&outline, 0.0, p.depth)
    };
    let mut model = Model::named("wedge");
    model.joints = Joints::uniform(p.friction);
    model.blocks = vec![
        Block::new("right-support", solid(&support, 1.0))
            .fixed()
            .in_group("supports"),
        Block::new("left-support", solid(&support, -1.0))
            .fixed()
            .in_group("supports"),
        Block::new("wedge", solid(&free, 1.0)).in_group("wedge"),
    ];
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::super::{
        published,
        soundness::{assert_sound, built, free_volume},
    };

    #[test]
    fn the_wedge_fills_the_notch() {
        for arguments in [
            "",
            "--type b",
            "--type c --slope-deg 10",
            "--type d --half-length 1",
            "--slope-deg 89 --neck 2 --base 0.01",
        ] {
            let model = built("wedge", arguments);
            assert_sound(&model);
            assert_eq!(crate::check::neighbours(&model).unwrap().len(), 3, "{arguments}");
        }
    }

    #[test]
    fn the_free_volume_is_a_triangle_and_a_rectangle() {
        let volume = free_volume(&built("wedge", "--slope-deg 45 --half-width 0.5 --neck 0.3 --depth 2"));
        assert!((volume - 2.0 * (0.25 + 0.3)).abs() < 1e-12);
    }

    #[test]
    fn a_value_given_takes_the_place_of_the_types() {
        let height = |arguments| built("wedge", arguments).bounds(|b| !b.fixed).size().z;
        let rise = 30f64.to_radians().tan();
        assert!((height("--type c") - (rise + 1.26077)).abs() < 1e-12);
        assert!((height("--type c --neck 0.1") - (rise + 0.1)).abs() < 1e-12);
    }

    #[test]
    fn the_types_are_the_published_models() {
        for kind in ["a", "b", "c", "d"] {
            let Some(theirs) = published::blocks(&format!("type-{kind}")) else {
                return;
            };
            published::assert_same(&built("wedge", &format!("--type {kind}")), &theirs, 1e-5);
        }
    }
}

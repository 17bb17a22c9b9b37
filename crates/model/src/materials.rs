//! A library of materials: what the literature gives for stone and masonry, with the range and the source of every number.

use crate::{Joints, Material, Model, check::nearest};

/// Where a number comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// EN 1991-1-1.
    Eurocode1,
    /// EN 1996-1-1.
    Eurocode6,
    /// Barton and Choubey (1977).
    BartonChoubey,
    /// Attewell and Farmer (1976).
    AttewellFarmer,
    /// Farmer (1968).
    Farmer,
    /// National Research Council (1982).
    NationalResearchCouncil,
    /// Gercek (2007).
    Gercek,
    /// Italian Circolare 7/2019.
    Circolare,
}

impl Source {
    /// Every source.
    pub const ALL: [Self; 8] = [
        Self::Eurocode1,
        Self::Eurocode6,
        Self::BartonChoubey,
        Self::AttewellFarmer,
        Self::Farmer,
        Self::NationalResearchCouncil,
        Self::Gercek,
        Self::Circolare,
    ];

    /// What it is called in a table.
    pub fn short(self) -> &'static str {
        match self {
            Self::Eurocode1 => "EN 1991-1-1",
            Self::Eurocode6 => "EN 1996-1-1",
            Self::BartonChoubey => "Barton and Choubey 1977",
            Self::AttewellFarmer => "Attewell and Farmer 1976",
            Self::Farmer => "Farmer 1968",
            Self::NationalResearchCouncil => "NRC 1982",
            Self::Gercek => "Gercek 2007",
            Self::Circolare => "Circolare 7/2019",
        }
    }

    /// Where to find it, and what the numbers are there.
    pub fn citation(self) -> &'static str {
        match self {
            Self::Eurocode1 => {
                "EN 1991-1-1:2002, Eurocode 1: Actions on structures, Part 1-1, annex A, table A.2: weights of natural stone by \
                 volume, divided here by 9.81 m/s2. They are made for loads on structures, and are rather high"
            }
            Self::Eurocode6 => {
                "EN 1996-1-1:2005, Eurocode 6: Design of masonry structures, Part 1-1, 3.6.2: the part of the shear strength that \
                 is in proportion to the compressive stress"
            }
            Self::BartonChoubey => {
                "N. Barton and V. Choubey, The shear strength of rock joints in theory and practice, Rock Mechanics 10, 1-54, \
                 1977, table 1: basic friction angles of flat, dry, unweathered surfaces; rough joints have more"
            }
            Self::AttewellFarmer => {
                "P. B. Attewell and I. W. Farmer, Principles of Engineering Geology, Chapman and Hall, 1976: uniaxial \
                 compressive strengths of intact rock, as widely quoted from there"
            }
            Self::Farmer => {
                "I. W. Farmer, Engineering Properties of Rocks, Spon, 1968: moduli of intact rock, as widely quoted from there"
            }
            Self::NationalResearchCouncil => {
                "National Research Council, Conservation of Historic Stone Buildings and Monuments, National Academy Press, \
                 1982, p. 64"
            }
            Self::Gercek => {
                "H. Gercek, Poisson's ratio values for rocks, International Journal of Rock Mechanics and Mining Sciences 44, \
                 1-13, 2007: typical ranges"
            }
            Self::Circolare => {
                "Circolare 21 gennaio 2019 n. 7 of the Italian Ministero delle infrastrutture e dei trasporti, table C8.5.I: \
                 existing masonry with lime mortar, by kind; weights by volume divided here by 9.81 m/s2"
            }
        }
    }
}

/// What the literature gives for a property.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Least value.
    pub low: f64,
    /// Largest value; the same where one alone is given.
    pub high: f64,
    /// Who says so.
    pub source: Source,
}

impl Known {
    /// The value that a model takes: the middle of the range, to three digits.
    pub fn value(&self) -> f64 {
        let middle = 0.5 * (self.low + self.high);
        // By its decimal text, so that it reads in a file as it is meant.
        format!("{middle:.2e}").parse().unwrap_or(middle)
    }
}

/// A material of the library.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnownMaterial {
    /// Name, as in `--material NAME`.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Density (kg/m³).
    pub density: Known,
    /// Friction coefficient of joints.
    pub friction: Known,
    /// Compressive strength (Pa): for comparison with stresses; a model does not hold it.
    pub strength_pa: Known,
    /// Young's modulus (Pa).
    pub young_pa: Option<Known>,
    /// Poisson's ratio.
    pub poisson: Option<Known>,
}

fn range(low: f64, high: f64, source: Source) -> Known {
    Known { low, high, source }
}

/// A density by its weight (kN/m³).
fn weight(low: f64, high: f64, source: Source) -> Known {
    range(low * 1e3 / 9.81, high * 1e3 / 9.81, source)
}

/// A friction coefficient by its angle (degrees).
fn angle(low: f64, high: f64) -> Known {
    let tan = |degrees: f64| degrees.to_radians().tan();
    range(tan(low), tan(high), Source::BartonChoubey)
}

/// Every material of the library, in the order in which they are listed.
pub fn all() -> Vec<KnownMaterial> {
    use Source::{AttewellFarmer, Circolare, Eurocode1, Eurocode6, Farmer, Gercek, NationalResearchCouncil};
    let masonry = |name, summary, kn: [f64; 2], mpa: [f64; 2], modulus: [f64; 2]| KnownMaterial {
        name,
        summary,
        density: weight(kn[0], kn[1], Circolare),
        friction: range(0.4, 0.4, Eurocode6),
        strength_pa: range(mpa[0] * 1e6, mpa[1] * 1e6, Circolare),
        young_pa: Some(range(modulus[0] * 1e6, modulus[1] * 1e6, Circolare)),
        poisson: None,
    };
    let stone = |name, summary, kn: [f64; 2], friction, mpa: [f64; 2], poisson: [f64; 2]| KnownMaterial {
        name,
        summary,
        density: weight(kn[0], kn[1], Eurocode1),
        friction,
        strength_pa: range(mpa[0] * 1e6, mpa[1] * 1e6, AttewellFarmer),
        young_pa: None,
        poisson: Some(range(poisson[0], poisson[1], Gercek)),
    };
    let stiff = |stone: KnownMaterial, gpa: [f64; 2], source| KnownMaterial {
        young_pa: Some(range(gpa[0] * 1e9, gpa[1] * 1e9, source)),
        ..stone
    };
    vec![
        stiff(
            stone(
                "granite",
                "Granite, cut and laid dry",
                [27.0, 30.0],
                angle(31.0, 35.0),
                [100.0, 250.0],
                [0.10, 0.33],
            ),
            [30.0, 60.0],
            NationalResearchCouncil,
        ),
        stiff(
            stone(
                "limestone",
                "Dense limestone, cut and laid dry",
                [20.0, 29.0],
                angle(31.0, 37.0),
                [30.0, 250.0],
                [0.10, 0.33],
            ),
            [10.0, 80.0],
            Farmer,
        ),
        stiff(
            stone(
                "sandstone",
                "Sandstone, cut and laid dry",
                [21.0, 27.0],
                angle(26.0, 35.0),
                [20.0, 170.0],
                [0.05, 0.40],
            ),
            [5.0, 86.0],
            Farmer,
        ),
        stone(
            "basalt",
            "Basalt, cut and laid dry",
            [27.0, 31.0],
            angle(35.0, 38.0),
            [100.0, 300.0],
            [0.10, 0.35],
        ),
        stiff(
            stone(
                "gneiss",
                "Gneiss, cut and laid dry",
                [30.0, 30.0],
                angle(26.0, 29.0),
                [50.0, 200.0],
                [0.10, 0.30],
            ),
            [20.0, 60.0],
            Farmer,
        ),
        masonry(
            "brick-masonry",
            "Solid bricks with lime mortar",
            [18.0, 18.0],
            [2.6, 4.3],
            [1200.0, 1800.0],
        ),
        masonry(
            "ashlar-masonry",
            "Squared stones with lime mortar",
            [22.0, 22.0],
            [5.8, 8.2],
            [2400.0, 3300.0],
        ),
        masonry(
            "soft-stone-masonry",
            "Regular blocks of soft stone (tuff, calcarenite) with lime mortar",
            [13.0, 16.0],
            [2.0, 3.2],
            [1200.0, 1620.0],
        ),
    ]
}

/// There is no material of a name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("there is no material `{name}` in the library{}; `drystone new --materials` lists them", hint(.nearest.as_ref()))]
pub struct UnknownMaterial {
    /// The name that was given.
    pub name: String,
    /// The one that is most like it.
    pub nearest: Option<String>,
}

fn hint(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

/// The material with a name.
pub fn find(name: &str) -> Result<KnownMaterial, UnknownMaterial> {
    let all = all();
    let names = all.iter().map(|m| m.name);
    let unknown = UnknownMaterial {
        name: name.to_string(),
        nearest: nearest(name, names),
    };
    all.into_iter().find(|m| m.name == name).ok_or(unknown)
}

impl KnownMaterial {
    /// As a material of a model.
    pub fn material(&self) -> Material {
        Material {
            young_pa: self.young_pa.map(|k| k.value()),
            poisson: self.poisson.map(|k| k.value()),
            ..Material::of_density(self.density.value())
        }
    }

    /// Makes every block of it, in place of densities and masses that they have, and gives all joints its friction.
    pub fn set(&self, model: &mut Model) {
        model.materials.insert(self.name.to_string(), self.material());
        for block in &mut model.blocks {
            block.material = Some(self.name.to_string());
            (block.density, block.mass) = (None, None);
        }
        model.density = self.density.value();
        let friction = self.friction.value();
        if model.joints == Joints::default() {
            model.joints = Joints::uniform(friction);
        } else {
            model.joints.set_friction(friction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check, file, recipes};

    #[test]
    fn every_material_makes_a_sound_model_of_numbers_within_their_ranges() {
        for known in all() {
            let mut model = recipes::order("arch").build().unwrap();
            known.set(&mut model);
            assert!(check::problems(&model).is_empty(), "{}", known.name);
            let text = file::to_text(&model).unwrap();
            assert_eq!(file::parse(text.as_bytes(), "arch.json").unwrap(), model);
            let numbers = [
                Some(known.density),
                Some(known.friction),
                Some(known.strength_pa),
                known.young_pa,
                known.poisson,
            ];
            for k in numbers.into_iter().flatten() {
                let slack = 5e-3 * k.high;
                assert!(
                    k.low <= k.value() + slack && k.value() <= k.high + slack,
                    "{}: {k:?}",
                    known.name
                );
            }
            let block = &model.blocks[0];
            assert_eq!(model.density_of(block, 1.0), known.density.value());
            let law = model.joints.law_between(block, &model.blocks[2]);
            assert_eq!(law.friction, known.friction.value());
        }
    }

    /// 28.5 kN/m3 are 2905 kg/m3; tan 31 and tan 35 degrees are 0.601 and 0.700.
    #[test]
    fn granite_is_what_its_sources_say() {
        let granite = find("granite").unwrap();
        assert_eq!((granite.density.value(), granite.friction.value()), (2910.0, 0.651));
        assert_eq!(granite.material().young_pa, Some(45e9));
        let unknown = find("granit").unwrap_err().to_string();
        assert!(unknown.contains("did you mean `granite`?"), "{unknown}");
    }
}

use clap::Args;
use glam::DVec3;

use drystone_contact::choose;
use drystone_model::{
    JointSearch, Joints, Model,
    check::ranges::{self, Range},
    geometry::length_text,
    import,
};

use crate::{Failure, numbers::number};

/// Options that change a model once it is read, the same for every command.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Changes to the model")]
pub(crate) struct Overrides {
    /// Friction coefficient of every joint
    #[arg(long, value_name = "MU", value_parser = friction, allow_hyphen_values = true)]
    friction: Option<f64>,
    /// Density of every block (kg/m3)
    #[arg(long, value_name = "RHO", value_parser = density, allow_hyphen_values = true)]
    density: Option<f64>,
    /// Acceleration of gravity (m/s2)
    #[arg(long, value_name = "X,Y,Z", value_parser = acceleration, allow_hyphen_values = true)]
    gravity: Option<DVec3>,
    /// Largest distance between faces that are joined (m) [default: as the model says, or by the precision of its
    /// coordinates]. Above that precision: faces are joined across mortar gaps
    #[arg(long, value_name = "M", value_parser = distance, allow_hyphen_values = true)]
    joint_distance: Option<f64>,
    /// Largest angle between faces that are joined (degrees) [default: as the model says, or 0.1]
    #[arg(long, value_name = "A", value_parser = angle, allow_hyphen_values = true)]
    joint_angle_deg: Option<f64>,
    /// Blocks that are fixed, beside those fixed in the file: names, `lowest` (all that stand as low as any), or
    /// `below:HEIGHT` (all that reach below a height in metres above the model's lowest point)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    supports: Vec<String>,
}

impl Overrides {
    pub(crate) fn apply(&self, model: &mut Model) -> Result<(), Failure> {
        if let Some(friction) = self.friction {
            model.joints = Joints::uniform(friction);
        }
        if let Some(density) = self.density {
            model.density = density;
            model.materials.clear();
            for block in &mut model.blocks {
                (block.density, block.mass, block.material) = (None, None, None);
            }
        }
        if let Some(gravity) = self.gravity {
            model.gravity = gravity;
        }
        self.search_joints(model);
        let names = self.supports(model)?;
        import::set_supports(model, &names).map_err(Failure::input)
    }

    /// Names of the blocks that are fixed by option. How low is as low as any depends on the precision of the coordinates.
    fn supports(&self, model: &Model) -> Result<Vec<String>, Failure> {
        import::supports(&as_precise(model, &self.supports), &self.supports).map_err(Failure::input)
    }

    /// Warns of blocks that `lowest` does not fix though they begin only a little higher.
    pub(crate) fn nearly_fixed(&self, model: &Model) -> Option<String> {
        let near = import::nearly_lowest(&as_precise(model, &self.supports), &self.supports);
        let one = |(name, above): &(String, f64)| format!("`{name}` ({})", length_text(*above));
        let some: Vec<String> = near.iter().take(3).map(one).collect();
        let more = match near.len().saturating_sub(some.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!near.is_empty()).then(|| {
            format!(
                "blocks that begin a little above the lowest, and are not fixed by `lowest`: {}{more}. \
                 --supports below:HEIGHT fixes all that reach below a height",
                some.join(", ")
            )
        })
    }

    /// What is said of joints completes what the geometry tells: its precision stays what it is.
    fn search_joints(&self, model: &mut Model) {
        if self.joint_distance.is_none() && self.joint_angle_deg.is_none() {
            return;
        }
        let mut plain = model.clone();
        plain.interfaces.clear();
        let known = choose(&plain).search.unwrap_or_else(|| {
            let sizes = model.blocks.iter().map(|b| b.polyhedron().bounds().diagonal());
            JointSearch {
                distance: model.joint_distance(sizes.fold(0.0, f64::max)),
                angle_deg: model.joint_angle_deg(),
                precision: 0.0,
                source: None,
            }
        });
        model.search_joints(JointSearch {
            distance: self.joint_distance.unwrap_or(known.distance),
            angle_deg: self.joint_angle_deg.unwrap_or(known.angle_deg),
            source: None,
            ..known
        });
    }

    /// The changes as a certificate states them, of a model as it was read and as it is now: supports by name. Gravity is stated by itself.
    pub(crate) fn stated(
        &self,
        as_read: &Model,
        model: &Model,
    ) -> Result<drystone_mechanics::statics::Overrides, Failure> {
        let same_joints =
            as_read.joint_search == model.joint_search && as_read.interfaces.is_empty() == model.interfaces.is_empty();
        Ok(drystone_mechanics::statics::Overrides {
            friction: self.friction,
            density: self.density,
            joint_search: model.joint_search.filter(|_| !same_joints),
            supports: self.supports(as_read)?,
        })
    }
}

/// The model with the precision of its coordinates, where supports are asked for by place.
fn as_precise(model: &Model, supports: &[String]) -> Model {
    let mut precise = model.clone();
    if supports.iter().any(|given| given.trim() == "lowest") && model.joint_search.is_none() {
        precise.interfaces.clear();
        precise.joint_search = choose(&precise).search;
    }
    precise
}

fn in_range(text: &str, range: Range) -> Result<f64, String> {
    let value = number(text)?;
    range.refuses(value).map_or(Ok(value), Err)
}

fn friction(text: &str) -> Result<f64, String> {
    in_range(text, ranges::FRICTION)
}

fn density(text: &str) -> Result<f64, String> {
    in_range(text, ranges::DENSITY)
}

fn acceleration(text: &str) -> Result<DVec3, String> {
    let value = vector(text)?;
    let refused = value
        .to_array()
        .into_iter()
        .find_map(|v| ranges::ACCELERATION.refuses(v));
    refused.map_or(Ok(value), Err)
}

fn distance(text: &str) -> Result<f64, String> {
    in_range(text, ranges::DISTANCE)
}

fn angle(text: &str) -> Result<f64, String> {
    match number(text)? {
        value if (0.0..=60.0).contains(&value) => Ok(value),
        _ => Err("must be a number of degrees from 0 to 60".into()),
    }
}

pub(crate) fn vector(text: &str) -> Result<DVec3, String> {
    let numbers: Vec<f64> = text.split(',').map(number).collect::<Result<_, _>>()?;
    match numbers[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err(format!(
            "three numbers separated by commas are needed, like 0,0,-9.81; got {}",
            numbers.len()
        )),
    }
}

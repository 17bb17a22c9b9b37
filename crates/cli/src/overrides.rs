use clap::Args;
use glam::DVec3;

use drystone_model::{
    Joints, Model,
    check::ranges::{self, Range},
    import,
};

use crate::error::Failure;

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
        import::set_supports(model, &self.supports).map_err(Failure::input)
    }

    /// The changes as a certificate of a model states them: supports by name. Gravity is stated by itself.
    pub(crate) fn stated(&self, model: &Model) -> Result<drystone_mechanics::statics::Overrides, Failure> {
        Ok(drystone_mechanics::statics::Overrides {
            friction: self.friction,
            density: self.density,
            supports: import::supports(model, &self.supports).map_err(Failure::input)?,
        })
    }
}

pub(crate) fn number(text: &str) -> Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| format!("`{text}` is not a number"))?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(format!("`{text}` is not a finite number"))
    }
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

use clap::Args;
use glam::DVec3;

use drystone_model::{Joints, Model, import};

use crate::{
    error::Failure,
    numbers::{number, short, within},
};

/// Largest acceleration of gravity that is taken: ten thousand times that of the earth (m/s²).
const LARGEST_GRAVITY: f64 = 1e5;

/// Options that change a model once it is read, the same for every command.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Changes to the model")]
pub(crate) struct Overrides {
    /// Friction coefficient of every joint
    #[arg(long, value_name = "MU", value_parser = within(0.0, 1e3), allow_hyphen_values = true)]
    friction: Option<f64>,
    /// Density of every block (kg/m3)
    #[arg(long, value_name = "RHO", value_parser = within(1e-6, 1e6), allow_hyphen_values = true)]
    density: Option<f64>,
    /// Acceleration of gravity (m/s2)
    #[arg(long, value_name = "X,Y,Z", value_parser = gravity, allow_hyphen_values = true)]
    gravity: Option<DVec3>,
    /// Blocks that are fixed, beside those fixed in the file
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

    /// The changes as a certificate states them. Gravity is stated by itself.
    pub(crate) fn stated(&self) -> drystone_mechanics::statics::Overrides {
        drystone_mechanics::statics::Overrides {
            friction: self.friction,
            density: self.density,
            supports: self.supports.clone(),
        }
    }
}

fn gravity(text: &str) -> Result<DVec3, String> {
    match vector(text)? {
        value if value.abs().max_element() <= LARGEST_GRAVITY => Ok(value),
        _ => Err(format!("each must be at most {}", short(LARGEST_GRAVITY))),
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

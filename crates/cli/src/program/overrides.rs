use clap::Args;
use glam::DVec3;

use drystone_analysis::Changes;
use drystone_model::check::ranges::{self, Range};

use crate::program::{Failure, numbers::number};

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
    /// Blocks that are fixed, beside those fixed in the file: names, `lowest` (all that stand as low as any),
    /// `group:NAME` (all of a group), or `below:HEIGHT` (all that reach below a height in metres above the model's lowest point)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    supports: Vec<String>,
}

impl Overrides {
    pub(crate) fn changes(&self) -> Changes {
        Changes {
            friction: self.friction,
            density: self.density,
            gravity: self.gravity,
            joint_distance: self.joint_distance,
            joint_angle_deg: self.joint_angle_deg,
            supports: self.supports.clone(),
            ..Changes::default()
        }
    }
}

/// Options that let blocks deform, for commands that do not take all of them as rigid.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Changes to the model")]
pub(crate) struct Elastic {
    /// Blocks that deform, beside those of the file: a group, a block or `all`, each as finite elements. H8xNxNxN or NxNxN is
    /// hexahedra of eight nodes, N along x, y and z; T10xN tetrahedra of ten nodes, N (1, 2, 4, 8) to an edge [default: 2x2x2
    /// where a block is a hexahedron, else T10]. Supports stay rigid. May be given several times
    #[arg(long, value_name = "GROUP[:MESH]")]
    deformable: Vec<String>,
    /// Young's modulus of every deformable block (Pa) [default: that of its material, or of the model]
    #[arg(long, value_name = "PA", value_parser = young, allow_hyphen_values = true)]
    young: Option<f64>,
    /// Poisson's ratio of every deformable block, from 0 to below 0.5 [default: that of its material, or of the model]
    #[arg(long, value_name = "NU", value_parser = poisson, allow_hyphen_values = true)]
    poisson: Option<f64>,
}

impl Elastic {
    pub(crate) fn added_to(&self, changes: Changes) -> Changes {
        Changes {
            deformable: self.deformable.clone(),
            young: self.young,
            poisson: self.poisson,
            ..changes
        }
    }

    /// Refuses deformable blocks that were asked for where an analysis knows rigid ones only.
    pub(crate) fn refuse(&self, what: &str) -> Result<(), Failure> {
        let given = [
            ("--deformable", !self.deformable.is_empty()),
            ("--young", self.young.is_some()),
            ("--poisson", self.poisson.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => Err(Failure::input(format!("{option}: {what} takes all blocks as rigid"))
                .help("leave it out; `check`, `settle` and `simulate` (implicit) have deformable blocks")),
        }
    }
}

/// The same options where they are refused, so that it is said why.
#[derive(Args, Debug)]
pub(crate) struct RigidOnly {
    #[arg(long, hide = true, value_name = "GROUP[:MESH]")]
    deformable: Vec<String>,
    #[arg(long, hide = true, value_name = "PA", allow_hyphen_values = true)]
    young: Option<f64>,
    #[arg(long, hide = true, value_name = "NU", allow_hyphen_values = true)]
    poisson: Option<f64>,
}

impl RigidOnly {
    /// No deformable blocks, or why not.
    pub(crate) fn elastic(&self, what: &str) -> Result<Elastic, Failure> {
        let asked = Elastic {
            deformable: self.deformable.clone(),
            young: self.young,
            poisson: self.poisson,
        };
        asked.refuse(what)?;
        Ok(asked)
    }
}

fn young(text: &str) -> Result<f64, String> {
    in_range(text, ranges::MODULUS)
}

fn poisson(text: &str) -> Result<f64, String> {
    let value = number(text)?;
    ranges::refuses_poisson(value).map_or(Ok(value), Err)
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

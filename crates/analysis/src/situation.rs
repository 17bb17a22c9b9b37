//! What is different from a model as its file gives it: changes, loads, a tilt. Applied once, here.

use std::collections::HashSet;

use drystone_contact::choose;
use drystone_mechanics::statics::{Loads, Overrides, StaticsError, Structure, tilted};
use drystone_model::{
    DeformableGroup, JointSearch, MeshError, Model,
    check::{
        deformable_problem,
        ranges::{self, Range},
        without_elasticity,
    },
    geometry::length_text,
    import,
};
use glam::DVec3;

use crate::Failure;

/// What is asked about, beside the model itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Situation {
    /// Changes to the model.
    pub changes: Changes,
    /// Axis and angle (unit: rad) that the structure is tilted by, right-handed.
    pub tilt: Option<(DVec3, f64)>,
    /// Load cases that act beside the weight, each times a factor.
    pub loads: Vec<(String, f64)>,
}

/// Changes to a model, without changing its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Friction of every joint.
    pub friction: Option<f64>,
    /// Factor on the friction of every joint, after [`Self::friction`].
    pub friction_factor: Option<f64>,
    /// Density of every block (unit: kg/m³).
    pub density: Option<f64>,
    /// Acceleration of gravity (unit: m/s²).
    pub gravity: Option<DVec3>,
    /// Largest distance between faces that are joined (unit: m).
    pub joint_distance: Option<f64>,
    /// Largest angle between them (unit: degrees).
    pub joint_angle_deg: Option<f64>,
    /// Blocks fixed beside those that the file fixes: names, `lowest`, `group:NAME` or `below:HEIGHT`.
    pub supports: Vec<String>,
    /// The only blocks that are fixed.
    pub fixed: Option<Vec<String>>,
    /// The only blocks that are not fixed.
    pub only: Option<Vec<String>>,
    /// Blocks that deform, beside those that the file names: `GROUP[:MESH]` or `all[:MESH]`.
    pub deformable: Vec<String>,
    /// Young's modulus of every deformable block (unit: Pa).
    pub young: Option<f64>,
    /// Poisson's ratio of every deformable block.
    pub poisson: Option<f64>,
}

impl Changes {
    /// The model with these changes.
    pub fn apply(&self, model: &Model) -> Result<Model, Failure> {
        self.check()?;
        let mut model = model.clone();
        if let Some(friction) = self.friction {
            model.joints.set_friction(friction);
        }
        if let Some(factor) = self.friction_factor {
            model.joints.scale_friction(factor);
        }
        if let Some(density) = self.density {
            model.set_density(density);
        }
        if let Some(gravity) = self.gravity {
            model.gravity = gravity;
        }
        self.search_joints(&mut model);
        self.support(&mut model)?;
        self.deform(&mut model)?;
        Ok(model)
    }

    /// Refuses values out of range.
    pub fn check(&self) -> Result<(), Failure> {
        let within = |what: &str, value: Option<f64>, range: Range| {
            let refused = value.and_then(|v| Some((v, range.refuses(v)?)));
            refused.map_or(Ok(()), |(v, must)| {
                Err(Failure::input(format!("{what} is {v:e}; it {must}")))
            })
        };
        within("the friction coefficient", self.friction, ranges::FRICTION)?;
        within("the factor on friction", self.friction_factor, ranges::FRICTION)?;
        within("the density (kg/m³)", self.density, ranges::DENSITY)?;
        within("the joint distance (m)", self.joint_distance, ranges::DISTANCE)?;
        if let Some(angle) = self.joint_angle_deg.filter(|angle| !(0.0..=60.0).contains(angle)) {
            return Err(Failure::input(format!(
                "the joint angle is {angle} degrees; it must be from 0 to 60"
            )));
        }
        for g in self.gravity.into_iter().flat_map(|g| g.to_array()) {
            within("gravity (m/s²)", Some(g), ranges::ACCELERATION)?;
        }
        within("Young's modulus (Pa)", self.young, ranges::MODULUS)?;
        if let Some(ratio) = self.poisson
            && let Some(must) = ranges::refuses_poisson(ratio)
        {
            return Err(Failure::input(format!("Poisson's ratio is {ratio}; it {must}")));
        }
        Ok(())
    }

    fn support(&self, model: &mut Model) -> Result<(), Failure> {
        let names = self.supports_of(model)?;
        import::set_supports(model, &names).map_err(Failure::input)?;
        if let Some(names) = &self.fixed {
            let names = import::supports(model, names).map_err(Failure::input)?;
            let names: HashSet<&str> = names.iter().map(String::as_str).collect();
            for block in &mut model.blocks {
                block.fixed = names.contains(block.name.as_str());
            }
        }
        if let Some(names) = &self.only {
            let names = known_blocks(model, names)?;
            for block in &mut model.blocks {
                block.fixed |= !names.contains(block.name.as_str());
            }
        }
        Ok(())
    }

    /// Says which blocks deform, once it is known which are supports. A model whose deformable blocks lack their elasticity is
    /// refused: no analysis may take them as rigid unasked.
    fn deform(&self, model: &mut Model) -> Result<(), Failure> {
        for text in &self.deformable {
            let entry = deformable_entry(model, text)?;
            if let Some(problem) = deformable_problem(model, &entry, "") {
                return Err(Failure::input(format!(
                    "deformable blocks `{text}`: {}",
                    problem.message
                )));
            }
            model.deformable.push(entry);
        }
        if self.young.is_some() || self.poisson.is_some() {
            if !model.blocks.iter().any(|b| model.is_deformable(b)) {
                let message =
                    "Young's modulus and Poisson's ratio are those of deformable blocks, and all blocks are rigid";
                return Err(Failure::input(message).help("give --deformable GROUP or --deformable all"));
            }
            model.set_elasticity(self.young, self.poisson);
        }
        let mut missing = model.missing_elasticity();
        for block in &mut missing {
            // One of the two alone makes no elasticity of the model: it is known all the same.
            block.young &= self.young.is_none();
            block.poisson &= self.poisson.is_none();
        }
        match without_elasticity(model, &missing) {
            Some(problem) => Err(Failure::input(format!("{}: {}", problem.place, problem.message))),
            None => Ok(()),
        }
    }

    /// Names of the blocks that are fixed beside those of the file. How low is as low as any depends on the precision of the
    /// coordinates.
    fn supports_of(&self, model: &Model) -> Result<Vec<String>, Failure> {
        import::supports(&as_precise(model, &self.supports), &self.supports).map_err(Failure::input)
    }

    /// Warns of blocks that `lowest` does not fix though they begin only a little higher.
    pub fn nearly_fixed(&self, model: &Model) -> Option<String> {
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
        let known = known_joints(model);
        model.search_joints(JointSearch {
            distance: self.joint_distance.unwrap_or(known.distance),
            angle_deg: self.joint_angle_deg.unwrap_or(known.angle_deg),
            source: None,
            ..known
        });
    }

    /// The changes as a certificate states them, of a model as it was read and as it is now: supports by name. Gravity is
    /// stated by itself. That a support is set free, or that friction is multiplied, cannot be stated.
    pub fn stated(&self, as_read: &Model, model: &Model) -> Result<Overrides, Failure> {
        if let Some(factor) = self.friction_factor {
            let what = format!("a certificate cannot state that the friction of every joint is multiplied by {factor}");
            return Err(Failure::input(what).help("change the model itself, then check again"));
        }
        let mut supports = Vec::new();
        for (was, is) in as_read.blocks.iter().zip(&model.blocks) {
            match (was.fixed, is.fixed) {
                (false, true) => supports.push(is.name.clone()),
                (true, false) => {
                    let what = format!("a certificate cannot state that support `{}` is set free", is.name);
                    return Err(Failure::input(what).help("change the model itself, then check again"));
                }
                _ => {}
            }
        }
        let same_joints =
            as_read.joint_search == model.joint_search && as_read.interfaces.is_empty() == model.interfaces.is_empty();
        Ok(Overrides {
            friction: self.friction,
            density: self.density,
            joint_search: model.joint_search.filter(|_| !same_joints),
            supports,
        })
    }
}

impl Situation {
    /// Gravity as the structure feels it.
    pub fn gravity(&self, model: &Model) -> Result<DVec3, Failure> {
        let Some((axis, angle)) = self.tilt.filter(|(_, angle)| *angle != 0.0) else {
            return Ok(model.gravity);
        };
        let axis = unit(axis).filter(|_| angle.is_finite());
        let axis =
            axis.ok_or_else(|| Failure::input("a tilt needs an axis with a length and an angle that is a number"))?;
        Ok(tilted(model.gravity, axis, angle))
    }

    /// The loads beside the weight.
    pub fn further(&self, model: &Model, structure: &Structure) -> Result<Loads, Failure> {
        let mut sum = Loads::none(structure);
        for (name, factor) in &self.loads {
            if !factor.is_finite() {
                return Err(Failure::input(format!("the factor of load case `{name}` is no number")));
            }
            let case = Loads::case(model, structure, name).map_err(|e: StaticsError| Failure::input(e))?;
            sum = sum.plus(&case, *factor);
        }
        Ok(sum)
    }
}

/// How the joints of a model are found that are not exact: by its own settings, or by those that its geometry asks for. Joints
/// that are stored with it count for nothing.
pub fn drawn_joints(model: &Model) -> Option<JointSearch> {
    let mut plain = model.clone();
    plain.interfaces.clear();
    choose(&plain).search
}

/// The same, also where its joints are exact: then by its tolerances.
pub fn known_joints(model: &Model) -> JointSearch {
    drawn_joints(model).unwrap_or_else(|| {
        let sizes = model.blocks.iter().map(|b| b.polyhedron().bounds().diagonal());
        JointSearch {
            distance: model.joint_distance(sizes.fold(0.0, f64::max)),
            angle_deg: model.joint_angle_deg(),
            precision: 0.0,
            source: None,
        }
    })
}

/// An entry of deformable blocks from `NAME[:MESH]`. A name may hold a colon.
fn deformable_entry(model: &Model, text: &str) -> Result<DeformableGroup, Failure> {
    let whole = DeformableGroup {
        blocks: text.to_string(),
        mesh: None,
    };
    if model.blocks.iter().any(|b| whole.names(b)) {
        return Ok(whole);
    }
    text.parse()
        .map_err(|e: MeshError| Failure::input(format!("deformable blocks `{text}`: {e}")))
}

/// A direction of length one. Numbers near the ends of their range would overflow in a square.
pub fn unit(direction: DVec3) -> Option<DVec3> {
    (direction / direction.abs().max_element()).try_normalize()
}

/// Names, all of which a model has.
pub fn known_blocks<'a>(model: &Model, names: &'a [String]) -> Result<HashSet<&'a str>, Failure> {
    let own: HashSet<&str> = model.blocks.iter().map(|b| b.name.as_str()).collect();
    match names.iter().find(|name| !own.contains(name.as_str())) {
        Some(name) => Err(Failure::input(format!("there is no block `{name}`"))),
        None => Ok(names.iter().map(String::as_str).collect()),
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

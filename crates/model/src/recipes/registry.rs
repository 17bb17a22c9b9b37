use super::ground;
use super::parameter::{Parameter, ParameterKind, RecipeError, parameters, without_effect};
use crate::{
    Joints, Model, Shape,
    check::{LARGEST_COORDINATE, nearest},
    geometry::{chamfer, merge_coplanar_faces},
};

/// A way to build a structure.
pub struct Recipe {
    /// Name, as in `drystone new NAME`.
    pub name: &'static str,
    /// One line that says what it builds.
    pub summary: &'static str,
    /// Where the geometry comes from, and what was chosen where a source is silent.
    pub notes: &'static str,
    pub(super) own_parameters: fn() -> Vec<Parameter>,
    pub(super) make: fn(&Values) -> Result<Model, RecipeError>,
}

/// Values of parameters as text: pairs of a name and what was given for it.
pub type Values = [(String, String)];

/// Every recipe, in the order in which they are listed.
pub fn all() -> &'static [Recipe] {
    &[
        super::block::RECIPE,
        super::stack::RECIPE,
        super::column::RECIPE,
        super::wall::RECIPE,
        super::rubble_wall::RECIPE,
        super::tower::RECIPE,
        super::natural_arch_wall::RECIPE,
        super::corbelled_cylinder::RECIPE,
        super::arch::RECIPE,
        super::oppenheim_arch::RECIPE,
        super::spandrel_arch::RECIPE,
        super::bridge::RECIPE,
        super::barrel_vault::RECIPE,
        super::cross_vault::RECIPE,
        super::dome::RECIPE,
        super::stone_house::RECIPE,
        super::church::RECIPE,
        super::model_h::RECIPE,
        super::model_a::RECIPE,
        super::wedge::RECIPE,
        super::shelf::RECIPE,
        super::three_legged_pi::RECIPE,
    ]
}

/// The recipe with a name, or an error that names the nearest one.
pub fn find(name: &str) -> Result<&'static Recipe, RecipeError> {
    all()
        .iter()
        .find(|r| r.name == name)
        .ok_or_else(|| RecipeError::UnknownRecipe {
            name: name.to_string(),
            nearest: nearest(name, all().iter().map(|r| r.name)),
        })
}

parameters! {
    /// Parameters that every recipe takes beside its own.
    struct Common {
        density: f64 = Model::DEFAULT_DENSITY, in 1e-6..=1e6, "kg/m3", "Density of the blocks";
        friction: f64 = Joints::DEFAULT_FRICTION, in 0.0..=1e3, "", "Friction coefficient of every joint";
        chamfer: f64 = 0.0, in 0.0..=10.0, "m", "Chip the edges of free blocks off by this depth (0: sharp edges)";
    }
}

/// A recipe with values for some of its parameters, in Rust's own types.
///
/// ```
/// use drystone_model::recipes;
///
/// let arch = recipes::order("arch").with("voussoirs", 12).with("thickness", 0.9).build()?;
/// assert_eq!(arch.free_blocks().count(), 12);
/// # Ok::<(), recipes::RecipeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Order {
    recipe: String,
    values: Vec<(String, String)>,
}

/// A recipe by its name, with the default of every parameter.
pub fn order(recipe: impl Into<String>) -> Order {
    Order {
        recipe: recipe.into(),
        values: Vec::new(),
    }
}

impl Order {
    /// The same with a value for a parameter: a number, a count, a flag or a word.
    #[must_use]
    pub fn with(mut self, parameter: impl Into<String>, value: impl ToString) -> Self {
        self.values.push((parameter.into(), value.to_string()));
        self
    }

    /// Builds the structure. Values are checked as [`Recipe::build`] does.
    pub fn build(&self) -> Result<Model, RecipeError> {
        find(&self.recipe)?.build(&self.values)
    }
}

impl Recipe {
    /// The recipe's own parameters, then those that every recipe takes. Defaults of the latter are the recipe's.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut parameters = (self.own_parameters)();
        parameters.extend(ground::parameters_of(self.name));
        // A recipe that follows a paper brings the paper's density and friction as its own defaults.
        let taken: Vec<String> = parameters.iter().map(|p| p.name.clone()).collect();
        parameters.extend(Common::parameters().into_iter().filter(|p| !taken.contains(&p.name)));
        parameters
    }

    /// The values that do nothing under the others, each as an error that says what it needs. [`Recipe::build`] refuses
    /// them.
    pub fn without_effect(&self, values: &Values) -> Vec<RecipeError> {
        let parameters = self.parameters();
        let find = |name: &str| parameters.iter().find(|p| p.name == name);
        let given = |name: &str| values.iter().rev().find(|(key, _)| key == name).map(|(_, v)| v.clone());
        let value_of = |name: &str| given(name).or_else(|| Some(find(name)?.default.clone()));
        values
            .iter()
            .filter_map(|(key, value)| without_effect(find(key)?, value, value_of))
            .collect()
    }

    /// The values without those that do nothing under the others.
    pub fn with_effect(&self, values: &Values) -> Vec<(String, String)> {
        let idle = self.without_effect(values);
        let is_idle = |key: &str| {
            idle.iter()
                .any(|e| matches!(e, RecipeError::NoEffect { parameter, .. } if parameter == key))
        };
        values.iter().filter(|(key, _)| !is_idle(key)).cloned().collect()
    }

    /// Builds what the recipe's source describes, without the ground that is laid beneath supports in mid-air to catch what
    /// falls: for comparisons with published cases.
    pub fn build_alone(&self, values: &Values) -> Result<Model, RecipeError> {
        let mut values = values.to_vec();
        values.extend(ground::left_out(self.name));
        self.build(&values)
    }

    /// Builds the structure. Values are pairs of a parameter's name and its text; those left out keep their defaults. A
    /// value that does nothing under the others is refused.
    pub fn build(&self, values: &Values) -> Result<Model, RecipeError> {
        let parameters = self.parameters();
        let unknown = values
            .iter()
            .filter(|(key, _)| !parameters.iter().any(|p| p.name == *key));
        let mut errors: Vec<RecipeError> = unknown
            .map(|(key, _)| RecipeError::UnknownParameter {
                recipe: self.name,
                name: key.clone(),
                nearest: nearest(key, parameters.iter().map(|p| p.name.as_str())),
            })
            .collect();
        let mut take = |error| match error {
            RecipeError::Several(several) => errors.extend(several),
            other => errors.push(other),
        };
        let common = Common::read(values).map_err(&mut take).ok();
        let mut model = (self.make)(values).map_err(&mut take).ok();
        if let Some(model) = &mut model {
            let _ = ground::lay(self.name, values, model).map_err(&mut take);
        }
        // Where a word is misspelt, what depends on it is not known to do nothing.
        if !errors.iter().any(|e| matches!(e, RecipeError::BadValue { .. })) {
            errors.splice(0..0, self.without_effect(values));
        }
        // A parameter that is both common and the recipe's own is read twice and would be told twice.
        errors.dedup();
        let (Some(common), Some(mut model), true) = (common, model, errors.is_empty()) else {
            return Err(if errors.len() == 1 {
                errors.remove(0)
            } else {
                RecipeError::Several(errors)
            });
        };
        let bounds = model.bounds(|_| true);
        let reach = bounds.min.abs().max(bounds.max.abs()).max_element();
        if reach > LARGEST_COORDINATE {
            return Err(RecipeError::conflict(format!(
                "the structure would reach {reach:.1e} m from the origin; at most {LARGEST_COORDINATE:e} m is allowed. \
                 Make it smaller"
            )));
        }
        if model.name.is_empty() {
            model.name = self.name.to_string();
        }
        let given = |name: &str| values.iter().any(|(key, _)| key == name);
        let own = |name: &str| (self.own_parameters)().iter().any(|p| p.name == name);
        if given("density") || !own("density") {
            model.density = common.density;
        }
        // A recipe with a friction of its own has already used it, perhaps beside that of other joints.
        if given("friction") && !own("friction") {
            model.joints = Joints::uniform(common.friction);
        }
        if common.chamfer > 0.0 {
            chamfer_free_blocks(&mut model, common.chamfer)?;
        }
        Ok(model)
    }
}

fn chamfer_free_blocks(model: &mut Model, depth: f64) -> Result<(), RecipeError> {
    for block in model.blocks.iter_mut().filter(|b| !b.fixed) {
        let solid = block.shape.polyhedron();
        let size = solid.bounds().diagonal();
        if !solid.is_convex(1e-9 * size) {
            return Err(RecipeError::conflict(format!(
                "--chamfer {depth}: block `{}` is not convex, and only convex blocks can be chamfered",
                block.name
            )));
        }
        let trimmed = chamfer(&solid, depth).ok_or_else(|| {
            RecipeError::conflict(format!(
                "--chamfer {depth}: nothing would be left of block `{}`",
                block.name
            ))
        })?;
        block.shape = Shape::from(merge_coplanar_faces(&trimmed, 1e-12 * size));
    }
    Ok(())
}

impl std::fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number { min, max } => write!(f, "{} to {}", short(*min), short(*max)),
            Self::Count { min, max } => write!(f, "{min} to {max}"),
            Self::Flag => write!(f, "true or false"),
            Self::Choice(words) => write!(f, "{}", words.join(", ")),
        }
    }
}

/// A bound as a person writes it: 1e-6 and 1e5 rather than rows of zeros.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e4).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

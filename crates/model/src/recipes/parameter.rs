use std::fmt::Display;

/// What values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A real number between two bounds, both included.
    Number {
        /// Smallest value allowed.
        min: f64,
        /// Largest value allowed.
        max: f64,
    },
    /// A whole number between two bounds, both included.
    Count {
        /// Smallest value allowed.
        min: usize,
        /// Largest value allowed.
        max: usize,
    },
    /// `true` or `false`.
    Flag,
    /// One of some words.
    Choice(&'static [&'static str]),
}

/// A parameter of a recipe: everything that a help text, a form or a check needs to know of it.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Name as on the command line, without the dashes: `embrace-deg`.
    pub name: String,
    /// Unit, empty for pure numbers.
    pub unit: &'static str,
    /// Default, as text.
    pub default: String,
    /// What values it takes.
    pub kind: ParameterKind,
    /// What it means.
    pub help: &'static str,
    /// What other parameters must be for this one to have an effect: all of these. Empty if it always has one.
    pub needs: &'static [Need],
}

/// What another parameter must be for a parameter to have an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// Name of the other parameter.
    pub parameter: &'static str,
    /// What it must be.
    pub is: Is,
    /// Parameters that have the effect where it is not; may be empty.
    pub instead: &'static [&'static str],
}

/// What a parameter must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Is {
    /// One of these words; flags are `true` and `false`.
    OneOf(&'static [&'static str]),
    /// A number above this one.
    Above(f64),
    /// A number other than this one.
    Not(f64),
}

/// The other parameter must be one of some words.
pub(crate) const fn one_of(parameter: &'static str, words: &'static [&'static str]) -> Need {
    Need {
        parameter,
        is: Is::OneOf(words),
        instead: &[],
    }
}

/// The other parameter must be above a number.
pub(crate) const fn above(parameter: &'static str, number: f64) -> Need {
    Need {
        parameter,
        is: Is::Above(number),
        instead: &[],
    }
}

/// The other parameter must be another number.
pub(crate) const fn not(parameter: &'static str, number: f64) -> Need {
    Need {
        parameter,
        is: Is::Not(number),
        instead: &[],
    }
}

impl Need {
    /// The same, naming the parameters that have the effect where this need is not met.
    pub(crate) const fn or_else(mut self, instead: &'static [&'static str]) -> Self {
        self.instead = instead;
        self
    }

    /// Whether a value of the other parameter, as text, is what is needed.
    pub fn is_met_by(&self, value: &str) -> bool {
        let number = || value.trim().parse::<f64>();
        match self.is {
            Is::OneOf(words) => {
                let word = match value.trim() {
                    "yes" | "" => "true",
                    "no" => "false",
                    word => word,
                };
                words.contains(&word)
            }
            Is::Above(least) => number().is_ok_and(|n| n > least),
            Is::Not(other) => number().is_ok_and(|n| n != other),
        }
    }
}

impl Display for Need {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "--{} ", self.parameter)?;
        match self.is {
            Is::OneOf(words) => write!(f, "{}", words.join(" or ")),
            Is::Above(number) => write!(f, "above {number}"),
            Is::Not(number) => write!(f, "other than {number}"),
        }
    }
}

impl Parameter {
    /// What the parameter means, and when it has an effect.
    pub fn help_with_needs(&self) -> String {
        if self.needs.is_empty() {
            return self.help.to_owned();
        }
        format!("{}; with {}", self.help, all_of(self.needs))
    }
}

fn all_of(needs: &[Need]) -> String {
    needs.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}

/// The error for a parameter that was given although something it needs is not so; `value_of` gives the values of the
/// others.
pub(super) fn without_effect(
    parameter: &Parameter,
    value: &str,
    value_of: impl Fn(&str) -> Option<String>,
) -> Option<RecipeError> {
    let unmet: Vec<Need> = parameter
        .needs
        .iter()
        .filter(|need| !value_of(need.parameter).is_some_and(|v| need.is_met_by(&v)))
        .copied()
        .collect();
    let first = unmet.first()?;
    let mut because = format!(
        "--{} {}; it needs {}",
        first.parameter,
        value_of(first.parameter).unwrap_or_default(),
        all_of(&unmet)
    );
    if !first.instead.is_empty() {
        let instead: Vec<String> = first.instead.iter().map(|p| format!("--{p}")).collect();
        because.push_str(&format!(", or use {} instead", instead.join(" and ")));
    }
    Some(RecipeError::NoEffect {
        parameter: parameter.name.clone(),
        value: value.to_owned(),
        because,
    })
}

/// Why a structure could not be built from the values given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RecipeError {
    /// No recipe has this name.
    #[error("no recipe is called `{name}`{}", did_you_mean(nearest))]
    UnknownRecipe {
        /// Name asked for.
        name: String,
        /// Closest name there is.
        nearest: Option<String>,
    },
    /// The recipe has no such parameter.
    #[error("recipe `{recipe}` has no parameter `{name}`{}", did_you_mean(nearest))]
    UnknownParameter {
        /// Name of the recipe.
        recipe: &'static str,
        /// Name given.
        name: String,
        /// Closest name there is.
        nearest: Option<String>,
    },
    /// A value is not of the kind the parameter takes, or outside its range.
    #[error("--{parameter} {value}: {allowed}")]
    BadValue {
        /// Name of the parameter.
        parameter: String,
        /// Value given.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// A parameter was given that does nothing under the values of the others.
    #[error("--{parameter} {value} has no effect with {because}")]
    NoEffect {
        /// Name of the parameter.
        parameter: String,
        /// Value given.
        value: String,
        /// What stands against it, what would give it an effect, and which parameters have that effect.
        because: String,
    },
    /// Values that are each allowed do not go together.
    #[error("{0}")]
    Conflict(String),
    /// Several values are wrong.
    #[error("{}", list(.0))]
    Several(Vec<RecipeError>),
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest
        .as_ref()
        .map(|n| format!("; did you mean `{n}`?"))
        .unwrap_or_default()
}

fn list(errors: &[RecipeError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl RecipeError {
    /// Values that do not go together: says which, why, and what would.
    pub(crate) fn conflict(message: impl Display) -> Self {
        Self::Conflict(message.to_string())
    }
}

/// A type that a parameter may have.
pub(crate) trait Value: Sized {
    fn parse(text: &str, kind: &ParameterKind) -> Result<Self, String>;
    fn show(&self) -> String;
}

impl Value for f64 {
    fn parse(text: &str, kind: &ParameterKind) -> Result<Self, String> {
        let ParameterKind::Number { min, max } = *kind else {
            return Err("not a number here".into());
        };
        match text.trim().parse::<f64>() {
            Ok(value) if (min..=max).contains(&value) => Ok(value),
            _ => Err(format!("must be a number from {kind}")),
        }
    }

    fn show(&self) -> String {
        format!("{self}")
    }
}

impl Value for usize {
    fn parse(text: &str, kind: &ParameterKind) -> Result<Self, String> {
        let ParameterKind::Count { min, max } = *kind else {
            return Err("not a whole number here".into());
        };
        match text.trim().parse::<usize>() {
            Ok(value) if (min..=max).contains(&value) => Ok(value),
            _ => Err(format!("must be a whole number from {kind}")),
        }
    }

    fn show(&self) -> String {
        format!("{self}")
    }
}

impl Value for bool {
    fn parse(text: &str, _: &ParameterKind) -> Result<Self, String> {
        match text.trim() {
            "true" | "yes" | "" => Ok(true),
            "false" | "no" => Ok(false),
            _ => Err("must be true or false".into()),
        }
    }

    fn show(&self) -> String {
        format!("{self}")
    }
}

/// Builds the [`ParameterKind`] of a parameter from what stands after `in` in its declaration.
pub(crate) trait IntoKind {
    fn into_kind(self) -> ParameterKind;
}

impl IntoKind for std::ops::RangeInclusive<f64> {
    fn into_kind(self) -> ParameterKind {
        ParameterKind::Number {
            min: *self.start(),
            max: *self.end(),
        }
    }
}

impl IntoKind for std::ops::RangeInclusive<usize> {
    fn into_kind(self) -> ParameterKind {
        ParameterKind::Count {
            min: *self.start(),
            max: *self.end(),
        }
    }
}

impl IntoKind for std::ops::RangeFull {
    fn into_kind(self) -> ParameterKind {
        ParameterKind::Flag
    }
}

impl IntoKind for &'static [&'static str] {
    fn into_kind(self) -> ParameterKind {
        ParameterKind::Choice(self)
    }
}

/// The name of a field as on a command line.
pub(super) fn name_of(field: &str) -> String {
    field.trim_start_matches("r#").replace('_', "-")
}

/// Declares the parameters of a recipe once: a struct with typed fields, their defaults, ranges, units and help.
///
/// ```text
/// parameters! {
///     pub(super) struct Arch {
///         radius: f64 = 5.0, in 0.001..=1e4, "m", "Radius of the centreline";
///         voussoirs: usize = 17, in 1..=10_000, "", "Number of voussoirs between the springers";
///         keystone: bool = true, in .., "", "Whether a voussoir stands at the crown";
///         profile: Profile = Profile::Circular, in Profile::WORDS, "", "Shape of the centreline";
///         span: f64 = 3.0, in 0.001..=1e4, "m", "Clear span", needs [one_of("profile", &["flat"])];
///     }
/// }
/// ```
///
/// A field `embrace_deg` is the parameter `embrace-deg`, a field `r#type` the parameter `type`. For words, declare an
/// enum with [`choices!`]. A parameter that has an effect only under some values of others says what it `needs`; giving it
/// otherwise is an error.
macro_rules! parameters {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($field:ident: $type:ty = $default:expr, in $range:expr, $unit:literal, $help:literal
            $(, needs [$($need:expr),+ $(,)?])?;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        $vis struct $name {
            $(#[doc = $help] pub(super) $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $name {
            /// The parameters, with their names as on a command line.
            pub(super) fn parameters() -> Vec<$crate::recipes::parameter::Parameter> {
                use $crate::recipes::parameter::{IntoKind, Value};
                let default = Self::default();
                vec![$($crate::recipes::parameter::Parameter {
                    name: $crate::recipes::parameter::name_of(stringify!($field)),
                    unit: $unit,
                    default: default.$field.show(),
                    kind: ($range).into_kind(),
                    help: $help,
                    needs: const { &[$($($need),+)?] },
                },)*]
            }

            /// Reads values given as text; the others keep their defaults.
            #[allow(unused_mut, unused_variables, reason = "a recipe may have no parameters")]
            pub(super) fn read(
                values: &[(String, String)],
            ) -> Result<Self, $crate::recipes::parameter::RecipeError> {
                use $crate::recipes::parameter::{RecipeError, Value};
                let parameters = Self::parameters();
                let mut read = Self::default();
                let mut errors = Vec::new();
                for (key, value) in values {
                    let Some(parameter) = parameters.iter().find(|p| p.name == *key) else { continue };
                    $(if parameter.name == $crate::recipes::parameter::name_of(stringify!($field)) {
                        match <$type as Value>::parse(value, &parameter.kind) {
                            Ok(v) => read.$field = v,
                            Err(allowed) => errors.push(RecipeError::BadValue {
                                parameter: key.clone(),
                                value: value.clone(),
                                allowed,
                            }),
                        }
                    })*
                }
                match errors.len() {
                    0 => Ok(read),
                    1 => Err(errors.remove(0)),
                    _ => Err(RecipeError::Several(errors)),
                }
            }
        }
    };
}
pub(crate) use parameters;

/// Declares an enum whose variants are the words that a parameter takes.
///
/// ```text
/// choices! { pub(super) enum Profile { Circular = "circular", Pointed = "pointed", Flat = "flat" } }
/// ```
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $($variant),* }

        impl $name {
            pub(in crate::recipes) const WORDS: &'static [&'static str] = &[$($word),*];
        }

        impl $crate::recipes::parameter::Value for $name {
            fn parse(text: &str, _: &$crate::recipes::parameter::ParameterKind) -> Result<Self, String> {
                match text.trim() {
                    $($word => Ok(Self::$variant),)*
                    _ => Err(format!("must be one of: {}", Self::WORDS.join(", "))),
                }
            }

            fn show(&self) -> String {
                match self { $(Self::$variant => $word.to_string()),* }
            }
        }
    };
}
pub(crate) use choices;

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, value_parser};
use serde_json::json;

use drystone_model::recipes::{self, Parameter, ParameterKind, Recipe, RecipeError};

use crate::program::{
    Failure,
    material::{self, MaterialChoice},
    report::{Console, count, counted},
    target::Targets,
};

/// Build a structure from a recipe and a few parameters
pub(crate) enum New {
    List,
    Materials,
    Build {
        recipe: &'static Recipe,
        values: Vec<(String, String)>,
        material: MaterialChoice,
        targets: Targets,
    },
}

const AFTER_HELP: &str = "\
Examples:
  drystone new --list
  drystone new --materials
  drystone new arch --help
  drystone new arch --embrace-deg 150 --voussoirs 25 -o arch.json
  drystone new bridge --material granite -o bridge.json
  drystone new spandrel-arch --chamfer 0.0075 -o arch.json -o arch.png";

/// Adds a subcommand for every recipe, with its parameters as options.
pub(crate) fn with_recipes(command: clap::Command) -> clap::Command {
    command.subcommands(recipes::all().iter().map(recipe_command))
}

fn recipe_command(recipe: &'static Recipe) -> clap::Command {
    let command = clap::Command::new(recipe.name)
        .about(recipe.summary)
        .after_help(recipe.notes);
    let command = Targets::augment_args(command.next_help_heading("Output"));
    let command = MaterialChoice::augment_args(command.next_help_heading("Material"));
    command
        .next_help_heading("Parameters")
        .args(recipe.parameters().into_iter().map(parameter_argument))
}

fn parameter_argument(parameter: Parameter) -> Arg {
    let unit = if parameter.unit.is_empty() {
        String::new()
    } else {
        format!(" ({})", parameter.unit)
    };
    // The words of a choice stand in place of the value already.
    let allowed = match parameter.kind {
        ParameterKind::Number { .. } | ParameterKind::Count { .. } => format!(", allowed: {}", parameter.kind),
        ParameterKind::Flag | ParameterKind::Choice(_) => String::new(),
    };
    let help = format!(
        "{}{unit} [default: {}{allowed}]",
        parameter.help_with_needs(),
        parameter.default
    );
    let argument = Arg::new(parameter.name.clone())
        .long(parameter.name.clone())
        .help(help)
        .action(ArgAction::Set);
    match parameter.kind {
        // The recipe checks the range, so that all values that are wrong are told at once.
        ParameterKind::Number { .. } => argument.value_name("NUMBER").allow_hyphen_values(true),
        ParameterKind::Count { .. } => argument.value_name("COUNT").allow_hyphen_values(true),
        ParameterKind::Flag => argument
            .value_name("true|false")
            .num_args(0..=1)
            .default_missing_value("true"),
        ParameterKind::Choice(words) => argument.value_name(words.join("|")),
    }
    .value_parser(value_parser!(String))
}

impl Args for New {
    fn augment_args(command: clap::Command) -> clap::Command {
        command
            .about("Build a structure from a recipe and a few parameters")
            .after_help(AFTER_HELP)
            .subcommand_value_name("RECIPE")
            .subcommand_help_heading("Recipes")
            .arg_required_else_help(true)
            .arg(
                Arg::new("list")
                    .long("list")
                    .help("List the recipes and their parameters")
                    .action(ArgAction::SetTrue),
            )
            .arg(
                Arg::new("materials")
                    .long("materials")
                    .help("List the materials of the library, with ranges and sources")
                    .action(ArgAction::SetTrue),
            )
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for New {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let listing = [("--list", "recipe"), ("--materials", "material")]
            .into_iter()
            .find(|(option, _)| matches.get_flag(&option[2..]));
        let Some((name, matches)) = matches.subcommand() else {
            return Ok(match listing {
                Some(("--materials", _)) => Self::Materials,
                _ => Self::List,
            });
        };
        if let Some((option, of)) = listing {
            let message = format!(
                "{option} shows every {of} and builds nothing; leave it out, or see `drystone new {name} --help`\n"
            );
            return Err(clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, message));
        }
        let missing = |e: RecipeError| clap::Error::raw(clap::error::ErrorKind::InvalidSubcommand, e.to_string());
        let recipe = recipes::find(name).map_err(missing)?;
        let given = |p: Parameter| {
            matches
                .get_one::<String>(&p.name)
                .map(|value| (p.name.clone(), value.clone()))
        };
        let values = recipe.parameters().into_iter().filter_map(given).collect();
        Ok(Self::Build {
            recipe,
            values,
            material: MaterialChoice::from_arg_matches(matches)?,
            targets: Targets::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl New {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        match self {
            Self::List => list(console),
            Self::Materials => console.result(&material::as_json(), material::as_text),
            Self::Build {
                recipe,
                values,
                material,
                targets,
            } => build(console, recipe, values, (material, targets)),
        }
    }
}

fn build(
    console: &Console,
    recipe: &Recipe,
    values: &[(String, String)],
    (material, targets): (&MaterialChoice, &Targets),
) -> Result<(), Failure> {
    let help = format!(
        "`drystone new {} --help` lists the parameters and their ranges",
        recipe.name
    );
    let mut model = recipe.build(values).map_err(|e| Failure::input(e).help(help))?;
    let built = model.clone();
    material.set(&mut model)?;
    // What is given by number comes before what the material is said to have.
    let given = |name: &str| values.iter().any(|(key, _)| key == name);
    if given("density") {
        model.set_density(built.density);
    }
    if given("friction") {
        model.joints = built.joints;
    }
    let files = targets.write(&model)?;
    let fixed = model.blocks.iter().filter(|b| b.fixed).count();
    let result = json!({ "recipe": recipe.name, "blocks": model.blocks.len(), "fixed": fixed, "files": files });
    console.result(&result, || {
        let free = counted(model.blocks.len() - fixed, "free block");
        format!("{}: {free}, {} fixed: {}", recipe.name, count(fixed), files.join(", "))
    })
}

fn list(console: &Console) -> Result<(), Failure> {
    let entry = |recipe: &Recipe| {
        let parameters: Vec<_> = recipe.parameters().iter().map(parameter_json).collect();
        json!({ "name": recipe.name, "summary": recipe.summary, "notes": recipe.notes, "parameters": parameters })
    };
    let result = json!({ "recipes": recipes::all().iter().map(entry).collect::<Vec<_>>() });
    console.result(&result, || {
        let mut text = String::new();
        for recipe in recipes::all() {
            text.push_str(&format!("{}\n  {}\n", recipe.name, recipe.summary));
            let parameters = recipe.parameters();
            let width = parameters
                .iter()
                .map(|p| p.name.len() + p.default.len())
                .max()
                .unwrap_or(0)
                + 3;
            for p in parameters {
                let unit = if p.unit.is_empty() {
                    String::new()
                } else {
                    format!(", {}", p.unit)
                };
                let shown = format!("--{} {}", p.name, p.default);
                text.push_str(&format!(
                    "    {shown:<width$}  {} ({}{unit})\n",
                    p.help_with_needs(),
                    p.kind
                ));
            }
            text.push('\n');
        }
        text
    })
}

fn parameter_json(p: &Parameter) -> serde_json::Value {
    let (kind, range) = match p.kind {
        ParameterKind::Number { min, max } => ("number", json!([min, max])),
        ParameterKind::Count { min, max } => ("count", json!([min, max])),
        ParameterKind::Flag => ("flag", json!([false, true])),
        ParameterKind::Choice(words) => ("choice", json!(words)),
    };
    let needs: Vec<String> = p.needs.iter().map(ToString::to_string).collect();
    json!({
        "name": p.name,
        "unit": p.unit,
        "default": p.default,
        "kind": kind,
        "allowed": range,
        "help": p.help,
        "needs": needs,
    })
}

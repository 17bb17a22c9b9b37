//! Study files to start from: `drystone study --new`.

use std::{fmt::Write, str::FromStr};

use drystone_model::Model;

/// What a study is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Which impulses bring a structure down.
    FailureDomain,
    /// How likely earthquakes of an intensity bring it down.
    Fragility,
    /// How an answer depends on parameters.
    Sweep,
    /// Whether it stands at every stage of its construction.
    Assembly,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::FailureDomain, Self::Fragility, Self::Sweep, Self::Assembly];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::FailureDomain => "failure-domain",
            Self::Fragility => "fragility",
            Self::Sweep => "sweep",
            Self::Assembly => "assembly",
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.name() == text);
        let names = || Self::ALL.map(Self::name).join(", ");
        found.ok_or_else(|| format!("there is no kind of study `{text}`; there are {}", names()))
    }
}

/// How a structure is named in a study file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named<'a> {
    /// A model file.
    File(&'a str),
    /// A recipe.
    Recipe(&'a str),
}

const HEAD: &str = "\
# A study of drystone: drystone study THIS-FILE -o FOLDER
# What is written after a # is a comment; lines that begin with # show what else can be said, with its default or an example.
# Every field: docs/studies.md. Paths are looked for from the folder of this file. Units are SI; g is 9.81 m/s2.

# title = \"what the report is called\"
";

const CHANGES: &str = "
# What is different from the model: the options that every command has.
# [changes]
# friction = 0.6             # of every joint
# density = 2000.0           # of every block (kg/m3)
# supports = [\"lowest\"]      # blocks that are fixed beside those of the model
# joint_distance = 0.001     # faces that are at most this far apart touch (m)

# The same study of several variants of the structure, a curve for each.
# [[variants]]
# changes = { friction = 0.5 }
# [[variants]]
# name = \"smooth\"
# changes = { friction = 0.3 }
";

const SIMULATION: &str = "
# How time histories are computed.
[simulation]
# integrator = \"implicit\"     # or \"explicit\"
dt = 0.0025                  # time step (s)
# friction_law = \"associated\" # or \"coulomb\"
# after = 2.0                # how long it is followed once the ground is still (s)
# stop_at_rest = true        # a run ends once the ground is still and nothing moves
# A collapse ends a run, too: any one of these (potential energy lost, blocks fallen by more than their size, displacement in m).
# collapse = { potential_drop = 0.2, fallen = 0.1, displacement = 1.0 }
";

const FAILURE_DOMAIN: &str = "
# Which one-sine impulses of the ground bring it down: half-period against amplitude.
[failure_domain]
direction = \"x\"              # of the ground's first acceleration: \"x\", \"-y\", or [0.5, 1, 0]
both_directions = true       # the opposite direction, too
half_periods = { from = 0.1, to = 1.5, count = 8 }    # (s); or a list
amplitudes_g = { from = 0.1, to = 1.5, count = 10 }   # (g)
search = \"grid\"              # every impulse; or \"boundary\": as few as find the first collapse
# resolution_g = 0.02        # how closely \"boundary\" encloses it (g)
# capacity = true            # the pseudo-static capacity as a line
";

const FRAGILITY: &str = "
# How likely earthquakes bring it down: ground motions scaled to intensities.
[fragility]
# records = \"records\"         # a folder of .AT2, .csv and .txt files, or a list of files
synthetic = { count = 20 }   # made here from a seed; motion = { spectrum = { ag = 2.0, ground = \"B\" } } follows Eurocode 8
# direction = \"y\"            # of motions with one component
measure = \"pga\"              # or \"pgv\", \"sa:0.5\" (period in s), \"arias\"
intensities = [0.2, 0.4, 0.6, 0.8, 1.0]   # g for pga and sa, m/s for pgv and arias
method = \"stripes\"           # every motion at every intensity; or \"incremental\": each up to its collapse
# skip_decided = false       # leave out stripes above one in which all collapse and below one in which none does
# skip_broken = false        # leave out records that cannot be read; the result names them
# bootstrap = 1000           # resamples for confidence bands
# confidence = 0.9
";

const SWEEP: &str = "
# How an answer depends on parameters.
[sweep]
# One of: { check = { method = \"cra\" } }, { limit = { direction = \"x\" } }, { tilt = { axis = \"y\" } },
# { simulate = { duration = 3.0, motion = \"impulse:peak={peak}g,duration=0.5,direction=x\" } }
analysis = { limit = { direction = \"x\" } }
# design = \"latin-hypercube\"  # instead of every combination: each parameter then has a distribution in place of values, as
# samples = 50               # distribution = { uniform = { low = 0.4, high = 0.8 } }
# seed = 1

[[sweep.parameters]]
name = \"friction\"
values = { from = 0.3, to = 1.0, count = 15 }

# Other parameters: density, gravity (a factor), recipe:NAME, load:NAME (a factor), tilt:AXIS (degrees), motion:NAME, missing
# (blocks), undersize (a fraction, at random), model:/PATH (a field of the model file), dt, stiffness, young, poisson.
# [[sweep.parameters]]
# name = \"undersize\"
# values = [0.0, 0.001, 0.002]
";

/// A study file of a kind to start from, with comments: of a structure, and how it is named.
pub fn template(kind: Kind, named: Named<'_>, model: &Model) -> String {
    let mut text = HEAD.to_string();
    let quoted = |name: &str| toml::Value::from(name).to_string();
    let _ = match named {
        Named::File(path) => writeln!(text, "model = {}", quoted(path)),
        Named::Recipe(name) => writeln!(
            text,
            "model = {{ recipe = {} }}   # or the path of a model file",
            quoted(name)
        ),
    };
    text += CHANGES;
    match kind {
        Kind::FailureDomain => text = text + SIMULATION + FAILURE_DOMAIN,
        Kind::Fragility => text = text + SIMULATION + FRAGILITY,
        Kind::Sweep => text += SWEEP,
        Kind::Assembly => text += &assembly(model, quoted),
    }
    if !model.load_cases.is_empty() && matches!(kind, Kind::FailureDomain | Kind::Fragility) {
        let names: Vec<String> = model.load_cases.keys().map(|name| quoted(name)).collect();
        let loads = format!(
            "# loads = [{}]   # load cases of the model that act\n",
            names.join(", ")
        );
        text = text.replacen("# after = ", &(loads + "# after = "), 1);
    }
    text
}

/// Blocks of the model from the lowest to the highest, as an order to start from.
fn assembly(model: &Model, quoted: impl Fn(&str) -> String) -> String {
    let mut blocks: Vec<(f64, &str)> = model
        .free_blocks()
        .map(|block| (model.mass_of(block).1.centroid.z, block.name.as_str()))
        .collect();
    blocks.sort_by(|a, b| a.0.total_cmp(&b.0));
    let names: Vec<String> = blocks.iter().map(|(_, name)| quoted(name)).collect();
    let lines: Vec<String> = names
        .chunks(8)
        .map(|row| format!("#   {},\n", row.join(", ")))
        .collect();
    format!(
        "
# Whether it stands at every stage of its construction.
[assembly]
# Left out: an order is looked for that needs no scaffolding. A list within the list is placed at once. From below:
# order = [
{}# ]
method = \"cra\"
# most_checks = 10000        # of a search
",
        lines.concat()
    )
}

//! Random runs: small structures of every kind, random sizes, motions and lengths of steps, both friction laws.

#![allow(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "a comparison with a NaN must fall on the side of failure"
)]

use drystone_cone::Friction;
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, TimeStep};
use drystone_model::{
    Model,
    motion::{CompileSettings, Supports, parse},
    recipes,
};

/// Random numbers, the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    /// Those of one run.
    pub(crate) fn new(run: u64) -> Self {
        let mut random = Self(run.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for _ in 0..8 {
            random.unit();
        }
        random
    }

    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn choice<T: Copy>(&mut self, list: &[T]) -> T {
        list[(self.unit() * list.len() as f64) as usize % list.len()]
    }
}

/// A recipe and its values: `low..high` between two numbers, `low..=high` between two whole ones, `a|b` one of several.
const STRUCTURES: [(&str, &str); 17] = [
    ("block", "width=0.2..1.5 depth=0.3..1 height=0.3..3 friction=0.2..1"),
    ("stack", "blocks=2..=8 offset=0..0.1 friction=0.2..1"),
    ("column", "drums=2..=5 sides=5..=12 friction=0.3..0.9"),
    ("column", "columns=2 drums=2..=3 sides=6 friction=0.3..0.9"),
    (
        "wall",
        "length=1.5..2.5 height=0.9..1.5 unit-length=0.5 unit-height=0.3 friction=0.3..0.8",
    ),
    (
        "wall",
        "length=3 height=2 unit-length=0.6 unit-height=0.4 opening=window|door head=lintel|arch opening-height=0.8",
    ),
    (
        "arch",
        "voussoirs=3..=15 radius=0.5..20 thickness=0.1..2 friction=0.3..1",
    ),
    ("arch", "profile=pointed voussoirs=5..=13 radius=2..6 thickness=0.4..1"),
    (
        "arch",
        "profile=flat voussoirs=3..=9 span=1..4 thickness=0.4..0.8 skew-deg=10..40",
    ),
    ("oppenheim-arch", "thickness-ratio=0.1..0.25 blocks=4..=9"),
    ("model-h", "width=0.5..3 height=0.3..1.5 friction=0.1..1.2"),
    ("model-a", "width=1.5..3 lean-deg=5..40 friction=0.1..1"),
    ("wedge", "type=a|b|c|d friction=0.1..1"),
    ("shelf", "friction=0.3..1.2 hangers=true|false"),
    ("three-legged-pi", "leg-width=0.2..0.6 friction=0.3..1"),
    ("barrel-vault", "voussoirs=5 blocks-along=2 length=2 friction=0.3..0.9"),
    ("dome", "courses=3 meridians=6..=9 radius=1..5 friction=0.3..0.9"),
];

/// What a random run is.
pub(crate) struct Run {
    /// In words, to find it again.
    pub(crate) words: String,
    model: Model,
    motion: String,
    settings: SimulationSettings,
    duration: f64,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Why it ended, if it did not end by itself.
    pub(crate) error: Option<String>,
    /// Deepest overlap over the size of the smaller block.
    pub(crate) overlap: f64,
    /// Error of the energy balance in the end.
    pub(crate) balance: f64,
    /// Steps, and those above the tolerance or relaxed.
    pub(crate) steps: usize,
    pub(crate) rough: usize,
    pub(crate) relaxed: usize,
    /// The farthest that a constraint was relaxed (m).
    pub(crate) most_relaxed: f64,
    /// Fastest point of a block (m/s).
    pub(crate) speed: f64,
}

fn value(text: &str, random: &mut Random) -> String {
    if let Some((low, high)) = text.split_once("..=") {
        let [low, high] = [low, high].map(|x| x.parse::<f64>().unwrap());
        return format!("{}", random.between(low, high + 0.999).floor());
    }
    if let Some((low, high)) = text.split_once("..") {
        let [low, high] = [low, high].map(|x| x.parse::<f64>().unwrap());
        return format!("{:.3}", random.between(low, high));
    }
    let list: Vec<&str> = text.split('|').collect();
    random.choice(&list).to_string()
}

/// One of the random runs, with at most so many steps.
pub(crate) fn random_run(number: u64, most_steps: f64) -> Run {
    let random = &mut Random::new(number);
    let (recipe, values) = STRUCTURES[number as usize % STRUCTURES.len()];
    // Values that do not go together are drawn again.
    let (values, model) = loop {
        let values: Vec<(String, String)> = values
            .split(' ')
            .filter_map(|v| v.split_once('='))
            .map(|(k, v)| (k.to_string(), value(v, random)))
            .collect();
        if let Ok(model) = recipes::find(recipe).unwrap().build_alone(&values) {
            break (values, model);
        }
    };
    let direction = format!(
        "{:.2} {:.2} {:.2}",
        random.between(-1.0, 1.0),
        random.between(-1.0, 1.0),
        random.between(-0.3, 0.3)
    );
    let strength = random.between(0.02, 0.7);
    let motion = match random.choice(&[0, 1, 1, 2]) {
        0 => String::new(),
        1 => format!(
            "sine:amplitude={strength:.2}g,frequency={:.2},direction={direction}",
            random.between(0.5, 5.0)
        ),
        _ => format!(
            "impulse:peak={strength:.2}g,half_period={:.2},direction={direction}",
            random.between(0.05, 0.4)
        ),
    };
    let dt = random.choice(&[5e-4, 1e-3, 1e-3, 2e-3, 4e-3]);
    let law = random.choice(&[Friction::Associated, Friction::Coulomb]);
    // Coulomb's law takes hundreds of iterations in a step where dozens of blocks rock.
    let is_small = model.free_blocks().count() <= 10;
    let friction = if is_small { law } else { Friction::Associated };
    Run {
        words: format!("run {number}: {recipe} {values:?}, {motion}, dt {dt}, {friction:?}"),
        model,
        motion,
        settings: SimulationSettings {
            time_step: TimeStep::Fixed(dt),
            friction,
            ..SimulationSettings::default()
        },
        duration: (most_steps * dt).min(1.0),
    }
}

impl Run {
    /// Runs it.
    pub(crate) fn run(&self) -> Found {
        let compile = CompileSettings::default();
        let motions: Vec<_> = (!self.motion.is_empty())
            .then(|| parse(&self.motion).unwrap().compile(&compile).unwrap())
            .into_iter()
            .collect();
        let supports = Supports::new(&self.model, &compile, &motions).unwrap();
        let mut simulation = Simulation::new(&self.model, self.settings, supports, &[]).unwrap();
        let tolerance = self.settings.solver_tolerance();
        let mut found = Found::default();
        while simulation.state().time < self.duration * (1.0 - 1e-9) {
            match simulation.step() {
                Ok(step) => {
                    found.steps += 1;
                    found.overlap = found.overlap.max(step.relative_overlap);
                    found.rough += usize::from(!(step.residual <= tolerance));
                    found.relaxed += usize::from(step.relaxed > 0.0);
                    found.most_relaxed = found.most_relaxed.max(step.relaxed);
                    found.speed = found.speed.max(step.max_speed);
                }
                Err(error) => {
                    found.error = Some(error.to_string());
                    break;
                }
            }
        }
        found.balance = simulation.state().energies.balance_error();
        found
    }
}

impl Found {
    /// What is wrong with it, if anything.
    pub(crate) fn problem(&self) -> Option<String> {
        if let Some(error) = &self.error {
            return Some(error.clone());
        }
        // Written so that a NaN is a problem.
        if !(self.overlap <= 0.01) {
            return Some(format!("overlap of {:.2} % of the smaller block", 100.0 * self.overlap));
        }
        if !(self.balance <= 0.01) {
            return Some(format!("balance off by {:.2} %", 100.0 * self.balance));
        }
        None
    }
}

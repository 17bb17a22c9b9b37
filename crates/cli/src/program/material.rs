//! `--material`: a material of the library for every block.

use serde_json::{Value, json};

use drystone_analysis::Failure;
use drystone_model::{
    Model,
    materials::{self, Known, KnownMaterial},
};

// No doc comment: clap would take it as the text of the command that these options belong to.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct MaterialChoice {
    /// Material of every block, from the library that `drystone new --materials` lists: sets density, friction and elasticity
    #[arg(long, value_name = "NAME")]
    material: Option<String>,
}

impl MaterialChoice {
    /// Gives it to every block and joint, if one was chosen.
    pub(crate) fn set(&self, model: &mut Model) -> Result<(), Failure> {
        if let Some(name) = &self.material {
            materials::find(name).map_err(Failure::input)?.set(model);
        }
        Ok(())
    }
}

/// The library as JSON.
pub(crate) fn as_json() -> Value {
    let known = |known: Known| json!({ "value": known.value(), "low": known.low, "high": known.high, "source": known.source.short() });
    let one = |m: &KnownMaterial| {
        json!({
            "name": m.name,
            "summary": m.summary,
            "density": known(m.density),
            "friction": known(m.friction),
            "strength_pa": known(m.strength_pa),
            "young_pa": m.young_pa.map(known),
            "poisson": m.poisson.map(known),
        })
    };
    let sources = materials::Source::ALL.map(|s| json!({ "name": s.short(), "citation": s.citation() }));
    json!({ "materials": materials::all().iter().map(one).collect::<Vec<_>>(), "sources": sources })
}

/// The library for a terminal.
pub(crate) fn as_text() -> String {
    let mut text = String::new();
    for m in materials::all() {
        text.push_str(&format!("{}\n  {}\n", m.name, m.summary));
        for (what, scale, unit, known) in [
            ("density", 1.0, "kg/m3", Some(m.density)),
            ("friction", 1.0, "", Some(m.friction)),
            ("strength", 1e-6, "MPa", Some(m.strength_pa)),
            ("Young's modulus", 1e-9, "GPa", m.young_pa),
            ("Poisson's ratio", 1.0, "", m.poisson),
        ] {
            let Some(known) = known else { continue };
            let [value, low, high] = [known.value(), known.low, known.high].map(|v| short(scale * v));
            let range = if low == high {
                String::new()
            } else {
                format!(" ({low} to {high})")
            };
            let value = format!("{value} {unit}");
            let told = format!("{}{range}", value.trim_end());
            text.push_str(&format!("    {what:<16} {told:<32} {}\n", known.source.short()));
        }
        text.push('\n');
    }
    text.push_str("Sources\n");
    for source in materials::Source::ALL {
        text.push_str(&format!("  {}: {}.\n", source.short(), source.citation()));
    }
    text
}

/// Three digits.
fn short(value: f64) -> String {
    format!("{value:.2e}").parse::<f64>().unwrap_or(value).to_string()
}

//! Files of other programs: read once, looked at under what they do not say (unit, up, supports, joints), and accepted.

use drystone_analysis::{Changes, Geometry, GeometryProblem, ProblemKind, loose};
use drystone_contact::{Source, choose};
use drystone_model::{
    Model,
    import::{Format, Frame, format},
};
use serde_json::{Value, json};

use super::{Done, Session, Version, found, open::read};
use crate::protocol::{Given, Import, Refusal, Supports};

/// Pairs of blocks named one by one; the others are only counted.
const MOST_NAMED: usize = 20;

/// A model as its file has it, not yet accepted.
pub(super) struct Pending {
    model: Model,
    warnings: Vec<String>,
    beside: String,
    /// Whether its file leaves anything open.
    asks: bool,
    /// What was looked at last, ready to be accepted.
    looked: Option<(Given, Version)>,
}

impl Session {
    /// Tells what a file comes to, without opening it. Without a file: the one that was read last, under other assumptions.
    pub(super) fn import(&mut self, id: u64, import: &Import) -> Done {
        if import.files.is_some() || import.path.is_some() {
            self.pending = None;
            let (files, beside) = self.bytes_of(import)?;
            let asks = files.iter().any(|(name, bytes)| leaves_open(name, bytes));
            let (mut model, mut warnings) = read(&files)?;
            let choice = choose(&model);
            if choice.source == Source::Geometry {
                model.joint_search = choice.search;
                warnings.push(choice.reason);
            }
            self.pending = Some(Pending {
                model,
                warnings,
                beside,
                asks,
                looked: None,
            });
        }
        let pending = self.pending.as_mut().ok_or_else(nothing_read)?;
        let told = pending.look(&import.given)?;
        Ok(self.out.answer(id, "import", told)?)
    }

    /// Opens what was read, under what was given.
    pub(super) fn accept(&mut self, id: u64, given: &Given) -> Done {
        let pending = self.pending.as_mut().ok_or_else(nothing_read)?;
        let mut version = match pending.looked.take() {
            Some((known, version)) if known == *given => version,
            _ => pending.version(given)?,
        };
        version.beside.clone_from(&pending.beside);
        version.problems.extend(pending.warnings.iter().cloned());
        self.pending = None;
        self.become_version(id, version)
    }
}

impl Pending {
    fn version(&self, given: &Given) -> Result<Version, Refusal> {
        found(self.under(given)?, None, None)
    }

    /// The model under what its file does not say.
    fn under(&self, given: &Given) -> Result<Model, Refusal> {
        let metres = given.unit_m;
        if !(metres.is_finite() && (1e-9..=1e9).contains(&metres)) {
            return Err(Refusal::new(format!(
                "a unit of {metres} m is not allowed; give metres in a unit, as 0.001 for millimetres"
            )));
        }
        let mut model = self.model.clone();
        let frame = Frame { metres, up: given.up };
        frame.apply(&mut model);
        if given.supports != Supports::AsRead {
            model.blocks.iter_mut().for_each(|b| b.fixed = false);
        }
        let supports = match given.supports {
            Supports::Lowest => vec!["lowest".to_string()],
            Supports::AsRead | Supports::None => Vec::new(),
        };
        let changes = Changes {
            joint_distance: given.joint_distance_m,
            supports,
            ..Changes::default()
        };
        Ok(changes.apply(&model)?)
    }

    /// What there is under what was given.
    fn look(&mut self, given: &Given) -> Result<Value, Refusal> {
        let fixed = |model: &Model| model.blocks.iter().filter(|b| b.fixed).count();
        let mut told = json!({
            "asks": self.asks,
            "name": self.model.name,
            "blocks": self.model.blocks.len(),
            "fixed_as_read": fixed(&self.model),
            "warnings": self.warnings,
        });
        // A model that cannot be used may become one under another unit or distance: that is told, and not the end.
        let found = match self.version(given) {
            Ok(version) => {
                let seen = seen(&version);
                self.looked = Some((given.clone(), version));
                seen
            }
            Err(refusal) => json!({ "refused": refusal.in_full() }),
        };
        if let (Some(told), Value::Object(mut found)) = (told.as_object_mut(), found) {
            told.append(&mut found);
        }
        Ok(told)
    }
}

fn seen(version: &Version) -> Value {
    let (model, joints) = (&version.model, &version.joints);
    let bounds = model.bounds(|_| true);
    let free = model.blocks.iter().filter(|b| !b.fixed);
    let geometry = Geometry::with_pairs(model, &version.pairs, &loose(model, joints));
    // What touches nothing because it overlaps is no gap.
    let is_gap = |p: &GeometryProblem| p.distance_m.is_some_and(|distance| distance > 0.0);
    let of = |wanted: &dyn Fn(&GeometryProblem) -> bool| {
        let all: Vec<_> = geometry.problems.iter().filter(|p| wanted(p)).collect();
        let named = all.iter().take(MOST_NAMED);
        let pairs: Vec<Value> = named
            .map(|p| json!({ "blocks": p.blocks, "by_m": p.depth_m.or(p.distance_m), "says": p.message }))
            .collect();
        json!({ "count": all.len(), "named": pairs })
    };
    let search = model.joint_search;
    json!({
        "fixed": model.blocks.iter().filter(|b| b.fixed).count(),
        "mass_kg": free.map(|b| model.mass_of(b).0).sum::<f64>(),
        "size_m": bounds.size(),
        "joints": joints.joints.len(),
        "contacts": joints.contacts(),
        "joint_distance_m": search.map(|s| s.distance),
        "joints_stored": !model.interfaces.is_empty(),
        "gaps": of(&is_gap),
        "overlaps": of(&|p| matches!(p.kind, ProblemKind::Overlap | ProblemKind::SamePlace)),
        "loose": of(&|p| matches!(p.kind, ProblemKind::Unsupported | ProblemKind::NearlyTouching) && !is_gap(p)),
        "problems": version.problems,
    })
}

/// Whether a file says neither unit nor up nor, mostly, supports. Brick files of Chrono are in metres and have all of it.
fn leaves_open(name: &str, bytes: &[u8]) -> bool {
    !super::open::is_own(name, bytes) && !matches!(format(name, bytes), Ok(Format::Chrono(_)) | Err(_))
}

fn nothing_read() -> Refusal {
    Refusal::new("no file was read that could be opened").help("choose the file again")
}

//! How the ground moves, as the page asks for it.

use drystone_model::{
    Model, Motion,
    motion::{CompileSettings, G, Impulse, ImpulseForm, MotionError, MotionQuantity, Sine, Supports, Trajectory},
};
use glam::DVec3;

use super::record::records;
use crate::{
    protocol::{Moved, MovedKind, Recorded, Refusal},
    security::Folder,
};

/// The motions of supports.
pub(super) fn supports(model: &mut Model, asked: &Moved, records: Option<&Records<'_>>) -> Result<Supports, Refusal> {
    let settings = CompileSettings::default();
    let failed = |e: MotionError| Refusal::new(e);
    let mut everywhere = Vec::new();
    let direction = asked.direction.unwrap_or(DVec3::X);
    let unit = || {
        direction
            .try_normalize()
            .ok_or_else(|| Refusal::new("the direction must have a length"))
    };
    let scale = asked.scale.unwrap_or(1.0);
    if !scale.is_finite() {
        return Err(Refusal::new("the scale must be a number"));
    }
    let peak = asked.amplitude_g.map(|a| a * scale * G);
    let needed = || Refusal::new("the motion needs `amplitude_g`");
    match asked.kind {
        MovedKind::None => model.support_motions.clear(),
        MovedKind::Sine => {
            model.support_motions.clear();
            let motion = Motion::Sine(Sine {
                quantity: MotionQuantity::Acceleration,
                amplitude: unit()? * peak.ok_or_else(needed)?,
                frequency_hz: asked.frequency_hz.unwrap_or(1.0),
                phase_deg: 0.0,
                start: 0.0,
                cycles: None,
                duration: asked.duration_s,
                centred: true,
            });
            everywhere.push(motion.compile(&settings).map_err(failed)?);
        }
        MovedKind::Impulse => {
            model.support_motions.clear();
            let motion = Motion::Impulse(Impulse {
                quantity: MotionQuantity::Acceleration,
                peak: unit()? * peak.ok_or_else(needed)?,
                duration: asked.duration_s.unwrap_or(0.5),
                form: ImpulseForm::default(),
                start: 0.0,
            });
            everywhere.push(motion.compile(&settings).map_err(failed)?);
        }
        MovedKind::Record => {
            model.support_motions.clear();
            let direction = asked.direction.map(|_| unit()).transpose()?;
            everywhere.extend(recorded(asked, direction, asked.amplitude_g.map(|a| a * G))?);
        }
        MovedKind::Model => match &asked.name {
            None => {}
            Some(name) => {
                let motion = model.motions.get(name).cloned();
                let mut motion = motion.ok_or_else(|| Refusal::new(format!("the model has no motion `{name}`")))?;
                contain(&mut motion, records)?;
                model.support_motions.clear();
                everywhere.push(motion.compile(&settings).map_err(failed)?);
            }
        },
    }
    for (name, motion) in &mut model.motions {
        // Those that move nothing are never read.
        if model.support_motions.iter().any(|support| support.motion == *name) {
            contain(motion, records)?;
        }
    }
    let supports = Supports::new(model, &settings, &everywhere).map_err(failed)?;
    // The others have it in their peaks.
    Ok(if asked.kind == MovedKind::Model {
        supports.times(scale)
    } else {
        supports
    })
}

/// Where the records are that a model names.
pub(super) struct Records<'a> {
    pub(super) folder: &'a Folder,
    /// Folder of the model's file, from the opened one on; empty where it is that one.
    pub(super) beside: String,
}

/// Makes sure that records are read from beside the model and from the opened folder alone: models come from anywhere.
fn contain(motion: &mut Motion, records: Option<&Records<'_>>) -> Result<(), Refusal> {
    match motion {
        Motion::Record(record) => {
            let Records { folder, beside } = records.ok_or_else(|| {
                let what = format!("the record `{}` cannot be read: no folder is opened", record.path);
                Refusal::new(what).help("give the record itself")
            })?;
            record.path = folder.beside(beside, &record.path)?.display().to_string();
        }
        Motion::Rotation(rotation) => contain(&mut rotation.motion, records)?,
        Motion::Sum(parts) => parts.iter_mut().try_for_each(|part| contain(part, records))?,
        _ => {}
    }
    Ok(())
}

/// Records that the page sends, each a motion of its own.
fn recorded(asked: &Moved, direction: Option<DVec3>, pga: Option<f64>) -> Result<Vec<Trajectory>, Refusal> {
    let single = asked.file.as_ref().map(|file| Recorded {
        file: file.clone(),
        direction,
    });
    let all = match (&asked.components[..], single) {
        ([], Some(single)) => records(&[single], pga, asked.scale.unwrap_or(1.0)),
        (components, None) if !components.is_empty() => records(components, pga, asked.scale.unwrap_or(1.0)),
        ([], None) => Err(Refusal::new("the motion needs a `file` or `components`")),
        _ => Err(Refusal::new("the motion has both a `file` and `components`")),
    };
    Ok(all?.iter().map(|record| record.trajectory(0.0)).collect())
}

use glam::DVec3;

use super::{
    super::{
        error::{ImportError, Problems, format_error},
        text::text,
    },
    table::{Fields, rows},
    z_up,
};
use crate::{Motion, MotionQuantity, Tie, TieEnd, TieKind};

/// A line of a spring or rod file.
#[derive(Clone, Debug, PartialEq)]
pub struct ChronoLink {
    /// File it comes from, for messages.
    pub file: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// The tie, its ends named by block ids.
    pub tie: Tie,
    /// What stands after the last field and is not read.
    pub ignored: Option<String>,
}

/// Reads a spring file: `id, bodyA, Ax, Ay, Az, bodyB, Bx, By, Bz, k, L0` a line. The springs only pull.
pub fn read_springs(bytes: &[u8], file: &str) -> Result<Vec<ChronoLink>, ImportError> {
    read(bytes, file, |fields| {
        let stiffness = fields.number("stiffness")?;
        let rest_length = fields.number("rest length")?;
        if stiffness <= 0.0 {
            return Err(format!("the stiffness is {stiffness}; it must be above zero"));
        }
        if rest_length < 0.0 {
            return Err(format!("the rest length is {rest_length}; it must be zero or above"));
        }
        Ok(TieKind::TensionSpring { stiffness, rest_length })
    })
}

/// Reads a rigid rod file: `id, bodyA, Ax, Ay, Az, bodyB, Bx, By, Bz` a line.
pub fn read_rods(bytes: &[u8], file: &str) -> Result<Vec<ChronoLink>, ImportError> {
    read(bytes, file, |_| Ok(TieKind::RigidRod))
}

fn read(
    bytes: &[u8],
    file: &str,
    kind: impl Fn(&mut Fields<'_>) -> Result<TieKind, String>,
) -> Result<Vec<ChronoLink>, ImportError> {
    let content = text(bytes);
    let mut problems = Problems::new(file);
    let mut links = Vec::new();
    for row in rows(&content) {
        let line = row.line;
        let mut fields = Fields::new(&row.fields);
        let tie = (|| {
            let name = fields.whole("id")?.to_string();
            let mut end = |which: &str| {
                Ok::<_, String>(TieEnd {
                    block: fields.whole(which)?.to_string(),
                    at: z_up(fields.point(which)?),
                })
            };
            let (from, to) = (end("first body")?, end("second body")?);
            let kind = kind(&mut fields)?;
            match fields.peek() {
                None => Ok(Tie {
                    name,
                    from,
                    to,
                    kind,
                    group: None,
                }),
                Some(_) => Err(format!(
                    "the line has {} columns, more than it should",
                    row.fields.len()
                )),
            }
        })();
        match tie {
            Ok(tie) => links.push(ChronoLink {
                file: file.to_owned(),
                line,
                tie,
                ignored: row.text_after(),
            }),
            Err(what) => problems.at(line, what),
        }
    }
    problems.finish()?;
    Ok(links)
}

/// Reads a motion file: `time, displacement` a line, taken along x.
pub fn read_motion(bytes: &[u8], file: &str) -> Result<Motion, ImportError> {
    let content = text(bytes);
    let mut problems = Problems::new(file);
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for row in rows(&content) {
        let line = row.line;
        let mut fields = Fields::new(&row.fields);
        match (fields.number("time"), fields.number("displacement"), fields.peek()) {
            (Ok(_), Ok(_), None) if !row.after.is_empty() => {
                let text = row.text_after().unwrap_or_default();
                problems.at(
                    line,
                    format!("{text} stands after the displacement; 2 columns are allowed"),
                );
            }
            (Ok(time), Ok(displacement), None) => {
                if times.last().is_some_and(|&last| time <= last) {
                    problems.at(line, format!("time {time} does not come after the line before it"));
                }
                times.push(time);
                values.push(DVec3::X * displacement);
            }
            (Ok(_), Ok(_), Some(_)) => {
                problems.at(
                    line,
                    format!("the line has {} columns; 2 are allowed", row.fields.len()),
                );
            }
            (Err(what), ..) | (_, Err(what), _) => problems.at(line, what),
        }
    }
    problems.finish()?;
    if times.is_empty() {
        return Err(format_error(file, "there are no points in time in it"));
    }
    Ok(Motion::Table {
        quantity: MotionQuantity::Displacement,
        times,
        values,
    })
}

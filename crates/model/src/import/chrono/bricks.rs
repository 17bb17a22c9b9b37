use std::collections::HashMap;

use glam::DVec3;

use super::{
    super::{
        error::{ImportError, Problems, format_error},
        text::{quoted, text},
    },
    table::{Fields, Row, rows},
    z_up,
};

/// Stands between the convex parts of a block.
const SEPARATOR: f64 = 9999.0;
/// Corners of a convex part; the time to wrap its hull grows with their square.
const MOST_CORNERS: usize = 2000;

/// A line of a brick file, with z up.
#[derive(Clone, Debug, PartialEq)]
pub struct Brick {
    /// Line in the file, from 1.
    pub line: usize,
    /// Id, which becomes the block's name.
    pub id: String,
    /// Whether it is a support.
    pub fixed: bool,
    /// How a support moves: 0 with the ground, 1 never, 2 by a force, 3 freely along x.
    pub yielding: i64,
    /// Density (kg/m³).
    pub density: f64,
    /// Force at the centroid (N).
    pub force: DVec3,
    /// Convex parts, each the hull of its points (m).
    pub parts: Vec<Vec<DVec3>>,
    /// What stands after the last vertex and is not read.
    pub ignored: Option<String>,
}

/// Reads a brick file: `id, fixed, visible, yielding, density, Fx, Fy, Fz, refx, refy, refz, x1, y1, z1, ...` a line.
pub fn read_bricks(bytes: &[u8], file: &str) -> Result<Vec<Brick>, ImportError> {
    let content = text(bytes);
    let mut problems = Problems::new(file);
    let mut bricks: Vec<Brick> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let lines = content.lines().count();
    for row in rows(&content) {
        let line = row.line;
        // A last line without an end may be cut off: what is left of it is no note.
        let whole = line < lines || content.ends_with('\n');
        match brick(&row, whole) {
            Ok(brick) => {
                if let Some(first) = seen.insert(brick.id.clone(), line) {
                    problems.at(line, format!("block {} stands in line {first} already", brick.id));
                }
                bricks.push(brick);
            }
            Err(what) => problems.at(line, what),
        }
    }
    problems.finish()?;
    if bricks.is_empty() {
        return Err(format_error(file, "there are no blocks in it"));
    }
    Ok(bricks)
}

fn brick(row: &Row, whole: bool) -> Result<Brick, String> {
    let mut fields = Fields::new(&row.fields);
    let id = fields.whole("id")?.to_string();
    let fixed = fields.whole("fixed")? != 0;
    let _visible = fields.number("visible")?;
    let yielding = fields.whole("yielding")?;
    if !(0..=3).contains(&yielding) {
        return Err(format!("block {id}: yielding is {yielding}; it must be 0, 1, 2 or 3"));
    }
    let density = fields.number("density")?;
    if density <= 0.0 {
        return Err(format!("block {id}: its density is {density}; it must be above zero"));
    }
    let force = fields.force("force")?;
    let _reference = fields.point("reference point")?;
    let mut parts = vec![Vec::new()];
    let mut left: &[&str] = &[];
    while let Some(next) = fields.peek() {
        if next.parse() == Ok(SEPARATOR) {
            fields.skip();
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            // One or two numbers after a whole part are no vertex.
            if whole && fields.left().len() < 3 && part.len() >= 4 {
                left = fields.left();
                break;
            }
            let vertex = fields.point("vertex").map_err(|what| match row.text_after() {
                Some(text) => format!("{what}; {text} is not a number"),
                None => what,
            })?;
            part.push(z_up(vertex));
        }
    }
    // What begins as a number does is a number that is damaged.
    let damaged = |text: &&&str| text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    if let Some(text) = row.after.iter().find(damaged) {
        return Err(format!("block {id}: {} is not a number", quoted(text)));
    }
    let after: Vec<&str> = left.iter().chain(&row.after).copied().collect();
    parts.retain(|part| !part.is_empty());
    if let Some(part) = parts.iter().find(|p| !(4..=MOST_CORNERS).contains(&p.len())) {
        let count = part.len();
        return Err(format!(
            "block {id}: a part has {count} vertices; 4 to {MOST_CORNERS} are allowed"
        ));
    }
    if parts.is_empty() {
        return Err(format!("block {id} has no vertices"));
    }
    Ok(Brick {
        line: row.line,
        id,
        fixed,
        yielding,
        density,
        force: z_up(force),
        parts,
        ignored: (!after.is_empty()).then(|| quoted(&after.join(", "))),
    })
}

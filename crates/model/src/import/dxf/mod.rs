//! DXF drawings: closed polylines are the outlines of blocks, layers their groups, and a thickness makes solids of them.
//!
//! Read are `LWPOLYLINE` and `POLYLINE` of ASCII files of any release, with arcs (bulges) divided into straight sides, and the unit of
//! the header. Everything else in a drawing is counted in a warning. The reader is written by hand: errors name the line, and what
//! is needed of the format is a small part of it.

use std::collections::BTreeMap;

use glam::DVec2;

use super::{
    Imported,
    error::{ImportError, Problems, single},
    text::{Names, counted, in_range, number, quoted, stem},
};
use crate::{
    Block, Model, PrismAxis, PrismShape, Shape,
    geometry::{Touch, outline_tolerance, touches_itself},
};

mod arcs;
mod pairs;
#[cfg(test)]
mod tests;

use pairs::{Pair, content, pairs};

/// What a drawing shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawingPlane {
    /// The structure from its front: x to the right, z upwards. Blocks reach along y.
    #[default]
    Elevation,
    /// The structure from above: x and y. Blocks reach upwards.
    Plan,
}

/// What a drawing does not tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawing {
    /// What it shows.
    pub plane: DrawingPlane,
    /// Thickness of blocks whose outlines have none (m). Left out: 1 m, with a warning.
    pub thickness: Option<f64>,
    /// Length of a unit of the drawing (m), in place of what its header says.
    pub unit: Option<f64>,
    /// How far a straight side may be off the arc that it stands for (m). Default 0.001.
    pub arc_tolerance: f64,
}

impl Default for Drawing {
    fn default() -> Self {
        Self {
            plane: DrawingPlane::Elevation,
            thickness: None,
            unit: None,
            arc_tolerance: 1e-3,
        }
    }
}

/// Layers whose blocks are supports.
const SUPPORTS: [&str; 6] = ["supports", "support", "fixed", "ground", "foundation", "foundations"];

/// Whether blocks of a layer are supports, by its name.
pub(crate) fn is_of_supports(layer: &str) -> bool {
    SUPPORTS.contains(&layer.to_lowercase().as_str())
}

/// A polyline as its file has it.
#[derive(Debug, Default)]
struct Outline {
    line: usize,
    layer: String,
    is_closed: bool,
    is_flat: bool,
    /// Corners, and the bulge of the side that begins there.
    corners: Vec<(DVec2, f64)>,
    thickness: f64,
    elevation: f64,
    /// Direction of extrusion.
    normal: [f64; 3],
    on_paper: bool,
}

/// Reads a DXF file. `file` names it in messages and gives the model its name.
pub fn read(bytes: &[u8], file: &str, drawing: &Drawing) -> Result<Imported, ImportError> {
    let content = content(bytes, file)?;
    let pairs = pairs(&content, file)?;
    let mut warnings = Vec::new();
    let unit = match drawing.unit {
        Some(unit) => unit,
        None => unit_of(&pairs, file, &mut warnings)?,
    };
    let mut problems = Problems::new(file);
    let (outlines, others) = entities(&pairs, &mut problems);
    let mut maker = Maker {
        drawing,
        unit,
        problems,
        open: Vec::new(),
        arcs: (0, 0, 0.0),
        without_thickness: 0,
        model: Model::named(stem(file)),
    };
    let mut of_layer: BTreeMap<&str, usize> = BTreeMap::new();
    for outline in &outlines {
        *of_layer.entry(&outline.layer).or_default() += 1;
    }
    let mut names = Names::default();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for outline in outlines.iter().filter(|o| !o.on_paper) {
        let number = count.entry(&outline.layer).or_default();
        *number += 1;
        let prefix = if outline.layer == "0" { "block" } else { &outline.layer };
        let digits = of_layer[outline.layer.as_str()].to_string().len().max(2);
        maker.block(outline, names.unique(&format!("{prefix}-{number:0digits$}")));
    }
    maker.problems.finish()?;
    warnings.extend(told(&maker.open, maker.arcs, maker.without_thickness, &others));
    let fixed = maker.model.blocks.iter().filter(|b| b.fixed).count();
    if fixed > 0 {
        warnings.push(format!("fixed by the name of their layer: {}", counted(fixed, "block")));
    }
    super::with_blocks(maker.model, warnings, file)
}

/// Warnings of what was left out and assumed.
fn told(open: &[usize], arcs: (usize, usize, f64), without: usize, others: &BTreeMap<String, usize>) -> Vec<String> {
    let mut said = Vec::new();
    if !open.is_empty() {
        let lines: Vec<String> = open.iter().take(6).map(usize::to_string).collect();
        let more = if open.len() > lines.len() { ", ..." } else { "" };
        let what = counted(open.len(), "polyline");
        let lines = lines.join(", ");
        said.push(format!(
            "{what} left out because not closed (line {lines}{more}): close those that are outlines of blocks"
        ));
    }
    let others: Vec<String> = others.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    if !others.is_empty() {
        let what = others.join(", ");
        said.push(format!(
            "left out: {what}; outlines of blocks are closed polylines (explode block references, join lines)"
        ));
    }
    if let (arcs @ 1.., sides, off) = arcs {
        let arcs = counted(arcs, "arc");
        said.push(format!(
            "{arcs} divided into {sides} straight sides, at most {:.2} mm off",
            1e3 * off
        ));
    }
    if without > 0 {
        let what = counted(without, "outline");
        said.push(format!(
            "{what} without a thickness: taken as 1 m thick; give --thickness"
        ));
    }
    said
}

/// The length of a unit of the drawing (m), by its header.
fn unit_of(pairs: &[Pair<'_>], file: &str, warnings: &mut Vec<String>) -> Result<f64, ImportError> {
    let at = pairs.iter().position(|p| p.code == 9 && p.value == "$INSUNITS");
    let value = at.and_then(|k| pairs.get(k + 1)).filter(|p| p.code == 70);
    let unit = match value.map(|p| (p.line, p.value)) {
        None | Some((_, "0")) => {
            warnings.push("the drawing has no unit; taken as metres: give --unit where it is another".to_owned());
            1.0
        }
        Some((_, "1")) => 0.0254,
        Some((_, "2")) => 0.3048,
        Some((_, "4")) => 1e-3,
        Some((_, "5")) => 1e-2,
        Some((_, "6")) => 1.0,
        Some((_, "7")) => 1e3,
        Some((_, "10")) => 0.9144,
        Some((_, "14")) => 0.1,
        Some((line, other)) => {
            let what = format!(
                "the unit {} of the drawing ($INSUNITS) is not one that buildings are drawn in; give --unit",
                quoted(other)
            );
            return Err(single(file, Some(line), what));
        }
    };
    Ok(unit)
}

/// The polylines of the section of entities, and what else there is, counted by kind.
fn entities(pairs: &[Pair<'_>], problems: &mut Problems) -> (Vec<Outline>, BTreeMap<String, usize>) {
    let (mut outlines, mut others) = (Vec::<Outline>::new(), BTreeMap::new());
    let start = pairs
        .windows(2)
        .position(|p| p[0].code == 0 && p[0].value == "SECTION" && p[1].code == 2 && p[1].value == "ENTITIES");
    let Some(start) = start else {
        problems.somewhere("there is no section ENTITIES: this is no DXF drawing, or an empty one");
        return (outlines, others);
    };
    let mut rest = &pairs[start + 2..];
    // The polyline whose vertices follow.
    let mut is_inside = false;
    while let Some((head, after)) = rest.split_first() {
        if head.value == "ENDSEC" && head.code == 0 {
            break;
        }
        let end = after.iter().position(|p| p.code == 0).unwrap_or(after.len());
        let (own, next) = after.split_at(end);
        rest = next;
        match head.value {
            "LWPOLYLINE" => outlines.push(polyline(head.line, own, problems)),
            "POLYLINE" => {
                let outline = Outline {
                    corners: Vec::new(),
                    ..polyline(head.line, own, problems)
                };
                outlines.push(outline);
                is_inside = true;
            }
            "VERTEX" if is_inside => {
                if let Some(outline) = outlines.last_mut() {
                    outline.corners.extend(polyline(head.line, own, problems).corners);
                }
            }
            "SEQEND" => is_inside = false,
            other => *others.entry(other.to_owned()).or_default() += 1,
        }
    }
    (outlines, others)
}

/// The fields of a polyline, or of one vertex of an old one.
fn polyline(line: usize, fields: &[Pair<'_>], problems: &mut Problems) -> Outline {
    let mut outline = Outline {
        line,
        layer: "0".to_owned(),
        is_flat: true,
        normal: [0.0, 0.0, 1.0],
        ..Outline::default()
    };
    for field in fields {
        let mut value = || {
            number(field.value).unwrap_or_else(|what| {
                problems.at(field.line, what);
                0.0
            })
        };
        match field.code {
            8 => outline.layer = field.value.to_owned(),
            10 => outline.corners.push((DVec2::new(value(), 0.0), 0.0)),
            20 => {
                let y = value();
                if let Some((corner, _)) = outline.corners.last_mut() {
                    corner.y = y;
                }
            }
            42 => {
                let bulge = value();
                if let Some((_, of)) = outline.corners.last_mut() {
                    *of = bulge;
                }
            }
            // Of an old polyline the elevation is the third coordinate of a corner that means nothing else.
            30 | 38 => outline.elevation = value(),
            39 => outline.thickness = value(),
            67 => outline.on_paper = field.value == "1",
            70 => {
                let flags = value() as i64;
                outline.is_closed = flags & 1 != 0;
                // In space, meshes: no outlines.
                outline.is_flat = flags & (8 | 16 | 64) == 0;
            }
            210 => outline.normal[0] = value(),
            220 => outline.normal[1] = value(),
            230 => outline.normal[2] = value(),
            _ => {}
        }
    }
    outline
}

/// Makes blocks of outlines.
struct Maker<'a> {
    drawing: &'a Drawing,
    unit: f64,
    problems: Problems,
    /// Lines of polylines that are not closed.
    open: Vec<usize>,
    /// Arcs, the sides that they were divided into, and how far those are off at most (m).
    arcs: (usize, usize, f64),
    without_thickness: usize,
    model: Model,
}

impl Maker<'_> {
    fn block(&mut self, outline: &Outline, name: String) {
        if !outline.is_flat {
            let what = "a polyline in space or a mesh; outlines of blocks are polylines in the plane of the drawing";
            return self.problems.at(outline.line, what);
        }
        // Seen from behind, x runs to the left.
        let mirror = match outline.normal {
            [0.0, 0.0, z] if z > 0.0 => 1.0,
            [0.0, 0.0, z] if z < 0.0 => -1.0,
            [x, y, z] => {
                let what = format!("the polyline lies across the plane of the drawing (its normal is [{x}, {y}, {z}])");
                return self.problems.at(outline.line, what);
            }
        };
        let Some(polygon) = self.polygon(outline, mirror) else {
            return;
        };
        let (own, elevation) = (
            outline.thickness * self.unit * mirror,
            outline.elevation * self.unit * mirror,
        );
        self.without_thickness += usize::from(own == 0.0 && self.drawing.thickness.is_none());
        let thickness = self.drawing.thickness.unwrap_or(1.0);
        // Towards whoever looks at the drawing: upwards in a plan, along -y in an elevation.
        let (from, to) = match (own == 0.0, self.drawing.plane) {
            (false, _) => (elevation.min(elevation + own), elevation.max(elevation + own)),
            (true, DrawingPlane::Elevation) => (elevation - 0.5 * thickness, elevation + 0.5 * thickness),
            (true, DrawingPlane::Plan) => (elevation, elevation + thickness),
        };
        let (axis, from, to) = match self.drawing.plane {
            DrawingPlane::Elevation => (PrismAxis::Y, -to, -from),
            DrawingPlane::Plan => (PrismAxis::Z, from, to),
        };
        let shape = PrismShape {
            polygon,
            axis,
            from: from + 0.0,
            to: to + 0.0,
        };
        let mut block = Block::new(name, Shape::Prism(shape));
        block.fixed = is_of_supports(&outline.layer);
        block.group = Some(outline.layer.clone()).filter(|layer| layer != "0");
        self.model.blocks.push(block);
    }

    /// Corners in metres with arcs divided; `None` if there is no outline, which is told.
    fn polygon(&mut self, outline: &Outline, mirror: f64) -> Option<Vec<DVec2>> {
        let place = |p: DVec2| DVec2::new(mirror * p.x, p.y) * self.unit;
        let mut corners: Vec<(DVec2, f64)> = outline.corners.iter().map(|(p, b)| (place(*p), mirror * b)).collect();
        let size = corners
            .iter()
            .map(|(p, _)| p.distance(corners[0].0))
            .fold(0.0, f64::max);
        for (p, _) in &corners {
            if let Err(what) = in_range(p.abs().max_element()) {
                self.problems.at(outline.line, what);
                return None;
            }
        }
        let is_same = |a: DVec2, b: DVec2| a.distance(b) <= 1e-9 * size;
        let ends_meet = corners.len() > 2 && is_same(corners[0].0, corners[corners.len() - 1].0);
        if ends_meet {
            corners.pop();
        } else if !outline.is_closed {
            self.open.push(outline.line);
            return None;
        }
        let mut polygon: Vec<DVec2> = Vec::with_capacity(corners.len());
        for (k, &(from, bulge)) in corners.iter().enumerate() {
            let to = corners[(k + 1) % corners.len()].0;
            if polygon.last().is_none_or(|last| !is_same(*last, from)) {
                polygon.push(from);
            }
            let between = arcs::divided(from, to, bulge, self.drawing.arc_tolerance);
            if bulge != 0.0 && from != to {
                let sides = between.len() + 1;
                let off = arcs::off(from, to, bulge, sides);
                self.arcs = (self.arcs.0 + 1, self.arcs.1 + sides, self.arcs.2.max(off));
            }
            polygon.extend(between);
        }
        if polygon.len() < 3 || size == 0.0 {
            let what = format!(
                "an outline of {}: at least three that are different are needed",
                counted(polygon.len(), "corner")
            );
            self.problems.at(outline.line, what);
            return None;
        }
        let reach = polygon.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        if let Some(touch) = touches_itself(&polygon, outline_tolerance(size, reach)) {
            let what = match touch {
                Touch::Edges(a, b) => format!("the outline crosses itself: its sides {} and {}", a + 1, b + 1),
                Touch::Corners(a, b) => format!("the outline touches itself: its corners {} and {}", a + 1, b + 1),
                Touch::CornerOnEdge(a, b) => {
                    format!("the outline touches itself: its corner {} on its side {}", a + 1, b + 1)
                }
            };
            self.problems.at(outline.line, what);
            return None;
        }
        Some(polygon)
    }
}

//! Structures whose blocks deform: displacements magnified, surfaces coloured by von Mises' stress.

use drystone_analysis::words::{length, pressure};
use drystone_contact::Placement;
use drystone_mechanics::deformable::{ElasticField, von_mises};
use drystone_model::Model;
use glam::{DAffine3, DMat3, DQuat, DVec2, DVec3};

use super::{
    palette::{stress_color, stress_scale},
    skin::{shown, skins},
};
use crate::{
    OutputError, Rgb,
    marks::{Mark, text_width},
    picture::{Picture, Stage, View},
};

/// The largest displacement is drawn as long as this fraction of the structure.
const SHOWN: f64 = 0.03;
/// Steps of the colour bar.
const STEPS: usize = 64;
/// How much rigid blocks are faded.
const PALE: f64 = 0.55;
/// What hides a point is nearer to the eye by this fraction of the picture.
const NEARER: f64 = 2e-3;
/// Room for the legend (pixels).
const ASIDE: f64 = 360.0;

/// A picture of a structure whose blocks deform: all displacements since the start, those of blocks and those by deformation,
/// magnified by one factor; colours are von Mises' stress.
pub struct StressMap<'a> {
    field: &'a ElasticField,
    /// The blocks that are there, as they are drawn in the model.
    model: Model,
    /// Where each of them is in the whole model.
    present: Vec<usize>,
    maps: Vec<DAffine3>,
    factor: f64,
    scale: f64,
    title: String,
    view: View,
}

impl<'a> StressMap<'a> {
    /// Of a model whose blocks stood so at first and stand so now; some are not there.
    pub fn new(
        model: &Model,
        field: &'a ElasticField,
        initial: &[Placement],
        placements: &[Placement],
        absent: &[bool],
    ) -> Self {
        let is_there = |b: &usize| absent.get(*b) != Some(&true);
        let present: Vec<usize> = (0..model.blocks.len()).filter(is_there).collect();
        let mut drawn = model.clone();
        drawn.blocks = present.iter().map(|&b| model.blocks[b].clone()).collect();
        let is_named = |name: &str| drawn.blocks.iter().any(|b| b.name == name);
        drawn.ties.retain(|t| is_named(&t.from.block) && is_named(&t.to.block));
        let moved = |b: usize, p: DVec3| {
            let turn = placements[b].rotation * initial[b].rotation.conjugate();
            placements[b].center + turn * (p - initial[b].center) - p
        };
        let mut farthest = 0.0_f64;
        for (block, &b) in drawn.blocks.iter().zip(&present) {
            for corner in block.polyhedron().vertices {
                farthest = farthest.max(moved(b, corner).length());
            }
        }
        for of in &field.blocks {
            farthest = (0..of.nodes.len())
                .map(|n| of.moved(n).length())
                .fold(farthest, f64::max);
        }
        let size = drawn.bounds(|b| !b.fixed).diagonal();
        let factor = magnification(SHOWN * size / farthest);
        // Displacements of rigid blocks are linear in place, magnified or not.
        let map = |&b: &usize| {
            let turn: DQuat = placements[b].rotation * initial[b].rotation.conjugate();
            let linear = DMat3::IDENTITY + (DMat3::from_quat(turn) - DMat3::IDENTITY) * factor;
            let to = initial[b].center + factor * (placements[b].center - initial[b].center);
            DAffine3 {
                matrix3: linear,
                translation: to - linear * initial[b].center,
            }
        };
        let stresses = field.blocks.iter().flat_map(|of| {
            let nodes = of.shape.elastic.mesh().surface_nodes();
            nodes.into_iter().map(|n| von_mises(&of.stress[n as usize]))
        });
        Self {
            maps: present.iter().map(map).collect(),
            scale: stress_scale(stresses.collect()),
            view: View::of(&drawn),
            model: drawn,
            present,
            factor,
            field,
            title: String::new(),
        }
    }

    /// A line of text above it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Where it is seen from; left out: square on where it is thin.
    #[must_use]
    pub fn view(mut self, view: View) -> Self {
        self.view = view;
        self
    }

    /// What displacements are multiplied by.
    pub fn magnification(&self) -> f64 {
        self.factor
    }

    /// As a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, OutputError> {
        self.picture().marked_png(&|stage| self.marks(stage))
    }

    /// As an SVG file.
    pub fn svg(&self) -> Result<String, OutputError> {
        self.picture().marked_svg(&|stage| self.marks(stage))
    }

    fn picture(&self) -> Picture<'_> {
        let index = |block: usize| self.present.binary_search(&block).unwrap_or(usize::MAX);
        Picture::new(&self.model)
            .view(self.view)
            .title(self.title.clone())
            .placed(self.maps.clone())
            .skins(skins(self.field, self.factor, self.scale, index))
            .pale(PALE)
            .aside(ASIDE)
    }

    fn marks(&self, stage: &Stage<'_>) -> Vec<Mark> {
        let text = 0.86 * stage.capitals;
        let mut pen = DVec2::new(stage.size.x - stage.margin - 19.0 * text, stage.margin + 4.0 * text);
        let (unit, name) = match self.scale {
            s if s >= 1e6 => (1e6, "MPa"),
            s if s >= 1e3 => (1e3, "kPa"),
            _ => (1.0, "Pa"),
        };
        let mut marks = vec![stage.text(format!("von Mises stress ({name})"), pen, text)];
        pen.y += 1.1 * text;
        let Some(extremes) = self.field.extremes() else {
            return marks;
        };
        let is_cut = extremes.von_mises.value > self.scale * (1.0 + 1e-9);
        self.bar(&mut marks, pen, stage, unit, is_cut);
        pen.y += 5.6 * text;
        // The place of the largest stress, with the same sign in the legend.
        let peak = |at: DVec2| {
            let ring = |radius: f64, color| Mark::Disc { at, radius, color };
            [
                ring(0.62 * text, Rgb::WHITE),
                ring(0.48 * text, INK),
                ring(0.26 * text, Rgb::WHITE),
            ]
        };
        let largest = self.place_of_largest();
        let is_seen = !self.hides(largest, stage);
        if is_seen {
            marks.extend(peak(stage.place(largest)));
            marks.extend(peak(pen + DVec2::new(0.6 * text, -0.45 * text)));
        }
        let block = &self.model.blocks[self.present.binary_search(&extremes.von_mises.block).unwrap_or(0)];
        let beside = DVec2::new(if is_seen { 1.9 * text } else { 0.0 }, 0.0);
        marks.push(stage.text(
            format!("largest {}", pressure(extremes.von_mises.value)),
            pen + beside,
            text,
        ));
        pen.y += 1.9 * text;
        let unseen = if is_seen { "" } else { " (not in view)" };
        let place = format!("in {}{unseen}", shortened(&block.name));
        marks.push(stage.text(place, pen + beside, 0.85 * text));
        pen.y += 3.0 * text;
        for line in [
            format!("compression up to {}", pressure(extremes.compression.value)),
            format!("tension up to {}", pressure(extremes.tension.value)),
            format!("deformation up to {}", length(extremes.deformation.value)),
            format!("displacements {}", times(self.factor)),
        ] {
            marks.push(stage.text(line, pen, text));
            pen.y += 2.3 * text;
        }
        marks
    }

    /// Whether something is in front of a point.
    fn hides(&self, point: DVec3, stage: &Stage<'_>) -> bool {
        let at = stage.place(point);
        // Surfaces that the point lies on are as near, but for the curvature of a facet.
        let near = stage.nearness(point) + NEARER * stage.size.max_element();
        let hides = |[a, b, c]: [DVec3; 3]| {
            let [p, q, r] = [a, b, c].map(|corner| stage.place(corner) - at);
            let weights = [q.perp_dot(r), r.perp_dot(p), p.perp_dot(q)];
            let sum: f64 = weights.iter().sum();
            let is_inside = weights.iter().all(|w| w * sum > 0.0);
            let depths = [a, b, c].map(|corner| stage.nearness(corner));
            is_inside && weights.iter().zip(depths).map(|(w, d)| w * d).sum::<f64>() / sum > near
        };
        let skins = self.field.blocks.iter().any(|of| {
            of.shape.elastic.mesh().surface.iter().any(|facet| {
                let corners: Vec<DVec3> = (facet.corners().iter())
                    .map(|&n| shown(of, n as usize, self.factor))
                    .collect();
                (2..corners.len()).any(|k| hides([corners[0], corners[k - 1], corners[k]]))
            })
        });
        let is_rigid = |k: usize| !self.field.blocks.iter().any(|b| b.block == self.present[k]);
        let mut rigid = self.model.blocks.iter().zip(&self.maps).enumerate();
        skins
            || rigid.any(|(k, (block, map))| {
                is_rigid(k) && {
                    let solid = block.polyhedron().transformed(map);
                    (0..solid.faces.len()).any(|face| {
                        let corners: Vec<DVec3> = solid.corners(face).collect();
                        (2..corners.len()).any(|k| hides([corners[0], corners[k - 1], corners[k]]))
                    })
                }
            })
    }

    fn place_of_largest(&self) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for of in &self.field.blocks {
            for (node, stress) in of.stress.iter().enumerate() {
                let stress = von_mises(stress);
                if stress > best.0 {
                    best = (stress, shown(of, node, self.factor));
                }
            }
        }
        best.1
    }

    /// The colour bar, with its numbers below.
    fn bar(&self, marks: &mut Vec<Mark>, at: DVec2, stage: &Stage<'_>, unit: f64, is_cut: bool) {
        let text = 0.86 * stage.capitals;
        let (width, height) = (15.0 * text, 1.3 * text);
        // On whole pixels: where steps overlap, half-covered ones would be darker.
        let (top, bottom) = (at.y.round(), (at.y + height).round());
        let corners = |x: [f64; 2]| {
            let [left, right] = x;
            [(left, top), (right, top), (right, bottom), (left, bottom)]
                .map(DVec2::from)
                .to_vec()
        };
        for k in 0..STEPS {
            let x = [k as f64, k as f64 + 1.6].map(|k| (at.x + k * width / STEPS as f64).min(at.x + width));
            marks.push(Mark::figure(corners(x), stress_color((k as f64 + 0.5) / STEPS as f64)));
        }
        let mut outline = corners([at.x, at.x + width]);
        outline.extend(outline.first().copied());
        marks.push(Mark::line(outline, 0.5 * stage.line, INK));
        let capitals = 0.85 * text;
        for part in [0.0, 0.5, 1.0] {
            let number = format!("{:.6e}", part * self.scale / unit)
                .parse::<f64>()
                .unwrap_or(0.0);
            let sign = if is_cut && part == 1.0 { "≥ " } else { "" };
            let label = format!("{sign}{number}");
            let shift = part * (width - text_width(&label, capitals));
            let below = DVec2::new(shift, height + 1.6 * capitals);
            marks.push(stage.text(label, at + below, capitals));
        }
    }
}

/// Ink of lines.
const INK: Rgb = Rgb([0x33, 0x30, 0x2e]);

/// The largest of 1, 2 or 5 times a power of ten that is not above a factor; 1 where displacements are large enough as they are.
fn magnification(most: f64) -> f64 {
    if !(most.is_finite() && most > 1.0) {
        return 1.0;
    }
    let power = 10f64.powi(most.log10().floor() as i32);
    let fits = |step: &f64| step * power <= most * (1.0 + 1e-9);
    power * [5.0, 2.0, 1.0].into_iter().find(fits).unwrap_or(1.0)
}

/// A factor as people say it.
fn times(factor: f64) -> String {
    if factor == 1.0 {
        return "to scale".to_string();
    }
    if factor < 1e4 {
        return format!("× {factor:.0}");
    }
    let power = factor.log10().floor();
    let raised: String = format!("{power:.0}")
        .chars()
        .filter_map(|c| c.to_digit(10).and_then(|d| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(d as usize)))
        .collect();
    match factor / 10f64.powf(power) {
        step if step < 1.5 => format!("× 10{raised}"),
        step => format!("× {step:.0}·10{raised}"),
    }
}

/// A name that fits beside the picture.
fn shortened(name: &str) -> String {
    const MOST: usize = 22;
    if name.chars().count() <= MOST {
        return name.to_string();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magnifications_are_round_and_never_make_motions_smaller() {
        for (most, factor, label) in [
            (0.3, 1.0, "to scale"),
            (f64::NAN, 1.0, "to scale"),
            (f64::INFINITY, 1.0, "to scale"),
            (7.3, 5.0, "× 5"),
            (2_600.0, 2000.0, "× 2000"),
            (250_000.0, 200_000.0, "× 2·10⁵"),
            (1e12, 1e12, "× 10¹²"),
        ] {
            assert_eq!(magnification(most), factor);
            assert_eq!(times(factor), label);
        }
    }
}

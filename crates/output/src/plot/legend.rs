//! The legend: in a corner of the panel where nothing is drawn, or else above it.

use glam::DVec2;

use super::drawing::{Marker, marker, text};
use crate::{
    Rgb,
    marks::{Align, Mark, text_width},
};

/// Height of the legend's capitals (pixels).
const TEXT: f64 = 8.6;
/// Height of a row.
const ROW: f64 = 18.0;
/// Length of the piece of line beside a name, and the gap to it.
const SAMPLE: f64 = 26.0;
const GAP: f64 = 7.0;
/// Distance from the axes, and of the names from the frame.
const INSET: f64 = 9.0;
const PADDING: f64 = 7.0;
/// Distance between entries beside each other.
const APART: f64 = 20.0;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) color: Rgb,
    /// Width of the line (pixels), length of its dashes and of the gaps between them.
    pub(super) width: f64,
    pub(super) dash: Option<[f64; 2]>,
    /// The markers, for series without a line.
    pub(super) marker: Option<Marker>,
}

/// A name and how its series is drawn.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) look: Look,
}

impl Entry {
    fn width(&self) -> f64 {
        SAMPLE + GAP + text_width(&self.name, TEXT)
    }

    /// Draws the entry with its left end, in the middle of its row, at a place.
    fn draw(&self, at: DVec2, marks: &mut Vec<Mark>) {
        match self.look.marker {
            Some(shape) => marks.push(marker(at + DVec2::new(0.5 * SAMPLE, 0.0), shape, self.look.color)),
            None => marks.push(Mark::Line {
                points: vec![at, at + DVec2::new(SAMPLE, 0.0)],
                width: self.look.width,
                color: self.look.color,
                dash: self.look.dash,
            }),
        }
        let beside = at + DVec2::new(SAMPLE + GAP, 0.5 * TEXT);
        marks.push(text(&self.name, beside, TEXT, Align::Start));
    }
}

/// Where the legend stands.
pub(super) enum Place {
    /// In the box with this corner.
    Inside(DVec2),
    Above,
}

/// Size of the legend as a column.
fn column_size(entries: &[Entry]) -> DVec2 {
    let widest = entries.iter().map(Entry::width).fold(0.0, f64::max);
    DVec2::new(widest, ROW * entries.len() as f64) + 2.0 * DVec2::new(PADDING, 0.5 * PADDING)
}

/// A corner of the panel that `lines` leave free, or above the panel.
pub(super) fn place(entries: &[Entry], min: DVec2, max: DVec2, lines: &[Vec<DVec2>]) -> Place {
    let size = column_size(entries);
    let room = max - min;
    if size.x > 0.6 * room.x || size.y > 0.6 * room.y {
        return Place::Above;
    }
    let inset = DVec2::splat(INSET);
    let (low, high) = (min + inset, max - inset - size);
    let corners = [DVec2::new(high.x, low.y), low, high, DVec2::new(low.x, high.y)];
    let free = corners.into_iter().find(|&corner| {
        let (low, high) = (corner - 5.0, corner + size + 5.0);
        !lines
            .iter()
            .flat_map(|l| samples(l))
            .any(|p| p.cmpge(low).all() && p.cmple(high).all())
    });
    free.map_or(Place::Above, Place::Inside)
}

/// Points along a line, close enough that none passes through a legend unseen.
fn samples(line: &[DVec2]) -> impl Iterator<Item = DVec2> + '_ {
    let between = |ends: &[DVec2]| {
        let (a, b) = (ends[0], ends[1]);
        let count = (a.distance(b) / 4.0).ceil().clamp(1.0, 4096.0) as usize;
        (0..=count).map(move |k| a.lerp(b, k as f64 / count as f64))
    };
    line.first()
        .copied()
        .into_iter()
        .chain(line.windows(2).flat_map(between))
}

pub(super) fn draw_inside(entries: &[Entry], corner: DVec2, marks: &mut Vec<Mark>) {
    let size = column_size(entries);
    let far = corner + size;
    marks.push(Mark::Figure {
        outline: vec![corner, DVec2::new(far.x, corner.y), far, DVec2::new(corner.x, far.y)],
        fill: Rgb::WHITE,
        border: Some((Rgb([0xb0, 0xb0, 0xb0]), 0.6)),
    });
    for (k, entry) in entries.iter().enumerate() {
        let middle = 0.5 * PADDING + ROW * (k as f64 + 0.5);
        entry.draw(corner + DVec2::new(PADDING, middle), marks);
    }
}

/// Rows of entries that fit a width.
fn rows(entries: &[Entry], width: f64) -> Vec<Vec<&Entry>> {
    let mut rows: Vec<Vec<&Entry>> = Vec::new();
    let mut used = f64::INFINITY;
    for entry in entries {
        let needed = entry.width() + APART;
        match rows.last_mut() {
            Some(row) if used + needed - APART <= width => {
                row.push(entry);
                used += needed;
            }
            _ => {
                rows.push(vec![entry]);
                used = needed;
            }
        }
    }
    rows
}

/// Height of the legend above a panel of some width.
pub(super) fn height_above(entries: &[Entry], width: f64) -> f64 {
    ROW * rows(entries, width).len() as f64 + 4.0
}

pub(super) fn draw_above(entries: &[Entry], min: DVec2, width: f64, marks: &mut Vec<Mark>) {
    let rows = rows(entries, width);
    let count = rows.len();
    for (k, row) in rows.into_iter().enumerate() {
        let total = row.iter().map(|e| e.width() + APART).sum::<f64>() - APART;
        let mut at = DVec2::new(
            min.x + 0.5 * (width - total),
            min.y - 4.0 - ROW * (count as f64 - k as f64 - 0.5),
        );
        for entry in row {
            entry.draw(at, marks);
            at.x += entry.width() + APART;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> Entry {
        Entry {
            name: name.to_string(),
            look: Look {
                color: Rgb::WHITE,
                width: 1.0,
                dash: None,
                marker: None,
            },
        }
    }

    #[test]
    fn the_legend_stands_in_a_free_corner_or_above_the_panel() {
        let entries = [entry("a block"), entry("another")];
        let (min, max) = (DVec2::new(50.0, 20.0), DVec2::new(650.0, 420.0));
        let rising = vec![DVec2::new(50.0, 420.0), DVec2::new(650.0, 20.0)];
        let Place::Inside(corner) = place(&entries, min, max, std::slice::from_ref(&rising)) else {
            panic!("the top left is free")
        };
        assert_eq!(corner, min + INSET);
        let falling = vec![min, max];
        assert!(matches!(place(&entries, min, max, &[rising, falling]), Place::Above));
    }

    #[test]
    fn names_that_do_not_fit_beside_each_other_go_to_the_next_row() {
        let entries: Vec<Entry> = (0..7).map(|k| entry(&format!("monitored block {k}"))).collect();
        let rows = rows(&entries, 400.0);
        assert!(rows.len() > 2);
        for row in &rows {
            let total = row.iter().map(|e| e.width() + APART).sum::<f64>() - APART;
            assert!(total <= 400.0);
        }
        assert_eq!(rows.iter().map(Vec::len).sum::<usize>(), 7);
    }
}

use glam::DVec3;

use super::tree::Tree;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates (m).
    pub min: DVec3,
    /// Largest coordinates (m).
    pub max: DVec3,
}

impl Bounds {
    /// The box that holds nothing: `min` above `max`. The neutral element of [`Bounds::union`].
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// The smallest box around some points.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self {
            min: b.min.min(p),
            max: b.max.max(p),
        })
    }

    /// The smallest box around two boxes.
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }

    /// Whether the box holds no point at all.
    pub fn is_empty(&self) -> bool {
        self.min.cmpgt(self.max).any()
    }

    /// Edge lengths (m); zero for an empty box.
    pub fn size(&self) -> DVec3 {
        if self.is_empty() {
            DVec3::ZERO
        } else {
            self.max - self.min
        }
    }

    /// Length of the diagonal (m).
    pub fn diagonal(&self) -> f64 {
        self.size().length()
    }

    /// Centre of the box.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Whether two boxes come within `margin` of each other.
    pub fn is_near(&self, other: &Self, margin: f64) -> bool {
        self.min.cmple(other.max + margin).all() && other.min.cmple(self.max + margin).all()
    }
}

/// All pairs `(i, j)`, `i < j`, of boxes that come within `margin` of each other, in increasing order.
///
/// By a tree of boxes: the cost grows little faster than the number of boxes and of pairs found.
pub fn near_pairs(boxes: &[Bounds], margin: f64) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    Tree::new(boxes).pairs(margin, |i, j| pairs.push((i, j)));
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_pairs_are_those_whose_boxes_come_within_the_margin() {
        let unit = |x: f64| Bounds {
            min: DVec3::new(x, 0.0, 0.0),
            max: DVec3::new(x + 1.0, 1.0, 1.0),
        };
        let boxes = [unit(2.5), unit(0.0), unit(1.0), unit(-5.0)];
        assert_eq!(near_pairs(&boxes, 1e-9), [(1, 2)]);
        assert_eq!(near_pairs(&boxes, 0.6), [(0, 2), (1, 2)]);
    }
}

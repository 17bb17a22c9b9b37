//! What forces and a motion lack of eq. 11.

use glam::DVec3;

use super::super::ContactPoint;

/// Where force and opening are both small, the smaller counts times this.
const BOTH: f64 = 2e-2;

/// What is lacking of eq. 11, in openings and in loads.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Lack {
    balance: f64,
    cone: f64,
    closure: f64,
    complementarity: f64,
    alignment: f64,
}

impl Lack {
    /// What is lacking where the balance alone was looked at.
    pub(super) fn of_balance(balance: f64) -> Self {
        Self {
            balance,
            ..Self::default()
        }
    }

    /// The largest.
    pub(in super::super) fn largest(&self) -> f64 {
        [
            self.balance,
            self.cone,
            self.closure,
            self.complementarity,
            self.alignment,
        ]
        .into_iter()
        .fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
    }
}

impl Lack {
    /// Takes in what one point lacks: eq. 4, 9, 10 and 13.
    pub(super) fn add(&mut self, point: &ContactPoint, force: DVec3, d: DVec3, tension: f64) {
        let (f_n, d_n) = (force.dot(point.normal), d.dot(point.normal));
        let (f_t, d_t) = (force - f_n * point.normal, d - d_n * point.normal);
        let open = d_n + 1.0;
        self.cone = self.cone.max(f_t.length() - point.friction * f_n).max(-f_n);
        // What is glued may be pulled open, never entered.
        self.closure = self.closure.max(-open);
        self.complementarity = self.complementarity.max((f_n * open).abs()).max((f_n * tension).abs());
        // Whichever of the two vanishes must do so visibly, not only their product.
        self.complementarity = self.complementarity.max(BOTH * f_n.min(open).abs());
        let slide = d_t.length();
        let wrong = if slide > 0.0 {
            let way = d_t / slide;
            let along = f_t.dot(way);
            (f_t - along * way).length().max(along)
        } else {
            f_t.length()
        };
        self.alignment = self.alignment.max(wrong);
    }
}

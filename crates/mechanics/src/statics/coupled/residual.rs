//! The residual of eq. 11 for forces and a motion.

use glam::DVec3;

use super::super::{ContactPoint, Structure};

const TUNING: crate::statics::tuning::Coupled = crate::statics::Tuning::DEFAULT.coupled;

/// The residual of eq. 11, in openings and in loads.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Residual {
    balance: f64,
    cone: f64,
    closure: f64,
    complementarity: f64,
    alignment: f64,
}

impl Residual {
    /// The residual of the balance alone.
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

impl Residual {
    /// Takes in one point: eq. 4, 9, 10 and 13.
    pub(super) fn add(&mut self, structure: &Structure, point: &ContactPoint, force: DVec3, d: DVec3, tension: f64) {
        let (f_n, d_n) = (force.dot(point.normal), d.dot(point.normal));
        let (f_t, d_t) = (force - f_n * point.normal, d - d_n * point.normal);
        let open = d_n + 1.0;
        self.cone = self.cone.max(f_t.length() - structure.friction(point) * f_n).max(-f_n);
        // What is glued may be pulled open, never entered.
        self.closure = self.closure.max(-open);
        self.complementarity = self.complementarity.max((f_n * open).abs()).max((f_n * tension).abs());
        // Whichever of the two vanishes must do so visibly, not only their product.
        self.complementarity = self.complementarity.max(TUNING.both_small * f_n.min(open).abs());
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

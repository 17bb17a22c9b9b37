use glam::{DAffine3, DQuat, DVec3};

use super::{
    MotionQuantity,
    curve::Curve,
    rotation::{rotation_vector, turn},
};

/// One function of time along one direction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    axis: DVec3,
    quantity: MotionQuantity,
    curve: Curve,
    /// What a displacement is at time zero: it is counted from there, because the support is where the model has it.
    start: f64,
}

impl Term {
    pub(super) fn new(axis: DVec3, quantity: MotionQuantity, curve: Curve) -> Self {
        let start = match quantity {
            MotionQuantity::Displacement => curve.jet(0.0).value,
            MotionQuantity::Velocity | MotionQuantity::Acceleration => 0.0,
        };
        Self {
            axis,
            quantity,
            curve,
            start,
        }
    }

    /// What it is counted from.
    pub(super) fn start(&self) -> DVec3 {
        self.start * self.axis
    }

    /// Displacement, velocity and acceleration.
    fn at(&self, t: f64) -> [DVec3; 3] {
        if t < 0.0 {
            return [DVec3::ZERO; 3];
        }
        let jet = self.curve.jet(t);
        let values = match self.quantity {
            MotionQuantity::Acceleration => [jet.double_integral, jet.integral, jet.value],
            MotionQuantity::Velocity => [jet.integral, jet.value, jet.first],
            MotionQuantity::Displacement => [jet.value - self.start, jet.first, jet.second],
        };
        values.map(|value| value * self.axis)
    }
}

fn total(terms: &[Term], t: f64) -> [DVec3; 3] {
    let mut sum = [DVec3::ZERO; 3];
    for term in terms {
        for (sum, value) in sum.iter_mut().zip(term.at(t)) {
            *sum += value;
        }
    }
    sum
}

/// How a support moves at every time: a rigid motion, first a turn about a pivot, then a translation.
///
/// Velocity is the exact derivative of displacement and acceleration that of velocity, wherever they have one. Where a
/// function jumps, it has the value after the jump; a jump of velocity is no part of the acceleration. Before time zero
/// everything is at rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    translation: Vec<Term>,
    rotation: Vec<Term>,
    pivot: DVec3,
    /// What was made of it that its text does not say.
    notes: Vec<String>,
}

/// A support at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionState {
    /// Translation since the start (m); with a turn, that of the pivot.
    pub displacement: DVec3,
    /// Velocity (m/s); with a turn, that of the pivot.
    pub velocity: DVec3,
    /// Acceleration (m/s²); with a turn, that of the pivot.
    pub acceleration: DVec3,
    /// Turn since the start.
    pub rotation: DQuat,
    /// Angular velocity in world axes (rad/s).
    pub angular_velocity: DVec3,
    /// Angular acceleration in world axes (rad/s²).
    pub angular_acceleration: DVec3,
}

/// The constant velocities that carry a support over a time step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepVelocity {
    /// Mean velocity of the point (m/s).
    pub velocity: DVec3,
    /// Angular velocity in world axes (rad/s).
    pub angular_velocity: DVec3,
}

impl Trajectory {
    /// Everything at time `t` (s).
    pub fn at(&self, t: f64) -> MotionState {
        let [displacement, velocity, acceleration] = total(&self.translation, t);
        let turn = if self.rotation.is_empty() {
            turn(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO)
        } else {
            let [vector, first, second] = total(&self.rotation, t);
            turn(vector, first, second)
        };
        MotionState {
            displacement,
            velocity,
            acceleration,
            rotation: turn.rotation,
            angular_velocity: turn.velocity,
            angular_acceleration: turn.acceleration,
        }
    }

    /// The point that turns leave in place (m), before the motion.
    pub fn pivot(&self) -> DVec3 {
        self.pivot
    }

    /// What was made of it that its text does not say, in sentences for people.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    pub(super) fn note(&mut self, what: String) {
        if !self.notes.contains(&what) {
            self.notes.push(what);
        }
    }

    /// The highest frequency of its sines and wavelets (Hz); zero where there is none. Tables and records have none of their
    /// own.
    pub fn highest_frequency(&self) -> f64 {
        let terms = self.translation.iter().chain(&self.rotation);
        terms.map(|t| t.curve.highest_frequency()).fold(0.0, f64::max)
    }

    /// Whether nothing ever moves.
    pub fn is_rest(&self) -> bool {
        self.translation.is_empty() && self.rotation.is_empty()
    }

    /// Whether there is a turn.
    pub fn turns(&self) -> bool {
        !self.rotation.is_empty()
    }

    /// When the last of its functions ends (s), or `None` where one goes on for ever. Velocities that are left over
    /// go on after it.
    pub fn end(&self) -> Option<f64> {
        let mut terms = self.translation.iter().chain(&self.rotation);
        terms.try_fold(0.0, |end: f64, term| Some(end.max(term.curve.end()?)))
    }

    /// The map from where points of the support are before the motion to where they are at time `t`.
    pub fn map(&self, t: f64) -> DAffine3 {
        let state = self.at(t);
        let carried = self.pivot + state.displacement - state.rotation * self.pivot;
        DAffine3::from_rotation_translation(state.rotation, carried)
    }

    /// Where a point of the support, given where it is before the motion, is at time `t` (m).
    pub fn position(&self, point: DVec3, t: f64) -> DVec3 {
        let state = self.at(t);
        point + state.displacement + (state.rotation * (point - self.pivot) - (point - self.pivot))
    }

    /// Velocity (m/s) at time `t` of a point of the support, given where it is before the motion.
    pub fn velocity(&self, point: DVec3, t: f64) -> DVec3 {
        let state = self.at(t);
        state.velocity + state.angular_velocity.cross(state.rotation * (point - self.pivot))
    }

    /// The constant velocities that carry the support from where it is at `from` to where it is at `to` (s), so that a
    /// time stepper that moves it by them ends exactly where the displacement says. `point` is the point whose velocity
    /// is given, where it is before the motion: the centroid of a block. Of an empty step: the velocities at its time.
    pub fn step(&self, point: DVec3, from: f64, to: f64) -> StepVelocity {
        let span = to - from;
        let (start, end) = (self.at(from), self.at(to));
        if span == 0.0 {
            return StepVelocity {
                velocity: self.velocity(point, from),
                angular_velocity: start.angular_velocity,
            };
        }
        let arm = point - self.pivot;
        let moved = end.displacement - start.displacement + (end.rotation * arm - start.rotation * arm);
        StepVelocity {
            velocity: moved / span,
            angular_velocity: rotation_vector(end.rotation * start.rotation.conjugate()) / span,
        }
    }

    /// This motion and another one at the same time, or what is wrong: both turn, about different pivots.
    pub fn plus(&self, other: &Self) -> Result<Self, String> {
        let mut sum = self.clone();
        sum.translate(other.translation.clone());
        sum.turn(other.pivot, other.rotation.clone())?;
        other.notes.iter().for_each(|note| sum.note(note.clone()));
        Ok(sum)
    }

    /// This motion made larger or smaller: translations and angles of turns are multiplied by `factor`.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        for term in scaled.translation.iter_mut().chain(&mut scaled.rotation) {
            term.axis *= factor;
        }
        scaled
    }

    pub(super) fn translate(&mut self, terms: Vec<Term>) {
        self.translation.extend(terms);
    }

    pub(super) fn turn(&mut self, pivot: DVec3, terms: Vec<Term>) -> Result<(), String> {
        if terms.is_empty() {
            return Ok(());
        }
        if !self.rotation.is_empty() && self.pivot != pivot {
            let (a, b) = (self.pivot, pivot);
            return Err(format!("turns about {a} and {b} cannot add up; give them one pivot"));
        }
        self.pivot = pivot;
        self.rotation.extend(terms);
        Ok(())
    }

    pub(super) fn into_translation(self) -> (Vec<Term>, Vec<String>) {
        (self.translation, self.notes)
    }
}

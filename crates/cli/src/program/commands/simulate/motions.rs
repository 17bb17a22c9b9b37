//! What is said of the motions of supports before a run: what is refused, and what a reader of the results has to know.

use drystone_mechanics::Structure;
use drystone_model::motion::{Supports, Trajectory};
use glam::DVec3;

use crate::program::{Failure, numbers::short};

/// Farthest that supports may move (m), and their largest speed (m/s).
const FARTHEST: f64 = 1e5;
const FASTEST: f64 = 1e5;
/// What blocks may be lifted by without a word, over the size of the smallest.
const LIFTED: f64 = 1e-3;
/// Steps that are looked at for jumps; of a longer run, those at its beginning.
const LOOKED_AT: f64 = 1e6;

/// Refuses motions that carry supports out of the range that blocks can follow in.
pub(super) fn check(supports: &Supports, duration: f64) -> Result<(), Failure> {
    const LOOKS: u32 = 100;
    for trajectory in supports.trajectories() {
        for k in 0..=LOOKS {
            let time = duration * f64::from(k) / f64::from(LOOKS);
            let state = trajectory.at(time);
            let (moved, speed) = (state.displacement.length(), state.velocity.length());
            if !(moved <= FARTHEST && speed <= FASTEST) {
                let message = format!(
                    "a motion of the supports has come to {moved:.3e} m and {speed:.3e} m/s at {time} s; allowed are up to \
                     {FARTHEST:e} m and {FASTEST:e} m/s"
                );
                return Err(
                    Failure::input(message).help("look at the amplitudes of --motion and of the model's motions")
                );
            }
        }
    }
    Ok(())
}

/// What there is to say of motions that are not refused, in a run with steps of `dt`.
pub(super) fn notes(
    supports: &Supports,
    structure: &Structure,
    duration: f64,
    dt: f64,
    associated: bool,
) -> Vec<String> {
    let mut notes: Vec<String> = supports.notes().into_iter().map(str::to_string).collect();
    let highest = supports.trajectories().iter().map(Trajectory::highest_frequency);
    let highest = highest.fold(0.0, f64::max);
    if highest * dt > 0.5 {
        notes.push(format!(
            "a motion of the supports has a frequency of {} Hz, which steps of {} s cannot follow: at least two steps a period \
             are needed",
            short(highest),
            short(dt)
        ));
    }
    if associated && let Some((time, jump, lift)) = jump(supports, structure, duration, dt) {
        notes.push(format!(
            "a support changes its velocity by {} m/s at {} s, within one step: that is an impact, and with associated friction \
             joints that slide in it open by friction times the slip and throw blocks up, by some {} m; --friction-law \
             coulomb does not",
            rounded(jump),
            rounded(time),
            rounded(lift)
        ));
    }
    notes
}

/// A number with three digits.
fn rounded(value: f64) -> String {
    short(format!("{value:.2e}").parse().unwrap_or(value))
}

/// The first step in which a support changes its velocity by more than friction can take along with it, and throws blocks by
/// that: when (s), by how much (m/s), and how high (m). A joint that slides in a step by a velocity u opens at mu u, and what
/// is on it flies by (mu u)^2 / 2g. That is no throw where it is less than what joints open by in the step itself, mu u dt, as
/// they do in any sliding, or than [`LIFTED`] allows.
fn jump(supports: &Supports, structure: &Structure, duration: f64, dt: f64) -> Option<(f64, f64, f64)> {
    let mut of_trajectory: Vec<(&Trajectory, usize)> = Vec::new();
    for b in 0..structure.len() {
        if let Some(own) = supports.of(b)
            && !of_trajectory.iter().any(|(t, _)| std::ptr::eq(*t, own))
        {
            of_trajectory.push((own, b));
        }
    }
    let (friction, gravity) = (structure.largest_friction(), structure.gravity.length());
    if gravity == 0.0 {
        // Joints carry nothing to slide under.
        return None;
    }
    let smallest = structure.free().map(|b| 2.0 * structure.radius[b]);
    let lifted = LIFTED * smallest.fold(f64::INFINITY, f64::min);
    let steps = (duration / dt).ceil().min(LOOKED_AT) as u64;
    let mut first: Option<(f64, f64, f64)> = None;
    for (trajectory, block) in of_trajectory {
        let point = structure.center[block];
        let mut velocity = DVec3::ZERO;
        for k in 0..steps {
            let (from, to) = (k as f64 * dt, (k + 1) as f64 * dt);
            let step = trajectory.step(point, from, to).velocity;
            let jump = step.distance(velocity);
            let opens = friction * jump;
            let lift = opens * opens / (2.0 * gravity);
            if jump > friction * gravity * dt && lift > (opens * dt).max(lifted) {
                if first.is_none_or(|(time, ..)| from < time) {
                    first = Some((from, jump, lift));
                }
                break;
            }
            velocity = step;
        }
    }
    first
}

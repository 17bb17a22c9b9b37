//! The motion that loads drive, with associated friction: one solve of a step from rest (paper 001, section 2.4).
//!
//! The velocity after the step is the one nearest to free flight, by the mass, among those that no joint resists. If it
//! is not zero, the loads work on it: then no forces in the friction cones balance them (Farkas), and the motion proves
//! it.

use drystone_cone::{Body, Engine, Friction, Solver, SolverSettings, Status, Twist};

use super::{Loads, Stage, StageKind, StageOutcome, StaticsError, Structure, problem::Law, refine};

const TUNING: crate::statics::tuning::Acceptance = crate::statics::Tuning::DEFAULT.acceptance;

/// A motion.
#[derive(Clone, Debug)]
pub(super) struct Mechanism {
    /// Velocities; the fastest point of a block moves at 1 m/s.
    pub(super) motions: Vec<Twist>,
    /// Power of the loads on it, over their size times 1 m/s.
    pub(super) power: f64,
    /// Largest velocity at which a joint is entered against its law (unit: m/s).
    pub(super) violation: f64,
    /// The same before it was corrected, where it was.
    uncorrected: Option<f64>,
    /// Power of the loads, over what the loads of the blocks that move would do at the speeds of their fastest points.
    share: f64,
    /// Force, over the loads, that some joint or tie would have to carry for the loads to be balanced in spite of it.
    resist: f64,
}

impl Mechanism {
    /// Whether it proves that nothing balances the loads.
    pub(super) fn is_proof(&self) -> bool {
        self.share >= TUNING.least_share && self.resist >= TUNING.resist
    }

    /// Tells the stage that gave it, and its correction.
    pub(super) fn tell(&self, stage: StageKind, stages: &mut Vec<Stage>) {
        let outcome = StageOutcome::found(self.is_proof());
        match self.uncorrected {
            Some(before) => {
                stages.push(Stage::new(stage, StageOutcome::Near, Some(before)));
                stages.push(Stage::new(StageKind::CorrectMotion, outcome, Some(self.violation)));
            }
            None => stages.push(Stage::new(stage, outcome, Some(self.violation))),
        }
    }
}

/// What a structure does in the first instant, or nothing where it stays at rest.
pub(super) fn mechanism(
    structure: &Structure,
    loads: &Loads,
    engine: &mut Engine,
) -> Result<Option<Mechanism>, StaticsError> {
    let law = Law {
        gaps: &|_| 0.0,
        compliance: [0.0; 2],
        tension: None,
    };
    let mut problem = structure.problem(&law);
    // As long as the loads take to move a block by about its size.
    problem.dt = (structure.length * structure.free_mass() / loads.size(structure)).sqrt();
    for b in structure.free() {
        let (load, mass, inertia) = (&loads.wrenches[b], structure.mass[b], structure.inertia[b]);
        let free = Twist {
            linear: problem.dt * load.force / mass,
            angular: problem.dt * (inertia.inverse() * load.moment),
        };
        problem.bodies[b] = Body::free(structure.center[b], mass, inertia, free);
    }
    engine.settings = SolverSettings {
        solver: Solver::Interior,
        friction: Friction::Associated,
        tolerance: 1e-8,
        ..SolverSettings::default()
    };
    let solution = engine.solve(&problem)?;
    if matches!(solution.status, Status::Infeasible) {
        return Ok(None);
    }
    Ok(measured(structure, loads, solution.velocities.clone(), true))
}

/// A motion with what was measured of it, the fastest point at 1 m/s, made exact where it may be proof (with dilatancy); nothing if none
/// moves.
pub(super) fn measured(
    structure: &Structure,
    loads: &Loads,
    mut motions: Vec<Twist>,
    dilatant: bool,
) -> Option<Mechanism> {
    let speed = |b: usize| motions[b].linear.length() + motions[b].angular.length() * structure.radius[b];
    let fastest = structure.free().map(speed).fold(0.0, f64::max);
    if !(fastest > 0.0 && fastest.is_finite()) {
        return None;
    }
    for motion in &mut motions {
        motion.linear /= fastest;
        motion.angular /= fastest;
    }
    let mut found = Mechanism {
        power: loads.power(&motions) / loads.size(structure),
        violation: violation(structure, &motions, dilatant),
        motions,
        uncorrected: None,
        share: 0.0,
        resist: 0.0,
    };
    // What openings tend to is evidence and no proof. It tells which blocks move, and is left as it was found.
    if dilatant && found.power > TUNING.near * found.violation {
        found.uncorrected = Some(found.violation);
        found.resist = refine::motion(structure, loads, dilatant, &mut found.motions);
        found.power = loads.power(&found.motions) / loads.size(structure);
        found.violation = violation(structure, &found.motions, dilatant);
        let most = |b: usize| {
            let (load, motion) = (&loads.wrenches[b], &found.motions[b]);
            let own = load.force.length() + load.moment.length() / structure.radius[b];
            own * (motion.linear.length() + motion.angular.length() * structure.radius[b])
        };
        found.share = loads.power(&found.motions) / structure.free().map(most).sum::<f64>();
    }
    Some(found)
}

/// Largest velocity at which a joint or a tie is entered.
fn violation(structure: &Structure, motions: &[Twist], dilatant: bool) -> f64 {
    let mut violation = 0.0_f64;
    for point in &structure.points {
        let d = structure.relative(motions, point);
        let normal = d.dot(point.normal);
        let across = (d - normal * point.normal).length();
        let needed = if dilatant {
            structure.friction(point) * across
        } else {
            0.0
        };
        violation = violation.max(needed - normal);
    }
    for tie in &structure.ties {
        let [a, b] = tie.blocks.map(|b| b as usize);
        let at = |b: usize, end| motions[b].at(end - structure.center[b]);
        let way = (tie.ends[1] - tie.ends[0]).normalize_or_zero();
        let longer = (at(b, tie.ends[1]) - at(a, tie.ends[0])).dot(way);
        violation = violation.max(if tie.pushes() { longer.abs() } else { longer });
    }
    violation
}

//! What was tried on the way to a verdict, in order.

/// What a stage does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StageKind {
    /// Nothing acts: no force is needed.
    NoLoad,
    /// The forces of least norm within the friction cones.
    LeastNorm,
    /// Forces within pyramids around the friction cones.
    Pyramids,
    /// A limit: whether it stands without the load.
    DeadLoads,
    /// A limit: the least multiple of the load that holds up what does not stand without it.
    LeastLoad,
    /// A limit: its cone program, with both sides.
    Program,
    /// A limit: whether forces balance the load alone, and so any multiple of it.
    LoadAlone,
    /// The forces of a limit's cone program.
    ProgramForces,
    /// The motion of a limit's cone program, or of a load that is too large.
    LimitMotion,
    /// A limit: the motion of its cone program with joints opened a little.
    OpenedMotion,
    /// A limit: motions of loads that are too large, each tried where the last would stop.
    MotionsFromAbove,
    /// A limit: forces of least norm from just below a load that is too large, then by bisection.
    ForcesFromBelow,
    /// A limit without dilatancy: coupled analysis, by bisection.
    WithoutDilatancy,
    /// What is left over on blocks is taken back, within the cones.
    CorrectForces,
    /// The motion that the loads drive in the first instant.
    Mechanism,
    /// The motion is corrected until joints close by rounding alone.
    CorrectMotion,
    /// Coupled analysis: rounds of the convex problem, each with joints opened by what the sliding of the last would raise (with a
    /// tangential compliance: motion in openings for the load of a block).
    Rounds(f64),
    /// Coupled analysis: blocks creep to rest on joints that yield (with a compliance along the normal: motion in openings for
    /// the load of a block), or go on.
    Creep(f64),
    /// Coupled analysis: a motion that mobilises the forces of least norm.
    Mobilise,
    /// Coupled analysis: the static problem of Coulomb with a tangential compliance (motion in openings for the load of a
    /// block).
    Compliance(f64),
    /// Coupled analysis: Newton's method on its conditions.
    Polish,
    /// Coupled analysis: restoration from an attempt that came near.
    Restore,
    /// Coupled analysis: continuation in friction, from somewhat more down to that of the joints.
    FrictionContinuation,
    /// Coupled analysis: growth of the openings, round after round.
    Growth,
    /// Tension that would hold what does not stand.
    Tension,
}

impl StageKind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoLoad => "no_load",
            Self::LeastNorm => "least_norm",
            Self::Pyramids => "pyramids",
            Self::DeadLoads => "dead_loads",
            Self::LeastLoad => "least_load",
            Self::Program => "program",
            Self::LoadAlone => "load_alone",
            Self::ProgramForces => "program_forces",
            Self::LimitMotion => "limit_motion",
            Self::OpenedMotion => "opened_motion",
            Self::MotionsFromAbove => "motions_from_above",
            Self::ForcesFromBelow => "forces_from_below",
            Self::WithoutDilatancy => "without_dilatancy",
            Self::CorrectForces => "correct_forces",
            Self::Mechanism => "mechanism",
            Self::CorrectMotion => "correct_motion",
            Self::Rounds(_) => "rounds",
            Self::Creep(_) => "creep",
            Self::Mobilise => "mobilise",
            Self::Compliance(_) => "compliance",
            Self::Polish => "polish",
            Self::Restore => "restore",
            Self::FrictionContinuation => "friction_continuation",
            Self::Growth => "growth",
            Self::Tension => "tension",
        }
    }
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageOutcome {
    /// It found what was asked.
    Answered,
    /// It came near: the next stage starts from it.
    Near,
    /// It found nothing.
    NotFound,
    /// It reached its limit on rounds.
    RoundLimit,
    /// It was not tried: there are more contact points or equations than it is meant for.
    TooLarge,
    /// It was not tried: it is not made for ties.
    HasTies,
}

impl StageOutcome {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Near => "near",
            Self::NotFound => "not_found",
            Self::RoundLimit => "round_limit",
            Self::TooLarge => "too_large",
            Self::HasTies => "has_ties",
        }
    }

    /// Answered, or not found.
    pub(super) fn found(found: bool) -> Self {
        if found { Self::Answered } else { Self::NotFound }
    }
}

/// One stage: what was tried, and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// What was tried.
    pub kind: StageKind,
    /// How it ended.
    pub outcome: StageOutcome,
    /// The residual that it ended with: of forces what is left over on a block, of a motion how fast a joint closes, in
    /// coupled analysis the largest of eq. 11, each relative as [`Evidence`](super::Evidence) has it. None where it was not
    /// measured.
    pub residual: Option<f64>,
    /// Of a limit: the multiplier that it ended at.
    pub multiplier: Option<f64>,
}

impl Stage {
    pub(super) fn new(kind: StageKind, outcome: StageOutcome, residual: Option<f64>) -> Self {
        Self {
            kind,
            outcome,
            residual: residual.filter(|r| r.is_finite()),
            multiplier: None,
        }
    }
}

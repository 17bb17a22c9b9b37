//! How far can it be tilted?
//!
//! Two bounds are given, each with the answer that it rests on: the largest angle at which the structure was found to stand,
//! and the smallest at which it was found to fall. Between them lies what was not decided.
//!
//! Loads beside the weight turn with the structure: they keep their directions in its axes.
//!
//! Where self-stress is allowed, only the weight acts and the axis is level, the loads at an angle are, but for their size, `dead + λ live` with
//! the tangent of the angle for λ: the angle is that of the [limit](super::limit()). Otherwise angles are asked one by one. Where
//! displacement mobilises the forces at one, they are followed to the next.

use std::time::Instant;

use drystone_model::certificate::SelfStress;
use glam::{DQuat, DVec3};

use super::{
    Check, Evidence, LimitSettings, Loads, Method, Solvers, StaticsError, Structure, Verdict,
    check::{followed, stands_near},
    limit::limit,
    ties,
};

const TUNING: crate::statics::tuning::Tilt = crate::statics::Tuning::DEFAULT.tilt;

/// What is known of the angle at which a structure falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TiltStatus {
    /// Both bounds were found, and they meet within 0.01 degrees.
    Exact,
    /// Both bounds were found, farther apart.
    Bracketed,
    /// It was found to stand up to an angle, and at none beyond it to fall.
    LowerBound,
    /// It was found to fall from an angle on, and at none below it to stand.
    UpperBound,
    /// It was found to fall upright.
    FallsUpright,
    /// It was found to stand at every angle that was looked at, upside down too.
    NeverFalls,
    /// Nothing was found.
    Undecided,
}

impl TiltStatus {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Bracketed => "bracketed",
            Self::LowerBound => "lower_bound",
            Self::UpperBound => "upper_bound",
            Self::FallsUpright => "falls_upright",
            Self::NeverFalls => "never_falls",
            Self::Undecided => "undecided",
        }
    }
}

/// The angle at which a structure falls, from both sides.
#[derive(Clone, Debug)]
pub struct Tilt {
    /// What is known.
    pub status: TiltStatus,
    /// The angle, where the bounds meet (unit: rad): the lower one.
    pub critical: Option<f64>,
    /// Largest angle at which it was found to stand, and at no smaller one to fall (unit: rad).
    pub lower: Option<f64>,
    /// Smallest angle at which it was found to fall (unit: rad).
    pub upper: Option<f64>,
    /// The answer at the lower bound.
    pub stands: Option<Check>,
    /// The answer at the upper bound. Where it rests on [growth](super::Evidence::Growth), so does the bound.
    pub falls: Option<Check>,
    /// How it was found.
    pub method: Method,
    /// The verdict at each of the angles looked at on a coarse grid (unit: rad); empty where the limit gave the angle.
    pub samples: Vec<(f64, Verdict)>,
    /// Whether it stands again at an angle beyond one at which it falls.
    pub stands_again: bool,
    /// Angles below the lower bound on the coarse grid at which nothing was decided (unit: rad).
    pub gaps: Vec<f64>,
    /// Seconds it took.
    pub time: f64,
}

/// Gravity as a structure feels it that is turned by an angle (unit: rad) about an axis.
pub fn tilted(gravity: DVec3, axis: DVec3, angle: f64) -> DVec3 {
    DQuat::from_axis_angle(axis, -angle) * gravity
}

/// Finds the angle about an axis at which a structure falls under its weight and `further` loads, which turn with it.
pub fn tilt(
    structure: &Structure,
    further: &Loads,
    axis: DVec3,
    method: Method,
    solvers: &mut Solvers,
) -> Result<Tilt, StaticsError> {
    let start = Instant::now();
    let axis = axis.try_normalize().ok_or(StaticsError::NoDirection {
        what: "the axis",
        x: axis.x,
        y: axis.y,
        z: axis.z,
    })?;
    let mut search = Search {
        structure,
        further,
        axis,
        tilt: Tilt {
            status: TiltStatus::Undecided,
            critical: None,
            lower: None,
            upper: None,
            stands: None,
            falls: None,
            method,
            samples: Vec::new(),
            stands_again: false,
            gaps: Vec::new(),
            time: 0.0,
        },
    };
    let is_level = axis.dot(structure.gravity.normalize_or_zero()).abs() < 1e-12;
    let is_convex = method.self_stress() == SelfStress::Allowed && method != Method::RbeLinearised;
    // Neither a tie that yields nor a load that stays as it is grows with the weight across: angles are not multiples of each
    // other then.
    let scales = !ties::any_yields(structure) && further.is_nothing(structure);
    if !(is_level && is_convex && scales && search.by_limit(solvers)?) {
        search.by_angles(solvers)?;
    }
    search.tilt.conclude();
    search.tilt.time = start.elapsed().as_secs_f64();
    Ok(search.tilt)
}

/// A search, and what it has found so far.
struct Search<'a> {
    structure: &'a Structure,
    further: &'a Loads,
    axis: DVec3,
    tilt: Tilt,
}

impl Search<'_> {
    fn loads(&self, angle: f64) -> Loads {
        Loads::body_force(self.structure, tilted(self.structure.gravity, self.axis, angle)).plus(self.further, 1.0)
    }

    /// Takes the angle from limits, a quarter turn after the other. Tells whether that gave both bounds.
    fn by_limit(&mut self, solvers: &mut Solvers) -> Result<bool, StaticsError> {
        let quarter = 0.5 * std::f64::consts::PI;
        for turn in 0..2 {
            let from = quarter * f64::from(turn);
            let (dead, live) = (self.loads(from), self.loads(from + quarter));
            let found = limit(self.structure, &dead, &live, &LimitSettings::default(), solvers)?;
            if found.unbounded {
                // It stands at the end of this quarter: the load alone.
                (self.tilt.lower, self.tilt.stands) = (Some(from + quarter), found.carried_alone);
                continue;
            }
            if let (Some(multiplier), Some(check)) = (found.multiplier, found.stands) {
                // The loads at the angle are those of the limit, times its cosine.
                let angle = from + multiplier.atan();
                let check = check.scaled(multiplier.atan().cos());
                (self.tilt.lower, self.tilt.stands) = (Some(angle), Some(check));
            }
            let Some((multiplier, check)) = found.falls else {
                return Ok(false);
            };
            (self.tilt.upper, self.tilt.falls) = (Some(from + multiplier.max(0.0).atan()), Some(check));
            return Ok(self.tilt.lower.is_some() || turn == 0);
        }
        Ok(true)
    }

    fn by_angles(&mut self, solvers: &mut Solvers) -> Result<(), StaticsError> {
        (self.tilt.lower, self.tilt.upper) = (None, None);
        (self.tilt.stands, self.tilt.falls) = (None, None);
        for k in 0..=TUNING.samples {
            let angle = std::f64::consts::PI * k as f64 / TUNING.samples as f64;
            let verdict = self.ask(angle, solvers)?;
            self.tilt.samples.push((angle, verdict));
            let fraction = TUNING.sampled * (k + 1) as f64 / (TUNING.samples + 1) as f64;
            solvers.at(fraction, || says(angle, verdict));
        }
        // What was not decided between the bounds is asked from both sides.
        let far = std::f64::consts::PI;
        let (mut stands, mut not_stands) = (self.tilt.lower, self.tilt.upper.unwrap_or(far));
        if self.tilt.lower.is_none_or(|lower| lower >= far) {
            return Ok(());
        }
        let mut not_falls = stands.unwrap_or(0.0);
        let undecided = |s: &&(f64, Verdict)| s.1 == Verdict::Undecided;
        let between = |a: f64| a > not_falls && a < not_stands;
        let gap: Vec<f64> = (self.tilt.samples.iter())
            .filter(undecided)
            .map(|s| s.0)
            .filter(|a| between(*a))
            .collect();
        if let (Some(first), Some(last)) = (gap.first(), gap.last()) {
            (not_stands, not_falls) = (*first, *last);
        }
        while let Some(low) = stands
            && not_stands - low > TUNING.precision
        {
            let middle = 0.5 * (low + not_stands);
            match self.ask_again(middle, solvers)? {
                Verdict::Stable => {
                    not_falls = not_falls.max(middle);
                    stands = self.tilt.lower;
                }
                Verdict::Unstable => not_stands = middle,
                Verdict::Undecided => {
                    // The two bounds part here.
                    not_falls = not_falls.max(middle);
                    not_stands = middle;
                }
            }
            solvers.at(0.8, || format!("bounds of the angle at {:.2}°", middle.to_degrees()));
        }
        while let Some(high) = self.tilt.upper
            && high - not_falls > TUNING.precision
        {
            let middle = 0.5 * (not_falls + high);
            if self.ask_again(middle, solvers)? != Verdict::Unstable {
                not_falls = middle;
            }
            solvers.at(0.9, || format!("bounds of the angle at {:.2}°", middle.to_degrees()));
        }
        self.follow_on(solvers)
    }

    /// Growth is no proof. Where the forces at the lower bound can be followed past an upper one that rests on it, that one falls, and
    /// the next is looked for beyond.
    fn follow_on(&mut self, solvers: &mut Solvers) -> Result<(), StaticsError> {
        let by_growth = |check: &Check| matches!(check.evidence, Evidence::Growth { .. });
        let (Some(lower), Some(upper)) = (self.tilt.lower, self.tilt.upper) else {
            return Ok(());
        };
        if !self.tilt.falls.as_ref().is_some_and(by_growth) {
            return Ok(());
        }
        let (mut at, mut step) = (lower, TUNING.first_follow);
        while step >= TUNING.precision && at + step < std::f64::consts::PI {
            let loads = self.loads(at + step);
            let found = self
                .tilt
                .stands
                .as_ref()
                .and_then(|near| followed(self.structure, &loads, near));
            match found {
                Some(found) => {
                    at += step;
                    self.tilt.stands = Some(found);
                    step = (2.0 * step).min(TUNING.longest_follow);
                }
                None => step *= 0.5,
            }
            solvers.check_stopped()?;
        }
        self.tilt.lower = Some(at);
        if at < upper {
            return Ok(());
        }
        (self.tilt.upper, self.tilt.falls) = (None, None);
        let mut beyond = TUNING.precision;
        while self.tilt.upper.is_none() && at + beyond < std::f64::consts::PI {
            self.ask(at + beyond, solvers)?;
            beyond *= 2.0;
        }
        Ok(())
    }

    /// Asks at an angle, and once more a hair farther where nothing was decided.
    fn ask_again(&mut self, angle: f64, solvers: &mut Solvers) -> Result<Verdict, StaticsError> {
        match self.ask(angle, solvers)? {
            Verdict::Undecided => self.ask(angle + TUNING.retry, solvers),
            decided => Ok(decided),
        }
    }

    /// Asks at an angle, and takes what it tells of the bounds.
    fn ask(&mut self, angle: f64, solvers: &mut Solvers) -> Result<Verdict, StaticsError> {
        let near = (self.tilt.method, self.tilt.stands.as_ref());
        let found = stands_near(self.structure, &self.loads(angle), near, solvers)?;
        let (verdict, tilt) = (found.verdict, &mut self.tilt);
        match verdict {
            Verdict::Stable if tilt.upper.is_none_or(|u| angle < u) && tilt.lower.is_none_or(|l| angle > l) => {
                (tilt.lower, tilt.stands) = (Some(angle), Some(found));
            }
            Verdict::Unstable if tilt.upper.is_none_or(|u| angle < u) => {
                (tilt.upper, tilt.falls) = (Some(angle), Some(found));
            }
            _ => {}
        }
        Ok(verdict)
    }
}

impl Tilt {
    /// The verdict beyond the lower bound: unstable where it was found to fall.
    pub fn beyond(&self) -> Verdict {
        match self.status {
            TiltStatus::NeverFalls => Verdict::Stable,
            _ if self.falls.is_some() => Verdict::Unstable,
            _ => Verdict::Undecided,
        }
    }

    /// Half-way between the bounds, or the one that there is (unit: rad).
    pub fn middle(&self) -> f64 {
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) => 0.5 * (lower + upper),
            (one, other) => one.or(other).unwrap_or(0.0),
        }
    }

    /// Says what the bounds mean.
    fn conclude(&mut self) {
        self.status = match (self.lower, self.upper) {
            (Some(lower), Some(upper)) if upper - lower <= TUNING.meet => TiltStatus::Exact,
            (Some(_), Some(_)) => TiltStatus::Bracketed,
            (Some(lower), None) if lower >= std::f64::consts::PI - TUNING.precision => TiltStatus::NeverFalls,
            (Some(_), None) => TiltStatus::LowerBound,
            (None, Some(upper)) if upper <= 0.0 => TiltStatus::FallsUpright,
            (None, Some(_)) => TiltStatus::UpperBound,
            (None, None) => TiltStatus::Undecided,
        };
        self.critical = self.lower.filter(|_| self.status == TiltStatus::Exact);
        let below = |a: f64| self.lower.is_some_and(|l| a < l);
        let undecided = self.samples.iter().filter(|s| s.1 == Verdict::Undecided);
        self.gaps = undecided.map(|s| s.0).filter(|a| below(*a)).collect();
        let beyond = |a: f64| self.upper.is_some_and(|u| a > u);
        self.stands_again = self.samples.iter().any(|(a, v)| *v == Verdict::Stable && beyond(*a));
    }
}

/// What was found at an angle.
fn says(angle: f64, verdict: Verdict) -> String {
    let found = match verdict {
        Verdict::Stable => "stands",
        Verdict::Unstable => "falls",
        Verdict::Undecided => "is not decided",
    };
    format!("at {:.2}° it {found}", angle.to_degrees())
}

//! Does it stand?

use std::time::Instant;

use drystone_cone::Twist;
use drystone_model::certificate::Prestress;
use glam::DVec3;

use super::{
    Assembly, Loads, Solvers, StaticsError,
    coupled::{self, Called},
    equilibrium::{self, Forces},
    mechanism::{self, Mechanism},
};

/// Tension, over the loads, above which a structure needs it.
const NO_TENSION: f64 = 1e-6;
/// Speed, over that of the fastest block, above which a block takes part in a mechanism.
const MOVING: f64 = 1e-3;

/// How the question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Forces in the friction cones that balance the loads (paper 001, section 2.4). Prestress is admitted.
    Cone,
    /// Rigid-block equilibrium with tension at a price (paper 004, eq. 6). Prestress is admitted.
    Rbe,
    /// The same with 8-sided pyramids around the friction cones (paper 004, appendix B): it admits somewhat more friction.
    RbeLinearised,
    /// Coupled rigid-block analysis (paper 004, eq. 11). Prestress is excluded.
    Cra,
    /// The same with tension at a price (paper 004, eq. 14).
    CraPenalty,
}

impl Method {
    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cone => "cone",
            Self::Rbe => "rbe",
            Self::RbeLinearised => "rbe-linearised",
            Self::Cra => "cra",
            Self::CraPenalty => "cra-penalty",
        }
    }

    /// Which forces it admits.
    pub fn prestress(self) -> Prestress {
        match self {
            Self::Cone | Self::Rbe | Self::RbeLinearised => Prestress::Admitted,
            Self::Cra | Self::CraPenalty => Prestress::Excluded,
        }
    }
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It stands, and forces prove it.
    Stable,
    /// It does not, and a motion tells how.
    Unstable,
    /// Neither was found.
    Undecided,
}

impl Verdict {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Unstable => "unstable",
            Self::Undecided => "undecided",
        }
    }
}

/// An answer, and what it rests on.
#[derive(Clone, Debug)]
pub struct Check {
    /// The answer.
    pub verdict: Verdict,
    /// How it was found.
    pub method: Method,
    /// Force on the second block at each point (unit: N); empty where none were found.
    pub forces: Vec<DVec3>,
    /// Tension at each point (unit: N); empty where none is needed.
    pub tensions: Vec<f64>,
    /// Force in each tie, positive where it pulls (unit: N).
    pub tie_forces: Vec<f64>,
    /// Motion of each block: the mechanism, with the fastest point at 1 m/s, or the small motion that calls up the forces
    /// (unit: m and rad). Empty where there is none.
    pub motions: Vec<Twist>,
    /// What every joint has to close before it acts (unit: m), where prestress is excluded and the structure stands.
    pub opening: Option<f64>,
    /// Largest force left over on a block, over the loads, if it stands; largest velocity at which a joint is entered, over
    /// that of the fastest point, if it does not.
    pub residual: f64,
    /// Smallest distance of a contact force to the boundary of its cone, over the loads.
    pub cone_margin: Option<f64>,
    /// Power of the loads on the mechanism, over their size times the fastest speed.
    pub power: Option<f64>,
    /// How the openings grow from round to round, where coupled analysis found no solution.
    pub growth: Option<f64>,
    /// Largest motion at a joint, in openings, where coupled analysis found a solution: how near the limit is.
    pub reach: Option<f64>,
    /// Blocks that move, or that need tension.
    pub unstable_blocks: Vec<usize>,
    /// Why, in words.
    pub reason: String,
    /// Seconds it took.
    pub time: f64,
}

impl Check {
    fn new(method: Method, verdict: Verdict, reason: impl Into<String>) -> Self {
        Self {
            verdict,
            method,
            forces: Vec::new(),
            tensions: Vec::new(),
            tie_forces: Vec::new(),
            motions: Vec::new(),
            opening: None,
            residual: f64::NAN,
            cone_margin: None,
            power: None,
            growth: None,
            reach: None,
            unstable_blocks: Vec::new(),
            reason: reason.into(),
            time: 0.0,
        }
    }

    fn with_forces(mut self, assembly: &Assembly, loads: &Loads, forces: Forces) -> Self {
        self.residual = coupled::unbalanced(assembly, loads, &forces);
        let margin = |(p, f): (&super::ContactPoint, &DVec3)| {
            let normal = f.dot(p.normal);
            let across = (*f - normal * p.normal).length();
            (p.friction * normal - across) / (1.0 + p.friction * p.friction).sqrt()
        };
        let least = assembly.points.iter().zip(&forces.contact).map(margin);
        self.cone_margin = Some(least.fold(f64::INFINITY, f64::min) / loads.size(assembly));
        self.forces = forces.contact;
        self.tensions = forces.tension;
        self.tie_forces = forces.ties;
        self
    }

    fn with_mechanism(mut self, assembly: &Assembly, mechanism: Mechanism) -> Self {
        self.unstable_blocks = moving(assembly, &mechanism.motions);
        self.residual = mechanism.violation;
        self.power = Some(mechanism.power);
        self.motions = mechanism.motions;
        self
    }

    /// Largest force at a point (unit: N).
    pub fn largest_force(&self) -> f64 {
        self.forces.iter().map(|f| f.length()).fold(0.0, f64::max)
    }

    /// Sum of the tensions (unit: N).
    pub fn tension(&self) -> f64 {
        self.tensions.iter().sum()
    }
}

/// Asks whether an assembly stands under loads.
pub fn check(assembly: &Assembly, loads: &Loads, method: Method, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    let start = Instant::now();
    let mut check = ask(assembly, loads, method, solvers)?;
    check.time = start.elapsed().as_secs_f64();
    Ok(check)
}

fn ask(assembly: &Assembly, loads: &Loads, method: Method, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    solvers.go_on()?;
    if !assembly.loose.is_empty() {
        return loose(assembly, loads, method, solvers);
    }
    match method {
        Method::Cone => by_forces(assembly, loads, method, solvers),
        Method::Rbe => by_tension(assembly, loads, solvers),
        Method::RbeLinearised => by_pyramids(assembly, loads, solvers),
        Method::Cra => by_motion(assembly, loads, method, solvers),
        Method::CraPenalty => by_motion_and_tension(assembly, loads, solvers),
    }
}

/// Blocks that hang on nothing fall, whatever the rest does.
fn loose(assembly: &Assembly, loads: &Loads, method: Method, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    let name = |b: &usize| format!("`{}`", assembly.names[*b]);
    let part = |part: &Vec<usize>| {
        let some: Vec<String> = part.iter().take(5).map(name).collect();
        let more = part.len().saturating_sub(5);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let way = if part.len() == 1 {
            "touches nothing"
        } else {
            "hang on no support"
        };
        format!("{}{more} {way}", some.join(", "))
    };
    let reason: Vec<String> = assembly.loose.iter().map(part).collect();
    let found = mechanism::mechanism(assembly, loads, &mut solvers.engine)?;
    let check = Check::new(method, Verdict::Unstable, reason.join("; "));
    let mut check = match found {
        Some(found) if found.is_proof() => check.with_mechanism(assembly, found),
        _ => Check {
            verdict: Verdict::Undecided,
            ..check
        },
    };
    check.unstable_blocks.extend(assembly.loose.iter().flatten());
    check.unstable_blocks.sort_unstable();
    check.unstable_blocks.dedup();
    Ok(check)
}

fn by_forces(assembly: &Assembly, loads: &Loads, method: Method, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    if let Some(forces) = equilibrium::smallest(assembly, loads, &mut solvers.rest)? {
        let reason = "forces within the friction cones balance the loads";
        let check = Check::new(method, Verdict::Stable, reason).with_forces(assembly, loads, forces);
        if check.residual <= equilibrium::BALANCED {
            return Ok(check);
        }
    }
    by_mechanism(assembly, loads, method, solvers)
}

fn by_pyramids(assembly: &Assembly, loads: &Loads, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    let Some(forces) = equilibrium::linearised(assembly, loads, &mut solvers.rest)? else {
        return by_mechanism(assembly, loads, Method::RbeLinearised, solvers);
    };
    let reason = "forces within pyramids around the friction cones balance the loads";
    Ok(Check::new(Method::RbeLinearised, Verdict::Stable, reason).with_forces(assembly, loads, forces))
}

fn by_mechanism(
    assembly: &Assembly,
    loads: &Loads,
    method: Method,
    solvers: &mut Solvers,
) -> Result<Check, StaticsError> {
    match mechanism::mechanism(assembly, loads, &mut solvers.engine)? {
        Some(found) if found.is_proof() => {
            let reason = "the loads drive a motion that no joint resists: no forces balance them";
            Ok(Check::new(method, Verdict::Unstable, reason).with_mechanism(assembly, found))
        }
        _ => {
            let reason =
                "neither forces that balance the loads nor a motion that they drive was found to the precision asked";
            Ok(Check::new(method, Verdict::Undecided, reason))
        }
    }
}

fn by_tension(assembly: &Assembly, loads: &Loads, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    let plain = by_forces(assembly, loads, Method::Rbe, solvers)?;
    if plain.verdict == Verdict::Stable {
        return Ok(plain);
    }
    let Some(forces) = equilibrium::with_tension(assembly, loads, &mut solvers.rest)? else {
        return Ok(plain);
    };
    let mut check = Check::new(Method::Rbe, plain.verdict, plain.reason.clone()).with_forces(assembly, loads, forces);
    check.unstable_blocks = pulled(assembly, loads, &check.tensions);
    check.motions = plain.motions;
    check.power = plain.power;
    check.reason = format!("{}; tension of {:.3e} N would hold it", plain.reason, check.tension());
    Ok(check)
}

fn by_motion(assembly: &Assembly, loads: &Loads, method: Method, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    let look = coupled::called_up(assembly, loads, &mut solvers.coupled, false)?;
    if look.solution().is_some()
        && let Some(found) = look.best
    {
        return Ok(called_up(assembly, loads, method, found));
    }
    let plain = by_forces(assembly, loads, method, solvers)?;
    if plain.verdict != Verdict::Stable {
        return Ok(plain);
    }
    let found = match coupled::lead(assembly, loads, &look.starts, &solvers.stop) {
        Some(found) => Some(found),
        None => coupled::lead_down(assembly, loads, &mut solvers.coupled, &solvers.stop)?,
    };
    solvers.go_on()?;
    if let Some(found) = found {
        return Ok(called_up(assembly, loads, method, found));
    }
    let undecided = || {
        let reason = "forces balance the loads, but whether a motion calls them up was not found";
        Check::new(method, Verdict::Undecided, reason)
    };
    let Some(growth) = coupled::growth(assembly, loads, &mut solvers.rest)? else {
        return Ok(undecided());
    };
    let mut check = match growth.mechanism {
        Some(found) if growth.unbounded => {
            let rate = if (growth.ratio - 1.0).abs() < 1e-3 {
                "as much motion again".to_string()
            } else {
                format!("{:.3} times the motion of the last", growth.ratio)
            };
            let reason = format!(
                "forces balance the loads only if blocks are wedged: no motion was found that calls them up, and each round of \
                 closing the joints asks for {rate}, without end (evidence, not proof)"
            );
            Check::new(method, Verdict::Unstable, reason).with_mechanism(assembly, found)
        }
        _ => undecided(),
    };
    check.growth = Some(growth.ratio);
    Ok(check)
}

/// It stands, by forces that a motion calls up.
fn called_up(assembly: &Assembly, loads: &Loads, method: Method, found: Called) -> Check {
    let reason = format!(
        "one small motion calls up forces that balance the loads; eq. 11 holds to {:.0e}",
        found.lack.largest()
    );
    let mut check = Check::new(method, Verdict::Stable, reason).with_forces(assembly, loads, found.forces);
    check.tensions.clear();
    check.motions = found.motions;
    check.opening = Some(found.opening);
    check.reach = Some(found.reach);
    check
}

fn by_motion_and_tension(assembly: &Assembly, loads: &Loads, solvers: &mut Solvers) -> Result<Check, StaticsError> {
    let plain = by_motion(assembly, loads, Method::CraPenalty, solvers)?;
    if plain.verdict == Verdict::Stable {
        return Ok(plain);
    }
    let Some(found) = coupled::called_up(assembly, loads, &mut solvers.coupled, true)?.best else {
        return Ok(plain);
    };
    let mut check = Check::new(Method::CraPenalty, plain.verdict, plain.reason.clone());
    check = check.with_forces(assembly, loads, found.forces);
    check.growth = plain.growth;
    check.unstable_blocks = pulled(assembly, loads, &check.tensions);
    check.motions = if plain.motions.is_empty() {
        found.motions
    } else {
        plain.motions
    };
    check.power = plain.power;
    check.reason = format!("{}; tension of {:.3e} N would hold it", plain.reason, check.tension());
    Ok(check)
}

/// Free blocks that move, by their fastest point.
fn moving(assembly: &Assembly, motions: &[Twist]) -> Vec<usize> {
    let speed = |b: usize| motions[b].linear.length() + motions[b].angular.length() * assembly.radius[b];
    let fastest = assembly.free().map(speed).fold(0.0, f64::max);
    assembly.free().filter(|&b| speed(b) > MOVING * fastest).collect()
}

/// Free blocks at points that need tension.
fn pulled(assembly: &Assembly, loads: &Loads, tensions: &[f64]) -> Vec<usize> {
    let size = loads.size(assembly);
    let mut blocks: Vec<usize> = assembly
        .points
        .iter()
        .zip(tensions)
        .filter(|(_, t)| **t > NO_TENSION * size)
        .flat_map(|(p, _)| p.blocks.map(|b| b as usize))
        .filter(|&b| !assembly.fixed[b])
        .collect();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

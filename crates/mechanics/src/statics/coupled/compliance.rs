//! Solutions of eq. 11 by the static problem of Coulomb in the openings, with one tangential compliance after the other.

use drystone_cone::{Equilibrium, EquilibriumSettings, Friction, Status};

use super::{
    super::{Loads, Stage, StageKind, StageOutcome, StaticsError, Structure, equilibrium::Forces, problem::Law},
    Mobilised, Start, TUNING, finish,
    polish::polish,
};

/// What several compliances gave.
#[derive(Debug, Default)]
pub(super) struct Tried {
    /// A solution, or what satisfies eq. 11 best.
    pub(super) best: Option<Mobilised>,
    /// What came near.
    pub(super) starts: Vec<Start>,
}

/// Looks for a solution of eq. 11, with the first compliances, or with those from one on that the size allows.
pub(super) fn by_compliances(
    structure: &Structure,
    loads: &Loads,
    from: usize,
    solver: &mut Equilibrium,
    stages: &mut Vec<Stage>,
) -> Result<Tried, StaticsError> {
    let all = compliances(structure);
    if all.is_empty() {
        let kind = StageKind::Compliance(TUNING.compliances[from]);
        stages.push(Stage::new(kind, StageOutcome::TooLarge, None));
        return Ok(Tried::default());
    }
    let to = if from == 0 { TUNING.first_compliances } else { all.len() };
    let which = all.get(from..to).unwrap_or_default();
    search(structure, loads, solver, (which, false), stages)
}

/// Looks for a solution of eq. 14, where tension is allowed at a price: what satisfies it best.
pub(in super::super) fn with_tension(
    structure: &Structure,
    loads: &Loads,
    solver: &mut Equilibrium,
) -> Result<Option<Mobilised>, StaticsError> {
    Ok(search(
        structure,
        loads,
        solver,
        (compliances(structure), true),
        &mut Vec::new(),
    )?
    .best)
}

fn search(
    structure: &Structure,
    loads: &Loads,
    solver: &mut Equilibrium,
    (which, tension): (&[f64], bool),
    stages: &mut Vec<Stage>,
) -> Result<Tried, StaticsError> {
    // What tension costs is motion: as far as its price.
    let farthest = if tension { f64::INFINITY } else { TUNING.farthest_motion };
    let mut tried = Tried::default();
    for &compliance in which {
        let mut tell = |kind, outcome, residual| stages.push(Stage::new(kind, outcome, Some(residual)));
        let kind = StageKind::Compliance(compliance);
        let (status, start) = attempt(structure, loads, solver, compliance, tension)?;

        if start.residual > TUNING.far {
            tell(kind, StageOutcome::NotFound, start.residual);
            continue;
        }
        if start.residual <= TUNING.near || status == Status::Solved {
            let mut found = finish(structure, loads, start.forces.clone(), &start.motions);
            let first = found.residual.largest();
            let mut is_exact = false;
            if tension {
                tell(kind, StageOutcome::found(first <= TUNING.satisfied), first);
            } else {
                // What balances and closes but for a rest is made exact: a certificate leaves no rests.
                tell(kind, StageOutcome::Near, first);
                match polish(structure, loads, &start.forces, &start.motions) {
                    Ok((forces, motions)) => {
                        found = finish(structure, loads, forces, &motions);
                        is_exact = found.is_solution();
                        tell(
                            StageKind::Polish,
                            StageOutcome::found(is_exact),
                            found.residual.largest(),
                        );
                    }
                    Err(outcome) => tell(StageKind::Polish, outcome, first),
                }
            }
            let better = |b: &Mobilised| found.residual.largest() < b.residual.largest();
            is_exact |= tension && found.residual.largest() <= TUNING.satisfied;
            if found.reach <= farthest && tried.best.as_ref().is_none_or(better) {
                tried.best = Some(found);
                if is_exact {
                    return Ok(tried);
                }
            }
        } else {
            tell(kind, StageOutcome::NotFound, start.residual);
        }
        tried.starts.push(start);
    }
    Ok(tried)
}

/// Forces and a motion by one compliance, whether or not they are near a solution.
pub(super) fn attempt(
    structure: &Structure,
    loads: &Loads,
    solver: &mut Equilibrium,
    compliance: f64,
    tension: bool,
) -> Result<(Status, Start), StaticsError> {
    let unit = loads.mean(structure);
    let law = Law {
        gaps: &|_| 1.0,
        compliance: [0.0, compliance / unit],
        tension: tension.then_some(TUNING.tension_price / unit),
    };
    let problem = structure.problem(&law);
    solver.settings = EquilibriumSettings {
        friction: Friction::Coulomb,
        ..EquilibriumSettings::default()
    };
    let balance = solver.solve(&problem, &loads.wrenches)?;
    let start = Start {
        residual: balance.balance.max(balance.gap),
        forces: Forces::new(structure, balance),
        motions: balance.motions.clone(),
    };
    Ok((balance.status, start))
}

/// Compliances worth trying: of large structures fewer, for each takes seconds; of huge ones none.
pub(super) fn compliances(structure: &Structure) -> &'static [f64] {
    match structure.points.len() {
        points if points > TUNING.most_points => &[],
        points if points > TUNING.large_points => &COMPLIANCES[..TUNING.first_compliances],
        _ => &COMPLIANCES,
    }
}

const COMPLIANCES: [f64; 9] = TUNING.compliances;

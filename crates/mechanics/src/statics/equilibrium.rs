//! Forces that balance loads, with prestress admitted.

use drystone_cone::{Balance, Equilibrium, EquilibriumSettings, Status, Twist};
use glam::DVec3;

use super::{
    Assembly, Loads, StaticsError,
    assembly::{Law, SIDES},
};

/// Price of tension over that of compression.
const TENSION_PRICE: f64 = 1e6;
/// What may be left of the loads, relative to them.
pub(super) const BALANCED: f64 = 1e-8;

/// Forces at the points of an assembly.
#[derive(Clone, Debug, Default)]
pub(super) struct Forces {
    /// Forces on the second blocks, without tension (unit: N).
    pub(super) contact: Vec<DVec3>,
    /// Tension (unit: N); empty where none is allowed.
    pub(super) tension: Vec<f64>,
    /// Forces in ties, positive where they pull (unit: N).
    pub(super) ties: Vec<f64>,
}

impl Forces {
    pub(super) fn new(assembly: &Assembly, balance: &Balance, size: f64) -> Self {
        let ties = assembly.ties.len();
        Self {
            contact: balance.forces.iter().map(|f| *f * size).collect(),
            tension: balance.link_forces[ties..].iter().map(|t| t * size).collect(),
            ties: balance.link_forces[..ties].iter().map(|t| t * size).collect(),
        }
    }
}

/// The smallest forces that balance the loads in the friction cones, if there are any.
pub(super) fn smallest(
    assembly: &Assembly,
    loads: &Loads,
    solver: &mut Equilibrium,
) -> Result<Option<Forces>, StaticsError> {
    let law = Law {
        gaps: &|_| 0.0,
        compliance: [1.0, 1.0],
        tension: None,
    };
    let problem = assembly.problem(&law, |_| Twist::ZERO);
    solver.settings = EquilibriumSettings::default();
    let balance = solver.solve(&problem, &assembly.scaled(loads))?;
    let is_found =
        balance.status == Status::Solved || (balance.status != Status::Infeasible && balance.balance <= BALANCED);
    Ok(is_found.then(|| Forces::new(assembly, balance, loads.size(assembly))))
}

/// The smallest forces with tension at a high price: paper 004, eq. 6.
pub(super) fn with_tension(
    assembly: &Assembly,
    loads: &Loads,
    solver: &mut Equilibrium,
) -> Result<Option<Forces>, StaticsError> {
    let law = Law {
        gaps: &|_| 0.0,
        compliance: [1.0, 1.0],
        tension: Some(TENSION_PRICE),
    };
    let problem = assembly.problem(&law, |_| Twist::ZERO);
    solver.settings = EquilibriumSettings::default();
    let balance = solver.solve(&problem, &assembly.scaled(loads))?;
    let is_found = balance.status == Status::Solved || balance.balance <= 1e-6;
    Ok(is_found.then(|| Forces::new(assembly, balance, loads.size(assembly))))
}

/// Forces that balance the loads within pyramids that contain the friction cones.
pub(super) fn linearised(
    assembly: &Assembly,
    loads: &Loads,
    solver: &mut Equilibrium,
) -> Result<Option<Forces>, StaticsError> {
    solver.settings = EquilibriumSettings::default();
    let balance = solver.solve(&assembly.linearised(1.0), &assembly.scaled(loads))?;
    if balance.status == Status::Infeasible || !(balance.balance <= BALANCED) {
        return Ok(None);
    }
    let size = loads.size(assembly);
    let (ties, edges) = balance.link_forces.split_at(assembly.ties.len());
    let sum = |(k, point): (usize, &super::ContactPoint)| {
        let of = |side: usize| edges[SIDES * k + side] * assembly.edge(point, side);
        (0..SIDES).map(of).sum::<DVec3>() * size
    };
    Ok(Some(Forces {
        contact: assembly.points.iter().enumerate().map(sum).collect(),
        tension: Vec::new(),
        ties: ties.iter().map(|t| t * size).collect(),
    }))
}

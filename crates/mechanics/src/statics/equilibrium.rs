//! Forces that balance loads, with self-stress allowed.

use drystone_cone::{Balance, Equilibrium, EquilibriumSettings, Status};
use glam::DVec3;

use super::{
    Loads, Stage, StageKind, StageOutcome, StaticsError, Structure, Tuning,
    evidence::{Balanced, own_loads},
    problem::{Law, SIDES},
    refine,
};

const TUNING: crate::statics::tuning::LeastNorm = crate::statics::Tuning::DEFAULT.least_norm;

/// Forces at the points of a structure.
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
    /// No force anywhere.
    pub(super) fn none(structure: &Structure) -> Self {
        Self {
            contact: vec![DVec3::ZERO; structure.points.len()],
            tension: Vec::new(),
            ties: vec![0.0; structure.ties.len()],
        }
    }

    /// `(1 - share)` times these and `share` times others: within the cones where both are.
    pub(super) fn blend(&self, others: &Self, share: f64) -> Self {
        let mix = |a: &f64, b: &f64| (1.0 - share) * a + share * b;
        Self {
            contact: (self.contact.iter().zip(&others.contact))
                .map(|(a, b)| (1.0 - share) * *a + share * *b)
                .collect(),
            tension: Vec::new(),
            ties: self.ties.iter().zip(&others.ties).map(|(a, b)| mix(a, b)).collect(),
        }
    }

    pub(super) fn new(structure: &Structure, balance: &Balance) -> Self {
        let (ties, tension) = balance.link_forces.split_at(structure.ties.len());
        Self {
            contact: balance.forces.clone(),
            tension: tension.to_vec(),
            ties: ties.to_vec(),
        }
    }
}

/// Forces that balance loads, and whether they are those of least norm: a solver may end short of it.
pub(super) struct LeastNorm {
    pub(super) found: (Forces, Balanced),
    pub(super) is_least: bool,
}

/// The forces of least norm among those within the friction cones that balance the loads, if any do: the sum of `|r|²/A`
/// over the points is the least, A the tributary area. That is strictly convex: there is one such distribution, whatever
/// the method, the order of blocks and points, or the axes (paper 001's regularisation, with one stiffness per area).
pub(super) fn least_norm(
    structure: &Structure,
    loads: &Loads,
    solver: &mut Equilibrium,
    stages: &mut Vec<Stage>,
) -> Result<Option<LeastNorm>, StaticsError> {
    if loads.is_nothing(structure) {
        let forces = Forces::none(structure);
        let balance = Balanced::of(structure, loads, &forces);
        let residual = Some(balance.unbalanced);
        stages.push(Stage::new(StageKind::NoLoad, StageOutcome::Answered, residual));
        return Ok(Some(LeastNorm {
            found: (forces, balance),
            is_least: true,
        }));
    }
    let law = Law {
        gaps: &|_| 0.0,
        compliance: [1.0, 1.0],
        tension: None,
    };
    let mut problem = structure.problem(&law);
    for (contact, area) in problem.contacts.iter_mut().zip(tributary(structure)) {
        contact.compliance = [1.0 / area; 2];
    }
    problem.links.iter_mut().for_each(|tie| tie.compliance = 1.0);
    solver.settings = EquilibriumSettings::default();
    let balance = solver.solve(&problem, &loads.wrenches)?;
    if balance.status == Status::Infeasible || !(balance.balance <= TUNING.worth_correcting) {
        let residual = Some(balance.balance);
        stages.push(Stage::new(StageKind::LeastNorm, StageOutcome::NotFound, residual));
        return Ok(None);
    }
    let (forces, is_least) = (Forces::new(structure, balance), balance.gap <= TUNING.least_gap);
    let found = balanced(structure, loads, forces, StageKind::LeastNorm, stages);
    Ok(found.map(|found| LeastNorm { found, is_least }))
}

/// Forces that balance the loads within the cones: those that a stage gave, or these corrected where they nearly do.
pub(super) fn balanced(
    structure: &Structure,
    loads: &Loads,
    mut forces: Forces,
    stage: StageKind,
    stages: &mut Vec<Stage>,
) -> Option<(Forces, Balanced)> {
    let is_found = |b: &Balanced| b.holds() && b.is_within_cones();
    let measured = Balanced::of(structure, loads, &forces);
    if is_found(&measured) {
        stages.push(Stage::new(stage, StageOutcome::Answered, Some(measured.unbalanced)));
        return Some((forces, measured));
    }
    stages.push(Stage::new(stage, StageOutcome::Near, Some(measured.unbalanced)));
    let own = own_loads(structure, loads);
    refine::forces(structure, loads, &own, refine::Directions::Cones, &mut forces);
    let measured = Balanced::of(structure, loads, &forces);
    let outcome = StageOutcome::found(is_found(&measured));
    stages.push(Stage::new(StageKind::CorrectForces, outcome, Some(measured.unbalanced)));
    is_found(&measured).then_some((forces, measured))
}

/// The area that each point stands for, over the mean of all. Points of joints without area, and slivers, count as a small fraction of the mean.
pub(super) fn tributary(structure: &Structure) -> Vec<f64> {
    let mut areas = Vec::with_capacity(structure.points.len());
    for joint in &structure.joints {
        areas.extend(joint.tributary_areas());
    }
    let mean = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
    let mean = if mean > 0.0 { mean } else { 1.0 };
    areas.iter_mut().for_each(|a| *a = (*a / mean).max(TUNING.least_area));
    areas
}

/// The smallest forces with tension at a high price: paper 004, eq. 6.
pub(super) fn with_tension(
    structure: &Structure,
    loads: &Loads,
    solver: &mut Equilibrium,
) -> Result<Option<Forces>, StaticsError> {
    let law = Law {
        gaps: &|_| 0.0,
        compliance: [1.0, 1.0],
        tension: Some(TUNING.tension_price),
    };
    let problem = structure.problem(&law);
    solver.settings = EquilibriumSettings::default();
    let balance = solver.solve(&problem, &loads.wrenches)?;
    let is_found = balance.status == Status::Solved || balance.balance <= 1e-6;
    Ok(is_found.then(|| Forces::new(structure, balance)))
}

/// Forces that balance the loads within pyramids that contain the friction cones.
pub(super) fn linearised(
    structure: &Structure,
    loads: &Loads,
    solver: &mut Equilibrium,
) -> Result<Option<(Forces, Balanced)>, StaticsError> {
    solver.settings = EquilibriumSettings::default();
    let balance = solver.solve(&structure.linearised(1.0), &loads.wrenches)?;
    if balance.status == Status::Infeasible || !(balance.balance <= Tuning::DEFAULT.acceptance.balanced) {
        return Ok(None);
    }
    let (ties, edges) = balance.link_forces.split_at(structure.ties.len());
    let sum = |(k, point): (usize, &super::ContactPoint)| {
        let of = |side: usize| edges[SIDES * k + side] * structure.edge(point, side);
        (0..SIDES).map(of).sum::<DVec3>()
    };
    let forces = Forces {
        contact: structure.points.iter().enumerate().map(sum).collect(),
        tension: Vec::new(),
        ties: ties.to_vec(),
    };
    let balance = Balanced::of(structure, loads, &forces);
    Ok(balance.holds().then_some((forces, balance)))
}

/// Components of force that joints and ties can transmit beyond the equations of the free blocks, or zero.
pub(super) fn redundancy(structure: &Structure) -> usize {
    let mut friction = vec![0.0_f64; structure.joints.len()];
    for point in &structure.points {
        friction[point.joint as usize] = structure.friction(point);
    }
    let components = |(joint, friction): (&drystone_contact::Joint, &f64)| {
        let along = |p: &&DVec3| p.distance(joint.points[0]) > 1e-9 * structure.length;
        match (
            joint.area > 0.0,
            joint.points.iter().any(|p| along(&p)),
            *friction > 0.0,
        ) {
            (true, _, true) => 6,
            (true, _, false) => 3,
            (false, true, true) => 5,
            (false, true, false) => 2,
            (false, false, true) => 3,
            (false, false, false) => 1,
        }
    };
    let all: usize = structure.joints.iter().zip(&friction).map(components).sum();
    (all + structure.ties.len()).saturating_sub(6 * structure.free().count())
}

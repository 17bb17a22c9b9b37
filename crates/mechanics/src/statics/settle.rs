//! The same question put to explicit time stepping: joints opened by a small gap, Coulomb friction, and time.
//!
//! Self-stress is not allowed: blocks fall into contact, and forces exist only where motion mobilises them. Unlike coupled
//! analysis it follows the blocks, so that a block may slide a little, settle elsewhere and stand.

use drystone_model::{
    BodyForce, Couple, LoadCase, Model, PointForce,
    certificate::AppliedLoad,
    motion::{CompileSettings, History, Supports},
};
use glam::{DMat3, DVec3};

use super::{Solvers, StaticsError, Structure, Verdict};
use crate::{
    dynamics::{ExplicitSettings, Integrator, Simulation, SimulationError, SimulationSettings, Start, TimeStep},
    laws::hard_stiffness,
};

const TUNING: crate::statics::tuning::Settle = crate::statics::Tuning::DEFAULT.settle;

/// What became of a structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settled {
    /// Whether it came to rest.
    pub verdict: Verdict,
    /// Largest displacement of a block (unit: m).
    pub displacement: f64,
    /// Largest speed at the end (unit: m/s).
    pub speed: f64,
    /// Simulated time (unit: s).
    pub duration: f64,
}

/// Name of the load case that stands for the loads beside gravity.
const LOADS: &str = "loads of the question";

/// Lets a structure settle under gravity (unit: m/s²).
pub fn settle(model: &Model, gravity: DVec3) -> Result<Settled, StaticsError> {
    settle_under(model, &Structure::new(model)?, gravity, &[], &Solvers::default()).map(|(settled, _)| settled)
}

/// Lets a structure settle under gravity (unit: m/s²) and further loads, until those that ask are told to stop. Also gives how
/// far each block moved (unit: m).
pub fn settle_under(
    model: &Model,
    structure: &Structure,
    gravity: DVec3,
    loads: &[AppliedLoad],
    solvers: &Solvers,
) -> Result<(Settled, Vec<f64>), StaticsError> {
    let size = structure.length;
    let mut opened = model.clone();
    // Weight acts as a load that grows from little: what closes the joints must not carry blocks away.
    opened.gravity = DVec3::ZERO;
    opened.interfaces.clear();
    for block in &mut opened.blocks {
        let mut solid = block.polyhedron();
        let volume = solid.volume();
        let mass = model.density_of(block, volume) * volume;
        solid.vertices = moved_in(&solid.vertices, &solid.faces, 0.5 * TUNING.opening * size);
        block.redraw(solid);
        block.mass = Some(mass);
    }
    let of_loads: f64 = loads
        .iter()
        .map(|l| l.force.length().max(l.couple.length() / size))
        .sum();
    let pull = if gravity == DVec3::ZERO {
        of_loads / structure.free_mass()
    } else {
        gravity.length()
    };
    if pull <= 0.0 {
        return Err(StaticsError::NoLoad(
            "nothing acts on the structure: there is no gravity and no load",
        ));
    }
    let unit = (size / pull).sqrt();
    let history = History::Table {
        times: [0.0, TUNING.closing, TUNING.loading].map(|t| t * unit).to_vec(),
        factors: vec![TUNING.lightly, TUNING.lightly, 1.0],
    };
    opened.load_cases.insert(LOADS.into(), case(gravity, loads, history));
    let weight = structure.free_mass() * pull;
    let settings = SimulationSettings {
        integrator: Integrator::Explicit(ExplicitSettings {
            local_damping: TUNING.damping,
            ..ExplicitSettings::default()
        }),
        time_step: TimeStep::Fixed(TUNING.step * unit),
        stiffness: hard_stiffness(weight, size, TUNING.compression),
        restitution: Some(0.0),
        start: Start::Uncompressed,
        ..SimulationSettings::default()
    };
    let supports = Supports::new(&opened, &CompileSettings::default(), &[])
        .map_err(|e| StaticsError::from(SimulationError::from(e)))?;
    let mut simulation = Simulation::new(&opened, settings, supports, &[LOADS.into()])?;
    let start: Vec<DVec3> = simulation.state().placements.iter().map(|p| p.center).collect();
    let fall = (size * pull).sqrt();
    let mut settled = Settled {
        verdict: Verdict::Undecided,
        displacement: 0.0,
        speed: 0.0,
        duration: 0.0,
    };
    let mut still = 0;
    let mut moved = Vec::with_capacity(start.len());
    while settled.duration < TUNING.longest * unit {
        solvers.check_stopped()?;
        simulation.step()?;
        let state = simulation.state();
        settled.duration = state.time;
        moved.clear();
        moved.extend(state.placements.iter().zip(&start).map(|(p, s)| p.center.distance(*s)));
        settled.displacement = moved.iter().copied().fold(0.0, f64::max);
        settled.speed = simulation.max_speed();
        if settled.displacement > TUNING.fallen * size {
            settled.verdict = Verdict::Unstable;
            return Ok((settled, moved));
        }
        still = if settled.speed <= TUNING.still * fall {
            still + 1
        } else {
            0
        };
        if still >= 20 && settled.duration > 1.1 * TUNING.loading * unit {
            settled.verdict = Verdict::Stable;
            return Ok((settled, moved));
        }
    }
    Ok((settled, moved))
}

fn case(gravity: DVec3, loads: &[AppliedLoad], history: History) -> LoadCase {
    let force = |l: &AppliedLoad| PointForce {
        block: l.block.clone(),
        force: l.force,
        at: Some(l.at),
    };
    let couple = |l: &AppliedLoad| Couple {
        block: l.block.clone(),
        moment: l.couple,
    };
    LoadCase {
        forces: loads.iter().map(force).collect(),
        couples: loads.iter().map(couple).collect(),
        body: vec![BodyForce {
            acceleration: gravity,
            groups: Vec::new(),
        }],
        history: Some(history),
        ..LoadCase::default()
    }
}

/// Corners of a solid whose faces are moved inwards: each to where its faces meet then.
fn moved_in(vertices: &[DVec3], faces: &[Vec<u32>], distance: f64) -> Vec<DVec3> {
    let mut sums = vec![(DMat3::ZERO, DVec3::ZERO); vertices.len()];
    for face in faces {
        let at = |k: usize| vertices[face[k % face.len()] as usize];
        let normal: DVec3 = (0..face.len()).map(|k| at(k).cross(at(k + 1))).sum();
        let Some(normal) = normal.try_normalize() else { continue };
        for &v in face {
            let (matrix, right) = &mut sums[v as usize];
            *matrix += DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
            *right += normal * -distance;
        }
    }
    // Along an edge that faces meet flatly nothing is asked: a trace of the identity leaves the corner there.
    let move_by = |(vertex, (matrix, right)): (&DVec3, &(DMat3, DVec3))| {
        let whole = *matrix + DMat3::from_diagonal(DVec3::splat(1e-9));
        *vertex + whole.inverse() * *right
    };
    vertices.iter().zip(&sums).map(move_by).collect()
}

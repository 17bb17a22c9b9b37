//! Blocks that deform less and less become rigid ones.

use drystone_cone::Twist;
use drystone_mechanics::dynamics::{Simulation, SimulationSettings, TimeStep};
use drystone_model::{Model, motion::Supports};
use glam::dvec3;

use super::{Allowed, Case, Failure, Outcome, POISSON, Row, elastic, over_plane, short};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "stiff-limit",
    group: "deformable",
    source: "rigid blocks",
    summary: "a rocking block and an arch under an impulse: stiffer and stiffer blocks move like rigid ones",
    long: false,
    run: |context| {
        let mut rows = rocking(&[1e10, 1e11, 1e12, 1e13, 1e14])?;
        rows.extend(arch(
            context.pick(&[1e10, 1e11, 1e12, 1e13, 1e14], &[1e10, 1e12]),
            context.pick(100, 50),
        )?);
        Ok(Outcome {
            rows,
            plots: Vec::new(),
        })
    },
};

/// Steps of 1 ms by backward Euler; solved closely enough that what is compared is elasticity.
fn simulation(model: &Model) -> Result<Simulation, Failure> {
    let settings = SimulationSettings {
        time_step: TimeStep::Fixed(1e-3),
        tolerance: Some(1e-8),
        rest: false,
        ..SimulationSettings::default()
    };
    Simulation::new(model, settings, Supports::default(), &[]).map_err(Failure::run)
}

/// Angle (rad) of a block of 0.5 x 0.5 x 1.5 m that is kicked into rocking, after 0.15 s.
pub(super) fn rocking(moduli: &[f64]) -> Result<Vec<Row>, Failure> {
    let model = over_plane(dvec3(0.0, -0.25, 0.0), dvec3(0.5, 0.25, 1.5), 1.0);
    let angle = |model: &Model| -> Result<f64, Failure> {
        let mut simulation = simulation(model)?;
        let angular = dvec3(0.0, 0.8, 0.0);
        // About the edge at x = 0.5 m, without a slip.
        let linear = angular.cross(dvec3(-0.25, 0.0, 0.75));
        simulation.set_velocity(1, Twist { linear, angular });
        for _ in 0..150 {
            simulation.step().map_err(Failure::run)?;
        }
        Ok(simulation.state().placements[1].rotation.to_scaled_axis().y)
    };
    tends("rocking block: angle", moduli, &model, "H8x2x2x4", angle)
}

/// Displacement of the middle voussoir (m) of Oppenheim's arch after so many ms, all of whose blocks begin with 0.5 m/s sideways.
pub(super) fn arch(moduli: &[f64], steps: usize) -> Result<Vec<Row>, Failure> {
    let model = drive::build("oppenheim-arch", &[])?;
    let moved = |model: &Model| -> Result<f64, Failure> {
        let mut simulation = simulation(model)?;
        let free: Vec<usize> = simulation.structure().free().collect();
        let linear = dvec3(0.5, 0.0, 0.0);
        free.iter().for_each(|&b| {
            simulation.set_velocity(
                b,
                Twist {
                    linear,
                    angular: glam::DVec3::ZERO,
                },
            )
        });
        for _ in 0..steps {
            simulation.step().map_err(Failure::run)?;
        }
        let middle = free[free.len() / 2];
        let state = simulation.state();
        Ok(state.placements[middle]
            .center
            .distance(simulation.structure().initial(middle).center))
    };
    tends("arch: displacement of its middle", moduli, &model, "H8x2x1x2", moved)
}

fn tends(
    what: &str,
    moduli: &[f64],
    model: &Model,
    mesh: &str,
    of: impl Fn(&Model) -> Result<f64, Failure>,
) -> Result<Vec<Row>, Failure> {
    let rigid = of(model)?;
    let mut off = Vec::new();
    for &young in moduli {
        let found = of(&elastic(model.clone(), mesh, [young, POISSON])?)?;
        off.push((found / rigid - 1.0).abs());
    }
    let told: Vec<String> = moduli
        .iter()
        .zip(&off)
        .map(|(e, d)| format!("{e:.0e} Pa: {}", short(*d)))
        .collect();
    let falls = off.windows(2).all(|w| w[1] < w[0]);
    let last = off.last().copied().unwrap_or(f64::NAN);
    Ok(vec![
        Row::words(
            format!("{what}: differences from rigid blocks ({}) fall", short(rigid)),
            "yes",
            if falls { "yes" } else { "no" },
        )
        .note(told.join(", ")),
        Row::figure(
            format!("{what}: difference at the stiffest"),
            0.0,
            last,
            Allowed::Within(1e-4),
        ),
    ])
}

//! One block: impact of a bar, weight, natural frequencies, and free flight.

use drystone_cone::Twist;
use drystone_mechanics::{Structure, dynamics::Deformed, slow::PathWay};
use drystone_output::plot::{Panel, Plot};
use glam::{DVec3, dvec3};

use super::{
    Allowed, Case, DENSITY, Failure, Outcome, POISSON, Row, YOUNG, elastic, followed, over_plane, released, short,
    stresses,
};
use crate::reproduce::slow::stage;

pub(super) const BAR: Case = Case {
    name: "bar-impact",
    group: "deformable",
    source: "Saint-Venant; 1D code",
    summary: "a bar hits a wall: how long it stays, and how fast it leaves",
    long: false,
    run: |context| {
        let mut rows = Vec::new();
        let mut panel = Panel::new("time over 2L/c", "force over E A v / c");
        for (name, theta, reference) in BAR_1D {
            let impact = bar(context.pick(40, 20), 0.5, theta)?;
            rows.extend(impact.rows(name, (!context.quick).then_some(reference)));
            panel = panel.line(name, impact.force);
        }
        let plot = Plot::new().title("A bar at a wall").panel(panel);
        Ok(Outcome {
            rows,
            plots: vec![("bar-impact".to_string(), plot)],
        })
    },
};

/// By a bar of 40 linear elements with a consistent mass and steps of half of what sound takes through one, programmed apart from
/// this program (peers/bar.py): mean velocity after the impact over that before, and impulse over 2 m v.
const BAR_1D: [(&str, f64, [f64; 2]); 2] = [
    ("theta 0.5", 0.5, [0.98165, 0.99082]),
    ("theta 1", 1.0, [0.87388, 0.93694]),
];

pub(super) struct Impact {
    /// How long contact forces last, over 2L/c.
    duration: f64,
    /// Twice the centroid of the impulse in time, over 2L/c.
    centroid: f64,
    rebound: f64,
    impulse: f64,
    balance: f64,
    force: Vec<[f64; 2]>,
}

/// A bar of 1 m along z that meets the plane with 0.1 m/s; steps are `courant` times what sound takes through an element.
pub(super) fn bar(elements: usize, courant: f64, theta: f64) -> Result<Impact, Failure> {
    let (length, side, speed) = (1.0, 0.2, 0.1);
    let model = over_plane(
        dvec3(-0.5 * side, -0.5 * side, 0.0),
        dvec3(0.5 * side, 0.5 * side, length),
        0.0,
    );
    let mut model = elastic(model, &format!("H8x1x1x{elements}"), [YOUNG, 0.0])?;
    model.gravity = DVec3::ZERO;
    let c = (YOUNG / DENSITY).sqrt();
    let (stays, pressure) = (2.0 * length / c, YOUNG * side * side * speed / c);
    let dt = courant * length / elements as f64 / c;
    let mut simulation = released(&model, dt, theta, 1e-8)?;
    let velocity = Twist {
        linear: -speed * DVec3::Z,
        angular: DVec3::ZERO,
    };
    simulation.set_velocity(1, velocity);
    let (mut force, mut sum, mut moment, mut last) = (Vec::new(), 0.0, 0.0, 0.0);
    while simulation.state().time < 1.6 * stays {
        simulation.step().map_err(Failure::run)?;
        let now: f64 = simulation.contact_forces().map(|f| f.force.z).sum();
        let time = simulation.state().time;
        sum += now * dt;
        moment += now * dt * (time - 0.5 * dt);
        if now > 1e-6 * pressure {
            last = time;
        }
        force.push([(time - 0.5 * dt) / stays, now / pressure]);
    }
    let mass = simulation.structure().free_mass();
    Ok(Impact {
        duration: last / stays,
        centroid: 2.0 * moment / sum / stays,
        rebound: simulation.state().velocities[1].linear.z / speed,
        impulse: sum / (2.0 * mass * speed),
        balance: simulation.state().energies.balance_error(),
        force,
    })
}

impl Impact {
    pub(super) fn rows(&self, name: &str, reference: Option<[f64; 2]>) -> Vec<Row> {
        let mut rows = vec![
            Row::figure(
                format!("{name}: duration over 2L/c"),
                1.0,
                self.duration,
                Allowed::Within(0.02),
            )
            .note(format!("by the centroid of the impulse {}", short(self.centroid))),
            Row::figure(
                format!("{name}: error of the energy balance"),
                1e-6,
                self.balance,
                Allowed::AtMost,
            ),
        ];
        if let Some([rebound, impulse]) = reference {
            rows.push(
                Row::figure(
                    format!("{name}: mean velocity after over before"),
                    rebound,
                    self.rebound,
                    Allowed::Within(0.01),
                )
                .note("the wave is exact at 1: what is missing swings in the bar, and with theta 1 is damped"),
            );
            rows.push(Row::figure(
                format!("{name}: impulse over 2 m v"),
                impulse,
                self.impulse,
                Allowed::Within(0.01),
            ));
        }
        rows
    }
}

pub(super) const WEIGHT: Case = Case {
    name: "block-under-weight",
    group: "deformable",
    source: "statics",
    summary: "a block on a smooth plane: pressure below it and stress in it",
    long: false,
    run: |context| {
        let mut rows = weight([context.pick(6, 4); 3], 0.0)?;
        rows.extend(weight([context.pick(6, 4); 3], POISSON)?);
        Ok(Outcome {
            rows,
            plots: Vec::new(),
        })
    },
};

/// A block of 1.0 x 0.6 x 0.8 m in so many elements.
pub(super) fn weight(n: [usize; 3], poisson: f64) -> Result<Vec<Row>, Failure> {
    let size = dvec3(1.0, 0.6, 0.8);
    let model = over_plane(dvec3(-0.5, -0.3, 0.0), dvec3(0.5, 0.3, 0.8), 0.0);
    let model = elastic(model, &format!("H8x{}x{}x{}", n[0], n[1], n[2]), [YOUNG, poisson])?;
    let (path, _) = followed(&model, vec![stage("weight", 1)], PathWay::Equilibria)?;
    let simulation = path.simulation();
    let specific = DENSITY * model.gravity.length();
    let weight = specific * size.x * size.y * size.z;
    let (mut total, mut off) = (0.0, 0.0_f64);
    for contact in simulation.contact_forces() {
        let edge = |at: f64, half: f64| if at.abs() > half - 1e-6 { 0.5 } else { 1.0 };
        let part = edge(contact.point.x, 0.5) * edge(contact.point.y, 0.3) / (n[0] * n[1]) as f64;
        total += contact.force.z;
        off = off.max((contact.force.z / (part * weight) - 1.0).abs());
    }
    let axial = stresses(simulation, 0).into_iter().map(|(at, s)| {
        let exact = -specific * (0.5 * size.z - at.z);
        (s[2] - exact).abs() / (specific * size.z)
    });
    let stress = axial.fold(0.0, f64::max);
    let name = format!("nu = {poisson}");
    let pressure = Row::figure(
        format!("{name}: largest deviation of the pressure from its mean"),
        0.0,
        off,
        Allowed::Within(0.01),
    );
    let inside = Row::figure(
        format!("{name}: largest deviation of the stress from rho g z, over rho g h"),
        0.0,
        stress,
        Allowed::Within(0.01),
    );
    let total = Row::figure(
        format!("{name}: force on the plane over the weight"),
        1.0,
        total / weight,
        Allowed::Within(1e-5),
    );
    Ok(match poisson > 0.0 {
        false => vec![pressure, inside, total],
        true => vec![
            pressure
                .unjudged()
                .note("a base that spreads by nu rho g z / E warps: on a rigid plane its pressure is not uniform"),
            inside.unjudged(),
            total,
        ],
    })
}

pub(super) const FREQUENCIES: Case = Case {
    name: "free-frequencies",
    group: "deformable",
    source: "scikit-fem",
    summary: "natural frequencies of a free block of 1 x 0.4 x 0.3 m",
    long: false,
    run: |context| {
        let meshes: &[&str] = context.pick(&["H8x20x8x6", "T10x2"], &["H8x12x5x4"]);
        let mut rows = Vec::new();
        for mesh in meshes {
            rows.extend(frequencies(mesh, 0.02)?);
        }
        rows.extend(frequencies("H8x2x2x2", f64::INFINITY)?);
        Ok(Outcome {
            rows,
            plots: Vec::new(),
        })
    },
};

/// By 14 x 6 x 4 hexahedra of 27 nodes in scikit-fem (Hz).
const MODES: [f64; 6] = [1156.747, 1302.408, 1375.286, 2337.564, 2456.436, 2584.552];

pub(super) fn frequencies(mesh: &str, allowed: f64) -> Result<Vec<Row>, Failure> {
    let model = over_plane(dvec3(-0.5, -0.2, 1.0), dvec3(0.5, 0.2, 1.3), 0.0);
    let structure = Structure::new(&elastic(model, mesh, [YOUNG, POISSON])?)?;
    let found = structure.elastic.shape(0).elastic.lowest_frequencies(12);
    let row = |(k, (exact, found)): (usize, (&f64, &f64))| {
        let row = Row::figure(
            format!("{mesh}: frequency {} (Hz)", k + 1),
            *exact,
            *found,
            Allowed::Part(allowed),
        );
        if allowed.is_finite() { row } else { row.unjudged() }
    };
    Ok(MODES.iter().zip(&found[6..]).enumerate().map(row).collect())
}

pub(super) const TUMBLING: Case = Case {
    name: "tumbling-block",
    group: "deformable",
    source: "conservation of energy",
    summary: "a free block that turns and swings keeps its energy",
    long: false,
    run: |context| {
        let periods = context.pick(300.0, 50.0);
        let turning = |spin: f64, dt: f64| tumbling(spin, dt, periods);
        let still = tumbling(0.0, 2e-5, periods)?;
        let [long, slow] = [turning(1.0, 2e-5)?, turning(1.0, 1e-5)?];
        let fast = [turning(10.0, 2e-5)?, turning(10.0, 1e-5)?]
            .map(|f| short(f.drift))
            .join(", ");
        let rigid = [spinning(10.0, 2e-5, periods)?, spinning(10.0, 1e-5, periods)?]
            .map(short)
            .join(", ");
        let rows = vec![
            slow.row(1e-6)
                .note(format!("in steps of 0.01 ms; of 0.02 ms: {}", short(long.drift))),
            still.row(1e-9).note("the same, swinging without turning"),
            Row::shown("ten times as fast: drift in steps of 0.02 and 0.01 ms", "-", fast),
            Row::shown("the same of a rigid block", "-", rigid)
                .note("what limits it: the rotation of the rigid motion, which is of first order in the step"),
            Row::shown(
                "energy of deformation over that of motion",
                "some per cent",
                short(slow.share),
            ),
        ];
        Ok(Outcome {
            rows,
            plots: Vec::new(),
        })
    },
};

pub(super) struct Flight {
    pub(super) drift: f64,
    pub(super) share: f64,
    periods: f64,
}

impl Flight {
    pub(super) fn row(&self, most: f64) -> Row {
        let name = format!("largest drift of the energy within {} periods", short(self.periods));
        Row::figure(name, most, self.drift, Allowed::AtMost)
    }
}

/// A block of 1 x 0.4 x 0.3 m that turns at `spin` times (1, 2, -0.5) 1/s and swings in its first bending modes, without weight.
pub(super) fn tumbling(spin: f64, dt: f64, periods: f64) -> Result<Flight, Failure> {
    let model = over_plane(dvec3(-0.5, -0.2, 10.0), dvec3(0.5, 0.2, 10.3), 0.0);
    let mut model = elastic(model, "H8x4x2x2", [YOUNG, POISSON])?;
    model.gravity = DVec3::ZERO;
    let mut simulation = released(&model, dt, 0.5, 1e-8)?;
    let velocity = Twist {
        linear: DVec3::X,
        angular: spin * dvec3(1.0, 2.0, -0.5),
    };
    simulation.set_velocity(1, velocity);
    let rigid = simulation.state().energies.kinetic;
    let elastic = &simulation.structure().elastic.shape(0).elastic;
    let bent = |x: DVec3| dvec3(0.3 * x.x * x.y, x.x * x.x - x.y * x.y, 2.0 * x.x * x.x);
    let mut deformed = Deformed {
        displacement: vec![DVec3::ZERO; elastic.node_count()],
        velocity: elastic.mesh().nodes.iter().map(|&x| bent(x)).collect(),
    };
    elastic.remove_rigid(&mut deformed.velocity);
    let factor = (0.03 * rigid / elastic.kinetic_energy(&deformed.velocity)).sqrt();
    deformed.velocity.iter_mut().for_each(|v| *v *= factor);
    let period = elastic.first_period();
    simulation.set_deformed(1, &deformed);
    let energy = |s: &drystone_mechanics::dynamics::Energies| s.kinetic + s.deformation;
    let first = energy(&simulation.state().energies);
    let share = simulation.state().energies.deformation / rigid;
    let mut drift = 0.0_f64;
    while simulation.state().time < periods * period {
        simulation.step().map_err(Failure::run)?;
        drift = drift.max((energy(&simulation.state().energies) / first - 1.0).abs());
    }
    Ok(Flight { drift, share, periods })
}

/// Drift of a rigid block that turns, over as long.
fn spinning(spin: f64, dt: f64, periods: f64) -> Result<f64, Failure> {
    let mut model = over_plane(dvec3(-0.5, -0.2, 10.0), dvec3(0.5, 0.2, 10.3), 0.0);
    model.gravity = DVec3::ZERO;
    let mut simulation = released(&model, dt, 0.5, 1e-8)?;
    let velocity = Twist {
        linear: DVec3::X,
        angular: spin * dvec3(1.0, 2.0, -0.5),
    };
    simulation.set_velocity(1, velocity);
    let first = simulation.state().energies.kinetic;
    let mut drift = 0.0_f64;
    // The first period of the block that deforms.
    while simulation.state().time < periods / MODES[0] {
        simulation.step().map_err(Failure::run)?;
        drift = drift.max((simulation.state().energies.kinetic / first - 1.0).abs());
    }
    Ok(drift)
}

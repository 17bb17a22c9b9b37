//! Elastic joints that swing: frequencies of a column and of a block, against closed forms.

use std::f64::consts::{PI, TAU};

use drystone_analysis::Failure;
use drystone_cone::Twist;
use drystone_mechanics::dynamics::{ExplicitSettings, Integrator, JointStiffness, SimulationSettings};
use drystone_model::Model;
use glam::DVec3;

use super::{Allowed, Case, Context, GROUP, Outcome, Row, drive, implicit, short};

pub(super) const CASE: Case = Case {
    name: "column-explicit",
    group: GROUP,
    source: "beyond the papers",
    summary: "a column that swings along its axis and blocks that rock on elastic joints, against closed forms",
    long: false,
    run,
};

const G: f64 = 9.81;
const PERIODS: f64 = 10.0;
/// Length of a short step, over the period: the error of a step is then 4e-5 of the frequency.
const STEP: f64 = 5e-3;
/// What joints are moved by, over what the weight of a block compresses them by: none opens or slides.
const GENTLY: f64 = 0.1;
/// Stiffness along the normal and across it (N/m3).
const STIFFNESS: [f64; 2] = [1e9, 4e8];
const DENSITY: f64 = 2000.0;

/// Blocks of a size (m) on each other.
struct Column {
    blocks: usize,
    size: DVec3,
}

impl Column {
    fn area(&self) -> f64 {
        self.size.x * self.size.y
    }

    fn mass(&self) -> f64 {
        DENSITY * self.area() * self.size.z
    }

    fn model(&self) -> Result<Model, Failure> {
        let [width, depth, height] = self.size.to_array().map(|s| s.to_string());
        let (blocks, density) = (self.blocks.to_string(), DENSITY.to_string());
        let values = [
            ("blocks", &*blocks),
            ("width", &*width),
            ("depth", &*depth),
            ("height", &*height),
            ("density", &*density),
            ("friction", "0.8"),
        ];
        drive::build("stack", &values)
    }

    /// Compression of a joint under the weight of one block (m).
    fn compression(&self) -> f64 {
        self.mass() * G / (STIFFNESS[0] * self.area())
    }

    /// The first angular frequency along the axis (1/s), of equal masses on equal springs, and its shape.
    fn axial(&self) -> (f64, Vec<f64>) {
        let odd = (2 * self.blocks + 1) as f64;
        let root = (STIFFNESS[0] * self.area() / self.mass()).sqrt();
        let shape = (1..=self.blocks).map(|k| (PI * k as f64 / odd).sin()).collect();
        (2.0 * root * (0.5 * PI / odd).sin(), shape)
    }

    /// The lower angular frequency of a single block that rocks and slides (1/s), and the motion of its centre along x for a turn
    /// about y by one. `gyration` is the squared distance of the springs of its base from its middle (m2).
    ///
    /// ```text
    /// m x'' = -k_T A (x - h phi),   I phi'' = h k_T A (x - h phi) - (k_N A gyration - m g h) phi,   h half of its height
    /// ```
    fn rocking(&self, gyration: f64) -> (f64, f64) {
        let (mass, half) = (self.mass(), 0.5 * self.size.z);
        let inertia = mass * (self.size.x.powi(2) + self.size.z.powi(2)) / 12.0;
        let across = STIFFNESS[1] * self.area();
        let turning = half * half * across + STIFFNESS[0] * self.area() * gyration - mass * G * half;
        let (a, b, c) = (across / mass, turning / inertia, half * across);
        let squared = 0.5 * (a + b) - (0.25 * (a - b).powi(2) + c * c / (mass * inertia)).sqrt();
        (squared.sqrt(), c / mass / (a - squared))
    }
}

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let column = Column {
        blocks: 10,
        size: DVec3::new(0.5, 0.5, 0.25),
    };
    let (exact, shape) = column.axial();
    let slow = GENTLY * column.compression() * exact;
    let along = |k: usize| Twist {
        linear: slow * shape[k] * DVec3::Z,
        angular: DVec3::ZERO,
    };
    let computed = swung(context, &column, exact, along, |at| at.z)?;
    let mut rows = vec![
        Row::figure(
            "ten blocks, first frequency along the axis (Hz)",
            exact / TAU,
            computed / TAU,
            Allowed::Part(0.01),
        )
        .note("2 sqrt(k A / m) sin(pi / 42)"),
    ];
    for size in [DVec3::new(0.6, 0.6, 2.0), DVec3::new(1.0, 0.6, 0.5)] {
        let block = Column { blocks: 1, size };
        let of_points = block.rocking(0.25 * size.x.powi(2));
        let of_face = block.rocking(size.x.powi(2) / 12.0);
        let (exact, beside) = of_points;
        let turn = GENTLY * block.compression() / size.x * exact;
        let about = |_: usize| Twist {
            linear: turn * beside * DVec3::X,
            angular: turn * DVec3::Y,
        };
        let computed = swung(context, &block, exact, about, |at| at.x)?;
        let name = format!("block of {} x {} m: first rocking frequency", size.x, size.z);
        rows.push(
            Row::figure(
                format!("{name}, springs at its corners (Hz)"),
                exact / TAU,
                computed / TAU,
                Allowed::Part(0.01),
            )
            .note("two degrees of freedom, the weight's own moment included"),
        );
        rows.push(Row::shown(
            format!("{name}, springs all over its base (Hz)"),
            short(of_face.0 / TAU),
            short(computed / TAU),
        ));
    }
    Ok(Outcome { rows, plots: vec![] })
}

/// The angular frequency of the topmost block's centre (1/s) where blocks begin with the velocities of a mode of about `expected`.
fn swung(
    context: &Context<'_>,
    column: &Column,
    expected: f64,
    velocity: impl Fn(usize) -> Twist,
    of: impl Fn(DVec3) -> f64,
) -> Result<f64, Failure> {
    let model = column.model()?;
    let period = TAU / expected;
    let settings = SimulationSettings {
        stiffness: Some(JointStiffness {
            normal: STIFFNESS[0],
            tangential: STIFFNESS[1],
        }),
        integrator: Integrator::Explicit(ExplicitSettings {
            dt: Some(STEP * period),
            damping: Some(0.0),
            ..ExplicitSettings::default()
        }),
        ..implicit(STIFFNESS[0], 0.02 * period)
    };
    let mut simulation = drive::simulation_with(&model, settings, "")?;
    let free: Vec<usize> = simulation.structure().free().collect();
    for (k, &b) in free.iter().enumerate() {
        simulation.set_velocity(b, velocity(k));
    }
    let top = free[free.len() - 1];
    let begin = of(simulation.state().placements[top].center);
    let mut curve = Vec::new();
    drive::run(context, &mut simulation, (PERIODS + 1.0) * period, &[], |s, _| {
        curve.push([s.state().time, of(s.state().placements[top].center) - begin]);
        false
    })?;
    // Times at which it comes up through where it began, by straight lines.
    let ups: Vec<f64> = curve
        .windows(2)
        .filter(|w| w[0][1] < 0.0 && w[1][1] >= 0.0)
        .map(|w| w[0][0] + (w[1][0] - w[0][0]) * w[0][1] / (w[0][1] - w[1][1]))
        .collect();
    Ok(match &ups[..] {
        [first, .., last] => TAU * (ups.len() - 1) as f64 / (last - first),
        _ => f64::NAN,
    })
}

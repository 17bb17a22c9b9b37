//! Paper 004, table 1 and remark 1: arch thick, model H and the three-legged pi.

use glam::DVec3;

use super::{
    Case, Context, Failure, Method, Outcome, Row, Solvers, Verdict, angle_row, structure, tilted_until, verdict,
};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "table1",
    group: "statics",
    source: "004 table 1, remark 1",
    summary: "arch thick, three-legged pi and model H: verdicts and critical tilts",
    long: false,
    run,
};

/// The paper gives angles to a tenth of a degree.
const TENTH: f64 = 0.1;

fn run(_: &Context<'_>) -> Result<Outcome, Failure> {
    let mut solvers = Solvers::default();
    let mut rows = Vec::new();
    for (friction_deg, published) in [(43.0, 8.2), (21.8, 3.0)] {
        for method in [Method::Rbe, Method::Cra] {
            rows.push(arch(friction_deg, published, method, &mut solvers)?);
        }
    }
    rows.extend(model_h(&mut solvers)?);
    let pi = structure(&drive::build("three-legged-pi", &[])?)?;
    for method in [Method::Rbe, Method::Cra] {
        let found = tilted_until(&pi, DVec3::Y, method, &mut solvers)?;
        let quantity = format!("three-legged pi, critical tilt, {} (deg)", method.name());
        let computed = format!("{:.2}", found.lower.unwrap_or(0.0).to_degrees());
        rows.push(
            Row::shown(quantity, "19.5", computed)
                .note("no sizes are published; the legs' slenderness was fitted to this very angle"),
        );
    }
    rows.push(solvers.certificates());
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

/// The critical tilt of arch thick: a semicircle, thickness over radius of the centreline 0.15, 36 voussoirs.
pub(super) fn arch(friction_deg: f64, published: f64, method: Method, solvers: &mut Solvers) -> Result<Row, Failure> {
    let friction = friction_deg.to_radians().tan();
    let arch = structure(&drive::build("arch", &[])?)?.with_friction(friction);
    let found = tilted_until(&arch, DVec3::Y, method, solvers)?;
    let quantity = format!("arch thick, friction {friction_deg}°, {} (deg)", method.name());
    Ok(angle_row(quantity, published, &found, TENTH))
}

/// A block that nothing presses between its walls falls, unless self-stress is allowed.
pub(super) fn model_h(solvers: &mut Solvers) -> Result<Vec<Row>, Failure> {
    let model = drive::build("model-h", &[("friction", "0.9325")])?;
    let cases = [
        (Method::Rbe, Verdict::Stable),
        (Method::Cone, Verdict::Stable),
        (Method::Cra, Verdict::Unstable),
    ];
    let mut rows = Vec::new();
    for (method, published) in cases {
        let found = verdict(&model, method, solvers)?;
        let quantity = format!("model H, {}", method.name());
        rows.push(Row::words(quantity, published.name(), found.name()));
    }
    Ok(rows)
}

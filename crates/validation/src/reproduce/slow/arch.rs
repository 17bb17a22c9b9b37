//! An arch on supports that spread, against rigid halves on three hinges.

use drystone_mechanics::slow::PathEnd;
use drystone_model::Model;
use glam::{DVec2, DVec3};

use super::{Allowed, Case, Context, Failure, Outcome, Row, followed, shift, short, stage};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "arch-spreading",
    group: "slow",
    source: "three-hinge statics",
    summary: "the right support of an arch moves away until it falls",
    long: false,
    run,
};

const RADIUS: f64 = 5.0;
const THICKNESS: f64 = 0.75;
const EMBRACE_DEG: f64 = 90.0;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let values = [
        ("radius", "5"),
        ("thickness", "0.75"),
        ("embrace-deg", "90"),
        ("voussoirs", "20"),
        ("friction", "1"),
    ];
    let model = drive::build("arch", &values)?;
    let farthest = 3.0;
    let stages = vec![
        stage("weight", 2),
        shift("springer-right", DVec3::new(farthest, 0.0, 0.0), context.pick(120, 60)),
    ];
    let (path, end) = followed(&model, stages, None)?;
    let found = match &end {
        PathEnd::Completed => f64::NAN,
        PathEnd::NoEquilibrium { between, .. } => farthest * between[0],
    };
    let (exact, where_) = three_hinges(&model);
    let simulation = path.simulation();
    let all = drystone_analysis::openings(
        simulation.structure(),
        path.initial(),
        (&simulation.state().placements, simulation.state().deformed()),
        simulation.absent(),
    );
    let hinges = all.iter().filter(|j| j.opening > 1e-3).count();
    let span = 2.0 * (RADIUS - 0.5 * THICKNESS) * (0.5 * EMBRACE_DEG).to_radians().sin();
    let rows =
        vec![
        Row::figure("spread at collapse (m)", exact, found, Allowed::Part(0.01)).note(format!(
            "{} % of the span; rigid halves on hinges at crown and springings until the thrust line meets the {where_}",
            short(100.0 * exact / span)
        )),
        Row::figure("joints that are open in the last equilibrium", 3.0, hinges as f64, Allowed::Within(0.0)),
    ];
    Ok(Outcome {
        rows,
        plots: Vec::new(),
    })
}

/// The spread at which the thrust line of two rigid halves, on hinges at the extrados of the crown and the intrados of the
/// springings, leaves a joint between them; and where. Statics of a half alone: no code of the program but its masses.
fn three_hinges(model: &Model) -> (f64, &'static str) {
    let half = (0.5 * EMBRACE_DEG).to_radians();
    let (inner, outer) = (RADIUS - 0.5 * THICKNESS, RADIUS + 0.5 * THICKNESS);
    let polar = |radius: f64, angle: f64| DVec2::new(radius * angle.sin(), radius * angle.cos());
    let count = model.free_blocks().count();
    let step = 2.0 * half / count as f64;
    // Weight and centre of each voussoir of the left half, from the springing to the crown.
    let mut blocks: Vec<(f64, DVec2)> = model
        .free_blocks()
        .map(|b| model.mass_of(b))
        .map(|(mass, p)| (mass, DVec2::new(p.centroid.x, p.centroid.z)))
        .filter(|(_, c)| c.x < 0.0)
        .collect();
    blocks.sort_by(|a, b| a.1.x.total_cmp(&b.1.x));
    // Places in the model have their own origin: that of the arch's centre is found from the crown.
    let top = blocks.iter().map(|b| b.1.y).fold(f64::NEG_INFINITY, f64::max);
    let drop = top - centroid_radius() * (0.5 * step).cos();
    blocks.iter_mut().for_each(|b| b.1.y -= drop);
    let (springing, crown) = (polar(inner, -half), polar(outer, 0.0));
    let arm = crown.distance(springing);
    let rise = (crown - springing).to_angle();
    let left = |spread: f64| -> Option<&'static str> {
        // The half turns about its springing until its crown is in the middle of the wider span.
        let reach = -springing.x + 0.5 * spread;
        if reach >= arm {
            return Some("flat line");
        }
        let turn = DVec2::from_angle((reach / arm).acos() - rise);
        let place = |p: DVec2| turn.rotate(p - springing);
        let crown = place(crown);
        let weight: f64 = blocks.iter().map(|b| b.0).sum();
        let moment: f64 = blocks.iter().map(|b| b.0 * place(b.1).x).sum();
        let thrust = moment / crown.y;
        let mut above = (weight, moment);
        for (k, (mass, centre)) in blocks.iter().enumerate().take(blocks.len() - 1) {
            above = (above.0 - mass, above.1 - mass * place(*centre).x);
            let angle = -half + step * (k + 1) as f64;
            // Moment of what is above about each end of the joint: of opposite signs while the thrust passes between them.
            let about = |p: DVec2| thrust * (crown.y - p.y) - (above.1 - above.0 * p.x);
            if about(place(polar(inner, angle))) < 0.0 {
                return Some("intrados");
            }
            if about(place(polar(outer, angle))) > 0.0 {
                return Some("extrados");
            }
        }
        None
    };
    let (mut low, mut high) = (0.0, 2.0 * RADIUS);
    let mut spread = 0.0;
    while spread < high {
        if left(spread).is_some() {
            high = spread;
            break;
        }
        (low, spread) = (spread, spread + 1e-3);
    }
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        (low, high) = if left(middle).is_some() {
            (low, middle)
        } else {
            (middle, high)
        };
    }
    (low, left(high).unwrap_or("nothing"))
}

/// Distance of the centre of a straight-sided voussoir from the centre of the arch, which places of the model are compared by.
fn centroid_radius() -> f64 {
    let step = EMBRACE_DEG.to_radians() / 20.0;
    let (inner, outer) = (RADIUS - 0.5 * THICKNESS, RADIUS + 0.5 * THICKNESS);
    let cos = (0.5 * step).cos();
    // A trapezium between the chords of both circles.
    let (a, b, height) = (inner, outer, (outer - inner) * cos);
    inner * cos + height * (a + 2.0 * b) / (3.0 * (a + b))
}

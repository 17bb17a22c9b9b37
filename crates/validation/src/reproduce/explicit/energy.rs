//! Walls that are shaken for long: where the energy goes.

use drystone_analysis::Failure;
use drystone_mechanics::dynamics::max_displacement;
use drystone_output::plot::{Panel, Plot};

use super::{Allowed, Case, Context, GROUP, Outcome, Row, STIFFNESS, drive, explicit, short};

pub(super) const CASE: Case = Case {
    name: "energy-explicit",
    group: GROUP,
    source: "beyond the papers",
    summary: "a wall of 45 blocks under 0.3 g at 2 Hz for 10 s, rocking or sliding: balance of energies",
    long: false,
    run,
};

/// What may be left of the balance, and what contacts may create, over the largest exchange.
const ALLOWED: f64 = 1e-3;

fn run(context: &Context<'_>) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let ways = [("out of plane, rocking", 'y', "0.6"), ("in plane, sliding", 'x', "0.2")];
    for (name, axis, friction) in ways {
        let values = [
            ("length", "3.5"),
            ("height", "1.5"),
            ("friction", friction),
            ("ground-friction", friction),
        ];
        let model = drive::build("wall", &values)?;
        let motion = format!("sine:amplitude=0.3g,frequency=2,direction={axis}");
        let mut simulation = drive::simulation_with(&model, explicit(STIFFNESS, 2e-3), &motion)?;
        let (mut error, mut created, mut moved) = (0.0_f64, 0.0_f64, 0.0_f64);
        let duration = context.pick(10.0, 2.0);
        let history = drive::run(context, &mut simulation, duration, &[], |s, _| {
            let energies = &s.state().energies;
            error = error.max(energies.balance_error());
            created = created.max(energies.created_part().abs());
            moved = moved.max(max_displacement(s.structure(), s.state(), s.ground_displacement()));
            false
        })?;
        let last = history.energies.last().copied().unwrap_or_default();
        let note = format!(
            "{} blocks, moved by up to {} m; input {} J, friction {} J, dashpots {} J, {} J at the most in motion and height",
            model.free_blocks().count(),
            short(moved),
            short(last.input),
            short(last.friction),
            short(last.viscous),
            short(
                history
                    .energies
                    .iter()
                    .map(|e| e.kinetic + e.potential.abs())
                    .fold(0.0, f64::max)
            )
        );
        outcome.rows.push(
            Row::figure(
                format!("{name}: largest error of the balance within {duration} s (part)"),
                ALLOWED,
                error,
                Allowed::AtMost,
            )
            .note(note),
        );
        outcome.rows.push(Row::figure(
            format!("{name}: energy that contacts created (part)"),
            ALLOWED,
            created,
            Allowed::AtMost,
        ));
        let plot = Plot::new().title(format!("Wall under 0.3 g at 2 Hz, {name}")).panel(
            Panel::new("time (s)", "energy over weight (m)")
                .line("kinetic", history.energy(|e| e.kinetic))
                .line("potential", history.energy(|e| e.potential))
                .line("dissipated", history.energy(|e| e.dissipated()))
                .dashed("input", history.energy(|e| e.input)),
        );
        let file = format!("energy-explicit-{}", name.replace(", ", "-").replace(' ', "-"));
        outcome.plots.push((file, plot));
    }
    Ok(outcome)
}

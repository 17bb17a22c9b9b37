//! Horizontal capacities of paper 003 by limit analysis.

use glam::DVec3;

use super::{Allowed, Case, Context, Failure, Outcome, Row, Solvers, capacity, short, structure};
use crate::reproduce::drive;

pub(super) const CASE: Case = Case {
    name: "capacities",
    group: "statics",
    source: "003 sections 4.3 to 4.5",
    summary: "horizontal capacities of Oppenheim's arch, the spandrel arch and the stone house",
    long: false,
    run,
};

pub(super) const CHURCH: Case = Case {
    name: "church-capacity",
    group: "statics",
    source: "003 section 4.6",
    summary: "the horizontal capacity of the church of 5,161 blocks",
    long: true,
    run: |_| {
        let mut solvers = Solvers::default();
        let note = "block sizes of the recipe were picked for the number of blocks; walls only";
        let row = row("church", DVec3::NEG_Y, 0.238, 0.1, note, &mut solvers)?;
        Ok(Outcome {
            rows: vec![row, solvers.certificates()],
            plots: Vec::new(),
        })
    },
};

fn run(_: &Context<'_>) -> Result<Outcome, Failure> {
    let mut solvers = Solvers::default();
    let solvers = &mut solvers;
    let arch = "straight-sided voussoirs; a computation outside the program gives 0.447";
    let spandrel = "the drawing of the bond is not in the text";
    let house = "the recipe's sizes were fitted to this very figure: no validation";
    Ok(Outcome {
        rows: vec![
            row("oppenheim-arch", DVec3::X, 0.444, 0.01, arch, solvers)?,
            row("spandrel-arch", DVec3::X, 0.284, 0.1, spandrel, solvers)?,
            row("stone-house", DVec3::NEG_Y, 0.372, 0.01, house, solvers)?,
            solvers.certificates(),
        ],
        plots: Vec::new(),
    })
}

fn row(
    recipe: &str,
    direction: DVec3,
    published: f64,
    part: f64,
    note: &str,
    solvers: &mut Solvers,
) -> Result<Row, Failure> {
    let structure = structure(&drive::build(recipe, &[])?)?;
    let found = capacity(&structure, direction, solvers)?;
    let [low, high] = found.bounds;
    let row = Row::figure(
        format!("{recipe}, horizontal capacity (g)"),
        published,
        low,
        Allowed::Part(part),
    );
    Ok(row.note(format!(
        "bounds {low:.5} and {high:.5}, {} s; {note}",
        short(found.time)
    )))
}

//! Paper 004, figure 13: the Armadillo vault.

use super::{
    Allowed, Case, Context, Failure, Method, Outcome, Row, Solvers, absent, at_rest, published, short, structure,
};

pub(super) const CASE: Case = Case {
    name: "armadillo",
    group: "statics",
    source: "004 fig. 13, table 5",
    summary: "the Armadillo vault, 399 blocks with their stored joints: verdicts and times",
    long: true,
    run,
};

/// Solving time of the paper (s).
const THEIRS: f64 = 2424.44;

fn run(_: &Context<'_>) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::default();
    let Some(model) = published("armadillo_cra", &[], 0.84)? else {
        outcome.rows.push(absent("armadillo_cra"));
        return Ok(outcome);
    };
    let vault = structure(&model)?;
    let joints = vault.joints.len();
    outcome
        .rows
        .push(Row::figure("joints", 1014.0, joints as f64, Allowed::Within(0.0)));
    let mut solvers = Solvers::default();
    for method in [Method::Cone, Method::Rbe, Method::Cra] {
        let found = at_rest(&vault, method, &mut solvers)?;
        let what = format!("vault, mu 0.84, {}", method.name());
        outcome
            .rows
            .push(Row::words(&what, "stable", found.verdict.name()).note(found.reason));
        let time = Row::shown(
            format!("{what}: time (s)"),
            if method == Method::Cra {
                short(THEIRS)
            } else {
                "-".to_string()
            },
            short(found.time),
        );
        outcome.rows.push(time);
    }
    outcome.rows.push(solvers.certificates());
    Ok(outcome)
}

//! `drystone reproduce`: published cases, and what comes out here.
//!
//! A case is a function of a [`Context`] that runs simulations (`drive`), measures them (`measure`) and gives [`Row`]s: what
//! was published, what was computed, and how far apart they may be. Tolerances are what the publication's own resolution
//! allows; they stand in the case beside the published figure.

mod at_rest;
mod block3d;
mod case;
mod church;
mod deformable;
mod drive;
mod explicit;
mod flight;
mod housner;
mod measure;
mod oppenheim;
mod rocking_stack;
mod sliding;
mod slow;
mod spandrel;
mod statics;
mod stone_house;
mod studies;
mod unsupported;

use std::{path::PathBuf, time::Instant};

use clap::Args;
use serde_json::json;

use drystone_output::file::write_atomically;

use drystone_analysis::{Failure, words::counted};

use crate::{CommandReport, Listener};
pub(crate) use case::columns;
use case::{Case, Context, Row};
pub(crate) use slow::resultant;

/// The cases of structures that move, in the order in which they are listed and run.
const DYNAMICS: &[Case] = &[
    housner::CASE,
    block3d::CASE,
    oppenheim::CASE,
    spandrel::CASE,
    spandrel::SHAKEN,
    stone_house::CASE,
    unsupported::NATURAL_ARCH,
    unsupported::CORBELLED_CYLINDER,
    church::CASE,
    sliding::CASE,
    at_rest::STACK,
    at_rest::ARCH,
    flight::CASE,
    rocking_stack::CASE,
];

/// Every case, in the order in which they are listed and run.
fn cases() -> impl Iterator<Item = &'static Case> {
    DYNAMICS
        .iter()
        .chain(explicit::CASES)
        .chain(statics::CASES)
        .chain(slow::CASES)
        .chain(deformable::CASES)
        .chain(studies::CASES)
}

/// Run published cases and print published and computed side by side
///
/// Every figure comes with the tolerance that the publication's own resolution allows. The exit status is 1 if one is
/// outside it.
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone reproduce --list
  drystone reproduce housner block3d --plots plots
  drystone reproduce --all dynamics --quick
  drystone reproduce --all explicit --plots plots
  drystone reproduce --all statics
  drystone reproduce --all slow --plots plots
  drystone reproduce --all deformable --plots plots
  drystone reproduce --all studies --plots plots --records fema_p695_far_field
  drystone reproduce                          everything but what takes long")]
pub struct Reproduce {
    /// Cases to run [default: all but the long ones]
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// Name the cases and stop
    #[arg(long)]
    list: bool,
    /// Run every case of a group, the long ones too
    #[arg(long, value_name = "GROUP", conflicts_with = "cases")]
    all: Option<String>,
    /// Write the plots of each case to this folder (.svg, .png, and their points as .csv)
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Folder of recorded ground motions, for cases that ask for them
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// Longer time steps and shorter runs: a first look, which need not meet every tolerance
    #[arg(long)]
    quick: bool,
}

impl Reproduce {
    /// Runs the cases that were chosen.
    pub fn run(&self, listener: &dyn Listener) -> Result<CommandReport, Failure> {
        if self.list {
            return Ok(list());
        }
        let chosen = self.chosen()?;
        if let Some(folder) = &self.plots {
            std::fs::create_dir_all(folder).map_err(|e| Failure::run(format!("{}: {e}", folder.display())))?;
        }
        let context = Context {
            listener,
            quick: self.quick,
            plots: self.plots.as_deref(),
            records: self.records.as_deref(),
        };
        let mut rows: Vec<(&str, Row)> = Vec::new();
        for case in chosen {
            let began = Instant::now();
            listener.progress(&format!("{}: {}", case.name, case.summary));
            let outcome = match (case.run)(&context) {
                Ok(outcome) => outcome,
                Err(failure) => {
                    // What other cases gave must not be lost.
                    rows.push((
                        case.name,
                        Row::words("the run", "ends", "failed").note(failure.message()),
                    ));
                    continue;
                }
            };
            listener.progress(&format!("{}: {:.1} s", case.name, began.elapsed().as_secs_f64()));
            // The table comes at the end; who stops before must not lose what was computed.
            (outcome.rows.iter()).for_each(|row| listener.progress(&format!("{}: {}", case.name, row.line())));
            rows.extend(outcome.rows.into_iter().map(|row| (case.name, row)));
            if let Some(folder) = &self.plots {
                for (name, plot) in outcome.plots {
                    let svg = plot.svg().map_err(Failure::run)?;
                    let png = plot.png().map_err(Failure::run)?;
                    write_atomically(&folder.join(format!("{name}.svg")), svg.as_bytes()).map_err(Failure::run)?;
                    write_atomically(&folder.join(format!("{name}.png")), &png).map_err(Failure::run)?;
                    let csv = plot.csv();
                    write_atomically(&folder.join(format!("{name}.csv")), csv.as_bytes()).map_err(Failure::run)?;
                }
            }
        }
        let json: Vec<_> = rows.iter().map(|(case, row)| row.json(case)).collect();
        let mut report = CommandReport::new(json!({ "cases": json, "quick": self.quick }), case::table(&rows));
        let off = rows.iter().filter(|(_, row)| !row.ok()).count();
        report.failure = (off > 0).then(|| {
            let figures = counted(off, "figure");
            Failure::run(format!("{figures} of {} outside its tolerance", rows.len()))
        });
        Ok(report)
    }

    fn chosen(&self) -> Result<Vec<&'static Case>, Failure> {
        if let Some(group) = &self.all {
            let all: Vec<&Case> = cases().filter(|c| c.group == group).collect();
            if all.is_empty() {
                let mut groups: Vec<&str> = cases().map(|c| c.group).collect();
                groups.dedup();
                let message = format!(
                    "--all {group}: there is no such group; there are: {}",
                    groups.join(", ")
                );
                return Err(Failure::input(message));
            }
            return Ok(all);
        }
        if self.cases.is_empty() {
            return Ok(cases().filter(|c| !c.long).collect());
        }
        let find = |name: &String| {
            cases().find(|c| c.name == name).ok_or_else(|| {
                let known: Vec<&str> = cases().map(|c| c.name).collect();
                Failure::input(format!("there is no case `{name}`")).help(format!("cases: {}", known.join(", ")))
            })
        };
        self.cases.iter().map(find).collect()
    }
}

fn list() -> CommandReport {
    let json: Vec<_> = cases()
        .map(|c| json!({ "case": c.name, "group": c.group, "source": c.source, "summary": c.summary, "long": c.long }))
        .collect();
    let mut rows = vec![["case", "group", "source", "what"].map(str::to_string)];
    rows.extend(cases().map(|c| {
        let what = if c.long {
            format!("{} (takes long)", c.summary)
        } else {
            c.summary.to_string()
        };
        [c.name.to_string(), c.group.to_string(), c.source.to_string(), what]
    }));
    CommandReport::new(json!({ "cases": json }), case::columns(&rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_a_name_of_its_own() {
        let mut names: Vec<&str> = cases().map(|c| c.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), cases().count());
    }
}

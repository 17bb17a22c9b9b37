//! The command line of drystone. What each command does is in `commands`; this file only finds the right one.

pub mod call;
mod commands;
mod error;
mod joints;
mod material;
mod numbers;
mod overrides;
mod progress;
mod report;
mod target;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use drystone_analysis::Failure;
use report::Console;

/// Does a structure of blocks that touch without glue stand, what would bring it down, and how does it fall?
#[derive(Parser)]
#[command(
    name = "drystone",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  drystone demo                                    the spandrel arch: summary, picture, 3D file
  drystone new --list                              the structures that can be built
  drystone new arch --embrace-deg 150 -o arch.json build one
  drystone import wall.obj --supports b1,b2 -o wall.json
  drystone info wall.json                          blocks, mass, overlaps, problems
  drystone contacts wall.json                      where blocks touch
  drystone check wall.json -o verdict              does it stand? with a certificate
  drystone verify verdict/certificate.json wall.json
  drystone limit wall.json --direction 0,1,0       how large a horizontal force it carries
  drystone tilt wall.json --axis 1,0,0             critical tilt angle
  drystone settle arch.json --shift right=0.1,0,0  load it slowly, to its last equilibrium
  drystone study --new fragility wall.json         many runs: a study file to start from
  drystone view wall.json                          look at it, change it and shake it in the browser

Units are SI, z points up. Exit status: 0 an answer, 1 a failure of the run, 2 bad input or bad usage."
)]
struct Cli {
    /// Print one JSON object on standard output instead of text
    #[arg(long, global = true)]
    json: bool,
    /// Print nothing but the result and errors
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(commands::demo::Demo),
    New(commands::new::New),
    Import(commands::import::Import),
    Export(commands::export::Export),
    Info(commands::info::Info),
    Contacts(commands::contacts::Contacts),
    Check(Box<commands::statics::check::Check>),
    Limit(Box<commands::statics::limit::Limit>),
    Tilt(Box<commands::statics::tilt::Tilt>),
    Settle(Box<commands::statics::settle::Settle>),
    Simulate(Box<commands::simulate::Simulate>),
    Study(commands::study::Study),
    View(commands::view::View),
    Verify(commands::statics::verify::Verify),
    Report(commands::report::Report),
    Reproduce(drystone_validation::Reproduce),
    #[command(subcommand)]
    Bench(drystone_validation::Bench),
    Schema(commands::schema::Schema),
    Completions(commands::completions::Completions),
}

/// The whole command line, with a subcommand of `new` for every recipe.
fn command_line() -> clap::Command {
    Cli::command().mut_subcommand("new", commands::new::with_recipes)
}

/// Runs a command line, its program's name first.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    let command = line(&words);
    let read = command_line().try_get_matches_from(words);
    let cli = match read.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            // Help that was asked for is no error. A closed pipe is no failure.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let console = Console {
        json: cli.json,
        quiet: cli.quiet,
        caller: None,
        command: Some(command),
    };
    let done = match cli.command {
        Command::Demo(demo) => demo.run(&console),
        Command::New(new) => new.run(&console),
        Command::Import(import) => import.run(&console),
        Command::Export(export) => export.run(&console),
        Command::Info(info) => info.run(&console),
        Command::Contacts(contacts) => contacts.run(&console),
        Command::Check(check) => check.run(&console),
        Command::Limit(limit) => limit.run(&console),
        Command::Tilt(tilt) => tilt.run(&console),
        Command::Settle(settle) => settle.run(&console),
        Command::Simulate(simulate) => simulate.run(&console),
        Command::Study(study) => study.run(&console),
        Command::View(view) => view.run(&console),
        Command::Verify(verify) => verify.run(&console),
        Command::Report(report) => report.run(&console),
        Command::Reproduce(options) => commands::validation::reproduce(&options, &console),
        Command::Bench(options) => commands::validation::bench(&options, &console),
        Command::Schema(schema) => schema.run(&console),
        Command::Completions(completions) => completions.run(command_line()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => error::report(&failure),
    }
}

/// A command line as it would be typed.
fn line(words: &[OsString]) -> String {
    let typed = |word: &OsString| {
        let word = word.to_string_lossy();
        let is_plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%~".contains(c);
        match !word.is_empty() && word.chars().all(is_plain) {
            true => word.into_owned(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    };
    let words = words.iter().skip(1).map(typed);
    std::iter::once("drystone".to_string())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_command_line_is_told_as_it_would_be_typed() {
        let words = ["/bin/drystone", "check", "my arch.json", "--friction=0.5", "it's"].map(Into::into);
        assert_eq!(
            super::line(&words),
            "drystone check 'my arch.json' --friction=0.5 'it'\\''s'"
        );
    }

    #[test]
    fn the_command_line_is_consistent() {
        super::command_line().debug_assert();
    }
}

//! The program `drystone`.

use std::process::ExitCode;

fn main() -> ExitCode {
    drystone::program::run(std::env::args_os())
}

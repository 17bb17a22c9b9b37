//! Development tasks, run as `cargo xtask TASK`.
//!
//! `test` runs every test there is, after installing what they need; `ci` adds licences, formatting and lints, and is what
//! the continuous integration runs.

mod count;
mod gallery;
mod licences;
mod python;
mod web;

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use count::{Count, run_tests};

const HELP: &str = "\
Development tasks: cargo xtask TASK

  test   install what the tests need (Python packages, npm packages, a browser) and run all of them
  ci     licences of dependencies, formatting, lints with warnings denied, documentation, then the tests
  wheel  build the wheel of the Python package, into target/wheels
  gallery  write docs/gallery.md and its films anew, by the program; DRYSTONE_PROGRAM names another one than a release build
  docs   write anew what docs/ takes from the code: reference, schema, tables, recipes, and pictures of all of it";

type Done = Result<(), String>;

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    let done = match task.as_deref() {
        Some("test") => test(),
        Some("ci") => ci(),
        Some("docs") => docs(),
        Some("gallery") => gallery::write(),
        Some("wheel") => wheel(),
        Some("help" | "--help" | "-h") => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("no task is called `{other}`\n\n{HELP}")),
        None => Err(HELP.to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn ci() -> Done {
    licences::check()?;
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    cargo(
        &["doc", "--workspace", "--no-deps", "--quiet"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    test()
}

fn test() -> Done {
    let python = python::environment()?;
    // The program carries the page: its packages are installed before it is built.
    web::install()?;
    let environment = [(
        "DRYSTONE_PYTHON",
        python.to_str().ok_or("the path of the project is not valid UTF-8")?,
    )];
    let mut count = Count::default();
    let cargo_tests = |kind: &str, count: &mut Count| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["test", "--workspace", kind]).envs(environment);
        run_tests(&mut command, count)
    };
    cargo_tests("--doc", &mut count)?;
    // Benches and examples are checked by the lints; here they would only be built.
    cargo_tests("--tests", &mut count)?;
    web::embed()?;
    python::test(&python, &web::program(), &mut count)?;
    web::test(&mut count)?;
    println!(
        "\nall tests of the workspace:\n{} passed, {} failed",
        count.passed, count.failed
    );
    Ok(())
}

/// The program carries the page: its packages are installed before it is built.
fn wheel() -> Done {
    web::install()?;
    web::embed()?;
    python::wheel()
}

fn docs() -> Done {
    // The pictures of the page's gallery are small: they are part of the program.
    let thumbnails = "crates/viewer/web/src/thumbnails";
    for words in [
        &["draw_recipes", "docs/pictures"][..],
        &["draw_recipes", thumbnails, "--small"],
        &["draw_joint_laws", "docs/pictures"],
    ] {
        let run = ["run", "--release", "--package", "drystone-output", "--example"];
        cargo(&[&run[..], &words[..1], &["--"], &words[1..]].concat(), &[])?;
    }
    let update = [("UPDATE_DOCS", "1")];
    cargo(
        &[
            "test",
            "--package",
            "drystone-model",
            "--test",
            "all",
            "--",
            "docs",
            "bad_inputs",
        ],
        &update,
    )?;
    cargo(
        &["test", "--package", "drystone-output", "--lib", "statics::files"],
        &update,
    )?;
    web::install()?;
    web::pictures(&root().join("docs/pictures"))
}

/// The workspace's root: the folder above this package.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Where builds go.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Done {
    println!("\n> cargo {}", arguments.join(" "));
    run(Command::new(env!("CARGO"))
        .args(arguments)
        .envs(environment.iter().copied())
        .current_dir(root()))
}

fn run(command: &mut Command) -> Done {
    let shown = format!("{command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{shown}: {status}")),
        Err(error) => Err(format!("{shown}: {error}")),
    }
}

/// Installs a package of Debian's, after asking for the list of packages where it is not known yet.
fn apt_install(package: &str) -> Done {
    let install = || run(Command::new("apt-get").args(["install", "-y", package]));
    install().or_else(|_| {
        run(Command::new("apt-get").arg("update"))?;
        install()
    })
}

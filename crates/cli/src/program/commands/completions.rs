use clap::Args;
use clap_complete::{Shell, generate};

use drystone_analysis::Failure;

/// Print a script that completes commands, recipes and options in a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  drystone completions bash > ~/.local/share/bash-completion/completions/drystone
  drystone completions zsh > ~/.zfunc/_drystone
  drystone completions fish > ~/.config/fish/completions/drystone.fish")]
pub(crate) struct Completions {
    /// Shell to complete in
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, mut command_line: clap::Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut command_line, "drystone", &mut script);
        use std::io::Write;
        match std::io::stdout().write_all(&script) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }
}

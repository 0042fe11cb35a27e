//! `vmconf completions` and `vmconf man`: made from the description of the command line.

use std::io::Write;

use clap::{Args, Command};
use clap_complete::Shell;
use vmconf::model::exit::Exit;

use super::output;

/// Print a script that completes commands and flags in a shell
///
/// Example: vmconf completions bash
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the script. `tree` is the whole command line, and has not parsed arguments.
    pub(super) fn run(&self, mut tree: Command) -> anyhow::Result<Exit> {
        let mut out = output::stdout();
        clap_complete::generate(self.shell, &mut tree, "vmconf", &mut out);
        out.flush()?;
        Ok(Exit::Passed)
    }
}

/// Print the manual page, in the language of man
///
/// Example: vmconf man
#[derive(Debug, Args)]
pub(super) struct Man {}

impl Man {
    /// Prints the page. `tree` is the whole command line, and has not parsed arguments.
    pub(super) fn run(mut tree: Command) -> anyhow::Result<Exit> {
        tree.build();
        let mut out = output::stdout();
        clap_mangen::Man::new(tree.clone()).render(&mut out)?;
        // One page for all commands, since separate pages would have to be installed one by one.
        for part in tree.get_subcommands().filter(|part| part.get_name() != "help") {
            let page = clap_mangen::Man::new(part.clone());
            writeln!(out, ".SH VMCONF {}", part.get_name().to_uppercase())?;
            page.render_synopsis_section(&mut out)?;
            page.render_description_section(&mut out)?;
            page.render_options_section(&mut out)?;
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}

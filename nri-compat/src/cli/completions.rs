//! `nri-compat completions SHELL` and `nri-compat man`, generated from the definition of the
//! command line.

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::{Cli, output};
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;

/// Prints completions for a shell.
///
/// For bash: nri-compat completions bash > /etc/bash_completion.d/nri-compat
#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the manual pages, or writes one per subcommand to a folder.
///
/// To read one: nri-compat man | man -l -
#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// Write the pages of all subcommands to this folder.
    #[arg(long, value_name = "FOLDER")]
    out: Option<std::path::PathBuf>,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "nri-compat", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Clean)
}

pub(super) fn man(args: &ManArgs) -> Result<Exit, Error> {
    match &args.out {
        Some(folder) => clap_mangen::generate_to(Cli::command(), folder)
            .map_err(Error::cannot_write(folder, ErrorKind::Output))?,
        None => output::write(|out| clap_mangen::Man::new(Cli::command()).render(out))?,
    }
    Ok(Exit::Clean)
}

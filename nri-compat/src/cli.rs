//! The command line: a file per subcommand, or for two that belong together. Each parses, calls the
//! library and selects the exit code.

mod answer;
mod check;
mod completions;
#[cfg(feature = "conformance")]
mod conformance;
mod decisions;
mod diff;
mod explain;
mod images;
mod logs;
mod merge;
mod output;
#[cfg(feature = "conformance")]
mod plugin_under_test;
#[cfg(feature = "conformance")]
mod probe;
mod progress;
mod published;
#[cfg(feature = "conformance")]
mod record;
mod releases;
#[cfg(feature = "conformance")]
mod replay;
#[cfg(any(feature = "cluster", feature = "conformance"))]
mod session;
mod targets;
mod values;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::check::collect::start_again_after_panics;
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;

/// Checks the compatibility of plugins and runtimes that use NRI, the Node Resource Interface of
/// containerd and CRI-O.
///
/// Exit codes: 0 clean, 1 could not run, 2 wrong usage, 100 findings at or above --fail-on.
#[derive(Debug, Parser)]
#[command(name = "nri-compat", version, arg_required_else_help = true)]
struct Cli {
    /// Folder with tables that replace the built-in ones, in the layout of `protos/`
    /// [default: $NRI_COMPAT_DATA].
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(Box<check::CheckArgs>),
    Logs(logs::LogsArgs),
    Merge(merge::MergeArgs),
    Diff(diff::DiffArgs),
    Versions(releases::VersionsArgs),
    Runtimes(releases::RuntimesArgs),
    Explain(explain::ExplainArgs),
    Ready(ReadyArgs),
    #[cfg(feature = "conformance")]
    Probe(probe::ProbeArgs),
    #[cfg(feature = "conformance")]
    Conformance(conformance::ConformanceArgs),
    #[cfg(feature = "conformance")]
    Record(record::RecordArgs),
    #[cfg(feature = "conformance")]
    Replay(replay::ReplayArgs),
    Completions(completions::CompletionsArgs),
    Man(completions::ManArgs),
}

/// Parses the arguments of the process, runs the command, prints its output, and returns the exit
/// code.
pub fn main() -> Exit {
    start_again_after_panics();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => return output::usage(&usage),
    };
    if let Some(folder) = &cli.data {
        crate::data::set_folder(folder);
    }
    run(&cli.command).unwrap_or_else(|error| output::error(&error))
}

fn run(command: &Command) -> Result<Exit, Error> {
    match command {
        Command::Check(args) => check::run(args),
        Command::Logs(args) => logs::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Versions(args) => releases::versions(args),
        Command::Runtimes(args) => releases::runtimes(args),
        Command::Explain(args) => explain::run(args),
        Command::Ready(args) => ready(args),
        #[cfg(feature = "conformance")]
        Command::Probe(args) => probe::run(args),
        #[cfg(feature = "conformance")]
        Command::Conformance(args) => conformance::run(args),
        #[cfg(feature = "conformance")]
        Command::Record(args) => record::run(args),
        #[cfg(feature = "conformance")]
        Command::Replay(args) => replay::run(args),
        Command::Completions(args) => completions::completions(args),
        Command::Man(args) => completions::man(args),
    }
}

/// Returns true if `check --every` has written its first report: exit code 0 if the file of its
/// --ready-file exists, else 1. For the probes of a container without a shell.
#[derive(Debug, clap::Args)]
struct ReadyArgs {
    /// The file.
    file: PathBuf,
}

fn ready(args: &ReadyArgs) -> Result<Exit, Error> {
    if args.file.exists() {
        return Ok(Exit::Clean);
    }
    let message = format!("not ready: {} does not exist", args.file.display());
    Err(Error::new(ErrorKind::Input, message)
        .with_help("wait for the first report of `nri-compat check --every … --ready-file …`"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_definition_is_valid() {
        super::Cli::command().debug_assert();
    }
}

//! `nri-compat conformance`.

mod answer;
mod plugin;
mod recording;
mod runtime;
mod selection;

use clap::Subcommand;
use nri_conformance::contract;

use super::format::{Format, among};
use super::output;
use crate::error::Error;
use crate::exit::Exit;
use crate::report::statement::StatementsReport;

/// Tests whether a plugin or a runtime keeps the lifecycle contract of NRI.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true, args_conflicts_with_subcommands = true)]
pub(super) struct Args {
    /// List the statements of the contract.
    #[arg(long)]
    list: bool,
    /// Output format of the list.
    #[arg(long, value_parser = among(Format::FEW), default_value = "text", requires = "list")]
    format: Format,
    #[command(subcommand)]
    subject: Option<Subject>,
}

#[derive(Debug, Subcommand)]
enum Subject {
    Plugin(Box<plugin::Args>),
    Runtime(Box<runtime::Args>),
    Recording(Box<recording::Args>),
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    match &args.subject {
        Some(Subject::Plugin(args)) => plugin::run(args),
        Some(Subject::Runtime(args)) => runtime::run(args),
        Some(Subject::Recording(args)) => recording::run(args),
        None => list(args.format),
    }
}

/// Prints all statements of the contract.
fn list(format: Format) -> Result<Exit, Error> {
    let statements: Vec<_> = contract::all().iter().collect();
    let report = StatementsReport {
        statements: &statements,
    };
    output::print_report(&report, format)?;
    Ok(Exit::Clean)
}

//! `nri-compat conformance`.

use nri_conformance::contract;

use super::{Format, output};
use crate::error::Error;
use crate::exit::Exit;
use crate::report::{json, markdown, text};

/// Tests whether plugins and runtimes keep the lifecycle contract of NRI.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(super) struct Args {
    /// List the statements of the contract.
    #[arg(long)]
    list: bool,
    /// Output format of the list.
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "list")]
    format: Format,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    list(args.format)
}

/// Prints all statements of the contract.
fn list(format: Format) -> Result<Exit, Error> {
    let statements: Vec<_> = contract::all().iter().collect();
    output::print(&match format {
        Format::Text => text::statements(&statements, output::look()),
        Format::Json => json::statements(&statements),
        Format::Markdown => markdown::statements(&statements),
    })?;
    Ok(Exit::Clean)
}

//! `nri-compat versions`.

use super::format::{Format, among};
use super::output;
use crate::error::Error;
use crate::exit::Exit;
use crate::{data, history};

/// Lists every NRI release: revision, date, RPCs, events, and the runtimes that ship it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Output format.
    #[arg(long, value_parser = among(Format::FEW), default_value = "text")]
    format: Format,
    /// Print the date of the tables and their age in days instead.
    #[arg(long)]
    age: bool,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    if args.age {
        output::print(&data::age(jiff::Zoned::now().date())?)?;
        return Ok(Exit::Clean);
    }
    let report = history::versions()?;
    output::print_report(&report, args.format)?;
    Ok(Exit::Clean)
}

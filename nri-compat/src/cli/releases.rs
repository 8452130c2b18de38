//! `nri-compat versions` and `nri-compat runtimes [NAME[@VERSION]]`.

use super::output;
use super::values::formats_of;
use crate::check::target::ReleaseName;
use crate::error::Error;
use crate::exit::Exit;
use crate::history::{RuntimesReport, VersionsReport};
use crate::report::template::Format;
use crate::{data, history};

/// Lists every NRI release: revision, date, RPCs, events, and the runtimes that ship it.
#[derive(Debug, clap::Args)]
pub(super) struct VersionsArgs {
    /// Output format.
    #[arg(long, value_parser = formats_of::<&VersionsReport>(), default_value = "text")]
    format: Format,
    /// Print the date of the tables and their age in days instead.
    #[arg(long)]
    age: bool,
}

pub(super) fn versions(args: &VersionsArgs) -> Result<Exit, Error> {
    if args.age {
        output::print(&data::age(jiff::Zoned::now().date())?)?;
        return Ok(Exit::Clean);
    }
    output::print_report(&history::versions()?, args.format)?;
    Ok(Exit::Clean)
}

/// Shows the NRI version that a runtime speaks, its event mask, and its deprecations.
#[derive(Debug, clap::Args)]
pub(super) struct RuntimesArgs {
    /// A runtime (`containerd`) to list its releases, or a release to show its details
    /// (`containerd@2.2.1`, `cri-o@1.33`, or as reported by machines: `containerd://2.2.1-k3s1`).
    #[arg(value_name = "NAME@VERSION")]
    runtime: Option<String>,
    /// Output format.
    #[arg(long, value_parser = formats_of::<&RuntimesReport>(), default_value = "text")]
    format: Format,
}

pub(super) fn runtimes(args: &RuntimesArgs) -> Result<Exit, Error> {
    let name = args.runtime.as_deref();
    match name.and_then(ReleaseName::parse) {
        Some(release) => {
            output::print_report(&history::runtime(&release.spec())?, args.format)?;
        }
        None => output::print_report(&history::runtimes(name)?, args.format)?,
    }
    Ok(Exit::Clean)
}

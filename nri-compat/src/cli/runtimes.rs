//! `nri-compat runtimes [NAME[@VERSION]]`.

use super::format::{Format, among};
use super::output;
use crate::check::target::ReleaseName;
use crate::error::Error;
use crate::exit::Exit;
use crate::history;

/// Shows the NRI version that a runtime speaks, its event mask, and its deprecations.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A runtime (`containerd`) to list its releases, or a release to show its details
    /// (`containerd@2.2.1`, `cri-o@1.33`, or as reported by machines: `containerd://2.2.1-k3s1`).
    #[arg(value_name = "NAME@VERSION")]
    runtime: Option<String>,
    /// Output format.
    #[arg(long, value_parser = among(Format::FEW), default_value = "text")]
    format: Format,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let name = args.runtime.as_deref();
    match name.and_then(ReleaseName::parse) {
        Some(release) => {
            output::print_report(&history::runtime(&release.spec())?, args.format)?;
        }
        None => output::print_report(&history::runtimes(name)?, args.format)?,
    }
    Ok(Exit::Clean)
}

//! `nri-compat runtimes [NAME[@VERSION]]`.

use super::format::Format;
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
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let answer = match args.runtime.as_deref() {
        Some(text) => match ReleaseName::parse(text) {
            Some(release) => details(args.format, &release)?,
            None => list(args.format, Some(text))?,
        },
        None => list(args.format, None)?,
    };
    output::print(&answer)?;
    Ok(Exit::Clean)
}

fn details(format: Format, release: &ReleaseName) -> Result<String, Error> {
    let report = history::runtime(&release.spec())?;
    Ok(output::text_or_json(&report, format))
}

fn list(format: Format, name: Option<&str>) -> Result<String, Error> {
    let report = history::runtimes(name)?;
    Ok(output::text_or_json(&report, format))
}

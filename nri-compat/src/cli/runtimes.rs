//! `nri-compat runtimes [NAME[@VERSION]]`.

use super::{Format, output};
use crate::check::target::ReleaseName;
use crate::error::Error;
use crate::exit::Exit;
use crate::history;
use crate::report::{json, markdown, text};

/// Shows the NRI that a runtime speaks, its event mask, and its deprecations.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A runtime (`containerd`) for its releases, or one release (`containerd@2.2.1`, `cri-o@1.33`,
    /// or as printed by machines: `containerd://2.2.1-k3s1`) in detail.
    #[arg(value_name = "NAME@VERSION")]
    runtime: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let answer = match args.runtime.as_deref() {
        Some(text) => match ReleaseName::parse(text) {
            Some(release) => one(args.format, &release)?,
            None => ranges(args.format, Some(text))?,
        },
        None => ranges(args.format, None)?,
    };
    output::print(&answer)?;
    Ok(Exit::Clean)
}

fn one(format: Format, release: &ReleaseName) -> Result<String, Error> {
    let report = history::runtime(&release.spec())?;
    Ok(match format {
        Format::Text => text::runtime(&report, output::look()),
        Format::Json => json::runtime(&report),
        Format::Markdown => markdown::runtime(&report),
    })
}

fn ranges(format: Format, name: Option<&str>) -> Result<String, Error> {
    let report = history::runtimes(name)?;
    Ok(match format {
        Format::Text => text::runtimes(&report, output::look()),
        Format::Json => json::runtimes(&report),
        Format::Markdown => markdown::runtimes(&report),
    })
}

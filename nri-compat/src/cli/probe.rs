//! `nri-compat probe`.

mod compare;

use std::time::Duration;

use nri_conformance::probe::{Options, Verdict, probe};

use super::format::{Choice, Format, among, one_of};
use super::{duration, output, plugin_under_test, session, targets};
use crate::compare::probe_target;
use crate::error::Error;
use crate::exit::Exit;
use crate::report::probe::ProbeReport;

/// Runs a plugin, calls every RPC, and shows under which releases it works.
///
/// `check` decides from the file of a plugin; `probe` executes it and decides from its behavior.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    plugin: plugin_under_test::Args,
    #[command(flatten)]
    targets: targets::Args,
    /// Time limit of the runtime for each request, such as 2s or 500ms [default: 2s].
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    timeout: Option<Duration>,
    /// Also run `check` on the file, and show where the two contradict each other. A contradiction
    /// makes the exit code 100.
    #[arg(long, conflicts_with_all = ["wait", "format"])]
    compare: bool,
    /// Output format.
    #[arg(long, value_parser = among(Format::FEW), default_value = "text")]
    format: Format,
    /// The least serious verdict that makes the exit code 100.
    #[arg(long, value_parser = one_of(FAIL_ON), value_name = "VERDICT", default_value = "breaks")]
    fail_on: Least,
}

/// The least serious verdict that makes the exit code 100, if any does.
type Least = Option<Verdict>;

const FAIL_ON: &[Choice<Least>] = &[
    (
        "deprecated",
        "Receives events through the deprecated StateChange, or worse",
        Some(Verdict::Deprecated),
    ),
    (
        "loses",
        "Does not receive some of its events, or worse",
        Some(Verdict::Loses),
    ),
    (
        "unknown",
        "Cannot be determined, or worse",
        Some(Verdict::Unknown),
    ),
    (
        "errors",
        "Answers some of its events with an error of its own, or worse",
        Some(Verdict::Errors),
    ),
    (
        "breaks",
        "Fails some of its events, or worse",
        Some(Verdict::Breaks),
    ),
    (
        "dropped",
        "Is dropped before the first event",
        Some(Verdict::Dropped),
    ),
    ("never", "No verdict changes the exit code", None),
];

pub(super) fn run(args: &Args) -> Result<Exit, Error> {
    let options = args.options()?;
    let probed = session::run(async {
        let subject = args.plugin.subject()?;
        probe(&subject, &options).await.map_err(Error::from)
    })?;
    let report = ProbeReport {
        place: args.plugin.place(),
        probed,
    };
    output::print_report(&report, args.format)?;
    let exit = Exit::at(report.probed.worst(), args.fail_on);
    if args.compare {
        return Ok(compare::run(&args.plugin.path()?, &report.probed)?.unwrap_or(exit));
    }
    Ok(exit)
}

impl Args {
    fn options(&self) -> Result<Options, Error> {
        let mut options = Options {
            config: self.plugin.config()?.unwrap_or_default(),
            ..Options::default()
        };
        if let Some(timeout) = self.timeout {
            options.timeouts.request = timeout;
        }
        if !self.targets.is_empty() {
            let named = self.targets.resolve(crate::data::history()?, &[])?;
            options.targets = named.iter().map(probe_target).collect();
        }
        Ok(options)
    }
}

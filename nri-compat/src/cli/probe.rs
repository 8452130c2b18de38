//! `nri-compat probe`.

mod compare;

use std::time::Duration;

use clap::ValueEnum;
use nri_conformance::probe::{Options, Target, Verdict, probe};
use nri_conformance::session::Timeouts;

use super::format::Format;
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
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The least serious verdict that makes the exit code 100.
    #[arg(long, value_enum, value_name = "VERDICT", default_value_t = FailOnArg::Breaks)]
    fail_on: FailOnArg,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOnArg {
    /// Receives events through the deprecated StateChange, or worse.
    Deprecated,
    /// Does not receive some of its events, or worse.
    Loses,
    /// Cannot be determined, or worse.
    Unknown,
    /// Answers some of its events with an error of its own, or worse.
    Errors,
    /// Fails some of its events, or worse.
    Breaks,
    /// Is dropped before the first event.
    Dropped,
    /// No verdict changes the exit code.
    Never,
}

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
    output::print(&output::text_or_json(&report, args.format))?;
    let exit = args.exit(report.probed.worst());
    if args.compare {
        return Ok(compare::run(&args.plugin.path()?, &report.probed)?.unwrap_or(exit));
    }
    Ok(exit)
}

impl Args {
    fn options(&self) -> Result<Options, Error> {
        let defaults = Options::default();
        Ok(Options {
            targets: self.targets()?.unwrap_or(defaults.targets),
            config: self.plugin.config()?,
            timeouts: Timeouts {
                request: self.timeout.unwrap_or(defaults.timeouts.request),
                ..defaults.timeouts
            },
            ..defaults
        })
    }

    /// Returns the targets on the command line; `None` if there are none.
    fn targets(&self) -> Result<Option<Vec<Target>>, Error> {
        if self.targets.is_empty() {
            return Ok(None);
        }
        let history = crate::data::history()?;
        let named = self.targets.resolve(history, &[])?;
        Ok(Some(named.iter().map(probe_target).collect()))
    }

    fn exit(&self, worst: Option<Verdict>) -> Exit {
        match (self.fail_on.least(), worst) {
            (Some(least), Some(worst)) if worst >= least => Exit::Findings,
            _ => Exit::Clean,
        }
    }
}

impl FailOnArg {
    /// Returns the least serious verdict that counts.
    fn least(self) -> Option<Verdict> {
        match self {
            Self::Deprecated => Some(Verdict::Deprecated),
            Self::Loses => Some(Verdict::Loses),
            Self::Unknown => Some(Verdict::Unknown),
            Self::Errors => Some(Verdict::Errors),
            Self::Breaks => Some(Verdict::Breaks),
            Self::Dropped => Some(Verdict::Dropped),
            Self::Never => None,
        }
    }
}

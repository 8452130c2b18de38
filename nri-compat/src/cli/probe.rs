//! `nri-compat probe`.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use nri_conformance::probe::{Options, Probed, Verdict, probe};

use super::values::{Choice, duration, formats_of, one_of};
use super::{output, plugin_under_test, session, targets};
use crate::check::target::Target;
use crate::compare::{Agreement, Comparison, check_file, compare, probe_target};
use crate::error::{Error, ErrorKind};
use crate::exit::Exit;
use crate::report::probe::ProbeReport;
use crate::report::template::Format;
use crate::report::visible;

/// Runs a plugin, calls every RPC, and shows under which releases it works.
///
/// `check` decides from the file of a plugin; `probe` executes it and decides from its behavior.
#[derive(Debug, clap::Args)]
pub(super) struct ProbeArgs {
    #[command(flatten)]
    plugin: plugin_under_test::PluginUnderTestArgs,
    #[command(flatten)]
    targets: targets::Args,
    /// Time limit of the runtime for each request, such as 2s or 500ms [default: 2s].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,
    /// Also run `check` on the file, and show where the two contradict each other. A contradiction
    /// makes the exit code 100.
    #[arg(long, conflicts_with_all = ["wait", "format"])]
    compare: bool,
    /// Output format.
    #[arg(long, value_parser = formats_of::<&ProbeReport>(), default_value = "text")]
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
    ("loses", "Does not receive some of its events, or worse", Some(Verdict::Loses)),
    ("unknown", "Cannot be determined, or worse", Some(Verdict::Unknown)),
    (
        "errors",
        "Answers some of its events with an error of its own, or worse",
        Some(Verdict::Errors),
    ),
    ("breaks", "Fails some of its events, or worse", Some(Verdict::Breaks)),
    ("dropped", "Is dropped before the first event", Some(Verdict::Dropped)),
    ("never", "No verdict changes the exit code", None),
];

pub(super) fn run(args: &ProbeArgs) -> Result<Exit, Error> {
    let options = args.options()?;
    let probed = session::run(async {
        let subject = args.plugin.subject()?;
        probe(&subject, &options).await.map_err(Error::from)
    })?;
    let report = ProbeReport::new(args.plugin.place(), probed);
    output::print_report(&report, args.format)?;
    let exit = Exit::at(report.probed.worst(), args.fail_on);
    if args.compare {
        return Ok(run_comparison(&args.plugin.path()?, &report.probed)?.unwrap_or(exit));
    }
    Ok(exit)
}

impl ProbeArgs {
    fn options(&self) -> Result<Options, Error> {
        let mut options = Options::default();
        options.config = self.plugin.config()?.unwrap_or_default();
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

/// Prints the verdicts of `check` on a file next to those of `probe`. Returns the exit code for
/// contradictions, if there are any.
fn run_comparison(path: &Path, probed: &Probed) -> Result<Option<Exit>, Error> {
    let history = crate::data::history()?;
    let names = probed.targets.iter().map(|target| &target.target);
    let targets: Vec<Target<'_>> =
        names.map(|name| Target::parse(history, name)).collect::<Result<_, _>>()?;
    let checked = check_file(path, &targets).ok_or_else(|| {
        let message = format!("check gives no verdict on {}", path.display());
        Error::new(ErrorKind::Input, message).with_help("leave out --compare")
    })?;
    let compared = compare(&checked, probed);
    output::print(&comparison_text(&compared))?;
    let contradicts = compared.iter().any(|comparison| comparison.agreement == Agreement::Disagree);
    Ok(contradicts.then_some(Exit::Findings))
}

fn comparison_text(compared: &[Comparison]) -> String {
    let mut text = String::from("\ncheck and probe:\n");
    for one in compared {
        let (check, probe) = (one.check, one.probe);
        let (target, agreement) = (&one.target, one.agreement);
        let _ = write!(text, "  {target}: check {check}, probe {probe}: {agreement}");
        if !one.reason.is_empty() {
            let _ = write!(text, " ({})", visible(&one.reason));
        }
        text.push('\n');
    }
    text
}

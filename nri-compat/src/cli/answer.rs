//! Options and output that `check` and `logs` share: the format, and the conditions of the exit code.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;

use super::decisions::{self, Decisions};
use super::format::{Format, among};
use super::{incomplete, metrics_file, node, output};
use crate::check::assess::assess;
use crate::check::collect::Collected;
use crate::check::target::Target;
use crate::error::Error;
use crate::exit::Exit;
use crate::policy::{self, FailOn};
use crate::report::check::CheckReport;
use crate::report::template::{Look, UserTemplate};
use crate::report::{openmetrics, sarif};

/// Options of commands that print a check report.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Output format.
    #[arg(long, value_parser = among(Format::value_variants()), default_value = "text")]
    format: Format,
    /// Write the report with this template (Jinja) instead of a format; it sees the document of --format json. The end
    /// of its name selects how values are escaped: .txt, .html, .md, .csv or .xml.
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    template: Option<PathBuf>,
    /// Show the evidence behind every verdict, even if it is ok; machine formats always include it.
    #[arg(long)]
    explain: bool,
    /// Verdicts that make the exit code 100: these and more serious ones, separated by commas
    /// [default: deprecated, or as set in the policy].
    #[arg(long, value_enum, value_delimiter = ',', value_name = "VERDICT")]
    fail_on: Vec<FailOn>,
    /// Write the report to this file as well, as OpenMetrics for a node exporter; the file is replaced as a whole.
    #[arg(long, value_name = "FILE")]
    metrics_file: Option<PathBuf>,
    #[command(flatten)]
    decisions: decisions::Args,
    /// Name of this node in the report, by which `merge` distinguishes nodes [default: $NODE_NAME,
    /// else the host name].
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
}

impl Args {
    /// Reads the policy and the baseline, and reports a mistake in the template before anything is checked.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them cannot be read.
    pub(super) fn decisions(&self) -> Result<Decisions<'_>, Error> {
        self.template()?;
        self.decisions.read()
    }

    fn template(&self) -> Result<Option<UserTemplate>, Error> {
        let path = self.template.as_deref();
        path.map(UserTemplate::load).transpose()
    }

    /// Judges what was found, and finishes the report, which is not clean if something could not be read.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Args::finish`].
    pub(super) fn judge(
        &self,
        mut collected: Collected,
        targets: &[Target<'_>],
        decisions: &Decisions<'_>,
    ) -> Result<Exit, Error> {
        let incomplete = incomplete::of(&mut collected);
        let exit = self.finish(assess(collected, targets), decisions)?;
        Ok(incomplete::exit(exit, incomplete))
    }

    /// Applies policy and baseline, writes the report, and returns the exit code.
    ///
    /// # Errors
    ///
    /// Returns an error if the report or the baseline cannot be written.
    pub(super) fn finish(
        &self,
        mut report: CheckReport,
        decisions: &Decisions<'_>,
    ) -> Result<Exit, Error> {
        report.summary.at = Some(now());
        // A report about a cluster is not a report about the machine that creates it.
        report.summary.node = match report.cluster {
            Some(_) => None,
            None => node::name(self.node.as_deref()),
        };
        report.summary.scan = Some(node::scan_id());
        decisions.apply(&mut report, policy::apply)?;
        let fail_on = match self.fail_on.as_slice() {
            [] => &decisions.policy.fail_on,
            named => named,
        };
        let exit = policy::exit(&report, fail_on);
        // A signal that ends repeated checks waits for this lock.
        let _output = io::stdout().lock();
        let path = self.metrics_file.as_ref();
        let metrics = path.map(|path| metrics_file::write(path, &report));
        match self.template()? {
            Some(template) => output::print(&template.check(report)?)?,
            None => output::write(|out| self.write(report, out))?,
        }
        metrics.transpose()?;
        Ok(exit)
    }

    /// Writes the report piece by piece, because it may be large.
    fn write(&self, report: CheckReport, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            Format::Sarif => sarif::write_check(&report, out),
            Format::Openmetrics => openmetrics::write_check(&report, out),
            format => {
                let explain = self.explain;
                let look = Look {
                    explain,
                    ..output::look()
                };
                output::write_report(report, format, look, out)
            }
        }
    }
}

/// Returns the current time, to the second.
fn now() -> String {
    let now = jiff::Timestamp::now();
    let seconds = jiff::Timestamp::from_second(now.as_second());
    seconds.unwrap_or(now).to_string()
}

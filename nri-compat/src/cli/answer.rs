//! Options and output that `check` and `logs` share: the format, and the conditions of the exit code.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;

use super::decisions::{self, Decisions};
use super::{metrics_file, node, output};
use crate::error::Error;
use crate::exit::Exit;
use crate::policy::{self, Baseline, FailOn, Policy};
use crate::report::check::CheckReport;
use crate::report::template::{self, Format, Look, UserTemplate};
use crate::report::{json, openmetrics, sarif};

/// Options of commands that print a check report.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Output format.
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    format: CheckFormat,
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

/// Format of a check report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CheckFormat {
    /// For people.
    Text,
    /// For machines; described by a JSON Schema.
    Json,
    /// JSON on one line, for logs that are collected line by line.
    Jsonl,
    /// For pull requests and release notes.
    Markdown,
    /// For browsers: one self-contained file with filters and search.
    Html,
    /// For spreadsheets: one row per verdict.
    Csv,
    /// Annotations of GitHub Actions.
    Github,
    /// Test results for CI systems.
    Junit,
    /// For code scanning: SARIF 2.1.0.
    Sarif,
    /// For node exporters: OpenMetrics text.
    Openmetrics,
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
        let apply = |report: &mut CheckReport, policy: &Policy, known: Option<&Baseline>| {
            policy::apply(report, policy, known, policy::today());
        };
        decisions.apply(&mut report, apply, Baseline::from_report)?;
        let exit = policy::exit(&report, &self.fail_on(&decisions.policy));
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

    fn fail_on(&self, policy: &Policy) -> Vec<FailOn> {
        if self.fail_on.is_empty() {
            policy.fail_on.clone()
        } else {
            self.fail_on.clone()
        }
    }

    /// Writes the report piece by piece, because it may be large.
    fn write(&self, report: CheckReport, out: &mut dyn Write) -> io::Result<()> {
        match self.format {
            CheckFormat::Text => template::write(report, Format::Text(self.look()), out),
            CheckFormat::Json => json::write(&report, out),
            CheckFormat::Jsonl => json::write_line(&report, out),
            CheckFormat::Markdown => template::write(report, Format::Markdown, out),
            CheckFormat::Html => template::write(report, Format::Html, out),
            CheckFormat::Csv => template::write(report, Format::Csv, out),
            CheckFormat::Github => template::write(report, Format::Github, out),
            CheckFormat::Junit => template::write(report, Format::Junit, out),
            CheckFormat::Sarif => sarif::write_check(&report, out),
            CheckFormat::Openmetrics => openmetrics::write_check(&report, out),
        }
    }

    fn look(&self) -> Look {
        Look {
            explain: self.explain,
            ..output::look()
        }
    }
}

/// Returns the current time, to the second.
fn now() -> String {
    let now = jiff::Timestamp::now();
    let seconds = jiff::Timestamp::from_second(now.as_second());
    seconds.unwrap_or(now).to_string()
}

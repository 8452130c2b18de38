//! Options and output of `conformance plugin` and `conformance runtime`: format, what counts, and
//! the exit code.

use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use nri_conformance::result::Report;

use crate::cli::output;
use crate::error::Error;
use crate::exit::Exit;
use crate::policy::{self, Baseline, FailOnTest, Policy};
use crate::report::conformance::ConformanceReport;
use crate::report::{github, json, junit, markdown, sarif, text};

/// Options of commands that print the results of tests.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Output format.
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    format: TestFormat,
    /// Results that make the exit code 100, in addition to failures, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "RESULT")]
    fail_on: Vec<FailOnArg>,
    /// The policy [default: nri-compat.toml in the working folder, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Known violations that do not count.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the violations as a baseline, which already applies to this run.
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
}

/// Format of the results of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TestFormat {
    /// For people.
    Text,
    /// For machines; described by a JSON Schema.
    Json,
    /// JSON on one line, for logs that are collected line by line.
    Jsonl,
    /// For pull requests and release notes.
    Markdown,
    /// Annotations of GitHub Actions.
    Github,
    /// Test results for CI systems, grouped by statement.
    Junit,
    /// For code scanning: SARIF 2.1.0, with statements as rules.
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOnArg {
    /// Failures, unless their statement is ambiguous; always included.
    Fail,
    /// Known deviations.
    Known,
    /// Tests that did not judge their statement.
    Skip,
    /// No result changes the exit code.
    Never,
}

/// Policy and baseline. They are read before the run, so that a mistake in them is reported before
/// anything is executed.
pub(super) struct Decisions {
    policy: Policy,
    baseline: Option<Baseline>,
    started: Instant,
}

impl Args {
    /// Reads the policy and baseline.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them cannot be read.
    pub(super) fn decisions(&self) -> Result<Decisions, Error> {
        let known = match self.write_baseline {
            Some(_) => None,
            None => self.baseline.as_deref(),
        };
        Ok(Decisions {
            policy: Policy::load(self.config.as_deref())?,
            baseline: known.map(Baseline::load).transpose()?,
            started: Instant::now(),
        })
    }

    /// Applies policy and baseline, writes the report, and returns the exit code.
    ///
    /// # Errors
    ///
    /// Returns an error if the report or the baseline cannot be written.
    pub(super) fn finish(
        &self,
        place: String,
        seed: u64,
        report: Report,
        decisions: Decisions,
    ) -> Result<Exit, Error> {
        let mut report = ConformanceReport::new(place, report);
        report.seed = Some(seed);
        let millis = decisions.started.elapsed().as_millis();
        report.millis = u64::try_from(millis).unwrap_or(u64::MAX);
        let Decisions {
            policy,
            mut baseline,
            ..
        } = decisions;
        let today = policy::today();
        if let Some(path) = &self.write_baseline {
            let mut decided = report.clone();
            policy::apply_to_conformance(&mut decided, &policy, None, today);
            let written = Baseline::of_conformance(&decided);
            output::write_baseline(path, &written)?;
            baseline = Some(written);
        }
        policy::apply_to_conformance(&mut report, &policy, baseline.as_ref(), today);
        let fail_on: Vec<FailOnTest> = self.fail_on.iter().map(|&arg| arg.into()).collect();
        output::print(&self.rendered(&report))?;
        Ok(policy::exit_of_conformance(&report, &fail_on))
    }

    fn rendered(&self, report: &ConformanceReport) -> String {
        match self.format {
            TestFormat::Text => text::conformance(report, output::look()),
            TestFormat::Json => json::conformance(report),
            TestFormat::Jsonl => json::conformance_line(report),
            TestFormat::Markdown => markdown::conformance(report),
            TestFormat::Github => github::conformance(report),
            TestFormat::Junit => junit::conformance(report),
            TestFormat::Sarif => sarif::conformance(report),
        }
    }
}

impl From<FailOnArg> for FailOnTest {
    fn from(arg: FailOnArg) -> Self {
        match arg {
            FailOnArg::Fail => Self::Fail,
            FailOnArg::Known => Self::Known,
            FailOnArg::Skip => Self::Skip,
            FailOnArg::Never => Self::Never,
        }
    }
}

//! Options and output of the subcommands of `conformance`: the format, and the conditions of the exit
//! code.

use std::time::Instant;

use clap::ValueEnum;
use nri_conformance::result::Report;

use crate::cli::decisions::{self, Decisions};
use crate::cli::output;
use crate::error::Error;
use crate::exit::Exit;
use crate::policy::{self, Baseline, FailOnTest, Policy};
use crate::report::conformance::ConformanceReport;
use crate::report::json;
use crate::report::template::{Format, render};

/// Options of commands that print the results of tests.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Output format.
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    format: TestFormat,
    /// Results that make the exit code 100, in addition to failures, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "RESULT")]
    fail_on: Vec<FailOnTest>,
    #[command(flatten)]
    decisions: decisions::Args,
}

/// Format of the results of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TestFormat {
    /// For people.
    Text,
    /// For machines; described by a JSON Schema.
    Json,
    /// Test results for CI systems, grouped by statement.
    Junit,
}

/// The start of a run, and the decisions about its results.
pub(super) struct Started<'a> {
    decisions: Decisions<'a>,
    at: Instant,
}

impl Args {
    /// Reads the policy and the baseline.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them cannot be read.
    pub(super) fn start(&self) -> Result<Started<'_>, Error> {
        Ok(Started {
            decisions: self.decisions.read()?,
            at: Instant::now(),
        })
    }

    /// Applies policy and baseline, writes the report, and returns the exit code. `seed` repeats the
    /// random choices of the run, if it made any.
    ///
    /// # Errors
    ///
    /// Returns an error if the report or the baseline cannot be written.
    pub(super) fn finish(
        &self,
        place: String,
        seed: Option<u64>,
        report: Report,
        started: &Started<'_>,
    ) -> Result<Exit, Error> {
        let mut report = ConformanceReport::new(place, report);
        report.summary.seed = seed;
        report.summary.millis = u64::try_from(started.at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let apply = |report: &mut ConformanceReport, policy: &Policy, known: Option<&Baseline>| {
            policy::apply_to_conformance(report, policy, known, policy::today());
        };
        let decisions = &started.decisions;
        decisions.apply(&mut report, apply, Baseline::of_conformance)?;
        output::print(&self.rendered(&report))?;
        Ok(policy::exit_of_conformance(&report, &self.fail_on))
    }

    fn rendered(&self, report: &ConformanceReport) -> String {
        match self.format {
            TestFormat::Text => output::text(report),
            TestFormat::Json => json::render(report),
            TestFormat::Junit => render(report, Format::Junit),
        }
    }
}

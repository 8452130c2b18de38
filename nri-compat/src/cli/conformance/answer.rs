//! Options and output of the subcommands of `conformance`: the format, and the conditions of the exit
//! code.

use std::time::Instant;

use nri_conformance::result::Report;

use crate::cli::decisions::{self, Decisions};
use crate::cli::format::{Format, among};
use crate::cli::output;
use crate::error::Error;
use crate::exit::Exit;
use crate::policy::{self, FailOnTest};
use crate::report::conformance::ConformanceReport;

/// The formats of the results of tests.
const FORMATS: &[Format] = &[Format::Text, Format::Json, Format::Junit];

/// Options of commands that print the results of tests.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Output format.
    #[arg(long, value_parser = among(FORMATS), default_value = "text")]
    format: Format,
    /// Results that make the exit code 100, in addition to failures, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "RESULT")]
    fail_on: Vec<FailOnTest>,
    #[command(flatten)]
    decisions: decisions::Args,
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
        let decisions = &started.decisions;
        decisions.apply(&mut report, policy::apply_to_conformance)?;
        output::print_report(&report, self.format)?;
        Ok(policy::exit_of_conformance(&report, &self.fail_on))
    }
}

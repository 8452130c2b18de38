//! The policy and the baseline of a run.

use std::path::{Path, PathBuf};

use super::output;
use crate::error::Error;
use crate::policy::{Baseline, Policy};

/// Options that name the policy and the baseline.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// The policy [default: nri-compat.toml in the current directory, if it exists].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A baseline: known findings that do not count.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to a baseline, which already applies to this run.
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
}

/// Policy and baseline. They are read first, so that a mistake in them is reported before anything
/// is checked or executed.
pub(super) struct Decisions<'a> {
    pub(super) policy: Policy,
    baseline: Option<Baseline>,
    write_to: Option<&'a Path>,
}

impl Args {
    /// Reads the policy, and the baseline unless one will be written.
    ///
    /// # Errors
    ///
    /// Returns an error if one of them cannot be read.
    pub(super) fn read(&self) -> Result<Decisions<'_>, Error> {
        let known = match self.write_baseline {
            Some(_) => None,
            None => self.baseline.as_deref(),
        };
        Ok(Decisions {
            policy: Policy::load(self.config.as_deref())?,
            baseline: known.map(Baseline::load).transpose()?,
            write_to: self.write_baseline.as_deref(),
        })
    }
}

impl Decisions<'_> {
    /// Applies the policy and the baseline to a report. If a new baseline is requested, it is written
    /// first, with the findings that the policy does not suppress.
    ///
    /// # Errors
    ///
    /// Returns an error if the baseline cannot be written.
    pub(super) fn apply<R: Clone>(
        &self,
        report: &mut R,
        apply: impl Fn(&mut R, &Policy, Option<&Baseline>),
        baseline_of: impl Fn(&R) -> Baseline,
    ) -> Result<(), Error> {
        let Some(path) = self.write_to else {
            apply(report, &self.policy, self.baseline.as_ref());
            return Ok(());
        };
        let mut decided = report.clone();
        apply(&mut decided, &self.policy, None);
        let written = baseline_of(&decided);
        output::write_baseline(path, &written)?;
        apply(report, &self.policy, Some(&written));
        Ok(())
    }
}

//! The policy and the baseline of a run.

use std::path::{Path, PathBuf};

use jiff::civil::Date;

use crate::error::{Error, ErrorKind};
use crate::policy::{Baseline, Policy, today};

/// Options that name the policy and the baseline.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct DecisionsArgs {
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

impl DecisionsArgs {
    /// Reads the policy, and the baseline unless one will be written.
    pub(super) fn read(&self) -> Result<Decisions<'_>, Error> {
        Ok(Decisions {
            policy: Policy::load(self.config.as_deref())?,
            baseline: match (&self.write_baseline, &self.baseline) {
                (Some(_), _) => Some(Baseline::to_write()),
                (None, path) => path.as_deref().map(Baseline::load).transpose()?,
            },
            write_to: self.write_baseline.as_deref(),
        })
    }
}

impl Decisions<'_> {
    /// Lets `apply` apply the policy and the baseline to a report, and writes the baseline if it is
    /// a new one.
    pub(super) fn apply<R>(
        &self,
        report: &mut R,
        apply: fn(&mut R, &Policy, Option<&mut Baseline>, Date),
    ) -> Result<(), Error> {
        let mut baseline = self.baseline.clone();
        apply(report, &self.policy, baseline.as_mut(), today());
        let (Some(path), Some(baseline)) = (self.write_to, baseline) else {
            return Ok(());
        };
        let written = std::fs::write(path, baseline.to_json());
        written.map_err(Error::cannot_write(path, ErrorKind::Baseline))
    }
}

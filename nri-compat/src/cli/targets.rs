//! `--target`: the releases that `check` and `logs` check against.

use nri_schema::history::History;

use crate::check::target::{Target, UnknownReleases};
use crate::error::Error;

/// The releases to check against.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// A release to check against: nri@0.12, containerd@2.3.4, cri-o@1.36, rke2@v1.34.5, k0s@1.36,
    /// talos@1.13, or as reported by machines: containerd://2.4.2+unknown. May be given several
    /// times, or with several releases separated by commas [default: as set in the policy; else,
    /// where a machine is checked (no path, --root or --proc), the runtime that is found there and
    /// the next planned removal; else the newest known release of NRI].
    #[arg(long = "target", value_name = "RELEASE", value_delimiter = ',')]
    targets: Vec<String>,
    #[command(flatten)]
    pub(super) unknown: UnknownReleases,
}

impl Args {
    /// Returns true if no release is named.
    #[cfg(feature = "conformance")]
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Returns the targets named here, else those of the policy, else the newest release; each
    /// once.
    ///
    /// # Errors
    ///
    /// Returns an error for a target that does not exist.
    pub(super) fn resolve<'h>(
        &self,
        history: &'h History,
        policy: &[String],
    ) -> Result<Vec<Target<'h>>, Error> {
        let mut targets = self.named(history, policy)?;
        if targets.is_empty() {
            targets.push(Target::newest(history)?);
        }
        Ok(targets)
    }

    /// Returns the targets named here, else those of the policy; each once, and none if there are
    /// none.
    ///
    /// # Errors
    ///
    /// Returns an error for a target that does not exist.
    pub(super) fn named<'h>(
        &self,
        history: &'h History,
        policy: &[String],
    ) -> Result<Vec<Target<'h>>, Error> {
        let specs = if self.targets.is_empty() { policy } else { &self.targets };
        let mut targets: Vec<Target<'h>> = Vec::new();
        for spec in specs {
            let target = Target::resolve(history, spec, &self.unknown)?;
            let mut known = targets.iter();
            if !known.any(|known| known.head.name == target.head.name) {
                targets.push(target);
            }
        }
        Ok(targets)
    }
}

//! `--target`: the releases that `check` and `logs` check against.

use nri_schema::history::History;

use crate::check::target::{Target, UnknownReleases};
use crate::error::Error;

/// The releases to check against.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// A release to check against: nri@0.12, containerd@2.3.4, cri-o@1.36, or as reported by
    /// machines: containerd://2.4.2+unknown. May be given several times, or with several releases
    /// separated by commas [default: as set in the policy, else the newest known release of NRI].
    #[arg(long = "target", value_name = "RELEASE", value_delimiter = ',')]
    targets: Vec<String>,
    /// Fail if a target is not in the tables, instead of treating an unknown patch release as the
    /// newest known one.
    #[arg(long)]
    strict_targets: bool,
    /// The NRI release (nri@0.12) that runtime releases of an unknown minor are assumed to link.
    #[arg(long, value_name = "RELEASE")]
    assume: Option<String>,
}

impl Args {
    /// Returns true if no release is named.
    #[cfg(feature = "conformance")]
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Returns the treatment of releases that are not in the tables.
    pub(super) fn unknown(&self) -> UnknownReleases {
        UnknownReleases {
            strict: self.strict_targets,
            assume: self.assume.clone(),
        }
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
        let specs = if self.targets.is_empty() {
            policy
        } else {
            &self.targets
        };
        let unknown = self.unknown();
        let mut targets: Vec<Target<'h>> = Vec::new();
        for spec in specs {
            let target = Target::resolve(history, spec, &unknown)?;
            if !targets
                .iter()
                .any(|known| known.head.name == target.head.name)
            {
                targets.push(target);
            }
        }
        if targets.is_empty() {
            targets.push(Target::newest(history)?);
        }
        Ok(targets)
    }
}

//! `--target`: what `check` and `logs` judge against.

use nri_codegen::history::History;

use crate::check::target::Target;
use crate::error::Error;

/// The releases to judge against.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// A release to judge against: nri@0.12, containerd@2.3.4, cri-o@1.36; may be given several times [default: what
    /// the policy says, else the newest known release of NRI].
    #[arg(long = "target", value_name = "RELEASE")]
    targets: Vec<String>,
}

impl Args {
    /// The targets named here, else those of the policy, else the newest release; each once.
    ///
    /// # Errors
    ///
    /// A target that does not exist.
    pub(super) fn resolve<'h>(
        &self,
        history: &'h History,
        policy: &[String],
    ) -> Result<Vec<Target<'h>>, Error> {
        let specs = match self.targets.is_empty() {
            true => policy,
            false => &self.targets,
        };
        let mut targets: Vec<Target<'h>> = Vec::new();
        for spec in specs {
            let target = Target::parse(history, spec)?;
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

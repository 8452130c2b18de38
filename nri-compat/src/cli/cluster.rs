//! `nri-compat check --cluster`.

#[cfg(feature = "cluster")]
mod run;

use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "cluster")]
pub(super) use run::run;

use super::duration;

/// The cluster to check.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Check the plugins that run in a Kubernetes cluster, for the runtimes that its nodes run now
    /// and for each --target.
    #[arg(long)]
    cluster: bool,
    /// The context of the kubeconfig [default: the current one].
    #[arg(long, value_name = "NAME", requires = "cluster")]
    context: Option<String>,
    /// The kubeconfig [default: the files of KUBECONFIG, ~/.kube/config, or the service account of
    /// the pod].
    #[arg(long, value_name = "FILE", requires = "cluster")]
    kubeconfig: Option<PathBuf>,
    /// The namespace whose workloads are checked [default: all].
    #[arg(long, short, value_name = "NAMESPACE", requires = "cluster")]
    namespace: Option<String>,
    /// The time that a request to the API server, or a credential plugin, may take.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration::parse, requires = "cluster")]
    request_timeout: Duration,
}

impl Args {
    /// Returns true if a cluster is checked.
    pub(super) fn is_asked(&self) -> bool {
        self.cluster
    }
}

/// Returns an error, as this build has no client of the Kubernetes API.
#[cfg(not(feature = "cluster"))]
pub(super) fn run(_: &super::check::Args) -> Result<crate::exit::Exit, crate::error::Error> {
    use crate::error::{Error, ErrorKind};
    let message = "--cluster: this nri-compat was built without the feature `cluster`";
    Err(Error::new(ErrorKind::Cluster, message).with_help(
        "use a release, or install it with `cargo install nri-compat --features cluster`",
    ))
}

//! The arguments of `nri-compat check --cluster`.

use std::path::PathBuf;
use std::time::Duration;

use crate::cli::duration;

/// The cluster to check.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Check the plugins that run in a Kubernetes cluster, against the runtimes of its nodes and
    /// each --target.
    #[arg(long)]
    pub(super) cluster: bool,
    /// The context of the kubeconfig [default: the current one].
    #[arg(long, value_name = "NAME", requires = "cluster")]
    pub(super) context: Option<String>,
    /// The kubeconfig [default: the files of KUBECONFIG, ~/.kube/config, or the service account of
    /// the pod].
    #[arg(long, value_name = "FILE", requires = "cluster")]
    pub(super) kubeconfig: Option<PathBuf>,
    /// The namespace whose workloads are checked [default: all].
    #[arg(long, short, value_name = "NAMESPACE", requires = "cluster")]
    pub(super) namespace: Option<String>,
    /// Time limit for each request to the API server, and for credential plugins.
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration::parse, requires = "cluster")]
    pub(super) request_timeout: Duration,
}

impl Args {
    /// Returns true if the user asked for a check of a cluster.
    pub(super) fn is_requested(&self) -> bool {
        self.cluster
    }
}

//! Policy reports in the cluster of the kubeconfig, or in the one that this pod belongs to.

use clap::ValueEnum;

use crate::error::Error;
use crate::report::policy_report::{Api, PolicyReport};

/// An API of policy reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ApiName {
    /// ClusterReport of openreports.io/v1alpha1.
    Openreports,
    /// ClusterPolicyReport of wgpolicyk8s.io/v1alpha2.
    Policyreport,
}

impl From<ApiName> for Api {
    fn from(name: ApiName) -> Self {
        match name {
            ApiName::Openreports => Self::OpenReports,
            ApiName::Policyreport => Self::PolicyReport,
        }
    }
}

/// Writes a report into the cluster, in place of the earlier one about the same node.
#[cfg(feature = "cluster")]
pub(super) fn publish(api: ApiName, report: &PolicyReport) -> Result<(), Error> {
    use crate::cluster::{ClusterOptions, publish};

    super::session::run(publish(&ClusterOptions::default(), api.into(), report))
}

/// Returns an error, because this build has no client for the Kubernetes API.
#[cfg(not(feature = "cluster"))]
pub(super) fn publish(_: ApiName, _: &PolicyReport) -> Result<(), Error> {
    Err(without_cluster("--publish"))
}

/// Passes each report in the cluster about a node to `each`.
#[cfg(feature = "cluster")]
pub(super) fn read(api: ApiName, each: &mut dyn FnMut(serde_json::Value)) -> Result<(), Error> {
    use crate::cluster::{ClusterOptions, published};

    super::session::run(published(&ClusterOptions::default(), api.into(), each))
}

/// Returns an error, because this build has no client for the Kubernetes API.
#[cfg(not(feature = "cluster"))]
pub(super) fn read(_: ApiName, _: &mut dyn FnMut(serde_json::Value)) -> Result<(), Error> {
    Err(without_cluster("--cluster"))
}

/// Returns the error of an option that needs a client for the Kubernetes API.
#[cfg(not(feature = "cluster"))]
pub(super) fn without_cluster(option: &str) -> Error {
    let message = format!("{option}: this nri-compat was built without the feature `cluster`");
    Error::new(crate::error::ErrorKind::Cluster, message).with_help(
        "use a release, or install it with `cargo install nri-compat --features cluster`",
    )
}

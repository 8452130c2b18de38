//! The API server of a context, with the defaults and the checks of `kubectl`.

use kube::config::{Cluster, Kubeconfig};

use super::select::Selected;
use crate::cluster::error::{ClusterError, ClusterErrorKind};

/// Completes the cluster of a context: an address without a scheme gets one.
///
/// # Errors
///
/// Returns an error if the cluster names an authority whose certificates would not be verified.
pub(super) fn complete(
    kubeconfig: &mut Kubeconfig,
    selected: &Selected,
) -> Result<(), ClusterError> {
    let mut clusters = kubeconfig.clusters.iter_mut();
    let named = clusters.find(|named| named.name == selected.cluster);
    let Some(cluster) = named.and_then(|named| named.cluster.as_mut()) else {
        return Ok(());
    };
    let is_insecure = cluster.insecure_skip_tls_verify == Some(true);
    let has_authority = has_authority(cluster);
    if is_insecure && has_authority {
        let message = format!(
            "the cluster `{}` has both `insecure-skip-tls-verify` and `certificate-authority`",
            selected.cluster
        );
        let error = ClusterError::new(ClusterErrorKind::Kubeconfig, message);
        return Err(error.with_help("remove one of them: kubectl accepts only one, too"));
    }
    if let Some(server) = &mut cluster.server
        && !server.is_empty()
        && !server.contains("://")
    {
        let scheme = if is_insecure || has_authority {
            "https"
        } else {
            "http"
        };
        *server = format!("{scheme}://{server}");
    }
    Ok(())
}

fn has_authority(cluster: &Cluster) -> bool {
    let authority = [
        &cluster.certificate_authority,
        &cluster.certificate_authority_data,
    ];
    let mut given = authority.into_iter().flatten();
    given.any(|text| !text.is_empty())
}

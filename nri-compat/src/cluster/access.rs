//! The API server and the credentials, found as `kubectl` finds them: `--kubeconfig`, else the files
//! of `KUBECONFIG`, else `~/.kube/config`, else the service account of the pod.

mod credentials;
mod exec;
mod files;
mod proxy;
mod select;

use kube::Config;
use kube::config::KubeConfigOptions;

use super::Options;
use super::error::{ClusterError, ClusterErrorKind};
use files::Files;

/// The name of the access that a pod has through its service account.
const IN_CLUSTER: &str = "in-cluster";

/// The variable that every pod of a cluster has.
const SERVICE_HOST: &str = "KUBERNETES_SERVICE_HOST";

/// An API server, and the credentials for it.
pub(super) struct Access {
    /// The name of the context.
    pub(super) name: String,
    pub(super) config: Config,
}

/// Returns the access to the cluster of the options.
///
/// # Errors
///
/// Returns an error for a kubeconfig that is missing, broken or incomplete, and for credentials that
/// cannot be read.
pub(super) async fn access(options: &Options) -> Result<Access, ClusterError> {
    let files = Files::find(options.kubeconfig.as_deref());
    let is_in_pod = std::env::var_os(SERVICE_HOST).is_some();
    let mut access = if files.exist() || options.context.is_some() || !is_in_pod {
        from_files(&files, options.context.as_deref()).await?
    } else {
        in_cluster()?
    };
    // The requests are repeated by `client`, which knows how often.
    access.config.default_retry = false;
    credentials::settle(&mut access.config.auth_info, options.request_timeout).await?;
    Ok(access)
}

async fn from_files(files: &Files, context: Option<&str>) -> Result<Access, ClusterError> {
    let kubeconfig = files.read()?;
    let selected = select::select(&kubeconfig, context, &files.shown())?;
    let options = KubeConfigOptions {
        context: Some(selected.context.clone()),
        ..KubeConfigOptions::default()
    };
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    let mut config = config.map_err(|error| {
        let (context, shown) = (&selected.context, files.shown());
        let message = format!("cannot use the context `{context}` of {shown}");
        let error = ClusterError::new(ClusterErrorKind::Kubeconfig, message).caused_by(error);
        error.with_help(compare_with_kubectl(context))
    })?;
    if !selected.names_proxy {
        config.proxy_url = proxy::of_environment(&config.cluster_url);
    }
    Ok(Access {
        name: selected.context,
        config,
    })
}

/// Returns the remedy for a context that cannot be used.
pub(super) fn compare_with_kubectl(context: &str) -> String {
    format!("see whether kubectl can use it: kubectl --context {context} get nodes")
}

fn in_cluster() -> Result<Access, ClusterError> {
    let mut config = Config::incluster().map_err(|error| {
        let message = "cannot use the service account of this pod";
        ClusterError::new(ClusterErrorKind::Kubeconfig, message)
            .caused_by(error)
            .with_help(
                "set `serviceAccountName` for the pod, or name a kubeconfig with --kubeconfig",
            )
    })?;
    config.proxy_url = proxy::of_environment(&config.cluster_url);
    Ok(Access {
        name: IN_CLUSTER.to_owned(),
        config,
    })
}

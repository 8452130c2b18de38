//! The API server and the credentials, as `kube` finds them: `--kubeconfig`, else the files of
//! `KUBECONFIG`, else `~/.kube/config`, else the service account of the pod.

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

use super::ClusterOptions;
use super::error::ClusterError;

/// The name of the cluster in which the command runs.
const IN_CLUSTER: &str = "in-cluster";

/// An API server, and how to reach it.
pub(super) struct Access {
    /// The name of the context.
    pub(super) name: String,
    /// The configuration of the client.
    pub(super) config: Config,
}

/// Returns the access to the cluster of the options.
///
/// # Errors
///
/// Returns an error for a kubeconfig that is missing, broken or incomplete.
pub(super) async fn access(options: &ClusterOptions) -> Result<Access, ClusterError> {
    let kubeconfig = match &options.kubeconfig {
        Some(path) => Kubeconfig::read_from(path),
        None => Kubeconfig::read(),
    };
    let is_named = options.kubeconfig.is_some() || options.context.is_some();
    match (kubeconfig, Config::incluster()) {
        (Ok(kubeconfig), _) => of_context(kubeconfig, options.context.as_deref()).await,
        (Err(_), Ok(config)) if !is_named => Ok(Access { name: IN_CLUSTER.to_owned(), config }),
        (Err(error), Ok(_) | Err(_)) => {
            let help = "name an existing file with --kubeconfig or KUBECONFIG; `kubectl config view` shows what kubectl reads";
            let unusable = ClusterError::unusable("cannot read the kubeconfig");
            Err(unusable.caused_by(error).with_help(help))
        }
    }
}

/// Returns the access of the context with this name, or of the current one.
async fn of_context(kubeconfig: Kubeconfig, name: Option<&str>) -> Result<Access, ClusterError> {
    let name = name.or(kubeconfig.current_context.as_deref()).unwrap_or_default().to_owned();
    let contexts = contexts(&kubeconfig);
    let proxies: Vec<Uri> = kubeconfig
        .clusters
        .iter()
        .filter_map(|named| named.cluster.as_ref()?.proxy_url.as_ref())
        .filter_map(|proxy| proxy.parse().ok())
        .collect();
    let options = KubeConfigOptions { context: Some(name.clone()), ..KubeConfigOptions::default() };
    let mut config =
        Config::from_custom_kubeconfig(kubeconfig, &options).await.map_err(|error| {
            ClusterError::unusable(format!("cannot use the context `{name}`"))
                .caused_by(error)
                .with_help(format!("name a context with --context: {contexts}"))
        })?;
    // A proxy of the kubeconfig counts in any case.
    let uses_proxy = uses_proxy(&config.cluster_url);
    config.proxy_url = { config.proxy_url }.filter(|proxy| uses_proxy || proxies.contains(proxy));
    Ok(Access { name, config })
}

/// Returns true if a proxy of the environment must be used for this server, which `kube` does not
/// ask: none is used for the hosts in `NO_PROXY` and, as by Go, for this machine.
fn uses_proxy(server: &Uri) -> bool {
    let host = server.host().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    let is_this_machine = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    !is_this_machine && Matcher::from_env().intercept(server).is_some()
}

/// Returns the names of the contexts, for a message.
fn contexts(kubeconfig: &Kubeconfig) -> String {
    let names: Vec<&str> = kubeconfig.contexts.iter().map(|named| named.name.as_str()).collect();
    if names.is_empty() {
        return "the kubeconfig has none".to_owned();
    }
    names.join(", ")
}

//! The API server and the credentials, found as `kubectl` finds them: `--kubeconfig`, else the files
//! of `KUBECONFIG`, else `~/.kube/config`, else the service account of the pod.

mod credentials;
mod exec;
mod files;
mod proxy;
mod select;
mod server;
mod service_account;

use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

use super::Options;
use super::error::{ClusterError, ClusterErrorKind};
pub(super) use credentials::Credentials;
use files::Files;
use service_account::ServiceAccount;

/// An API server, and the credentials for it.
pub(super) struct Access {
    /// The name of the context.
    pub(super) name: String,
    /// The configuration of the client, without credentials.
    pub(super) config: Config,
    pub(super) credentials: Credentials,
}

/// Returns the access to the cluster of the options.
///
/// # Errors
///
/// Returns an error for a kubeconfig that is missing, broken or incomplete, and for credentials that
/// cannot be read.
pub(super) async fn access(options: &Options) -> Result<Access, ClusterError> {
    let files = Files::find(options.kubeconfig.as_deref());
    let account = ServiceAccount::of_environment();
    let (kubeconfig, context, origin) = match account {
        Some(account) if !files.exist() && options.context.is_none() => {
            let context = Some(service_account::CONTEXT);
            (
                account.kubeconfig()?,
                context,
                "the service account".to_owned(),
            )
        }
        Some(_) | None => (files.read()?, options.context.as_deref(), files.shown()),
    };
    let (name, mut config) = configure(kubeconfig, context, &origin).await?;
    // The requests are repeated by `client`, which knows how often.
    config.default_retry = false;
    let user = std::mem::take(&mut config.auth_info);
    Ok(Access {
        name,
        config,
        credentials: Credentials::of(user, options.request_timeout).await?,
    })
}

/// Returns the name of a context and the configuration of its client; `origin` names the kubeconfig
/// in messages.
async fn configure(
    mut kubeconfig: Kubeconfig,
    context: Option<&str>,
    origin: &str,
) -> Result<(String, Config), ClusterError> {
    let selected = select::select(&kubeconfig, context, origin)?;
    server::complete(&mut kubeconfig, &selected)?;
    let name = selected.context;
    let options = KubeConfigOptions {
        context: Some(name.clone()),
        ..KubeConfigOptions::default()
    };
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    let mut config = config.map_err(|error| {
        let message = format!("cannot use the context `{name}` of {origin}");
        let error = ClusterError::new(ClusterErrorKind::Kubeconfig, message).caused_by(error);
        error.with_help(compare_with_kubectl(&name))
    })?;
    if !selected.names_proxy {
        config.proxy_url = proxy::of_environment(&config.cluster_url);
    }
    config.proxy_url = config.proxy_url.map(proxy::usable).transpose()?;
    Ok((name, config))
}

/// Returns the remedy for a context that cannot be used.
pub(super) fn compare_with_kubectl(context: &str) -> String {
    format!("see whether kubectl can use it: kubectl --context {context} get nodes")
}

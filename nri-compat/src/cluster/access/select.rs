//! Selects a context of a kubeconfig, and checks that it is complete.

use kube::config::Kubeconfig;

use crate::cluster::error::{ClusterError, ClusterErrorKind};

/// The maximum number of names that a message lists.
const MAX_LISTED: usize = 12;

/// A complete context.
pub(super) struct Selected {
    /// Its name.
    pub(super) context: String,
    /// The name of its cluster.
    pub(super) cluster: String,
    /// True if its cluster names a proxy.
    pub(super) names_proxy: bool,
}

/// Returns the context with this name, or the current one.
///
/// # Errors
///
/// Returns an error if there is no such context, or if its cluster or user is missing; `shown` are
/// the files of the kubeconfig.
pub(super) fn select(
    kubeconfig: &Kubeconfig,
    name: Option<&str>,
    shown: &str,
) -> Result<Selected, ClusterError> {
    let current = kubeconfig.current_context.as_deref();
    let Some(name) = name.or(current).filter(|name| !name.is_empty()) else {
        let message = format!("{shown} does not name a current context");
        return Err(wrong(message).with_help(format!(
            "name a context with --context: {}",
            contexts(kubeconfig)
        )));
    };
    let context = kubeconfig.contexts.iter().find(|named| named.name == name);
    let context = context.and_then(|named| named.context.as_ref());
    let context = context.ok_or_else(|| {
        wrong(format!("{shown} does not have the context `{name}`"))
            .with_help(format!("its contexts: {}", contexts(kubeconfig)))
    })?;
    let user = context.user.as_deref().filter(|user| !user.is_empty());
    if let Some(user) = user
        && !kubeconfig.auth_infos.iter().any(|named| named.name == user)
    {
        let message =
            format!("the context `{name}` names the user `{user}`, which {shown} does not have");
        return Err(
            wrong(message).with_help("add the user, or name another context with --context")
        );
    }
    let mut clusters = kubeconfig.clusters.iter();
    let named = clusters.find(|named| named.name == context.cluster);
    let cluster = named.and_then(|named| named.cluster.as_ref());
    let cluster = cluster.ok_or_else(|| {
        let cluster = &context.cluster;
        wrong(format!(
            "the context `{name}` names the cluster `{cluster}`, which {shown} does not have"
        ))
        .with_help("add the cluster, or name another context with --context")
    })?;
    let proxy = cluster.proxy_url.as_deref();
    Ok(Selected {
        context: name.to_owned(),
        cluster: context.cluster.clone(),
        names_proxy: proxy.is_some_and(|proxy| !proxy.is_empty()),
    })
}

fn wrong(message: String) -> ClusterError {
    ClusterError::new(ClusterErrorKind::Kubeconfig, message)
}

/// Returns the names of the contexts.
fn contexts(kubeconfig: &Kubeconfig) -> String {
    let names = kubeconfig.contexts.iter().map(|named| named.name.as_str());
    let listed: Vec<&str> = names.take(MAX_LISTED).collect();
    let more = kubeconfig.contexts.len().saturating_sub(MAX_LISTED);
    match (listed.is_empty(), more) {
        (true, _) => "it has none".to_owned(),
        (false, 0) => listed.join(", "),
        (false, more) => format!("{} and {more} more", listed.join(", ")),
    }
}

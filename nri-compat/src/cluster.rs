//! Reads a Kubernetes cluster: the runtimes of its nodes, and the workloads that may be NRI
//! plugins.
//!
//! Only lists of the resources in [`RESOURCES`] are requested, and neither secrets nor logs are
//! read. Nothing is written, except by [`publish`], which writes one policy report. Lists are read
//! page by page, and only the few fields that matter are kept, so that memory does not grow with
//! the number of pods.
//!
//! The modules depend on each other in one direction: `access` finds the API server and the
//! credentials with `kube`, `client` reads a list, and `inventory` gathers what matters of its
//! objects, whose fields `object` and `conditions` read. `published` writes and lists policy
//! reports.

mod access;
mod client;
mod conditions;
mod error;
mod inventory;
mod object;
mod published;
mod resources;

use std::path::PathBuf;
use std::time::Duration;

pub use conditions::{CONDITION, WarnedNodes};
pub use error::ClusterError;
pub use inventory::{Inventory, Plugin};
pub use object::Image;
pub use published::{publish, published};
pub use resources::{RESOURCES, Resource, VERB};

use crate::report::check::ClusterView;
use client::ApiClient;

/// The time that a request may take by default.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// The cluster to read, and how.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// The kubeconfig; `None` means the files of `KUBECONFIG`, then `~/.kube/config`, then the
    /// service account of the pod.
    pub kubeconfig: Option<PathBuf>,
    /// The context; `None` means the current one of the kubeconfig.
    pub context: Option<String>,
    /// The namespace whose workloads are read; `None` means all of them.
    pub namespace: Option<String>,
    /// The time that each request, and the credential plugin, may take.
    pub request_timeout: Duration,
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self { kubeconfig: None, context: None, namespace: None, request_timeout: REQUEST_TIMEOUT }
    }
}

/// The contents of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// The API server, the nodes by runtime, and the numbers of pods and workloads. Its id is the
    /// SHA-256 of its certificate authority: the URL is the same in the pods of many clusters.
    pub view: ClusterView,
    /// The containers that may be NRI plugins, sorted.
    pub plugins: Vec<Plugin>,
    /// The nodes whose runtime itself warned about plugins.
    pub warned: Vec<WarnedNodes>,
    /// The resources that could not be listed, with the reasons.
    pub unread: Vec<Unread>,
}

/// A resource that could not be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The resource.
    pub resource: &'static Resource,
    /// The reason.
    pub error: ClusterError,
}

/// Reads a cluster.
///
/// A resource that cannot be listed does not end the run; it is added to [`Cluster::unread`].
///
/// # Errors
///
/// Returns an error if the API server cannot be found, reached or used at all.
pub async fn read(options: &ClusterOptions) -> Result<Cluster, ClusterError> {
    if let Some(namespace) = &options.namespace {
        resources::check_namespace(namespace)?;
    }
    let client = ApiClient::new(access::access(options).await?, options).await?;
    let (mut inventory, mut unread) = (Inventory::default(), Vec::<Unread>::new());
    for resource in &RESOURCES {
        let last = unread.last().map(|unread| &unread.error);
        let read = match last.filter(|error| error.is_final) {
            Some(error) => Err(error.clone()),
            None => client.list(resource, &mut inventory).await,
        };
        unread.extend(read.err().map(|error| Unread { resource, error }));
    }
    match unread.last() {
        Some(last) if last.error.is_final && unread.len() == RESOURCES.len() => {
            Err(last.error.clone())
        }
        Some(_) | None => Ok(Cluster {
            view: ClusterView {
                pools: inventory.pools(),
                pods: inventory.pods,
                workloads: inventory.workloads,
                ..client.view
            },
            warned: std::mem::take(&mut inventory.warnings).nodes(),
            plugins: inventory.plugins(),
            unread,
        }),
    }
}

//! Reads a Kubernetes cluster: the runtimes of its nodes, and the workloads that may be NRI plugins.
//!
//! Only lists of the resources in [`RESOURCES`] are requested. Nothing is written, and neither
//! secrets nor logs are read. Lists are read page by page, and only the few fields that matter are
//! kept, so that memory does not grow with the number of pods.
//!
//! The modules depend on each other in one direction: `access` finds the API server and the
//! credentials with `kube`, `client` makes one request, `pages` reads a whole list, and `nodes` and
//! `inventory` gather what matters of its objects, whose fields `object` reads.

mod access;
mod client;
mod error;
mod inventory;
mod nodes;
mod object;
mod pages;
mod resources;

use std::path::PathBuf;
use std::time::Duration;

pub use error::ClusterError;
pub use inventory::Plugin;
pub use nodes::NodePool;
pub use object::{Image, ImageOrigin, WorkloadName};
pub use resources::{RESOURCES, Resource, VERB};

use crate::skipped::SkipKind;
use crate::workloads::Node;
use client::Client;
use error::ErrorScope;
use inventory::Inventory;
use nodes::Pools;
use pages::{List, Page};
use resources::{NODES, PODS};

/// The time that a request may take by default.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// The cluster to read, and how.
#[derive(Clone, Debug)]
pub struct Options {
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

impl Default for Options {
    fn default() -> Self {
        Self {
            kubeconfig: None,
            context: None,
            namespace: None,
            request_timeout: REQUEST_TIMEOUT,
        }
    }
}

/// The contents of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// The name of the context, or `in-cluster`.
    pub name: String,
    /// The URL of the API server.
    pub server: String,
    /// The identity of the cluster: the SHA-256 of its certificate authority, in hexadecimal; `None`
    /// without one. The URL is not enough, because it is the same in the pods of many clusters.
    pub id: Option<String>,
    /// The nodes by runtime, the largest pool first.
    pub pools: Vec<NodePool>,
    /// The number of pods.
    pub pods: u64,
    /// The number of other objects that run pods.
    pub workloads: u64,
    /// The containers that may be NRI plugins, sorted.
    pub plugins: Vec<Plugin>,
    /// The number of such containers that exceed the maximum.
    pub beyond: u64,
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
pub async fn read(options: &Options) -> Result<Cluster, ClusterError> {
    if let Some(namespace) = &options.namespace {
        resources::check_namespace(namespace)?;
    }
    let access = access::access(options).await?;
    let client = Client::new(access, options.request_timeout).await?;
    let mut reading = Reading {
        namespace: options.namespace.as_deref(),
        client: &client,
        unread: Vec::new(),
        end: None,
    };
    let mut contents = Contents::default();
    for resource in &RESOURCES {
        reading.list(resource, &mut contents).await;
    }
    let unread = reading.finish()?;
    Ok(Cluster {
        name: client.name,
        server: client.server,
        id: client.id,
        unread,
        ..contents.cluster()
    })
}

/// Returns the contents of a cluster from saved lists: each the output of `kubectl get --output
/// json` for one of [`RESOURCES`].
///
/// ```
/// use nri_compat::cluster::{RESOURCES, of_lists};
///
/// let nodes = br#"{"items": [{"status": {"nodeInfo": {"containerRuntimeVersion": "cri-o://1.35.1"}}}]}"#;
/// let cluster = of_lists(&[(&RESOURCES[0], nodes)])?;
/// assert_eq!(cluster.pools[0].runtime, "cri-o://1.35.1");
/// # Ok::<(), nri_compat::cluster::ClusterError>(())
/// ```
///
/// # Errors
///
/// Returns an error if a document is not a list of its resource.
pub fn of_lists(lists: &[(&Resource, &[u8])]) -> Result<Cluster, ClusterError> {
    let mut contents = Contents::default();
    for (resource, bytes) in lists {
        let page = Page::parse(bytes).map_err(|error| {
            let message = format!("not a list of {}", resource.name());
            ClusterError::new(SkipKind::Broken, message).caused_by(error)
        })?;
        page.objects(|object| contents.add(resource, object));
    }
    Ok(contents.cluster())
}

/// What matters of the objects of all lists.
#[derive(Clone, Default)]
struct Contents {
    pools: Pools,
    inventory: Inventory,
}

impl Contents {
    /// Adds an object of a list of this resource.
    fn add(&mut self, resource: &Resource, object: &Node) {
        match resource.kind {
            kind if kind == NODES.kind => self.pools.add(object),
            kind if kind == PODS.kind => self.inventory.pod(object),
            kind => self.inventory.workload(object, kind),
        }
    }

    fn cluster(self) -> Cluster {
        Cluster {
            pools: self.pools.finish(),
            pods: self.inventory.pods,
            workloads: self.inventory.workloads,
            beyond: self.inventory.beyond,
            plugins: self.inventory.plugins(),
            ..Cluster::default()
        }
    }
}

/// The reading of several lists.
struct Reading<'c> {
    client: &'c Client,
    namespace: Option<&'c str>,
    unread: Vec<Unread>,
    /// The error after which no further list is requested.
    end: Option<ClusterError>,
}

impl Reading<'_> {
    /// Reads a list, and adds its objects to `contents`, which stay the same if the list cannot be read.
    async fn list(&mut self, resource: &'static Resource, contents: &mut Contents) {
        let list = List {
            client: self.client,
            resource,
            namespace: self.namespace,
        };
        let read = match &self.end {
            Some(error) => Err(error.clone()),
            None => list.add_to(contents).await,
        };
        match read {
            Ok(new) => *contents = new,
            Err(error) => {
                let is_end = self.is_end(&error);
                self.end = self.end.take().or(is_end.then(|| error.clone()));
                self.unread.push(Unread { resource, error });
            }
        }
    }

    /// Returns true for an error after which other lists would fail as well. One list may time out
    /// because it is large, but two timeouts mean that the server no longer answers.
    fn is_end(&self, error: &ClusterError) -> bool {
        let mut others = self.unread.iter().map(|unread| unread.error.scope);
        match error.scope {
            ErrorScope::List => false,
            ErrorScope::Timeout => others.any(|other| other == ErrorScope::Timeout),
            ErrorScope::Cluster => true,
        }
    }

    /// Returns the lists that could not be read.
    ///
    /// # Errors
    ///
    /// Returns an error if no list could be read because of an error that affects all requests.
    fn finish(self) -> Result<Vec<Unread>, ClusterError> {
        match self.end {
            Some(error) if self.unread.len() == RESOURCES.len() => Err(error),
            Some(_) | None => Ok(self.unread),
        }
    }
}

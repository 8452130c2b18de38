//! The relevant parts of the objects in all lists: the runtimes of nodes, and the containers that
//! may be NRI plugins, from pods and from the objects that create pods.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::conditions::Warnings;
use super::object::{Image, TEMPLATE, controller, deployment, has_ended, is_mirror, owner};
use super::resources::{NODE, POD, RESOURCES, Resource};
use crate::bounded_json;
use crate::bridge::Relayed;
use crate::place::WorkloadPlace;
use crate::report::check::NodePool;
use crate::workloads::{Container, Node, workload};

/// The operating system on which NRI plugins run, and of nodes that do not report one.
const SYSTEM: &str = "linux";

/// A container that may be an NRI plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plugin {
    /// The object that runs it, and the name of the container.
    pub place: WorkloadPlace,
    /// Its image.
    pub image: Image,
    /// The reason for treating it as a plugin.
    pub reason: String,
    /// The plugin behind the bridge, if its command is the bridge.
    pub relayed: Option<Relayed>,
    /// True for static pods, which the kubelets of nodes run from files.
    pub is_static: bool,
    /// The number of pods with the container and this image; none for the container of a template.
    pub pods: u64,
    /// The names of the nodes of these pods.
    pub nodes: BTreeSet<String>,
}

/// Containers by place and image.
type PluginContainers = BTreeMap<(WorkloadPlace, Image), Plugin>;

/// A page of a list.
#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    metadata: ListMetadata,
    /// The objects. `null` means that there are none, but a document without the key is not a list.
    #[serde(deserialize_with = "Option::deserialize")]
    items: Option<Vec<Map<String, Value>>>,
}

#[derive(Default, Deserialize)]
struct ListMetadata {
    #[serde(rename = "continue", default)]
    next: Option<String>,
}

/// The relevant parts of the objects in all lists.
#[derive(Debug, Default)]
pub struct Inventory {
    /// The names of nodes by runtime and operating system.
    pools: BTreeMap<(String, String), Vec<String>>,
    plugins: PluginContainers,
    /// The warnings of the runtimes of nodes.
    pub(super) warnings: Warnings,
    /// The objects that own listed objects.
    owners: BTreeMap<WorkloadPlace, WorkloadPlace>,
    /// The number of pods.
    pub(super) pods: u64,
    /// The number of other objects that run pods.
    pub(super) workloads: u64,
}

impl Inventory {
    /// Adds the objects of a page of a list. Returns the token of the next page, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if it is not JSON, or not a list.
    pub fn add_page(
        &mut self,
        resource: &Resource,
        bytes: &[u8],
    ) -> Result<Option<String>, serde_json::Error> {
        let page: Page = bounded_json::read(bytes, bounded_json::VALUE)?;
        for object in page.items.into_iter().flatten() {
            self.add(resource, &Node::from(Value::from(object)));
        }
        Ok(page.metadata.next.filter(|next| !next.is_empty()))
    }

    fn add(&mut self, resource: &Resource, object: &Node) {
        match resource.kind {
            NODE => self.node(object),
            POD => self.pod(object),
            kind => self.workload(object, kind),
        }
    }

    fn node(&mut self, node: &Node) {
        let info = |key: &str| node.get("status")?.get("nodeInfo")?.text(key);
        let runtime = info("containerRuntimeVersion").unwrap_or_default();
        let system = info("operatingSystem").unwrap_or(SYSTEM);
        let name = node.get("metadata").and_then(|data| data.text("name")).unwrap_or_default();
        let pool = self.pools.entry((runtime.to_owned(), system.to_owned()));
        pool.or_default().push(name.to_owned());
        self.warnings.add(node, name);
    }

    fn pod(&mut self, pod: &Node) {
        self.pods += 1;
        if has_ended(pod) {
            return;
        }
        let workload = workload(pod, POD);
        let node = pod.get("spec").and_then(|spec| spec.text("nodeName"));
        for candidate in workload.candidates() {
            let image = Image::running(candidate, pod);
            let plugin = Plugin {
                is_static: is_mirror(pod),
                pods: 1,
                nodes: node.map(str::to_owned).into_iter().collect(),
                ..Plugin::new(owner(pod, workload.place.clone()), candidate, image)
            };
            add(&mut self.plugins, plugin);
        }
    }

    /// Adds an object with a pod template; `kind` is its kind, which lists do not repeat.
    fn workload(&mut self, object: &Node, kind: &str) {
        self.workloads += 1;
        let workload = workload(object, kind);
        if workload.candidates().next().is_none() {
            return;
        }
        if let Some(owner) = controller(object, &workload.place).filter(is_listed) {
            // Its owner has the same template and is listed, too.
            self.owners.insert(workload.place, owner);
            return;
        }
        for candidate in workload.candidates() {
            let image = Image::specified(candidate, TEMPLATE);
            let plugin = Plugin::new(workload.place.clone(), candidate, image);
            add(&mut self.plugins, plugin);
        }
    }

    /// Returns the nodes by runtime, the largest pool first. Whether plugins can run is only known
    /// of the operating system.
    pub(super) fn pools(&mut self) -> Vec<NodePool> {
        let mut pools: Vec<NodePool> = std::mem::take(&mut self.pools)
            .into_iter()
            .map(|((runtime, system), mut nodes)| {
                nodes.sort_unstable();
                let is_without_plugins = system != SYSTEM;
                let note = format!("NRI plugins do not run on {system}");
                NodePool {
                    runtime,
                    target: None,
                    note: is_without_plugins.then_some(note),
                    is_without_plugins,
                    nodes,
                }
            })
            .collect();
        pools.sort_by_key(|pool| std::cmp::Reverse(pool.nodes.len()));
        pools
    }

    /// Returns the containers of the pods under the objects that own them, and those of templates
    /// that no pod runs.
    pub fn plugins(mut self) -> Vec<Plugin> {
        let (running, declared): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.plugins).into_values().partition(|plugin| plugin.pods > 0);
        let workloads: BTreeSet<WorkloadPlace> =
            declared.iter().map(|plugin| whole(&plugin.place)).collect();
        let mut plugins = PluginContainers::new();
        for mut plugin in running {
            let container = std::mem::take(&mut plugin.place.container);
            plugin.place = WorkloadPlace { container, ..self.topmost(plugin.place, &workloads) };
            add(&mut plugins, plugin);
        }
        let places: BTreeSet<WorkloadPlace> =
            plugins.keys().map(|(place, _)| place.clone()).collect();
        for plugin in declared {
            if !places.contains(&plugin.place) {
                add(&mut plugins, plugin);
            }
        }
        plugins.into_values().collect()
    }

    /// Returns the object that the owner of a pod belongs to: the deployment of a replica set, if
    /// it is one of these workloads, or the cron job of a job; else the owner itself.
    fn topmost(&self, owner: WorkloadPlace, workloads: &BTreeSet<WorkloadPlace>) -> WorkloadPlace {
        let deployment = || deployment(&owner).filter(|name| workloads.contains(name));
        let above = self.owners.get(&owner).cloned().or_else(deployment);
        above.unwrap_or(owner)
    }
}

impl Plugin {
    /// Creates a container of an object, without pods.
    fn new(object: WorkloadPlace, candidate: &Container, image: Image) -> Self {
        Self {
            place: WorkloadPlace { container: candidate.name.clone(), ..object },
            image,
            reason: candidate.reason(),
            relayed: candidate.relayed.clone(),
            is_static: false,
            pods: 0,
            nodes: BTreeSet::new(),
        }
    }
}

/// Adds a container, or its pods to those of the same container.
fn add(plugins: &mut PluginContainers, plugin: Plugin) {
    match plugins.entry((plugin.place.clone(), plugin.image.clone())) {
        Entry::Vacant(first) => drop(first.insert(plugin)),
        Entry::Occupied(known) => {
            let known = known.into_mut();
            known.is_static |= plugin.is_static;
            known.pods += plugin.pods;
            known.nodes.extend(plugin.nodes);
        }
    }
}

/// Returns the object of a container.
fn whole(container: &WorkloadPlace) -> WorkloadPlace {
    WorkloadPlace { container: String::new(), ..container.clone() }
}

/// Returns true for an owner that is also listed, such as the cron job of a job.
fn is_listed(owner: &WorkloadPlace) -> bool {
    owner.kind != POD && RESOURCES.iter().any(|resource| resource.kind == owner.kind)
}

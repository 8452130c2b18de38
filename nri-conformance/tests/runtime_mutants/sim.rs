//! A runtime without containers: it keeps the contract, except for one fault.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use nri::api::{self, Event, LinuxNamespace, LinuxPodSandbox};
use nri_conformance::runtime::cri::messages as cri;
use prost::Message;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::Fault;
use crate::grpc::{self, Answer, Service};
use crate::node::{Node, netns};
use crate::relay::{Relay, State};

/// The delay of something that comes too late, or happens while a hook is held.
const LATER: Duration = Duration::from_millis(100);

/// A pod sandbox.
#[derive(Clone)]
struct Pod {
    event: api::PodSandbox,
    config: cri::PodSandboxConfig,
    ready: bool,
    listed: bool,
    known: bool,
}

/// A container.
#[derive(Clone)]
struct Container {
    event: api::Container,
    state: cri::ContainerState,
}

#[derive(Default)]
struct World {
    pods: BTreeMap<String, Pod>,
    containers: BTreeMap<String, Container>,
    created: u32,
}

/// The runtime.
pub(crate) struct Sim {
    fault: Fault,
    node: Node,
    relay: Arc<Relay>,
    world: Mutex<World>,
    /// The Stop hooks that nobody waited for.
    unfinished: Mutex<Option<JoinHandle<()>>>,
    /// Woken when somebody has looked at the containers of a pod.
    looked: Notify,
}

/// The result of a request.
type Reply<T = ()> = Result<T, String>;

impl Sim {
    /// Starts the runtime with its sockets in a folder.
    pub(crate) fn start(fault: Fault, folder: &Path) -> Arc<Sim> {
        let sim = Arc::new(Sim {
            fault,
            node: Node::new(),
            relay: Arc::new(Relay::new(fault)),
            world: Mutex::default(),
            unfinished: Mutex::default(),
            looked: Notify::new(),
        });
        let state = Arc::clone(&sim);
        sim.relay
            .listen(&folder.join("nri.sock"), move || state.state());
        grpc::listen(&folder.join("cri.sock"), Arc::clone(&sim));
        sim
    }

    /// Returns the root of its node.
    pub(crate) fn root(&self) -> &Path {
        self.node.root()
    }

    /// Waits until this many plugins take part.
    pub(crate) async fn plugins(&self, count: usize) {
        while self.relay.count() < count {
            tokio::task::yield_now().await;
        }
    }

    /// Returns true if no pod is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.world().pods.is_empty()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().expect("no panic")
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn state(&self) -> State {
        let world = self.world();
        let pods = world.pods.values().map(|pod| pod.event.clone());
        let containers = world.containers.values();
        (
            pods.collect(),
            containers
                .map(|container| container.event.clone())
                .collect(),
        )
    }

    async fn pod_event(&self, event: Event, pod: &api::PodSandbox) -> Reply {
        let none = api::Container::default();
        self.relay.send(event, pod, &none).await
    }

    /// Sends an event about a container.
    async fn container_event(&self, event: Event, container: &api::Container) -> Reply {
        let pod = self.event_of(&container.pod_sandbox_id)?;
        self.relay.send(event, &pod, container).await
    }

    fn event_of(&self, id: &str) -> Reply<api::PodSandbox> {
        let world = self.world();
        let pod = world.pods.get(id);
        pod.map(|pod| pod.event.clone())
            .ok_or_else(|| format!("no pod {id}"))
    }

    async fn run_pod(self: &Arc<Self>, config: cri::PodSandboxConfig) -> Reply<String> {
        let _guard = self.relay.sync.read().await;
        let event = self.set_up(&config);
        let id = event.id.clone();
        if self.has(Fault::RunsAfterTheResponse) {
            let sim = Arc::clone(self);
            tokio::spawn(async move {
                tokio::time::sleep(LATER).await;
                let _ = sim.pod_event(Event::RunPodSandbox, &event).await;
            });
        } else if let Err(error) = self.pod_event(Event::RunPodSandbox, &event).await {
            self.roll_back(&event).await;
            return Err(error);
        }
        if let Some(pod) = self.world().pods.get_mut(&id) {
            (pod.ready, pod.listed) = (true, true);
        }
        Ok(id)
    }

    /// Creates everything of a pod, and returns the event about it.
    fn set_up(&self, config: &cri::PodSandboxConfig) -> api::PodSandbox {
        let mut world = self.world();
        world.created += 1;
        let pid = 1000 + world.created;
        let metadata = config.metadata.clone().unwrap_or_default();
        let id = if self.has(Fault::ReusesIds) {
            format!("pod-of-{}", metadata.uid)
        } else {
            format!("pod-{}", world.created)
        };
        let linux = config.linux.clone().unwrap_or_default();
        let cgroup = format!("{}/{id}", linux.cgroup_parent);
        self.node.add(pid, &id, cgroup.trim_start_matches('/'));
        self.spoil(pid, &id, &cgroup);
        let namespace = |kind: &str, path: String| LinuxNamespace {
            r#type: kind.to_owned(),
            path,
        };
        let renamed = self.has(Fault::ConfusesNames);
        let event = api::PodSandbox {
            id: id.clone(),
            name: if renamed {
                "other".to_owned()
            } else {
                metadata.name
            },
            uid: metadata.uid,
            namespace: metadata.namespace,
            labels: config.labels.clone().into_iter().collect(),
            linux: Some(LinuxPodSandbox {
                cgroup_parent: linux.cgroup_parent,
                cgroups_path: cgroup,
                namespaces: vec![
                    namespace("ipc", String::new()),
                    namespace("uts", String::new()),
                    namespace("network", format!("/{}", netns(&id))),
                ],
                ..LinuxPodSandbox::default()
            }),
            pid,
            ips: vec!["10.0.0.7".to_owned()],
            ..api::PodSandbox::default()
        };
        let early = self.has(Fault::ReadyEarly);
        let pod = Pod {
            event: event.clone(),
            config: config.clone(),
            ready: early,
            listed: early,
            known: true,
        };
        world.pods.insert(id, pod);
        event
    }

    /// Takes from a new pod what the runtime owes it.
    fn spoil(&self, pid: u32, id: &str, cgroup: &str) {
        match self.fault {
            Fault::NoCgroup => self.node.remove(&format!("sys/fs/cgroup{cgroup}")),
            Fault::NoUtsNamespace => self.node.remove(&format!("proc/{pid}/ns/uts")),
            Fault::NoNetworkNamespace => {
                self.node.remove(&netns(id));
                self.node.remove(&format!("proc/{pid}/net"));
            }
            Fault::NoAddress => self.node.remove(&format!("proc/{pid}/net/fib_trie")),
            Fault::OtherAddress => self.node.assign(pid, "10.0.0.8"),
            Fault::NoPause => self.node.remove(&format!("proc/{pid}")),
            _ => {}
        }
    }

    /// Removes a pod that a plugin rejected.
    async fn roll_back(&self, event: &api::PodSandbox) {
        if !self.has(Fault::ForgetsAcceptingPlugins) {
            let _ = self.pod_event(Event::StopPodSandbox, event).await;
            let _ = self.pod_event(Event::RemovePodSandbox, event).await;
        }
        if !self.has(Fault::LeavesRejectedPods) {
            self.take_down(event);
        }
        self.world().pods.remove(&event.id);
    }

    /// Removes the files of a pod but for its cgroup.
    fn take_down(&self, event: &api::PodSandbox) {
        self.node.remove(&netns(&event.id));
        self.node.remove(&format!("proc/{}", event.pid));
    }

    async fn stop_pod(self: &Arc<Self>, id: String) -> Reply {
        let _guard = self.relay.sync.read().await;
        let Ok(event) = self.event_of(&id) else {
            return Ok(());
        };
        if !self.world().pods[&id].ready {
            return match self.fault {
                Fault::StopsOnce => Err("the pod is stopped already".to_owned()),
                _ => Ok(()),
            };
        }
        if !self.has(Fault::StopsWithRunningContainers) {
            self.stop_containers(&id).await;
        }
        match self.fault {
            Fault::StopsAfterTheResponse => {}
            Fault::RemovesDuringStop => self.stop_in_background(event.clone()).await,
            _ => self.stop_hooks(&event).await?,
        }
        if let Some(pod) = self.world().pods.get_mut(&id) {
            pod.ready = false;
        }
        if !matches!(
            self.fault,
            Fault::StopsAfterTheResponse | Fault::RemovesDuringStop
        ) {
            self.take_down(&event);
        }
        Ok(())
    }

    /// Calls the Stop hooks, with what breaks before and while they run.
    async fn stop_hooks(self: &Arc<Self>, event: &api::PodSandbox) -> Reply {
        let linux = event.linux.clone().unwrap_or_default();
        let cgroup = format!("sys/fs/cgroup{}", linux.cgroup_parent);
        let (sim, pid, id) = (Arc::clone(self), event.pid, event.id.clone());
        let during = async move {
            // The first look at the pod is over. Nobody looks if no plugin holds the hook.
            let _ = tokio::time::timeout(LATER * 5, sim.looked.notified()).await;
            match sim.fault {
                Fault::RemovesCgroupDuringStop => sim.node.remove(&cgroup),
                Fault::ReclaimsAddressesDuringStop => {
                    sim.node.remove(&format!("proc/{pid}/net/fib_trie"));
                }
                Fault::RemovesNetworkDuringStop => {
                    sim.node.remove(&netns(&id));
                    sim.node.remove(&format!("proc/{pid}/net"));
                    sim.node.remove(&format!("proc/{pid}/ns/net"));
                }
                _ => {}
            }
        };
        match self.fault {
            Fault::ForgetsBeforeStop => self.forget(&event.id),
            Fault::RemovesNetworkBeforeStop => {
                self.node.remove(&netns(&event.id));
                self.node.remove(&format!("proc/{}/net", event.pid));
            }
            Fault::RemovesCgroupBeforeStop => {
                self.node
                    .remove(&format!("sys/fs/cgroup{}", linux.cgroup_parent));
            }
            _ => {}
        }
        let (stopped, ()) = tokio::join!(self.pod_event(Event::StopPodSandbox, event), during);
        match self.fault {
            Fault::ReturnsStopErrors => stopped,
            _ => Ok(()),
        }
    }

    fn forget(&self, id: &str) {
        if let Some(pod) = self.world().pods.get_mut(id) {
            pod.known = false;
        }
    }

    /// Does not wait for the Stop hooks, but until they have begun.
    async fn stop_in_background(self: &Arc<Self>, event: api::PodSandbox) {
        let sim = Arc::clone(self);
        let stopping = tokio::spawn(async move {
            let _ = sim.pod_event(Event::StopPodSandbox, &event).await;
            sim.take_down(&event);
        });
        *self.unfinished.lock().expect("no panic") = Some(stopping);
        tokio::time::sleep(LATER).await;
    }

    async fn stop_containers(&self, pod: &str) {
        for id in self.containers_of(pod) {
            let _ = self.stop(&id).await;
        }
    }

    fn containers_of(&self, pod: &str) -> Vec<String> {
        let world = self.world();
        let containers = world.containers.iter();
        containers
            .filter(|(_, container)| container.event.pod_sandbox_id == pod)
            .map(|(id, _)| id.clone())
            .collect()
    }

    async fn remove_pod(self: &Arc<Self>, id: String) -> Reply {
        self.stop_pod(id.clone()).await.or_else(|error| {
            if self.has(Fault::StopsOnce) {
                Ok(())
            } else {
                Err(error)
            }
        })?;
        let _guard = self.relay.sync.read().await;
        let Ok(event) = self.event_of(&id) else {
            return Ok(());
        };
        if !self.has(Fault::RemovesContainersLast) {
            self.remove_containers(&id).await;
        }
        if self.has(Fault::StopsAfterTheResponse) {
            let _ = self.pod_event(Event::StopPodSandbox, &event).await;
        }
        let removed = if self.has(Fault::RemovesAfterTheResponse) {
            let (sim, event) = (Arc::clone(self), event.clone());
            tokio::spawn(async move {
                tokio::time::sleep(LATER).await;
                let _ = sim.pod_event(Event::RemovePodSandbox, &event).await;
            });
            Ok(())
        } else {
            self.pod_event(Event::RemovePodSandbox, &event).await
        };
        if self.has(Fault::StopsAfterRemove) {
            let _ = self.pod_event(Event::StopPodSandbox, &event).await;
        }
        let unfinished = self.unfinished.lock().expect("no panic").take();
        if let Some(stopping) = unfinished {
            let _ = stopping.await;
        }
        if self.has(Fault::ReturnsRemoveErrors) {
            removed?;
        }
        self.remove_containers(&id).await;
        self.take_down(&event);
        self.world().pods.remove(&id);
        Ok(())
    }

    async fn remove_containers(&self, pod: &str) {
        for id in self.containers_of(pod) {
            let _ = self.stop(&id).await;
            let _ = self.remove(&id).await;
        }
    }

    async fn create(&self, request: cri::CreateContainerRequest) -> Reply<String> {
        let _guard = match self.fault {
            Fault::LosesWhileSynchronizing => None,
            _ => Some(self.relay.sync.read().await),
        };
        let pod = request.pod_sandbox_id;
        self.accepts_containers(&pod)?;
        let config = request.config.unwrap_or_default();
        let name = config.metadata.unwrap_or_default().name;
        let container = {
            let mut world = self.world();
            world.created += 1;
            Container {
                event: api::Container {
                    id: format!("container-{}", world.created),
                    pod_sandbox_id: pod,
                    name,
                    args: config.command,
                    ..api::Container::default()
                },
                state: cri::ContainerState::Created,
            }
        };
        let id = container.event.id.clone();
        if self.has(Fault::ListsContainersEarly) {
            let mut world = self.world();
            world.containers.insert(id.clone(), container.clone());
        }
        let created = self
            .container_event(Event::CreateContainer, &container.event)
            .await;
        if created.is_err() && !self.has(Fault::IgnoresCreateErrors) {
            self.world().containers.remove(&id);
            created?;
        }
        self.world().containers.insert(id.clone(), container);
        Ok(id)
    }

    fn accepts_containers(&self, pod: &str) -> Reply {
        let world = self.world();
        let found = world.pods.get(pod);
        let found = found.ok_or_else(|| format!("no pod {pod}"))?;
        let lenient = match self.fault {
            Fault::ReusesStoppedPods => found.listed,
            Fault::StartsContainersEarly => !found.listed,
            _ => false,
        };
        if found.ready || lenient {
            return Ok(());
        }
        Err(format!("pod {pod} is not ready"))
    }

    async fn start_container(&self, id: &str) -> Reply {
        let container = self.container(id)?;
        let _ = self
            .container_event(Event::StartContainer, &container.event)
            .await;
        let fails = container.event.args.iter().any(|word| word == "fail");
        if let Some(container) = self.world().containers.get_mut(id) {
            container.state = cri::ContainerState::Running;
        }
        if fails {
            self.stop(id).await?;
        }
        Ok(())
    }

    async fn stop(&self, id: &str) -> Reply {
        let container = self.container(id)?;
        if container.state == cri::ContainerState::Exited {
            return Ok(());
        }
        if let Some(container) = self.world().containers.get_mut(id) {
            container.state = cri::ContainerState::Exited;
        }
        if !self.has(Fault::HidesContainerStops) {
            let _ = self
                .container_event(Event::StopContainer, &container.event)
                .await;
        }
        Ok(())
    }

    async fn remove(&self, id: &str) -> Reply {
        let Ok(container) = self.container(id) else {
            return Ok(());
        };
        let _ = self
            .container_event(Event::RemoveContainer, &container.event)
            .await;
        self.world().containers.remove(id);
        Ok(())
    }

    fn container(&self, id: &str) -> Reply<Container> {
        let world = self.world();
        let container = world.containers.get(id);
        container
            .cloned()
            .ok_or_else(|| format!("no container {id}"))
    }

    fn pods(&self) -> Vec<cri::PodSandbox> {
        let world = self.world();
        let pods = world.pods.iter().filter(|(_, pod)| pod.listed);
        pods.map(|(id, pod)| cri::PodSandbox {
            id: id.clone(),
            metadata: pod.config.metadata.clone(),
            state: state(pod).into(),
            labels: pod.config.labels.clone(),
        })
        .collect()
    }

    fn status(&self, id: &str) -> Reply<cri::PodSandboxStatus> {
        let world = self.world();
        let pod = world.pods.get(id).filter(|pod| pod.listed && pod.known);
        let pod = pod.ok_or_else(|| format!("no pod {id}"))?;
        Ok(cri::PodSandboxStatus {
            id: id.to_owned(),
            state: state(pod).into(),
            network: None,
        })
    }

    fn containers(&self, filter: cri::ContainerFilter) -> Vec<cri::Container> {
        if !filter.pod_sandbox_id.is_empty() {
            self.looked.notify_waiters();
        }
        let world = self.world();
        let containers = world.containers.values().filter(|container| {
            let event = &container.event;
            let pod =
                filter.pod_sandbox_id.is_empty() || filter.pod_sandbox_id == event.pod_sandbox_id;
            pod && (filter.id.is_empty() || filter.id == event.id)
        });
        containers
            .map(|container| cri::Container {
                id: container.event.id.clone(),
                pod_sandbox_id: container.event.pod_sandbox_id.clone(),
                metadata: None,
                state: container.state.into(),
            })
            .collect()
    }

    async fn answer(self: Arc<Self>, method: &str, request: Bytes) -> Reply<Vec<u8>> {
        let pod = |request| Ok::<_, String>(read::<cri::PodSandboxId>(request)?.pod_sandbox_id);
        let container = |request| Ok::<_, String>(read::<cri::ContainerId>(request)?.container_id);
        match method {
            "Version" => Ok(cri::VersionResponse {
                runtime_name: "simulation".to_owned(),
                runtime_version: "1.0.0".to_owned(),
            }
            .encode_to_vec()),
            "RuntimeConfig" => Ok(cri::RuntimeConfigResponse {
                linux: Some(cri::LinuxRuntimeConfiguration {
                    cgroup_driver: cri::CgroupDriver::Cgroupfs.into(),
                }),
            }
            .encode_to_vec()),
            "RunPodSandbox" => {
                let config = read::<cri::RunPodSandboxRequest>(request)?.config;
                let pod_sandbox_id = self.run_pod(config.unwrap_or_default()).await?;
                Ok(cri::PodSandboxId { pod_sandbox_id }.encode_to_vec())
            }
            "StopPodSandbox" => empty(self.stop_pod(pod(request)?).await),
            "RemovePodSandbox" => empty(self.remove_pod(pod(request)?).await),
            "PodSandboxStatus" => Ok(cri::PodSandboxStatusResponse {
                status: Some(self.status(&pod(request)?)?),
            }
            .encode_to_vec()),
            "ListPodSandbox" => {
                Ok(cri::ListPodSandboxResponse { items: self.pods() }.encode_to_vec())
            }
            "CreateContainer" => {
                let container_id = self.create(read(request)?).await?;
                Ok(cri::ContainerId { container_id }.encode_to_vec())
            }
            "StartContainer" => empty(self.start_container(&container(request)?).await),
            "StopContainer" => {
                let request = read::<cri::StopContainerRequest>(request)?;
                empty(self.stop(&request.container_id).await)
            }
            "RemoveContainer" => empty(self.remove(&container(request)?).await),
            "ListContainers" => {
                let filter = read::<cri::ListContainersRequest>(request)?.filter;
                let containers = self.containers(filter.unwrap_or_default());
                Ok(cri::ListContainersResponse { containers }.encode_to_vec())
            }
            other => Err(format!("unknown method {other}")),
        }
    }
}

impl Service for Sim {
    fn call(
        self: Arc<Self>,
        method: String,
        request: Bytes,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        // An unknown error, as runtimes return for what failed inside.
        Box::pin(async move {
            self.answer(&method, request)
                .await
                .map_err(|error| (2, error))
        })
    }
}

fn state(pod: &Pod) -> cri::PodSandboxState {
    if pod.ready {
        cri::PodSandboxState::Ready
    } else {
        cri::PodSandboxState::NotReady
    }
}

fn read<M: Message + Default>(request: Bytes) -> Reply<M> {
    M::decode(request).map_err(|error| error.to_string())
}

fn empty(reply: Reply) -> Reply<Vec<u8>> {
    reply.map(|()| Vec::new())
}

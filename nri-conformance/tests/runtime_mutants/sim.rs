//! A runtime without containers: it keeps the contract, except for one fault.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use nri::api::{self, Event, LinuxNamespace, LinuxPodSandbox};
use nri_conformance::runtime::cri::messages as cri;
use tokio::sync::{Notify, RwLock};
use tokio::task::JoinHandle;

use crate::node::{Node, netns};
use crate::relay::{Relay, State};
use crate::{Fault, adapted, grpc};

/// The delay of something that comes too late, or happens while a hook is held.
pub(crate) const LATER: Duration = Duration::from_millis(100);

/// A pod sandbox.
#[derive(Clone)]
pub(crate) struct Pod {
    pub(crate) event: api::PodSandbox,
    pub(crate) config: cri::PodSandboxConfig,
    pub(crate) ready: bool,
    pub(crate) listed: bool,
    pub(crate) known: bool,
}

/// A container.
#[derive(Clone)]
pub(crate) struct Container {
    pub(crate) event: api::Container,
    pub(crate) state: cri::ContainerState,
}

#[derive(Default)]
pub(crate) struct World {
    pub(crate) pods: BTreeMap<String, Pod>,
    pub(crate) containers: BTreeMap<String, Container>,
    pub(crate) created: u32,
}

/// The runtime.
pub(crate) struct Sim {
    pub(crate) fault: Fault,
    pub(crate) node: Node,
    pub(crate) relay: Arc<Relay>,
    pub(crate) world: Mutex<World>,
    /// Held by Run hooks that come after the response, so that they still come before Stop.
    late_runs: Arc<RwLock<()>>,
    /// The Stop hooks that the runtime has not waited for.
    pub(crate) unfinished: Mutex<Option<JoinHandle<()>>>,
    /// The RemoveContainer events that are sent after that of the pod.
    pub(crate) unsent: Mutex<Vec<(api::PodSandbox, api::Container)>>,
    /// Notified when the containers of a pod have been listed.
    pub(crate) looked: Notify,
}

/// The result of a request.
pub(crate) type Reply<T = ()> = Result<T, String>;

impl Sim {
    /// Starts the runtime with its sockets in a folder.
    pub(crate) fn start(fault: Fault, folder: &Path) -> Arc<Sim> {
        let sim = Sim::new(fault);
        let state = Arc::clone(&sim);
        sim.relay.listen(&folder.join("nri.sock"), move || state.state());
        grpc::listen(&folder.join("cri.sock"), Arc::clone(&sim));
        sim
    }

    /// Starts the runtime without a fault, with `nri-adaptation`.
    pub(crate) async fn start_with_adaptation(folder: &Path) -> Arc<Sim> {
        let sim = Sim::new(Fault::None);
        let adaptation = adapted::start(&sim, &folder.join("nri.sock")).await;
        sim.relay.leave_to(adaptation);
        grpc::listen(&folder.join("cri.sock"), Arc::clone(&sim));
        sim
    }

    fn new(fault: Fault) -> Arc<Sim> {
        Arc::new(Sim {
            fault,
            node: Node::new(),
            relay: Arc::new(Relay::new(fault)),
            world: Mutex::default(),
            late_runs: Arc::default(),
            unfinished: Mutex::default(),
            unsent: Mutex::default(),
            looked: Notify::new(),
        })
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

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().expect("no panic")
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    pub(crate) fn state(&self) -> State {
        let world = self.world();
        let pods = world.pods.values().map(|pod| pod.event.clone());
        (
            pods.collect(),
            world.containers.values().map(|container| container.event.clone()).collect(),
        )
    }

    pub(crate) async fn pod_event(&self, event: Event, pod: &api::PodSandbox) -> Reply {
        let none = api::Container::default();
        self.relay.send(event, pod, &none).await
    }

    /// Sends an event about a container.
    pub(crate) async fn container_event(&self, event: Event, container: &api::Container) -> Reply {
        let pod = self.event_of(&container.pod_sandbox_id)?;
        self.relay.send(event, &pod, container).await
    }

    pub(crate) fn event_of(&self, id: &str) -> Reply<api::PodSandbox> {
        let world = self.world();
        let pod = world.pods.get(id);
        pod.map(|pod| pod.event.clone()).ok_or_else(|| format!("no pod {id}"))
    }

    pub(crate) async fn run_pod(self: &Arc<Self>, config: cri::PodSandboxConfig) -> Reply<String> {
        let _guard = self.relay.hold().await;
        let event = self.set_up(&config);
        let id = event.id.clone();
        if self.has(Fault::RunsAfterTheResponse) {
            let sim = Arc::clone(self);
            let late = Arc::clone(&self.late_runs).read_owned().await;
            tokio::spawn(async move {
                tokio::time::sleep(LATER).await;
                let _ = sim.pod_event(Event::RunPodSandbox, &event).await;
                drop(late);
            });
        } else if let Err(error) = self.pod_event(Event::RunPodSandbox, &event).await {
            self.roll_back(&event).await;
            return Err(error);
        }
        if self.has(Fault::RunsTwice) {
            let again = self.event_of(&id)?;
            let _ = self.pod_event(Event::RunPodSandbox, &again).await;
        }
        if let Some(pod) = self.world().pods.get_mut(&id) {
            (pod.ready, pod.listed) = (true, true);
        }
        Ok(id)
    }

    /// Creates a pod with all its files, and returns its event.
    pub(crate) fn set_up(&self, config: &cri::PodSandboxConfig) -> api::PodSandbox {
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
        let namespace = |kind: &str, path: String| LinuxNamespace { r#type: kind.to_owned(), path };
        let renamed = self.has(Fault::ConfusesNames);
        let event = api::PodSandbox {
            id: id.clone(),
            name: if renamed { "other".to_owned() } else { metadata.name },
            uid: metadata.uid,
            namespace: metadata.namespace,
            labels: config.labels.clone().into_iter().collect(),
            linux: Some(Box::new(LinuxPodSandbox {
                cgroup_parent: linux.cgroup_parent,
                cgroups_path: cgroup,
                namespaces: vec![
                    namespace("ipc", String::new()),
                    namespace("uts", String::new()),
                    namespace("network", format!("/{}", netns(&id))),
                ],
                ..LinuxPodSandbox::default()
            })),
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

    /// Removes from a new pod what the fault withholds.
    pub(crate) fn spoil(&self, pid: u32, id: &str, cgroup: &str) {
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
    pub(crate) async fn roll_back(&self, event: &api::PodSandbox) {
        if !self.has(Fault::ForgetsAcceptingPlugins) {
            let _ = self.pod_event(Event::StopPodSandbox, event).await;
            let _ = self.pod_event(Event::RemovePodSandbox, event).await;
        }
        if !self.has(Fault::LeavesRejectedPods) {
            self.take_down(event);
        }
        self.world().pods.remove(&event.id);
    }

    /// Removes the files of a pod, except for its cgroup.
    pub(crate) fn take_down(&self, event: &api::PodSandbox) {
        self.node.remove(&netns(&event.id));
        self.node.remove(&format!("proc/{}", event.pid));
    }

    pub(crate) async fn stop_pod(self: &Arc<Self>, id: String) -> Reply {
        drop(self.late_runs.write().await);
        let _guard = self.relay.hold().await;
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
        if !matches!(self.fault, Fault::StopsAfterTheResponse | Fault::RemovesDuringStop) {
            self.take_down(&event);
        }
        Ok(())
    }

    /// Calls the Stop hooks, and applies the faults before and during them.
    pub(crate) async fn stop_hooks(self: &Arc<Self>, event: &api::PodSandbox) -> Reply {
        let linux = event.linux.clone().unwrap_or_default();
        let cgroup = format!("sys/fs/cgroup{}", linux.cgroup_parent);
        let (sim, pid, id) = (Arc::clone(self), event.pid, event.id.clone());
        let during = async move {
            // By now, the pod has been inspected for the first time, if a plugin holds the hook.
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
                self.node.remove(&format!("sys/fs/cgroup{}", linux.cgroup_parent));
            }
            _ => {}
        }
        let (stopped, ()) = tokio::join!(self.pod_event(Event::StopPodSandbox, event), during);
        match self.fault {
            Fault::ReturnsStopErrors => stopped,
            _ => Ok(()),
        }
    }

    pub(crate) fn forget(&self, id: &str) {
        if let Some(pod) = self.world().pods.get_mut(id) {
            pod.known = false;
        }
    }

    /// Waits only until the Stop hooks have begun.
    pub(crate) async fn stop_in_background(self: &Arc<Self>, event: api::PodSandbox) {
        let sim = Arc::clone(self);
        let stopping = tokio::spawn(async move {
            let _ = sim.pod_event(Event::StopPodSandbox, &event).await;
            sim.take_down(&event);
        });
        *self.unfinished.lock().expect("no panic") = Some(stopping);
        tokio::time::sleep(LATER).await;
    }
}

//! Plugins in this process: their handlers are called directly, with the same rules as over a
//! socket.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use nri::api::{
    Container, CreateContainerResponse, LinuxContainer, LinuxCpu, LinuxResources, User,
    ValidateContainerAdjustmentRequest,
};
use nri::prelude::*;

use crate::peer::{Peer, Script};
use crate::plugins::{Cluster, SHORT, adaptation, builder, container, pod, shown};
use crate::threads::on_thread;

/// The requests that a plugin saw, in order.
type EventLog = Arc<Mutex<Vec<String>>>;

/// Handles every kind of request, and misbehaves according to the name of the pod.
#[derive(NriPlugin, Clone, Default)]
struct Recorder {
    name: &'static str,
    seen: EventLog,
}

impl Recorder {
    fn new(name: &'static str, seen: &EventLog) -> Self {
        Recorder { name, seen: Arc::clone(seen) }
    }

    fn note(&self, what: &str, container: &Container) {
        let env = container.env.join(",");
        let text = format!("{} {what} {}[{env}]", self.name, container.id);
        self.seen.lock().unwrap().push(text);
    }
}

impl RunPodSandbox for Recorder {
    async fn run_pod_sandbox(&self, _: &EventContext, pod: PodSandbox) -> nri::Result<()> {
        self.seen.lock().unwrap().push(format!("{} run {}", self.name, pod.id));
        Ok(())
    }
}

impl CreateContainer for Recorder {
    async fn create_container(
        &self,
        _: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        self.note("create", &container);
        match &*pod.id {
            "panics" => panic!("on purpose"),
            "hangs" => std::future::pending().await,
            "fails" => Err(nri::Error::new("refused")),
            _ => Ok(Adjustment::new().env(self.name, "1")),
        }
    }
}

impl UpdateContainer for Recorder {
    async fn update_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        container: Container,
        resources: LinuxResources,
    ) -> nri::Result<Updates> {
        let shares = resources.cpu.and_then(|cpu| cpu.shares);
        self.note(&format!("update {shares:?}"), &container);
        let more = ContainerUpdate::new(&container.id).cpu_quota(7);
        Ok(Updates::new().update(more))
    }
}

impl StopContainer for Recorder {
    async fn stop_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        container: Container,
    ) -> nri::Result<Updates> {
        self.note("stop", &container);
        Ok(Updates::new().update(ContainerUpdate::new("other").cpu_shares(5)))
    }
}

impl ValidateContainerAdjustment for Recorder {
    async fn validate_container_adjustment(
        &self,
        _: &EventContext,
        request: ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        let env = request.adjust.unwrap_or_default().env.len();
        if request.pod.unwrap_or_default().id == "rejected" {
            return Ok(Verdict::Reject("not here".to_owned()));
        }
        self.note(&format!("validate {env}"), &Container::default());
        Ok(Verdict::Accept)
    }
}

fn taken(seen: &EventLog) -> Vec<String> {
    std::mem::take(&mut *seen.lock().unwrap())
}

#[tokio::test]
async fn plugins_of_both_kinds_are_called_in_order_and_see_earlier_adjustments() {
    let (seen, adaptation) = (EventLog::default(), adaptation().await);
    let answer: CreateContainerResponse = Adjustment::new().env("B", "1").into();
    let script = Script::new("20", "peer").message("CreateContainer", &answer);
    let peer = Peer::join(&adaptation, script).await;
    for (index, name) in [("30", "C"), ("10", "A")] {
        let plugin = Recorder::new(name, &seen);
        adaptation.builtin_as(plugin, format!("{index}-in").parse().unwrap()).await.unwrap();
    }
    let created = adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    assert_eq!(
        shown(&created.outcomes)[..3],
        ["10-in answered", "20-peer answered", "30-in answered"]
    );
    let env = created.answer.adjust.env;
    let keys: Vec<_> = env.iter().map(|variable| &*variable.key).collect();
    assert_eq!(keys, ["A", "B", "C"]);
    let mut requests = taken(&seen);
    requests[2..].sort();
    assert_eq!(
        requests,
        ["A create c[]", "C create c[A=1,B=1]", "A validate 3 []", "C validate 3 []"]
    );
    let request = peer.requests::<nri::api::CreateContainerRequest>("CreateContainer").remove(0);
    assert_eq!(request.container.unwrap().env, ["A=1"]);
}

#[tokio::test]
async fn updates_come_back_and_a_later_plugin_sees_them() {
    let (seen, adaptation) = (EventLog::default(), adaptation().await);
    let id = Recorder::new("A", &seen);
    adaptation.builtin_as(id, "10-in".parse().unwrap()).await.unwrap();
    let peer = Peer::join(&adaptation, Script::new("20", "peer")).await;
    let asked = LinuxResources {
        cpu: Some(LinuxCpu { shares: Some(3), ..LinuxCpu::default() }),
        ..LinuxResources::default()
    };
    let updated = adaptation.update_container(&pod("p"), &container("c"), &asked).await.unwrap();
    assert_eq!(taken(&seen), ["A update Some(3) c[]"]);
    let request = peer.requests::<nri::api::UpdateContainerRequest>("UpdateContainer").remove(0);
    let cpu = request.linux_resources.unwrap().cpu.unwrap();
    let values = (cpu.shares.unwrap(), cpu.quota.unwrap());
    assert_eq!(values, (3, 7));
    assert_eq!(shown(&updated.outcomes)[0], "10-in answered");
    let stopped = adaptation.stop_container(&pod("p"), &container("c")).await.unwrap();
    assert_eq!(stopped.answer.updates[0].container_id, "other");
}

#[tokio::test]
async fn a_plugin_gets_the_events_that_it_handles() {
    let (seen, adaptation) = (EventLog::default(), adaptation().await);
    let plugin = Recorder::new("A", &seen);
    adaptation.builtin_as(plugin, "10-in".parse().unwrap()).await.unwrap();
    let run = adaptation.run_pod_sandbox(&pod("p")).await.unwrap();
    let stop = adaptation.stop_pod_sandbox(&pod("p")).await.unwrap();
    assert_eq!(shown(&run.outcomes), ["10-in answered"]);
    assert_eq!(shown(&stop.outcomes), ["10-in not-subscribed"]);
    assert_eq!(taken(&seen), ["A run p"]);
}

#[tokio::test]
async fn a_panic_an_error_and_a_handler_that_hangs_concern_one_request() {
    let seen = EventLog::default();
    let adaptation = builder().request_timeout(SHORT).start().await.unwrap();
    let plugin = Recorder::new("A", &seen);
    adaptation.builtin_as(plugin, "10-in".parse().unwrap()).await.unwrap();
    for (id, reason) in [
        ("panics", "panicked: on purpose"),
        ("fails", "refused"),
        ("hangs", "timed out"),
        ("rejected", "not here"),
    ] {
        let error = adaptation.create_container(&pod(id), &container("c")).await.unwrap_err();
        assert!(error.to_string().contains(reason), "{id}: {error}");
    }
    let created = adaptation.create_container(&pod("p"), &container("c")).await.unwrap();
    assert_eq!(shown(&created.outcomes)[0], "10-in answered");
}

/// Panics before there is a future to poll.
#[derive(NriPlugin)]
#[nri(name = "eager", index = "10")]
struct Eager;

impl RunPodSandbox for Eager {
    fn run_pod_sandbox(
        &self,
        _: &EventContext,
        _: PodSandbox,
    ) -> impl Future<Output = nri::Result<()>> + Send {
        if self.fails() {
            panic!("at once");
        }
        std::future::ready(Ok(()))
    }
}

impl Eager {
    fn fails(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_panic_outside_of_the_handlers_future_is_contained() {
    let adaptation = adaptation().await;
    adaptation.builtin(Eager).await.unwrap();
    let error = adaptation.run_pod_sandbox(&pod("p")).await.unwrap_err();
    assert!(error.to_string().contains("at once"), "{error}");
    assert_eq!(adaptation.plugins().len(), 1);
}

/// A container with a field that an older release lacks.
#[derive(NriPlugin)]
#[nri(name = "aged", index = "10")]
struct Aged(Arc<AtomicBool>);

impl StartContainer for Aged {
    async fn start_container(
        &self,
        _: &EventContext,
        _: PodSandbox,
        container: Container,
    ) -> nri::Result<()> {
        let groups = container.linux.unwrap_or_default().cgroups_path;
        assert_eq!(groups, "/group");
        self.0.store(container.user.is_some(), Ordering::Relaxed);
        Ok(())
    }
}

#[tokio::test]
async fn w7_a_plugin_does_not_see_fields_that_the_release_lacks() {
    for (release, has_it) in [("v0.6.1", false), ("v0.12.5", true)] {
        let seen = Arc::new(AtomicBool::new(!has_it));
        let adaptation = builder().speaking(release).start().await.unwrap();
        adaptation.builtin(Aged(Arc::clone(&seen))).await.unwrap();
        let container = Container {
            user: Some(User::default()),
            linux: Some(Box::new(LinuxContainer {
                cgroups_path: "/group".to_owned(),
                ..LinuxContainer::default()
            })),
            ..container("c")
        };
        let started = adaptation.start_container(&pod("p"), &container).await;
        assert_eq!(shown(&started.unwrap().outcomes), ["10-aged answered"]);
        assert_eq!(seen.load(Ordering::Relaxed), has_it, "{release}");
    }
}

/// Counts the requests in progress, and their maximum.
#[derive(NriPlugin)]
#[nri(name = "counter", index = "10", blocking(StopPodSandbox))]
struct Counter(Arc<[AtomicUsize; 3]>);

impl Counter {
    async fn pass(&self) -> nri::Result<()> {
        let [inside, most, all] = &*self.0;
        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        tokio::task::yield_now().await;
        all.fetch_add(1, Ordering::SeqCst);
        inside.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }
}

impl RunPodSandbox for Counter {
    async fn run_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        self.pass().await
    }
}

impl StopPodSandbox for Counter {
    async fn stop_pod_sandbox(&self, _: &EventContext, _: PodSandbox) -> nri::Result<()> {
        self.pass().await
    }
}

#[tokio::test]
async fn a_plugin_gets_one_request_at_a_time() {
    let counts = Arc::<[AtomicUsize; 3]>::default();
    let adaptation = adaptation().await;
    adaptation.builtin(Counter(Arc::clone(&counts))).await.unwrap();
    let threads = (0..50).map(|nth| {
        let adaptation = adaptation.clone();
        on_thread(async move {
            let pod = pod(&nth.to_string());
            adaptation.run_pod_sandbox(&pod).await.unwrap();
            adaptation.stop_pod_sandbox(&pod).await.unwrap();
        })
    });
    for done in threads.collect::<Vec<_>>() {
        done.await.unwrap();
    }
    let [_, most, all] = &*counts;
    assert_eq!((most.load(Ordering::SeqCst), all.load(Ordering::SeqCst)), (1, 100));
}

/// Asks for an update within its handler, and waits for it.
#[derive(NriPlugin)]
#[nri(name = "asking", index = "10")]
struct Asking;

impl PostStartContainer for Asking {
    async fn post_start_container(
        &self,
        cx: &EventContext,
        _: PodSandbox,
        _: Container,
    ) -> nri::Result<()> {
        let update = Updates::new().update(ContainerUpdate::new("other"));
        let updated = cx.updater().update(update).await;
        updated.map_err(|error| nri::Error::new(error.to_string()))
    }
}

#[tokio::test]
async fn w14_an_update_that_is_awaited_within_a_handler_is_refused() {
    let cluster = Cluster::default();
    let adaptation = builder().callbacks(cluster.clone()).start().await.unwrap();
    adaptation.builtin(Asking).await.unwrap();
    let started = adaptation.post_start_container(&pod("p"), &container("c")).await.unwrap();
    let error = started.outcomes[0].error.clone().unwrap_or_default();
    assert!(error.contains("within the handler of PostStartContainer"), "{error}");
    assert!(cluster.0.requested.lock().unwrap().is_empty());
}

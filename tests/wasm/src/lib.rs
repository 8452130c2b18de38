//! A plugin that logs every event, and misbehaves as the annotation `wasm.example.org/do` of the
//! pod says.

use nri::api::ValidateContainerAdjustmentRequest;
use nri::prelude::*;

/// The annotation that says how to misbehave: `fail`, `panic`, `spin`, `grow` or `wait`.
const DO: &str = "wasm.example.org/do";

#[derive(NriPlugin)]
#[nri(name = "every-event", index = "10")]
struct EveryEvent;

nri::wasm_plugin!(EveryEvent);

/// Logs an event, then misbehaves if the pod asks for it.
async fn take(event: &str, pod: &PodSandbox, container: Option<&Container>) -> nri::Result<()> {
    let name = container.map_or("", |container| &*container.name);
    tracing::info!("event {event} {}/{name}", pod.name);
    match pod.annotations.get(DO).map(String::as_str) {
        None => Ok(()),
        Some("fail") => Err(nri::Error::new("failed on request")),
        Some("panic") => panic!("panicked on request"),
        Some("spin") => loop {
            std::hint::spin_loop();
        },
        Some("grow") => grow(),
        Some("wait") => std::future::pending().await,
        Some(other) => Err(nri::Error::new(format!("cannot do {other:?}"))),
    }
}

/// Allocates until there is no memory left.
fn grow() -> ! {
    let mut blocks = Vec::new();
    loop {
        blocks.push(vec![1_u8; 1 << 20]);
        std::hint::black_box(&blocks);
    }
}

impl Configure for EveryEvent {
    async fn configure(&self, cx: &EventContext, config: Config) -> nri::Result<Subscription> {
        let nri = cx.runtime().and_then(|runtime| runtime.nri_version()).unwrap_or_default();
        tracing::info!("configured {:?} under NRI {nri}", config.text());
        Ok(Subscription::Handled)
    }
}

impl Synchronize for EveryEvent {
    async fn synchronize(
        &self,
        _cx: &EventContext,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> nri::Result<Updates> {
        tracing::info!("synchronized {} pods, {} containers", pods.len(), containers.len());
        Ok(Updates::new())
    }
}

macro_rules! pod_events {
    ($($event:ident $handler:ident)*) => {$(
        impl $event for EveryEvent {
            async fn $handler(&self, _cx: &EventContext, pod: PodSandbox) -> nri::Result<()> {
                take(stringify!($event), &pod, None).await
            }
        }
    )*};
}

macro_rules! container_events {
    ($($event:ident $handler:ident)*) => {$(
        impl $event for EveryEvent {
            async fn $handler(&self, _cx: &EventContext, pod: PodSandbox, container: Container) -> nri::Result<()> {
                take(stringify!($event), &pod, Some(&container)).await
            }
        }
    )*};
}

pod_events! {
    RunPodSandbox run_pod_sandbox
    PostUpdatePodSandbox post_update_pod_sandbox
    StopPodSandbox stop_pod_sandbox
    RemovePodSandbox remove_pod_sandbox
}

container_events! {
    PostCreateContainer post_create_container
    StartContainer start_container
    PostStartContainer post_start_container
    PostUpdateContainer post_update_container
    RemoveContainer remove_container
}

impl UpdatePodSandbox for EveryEvent {
    async fn update_pod_sandbox(
        &self,
        _cx: &EventContext,
        pod: PodSandbox,
        _overhead: LinuxResources,
        _resources: LinuxResources,
    ) -> nri::Result<()> {
        take("UpdatePodSandbox", &pod, None).await
    }
}

impl CreateContainer for EveryEvent {
    async fn create_container(
        &self,
        _cx: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        take("CreateContainer", &pod, Some(&container)).await?;
        Ok(Adjustment::new().annotation("wasm.example.org/created-in", pod.name))
    }
}

impl UpdateContainer for EveryEvent {
    async fn update_container(
        &self,
        _cx: &EventContext,
        pod: PodSandbox,
        container: Container,
        _resources: LinuxResources,
    ) -> nri::Result<Updates> {
        take("UpdateContainer", &pod, Some(&container)).await?;
        Ok(Updates::default())
    }
}

impl ValidateContainerAdjustment for EveryEvent {
    async fn validate_container_adjustment(
        &self,
        _cx: &EventContext,
        request: ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        let pod = request.pod.unwrap_or_default();
        take("ValidateContainerAdjustment", &pod, request.container.as_ref()).await?;
        Ok(Verdict::Accept)
    }
}

impl StopContainer for EveryEvent {
    async fn stop_container(
        &self,
        _cx: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Updates> {
        take("StopContainer", &pod, Some(&container)).await?;
        Ok(Updates::new())
    }
}

//! The handlers: each prints its event.

use nri::api::ValidateContainerAdjustmentRequest;
use nri::prelude::*;

use super::Logger;

/// Subscribes to the requested events.
impl Configure for Logger {
    async fn configure(&self, _: &EventContext, config: Config) -> nri::Result<Subscription> {
        Logger::configure(self, config.parse_with(serde_yaml_ng::from_str)?)
    }
}

impl Synchronize for Logger {
    async fn synchronize(
        &self,
        _: &EventContext,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> nri::Result<Updates> {
        for pod in &pods {
            self.print("Synchronize", Some(pod), None);
        }
        for container in &containers {
            self.print("Synchronize", None, Some(container));
        }
        Ok(Updates::new())
    }
}

impl Shutdown for Logger {
    async fn shutdown(&self, _: &EventContext) -> nri::Result<()> {
        self.print("Shutdown", None, None);
        Ok(())
    }
}

/// A handler of a pod's event.
macro_rules! pod_events {
    ($($event:ident $method:ident($($more:ident),*);)*) => {$(
        impl $event for Logger {
            async fn $method(&self, _: &EventContext, pod: PodSandbox $(, _: $more)*) -> nri::Result<()> {
                self.print(stringify!($event), Some(&pod), None);
                Ok(())
            }
        }
    )*};
}

/// A handler of a container's event, with its answer.
macro_rules! container_events {
    ($($event:ident $method:ident($($more:ident),*) -> $answer:ty;)*) => {$(
        impl $event for Logger {
            async fn $method(
                &self,
                _: &EventContext,
                pod: PodSandbox,
                container: Container
                $(, _: $more)*
            ) -> nri::Result<$answer> {
                self.print(stringify!($event), Some(&pod), Some(&container));
                Ok(Default::default())
            }
        }
    )*};
}

pod_events! {
    RunPodSandbox run_pod_sandbox();
    UpdatePodSandbox update_pod_sandbox(LinuxResources, LinuxResources);
    PostUpdatePodSandbox post_update_pod_sandbox();
    StopPodSandbox stop_pod_sandbox();
    RemovePodSandbox remove_pod_sandbox();
}

container_events! {
    PostCreateContainer post_create_container() -> ();
    StartContainer start_container() -> ();
    PostStartContainer post_start_container() -> ();
    UpdateContainer update_container(LinuxResources) -> Updates;
    PostUpdateContainer post_update_container() -> ();
    StopContainer stop_container() -> Updates;
    RemoveContainer remove_container() -> ();
}

impl CreateContainer for Logger {
    async fn create_container(
        &self,
        _: &EventContext,
        pod: PodSandbox,
        container: Container,
    ) -> nri::Result<Adjustment> {
        self.print("CreateContainer", Some(&pod), Some(&container));
        Ok(self.mark())
    }
}

impl ValidateContainerAdjustment for Logger {
    async fn validate_container_adjustment(
        &self,
        _: &EventContext,
        request: ValidateContainerAdjustmentRequest,
    ) -> nri::Result<Verdict> {
        let (pod, container) = (request.pod.as_ref(), request.container.as_ref());
        self.print("ValidateContainerAdjustment", pod, container);
        Ok(Verdict::Accept)
    }
}

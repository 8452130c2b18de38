//! The handlers: each hands its pod and container to the history.

use std::sync::Arc;

use nri::prelude::*;

use super::arrival::Arrival;
use super::history::History;

/// The plugin at one index.
#[derive(NriPlugin)]
#[nri(name = "differ")]
pub(crate) struct Differ {
    /// Its position among the indices.
    place: usize,
    pub(crate) index: u8,
    history: Arc<History>,
}

impl Differ {
    pub(crate) fn new(place: usize, index: u8, history: Arc<History>) -> Self {
        Differ { place, index, history }
    }

    fn arrive(
        &self,
        event: &str,
        pod: &PodSandbox,
        container: Option<&Container>,
    ) -> nri::Result<()> {
        let id = container.map_or(&pod.id, |container| &container.id);
        let arrival = Arrival::new(pod, container)?;
        self.history.arrive(self.place, (self.index, event), id, arrival);
        Ok(())
    }
}

impl Synchronize for Differ {
    async fn synchronize(
        &self,
        _: &EventContext,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> nri::Result<Updates> {
        let report = &self.history.report;
        if report.level > 2 {
            let json = |error: serde_json::Error| nri::Error::other(error);
            for (name, list) in [
                ("pods", serde_json::to_string(&pods).map_err(json)?),
                ("containers", serde_json::to_string(&containers).map_err(json)?),
            ] {
                report.print(&format!("[{}] Synchronize: {name}: {list}", self.index));
            }
        }
        Ok(Updates::new())
    }
}

/// Handlers of the events of pods.
macro_rules! pod_events {
    ($($event:ident $method:ident($($more:ident),*);)*) => {$(
        impl $event for Differ {
            async fn $method(&self, _: &EventContext, pod: PodSandbox $(, _: $more)*) -> nri::Result<()> {
                self.arrive(stringify!($event), &pod, None)
            }
        }
    )*};
}

/// Handlers of the events of containers, with the types of their answers.
macro_rules! container_events {
    ($($event:ident $method:ident($($more:ident),*) -> $answer:ty;)*) => {$(
        impl $event for Differ {
            async fn $method(
                &self,
                _: &EventContext,
                pod: PodSandbox,
                container: Container
                $(, _: $more)*
            ) -> nri::Result<$answer> {
                self.arrive(stringify!($event), &pod, Some(&container))?;
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
    CreateContainer create_container() -> Adjustment;
    PostCreateContainer post_create_container() -> ();
    StartContainer start_container() -> ();
    PostStartContainer post_start_container() -> ();
    UpdateContainer update_container(LinuxResources) -> Updates;
    PostUpdateContainer post_update_container() -> ();
    StopContainer stop_container() -> Updates;
    RemoveContainer remove_container() -> ();
}

//! The plugin: handlers that record, then act as scripted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nri::prelude::*;

use super::FAILURE;
use super::journal::{Journal, RecordedEvent, Synchronized};
use super::script::{Action, Script};
use super::view::Viewer;
use crate::runtime::event::{ContainerFacts, Hook, PodFacts};

/// The time for which a hanging plugin continues to hang after the deadline of the runtime.
const BEYOND_DEADLINE: Duration = Duration::from_millis(500);

/// One observing plugin.
#[derive(NriPlugin)]
#[nri(on_timeout(RunPodSandbox = "ok", StopPodSandbox = "ok", RemovePodSandbox = "ok"))]
pub(super) struct Watcher {
    pub(super) name: &'static str,
    pub(super) journal: Journal,
    pub(super) script: Script,
    pub(super) viewer: Arc<Viewer>,
    /// The seed of the run; pods of others are left alone.
    pub(super) run: String,
    pub(super) failed: AtomicBool,
}

impl Watcher {
    /// Records an event, and performs the action of the script.
    async fn on(
        &self,
        cx: &EventContext,
        hook: Hook,
        pod: &PodSandbox,
        container: Option<&Container>,
    ) -> nri::Result<()> {
        let pod = PodFacts::from(pod);
        let earlier = self.journal.first_sight(&pod.id);
        let number = self.journal.begin(RecordedEvent {
            number: 0,
            observer: self.name,
            hook,
            pod: pod.clone(),
            container: container.map(ContainerFacts::from),
            started: Instant::now(),
            ended: None,
            views: Vec::new(),
            attempt: None,
        });
        let complete = match earlier {
            Some(earlier) => pod.or(&earlier),
            None => pod,
        };
        let answer = self.act(cx, hook, &complete, number).await;
        self.journal
            .update(number, |entry| entry.ended = Some(Instant::now()));
        answer
    }

    async fn act(
        &self,
        cx: &EventContext,
        hook: Hook,
        pod: &PodFacts,
        number: usize,
    ) -> nri::Result<()> {
        let Some(action) = self.script.action(hook) else {
            return Ok(());
        };
        if action.only_looks() {
            self.look(action, pod, number).await;
            return Ok(());
        }
        if pod.run.as_deref() == Some(self.run.as_str()) {
            self.misbehave(cx, action, pod, number).await
        } else {
            Ok(())
        }
    }

    async fn look(&self, action: Action, pod: &PodFacts, number: usize) {
        self.add_view(pod, number).await;
        let ours = pod.run.as_deref() == Some(self.run.as_str());
        if let (Action::Watch(time), true) = (action, ours) {
            tokio::time::sleep(time).await;
            self.add_view(pod, number).await;
        }
    }

    async fn add_view(&self, pod: &PodFacts, number: usize) {
        let view = self.viewer.look(pod).await;
        self.journal.update(number, |entry| entry.views.push(view));
    }

    async fn misbehave(
        &self,
        cx: &EventContext,
        action: Action,
        pod: &PodFacts,
        number: usize,
    ) -> nri::Result<()> {
        match action {
            Action::Look | Action::Watch(_) => {}
            Action::Hold(time) => tokio::time::sleep(time).await,
            Action::StartWorkload => {
                let attempt = self.viewer.start_workload(pod).await;
                self.journal.update(number, |entry| entry.attempt = attempt);
            }
            Action::FailOnce if self.failed.swap(true, Ordering::Relaxed) => {}
            Action::FailOnce | Action::Fail => return Err(nri::Error::new(FAILURE)),
            // Blocks the thread, because the stub would otherwise answer before the deadline.
            Action::Hang => {
                let left = cx.time_left().unwrap_or_default();
                std::thread::sleep(left + BEYOND_DEADLINE);
            }
        }
        Ok(())
    }
}

impl Connection for Watcher {
    async fn on_disconnect(&self, _cx: &EventContext, _reason: &nri::Error) {
        let lost = (self.name, Instant::now());
        self.journal.write(|record| record.lost.push(lost));
    }
}

impl Configure for Watcher {
    async fn configure(&self, _: &EventContext, _: Config) -> nri::Result<Subscription> {
        let configured = (self.name, Instant::now());
        self.journal
            .write(|record| record.configured.push(configured));
        Ok(Subscription::Handled)
    }
}

impl Synchronize for Watcher {
    async fn synchronize(
        &self,
        cx: &EventContext,
        pods: Vec<PodSandbox>,
        containers: Vec<Container>,
    ) -> nri::Result<Updates> {
        let state = Synchronized {
            observer: self.name,
            at: Instant::now(),
            pods: pods.iter().map(PodFacts::from).collect(),
            containers: containers.iter().map(ContainerFacts::from).collect(),
        };
        let runtime = cx.runtime();
        let runtime =
            runtime.map(|runtime| (runtime.name().to_owned(), runtime.version().to_owned()));
        self.journal.write(|record| {
            record.runtime = runtime;
            record.synchronized.push(state);
        });
        if let Some(Action::Hold(time)) = self.script.action(Hook::Synchronize) {
            tokio::time::sleep(time).await;
        }
        Ok(Updates::new())
    }
}

/// Implements the handler of each event: those of pods, then those of containers.
macro_rules! record_events {
    (pods { $($event:ident $method:ident($($argument:ty),*);)* }
     containers { $($of_container:ident $handler:ident($($rest:ty),*) -> $answer:ty;)* }) => {
        $(impl $event for Watcher {
            async fn $method(&self, cx: &EventContext, pod: PodSandbox $(, _: $argument)*) -> nri::Result<()> {
                self.on(cx, Hook::Event(Event::$event), &pod, None).await
            }
        })*
        $(impl $of_container for Watcher {
            async fn $handler(
                &self,
                cx: &EventContext,
                pod: PodSandbox,
                container: Container
                $(, _: $rest)*
            ) -> nri::Result<$answer> {
                self.on(cx, Hook::Event(Event::$of_container), &pod, Some(&container)).await?;
                Ok(Default::default())
            }
        })*
    };
}

record_events! {
    pods {
        RunPodSandbox run_pod_sandbox();
        UpdatePodSandbox update_pod_sandbox(LinuxResources, LinuxResources);
        PostUpdatePodSandbox post_update_pod_sandbox();
        StopPodSandbox stop_pod_sandbox();
        RemovePodSandbox remove_pod_sandbox();
    }
    containers {
        CreateContainer create_container() -> Adjustment;
        PostCreateContainer post_create_container() -> ();
        StartContainer start_container() -> ();
        PostStartContainer post_start_container() -> ();
        UpdateContainer update_container(LinuxResources) -> Updates;
        PostUpdateContainer post_update_container() -> ();
        StopContainer stop_container() -> Updates;
        RemoveContainer remove_container() -> ();
    }
}

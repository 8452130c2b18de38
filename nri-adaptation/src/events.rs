//! The events of the protocol, one method each.

use std::sync::Arc;

use nri::__private::RequestParts;
use nri::PluginId;
use nri::api::{
    Container, Event, LinuxResources, PluginInstance, PodSandbox,
    ValidateContainerAdjustmentRequest,
};

use super::Adaptation;
use super::answers::{Creation, Empties, Updates};
use super::core::Core;
use super::member::Member;
use super::merge::{self, CreateCollector, Created, UpdateCollector, Updated};
use super::message::{Content, Message};
use super::outcome::{Outcome, OutcomeResult, Relayed, RequestError};
use super::relay::{Answers, Relay};
use super::roster::Members;

/// The result of a request.
type Result<T = ()> = std::result::Result<Relayed<T>, RequestError>;

/// Events.
///
/// Each method sends an event to the plugins that subscribed to it, one after the other, in the
/// order of their indexes. Requests for different pods run at the same time; a plugin gets one
/// request at a time. The [`ErrorPolicy`](super::ErrorPolicy) says which errors of plugins fail a
/// request.
///
/// An event that the [revision](super::Builder::speaking) does not have is sent to nobody.
///
/// A runtime that drops the future of a method gives the request up: the plugins that were not
/// asked yet do not get it, but one that did still works on it, and nothing tells it to stop. The
/// next request for the pod, and the next one to the plugin, do not wait for that. A runtime that
/// needs the order awaits the future; the request timeout bounds the wait.
impl Adaptation {
    /// Reports a pod sandbox that is set up, before it is reported ready.
    ///
    /// # Errors
    ///
    /// Returns the error of the plugin that rejected the pod, together with the outcomes so far.
    pub async fn run_pod_sandbox(&self, pod: &PodSandbox) -> Result {
        let core = &self.0.core;
        let _turn = core.order.turn(&pod.id).await;
        let mut answers = Empties(Content::pod(pod));
        let (members, event) = (core.roster.members(), Event::RunPodSandbox);
        let (result, accepted) = core.relay_to(&members, event, &mut answers).await;
        match result {
            Err(error) if core.policy.rolls_back => {
                Err(error.with_rollback(core.roll_back(pod, &accepted).await))
            }
            result => result,
        }
    }

    /// Asks for consent to new resources of a pod.
    ///
    /// # Errors
    ///
    /// Returns the error of the plugin that refused.
    pub async fn update_pod_sandbox(
        &self,
        pod: &PodSandbox,
        overhead: Option<&LinuxResources>,
        resources: Option<&LinuxResources>,
    ) -> Result {
        let core = &self.0.core;
        let _turn = core.order.turn(&pod.id).await;
        let content = Content::Parts(RequestParts {
            pod: Some(pod),
            overhead_linux_resources: overhead,
            linux_resources: resources,
            ..RequestParts::default()
        });
        let (members, event) = (core.roster.members(), Event::UpdatePodSandbox);
        core.relay(&members, event, &mut Empties(content)).await
    }

    /// Reports a pod whose resources were updated.
    ///
    /// # Errors
    ///
    /// Returns an error only if a plugin's failure policy or a rule of the error policy demands it.
    pub async fn post_update_pod_sandbox(&self, pod: &PodSandbox) -> Result {
        self.report(Event::PostUpdatePodSandbox, pod, None).await
    }

    /// Reports a pod that is about to stop, before its resources are released. Reaches every
    /// plugin.
    ///
    /// # Errors
    ///
    /// Never fails because of a plugin.
    pub async fn stop_pod_sandbox(&self, pod: &PodSandbox) -> Result {
        self.report(Event::StopPodSandbox, pod, None).await
    }

    /// Reports a pod that is removed. Reaches every plugin.
    ///
    /// # Errors
    ///
    /// Never fails because of a plugin.
    pub async fn remove_pod_sandbox(&self, pod: &PodSandbox) -> Result {
        self.report(Event::RemovePodSandbox, pod, None).await
    }

    /// Asks for adjustments of a container that is about to be created. Each plugin sees the
    /// container as adjusted by those before it. Validators then judge the merged adjustment.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, the conflict of two plugins, or a validator's rejection.
    pub async fn create_container(
        &self,
        pod: &PodSandbox,
        container: &Container,
    ) -> Result<Created> {
        let core = &self.0.core;
        let _turn = core.order.turn(&pod.id).await;
        let members = core.roster.members();
        let mut answers =
            Creation { pod, collector: CreateCollector::new(container.clone()), largest: None };
        let mut relayed = core.relay(&members, Event::CreateContainer, &mut answers).await?;
        let Creation { collector, largest, .. } = answers;
        let request = || ValidateContainerAdjustmentRequest {
            pod: Some(pod.clone()),
            container: Some(merge::filled(container.clone())),
            plugins: asked(&members, &relayed.outcomes),
            ..collector.validation()
        };
        match core.validate(&members, largest, request).await {
            Ok(outcomes) => relayed.outcomes.extend(outcomes),
            Err(error) => {
                let mut outcomes = relayed.outcomes;
                outcomes.extend_from_slice(error.outcomes());
                return Err(error.with_outcomes(outcomes));
            }
        }
        Ok(relayed.map(|()| collector.finish()))
    }

    /// Reports a container that was created.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`post_update_pod_sandbox`](Self::post_update_pod_sandbox).
    pub async fn post_create_container(&self, pod: &PodSandbox, container: &Container) -> Result {
        self.report(Event::PostCreateContainer, pod, Some(container)).await
    }

    /// Reports a container that is about to start.
    ///
    /// # Errors
    ///
    /// Returns the error of the plugin that refused.
    pub async fn start_container(&self, pod: &PodSandbox, container: &Container) -> Result {
        self.report(Event::StartContainer, pod, Some(container)).await
    }

    /// Reports a container that was started.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`post_update_pod_sandbox`](Self::post_update_pod_sandbox).
    pub async fn post_start_container(&self, pod: &PodSandbox, container: &Container) -> Result {
        self.report(Event::PostStartContainer, pod, Some(container)).await
    }

    /// Asks for changes to an update of a container's resources.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, or the conflict of two plugins.
    pub async fn update_container(
        &self,
        pod: &PodSandbox,
        container: &Container,
        resources: &LinuxResources,
    ) -> Result<Updated> {
        let collector = UpdateCollector::for_update(&*container.id, Some(resources.clone()));
        self.collect(Event::UpdateContainer, pod, Some(container), collector).await
    }

    /// Reports a container whose resources were updated.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`post_update_pod_sandbox`](Self::post_update_pod_sandbox).
    pub async fn post_update_container(&self, pod: &PodSandbox, container: &Container) -> Result {
        self.report(Event::PostUpdateContainer, pod, Some(container)).await
    }

    /// Reports a container that is stopped, and asks for updates of others. Reaches every plugin.
    ///
    /// # Errors
    ///
    /// Never fails because of a plugin. Updates that conflict with those of an earlier plugin are
    /// left out.
    pub async fn stop_container(&self, pod: &PodSandbox, container: &Container) -> Result<Updated> {
        self.send(Event::StopContainer, pod, Some(container)).await
    }

    /// Reports a container that is removed. Reaches every plugin.
    ///
    /// # Errors
    ///
    /// Never fails because of a plugin.
    pub async fn remove_container(&self, pod: &PodSandbox, container: &Container) -> Result {
        self.report(Event::RemoveContainer, pod, Some(container)).await
    }

    /// Sends any event about a pod, or about a container in it. The request holds the pod and the
    /// container, and nothing else.
    ///
    /// This is for events that have no method yet. Updates and evictions in the answers are merged,
    /// and adjustments are ignored: only [`create_container`](Self::create_container) takes them.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, or the conflict of two plugins. An event that stops or
    /// removes a pod or a container never fails.
    pub async fn send(
        &self,
        event: Event,
        pod: &PodSandbox,
        container: Option<&Container>,
    ) -> Result<Updated> {
        self.collect(event, pod, container, UpdateCollector::for_stop()).await
    }

    /// Sends an event whose answers may have updates.
    async fn collect(
        &self,
        event: Event,
        pod: &PodSandbox,
        container: Option<&Container>,
        collector: UpdateCollector,
    ) -> Result<Updated> {
        let core = &self.0.core;
        let _turn = core.order.turn(&pod.id).await;
        let mut answers = Updates { event, content: Content::of(pod, container), collector };
        let members = core.roster.members();
        let relayed = core.relay(&members, event, &mut answers).await?;
        Ok(relayed.map(|()| answers.collector.finish()))
    }

    /// Sends an event that has no answer.
    async fn report(
        &self,
        event: Event,
        pod: &PodSandbox,
        container: Option<&Container>,
    ) -> Result {
        let core = &self.0.core;
        let _turn = core.order.turn(&pod.id).await;
        let members = core.roster.members();
        let mut answers = Empties(Content::of(pod, container));
        core.relay(&members, event, &mut answers).await
    }
}

impl Core {
    async fn relay(&self, members: &Members, event: Event, answers: &mut dyn Answers) -> Result {
        self.relay_to(members, event, answers).await.0
    }

    /// Sends an event to all plugins. Returns also those that accepted it.
    async fn relay_to(
        &self,
        members: &Members,
        event: Event,
        answers: &mut dyn Answers,
    ) -> (Result, Vec<Arc<Member>>) {
        let (mut outcomes, mut accepted, mut relayed) = (Vec::new(), Vec::new(), Ok(()));
        if let Some(message) = Message::new(&self.revision, event) {
            let mut relay = Relay::new(self, message);
            relayed = relay.run(members, answers).await;
            (outcomes, accepted) = (relay.outcomes, relay.accepted);
        }
        let result = match relayed {
            Ok(answer) => Ok(Relayed { answer, outcomes }),
            Err(error) => Err(error.with_outcomes(outcomes)),
        };
        (result, accepted)
    }

    /// Takes a pod down at the plugins that accepted it.
    async fn roll_back(&self, pod: &PodSandbox, accepted: &[Arc<Member>]) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for event in [Event::StopPodSandbox, Event::RemovePodSandbox] {
            let Some(message) = Message::new(&self.revision, event) else {
                continue;
            };
            let mut relay = Relay::new(self, message);
            for member in accepted {
                // Teardown never fails.
                let _ = relay.visit(member, &mut Empties(Content::pod(pod))).await;
            }
            outcomes.append(&mut relay.outcomes);
        }
        outcomes
    }
}

/// Returns the plugins that were connected when their turn came, whether they subscribed or not.
fn asked(members: &Members, outcomes: &[Outcome]) -> Vec<PluginInstance> {
    let absent =
        |outcome: &Outcome| outcome.result == OutcomeResult::Disconnected && outcome.via.is_none();
    let asked = |member: &&Arc<Member>| {
        outcomes
            .iter()
            .filter(|outcome| outcome.plugin == member.full_name)
            .any(|outcome| !absent(outcome))
    };
    members.iter().filter(asked).map(|member| instance(&member.id)).collect()
}

fn instance(id: &PluginId) -> PluginInstance {
    PluginInstance { name: id.name.clone(), index: id.index.clone() }
}

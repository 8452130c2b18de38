//! The events that a test sends.

use super::answers::{Created, Updated, adjusted, ignored_fields, updated};
use super::error::EventError;
use super::fixture::{ContainerFixture, in_pod};
use super::running::RunningRuntime;
#[cfg(feature = "oci")]
use super::spec;
use nri::api::{Container, ContainerState, Event, LinuxResources, PodSandbox};
use nri_adaptation::{Relayed, RequestError};

type Result<T = ()> = std::result::Result<T, EventError>;

/// Events. Each method sends the same calls as a runtime, and fails with the first error of a
/// plugin.
impl RunningRuntime {
    /// Runs a pod: RunPodSandbox.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin. In that case the pod does not run.
    pub async fn run_pod(&mut self, pod: impl Into<PodSandbox>) -> Result<PodSandbox> {
        let pod = pod.into();
        let event = Event::RunPodSandbox;
        self.request(event, self.adaptation.run_pod_sandbox(&pod)).await?;
        self.world.lock().pods.push(pod.clone());
        Ok(pod)
    }

    /// Updates the resources of a pod: UpdatePodSandbox and PostUpdatePodSandbox. Returns the pod
    /// with the new resources.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin.
    pub async fn update_pod(
        &mut self,
        pod: &PodSandbox,
        overhead: Option<LinuxResources>,
        resources: Option<LinuxResources>,
    ) -> Result<PodSandbox> {
        let event = Event::UpdatePodSandbox;
        let mut pod = self.known_pod(event, pod)?;
        self.request(
            event,
            self.adaptation.update_pod_sandbox(&pod, overhead.as_ref(), resources.as_ref()),
        )
        .await?;
        let linux = pod.linux.get_or_insert_default();
        linux.pod_overhead = overhead.or(linux.pod_overhead.take());
        linux.pod_resources = resources.or(linux.pod_resources.take());
        self.world.lock().replace_pod(&pod);
        let post = Event::PostUpdatePodSandbox;
        self.request(post, self.adaptation.post_update_pod_sandbox(&pod)).await?;
        Ok(pod)
    }

    /// Stops a pod: StopContainer for each container that is not stopped, then StopPodSandbox.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, after the pod has stopped.
    pub async fn stop_pod(&mut self, pod: &PodSandbox) -> Result {
        let event = Event::StopPodSandbox;
        let pod = self.known_pod(event, pod)?;
        let mut outcome = Ok(());
        let containers = self.world.lock().containers_of(&pod.id);
        for container in containers {
            if container.state != ContainerState::ContainerStopped as i32 {
                outcome = outcome.and(self.stop_container(&container).await.map(drop));
            }
        }
        self.world.lock().stopped.insert(pod.id.clone());
        let sent = self.request(event, self.adaptation.stop_pod_sandbox(&pod)).await;
        outcome.and(sent.map(drop))
    }

    /// Removes a pod: RemoveContainer for each of its containers, then RemovePodSandbox.
    /// [Stops](Self::stop_pod) it first unless it has stopped.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, after the pod is removed.
    pub async fn remove_pod(&mut self, pod: &PodSandbox) -> Result {
        let event = Event::RemovePodSandbox;
        let pod = self.known_pod(event, pod)?;
        let mut outcome = Ok(());
        let has_stopped = self.world.lock().stopped.contains(&pod.id);
        if !has_stopped {
            outcome = self.stop_pod(&pod).await;
        }
        let containers = self.world.lock().containers_of(&pod.id);
        for container in containers {
            outcome = outcome.and(self.remove_container(&container).await);
        }
        self.world.lock().remove_pod(&pod.id);
        let sent = self.request(event, self.adaptation.remove_pod_sandbox(&pod)).await;
        outcome.and(sent.map(drop))
    }

    /// Creates a container in a pod: CreateContainer, which plugins may adjust,
    /// ValidateContainerAdjustment, and PostCreateContainer.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, the conflict of two plugins, or the rejection of a validator.
    /// In these cases the container does not exist, except after an error in PostCreateContainer.
    pub async fn create_container(
        &mut self,
        pod: &PodSandbox,
        container: impl Into<Container>,
    ) -> Result<Created> {
        let event = Event::CreateContainer;
        let pod = self.known_pod(event, pod)?;
        let original = in_pod(container.into(), &pod);
        let (answer, ignored) =
            self.request(event, self.adaptation.create_container(&pod, &original)).await?;
        #[cfg(feature = "oci")]
        let spec = spec::adjusted(&original, &answer.adjust)
            .map_err(|error| EventError::spec(event, error))?;
        let created = adjusted(original.clone(), answer.adjust.clone());
        self.world.lock().containers.push(created.clone());
        let post = Event::PostCreateContainer;
        self.request(post, self.adaptation.post_create_container(&pod, &created)).await?;
        Ok(Created {
            pod,
            original,
            container: created,
            adjustment: answer.adjust,
            updates: answer.updates,
            evictions: answer.evictions,
            owners: (&answer.owners).into(),
            ignored_fields: ignored,
            #[cfg(feature = "oci")]
            spec,
        })
    }

    /// Runs the pod of this container unless it already runs, and creates the container in it.
    ///
    /// ```
    /// # use nri::prelude::*;
    /// # #[derive(NriPlugin)]
    /// # struct Labeler;
    /// # impl CreateContainer for Labeler {
    /// #     async fn create_container(&self, _: &EventContext, pod: PodSandbox, _: Container) -> nri::Result<Adjustment> {
    /// #         Ok(Adjustment::new().annotation("pod", pod.name))
    /// #     }
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use nri_testing::{self as testing, pod};
    ///
    /// let mut runtime = testing::Runtime::new().start(Labeler).await?;
    /// let created = runtime.create_in_pod(pod("web").container("app")).await?;
    /// assert_eq!(created.annotation("pod"), Some("web"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run_pod`](Self::run_pod) and
    /// [`create_container`](Self::create_container).
    pub async fn create_in_pod(&mut self, container: ContainerFixture) -> Result<Created> {
        let (pod, container) = container.build();
        let running = self.world.lock().pod(&pod.id).is_some();
        let pod = if running { pod } else { self.run_pod(pod).await? };
        self.create_container(&pod, container).await
    }

    /// Starts a container: StartContainer and PostStartContainer.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin.
    pub async fn start_container(&mut self, container: &Container) -> Result {
        let event = Event::StartContainer;
        let (pod, mut container) = self.known(event, container)?;
        self.request(event, self.adaptation.start_container(&pod, &container)).await?;
        self.set_state(&mut container, ContainerState::ContainerRunning);
        let post = Event::PostStartContainer;
        self.request(post, self.adaptation.post_start_container(&pod, &container)).await.map(drop)
    }

    /// Updates the resources of a container: UpdateContainer and PostUpdateContainer. The container
    /// then has the resources with the changes of the plugins.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, or the conflict of two plugins.
    pub async fn update_container(
        &mut self,
        container: &Container,
        resources: LinuxResources,
    ) -> Result<Updated> {
        let event = Event::UpdateContainer;
        let (pod, mut container) = self.known(event, container)?;
        let (answer, ignored) = self
            .request(event, self.adaptation.update_container(&pod, &container, &resources))
            .await?;
        container.linux.get_or_insert_default().resources = Some(answer.resources.clone());
        self.world.lock().replace(container.clone());
        let post = Event::PostUpdateContainer;
        self.request(post, self.adaptation.post_update_container(&pod, &container)).await?;
        Ok(updated(answer, ignored))
    }

    /// Stops a container: StopContainer.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, after the container has stopped.
    pub async fn stop_container(&mut self, container: &Container) -> Result<Updated> {
        let event = Event::StopContainer;
        let (pod, mut container) = self.known(event, container)?;
        self.set_state(&mut container, ContainerState::ContainerStopped);
        let (answer, ignored) =
            self.request(event, self.adaptation.stop_container(&pod, &container)).await?;
        Ok(updated(answer, ignored))
    }

    /// Removes a container: StopContainer if it is not stopped, and RemoveContainer.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, after the container is removed.
    pub async fn remove_container(&mut self, container: &Container) -> Result {
        let event = Event::RemoveContainer;
        let (pod, container) = self.known(event, container)?;
        let mut outcome = Ok(());
        if container.state != ContainerState::ContainerStopped as i32 {
            outcome = self.stop_container(&container).await.map(drop);
        }
        self.world.lock().remove_container(&container.id);
        let sent = self.request(event, self.adaptation.remove_container(&pod, &container)).await;
        outcome.and(sent.map(drop))
    }

    /// Sends any event about a pod, or about a container in it. This is for events that have no
    /// method yet.
    ///
    /// # Errors
    ///
    /// Returns the error of a plugin, or the conflict of two plugins.
    pub async fn send(
        &mut self,
        event: Event,
        pod: &PodSandbox,
        container: Option<&Container>,
    ) -> Result<Updated> {
        let pod = self.known_pod(event, pod)?;
        let known = match container {
            Some(container) => Some(self.known(event, container)?.1),
            None => None,
        };
        let (answer, ignored) =
            self.request(event, self.adaptation.send(event, &pod, known.as_ref())).await?;
        Ok(updated(answer, ignored))
    }

    fn known_pod(&self, event: Event, pod: &PodSandbox) -> Result<PodSandbox> {
        let contents = self.world.lock();
        contents.pod(&pod.id).cloned().ok_or_else(|| EventError::unknown(event, "pod", &pod.id))
    }

    /// Returns the container as the runtime has it, and its pod.
    fn known(&self, event: Event, container: &Container) -> Result<(PodSandbox, Container)> {
        let contents = self.world.lock();
        let known = contents
            .containers
            .iter()
            .find(|known| known.id == container.id)
            .ok_or_else(|| EventError::unknown(event, "container", &container.id))?;
        let pod = contents
            .pod(&known.pod_sandbox_id)
            .cloned()
            .ok_or_else(|| EventError::unknown(event, "pod", &known.pod_sandbox_id))?;
        Ok((pod, known.clone()))
    }

    fn set_state(&self, container: &mut Container, state: ContainerState) {
        container.state = state as i32;
        self.world.lock().replace(container.clone());
    }

    /// Sends a request when updates in progress are done. Returns the answer if every plugin
    /// handled it, and the fields of answers that the runtime does not know.
    async fn request<T>(
        &self,
        event: Event,
        request: impl Future<Output = std::result::Result<Relayed<T>, RequestError>>,
    ) -> Result<(T, Vec<String>)> {
        let relayed =
            self.world.during(request).await.map_err(|error| EventError::request(event, error))?;
        EventError::in_outcomes(&relayed.outcomes)?;
        Ok((relayed.answer, ignored_fields(&relayed.outcomes)))
    }
}

//! Events: their names, and sending them.

use nri::api::{Container, Event, LinuxResources, PodSandbox};
use nri_adaptation::merge::{Created, Updated};
use nri_adaptation::{Adaptation, Relayed, RequestError};

/// An event with its subject.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) event: Event,
    pub(crate) pod: PodSandbox,
    pub(crate) container: Container,
    /// The new resources, of UpdateContainer and UpdatePodSandbox.
    pub(crate) resources: Option<LinuxResources>,
    /// The new overhead, of UpdatePodSandbox.
    pub(crate) overhead: Option<LinuxResources>,
}

/// The merged answers to an event.
pub(crate) enum Answer {
    None,
    Created(Box<Created>),
    Updated(Box<Updated>),
}

/// Returns the event with a name such as `RunPodSandbox`, or `RUN_POD_SANDBOX` as in the proto.
///
/// # Errors
///
/// Returns a message if there is no such event, or if a runtime does not send it directly.
pub(crate) fn parse(name: &str) -> Result<Event, String> {
    let wanted = name.replace('_', "").to_ascii_lowercase();
    let events = || (1..).map_while(|number| Event::try_from(number).ok());
    let found = events().find(|event| rpc_name(*event).to_ascii_lowercase() == wanted);
    match found {
        Some(Event::ValidateContainerAdjustment) => {
            Err(format!("event `{name}` is sent as a part of CreateContainer"))
        }
        Some(event) => Ok(event),
        None => {
            let known: Vec<String> = events()
                .filter(|event| *event != Event::ValidateContainerAdjustment)
                .map(rpc_name)
                .collect();
            Err(format!("unknown event `{name}`: expected one of {}", known.join(", ")))
        }
    }
}

/// Returns the name of an event in the spelling of its RPC.
pub(crate) fn rpc_name(event: Event) -> String {
    event
        .as_str_name()
        .split('_')
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_owned() + &rest.to_ascii_lowercase()
        })
        .collect()
}

/// Returns true if the event is about a container.
pub(crate) fn has_container(event: Event) -> bool {
    rpc_name(event).contains("Container")
}

/// Sends an event to the plugins.
pub(crate) async fn send(
    adaptation: &Adaptation,
    request: &Request,
) -> Result<Relayed<Answer>, RequestError> {
    let (pod, container) = (&request.pod, &request.container);
    let none = LinuxResources::default();
    let resources = request.resources.as_ref();
    match request.event {
        Event::RunPodSandbox => {
            let relayed = adaptation.run_pod_sandbox(pod).await?;
            Ok(relayed.map(|()| Answer::None))
        }
        Event::UpdatePodSandbox => {
            let overhead = request.overhead.as_ref();
            let relayed = adaptation.update_pod_sandbox(pod, overhead, resources).await?;
            Ok(relayed.map(|()| Answer::None))
        }
        Event::CreateContainer => {
            let relayed = adaptation.create_container(pod, container).await?;
            Ok(relayed.map(|created| Answer::Created(Box::new(created))))
        }
        Event::UpdateContainer => {
            let resources = resources.unwrap_or(&none);
            let relayed = adaptation.update_container(pod, container, resources).await?;
            Ok(relayed.map(|updated| Answer::Updated(Box::new(updated))))
        }
        event => {
            let relayed = adaptation.send(event, pod, Some(container)).await?;
            Ok(relayed.map(|updated| Answer::Updated(Box::new(updated))))
        }
    }
}

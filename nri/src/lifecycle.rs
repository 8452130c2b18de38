//! The place of each event in the life of a pod with one container.

#[rustfmt::skip]
mod table;

pub use table::STAGES;
#[cfg(feature = "in-process")]
pub use table::{changes, request};

use crate::api::{Container, Event, LinuxResources, PodSandbox};
#[cfg(feature = "in-process")]
use crate::api::{ContainerAdjustment, ContainerEviction, ContainerUpdate};
use crate::codec::Message;

/// The place of an event in the life of a pod, its request, and its answer.
#[derive(Debug)]
pub struct Stage {
    /// The event.
    pub event: Event,
    /// The kind of the event.
    pub kind: EventKind,
    /// The state of the container, for an event of a container.
    pub container: Option<ContainerStage>,
    /// The parts of the request, with their field numbers.
    pub parts: &'static [(u32, RequestPart)],
}

/// The kind of an event: who decides, and what happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The runtime waits for the consent of the plugins.
    Consent,
    /// The runtime reports a change that it has made.
    Report,
    /// The runtime stops a pod or a container.
    Stop,
    /// The runtime removes a pod or a container.
    Removal,
}

/// The state of a container at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerStage {
    /// It does not exist yet.
    Planned,
    /// It exists, and has no process.
    Created,
    /// Its process exists and waits for the start.
    Starting,
    /// It runs.
    Running,
    /// Its process has ended.
    Stopped,
    /// It does not exist anymore.
    Removed,
}

/// A part of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestPart {
    /// [`RequestParts::pod`].
    Pod,
    /// [`RequestParts::container`].
    Container,
    /// [`RequestParts::overhead_linux_resources`].
    OverheadLinuxResources,
    /// [`RequestParts::linux_resources`].
    LinuxResources,
}

/// The parts of a request that a runtime fills in. The request of an event holds those that it has
/// a field for.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestParts<'a> {
    /// The pod.
    pub pod: Option<&'a PodSandbox>,
    /// The container.
    pub container: Option<&'a Container>,
    /// The new overhead of the pod.
    pub overhead_linux_resources: Option<&'a LinuxResources>,
    /// The new resources of the container, or of the pod.
    pub linux_resources: Option<&'a LinuxResources>,
}

/// The changes in an answer. Each answer has a field for some of them.
#[cfg(feature = "in-process")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// The adjustment of the container that is being created.
    pub adjust: Option<ContainerAdjustment>,
    /// The updates of other containers.
    pub update: Vec<ContainerUpdate>,
    /// The containers to evict.
    pub evict: Vec<ContainerEviction>,
}

impl Stage {
    /// Returns the stage of an event; `None` if the event has no dedicated RPC.
    pub fn of(event: Event) -> Option<&'static Stage> {
        STAGES.iter().find(|stage| stage.event == event)
    }

    /// Appends the encoded request with these parts.
    pub fn encode(&self, parts: &RequestParts<'_>, to: &mut Vec<u8>) {
        for (number, part) in self.parts {
            match part {
                RequestPart::Pod => put(*number, parts.pod, to),
                RequestPart::Container => put(*number, parts.container, to),
                RequestPart::OverheadLinuxResources => {
                    put(*number, parts.overhead_linux_resources, to)
                }
                RequestPart::LinuxResources => put(*number, parts.linux_resources, to),
            }
        }
    }
}

fn put(number: u32, part: Option<&impl Message>, to: &mut Vec<u8>) {
    if let Some(part) = part {
        part.encode_field(number, to);
    }
}

impl EventKind {
    /// Returns the kind of an event. An event without a dedicated RPC is a report.
    pub fn of(event: Event) -> Self {
        Stage::of(event).map_or(Self::Report, |stage| stage.kind)
    }

    /// Returns true if the event ends a pod or a container, which nothing may prevent.
    pub fn is_teardown(self) -> bool {
        match self {
            Self::Stop | Self::Removal => true,
            Self::Consent | Self::Report => false,
        }
    }
}

//! The state of the pod and the container of an event before it.

use crate::api::Event;

/// The state of a pod or container in the store before an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SightingKind {
    /// Unknown before. Known from now on, unless the event is its removal.
    First,
    /// Known before; the store now has the data of the event.
    Known,
    /// Known, and stopped before: a repeated Stop, which requires no action.
    Repeated,
    /// Removed before: a late event or a repeated Remove. It does not become known again.
    Gone,
}

/// The meaning of an event for the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sighting {
    /// The event that names the pod and the container.
    pub event: Event,
    /// The state of the pod in the store.
    pub pod: SightingKind,
    /// The state of the container in the store, if the event has one.
    pub container: Option<SightingKind>,
}

impl Sighting {
    /// Returns true if the pod or container is seen for the first time in an event other than its
    /// creation.
    ///
    /// A plugin that handles RunPodSandbox and CreateContainer can then do what it would have done
    /// in those handlers. The validation of an adjustment counts as creation, for plugins that
    /// handle nothing else.
    pub fn missed_creation(&self) -> bool {
        let creates_pod = self.event == Event::RunPodSandbox;
        let creates_container = matches!(
            self.event,
            Event::CreateContainer | Event::ValidateContainerAdjustment
        );
        (self.pod == SightingKind::First && !creates_pod)
            || (self.container == Some(SightingKind::First) && !creates_container)
    }

    /// Returns true if the container, or the pod if there is no container, has had this event
    /// before, or has been removed.
    pub fn is_repeated(&self) -> bool {
        matches!(
            self.container.unwrap_or(self.pod),
            SightingKind::Repeated | SightingKind::Gone
        )
    }
}

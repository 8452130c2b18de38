//! How new the pod and the container of an event are.

use crate::api::Event;

/// How new a pod or container is to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// Not known before. Known from now on, unless the event is its removal.
    First,
    /// Known before; the store now has what the event carries.
    Known,
    /// Known, and stopped before: a Stop that came again, on which nothing is to be done.
    Repeated,
    /// Removed before: a straggler, or a Remove that came again. It does not become known once more.
    Gone,
}

/// The meaning of an event for the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sighting {
    /// The event.
    pub event: Event,
    /// How new its pod is.
    pub pod: Seen,
    /// How new its container is, where it is about one.
    pub container: Option<Seen>,
}

impl Sighting {
    /// Whether its pod or container is seen for the first time, by another event than the one that creates it.
    ///
    /// A plugin that handles RunPodSandbox and CreateContainer makes up here for what those would have done. The
    /// validation of an adjustment counts as creation, for a plugin that handles nothing but that.
    pub fn missed_creation(&self) -> bool {
        let creates_pod = self.event == Event::RunPodSandbox;
        let creates_container = matches!(
            self.event,
            Event::CreateContainer | Event::ValidateContainerAdjustment
        );
        (self.pod == Seen::First && !creates_pod)
            || (self.container == Some(Seen::First) && !creates_container)
    }

    /// Whether what the event is about, the container if there is one, has had this event before, or its removal.
    pub fn is_repeated(&self) -> bool {
        matches!(
            self.container.unwrap_or(self.pod),
            Seen::Repeated | Seen::Gone
        )
    }
}

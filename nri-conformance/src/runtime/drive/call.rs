//! The requests that the driver sent.

use std::fmt;
use std::time::Instant;

/// A request to the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Request {
    RunPod,
    StopPod,
    RemovePod,
    Create,
    Start,
    Update,
    Stop,
    Remove,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Request::RunPod => "RunPodSandbox",
            Request::StopPod => "StopPodSandbox",
            Request::RemovePod => "RemovePodSandbox",
            Request::Create => "CreateContainer",
            Request::Start => "StartContainer",
            Request::Update => "UpdateContainerResources",
            Request::Stop => "StopContainer",
            Request::Remove => "RemoveContainer",
        })
    }
}

/// A request that was answered.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) request: Request,
    /// The id of the pod or container; for a new one, the name of the pod or the id of the pod.
    pub(crate) id: String,
    pub(crate) started: Instant,
    pub(crate) ended: Instant,
    /// The id of the pod or container that was created.
    pub(crate) created: Option<String>,
}

impl Call {
    /// Returns the id of the pod or container that the request was about, or that it created.
    pub(crate) fn subject(&self) -> &str {
        self.created.as_deref().unwrap_or(&self.id)
    }

    /// Returns true if the time from `started` to `ended` is within the request.
    pub(crate) fn contains(&self, started: Instant, ended: Option<Instant>) -> bool {
        self.started <= started && ended.is_some_and(|ended| ended <= self.ended)
    }
}

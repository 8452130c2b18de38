//! The objects of an event.

use nri::api::{Container, PodSandbox};
use serde_json::Value;

/// A pod, and a container if the event is about one.
#[derive(Clone)]
pub(crate) struct Arrival {
    pod: Value,
    container: Option<Value>,
}

impl Arrival {
    pub(crate) fn new(pod: &PodSandbox, container: Option<&Container>) -> nri::Result<Self> {
        let json = |error: serde_json::Error| nri::Error::other(error);
        Ok(Arrival {
            pod: serde_json::to_value(pod).map_err(json)?,
            container: container.map(serde_json::to_value).transpose().map_err(json)?,
        })
    }

    /// Returns its objects with their names.
    pub(crate) fn objects(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        let container = self.container.as_ref().map(|container| ("container", container));
        [("pod", &self.pod)].into_iter().chain(container)
    }
}

//! Removes empty parts of answers, so that two answers with the same meaning are equal, and finds
//! fields of an answer that the runtime is too old for.

use crate::adjust::{Adjustment, Updates};
use crate::api::fields::{Newer, is_outdated, newer_than};
use crate::api::{
    ContainerAdjustment, ContainerUpdate, CreateContainerResponse, LinuxContainerAdjustment,
    LinuxContainerUpdate, LinuxResources, UpdateContainerResponse,
};
use crate::codec::Message;

impl Adjustment {
    /// Returns true if the answer changes, updates and evicts nothing.
    ///
    /// ```
    /// use nri::adjust::{Adjustment, SetResources};
    /// use nri::api::LinuxResources;
    ///
    /// assert!(Adjustment::new().resources(LinuxResources::default()).is_empty());
    /// assert!(!Adjustment::new().memory_limit(0).is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        let stripped = self.adjust.clone().strip();
        stripped == ContainerAdjustment::default() && self.others == Updates::default()
    }

    /// Returns the fields in use that a runtime of this NRI release does not know and silently
    /// ignores.
    ///
    /// Returns no fields for a release without a number (`devel`).
    ///
    /// ```
    /// use nri::adjust::Adjustment;
    /// use nri::api::{LinuxMemoryPolicy, MpolMode};
    ///
    /// let policy = LinuxMemoryPolicy::new(MpolMode::MpolBind, "0");
    /// let adjustment = Adjustment::new().env("A", "1").memory_policy(policy);
    ///
    /// let lost = adjustment.newer_than("v0.11.0");
    /// assert_eq!((lost[0].field.as_str(), lost[0].since), ("adjust.linux.memory_policy", "v0.12.0"));
    /// assert!(adjustment.newer_than("v0.12.0").is_empty());
    /// ```
    pub fn newer_than(&self, release: &str) -> Vec<Newer> {
        of::<CreateContainerResponse>("CreateContainerResponse", self, release)
    }
}

impl ContainerAdjustment {
    /// Removes empty parts: hooks, Linux part, resources, memory, CPU, RDT.
    ///
    /// Keeps parts whose presence has a meaning, such as a memory policy with the default mode. The
    /// Go API's `Strip` removes those too.
    #[must_use]
    pub fn strip(mut self) -> Self {
        self.hooks = filled(self.hooks);
        self.linux = filled(self.linux.map(|linux| LinuxContainerAdjustment {
            resources: filled(linux.resources.map(LinuxResources::strip)),
            rdt: filled(linux.rdt),
            ..linux
        }));
        self
    }
}

impl ContainerUpdate {
    /// Removes empty parts: Linux part, resources, memory, CPU.
    #[must_use]
    pub fn strip(mut self) -> Self {
        let stripped = self.linux.and_then(|linux| linux.resources).map(LinuxResources::strip);
        self.linux = filled(stripped)
            .map(|resources| Box::new(LinuxContainerUpdate { resources: Some(resources) }));
        self
    }
}

impl LinuxResources {
    /// Removes empty memory and CPU parts.
    #[must_use]
    pub fn strip(mut self) -> Self {
        self.memory = filled(self.memory);
        self.cpu = filled(self.cpu);
        self
    }
}

fn filled<T: Default + PartialEq>(part: Option<T>) -> Option<T> {
    part.filter(|part| *part != T::default())
}

impl Updates {
    /// Returns the fields in use that a runtime of this NRI release does not know and silently
    /// ignores.
    pub fn newer_than(&self, release: &str) -> Vec<Newer> {
        of::<UpdateContainerResponse>("UpdateContainerResponse", self, release)
    }
}

/// Copies and encodes nothing if the runtime knows every field, which is the usual case.
fn of<R: Message>(name: &str, answer: &(impl Clone + Into<R>), release: &str) -> Vec<Newer> {
    if !is_outdated(release) {
        return Vec::new();
    }
    let response: R = answer.clone().into();
    newer_than(name, &response.encode_to_vec(), release)
}

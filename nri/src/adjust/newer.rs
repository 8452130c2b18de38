//! Finds fields of an answer that the runtime is too old for.

use crate::codec::Message;

use crate::adjust::{Adjustment, Updates};
use crate::api::fields::{Newer, is_outdated, newer_than};
use crate::api::{CreateContainerResponse, UpdateContainerResponse};

impl Adjustment {
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

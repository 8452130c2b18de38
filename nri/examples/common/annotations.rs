//! Annotations of pods, read like the sample plugins of the NRI project.
#![allow(dead_code, reason = "each example uses a part")]

use nri::api::PodSandbox;
use serde::de::DeserializeOwned;

/// An annotation that applies to a container.
pub(crate) struct Annotation<'p> {
    pod: &'p PodSandbox,
    key: String,
    pub(crate) value: &'p str,
}

/// Returns the annotation with the first of these keys that the pod has.
pub(crate) fn first(
    pod: &PodSandbox,
    keys: impl IntoIterator<Item = String>,
) -> Option<Annotation<'_>> {
    let mut found = keys.into_iter().filter_map(|key| {
        let value = pod.annotation(&key)?;
        Some(Annotation { pod, key, value })
    });
    found.next()
}

/// Returns the annotation for a container: `PREFIX/container.NAME`, else `PREFIX/pod`, else `PREFIX`. Each of them may
/// have one of several prefixes, newest first.
pub(crate) fn for_container<'p>(
    pod: &'p PodSandbox,
    prefixes: &[&str],
    container: &str,
) -> Option<Annotation<'p>> {
    let suffixes = [
        format!("/container.{container}"),
        "/pod".to_owned(),
        String::new(),
    ];
    let keys = suffixes
        .iter()
        .flat_map(|suffix| prefixes.iter().map(move |key| format!("{key}{suffix}")));
    first(pod, keys)
}

impl Annotation<'_> {
    /// Parses a list in YAML. An empty annotation is an empty list.
    pub(crate) fn list<T: DeserializeOwned>(&self) -> nri::Result<Vec<T>> {
        if self.value.trim().is_empty() {
            return Ok(Vec::new());
        }
        let list: Option<Vec<T>> = self.parse(serde_yaml_ng::from_str(self.value))?;
        Ok(list.unwrap_or_default())
    }

    /// Returns what was parsed, or an error that names the annotation.
    pub(crate) fn parse<T, E: std::fmt::Display>(&self, parsed: Result<T, E>) -> nri::Result<T> {
        parsed.map_err(|error| self.invalid(error))
    }

    /// Returns the error of an annotation that cannot be applied.
    pub(crate) fn invalid(&self, reason: impl std::fmt::Display) -> nri::Error {
        let (key, pod) = (&self.key, self.pod.full_name());
        nri::Error::new(format!("annotation {key} of {pod} is invalid: {reason}"))
    }
}

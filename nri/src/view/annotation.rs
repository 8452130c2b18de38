//! Annotations of pods that request something from a plugin.

use std::fmt::Display;

use crate::api::PodSandbox;
use crate::{Error, Result};

/// An annotation of a pod, whose errors name it.
///
/// ```
/// use nri::api::PodSandbox;
///
/// let mut pod = PodSandbox { namespace: "default".into(), name: "web".into(), ..PodSandbox::default() };
/// pod.annotations.insert("nice.old.example.com/pod".into(), "high".into());
///
/// // The plugin has renamed its annotation, and still reads the old name.
/// let keys = ["nice.example.com", "nice.old.example.com"];
/// let annotation = pod.find_annotation_for(&keys, "main").ok_or("no annotation")?;
/// let error = annotation.parse(str::parse::<i8>).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "annotation nice.old.example.com/pod of default/web is invalid: invalid digit found in string"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Annotation<'p> {
    pod: &'p PodSandbox,
    key: String,
    value: &'p str,
}

impl<'p> Annotation<'p> {
    /// Returns the key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the value.
    pub fn value(&self) -> &'p str {
        self.value
    }

    /// Parses the value with a function such as `str::parse`, `serde_json::from_str` or
    /// `serde_yaml_ng::from_str`.
    ///
    /// # Errors
    ///
    /// Returns the error of the parser, with the key of the annotation and the name of the pod.
    pub fn parse<T, E: Display>(
        &self,
        parser: impl FnOnce(&'p str) -> std::result::Result<T, E>,
    ) -> Result<T> {
        parser(self.value).map_err(|error| self.invalid(error))
    }

    /// Returns the error of an annotation that cannot be applied.
    pub fn invalid(&self, reason: impl Display) -> Error {
        let (key, pod) = (&self.key, self.pod.full_name());
        Error::new(format!("annotation {key} of {pod} is invalid: {reason}"))
    }
}

impl PodSandbox {
    /// Returns the annotation with the first of these keys that the pod has.
    pub fn find_annotation(
        &self,
        keys: impl IntoIterator<Item = impl Into<String>>,
    ) -> Option<Annotation<'_>> {
        keys.into_iter().find_map(|key| {
            let key = key.into();
            let value = self.annotation(&key)?;
            Some(Annotation { pod: self, key, value })
        })
    }

    /// Returns the annotation for this container, as [`annotation_for`](Self::annotation_for) does,
    /// with any of these keys, such as the newest one and older ones. A key for the container
    /// precedes one for the whole pod; the first of two keys for the same precedes the other.
    pub fn find_annotation_for(
        &self,
        keys: &[impl AsRef<str>],
        container_name: &str,
    ) -> Option<Annotation<'_>> {
        let container = format!("/container.{container_name}");
        let suffixes = [container.as_str(), "/pod", ""];
        let suffixed = suffixes
            .iter()
            .flat_map(|suffix| keys.iter().map(move |key| format!("{}{suffix}", key.as_ref())));
        self.find_annotation(suffixed)
    }
}

//! The conditions under which a container gets a hook.

use std::collections::BTreeMap;

use nri::api::{Container, PodSandbox};
use regex::Regex;

/// The properties of a container that conditions look at.
pub(crate) struct Subject<'a> {
    annotations: BTreeMap<&'a str, &'a str>,
    args: &'a [String],
    has_mounts: bool,
}

impl<'a> Subject<'a> {
    /// Returns the properties of a container. Its pod's annotations take precedence over its own.
    pub(crate) fn new(pod: &'a PodSandbox, container: &'a Container) -> Self {
        let annotations = container.annotations.iter().chain(&pod.annotations);
        Subject {
            annotations: annotations.map(|(key, value)| (&**key, &**value)).collect(),
            args: &container.args,
            has_mounts: !container.mounts.is_empty(),
        }
    }
}

/// The conditions of a hook.
#[derive(Default)]
pub(crate) struct When {
    pub(crate) always: Option<bool>,
    /// Pairs of patterns, one for the key of an annotation and one for its value.
    pub(crate) annotations: Vec<(Regex, Regex)>,
    /// Patterns for the first argument of the container's process, one of which has to match.
    pub(crate) commands: Vec<Regex>,
    pub(crate) has_bind_mounts: Option<bool>,
    /// Whether one condition is enough, as in files of version 0.1.0.
    pub(crate) any: bool,
}

impl When {
    /// Returns true if a container meets the conditions. Without any condition, none does.
    pub(crate) fn matches(&self, subject: &Subject<'_>) -> nri::Result<bool> {
        let mut conditions = Vec::new();
        conditions.extend(self.always);
        let mounts = self.has_bind_mounts;
        conditions.extend(mounts.map(|wanted| wanted && subject.has_mounts));
        conditions.extend(self.annotations.iter().map(|(key, value)| {
            subject.annotations.iter().any(|(k, v)| key.is_match(k) && value.is_match(v))
        }));
        if self.any && conditions.contains(&true) {
            return Ok(true);
        }
        if !self.any && conditions.contains(&false) {
            return Ok(false);
        }
        if self.commands.is_empty() {
            return Ok(conditions.contains(&true));
        }
        let command = subject.args.first().ok_or_else(|| {
            nri::Error::new("a hook depends on the command, but the container has none")
        })?;
        Ok(self.commands.iter().any(|pattern| pattern.is_match(command)))
    }
}

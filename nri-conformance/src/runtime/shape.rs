//! The shape of a violation, by which known deviations are recognized.

use std::fmt;

use serde::Deserialize;

use super::event::Hook;

/// The shape of what broke a statement: how often an event arrived, and after what.
///
/// A deviation in `deviations.toml` applies to this shape only, so that it cannot hide another violation by the same test.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The event that came at the wrong time.
    pub event: Hook,
    /// The number of times that the plugin received it.
    pub times: usize,
    /// What preceded the event, or should have.
    pub after: After,
}

/// What precedes an event.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(untagged)]
pub enum After {
    /// Another event about the same pod or container.
    Event(Hook),
    /// Something that is not an event.
    Cause(Cause),
}

/// What precedes an event without being one.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// An earlier plugin answered the same event with an error.
    PluginError,
    /// The plugin was registered.
    Registration,
    /// The runtime removed the network of the pod.
    NetworkRemoval,
    /// The runtime removed namespaces of the pod other than that of the network.
    NamespaceRemoval,
    /// Nothing about the pod or container.
    Nothing,
}

impl Shape {
    /// Returns the shape of an event that arrived after another one.
    pub(super) fn after(event: Hook, times: usize, earlier: Hook) -> Shape {
        let after = After::Event(earlier);
        Shape {
            event,
            times,
            after,
        }
    }

    /// Returns the shape of an event that arrived after something that is not an event.
    pub(super) fn caused(event: Hook, times: usize, cause: Cause) -> Shape {
        let after = After::Cause(cause);
        Shape {
            event,
            times,
            after,
        }
    }
}

impl fmt::Display for Shape {
    /// Writes `StopPodSandbox 0 times after an error of an earlier plugin`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shape {
            event,
            times,
            after,
        } = self;
        match times {
            1 => write!(f, "{event} once after {after}"),
            times => write!(f, "{event} {times} times after {after}"),
        }
    }
}

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            After::Event(hook) => write!(f, "{hook}"),
            After::Cause(Cause::PluginError) => f.write_str("an error of an earlier plugin"),
            After::Cause(Cause::Registration) => f.write_str("the registration"),
            After::Cause(Cause::NetworkRemoval) => f.write_str("the removal of the network"),
            After::Cause(Cause::NamespaceRemoval) => f.write_str("the removal of namespaces"),
            After::Cause(Cause::Nothing) => f.write_str("no other event of it"),
        }
    }
}

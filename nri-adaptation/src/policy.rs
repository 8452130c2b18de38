//! The effect of a failing plugin on a request: the runtime's rules, on top of the plugin's own
//! failure policy.

use nri::api::{Event, EventMask};

use nri::PluginId;

use super::identity::matches;

/// The effect on a request of a plugin that fails it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// An error of the plugin fails the request. The default for synchronous events: RunPodSandbox,
    /// UpdatePodSandbox, CreateContainer, StartContainer, UpdateContainer and validation.
    Fail,
    /// An error of the plugin is reported, and the request continues. The default for all other
    /// events.
    Ignore,
    /// The request also fails if the plugin is not connected or does not answer.
    Required,
}

/// The runtime's rules about failing plugins.
///
/// The failure policy that a plugin declares covers plugins that do not answer. These rules also
/// cover errors that plugins return, and differ by event:
///
/// ```
/// use nri_adaptation::{ErrorPolicy, OnError};
/// use nri::api::{Event, EventMask};
///
/// let policy = ErrorPolicy::default()
///     .rule("*", EventMask::from_event(Event::StartContainer), OnError::Ignore)
///     .rule("device-injector", EventMask::from_event(Event::CreateContainer), OnError::Required)
///     .keep_for_timeouts(3);
/// # let _ = policy;
/// ```
///
/// Whatever the rules say, StopPodSandbox, RemovePodSandbox, StopContainer and RemoveContainer
/// reach every plugin and never fail.
#[derive(Clone, Debug, Default)]
pub struct ErrorPolicy {
    rules: Vec<Rule>,
    pub(super) kept_timeouts: u32,
    pub(super) rolls_back: bool,
}

#[derive(Clone, Debug)]
struct Rule {
    plugin: String,
    events: EventMask,
    on_error: OnError,
}

impl ErrorPolicy {
    /// Adds a rule for a plugin (`10-logger`, `logger`, or `*` for all) and some events. Of several
    /// rules that match, the last one applies.
    #[must_use]
    pub fn rule(mut self, plugin: impl Into<String>, events: EventMask, on_error: OnError) -> Self {
        self.rules.push(Rule { plugin: plugin.into(), events, on_error });
        self
    }

    /// Keeps a plugin connected until it has missed more than this number of request timeouts in a
    /// row. Without it, the first timeout disconnects, unless the plugin's own failure policy says
    /// `keep_connected`.
    #[must_use]
    pub fn keep_for_timeouts(mut self, timeouts: u32) -> Self {
        self.kept_timeouts = timeouts;
        self
    }

    /// Sends StopPodSandbox and RemovePodSandbox to the plugins that accepted a pod which a later
    /// plugin then rejected.
    #[must_use]
    pub fn rollback(mut self, on: bool) -> Self {
        self.rolls_back = on;
        self
    }

    /// Returns the rule for a plugin and an event, if there is one.
    pub(super) fn of(&self, plugin: &PluginId, event: Event) -> Option<OnError> {
        let matching = |rule: &&Rule| rule.events.contains(event) && matches(plugin, &rule.plugin);
        self.rules.iter().rev().find(matching).map(|rule| rule.on_error)
    }

    /// Returns the patterns of plugins that are required for an event.
    pub(super) fn required(&self, event: Event) -> Vec<&str> {
        let mut required = Vec::new();
        for rule in self.rules.iter().filter(|rule| rule.events.contains(event)) {
            let plugin = &*rule.plugin;
            if rule.on_error != OnError::Required {
                required.retain(|known| *known != plugin);
            } else if plugin != "*" && !required.contains(&plugin) {
                required.push(plugin);
            }
        }
        required
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_matching_rule_applies() {
        let create = EventMask::from_event(Event::CreateContainer);
        let policy = ErrorPolicy::default().rule("*", EventMask::ALL, OnError::Ignore).rule(
            "logger",
            create,
            OnError::Required,
        );
        let id = "10-logger".parse().unwrap();
        assert_eq!(policy.of(&id, Event::CreateContainer), Some(OnError::Required));
        assert_eq!(policy.of(&id, Event::RunPodSandbox), Some(OnError::Ignore));
        assert_eq!(policy.required(Event::CreateContainer), ["logger"]);
        assert!(policy.required(Event::RunPodSandbox).is_empty());
        let relaxed = policy.rule("logger", create, OnError::Fail);
        assert!(relaxed.required(Event::CreateContainer).is_empty());
    }
}

//! The settings of `#[derive(NriPlugin)]` for single events, and the fields of answers that a
//! plugin cannot do without, which the derive evaluates at compile time.

use crate::api::fields::{FIELDS, MessageField};
use crate::api::{Event, EventMask, FailurePolicy};

/// The message that paths of fields start from.
const ANSWER: &str = "CreateContainerResponse";

/// A field of the answer to CreateContainer that the plugin requires the runtime to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequiredField {
    /// The path of the field in the answer, such as `adjust.linux.memory_policy`.
    pub path: &'static str,
    /// The first release that has the field, such as `v0.12.0`.
    pub since: &'static str,
}

impl RequiredField {
    /// Returns the field with this path, in any case; `None` if there is none, or every release has
    /// it. Names within a message whose fields all came with it are not checked.
    pub const fn find(path: &'static str) -> Option<Self> {
        let (mut message, mut names, mut since) = (ANSWER, path.as_bytes(), "");
        loop {
            let (name, after) = names.split_at(end_of_name(names));
            let Some(field) = field_of(message, name) else {
                return None;
            };
            since = newer(since, field.since);
            let Some((_, after)) = after.split_first() else {
                return Some(RequiredField { path, since });
            };
            let Some(of) = field.of else {
                return Some(RequiredField { path, since });
            };
            (message, names) = (of, after);
        }
    }

    /// Returns the field with this path. One that does not exist is required of no release: the
    /// derive reports it separately.
    pub const fn named(path: &'static str) -> Self {
        match Self::find(path) {
            Some(field) => field,
            None => RequiredField { path, since: "" },
        }
    }
}

/// The settings of `#[nri(…)]` for single events; none by default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policies {
    /// `required(…)`: the plugin refuses to run if the runtime does not know these.
    pub required: EventMask,
    /// `required_fields(…)`: the plugin refuses to run if the runtime does not know these.
    pub required_fields: &'static [RequiredField],
    /// `blocking(…)`: handlers of these block and run on their own threads.
    pub blocking: EventMask,
    /// `blocking(…)`: names of RPCs without an event, such as `Synchronize`.
    pub blocking_rpcs: &'static [&'static str],
    /// `on_error(… = "ignore")`: errors of these are logged and answered with success.
    pub ignore_errors: EventMask,
    /// `on_timeout(… = "ok")`: timeouts of these are answered with success.
    pub ok_on_timeout: EventMask,
    /// `failure_policy(…)`: the reaction of the runtime if the plugin does not answer.
    pub failure_policy: Option<FailurePolicy>,
}

impl Policies {
    /// Returns true if the handler of this RPC, called for this event, blocks its thread.
    pub(crate) fn blocks(&self, rpc: &str, event: Option<Event>) -> bool {
        event.is_some_and(|event| self.blocking.contains(event))
            || self.blocking_rpcs.contains(&rpc)
    }
}

/// Returns the oldest release that a plugin with this `protocol` and these fields supports.
pub const fn oldest_release(
    protocol: Option<&'static str>,
    fields: &[RequiredField],
) -> Option<&'static str> {
    let mut oldest = match protocol {
        Some(protocol) => protocol,
        None => "",
    };
    let mut at = 0;
    while at < fields.len() {
        oldest = newer(oldest, fields[at].since);
        at += 1;
    }
    if oldest.is_empty() { None } else { Some(oldest) }
}

const fn end_of_name(path: &[u8]) -> usize {
    let mut end = 0;
    while end < path.len() && path[end] != b'.' {
        end += 1;
    }
    end
}

const fn field_of(message: &str, name: &[u8]) -> Option<&'static MessageField> {
    let mut at = 0;
    while at < FIELDS.len() {
        let field = &FIELDS[at];
        if is_same(field.message.as_bytes(), message.as_bytes())
            && is_same(field.name.as_bytes(), name)
        {
            return Some(field);
        }
        at += 1;
    }
    None
}

/// Returns true if two names are the same, in any case.
pub(super) const fn is_same(name: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < name.len() && at < other.len() && name[at].eq_ignore_ascii_case(&other[at]) {
        at += 1;
    }
    at == name.len() && at == other.len()
}

/// Returns the newer of two releases. The empty string is older than all.
const fn newer(a: &'static str, b: &'static str) -> &'static str {
    if order(a) < order(b) { b } else { a }
}

/// Returns a number that grows with the release. Ignores anything after a hyphen.
const fn order(release: &str) -> u64 {
    let bytes = release.as_bytes();
    let (mut at, mut number, mut order) = (0, 0, 0);
    while at < bytes.len() && bytes[at] != b'-' {
        match bytes[at] {
            digit @ b'0'..=b'9' => number = number * 10 + (digit - b'0') as u64,
            b'.' => (order, number) = ((order + number) * 1000, 0),
            _ => {}
        }
        at += 1;
    }
    order + number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_through_messages() {
        for (path, since) in [
            ("adjust.CDI_devices", Some("v0.7.0")),
            ("adjust.cdi_devices", Some("v0.7.0")),
            ("adjust.linux.memory_policy", Some("v0.12.0")),
            ("adjust.env", None),
            ("adjust.linux.scheduler.policy", Some("v0.11.0")),
            ("adjust.linux.env", None),
            ("cdi_devices", None),
            ("", None),
        ] {
            let found = RequiredField::find(path).map(|field| field.since);
            assert_eq!(found, since, "{path}");
        }
    }

    #[test]
    fn releases_are_ordered_by_number() {
        assert!(order("v0.9.0") < order("v0.9.1-0.20250219030224-e597e7849f24"));
        assert!(order("v0.9.1-0.20250219030224-e597e7849f24") < order("v0.10.0"));
        assert!(order("") < order("v0.2.0"));
        let field = RequiredField::named("adjust.linux.memory_policy");
        assert_eq!(oldest_release(Some("v0.7.0"), &[field]), Some("v0.12.0"));
        assert_eq!(oldest_release(Some("v0.12.4"), &[field]), Some("v0.12.4"));
        assert_eq!(oldest_release(None, &[]), None);
    }
}

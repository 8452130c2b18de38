//! The fields of answers that a plugin cannot do without. The derive evaluates this at compile time.

use crate::api::fields::{FIELDS, MessageField};

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
    /// Returns the field with this path, in any case; `None` if there is none, or every release has it.
    pub const fn find(path: &'static str) -> Option<Self> {
        let bytes = path.as_bytes();
        let (mut message, mut start, mut since) = (ANSWER, 0, "");
        loop {
            let end = end_of_name(bytes, start);
            let Some(field) = field_of(message, bytes, start, end) else {
                return None;
            };
            since = newer(since, field.since);
            if end == bytes.len() {
                return Some(RequiredField { path, since });
            }
            let Some(of) = field.of else {
                return None;
            };
            (message, start) = (of, end + 1);
        }
    }

    /// Returns the field with this path. One that does not exist is required of no release: the derive reports it
    /// separately.
    pub const fn named(path: &'static str) -> Self {
        match Self::find(path) {
            Some(field) => field,
            None => RequiredField { path, since: "" },
        }
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
    if oldest.is_empty() {
        None
    } else {
        Some(oldest)
    }
}

const fn end_of_name(path: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < path.len() && path[end] != b'.' {
        end += 1;
    }
    end
}

/// Returns the field of a message whose name is this part of the path.
const fn field_of(
    message: &str,
    path: &[u8],
    start: usize,
    end: usize,
) -> Option<&'static MessageField> {
    let mut at = 0;
    while at < FIELDS.len() {
        let field = &FIELDS[at];
        let same_message = is_same(
            field.message.as_bytes(),
            message.as_bytes(),
            0,
            message.len(),
        );
        if same_message && is_same(field.name.as_bytes(), path, start, end) {
            return Some(field);
        }
        at += 1;
    }
    None
}

/// Returns true if a name is this part of the text, in any case.
const fn is_same(name: &[u8], text: &[u8], start: usize, end: usize) -> bool {
    if name.len() != end - start {
        return false;
    }
    let mut at = 0;
    while at < name.len() && name[at].eq_ignore_ascii_case(&text[start + at]) {
        at += 1;
    }
    at == name.len()
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
            ("adjust.cdi_devices.x", None),
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

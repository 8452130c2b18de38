//! The name of the node and the id of the scan, which are part of reports.

use std::hash::{BuildHasher as _, RandomState};

/// The environment variable with the name of the node, set in pods through the downward API.
const VARIABLE: &str = "NODE_NAME";

/// Returns the name of the node: as given, else from the environment, else the host name.
pub(super) fn name(given: Option<&str>) -> Option<String> {
    let named = given.map(str::to_owned);
    named
        .or_else(|| std::env::var(VARIABLE).ok())
        .filter(|name| !name.is_empty())
        .or_else(host_name)
}

fn host_name() -> Option<String> {
    let host = rustix::system::uname();
    let name = host.nodename().to_string_lossy().into_owned();
    (!name.is_empty()).then_some(name)
}

/// Returns 32 random hexadecimal digits, from the seeds of the standard library's hashers.
pub(super) fn scan_id() -> String {
    let random = || RandomState::new().hash_one(jiff::Timestamp::now().as_nanosecond());
    format!("{:016x}{:016x}", random(), random())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_name_takes_precedence_and_scan_ids_differ() {
        assert_eq!(name(Some("node-1")).as_deref(), Some("node-1"));
        assert!(host_name().is_some_and(|name| !name.is_empty()));
        let (first, second) = (scan_id(), scan_id());
        assert_eq!(first.len(), 32);
        assert_ne!(first, second);
    }
}

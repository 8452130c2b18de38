//! Events by name.

use nri::plugin::{Plugin, Rpc};
use nri::prelude::*;

use super::Logger;

/// Returns the events with these names, separated by commas: `RunPodSandbox`, `RUN_POD_SANDBOX` or
/// `run-pod-sandbox`, and `all`, `pod` (or `podsandbox`) and `container` for the events with that
/// in their names.
pub(crate) fn mask(names: &str) -> Result<EventMask, String> {
    let masks: Result<Vec<_>, _> = names.split(',').map(events).collect();
    let events = masks?.into_iter().flatten();
    Ok(events.fold(EventMask::EMPTY, EventMask::with))
}

/// Returns the events with a name.
fn events(name: &str) -> Result<Vec<Event>, String> {
    let bare: String = name.trim().chars().filter(|c| !"_-".contains(*c)).collect();
    let bare = bare.to_ascii_lowercase();
    let is_named = |rpc: &&Rpc| {
        let rpc = rpc.name.to_ascii_lowercase();
        match bare.as_str() {
            "all" => true,
            "pod" | "podsandbox" => rpc.contains("pod"),
            "container" => rpc.contains("container"),
            bare => rpc == bare,
        }
    };
    let rpcs = Logger::TABLE.iter().map(|row| row.rpc);
    let named = rpcs.filter(is_named).filter_map(|rpc| rpc.event);
    // A later version of `nri` may know more events of a group than there are handlers.
    let events: Vec<_> = named.filter(|event| Logger::EVENTS.contains(*event)).collect();
    if events.is_empty() {
        return Err(format!("{name} is not an event"));
    }
    Ok(events)
}

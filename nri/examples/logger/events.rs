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
    let letters = name.trim().chars().filter(|c| !"_-".contains(*c));
    let bare: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    let rpcs = Logger::TABLE.iter().map(|row| row.rpc);
    let named = rpcs.filter(|rpc| is_named(rpc, &bare)).filter_map(|rpc| rpc.event);
    // A later version of `nri` may know more events of a group than there are handlers.
    let events: Vec<_> = named.filter(|event| Logger::EVENTS.contains(*event)).collect();
    if events.is_empty() {
        return Err(format!("{name} is not an event"));
    }
    Ok(events)
}

/// Returns true if a name, in lower case and without separators, is that of the RPC or of a group
/// with it.
fn is_named(rpc: &Rpc, bare: &str) -> bool {
    let name = rpc.name.to_ascii_lowercase();
    match bare {
        "all" => true,
        "pod" | "podsandbox" => name.contains("pod"),
        "container" => name.contains("container"),
        _ => name == bare,
    }
}

//! Events by name.

use nri::plugin::{Plugin, Rpc};
use nri::prelude::*;

use super::Logger;

/// Returns the events of these names, separated by commas: `RunPodSandbox`, `RUN_POD_SANDBOX` or
/// `run-pod-sandbox`.
pub(crate) fn mask(names: &str) -> Result<EventMask, String> {
    let events: Result<Vec<_>, _> = names.split(',').map(event).collect();
    Ok(events?.into_iter().fold(EventMask::EMPTY, EventMask::with))
}

fn event(name: &str) -> Result<Event, String> {
    let rpcs = Logger::TABLE.rows().iter().map(|row| row.rpc);
    let mut events = rpcs
        .filter(|rpc| is_named(rpc, name))
        .filter_map(|rpc| rpc.event);
    events.next().ok_or_else(|| format!("{name} is no event"))
}

fn is_named(rpc: &Rpc, name: &str) -> bool {
    let bare: String = name.chars().filter(|c| !"_-".contains(*c)).collect();
    bare.eq_ignore_ascii_case(rpc.name)
}

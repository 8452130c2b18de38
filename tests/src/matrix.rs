//! Plugins of any version under runtimes of any version: the events that arrive, their RPCs, and
//! the events that are lost.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use nri::__private::STAGES;
use nri::api::Event;
use nri_adaptation::Revision;

/// Returns the events of a pod's life that a release knows, in the order in which a runtime sends
/// them.
///
/// # Panics
///
/// Panics if there is no such release.
#[must_use]
pub fn life_of(release: &str) -> Vec<&'static str> {
    let known = Revision::of(release).expect("a known release").events();
    let life = STAGES.iter().map(|stage| stage.event);
    life.filter(|event| known.contains(*event)).map(Event::name).collect()
}

/// One plugin under one runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Why the runtime dropped the plugin at registration.
    pub dropped: Option<String>,
    /// The events that arrived, each with the RPC that brought it.
    pub arrived: Vec<(String, String)>,
    /// The events of deprecated interfaces that the runtime recorded.
    pub deprecated: BTreeSet<String>,
    /// The events that failed, each with the error.
    pub failed: Vec<(String, String)>,
}

impl Cell {
    /// Returns the events that the plugin handles and that did not arrive.
    #[must_use]
    pub fn lost<'e>(&self, handled: &[&'e str]) -> Vec<&'e str> {
        let arrived = |event: &&&str| self.arrived.iter().any(|(name, _)| name == *event);
        handled.iter().filter(|event| !arrived(event)).copied().collect()
    }
}

/// A plugin of the matrix.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name in the table.
    pub name: &'static str,
    /// The events that it handles.
    pub handled: Vec<&'static str>,
}

/// Returns the summary of a cell for the table.
#[must_use]
pub fn summary(cell: &Cell, row: &Row) -> String {
    if cell.dropped.is_some() {
        return "dropped at registration".to_owned();
    }
    let (arrived, handled) = (cell.arrived.len(), row.handled.len());
    let mut summary = format!("{arrived} of {handled}");
    let changes = cell.arrived.iter().filter(|(_, rpc)| rpc == "StateChange").count();
    if changes > 0 {
        let _ = write!(summary, ", {changes} as StateChange");
    }
    if !cell.deprecated.is_empty() {
        let _ = write!(summary, ", {} deprecated", cell.deprecated.len());
    }
    if !cell.failed.is_empty() {
        let _ = write!(summary, ", {} failed", cell.failed.len());
    }
    summary
}

/// Returns the details of a cell, an item per fact.
#[must_use]
pub fn details(cell: &Cell, row: &Row) -> String {
    let mut text = String::new();
    if let Some(reason) = &cell.dropped {
        let _ = writeln!(text, "- dropped at registration: {reason}");
        return text;
    }
    let through = |rpc_is_event: bool| -> Vec<&str> {
        cell.arrived
            .iter()
            .filter(|(event, rpc)| (event == rpc) == rpc_is_event)
            .map(|(event, _)| event.as_str())
            .collect()
    };
    let deprecated: Vec<&str> = cell.deprecated.iter().map(String::as_str).collect();
    for (label, events) in [
        ("through RPCs of their own", through(true)),
        ("through StateChange", through(false)),
        ("recorded as deprecated", deprecated),
        ("lost", cell.lost(&row.handled)),
    ] {
        if !events.is_empty() {
            let _ = writeln!(text, "- {label}: {}", events.join(", "));
        }
    }
    for (event, error) in &cell.failed {
        let _ = writeln!(text, "- {event} failed: {error}");
    }
    text
}

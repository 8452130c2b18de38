//! The plugins that observe the runtime. Each records every event, and misbehaves only according to its script and only
//! for the pods of this run.

mod journal;
mod plugin;
mod task;
mod view;

pub(super) use journal::{Journal, Record, RecordedEvent};
pub(super) use plugin::{Action, FIRST, Identity, LAST, MIDDLE, Script, WATCHING};
pub(super) use task::{Observer, Surroundings};
pub(super) use view::{Attempt, View, Viewer};

/// The message of an error that a script requests.
pub(super) const FAILURE: &str = "nri-conformance: this plugin fails the request on purpose";

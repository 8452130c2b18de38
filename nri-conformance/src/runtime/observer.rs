//! The plugins that observe the runtime. Each records every event, and misbehaves only according to its script and only
//! for the pods of this run.

mod event;
mod journal;
mod plugin;
mod script;
mod task;
mod view;

pub use event::Hook;
pub(super) use event::PodFacts;
pub(super) use journal::{Journal, Record, RecordedEvent, Synchronized};
pub(super) use script::{Action, Script};
pub(super) use task::{Identity, Observer, Surroundings};
pub(super) use view::{Attempt, View, Viewer};

/// The label of every pod that the driver runs; its value is the seed of the run.
pub(super) const LABEL: &str = "nri-conformance";

/// The message of an error that a script requests.
pub(super) const FAILURE: &str = "nri-conformance: this plugin fails the request on purpose";

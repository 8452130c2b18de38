//! The table of events, `protos/events.toml`: the place of each event in the life of a pod.

use std::path::Path;

use nri_schema::{Error, ErrorKind, Problem};
use serde::Deserialize;

use super::rpc::{Plugin, PluginRpc};
use super::shape::field_of_type;

/// The path of the table from the root of the workspace.
const FILE: &str = "protos/events.toml";

/// The table: every event, in the order in which a runtime sends them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventTable {
    #[serde(rename = "event")]
    rows: Vec<EventRow>,
}

/// A row of the table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventRow {
    rpc: String,
    kind: Kind,
    container: Option<ContainerStage>,
}

/// The kind of an event. The names are those of the variants of `nri`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Consent,
    Report,
    Stop,
    Removal,
}

/// The state of a container at an event. The names are those of the variants of `nri`.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum ContainerStage {
    Planned,
    Created,
    Starting,
    Running,
    Stopped,
    Removed,
}

/// The RPC of an event, with its place.
pub(super) struct Stage<'p> {
    pub(super) rpc: &'p PluginRpc<'p>,
    pub(super) kind: Kind,
    pub(super) container: Option<ContainerStage>,
}

impl EventTable {
    /// Reads the table of the repository at `root`.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is malformed.
    pub fn read(root: &Path) -> Result<EventTable, Error> {
        let text = std::fs::read_to_string(root.join(FILE)).map_err(|error| {
            Problem::new(ErrorKind::Io, "cannot read the table of events")
                .in_file(FILE)
                .caused_by(error)
        })?;
        EventTable::parse(&text)
    }

    /// Parses the table.
    ///
    /// # Errors
    ///
    /// Returns an error if the table is malformed.
    pub fn parse(text: &str) -> Result<EventTable, Error> {
        toml::from_str(text).map_err(|error| {
            let problem = Problem::new(ErrorKind::Table, error.message()).in_file(FILE);
            let span = error.span().unwrap_or_default();
            problem.at(text, span).into()
        })
    }

    /// Returns the stage of every event, in the order of the table.
    ///
    /// # Errors
    ///
    /// Returns an error if an event has no row or two, if a row has no event, or if a row gives a
    /// state of the container to an event of a pod, or none to an event of a container. All are
    /// reported at once.
    pub(super) fn stages<'p>(&self, plugin: &'p Plugin<'p>) -> Result<Vec<Stage<'p>>, Error> {
        let events = plugin.rpcs.iter().filter(|rpc| rpc.event.is_some());
        let mut problems: Vec<Problem> = events.filter_map(|rpc| self.miscounted(rpc)).collect();
        let mut stages = Vec::new();
        for row in &self.rows {
            match row.stage(plugin) {
                Ok(stage) => stages.push(stage),
                Err(problem) => problems.push(problem),
            }
        }
        Error::unless_empty(problems)?;
        Ok(stages)
    }

    fn miscounted(&self, rpc: &PluginRpc<'_>) -> Option<Problem> {
        let count = self.rows.iter().filter(|row| row.rpc == rpc.name).count();
        match count {
            1 => None,
            0 => {
                let fact = format!("event {} has no row", rpc.name);
                Some(problem(fact).with_help(row_for(rpc)))
            }
            2.. => Some(problem(format!("event {} has {count} rows", rpc.name))),
        }
    }
}

/// Returns the help for an event without a row.
fn row_for(rpc: &PluginRpc<'_>) -> String {
    let container = if has_container(rpc) { ", container = \"…\"" } else { "" };
    format!(
        "add `{{ rpc = \"{}\", kind = \"…\"{container} }},` to {FILE}, after the event that a runtime sends before it; \
         the comment at the top of the file lists the words",
        rpc.name
    )
}

/// Returns true if the request of an event has a container.
fn has_container(rpc: &PluginRpc<'_>) -> bool {
    field_of_type(rpc, "Container").is_some()
}

impl EventRow {
    fn stage<'p>(&self, plugin: &'p Plugin<'p>) -> Result<Stage<'p>, Problem> {
        let mut events = plugin.rpcs.iter().filter(|rpc| rpc.event.is_some());
        let rpc = events
            .find(|rpc| rpc.name == self.rpc)
            .ok_or_else(|| problem(format!("the newest revision has no event {}", self.rpc)))?;
        let has_container = has_container(rpc);
        if has_container != self.container.is_some() {
            let verb = if has_container { "lacks" } else { "has" };
            let fact = format!("the row of {} {verb} a state of the container", self.rpc);
            let help = "`container` is the state of the container in the request, if there is one";
            return Err(problem(fact).with_help(help));
        }
        Ok(Stage { rpc, kind: self.kind, container: self.container })
    }
}

fn problem(fact: String) -> Problem {
    Problem::new(ErrorKind::Table, fact).in_file(FILE)
}

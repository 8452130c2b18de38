//! Incidents: what runtimes say in their logs about plugins, as data. Each is a rule with the
//! wordings that report it, one file per incident in `incidents/`.
//!
//! To add an incident, write `incidents/ID.toml`, and add its id to the table in `rules/table.rs`.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::table::incidents;
use super::{Category, Level, Rule, one_line};
use crate::names::names;

/// An incident: a rule about a plugin in the log of a runtime, and how runtimes report it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Incident {
    /// Its texts, and its level.
    #[serde(flatten)]
    pub rule: Rule,
    /// The fate of the plugin.
    pub plugin: Fate,
    /// The setting, statement or release that it rests on.
    pub rests_on: &'static str,
    /// The messages that report it; none if it follows from several messages.
    pub wordings: Vec<Wording>,
}

/// The fate of a plugin in an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It still serves events.
    Serving,
    /// It did not take part in one event, and still serves.
    Lost,
    /// It was connected, and no longer is.
    Closed,
    /// It was not accepted: it has not received any event.
    Refused,
    /// It was run for a single event.
    OneShot,
    /// Nothing: the incident is about the runtime.
    None,
}

names! {
    Fate {
        Serving = "serving",
        Lost = "lost",
        Closed = "closed",
        Refused = "refused",
        OneShot = "one_shot",
        None = "none",
    }
}

impl Fate {
    /// Returns a sentence about the plugin.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Serving => "still serves events",
            Self::Lost => "missed this event, and still serves others",
            Self::Closed => "is no longer connected",
            Self::Refused => "was not accepted, and receives no events",
            Self::OneShot => "is started anew for every event",
            Self::None => "none: this is about the runtime",
        }
    }
}

/// A message that reports an incident.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wording {
    /// The regular expression that matches the message, with the placeholders of the reader of
    /// logs.
    pub pattern: String,
    /// The statement about the plugin, with the names of groups: `failed at $request: $reason`.
    pub says: String,
    /// The first releases that print it.
    pub since: String,
    /// The last releases that print it, if others followed.
    pub until: Option<String>,
    /// True if the words are not NRI's own: they count only after a message that names a plugin.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_plugin: bool,
    /// Messages as runtimes print them.
    pub samples: Vec<String>,
}

/// The file of an incident.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IncidentFile {
    #[serde(deserialize_with = "one_line")]
    id: &'static str,
    #[serde(deserialize_with = "one_line")]
    summary: &'static str,
    #[serde(deserialize_with = "one_line")]
    explanation: &'static str,
    #[serde(deserialize_with = "one_line")]
    remedy: &'static str,
    level: Level,
    plugin: Fate,
    #[serde(deserialize_with = "one_line")]
    rests_on: &'static str,
    #[serde(default, rename = "wording")]
    wordings: Vec<Wording>,
    replaced_by: Option<&'static str>,
}

impl From<IncidentFile> for Incident {
    fn from(file: IncidentFile) -> Self {
        let rule = Rule {
            id: file.id,
            summary: file.summary,
            explanation: file.explanation,
            remedy: file.remedy,
            categories: &[Category::Incident],
            level: file.level,
            replaced_by: file.replaced_by,
        };
        Self { rule, plugin: file.plugin, rests_on: file.rests_on, wordings: file.wordings }
    }
}

macro_rules! files {
    ($($id:literal,)*) => {
        [$(($id, include_str!(concat!("../../incidents/", $id, ".toml")))),*]
    };
}

/// The incidents, in the order in which their wordings are tried: the first one that matches a text
/// stands for it.
static INCIDENTS: LazyLock<Vec<Incident>> = LazyLock::new(|| {
    let files = incidents!(files).into_iter();
    // A test excludes a malformed file.
    files
        .filter_map(|(_, text)| toml::from_str::<IncidentFile>(text).ok())
        .map(Incident::from)
        .collect()
});

/// Returns every incident, in the order in which their wordings are tried.
pub fn all() -> &'static [Incident] {
    &INCIDENTS
}

/// Returns the incident with this exact id, or `None`.
pub fn get(id: &str) -> Option<&'static Incident> {
    INCIDENTS.iter().find(|incident| incident.rule.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "conformance")]
    #[test]
    fn incidents_of_other_commands_are_in_the_catalogue() {
        for seen in nri_conformance::incident::Incident::ALL {
            assert!(get(seen.as_str()).is_some(), "{seen}");
        }
    }

    #[test]
    fn every_file_is_complete() {
        for (id, source) in incidents!(files) {
            let file: IncidentFile =
                toml::from_str(source).unwrap_or_else(|error| panic!("{id}: {error}"));
            assert_eq!(file.id, id);
            let texts = [file.summary, file.explanation, file.remedy, file.rests_on];
            assert!(texts.iter().all(|text| !text.is_empty()), "{id}");
            let bare = file.wordings.iter().filter(|wording| wording.samples.is_empty());
            assert_eq!(bare.count(), 0, "{id}: a wording has no sample");
        }
    }
}

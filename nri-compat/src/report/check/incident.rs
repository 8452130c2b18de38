//! Incidents beside the verdicts: what the log of a runtime says happened to a plugin.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CheckReport, Subject, Suppression};
use crate::place::Place;
use crate::report::finding::Level;
use crate::rules;
use crate::rules::incident::Fate;
use crate::sighting::Occurrences;

/// An incident of a plugin, or of NRI in a runtime, or something about the configuration of a
/// runtime. It does not depend on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Incident {
    /// The id of the incident: `INCIDENT_CLOSED`, `CONFIG_NRI_OFF`, …; see `nri-compat explain`.
    pub rule: &'static str,
    /// The fate of the plugin.
    pub plugin: Fate,
    /// The level that the policy sets for its rule, if any; see [`Incident::level`].
    #[cfg_attr(feature = "schema", schemars(with = "Level"))]
    pub level: Option<Level>,
    /// The events concerned, by RPC name.
    pub events: Vec<String>,
    /// The statement of the runtime, or about its configuration: one line, in lower case.
    pub reason: String,
    /// The next step.
    pub remedy: String,
    /// The number and times of the messages; none for a setting.
    pub seen: Occurrences,
    /// The line of the first message, or of the setting.
    pub place: Place,
    /// The setting of the runtime that it is about: `plugins."io.containerd.nri.v1.nri".disable`.
    #[cfg_attr(feature = "schema", schemars(skip_serializing_if = "Option::is_none"))]
    pub setting: Option<String>,
    /// The suppression by a baseline or the policy, if any.
    pub suppressed: Option<Suppression>,
}

impl Incident {
    /// Returns the level that the policy sets, or else that of the rule.
    pub fn level(&self) -> Level {
        let own = || rules::get(self.rule).map_or(Level::Warning, |rule| rule.level);
        self.level.unwrap_or_else(own)
    }
}

impl Incident {
    /// Returns true if it is about the configuration of a runtime, not something that happened.
    pub fn is_about_configuration(&self) -> bool {
        let categories = rules::get(self.rule).map_or(&[][..], |rule| rule.categories);
        categories.contains(&rules::Category::Config)
    }
}

impl Serialize for Incident {
    /// Writes the level that applies.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut incident = serializer.serialize_struct("Incident", 10)?;
        incident.serialize_field("rule", self.rule)?;
        incident.serialize_field("plugin", &self.plugin)?;
        incident.serialize_field("level", &self.level())?;
        incident.serialize_field("events", &self.events)?;
        incident.serialize_field("reason", &self.reason)?;
        incident.serialize_field("remedy", &self.remedy)?;
        incident.serialize_field("seen", &self.seen)?;
        incident.serialize_field("place", &self.place)?;
        match &self.setting {
            Some(setting) => incident.serialize_field("setting", setting)?,
            None => incident.skip_field("setting")?,
        }
        incident.serialize_field("suppressed", &self.suppressed)?;
        incident.end()
    }
}

/// An incident in a document, as far as it is read.
#[derive(Deserialize)]
struct ReportedIncident {
    rule: String,
    level: Level,
    setting: Option<String>,
}

/// Reads the incidents of a subject: their rules, levels and settings. One whose rule is unknown
/// comes from a newer release, and is left out.
pub(super) fn read<'de, D: Deserializer<'de>>(document: D) -> Result<Vec<Incident>, D::Error> {
    let reported = Vec::<ReportedIncident>::deserialize(document)?;
    let known = reported.into_iter().filter_map(|one| {
        let rule = rules::get(&one.rule)?;
        Some(Incident { level: Some(one.level), setting: one.setting, ..Incident::of(rule) })
    });
    Ok(known.collect())
}

impl Incident {
    /// Returns an incident of a rule without details.
    pub(crate) fn of(rule: &rules::Rule) -> Self {
        Self {
            rule: rule.id,
            plugin: Fate::None,
            level: None,
            events: Vec::new(),
            reason: String::new(),
            remedy: String::new(),
            seen: Occurrences::default(),
            place: Place::default(),
            setting: None,
            suppressed: None,
        }
    }
}

impl CheckReport {
    /// Returns every incident with its subject, in the order of the report.
    pub fn incidents(&self) -> impl Iterator<Item = (&Subject, &Incident)> + Clone {
        self.subjects
            .iter()
            .flat_map(|subject| subject.incidents.iter().map(move |incident| (subject, incident)))
    }
}

//! The settings for NRI in the configuration of a runtime: what a plugin meets with them, and which
//! of them the runtime ignores.
//!
//! As tests with containerd 2.2 and 2.4 and CRI-O 1.36 showed, runtimes ignore unknown keys and
//! tables, do not distinguish upper and lower case in keys, and replace single values with those of
//! later files.

mod conditions;
mod document;
mod duration;
mod effective;
mod ignored;
mod placement;
mod required;
pub(in crate::check) mod template;
mod values;

pub(in crate::check) use document::SettingsFile;
pub(in crate::check) use required::RequiredPlugin;

use std::path::Path;

use nri_schema::history::History;

use super::content::File;
use super::evidence::text;
use super::observations::Demand;
use crate::configuration::{ReadingRelease, RuntimeSettings};
use crate::place::Place;
use crate::sighting::{Incident, Occurrences};
use crate::workloads::names_table;
use document::Setting;
use effective::Effective;
use placement::PathReader;

/// The configuration of a runtime.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) struct RuntimeConfiguration<'c> {
    /// The name of the runtime in prose.
    pub(in crate::check) title: &'c str,
    /// The settings that the runtime knows.
    pub(in crate::check) known: &'c RuntimeSettings,
    /// The file that the report names for the whole.
    pub(in crate::check) main: &'c Place,
    /// Its files, in the order in which they are applied.
    pub(in crate::check) files: &'c [SettingsFile],
    /// The release that reads it, if known.
    pub(in crate::check) release: Option<&'c ReadingRelease>,
}

/// The findings about a configuration.
#[derive(Clone, Debug, Default)]
pub(in crate::check) struct Findings {
    /// A phrase about NRI, if that is known: `NRI is off by default`.
    pub(in crate::check) state: Option<String>,
    pub(in crate::check) incidents: Vec<Incident>,
    /// The folders that differ from the defaults.
    pub(in crate::check) folders: Vec<FolderSetting>,
    /// The plugins without which the runtime creates no container.
    pub(in crate::check) required: Vec<RequiredPlugin>,
}

/// A folder that a setting names.
#[derive(Clone, Debug)]
pub(in crate::check) struct FolderSetting {
    /// The path on the machine.
    pub(in crate::check) path: String,
    /// The finding if it does not exist.
    pub(in crate::check) missing: Incident,
}

/// The maximum size of a file in bytes; real ones have a few kilobytes.
pub(in crate::check) const MAX_FILE: u64 = 1 << 20;

/// A configuration away from the machine that it is for: a file in a folder, or a text in another
/// document.
#[derive(Clone, Debug)]
pub(in crate::check) struct DetachedConfiguration {
    /// The id of the runtime that it is for.
    pub(in crate::check) runtime: &'static str,
    /// The place of the file or text.
    pub(in crate::check) place: Place,
    pub(in crate::check) settings: SettingsFile,
}

impl DetachedConfiguration {
    /// Reads a file. Returns `None` if it is too large, not TOML, or has no setting for NRI.
    fn in_file(file: &File<'_>) -> Option<Self> {
        let bytes = text::bytes(file.content, MAX_FILE).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        if template::is(Path::new(&file.name)) {
            return Self::in_document(&file.place, text);
        }
        Self::read(&file.place, text, true)
    }

    /// Reads a text in a document that starts at this place. It may be a template whose settings
    /// for NRI do not depend on its actions.
    pub(in crate::check) fn in_document(place: &Place, text: &str) -> Option<Self> {
        if text.contains(template::ACTION) {
            return Self::read(place, &template::plain_settings(text).ok()?, false);
        }
        Self::read(place, text, false)
    }

    fn read(place: &Place, text: &str, has_lines: bool) -> Option<Self> {
        // Files of other programs may have tables and keys of the same names.
        let settings =
            names_table(text.as_bytes()).then(|| SettingsFile::parse(place, text, has_lines))??;
        let is_for = |known: &&RuntimeSettings| {
            let files = std::slice::from_ref(&settings);
            let title = known.id.as_str();
            let configuration =
                RuntimeConfiguration { title, known, main: place, files, release: None };
            PathReader::new(&configuration).has_nri(&settings)
        };
        let runtime = crate::data::configuration().ok()?.runtimes().iter().find(is_for)?;
        Some(Self { runtime: &runtime.id, place: place.clone(), settings })
    }
}

/// Returns true if a file has the name of a configuration, or of a template of one.
pub(in crate::check) fn has_name(file: &File<'_>) -> bool {
    let path = Path::new(&file.name);
    let extension = path.extension().unwrap_or_default();
    extension == "toml" || extension == "conf" || template::is(path)
}

/// Returns the configuration in a file that may be one: by its name, or, if the user named it, by
/// its first bytes.
pub(in crate::check) fn recognise(
    file: &File<'_>,
    demand: Demand,
) -> Option<DetachedConfiguration> {
    let may_be = has_name(file) || demand == Demand::Named && names_table(&file.head);
    text::head(&file.head).filter(|_| may_be)?;
    DetachedConfiguration::in_file(file)
}

/// Judges a configuration.
pub(in crate::check) fn judge(
    configuration: &RuntimeConfiguration<'_>,
    history: &History,
) -> Findings {
    let reader = PathReader::new(configuration);
    let mut incidents: Vec<Incident> =
        configuration.files.iter().flat_map(|file| ignored::find(&reader, file, history)).collect();
    let effective = Effective::of(&reader);
    let state = effective.state();
    if state.is_on == Some(false) {
        incidents.push(conditions::off(&state));
    } else {
        incidents.extend(conditions::find(&effective));
    }
    let folders = conditions::folders(&effective);
    let required = if state.is_on == Some(false) { Vec::new() } else { required::of(&effective) };
    Findings { state: state.phrase(), incidents, folders, required }
}

/// Returns a finding about a setting.
fn about(rule: &'static str, setting: &Setting, detail: String) -> Incident {
    Incident { setting: Some(setting.name()), ..at(rule, &setting.place, detail) }
}

/// Returns a finding about the configuration at a place.
fn at(rule: &'static str, place: &Place, detail: String) -> Incident {
    Incident {
        rule,
        detail,
        remedy: None,
        setting: None,
        events: Vec::new(),
        occurrences: Occurrences::default(),
        place: place.clone(),
    }
}

#[cfg(test)]
mod tests;

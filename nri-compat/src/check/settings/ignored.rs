//! Settings that the runtime ignores.

use nri_schema::history::History;
use nri_schema::near;

use super::document::{self, Setting, SettingsFile};
use super::effective::names;
use super::placement::{PathReader, Placement, is};
use super::{about, values};
use crate::configuration::{KnownSetting, UnreadReason};
use crate::escape;
use crate::rules::ids;
use crate::sighting::Incident;

/// The setting that hides warnings of containerd.
const IGNORED_WARNINGS: &str = "ignore_deprecation_warnings";

/// The maximum number of keys that a finding about a table lists.
const MAX_KEYS: usize = 5;

/// Returns the findings about the settings of one file.
pub(super) fn find(
    reader: &PathReader<'_>,
    file: &SettingsFile,
    history: &History,
) -> Vec<Incident> {
    let mut found: Vec<Incident> = Vec::new();
    let mut tables: Vec<IgnoredTable<'_>> = Vec::new();
    for setting in &file.settings {
        match reader.placement(setting, file) {
            Some(Placement::Nri(key)) => found.extend(of_nri(reader, setting, &key)),
            Some(Placement::Misplaced(key)) => found.push(misplaced(reader, setting, &key)),
            Some(Placement::Quoted(right)) => {
                let end = right.len().saturating_sub(1);
                IgnoredTable::add(
                    &mut tables,
                    setting,
                    setting.path.len() - 1,
                    Some(right[..end].to_vec()),
                );
            }
            Some(Placement::Lookalike(parts)) => {
                IgnoredTable::add(&mut tables, setting, parts, None);
            }
            None => found.extend(hidden_warning(setting, history)),
        }
    }
    found.extend(tables.iter().map(|table| table.finding(reader)));
    found
}

/// Returns the mistake in a setting in NRI's table.
fn of_nri(reader: &PathReader<'_>, setting: &Setting, key: &str) -> Option<Incident> {
    match reader.configuration.known.setting(key) {
        Some(known) => {
            other_release(reader, setting, known).or_else(|| values::check(setting, known))
        }
        None => Some(unknown_key(reader, setting, key)),
    }
}

/// Returns a finding for a setting that other releases read.
fn other_release(
    reader: &PathReader<'_>,
    setting: &Setting,
    known: &KnownSetting,
) -> Option<Incident> {
    let release = reader.configuration.release?;
    let (title, version) = (reader.configuration.title, &release.version);
    let first = |since: &dyn std::fmt::Display| format!("{title} {since}");
    let (why, remedy) = match known.unread_by(release)? {
        UnreadReason::Since(since) => (
            format!("it came with {}", first(since)),
            format!("upgrade to {} or later, or remove the setting", first(since)),
        ),
        UnreadReason::SinceNri(since) => (
            format!("it came with NRI v{since}"),
            format!("upgrade to a release with NRI v{since} or later, or remove the setting"),
        ),
        UnreadReason::Until(last) => {
            (format!("{title} {last} was the last series with it"), "remove the setting".to_owned())
        }
    };
    let detail = format!("{title} {version} does not read `{}`: {why}", setting.key());
    Some(Incident {
        remedy: Some(remedy),
        ..about(ids::CONFIG_KEY_OF_OTHER_RELEASE, setting, detail)
    })
}

fn unknown_key(reader: &PathReader<'_>, setting: &Setting, key: &str) -> Incident {
    let known = reader.configuration.known;
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_owned();
    let same = known.keys().find(|known| is(&last(known), &last(key)));
    let table = document::name(reader.table());
    let near = match same {
        Some(right) => format!("it is `{right}` below [{table}]"),
        None => nearest(key, known.keys()),
    };
    let title = reader.configuration.title;
    let shown = escape::short(key);
    let detail = format!("{title} has no setting `{shown}` for NRI, and ignores it; {near}");
    about(ids::CONFIG_KEY_UNKNOWN, setting, detail)
}

/// Returns a question about the most similar setting of the same table, or names all of them.
fn nearest<'k>(key: &str, known: impl Iterator<Item = &'k str>) -> String {
    let split = |path: &'k str| path.rsplit_once('.').unwrap_or(("", path));
    let (table, own) = key.rsplit_once('.').unwrap_or(("", key));
    let of_table = known.map(split).filter(|(other, _)| is(other, table));
    let names: Vec<&str> = of_table.map(|(_, name)| name).collect();
    match near::names(own, names.iter().copied()).first() {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("its settings there are {}", names.join(", ")),
    }
}

fn misplaced(reader: &PathReader<'_>, setting: &Setting, key: &str) -> Incident {
    let tables = &setting.path[..setting.path.len() - 1];
    let here = match tables {
        [] => "at the top of the file".to_owned(),
        tables => format!("in [{}]", document::name(tables)),
    };
    let (right, title) = (document::name(reader.table()), reader.configuration.title);
    let detail =
        format!("{title} ignores `{}` {here}; it is `{key}` below [{right}]", setting.key());
    about(ids::CONFIG_KEY_UNKNOWN, setting, detail)
}

/// Returns a finding if warnings about interfaces of NRI are hidden.
fn hidden_warning(setting: &Setting, history: &History) -> Option<Incident> {
    if !setting.path.last().is_some_and(|key| is(key, IGNORED_WARNINGS)) {
        return None;
    }
    let warnings = history.deprecations().iter().filter_map(|one| one.warned_by.as_ref());
    let ids: Vec<&str> = warnings.map(|warning| warning.id.as_str()).collect();
    let hidden: Vec<&str> = names(setting).filter(|name| ids.contains(name)).collect();
    (!hidden.is_empty()).then(|| {
        let detail =
            format!("the runtime does not warn about plugins that {} is about", hidden.join(", "));
        about(ids::CONFIG_DEPRECATION_HIDDEN, setting, detail)
    })
}

/// A table that the runtime does not read as NRI's.
struct IgnoredTable<'f> {
    path: &'f [String],
    /// The right path, if only the quotes are wrong.
    right: Option<Vec<String>>,
    settings: Vec<&'f Setting>,
}

impl<'f> IgnoredTable<'f> {
    /// Adds a setting to its table, whose name has this many parts.
    fn add(tables: &mut Vec<Self>, setting: &'f Setting, parts: usize, right: Option<Vec<String>>) {
        let path = &setting.path[..parts];
        match tables.iter_mut().find(|table| table.path == path) {
            Some(table) => table.settings.push(setting),
            None => tables.push(Self { path, right, settings: vec![setting] }),
        }
    }

    fn finding(&self, reader: &PathReader<'_>) -> Incident {
        let (title, here) = (reader.configuration.title, document::name(self.path));
        let keys = self.keys();
        let right = self.right.as_deref().unwrap_or(reader.table());
        let (rule, why) = if self.right.is_some() {
            (ids::CONFIG_TABLE_QUOTING, "is another table than NRI's, because of its quotes")
        } else {
            (ids::CONFIG_TABLE_UNKNOWN, "is not the table of NRI")
        };
        let first = self.settings[0];
        Incident {
            setting: Some(here.clone()),
            remedy: Some(format!("write [{}]", document::name(right))),
            ..about(rule, first, format!("[{here}] {why}: {title} ignores {keys}"))
        }
    }

    /// Returns the names of the first settings.
    fn keys(&self) -> String {
        let named: Vec<String> = self
            .settings
            .iter()
            .take(MAX_KEYS)
            .map(|setting| format!("`{}`", setting.key()))
            .collect();
        let more = match self.settings.len().saturating_sub(MAX_KEYS) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{}{more}", named.join(", "))
    }
}

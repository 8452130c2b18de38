//! A file of a configuration as a list of settings with their lines.

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use crate::escape;
use crate::place::Place;

/// A file of the configuration of a runtime.
#[derive(Clone, Debug)]
pub(in crate::check) struct SettingsFile {
    /// The version of its format, which only containerd has.
    pub(super) version: Option<i64>,
    /// Its settings, in the order of their paths.
    pub(super) settings: Vec<Setting>,
}

/// A value in a file that is not a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Setting {
    /// The names of its tables and its own.
    pub(super) path: Vec<String>,
    pub(super) value: Value,
    pub(super) place: Place,
}

impl SettingsFile {
    /// Reads the text of a file. Without lines, which a template and a text in a document do not
    /// have, all its settings have the same place.
    ///
    /// Returns `None` if it is not TOML, which is reported elsewhere.
    pub(in crate::check) fn parse(place: &Place, text: &str, has_lines: bool) -> Option<Self> {
        let values: Table = toml::from_str(text).ok()?;
        let document = DeTable::parse(text).ok()?;
        let lines = has_lines.then(|| Lines::of(text));
        let mut settings = Vec::new();
        let reader = SettingsReader { place, lines: lines.as_ref() };
        reader.table(document.get_ref(), &values, &mut Vec::new(), &mut settings);
        let version = values.get("version").and_then(Value::as_integer);
        Some(Self { version, settings })
    }
}

impl Setting {
    /// Returns its path as in TOML: `plugins."io.containerd.nri.v1.nri".disable`.
    pub(super) fn name(&self) -> String {
        name(&self.path)
    }

    /// Returns its value, safe to print. Simple values look alike in JSON and TOML.
    pub(super) fn shown_value(&self) -> String {
        escape::short(&serde_json::to_string(&self.value).unwrap_or_default())
    }

    /// Returns the last part of its path, safe to print.
    pub(super) fn key(&self) -> String {
        let key = self.path.last().map_or("", String::as_str);
        escape::short(key)
    }
}

/// Returns a path as in TOML, safe to print.
pub(super) fn name(path: &[String]) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let quoted = path.iter().map(|part| {
        if !part.is_empty() && part.chars().all(is_bare) {
            part.clone()
        } else {
            format!("\"{}\"", escape::short(part))
        }
    });
    quoted.collect::<Vec<String>>().join(".")
}

/// Collects the settings of a document.
struct SettingsReader<'f> {
    place: &'f Place,
    lines: Option<&'f Lines>,
}

impl SettingsReader<'_> {
    fn table(
        &self,
        table: &DeTable<'_>,
        values: &Table,
        path: &mut Vec<String>,
        settings: &mut Vec<Setting>,
    ) {
        for (key, value) in table {
            let Some(plain) = values.get(key.get_ref().as_ref()) else {
                continue;
            };
            path.push(key.get_ref().to_string());
            match (value.get_ref(), plain) {
                (DeValue::Table(nested), Value::Table(nested_values)) => {
                    self.table(nested, nested_values, path, settings);
                }
                _ => settings.push(Setting {
                    path: path.clone(),
                    value: plain.clone(),
                    place: self.at(key),
                }),
            }
            path.pop();
        }
    }

    fn at<T>(&self, key: &Spanned<T>) -> Place {
        match self.lines {
            Some(lines) => self.place.at_line(lines.line(key.span().start)),
            None => self.place.clone(),
        }
    }
}

/// The offsets at which the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// Returns the line of an offset, counted from 1.
    fn line(&self, offset: usize) -> u32 {
        let before = self.0.partition_point(|start| *start <= offset);
        u32::try_from(before + 1).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn settings_have_paths_and_lines() {
        let text =
            "version = 3\n[a]\n# a comment\nb.'c.d' = 1\n[[e]]\nf = 2\n[a.g]\nh = { i = 3 }\n";
        let place = Place::from_path(Path::new("/x.toml"));
        let file = SettingsFile::parse(&place, text, true).expect("it is TOML");
        assert_eq!(file.version, Some(3));
        let all: Vec<(String, String)> =
            file.settings.iter().map(|one| (one.name(), one.place.to_string())).collect();
        let expected = [
            ("a.b.\"c.d\"", "/x.toml:4"),
            ("a.g.h.i", "/x.toml:8"),
            ("e", "/x.toml:5"),
            ("version", "/x.toml:1"),
        ]
        .map(|(name, shown)| (name.to_owned(), shown.to_owned()));
        assert_eq!(all, expected);
        assert!(SettingsFile::parse(&place, "a = = b", true).is_none());
    }
}

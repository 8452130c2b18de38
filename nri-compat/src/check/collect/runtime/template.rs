//! Templates of containerd's configuration, as k3s and RKE2 have them, read as far as their settings
//! for NRI are plain TOML.

use std::path::Path;

use toml::Table;

use super::document::settings;
use crate::skipped::{SkipKind, Unreadable};

/// The name of the NRI plugin of containerd in versions 2 and 3 of its configuration.
pub(super) const PLUGIN: &str = "io.containerd.nri.v1.nri";

/// The start of an action in Go's templates.
const ACTION: &str = "{{";

/// The first words of actions that open a block, which `end` closes.
const OPENING: [&str; 5] = ["if", "range", "with", "define", "block"];

/// The settings before the first table that matter.
const SETTINGS: [&str; 3] = ["version", "imports", "disabled_plugins"];

/// The part of a file that a line is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    BeforeTables,
    NriTable,
    OtherTable,
}

/// Reports whether a path has the name of a template.
pub(super) fn is(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "tmpl")
}

/// Returns the lines of a template that have settings for NRI.
///
/// # Errors
///
/// Returns an error if actions decide about these settings.
pub(super) fn plain_settings(template: &str) -> Result<String, Unreadable> {
    let mut part = Part::BeforeTables;
    let mut open_blocks: usize = 0;
    // A template has the format of the file that it replaces, which is never version 1.
    let mut plain = String::new();
    for line in template.lines().map(str::trim) {
        open_blocks = blocks_after(line, open_blocks);
        let has_action = line.contains(ACTION);
        if line.starts_with('[') {
            part = table(line);
        }
        let is_wanted = match part {
            Part::BeforeTables => is_setting(line),
            Part::NriTable => true,
            Part::OtherTable => false,
        };
        let is_comment = line.starts_with('#');
        let is_conditional = has_action || open_blocks > 0;
        let is_hidden = !is_wanted && line.contains(PLUGIN) && !is_comment;
        if is_hidden || part == Part::NriTable && is_conditional {
            return Err(undecided());
        }
        if is_wanted && !is_conditional {
            plain.push_str(line);
            plain.push('\n');
        }
    }
    Ok(with_version(plain))
}

/// Returns the number of open blocks after a line.
fn blocks_after(line: &str, before: usize) -> usize {
    let actions = line.split(ACTION).skip(1);
    let words =
        actions.filter_map(|action| action.trim_start_matches('-').split_whitespace().next());
    words.fold(before, |open, word| {
        if OPENING.contains(&word) {
            open + 1
        } else if word.trim_end_matches(['-', '}']) == "end" {
            open.saturating_sub(1)
        } else {
            open
        }
    })
}

fn table(header: &str) -> Part {
    let is_nri = |header: Table| header.get("plugins")?.get(PLUGIN).map(|_| ());
    if settings(header).ok().and_then(is_nri).is_some() {
        Part::NriTable
    } else {
        Part::OtherTable
    }
}

/// Reports whether a line is a complete setting that matters.
fn is_setting(line: &str) -> bool {
    settings(line).is_ok_and(|line: Table| SETTINGS.iter().any(|key| line.contains_key(*key)))
}

fn with_version(text: String) -> String {
    let has_version = settings(&text).is_ok_and(|all: Table| all.contains_key("version"));
    if has_version {
        text
    } else {
        format!("version = 2\n{text}")
    }
}

fn undecided() -> Unreadable {
    Unreadable::new(
        SkipKind::UnsupportedFormat,
        "a template whose settings for NRI depend on actions; check the configuration that is made from it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "[plugins.'io.containerd.nri.v1.nri']\n";

    #[test]
    fn settings_that_depend_on_actions_are_not_guessed() {
        for template in [
            format!("{TABLE}plugin_path = \"{{{{ .Path }}}}\"\n"),
            format!("{{{{ if .Nri }}}}\n{TABLE}disable = false\n{{{{ end }}}}\n"),
            format!("{TABLE}{{{{- if .Nri }}}}\ndisable = false\n{{{{- end }}}}\n"),
            "{{ with .A }}disabled_plugins = ['io.containerd.nri.v1.nri']{{ end }}\n".to_owned(),
            "disabled_plugins = [\n'io.containerd.nri.v1.nri',\n]\n".to_owned(),
            "[plugins]\n'io.containerd.nri.v1.nri' = { disable = true }\n".to_owned(),
        ] {
            assert!(plain_settings(&template).is_err(), "{template}");
        }
    }
}

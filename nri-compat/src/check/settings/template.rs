//! Templates of containerd's configuration, as k3s and RKE2 have them, read as far as their
//! settings for NRI are plain TOML.

use std::path::Path;

use toml::Table;

use crate::skipped::{SkipKind, Unreadable};

/// The name of the NRI plugin of containerd in versions 2 and 3 of its configuration.
pub(in crate::check) const PLUGIN: &str = "io.containerd.nri.v1.nri";

/// The start of an action in Go's templates.
pub(super) const ACTION: &str = "{{";

/// The first words of actions that open a block, which `end` closes.
const OPENING: [&str; 5] = ["if", "range", "with", "define", "block"];

/// Returns true if a path has the name of a template.
pub(in crate::check) fn is(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "tmpl")
}

/// Returns the lines of a template that do not depend on actions.
///
/// # Errors
///
/// Returns an error if actions decide about the settings for NRI, or if the lines are not TOML
/// without them.
pub(in crate::check) fn plain_settings(template: &str) -> Result<String, Unreadable> {
    let (mut open_blocks, mut is_nri_table) = (0, false);
    let mut plain = String::new();
    for line in template.lines().map(str::trim) {
        open_blocks = blocks_after(line, open_blocks);
        let is_about_nri = line.contains(PLUGIN) && !line.starts_with('#');
        if line.starts_with('[') {
            is_nri_table = is_about_nri;
        }
        if open_blocks == 0 && !line.contains(ACTION) {
            plain.push_str(line);
            plain.push('\n');
        } else if is_nri_table || is_about_nri {
            return Err(undecided());
        }
    }
    let table: Table = toml::from_str(&plain).map_err(|_| undecided())?;
    // A template has the format of the file that it replaces, which is never version 1.
    let version = if table.contains_key("version") { "" } else { "version = 2\n" };
    Ok(format!("{version}{plain}"))
}

/// Returns the reason for not reading a template whose actions decide about NRI.
fn undecided() -> Unreadable {
    let reason = "a template whose settings for NRI depend on actions; check the configuration that is made from it";
    Unreadable::new(SkipKind::UnsupportedFormat, reason)
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
            format!("x = [\n{{{{ .X }}}}\n{TABLE}"),
        ] {
            assert!(plain_settings(&template).is_err(), "{template}");
        }
        for template in [
            "disabled_plugins = [\n'io.containerd.nri.v1.nri',\n]\n",
            "[plugins]\n'io.containerd.nri.v1.nri' = { disable = true }\n",
        ] {
            let plain = format!("version = 2\n{template}");
            assert_eq!(plain_settings(template).expect("TOML"), plain);
        }
    }
}

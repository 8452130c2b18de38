//! Reads the data folder of k3s and RKE2 from their own configuration.
//!
//! [Configuration file](https://docs.k3s.io/installation/configuration#configuration-file): the
//! file is read first, then its drop-in files in the order of their names; the last value counts.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use granit_parser::{Event, Parser};

use super::command::Named;
use super::document;
use super::pattern;
use crate::check::collect::machine_root::MachineRoot;
use crate::escape;

/// The configuration files.
const FILES: [&str; 2] = [
    "/etc/rancher/k3s/config.yaml",
    "/etc/rancher/rke2/config.yaml",
];

/// The setting with the data folder.
const DATA_DIR: &str = "data-dir";

/// Returns the configurations in data folders other than the default, each with the file that names
/// the folder.
pub(super) fn named(machine: &MachineRoot) -> Vec<(String, Named)> {
    let all = FILES.iter().filter_map(|file| {
        let file = machine.below(file);
        let files = [file.clone()].into_iter().chain(drop_ins(&file, machine));
        // The last file wins, so it is read first.
        files.rev().find_map(|file| {
            let data = data_dir(&file, machine)?;
            Some((escape::path(&file), Named::rancher(&data)))
        })
    });
    all.collect()
}

fn drop_ins(file: &Path, machine: &MachineRoot) -> Vec<PathBuf> {
    let mut pattern = file.as_os_str().to_owned();
    pattern.push(".d/*.yaml");
    pattern::expand(Path::new(&pattern), machine).unwrap_or_default()
}

fn data_dir(file: &Path, machine: &MachineRoot) -> Option<String> {
    let text = document::text(&machine.resolve(file).ok()?).ok()?;
    setting(&text, DATA_DIR)
}

/// Returns the last text with this key in the outermost mapping of a YAML document.
fn setting(text: &str, key: &str) -> Option<String> {
    let mut parser = Parser::new_from_str(text);
    // The number of open collections, and the key of the outermost mapping that waits for its value.
    let (mut depth, mut waiting, mut value) = (0, None::<String>, None);
    while let Some(Ok((event, _))) = parser.next_event() {
        let text = match event {
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                depth += 1;
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth -= 1;
                None
            }
            Event::Scalar(text, ..) => Some(text),
            Event::Alias(_) => None,
            // The beginnings and ends of documents.
            _ => continue,
        };
        if depth != 1 {
            continue;
        }
        match (waiting.take(), text) {
            (Some(known), Some(text)) if known == key => value = Some(text.into_owned()),
            (Some(_), _) => {}
            (None, text) => waiting = Some(text.map(Cow::into_owned).unwrap_or_default()),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_is_found_in_any_style() {
        for (text, expected) in [
            ("data-dir: /data\n", Some("/data")),
            ("token: x\n\"data-dir\": '/a b' # here\n", Some("/a b")),
            (
                "node-label:\n- data-dir\n- data-dir: /x\ndata-dir: /data\n",
                Some("/data"),
            ),
            ("nested:\n  data-dir: /x\n", None),
            ("{data-dir: /data}", Some("/data")),
            ("node-name: data-dir\ndebug: true\n", None),
            ("data-dir: [/x]\n", None),
            ("data-dir: /a\ndata-dir: /b\n", Some("/b")),
            ("", None),
            ("{", None),
        ] {
            assert_eq!(setting(text, "data-dir").as_deref(), expected, "{text}");
        }
    }
}

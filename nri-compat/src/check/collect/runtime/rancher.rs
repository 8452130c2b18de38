//! Reads the data folder of k3s and RKE2 from their own configuration.
//!
//! [Configuration file](https://docs.k3s.io/installation/configuration#configuration-file): the
//! file is read first, then its drop-in files in the order of their names; the last value counts.

use std::path::{Path, PathBuf};

use super::command::Named;
use super::document;
use super::pattern;
use crate::check::collect::machine_root::MachineRoot;
use crate::escape;
use crate::workloads::manifest;

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
    manifest::setting(&text, DATA_DIR)
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
            assert_eq!(
                manifest::setting(text, DATA_DIR).as_deref(),
                expected,
                "{text}"
            );
        }
    }
}

//! Reads the command lines of runtimes from systemd units and their drop-ins.
//!
//! [systemd.unit(5)](https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html),
//! [systemd.service(5)](https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html).

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::command::{self, Named};
use super::document;
use super::words::words;
use crate::check::collect::machine_root::MachineRoot;
use crate::escape;

/// The folders of units; a unit in an earlier folder replaces one of the same name in a later
/// folder.
const FOLDERS: [&str; 6] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/run/systemd/generator",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];

/// The maximum number of units, and of drop-ins of one unit.
const MAX_UNITS: usize = 4096;

/// The relevant settings of one unit.
#[derive(Debug, Default)]
struct Service {
    /// The lines of `ExecStart=`.
    commands: Vec<Vec<String>>,
    environment: Vec<(String, String)>,
    environment_files: Vec<String>,
}

/// Returns the configurations that the units of a machine name, each with the unit.
pub(super) fn named(machine: &MachineRoot) -> Vec<(String, Named)> {
    let units = units(machine);
    let found = units.into_iter().filter_map(|(name, file)| {
        let mut service = Service::default();
        let drop_ins = drop_ins(&name, machine);
        for file in [file].iter().chain(&drop_ins) {
            if let Ok(text) = machine
                .resolve(file)
                .map_err(Into::into)
                .and_then(|file| document::text(&file))
            {
                service.read(&text);
            }
        }
        Some((escape::bytes(name.as_bytes()), service.named(machine)?))
    });
    found.collect()
}

/// Returns the services by name, each from the first folder that has it.
fn units(machine: &MachineRoot) -> BTreeMap<String, PathBuf> {
    let mut units = BTreeMap::new();
    for folder in FOLDERS {
        for (name, file) in files(&machine.below(folder), ".service", machine) {
            units.entry(name).or_insert(file);
        }
    }
    units
}

/// Returns the drop-ins of a unit by name, each from the first folder that has it.
fn drop_ins(unit: &str, machine: &MachineRoot) -> Vec<PathBuf> {
    let mut files_by_name = BTreeMap::new();
    for folder in FOLDERS {
        let folder = machine.below(folder).join(format!("{unit}.d"));
        for (name, file) in files(&folder, ".conf", machine) {
            files_by_name.entry(name).or_insert(file);
        }
    }
    files_by_name.into_values().collect()
}

fn files(folder: &std::path::Path, ending: &str, machine: &MachineRoot) -> Vec<(String, PathBuf)> {
    let entries = machine.resolve(folder).and_then(|folder| folder.read_dir());
    let names = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name());
    let names = names.filter_map(|name| name.into_string().ok());
    let wanted = names.filter(|name| name.ends_with(ending)).take(MAX_UNITS);
    wanted
        .map(|name| (name.clone(), folder.join(name)))
        .collect()
}

impl Service {
    /// Adds the settings of a file. An empty `ExecStart=` removes the previous ones.
    fn read(&mut self, text: &str) {
        for line in joined(text) {
            let Some((key, value)) = line.split_once('=') else {
                continue;
            };
            let value = value.trim();
            match key.trim() {
                "ExecStart" if value.is_empty() => self.commands.clear(),
                "ExecStart" => self
                    .commands
                    .push(words(value.trim_start_matches(['@', '-', ':', '+', '!']))),
                "Environment" if value.is_empty() => self.environment.clear(),
                "Environment" => self
                    .environment
                    .extend(words(value).iter().filter_map(|word| assignment(word))),
                "EnvironmentFile" if value.is_empty() => self.environment_files.clear(),
                "EnvironmentFile" => self
                    .environment_files
                    .push(value.trim_start_matches('-').to_owned()),
                _ => {}
            }
        }
    }

    /// Returns the configuration that its command line names.
    fn named(&self, machine: &MachineRoot) -> Option<Named> {
        if self.commands.is_empty() {
            return None;
        }
        let mut environment = self.environment.clone();
        for file in &self.environment_files {
            let text = machine
                .resolve(&machine.below(file))
                .map_err(Into::into)
                .and_then(|file| document::text(&file));
            let lines = text.unwrap_or_default();
            let lines = lines
                .lines()
                .map(str::trim)
                .filter(|line| !line.starts_with('#'));
            environment.extend(lines.filter_map(|line| {
                let (name, value) = line.split_once('=')?;
                Some((name.trim().to_owned(), words(value).join(" ")))
            }));
        }
        let mut commands = self.commands.iter();
        commands.find_map(|words| command::named(&expanded(words, &environment), &environment))
    }
}

/// Returns the lines of a file without comments; a backslash at the end joins a line with the next one.
fn joined(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with(['#', ';']) {
            continue;
        }
        let (part, more) = line
            .strip_suffix('\\')
            .map_or((line, false), |part| (part, true));
        match lines.last_mut() {
            Some(last) if goes_on => {
                last.push(' ');
                last.push_str(part);
            }
            Some(_) | None => lines.push(part.to_owned()),
        }
        goes_on = more;
    }
    lines
}

fn assignment(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    Some((name.to_owned(), value.to_owned()))
}

/// Expands variables: the word `$NAME` expands to any number of words, `${NAME}` to part of a word.
fn expanded(all: &[String], environment: &[(String, String)]) -> Vec<String> {
    let value = |name: &str| {
        environment
            .iter()
            .rfind(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    };
    let mut out = Vec::new();
    for word in all {
        match word
            .strip_prefix('$')
            .filter(|name| !name.starts_with(['{', '$']))
        {
            Some(name) => out.extend(words(value(name).unwrap_or_default())),
            None => {
                let mut word = word.clone();
                for (name, value) in environment {
                    word = word.replace(&format!("${{{name}}}"), value);
                }
                out.push(word);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn command_lines_are_read_as_systemd_reads_them() {
        for (unit, expected) in [
            (
                "[Service]\nExecStart=/usr/bin/containerd --config /a.toml\n",
                Some("/a.toml"),
            ),
            (
                "ExecStart=-/usr/bin/containerd \\\n  --config \\\n  '/a b.toml'\n",
                Some("/a b.toml"),
            ),
            (
                "ExecStart=/bin/x\nExecStart=\nExecStart=/bin/containerd -c /a.toml",
                Some("/a.toml"),
            ),
            (
                "Environment=\"A=/a.toml\" B=c\nExecStart=containerd --config ${A}",
                Some("/a.toml"),
            ),
            (
                "Environment='OPTIONS=--config /a.toml -l debug'\nExecStart=containerd $OPTIONS",
                Some("/a.toml"),
            ),
            (
                "EnvironmentFile=-/etc/sysconfig/crio\nExecStart=/usr/bin/crio $CRIO_OPTIONS",
                Some("/c.conf"),
            ),
            ("# ExecStart=containerd --config /a.toml", None),
            ("ExecStart=/usr/bin/containerd", None),
            ("ExecStart=/usr/bin/containerd $NOTHING", None),
            ("ExecStart='", None),
        ] {
            let keep = tempfile::tempdir().unwrap();
            fs::create_dir_all(keep.path().join("etc/sysconfig")).unwrap();
            fs::write(
                keep.path().join("etc/sysconfig/crio"),
                "# x\nCRIO_OPTIONS=\"--config /c.conf\"\n",
            )
            .unwrap();
            let mut service = Service::default();
            service.read(unit);
            let named = service.named(&MachineRoot::new(keep.path()));
            let file = named.and_then(|named| named.file);
            assert_eq!(file.as_deref(), expected, "{unit}");
        }
    }
}

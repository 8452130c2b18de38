//! Corpora of logs, derived from the output of real containerd (`fixtures/logs`): the same lines as
//! seen through journald, collectors and container engines.

mod wrap;

use std::fs;
use std::path::{Path, PathBuf};

use nri_compat::check::logs::{self, Log};
use nri_compat::sighting::{Interface, Sighting};

pub use wrap::{WRAPS, Wrap};

/// The host that wrapped lines name.
pub const NODE: &str = "node-1";

/// Returns the recording of this name.
pub fn recorded(name: &str) -> Vec<u8> {
    let path = folder().join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the lines of the recording with this name, without line ends.
pub fn recorded_lines(name: &str) -> Vec<String> {
    let text = String::from_utf8(recorded(name)).expect("recordings are UTF-8");
    text.lines().map(str::to_owned).collect()
}

/// Returns the names of all recordings.
pub fn recordings() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("there are recordings");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("readable").file_name();
    let mut names: Vec<String> =
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/logs")
}

/// The events about which the old plugin was warned in the recorded runs.
pub const OLD_EVENTS: [&str; 8] = [
    "RunPodSandbox",
    "StopPodSandbox",
    "RemovePodSandbox",
    "PostCreateContainer",
    "StartContainer",
    "PostStartContainer",
    "PostUpdateContainer",
    "RemoveContainer",
];

/// The facts that do not depend on the format of a log.
#[derive(Debug, PartialEq, Eq)]
pub struct Plugin {
    /// The index and name, `10-template`; empty if there are none.
    pub name: String,
    /// Events seen.
    pub events: Vec<String>,
    /// The way in which it receives them.
    pub interface: Interface,
    /// Lines about it.
    pub count: u64,
}

impl From<&Sighting> for Plugin {
    fn from(sighting: &Sighting) -> Self {
        let parts: Vec<&str> =
            [&sighting.index, &sighting.name].into_iter().flatten().map(String::as_str).collect();
        Self {
            name: parts.join("-"),
            events: sighting.events.names.clone(),
            interface: sighting.interface.clone(),
            count: sighting.occurrences.as_ref().map_or(0, |seen| seen.count),
        }
    }
}

/// Reads a log from memory.
pub fn read(mut log: &[u8]) -> Log {
    logs::read(&"the.log".into(), &mut log)
}

/// Returns the plugins of a log.
pub fn plugins(log: &Log) -> Vec<Plugin> {
    log.sightings.iter().map(Plugin::from).collect()
}

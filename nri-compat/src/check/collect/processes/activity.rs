//! What a process does that makes it a plugin.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::escape;

/// The variables that a runtime sets for the plugins that it starts.
const NAME_VARIABLE: &str = "NRI_PLUGIN_NAME";
const INDEX_VARIABLE: &str = "NRI_PLUGIN_IDX";

/// The maximum length of an environment or a command line in bytes.
const MAX_TEXT: u64 = 1 << 20;

/// The maximum length of a command line in the report in characters.
const MAX_COMMAND: usize = 200;

/// Returns the inodes of the sockets in `wanted` that a process has open.
pub(super) fn open_sockets(process: &Path, wanted: &BTreeMap<u32, PathBuf>) -> BTreeSet<u32> {
    let files = process
        .join("fd")
        .read_dir()
        .into_iter()
        .flatten()
        .flatten();
    let targets = files.filter_map(|file| file.path().read_link().ok());
    let inodes = targets.filter_map(|target| {
        let inode = target
            .to_str()?
            .strip_prefix("socket:[")?
            .strip_suffix(']')?;
        inode.parse().ok()
    });
    inodes.filter(|inode| wanted.contains_key(inode)).collect()
}

/// Returns the name and index with which a runtime started a process as a plugin. The children of the process
/// inherit the variables, and are none.
pub(super) fn launched(proc: &Path, pid: u32) -> Option<(Option<String>, Option<String>)> {
    let folder = |pid: u32| proc.join(pid.to_string());
    let variables = environment(&folder(pid));
    let name = variables.get(NAME_VARIABLE)?;
    let parent = parent(&folder(pid)).map(|parent| environment(&folder(parent)));
    if parent.is_some_and(|parent| parent.contains_key(NAME_VARIABLE)) {
        return None;
    }
    let shown = |text: &String| (!text.is_empty()).then(|| escape::bytes(text.as_bytes()));
    Some((shown(name), variables.get(INDEX_VARIABLE).and_then(shown)))
}

fn environment(process: &Path) -> BTreeMap<String, String> {
    let texts = texts(&process.join("environ"));
    let variables = texts.iter().filter_map(|text| text.split_once('='));
    variables
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

fn parent(process: &Path) -> Option<u32> {
    let status = texts(&process.join("status"));
    let mut lines = status.iter().flat_map(|text| text.lines());
    lines.find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
}

/// Returns the command line of a process as one short text.
pub(super) fn command(process: &Path) -> String {
    let words = texts(&process.join("cmdline")).join(" ");
    let short: String = words.chars().take(MAX_COMMAND).collect();
    escape::bytes(short.as_bytes())
}

/// Returns the texts in a file that end with NUL; none if it cannot be read.
fn texts(file: &Path) -> Vec<String> {
    let mut all = Vec::new();
    if let Ok(file) = File::open(file) {
        // What was read before an error counts.
        let _ = file.take(MAX_TEXT).read_to_end(&mut all);
    }
    let texts = all.split(|byte| *byte == 0);
    let texts = texts.map(|text| String::from_utf8_lossy(text).into_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

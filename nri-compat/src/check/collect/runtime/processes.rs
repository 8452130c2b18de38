//! Reads the command lines of running runtimes.

use std::io::Read as _;
use std::path::Path;

use super::command::{self, Named};
use crate::check::collect::machine_root::MachineRoot;

/// The maximum number of processes whose command lines are read.
const MAX_PROCESSES: usize = 100_000;

/// The maximum length of a command line, and of an environment, in bytes.
const MAX_TEXT: u64 = 1 << 20;

/// Returns what the command lines of running runtimes say, each with its process.
pub(super) fn named(root: &MachineRoot) -> Vec<(String, Named)> {
    let proc = root.folder().join("proc");
    let entries = proc.read_dir().into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut pids: Vec<u32> = pids.take(MAX_PROCESSES).collect();
    pids.sort_unstable();
    pids.into_iter()
        .filter_map(|pid| {
            Some((
                format!("process {pid}"),
                started(&proc.join(pid.to_string()))?,
            ))
        })
        .collect()
}

/// Returns what the command line of a process says; relative paths are relative to its working
/// folder.
fn started(process: &Path) -> Option<Named> {
    let words = texts(&process.join("cmdline"))?;
    // Only root and its owner can read the environment of a process.
    let environment = texts(&process.join("environ")).unwrap_or_default();
    let environment: Vec<(String, String)> = environment
        .iter()
        .filter_map(|word| word.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut named = command::named(&words, &environment)?;
    for path in named.paths().filter(|path| !path.starts_with('/')) {
        let folder = process.join("cwd").read_link().ok()?;
        *path = folder.join(&*path).to_str()?.to_owned();
    }
    Some(named)
}

/// Returns the texts in a file that end with NUL.
fn texts(file: &Path) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let file = std::fs::File::open(file).ok()?;
    file.take(MAX_TEXT).read_to_end(&mut all).ok()?;
    let texts = all.split(|byte| *byte == 0);
    let texts = texts.map(|text| String::from_utf8_lossy(text).into_owned());
    Some(texts.filter(|text| !text.is_empty()).collect())
}

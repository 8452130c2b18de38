//! The processes of a test, as Linux shows them.

use std::fs;

/// Returns the commands of the processes with a token among their arguments or in their
/// environment.
pub(crate) fn left(token: &str) -> Vec<String> {
    let mut left = Vec::new();
    for process in fs::read_dir("/proc").unwrap().flatten() {
        let read = |file: &str| fs::read(process.path().join(file)).unwrap_or_default();
        let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        let is_this = process.file_name() == *std::process::id().to_string();
        if !is_this && (command.contains(token) || environment.contains(token)) {
            left.push(command);
        }
    }
    left
}

/// Returns the peak of the memory of this process in KiB.
pub(crate) fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
}

//! Ends whatever a plugin has started: its process group, and processes that left it.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// The variable in the environment of a plugin by which its descendants are found.
const VARIABLE: &str = "NRI_CONFORMANCE_INSTANCE";

/// How often processes are looked for: one that forks while it is looked for can escape a first search.
const SEARCHES: usize = 20;

/// Marks the processes of one instance, by a variable that they inherit.
#[derive(Debug)]
pub(super) struct Marker {
    value: String,
}

impl Marker {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{number}", std::process::id());
        Marker { value }
    }

    pub(super) fn variable(&self) -> &'static str {
        VARIABLE
    }

    pub(super) fn value(&self) -> &str {
        &self.value
    }

    /// Kills all processes that carry the marker, until none is left.
    pub(super) fn kill_all(&self) {
        let entry = format!("{VARIABLE}={}", self.value);
        for _ in 0..SEARCHES {
            let found = marked(entry.as_bytes());
            if found.is_empty() {
                return;
            }
            for pid in found {
                signal(pid, Signal::KILL);
            }
        }
    }
}

/// Returns the processes with this entry in their environment, zombies excepted.
fn marked(entry: &[u8]) -> Vec<u32> {
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = processes.filter_map(|process| process.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        // That of a zombie is empty.
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|it| it == entry)
    })
    .collect()
}

/// Kills a process group.
pub(super) fn kill_group(leader: u32) {
    if let Some(leader) = pid(leader) {
        // It may have ended by itself.
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

/// Sends a signal to a process.
pub(super) fn signal(process: u32, signal: Signal) {
    if let Some(process) = pid(process) {
        let _ = kill_process(process, signal);
    }
}

/// Returns a process id, other than that of the first process.
fn pid(number: u32) -> Option<Pid> {
    let pid = i32::try_from(number).ok().filter(|pid| *pid > 1)?;
    Pid::from_raw(pid)
}

//! Ends everything that a plugin has started: its process group, its descendants, and processes
//! that left both.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use tokio::process::{Child, Command};

/// The variable in the environment of a plugin by which its descendants are found.
pub(super) const VARIABLE: &str = "NRI_CONFORMANCE_INSTANCE";

/// The time limit of the search for processes that keep forking.
const SEARCH: Duration = Duration::from_secs(5);

/// The time that killed processes have to end before the next search.
const PAUSE: Duration = Duration::from_micros(500);

/// True if processes that lost their parent become children of this process.
static ADOPTING: AtomicBool = AtomicBool::new(false);

/// The plugins that were started here and have not been ended.
static LEADERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn leaders() -> MutexGuard<'static, BTreeSet<u32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process adopt processes that were started by a plugin and lost their parent. They are
/// then found and ended with the plugin, even if they left its process group and cleared their
/// environment.
///
/// This is meant for programs that start only plugins: at the end of a plugin, every child of this
/// process that was started after the plugin, and is not a plugin itself, is killed.
///
/// # Errors
///
/// Returns an error if the kernel does not support it.
pub fn adopt_orphans() -> std::io::Result<()> {
    become_subreaper()?;
    ADOPTING.store(true, Ordering::Relaxed);
    Ok(())
}

#[cfg(target_os = "linux")]
fn become_subreaper() -> std::io::Result<()> {
    use rustix::process::{getpid, set_child_subreaper};

    Ok(set_child_subreaper(Some(getpid()))?)
}

#[cfg(not(target_os = "linux"))]
fn become_subreaper() -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Starts a plugin, and registers its id, so that it is not treated as an orphan. No search runs
/// meanwhile.
pub(super) fn spawn(command: &mut Command) -> std::io::Result<(Child, u32)> {
    let mut leaders = leaders();
    let child = command.spawn()?;
    // It has an id, because it was not waited for.
    let pid = child.id().unwrap_or_default();
    leaders.insert(pid);
    Ok((child, pid))
}

/// Forgets a plugin that has been ended.
pub(super) fn unregister(leader: u32) {
    leaders().remove(&leader);
}

/// Returns a value of [`VARIABLE`] for a new instance.
pub(super) fn marker() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}-{number}", process::id())
}

/// Kills a plugin, which must not have been reaped, and all processes that it started.
///
/// First, they are stopped until no more are found, because a process that forks faster than it is
/// killed would escape.
pub(super) fn end(leader: u32, marker: &str) {
    let Some(TableEntry { start: since, .. }) = TableEntry::read(leader) else {
        return;
    };
    let search = Search { leader, since, variable: format!("{VARIABLE}={marker}").into_bytes() };
    let start = Instant::now();
    let mut stopped = HashSet::new();
    while start.elapsed() < SEARCH {
        let found = search.find(&stopped);
        if found.is_empty() {
            return;
        }
        let new: Vec<u32> = found.iter().copied().filter(|pid| stopped.insert(*pid)).collect();
        for pid in &new {
            signal(*pid, Signal::STOP);
        }
        if new.is_empty() {
            found.into_iter().for_each(kill);
            std::thread::sleep(PAUSE);
        }
    }
    stopped.into_iter().for_each(kill);
}

/// A search for the processes of an instance.
struct Search {
    leader: u32,
    /// The time at which the leader started. No process of the instance is older.
    since: u64,
    /// The variable in the environment of its processes.
    variable: Vec<u8>,
}

impl Search {
    /// Returns the processes that still run.
    fn find(&self, known: &HashSet<u32>) -> Vec<u32> {
        let table = self.table();
        let is_adopting = ADOPTING.load(Ordering::Relaxed);
        let leaders = leaders();
        // A child of this process that it did not start is an orphan.
        let is_orphan = |entry: &TableEntry| {
            is_adopting && entry.parent == process::id() && !leaders.contains(&entry.pid)
        };
        let is_own = |entry: &&TableEntry| {
            known.contains(&entry.pid)
                || [entry.pid, entry.group, entry.session].contains(&self.leader)
                || is_orphan(entry)
                || entry.has_variable(&self.variable)
        };
        let mut found: HashSet<u32> = table.iter().filter(is_own).map(|it| it.pid).collect();
        add_descendants(&table, &mut found);
        let running = table.iter().filter(|entry| !entry.is_dead).map(|entry| entry.pid);
        running.filter(|pid| found.contains(pid)).collect()
    }

    /// Returns the processes that started with the leader or later.
    fn table(&self) -> Vec<TableEntry> {
        let processes = fs::read_dir("/proc").into_iter().flatten();
        let pids = processes.filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok());
        let entries = pids.filter_map(TableEntry::read);
        entries.filter(|entry| entry.start >= self.since).collect()
    }
}

/// Adds the descendants of processes.
fn add_descendants(table: &[TableEntry], processes: &mut HashSet<u32>) {
    loop {
        let children: Vec<u32> =
            table.iter().filter(|it| processes.contains(&it.parent)).map(|it| it.pid).collect();
        let before = processes.len();
        processes.extend(children);
        if processes.len() == before {
            return;
        }
    }
}

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TableEntry {
    pid: u32,
    parent: u32,
    group: u32,
    session: u32,
    /// True if it has ended and has not been reaped by its parent.
    is_dead: bool,
    /// The time at which it started, in ticks since the machine was booted.
    start: u64,
}

impl TableEntry {
    fn read(pid: u32) -> Option<Self> {
        Self::parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Parses `/proc/PID/stat`.
    fn parse(pid: u32, stat: &str) -> Option<Self> {
        // The name of the program, in parentheses, may contain anything.
        let (_, after_name) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        // The first of these is the third field of the file, the state.
        let number = |index: usize| fields.get(index)?.parse::<u32>().ok();
        Some(TableEntry {
            pid,
            is_dead: matches!(*fields.first()?, "Z" | "X" | "x"),
            parent: number(1)?,
            group: number(2)?,
            session: number(3)?,
            start: fields.get(19)?.parse().ok()?,
        })
    }

    /// Returns true if the process was started with this entry in its environment.
    fn has_variable(&self, entry: &[u8]) -> bool {
        // The environment of a process that has ended is empty.
        let environment = fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|it| it == entry)
    }
}

fn kill(process: u32) {
    signal(process, Signal::KILL);
    if ADOPTING.load(Ordering::Relaxed)
        && let Some(pid) = pid(process)
        && !leaders().contains(&process)
    {
        // If it is not a child of this process, or has not ended yet, it is reaped elsewhere or
        // later.
        let _ = waitpid(Some(pid), WaitOptions::NOHANG);
    }
}

/// Sends a signal to a process.
pub(super) fn signal(process: u32, signal: Signal) {
    if let Some(process) = pid(process) {
        // It may have ended on its own.
        let _ = kill_process(process, signal);
    }
}

/// Converts a process id; `None` for that of the first process.
pub(super) fn pid(number: u32) -> Option<Pid> {
    let pid = i32::try_from(number).ok().filter(|pid| *pid > 1)?;
    Pid::from_raw(pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest_of_the_line() {
        let line = "7 (a) Z 1 (b) S 2 3 4 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 555 0 0";
        let entry = TableEntry::parse(7, line).unwrap();
        let expected =
            TableEntry { pid: 7, parent: 2, group: 3, session: 4, is_dead: false, start: 555 };
        assert_eq!(entry, expected);
    }
}

//! Ends everything that a plugin has started: its process group, its descendants, and processes that left both.

mod table;

use std::collections::HashSet;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use table::{Table, TableEntry};

/// The variable in the environment of a plugin by which its descendants are found.
const VARIABLE: &str = "NRI_CONFORMANCE_INSTANCE";

/// The time limit of the search for processes that keep forking.
const SEARCH: Duration = Duration::from_secs(5);

/// The time that killed processes have to end before the next search.
const PAUSE: Duration = Duration::from_micros(500);

/// True if processes that lost their parent become children of this process.
static ADOPTING: AtomicBool = AtomicBool::new(false);

/// The plugins that were started here and have not been ended.
static LEADERS: Mutex<Option<HashSet<u32>>> = Mutex::new(None);

/// Makes this process adopt processes that were started by a plugin and lost their parent. They are then found and ended
/// with the plugin, even if they left its process group and cleared their environment.
///
/// This is meant for programs that start only plugins: at the end of a plugin, every child of this process that was
/// started after the plugin, and is not a plugin itself, is killed.
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

/// Starts a plugin with `spawn`, and registers its id, so that it is not treated as an orphan. No search runs meanwhile.
pub(super) fn registered<T>(
    spawn: impl FnOnce() -> std::io::Result<T>,
    id: impl FnOnce(&T) -> u32,
) -> std::io::Result<T> {
    let mut leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
    let child = spawn()?;
    leaders.get_or_insert_default().insert(id(&child));
    Ok(child)
}

/// Forgets a plugin that has been ended.
pub(super) fn unregister(leader: u32) {
    let mut leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
    leaders.get_or_insert_default().remove(&leader);
}

/// A mark on the processes of an instance: a variable that they inherit.
#[derive(Debug)]
pub(super) struct Marker {
    value: String,
}

impl Marker {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let value = format!("{}-{number}", process::id());
        Marker { value }
    }

    pub(super) fn variable(&self) -> &'static str {
        VARIABLE
    }

    pub(super) fn value(&self) -> &str {
        &self.value
    }

    /// Returns the entry in the environment.
    fn entry(&self) -> Vec<u8> {
        format!("{VARIABLE}={}", self.value).into_bytes()
    }
}

/// Kills a plugin, which must not have been reaped, and all processes that it started.
///
/// First, they are stopped until no more are found, because a process that forks faster than it is killed would escape.
pub(super) fn end(leader: u32, marker: &Marker) {
    let Some(since) = table::start_time(leader) else {
        return;
    };
    let search = Search {
        leader,
        since,
        marker: marker.entry(),
    };
    let start = Instant::now();
    let mut stopped = HashSet::new();
    while start.elapsed() < SEARCH {
        let found = search.find(&stopped);
        if found.is_empty() {
            return;
        }
        let new: Vec<u32> = found
            .iter()
            .copied()
            .filter(|pid| stopped.insert(*pid))
            .collect();
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
    marker: Vec<u8>,
}

impl Search {
    /// Returns the processes that still run.
    fn find(&self, known: &HashSet<u32>) -> Vec<u32> {
        let table = Table::read(self.since);
        let orphans = self.orphans(&table);
        let mut found: HashSet<u32> = table
            .iter()
            .filter(|entry| {
                known.contains(&entry.pid)
                    || entry.pid == self.leader
                    || entry.group == self.leader
                    || entry.session == self.leader
                    || orphans.contains(&entry.pid)
                    || entry.has_variable(&self.marker)
            })
            .map(|entry| entry.pid)
            .collect();
        table.add_descendants(&mut found);
        let running = table.iter().filter(|entry| !entry.is_dead);
        running
            .map(|entry| entry.pid)
            .filter(|pid| found.contains(pid))
            .collect()
    }

    /// Returns the children of this process that it did not start.
    fn orphans(&self, table: &Table) -> HashSet<u32> {
        if !ADOPTING.load(Ordering::Relaxed) {
            return HashSet::new();
        }
        let leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_leader = |pid: u32| leaders.as_ref().is_some_and(|all| all.contains(&pid));
        let adopted = |entry: &&TableEntry| entry.parent == process::id() && !is_leader(entry.pid);
        table
            .iter()
            .filter(adopted)
            .map(|entry| entry.pid)
            .collect()
    }
}

fn kill(process: u32) {
    signal(process, Signal::KILL);
    if ADOPTING.load(Ordering::Relaxed)
        && let Some(pid) = pid(process)
    {
        let leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_leader = leaders.as_ref().is_some_and(|all| all.contains(&process));
        if !is_leader {
            // If it is not a child of this process, or has not ended yet, it is reaped elsewhere or later.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
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

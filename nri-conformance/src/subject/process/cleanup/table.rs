//! The processes of the machine, from `/proc`.

use std::collections::HashSet;
use std::fs;

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableEntry {
    pub(super) pid: u32,
    pub(super) parent: u32,
    pub(super) group: u32,
    pub(super) session: u32,
    /// True if it has ended and has not been reaped by its parent.
    pub(super) is_dead: bool,
    /// The time at which it started, in ticks since the machine was booted.
    start: u64,
}

/// The processes that were started at a given time or later.
#[derive(Debug)]
pub(super) struct Table(Vec<TableEntry>);

impl Table {
    pub(super) fn read(since: u64) -> Self {
        let Ok(processes) = fs::read_dir("/proc") else {
            return Table(Vec::new());
        };
        let pids = processes.filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok());
        let entries = pids.filter_map(TableEntry::read);
        Table(entries.filter(|entry| entry.start >= since).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &TableEntry> {
        self.0.iter()
    }

    /// Adds the descendants of processes.
    pub(super) fn add_descendants(&self, processes: &mut HashSet<u32>) {
        loop {
            let children = self.0.iter().filter(|it| processes.contains(&it.parent));
            let children: Vec<u32> = children.map(|it| it.pid).collect();
            let before = processes.len();
            processes.extend(children);
            if processes.len() == before {
                return;
            }
        }
    }
}

impl TableEntry {
    fn read(pid: u32) -> Option<Self> {
        Self::parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Parses `/proc/PID/stat`.
    fn parse(pid: u32, stat: &str) -> Option<Self> {
        // The name of the program, in parentheses, may contain anything.
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
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
    pub(super) fn has_variable(&self, entry: &[u8]) -> bool {
        // The environment of a process that has ended is empty.
        let environment = fs::read(format!("/proc/{}/environ", self.pid)).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|it| it == entry)
    }
}

/// Returns the time at which a process started, in ticks since the machine was booted.
pub(super) fn start_time(pid: u32) -> Option<u64> {
    TableEntry::read(pid).map(|entry| entry.start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_rest_of_the_line() {
        let line = "7 (a) Z 1 (b) S 2 3 4 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 555 0 0";
        let entry = TableEntry::parse(7, line).unwrap();
        let expected = TableEntry {
            pid: 7,
            parent: 2,
            group: 3,
            session: 4,
            is_dead: false,
            start: 555,
        };
        assert_eq!(entry, expected);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let pid = std::process::id();
        let since = start_time(pid).unwrap();
        assert!(Table::read(since).iter().any(|entry| entry.pid == pid));
    }
}

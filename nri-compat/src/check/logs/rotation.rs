//! Combines the files of a rotated set into one log, oldest first: `containerd.log.2.gz`,
//! `containerd.log.1`, `containerd.log`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::context::regex;
use super::{recognise, source};
use crate::check::progress::Progress;
use crate::packing::Packing;
use crate::place::Place;
use crate::skipped::{Skipped, Unreadable};
use crate::unpack::peek;

/// The number of bytes of a file that are checked to determine whether it begins with a complete
/// line.
const HEAD: usize = 4096;

/// The names of rotated files: `a.log.1`, `a.log-20260318`, `a-20260318.log`,
/// `a-2026-03-18T20-15-04.861.log`.
static ROTATED: LazyLock<Regex> = LazyLock::new(|| {
    let date = "[0-9]{4}-?[0-9]{2}-?[0-9]{2}[0-9T._-]*?";
    regex(&format!(
        r"^(.+?)(?:[.-]({date})(\.log)?|\.([0-9]{{1,4}}))$"
    ))
});

/// The files of one log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogSet {
    /// The path in reports: that of the newest file.
    pub(super) shown: PathBuf,
    /// The files, oldest first.
    pub(super) files: Vec<PathBuf>,
}

/// The age of a file in its set. The derived order is from newest to oldest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Age {
    /// The current file.
    Current,
    /// `.1` is newer than `.2`.
    Number(u64),
    /// The digits of a date such as `-20260318`; later dates are newer.
    Date(Reverse<String>),
}

/// Groups files into logs, in the order in which the first file of each was named.
pub(super) fn sets(files: &[PathBuf]) -> Vec<LogSet> {
    let mut order: Vec<PathBuf> = Vec::new();
    let mut sets: BTreeMap<PathBuf, Vec<(Age, PathBuf)>> = BTreeMap::new();
    for file in files {
        let (log, age) = log_and_age(file);
        if !sets.contains_key(&log) {
            order.push(log.clone());
        }
        sets.entry(log).or_default().push((age, file.clone()));
    }
    let logs = order.into_iter().filter_map(|log| sets.remove(&log));
    logs.filter_map(set).collect()
}

fn set(mut files: Vec<(Age, PathBuf)>) -> Option<LogSet> {
    files.sort();
    files.dedup();
    let shown = files.first()?.1.clone();
    let files = files.into_iter().rev().map(|(_, file)| file).collect();
    Some(LogSet { shown, files })
}

/// Returns the common path of the files of a set, and the age of this file.
fn log_and_age(file: &Path) -> (PathBuf, Age) {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else {
        return (file.to_owned(), Age::Current);
    };
    let plain =
        Packing::extensions().find_map(|extension| name.strip_suffix(extension)?.strip_suffix('.'));
    let name = plain.unwrap_or(name);
    let Some(parts) = ROTATED.captures(name) else {
        return (file.with_file_name(name), Age::Current);
    };
    let part = |number: usize| parts.get(number).map_or("", |part| part.as_str());
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect();
    let age = match part(4).parse() {
        Ok(number) => Age::Number(number),
        Err(_) => Age::Date(Reverse(digits(part(2)))),
    };
    (file.with_file_name([part(1), part(3)].concat()), age)
}

/// A reader of the files of a set, one after the other.
pub(super) struct SetReader<'p> {
    files: VecDeque<PathBuf>,
    current: Option<Box<dyn Read>>,
    progress: Option<&'p Progress>,
    /// True if the last line is unfinished.
    in_line: bool,
    /// Files that cannot be opened or read to their end.
    pub(super) skipped: Vec<Skipped>,
    /// Files that do not begin like a text.
    pub(super) binary: Vec<Place>,
    /// The current file.
    place: Place,
    /// The number of opened files.
    pub(super) opened: u64,
}

impl<'p> SetReader<'p> {
    pub(super) fn new(set: &LogSet, progress: Option<&'p Progress>) -> Self {
        Self {
            files: set.files.iter().cloned().collect(),
            current: None,
            progress,
            in_line: false,
            skipped: Vec::new(),
            binary: Vec::new(),
            place: Place::default(),
            opened: 0,
        }
    }

    /// Opens the next file; returns false if there is none.
    fn next_file(&mut self) -> bool {
        let Some(path) = self.files.pop_front() else {
            return false;
        };
        self.place = Place::from_path(&path);
        match self.open(&path) {
            Ok(input) => self.current = Some(input),
            Err(error) => {
                let reason = format!("cannot be read: {error}");
                let kind = Unreadable::from(&error).kind;
                self.skipped
                    .push(Skipped::new(self.place.clone(), kind, reason));
            }
        }
        true
    }

    fn open(&mut self, path: &Path) -> io::Result<Box<dyn Read>> {
        let file = open(path, self.progress)?;
        self.opened += 1;
        let extension = path.extension().and_then(|extension| extension.to_str());
        let (head, lines) = peek(source::lines(file, extension)?, HEAD)?;
        if source::is_binary(&head) {
            self.binary.push(self.place.clone());
        }
        let separator: &[u8] = if self.in_line && begins_with_line(&head) {
            b"\n"
        } else {
            b""
        };
        Ok(Box::new(separator.chain(lines)))
    }
}

/// Opens and counts a file.
pub(super) fn open(path: &Path, progress: Option<&Progress>) -> io::Result<File> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if let Some(progress) = progress {
        progress.file();
        if metadata.is_file() {
            progress.expect(metadata.len());
        }
    }
    Ok(file)
}

/// Returns true if a file begins with a complete line, not with the rest of a line that was cut in
/// the previous file.
fn begins_with_line(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    text.lines().next().is_some_and(recognise::is_log_line)
}

impl Read for SetReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(current) = &mut self.current else {
                if self.next_file() {
                    continue;
                }
                return Ok(0);
            };
            match current.read(buffer) {
                Ok(0) => self.current = None,
                Ok(read) => {
                    let last = buffer.iter().take(read).next_back();
                    self.in_line = last != Some(&b'\n');
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.current = None;
                    self.skipped.push(super::unreadable(&self.place, &error));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn a_rotated_set_is_one_log_with_the_oldest_file_first() {
        for oldest_first in [
            &["a.log.10.gz", "a.log.2.gz", "a.log.1", "a.log"][..],
            &["a.log-20260317.xz", "a.log-20260318", "a.log"],
            &["a-20260317.log.zst", "a-20260318.log", "a.log"],
            &[
                "a-2026-03-17T20-15-04.861.log.gz",
                "a-2026-03-18T20-15-04.861.log",
                "a.log",
            ],
            &["0.log.20260317-201504.gz", "0.log.20260318-201504", "0.log"],
            &["syslog.2.gz", "syslog.1", "syslog"],
            &["a.log.2", "a.log.1"],
        ] {
            let files = paths(oldest_first);
            let mut named = files.clone();
            named.rotate_left(1);
            let shown = files.last().cloned().unwrap_or_default();
            assert_eq!(sets(&named), [LogSet { shown, files }]);
        }
    }

    #[test]
    fn other_files_are_logs_of_their_own() {
        let named = paths(&[
            "b/a.log",
            "c/a.log",
            "a.log",
            "containerd-v2.4.2.log",
            "containerd-v2.2.9.log",
            "0.log",
            "1.log",
            "node-1",
            "node-2",
            "a.12345",
            "a.json",
            "b.json",
        ]);
        let sets = sets(&named);
        let shown: Vec<PathBuf> = sets.iter().map(|set| set.shown.clone()).collect();
        assert_eq!(shown, named);
    }
}

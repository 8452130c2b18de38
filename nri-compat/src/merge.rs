//! Merges the JSON reports of many nodes: the plugins, the number of nodes of each, and the
//! verdicts.
//!
//! A report of a cluster counts as one report for each of its nodes, in addition to the node's own:
//! it has the plugins in pods, the other one those on the host. A process on a node that is the
//! program of a container of the cluster counts once.
//!
//! Reports are read one at a time: memory grows with the number of nodes and of distinct findings,
//! up to a limit, but not with the number of reports. If there are several reports of a node, the
//! newest counts.
//!
//! ```
//! use nri_compat::merge::Merge;
//!
//! let node = r#"{"schema":1,"targets":[],"subjects":[{"place":{"file":"/opt/nri/plugins/10-logger"},"role":"plugin","name":"logger","index":"10",
//!     "nri":{"version":"v0.11.0"},"events":[],"verdicts":[{"target":"nri@0.12.5","verdict":"deprecated"}]}],
//!     "summary":{"node":"node-1"}}"#;
//! let other = node.replace("node-1", "node-2");
//! let mut merge = Merge::default();
//! merge.read("nodes.jsonl", &mut format!("{node}\n{other}\n{node}\n").as_bytes());
//! let report = merge.finish(&[]);
//! assert_eq!((report.summary.reports, report.summary.nodes, report.plugins[0].nodes), (3, 2, 2));
//! ```

mod incidents;
mod inventory;
mod source;
mod split;

use std::io::Read;

use indexmap::IndexSet;
use jiff::{SignedDuration, Timestamp};

use crate::container_log::Joined;
use crate::error::{Error, ErrorKind};
use crate::path::last_part;
use crate::report::check::{SkipKind, Skipped};
use crate::report::merge::MergeReport;
use crate::stamp;
use crate::unpack::unpacked;
use inventory::FleetInventory;

/// The maximum number of reports that are listed as skipped; beyond that, only their number is
/// given.
const MAX_LISTED: usize = 1000;

/// How far the clock of a node may be ahead of that of this machine.
const MAX_AHEAD: SignedDuration = SignedDuration::from_hours(1);

/// A merge of reports in progress.
#[derive(Debug, Default)]
pub struct Merge {
    now: Option<Timestamp>,
    inventory: FleetInventory,
    reports: usize,
    skipped: Vec<Skipped>,
    skipped_in_all: usize,
}

impl Merge {
    /// Starts a merge at a time. A report that is dated later was made with a wrong clock, which
    /// would hide every other report of its node: its date is listed as skipped, and the other
    /// reports count first.
    pub fn at(now: Timestamp) -> Self {
        Self { now: Some(now), ..Self::default() }
    }

    /// Reads all reports in `input`, which is shown as `path`: one report, one per line,
    /// concatenated, or an array; also compressed with gzip, zstd or xz, wrapped by log collectors,
    /// or cut into pieces by container runtimes. Anything else is listed as skipped.
    pub fn read(&mut self, path: &str, input: &mut dyn Read) {
        let mut nth = 0;
        let end = unpacked(input).and_then(|input| {
            split::each(&mut Joined::stream(input, split::MAX_REPORT), &mut |piece| {
                nth += 1;
                let report = piece.map_err(str::to_owned);
                if let Err(reason) = report.and_then(|bytes| self.report(bytes)) {
                    self.skip(path, format!("report {nth}: {reason}"));
                }
            })
        });
        match end {
            Err(error) => self.skip(path, format!("cannot be read to its end: {error}")),
            Ok(()) if nth == 0 => self.skip(path, "contains no report".to_owned()),
            Ok(()) => {}
        }
    }

    /// Lists an input as skipped.
    pub fn skip(&mut self, path: &str, reason: String) {
        self.skipped_in_all += 1;
        if self.skipped.len() < MAX_LISTED {
            let path = path.to_owned();
            self.skipped.push(Skipped::new(path, SkipKind::Broken, reason));
        }
    }

    /// Returns the merged report; `expected` are the names of the nodes that should have a report.
    pub fn finish(self, expected: &[String]) -> MergeReport {
        let mut report = self.inventory.report(expected);
        report.skipped = self.skipped;
        report.summary.reports = self.reports;
        report.summary.skipped = self.skipped_in_all;
        report
    }

    fn report(&mut self, bytes: &[u8]) -> Result<(), String> {
        let document = source::parse(bytes)?;
        self.reports += 1;
        let made = document.summary.at.as_deref().and_then(stamp::rfc3339);
        let latest = self.now.and_then(|now| now.checked_add(MAX_AHEAD).ok());
        let is_ahead = |at: &Timestamp| latest.is_some_and(|latest| *at > latest);
        let ahead = made.filter(is_ahead);
        self.inventory.add(document, made.filter(|_| ahead.is_none()));
        ahead.map_or(Ok(()), |at| {
            Err(format!(
                "its time {at} is in the future and is not used: set the clock of its node"
            ))
        })
    }
}

/// Parses a list of nodes: a name per line, with an optional prefix `node/`, or the table that
/// `kubectl get nodes` prints; `#` begins a comment. A name that is repeated counts once; a line
/// that does not begin with a name, and a list without names, are errors.
pub(crate) fn node_names(text: &str) -> Result<Vec<String>, Error> {
    let mut names = IndexSet::new();
    for (line, nth) in text.trim_start_matches('\u{feff}').lines().zip(1..) {
        let mut words = line.split('#').next().unwrap_or(line).split_whitespace();
        let Some(first) = words.next() else {
            continue;
        };
        let is_head_of_table = first == "NAME" && words.next().is_some();
        if is_head_of_table {
            continue;
        }
        let name = last_part(first);
        if !is_node_name(name) {
            let message = format!("line {nth}: `{first}` is not the name of a node");
            return Err(Error::new(ErrorKind::Input, message));
        }
        names.insert(name.to_owned());
    }
    if names.is_empty() {
        let message = "names no nodes, so that none would be silent";
        return Err(Error::new(ErrorKind::Input, message));
    }
    Ok(names.into_iter().collect())
}

/// Returns true if Kubernetes could accept the name: a DNS subdomain. Names of other machines may
/// also have capital letters and underscores.
fn is_node_name(name: &str) -> bool {
    let is_permitted = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    !name.is_empty() && name.chars().all(is_permitted)
}

#[cfg(test)]
mod tests;

//! The JSON reports of many nodes, made one: which plugins there are, on how many nodes, with which verdicts.
//!
//! Reports are read one at a time, whatever their number: memory grows with the number of distinct plugins, up to a
//! limit, and not with that of reports. One report stands for one node.
//!
//! ```
//! use nri_compat::merge::Merge;
//!
//! let node = r#"{"schema":1,"targets":[],"subjects":[{"path":"/opt/nri/plugins/10-logger","role":"plugin","name":"logger","index":"10",
//!     "nri":{"version":"v0.11.0"},"events":[],"verdicts":[{"target":"nri@0.12.5","verdict":"deprecated"}]}]}"#;
//! let mut merge = Merge::default();
//! merge.read("nodes.jsonl", &mut format!("{node}\n{node}\n").as_bytes());
//! let report = merge.finish();
//! assert_eq!((report.reports, report.plugins[0].nodes), (2, 2));
//! ```

mod add;
mod document;
mod split;

use std::io::Read;

use crate::report::check::{SkipKind, Skipped};
use crate::report::merge::MergeReport;
use add::Added;
use split::{Piece, Splitter};

/// Reports that were skipped and are listed; of more, only the number.
const LISTED: usize = 1000;

/// Reports being merged.
#[derive(Debug, Default)]
pub struct Merge {
    added: Added,
    reports: u64,
    skipped: Vec<Skipped>,
    skipped_in_all: u64,
}

impl Merge {
    /// Reads all reports out of `input`, which is shown as `path`: one report, one a line, one after the other, an
    /// array of them; also as a log collector wraps lines. What is no report is skipped, and said.
    pub fn read(&mut self, path: &str, input: &mut dyn Read) {
        let mut nth = 0;
        let end = Splitter::new(input).each(|piece| {
            nth += 1;
            if let Err(reason) = self.piece(piece) {
                self.skip(path, format!("report {nth}: {reason}"));
            }
        });
        match end {
            Err(error) => self.skip(path, format!("cannot be read to its end: {error}")),
            Ok(()) if nth == 0 => self.skip(path, "no report in it".to_owned()),
            Ok(()) => {}
        }
    }

    /// Something that cannot be read.
    pub fn skip(&mut self, path: &str, reason: String) {
        self.skipped_in_all += 1;
        if self.skipped.len() < LISTED {
            let path = path.to_owned();
            self.skipped
                .push(Skipped::new(path, SkipKind::Broken, reason));
        }
    }

    /// What they add up to.
    pub fn finish(self) -> MergeReport {
        MergeReport {
            reports: self.reports,
            beyond: self.added.beyond(),
            plugins: self.added.plugins(),
            skipped: self.skipped,
            skipped_in_all: self.skipped_in_all,
        }
    }

    fn piece(&mut self, piece: Piece<'_>) -> Result<(), String> {
        let bytes = match piece {
            Piece::Whole(bytes) => bytes,
            Piece::Broken(reason) => return Err(reason.to_owned()),
        };
        let Self { added, reports, .. } = self;
        document::parse(bytes, |document, time| {
            *reports += 1;
            added.add(*reports, document, time);
        })
    }
}

#[cfg(test)]
mod tests;

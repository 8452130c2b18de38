//! Tables of hostile inputs: each row is a file created from scratch, and the answer that `check`
//! must give.
//!
//! A test file `tests/hostile_*.rs` creates rows and passes them to [`check`]. To test a new class
//! of inputs, or a new member, add a row.

pub mod elf;

use std::sync::LazyLock;

use nri_compat::check::content::{File, HEAD};
use nri_compat::check::evidence::READERS;
use nri_compat::check::target::Target;
use nri_compat::check::verdict::judge;
use nri_compat::report::check::{Outcome, Verdict};
use nri_compat::sighting::Sighting;
use nri_schema::history::History;

/// Compiled once: the tests look at thousands of files.
static HISTORY: LazyLock<History> =
    LazyLock::new(|| History::embedded().expect("the tables fit together"));

/// A hostile input.
pub struct HostileRow {
    /// The class of the input, and its name within the class.
    pub member: String,
    /// Name of the file.
    pub file: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
    /// The answer that it must get.
    pub answer: ExpectedAnswer,
}

/// An answer of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedAnswer {
    /// A verdict, and words of its reason or evidence.
    Is(Outcome, &'static str),
    /// No verdict: it is not a plugin.
    NoPlugin,
    /// It is listed as skipped.
    Skipped,
}

/// The results of the readers for a file, checked against the newest release of NRI.
#[derive(Debug)]
pub struct JudgedFile {
    /// The sightings.
    pub seen: Vec<Sighting>,
    /// The verdicts on it.
    pub verdicts: Vec<Verdict>,
    /// True if a reader gave up.
    pub skipped: bool,
}

/// Reads a file in the same way as `check`.
///
/// # Panics
///
/// Panics if the built-in tables are broken.
#[must_use]
pub fn judged(file: &str, bytes: &[u8]) -> JudgedFile {
    let target = Target::newest(&HISTORY).expect("there is a release");
    let file = File {
        place: file.into(),
        name: file.to_owned(),
        head: bytes[..bytes.len().min(HEAD)].to_vec().into(),
        content: &bytes,
        disk: None,
    };
    let readers = READERS.iter().filter(|reader| reader.recognises(&file));
    let answers: Vec<_> = readers.map(|reader| reader.read(&file)).collect();
    let skipped = answers.iter().any(Result::is_err);
    let seen: Vec<Sighting> = answers.into_iter().flatten().flatten().collect();
    let verdicts = seen.iter().filter_map(|seen| judge(seen, &target));
    JudgedFile { verdicts: verdicts.collect(), seen, skipped }
}

impl JudgedFile {
    /// Returns true if it requires action, or may require it.
    #[must_use]
    pub fn warns(&self) -> bool {
        self.skipped || self.verdicts.iter().any(|verdict| verdict.outcome != Outcome::Ok)
    }

    fn is(&self, answer: ExpectedAnswer) -> bool {
        match answer {
            ExpectedAnswer::Skipped => self.skipped && self.seen.is_empty(),
            ExpectedAnswer::NoPlugin => !self.skipped && self.verdicts.is_empty(),
            ExpectedAnswer::Is(outcome, words) => {
                let verdicts = self.verdicts.iter();
                let all = verdicts.clone().all(|verdict| verdict.outcome == outcome);
                let reasons = verdicts.map(|verdict| &*verdict.reason);
                let evidence = self.seen.iter().flat_map(|seen| &seen.evidence);
                let mut texts = reasons.chain(evidence.map(|evidence| evidence.detail.as_str()));
                all && !self.verdicts.is_empty() && texts.any(|text| text.contains(words))
            }
        }
    }
}

/// Compares each row with its answer.
///
/// # Panics
///
/// Panics if a row gets another answer; the message lists all of these.
pub fn check(rows: &[HostileRow]) {
    let mut wrong = Vec::new();
    for row in rows {
        let found = judged(row.file, &row.bytes);
        if !found.is(row.answer) {
            wrong.push(format!("{}: expected {:?}, found {found:#?}", row.member, row.answer));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

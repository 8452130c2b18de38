//! The contract as data: one file per statement in `contract/`.
//!
//! To add a statement, write `contract/ID.toml`; the build script finds it. Ids are permanent.
//!
//! ```
//! let statement = nri_conformance::contract::get("P7").expect("a statement about StopPodSandbox");
//! assert!(statement.text.contains("more than once"));
//! ```

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::names::names;

/// One statement of the contract.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The permanent id, such as `P7`.
    pub id: String,
    /// The statement, in one or two sentences.
    pub text: String,
    /// The source and strength of the statement.
    pub status: Status,
    /// The parties that must keep it; never empty.
    pub kept_by: Vec<Keeper>,
    /// The first NRI release that it applies to, such as `v0.2.0`.
    pub since: String,
    /// A link to its source.
    pub source: String,
    /// Links to further sources and to reports of violations.
    #[serde(default)]
    pub see_also: Vec<String>,
    /// The consequence of a violation.
    pub cost: String,
    /// The id of the statement that this one repeats; a test of one is a test of both.
    pub same_as: Option<String>,
    /// The ids of related statements.
    #[serde(default)]
    pub related: Vec<String>,
    /// A restriction of the statement, or an open question.
    pub note: Option<String>,
}

names! {
    /// The source and strength of a statement.
    #[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
    pub enum Status {
        /// Normative in the draft specification.
        Normative = "normative",
        /// Asserted only by the conformance tests for runtimes, critest.
        Critest = "critest",
        /// Ambiguous, or still under discussion. A violation alone never fails a run.
        Ambiguous = "ambiguous",
        /// A policy of this project where the sources say nothing.
        Policy = "policy",
        /// A fact of the protocol as released.
        Protocol = "protocol",
        /// About input that no runtime sends. Tested only on request, and a violation alone never
        /// fails a run.
        Robustness = "robustness",
    }
}

names! {
    /// A party to the contract.
    #[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
    pub enum Keeper {
        /// The plugin.
        Plugin = "plugin",
        /// The container runtime.
        Runtime = "runtime",
        /// The part of the runtime that relays events to plugins, such as `nri-adaptation`.
        Relay = "relay",
    }
}

/// A part of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The letter that the ids of its statements start with.
    pub letter: char,
    /// The heading.
    pub title: &'static str,
}

impl Statement {
    /// Returns the part of the contract that the statement belongs to.
    pub fn part(&self) -> Part {
        // Cannot fail: a test asserts that every id has a position.
        let (part, _) = position(&self.id).unwrap_or_default();
        Part::ALL[part]
    }

    /// Returns true if a violation fails a run: the statement is not ambiguous, and about input
    /// that runtimes send.
    pub fn is_firm(&self) -> bool {
        match self.status {
            Status::Normative | Status::Critest | Status::Policy | Status::Protocol => true,
            Status::Ambiguous | Status::Robustness => false,
        }
    }
}

impl Status {
    /// Returns the meaning in a phrase.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Normative => "normative in the draft specification of the pod lifecycle",
            Self::Critest => "asserted by critest, the conformance tests for runtimes",
            Self::Ambiguous => "ambiguous or still under discussion; never fails a run",
            Self::Policy => "good practice where the sources say nothing",
            Self::Protocol => "a property of the protocol as released",
            Self::Robustness => {
                "about input that no runtime sends; tested only if it is named, and never fails a run"
            }
        }
    }
}

impl Part {
    /// Every part, in the order of the contract.
    pub const ALL: &'static [Self] = &[
        Self::new('R', "the pod at RunPodSandbox"),
        Self::new('S', "the pod at StopPodSandbox"),
        Self::new('D', "the pod at RemovePodSandbox"),
        Self::new('O', "the order of events"),
        Self::new('E', "errors of plugins"),
        Self::new('C', "containers, and repeated requests"),
        Self::new('P', "hooks"),
        Self::new('Y', "synchronization"),
        Self::new('W', "duties of a plugin on the wire"),
    ];

    const fn new(letter: char, title: &'static str) -> Self {
        Part { letter, title }
    }
}

/// Returns every statement, in the order of the contract.
pub fn all() -> &'static [Statement] {
    &STATEMENTS
}

/// Returns the statement with this id.
pub fn get(id: &str) -> Option<&'static Statement> {
    all().iter().find(|statement| statement.id == id)
}

/// Returns the id of every statement, in the order of the contract, without parsing the statements.
pub fn ids() -> impl Iterator<Item = &'static str> {
    ORDERED.iter().map(|(id, _)| *id)
}

static STATEMENTS: LazyLock<Vec<Statement>> = LazyLock::new(|| {
    // Cannot fail: a test parses every file.
    ORDERED.iter().filter_map(|(_, text)| toml::from_str(text).ok()).collect()
});

/// The id and the text of each file, in the order of the contract.
static ORDERED: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let mut files = FILES.to_vec();
    files.sort_by_key(|(id, _)| position(id));
    files
});

/// Returns the position of an id in the contract: that of its part, then its number. A test asserts
/// that every id has one.
fn position(id: &str) -> Option<(usize, u32)> {
    let (letter, number) = id.split_at_checked(1)?;
    let part = Part::ALL.iter().position(|part| letter.starts_with(part.letter))?;
    Some((part, number.parse().ok()?))
}

// The id and the text of each file, in `FILES`.
include!(concat!(env!("OUT_DIR"), "/contract.rs"));

#[cfg(test)]
mod tests;

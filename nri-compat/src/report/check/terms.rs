//! The terms of a check report, the same in every format, and values derived from verdicts.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use serde::Serialize;

use super::{CheckReport, Confidence, Outcome, Subject, SuppressedBy, Suppression, Verdict};
use crate::names::names;
use crate::report::finding::Level;
use crate::sighting::{FileKind, Role};

names! {
    Outcome {
        Ok = "ok",
        Unknown = "unknown",
        Deprecated = "deprecated",
        Removed = "removed",
        Incompatible = "incompatible",
    }
    Confidence {
        Low = "low",
        Medium = "medium",
        High = "high",
    }
    SuppressedBy {
        Baseline = "baseline",
        Policy = "policy",
    }
    Role {
        Plugin = "plugin",
        Runtime = "runtime",
        Library = "library",
        None = "none",
    }
    FileKind {
        GoBinary = "go_binary",
        RustBinary = "rust_binary",
        WasmModule = "wasm_module",
        OneShotConfig = "one_shot_config",
        GoMod = "go_mod",
        GoSum = "go_sum",
        GoVendor = "go_vendor",
        GoSource = "go_source",
        CargoLock = "cargo_lock",
        Log = "log",
        DeprecationList = "deprecation_list",
        Manifest = "manifest",
        RuntimeConfig = "runtime_config",
        Other = "other",
    }
}

impl Verdict {
    /// Returns the level that the policy sets, or else the level of the outcome: an error if the
    /// plugin breaks, a warning if it will break, and a note otherwise.
    pub fn level(&self) -> Level {
        self.level.unwrap_or(match self.outcome {
            Outcome::Ok | Outcome::Unknown => Level::Note,
            Outcome::Deprecated => Level::Warning,
            Outcome::Removed | Outcome::Incompatible => Level::Error,
        })
    }

    /// Returns the dates and confidence: `since v0.12.0; planned removal: containerd 2.7;
    /// confidence: high`.
    pub fn facts(&self) -> String {
        let since = self.since.as_ref().map(|since| format!("since {since}"));
        let removal =
            self.planned_removal.as_ref().map(|removal| format!("planned removal: {removal}"));
        let confidence = Some(format!("confidence: {}", self.confidence.as_str()));
        let facts: Vec<String> = [since, removal, confidence].into_iter().flatten().collect();
        facts.join("; ")
    }
}

impl Suppression {
    /// Returns `suppressed by the baseline`, with the reason if there is one.
    pub fn phrase(&self) -> String {
        let by = self.by.as_str();
        match self.reason.as_str() {
            "" => format!("suppressed by the {by}"),
            reason => format!("suppressed by the {by}: {reason}"),
        }
    }
}

impl Subject {
    /// Returns the index and name in the form that runtimes use (`10-logger`), the name alone, or
    /// the last part of the path.
    pub fn label(&self) -> String {
        match (&self.index, &self.name) {
            (Some(index), Some(name)) => format!("{index}-{name}"),
            (None, Some(name)) => name.clone(),
            (_, None) => self.place.name().to_owned(),
        }
    }

    /// Returns the verdicts, each with the targets for which it is the same: the worst first,
    /// otherwise in the order of the targets.
    pub fn alike(&self) -> Vec<(&Verdict, Vec<&str>)> {
        let mut groups: Vec<(&Verdict, Vec<&str>)> = Vec::new();
        for verdict in &self.verdicts {
            let under = |target: &str| Verdict { target: target.to_owned(), ..verdict.clone() };
            match groups.iter_mut().find(|(first, _)| **first == under(&first.target)) {
                Some((_, targets)) => targets.push(&verdict.target),
                None => groups.push((verdict, vec![&verdict.target])),
            }
        }
        groups.sort_by_key(|(verdict, _)| std::cmp::Reverse(verdict.outcome));
        groups
    }
}

impl CheckReport {
    /// Returns every verdict with its subject, in the order of the report.
    pub fn verdicts(&self) -> impl Iterator<Item = (&Subject, &Verdict)> + Clone {
        self.subjects
            .iter()
            .flat_map(|subject| subject.verdicts.iter().map(move |verdict| (subject, verdict)))
    }

    /// Counts the verdicts in the summary.
    pub fn count(&mut self) {
        self.summary.verdicts = self.counts(None);
    }

    /// Returns the number of verdicts under a target, or under all of them.
    pub fn counts(&self, target: Option<&str>) -> VerdictCounts {
        let mut counts = VerdictCounts::default();
        let verdicts = self.verdicts().map(|(_, verdict)| verdict);
        for verdict in verdicts.filter(|one| target.is_none_or(|target| one.target == target)) {
            match verdict.suppressed {
                Some(_) => counts.suppressed += 1,
                None => *counts.of(verdict.outcome) += 1,
            }
        }
        counts
    }
}

/// The number of verdicts that count, by outcome, and of those that do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerdictCounts {
    /// Verdicts `ok`.
    pub ok: usize,
    /// Verdicts `unknown`.
    pub unknown: usize,
    /// Verdicts `deprecated`.
    pub deprecated: usize,
    /// Verdicts `removed`.
    pub removed: usize,
    /// Verdicts `incompatible`.
    pub incompatible: usize,
    /// Verdicts that the policy or the baseline suppresses.
    pub suppressed: usize,
}

impl VerdictCounts {
    /// Returns the number of verdicts with this outcome that count.
    pub(in crate::report) fn of(&mut self, outcome: Outcome) -> &mut usize {
        match outcome {
            Outcome::Ok => &mut self.ok,
            Outcome::Unknown => &mut self.unknown,
            Outcome::Deprecated => &mut self.deprecated,
            Outcome::Removed => &mut self.removed,
            Outcome::Incompatible => &mut self.incompatible,
        }
    }
}

/// The distinct texts and lists of verdicts so far. Reports have tens of thousands of verdicts, but
/// few distinct reasons.
#[derive(Default)]
pub(crate) struct Pool {
    texts: HashSet<Arc<str>>,
    lists: HashSet<Arc<[String]>>,
}

impl Pool {
    /// Replaces the text with an equal one from the pool, if there is one; otherwise adds it.
    pub(crate) fn text(&mut self, text: &mut Arc<str>) {
        share(&mut self.texts, text);
    }

    /// Replaces the list with an equal one from the pool, if there is one; otherwise adds it.
    pub(crate) fn list(&mut self, list: &mut Arc<[String]>) {
        share(&mut self.lists, list);
    }
}

fn share<T: ?Sized + Eq + Hash>(known: &mut HashSet<Arc<T>>, value: &mut Arc<T>) {
    match known.get(value) {
        Some(equal) => *value = Arc::clone(equal),
        None => {
            known.insert(Arc::clone(value));
        }
    }
}

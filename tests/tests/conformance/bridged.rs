//! Conformance through `nri-bridge`: a plugin has the same results behind it as without it, except
//! for what `snapshots/conformance/bridge.toml` lists with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nri_conformance::result::{Outcome, Report};
use nri_tests::behind_bridge::BehindBridge;
use serde::Deserialize;

/// The statement about memory and time over many events, which is measured for the bridge on its
/// own: `nri-bridge/benches`.
pub(crate) const MEASURED: &str = "W17";

/// The results that may differ.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BridgeReasons {
    difference: Vec<DifferenceReason>,
    /// The indices of those that have been found.
    #[serde(skip)]
    found: Mutex<BTreeSet<usize>>,
}

/// Results that differ for a reason, under some revision.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DifferenceReason {
    statement: String,
    test: String,
    without: String,
    behind: String,
    reason: String,
}

/// A test with different results.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Differing {
    statement: &'static str,
    test: &'static str,
    without: &'static str,
    behind: &'static str,
    /// The behaviour of the plugin behind the bridge, or else without it.
    detail: String,
}

impl fmt::Display for Differing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { statement, test, without, behind, detail } = self;
        write!(f, "{statement} {test}: {without} without the bridge, {behind} behind it: {detail}")
    }
}

/// Returns a plugin behind the bridge.
pub(crate) fn behind(plugin: &Path, arguments: &[String]) -> BehindBridge {
    BehindBridge::new(Path::new(env!("CARGO_BIN_EXE_bridge")), plugin, arguments)
}

impl BridgeReasons {
    pub(crate) fn read() -> Self {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/conformance/bridge.toml");
        let text = std::fs::read_to_string(path).expect("it is readable");
        let accepted: Self = toml::from_str(&text).expect("it is valid");
        assert!(accepted.difference.iter().all(|it| !it.reason.is_empty()));
        accepted
    }

    /// Returns the results that differ without a reason. Statements in `unsteady` may have any
    /// result.
    pub(crate) fn differences(
        &self,
        without: &Report,
        behind: &Report,
        unsteady: &[&str],
    ) -> Vec<String> {
        // A test that is skipped names the statement that the plugin broke meanwhile.
        let is_unsteady = |it: &Differing| {
            unsteady
                .iter()
                .any(|id| it.statement == *id || it.detail.ends_with(&format!("see {id}")))
        };
        differing(without, behind)
            .iter()
            .filter(|it| it.statement != MEASURED && !is_unsteady(it) && !self.has(it))
            .map(|it| it.to_string())
            .collect()
    }

    fn has(&self, found: &Differing) -> bool {
        let found = (found.statement, found.test, found.without, found.behind);
        let index = self
            .difference
            .iter()
            .position(|it| (&*it.statement, &*it.test, &*it.without, &*it.behind) == found);
        index.is_some_and(|index| {
            self.found().insert(index);
            true
        })
    }

    /// Returns the tests of differences that were not found.
    pub(crate) fn unused(&self) -> Vec<&str> {
        let found = self.found();
        self.difference
            .iter()
            .enumerate()
            .filter(|(index, _)| !found.contains(index))
            .map(|(_, it)| &*it.test)
            .collect()
    }

    fn found(&self) -> MutexGuard<'_, BTreeSet<usize>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn differing(without: &Report, behind: &Report) -> BTreeSet<Differing> {
    let (without, behind) = (by_test(without), by_test(behind));
    let tests: BTreeSet<_> = without.keys().chain(behind.keys()).collect();
    let differing = tests.into_iter().filter_map(|test| {
        let none = || ("missing", None);
        let (one, _) = without.get(test).map_or_else(none, described);
        let (other, detail) = behind.get(test).map_or_else(none, described);
        let (statement, name, _) = *test;
        let detail = detail.or_else(|| described(without.get(test)?).1).unwrap_or_default();
        (one != other).then_some(Differing {
            statement,
            test: name,
            without: one,
            behind: other,
            detail,
        })
    });
    differing.collect()
}

/// The statement and name of a test, and the revision it ran under.
type Key<'r> = (&'static str, &'static str, Option<&'r str>);

fn by_test(report: &Report) -> BTreeMap<Key<'_>, &Outcome> {
    report
        .results
        .iter()
        .map(|it| ((it.statement, it.test, it.revision.as_deref()), &it.outcome))
        .collect()
}

fn described(outcome: &&Outcome) -> (&'static str, Option<String>) {
    match outcome {
        Outcome::Pass => ("pass", None),
        Outcome::Fail(failure) => ("fail", Some(failure.to_string())),
        Outcome::Skip(reason) => ("skip", Some(reason.clone())),
        Outcome::Known { failure, .. } => ("known", Some(failure.to_string())),
    }
}

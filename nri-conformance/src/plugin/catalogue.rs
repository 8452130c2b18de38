//! Every test of plugins: one line per test.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use nri::adaptation::{Revision, Via};
use nri::api::Event;

use super::bench::Bench;
use super::tests::{
    answers, configuration, cutting, ending, events, leaks, lifecycle, load, misbehaving,
    registration, synchronize, tolerance,
};
use super::verdict::Judged;

/// The revisions under which a test runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every revision.
    Each,
    /// The newest revision without dedicated RPCs for all events, and the newest revision.
    BothWays,
    /// The newest revision, because the revision does not matter.
    Newest,
}

impl Scope {
    pub(crate) fn revisions(self) -> Vec<Revision> {
        let all = nri_protos::REVISIONS.iter();
        let all: Vec<_> = all
            .filter_map(|revision| Revision::of(revision.name).ok())
            .collect();
        let newest = all.last().cloned();
        match self {
            Self::Each => all,
            Self::BothWays => {
                let changes = |revision: &Revision| {
                    revision.carrier(Event::RunPodSandbox) == Some(Via::StateChange)
                };
                let older = all.into_iter().rfind(changes);
                older.into_iter().chain(newest).collect()
            }
            Self::Newest => newest.into_iter().collect(),
        }
    }
}

type Running = Pin<Box<dyn Future<Output = Judged> + Send>>;

/// A test.
pub(crate) struct Test {
    /// The statements that it tests; several if they have the same meaning.
    pub(crate) statements: &'static [&'static str],
    pub(crate) name: &'static str,
    pub(crate) scope: Scope,
    pub(crate) run: fn(Arc<Bench>, Revision) -> Running,
}

impl std::fmt::Debug for Test {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Test")
            .field("statements", &self.statements)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The description of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestInfo {
    /// The ids of the statements that it tests; several if they have the same meaning.
    pub statements: &'static [&'static str],
    /// The name of the test.
    pub name: &'static str,
}

/// Returns every test of plugins, in the order in which they run.
pub fn tests() -> impl Iterator<Item = TestInfo> {
    TESTS.iter().map(|test| TestInfo {
        statements: test.statements,
        name: test.name,
    })
}

macro_rules! tests {
    ($([$($statement:literal),+] $name:literal $scope:ident $function:path;)*) => {
        /// Every test.
        pub(crate) static TESTS: &[Test] = &[$(Test {
            statements: &[$($statement),+],
            name: $name,
            scope: Scope::$scope,
            run: |bench, revision| Box::pin(async move { $function(&bench, &revision).await }),
        }),*];
    };
}

tests! {
    ["W1"] "registers" Each registration::registers;
    ["W1"] "waits-for-a-slow-runtime" Newest registration::waits;
    ["P6"] "answers-configure" Each configuration::answers;
    ["W2"] "mask" Each configuration::mask;
    ["W12"] "configurations" BothWays configuration::variations;
    ["W4"] "each-way" Each events::each_way;
    ["W3"] "unimplemented" Newest events::unimplemented;
    ["W5"] "mixed-ways" Newest events::mixed;
    ["W6"] "unknown-events" BothWays events::unknown;
    ["W7"] "unknown-fields" BothWays tolerance::unknown_fields;
    ["W19"] "missing-parts" BothWays tolerance::missing_parts;
    ["W19"] "empty-requests" BothWays tolerance::empty_requests;
    ["P3"] "remove-in-any-order" BothWays lifecycle::any_order;
    ["P4"] "infrastructure-left-alone" Newest lifecycle::infrastructure;
    ["P7"] "stop-twice" Each lifecycle::stop_twice;
    ["P8"] "known-from-synchronize" Each lifecycle::from_synchronize;
    ["P8"] "never-seen" Each lifecycle::never_seen;
    ["P8"] "remove-twice" BothWays lifecycle::remove_twice;
    ["P9"] "failed-run-retried" Each lifecycle::retry;
    ["Y2", "W9"] "split-synchronize" Each synchronize::split;
    ["Y2", "W9"] "ten-thousand-pods" Newest synchronize::many;
    ["W8"] "large-messages" Newest cutting::large;
    ["W8"] "cut-frames" Newest cutting::cuts;
    ["P5"] "answers-in-time" BothWays load::in_time;
    ["W10"] "answers-once" BothWays load::once;
    ["W11"] "answers-in-time-under-load" BothWays load::under_load;
    ["W13"] "adjustments" Newest answers::adjustments;
    ["W14"] "updates-outside-handlers" Newest answers::updates;
    ["W14"] "failed-updates" Newest answers::failed_updates;
    ["W15"] "end-of-connection" Newest ending::connection;
    ["W15"] "backoff" Newest ending::backoff;
    ["W16"] "sigterm" Newest ending::terminated;
    ["W17"] "leaks" Newest leaks::events;
    ["W17"] "leaks-over-reconnects" Newest leaks::reconnects;
    ["W18"] "misbehaving-runtime" Newest misbehaving::survives;
}

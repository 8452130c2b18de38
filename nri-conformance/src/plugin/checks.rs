//! The tests, by subject. Each returns early with the verdict that ended it.
//!
//! A module lists its tests beside the functions that run them.

mod answers;
mod configuration;
mod cutting;
mod ending;
mod events;
mod leaks;
mod lifecycle;
mod load;
mod misbehaving;
mod registration;
mod synchronize;
mod tolerance;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use nri::api::Event;
use nri_adaptation::{Revision, Via};

use crate::plugin::bench::Bench;
use crate::plugin::verdict::Judged;

/// The tests of each module, in the order in which they run.
static CHECKS: &[&[Test]] = &[
    registration::TESTS,
    configuration::TESTS,
    events::TESTS,
    tolerance::TESTS,
    lifecycle::TESTS,
    synchronize::TESTS,
    cutting::TESTS,
    load::TESTS,
    answers::TESTS,
    ending::TESTS,
    leaks::TESTS,
    misbehaving::TESTS,
];

/// Returns every test, in the order in which they run.
pub(super) fn all() -> impl Iterator<Item = &'static Test> {
    CHECKS.iter().copied().flatten()
}

/// Returns a description of every test of plugins, in the order in which they run.
pub fn all_tests() -> impl Iterator<Item = TestInfo> {
    all().map(|test| TestInfo {
        statements: test.statements,
        name: test.name,
    })
}

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

/// Lists tests, each with its statements, its name, the revisions under which it runs, and its function.
macro_rules! tests {
    ($([$($statement:literal),+] $name:literal $scope:ident $function:ident;)*) => {
        &[$($crate::plugin::checks::Test {
            statements: &[$($statement),+],
            name: $name,
            scope: $crate::plugin::checks::Scope::$scope,
            run: |bench, revision| Box::pin(async move { $function(&bench, &revision).await }),
        }),*]
    };
}
pub(super) use tests;

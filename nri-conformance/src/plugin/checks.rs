//! The tests, by subject. Each returns early with the verdict that ended it.
//!
//! A module lists its tests beside the functions that run them.

mod answers;
mod ending;
mod events;
mod handshake;
mod lifecycle;
mod misbehaving;
mod sizes;
mod tolerance;

use std::future::Future;
use std::pin::Pin;

use nri::api::Event;
use nri_adaptation::{Revision, Via};

use crate::plugin::bench::Bench;
use crate::plugin::verdict::Judged;

/// The tests of each module, in the order in which they run.
static CHECKS: &[&[Test]] = &[
    handshake::TESTS,
    events::TESTS,
    tolerance::TESTS,
    lifecycle::TESTS,
    sizes::TESTS,
    answers::TESTS,
    ending::TESTS,
    misbehaving::TESTS,
];

/// Returns every test of plugins, in the order in which they run.
pub fn all_tests() -> impl Iterator<Item = &'static Test> {
    CHECKS.iter().copied().flatten()
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
        let all: Vec<_> = nri_protos::REVISIONS
            .iter()
            .filter_map(|revision| Revision::of(revision.name).ok())
            .collect();
        let newest = all.last().cloned();
        match self {
            Self::Each => all,
            Self::BothWays => {
                let older = all.into_iter().rfind(lacks_rpcs);
                older.into_iter().chain(newest).collect()
            }
            Self::Newest => newest.into_iter().collect(),
        }
    }
}

/// Returns true if the revision does not have dedicated RPCs for all events.
fn lacks_rpcs(revision: &Revision) -> bool {
    revision.carrier(Event::RunPodSandbox) == Some(Via::StateChange)
}

type Running<'a> = Pin<Box<dyn Future<Output = Judged> + Send + 'a>>;

/// A test of plugins.
#[derive(Debug)]
pub struct Test {
    /// The ids of the statements that it tests; several if they have the same meaning.
    pub statements: &'static [&'static str],
    /// The name of the test.
    pub name: &'static str,
    pub(super) scope: Scope,
    pub(super) run: for<'a> fn(&'a Bench) -> Running<'a>,
}

/// Lists tests, each with its statements, its name, the revisions under which it runs, and its
/// function.
macro_rules! tests {
    ($([$($statement:literal),+] $name:literal $scope:ident $function:ident;)*) => {
        &[$($crate::plugin::checks::Test {
            statements: &[$($statement),+],
            name: $name,
            scope: $crate::plugin::checks::Scope::$scope,
            run: |bench| Box::pin($function(bench)),
        }),*]
    };
}
use tests;

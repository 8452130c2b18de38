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

use super::catalogue::{Test, TestInfo};

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

//! The tests of runtimes, and their outcomes.

use std::fmt;

use serde::Deserialize;

use crate::contract;
use crate::result::{Failure, Outcome, TestResult};
use crate::runtime::event::Hook;

/// A test of evidence of some kind.
#[derive(Debug)]
pub(super) struct Test<E: 'static> {
    /// The statement that it tests.
    pub(super) statement: &'static str,
    /// The name of the test, as reports show it.
    pub(super) name: &'static str,
    pub(super) judge: fn(&E) -> Ended,
}

/// The reason for which a test did not pass.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Skip(String),
    /// A violation, with the shape of what was seen if a deviation can name it.
    Fail(Failure, Option<Shape>),
}

/// The end of a test, or of a step of it.
pub(super) type Ended<T = ()> = Result<T, Stop>;

/// Lists tests, each with its statement, its name and its function, which may have more arguments.
macro_rules! tests {
    ($($statement:literal $name:literal $judge:ident $(($($argument:expr),+))?;)*) => {
        &[$($crate::runtime::judgement::Test {
            statement: $statement,
            name: $name,
            judge: |evidence| $judge(evidence $(, $($argument),+)?),
        }),*]
    };
}
pub(super) use tests;

/// The result of a test, with the shape of what was seen if a deviation can name it.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) result: TestResult,
    pub(super) shape: Option<Shape>,
}

impl Judged {
    /// Records the end of a test. The failure of an ambiguous statement is a skip, because it never fails a run.
    pub(super) fn new(statement: &'static str, test: &'static str, ended: Ended) -> Judged {
        let is_firm = contract::get(statement).is_none_or(|found| found.is_firm());
        let (outcome, shape) = match ended {
            Ok(()) => (Outcome::Pass, None),
            Err(Stop::Skip(reason)) => (Outcome::Skip(reason), None),
            Err(Stop::Fail(failure, shape)) if is_firm => (Outcome::Fail(failure), shape),
            Err(Stop::Fail(failure, _)) => {
                let reason = format!("the statement is ambiguous; observed: {failure}");
                (Outcome::Skip(reason), None)
            }
        };
        Judged {
            result: TestResult {
                statement,
                test,
                revision: None,
                outcome,
            },
            shape,
        }
    }
}

/// Judges evidence by the selected tests, or skips them for the reason for which there is none.
pub(super) fn judged<E>(
    tests: &[Test<E>],
    selects: impl Fn(&str) -> bool,
    evidence: Result<&E, &str>,
) -> Vec<Judged> {
    let selected = tests.iter().filter(|test| selects(test.statement));
    let judged = selected.map(|test| {
        let ended = evidence.map_or_else(skip, test.judge);
        Judged::new(test.statement, test.name, ended)
    });
    judged.collect()
}

/// Ends a test as skipped.
pub(super) fn skip<T>(reason: impl Into<String>) -> Ended<T> {
    Err(Stop::Skip(reason.into()))
}

/// Ends a test with a violation.
pub(super) fn fail<T>(
    sent: impl Into<String>,
    got: impl Into<String>,
    expected: impl Into<String>,
) -> Ended<T> {
    Err(Stop::Fail(Failure::new(sent, got, expected), None))
}

/// Returns the end of a test with the shape of the violation, if it is one.
pub(super) fn shaped<T>(ended: Ended<T>, shape: Option<Shape>) -> Ended<T> {
    ended.map_err(|stop| match stop {
        Stop::Fail(failure, _) => Stop::Fail(failure, shape),
        Stop::Skip(_) => stop,
    })
}

/// The shape of what broke a statement: how often an event arrived, and after what.
///
/// A deviation in `deviations.toml` applies to this shape only, so that it cannot hide another violation by the same test.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shape {
    /// The event that came at the wrong time.
    pub(crate) event: Hook,
    /// The number of times that the plugin received it.
    pub(crate) times: usize,
    /// The event or condition before the event, also if it is missing.
    pub(crate) after: After,
}

/// An event or condition that precedes an event.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(untagged)]
pub(crate) enum After {
    /// Another event about the same pod or container.
    Event(Hook),
    /// Something that is not an event.
    Cause(Cause),
}

/// A condition that precedes an event.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Cause {
    /// An earlier plugin answered the same event with an error.
    PluginError,
    /// The plugin was registered.
    Registration,
    /// The runtime removed the network of the pod.
    NetworkRemoval,
    /// The runtime removed namespaces of the pod other than that of the network.
    NamespaceRemoval,
    /// Nothing about the pod or container.
    Nothing,
}

impl Shape {
    /// Returns the shape of an event that arrived after another one.
    pub(super) fn after(event: Hook, times: usize, earlier: Hook) -> Shape {
        let after = After::Event(earlier);
        Shape {
            event,
            times,
            after,
        }
    }

    /// Returns the shape of an event that arrived after another one about the same pod or container, or first.
    pub(super) fn following(event: Hook, times: usize, earlier: Option<Hook>) -> Shape {
        match earlier {
            Some(earlier) => Shape::after(event, times, earlier),
            None => Shape::caused(event, times, Cause::Nothing),
        }
    }

    /// Returns the shape of an event that arrived after something that is not an event.
    pub(super) fn caused(event: Hook, times: usize, cause: Cause) -> Shape {
        let after = After::Cause(cause);
        Shape {
            event,
            times,
            after,
        }
    }
}

impl fmt::Display for Shape {
    /// Writes `StopPodSandbox 0 times after an error of an earlier plugin`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shape {
            event,
            times,
            after,
        } = self;
        match times {
            1 => write!(f, "{event} once after {after}"),
            times => write!(f, "{event} {times} times after {after}"),
        }
    }
}

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            After::Event(hook) => write!(f, "{hook}"),
            After::Cause(Cause::PluginError) => f.write_str("an error of an earlier plugin"),
            After::Cause(Cause::Registration) => f.write_str("the registration"),
            After::Cause(Cause::NetworkRemoval) => f.write_str("the removal of the network"),
            After::Cause(Cause::NamespaceRemoval) => f.write_str("the removal of namespaces"),
            After::Cause(Cause::Nothing) => f.write_str("no other event of it"),
        }
    }
}

//! The tests of runtimes, and their outcomes.

use std::fmt;

use serde::Deserialize;

use crate::contract;
use crate::runtime::event::Hook;

/// A test of a statement.
#[derive(Debug)]
pub(super) struct Test {
    /// The statement that it tests.
    pub(super) statement: &'static str,
    /// The name of the test, as reports show it.
    pub(super) name: &'static str,
    /// A description of the requests.
    pub(super) sent: &'static str,
    /// A description of the behaviour that keeps the statement.
    pub(super) expected: &'static str,
}

/// A function that judges evidence of some kind.
pub(super) type Judge<E> = fn(&E) -> Ended;

/// The reason for which a test did not pass.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    Skip(String),
    /// A description of the violation, with its shape if a deviation can name it.
    Fail(String, Option<Shape>),
}

/// The end of a test, or of a step of it.
pub(super) type Ended<T = ()> = Result<T, Stop>;

/// Lists tests, each with its statement, its name, the descriptions of what is sent and expected,
/// and its judge, if one piece of evidence is enough.
macro_rules! tests {
    ($($statement:literal $name:literal $sent:literal => $expected:literal;)*) => {
        [$($crate::runtime::judgement::Test {
            statement: $statement,
            name: $name,
            sent: $sent,
            expected: $expected,
        }),*]
    };
    ($($statement:literal $name:literal $sent:literal => $expected:literal, $judge:expr;)*) => {
        &[$(($crate::runtime::judgement::Test {
            statement: $statement,
            name: $name,
            sent: $sent,
            expected: $expected,
        }, $judge)),*]
    };
}
pub(super) use tests;

impl Test {
    /// Returns true if a violation fails a run.
    pub(super) fn is_firm(&self) -> bool {
        contract::get(self.statement).is_none_or(|found| found.is_firm())
    }
}

/// Judges all evidence by the selected tests.
pub(super) fn judged<E: fmt::Display>(
    tests: &'static [(Test, Judge<E>)],
    selects: impl Fn(&str) -> bool,
    evidence: &[E],
) -> Vec<(&'static Test, Ended)> {
    tests
        .iter()
        .filter(|(test, _)| selects(test.statement))
        .map(|(test, judge)| (test, each(evidence, *judge)))
        .collect()
}

/// Returns the first violation, else a pass, else the first reason for skipping.
pub(super) fn each<E: fmt::Display>(evidence: &[E], judge: Judge<E>) -> Ended {
    let mut best: Option<Ended> = None;
    for item in evidence {
        match judge(item) {
            Err(Stop::Fail(got, shape)) => {
                return Err(Stop::Fail(format!("{item}: {got}"), shape));
            }
            Ok(()) => best = Some(Ok(())),
            Err(Stop::Skip(reason)) => best = best.or_else(|| Some(skip(reason))),
        }
    }
    best.unwrap_or_else(|| passed(false))
}

/// Passes if there was something to judge.
pub(super) fn passed(judged: bool) -> Ended {
    if !judged {
        return skip("no event arrived that it applies to");
    }
    Ok(())
}

/// Ends a test as skipped.
pub(super) fn skip<T>(reason: impl Into<String>) -> Ended<T> {
    Err(Stop::Skip(reason.into()))
}

/// Ends a test with a violation.
pub(super) fn fail<T>(got: impl Into<String>) -> Ended<T> {
    Err(Stop::Fail(got.into(), None))
}

/// The shape of what broke a statement: how often an event arrived, and after what.
///
/// A deviation in `deviations.toml` applies to this shape only, so that it cannot hide another
/// violation by the same test.
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
#[serde(rename_all = "kebab-case")]
pub(crate) enum After {
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
    /// Another event about the same pod or container.
    #[serde(untagged)]
    Event(Hook),
}

impl Shape {
    pub(super) fn new(event: Hook, times: usize, after: impl Into<After>) -> Shape {
        Shape { event, times, after: after.into() }
    }
}

impl From<Hook> for After {
    fn from(hook: Hook) -> After {
        After::Event(hook)
    }
}

impl From<Option<Hook>> for After {
    /// Converts the earlier event about the same pod or container, if there is one.
    fn from(earlier: Option<Hook>) -> After {
        earlier.map_or(After::Nothing, After::Event)
    }
}

impl fmt::Display for Shape {
    /// Writes `StopPodSandbox 0 times after an error of an earlier plugin`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.times {
            1 => write!(f, "{} once after ", self.event)?,
            times => write!(f, "{} {times} times after ", self.event)?,
        }
        f.write_str(match self.after {
            After::Event(hook) => hook.name(),
            After::PluginError => "an error of an earlier plugin",
            After::Registration => "the registration",
            After::NetworkRemoval => "the removal of the network",
            After::NamespaceRemoval => "the removal of namespaces",
            After::Nothing => "no other event of it",
        })
    }
}

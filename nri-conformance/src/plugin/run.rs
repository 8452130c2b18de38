//! A run: every selected test, one after the other.

use std::time::Duration;

use nri_adaptation::Revision;
use tokio::time::timeout;

use super::bench::{Bench, Options};
use super::checks::{Scope, Test, all_tests};
use super::verdict::{Breach, Verdict, answered_twice};
use crate::blocking;
use crate::contract::{self, Keeper};
use crate::error::{Error, Result};
use crate::result::{Failure, Outcome, Report, Subject as Described, TestResult};
use crate::session::Trace;
use crate::subject::Subject;

/// The time limit of a test that is not a soak test, in addition to the limits of its steps.
const LIMIT: Duration = Duration::from_secs(60);

/// The time limit of the soak test.
const SOAK_LIMIT: Duration = Duration::from_secs(1800);

/// A function that is called when a test begins.
type Progress = Box<dyn Fn(usize, usize, &Test) + Send + Sync>;

/// A run of the tests of a plugin.
pub struct Run {
    subject: Subject,
    options: Options,
    progress: Option<Progress>,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("subject", &self.subject)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Run {
    /// Creates a run with the default settings.
    pub fn new(subject: Subject) -> Self {
        Run { subject, options: Options::default(), progress: None }
    }

    /// Replaces all settings.
    #[must_use]
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// Calls a function when a test begins, with the number of tests that have ended, the number of
    /// all tests, and the test.
    #[doc(hidden)]
    #[must_use]
    pub fn progress(
        mut self,
        begins: impl Fn(usize, usize, &Test) + Send + Sync + 'static,
    ) -> Self {
        self.progress = Some(Box::new(begins));
        self
    }

    /// Tests only these statements.
    #[must_use]
    pub fn only<S: Into<String>>(mut self, statements: impl IntoIterator<Item = S>) -> Self {
        self.options.only = statements.into_iter().map(Into::into).collect();
        self
    }

    /// Skips these statements.
    #[must_use]
    pub fn skip<S: Into<String>>(mut self, statements: impl IntoIterator<Item = S>) -> Self {
        self.options.skip = statements.into_iter().map(Into::into).collect();
        self
    }

    /// Tests only under these revisions of the protocol, such as `v0.11.0`.
    #[must_use]
    pub fn revisions<S: Into<String>>(mut self, revisions: impl IntoIterator<Item = S>) -> Self {
        self.options.revisions = revisions.into_iter().map(Into::into).collect();
        self
    }

    /// Runs the tests.
    ///
    /// # Errors
    ///
    /// Returns an error if the plugin cannot be started, or an option names an unknown statement or
    /// revision.
    pub async fn run(self) -> Result<Report> {
        check(&self.options)?;
        // Also determines whether it can be started at all.
        drop(self.subject.start().await?);
        let mut bench = Bench::new(self.subject, self.options);
        let subject = describe(&bench).await;
        let planned = plan(&bench.options);
        let mut results = Vec::with_capacity(planned.len());
        let mut breaches = Vec::new();
        let all = planned.len();
        for (number, (test, revision)) in planned.into_iter().enumerate() {
            if let Some(begins) = &self.progress {
                begins(number, all, test);
            }
            let shown = (test.scope != Scope::Newest).then(|| revision.release().to_owned());
            bench.revision = revision;
            let (outcome, found) = one(&bench, test).await;
            let traces = bench.take_traces();
            trace(&bench, test, &outcome, &traces)?;
            // The reaction of a plugin to input that no runtime sends says nothing about other
            // statements.
            let is_firm = |id: &&str| contract::get(id).is_some_and(|it| it.is_firm());
            if test.statements.iter().any(is_firm) {
                let twice = traces.iter().find_map(answered_twice);
                let seen = found.into_iter().chain(twice);
                breaches.extend(seen.map(|breach| TestResult {
                    statement: breach.statement,
                    test: test.name,
                    revision: shown.clone(),
                    outcome: Outcome::Fail(breach.failure),
                }));
            }
            results.extend(selected(test, &bench.options).map(|statement| TestResult {
                statement,
                test: test.name,
                revision: shown.clone(),
                outcome: outcome.clone(),
            }));
        }
        add_unseen(&mut results, breaches);
        results.extend(kept_by_others(&bench.options));
        Ok(Report { subject, results })
    }

    /// Runs the tests on a separate thread, and waits for them.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`run`](Self::run).
    ///
    /// # Panics
    ///
    /// Panics if the run panics.
    pub fn run_blocking(self) -> Result<Report> {
        let failed = |error| Err(Error::new(format!("cannot start a tokio runtime: {error}")));
        blocking::on_a_thread(self.run(), failed)
    }

    /// Runs the tests. If a statement is broken, panics with a list of all failures. Works in a
    /// `#[test]` and in a `#[tokio::test]`.
    ///
    /// # Panics
    ///
    /// Panics if a statement is broken, or if the run cannot start.
    #[track_caller]
    pub fn assert(self) {
        match self.run_blocking() {
            Ok(report) => report.assert(),
            Err(error) => panic!("{error}"),
        }
    }
}

fn check(options: &Options) -> Result<()> {
    for id in options.only.iter().chain(&options.skip) {
        if contract::get(id).is_none() {
            let message = format!("the contract has no statement {id:?}");
            return Err(Error::new(message).with_help("statements have ids such as P7 or W3"));
        }
    }
    for revision in &options.revisions {
        if nri_protos::revision(revision).is_none() {
            let known: Vec<_> = nri_protos::REVISIONS.iter().map(|it| it.name).collect();
            let message = format!("there is no protocol revision {revision:?}");
            let help = format!("the revisions are {}", known.join(", "));
            return Err(Error::new(message).with_help(help));
        }
    }
    Ok(())
}

/// Returns the tests to run, each with its revision.
fn plan(options: &Options) -> Vec<(&'static Test, Revision)> {
    let is_played = |revision: &Revision| {
        options.revisions.is_empty() || options.revisions.contains(revision.release())
    };
    let tests = all_tests().filter(|test| selected(test, options).next().is_some());
    let plays = tests.flat_map(|test| {
        let mut revisions = test.scope.revisions();
        revisions.retain(|revision| test.scope == Scope::Newest || is_played(revision));
        revisions.into_iter().map(move |revision| (test, revision))
    });
    plays.collect()
}

fn selected<'a>(test: &'a Test, options: &'a Options) -> impl Iterator<Item = &'static str> + 'a {
    test.statements.iter().copied().filter(|statement| options.selects(statement))
}

/// Adds the violations of statements whose own tests saw none. What a test sees counts, whichever
/// statement it tests.
fn add_unseen(results: &mut Vec<TestResult>, breaches: Vec<TestResult>) {
    for breach in breaches {
        let is_seen = results.iter().any(|result| {
            let is_broken = matches!(result.outcome, Outcome::Fail(_) | Outcome::Known { .. });
            is_broken && result.statement == breach.statement
        });
        if !is_seen {
            results.push(breach);
        }
    }
}

/// Runs a test. Also returns the violation of another statement that blocks the test.
async fn one(bench: &Bench, test: &Test) -> (Outcome, Option<Breach>) {
    let limit = bench.options.soak_or(SOAK_LIMIT, LIMIT);
    // Dropping the future of a test ends its plugin.
    match timeout(limit, (test.run)(bench)).await {
        Ok(Ok(())) => (Outcome::Pass, None),
        Ok(Err(Verdict::Blocked(breach))) => (Outcome::Skip(breach.reason()), Some(breach)),
        Ok(Err(Verdict::Skip(reason))) => (Outcome::Skip(reason), None),
        Ok(Err(Verdict::Fail(failure))) => (Outcome::Fail(failure), None),
        Ok(Err(Verdict::Known(failure, link))) => {
            let link = link.to_owned();
            (Outcome::Known { failure, link }, None)
        }
        Err(_) => {
            let sent = format!("the whole of the test {}", test.name);
            let got = format!("no end after {limit:?}");
            let failure = Failure::new(sent, got, "answers, or the end of the connection");
            (Outcome::Fail(failure), None)
        }
    }
}

/// Writes the wire trace of a failure.
fn trace(bench: &Bench, test: &Test, outcome: &Outcome, traces: &[Trace]) -> Result<()> {
    let failed = matches!(outcome, Outcome::Fail(_));
    let (Some(folder), true) = (&bench.options.trace, failed) else {
        return Ok(());
    };
    let statement = test.statements.first().copied().unwrap_or_default();
    let file = format!("{statement}-{}-{}.txt", test.name, bench.revision.release());
    let path = folder.join(file);
    let text: Vec<String> = traces.iter().map(Trace::to_text).collect();
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, text.join("\n")))
        .map_err(|error| Error::io("write", &path, error))
}

/// Returns a result for each statement of plugins that only a runtime or a relay can break.
fn kept_by_others(options: &Options) -> Vec<TestResult> {
    let judged = |id: &str| all_tests().any(|test| test.statements.contains(&id));
    let about_plugins = contract::all()
        .iter()
        .filter(|it| it.id.starts_with('P') || it.kept_by.contains(&Keeper::Plugin));
    about_plugins
        .filter(|it| !judged(&it.id) && options.selects(&it.id))
        .map(|it| TestResult {
            statement: &it.id,
            test: "kept-by-runtime",
            revision: None,
            outcome: Outcome::Skip(
                "kept by the runtime, which `conformance runtime` tests".to_owned(),
            ),
        })
        .collect()
}

/// Returns the identity that the plugin reports.
async fn describe(bench: &Bench) -> Described {
    let mut registration = None;
    if let Ok(mut instance) = bench.instance().await
        && let Ok(stream) = bench.connection(&mut instance).await
    {
        let session = bench.session(stream);
        registration = session.registration().await;
    }
    bench.take_traces();
    Described::plugin(registration.unwrap_or_default())
}

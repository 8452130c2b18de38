//! The tests of plugins, on our examples and on Go plugins of four NRI releases. What does not pass is in
//! `snapshots/conformance/`; each failure is explained in `explained.toml` there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use nri_conformance::plugin::Run;
use nri_conformance::result::{Outcome, Report};
use nri_conformance::session::Timeouts;
use nri_conformance::subject::{Executable, Subject};
use nri_tests::examples::example;
use nri_tests::peers::{self, NRI_RELEASES};
use nri_tests::snapshot::assert_same;
use serde::Deserialize;

/// The examples that are plugins for a node and need no configuration.
const EXAMPLES: [&str; 6] = [
    "logger",
    "template",
    "device-injector",
    "legacy",
    "ulimit-adjuster",
    "validator",
];

/// The explanations of failures that stay.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Explained {
    failure: Vec<Explanation>,
}

/// Why a plugin fails a statement.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Explanation {
    plugin: String,
    statement: String,
    reason: String,
    link: String,
}

fn run(path: &Path) -> Report {
    let subject = Subject::launched(Executable {
        path: path.to_owned(),
        ..Executable::default()
    });
    // Longer than a runtime waits: several runs share the machine.
    let timeouts = Timeouts {
        registration: Duration::from_secs(20),
        request: Duration::from_secs(10),
    };
    let run = Run::new(subject).timeouts(timeouts);
    run.run_blocking().expect("the plugin starts")
}

/// Returns what did not pass: one line per test and outcome, with the revisions that it is about.
fn summary(report: &Report) -> String {
    let mut lines: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for result in &report.results {
        let (kind, detail) = match &result.outcome {
            Outcome::Pass => continue,
            Outcome::Fail(failure) => ("fail", failure.to_string()),
            Outcome::Skip(reason) => ("skip", reason.clone()),
            Outcome::Known { failure, link } => ("known", format!("{failure}; {link}")),
        };
        let mut detail = detail;
        if let Some(revision) = &result.revision {
            detail = detail.replace(revision.as_str(), "REVISION");
        }
        let line = format!("{kind} {} {}: {detail}", result.statement, result.test);
        let revisions = lines.entry(line).or_default();
        revisions.extend(result.revision.as_deref());
    }
    lines
        .into_iter()
        .fold(String::new(), |mut text, (line, revisions)| {
            let _ = writeln!(text, "{line}");
            if !revisions.is_empty() {
                let _ = writeln!(text, "    under {}", revisions.join(", "));
            }
            text
        })
}

#[test]
fn go_plugins_fail_only_what_is_explained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/conformance");
    let text = std::fs::read_to_string(folder.join("explained.toml")).expect("is readable");
    let explained: Explained = toml::from_str(&text).expect("is valid");
    // Built one after the other, run at once: they wait most of the time.
    let plugins = NRI_RELEASES.map(|release| (release, peers::plugin(release)));
    let reports: Vec<(String, Report)> = thread::scope(|scope| {
        let running = plugins
            .map(|(release, path)| scope.spawn(move || (format!("go-{release}"), run(&path))));
        running.map(|it| it.join().expect("no panic")).into()
    });
    for (name, report) in &reports {
        assert_same(&format!("conformance/{name}.txt"), &summary(report));
        for (result, failure) in report.failures() {
            let explanation = explained
                .failure
                .iter()
                .find(|it| it.plugin == *name && it.statement == result.statement);
            let explanation = explanation.unwrap_or_else(|| {
                panic!(
                    "{name} fails {} without explanation: {failure}",
                    result.statement
                )
            });
            assert!(explanation.link.starts_with("https://") && !explanation.reason.is_empty());
        }
    }
    for it in &explained.failure {
        let report = reports.iter().find(|(name, _)| *name == it.plugin);
        let fails = report.is_some_and(|(_, report)| {
            report
                .failures()
                .any(|(result, _)| result.statement == it.statement)
        });
        assert!(
            fails || report.is_none(),
            "{} keeps {} now",
            it.plugin,
            it.statement
        );
    }
}

#[test]
fn our_examples_pass_everything() {
    let examples = EXAMPLES.map(|name| (name, example(name)));
    thread::scope(|scope| {
        for (name, path) in examples {
            scope.spawn(move || {
                let report = run(&path);
                let failures: Vec<_> = report.failures().collect();
                assert!(failures.is_empty(), "{name}: {failures:#?}");
            });
        }
    });
}

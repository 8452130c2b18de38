//! The tests of plugins, on our examples and on Go plugins of four NRI releases. What does not pass
//! is in `snapshots/conformance/`; each failure is explained in `explained.toml` there.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use nri_conformance::plugin::{Options, Run};
use nri_conformance::result::{Outcome, Report};
use nri_conformance::session::Timeouts;
use nri_conformance::subject::{Executable, Subject};
use nri_tests::examples::example;
use nri_tests::judged::judged;
use nri_tests::peers::{self, NRI_RELEASES};
use nri_tests::snapshot::difference;
use serde::Deserialize;

use crate::bridged::{self, BridgeReasons, MEASURED};

/// The examples that are plugins for a node and need no configuration.
const EXAMPLES: [&str; 6] =
    ["logger", "template", "device-injector", "legacy", "ulimit-adjuster", "validator"];

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

fn launched(path: &Path) -> Subject {
    Subject::launched(Executable::new(path))
}

fn run(subject: Subject, skip: &[&str]) -> Report {
    // Longer than a runtime waits: several runs share the machine.
    let mut options = Options::default();
    options.timeouts =
        Timeouts::default().registration(Duration::from_secs(20)).request(Duration::from_secs(10));
    let run = Run::new(subject).options(options).skip(skip.iter().copied());
    run.run_blocking().expect("the plugin starts")
}

/// Returns what did not pass: one line per test and outcome, with the revisions that it is about.
fn summary(report: &Report) -> String {
    let mut lines: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for result in &report.results {
        let (kind, mut detail) = match &result.outcome {
            Outcome::Pass => continue,
            Outcome::Fail(failure) => ("fail", failure.to_string()),
            Outcome::Skip(reason) => ("skip", reason.clone()),
            Outcome::Known { failure, link } => ("known", format!("{failure}; {link}")),
        };
        if let Some(revision) = &result.revision {
            detail = detail.replace(revision.as_str(), "REVISION");
        }
        let line = format!("{kind} {} {}: {detail}", result.statement, result.test);
        let revisions = lines.entry(line).or_default();
        revisions.extend(result.revision.as_deref());
    }
    lines.into_iter().fold(String::new(), |mut text, (line, revisions)| {
        let _ = writeln!(text, "{line}");
        if !revisions.is_empty() {
            let _ = writeln!(text, "    under {}", revisions.join(", "));
        }
        text
    })
}

impl Explained {
    /// Returns the failures of a plugin without an explanation, and the explanations without a
    /// failure.
    fn differences(&self, name: &str, report: &Report) -> Vec<String> {
        let of_plugin = || self.failure.iter().filter(|it| it.plugin == name);
        let failures: Vec<_> = report.failures().collect();
        let is_explained = |statement: &str| of_plugin().any(|it| it.statement == statement);
        let unexplained = failures
            .iter()
            .filter(|(result, _)| !is_explained(result.statement))
            .map(|(result, failure)| {
                format!("{name} fails {} without explanation: {failure}", result.statement)
            });
        let kept = of_plugin()
            .filter(|it| failures.iter().all(|(result, _)| result.statement != it.statement))
            .map(|it| format!("{name} keeps {} now", it.statement));
        unexplained.chain(kept).collect()
    }
}

#[test]
fn go_plugins_fail_only_what_is_explained_with_and_without_the_bridge() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/conformance");
    let text = std::fs::read_to_string(folder.join("explained.toml")).expect("is readable");
    let explained: Explained = toml::from_str(&text).expect("is valid");
    for it in &explained.failure {
        assert!(it.link.starts_with("https://") && !it.reason.is_empty());
    }
    let accepted = BridgeReasons::read();
    let plugins = NRI_RELEASES.map(|release| (format!("go-{release}"), peers::plugin(release)));
    let wrong = judged(plugins.len(), &plugins, |(name, path)| {
        let report = run(launched(path), &[]);
        let mut wrong = explained.differences(name, &report);
        wrong.extend(difference(&format!("conformance/{name}.txt"), &summary(&report)));
        let behind = run(bridged::behind(path, &[]).subject(), &[MEASURED]);
        let differences = accepted.differences(&report, &behind, &[]);
        wrong.extend(differences.into_iter().map(|it| format!("{name}: {it}")));
        (!wrong.is_empty()).then(|| wrong.join("\n"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(accepted.unused().is_empty(), "no difference now: {:?}", accepted.unused());
}

#[test]
fn our_examples_pass_everything() {
    let examples = EXAMPLES.map(|name| (name, example(name)));
    let wrong = judged(examples.len(), &examples, |(name, path)| {
        let report = run(launched(path), &[]);
        let failures: Vec<_> = report.failures().collect();
        (!failures.is_empty()).then(|| format!("{name}: {failures:#?}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
